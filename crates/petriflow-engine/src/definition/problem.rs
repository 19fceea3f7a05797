//! What is wrong with a definition, all of it at once.

use std::fmt;

/// Problems listed; a file with more of them is hardly a definition, and naming near misses for
/// each would take long.
const LISTED_MAX: usize = 100;

/// A place in a file, counted from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// One thing that is wrong, or, among the warnings, questionable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// Where; `None` for definitions that were built rather than read.
    pub at: Option<Position>,
    /// What to do about it.
    pub help: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(at) = self.at {
            write!(f, "{at}: ")?;
        }
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

/// Why a definition was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems {
    source: String,
    listed: Vec<Problem>,
    hidden: usize,
}

impl Problems {
    /// The problems in the order of the file, at least one and at most a hundred.
    pub fn list(&self) -> &[Problem] {
        &self.listed
    }

    /// How many more there are than are listed.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// The file the definition was read from, or the name of the one that was built.
    pub fn source(&self) -> &str {
        &self.source
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, problem) in self.listed.iter().enumerate() {
            let separator = if number == 0 { "" } else { "\n" };
            let space = if problem.at.is_some() { "" } else { " " };
            write!(f, "{separator}{}:{space}{problem}", self.source)?;
        }
        match self.hidden {
            0 => Ok(()),
            hidden => write!(f, "\n{}: and {hidden} more", self.source),
        }
    }
}

impl std::error::Error for Problems {}

/// Where problems are collected.
#[derive(Debug, Default)]
pub(super) struct Collector {
    listed: Vec<Problem>,
    hidden: usize,
}

impl Collector {
    pub(super) fn add(&mut self, at: Option<Position>, message: impl Into<String>) {
        self.add_with(at, message, || None);
    }

    /// As [`add`](Self::add); the help is made only if the problem is listed.
    pub(super) fn add_with(
        &mut self,
        at: Option<Position>,
        message: impl Into<String>,
        help: impl FnOnce() -> Option<String>,
    ) {
        if self.listed.len() < LISTED_MAX {
            self.listed.push(Problem { message: message.into(), at, help: help() });
        } else {
            self.hidden = self.hidden.saturating_add(1);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// What was collected, in the order of the file.
    pub(super) fn into_list(mut self) -> Vec<Problem> {
        self.listed.sort_by_key(|problem| problem.at);
        self.listed
    }

    pub(super) fn into_problems(self, source: &str) -> Problems {
        let hidden = self.hidden;
        Problems { source: source.into(), listed: self.into_list(), hidden }
    }
}
