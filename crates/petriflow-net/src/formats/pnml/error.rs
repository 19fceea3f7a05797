//! The error of a reading: every problem with its position.

use std::fmt;

use super::super::Position;
use super::super::text::positions;
use super::PnmlProblemKind;

/// All problems of a file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PnmlError {
    // INVARIANT: at least one.
    problems: Vec<PnmlProblem>,
}

/// One thing that is wrong with a PNML file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PnmlProblem {
    position: Position,
    first: Option<Position>,
    kind: PnmlProblemKind,
}

impl PnmlError {
    pub(super) fn new(position: Position, kind: PnmlProblemKind) -> Self {
        Self { problems: vec![PnmlProblem { position, first: None, kind }] }
    }

    /// One problem at a byte offset.
    pub(super) fn at(text: &str, at: usize, kind: PnmlProblemKind) -> Self {
        let positions = positions(text, std::iter::once(at));
        Self::new(positions.get(&at).copied().unwrap_or(Position::START), kind)
    }

    /// The problems, at least one, in the order of the text.
    pub fn problems(&self) -> &[PnmlProblem] {
        &self.problems
    }
}

impl PnmlProblem {
    /// Where the problem is.
    pub fn position(&self) -> Position {
        self.position
    }

    /// For a duplicate, where the first one is.
    pub fn first(&self) -> Option<Position> {
        self.first
    }

    /// What is wrong.
    pub fn kind(&self) -> &PnmlProblemKind {
        &self.kind
    }
}

/// Problems while they are collected, by byte offset.
#[derive(Default)]
pub(super) struct Problems(Vec<Found>);

struct Found {
    at: usize,
    first: Option<usize>,
    kind: PnmlProblemKind,
}

impl Problems {
    pub(super) fn push(&mut self, at: usize, kind: PnmlProblemKind) {
        self.0.push(Found { at, first: None, kind });
    }

    pub(super) fn push_duplicate(&mut self, at: usize, first: usize, kind: PnmlProblemKind) {
        self.0.push(Found { at, first: Some(first), kind });
    }

    /// Nothing, unless there are problems.
    pub(super) fn finish(mut self, text: &str) -> Result<(), PnmlError> {
        if self.0.is_empty() {
            return Ok(());
        }
        self.0.sort_by_key(|found| found.at);
        let offsets = self.0.iter().flat_map(|found| [Some(found.at), found.first]).flatten();
        let positions = positions(text, offsets);
        let position = |at| positions.get(&at).copied().unwrap_or(Position::START);
        let problem = |found: Found| PnmlProblem {
            position: position(found.at),
            first: found.first.map(position),
            kind: found.kind,
        };
        Err(PnmlError { problems: self.0.into_iter().map(problem).collect() })
    }
}

impl fmt::Display for PnmlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for problem in &self.problems {
            write!(f, "{separator}{problem}")?;
            separator = "\n";
        }
        Ok(())
    }
}

impl std::error::Error for PnmlError {}

impl fmt::Display for PnmlProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.position, self.kind)?;
        self.first.map_or(Ok(()), |first| write!(f, ", first at {first}"))
    }
}
