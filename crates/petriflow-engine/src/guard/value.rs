//! Values while a guard is evaluated: borrowed from the guard or the context wherever possible.

use std::fmt;

use serde_json::{Number, Value};

use super::ast::Kind;

/// What an expression evaluates to.
#[derive(Debug)]
pub(super) enum Operand<'v> {
    Null,
    Bool(bool),
    Number(f64),
    Text(&'v str),
    /// A list, an object, or an integer that no `f64` holds exactly.
    Json(&'v Value),
    /// A list that was made while evaluating.
    Made(Box<Value>),
}

impl<'v> From<&'v Value> for Operand<'v> {
    fn from(value: &'v Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::String(text) => Self::Text(text),
            Value::Number(number) => exact(number).map_or(Self::Json(value), Self::Number),
            Value::Array(_) | Value::Object(_) => Self::Json(value),
        }
    }
}

impl Operand<'_> {
    pub(super) fn sort(&self) -> Sort {
        match self {
            Self::Null => Sort::Null,
            Self::Bool(_) => Sort::Bool,
            Self::Number(_) => Sort::Number,
            Self::Text(_) => Sort::Text,
            Self::Json(value) => Sort::of(value),
            Self::Made(value) => Sort::of(value),
        }
    }

    pub(super) fn into_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Number(number) => number_value(number),
            Self::Text(text) => Value::String(text.to_owned()),
            Self::Json(value) => value.clone(),
            Self::Made(value) => *value,
        }
    }

    /// Deep equality, without any conversion between types.
    pub(super) fn equals(&self, other: &Operand<'_>) -> bool {
        match (self, other) {
            (Self::Null, Operand::Null) => true,
            (Self::Bool(a), Operand::Bool(b)) => a == b,
            (Self::Number(a), Operand::Number(b)) => a == b,
            (Self::Text(a), Operand::Text(b)) => a == b,
            _ => match (self.json(), other.json()) {
                (Some(a), Some(b)) => equal(a, b),
                _ => false,
            },
        }
    }

    pub(super) fn equals_value(&self, other: &Value) -> bool {
        self.equals(&Operand::from(other))
    }

    pub(super) fn json(&self) -> Option<&Value> {
        match self {
            Self::Json(value) => Some(value),
            Self::Made(value) => Some(value),
            _ => None,
        }
    }

    /// Whether it is null, or a string, list or object without content.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Text(text) => text.is_empty(),
            _ => match self.json() {
                Some(Value::Array(items)) => items.is_empty(),
                Some(Value::Object(fields)) => fields.is_empty(),
                _ => false,
            },
        }
    }
}

/// The types of JSON, as error texts call them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Null,
    Bool,
    Number,
    Text,
    List,
    Object,
}

impl Sort {
    pub(super) fn of(value: &Value) -> Sort {
        match value {
            Value::Null => Sort::Null,
            Value::Bool(_) => Sort::Bool,
            Value::Number(_) => Sort::Number,
            Value::String(_) => Sort::Text,
            Value::Array(_) => Sort::List,
            Value::Object(_) => Sort::Object,
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sort::Null => "null",
            Sort::Bool => "true or false",
            Sort::Number => "a number",
            Sort::Text => "a string",
            Sort::List => "a list",
            Sort::Object => "an object",
        })
    }
}

/// Integers of at most this size are all exact.
const SAFE: i64 = 1 << 53;

/// The number, unless it would have to be rounded.
fn exact(number: &Number) -> Option<f64> {
    if number.as_i64().is_some_and(|small| (-SAFE..=SAFE).contains(&small)) {
        return number.as_f64();
    }
    let float = number.as_f64().filter(|float| float.is_finite())?;
    if number.is_f64() {
        return Some(float);
    }
    (integer(float) == Some(number.clone())).then_some(float)
}

fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (exact(a), exact(b)) {
            (Some(a), Some(b)) => a == b,
            (None, None) => a == b,
            // One can be held exactly and the other cannot, so they differ.
            _ => false,
        },
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let same = |(name, a): (&String, &Value)| b.get(name).is_some_and(|b| equal(a, b));
            a.len() == b.len() && a.iter().all(same)
        }
        _ => a == b,
    }
}

/// A number as JSON: an integer where it is one.
pub(super) fn number_value(number: f64) -> Value {
    let number = integer(number).or_else(|| Number::from_f64(number));
    number.map_or(Value::Null, Value::Number)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "whole and within the type's range: the cast is exact"
)]
fn integer(number: f64) -> Option<Number> {
    const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
    if number.fract() != 0.0 {
        return None;
    }
    if (-TWO_TO_63..TWO_TO_63).contains(&number) {
        return Some(Number::from(number as i64));
    }
    (TWO_TO_63..TWO_TO_63 * 2.0).contains(&number).then(|| Number::from(number as u64))
}

/// The value of a literal.
pub(super) fn constant(kind: &Kind) -> Option<Value> {
    match kind {
        Kind::Null => Some(Value::Null),
        Kind::Bool(value) => Some(Value::Bool(*value)),
        Kind::Number(number) => Some(number_value(*number)),
        Kind::Text(text) => Some(Value::String(text.to_string())),
        Kind::Constant(value) => Some((**value).clone()),
        _ => None,
    }
}

/// Roughly how many bytes a copy takes.
pub(super) fn weight(value: &Value) -> usize {
    const NODE: usize = 32;
    let inner = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).fold(0, usize::saturating_add),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| weight(value).saturating_add(name.len());
            fields.iter().map(field).fold(0, usize::saturating_add)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    inner.saturating_add(NODE)
}
