//! Text to tree: recursive descent over bytes, with bounded depth and without backtracking.
//!
//! Where bash would try one reading and then another (`((` as arithmetic or as two subshells), or
//! where shells differ, the text is refused.

mod arithmetic;
mod compound;
mod document;
mod dollar;
mod list;
mod simple;
mod word;

use std::cell::OnceCell;
use std::rc::Rc;

use crate::ast::{List, Word};
use crate::error::{ErrorKind, ParseError};

/// Parses a whole text. `base` is the place of the text in the outermost one, `depth` how deep it
/// is nested there. `strict`: it may be a shell without bash's extensions that runs it, and what
/// such a shell would read as other commands is refused.
pub(crate) fn parse(
    text: &str,
    base: usize,
    depth: usize,
    strict: bool,
) -> Result<List, ParseError> {
    let mut parser = Parser::new(text, base, depth, strict);
    parser.check_characters()?;
    let list = parser.list()?;
    if parser.peek().is_some() {
        return Err(parser.unexpected());
    }
    if parser.pending.is_empty() { Ok(list) } else { Err(parser.unterminated("<<")) }
}

pub(crate) struct Parser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    position: usize,
    /// Added to offsets in errors; `None` of the positions of a nested text mean anything outside.
    base: usize,
    nested: bool,
    strict: bool,
    depth: usize,
    /// How many `$(…)`, `<(…)` and `>(…)` are around this place.
    substitutions: usize,
    /// How many `${…}` are around this place.
    braces: usize,
    /// Here-documents mentioned on this line, whose bodies follow it.
    pending: Vec<Pending>,
}

struct Pending {
    delimiter: String,
    quoted: bool,
    strip_tabs: bool,
    body: Rc<OnceCell<Word>>,
}

type Parsed<T> = Result<T, ParseError>;

impl<'t> Parser<'t> {
    fn new(text: &'t str, base: usize, depth: usize, strict: bool) -> Self {
        let nested = depth > 0;
        Self {
            text,
            bytes: text.as_bytes(),
            position: 0,
            base,
            nested,
            strict,
            depth,
            substitutions: 0,
            braces: 0,
            pending: Vec::new(),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.position.saturating_add(ahead)).copied()
    }

    fn advance(&mut self, bytes: usize) {
        self.position = self.position.saturating_add(bytes).min(self.bytes.len());
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.position..).unwrap_or_default()
    }

    fn eat(&mut self, expected: &str) -> bool {
        let found = self
            .bytes
            .get(self.position..)
            .is_some_and(|rest| rest.starts_with(expected.as_bytes()));
        if found {
            self.advance(expected.len());
        }
        found
    }

    fn slice(&self, from: usize) -> &'t str {
        self.text.get(from..self.position).unwrap_or_default()
    }

    /// The text since `from`, short enough for a message.
    fn raw(&self, from: usize) -> String {
        const RAW_MAX: usize = 60;
        let slice = self.slice(from);
        match slice.char_indices().nth(RAW_MAX).and_then(|(end, _)| slice.get(..end)) {
            Some(start) => format!("{start}…"),
            None => slice.to_owned(),
        }
    }

    /// A place of this text as a place of the outermost one.
    fn place(&self, position: usize) -> usize {
        if self.nested { self.base } else { position }
    }

    fn error(&self, kind: ErrorKind) -> ParseError {
        ParseError::new(kind, self.place(self.position))
    }

    fn unterminated(&self, what: &'static str) -> ParseError {
        self.error(ErrorKind::Unterminated(what))
    }

    fn unsupported(&self, what: &'static str) -> ParseError {
        self.error(ErrorKind::Unsupported(what))
    }

    fn unexpected(&self) -> ParseError {
        let found = match self.rest().chars().next() {
            None => "end of text".to_owned(),
            Some('\n') => "end of line".to_owned(),
            Some(_) => self.rest().chars().take_while(|c| !c.is_whitespace()).take(20).collect(),
        };
        self.error(ErrorKind::Unexpected(found))
    }

    /// Runs `inner` one level deeper.
    fn nest<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= crate::DEPTH_MAX {
            return Err(self.error(ErrorKind::TooDeep));
        }
        self.depth = self.depth.saturating_add(1);
        let result = inner(self);
        self.depth = self.depth.saturating_sub(1);
        result
    }

    fn check_characters(&self) -> Parsed<()> {
        let bad = self
            .bytes
            .iter()
            .position(|byte| byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r'));
        match bad {
            None => Ok(()),
            Some(position) => {
                let character = self.bytes.get(position).map_or('\0', |byte| char::from(*byte));
                Err(ParseError::new(ErrorKind::ControlCharacter(character), self.place(position)))
            }
        }
    }
}
