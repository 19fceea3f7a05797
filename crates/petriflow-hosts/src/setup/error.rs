//! Why a configuration file was left as it is.

use std::fmt;

/// Why a configuration file cannot be read or changed. It was not.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SetupError {
    /// The file has comments, which would be lost.
    Comments {
        /// The line of the first one, from 1.
        line: usize,
    },
    /// The text is not JSON.
    NotJson {
        /// What the parser says.
        message: String,
    },
    /// The text is JSON but not an object.
    NotAnObject,
    /// Something stands where hooks belong, and is not what the host's format says.
    Unexpected {
        /// Where, as names with dots.
        place: String,
        /// What should be there.
        expected: &'static str,
    },
    /// A setting keeps hooks from running.
    TurnedOff {
        /// The setting.
        setting: &'static str,
    },
    /// The command cannot be written so that the host runs it.
    Command {
        /// What is wrong with it.
        message: String,
    },
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Comments { line } => write!(
                f,
                "it has comments (line {line}), which would be lost; remove them, or add the hooks by hand"
            ),
            Self::NotJson { message } => write!(f, "it is not JSON: {message}"),
            Self::NotAnObject => f.write_str("it is not a JSON object"),
            Self::Unexpected { place, expected } => {
                write!(f, "`{place}` is not {expected}; correct it first")
            }
            Self::TurnedOff { setting } => {
                write!(f, "`{setting}` keeps the hooks from running; remove it first")
            }
            Self::Command { message } => f.write_str(message),
        }
    }
}

impl std::error::Error for SetupError {}
