//! Commands of `petriflow` itself: some are for a person.

use petriflow_shell::{Command, Word};

use crate::bases::{Bases, Found};
use crate::pattern::Pattern;
use crate::{Objection, Protected};

/// Subcommands with which a person changes what an agent may do.
const PERSON: [&str; 6] = ["trust", "approve", "deny", "uninstall", "init", "hook"];

/// Subcommands that only tell something.
const TELLS: [&str; 14] = [
    "analyse",
    "audit",
    "check",
    "completions",
    "demo",
    "doctor",
    "draw",
    "explain",
    "help",
    "sessions",
    "shell",
    "simulate",
    "status",
    "test",
];

/// Whether a command is one of `petriflow` that is for a person.
pub(crate) fn objection(
    protected: &Protected,
    command: &Command,
    bases: &Bases<'_>,
) -> Option<Objection> {
    let (first, arguments) = command.words.split_first()?;
    if is_petriflow(protected, first, bases) {
        return subcommand(arguments);
    }
    // A runner of another kind (`npx petriflow trust`), or a program that is not known.
    let at = command.words.iter().position(|word| mentions(&word.text))?;
    let behind = command.words.get(at.saturating_add(1)..).unwrap_or_default();
    behind
        .iter()
        .find_map(|word| PERSON.iter().find(|name| word.text == **name))
        .map(|name| refused(name))
}

/// Whether code or a text that cannot be read runs such a command.
pub(crate) fn in_code(text: &str) -> Option<Objection> {
    told(text, "petriflow")
}

/// The same where the program is not known, so that a part of its name is enough.
pub(crate) fn in_unknown(text: &str) -> Option<Objection> {
    told(text, "petri")
}

fn told(text: &str, program: &str) -> Option<Objection> {
    let mut rest = text;
    while let Some(at) = rest.find(program) {
        let behind = rest.get(at.saturating_add(program.len())..).unwrap_or_default();
        let words = behind
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(|word| !word.is_empty());
        for word in words.take(12) {
            if let Some(name) = PERSON.iter().find(|name| word == **name) {
                return Some(refused(name));
            }
        }
        rest = behind;
    }
    None
}

/// Whether a word runs the binary: by name, by path, by inode.
pub(crate) fn is_petriflow(protected: &Protected, word: &Word, bases: &Bases<'_>) -> bool {
    let name = word.text.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let own = protected.roots.binary_name();
    let own = own.strip_suffix(".exe").unwrap_or(&own);
    if name.eq_ignore_ascii_case("petriflow")
        || (!name.is_empty() && name.eq_ignore_ascii_case(own))
    {
        return true;
    }
    if word.dynamic.is_some() && Pattern::new(name, &|_| None).matches_name("petriflow") {
        return true;
    }
    word.text.contains(['/', '*', '?', '['])
        && matches!(bases.look(word), Some(Found::Inside(root)) if protected.roots.is_binary(root))
}

fn subcommand(arguments: &[Word]) -> Option<Objection> {
    for word in arguments {
        let Some(text) = word.known() else {
            return Some(Objection::new(format!(
                "which command of `petriflow` this is cannot be known before it runs (`{}`); write it out",
                crate::paths::cut(&word.text)
            )));
        };
        if let Some(name) = PERSON.iter().find(|name| text == **name) {
            return Some(refused(name));
        }
        if TELLS.contains(&text) {
            return None;
        }
    }
    None
}

fn mentions(text: &str) -> bool {
    text.contains("petriflow")
}

fn refused(name: &str) -> Objection {
    Objection::new(format!("`petriflow {name}` is for a person, in a terminal of their own"))
}
