//! Lists, chains and pipelines, and the blanks between them.

use super::{Parsed, Parser};
use crate::ast::{Chain, Joint, Link, List, Pipeline};
use crate::error::ErrorKind;

/// Words that end a list, if they stand where a command could begin.
const CLOSERS: [&str; 8] = ["then", "elif", "else", "fi", "do", "done", "esac", "}"];

impl Parser<'_> {
    /// Chains up to whatever cannot begin a command; the caller checks what that is.
    pub(super) fn list(&mut self) -> Parsed<List> {
        self.nest(|parser| {
            let mut list = List::default();
            loop {
                parser.skip_lines()?;
                if parser.at_end_of_list() {
                    return Ok(list);
                }
                list.chains.push(parser.chain()?);
            }
        })
    }

    /// A list that must not be empty.
    pub(super) fn body(&mut self) -> Parsed<List> {
        let list = self.list()?;
        if list.chains.is_empty() { Err(self.unexpected()) } else { Ok(list) }
    }

    fn at_end_of_list(&self) -> bool {
        match self.peek() {
            None | Some(b')') => true,
            Some(b';') => matches!(self.peek_at(1), Some(b';' | b'&')),
            Some(_) => self.reserved().is_some_and(|word| CLOSERS.contains(&word)),
        }
    }

    fn chain(&mut self) -> Parsed<Chain> {
        let mut links = vec![Link { joint: Joint::Start, pipeline: self.pipeline()? }];
        loop {
            self.skip_blanks()?;
            let joint = if self.eat("&&") {
                Joint::And
            } else if self.eat("||") {
                Joint::Or
            } else {
                break;
            };
            self.skip_lines()?;
            links.push(Link { joint, pipeline: self.pipeline()? });
        }
        let background = self.separator()?;
        Ok(Chain { links, background })
    }

    /// The end of a chain; true if it was sent to the background.
    fn separator(&mut self) -> Parsed<bool> {
        match self.peek() {
            Some(b'&') => {
                self.advance(1);
                Ok(true)
            }
            Some(b';') if !matches!(self.peek_at(1), Some(b';' | b'&')) => {
                self.advance(1);
                Ok(false)
            }
            Some(b';' | b'\n' | b')') | None => Ok(false),
            Some(_) => Err(self.unexpected()),
        }
    }

    fn pipeline(&mut self) -> Parsed<Pipeline> {
        let mut pipeline = Pipeline { negated: false, timed: false, stages: Vec::new() };
        loop {
            match self.reserved() {
                // `!(` is a negated subshell or a pattern, depending on an option.
                Some("!") if self.peek_at(1) == Some(b'(') => return Err(self.unsupported("`!(`")),
                Some("!") => pipeline.negated = true,
                // With options it is read as a program, which bash runs then too.
                Some("time") if !self.option_follows(4) => {
                    self.advance(3);
                    pipeline.timed = true;
                }
                _ => break,
            }
            self.advance(1);
            self.skip_blanks()?;
            if pipeline.timed && self.peek() == Some(b'-') {
                return Err(self.unsupported("an option of `time` on a continued line"));
            }
        }
        loop {
            pipeline.stages.push(self.stage()?);
            self.skip_blanks()?;
            if self.peek() != Some(b'|') || self.peek_at(1) == Some(b'|') {
                return Ok(pipeline);
            }
            self.advance(1);
            self.eat("&");
            self.skip_lines()?;
        }
    }

    fn option_follows(&self, ahead: usize) -> bool {
        let rest = self.bytes.get(self.position.saturating_add(ahead)..).unwrap_or_default();
        rest.iter().find(|byte| !matches!(byte, b' ' | b'\t')) == Some(&b'-')
    }

    /// The reserved word at this place, or any word that is written without quotes.
    pub(super) fn reserved(&self) -> Option<&str> {
        const LONGEST: usize = 8;
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        let length = rest.iter().take(LONGEST.saturating_add(1)).position(|byte| ends_plain(*byte));
        let length = length.unwrap_or(rest.len());
        match rest.get(length) {
            // A quote or an expansion goes on with the word, so it is not a reserved one.
            Some(b'\'' | b'"' | b'\\' | b'$' | b'`' | b'\r') => None,
            _ if length == 0 || length > LONGEST => None,
            _ => self.text.get(self.position..self.position.saturating_add(length)),
        }
    }

    /// Eats a reserved word, or fails.
    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.reserved() == Some(word) {
            self.advance(word.len());
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    pub(super) fn expect(&mut self, token: &str) -> Parsed<()> {
        if self.eat(token) { Ok(()) } else { Err(self.unexpected()) }
    }

    /// Spaces, tabs, continued lines and a comment.
    pub(super) fn skip_blanks(&mut self) -> Parsed<()> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.advance(1),
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.continued()?,
                Some(b'\r') => return Err(self.error(ErrorKind::CarriageReturn)),
                Some(b'#') if self.at_token_start() => {
                    while self.peek().is_some_and(|byte| byte != b'\n') {
                        self.advance(1);
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    /// Eats a continued line, unless an operator may go on behind it.
    fn continued(&mut self) -> Parsed<()> {
        let before = self.position.checked_sub(1).and_then(|at| self.bytes.get(at)).copied();
        self.advance(2);
        let operator = |byte: Option<u8>| byte.is_some_and(|byte| b"<>&|;()".contains(&byte));
        // Several in a row are one.
        let mut ahead = 0_usize;
        while self.peek_at(ahead) == Some(b'\\')
            && self.peek_at(ahead.saturating_add(1)) == Some(b'\n')
        {
            ahead = ahead.saturating_add(2);
        }
        let joins = operator(before) && operator(self.peek_at(ahead));
        if joins || matches!(before, Some(b'<' | b'>')) {
            return Err(self.unsupported("a line continued behind an operator"));
        }
        self.advance(ahead);
        Ok(())
    }

    fn at_token_start(&self) -> bool {
        let before = self.position.checked_sub(1).and_then(|at| self.bytes.get(at));
        // Behind a continued line it depends on what the line before ended with.
        before.is_none_or(|byte| {
            matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
        })
    }

    /// Like [`skip_lines`](Self::skip_lines) where shells may disagree on what a comment is.
    pub(super) fn skip_lines_without_comments(&mut self) -> Parsed<()> {
        loop {
            while matches!(self.peek(), Some(b' ' | b'\t')) {
                self.advance(1);
            }
            if self.peek() == Some(b'#') {
                return Err(self.unsupported("a comment inside brackets"));
            }
            if self.peek() == Some(b'\\') && self.peek_at(1) == Some(b'\n') {
                self.continued()?;
            } else if self.peek() == Some(b'\n') {
                self.advance(1);
                self.documents()?;
            } else {
                return Ok(());
            }
        }
    }

    /// Blanks and line ends; the bodies of here-documents follow a line's end.
    pub(super) fn skip_lines(&mut self) -> Parsed<()> {
        loop {
            self.skip_blanks()?;
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            self.advance(1);
            self.documents()?;
        }
    }
}

/// Bytes that end a word which has neither quotes nor expansions.
fn ends_plain(byte: u8) -> bool {
    super::word::is_meta(byte) || matches!(byte, b'\'' | b'"' | b'\\' | b'$' | b'`' | b'\r')
}
