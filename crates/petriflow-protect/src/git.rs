//! What subcommands of `git` do with their words.

use std::path::Path;

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
        "restore" if only_stages(words) => Use::Reads,
        "checkout" | "restore" | "rm" | "mv" | "checkout-index" => Use::Tree,
        "clean" if has(&|text| cluster(text, "n") || text == "--dry-run") => Use::Reads,
        "clean" => Use::Tree,
        "stash" => Use::Writes,
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
    let excludes = || rest().any(|text| pathspec(text).excludes);
    let from_file = || rest().any(|text| text.starts_with("--pathspec-from-f"));
    match sub {
        "restore" if only_stages(words) => false,
        "checkout" | "restore" | "rm" | "clean" | "stash" if from_file() => true,
        "clean" => {
            let forced = rest().any(|text| cluster(text, "f") || text.starts_with("--f"))
                && !rest().any(|text| cluster(text, "n") || text == "--dry-run");
            let mut value = false;
            let mut operands = rest().filter(|text| {
                let skip = std::mem::replace(&mut value, matches!(*text, "-e" | "--exclude"));
                !skip && !text.starts_with('-')
            });
            forced && (operands.next().is_none() || excludes())
        }
        "stash" => rest()
            .any(|text| cluster(text, "ua") || text.starts_with("--include-u") || text == "--all"),
        "checkout-index" => rest().any(|text| cluster(text, "a") || text == "--all"),
        "checkout" | "restore" | "rm" | "mv" => excludes() || rest().any(|text| text == ":"),
        _ => false,
    }
}

/// `git restore --staged` changes no file.
fn only_stages(words: &[Word]) -> bool {
    let has = |letter: &str, long: &str| {
        words.iter().any(|word| {
            cluster(&word.text, letter) || (word.text.len() > 3 && long.starts_with(&word.text))
        })
    };
    has("S", "--staged") && !has("W", "--worktree")
}

/// Where the working tree of a directory may begin: all above it, up to one with a `.git`.
pub(crate) fn tops(directory: &Path) -> Vec<&Path> {
    let mut tops = Vec::new();
    for above in directory.ancestors() {
        tops.push(above);
        if std::fs::symlink_metadata(above.join(".git")).is_ok() {
            break;
        }
    }
    tops
}

/// A pathspec, and what its magic says: `:/x`, `:(top,icase)x`, `:!x`.
#[derive(Debug)]
pub(crate) struct Pathspec<'t> {
    pub(crate) path: &'t str,
    /// It begins at the top of the working tree.
    pub(crate) top: bool,
    /// It stands for all but this.
    pub(crate) excludes: bool,
    /// `*` stops at a slash, as in a shell.
    pub(crate) globs: bool,
    /// Letters fit in either case.
    pub(crate) blind: bool,
}

/// Reads the magic of a pathspec.
pub(crate) fn pathspec(text: &str) -> Pathspec<'_> {
    let plain = Pathspec { path: text, top: false, excludes: false, globs: false, blind: false };
    let Some(rest) = text.strip_prefix(':') else { return plain };
    if let Some((magic, path)) = rest.strip_prefix('(').and_then(|magic| magic.split_once(')')) {
        let has = |name: &str| magic.split(',').any(|own| own.trim() == name);
        return Pathspec {
            path,
            top: has("top"),
            excludes: has("exclude"),
            globs: has("glob"),
            blind: has("icase"),
        };
    }
    let path = rest.trim_start_matches(['/', '!', '^']);
    let magic = rest.get(..rest.len().saturating_sub(path.len())).unwrap_or_default();
    let path = path.strip_prefix(':').filter(|_| !magic.is_empty()).unwrap_or(path);
    Pathspec { path, top: magic.contains('/'), excludes: magic.contains(['!', '^']), ..plain }
}
