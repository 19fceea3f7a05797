//! Programs that run a text as shell commands.

use super::options::{SPEC, Spec, scan, split, what};
use super::{NONE, Opened, REMOTE};
use crate::command::{Context, RedirectionKind, Word};
use crate::walk::{Invocation, join};

/// A shell that runs what it reads: only a here-document or here-string is known.
pub(super) fn input(invocation: &Invocation) -> Opened {
    input_with(invocation, NONE)
}

fn input_with(invocation: &Invocation, effects: Context) -> Opened {
    let stdin = invocation.redirections.iter().rfind(|redirection| match redirection.fd {
        Some(fd) => fd == 0,
        None => !matches!(
            redirection.kind,
            RedirectionKind::Write | RedirectionKind::Append | RedirectionKind::Clobber
        ),
    });
    match stdin {
        Some(redirection)
            if matches!(
                redirection.kind,
                RedirectionKind::HereDocument | RedirectionKind::HereString
            ) =>
        {
            Opened::text(&invocation.words, redirection.target.clone(), effects)
        }
        Some(redirection) => Opened::dynamic(what(&redirection.target)),
        None => Opened::dynamic("input of a shell"),
    }
}

/// Whether the standard input is another one.
pub(super) fn redirects_input(invocation: &Invocation) -> bool {
    use RedirectionKind::{HereDocument, HereString, Read, ReadWrite};
    invocation.redirections.iter().any(|redirection| {
        redirection.fd == Some(0)
            || (redirection.fd.is_none()
                && matches!(redirection.kind, HereDocument | HereString | Read | ReadWrite))
    })
}

/// `bash -c text`, `bash file`, `bash` reading its input.
pub(super) fn shell(invocation: &Invocation) -> Opened {
    let words = invocation.words.as_slice();
    let mut position: usize = 1;
    let mut letters = String::new();
    while let Some(word) = words.get(position) {
        let text = word.text.as_str();
        if word.is_dynamic() && (word.is_many() || text.starts_with(['-', '+', '$', '`'])) {
            return Opened::dynamic(what(word));
        }
        position = position.saturating_add(1);
        match text {
            "--" | "-" => break,
            "--login" | "--norc" | "--noprofile" | "--posix" | "--verbose" | "--restricted"
            | "--noediting" => {}
            "--version" | "--help" => return Opened::Plain,
            _ if text.starts_with("--") => return Opened::dynamic(text),
            _ if text.starts_with(['-', '+']) => {
                letters.push_str(text.get(1..).unwrap_or_default());
                // `-o name` and `-O name`, also in the middle: `-euo pipefail`.
                let values = text.chars().filter(|c| matches!(c, 'o' | 'O')).count();
                let options =
                    words.get(position..position.saturating_add(values)).unwrap_or_default();
                if options.iter().any(Word::is_dynamic) || options.len() < values {
                    return Opened::dynamic(text);
                }
                if options.iter().any(|option| matches!(option.text.as_str(), "noexec" | "onecmd"))
                {
                    letters.push('n');
                }
                position = position.saturating_add(values);
            }
            _ => {
                position = position.saturating_sub(1);
                break;
            }
        }
    }
    // `-n` only reads, `-t` runs one command.
    let effects = Context { condition: letters.contains(['n', 't']), ..NONE };
    if !letters.chars().all(|c| "abcefhiklmnopqrstuvxyBCDEHOPT".contains(c)) {
        return Opened::dynamic(format!("-{letters}"));
    }
    let (wrapper, rest) = split(words, position);
    match rest.first() {
        Some(text) if letters.contains('c') => {
            if text.is_many() {
                Opened::dynamic(what(text))
            } else {
                Opened::text(wrapper, text.clone(), effects)
            }
        }
        None if letters.contains('c') => Opened::Plain,
        Some(file) if !letters.contains('s') => script_file(invocation, file),
        _ => input_with(invocation, effects),
    }
}

/// A script that is a file: as unknown as any program, unless even its name is, or it is not a
/// file but an input.
fn script_file(invocation: &Invocation, file: &Word) -> Opened {
    if file.is_dynamic() {
        return Opened::dynamic(what(file));
    }
    if file.text.starts_with("/dev/") || file.text.starts_with("/proc/") {
        return match file.text.as_str() {
            "/dev/stdin" | "/dev/fd/0" => input(invocation),
            other => Opened::dynamic(other),
        };
    }
    Opened::Plain
}

/// `su [options] [-] [user] -c text`
pub(super) fn su(invocation: &Invocation) -> Opened {
    let words = invocation.words.as_slice();
    let spec = Spec {
        flags: "flmpPh",
        values: "cgGsuwT",
        long_flags: "fast login preserve-environment pty no-pty",
        long_values: "command session-command group supp-group shell user whitelist-environment",
        ..SPEC
    };
    let mut start = 1;
    let mut texts = Vec::new();
    let mut user = false;
    let mut operands: usize = 0;
    // Options may stand behind the operands.
    while start < words.len() {
        let scanned = match scan(words, start, &spec) {
            Ok(scan) => scan,
            Err(what) => return Opened::dynamic(what),
        };
        user |= scanned.has("u") || scanned.has("user");
        for found in scanned.found {
            match found.name.as_str() {
                "c" | "command" | "session-command" => texts.extend(found.value),
                "s" | "shell" => return Opened::dynamic("another shell"),
                _ => {}
            }
        }
        if user {
            let (wrapper, inner) = split(words, scanned.command);
            return if inner.is_empty() {
                Opened::Plain
            } else {
                Opened::command(wrapper, inner, NONE)
            };
        }
        let operand = words.get(scanned.command).is_some_and(|word| word.text != "-");
        operands = operands.saturating_add(usize::from(operand));
        start = scanned.command.saturating_add(1);
    }
    // Further operands are arguments of the shell.
    if operands > 1 {
        return Opened::dynamic("arguments of a shell");
    }
    match texts.as_slice() {
        [] => input(invocation),
        [text] => {
            let wrapper: Vec<Word> = words.iter().filter(|word| *word != text).cloned().collect();
            Opened::text(&wrapper, text.clone(), NONE)
        }
        _ => Opened::dynamic("several texts"),
    }
}

/// `ssh [options] host [options] text…`: the words are joined and run by a shell over there.
pub(super) fn ssh(invocation: &Invocation) -> Opened {
    let words = invocation.words.as_slice();
    let spec = Spec {
        flags: "46AaCfGgKkMNnqsTtVvXxYy",
        values: "BbcDEeFIiJLlmOoPpQRSWw",
        environment: true,
        ..SPEC
    };
    let before = match scan(words, 1, &spec) {
        Ok(scan) => scan,
        Err(what) => return Opened::dynamic(what),
    };
    let host = words.get(before.operands);
    if host.is_some_and(Word::is_many) {
        return Opened::dynamic(host.map_or_else(String::new, what));
    }
    let after = match scan(words, before.operands.saturating_add(1), &spec) {
        Ok(scan) => scan,
        Err(what) => return Opened::dynamic(what),
    };
    let runs_here = |value: &Word| {
        let text = value.text.to_ascii_lowercase();
        value.is_dynamic()
            || text.contains("command")
            || text.contains("match")
            || text.contains("include")
    };
    for found in before.found.iter().chain(&after.found) {
        let configured = found.name == "o" && found.value.as_ref().is_some_and(runs_here);
        if configured || found.name == "F" {
            return Opened::opaque("ssh configuration");
        }
    }
    let background = before.has("f") || after.has("f");
    // With these it runs nothing there.
    let condition =
        ["G", "N", "V", "Q", "O"].iter().any(|option| before.has(option) || after.has(option));
    let effects = Context { background, condition, ..REMOTE };
    let (wrapper, inner) = split(words, after.command);
    match inner {
        [] if before.has("N")
            || before.has("V")
            || before.has("Q")
            || before.has("G")
            || host.is_none() =>
        {
            Opened::Plain
        }
        [] => input_with(invocation, effects),
        inner => Opened::text(wrapper, join(inner.iter()), effects),
    }
}

/// `script [options] [file] -c text` records a shell.
pub(super) fn script(invocation: &Invocation) -> Opened {
    let words = invocation.words.as_slice();
    let spec = Spec {
        flags: "aefqV",
        values: "cIOBTmEot",
        long_flags: "append return flush force quiet",
        long_values: "command log-in log-out log-io log-timing logging-format echo output-limit",
        ..SPEC
    };
    match scan(words, 1, &spec) {
        Err(what) => Opened::dynamic(what),
        Ok(scan) => {
            let text = scan.found.iter().find(|found| found.name == "c" || found.name == "command");
            let effects = Context { condition: true, ..NONE };
            match text.and_then(|found| found.value.clone()) {
                Some(text) if words.len() <= scan.operands.saturating_add(1) => {
                    Opened::text(words, text, effects)
                }
                _ => Opened::dynamic("a recorded shell"),
            }
        }
    }
}
