//! Programs whose arguments are code in another language, or may be.

use super::Opened;
use super::awk::awk;
use super::interpreter::{interpreted, interpreter};
use super::options::{abbreviates, is_environment, is_printed, may_be_option};
use super::programs::{MANY_USES, OPAQUE, OPTIONS, RUNS};
use super::sed::sed;
use crate::command::{RedirectionKind, Word};
use crate::walk::Invocation;

/// Whether a program is made for running what it is told: interpreters, terminals, schedulers.
pub(crate) fn runs_what_it_is_told(name: &str) -> bool {
    OPAQUE.binary_search(&name).is_ok() || interpreter(name).is_some()
}

/// Whether the words show that a program of many uses runs nothing it is told.
fn only_looks(name: &str, arguments: &[Word]) -> bool {
    let runs = |word: &Word| match word.known() {
        None => true,
        Some(text) => {
            RUNS.contains(&text) || text.starts_with("--command") || text == "-c" || text == "--"
        }
    };
    if matches!(arguments, [word] if matches!(word.known(), Some("--version" | "--help"))) {
        return true;
    }
    match name {
        "tmux" => {
            matches!(arguments, [word] if matches!(word.known(), Some("ls" | "list-sessions" | "-V")))
        }
        // Nothing but the listing.
        "crontab" => matches!(arguments, [word] if word.known() == Some("-l")),
        _ => MANY_USES.contains(&name) && !arguments.is_empty() && !arguments.iter().any(runs),
    }
}

/// Whether a program runs the files it is given.
pub(crate) fn runs_files(program: &str) -> bool {
    matches!(
        program,
        "bash"
            | "sh"
            | "dash"
            | "zsh"
            | "ksh"
            | "mksh"
            | "ash"
            | "source"
            | "."
            | "make"
            | "gmake"
            | "awk"
            | "gawk"
            | "mawk"
            | "nawk"
            | "sed"
            | "expect"
            | "deno"
            | "just"
            | "psql"
            | "crontab"
    ) || interpreter(program).is_some()
}

/// What a program that is no wrapper does with its arguments.
pub(super) fn classify(invocation: &Invocation, name: &str) -> Opened {
    let words = invocation.words.as_slice();
    if (OPAQUE.binary_search(&name).is_ok()
        && !only_looks(name, words.get(1..).unwrap_or_default()))
        || is_loader(name)
    {
        return Opened::opaque(name);
    }
    if let Some(entry) = interpreter(name) {
        return interpreted(invocation, name, entry);
    }
    match name {
        "awk" | "gawk" | "mawk" | "nawk" => return awk(words),
        "sed" | "gsed" => return sed(words),
        "vim" | "vi" | "nvim" | "view" | "vimdiff" | "rvim" | "rview" | "vim.basic"
        | "vim.tiny" | "sqlite3" | "psql" | "mysql" | "make" | "gmake"
            if reads_input(invocation) =>
        {
            return Opened::opaque(name);
        }
        "rsync"
            if !words.iter().skip(1).all(|word| is_plain_rsync(&word.text)) && !uses_ssh(words) =>
        {
            return Opened::opaque(name);
        }
        "make" | "gmake" if words.iter().skip(1).any(make_runs) => return Opened::opaque(name),
        "npm" | "npx" | "pnpm" if runs_package(name, words) => return Opened::opaque(name),
        "sqlite3" | "sqlite" if sqlite_runs(words) => return Opened::opaque(name),
        "less" | "more" | "most" => {
            let at = |text: &str| {
                text.strip_prefix('+').is_some_and(|rest| {
                    rest.strip_suffix(['G', 'g'])
                        .unwrap_or(rest)
                        .bytes()
                        .all(|b| b.is_ascii_digit())
                })
            };
            let runs = |word: &Word| {
                word.is_many() && !word.text.contains(['/', '.', '*'])
                    || is_printed(word)
                    || (word.text.contains('+') && !word.known().is_some_and(at))
            };
            return match words.iter().skip(1).any(runs) {
                true => Opened::opaque(name),
                false => Opened::Plain,
            };
        }
        "cmake" => {
            let runs = |word: &Word| matches!(word.text.as_str(), "-E" | "-P") || word.is_many();
            return if words.iter().skip(1).any(|word| runs(word) || is_printed(word)) {
                Opened::opaque(name)
            } else {
                Opened::Plain
            };
        }
        _ if is_compiler(name) && words.iter().skip(1).any(compiler_runs) => {
            return Opened::opaque(name);
        }
        // The first word may be options without a dash.
        "tar" | "gtar"
            if words
                .get(1)
                .is_some_and(|word| word.is_many() || word.text.contains(['I', 'F'])) =>
        {
            return Opened::opaque(name);
        }
        _ => {}
    }
    let options = OPTIONS
        .iter()
        .find(|(program, _)| *program == name)
        .map_or(&[][..], |(_, options)| options);
    let carries = |word: &Word| options.iter().any(|option| carries(&word.text, option));
    let unknown = |word: &Word| {
        word.is_many() && !word.text.starts_with(['/', '.', '*']) && !word.text.contains('*')
    };
    // One word that may be an option, unless it is certainly the value of one.
    let option = |position: usize, word: &Word| {
        let before = position.checked_sub(1).and_then(|before| words.get(before));
        !word.is_many()
            && may_be_option(word)
            && !is_environment(word, &word.text)
            && !before.is_some_and(|before| takes_value(name, position, before))
    };
    let runs = |(position, word): (usize, &Word)| {
        carries(word) || (!options.is_empty() && (unknown(word) || option(position, word)))
    };
    match words.iter().enumerate().skip(1).any(runs) {
        true => Opened::opaque(name),
        false => Opened::Plain,
    }
}

/// Whether the word before a position certainly makes what stands there no option.
fn takes_value(name: &str, position: usize, before: &Word) -> bool {
    let Some(text) = before.known() else { return false };
    let archive = matches!(name, "tar" | "gtar" | "bsdtar") && {
        let cluster = text.strip_prefix('-').unwrap_or(text);
        let value = cluster.strip_suffix(['f', 'C']);
        (position == 2 || text.starts_with('-'))
            && value.is_some_and(|flags| flags.chars().all(|c| "xctvzjJpkmwahOPUS".contains(c)))
    };
    archive || (text == "--" && position == 2 && matches!(name, "split" | "sort" | "rg" | "tar"))
}

/// Whether a word of `make` holds code: a makefile that is no file, a value that a recipe's shell
/// would read as more than a word.
fn make_runs(word: &Word) -> bool {
    let text = word.text.as_str();
    let input = ["/dev/", "/proc/", "<("].iter().any(|part| text.contains(part));
    let short = text.starts_with('-') && !text.starts_with("--") && text.contains('E');
    let value = text.split_once('=').filter(|_| !text.starts_with('-')).map(|(_, value)| value);
    let value = value.is_some_and(|value| {
        let variable = word.is_dynamic() && is_environment(word, value);
        let value = if variable { value.get(1..).unwrap_or_default() } else { value };
        value.contains([' ', '\t', '\n', ';', '|', '&', '`', '$', '\\'])
    });
    input || short || value
}

/// `npm exec -c text`, `npx -c text`, or options that are not known.
fn runs_package(name: &str, words: &[Word]) -> bool {
    let npx = name == "npx";
    let executes = |word: &Word| matches!(word.text.as_str(), "exec" | "x" | "dlx");
    if !npx && !words.iter().skip(1).any(executes) {
        return false;
    }
    let options =
        words.iter().skip(1).filter(|word| !executes(word)).take_while(|word| word.text != "--");
    let calls = |text: &str| {
        abbreviates(text, "--call")
            || abbreviates(text, "--shell-mode")
            || (text.starts_with('-') && !text.starts_with("--") && text.contains('c'))
    };
    for word in options {
        if calls(&word.text) || may_be_option(word) {
            return true;
        }
        // `npx` takes nothing behind the package; `npm exec` takes options anywhere.
        if npx && !word.text.starts_with('-') {
            return words.iter().any(|word| matches!(word.text.as_str(), "-c" | "--call"));
        }
    }
    false
}

/// Whether `sqlite3` reads commands, or is given some that do more than query.
fn sqlite_runs(words: &[Word]) -> bool {
    const LOOKS: [&str; 8] = [
        ".tables",
        ".schema",
        ".headers",
        ".mode",
        ".indexes",
        ".databases",
        ".dump",
        ".fullschema",
    ];
    let mut operands = Vec::new();
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        match word.text.trim_start_matches('-') {
            option if option.len() == word.text.len() => operands.push(word),
            "separator" | "newline" | "nullvalue" | "mmap" | "maxsize" | "vfs" | "hexkey"
            | "key" | "textkey" => {
                rest.next();
            }
            "pagecache" | "lookaside" | "A" | "archive" => return true,
            _ => {}
        }
    }
    let mut operands = operands.into_iter();
    let asks = words
        .iter()
        .skip(1)
        .any(|word| matches!(word.text.as_str(), "--version" | "-version" | "--help" | "-help"));
    operands.next();
    let mut statements = operands.peekable();
    // Without a statement they are read from the input.
    if statements.peek().is_none() {
        return !asks;
    }
    statements.any(|word| {
        let text = word.text.trim_start();
        let first = text.split_ascii_whitespace().next().unwrap_or_default();
        let lower = text.to_ascii_lowercase();
        may_be_option(word)
            || word.is_many()
            || (text.starts_with('.') && (!LOOKS.contains(&first) || text.contains(['|', '\n'])))
            || ["load_extension", "edit", "writefile", "fts3_tokenizer"]
                .iter()
                .any(|function| calls_function(&lower, function))
    })
}

/// Whether a query calls a function of this name.
fn calls_function(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        text.get(at.saturating_add(name.len())..).is_some_and(|rest| {
            rest.trim_start_matches(['"', '`', ']', ' ', '\n', '\t']).starts_with(['(', '/', '-'])
        })
    })
}

/// Compilers, also with a version or for another machine.
fn is_compiler(name: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let last = stem.rsplit('-').next().unwrap_or(stem);
    matches!(last, "cc" | "c++" | "gcc" | "g++" | "clang" | "clang++" | "gfortran" | "cpp" | "tcc")
}

/// Whether a word of a compiler names a program, or a file with more words.
fn compiler_runs(word: &Word) -> bool {
    let text = word.text.as_str();
    [
        "-wrapper",
        "-B",
        "@",
        "-fplugin",
        "-fpass-plugin",
        "-specs",
        "--specs",
        "-fuse-ld=/",
        "--ld-path",
        "-load",
    ]
    .iter()
    .any(|option| text.starts_with(option))
        || is_printed(word)
        || text.contains("-plugin")
}

/// Whether a word of `rsync` cannot choose the remote shell.
fn is_plain_rsync(text: &str) -> bool {
    text.starts_with("--") || !text.starts_with('-') || !text.contains('e')
}

/// Whether the remote shell of `rsync` is `ssh` with simple options.
fn uses_ssh(words: &[Word]) -> bool {
    let simple = |text: &str| {
        text.chars().all(|c| c.is_ascii_alphanumeric() || " -._/~".contains(c))
            && !text.contains(" -o")
            && !text.contains(" -F")
    };
    let mut choosing =
        words.iter().enumerate().skip(1).filter(|(_, word)| !is_plain_rsync(&word.text));
    match (choosing.next(), choosing.next()) {
        (Some((position, option)), None) if option.text.ends_with('e') => {
            let value =
                words.get(position.saturating_add(1)).and_then(Word::known).unwrap_or_default();
            (value == "ssh" || value.starts_with("ssh ")) && simple(value)
        }
        _ => false,
    }
}

/// The dynamic loader runs the program it is given.
fn is_loader(name: &str) -> bool {
    name.starts_with("ld-linux")
        || name.starts_with("ld-musl")
        || name.starts_with("ld.so")
        || name == "rtld"
}

/// Whether a word is the option, its abbreviation with a value, or a cluster with it.
fn carries(text: &str, option: &str) -> bool {
    match option.strip_prefix('-') {
        // Long ones may be shortened.
        Some(long) if long.starts_with('-') => abbreviates(text, option),
        Some(short) if short.len() == 1 => {
            text.starts_with('-') && !text.starts_with("--") && text.contains(short)
        }
        _ => text.contains(option),
    }
}

fn reads_input(invocation: &Invocation) -> bool {
    let stdin = |word: &Word| matches!(word.text.as_str(), "-" | "/dev/stdin");
    let redirected = invocation.redirections.iter().any(|redirection| {
        matches!(
            redirection.kind,
            RedirectionKind::HereDocument | RedirectionKind::HereString | RedirectionKind::Read
        )
    });
    redirected || invocation.words.iter().any(stdin)
}
