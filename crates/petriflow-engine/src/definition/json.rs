//! Reads JSON into a tree with positions.
//!
//! `serde_json` decides what JSON is; this scanner then walks text that is known to be well formed.

use serde::de::IgnoredAny;
use serde_json::Number;

use super::problem::{Collector, Position};
use super::tree::{Columns, DEPTH_MAX, Key, Node, Text, Value};

/// The tree of a JSON text, or nothing if it is not JSON. Problems of single values are collected,
/// and reading goes on.
pub(super) fn read(text: &str, problems: &mut Collector) -> Option<Node> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
        problems.add(Some(position(text, &error)), format!("not JSON: {}", bare(&error)));
        return None;
    }
    let mut scanner = Scanner { rest: text, at: Position { line: 1, column: 1 }, problems };
    scanner.value(0)
}

/// The place of an error, whose column counts bytes.
fn position(text: &str, error: &serde_json::Error) -> Position {
    let line = text.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    let before = line.as_bytes().get(..error.column().saturating_sub(1));
    let before = String::from_utf8_lossy(before.unwrap_or(line.as_bytes()));
    Position { line: error.line().max(1), column: before.chars().count().saturating_add(1) }
}

/// The message without its own position.
fn bare(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    message.strip_suffix(&position).unwrap_or(&message).to_owned()
}

struct Scanner<'t, 'p> {
    rest: &'t str,
    /// Where `rest` begins.
    at: Position,
    problems: &'p mut Collector,
}

impl<'t> Scanner<'t, '_> {
    /// The next value. `None` only if the text is nested too deeply, after telling so.
    fn value(&mut self, depth: usize) -> Option<Node> {
        self.skip_space();
        let at = Some(self.at);
        if depth > DEPTH_MAX {
            self.problems.add(at, format!("nested more than {DEPTH_MAX} deep"));
            return None;
        }
        let value = match self.rest.chars().next() {
            Some('{') => self.object(depth)?,
            Some('[') => self.list(depth)?,
            Some('"') => Value::Text(self.text()),
            Some('t') => self.word("true", Value::Bool(true)),
            Some('f') => self.word("false", Value::Bool(false)),
            Some('n') => self.word("null", Value::Null),
            _ => self.number(),
        };
        Some(Node { at, value })
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        let mut fields = Vec::new();
        self.take(1);
        while !self.closes('}') {
            let at = Some(self.at);
            let name = self.text().text;
            self.skip_space();
            // The colon.
            self.take(1);
            let value = self.value(depth.saturating_add(1))?;
            fields.push((Key { at, name }, value));
        }
        Some(Value::Object(fields))
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        let mut items = Vec::new();
        self.take(1);
        while !self.closes(']') {
            items.push(self.value(depth.saturating_add(1))?);
        }
        Some(Value::List(items))
    }

    /// Whether the list or object ends here; steps over its end, or over a comma.
    fn closes(&mut self, end: char) -> bool {
        self.skip_space();
        if self.rest.starts_with(',') {
            self.take(1);
            self.skip_space();
        }
        // An end of the text cannot come before the end of an object, but must not loop for ever.
        let closes = self.rest.is_empty() || self.rest.starts_with(end);
        if closes {
            self.take(1);
        }
        closes
    }

    fn text(&mut self) -> Text {
        let at = self.at;
        let quoted = self.take(quoted_length(self.rest));
        if !quoted.contains('\\') {
            let text = quoted.trim_matches('"').to_owned();
            return Text { text, columns: Columns::Shifted(1) };
        }
        let text = serde_json::from_str::<String>(quoted).unwrap_or_else(|error| {
            self.problems.add(Some(at), format!("not JSON: {}", bare(&error)));
            String::new()
        });
        Text { text, columns: Columns::Each(escaped_columns(quoted)) }
    }

    fn word(&mut self, word: &str, value: Value) -> Value {
        self.take(word.len());
        value
    }

    fn number(&mut self) -> Value {
        let at = self.at;
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
        let length = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        // Something unforeseen must not loop for ever either.
        let text = self.take(length.max(1));
        number(text).map_or_else(
            || {
                self.problems.add(Some(at), format!("the number `{text}` is too large"));
                Value::Null
            },
            Value::Number,
        )
    }

    fn skip_space(&mut self) {
        let trimmed = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
        self.take(self.rest.len().saturating_sub(trimmed.len()));
    }

    /// Steps over this many bytes, at least to the next character.
    fn take(&mut self, bytes: usize) -> &'t str {
        let bytes = (bytes..=self.rest.len()).find(|&at| self.rest.is_char_boundary(at));
        let (taken, rest) = self.rest.split_at(bytes.unwrap_or(self.rest.len()));
        for character in taken.chars() {
            if character == '\n' {
                self.at = Position { line: self.at.line.saturating_add(1), column: 1 };
            } else {
                self.at.column = self.at.column.saturating_add(1);
            }
        }
        self.rest = rest;
        taken
    }
}

/// The number of this text exactly as written, if it can be held. `serde_json` by itself may be off
/// by the last bit of a fraction.
pub(super) fn number(text: &str) -> Option<Number> {
    if let Ok(number) = text.parse::<u64>() {
        return Some(number.into());
    }
    if let Ok(number) = text.parse::<i64>() {
        return Some(number.into());
    }
    text.parse::<f64>().ok().and_then(Number::from_f64)
}

/// The length of the quoted text at the beginning, with its quotes.
fn quoted_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at.saturating_add(1),
            _ => {}
        }
    }
    text.len()
}

/// For every byte of the decoded text, and its end, the column it is written at.
fn escaped_columns(quoted: &str) -> Box<[u32]> {
    let mut columns = Vec::new();
    let mut characters = quoted.chars().zip(0_u32..).skip(1);
    while let Some((character, column)) = characters.next() {
        if character == '"' {
            columns.push(column);
            break;
        }
        if character != '\\' {
            columns.extend(std::iter::repeat_n(column, character.len_utf8()));
            continue;
        }
        let escape = characters.next();
        let bytes = match escape {
            Some(('u', _)) => {
                let digits: String = characters.by_ref().take(4).map(|(digit, _)| digit).collect();
                escaped_bytes(u32::from_str_radix(&digits, 16).unwrap_or(0))
            }
            _ => 1,
        };
        columns.extend(std::iter::repeat_n(column, bytes));
    }
    columns.into()
}

/// How many bytes of UTF-8 an escaped code unit stands for; of a pair each half counts for two.
fn escaped_bytes(unit: u32) -> usize {
    match unit {
        0..=0x7f => 1,
        0x80..=0x7ff | 0xd800..=0xdfff => 2,
        _ => 3,
    }
}
