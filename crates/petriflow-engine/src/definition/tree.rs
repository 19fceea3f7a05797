//! The common form of JSON, YAML and built definitions: values that know where they were written.
//!
//! There is one reader of definitions ([`super::read`]), so that all three are checked alike.

use serde_json::{Map, Number, Value as Json};

use super::problem::Position;

/// Values deeper than this are refused, because trees are walked recursively.
pub(super) const DEPTH_MAX: usize = 100;

/// A value and where it begins.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) at: Option<Position>,
    pub(super) value: Value,
}

#[derive(Debug, Clone)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Number(Number),
    Text(Text),
    List(Vec<Node>),
    Object(Vec<(Key, Node)>),
}

/// The name of a field.
#[derive(Debug, Clone)]
pub(super) struct Key {
    pub(super) at: Option<Position>,
    pub(super) name: String,
}

/// A text, and how to find its parts in the file.
#[derive(Debug, Clone)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) columns: Columns,
}

/// By how many columns a byte of a text is behind the text's beginning.
#[derive(Debug, Clone)]
pub(super) enum Columns {
    /// Not known: built, or written over several lines.
    Unknown,
    /// One column per character, after an opening quote or none.
    Shifted(usize),
    /// By byte, for a text with escapes.
    Each(Box<[u32]>),
}

impl Node {
    pub(super) fn text(text: impl Into<String>) -> Self {
        let text = Text { text: text.into(), columns: Columns::Unknown };
        Self { at: None, value: Value::Text(text) }
    }

    pub(super) fn number(number: impl Into<Number>) -> Self {
        Self { at: None, value: Value::Number(number.into()) }
    }

    pub(super) fn list(nodes: impl IntoIterator<Item = Node>) -> Self {
        Self { at: None, value: Value::List(nodes.into_iter().collect()) }
    }

    pub(super) fn object<N: Into<String>>(fields: impl IntoIterator<Item = (N, Node)>) -> Self {
        let key = |name: N| Key { at: None, name: name.into() };
        let fields = fields.into_iter().map(|(name, node)| (key(name), node)).collect();
        Self { at: None, value: Value::Object(fields) }
    }

    pub(super) fn from_json(json: &Json) -> Self {
        let value = match json {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(number) => Value::Number(number.clone()),
            Json::String(text) => return Self::text(text.clone()),
            Json::Array(items) => return Self::list(items.iter().map(Self::from_json)),
            Json::Object(fields) => {
                let fields = fields.iter().map(|(name, value)| (name, Self::from_json(value)));
                return Self::object(fields);
            }
        };
        Self { at: None, value }
    }

    /// The value alone. Of a name given twice, which the reader refuses, the last counts.
    pub(super) fn to_json(&self) -> Json {
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Number(number) => Json::Number(number.clone()),
            Value::Text(text) => Json::String(text.text.clone()),
            Value::List(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Value::Object(fields) => {
                let fields = fields.iter().map(|(key, value)| (key.name.clone(), value.to_json()));
                Json::Object(fields.collect::<Map<_, _>>())
            }
        }
    }

    /// Adds to the list in a field of this object.
    pub(super) fn extend_list(&mut self, field: &str, nodes: impl IntoIterator<Item = Node>) {
        if let Some(Node { value: Value::List(list), .. }) = self.field_mut(field) {
            list.extend(nodes);
        }
    }

    /// Replaces a field of this object.
    pub(super) fn replace(&mut self, field: &str, node: Node) {
        if let Some(slot) = self.field_mut(field) {
            *slot = node;
        }
    }

    fn field_mut(&mut self, field: &str) -> Option<&mut Node> {
        let Value::Object(fields) = &mut self.value else { return None };
        fields.iter_mut().find(|(key, _)| key.name == field).map(|(_, node)| node)
    }

    /// What kind of value this is, for a message.
    pub(super) fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "nothing (`null`)",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::Text(_) => "a text",
            Value::List(_) => "a list",
            Value::Object(_) => "an object",
        }
    }

    /// Where a byte of this text is in the file.
    pub(super) fn position_within(&self, offset: usize) -> Option<Position> {
        let at = self.at?;
        let Value::Text(Text { text, columns }) = &self.value else { return Some(at) };
        let columns = match columns {
            Columns::Unknown => 0,
            Columns::Shifted(shift) => {
                let before = text.get(..offset).unwrap_or(text);
                before.chars().count().saturating_add(*shift)
            }
            Columns::Each(columns) => {
                columns.get(offset).or(columns.last()).map_or(0, |&columns| columns as usize)
            }
        };
        Some(Position { line: at.line, column: at.column.saturating_add(columns) })
    }
}
