//! The words of a condition.

use std::ops::Range;

use super::{Comparison, ConditionError};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'t> {
    Number(u32),
    Name(&'t str),
    /// In back quotes, or behind `marking.`.
    Place(&'t str),
    Comparison(Comparison),
    Sign(char),
    And,
    Or,
    Not,
    Constant(bool),
    Terminal,
    End,
}

pub(super) fn tokens(text: &str) -> Result<Vec<(Token<'_>, Range<usize>)>, ConditionError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let rest = rest.trim_start();
        at = text.len().saturating_sub(rest.len());
        if rest.is_empty() {
            tokens.push((Token::End, at..at));
            return Ok(tokens);
        }
        let (token, length) = token(rest).map_err(|(message, length)| ConditionError {
            message,
            range: at..at.saturating_add(length),
            help: None,
        })?;
        let end = at.saturating_add(length);
        tokens.push((token, at..end));
        at = end;
    }
}

/// The first token of a text that is not empty, and its length; or what is wrong with it.
fn token(rest: &str) -> Result<(Token<'_>, usize), (String, usize)> {
    const SIGNS: [(&str, Comparison); 6] = [
        ("==", Comparison::Equal),
        ("!=", Comparison::NotEqual),
        ("<=", Comparison::LessOrEqual),
        (">=", Comparison::GreaterOrEqual),
        ("<", Comparison::Less),
        (">", Comparison::Greater),
    ];
    if let Some((sign, comparison)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
        return Ok((Token::Comparison(*comparison), sign.len()));
    }
    let first = rest.chars().next().unwrap_or(' ');
    match first {
        '(' | ')' | '+' | '-' | '*' => Ok((Token::Sign(first), 1)),
        '`' => quoted(rest, 0).ok_or(("this back quote is not closed".into(), 1)),
        '0'..='9' => number(rest),
        _ if is_name(first) => Ok(word(rest)),
        _ => Err((format!("`{first}` is not part of a condition"), first.len_utf8())),
    }
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn number(rest: &str) -> Result<(Token<'_>, usize), (String, usize)> {
    let length = rest.find(|c: char| !is_name(c) && c != '.').unwrap_or(rest.len());
    let text = rest.get(..length).unwrap_or(rest);
    match text.parse() {
        Ok(number) => Ok((Token::Number(number), length)),
        Err(_) => Err((format!("`{text}` is not a whole number up to {}", u32::MAX), length)),
    }
}

/// A name in back quotes that begins at `start`.
fn quoted(rest: &str, start: usize) -> Option<(Token<'_>, usize)> {
    let inner = rest.get(start.saturating_add(1)..)?;
    let length = inner.find('`')?;
    Some((Token::Place(inner.get(..length)?), start.saturating_add(length).saturating_add(2)))
}

fn word(rest: &str) -> (Token<'_>, usize) {
    const MARKING: &str = "marking.";
    let length_of = |text: &str| text.find(|c: char| !is_name(c)).unwrap_or(text.len());
    if let Some(name) = rest.strip_prefix(MARKING) {
        if let Some(quoted) = quoted(rest, MARKING.len()).filter(|_| name.starts_with('`')) {
            return quoted;
        }
        let length = length_of(name);
        let place = Token::Place(name.get(..length).unwrap_or(name));
        return (place, MARKING.len().saturating_add(length));
    }
    let length = length_of(rest);
    let token = match rest.get(..length).unwrap_or(rest) {
        "and" => Token::And,
        "or" => Token::Or,
        "not" => Token::Not,
        "true" => Token::Constant(true),
        "false" => Token::Constant(false),
        "terminal" => Token::Terminal,
        name => Token::Name(name),
    };
    (token, length)
}
