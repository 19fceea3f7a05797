//! Wrappers: programs that run the command in their arguments.

use super::options::{SPEC, Spec, scan, split, what};
use super::table::{CHROOT, Entry, SUDO};
use super::{LOST, NONE, Opened, REPEATED, settings, shell};
use crate::command::{Context, Word};
use crate::walk::{Invocation, join};

/// A wrapper of the table.
pub(super) fn plain(invocation: &Invocation, (entry, start): (&Entry, usize)) -> Opened {
    let words = invocation.words.as_slice();
    let scan = match scan(words, start, &entry.spec) {
        Ok(scan) => scan,
        Err(what) => return Opened::dynamic(what),
    };
    // `strace -o '|command'`
    let piped = |value: &Word| value.text.starts_with(['|', '!']);
    if scan.found.iter().any(|found| found.value.as_ref().is_some_and(piped)) {
        return Opened::opaque(words.first().map_or("", |word| word.text.as_str()));
    }
    // Where the number may be left out, the command begins earlier.
    let is_number = |word: &Word| word.text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let number = words.get(scan.operands).filter(|_| entry.has_number());
    if let Some(word) = number.filter(|word| !word.is_dynamic() && !is_number(word)) {
        return Opened::dynamic(what(word));
    }
    let mut command = scan.command;
    let mut setting = None;
    if entry.assignments {
        while let Some((name, value)) = words.get(command).and_then(assignment) {
            setting = setting.or_else(|| settings::code(&name, &value));
            command = command.saturating_add(1);
        }
    }
    let (wrapper, inner) = split(words, command);
    if inner.is_empty() {
        return if entry.has_shell() { shell::input(invocation) } else { Opened::Plain };
    }
    let background = scan.has("b") && entry.assignments;
    let effects = if background { LOST } else { entry.effects };
    let skips = entry.skips(|option| scan.has(option));
    let effects = Context { condition: effects.condition || skips, ..effects };
    Opened::Command { wrapper: wrapper.to_vec(), words: inner.to_vec(), effects, setting }
}

/// Wrappers of which an option decides whether anything runs.
pub(super) fn special(invocation: &Invocation, name: &str) -> Opened {
    let words = invocation.words.as_slice();
    let spec = match name {
        "command" => Spec { flags: "pvV", ..SPEC },
        "exec" => Spec { flags: "cl", values: "a", ..SPEC },
        "sudo" => SUDO.spec,
        "chroot" => CHROOT.spec,
        _ => SPEC,
    };
    let scanned = match scan(words, 1, &spec) {
        Ok(scan) => scan,
        Err(what) => return Opened::dynamic(what),
    };
    // `command -v x` only looks it up.
    if name == "command" && (scanned.has("v") || scanned.has("V")) {
        return Opened::Plain;
    }
    let bare = words.len() <= scanned.command;
    match name {
        "sudo" if bare && ["s", "i", "shell", "login"].iter().any(|option| scanned.has(option)) => {
            shell::input(invocation)
        }
        "sudo" => plain(invocation, (&SUDO, 1)),
        // What follows is read from somewhere else.
        "exec" if bare && shell::redirects_input(invocation) => Opened::dynamic("exec"),
        "chroot" if bare && words.len() > scanned.operands => shell::input(invocation),
        _ => {
            let (wrapper, inner) = split(words, scanned.command);
            if inner.is_empty() { Opened::Plain } else { Opened::command(wrapper, inner, NONE) }
        }
    }
}

/// `NAME=value` as a word.
fn assignment(word: &Word) -> Option<(String, Word)> {
    let (name, value) = word.text.split_once('=')?;
    // `env` takes any name; one that is not known could be another word.
    let is_name =
        !word.is_dynamic() || name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let value = Word { text: value.to_owned(), dynamic: word.dynamic.clone() };
    (is_name && !word.is_many()).then(|| (name.to_owned(), value))
}

pub(super) fn env(words: &[Word]) -> Opened {
    let spec = Spec {
        flags: "i0v",
        values: "uCSa",
        long_flags: "ignore-environment null debug list-signal-handling block-signal default-signal ignore-signal",
        long_values: "unset chdir split-string argv0",
        ..SPEC
    };
    let scan = match scan(words, 1, &spec) {
        Ok(scan) => scan,
        Err(what) => return Opened::dynamic(what),
    };
    // The string of `-S` is split by rules of its own: only blanks between simple words are certain,
    // and what stands behind it is read with it, as options too.
    let mut strings =
        scan.found.iter().filter(|found| found.name == "S" || found.name == "split-string");
    if let Some(found) = strings.next() {
        if strings.next().is_some() {
            return Opened::dynamic("env -S");
        }
        let simple = |text: &str| {
            text.chars().all(|c| c.is_ascii_alphanumeric() || " \t_-./=,:+@%".contains(c))
        };
        return match found.value.as_ref().and_then(Word::known) {
            Some(text) if simple(text) => {
                let mut inner = vec![Word::literal("env")];
                inner.extend(text.split_ascii_whitespace().map(Word::literal));
                inner.extend_from_slice(split(words, scan.operands).1);
                Opened::command(&[Word::literal("env"), Word::literal("-S")], &inner, NONE)
            }
            _ => Opened::dynamic("env -S"),
        };
    }
    let mut command = scan.operands;
    // A lone `-` is `-i`.
    if words.get(command).is_some_and(|word| word.text == "-") {
        command = command.saturating_add(1);
    }
    let mut setting = None;
    while let Some((name, value)) = words.get(command).and_then(assignment) {
        setting = setting.or_else(|| settings::code(&name, &value));
        command = command.saturating_add(1);
    }
    let (wrapper, inner) = split(words, command);
    if inner.is_empty() {
        return Opened::Plain;
    }
    Opened::Command { wrapper: wrapper.to_vec(), words: inner.to_vec(), effects: NONE, setting }
}

/// The command of `xargs` gets words that are not known, at its end or in place of a pattern.
pub(super) fn xargs(words: &[Word]) -> Opened {
    let spec = Spec {
        flags: "0oprtx",
        values: "adEILnPsRSJ",
        optional: "eil",
        long_flags: "null interactive no-run-if-empty verbose exit open-tty show-limits eof replace max-lines",
        long_values: "arg-file delimiter max-args max-procs max-chars process-slot-var",
        ..SPEC
    };
    let scan = match scan(words, 1, &spec) {
        Ok(scan) => scan,
        Err(what) => return Opened::dynamic(what),
    };
    let (wrapper, inner) = split(words, scan.command);
    if inner.is_empty() {
        return Opened::Plain;
    }
    let pattern = scan
        .found
        .iter()
        .rev()
        .find(|found| matches!(found.name.as_str(), "I" | "J" | "i" | "replace"));
    let mut inner = inner.to_vec();
    match pattern {
        Some(found) => {
            let pattern = found.value.as_ref().map_or("{}", |value| value.text.as_str());
            replace(&mut inner, pattern, found.name == "J");
            // The last one of these wins, and the others put the input at the end.
            let appends = ["n", "L", "l", "max-args", "max-lines"];
            if appends.iter().any(|option| scan.has(option)) {
                inner.push(Word::unknown("input of xargs", true));
            }
        }
        None => inner.push(Word::unknown("input of xargs", true)),
    }
    Opened::command(wrapper, &inner, REPEATED)
}

/// Marks words that contain a pattern which the wrapper replaces by something unknown.
pub(super) fn replace(words: &mut [Word], pattern: &str, many: bool) {
    for word in words {
        if word.text.contains(pattern) && !word.is_many() {
            *word = Word::unknown(word.text.clone(), many);
        }
    }
}

/// GNU parallel gives its words, joined, to a shell, with inputs quoted and put in place of `{}`.
pub(super) fn parallel(words: &[Word]) -> Opened {
    let spec = Spec {
        flags: "0kmqtuvXx",
        values: "aIjLnNPSsE",
        long_flags: "null keep-order xargs quote verbose dry-run bar progress eta halt-on-error group ungroup line-buffer \
                     will-cite no-notice lb tag",
        long_values: "arg-file jobs max-args max-procs colsep delay retries timeout halt joblog delimiter",
        ..SPEC
    };
    let scan = match scan(words, 1, &spec) {
        Ok(scan) => scan,
        Err(what) => return Opened::dynamic(what),
    };
    let (wrapper, rest) = split(words, scan.command);
    let command: Vec<&Word> =
        rest.iter().take_while(|word| !word.text.starts_with(":::")).collect();
    let joined = join(command.into_iter());
    if joined.text.is_empty() || scan.has("I") || scan.has("S") {
        return Opened::dynamic("input of parallel");
    }
    // `{}`, `{.}`, `{1}` and the like become a word that is not known.
    let mut text = String::new();
    let mut found = false;
    let mut left = joined.text.as_str();
    while let Some((before, after)) = left.split_once('{') {
        let Some((inside, behind)) = after.split_once('}') else {
            return Opened::dynamic("input of parallel");
        };
        if !inside.chars().all(|c| c.is_ascii_digit() || "./#%-+|: ".contains(c)) {
            return Opened::dynamic("input of parallel");
        }
        text.push_str(before);
        text.push_str("\"$_\"");
        found = true;
        left = behind;
    }
    text.push_str(left);
    if !found {
        text.push_str(" \"$_\"");
    }
    let effects = Context { condition: scan.has("dry-run"), ..REPEATED };
    Opened::text(wrapper, Word { text, dynamic: joined.dynamic }, effects)
}

pub(super) fn watch(words: &[Word]) -> Opened {
    let spec = Spec {
        flags: "bcCdegptrwx",
        values: "nqs",
        long_flags: "beep color no-color differences errexit chgexit precise no-title no-rerun no-wrap exec",
        long_values: "interval equexit shotsdir",
        ..SPEC
    };
    match scan(words, 1, &spec) {
        Err(what) => Opened::dynamic(what),
        Ok(scan) => {
            let (wrapper, inner) = split(words, scan.command);
            if inner.is_empty() {
                Opened::Plain
            } else if scan.has("x") || scan.has("exec") {
                Opened::command(wrapper, inner, REPEATED)
            } else {
                Opened::text(wrapper, join(inner.iter()), REPEATED)
            }
        }
    }
}

pub(super) fn flock(words: &[Word]) -> Opened {
    let spec = Spec {
        flags: "enosuxFv",
        values: "wE",
        long_flags: "exclusive nb nonblock no-fork close shared unlock verbose",
        long_values: "timeout wait conflict-exit-code",
        operands: 1,
        ..SPEC
    };
    let scan = match scan(words, 1, &spec) {
        Ok(scan) => scan,
        Err(what) => return Opened::dynamic(what),
    };
    // With another exit code it succeeds without running anything.
    let skips = scan.has("E") || scan.has("conflict-exit-code");
    let effects = Context { condition: skips, ..NONE };
    let (wrapper, inner) = split(words, scan.command);
    match inner {
        [] => Opened::Plain,
        [option, text] if matches!(option.text.as_str(), "-c" | "--command") => {
            Opened::text(wrapper, text.clone(), effects)
        }
        [option, ..] if option.text.starts_with('-') => Opened::dynamic(what(option)),
        inner => Opened::command(wrapper, inner, effects),
    }
}

/// `ip netns exec NAME command`
pub(super) fn ip(words: &[Word]) -> Opened {
    let position = words.iter().position(|word| word.text == "exec");
    let netns = words.iter().any(|word| matches!(word.text.as_str(), "netns" | "vrf"));
    match position {
        Some(position) if netns => {
            let (wrapper, inner) = split(words, position.saturating_add(2));
            Opened::command(wrapper, inner, NONE)
        }
        _ if words.iter().any(Word::is_many) => Opened::dynamic("ip"),
        _ => Opened::Plain,
    }
}
