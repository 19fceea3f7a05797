//! Paths by text and through the links of the file system.

use std::collections::{HashMap, VecDeque};
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Most links that are followed for one path, as in the kernel.
const LINKS_MAX: usize = 40;

/// Without `.`, `..` and double slashes, by text alone.
pub(crate) fn lexical(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

/// What is known of the file system, looked up once for every name.
///
/// Most of what is protected stands in a few directories, many of which are not there.
#[derive(Debug, Clone, Default)]
pub(crate) struct Links {
    seen: Arc<Mutex<HashMap<PathBuf, Option<Entry>>>>,
    /// Where directories lead, and whether they are there: many names stand in the same one.
    parents: Arc<Mutex<HashMap<PathBuf, (PathBuf, bool)>>>,
}

/// What is at a path, a link not followed.
#[derive(Debug, Clone)]
struct Entry {
    target: Option<PathBuf>,
    id: Option<Identity>,
}

/// Device and inode.
pub(crate) type Identity = (u64, u64);

impl Links {
    /// Where a path leads through links, as far as it exists, and which file that is.
    pub(crate) fn real(&self, path: &Path) -> (PathBuf, Option<Identity>) {
        let (done, is_there) = match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => {
                let (parent, is_there) = self.parent(parent);
                self.follow(parent, is_there, VecDeque::from([name.to_owned()]))
            }
            _ => self.follow(PathBuf::new(), true, names(path)),
        };
        let id = if is_there { self.entry(&done).and_then(|entry| entry.id) } else { None };
        (done, id)
    }

    fn parent(&self, parent: &Path) -> (PathBuf, bool) {
        let lock = || self.parents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(parent) {
            return known.clone();
        }
        let found = self.follow(PathBuf::new(), true, names(parent));
        lock().insert(parent.to_owned(), found.clone());
        found
    }

    /// Follows names from a directory; beneath what is not there, nothing is.
    fn follow(
        &self,
        mut done: PathBuf,
        mut is_there: bool,
        mut todo: VecDeque<OsString>,
    ) -> (PathBuf, bool) {
        let mut links: usize = 0;
        while let Some(name) = todo.pop_front() {
            match name.to_str() {
                Some(".") => continue,
                Some("..") => {
                    done.pop();
                    is_there = true;
                    continue;
                }
                _ => {}
            }
            let next = done.join(&name);
            let entry = if is_there { self.entry(&next) } else { None };
            is_there = entry.is_some();
            match entry.and_then(|entry| entry.target).filter(|_| links < LINKS_MAX) {
                Some(target) => {
                    links = links.saturating_add(1);
                    for component in target.components().rev() {
                        todo.push_front(component.as_os_str().to_owned());
                    }
                    if target.is_absolute() {
                        done = PathBuf::new();
                    }
                }
                None => done = next,
            }
        }
        (done, is_there)
    }

    /// Whether something is at a path, be it a link that leads nowhere.
    pub(crate) fn is_there(&self, path: &Path) -> bool {
        self.entry(path).is_some()
    }

    fn entry(&self, path: &Path) -> Option<Entry> {
        // Nothing panics while it is locked, and a list of what was seen is never half written.
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = seen.get(path) {
            return known.clone();
        }
        let entry = fs::symlink_metadata(path).ok().map(|metadata| Entry {
            target: metadata.is_symlink().then(|| fs::read_link(path).ok()).flatten(),
            id: identity(&metadata),
        });
        seen.insert(path.to_owned(), entry.clone());
        entry
    }
}

fn names(path: &Path) -> VecDeque<OsString> {
    path.components().map(|component| component.as_os_str().to_owned()).collect()
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    Some((metadata.dev(), metadata.ino()))
}

/// Not to be had without opening the file.
#[cfg(not(unix))]
fn identity(_: &Metadata) -> Option<Identity> {
    None
}

/// The path behind `file://`, or the text as it is.
pub(crate) fn without_scheme(text: &str) -> String {
    const SCHEME: &str = "file:";
    let scheme = text.get(..SCHEME.len()).filter(|scheme| scheme.eq_ignore_ascii_case(SCHEME));
    let Some(rest) = scheme.and_then(|_| text.get(SCHEME.len()..)) else { return text.to_owned() };
    let rest = match rest.strip_prefix("//") {
        Some(behind) if behind.starts_with('/') => behind,
        Some(behind) => behind.find('/').and_then(|at| behind.get(at..)).unwrap_or(behind),
        None => rest,
    };
    unescaped(rest)
}

/// `%2e` is a dot.
pub(crate) fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let code = (*first == b'%')
            .then(|| behind.get(..2).and_then(|hex| std::str::from_utf8(hex).ok()))
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { behind.get(2..).unwrap_or_default() } else { behind };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// `/proc/self/cwd/x` and `/proc/self/root/x`: what they lead to for the process that is told to.
pub(crate) fn without_proc(path: &str) -> Option<(bool, &str)> {
    let rest = path.strip_prefix("/proc/")?;
    for (name, here) in [("/cwd", true), ("/root", false)] {
        if let Some((_, behind)) = rest.split_once(name)
            && (behind.is_empty() || behind.starts_with('/'))
        {
            return Some((here, behind.trim_start_matches('/')));
        }
    }
    None
}

/// A text short enough for a sentence.
pub(crate) fn cut(text: &str) -> String {
    const MAX: usize = 60;
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= MAX && line.len() == text.len() {
        return line.to_owned();
    }
    line.chars().take(MAX).chain(['…']).collect()
}
