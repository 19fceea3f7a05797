//! The commands of a shell text, one after the other, with the directories they may run in.

use std::cell::{Cell, OnceCell, RefCell};

use petriflow_shell::{Command, Script, Word, parse};

use crate::bases::Bases;
use crate::look::{Look, base_name};
use crate::paths::cut;
use crate::pattern::is_temporary;
use crate::{Objection, Protected, WORDS_MAX, tools};

/// Whether a text would touch something protected.
pub(crate) fn objection(protected: &Protected, text: &str, bases: &Bases<'_>) -> Option<Objection> {
    let Ok(script) = parse(text) else { return tools::unreadable(protected, text) };
    let mut bases = bases.clone();
    prepare(&mut bases, text, &script);
    let mut walk = Walk {
        protected,
        text,
        commands: &script.commands,
        bases,
        left: Cell::new(WORDS_MAX),
        hidden: RefCell::default(),
        mentioned: OnceCell::new(),
        own: OnceCell::new(),
        unknown: OnceCell::new(),
    };
    (0..script.commands.len()).find_map(|at| walk.command(at))
}

/// Everything of a command that may be a path; long words count more than once.
fn size(command: &Command) -> usize {
    const LONG: usize = 256;
    let wrappers = command.wrappers.iter().flat_map(|wrapper| &wrapper.words);
    let words = command.words.iter().chain(wrappers);
    let sizes = words.map(|word| (word.text.len() / LONG).saturating_add(1));
    let own = command.redirections.len().saturating_add(command.assignments.len());
    sizes.fold(own, usize::saturating_add)
}

/// What the text says about names before any of its commands is looked at.
fn prepare(bases: &mut Bases<'_>, text: &str, script: &Script) {
    bases.dots = ["dotglob", "shopt", "setopt", "GLOB_DOTS", "globdots", "GLOBIGNORE", "zsh"]
        .iter()
        .any(|option| text.contains(option));
    let blind = ["nocaseglob", "nocase_glob", "NO_CASE_GLOB", "nocasematch", "(#i)"];
    let plain: String = text.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
    bases.blind = blind.iter().any(|option| plain.contains(option));
    let assignments = || script.commands.iter().flat_map(|command| &command.assignments);
    bases.moved =
        assignments().any(|assignment| matches!(assignment.name.as_str(), "HOME" | "PWD"));
    // Names may lead elsewhere once these ran.
    const LINKS: [&str; 7] = ["ln", "mount", "bindfs", "unshare", "link", "mklink", "chroot"];
    let links = |command: &Command| {
        let wrappers = command.wrappers.iter().filter_map(|wrapper| wrapper.words.first());
        let mut programs = command.words.first().into_iter().chain(wrappers);
        programs.any(|word| LINKS.contains(&base_name(&word.text))) || command.context.remote
    };
    bases.loose |= script.commands.iter().any(links);
    let temporary = |value: &Word| {
        let code = value.text.strip_prefix("$(").and_then(|code| code.strip_suffix(')'));
        code.is_some_and(is_temporary)
    };
    let names: Vec<&str> = assignments().map(|assignment| assignment.name.as_str()).collect();
    for name in names {
        let mut values = assignments().filter(|assignment| assignment.name == name);
        if values.all(|assignment| temporary(&assignment.value)) {
            bases.temporary.push(name.to_owned());
        }
    }
}

/// A text that is being followed.
pub(crate) struct Walk<'a> {
    pub(crate) protected: &'a Protected,
    pub(crate) text: &'a str,
    pub(crate) commands: &'a [Command],
    bases: Bases<'a>,
    /// How many words may still be looked at, each from every directory.
    left: Cell<usize>,
    /// What the whole text names, seen from so many directories.
    pub(crate) hidden: RefCell<Option<(usize, Option<Objection>)>>,
    /// What the whole text mentions as code, and which command of `petriflow` it may run.
    pub(crate) mentioned: OnceCell<Option<String>>,
    pub(crate) own: OnceCell<Option<Objection>>,
    pub(crate) unknown: OnceCell<Option<Objection>>,
}

impl<'a> Walk<'a> {
    fn command(&mut self, at: usize) -> Option<Objection> {
        let command = self.commands.get(at)?;
        let bases = self.with_directories(command);
        let cost = size(command).saturating_mul(bases.directories().len());
        match self.left.get().checked_sub(cost) {
            Some(left) => self.left.set(left),
            None => return Some(tools::too_much()),
        }
        let program = command.program().unwrap_or_default();
        let looks =
            Look { walk: self, command, at, bases: &bases, what: format!("`{}`", cut(program)) };
        let objection = looks.all(program);
        if matches!(program, "cd" | "pushd" | "chdir" | "set-location" | "Set-Location" | "sl") {
            let mut targets = command.words.iter().skip(1);
            let target =
                targets.find(|word| word.text == "-" || !word.text.starts_with(['-', '+']));
            let home = Word { text: "~".to_owned(), dynamic: None };
            self.bases.enter(target.unwrap_or(&home));
        }
        objection.or_else(|| bases.is_spent().then(tools::too_much))
    }

    /// The directories of options such as `-C`, of the command and of what runs it.
    fn with_directories(&self, command: &Command) -> Bases<'a> {
        let mut bases = self.bases.clone();
        let own = [command.words.as_slice()];
        let lists = command.wrappers.iter().map(|wrapper| wrapper.words.as_slice()).chain(own);
        for words in lists {
            let program = words.first().map_or("", |word| base_name(&word.text));
            let short = match program {
                "env" | "git" | "make" | "gmake" | "tar" | "gtar" | "bsdtar" | "ninja"
                | "cargo" | "go" | "pnpm" => "-C",
                "sudo" => "-D",
                "patch" | "unzip" => "-d",
                "wget" => "-P",
                _ => "--chdir",
            };
            let long = ["--chdir", "--directory", "--work-tree", "--cwd", "--working-directory"];
            for pair in words.windows(2) {
                let [option, value] = pair else { continue };
                if option.text == short || long.contains(&option.text.as_str()) {
                    bases.enter(value);
                }
            }
            for word in words.iter().skip(1) {
                let attached = long
                    .iter()
                    .find_map(|option| word.text.strip_prefix(option)?.strip_prefix('='));
                let attached =
                    attached.or_else(|| word.text.strip_prefix(short).filter(|_| short.len() == 2));
                if let Some(value) = attached.filter(|value| !value.is_empty()) {
                    bases.enter(&Word { text: value.to_owned(), dynamic: word.dynamic.clone() });
                }
            }
        }
        bases
    }
}
