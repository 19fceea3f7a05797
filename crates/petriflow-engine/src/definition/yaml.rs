//! Reads YAML into a tree with positions.
//!
//! The part of YAML that is JSON with less punctuation: one document, names and values, the core
//! schema of YAML 1.2 (so `yes` and `on` are texts). Anchors, aliases and tags are refused, so
//! there is nothing to expand.

use granit_parser::{Event, Marker, Parser, ScalarStyle, Span};
use serde_json::Number;

use super::json;
use super::problem::{Collector, Position};
use super::tree::{Columns, DEPTH_MAX, Key, Node, Text, Value};

/// The tree of a YAML text, or nothing if it cannot be read.
pub(super) fn read(text: &str, problems: &mut Collector) -> Option<Node> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = Builder { open: Vec::new(), root: None, documents: 0, problems };
    for event in Parser::new_from_str(text) {
        match event {
            Ok((event, span)) => builder.event(event, &span)?,
            Err(error) => {
                let at = position(*error.marker());
                builder.problems.add(Some(at), format!("not YAML: {}", error.info()));
                return None;
            }
        }
    }
    if builder.root.is_none() {
        builder.problems.add(Some(Position { line: 1, column: 1 }), "there is no document");
    }
    builder.root
}

fn position(marker: Marker) -> Position {
    Position { line: marker.line().max(1), column: marker.col().saturating_add(1) }
}

/// A list or object whose end has not come yet.
enum Open {
    List(Position, Vec<Node>),
    Object(Position, Vec<(Key, Node)>, Option<Key>),
}

struct Builder<'p> {
    open: Vec<Open>,
    root: Option<Node>,
    documents: usize,
    problems: &'p mut Collector,
}

impl Builder<'_> {
    /// Takes one event; `None` ends the reading, after a problem was told.
    fn event(&mut self, event: Event<'_>, span: &Span) -> Option<()> {
        let at = position(span.start);
        match event {
            Event::DocumentStart(..) => {
                self.documents = self.documents.saturating_add(1);
                if self.documents > 1 {
                    return self.refuse(at, "a second document; a definition is one document");
                }
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                return self.refuse(at, "aliases are not supported; write the value out");
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.plain(at, anchor, tag.is_some())?;
                return self.scalar(&text, style, span);
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.plain(at, anchor, tag.is_some())?;
                return self.begin(at, Open::List(at, Vec::new()));
            }
            Event::MappingStart(_, anchor, tag) => {
                self.plain(at, anchor, tag.is_some())?;
                return self.begin(at, Open::Object(at, Vec::new(), None));
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let (at, value) = match self.open.pop()? {
                    Open::List(at, items) => (at, Value::List(items)),
                    Open::Object(at, fields, _) => (at, Value::Object(fields)),
                };
                self.put(Node { at: Some(at), value });
            }
            _ => {}
        }
        Some(())
    }

    fn refuse(&mut self, at: Position, message: &str) -> Option<()> {
        self.problems.add(Some(at), message);
        None
    }

    fn plain(&mut self, at: Position, anchor: usize, tagged: bool) -> Option<()> {
        match (anchor, tagged) {
            (0, false) => Some(()),
            (0, true) => {
                self.refuse(at, "tags are not supported; quote texts, and leave the tag out")
            }
            _ => self.refuse(at, "anchors are not supported; write the value out where it is used"),
        }
    }

    fn begin(&mut self, at: Position, open: Open) -> Option<()> {
        if let Some(Open::Object(_, _, None)) = self.open.last() {
            return self.refuse(at, "the name of a field is a text");
        }
        if self.open.len() > DEPTH_MAX {
            return self.refuse(at, &format!("nested more than {DEPTH_MAX} deep"));
        }
        self.open.push(open);
        Some(())
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, span: &Span) -> Option<()> {
        let at = position(span.start);
        if let Some(Open::Object(_, _, key @ None)) = self.open.last_mut() {
            *key = Some(Key { at: Some(at), name: text.to_owned() });
            return Some(());
        }
        let value = match style {
            ScalarStyle::Plain => self.resolved(text, at, columns(style, text, span)),
            _ => Value::Text(Text { text: text.into(), columns: columns(style, text, span) }),
        };
        self.put(Node { at: Some(at), value });
        Some(())
    }

    /// What an unquoted text means.
    fn resolved(&mut self, text: &str, at: Position, columns: Columns) -> Value {
        match text {
            "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
            "true" | "True" | "TRUE" => return Value::Bool(true),
            "false" | "False" | "FALSE" => return Value::Bool(false),
            _ => {}
        }
        if !looks_like_number(text) {
            return Value::Text(Text { text: text.into(), columns });
        }
        match number(text) {
            Some(number) => Value::Number(number),
            None => {
                self.problems.add(Some(at), format!("`{text}` is not a number that can be held"));
                Value::Null
            }
        }
    }

    fn put(&mut self, node: Node) {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List(_, items)) => items.push(node),
            Some(Open::Object(_, fields, key)) => {
                if let Some(key) = key.take() {
                    fields.push((key, node));
                }
            }
        }
    }
}

fn columns(style: ScalarStyle, text: &str, span: &Span) -> Columns {
    let one_line = span.start.line() == span.end.line();
    let shift = match style {
        ScalarStyle::Plain => 0,
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => 1,
        _ => return Columns::Unknown,
    };
    // Escapes make the written text longer than the text.
    let written = text.chars().count().saturating_add(shift).saturating_add(shift);
    match one_line && span.len() == written {
        true => Columns::Shifted(shift),
        false => Columns::Unknown,
    }
}

/// The core schema: `-12`, `0x1f`, `0o17`, `1.5`, `.5`, `1e3`, `.inf`, `.nan`.
fn looks_like_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let digits_of = |prefix: &str, radix: u32| {
        let digits = text.strip_prefix(prefix);
        digits.is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_digit(radix)))
    };
    if digits_of("0x", 16) || digits_of("0o", 8) {
        return true;
    }
    let starts =
        unsigned.strip_prefix('.').unwrap_or(unsigned).starts_with(|c: char| c.is_ascii_digit());
    starts
        && unsigned.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '-' | '+'))
        && unsigned.parse::<f64>().is_ok()
}

fn number(text: &str) -> Option<Number> {
    let radix = |prefix: &str, radix| {
        text.strip_prefix(prefix)
            .map(|digits| u64::from_str_radix(digits, radix).ok().map(Number::from))
    };
    if let Some(number) = radix("0x", 16).or_else(|| radix("0o", 8)) {
        return number;
    }
    json::number(text.strip_prefix('+').unwrap_or(text))
}
