//! The variables whose value is certain.
//!
//! A variable that is not here could hold anything. Forgetting all of them and undoing what a
//! subshell did take constant time per assignment, so texts with many of both stay linear.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Variables that the shell itself changes, or that change how it reads words.
const SPECIAL: [&str; 30] = [
    "_",
    "IFS",
    "PATH",
    "PWD",
    "OLDPWD",
    "RANDOM",
    "SRANDOM",
    "SECONDS",
    "LINENO",
    "REPLY",
    "SHLVL",
    "PPID",
    "UID",
    "EUID",
    "GID",
    "EGID",
    "FUNCNAME",
    "FUNCNEST",
    "DIRSTACK",
    "GROUPS",
    "PIPESTATUS",
    "MAPFILE",
    "OPTARG",
    "OPTIND",
    "OPTERR",
    "SHELLOPTS",
    "TTYIDLE",
    "ERRNO",
    "status",
    "argv",
];

#[derive(Default)]
pub(super) struct Variables {
    known: HashMap<String, Entry>,
    /// What each change replaced, so that a subshell can be left.
    journal: Vec<(String, Option<Entry>)>,
    clock: u64,
    /// Entries older than this are forgotten.
    floor: u64,
    /// How many constructs around this place may be skipped or repeated.
    pub(super) uncertain: usize,
    /// Names that can never be followed again: read-only, integers, references.
    pinned: HashSet<String>,
    /// Nothing can be followed any more.
    pub(super) off: bool,
    /// How unquoted values are split is not known.
    pub(super) splitting_unknown: bool,
}

#[derive(Clone)]
struct Entry {
    time: u64,
    value: Rc<str>,
}

/// A state to return to.
pub(super) struct Mark {
    journal: usize,
    floor: u64,
}

impl Variables {
    pub(super) fn get(&self, name: &str) -> Option<Rc<str>> {
        if self.off || self.pinned.contains(name) {
            return None;
        }
        let entry = self.known.get(name)?;
        (entry.time >= self.floor).then(|| Rc::clone(&entry.value))
    }

    /// An assignment; `None` is a value that is not known.
    pub(super) fn set(&mut self, name: &str, value: Option<String>) {
        if name == "IFS" {
            self.splitting_unknown = true;
        }
        let followed = self.uncertain == 0 && !is_special(name);
        self.clock = self.clock.saturating_add(1);
        let entry =
            value.filter(|_| followed).map(|value| Entry { time: self.clock, value: value.into() });
        let old = match entry {
            Some(entry) => self.known.insert(name.to_owned(), entry),
            None => self.known.remove(name),
        };
        self.journal.push((name.to_owned(), old));
    }

    pub(super) fn pin(&mut self, name: &str) {
        self.pinned.insert(name.to_owned());
    }

    /// Forgets everything while something runs that may see later values, such as a function that
    /// calls itself; what it does not change is known again afterwards.
    pub(super) fn floor(&self) -> u64 {
        self.floor
    }

    /// Undoes a [`forget_all`](Self::forget_all) that set the floor to `forgotten`, unless there was
    /// another one since.
    pub(super) fn recall(&mut self, forgotten: u64, before: u64) {
        if self.floor == forgotten {
            self.floor = before;
        }
    }

    pub(super) fn forget_all(&mut self) {
        self.clock = self.clock.saturating_add(1);
        self.floor = self.clock;
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { journal: self.journal.len(), floor: self.floor }
    }

    /// Leaves a subshell: nothing that was set in it is seen outside.
    pub(super) fn restore(&mut self, mark: &Mark) {
        while self.journal.len() > mark.journal {
            let Some((name, old)) = self.journal.pop() else { break };
            match old {
                Some(entry) => self.known.insert(name, entry),
                None => self.known.remove(&name),
            };
        }
        self.floor = mark.floor;
    }

    /// Leaves something that is a subshell in some shells only: what was set in it is not known.
    pub(super) fn blur(&mut self, mark: &Mark) {
        let changed: Vec<String> = self
            .journal
            .get(mark.journal..)
            .unwrap_or_default()
            .iter()
            .map(|(name, _)| name.clone())
            .collect();
        let forgotten = self.floor != mark.floor;
        self.restore(mark);
        for name in changed {
            self.set(&name, None);
        }
        if forgotten {
            self.forget_all();
        }
    }
}

fn is_special(name: &str) -> bool {
    SPECIAL.contains(&name)
        || ["BASH", "COMP", "EPOCH", "HIST", "COPROC", "READLINE", "ZSH"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
}
