//! What programs do with their words: read, write, or take away with all beneath.

use petriflow_shell::Word;

use crate::{archive, git};

/// What a program does with a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// At most reads it.
    Reads,
    /// Writes it, changes its mode or its times.
    Writes,
    /// Removes, moves or changes it with all beneath.
    Tree,
    /// Nobody knows.
    Any,
}

/// The uses of a command's words, the program's own name included.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) uses: Vec<Use>,
    /// Files are put into a directory under their own names.
    pub(crate) puts: Option<Puts>,
}

/// Positions of what is put where.
#[derive(Debug)]
pub(crate) struct Puts {
    pub(crate) sources: Vec<usize>,
    pub(crate) target: usize,
    /// Under their whole paths, not only their names.
    pub(crate) whole: bool,
}

/// Programs that only read, whatever their words are.
const READERS: [&str; 86] = [
    "((",
    "[",
    "[[",
    ":",
    "b2sum",
    "basename",
    "bat",
    "break",
    "cat",
    "cd",
    "cksum",
    "cmp",
    "column",
    "comm",
    "continue",
    "cut",
    "date",
    "declare",
    "df",
    "diff",
    "dirname",
    "dirs",
    "du",
    "echo",
    "egrep",
    "exit",
    "expr",
    "false",
    "fgrep",
    "file",
    "find",
    "fmt",
    "fold",
    "gc",
    "get-childitem",
    "get-content",
    "grep",
    "hash",
    "head",
    "help",
    "hexdump",
    "join",
    "jobs",
    "jq",
    "local",
    "ls",
    "man",
    "md5sum",
    "nl",
    "od",
    "paste",
    "popd",
    "printf",
    "ps",
    "pushd",
    "pwd",
    "read",
    "readlink",
    "realpath",
    "return",
    "rg",
    "select-string",
    "seq",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "shift",
    "sleep",
    "stat",
    "strings",
    "sum",
    "tac",
    "tail",
    "test",
    "test-path",
    "tr",
    "true",
    "type",
    "typeset",
    "unset",
    "wait",
    "wc",
    "whereis",
    "which",
    "write-host",
    "write-output",
];

/// Programs that remove, with all beneath.
const REMOVERS: [&str; 17] = [
    "rm",
    "rmdir",
    "unlink",
    "shred",
    "srm",
    "wipe",
    "trash",
    "trash-put",
    "grm",
    "del",
    "erase",
    "rd",
    "ri",
    "remove-item",
    "rimraf",
    "del-cli",
    "rip",
];

/// Programs that write every operand.
const WRITERS: [&str; 19] = [
    "chattr", "chcon", "chgrp", "chmod", "chown", "gchmod", "ln", "link", "mkdir", "mkfifo",
    "mknod", "mktemp", "patch", "setfacl", "setfattr", "sponge", "tee", "touch", "truncate",
];

/// Whether a program is what its name says: found on the path, or in a folder of the system.
pub(crate) fn is_systems(program: &Word) -> bool {
    const FOLDERS: [&str; 6] =
        ["/bin/", "/sbin/", "/usr/", "/opt/homebrew/", "/nix/store/", "/run/current-system/"];
    let text = program.text.as_str();
    let system = FOLDERS.iter().any(|folder| text.starts_with(folder)) && !text.contains("..");
    !text.contains(['/', '\\']) || system
}

/// Programs that show a file's content, and so can copy the binary.
pub(crate) fn shows_content(program: &str) -> bool {
    matches!(
        program,
        "cat"
            | "head"
            | "tail"
            | "tac"
            | "dd"
            | "base64"
            | "xxd"
            | "od"
            | "hexdump"
            | "cp"
            | "install"
            | "rsync"
            | "scp"
            | "tar"
            | "zip"
            | "gzip"
            | "pv"
            | "bat"
            | "strings"
            | "curl"
    )
}

/// What a program does with its words.
pub(crate) fn plan(program: &str, words: &[Word]) -> Plan {
    let lower = program.to_ascii_lowercase();
    let program = if lower.contains('-') { lower.as_str() } else { program };
    let all = |what: Use| Plan {
        uses: words.iter().map(|word| operand(word, what)).collect(),
        puts: None,
    };
    let has = |test: &dyn Fn(&str) -> bool| words.iter().skip(1).any(|word| test(&word.text));
    match program {
        "less" | "more" | "most"
            if has(&|text| {
                text.starts_with("-o")
                    || text.starts_with("-O")
                    || cluster(text, "oO")
                    || text.starts_with("--log")
            }) =>
        {
            all(Use::Any)
        }
        "less" | "more" | "most" | "tree" | "uniq" | "xxd" | "yq" | "base64" => {
            reader(program, words)
        }
        "sort" => sort(words),
        "printf" if has(&|text| text == "-v") => all(Use::Any),
        "gh" => talks(words),
        "awk" | "gawk" | "mawk" | "nawk" => {
            all(if has(&|text| text.contains('>')) { Use::Any } else { Use::Reads })
        }
        "sed" | "gsed" => match has(&in_place) {
            true => edits(words),
            false => all(Use::Reads),
        },
        "perl" | "ruby" if has(&in_place) => edits(words),
        "npx" | "bunx" | "pnpx" if has(&|text| matches!(text, "rimraf" | "del-cli")) => {
            all(Use::Tree)
        }
        "git" => git::plan(words),
        _ if archive::takes(program, words) => all(Use::Tree),
        _ if archive::only_shows(program, words) => all(Use::Reads),
        "mv" | "gmv" | "move" => copies(words, Use::Tree, Use::Writes),
        "cp" | "gcp" | "install" | "ginstall" | "scp" | "ditto" => {
            let links =
                has(&|text| cluster(text, "ls") || matches!(text, "--link" | "--symbolic-link"));
            let links = links && !matches!(program, "install" | "ginstall" | "scp");
            let directories = program.ends_with("install")
                && has(&|text| cluster(text, "d") || text == "--directory");
            if directories {
                all(Use::Writes)
            } else {
                copies(words, if links { Use::Writes } else { Use::Reads }, Use::Writes)
            }
        }
        "rsync" => {
            let deletes = has(&|text| text.starts_with("--del"));
            let moves = has(&|text| text.starts_with("--remove"));
            copies(
                words,
                if moves { Use::Tree } else { Use::Reads },
                if deletes { Use::Tree } else { Use::Writes },
            )
        }
        "ln" | "link" => copies(words, Use::Writes, Use::Writes),
        "dd" => Plan { uses: words.iter().map(disk).collect(), puts: None },
        name if READERS.contains(&name) => all(Use::Reads),
        name if REMOVERS.contains(&name) => all(Use::Tree),
        "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" | "chcon" | "gchmod"
            if has(&|text| cluster(text, "R") || text == "--recursive") =>
        {
            all(Use::Tree)
        }
        name if WRITERS.contains(&name) => all(Use::Writes),
        _ => all(Use::Any),
    }
}

/// Options may hold a path behind them; operands are what the program is for.
pub(crate) fn operand(word: &Word, what: Use) -> Use {
    match what {
        Use::Writes | Use::Tree if word.text.starts_with('-') => Use::Any,
        what => what,
    }
}

/// Whether a word is a cluster of short options with one of these letters.
pub(crate) fn cluster(text: &str, letters: &str) -> bool {
    text.strip_prefix('-').is_some_and(|flags| {
        !flags.starts_with('-')
            && flags.len() < 10
            && flags.chars().any(|flag| letters.contains(flag))
    })
}

/// `sed -i`, also in a cluster, but not in the script behind `-e`.
fn in_place(text: &str) -> bool {
    let long = text.starts_with("--i");
    let flags = text.strip_prefix('-').filter(|flags| !flags.starts_with('-')).unwrap_or_default();
    let flags = flags.split(['e', 'f', 'l']).next().unwrap_or_default();
    long || flags.contains(['i', 'I'])
}

/// `sed -i script file…`: the script is no file, also behind `-e`.
fn edits(words: &[Word]) -> Plan {
    let holds = |text: &str| {
        let short = text.starts_with('-') && !text.starts_with("--") && text.ends_with('e');
        short || text == "--expression"
    };
    let file = |text: &str| text == "-f" || text.starts_with("--file");
    let explicit = words.iter().any(|word| {
        let text = word.text.as_str();
        holds(text) || file(text) || text.starts_with("--expression=") || text.starts_with("-e")
    });
    let mut script = !explicit;
    let mut value = false;
    let uses = words.iter().enumerate().map(|(at, word)| {
        let text = word.text.as_str();
        let is_value = std::mem::replace(&mut value, holds(text));
        let operand_now = at > 0 && !text.starts_with('-');
        // A script that is not known may be no script but a file.
        let known = !word.dynamic.as_ref().is_some_and(|dynamic| dynamic.many);
        if at == 0 || is_value || (operand_now && known && std::mem::take(&mut script)) {
            return Use::Reads;
        }
        operand(word, Use::Writes)
    });
    Plan { uses: uses.collect(), puts: None }
}

/// Readers with an option or an operand that writes.
fn reader(program: &str, words: &[Word]) -> Plan {
    let operands = words.iter().skip(1).filter(|word| !word.text.starts_with('-')).count();
    let has = |letters: &str, long: &str| {
        words.iter().skip(1).any(|word| cluster(&word.text, letters) || word.text.starts_with(long))
    };
    let writes = match program {
        "tree" => has("o", "--output"),
        "uniq" => operands > 1,
        "xxd" => operands > 1 || has("r", "-revert"),
        "yq" => has("i", "--in"),
        "base64" => has("o", "--output"),
        _ => false,
    };
    let what = if writes { Use::Any } else { Use::Reads };
    Plan { uses: words.iter().map(|_| what).collect(), puts: None }
}

/// `sort -o file`, `-ofile`, `--output=file`.
fn sort(words: &[Word]) -> Plan {
    let writes = |word: &Word| {
        word.text.starts_with("--o")
            || (word.text.starts_with('-') && word.text.contains('o'))
            || word.dynamic.is_some()
    };
    let what = if words.iter().skip(1).any(writes) { Use::Any } else { Use::Reads };
    Plan { uses: words.iter().map(|_| what).collect(), puts: None }
}

/// `gh` talks to a server; few of its commands write files.
fn talks(words: &[Word]) -> Plan {
    let what = match words.get(1).map(|word| word.text.as_str()) {
        Some("pr" | "issue" | "label" | "search" | "auth" | "workflow" | "status") => Use::Reads,
        _ => Use::Any,
    };
    Plan { uses: words.iter().map(|_| what).collect(), puts: None }
}

/// `dd if=a of=b`
fn disk(word: &Word) -> Use {
    if word.text.starts_with("of=") || word.dynamic.is_some() { Use::Any } else { Use::Reads }
}

/// Sources and a target: the last operand, or that of `-t`.
fn copies(words: &[Word], source: Use, target: Use) -> Plan {
    let mut uses: Vec<Use> = Vec::with_capacity(words.len());
    let mut operands = Vec::new();
    let mut explicit = None;
    let mut options = true;
    let mut value = false;
    for (at, word) in words.iter().enumerate() {
        let text = word.text.as_str();
        let dash = options && text.starts_with('-') && text.len() > 1;
        if at == 0 {
            uses.push(Use::Reads);
        } else if std::mem::take(&mut value) {
            explicit = Some(at);
            uses.push(target);
        } else if options && text == "--" {
            options = false;
            uses.push(Use::Reads);
        } else if dash {
            value = text == "--target-directory" || (cluster(text, "t") && text.ends_with('t'));
            uses.push(Use::Any);
        } else {
            operands.push(at);
            uses.push(source);
        }
    }
    let attached = words.iter().any(|word| word.text.starts_with("--t") && word.text.contains('='));
    let last = explicit.or_else(|| if attached { None } else { operands.pop() });
    if let Some(at) = last
        && let Some(slot) = uses.get_mut(at)
    {
        *slot = if source == Use::Tree && target == Use::Writes && operands.is_empty() {
            source
        } else {
            target
        };
    }
    Plan {
        uses,
        puts: last.map(|target| Puts { sources: operands, target, whole: keeps_paths(words) }),
    }
}

/// `cp --parents`, `rsync -R`: files are put under their whole paths.
fn keeps_paths(words: &[Word]) -> bool {
    let program = words.first().map_or("", |word| word.text.as_str());
    let rsync = program.ends_with("rsync");
    words.iter().skip(1).any(|word| {
        word.text.starts_with("--pare")
            || (rsync && (word.text.starts_with("--rela") || cluster(&word.text, "R")))
    })
}
