//! What is protected, and how a path lies to it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::named::Named;
use crate::paths::{Identity, Links, lexical};
use crate::pattern::{Match, Pattern, is_distinctive};

#[derive(Debug, Clone)]
struct Root {
    /// As given, cleaned by text.
    path: PathBuf,
    /// Through links.
    real: PathBuf,
    id: Option<Identity>,
    /// Both in components, to compare them quickly.
    parts: [Vec<OsString>; 2],
    /// Both, for patterns.
    texts: [Vec<char>; 2],
}

/// Everything that is protected; the last one is the binary.
#[derive(Debug, Clone)]
pub(crate) struct Roots {
    roots: Vec<Root>,
    /// Texts that name something protected wherever they stand.
    names: Vec<String>,
    /// What is protected in any directory; they are counted behind the others.
    anywhere: Vec<Named>,
    links: Links,
}

/// Where a path lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// It is protected, or beneath what is.
    Inside(usize),
    /// It is a directory with something protected in it.
    Above(usize),
}

impl Roots {
    pub(crate) fn new(paths: impl IntoIterator<Item = PathBuf>, binary: &Path) -> Self {
        let links = Links::default();
        let mut roots: Vec<Root> = paths.into_iter().map(|path| Root::new(&path, &links)).collect();
        let mut names: Vec<String> = roots.iter().flat_map(Root::names).collect();
        names.sort_unstable();
        names.dedup();
        roots.push(Root::new(binary, &links));
        Self { roots, names, anywhere: Vec::new(), links }
    }

    pub(crate) fn with_names(mut self, names: impl IntoIterator<Item = PathBuf>) -> Self {
        self.anywhere.extend(names.into_iter().filter_map(|name| Named::new(&name)));
        self.names.extend(self.anywhere.iter().map(|name| name.text().to_owned()));
        self.names.sort_unstable();
        self.names.dedup();
        self
    }

    pub(crate) fn path(&self, root: usize) -> Option<PathBuf> {
        match root.checked_sub(self.roots.len()) {
            None => self.roots.get(root).map(|root| root.path.clone()),
            Some(at) => self.anywhere.get(at).map(|name| PathBuf::from(name.text())),
        }
    }

    pub(crate) fn is_binary(&self, root: usize) -> bool {
        root.saturating_add(1) == self.roots.len()
    }

    /// Whether it is protected by its name, in any directory.
    pub(crate) fn is_anywhere(&self, root: usize) -> bool {
        root >= self.roots.len()
    }

    pub(crate) fn binary_name(&self) -> String {
        let name = self.roots.last().and_then(|root| root.path.file_name());
        name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// Directories in which protected things stand, and protected ones themselves.
    pub(crate) fn directories(&self) -> impl Iterator<Item = &Path> {
        let count = self.roots.len().saturating_sub(1);
        self.roots
            .iter()
            .take(count)
            .flat_map(|root| [Some(root.path.as_path()), root.path.parent()].into_iter().flatten())
    }

    /// Where an absolute path lies: by text, through links, by inode.
    pub(crate) fn place(&self, path: &Path) -> Option<Place> {
        let clean = lexical(path);
        let (real, id) = self.links.real(path);
        let mut above = None;
        let paths: [Vec<&OsStr>; 2] = [clean.iter().collect(), real.iter().collect()];
        for (at, root) in self.roots.iter().enumerate() {
            let inside = paths.iter().any(|path| root.parts.iter().any(|own| begins(path, own)));
            if inside
                || (id.is_some() && id == root.id)
                || root.differs_in_case(&clean, &paths, &self.links)
            {
                return Some(Place::Inside(at));
            }
            let contains = paths.iter().any(|path| root.parts.iter().any(|own| begins(own, path)));
            if contains && above.is_none() {
                above = Some(Place::Above(at));
            }
        }
        let named = |name: &Named| paths.iter().any(|path| name.is_in(path));
        match self.anywhere.iter().position(named) {
            Some(at) if !is_elsewhere(path) => {
                Some(Place::Inside(self.roots.len().saturating_add(at)))
            }
            _ => above,
        }
    }

    /// The protected paths below a directory, as they are called from there.
    pub(crate) fn below(&self, directory: &Path) -> Vec<(usize, PathBuf)> {
        let clean = lexical(directory);
        let (real, _) = self.links.real(directory);
        let roots = self.roots.iter().enumerate();
        let tail = |root: &Root| {
            let tail = root.path.strip_prefix(&clean).or_else(|_| root.real.strip_prefix(&real));
            tail.ok().map(Path::to_owned)
        };
        roots.filter_map(|(at, root)| Some((at, tail(root)?))).collect()
    }

    /// Where a pattern may lie, and whether its text names it.
    pub(crate) fn fit(&self, pattern: &Pattern, dots: bool) -> Option<(Place, Match)> {
        let mut found: Option<(Place, Match)> = None;
        for (at, root) in self.roots.iter().enumerate() {
            let [given, real] = &root.texts;
            let texts = [Some(given), (real != given).then_some(real)];
            let fits = texts.into_iter().flatten().filter_map(|text| pattern.fit(text, dots));
            for fit in fits {
                let place = if fit.inside { Place::Inside(at) } else { Place::Above(at) };
                let rank = |fit: &Match| (fit.is_named, fit.inside);
                if found.as_ref().is_none_or(|(_, old)| rank(old) < rank(&fit)) {
                    found = Some((place, fit));
                }
            }
        }
        if found.as_ref().is_none_or(|(_, fit)| !fit.is_named || !fit.inside)
            && let Some(root) = self.called(pattern, dots)
        {
            found = Some((Place::Inside(root), Match { inside: true, is_named: true }));
        }
        found
    }

    /// What is protected in any directory and named by a pattern.
    pub(crate) fn called(&self, pattern: &Pattern, dots: bool) -> Option<usize> {
        let is_there = |path: &str| self.links.is_there(Path::new(path));
        let at = self.anywhere.iter().position(|name| pattern.names(name, dots, &is_there))?;
        Some(self.roots.len().saturating_add(at))
    }

    /// A protected name in a text, with quotes and backslashes taken out.
    pub(crate) fn named_in(&self, text: &str) -> Option<&str> {
        let plain: String = text.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
        self.names
            .iter()
            .find(|name| [text, &plain].iter().any(|text| holds(text, name)))
            .map(String::as_str)
    }

    /// A protected name in two pieces, which a variable may put together.
    pub(crate) fn pieced_in(&self, text: &str) -> Option<&str> {
        const PIECE_MIN: usize = 3;
        let apart = |piece: &str, ends: bool| {
            text.match_indices(piece).any(|(at, _)| {
                let side = if ends {
                    text.get(at.saturating_add(piece.len())..).and_then(|rest| rest.chars().next())
                } else {
                    text.get(..at).and_then(|rest| rest.chars().next_back())
                };
                !side.is_some_and(char::is_alphanumeric)
            })
        };
        let pieced = |name: &&String| {
            let at = PIECE_MIN..name.len().saturating_sub(PIECE_MIN).saturating_add(1);
            at.into_iter().any(|at| {
                name.split_at_checked(at)
                    .is_some_and(|(left, right)| apart(left, true) && apart(right, false))
            })
        };
        let short = self.names.iter().filter(|name| name.starts_with('.') && !name.contains('/'));
        short.into_iter().find(pieced).map(String::as_str)
    }

    /// The same in code, where a name may be put together from pieces.
    pub(crate) fn named_in_code(&self, code: &str) -> Option<&str> {
        if let Some(name) = self.named_in(code) {
            return Some(name);
        }
        let squeeze = |text: &str| -> String {
            text.chars()
                .filter(|c| {
                    !matches!(
                        c,
                        '\'' | '"'
                            | '\\'
                            | '+'
                            | ' '
                            | ','
                            | '/'
                            | '('
                            | ')'
                            | '`'
                            | '['
                            | ']'
                            | '@'
                            | '|'
                            | '{'
                            | '}'
                    )
                })
                .collect()
        };
        let squeezed = squeeze(code);
        let found = self.names.iter().find(|name| squeezed.contains(&squeeze(name)));
        found.map(String::as_str).or_else(|| self.named_in(&joined(code)))
    }
}

impl Root {
    fn new(path: &Path, links: &Links) -> Self {
        let clean = lexical(path);
        let (real, id) = links.real(path);
        let text = |path: &Path| path.to_string_lossy().chars().collect();
        let texts = [text(&clean), text(&real)];
        let parts = |path: &Path| path.iter().map(OsStr::to_owned).collect();
        let parts = [parts(&clean), parts(&real)];
        Self { id, parts, texts, path: clean, real }
    }

    /// The whole path, its last two names, and its name if hardly anything else has it.
    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for path in [&self.path, &self.real] {
            let parts: Vec<String> =
                path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            names.push(path.to_string_lossy().into_owned());
            if let [.., parent, name] = parts.as_slice() {
                if is_distinctive(name) {
                    names.push(name.clone());
                } else if parent != "/" {
                    names.push(format!("{parent}/{name}"));
                }
            }
        }
        names
    }

    /// Whether a path is this one in a file system that is blind to case.
    fn differs_in_case(&self, path: &Path, parts: &[Vec<&OsStr>; 2], links: &Links) -> bool {
        let ([parts, _], [own, _]) = (parts, &self.parts);
        let length = own.len();
        // The last one differs most often.
        let same = |(a, b): (&&OsStr, &OsString)| a.eq_ignore_ascii_case(b);
        if parts.len() < length || !parts.iter().take(length).zip(own).rev().all(same) {
            return false;
        }
        let blind = cfg!(any(target_os = "macos", windows));
        let prefix: PathBuf = path.iter().take(length).collect();
        blind || (self.id.is_some() && links.real(&prefix).1 == self.id)
    }
}

/// Code without what joins two texts: `".pet" . "riflow"`, `'a'..'b'`.
fn joined(code: &str) -> String {
    const QUOTES: [char; 3] = ['\'', '"', '`'];
    const JOINER_MAX: usize = 8;
    let mut joined = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(character) = rest.chars().next() {
        rest = rest.get(character.len_utf8()..).unwrap_or_default();
        if !QUOTES.contains(&character) {
            joined.push(character);
            continue;
        }
        let joins = |c: char| c.is_whitespace() || matches!(c, '.' | '+' | '~' | '&' | '<' | '>');
        let behind = rest.trim_start_matches(joins);
        let length = rest.len().saturating_sub(behind.len());
        if length <= JOINER_MAX && behind.starts_with(QUOTES) {
            rest = behind.get(1..).unwrap_or_default();
        }
    }
    joined
}

/// Whether a path begins with another one; the last component differs most often.
fn begins<A: AsRef<OsStr>, B: AsRef<OsStr>>(path: &[A], start: &[B]) -> bool {
    path.len() >= start.len()
        && path.iter().take(start.len()).zip(start).rev().all(|(a, b)| a.as_ref() == b.as_ref())
}

/// Whether a path holds an address, which names something of another machine.
fn is_elsewhere(path: &Path) -> bool {
    let mut parts = path.iter();
    let address = parts.any(|part| part == "http:" || part == "https:");
    address && !parts.any(|part| part == "..")
}

/// Whether a name stands in a text as a name of its own.
fn holds(text: &str, name: &str) -> bool {
    let continues = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at.saturating_add(name.len())..).and_then(|text| text.chars().next());
        // `-.petriflow` is a value behind an option or a default.
        let begins = |c: char| continues(c) && !(c == '-' && name.starts_with(['.', '/']));
        !before.is_some_and(begins) && !after.is_some_and(continues)
    })
}
