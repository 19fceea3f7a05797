//! The directories a command may run in, and where its words lead from there.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use petriflow_shell::Word;

use crate::paths::{without_proc, without_scheme};
use crate::pattern::{Pattern, TEMPORARY, is_distinctive};
use crate::roots::Place;
use crate::{Protected, WORDS_MAX};

/// Most directories that are followed; with more, it could be any.
const DIRECTORIES_MAX: usize = 24;

/// Most texts that the groups of one word are tried for.
const ALTERNATIVES_MAX: usize = 256;

/// What a pattern costs, where a path costs one.
const PATTERN: usize = 16;

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
    /// Letters of a glob may match in either case.
    pub(crate) blind: bool,
    /// `HOME` or `PWD` is another one.
    pub(crate) moved: bool,
    /// Variables that hold the name of a new temporary file.
    pub(crate) temporary: Vec<String>,
    /// How much may still be compared, by all that look from here.
    left: Rc<Cell<usize>>,
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
            blind: false,
            moved: false,
            temporary: Vec::new(),
            left: Rc::new(Cell::new(WORDS_MAX)),
        }
    }

    /// Counts one comparison of a text; nothing is found any more when too many were made.
    fn spend(&self, text: &str, cost: usize) -> bool {
        const LONG: usize = 64;
        let cost = (text.len() / LONG).saturating_add(1).saturating_mul(cost);
        let left = self.left.get().checked_sub(cost);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Whether something was not looked at, because too much had been.
    pub(crate) fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    pub(crate) fn directories(&self) -> &[PathBuf] {
        &self.directories
    }

    /// Adds where a change of directory may lead.
    pub(crate) fn enter(&mut self, target: &Word) {
        let Some(text) = self.text(target) else {
            self.guess(target);
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

    /// Adds what a change to a directory that is not known may mean: it is protected, or the parent
    /// of what is.
    fn guess(&mut self, target: &Word) {
        let roots = &self.protected.roots;
        let path = match self.look(target) {
            Some(Found::Inside(root)) => roots.path(root),
            Some(Found::Above(root)) => {
                roots.path(root).and_then(|path| path.parent().map(Path::to_owned))
            }
            _ => None,
        };
        if let (Some(path), Some(first)) = (path, self.directories.first()) {
            let path = first.join(path);
            if !self.directories.contains(&path) {
                self.directories.push(path);
            }
        }
        self.loose = true;
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

    /// Where a word may lead; groups of alternatives are tried one by one.
    pub(crate) fn look(&self, word: &Word) -> Option<Found> {
        let mut texts = Vec::new();
        if !expand(&word.text, &mut texts) {
            return self.look_alone(word).or_else(|| self.could_be(word));
        }
        let mut first = None;
        for text in texts {
            match self.look_alone(&Word { text, dynamic: word.dynamic.clone() }) {
                Some(Found::Inside(root)) => return Some(Found::Inside(root)),
                found => first = first.or(found),
            }
        }
        first
    }

    /// Where a pattern leads whose `*` matches everything, slashes and leading dots included.
    pub(crate) fn look_across(&self, text: &str, globs: bool, blind: bool) -> Option<Found> {
        let across = text.replace(['*', '?'], "**");
        let text = if globs { text } else { &across };
        let text = if text.starts_with('/') { text.to_owned() } else { format!("./{text}") };
        let text = text.as_str();
        self.directories.iter().find_map(|directory| {
            if !self.spend(text, PATTERN) {
                return None;
            }
            let pattern = self.pattern(text, directory).blind(blind);
            let pattern = pattern.below(&directory.to_string_lossy());
            match self.protected.roots.fit(&pattern, true)?.0 {
                Place::Inside(root) => Some(Found::Inside(root)),
                Place::Above(root) => Some(Found::Above(root)),
            }
        })
    }

    fn look_alone(&self, word: &Word) -> Option<Found> {
        if word.text.is_empty() {
            return None;
        }
        match word.known() {
            Some(text) => self.look_at(text),
            None => self.look_around(word),
        }
    }

    /// A word with too many alternatives, any of which may be what is protected.
    fn could_be(&self, word: &Word) -> Option<Found> {
        let fits = |directory: &PathBuf| {
            let pattern = self.pattern(&word.text, directory);
            let climbs = word.text.contains("../");
            let pattern = if climbs { pattern.unbound() } else { pattern };
            self.protected.roots.fit(&pattern.below(&directory.to_string_lossy()), true).is_some()
        };
        self.directories.iter().any(fits).then_some(Found::Unsure)
    }

    /// Where a known text leads.
    pub(crate) fn look_at(&self, text: &str) -> Option<Found> {
        if text.is_empty() || text.len() > PATH_MAX || text.contains(['\n', '\0']) {
            return None;
        }
        let roots = &self.protected.roots;
        let mut above = None;
        for path in self.paths(text, &self.directories) {
            if !self.spend(text, 1) {
                return None;
            }
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
        Pattern::new(tilde.as_deref().unwrap_or(text), &value).blind(self.blind)
    }

    fn look_around(&self, word: &Word) -> Option<Found> {
        let mut unsure = None;
        let mut above = None;
        for directory in &self.directories {
            if !self.spend(&word.text, PATTERN) {
                return None;
            }
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

/// The texts that the groups of a word stand for: `{a,b}`, `@(a|b)`, from the inside out.
/// `false`: they are too many.
fn expand(text: &str, texts: &mut Vec<String>) -> bool {
    let mut open = vec![text.to_owned()];
    let mut tried: usize = 0;
    while let Some(text) = open.pop() {
        tried = tried.saturating_add(1);
        if tried > ALTERNATIVES_MAX {
            return false;
        }
        match group(&text) {
            None => texts.push(text),
            Some((before, inner, after, separator)) => {
                let count = inner.matches(separator).count().saturating_add(open.len());
                if count.saturating_add(texts.len()) > ALTERNATIVES_MAX {
                    return false;
                }
                open.extend(inner.split(separator).map(|one| format!("{before}{one}{after}")));
            }
        }
    }
    true
}

/// The first group with alternatives that has no other one in it: what is before it, in it and
/// behind it, and what separates its alternatives.
fn group(text: &str) -> Option<(&str, &str, &str, char)> {
    let mut open: Vec<(usize, usize, char)> = Vec::new();
    let mut last = ' ';
    for (at, character) in text.char_indices() {
        let behind = at.saturating_add(1);
        match character {
            '{' if last != '$' => open.push((at, behind, ',')),
            '(' if matches!(last, '@' | '+' | '?' | '*') => {
                open.push((at.saturating_sub(1), behind, '|'));
            }
            '{' => open.push((at, behind, '\0')),
            '(' => open.push((at, behind, '\0')),
            '}' | ')' => {
                let found = open.pop();
                if let Some((start, from, separator)) = found
                    && (separator == ',') == (character == '}')
                    && separator != '\0'
                {
                    let inner = text.get(from..at)?;
                    if inner.contains(separator) || separator == '|' {
                        return Some((text.get(..start)?, inner, text.get(behind..)?, separator));
                    }
                }
            }
            _ => {}
        }
        last = character;
    }
    None
}

/// Whether a word holds what a command prints.
pub(crate) fn is_printed(word: &Word) -> bool {
    word.dynamic.as_ref().is_some_and(|dynamic| {
        dynamic.printed || word.text.contains("$(") || word.text.contains('`')
    })
}
