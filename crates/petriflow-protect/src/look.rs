//! One command: what it redirects, what runs it, and what it does with its words.

use petriflow_shell::{Command, Dynamic, Nature, Redirection, RedirectionKind, Word};

use crate::bases::{Bases, Found};
use crate::programs::{Plan, Use, is_systems, plan, shows_content};
use crate::script::Walk;
use crate::{Objection, Protected, WORDS_MAX, git, hosts, listed, own};

/// One command, looked at from its directories.
pub(crate) struct Look<'a> {
    pub(crate) walk: &'a Walk<'a>,
    pub(crate) command: &'a Command,
    pub(crate) at: usize,
    pub(crate) bases: &'a Bases<'a>,
    pub(crate) what: String,
}

impl Look<'_> {
    pub(crate) fn all(&self, program: &str) -> Option<Objection> {
        let command = self.command;
        let redirected =
            command.redirections.iter().find_map(|redirection| self.redirection(redirection));
        if redirected.is_some() {
            return redirected;
        }
        let mut plan = plan(program, &command.words);
        // `./cat` may be anything.
        if !command.words.first().is_none_or(is_systems) {
            plan.uses.iter_mut().filter(|own| **own == Use::Reads).for_each(|own| *own = Use::Any);
        }
        let reads = !plan.uses.is_empty() && plan.uses.iter().all(|what| *what == Use::Reads);
        // What is written may be named by the command that lists files.
        let written = |redirection: &Redirection| {
            use RedirectionKind::{Append, Clobber, ReadWrite, Write};
            matches!(redirection.kind, Write | Append | Clobber | ReadWrite)
                && redirection.target.dynamic.is_some()
        };
        let reads = reads && !command.redirections.iter().any(written);
        let plain = command.nature == Nature::Plain;
        let is_git = program == "git";
        if (!reads || !plain)
            && !is_git
            && let Some(objection) = own::objection(self.walk.protected, command, self.bases)
        {
            return Some(objection);
        }
        if own::is_petriflow(
            self.walk.protected,
            command.words.first().unwrap_or(&Word::default()),
            self.bases,
        ) {
            return None;
        }
        hosts::objection(command)
            .or_else(|| self.wrappers(reads && plain))
            .or_else(|| self.nature())
            .or_else(|| self.words(program, &plan))
            .or_else(|| self.puts(program, &plan))
            .or_else(|| if reads && plain { None } else { self.assignments() })
    }

    pub(crate) fn protected(&self) -> &Protected {
        self.walk.protected
    }

    fn redirection(&self, redirection: &Redirection) -> Option<Objection> {
        use RedirectionKind::{Append, Clobber, Read, ReadWrite, Write};
        let target = &redirection.target;
        let reads = redirection.kind == Read;
        if !reads && !matches!(redirection.kind, Write | Append | Clobber | ReadWrite) {
            return None;
        }
        match self.bases.look(target) {
            Some(Found::Inside(root)) if reads => {
                self.protected().roots.is_binary(root).then(copied)
            }
            _ if reads => None,
            Some(Found::Inside(root)) => Some(self.protected().touches("a redirection", root)),
            Some(Found::Unsure) => Some(Objection::unsure("a redirection", &target.text)),
            Some(Found::Above(_)) | None => self.hidden(target),
        }
    }

    /// A variable that is not known, in a text that names something protected elsewhere: in a loop,
    /// an array or an assignment that could not be followed.
    fn hidden(&self, word: &Word) -> Option<Objection> {
        let dynamic = word.dynamic.as_ref()?;
        if !dynamic.what.contains('$') || is_environment(&word.text) {
            return None;
        }
        // The text is the same for every word; directories may be more by now.
        let key = self.bases.directories().len();
        if let Some((at, found)) = self.walk.hidden.borrow().as_ref()
            && *at == key
        {
            return found.clone();
        }
        let found = self.named_elsewhere();
        *self.walk.hidden.borrow_mut() = Some((key, found.clone()));
        found
    }

    /// Something protected that the whole text names.
    fn named_elsewhere(&self) -> Option<Objection> {
        let roots = &self.protected().roots;
        let named = roots.named_in(self.walk.text);
        if let Some(name) = named.or_else(|| roots.pieced_in(self.walk.text)) {
            return Some(Objection::mentions(&self.what, name));
        }
        let separators = |c: char| {
            c.is_whitespace() || matches!(c, ';' | '(' | ')' | '&' | '|' | '=' | '<' | '>')
        };
        let pieces = self
            .walk
            .text
            .split(separators)
            .filter(|piece| piece.contains(['*', '?', '[', '{', '.', '/']));
        for piece in pieces.take(WORDS_MAX) {
            let plain: String = piece.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
            if plain.contains('$') || plain.starts_with('-') || plain.len() < 2 {
                continue;
            }
            let open = plain.contains(['*', '?', '[', '{']);
            let dynamic = open.then(|| Dynamic { what: plain.clone(), many: true, printed: false });
            let piece = Word { text: plain, dynamic };
            if let Some(Found::Inside(root)) = self.bases.look(&piece) {
                return Some(self.protected().touches(&self.what, root));
            }
        }
        None
    }

    /// What runs the command: options that write (`time -o`), and lists of files.
    fn wrappers(&self, reads: bool) -> Option<Objection> {
        for wrapper in &self.command.wrappers {
            let name = wrapper.words.first().map_or("", |word| base_name(&word.text));
            match name {
                "find" | "gfind" if reads => {}
                "find" | "gfind" => {
                    let found = listed::find(&wrapper.words, self.bases, &self.protected().roots);
                    if let Some(objection) = self.tree(found, &wrapper.words) {
                        return Some(objection);
                    }
                }
                "fd" | "fdfind"
                    if !reads && wrapper.words.iter().any(|word| hidden_too(&word.text)) =>
                {
                    return Some(Objection::unsure(&self.what, "fd --hidden"));
                }
                "git" | "env" | "sudo" | "xargs" | "fd" | "fdfind" | "nice" | "ssh" => {}
                _ => {
                    let found = wrapper.words.iter().skip(1).find_map(|word| self.any(word));
                    if found.is_some() {
                        return found;
                    }
                }
            }
        }
        None
    }

    pub(crate) fn tree(&self, found: Option<Found>, words: &[Word]) -> Option<Objection> {
        match found? {
            Found::Inside(root) => Some(self.protected().touches(&self.what, root)),
            Found::Above(root) => Some(self.protected().contains(&self.what, root)),
            Found::Unsure => {
                let text: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
                Some(Objection::unsure(&self.what, &text.join(" ")))
            }
        }
    }

    fn words(&self, program: &str, plan: &Plan) -> Option<Objection> {
        if program == "git" && git::takes_all(&self.command.words) {
            let found = self.bases.look_at(".");
            if let Some(objection) = self.tree(found, &self.command.words) {
                return Some(objection);
            }
        }
        let certain = !matches!(self.command.nature, Nature::Plain | Nature::Deletion);
        for (word, own) in self.command.words.iter().zip(&plan.uses).skip(1) {
            let own =
                if certain && *own == Use::Reads && program != "git" { &Use::Any } else { own };
            let objection = match own {
                Use::Reads => self.read(program, word),
                Use::Any => self.any(word),
                Use::Writes => self.write(program, word, false),
                Use::Tree => self.write(program, word, true),
            };
            if objection.is_some() {
                return objection;
            }
        }
        None
    }

    /// Reading is free, but a copy of the binary would do what the binary does.
    fn read(&self, program: &str, word: &Word) -> Option<Objection> {
        if !shows_content(program) {
            return None;
        }
        let text = word.text.strip_prefix("if=").unwrap_or(&word.text);
        let word = Word { text: text.to_owned(), dynamic: word.dynamic.clone() };
        let own =
            |found| matches!(found, Found::Inside(root) if self.protected().roots.is_binary(root));
        let found = self.bases.look(&word)?;
        // The folder it is in.
        let inner = format!("{}/{}", word.text, self.protected().roots.binary_name());
        let above = matches!(found, Found::Above(_)) && self.bases.look_at(&inner).is_some_and(own);
        (own(found) || above).then(copied)
    }

    fn write(&self, program: &str, word: &Word, tree: bool) -> Option<Objection> {
        let found = match word.text.as_str() {
            text if word.dynamic.is_some() && self.is_listed(text) => self.listed(text),
            // Looked at with the command that lists them.
            "{}" | "files found by fd" if word.dynamic.is_some() => None,
            _ if program == "git" => self.pathspec(word),
            // `host:path`
            text => self.bases.look(word).or_else(|| {
                let (_, path) = text.split_once(':')?;
                self.bases.look(&Word { text: path.to_owned(), dynamic: word.dynamic.clone() })
            }),
        };
        match found {
            Some(Found::Above(_)) if !tree => None,
            Some(_) => self.tree(found, std::slice::from_ref(word)),
            None => self.hidden(word),
        }
    }

    /// What git takes a word for: from the top of the working tree, with `*` across slashes.
    fn pathspec(&self, word: &Word) -> Option<Found> {
        let spec = git::pathspec(&word.text);
        if spec.excludes {
            return None;
        }
        let path = if spec.path.is_empty() && spec.top { "." } else { spec.path };
        let mut texts = vec![path.to_owned()];
        if spec.top {
            let tops = self.bases.directories().iter().flat_map(|directory| git::tops(directory));
            texts.extend(tops.map(|top| top.join(path).to_string_lossy().into_owned()));
        }
        texts.into_iter().find_map(|text| {
            let dynamic = word.dynamic.clone().or_else(|| glob(&text));
            let found = self.bases.look(&Word { text: text.clone(), dynamic });
            found.or_else(|| {
                let open = text.contains(['*', '?', '[']) || spec.blind;
                if open { self.bases.look_across(&text, spec.globs, spec.blind) } else { None }
            })
        })
    }

    /// A word of a program that is not known, as a whole and in pieces.
    fn any(&self, word: &Word) -> Option<Objection> {
        let text = word.text.as_str();
        let piece = |text: &str| {
            self.bases.look(&Word { text: text.to_owned(), dynamic: word.dynamic.clone() })
        };
        let short = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        let attached = short.and_then(|rest| rest.get(rest.chars().next()?.len_utf8()..));
        let pieces = text.split(['=', ':', ',', '@']).filter(|piece| piece.len() < text.len());
        let candidates = [Some(text), attached].into_iter().flatten().chain(pieces);
        for candidate in candidates.filter(|candidate| !candidate.is_empty()) {
            match piece(candidate) {
                Some(Found::Inside(root)) => {
                    return Some(self.protected().touches(&self.what, root));
                }
                Some(Found::Unsure) if text.starts_with("of=") => {
                    return Some(Objection::unsure(&self.what, text));
                }
                _ => {}
            }
        }
        self.protected().roots.named_in(text).map(|name| Objection::mentions(&self.what, name))
    }

    fn assignments(&self) -> Option<Objection> {
        if self.command.words.is_empty() {
            return None;
        }
        self.command.assignments.iter().find_map(|assignment| self.any(&assignment.value))
    }
}

pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

fn copied() -> Objection {
    Objection::new(
        "a copy of the `petriflow` binary could do what only a person may; it must not be copied",
    )
}

/// Whether a word is a path below a directory that everybody knows.
fn is_environment(text: &str) -> bool {
    ["$HOME", "${HOME}", "$PWD", "${PWD}", "$TMPDIR", "~"].iter().any(|start| {
        text.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            && text.matches('$').count() < 2
    })
}

fn hidden_too(text: &str) -> bool {
    text.starts_with("--hidden")
        || text.starts_with("--unrestricted")
        || crate::programs::cluster(text, "HuI")
}

/// Git expands patterns itself, also quoted ones.
pub(crate) fn glob(text: &str) -> Option<Dynamic> {
    let open = text.contains(['*', '?', '[']);
    open.then(|| Dynamic { what: text.to_owned(), many: true, printed: false })
}
