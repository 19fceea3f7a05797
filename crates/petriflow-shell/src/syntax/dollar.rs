//! What begins with `$` or a backquote.

use super::word::Parts;
use super::{Parsed, Parser};
use crate::ast::{Operator, Parameter, Part};
use crate::error::{ErrorKind, ParseError};

impl Parser<'_> {
    pub(super) fn dollar(&mut self, parts: &mut Parts, quoted: bool) -> Parsed<()> {
        let start = self.position;
        match self.peek_at(1) {
            Some(b'(') if self.peek_at(2) == Some(b'(') => {
                self.advance(3);
                let part = self.nest(|parser| parser.arithmetic(start, false))?;
                parts.parts.push(part);
            }
            Some(b'(') => {
                self.advance(1);
                let list = self.parenthesised()?;
                parts.parts.push(Part::Substitution { list, quoted, raw: self.raw(start) });
            }
            Some(b'{') => {
                self.advance(2);
                let parameter = self.nest(|parser| parser.braces(start, quoted))?;
                parts.parts.push(Part::Parameter { parameter, quoted });
            }
            // Old arithmetic, even where a pattern such as `"a$[bc]"` was meant.
            Some(b'[') => return Err(self.unsupported("`$[`")),
            Some(b'\'') if !quoted => self.ansi(parts)?,
            Some(b'"') if !quoted => {
                self.advance(1);
                self.double(parts)?;
            }
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                self.advance(1);
                let from = self.position;
                while self.peek().is_some_and(is_name) {
                    self.advance(1);
                }
                let name = self.slice(from).to_owned();
                self.push_parameter(parts, name, start, quoted);
            }
            Some(byte) if byte.is_ascii_digit() || b"@*#?$!-".contains(&byte) => {
                self.advance(2);
                let name = self.slice(start.saturating_add(1)).to_owned();
                self.push_parameter(parts, name, start, quoted);
            }
            // The shell joins the lines first, and an expansion may begin with the next one.
            Some(b'\\') if self.peek_at(2) == Some(b'\n') => {
                return Err(self.unsupported("a line continued after `$`"));
            }
            // Expansions of zsh.
            Some(b'=' | b'~' | b'^' | b'+' | b':') if !quoted => {
                self.advance(1);
                parts.parts.push(Part::Odd("$".to_owned()));
            }
            _ => {
                self.advance(1);
                parts.quoted("$");
            }
        }
        Ok(())
    }

    fn push_parameter(&self, parts: &mut Parts, name: String, start: usize, quoted: bool) {
        let parameter = Parameter { name, operator: Operator::None, raw: self.raw(start) };
        parts.parts.push(Part::Parameter { parameter, quoted });
    }

    /// The inside of `${…}`.
    fn braces(&mut self, start: usize, quoted: bool) -> Parsed<Parameter> {
        // `${(e)x}` is zsh's, `${ x; }` and `${|x}` run commands in newer shells.
        if !self.peek().is_some_and(|byte| is_name(byte) || b"@*#?$!-".contains(&byte)) {
            return Err(self.unsupported("this parameter expansion"));
        }
        let prefix = self.prefix();
        let indirect = prefix == Some(b'!');
        let from = self.position;
        if self.peek().is_some_and(is_name) {
            while self.peek().is_some_and(is_name) {
                self.advance(1);
            }
        } else {
            self.advance(1);
        }
        let name = self.slice(from).to_owned();
        if prefix.is_none() && self.eat("}") {
            return Ok(Parameter { name, operator: Operator::None, raw: self.raw(start) });
        }
        self.braces = self.braces.saturating_add(1);
        let operator = self.operator(prefix.is_some(), indirect, quoted)?;
        self.braces = self.braces.saturating_sub(1);
        Ok(Parameter { name, operator, raw: self.raw(start) })
    }

    /// Eats the `#` of `${#x}` or the `!` of `${!x}`.
    fn prefix(&mut self) -> Option<u8> {
        let followed =
            self.peek_at(1).is_some_and(|byte| is_name(byte) || byte == b'@' || byte == b'*');
        let prefix = self.peek().filter(|byte| matches!(byte, b'#' | b'!') && followed);
        if prefix.is_some() {
            self.advance(1);
        }
        prefix
    }

    fn operator(&mut self, prefix: bool, indirect: bool, quoted: bool) -> Parsed<Operator> {
        let from = self.position;
        let colon = self.peek() == Some(b':');
        let kind = if colon { self.peek_at(1) } else { self.peek() };
        let simple = !prefix && matches!(kind, Some(b'-' | b'+'));
        if simple {
            self.advance(if colon { 2 } else { 1 });
        }
        let mut parts = Parts::default();
        self.brace_parts(&mut parts, quoted)?;
        let parts = parts.parts;
        Ok(match kind {
            Some(b'-') if simple => Operator::Default { colon, parts },
            Some(b'+') if simple => Operator::Alternative { colon, parts },
            _ => {
                let raw = self.slice(from);
                let evaluates =
                    indirect || (raw.starts_with([':', '[']) && raw.contains(is_evaluated));
                let assigns = raw.contains('=');
                Operator::Other { parts, evaluates, assigns, prompts: raw.contains("@P") }
            }
        })
    }

    /// Everything up to the closing brace, which is eaten.
    fn brace_parts(&mut self, parts: &mut Parts, quoted: bool) -> Parsed<()> {
        while let Some(byte) = self.peek() {
            match byte {
                b'}' => {
                    self.advance(1);
                    return Ok(());
                }
                // Inside double quotes it quotes with some operators and not with others.
                b'\'' if quoted => {
                    return Err(self.unsupported("a quote inside `${…}` inside quotes"));
                }
                b'"' if quoted => self.double(parts)?,
                b'$' => self.dollar(parts, quoted)?,
                b'`' => self.backquote(parts, quoted, false)?,
                b'\\' if self.peek_at(1) == Some(b'\n') => {
                    return Err(self.unsupported("a continued line inside `${…}`"));
                }
                b'\\' | b'\'' | b'"' => self.special(parts)?,
                b'<' | b'>' if self.peek_at(1) == Some(b'(') => {
                    return Err(self.unsupported("a process substitution inside `${…}`"));
                }
                _ => {
                    let from = self.position;
                    let character = self.rest().chars().next();
                    self.advance(character.map_or(1, char::len_utf8));
                    parts.text(self.slice(from), quoted);
                }
            }
        }
        Err(self.unterminated("${"))
    }

    /// `` `…` ``: its text without one level of escapes is parsed on its own. `direct`: it stands
    /// directly inside double quotes, where a quote is escaped too.
    pub(super) fn backquote(
        &mut self,
        parts: &mut Parts,
        quoted: bool,
        direct: bool,
    ) -> Parsed<()> {
        if !self.pending.is_empty() {
            return Err(self.unsupported("a substitution behind a here-document"));
        }
        let start = self.position;
        self.advance(1);
        let mut inner = String::new();
        loop {
            let from = self.position;
            while self.peek().is_some_and(|byte| byte != b'`' && byte != b'\\') {
                self.advance(1);
            }
            inner.push_str(self.slice(from));
            match (self.peek(), self.peek_at(1)) {
                (Some(b'`'), _) => break,
                (Some(b'\\'), Some(b'"')) if !direct || self.braces > 0 => {
                    return Err(self.unsupported("an escaped quote inside backquotes"));
                }
                (Some(b'\\'), Some(next)) if b"$`\\\"".contains(&next) => {
                    self.advance(2);
                    inner.push(char::from(next));
                }
                (Some(b'\\'), _) => {
                    self.advance(1);
                    inner.push('\\');
                }
                _ => return Err(self.unterminated("`")),
            }
        }
        self.advance(1);
        let depth = self.depth.saturating_add(1);
        if depth > crate::DEPTH_MAX {
            return Err(self.error(ErrorKind::TooDeep));
        }
        let list = super::parse(&inner, self.place(start), depth, self.strict)?;
        parts.parts.push(Part::Substitution { list, quoted, raw: self.raw(start) });
        Ok(())
    }

    /// `$'…'`
    fn ansi(&mut self, parts: &mut Parts) -> Parsed<()> {
        self.advance(2);
        let mut text = String::new();
        while let Some(character) = self.rest().chars().next() {
            self.advance(character.len_utf8());
            match character {
                '\'' => {
                    parts.quoted(&text);
                    return Ok(());
                }
                // A shell that does not know these quotes ends them here.
                '\\' if self.peek() == Some(b'\'') => return Err(self.odd_escape()),
                '\\' => text.push(self.ansi_escape()?),
                other => text.push(other),
            }
        }
        Err(self.unterminated("$'"))
    }

    fn ansi_escape(&mut self) -> Parsed<char> {
        let byte = self.peek();
        self.advance(1);
        let character = match byte {
            Some(b'a') => '\x07',
            Some(b'b') => '\x08',
            Some(b'e' | b'E') => '\x1b',
            Some(b'f') => '\x0c',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'v') => '\x0b',
            Some(byte @ (b'\\' | b'\'' | b'"' | b'?')) => char::from(byte),
            Some(byte @ b'0'..=b'7') => {
                let first = u32::from(byte.saturating_sub(b'0'));
                self.number(first, 8, 2, 0x7f)?
            }
            Some(b'x') => self.number_of(16, 2, 0x7f)?,
            Some(b'u') => self.number_of(16, 4, u32::MAX)?,
            Some(b'U') => self.number_of(16, 8, u32::MAX)?,
            _ => return Err(self.odd_escape()),
        };
        Ok(character)
    }

    fn odd_escape(&self) -> ParseError {
        self.unsupported("this escape in `$'…'`")
    }

    fn number_of(&mut self, radix: u32, digits: usize, max: u32) -> Parsed<char> {
        if self.peek().is_some_and(|byte| char::from(byte).is_digit(radix)) {
            self.number(0, radix, digits, max)
        } else {
            Err(self.odd_escape())
        }
    }

    /// Up to `digits` more digits. NUL ends a string in bash, and bytes above `max` would have to
    /// form characters with their neighbours: both are refused.
    fn number(&mut self, first: u32, radix: u32, digits: usize, max: u32) -> Parsed<char> {
        let mut value = first;
        for _ in 0..digits {
            let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(radix)) else {
                break;
            };
            value = value.saturating_mul(radix).saturating_add(digit);
            self.advance(1);
        }
        match char::from_u32(value) {
            Some(character) if value != 0 && value <= max => Ok(character),
            _ => Err(self.odd_escape()),
        }
    }
}

pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether arithmetic with this character looks at a variable.
pub(super) fn is_evaluated(character: char) -> bool {
    character.is_ascii_alphabetic() || matches!(character, '_' | '$' | '`')
}
