//! Why a text was not understood.

use std::fmt;

/// Why a text was not understood, and where.
///
/// An error means that the text must be refused: nothing is known about what it would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    kind: ErrorKind,
    offset: usize,
}

/// What was not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A control character other than tab and newline.
    ControlCharacter(char),
    /// A carriage return outside quotes: part of the word for a shell, a line end for some hosts.
    CarriageReturn,
    /// An invisible character in the name of a program.
    InvisibleCharacter(char),
    /// Something was opened and never closed.
    Unterminated(&'static str),
    /// Something stands where no shell would accept it.
    Unexpected(String),
    /// Something that shells disagree about, or that is not worth the risk of reading wrongly.
    Unsupported(&'static str),
    /// More nesting than [`DEPTH_MAX`](crate::DEPTH_MAX).
    TooDeep,
    /// More text than [`TEXT_MAX`](crate::TEXT_MAX).
    TooLong,
    /// More commands or expanded text than the length of the input allows.
    TooMuch,
}

impl ParseError {
    pub(crate) fn new(kind: ErrorKind, offset: usize) -> Self {
        Self { kind, offset }
    }

    /// What was not understood.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Where in the text, in bytes. Inside a nested text (`bash -c '…'`) it is where that begins.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ErrorKind::ControlCharacter(c) => {
                write!(f, "control character `{}`", c.escape_unicode())
            }
            ErrorKind::CarriageReturn => f.write_str("carriage return outside quotes"),
            ErrorKind::InvisibleCharacter(c) => {
                write!(f, "invisible character `{}` in the name of a program", c.escape_unicode())
            }
            ErrorKind::Unterminated(what) => write!(f, "`{what}` is not closed"),
            ErrorKind::Unexpected(found) => write!(f, "unexpected `{found}`"),
            ErrorKind::Unsupported(what) => write!(f, "{what} cannot be read with certainty"),
            ErrorKind::TooDeep => write!(f, "nested more than {} levels deep", crate::DEPTH_MAX),
            ErrorKind::TooLong => write!(f, "longer than {} bytes", crate::TEXT_MAX),
            ErrorKind::TooMuch => f.write_str("expands to too many commands"),
        }?;
        write!(f, " at byte {}", self.offset)
    }
}

impl std::error::Error for ParseError {}
