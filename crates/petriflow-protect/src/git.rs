//! What subcommands of `git` do with their words.

use petriflow_shell::Word;

use crate::programs::{Plan, Use, cluster, operand};

/// They read files of the working tree, or none.
const READS: [&str; 35] = [
    "add",
    "blame",
    "branch",
    "cat-file",
    "check-ignore",
    "cherry",
    "commit",
    "count-objects",
    "describe",
    "diff",
    "fetch",
    "for-each-ref",
    "fsck",
    "gc",
    "grep",
    "help",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "merge-base",
    "name-rev",
    "notes",
    "push",
    "range-diff",
    "reflog",
    "remote",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-ref",
    "status",
    "tag",
    "version",
];

/// The plan of `git SUB …`.
pub(crate) fn plan(words: &[Word]) -> Plan {
    let sub = words.get(1).map_or("", |word| word.text.as_str());
    let has = |test: &dyn Fn(&str) -> bool| words.iter().skip(2).any(|word| test(&word.text));
    let what = match sub {
        // A file for the output.
        _ if READS.contains(&sub) && has(&|text| text.starts_with("--out")) => Use::Any,
        _ if READS.contains(&sub) => Use::Reads,
        "checkout" | "restore" | "rm" | "mv" | "checkout-index" => Use::Tree,
        "clean" if has(&|text| cluster(text, "n") || text == "--dry-run") => Use::Reads,
        "clean" => Use::Tree,
        "stash" => Use::Reads,
        _ => Use::Any,
    };
    let uses = words
        .iter()
        .enumerate()
        .map(|(at, word)| if at < 2 { Use::Reads } else { operand(word, what) });
    Plan { uses: uses.collect(), puts: None }
}

/// Whether a command takes untracked files of the whole working tree, or all of its files.
pub(crate) fn takes_all(words: &[Word]) -> bool {
    let sub = words.get(1).map_or("", |word| word.text.as_str());
    let rest = || words.iter().skip(2).map(|word| word.text.as_str());
    match sub {
        "clean" => {
            let forced = rest().any(|text| cluster(text, "f") || text.starts_with("--f"))
                && !rest().any(|text| cluster(text, "n") || text == "--dry-run");
            let mut value = false;
            let mut operands = rest().filter(|text| {
                let skip = std::mem::replace(&mut value, matches!(*text, "-e" | "--exclude"));
                !skip && !text.starts_with('-')
            });
            forced && operands.next().is_none()
        }
        "stash" => rest()
            .any(|text| cluster(text, "ua") || text.starts_with("--include-u") || text == "--all"),
        "checkout-index" => rest().any(|text| cluster(text, "a") || text == "--all"),
        // From the top, or everything.
        "checkout" | "restore" | "rm" | "mv" => rest().any(|text| {
            matches!(text, ":/" | ":" | "*" | ":(top)" | ":/*" | "**")
                || text.starts_with(":!")
                || text.starts_with(":^")
        }),
        _ => false,
    }
}

/// A pathspec without its magic: `:/x`, `:(top,icase)x`.
pub(crate) fn pathspec(text: &str) -> &str {
    let Some(rest) = text.strip_prefix(':') else { return text };
    match rest.strip_prefix('(') {
        Some(magic) => magic.split_once(')').map_or(rest, |(_, path)| path),
        None => rest.trim_start_matches(['/', '!', '^']),
    }
}
