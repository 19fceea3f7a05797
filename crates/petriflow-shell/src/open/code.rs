//! Programs whose arguments are code in another language, or may be.

use super::Opened;
use super::options::what;
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
    match name {
        // Nothing but the listing.
        "crontab" => matches!(arguments, [word] if word.known() == Some("-l")),
        _ => MANY_USES.contains(&name) && !arguments.is_empty() && !arguments.iter().any(runs),
    }
}

/// Options with which a program runs code.
const OPTIONS: [(&str, &[&str]); 43] = [
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
    ("view", &["-c", "--cmd", "+", "-S"]),
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
    ("less", &["+"]),
    ("more", &["+"]),
    ("install", &["--strip-program"]),
    ("cpio", &["--rsh-command"]),
    ("apt", &["-o"]),
    ("apt-get", &["-o"]),
    ("wget", &["--use-askpass"]),
    ("gcc", &["-wrapper"]),
    ("g++", &["-wrapper"]),
    ("cargo", &["--config"]),
    ("go", &["-toolexec", "-exec", "-vettool"]),
    ("cmake", &["-E", "-P"]),
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
        "vim" | "vi" | "nvim" | "view" | "sqlite3" | "psql" | "mysql" | "make" | "gmake"
            if reads_input(invocation) =>
        {
            return Opened::opaque(name);
        }
        "rsync"
            if !words.iter().skip(1).all(|word| is_plain_rsync(&word.text)) && !uses_ssh(words) =>
        {
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
    if words.iter().skip(1).any(|word| carries(word) || (!options.is_empty() && unknown(word))) {
        return Opened::opaque(name);
    }
    Opened::Plain
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
        Some(long) if long.starts_with('-') => {
            let given = text.split('=').next().unwrap_or_default();
            given.len() > 4 && option.starts_with(given)
        }
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
    let mut words = invocation.words.iter().skip(1);
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if word.is_many() {
            return Opened::dynamic(what(word));
        }
        if let Some(long) = text.strip_prefix("--").filter(|long| !long.is_empty()) {
            let long = long.split('=').next().unwrap_or_default();
            if long_code.contains(&long) {
                return Opened::opaque(*language);
            }
            if matches!(long, "version" | "help") {
                return Opened::Plain;
            }
        } else if text.len() > 1 && text.starts_with('-') && text != "--" {
            let cluster = text.get(1..).unwrap_or_default();
            if cluster.contains(|letter| code.contains(letter)) {
                return Opened::opaque(*language);
            }
            let module = matches!(*language, "python" | "pypy") && cluster.contains('m');
            if module || matches!(cluster, "V" | "VV" | "v" | "h") && name != "perl" {
                return Opened::Plain;
            }
            if cluster.len() == 1 && values.contains(cluster) {
                words.next();
            }
        } else if text == "-" || text.starts_with("/dev/") || text.starts_with("/proc/") {
            return Opened::opaque(*language);
        } else if text != "--" {
            return if word.is_dynamic() { Opened::dynamic(what(word)) } else { Opened::Plain };
        }
    }
    Opened::opaque(*language)
}

/// The program text is the first operand, unless a file holds it.
fn awk(words: &[Word]) -> Opened {
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        match word.text.as_str() {
            "-F" | "-v" => {
                rest.next();
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
                let runs = ["system", "|", "getline", "@"].iter().any(|part| code.contains(part));
                let unknown = word.is_many() || (word.is_dynamic() && text.starts_with(['$', '`']));
                return if runs || unknown { Opened::opaque("awk") } else { Opened::Plain };
            }
        }
    }
    Opened::Plain
}

fn sed(words: &[Word]) -> Opened {
    let mut scripts = Vec::new();
    let mut first_operand = None;
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
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
    if scripts.iter().all(|script| only_edits(&script.text)) {
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
