//! `git`: options before the subcommand are moved to the wrapper, and options that carry code are
//! found.

use super::options::{SPEC, Spec, abbreviates, is_environment, may_be_option, scan, split, what};
use super::{NONE, Opened};
use crate::command::{Context, Word};

const GLOBAL: Spec = Spec {
    flags: "pPvh",
    values: "Cc",
    long_flags: "paginate no-pager no-replace-objects bare literal-pathspecs glob-pathspecs noglob-pathspecs \
                 icase-pathspecs no-optional-locks no-lazy-fetch no-advice version help html-path man-path info-path",
    long_values: "git-dir work-tree namespace attr-source exec-path config-env super-prefix",
    ..SPEC
};

/// Keys and beginnings of keys that hold nothing but text.
const TEXT_KEYS: [&str; 33] = [
    "user.",
    "color.",
    "advice.",
    "log.",
    "fetch.",
    "pull.",
    "push.",
    "gc.auto",
    "rebase.",
    "branch.",
    "column.",
    "status.",
    "core.quotepath",
    "core.autocrlf",
    "core.eol",
    "core.safecrlf",
    "core.ignorecase",
    "core.filemode",
    "core.longpaths",
    "core.symlinks",
    "core.abbrev",
    "core.compression",
    "core.bare",
    "core.whitespace",
    "commit.gpgsign",
    "tag.gpgsign",
    "init.defaultbranch",
    "safe.directory",
    "merge.conflictstyle",
    "diff.renames",
    "diff.algorithm",
    "http.sslverify",
    "protocol.version",
];

pub(super) fn git(words: &[Word]) -> Opened {
    let scan = match scan(words, 1, &GLOBAL) {
        Ok(scan) => scan,
        Err(what) => return Opened::dynamic(what),
    };
    for found in &scan.found {
        let value = found.value.as_ref();
        let carries = match found.name.as_str() {
            "c" => !value.and_then(Word::known).is_some_and(is_text_setting),
            "exec-path" | "config-env" => value.is_some(),
            _ => false,
        };
        if carries {
            return Opened::opaque("git configuration");
        }
    }
    let (wrapper, rest) = split(words, scan.command);
    let (Some(first), Some(sub)) = (words.first(), rest.first()) else { return Opened::Plain };
    if sub.is_dynamic() {
        return Opened::dynamic(what(sub));
    }
    if wrapper.len() > 1 {
        let mut inner = vec![first.clone()];
        inner.extend_from_slice(rest);
        // With these git only tells something.
        let tells = ["v", "h", "version", "help", "html-path", "man-path", "info-path"];
        let condition = tells.iter().any(|option| scan.has(option));
        return Opened::command(wrapper, &inner, Context { condition, ..NONE });
    }
    match carries_code(&sub.text, split(rest, 1).1) {
        true => Opened::opaque("git"),
        false => Opened::Plain,
    }
}

fn is_text_setting(setting: &str) -> bool {
    match setting.split_once('=') {
        Some((key, value)) => {
            is_text_key(key) || (is_pager(key) && matches!(value, "" | "cat" | "less" | "more"))
        }
        None => is_text_key(setting),
    }
}

fn is_pager(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key == "core.pager" || key.starts_with("pager.")
}

fn is_text_key(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    TEXT_KEYS.iter().any(|text| key == *text || (text.ends_with('.') && key.starts_with(text)))
}

/// Subcommands with options that name a program.
const TALKS: [&str; 11] = [
    "clone",
    "fetch",
    "fetch-pack",
    "ls-remote",
    "pull",
    "push",
    "send-pack",
    "archive",
    "grep",
    "rebase",
    "init",
];

/// Whether a subcommand runs code that stands in its arguments.
fn carries_code(sub: &str, arguments: &[Word]) -> bool {
    let any = |test: &dyn Fn(&str) -> bool| arguments.iter().any(|word| test(&word.text));
    let transport = any(&|text| {
        text.contains("ext::")
            || text.starts_with("--upload-pack")
            || text.starts_with("--receive-pack")
            || text.starts_with("--upload-p")
    });
    // What a command prints may be an option.
    let printed = TALKS.contains(&sub)
        && arguments.iter().any(|word| may_be_option(word) && !is_environment(word, &word.text));
    transport
        || printed
        || match sub {
            "filter-branch" | "difftool" | "mergetool" | "send-email" | "instaweb" | "daemon"
            | "shell" | "remote-ext" | "remote-fd" | "hook" | "for-each-repo" | "merge-index"
            | "web--browse" => true,
            "rebase" => any(&|text| abbreviates(text, "--exec") || short(text, 'x')),
            "push" | "send-pack" | "fetch-pack" => any(&|text| {
                ["--exec", "--receive-pack", "--upload-pack"]
                    .iter()
                    .any(|option| abbreviates(text, option))
            }),
            "clone" | "fetch" | "ls-remote" | "pull" | "archive" => any(&|text| {
                ["--exec", "--upload-pack", "--config", "--template"]
                    .iter()
                    .any(|option| abbreviates(text, option))
                    || text.starts_with("-c")
                    || (sub == "clone" && short(text, 'c'))
                    || (sub != "fetch" && sub != "pull" && short(text, 'u'))
            }),
            "bisect" => any(&|text| text == "run"),
            "submodule" => any(&|text| text == "foreach"),
            "grep" => any(&|text| short(text, 'O') || abbreviates(text, "--open-files-in-pager")),
            "init" => any(&|text| abbreviates(text, "--template")),
            "config" => sets_code(arguments),
            _ => false,
        }
}

fn short(text: &str, letter: char) -> bool {
    text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
}

/// Whether an option of `git config` takes the next word.
fn takes_next(text: &str) -> bool {
    let long = ["--file", "--blob", "--type", "--default", "--comment", "--value", "--url"];
    (short(text, 'f') && text.ends_with('f'))
        || (!text.contains('=') && long.iter().any(|option| abbreviates(text, option)))
}

/// Whether `git config` writes a key that is not known to be text.
fn sets_code(arguments: &[Word]) -> bool {
    let mut operands: Vec<&Word> = Vec::new();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        match word.text.as_str() {
            "--" => {
                operands.extend(rest);
                break;
            }
            text if takes_next(text) => {
                rest.next();
            }
            text if text.starts_with('-') => {}
            _ => operands.push(word),
        }
    }
    let edits = arguments.iter().any(|word| matches!(word.text.as_str(), "-e" | "--edit" | "edit"));
    let names: Vec<&&Word> = operands.iter().filter(|word| word.text.contains('.')).collect();
    // As a value, `get` is a program.
    let reads =
        operands.first().is_some_and(|word| matches!(word.text.as_str(), "get" | "list" | "unset"))
            || (!arguments.iter().any(|word| word.text == "--")
                && arguments.iter().any(|word| {
                    word.text.starts_with("--get")
                        || matches!(word.text.as_str(), "-l" | "--list" | "--unset")
                }));
    let many = arguments.iter().any(Word::is_many);
    edits
        || (!reads
            && operands.len() > 1
            && (many || names.first().is_none_or(|key| !key.known().is_some_and(is_text_key))))
}
