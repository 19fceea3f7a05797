//! Programs whose arguments are code in another language, or may be.

use super::Opened;
use super::options::{abbreviates, is_environment, is_printed, may_be_option, what};
use super::sed::only_edits;
use crate::command::{RedirectionKind, Word};
use crate::walk::Invocation;

/// Interpreters: name without version, short options with code, long options with code, short
/// options with a value of another kind.
const INTERPRETERS: [(&str, &str, &[&str], &str); 20] = [
    ("python", "c", &[], "WXQ"),
    ("pypy", "c", &[], "WX"),
    ("ipython", "c", &[], ""),
    ("node", "ep", &["eval", "print"], "rC"),
    ("nodejs", "ep", &["eval", "print"], "rC"),
    ("bun", "ep", &["eval", "print"], "r"),
    ("perl", "eEMmd", &[], "I"),
    ("ruby", "e", &[], "IrEK"),
    ("php", "rRBE", &["run", "process-code", "process-begin", "process-end"], "cdz"),
    ("lua", "e", &[], "l"),
    ("luajit", "e", &[], "l"),
    ("R", "e", &[], "f"),
    ("Rscript", "e", &[], ""),
    ("julia", "eE", &["eval", "print"], "JLpt"),
    ("guile", "c", &[], "lsL"),
    ("groovy", "e", &[], "c"),
    ("elixir", "e", &["eval", "rpc-eval"], "rS"),
    ("scala", "e", &[], ""),
    ("tclsh", "", &[], ""),
    ("octave", "", &["eval"], ""),
];

/// Programs that are made for running what they are told, in a way of their own. Sorted.
const OPAQUE: [&str; 126] = [
    "abduco",
    "ansible",
    "apptainer",
    "asdf",
    "at",
    "autossh",
    "aws-vault",
    "batch",
    "bwrap",
    "capsh",
    "cgexec",
    "chamber",
    "chokidar",
    "choom",
    "chpst",
    "clush",
    "concurrently",
    "cpulimit",
    "crontab",
    "cross-env",
    "daemon",
    "daemonize",
    "datefudge",
    "dbclient",
    "dc",
    "dockerize",
    "doppler",
    "dotenv",
    "dotenvx",
    "dtach",
    "ed",
    "emacs",
    "emacsclient",
    "envuidgid",
    "erl",
    "escript",
    "ex",
    "expect",
    "faketime",
    "flatpak",
    "fly",
    "flyctl",
    "fnm",
    "ftp",
    "gcloud",
    "gdb",
    "ghc",
    "ghci",
    "gnome-terminal",
    "gnuplot",
    "guix",
    "heaptrack",
    "heroku",
    "hyperfine",
    "infisical",
    "inotifywait",
    "irb",
    "jenv",
    "jshell",
    "kdesu",
    "konsole",
    "lldb",
    "logrotate",
    "lxc-attach",
    "m4",
    "machinectl",
    "mosh",
    "mpiexec",
    "mpirun",
    "newgrp",
    "nix-shell",
    "nodemon",
    "nodenv",
    "nvm",
    "onchange",
    "op",
    "osascript",
    "pasta",
    "pdm",
    "pdsh",
    "perf",
    "please",
    "prlimit",
    "proot",
    "pry",
    "pssh",
    "pyenv",
    "rbenv",
    "red",
    "reflex",
    "rootlesskit",
    "rr",
    "rsh",
    "run-parts",
    "runghc",
    "rvm",
    "rye",
    "s6-setuidgid",
    "salt",
    "sbatch",
    "screen",
    "setarch",
    "setpriv",
    "sg",
    "singularity",
    "socat",
    "softlimit",
    "srun",
    "start-stop-daemon",
    "steam-run",
    "sux",
    "systemd-nspawn",
    "teller",
    "telnet",
    "tmux",
    "trickle",
    "tsocks",
    "uclampset",
    "vagrant",
    "volta",
    "watchexec",
    "wish",
    "with-contenv",
    "x-terminal-emulator",
    "xdotool",
    "xterm",
];

/// Whether a program is made for running what it is told: interpreters, terminals, schedulers.
pub(crate) fn runs_what_it_is_told(name: &str) -> bool {
    OPAQUE.binary_search(&name).is_ok() || interpreter(name).is_some()
}

/// Programs with many uses, of which these words tell that they run something.
const MANY_USES: [&str; 20] = [
    "asdf",
    "doppler",
    "flatpak",
    "fly",
    "flyctl",
    "fnm",
    "gcloud",
    "heroku",
    "jenv",
    "nodenv",
    "nvm",
    "op",
    "pdm",
    "pyenv",
    "rbenv",
    "rvm",
    "rye",
    "singularity",
    "vagrant",
    "volta",
];
const RUNS: [&str; 21] = [
    "ssh",
    "scp",
    "sftp",
    "exec",
    "run",
    "x",
    "shell",
    "console",
    "do",
    "with",
    "enter",
    "docker",
    "powershell",
    "winrm",
    "ps:exec",
    "run:detached",
    "run:inside",
    "start-iap-tunnel",
    "plugin",
    "provision",
    "init",
];

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

/// Options with which a program runs code.
const OPTIONS: [(&str, &[&str]); 47] = [
    (
        "tar",
        &[
            "--checkpoint-action",
            "--to-command",
            "--use-compress-program",
            "--rsh-command",
            "--info-script",
            "--new-volume-script",
            "-I",
            "-F",
        ],
    ),
    (
        "gtar",
        &[
            "--checkpoint-action",
            "--to-command",
            "--use-compress-program",
            "--rsh-command",
            "-I",
            "-F",
        ],
    ),
    ("bsdtar", &["--use-compress-program"]),
    ("rsync", &["--rsh", "--rsync-path"]),
    ("scp", &["-S", "-o", "-F"]),
    ("sftp", &["-S", "-o", "-F", "-D", "-b"]),
    ("split", &["--filter"]),
    ("sort", &["--compress-program", "--compress-p"]),
    ("zip", &["-TT", "--unzip-command"]),
    ("man", &["-P", "--pager", "-H", "--html"]),
    ("vim", &["-c", "--cmd", "+", "-S", "-s", "-u", "-e"]),
    ("vi", &["-c", "--cmd", "+", "-S", "-s", "-u", "-e"]),
    ("nvim", &["-c", "--cmd", "+", "-S", "-s", "-u", "-e", "-l", "--headless"]),
    ("view", &["-c", "--cmd", "+", "-S", "-s", "-u", "-e"]),
    ("vimdiff", &["-c", "--cmd", "+", "-S", "-s", "-u", "-e"]),
    ("rvim", &["-c", "--cmd", "+", "-S", "-s", "-u", "-e"]),
    ("rview", &["-c", "--cmd", "+", "-S", "-s", "-u", "-e"]),
    ("gvim", &["-c", "--cmd", "+", "-S", "-s", "-u", "-e"]),
    ("vim.basic", &["-c", "--cmd", "+", "-S", "-s", "-u", "-e"]),
    ("vim.tiny", &["-c", "--cmd", "+", "-S", "-s", "-u", "-e"]),
    ("prove", &["--exec", "-e"]),
    ("make", &["--eval", "SHELL=", ".SHELLFLAGS", "-f-", "-f/dev/stdin", "$(", "`", "!=", "${"]),
    ("gmake", &["--eval", "SHELL=", ".SHELLFLAGS", "-f-", "-f/dev/stdin", "$(", "`", "!=", "${"]),
    ("nc", &["-e", "-c", "--exec", "--sh-exec"]),
    ("ncat", &["-e", "-c", "--exec", "--sh-exec", "--lua-exec"]),
    ("netcat", &["-e", "-c"]),
    ("tcpdump", &["-z"]),
    ("sqlite3", &[".shell", ".system", ".import", ".read", "-cmd", "-init"]),
    ("psql", &["\\!", "-f", "program", "PROGRAM"]),
    ("mysql", &["\\!", "system"]),
    ("deno", &["eval", "repl"]),
    ("nix", &["run", "shell", "develop"]),
    ("conda", &["run"]),
    ("install", &["--strip-program"]),
    ("cpio", &["--rsh-command"]),
    ("apt", &["-o"]),
    ("apt-get", &["-o"]),
    ("wget", &["--use-askpass"]),
    ("gcc", &["-wrapper"]),
    ("g++", &["-wrapper"]),
    ("cargo", &["--config"]),
    ("go", &["-toolexec", "-exec", "-vettool"]),
    ("npx", &["-c", "--call"]),
    ("npm", &["--call", "explore"]),
    ("rg", &["--pre"]),
    ("bat", &["--pager"]),
    ("ag", &["--pager"]),
];

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

type Interpreter = (&'static str, &'static str, &'static [&'static str], &'static str);

fn interpreter(name: &str) -> Option<&'static Interpreter> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    INTERPRETERS.iter().find(|(interpreter, ..)| *interpreter == name || *interpreter == stem)
}

/// Code in an option or on the input is opaque; a file is as unknown as any program.
fn interpreted(
    invocation: &Invocation,
    name: &str,
    (language, code, long_code, values): &Interpreter,
) -> Opened {
    const LONG_VALUES: [&str; 9] = [
        "import",
        "require",
        "loader",
        "experimental-loader",
        "input-type",
        "conditions",
        "title",
        "experimental-default-type",
        "check-hash-based-pycs",
    ];
    let mut words = invocation.words.iter().skip(1);
    // A word behind a long option may be its value.
    let mut value = false;
    let mut script = false;
    while let Some(word) = words.next() {
        let may_be_value = std::mem::take(&mut value);
        let text = word.text.as_str();
        if !script && (word.is_many() || (word.is_dynamic() && text.starts_with('-'))) {
            return Opened::dynamic(what(word));
        }
        // Code in the place of a module's address.
        if !script && (text.starts_with("data:") || text.contains("=data:")) {
            return Opened::opaque(*language);
        }
        if let Some(long) = text.strip_prefix("--").filter(|long| !long.is_empty()) {
            value = !long.contains('=');
            let long = long.split('=').next().unwrap_or_default();
            if long_code.contains(&long) {
                return Opened::opaque(*language);
            }
            if matches!(long, "version" | "help") && !script {
                return Opened::Plain;
            }
            if value && !script && LONG_VALUES.contains(&long) {
                value = false;
                match words.next() {
                    Some(next) if next.is_dynamic() => return Opened::dynamic(what(next)),
                    Some(next) if next.text.starts_with("data:") => {
                        return Opened::opaque(*language);
                    }
                    _ => {}
                }
            }
        } else if text.len() > 1 && text.starts_with('-') && text != "--" {
            let cluster = text.get(1..).unwrap_or_default();
            if let Some((_, module)) = cluster
                .split_once('m')
                .filter(|_| matches!(*language, "python" | "pypy"))
                .filter(|(before, _)| !before.contains('c'))
                .filter(|(before, _)| !before.contains(|letter| values.contains(letter)))
            {
                return module_of_python(module, words.next());
            }
            if cluster.contains(|letter| code.contains(letter)) {
                return Opened::opaque(*language);
            }
            if matches!(cluster, "V" | "VV" | "v" | "h") && name != "perl" && !script {
                return Opened::Plain;
            }
            if cluster.len() == 1
                && values.contains(cluster)
                && let Some(next) = words.next().filter(|next| next.is_many())
            {
                return Opened::dynamic(what(next));
            }
        } else if text == "-" || text.starts_with("/dev/") || text.starts_with("/proc/") {
            if !script || text == "-" {
                return Opened::opaque(*language);
            }
        } else if text != "--" && !script {
            if word.is_dynamic() {
                return Opened::dynamic(what(word));
            }
            // Either the script, or a value with the options going on behind it.
            if !may_be_value {
                return Opened::Plain;
            }
            script = true;
        }
    }
    // With nothing but values of options the input is read, which only a script's name excludes.
    if script { Opened::Plain } else { Opened::opaque(*language) }
}

/// `python -m module`: some modules run what they are told.
fn module_of_python(module: &str, next: Option<&Word>) -> Opened {
    const RUN: [&str; 12] = [
        "timeit", "code", "pdb", "runpy", "cProfile", "profile", "trace", "asyncio", "pty", "bdb",
        "IPython", "ipython",
    ];
    match (module, next) {
        ("", Some(word)) if word.is_dynamic() => Opened::dynamic(what(word)),
        ("", Some(word)) if RUN.contains(&word.text.as_str()) => Opened::opaque("python"),
        (module, _) if RUN.contains(&module) => Opened::opaque("python"),
        _ => Opened::Plain,
    }
}

/// The program text is the first operand, unless a file holds it.
fn awk(words: &[Word]) -> Opened {
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        if word.is_many() {
            return Opened::opaque("awk");
        }
        match word.text.as_str() {
            "-F" | "-v" => {
                if rest.next().is_some_and(Word::is_many) {
                    return Opened::opaque("awk");
                }
            }
            "--version" | "-V" => return Opened::Plain,
            "-f" => {
                return rest
                    .next()
                    .filter(|file| {
                        !file.is_dynamic() && file.text != "-" && !file.text.starts_with("/dev/")
                    })
                    .map_or_else(|| Opened::opaque("awk"), |_| Opened::Plain);
            }
            "--" => {}
            text if text.starts_with("-F") || text.starts_with("-v") => {}
            text if text.starts_with('-') && text.len() > 1 => return Opened::opaque("awk"),
            text => {
                let code = text.replace("||", "");
                let runs = ["system", "getline", "@"].iter().any(|part| code.contains(part))
                    || without_strings(&code).contains('|');
                return if runs || word.is_dynamic() {
                    Opened::opaque("awk")
                } else {
                    Opened::Plain
                };
            }
        }
    }
    Opened::Plain
}

/// A program of `awk` without what stands in quotes, or all of it if that is not certain: in a
/// regular expression, a comment or behind a backslash a quote is no quote.
fn without_strings(code: &str) -> String {
    if code.contains(['/', '#', '\\', '\n']) || !code.matches('"').count().is_multiple_of(2) {
        return code.to_owned();
    }
    code.split('"').step_by(2).collect()
}

/// Whether nothing in a script is unknown but variables of the environment behind its beginning.
fn is_fixed(script: &Word) -> bool {
    let text = script.text.as_str();
    let environment = || {
        text.match_indices('$')
            .all(|(at, _)| text.get(at..).is_some_and(|text| is_environment(script, text)))
    };
    let begins_unknown = text.starts_with('$') || text.contains(['`', '\n']);
    !script.is_dynamic()
        || (!script.is_many() && !begins_unknown && text.contains('$') && environment())
}

fn sed(words: &[Word]) -> Opened {
    let mut scripts = Vec::new();
    let mut first_operand = None;
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if is_printed(word) {
            return Opened::opaque("sed");
        }
        match text {
            "-e" | "--expression" | "-ne" | "-re" | "-Ee" => scripts.extend(rest.next()),
            "-f" | "--file" => match rest.next().and_then(Word::known) {
                Some(file) if file != "-" && !file.starts_with("/dev/") => {
                    first_operand = Some(None)
                }
                _ => return Opened::opaque("sed"),
            },
            "--version" | "--help" => return Opened::Plain,
            "-n" | "-i" | "-E" | "-r" | "-s" | "-u" | "-z" | "--quiet" | "--silent"
            | "--in-place" | "--regexp-extended" | "--null-data" | "--posix" | "--separate"
            | "--unbuffered" | "--sandbox" | "--" | "-ni" | "-ri" | "-Ei" | "-nE" | "-En"
            | "-nr" | "-rn" => {}
            _ if text.starts_with("-i") && !text.contains('e')
                || text.starts_with("--in-place=") => {}
            _ if text.starts_with('-') && text.len() > 1 => return Opened::opaque("sed"),
            _ if word.is_many() && !text.contains(['*', '/', '.']) => return Opened::opaque("sed"),
            // The empty suffix of BSD's `-i ''`.
            "" => {}
            _ => {
                first_operand.get_or_insert(Some(word));
            }
        }
    }
    if scripts.is_empty() {
        scripts.extend(first_operand.flatten());
    }
    if scripts.iter().all(|script| is_fixed(script) && only_edits(&script.text)) {
        Opened::Plain
    } else {
        Opened::opaque("sed")
    }
}

#[cfg(test)]
mod tests {
    use super::OPAQUE;

    #[test]
    fn the_list_that_is_searched_by_halves_is_sorted() {
        assert!(OPAQUE.is_sorted());
    }
}
