//! Says whether a tool call would disarm PetriFlow: write, delete, move, replace or open up
//! something of its own, or run a command of `petriflow` that is for a person.
//!
//! What it cannot see is in `docs/self-protection.md`: scripts in files, compiled programs, links
//! that a glob leads through. It looks at metadata and links of the file system and at nothing else.
//!
//! How it works: `tools` sorts a call by the tool's name, `script` follows the commands of a shell
//! text with the directories they may run in (`bases`), `look` judges one of them, `programs` says
//! which words a program writes, and `roots` compares a word with what is protected: by text, through
//! links, and by inode. A word that is not known is a `pattern`.

mod archive;
mod bases;
mod code;
mod git;
mod hosts;
mod listed;
mod look;
mod looks;
mod named;
mod own;
mod patch;
mod paths;
mod pattern;
mod programs;
mod puts;
mod roots;
mod script;
mod tools;

use std::fmt;
use std::path::{Path, PathBuf};

use roots::Roots;
use serde_json::Value;

/// Most words and texts of one call that are looked at; more is objected to.
pub const WORDS_MAX: usize = 20_000;

/// What of PetriFlow's own must not be touched by an agent.
///
/// Links and inodes are looked up when it is made, so make one for each call or after changes.
#[derive(Debug, Clone)]
pub struct Protected {
    roots: Roots,
    home: Option<PathBuf>,
}

/// Why a call must not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objection {
    /// One sentence for the agent and the person, naming the path or the command.
    pub message: String,
    /// What would be touched, if that is one path.
    pub path: Option<PathBuf>,
}

impl Protected {
    /// Protects files and directories with all beneath them, given as absolute paths that need not
    /// exist, and the binary, which must not be copied either.
    ///
    /// Hard links are known for paths given here, not for every file beneath a directory.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>, binary: &Path) -> Self {
        Self { roots: Roots::new(paths, binary), home: None }
    }

    /// Protects what stands under one of these relative paths in any directory, with all beneath,
    /// whatever the case of its letters: `.petriflow`, `.claude/settings.json`.
    ///
    /// A host reads its configuration where it runs, which may be another directory than that of the
    /// rules. A directory with such a thing in it is not known, so it may be removed as a whole.
    #[must_use]
    pub fn with_names(mut self, names: impl IntoIterator<Item = PathBuf>) -> Self {
        self.roots = self.roots.with_names(names);
        self
    }

    /// Says what `~` and `$HOME` stand for.
    #[must_use]
    pub fn with_home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// Whether the call would touch something protected. `None`: as far as can be seen, it would not.
    pub fn objection(&self, tool: &str, input: &Value, cwd: &Path) -> Option<Objection> {
        tools::objection(self, tool, input, cwd)
    }

    fn touches(&self, what: &str, root: usize) -> Objection {
        let path = self.roots.path(root);
        let shown = path.as_deref().map_or_else(String::new, |path| path.display().to_string());
        Objection {
            message: format!(
                "{what} would change `{shown}`, which guards this session; only a person may do that"
            ),
            path,
        }
    }

    fn contains(&self, what: &str, root: usize) -> Objection {
        let path = self.roots.path(root);
        let shown = path.as_deref().map_or_else(String::new, |path| path.display().to_string());
        Objection {
            message: format!(
                "{what} would take `{shown}` with it, which guards this session; name what is meant instead"
            ),
            path,
        }
    }
}

impl Objection {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), path: None }
    }

    fn mentions(what: &str, name: &str) -> Self {
        Self::new(format!(
            "{what} mentions `{name}`, which guards this session, and what it does with it cannot be seen; only a person may run it"
        ))
    }

    fn unsure(what: &str, word: &str) -> Self {
        Self::new(format!(
            "{what} changes files that are known only when it runs (`{}`); say which files",
            paths::cut(word)
        ))
    }
}

impl fmt::Display for Objection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
