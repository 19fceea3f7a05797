//! A command, as hosts want it written.

use crate::host::Host;
use crate::setup::SetupError;

/// The command that a host runs for its events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookCommand {
    /// The program, as an absolute path: hosts run hooks in folders that an agent can write to.
    pub program: String,
    /// Its arguments, of which the first is `hook`.
    pub args: Vec<String>,
}

impl HookCommand {
    /// Whether the host can run it, and we would find it again.
    pub(super) fn check(&self, host: Host) -> Result<(), SetupError> {
        let program = &self.program;
        let error = |message: String| Err(SetupError::Command { message });
        if !program.starts_with('/') && !is_windows(program) {
            return error(format!("`{program}` is not an absolute path"));
        }
        if !is_ours(program, &self.args) {
            return error(format!("`{program}` is not `petriflow hook`"));
        }
        let mut words = self.args.iter().chain([program]);
        if words.any(|word| word.chars().any(char::is_control)) {
            return error(format!("`{}` has control characters", program.escape_debug()));
        }
        // The shells of Windows do not agree on quotes.
        let mut words = self.args.iter().chain([program]);
        if host != Host::ClaudeCode && is_windows(program) && words.any(|word| !is_plain(word)) {
            return error(format!(
                "`{program}` or an argument needs quotes, which {} passes to a shell that reads them in its own way; move the program to a path without blanks",
                host.title()
            ));
        }
        Ok(())
    }

    /// The command as one line for a shell. The same command is always the same line, since a host may
    /// ask the user again about one that changed.
    pub(super) fn line(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.args);
        words.map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }

    /// The command that a line stands for, if it is one that we would have written.
    pub(super) fn of_line(line: &str) -> Option<Self> {
        let mut words = words(line)?.into_iter();
        Some(Self { program: words.next()?, args: words.collect() })
    }

    /// Whether it is an entry of ours, wherever the program is.
    pub(super) fn is_ours(&self) -> bool {
        is_ours(&self.program, &self.args)
    }
}

fn is_ours(program: &str, args: &[String]) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program).to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    name == "petriflow" && args.first().is_some_and(|arg| arg == "hook")
}

fn is_windows(program: &str) -> bool {
    let mut chars = program.chars();
    let drive = chars.next().is_some_and(|char| char.is_ascii_alphabetic());
    drive && chars.next() == Some(':') && matches!(chars.next(), Some('\\' | '/'))
        || program.starts_with("\\\\")
}

/// Whether a word means itself in every shell.
fn is_plain(word: &str) -> bool {
    let plain = |char: char| char.is_ascii_alphanumeric() || "_-./:=@+,\\".contains(char);
    !word.is_empty() && word.chars().all(plain)
}

fn quoted(word: &str) -> String {
    // A backslash is only left where no shell that knows it as an escape gets the line.
    let is_plain = is_plain(word) && (!word.contains('\\') || is_windows(word));
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// The words of a line with quotes and escapes; `None` if it is more than words.
fn words(line: &str) -> Option<Vec<String>> {
    let windows = is_windows(line.trim_start());
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        match char {
            ' ' | '\t' => words.extend(word.take()),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        end if end == char => break,
                        '\\' if char == '"' && !windows => word.push(chars.next()?),
                        inner => word.push(inner),
                    }
                }
            }
            '\\' if !windows => word.get_or_insert_default().push(chars.next()?),
            // Something that only a shell understands, so it is none of ours.
            ';' | '&' | '|' | '<' | '>' | '(' | ')' | '$' | '`' | '\n' => return None,
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Some(words)
}
