//! The directories a command may run in, and where its words lead from there.

use std::fs;
use std::path::{Path, PathBuf};

use petriflow_shell::Word;

use crate::Protected;
use crate::paths::{without_proc, without_scheme};
use crate::pattern::{Pattern, TEMPORARY, is_distinctive};
use crate::roots::Place;

/// Most directories that are followed; with more, it could be any.
const DIRECTORIES_MAX: usize = 24;

/// Longer texts are no paths for any system.
const PATH_MAX: usize = 4096;

/// Where words may lead.
#[derive(Clone)]
pub(crate) struct Bases<'p> {
    protected: &'p Protected,
    directories: Vec<PathBuf>,
    /// The directory, or what a name leads to, is not known: endings count.
    pub(crate) loose: bool,
    /// `*` may match a leading dot.
    pub(crate) dots: bool,
    /// `HOME` or `PWD` is another one.
    pub(crate) moved: bool,
    /// Variables that hold the name of a new temporary file.
    pub(crate) temporary: Vec<String>,
}

/// What a word may stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// Something protected.
    Inside(usize),
    /// A directory with something protected in it.
    Above(usize),
    /// What a command prints: anything.
    Unsure,
}

impl<'p> Bases<'p> {
    pub(crate) fn new(protected: &'p Protected, cwd: &Path) -> Self {
        Self {
            protected,
            directories: vec![cwd.to_owned()],
            loose: false,
            dots: false,
            moved: false,
            temporary: Vec::new(),
        }
    }

    pub(crate) fn directories(&self) -> &[PathBuf] {
        &self.directories
    }

    /// Adds where a change of directory may lead.
    pub(crate) fn enter(&mut self, target: &Word) {
        let Some(text) = self.text(target) else {
            self.loose = true;
            return;
        };
        if text == "-" {
            // Back to one of those that are known, if there was a change before.
            self.loose |= self.directories.len() < 2;
            return;
        }
        for directory in self.directories.clone() {
            for path in self.paths(&text, std::slice::from_ref(&directory)) {
                let path = crate::paths::lexical(&path);
                if !self.directories.contains(&path) {
                    self.directories.push(path);
                }
            }
        }
        if self.directories.len() > DIRECTORIES_MAX {
            self.directories.truncate(DIRECTORIES_MAX);
            self.loose = true;
        }
    }

    /// The text of a word, if it is known here.
    fn text(&self, word: &Word) -> Option<String> {
        match word.known() {
            Some(text) => Some(text.to_owned()),
            None => {
                let first = self.directories.first()?;
                self.pattern(&word.text, first).known()
            }
        }
    }

    /// The absolute paths that a word may be, as far as it is known.
    pub(crate) fn starts(&self, word: &Word) -> Vec<PathBuf> {
        let text = self.text(word).unwrap_or_default();
        self.paths(&text, &self.directories)
    }

    /// Where a word may lead.
    pub(crate) fn look(&self, word: &Word) -> Option<Found> {
        self.look_deep(word, 4)
    }

    /// Groups of alternatives are tried one by one, so many levels deep.
    fn look_deep(&self, word: &Word, depth: usize) -> Option<Found> {
        if word.text.is_empty() {
            return None;
        }
        let deeper = depth.checked_sub(1);
        if let (Some(deeper), Some(texts)) = (deeper, alternatives(&word.text)) {
            let words = texts.into_iter().map(|text| Word { text, dynamic: word.dynamic.clone() });
            let found: Vec<Found> =
                words.filter_map(|word| self.look_deep(&word, deeper)).collect();
            let inside = found.iter().find(|found| matches!(found, Found::Inside(_)));
            if let Some(found) = inside.or_else(|| found.first()) {
                return Some(*found);
            }
        }
        match word.known() {
            Some(text) => self.look_at(text),
            None => self.look_around(word),
        }
    }

    /// Where a known text leads.
    pub(crate) fn look_at(&self, text: &str) -> Option<Found> {
        if text.is_empty() || text.len() > PATH_MAX || text.contains(['\n', '\0']) {
            return None;
        }
        let roots = &self.protected.roots;
        let mut above = None;
        for path in self.paths(text, &self.directories) {
            match roots.place(&path) {
                Some(Place::Inside(root)) => return Some(Found::Inside(root)),
                Some(Place::Above(root)) => above = above.or(Some(Found::Above(root))),
                None => {}
            }
        }
        if self.loose {
            let relative = text.trim_start_matches('/');
            if let Some(found) =
                endings(relative).find_map(|text| self.named(&Pattern::literal(text).somewhere()))
            {
                return Some(found);
            }
            let exists = |directory: &Path| {
                let path = directory.join(relative);
                fs::symlink_metadata(&path).ok()?;
                roots.place(&path)
            };
            for place in roots.directories().filter_map(exists) {
                if let Place::Inside(root) = place {
                    return Some(Found::Inside(root));
                }
            }
        }
        above
    }

    /// The absolute paths that a text may be.
    fn paths(&self, text: &str, directories: &[PathBuf]) -> Vec<PathBuf> {
        let text = without_scheme(text);
        let home = self.protected.home.as_ref().filter(|_| !self.moved);
        if let Some(rest) =
            text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'))
            && let Some(home) = home
        {
            return vec![home.join(rest.trim_start_matches('/'))];
        }
        match without_proc(&text) {
            Some((true, rest)) => {
                directories.iter().map(|directory| directory.join(rest)).collect()
            }
            Some((false, rest)) => vec![Path::new("/").join(rest)],
            None => directories.iter().map(|directory| directory.join(&text)).collect(),
        }
    }

    fn pattern(&self, text: &str, directory: &Path) -> Pattern {
        let value = |name: &str| match name {
            "HOME" if !self.moved => {
                self.protected.home.as_ref().map(|home| home.to_string_lossy().into_owned())
            }
            "PWD" if !self.moved => Some(directory.to_string_lossy().into_owned()),
            "CLAUDE_PROJECT_DIR" | "GEMINI_PROJECT_DIR" | "CURSOR_PROJECT_DIR" | "INIT_CWD" => {
                self.directories.first().map(|first| first.to_string_lossy().into_owned())
            }
            "TMPDIR" => Some(TEMPORARY.to_owned()),
            name if self.temporary.iter().any(|own| own == name) => Some(TEMPORARY.to_owned()),
            _ => None,
        };
        let tilde = [("~+", "$PWD"), ("~", "$HOME")].into_iter().find_map(|(tilde, variable)| {
            let rest = text.strip_prefix(tilde)?;
            (rest.is_empty() || rest.starts_with('/')).then(|| format!("{variable}{rest}"))
        });
        Pattern::new(tilde.as_deref().unwrap_or(text), &value)
    }

    fn look_around(&self, word: &Word) -> Option<Found> {
        let mut unsure = None;
        let mut above = None;
        for directory in &self.directories {
            let pattern = self.pattern(&word.text, directory);
            if let Some(text) = pattern.known() {
                match self.look_at(&text) {
                    Some(Found::Above(root)) => above = Some(Found::Above(root)),
                    Some(found) => return Some(found),
                    None => {}
                }
                continue;
            }
            let whole = pattern.below(&directory.to_string_lossy());
            let somewhere = self.loose.then(|| pattern.somewhere());
            for pattern in [Some(&whole), somewhere.as_ref()].into_iter().flatten() {
                match self.named(pattern) {
                    Some(Found::Above(root)) => above = Some(Found::Above(root)),
                    Some(found) => return Some(found),
                    None => {}
                }
            }
            let fits = || {
                self.protected
                    .roots
                    .fit(&pattern.unbound().below(&directory.to_string_lossy()), true)
            };
            if pattern.has_gap() && is_printed(word) && whole.is_open() && fits().is_some() {
                unsure = Some(Found::Unsure);
            }
        }
        above.or(unsure)
    }

    fn named(&self, pattern: &Pattern) -> Option<Found> {
        let (place, fit) = self.protected.roots.fit(pattern, self.dots)?;
        fit.is_named.then_some(match place {
            Place::Inside(root) => Found::Inside(root),
            Place::Above(root) => Found::Above(root),
        })
    }
}

/// A path, and those of its endings that tell enough to be looked for anywhere.
fn endings(path: &str) -> impl Iterator<Item = &str> {
    let inner = path.match_indices('/').filter_map(|(at, _)| path.get(at.saturating_add(1)..));
    let inner = inner.filter(|ending| {
        ending.trim_end_matches('/').contains('/')
            || is_distinctive(ending.split('/').next().unwrap_or_default())
    });
    [path].into_iter().chain(inner)
}

/// The texts that the first group of a word stands for: `{a,b}`, `@(a|b)`.
fn alternatives(text: &str) -> Option<Vec<String>> {
    let braces = text.find('{').map(|at| (at, at.saturating_add(1), '}', ','));
    let group = ["@(", "+(", "?(", "*("].iter().filter_map(|open| text.find(open)).min();
    let group = group.map(|at| (at, at.saturating_add(2), ')', '|'));
    let (at, from, close, separator) = group.or(braces)?;
    if text.get(..at)?.ends_with('$') {
        return None;
    }
    let length = text.get(from..)?.find(close)?;
    let to = from.saturating_add(length);
    let (before, inner, after) =
        (text.get(..at)?, text.get(from..to)?, text.get(to.saturating_add(1)..)?);
    let several = inner.contains(separator) || close == ')';
    several.then(|| inner.split(separator).map(|one| format!("{before}{one}{after}")).collect())
}

/// Whether a word holds what a command prints.
pub(crate) fn is_printed(word: &Word) -> bool {
    word.dynamic.as_ref().is_some_and(|dynamic| {
        dynamic.printed || word.text.contains("$(") || word.text.contains('`')
    })
}
