//! What a simple command runs: the command inside a wrapper, a text for a shell, foreign code.
//!
//! Options are read exactly: one that is not in the tables could take a value or none, so what
//! follows it could be anything, and the command is [`Nature::Dynamic`].

mod awk;
mod code;
mod container;
mod find;
mod git;
mod interpreter;
mod options;
mod programs;
mod runner;
mod sed;
pub(crate) mod settings;
mod shell;
mod table;

use crate::command::{Context, Nature, RedirectionKind, Word, base_name};
use crate::walk::Invocation;
pub(crate) use code::runs_what_it_is_told;

pub(crate) use code::runs_files;

pub(crate) enum Opened {
    /// The command is what it says.
    Plain,
    Nature(Nature),
    Command {
        wrapper: Vec<Word>,
        words: Vec<Word>,
        /// What the wrapper adds to the context.
        effects: Context,
        /// A variable that the wrapper sets carries code.
        setting: Option<String>,
    },
    Text(Text),
    Several(Vec<Opened>),
}

/// A text that is run as commands.
pub(crate) struct Text {
    pub(crate) wrapper: Vec<Word>,
    pub(crate) text: Word,
    pub(crate) scope: Scope,
    pub(crate) effects: Context,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// In this shell.
    Same,
    /// In another process, which knows exported variables only.
    Child,
    /// The same, and the shell may lack bash's extensions.
    Strict,
}

impl Opened {
    fn dynamic(what: impl Into<String>) -> Self {
        Self::Nature(Nature::Dynamic { what: what.into() })
    }

    fn opaque(language: impl Into<String>) -> Self {
        Self::Nature(Nature::Opaque { language: language.into() })
    }

    fn command(wrapper: &[Word], words: &[Word], effects: Context) -> Self {
        Self::Command { wrapper: wrapper.to_vec(), words: words.to_vec(), effects, setting: None }
    }

    fn text(wrapper: &[Word], text: Word, effects: Context) -> Self {
        let name = wrapper.first().map_or("", |word| base_name(&word.text));
        let scope = if matches!(name, "bash" | "zsh" | "ksh" | "ksh93" | "mksh") {
            Scope::Child
        } else {
            Scope::Strict
        };
        Self::Text(Text { wrapper: wrapper.to_vec(), text, scope, effects })
    }
}

const NONE: Context = Context {
    condition: false,
    repeated: false,
    function: false,
    subshell: false,
    substitution: false,
    background: false,
    pipeline: false,
    negated: false,
    remote: false,
};
const REMOTE: Context = Context { remote: true, ..NONE };
const REPEATED: Context = Context { repeated: true, ..NONE };
const LOST: Context = Context { background: true, ..NONE };

/// Most words of a command that runs another one: each of the nested ones copies them.
const WRAPPED_MAX: usize = 8192;

/// What an invocation, whose first word is known, runs.
pub(crate) fn open(invocation: &Invocation) -> Opened {
    match opened(invocation) {
        Opened::Command { .. } | Opened::Text(_) | Opened::Several(_)
            if invocation.words.len() > WRAPPED_MAX =>
        {
            Opened::dynamic("a command of too many words")
        }
        Opened::Plain if writes_for_git(invocation) => Opened::opaque("git configuration"),
        opened => opened,
    }
}

/// Whether a file is written that git runs or takes its settings from.
fn writes_for_git(invocation: &Invocation) -> bool {
    const WRITERS: [&str; 14] = [
        "tee", "cp", "mv", "ln", "install", "dd", "curl", "wget", "rsync", "scp", "patch", "xxd",
        "sed", "gsed",
    ];
    let git = |word: &Word| {
        [".git/hooks", ".git/config", ".git/modules", ".gitconfig", "git/config"]
            .iter()
            .any(|part| word.text.contains(part))
    };
    let kind = |kind| {
        use RedirectionKind::{Append, Clobber, ReadWrite, Write};
        matches!(kind, Append | Clobber | ReadWrite | Write)
    };
    let mut words = invocation.words.iter();
    let program = words.next().map_or("", |word| base_name(&word.text));
    invocation
        .redirections
        .iter()
        .any(|redirection| kind(redirection.kind) && git(&redirection.target))
        || (WRITERS.contains(&program) && words.any(git))
}

fn opened(invocation: &Invocation) -> Opened {
    let words = invocation.words.as_slice();
    let Some(first) = words.first() else { return Opened::Plain };
    let name = base_name(&first.text);
    match name {
        "bash" | "sh" | "dash" | "zsh" | "ksh" | "ksh93" | "mksh" | "ash" | "rbash" | "rzsh"
        | "lksh" | "yash" => shell::shell(invocation),
        "fish" | "csh" | "tcsh" | "nu" | "elvish" | "xonsh" | "pwsh" | "powershell" | "cmd"
        | "wsl" | "rc" | "es" => Opened::opaque(name),
        "su" | "runuser" => shell::su(invocation),
        "ssh" => shell::ssh(invocation),
        "script" => shell::script(invocation),
        "env" => runner::env(words),
        "xargs" => runner::xargs(words),
        "parallel" | "sem" => runner::parallel(words),
        "watch" => runner::watch(words),
        "flock" => runner::flock(words),
        "command" | "builtin" | "exec" | "sudo" | "chroot" => runner::special(invocation, name),
        "find" | "gfind" => find::find(words),
        "fd" | "fdfind" => find::fd(words),
        "git" => git::git(words),
        // The programs behind `git`'s subcommands, which need not be called through it.
        _ if name.len() > 4 && name.starts_with("git-") => {
            let sub = name.strip_prefix("git-").unwrap_or_default();
            let mut inner = vec![Word::literal("git"), Word::literal(sub)];
            inner.extend(words.iter().skip(1).cloned());
            Opened::command(std::slice::from_ref(first), &inner, NONE)
        }
        "docker" | "podman" | "nerdctl" | "docker-compose" | "podman-compose" => {
            container::docker(words)
        }
        "kubectl" | "oc" | "lxc" | "incus" | "k3s" | "microk8s" | "minikube" | "mise"
        | "devbox" | "distrobox" | "toolbox" | "multipass" | "flatpak-spawn" => {
            container::kubectl(words)
        }
        "ip" => runner::ip(words),
        _ => match table::spec(words) {
            Some(entry) => runner::plain(invocation, entry),
            None => code::classify(invocation, name),
        },
    }
}
