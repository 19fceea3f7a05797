//! What can be wrong with a guard: its text, or what it finds when it is evaluated.

use std::fmt;
use std::ops::Range;

/// Why a text is not a guard.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParseError {
    /// What is wrong.
    pub message: String,
    /// Which bytes of the text it is about; empty at the end of the text.
    pub range: Range<usize>,
    /// What to write instead.
    pub help: Option<String>,
}

impl ParseError {
    pub(super) fn new(message: impl Into<String>, range: Range<usize>) -> Self {
        Self { message: message.into(), range, help: None }
    }

    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ParseError {}

/// Why a guard has no value in some context and marking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalError {
    pub(super) kind: EvalErrorKind,
    pub(super) message: String,
    pub(super) range: Range<usize>,
}

impl EvalError {
    /// What sort of error it is.
    pub fn kind(&self) -> EvalErrorKind {
        self.kind
    }

    /// Which bytes of the guard's text it is about.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for EvalError {}

/// The sorts of [`EvalError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EvalErrorKind {
    /// The context has no such field.
    UnknownField,
    /// The net has no such place.
    UnknownPlace,
    /// A value is of a type that does not fit.
    WrongType,
    /// An operation has no result, such as a division by zero.
    Undefined,
    /// A value is too large to be made.
    TooLarge,
}

/// A place that a guard names and the net does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownPlace {
    /// The name of the place.
    pub name: String,
    /// Where the guard's text names it.
    pub range: Range<usize>,
}

impl fmt::Display for UnknownPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no place `{}`", self.name)
    }
}

impl std::error::Error for UnknownPlace {}
