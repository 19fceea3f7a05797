//! What can be wrong with a JSON net.

use std::fmt;

use super::super::text::shown;
use super::super::{INPUT_BYTES_MAX, Position};
use crate::Problem;

/// All problems of a text that is not a net.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    problems: Vec<JsonProblem>,
}

/// One thing that is wrong with a JSON net.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum JsonProblem {
    /// More than [`INPUT_BYTES_MAX`] bytes.
    TooLarge {
        /// How many bytes.
        bytes: usize,
    },
    /// Not JSON, or JSON of another shape. Reading stops here, so it is the only problem.
    Malformed {
        /// Where reading stopped.
        position: Position,
        /// What was found and what was expected.
        message: String,
    },
    /// A problem of the net itself.
    Net(Problem),
    /// A terminal place that no place has as its name.
    UnknownTerminal {
        /// The name.
        place: String,
    },
    /// A terminal place listed twice.
    TerminalTwice {
        /// The place.
        place: String,
    },
}

impl JsonError {
    /// INVARIANT: at least one problem.
    pub(super) fn new(problems: Vec<JsonProblem>) -> Self {
        debug_assert!(!problems.is_empty());
        Self { problems }
    }

    /// The problems, at least one, those of the net before those of the terminal places.
    pub fn problems(&self) -> &[JsonProblem] {
        &self.problems
    }
}

impl fmt::Display for JsonProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { bytes } => {
                write!(f, "the file has {bytes} bytes, more than {INPUT_BYTES_MAX}")
            }
            Self::Malformed { position, message } => write!(f, "{position}: {message}"),
            Self::Net(problem) => write!(f, "{problem}"),
            Self::UnknownTerminal { place } => {
                write!(f, "the terminal places name `{}`, which is not a place", shown(place))
            }
            Self::TerminalTwice { place } => {
                write!(f, "the terminal places name `{}` twice", shown(place))
            }
        }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for problem in &self.problems {
            write!(f, "{separator}{problem}")?;
            separator = "\n";
        }
        Ok(())
    }
}

impl std::error::Error for JsonError {}
