//! Words: runs of plain text, quotes and expansions.

use super::{Parsed, Parser};
use crate::ast::{Part, Word};
use crate::error::ErrorKind;

/// Collects the parts of a word and joins neighbours of the same kind.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) parts: Vec<Part>,
}

impl Parts {
    pub(super) fn plain(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Plain(last)) => last.push_str(text),
            _ => self.parts.push(Part::Plain(text.to_owned())),
        }
    }

    pub(super) fn quoted(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Quoted(last)) => last.push_str(text),
            _ => self.parts.push(Part::Quoted(text.to_owned())),
        }
    }

    pub(super) fn text(&mut self, text: &str, quoted: bool) {
        if quoted { self.quoted(text) } else { self.plain(text) }
    }
}

/// Bytes that end a word outside quotes.
pub(super) fn is_meta(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}

impl Parser<'_> {
    /// A word; empty if there is none at this place.
    pub(super) fn word(&mut self) -> Parsed<Word> {
        let start = self.position;
        let mut parts = Parts::default();
        while let Some(byte) = self.peek() {
            match byte {
                b'<' | b'>' if self.peek_at(1) == Some(b'(') => {
                    // In the middle of a word shells disagree.
                    if !parts.parts.is_empty() {
                        return Err(self.unsupported("a process substitution inside a word"));
                    }
                    self.process(&mut parts)?;
                }
                byte if is_meta(byte) => break,
                b'\r' => return Err(self.error(ErrorKind::CarriageReturn)),
                b'\\' | b'\'' | b'"' | b'$' | b'`' => self.special(&mut parts)?,
                _ => {
                    let from = self.position;
                    while self.peek().is_some_and(|byte| !is_special(byte)) {
                        self.advance(1);
                    }
                    parts.plain(self.slice(from));
                }
            }
        }
        let span = self.place(start)..self.place(self.position);
        Ok(Word { parts: parts.parts, span })
    }

    /// A quote, an escape or an expansion outside double quotes.
    pub(super) fn special(&mut self, parts: &mut Parts) -> Parsed<()> {
        match self.peek() {
            Some(b'\\') => self.escape(parts),
            Some(b'\'') => self.single(parts),
            Some(b'"') => self.double(parts),
            Some(b'$') => self.dollar(parts, false),
            _ => self.backquote(parts, false, false),
        }
    }

    fn escape(&mut self, parts: &mut Parts) -> Parsed<()> {
        self.advance(1);
        let Some(character) = self.rest().chars().next() else {
            return Err(self.unterminated("\\"));
        };
        if character == '\r' {
            return Err(self.error(ErrorKind::CarriageReturn));
        }
        let from = self.position;
        self.advance(character.len_utf8());
        if character == '\n' {
            self.check_continued(parts)?;
        } else {
            parts.quoted(self.slice(from));
        }
        Ok(())
    }

    /// A variable's name may go on behind a continued line, which has just been eaten.
    fn check_continued(&self, parts: &Parts) -> Parsed<()> {
        match parts.parts.last() {
            Some(Part::Parameter { parameter, .. })
                if !parameter.raw.starts_with("${")
                    && self.peek().is_some_and(|byte| !is_meta(byte)) =>
            {
                Err(self.unsupported("a line continued behind a variable"))
            }
            _ => Ok(()),
        }
    }

    fn single(&mut self, parts: &mut Parts) -> Parsed<()> {
        self.advance(1);
        let from = self.position;
        while let Some(byte) = self.peek() {
            if byte == b'\'' {
                parts.quoted(self.slice(from));
                self.advance(1);
                return Ok(());
            }
            self.advance(1);
        }
        Err(self.unterminated("'"))
    }

    pub(super) fn double(&mut self, parts: &mut Parts) -> Parsed<()> {
        self.advance(1);
        parts.quoted("");
        self.nest(|parser| parser.expandable(parts, true))?;
        if self.eat("\"") { Ok(()) } else { Err(self.unterminated("\"")) }
    }

    /// Text in which only `$`, `` ` `` and `\` are special, up to a double quote (if `quotes`) or
    /// to the end: the inside of double quotes, and here-documents.
    pub(super) fn expandable(&mut self, parts: &mut Parts, quotes: bool) -> Parsed<()> {
        while let Some(byte) = self.peek() {
            match byte {
                b'"' if quotes => return Ok(()),
                b'$' => self.dollar(parts, true)?,
                b'`' => self.backquote(parts, true, quotes)?,
                b'\\' => match self.peek_at(1) {
                    Some(b'\n') => {
                        self.advance(2);
                        self.check_continued(parts)?;
                    }
                    Some(b'$' | b'`' | b'\\') => self.escape(parts)?,
                    Some(b'"') if quotes => self.escape(parts)?,
                    _ => {
                        self.advance(1);
                        parts.quoted("\\");
                    }
                },
                _ => {
                    let from = self.position;
                    while self
                        .peek()
                        .is_some_and(|byte| !matches!(byte, b'"' | b'$' | b'`' | b'\\'))
                    {
                        self.advance(1);
                    }
                    if !quotes && self.peek() == Some(b'"') {
                        self.advance(1);
                    }
                    parts.quoted(self.slice(from));
                }
            }
        }
        Ok(())
    }

    fn process(&mut self, parts: &mut Parts) -> Parsed<()> {
        let start = self.position;
        self.advance(1);
        let list = self.parenthesised()?;
        parts.parts.push(Part::Process { list, raw: self.raw(start) });
        Ok(())
    }

    /// `( list )` of a substitution.
    pub(super) fn parenthesised(&mut self) -> Parsed<crate::ast::List> {
        // Bash versions differ in where the body of a here-document mentioned before would be.
        if !self.pending.is_empty() {
            return Err(self.unsupported("a substitution behind a here-document"));
        }
        self.advance(1);
        self.substitutions = self.substitutions.saturating_add(1);
        let list = self.list()?;
        self.substitutions = self.substitutions.saturating_sub(1);
        if !self.pending.is_empty() {
            return Err(self.unterminated("<<"));
        }
        if self.eat(")") { Ok(list) } else { Err(self.unexpected()) }
    }
}

fn is_special(byte: u8) -> bool {
    is_meta(byte) || matches!(byte, b'\\' | b'\'' | b'"' | b'$' | b'`' | b'\r')
}
