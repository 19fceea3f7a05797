//! Here-documents.

use super::word::Parts;
use super::{Parsed, Parser, Pending};
use crate::ast::{Part, Target, Word};
use crate::error::ErrorKind;
use std::cell::OnceCell;
use std::rc::Rc;

impl Parser<'_> {
    /// The delimiter behind `<<`; the body comes when the line ends.
    pub(super) fn document(&mut self, strip_tabs: bool) -> Parsed<Target> {
        self.skip_blanks()?;
        let start = self.position;
        let word = self.word()?;
        if self.slice(start).contains(['$', '`']) {
            return Err(self.unsupported("`$` in the delimiter of a here-document"));
        }
        let mut delimiter = String::new();
        let mut quoted = false;
        for part in &word.parts {
            match part {
                Part::Plain(text) => delimiter.push_str(text),
                Part::Quoted(text) => {
                    quoted = true;
                    delimiter.push_str(text);
                }
                _ => {
                    return Err(
                        self.unsupported("an expansion in the delimiter of a here-document")
                    );
                }
            }
        }
        if word.parts.is_empty() || delimiter.contains('\n') {
            return Err(self.unexpected());
        }
        let body = Rc::new(OnceCell::new());
        self.pending.push(Pending { delimiter, quoted, strip_tabs, body: Rc::clone(&body) });
        Ok(Target::Document(body))
    }

    /// Reads the bodies of the here-documents mentioned on the line that has just ended.
    pub(super) fn documents(&mut self) -> Parsed<()> {
        for pending in std::mem::take(&mut self.pending) {
            let start = self.position;
            let text = self.document_text(&pending)?;
            let span = self.place(start)..self.place(self.position);
            let mut parts = Parts::default();
            if pending.quoted {
                parts.quoted(&text);
            } else {
                let depth = self.depth.saturating_add(1);
                let mut inner = Parser::new(&text, self.place(start), depth, self.strict);
                inner.nest(|parser| parser.expandable(&mut parts, false))?;
            }
            // A body is read once, since it is taken from the list.
            let _ = pending.body.set(Word { parts: parts.parts, span });
        }
        Ok(())
    }

    /// The lines up to the delimiter, which is eaten.
    fn document_text(&mut self, pending: &Pending) -> Parsed<String> {
        let mut text = String::new();
        while self.peek().is_some() {
            let mut line = String::new();
            if pending.strip_tabs {
                while self.eat("\t") {}
            }
            self.document_line(&mut line, !pending.quoted)?;
            if line == pending.delimiter {
                return Ok(text);
            }
            // Inside a substitution bash may end the document here.
            if self.substitutions > 0 && line.starts_with(&pending.delimiter) {
                return Err(self.unsupported("a line that begins like the end of a here-document"));
            }
            text.push_str(&line);
            text.push('\n');
        }
        Err(self.unterminated("<<"))
    }

    /// One line. Where expansions are active, continued lines are joined before the delimiter is
    /// looked for.
    fn document_line(&mut self, line: &mut String, joins: bool) -> Parsed<()> {
        let mut from = self.position;
        while let Some(byte) = self.peek() {
            match byte {
                b'\r' => return Err(self.error(ErrorKind::CarriageReturn)),
                b'\n' => break,
                b'\\' if joins && self.peek_at(1) == Some(b'\n') => {
                    line.push_str(self.slice(from));
                    self.advance(2);
                    // `<<-` may strip them before or after the lines are joined.
                    if self.peek() == Some(b'\t') {
                        return Err(self.unsupported("a tab behind a continued line"));
                    }
                    from = self.position;
                }
                // The next byte is not special; if it begins a longer character the rest follows.
                b'\\' if joins => self.advance(2),
                _ => self.advance(1),
            }
        }
        line.push_str(self.slice(from));
        self.advance(1);
        Ok(())
    }
}
