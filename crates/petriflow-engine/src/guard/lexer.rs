//! Splits a guard's text into words: numbers, strings, whole paths, keywords and signs.

use super::ast::{Path, Segment, Span, is_name_char};
use super::error::ParseError;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    Number(f64),
    Text(Box<str>),
    /// One or more names joined by dots.
    Path {
        path: Path,
        /// Whether the first name stands in backticks, and so cannot be a function or `marking`.
        quoted: bool,
    },
    /// A reserved word.
    Word(&'static str),
    /// An operator, a parenthesis or a comma.
    Sign(&'static str),
}

/// Words that are no names unless they stand behind a dot or in backticks.
const WORDS: [&str; 11] =
    ["if", "then", "else", "or", "and", "in", "mod", "not", "of", "true", "false"];
const NULL: &str = "null";

/// Longer signs first: `<=` is not `<` and `=`.
const SIGNS: [&str; 15] =
    ["==", "!=", "<=", ">=", "~=", "<", ">", "+", "-", "*", "/", "^", "(", ")", ","];

/// What to write instead of signs that other languages have.
const FOREIGN: [(&str, &str); 10] = [
    ("=", "compare with `==`"),
    ("&", "write `and`"),
    ("|", "write `or`"),
    ("!", "write `not`"),
    ("%", "write `mod`"),
    ("?", "write `if a then b else c`"),
    ("[", "write `items.0` for an element and `(a, b)` for a list"),
    ("{", "objects cannot be written in a guard"),
    (".", "a number has digits on both sides of its point, and a path no spaces around its dots"),
    ("~", "match a pattern with `~=`"),
];

pub(super) fn tokens(text: &str) -> Result<Vec<Token>, ParseError> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.take_while(char::is_whitespace);
        let start = lexer.at;
        let Some(first) = lexer.peek() else { return Ok(tokens) };
        let kind = lexer.token(first)?;
        tokens.push(Token { kind, span: lexer.span(start) });
    }
}

struct Lexer<'t> {
    text: &'t str,
    /// INVARIANT: a boundary between characters of the text.
    at: usize,
}

impl<'t> Lexer<'t> {
    fn token(&mut self, first: char) -> Result<TokenKind, ParseError> {
        match first {
            '0'..='9' => self.number(),
            '"' | '\'' => Ok(TokenKind::Text(self.quoted(first, "string")?.into())),
            '`' => self.path(),
            c if is_name_char(c) => self.path(),
            _ => self.sign(),
        }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at = self.at.saturating_add(next.len_utf8());
        Some(next)
    }

    fn take_while(&mut self, accepts: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c| !accepts(c)).unwrap_or(rest.len());
        self.at = self.at.saturating_add(length);
        rest.get(..length).unwrap_or_default()
    }

    fn eat(&mut self, sign: &str) -> bool {
        let found = self.rest().starts_with(sign);
        if found {
            self.at = self.at.saturating_add(sign.len());
        }
        found
    }

    fn span(&self, start: usize) -> Span {
        let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span { start: narrow(start), end: narrow(self.at) }
    }

    fn sign(&mut self) -> Result<TokenKind, ParseError> {
        if let Some(sign) = SIGNS.into_iter().find(|sign| self.eat(sign)) {
            return Ok(TokenKind::Sign(sign));
        }
        let start = self.at;
        let found = self.bump().map(String::from).unwrap_or_default();
        let message = format!("`{}` has no meaning in a guard", found.escape_debug());
        let error = ParseError::new(message, start..self.at);
        match FOREIGN.into_iter().find(|(sign, _)| *sign == found) {
            Some((_, help)) => Err(error.help(help)),
            None => Err(error),
        }
    }

    fn number(&mut self) -> Result<TokenKind, ParseError> {
        let start = self.at;
        let whole = self.take_while(|c| c.is_ascii_digit());
        let mut is_whole = true;
        if self.follows(".", |c| c.is_ascii_digit()) {
            is_whole = false;
            self.bump();
            self.take_while(|c| c.is_ascii_digit());
        }
        let exponent = ["e", "E"].into_iter().any(|e| {
            ["", "+", "-"].into_iter().any(|sign| {
                let found = self.follows(&format!("{e}{sign}"), |c| c.is_ascii_digit());
                found && self.eat(e) && self.eat(sign)
            })
        });
        if exponent {
            is_whole = false;
            self.take_while(|c| c.is_ascii_digit());
        }
        if self.peek().is_some_and(is_name_char) {
            self.take_while(is_name_char);
            let message = format!("`{}` is neither a number nor a name", self.since(start));
            return Err(ParseError::new(message, start..self.at)
                .help("a name that begins with a digit stands in backticks"));
        }
        let number: f64 = self.since(start).parse().unwrap_or(f64::INFINITY);
        if !number.is_finite() {
            return Err(ParseError::new("this number is too large", start..self.at));
        }
        // Rounding a number that somebody wrote out in full would let `id == 9007199254740993` hold
        // for another id. Up to 15 digits there is nothing to round.
        let digits = whole.trim_start_matches('0');
        if is_whole && digits.len() > 15 && format!("{number:.0}") != digits {
            let message = format!("`{whole}` cannot be held exactly by a number");
            return Err(
                ParseError::new(message, start..self.at).help("compare such ids as strings")
            );
        }
        Ok(TokenKind::Number(number))
    }

    /// Whether the text goes on with `sign` and then a character that fits.
    fn follows(&self, sign: &str, accepts: impl Fn(char) -> bool) -> bool {
        self.rest().strip_prefix(sign).and_then(|rest| rest.chars().next()).is_some_and(accepts)
    }

    fn since(&self, start: usize) -> &'t str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn path(&mut self) -> Result<TokenKind, ParseError> {
        let start = self.at;
        let quoted = self.peek() == Some('`');
        let mut segments = vec![self.segment()?];
        while self.peek() == Some('.') {
            self.bump();
            if !self.peek().is_some_and(|c| is_name_char(c) || c == '`') {
                let message = format!("a name is missing behind `{}`", self.since(start));
                return Err(ParseError::new(message, start..self.at)
                    .help("a name with other characters than letters, digits, `_` and `$` stands in backticks"));
            }
            segments.push(self.segment()?);
        }
        let word = self.since(start);
        let reserved = WORDS.into_iter().chain([NULL]).find(|reserved| *reserved == word);
        let path = Path(segments.into());
        Ok(reserved.map_or(TokenKind::Path { path, quoted }, TokenKind::Word))
    }

    fn segment(&mut self) -> Result<Segment, ParseError> {
        if self.peek() == Some('`') {
            return Ok(Segment { name: self.quoted('`', "name")?.into(), index: None });
        }
        let name = self.take_while(is_name_char);
        let is_index =
            name.bytes().all(|b| b.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
        let index = if is_index { name.parse().ok() } else { None };
        Ok(Segment { name: name.into(), index })
    }

    /// What stands between two of `quote`, with escapes as in JSON.
    fn quoted(&mut self, quote: char, what: &str) -> Result<String, ParseError> {
        let start = self.at;
        self.bump();
        let mut content = String::new();
        loop {
            let at = self.at;
            match self.bump() {
                Some(c) if c == quote => return Ok(content),
                Some('\\') => content.push(self.escape(at)?),
                Some(c) => content.push(c),
                None => {
                    let message = format!("this {what} does not end");
                    return Err(ParseError::new(message, start..self.at)
                        .help(format!("close it with {quote}")));
                }
            }
        }
    }

    fn escape(&mut self, start: usize) -> Result<char, ParseError> {
        let known = match self.bump() {
            Some(c @ ('"' | '\'' | '`' | '\\' | '/')) => Some(c),
            Some('n') => Some('\n'),
            Some('r') => Some('\r'),
            Some('t') => Some('\t'),
            Some('b') => Some('\u{8}'),
            Some('f') => Some('\u{c}'),
            Some('u') => self.code_point(),
            _ => None,
        };
        known.ok_or_else(|| {
            let message = format!("`{}` is not an escape", self.since(start).escape_debug());
            ParseError::new(message, start..self.at)
                .help("a backslash, in a pattern too, is written as two: `\\\\d`")
        })
    }

    /// Four hexadecimal digits, or twice that many for a pair of surrogates.
    fn code_point(&mut self) -> Option<char> {
        let first = self.hex()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first);
        }
        let second = if self.eat("\\u") { self.hex()? } else { return None };
        char::decode_utf16([u16::try_from(first).ok()?, u16::try_from(second).ok()?]).next()?.ok()
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.rest().get(..4)?;
        if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        self.at = self.at.saturating_add(4);
        u32::from_str_radix(digits, 16).ok()
    }
}
