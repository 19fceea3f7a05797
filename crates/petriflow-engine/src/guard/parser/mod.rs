//! Reads a guard: one function per level of precedence, the lowest first.

mod operands;

use regex::RegexBuilder;

use super::ast::{Arm, Comparison, Expr, Kind, Operator, Span};
use super::error::ParseError;
use super::lexer::{Token, TokenKind, tokens};
use crate::suggest::closest;

/// The most bytes of a guard.
pub const LENGTH_MAX: usize = 64 * 1024;
/// The most levels of parentheses, conditions, signs and powers inside each other.
pub const NESTING_MAX: usize = 100;
/// The most patterns of a guard, each of which may take a megabyte.
pub const PATTERNS_MAX: usize = 32;

const PATTERN_BYTES_MAX: usize = 1 << 20;

pub(super) fn parse(text: &str) -> Result<Expr, ParseError> {
    if text.len() > LENGTH_MAX {
        let message = format!("the guard has {} bytes, of {LENGTH_MAX} allowed", text.len());
        return Err(ParseError::new(message, 0..text.len()));
    }
    let tokens = tokens(text)?;
    let mut parser = Parser { text, tokens, at: 0, depth: 0, patterns: 0 };
    if parser.tokens.is_empty() {
        return Err(ParseError::new("the guard is empty", 0..text.len())
            .help("leave the guard out if there is no condition"));
    }
    let expr = parser.expression()?;
    match parser.peek() {
        None => Ok(expr),
        Some(_) => Err(parser.unexpected("an operator or the end")),
    }
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    patterns: usize,
}

type Parsed = Result<Expr, ParseError>;

impl Parser<'_> {
    fn peek(&self) -> Option<&TokenKind> {
        self.tokens.get(self.at).map(|token| &token.kind)
    }

    fn peek_second(&self) -> Option<&TokenKind> {
        self.tokens.get(self.at.saturating_add(1)).map(|token| &token.kind)
    }

    /// Where the next token stands; behind the text if there is none.
    fn span(&self) -> Span {
        let end = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        self.tokens.get(self.at).map_or(Span { start: end, end }, |token| token.span)
    }

    fn advance(&mut self) -> Span {
        let span = self.span();
        self.at = self.at.saturating_add(1);
        span
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(TokenKind::Word(found)) if *found == word);
        self.at = self.at.saturating_add(usize::from(found));
        found
    }

    fn eat_sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Some(TokenKind::Sign(found)) if *found == sign);
        self.at = self.at.saturating_add(usize::from(found));
        found
    }

    fn expect_word(&mut self, word: &str) -> Result<(), ParseError> {
        if self.eat_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    fn expect_closing(&mut self, opening: Span) -> Result<Span, ParseError> {
        let span = self.span();
        if self.eat_sign(")") {
            return Ok(span);
        }
        let error = self.unexpected("`)`");
        let message =
            if self.peek().is_none() { "this `(` is never closed" } else { &error.message };
        let range = if self.peek().is_none() { opening.range() } else { error.range };
        Err(ParseError { message: message.to_owned(), range, help: error.help })
    }

    fn unexpected(&self, wanted: &str) -> ParseError {
        let range = self.span().range();
        let Some(found) = self.peek() else {
            return ParseError::new(format!("{wanted} is missing at the end"), range);
        };
        let text = self.text.get(range.clone()).unwrap_or_default();
        let error = ParseError::new(format!("`{text}` stands where {wanted} is needed"), range);
        match found {
            TokenKind::Word("if") => error.help("put `if … then … else …` in parentheses"),
            TokenKind::Path { .. } => {
                match closest(text, ["and", "or", "not", "in", "mod", "of", "then", "else"]) {
                    Some(word) if text.len() > 1 => error.help(format!("did you mean `{word}`?")),
                    _ => error,
                }
            }
            _ => error,
        }
    }

    /// Runs `inner` one level deeper.
    fn nested(&mut self, inner: fn(&mut Self) -> Parsed) -> Parsed {
        if self.depth >= NESTING_MAX {
            let message = format!("the guard is nested more than {NESTING_MAX} levels deep");
            return Err(ParseError::new(message, self.span().range())
                .help("compute parts of it in a transition before"));
        }
        self.depth = self.depth.saturating_add(1);
        let result = inner(self);
        self.depth = self.depth.saturating_sub(1);
        result
    }

    fn expression(&mut self) -> Parsed {
        if self.peek() == Some(&TokenKind::Word("if")) { self.condition() } else { self.or() }
    }

    /// A loop over `else if`, so that a long table of cases is not a deep one.
    fn condition(&mut self) -> Parsed {
        let start = self.span();
        let mut arms = Vec::new();
        while self.eat_word("if") {
            let when = self.nested(Self::expression)?;
            self.expect_word("then")?;
            let value = self.nested(Self::expression)?;
            self.expect_word("else")?;
            arms.push(Arm { when, value });
        }
        let otherwise = Box::new(self.nested(Self::expression)?);
        let span = start.to(otherwise.span);
        Ok(Expr { kind: Kind::If { arms: arms.into(), otherwise }, span })
    }

    fn or(&mut self) -> Parsed {
        self.joined("or", Self::and, Kind::Or)
    }

    fn and(&mut self) -> Parsed {
        self.joined("and", Self::membership, Kind::And)
    }

    fn joined(
        &mut self,
        word: &str,
        operand: fn(&mut Self) -> Parsed,
        join: fn(Box<[Expr]>) -> Kind,
    ) -> Parsed {
        let first = operand(self)?;
        let mut span = first.span;
        let mut parts = Vec::new();
        while self.eat_word(word) {
            let part = operand(self)?;
            span = span.to(part.span);
            parts.push(part);
        }
        if parts.is_empty() {
            return Ok(first);
        }
        parts.insert(0, first);
        Ok(Expr { kind: join(parts.into()), span })
    }

    fn membership(&mut self) -> Parsed {
        let item = self.comparison()?;
        let Some(negated) = self.eat_in() else { return Ok(item) };
        let list = self.comparison()?;
        let span = item.span.to(list.span);
        let again = self.span();
        if self.eat_in().is_some() {
            return Err(ParseError::new("`in` cannot follow `in`", again.range())
                .help("say with parentheses which one comes first"));
        }
        Ok(Expr { kind: Kind::In { item: item.into(), list: list.into(), negated }, span })
    }

    /// `Some(true)` for `not in`.
    fn eat_in(&mut self) -> Option<bool> {
        if self.eat_word("in") {
            return Some(false);
        }
        let negated = self.peek() == Some(&TokenKind::Word("not"))
            && self.peek_second() == Some(&TokenKind::Word("in"));
        (negated && self.eat_word("not") && self.eat_word("in")).then_some(true)
    }

    fn comparison(&mut self) -> Parsed {
        let first = self.sum()?;
        if self.peek() == Some(&TokenKind::Sign("~=")) {
            return self.pattern(first);
        }
        let mut span = first.span;
        let mut rest = Vec::new();
        while let Some(comparison) = self.comparison_sign() {
            self.advance();
            let part = self.sum()?;
            span = span.to(part.span);
            rest.push((comparison, part));
        }
        if rest.is_empty() {
            return Ok(first);
        }
        if self.peek() == Some(&TokenKind::Sign("~=")) {
            return Err(Self::pattern_in_chain(self.span()));
        }
        Ok(Expr { kind: Kind::Compare { first: first.into(), rest: rest.into() }, span })
    }

    fn comparison_sign(&self) -> Option<Comparison> {
        match self.peek() {
            Some(TokenKind::Sign("==")) => Some(Comparison::Equal),
            Some(TokenKind::Sign("!=")) => Some(Comparison::Unequal),
            Some(TokenKind::Sign("<")) => Some(Comparison::Less),
            Some(TokenKind::Sign("<=")) => Some(Comparison::LessOrEqual),
            Some(TokenKind::Sign(">")) => Some(Comparison::Greater),
            Some(TokenKind::Sign(">=")) => Some(Comparison::GreaterOrEqual),
            _ => None,
        }
    }

    fn pattern_in_chain(at: Span) -> ParseError {
        ParseError::new("`~=` cannot be part of a chain of comparisons", at.range())
            .help("join them with `and`, or put one in parentheses")
    }

    fn pattern(&mut self, text: Expr) -> Parsed {
        self.advance();
        let Some(TokenKind::Text(pattern)) = self.peek() else {
            return Err(ParseError::new(
                "a pattern must be written out as a string",
                self.span().range(),
            )
            .help("it is checked and compiled once; a computed one could fail later"));
        };
        let pattern = pattern.clone();
        let at = self.advance();
        if self.comparison_sign().is_some() || self.peek() == Some(&TokenKind::Sign("~=")) {
            return Err(Self::pattern_in_chain(self.span()));
        }
        self.patterns = self.patterns.saturating_add(1);
        if self.patterns > PATTERNS_MAX {
            let message = format!("the guard has more than {PATTERNS_MAX} patterns");
            return Err(ParseError::new(message, at.range()).help("join some of them with `|`"));
        }
        let built = RegexBuilder::new(&pattern)
            .size_limit(PATTERN_BYTES_MAX)
            .dfa_size_limit(PATTERN_BYTES_MAX)
            .build();
        let pattern = built.map_err(|error| pattern_error(&error, at))?;
        let span = text.span.to(at);
        Ok(Expr { kind: Kind::Matches { text: text.into(), pattern: pattern.into() }, span })
    }

    fn sum(&mut self) -> Parsed {
        self.arithmetic(Self::product, |token| match token {
            TokenKind::Sign("+") => Some(Operator::Plus),
            TokenKind::Sign("-") => Some(Operator::Minus),
            _ => None,
        })
    }

    fn product(&mut self) -> Parsed {
        self.arithmetic(Self::unary, |token| match token {
            TokenKind::Sign("*") => Some(Operator::Times),
            TokenKind::Sign("/") => Some(Operator::Divide),
            TokenKind::Word("mod") => Some(Operator::Modulo),
            _ => None,
        })
    }

    fn arithmetic(
        &mut self,
        operand: fn(&mut Self) -> Parsed,
        operator: fn(&TokenKind) -> Option<Operator>,
    ) -> Parsed {
        let first = operand(self)?;
        let mut span = first.span;
        let mut rest = Vec::new();
        while let Some(operator) = self.peek().and_then(operator) {
            self.advance();
            let part = operand(self)?;
            span = span.to(part.span);
            rest.push((operator, part));
        }
        if rest.is_empty() {
            return Ok(first);
        }
        Ok(Expr { kind: Kind::Arithmetic { first: first.into(), rest: rest.into() }, span })
    }

    fn unary(&mut self) -> Parsed {
        let start = self.span();
        if self.eat_word("not") {
            let operand = self.nested(Self::unary)?;
            let span = start.to(operand.span);
            return Ok(Expr { kind: Kind::Not(operand.into()), span });
        }
        if self.eat_sign("-") {
            let operand = self.nested(Self::unary)?;
            let span = start.to(operand.span);
            let kind = match operand.kind {
                Kind::Number(number) => Kind::Number(-number),
                _ => Kind::Minus(operand.into()),
            };
            return Ok(Expr { kind, span });
        }
        self.power()
    }

    fn power(&mut self) -> Parsed {
        let base = self.of()?;
        if !self.eat_sign("^") {
            return Ok(base);
        }
        // The sign of an exponent needs no parentheses: there is only one way to read `2 ^ -1`.
        let exponent = self.nested(Self::unary)?;
        let span = base.span.to(exponent.span);
        Ok(Expr { kind: Kind::Power(Box::new((base, exponent))), span })
    }
}

fn pattern_error(error: &regex::Error, at: Span) -> ParseError {
    match error {
        regex::Error::CompiledTooBig(_) => {
            ParseError::new("this pattern is too large", at.range())
                .help("repeat less, or use `[a-z]` and `[0-9]`, which are smaller than `\\\\w` and `\\\\d`")
        }
        // The last line of the long text says what is wrong; the others draw the pattern.
        error => {
            let text = error.to_string();
            let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
            ParseError::new(format!("this pattern cannot be read: {reason}"), at.range())
        }
    }
}
