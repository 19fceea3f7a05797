//! A cautious look at shell commands: plain words are understood, everything else is *opaque*.
//!
//! This is not a shell parser. It knows when it does not know: expansions, escapes, subshells,
//! keywords, wrappers such as `sudo` and interpreters fed with code make a command opaque, and the
//! nets treat an opaque command as whatever it could be.

use crate::ToolCall;

/// What a command line does, as far as it can be told.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CommandLine {
    /// These programs, one after the other or side by side.
    Plain(Vec<Command>),
    /// It could be anything.
    Opaque,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    words: Vec<Word>,
    /// It writes to a file by redirection.
    pub(super) redirects_output: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// Some of it was quoted.
    is_quoted: bool,
    /// It may expand to other words: `*`, `?`, `[`.
    pub(super) is_glob: bool,
}

impl Command {
    /// The program without its directory.
    pub(super) fn program(&self) -> &str {
        let path = self.words.first().map_or("", |word| word.text.as_str());
        path.rsplit('/').next().unwrap_or(path)
    }

    /// Whether the program is looked up by its name alone.
    pub(super) fn is_bare(&self) -> bool {
        self.words.first().is_some_and(|word| !word.text.contains('/'))
    }

    pub(super) fn args(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    pub(super) fn has_arg(&self, test: impl Fn(&str) -> bool) -> bool {
        self.args().iter().any(|word| test(&word.text))
    }
}

/// Tools that take shell commands.
pub(super) const SHELL_TOOLS: [&str; 6] = ["bash", "Bash", "shell", "Shell", "sh", "exec"];

/// The command line of a call, if its tool is a shell; opaque if it holds none.
pub(super) fn of_call(call: &ToolCall) -> Option<CommandLine> {
    if !SHELL_TOOLS.contains(&call.tool.as_str()) {
        return None;
    }
    let mut fields = ["command", "cmd", "script"].iter().filter_map(|field| call.input.get(field));
    // Two commands in one call: which one runs is not known here.
    let line = match (fields.next().map(serde_json::Value::as_str), fields.next()) {
        (Some(Some(text)), None) => parse(text),
        _ => CommandLine::Opaque,
    };
    Some(line)
}

/// Programs that run another program, or code, that the eye of a net cannot follow.
const RUNNERS: [&str; 66] = [
    "sudo",
    "doas",
    "su",
    "env",
    "nohup",
    "nice",
    "ionice",
    "time",
    "timeout",
    "stdbuf",
    "setsid",
    "exec",
    "command",
    "builtin",
    "eval",
    "xargs",
    "parallel",
    "watch",
    "busybox",
    "toybox",
    "chroot",
    "nsenter",
    "unshare",
    "flock",
    "strace",
    "script",
    "source",
    ".",
    "trap",
    "alias",
    "expect",
    "awk",
    "gawk",
    "mawk",
    "nawk",
    "taskset",
    "chrt",
    "prlimit",
    "setarch",
    "numactl",
    "runuser",
    "pkexec",
    "systemd-run",
    "fakeroot",
    "hash",
    "mapfile",
    "readarray",
    "compgen",
    "complete",
    "jobs",
    "read",
    "typeset",
    "local",
    "export",
    "readonly",
    "enable",
    "bind",
    "fc",
    "unset",
    "getopts",
    "wait",
    "set",
    "shopt",
    "docker",
    "podman",
    "kubectl",
];

/// Shells, here and elsewhere.
const SHELLS: [&str; 20] = [
    "bash", "sh", "zsh", "dash", "ksh", "mksh", "fish", "csh", "tcsh", "ash", "rbash", "rksh",
    "rzsh", "yash", "pwsh", "nu", "ssh", "rsh", "mosh", "tclsh",
];

/// Programs that are opaque when they are handed code, or read it from standard input. Versions in the
/// name do not matter.
const INTERPRETERS: [&str; 10] =
    ["python", "pypy", "node", "perl", "ruby", "php", "deno", "bun", "lua", "osascript"];

const KEYWORDS: [&str; 18] = [
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "function", "select", "coproc", "[[", "let", "declare",
];

pub(super) fn parse(text: &str) -> CommandLine {
    let Some(commands) = split(text) else { return CommandLine::Opaque };
    if commands.iter().any(is_opaque) { CommandLine::Opaque } else { CommandLine::Plain(commands) }
}

fn is_opaque(command: &Command) -> bool {
    let Some(first) = command.words.first() else { return true };
    let program = command.program();
    // Plain only with a file to run, which must come first: options can hand over code.
    let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let script = command.args().first().map_or("-", |word| word.text.as_str());
    let runs_code =
        INTERPRETERS.contains(&name) && (script.starts_with('-') || script.starts_with("/dev/"));
    let sets_variable =
        ["test", "[", "printf"].contains(&program) && command.has_arg(|a| a == "-v");
    SHELLS.contains(&name)
        || sets_variable
        || first.is_glob
        || first.text.contains('=')
        || KEYWORDS.contains(&first.text.as_str())
        || RUNNERS.contains(&program)
        || runs_code
}

/// The words of every command, or `None` if some character is not plain.
fn split(text: &str) -> Option<Vec<Command>> {
    let mut line = Line::default();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => line.end_word(),
            // In the background, its end says nothing.
            '&' if chars.next_if_eq(&'&').is_none() => return None,
            ';' | '&' | '|' | '\n' => line.end_command(),
            '\'' => line.quoted(&mut chars, '\'', "")?,
            '"' => line.quoted(&mut chars, '"', "$`\\!")?,
            '<' | '>' => {
                line.redirect(c)?;
                // `<<` is a here-document, whose lines would look like commands.
                while let Some(next) = chars.next_if(|next| "<>&|".contains(*next)) {
                    if c == '<' && next == '<' {
                        return None;
                    }
                }
            }
            '*' | '?' | '[' | ']' => line.push(c, true),
            '$' | '`' | '\\' | '(' | ')' | '{' | '}' | '#' | '!' | '~' | '^' => return None,
            c if c.is_control() => return None,
            c => line.push(c, false),
        }
    }
    line.end_command();
    Some(line.commands)
}

#[derive(Default)]
struct Line {
    commands: Vec<Command>,
    command: Command,
    word: Option<Word>,
    /// The next word is a file to redirect to or from.
    to_file: bool,
}

impl Line {
    fn push(&mut self, c: char, is_glob: bool) {
        let word = self.word.get_or_insert_default();
        word.text.push(c);
        word.is_glob |= is_glob;
    }

    /// Takes everything up to the closing quote; `None` without one, or with a `special` character.
    fn quoted(
        &mut self,
        chars: &mut impl Iterator<Item = char>,
        quote: char,
        special: &str,
    ) -> Option<()> {
        self.word.get_or_insert_default().is_quoted = true;
        let mut before = ' ';
        for c in chars {
            if c == quote {
                return Some(());
            }
            // Some builtins expand their arguments once more, quotes or not.
            let expands = c == '`' || (before == '$' && "({".contains(c));
            if special.contains(c) || expands || c == '\0' {
                return None;
            }
            before = c;
            self.push(c, false);
        }
        None
    }

    /// `None` where it is not clear whether a number right before is a descriptor or a word.
    fn redirect(&mut self, direction: char) -> Option<()> {
        let is_number = |word: &&Word| word.text.chars().all(|c| c.is_ascii_digit());
        if let Some(number) = self.word.as_ref().filter(is_number) {
            if number.is_quoted || number.text.len() > 1 {
                return None;
            }
            self.word = None;
        }
        self.end_word();
        self.command.redirects_output |= direction == '>';
        self.to_file = true;
        Some(())
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        if !std::mem::take(&mut self.to_file) {
            self.command.words.push(word);
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.to_file = false;
        let command = std::mem::take(&mut self.command);
        if !command.words.is_empty() || command.redirects_output {
            self.commands.push(command);
        }
    }
}
