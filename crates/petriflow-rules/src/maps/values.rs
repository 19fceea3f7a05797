//! What is looked at in a call's input.

use std::borrow::Cow;

use serde_json::Value;

/// The values at a path: a name of the input itself, or names that lead through objects and lists.
pub(super) fn values<'v>(input: &'v Value, path: &str) -> Vec<&'v Value> {
    if let Some(value) = input.get(path) {
        return vec![value];
    }
    let mut found = vec![input];
    for step in path.split('.') {
        let inner = found.into_iter().flat_map(|value| match value {
            Value::Array(items) => items.iter().collect(),
            other => vec![other],
        });
        found = inner.filter_map(|value| value.get(step)).collect();
    }
    found
}

/// The texts of a value: that of the value itself, or of every item of a list.
pub(super) fn texts(value: &Value) -> Option<Vec<Cow<'_, str>>> {
    match value {
        Value::Array(items) => items.iter().map(|item| text(item, 0)).collect(),
        _ => Some(vec![text(value, 0)?]),
    }
}

/// Levels of lists and objects that are looked into, as many as the gate accepts.
const NESTING_MAX: u32 = 128;

pub(super) fn text(value: &Value, depth: u32) -> Option<Cow<'_, str>> {
    if depth > NESTING_MAX {
        return None;
    }
    let deeper = depth.saturating_add(1);
    let join = |texts: Vec<Cow<'_, str>>| Cow::Owned(texts.join(" "));
    Some(match value {
        Value::String(text) => text.as_str().into(),
        Value::Null => "".into(),
        Value::Bool(_) | Value::Number(_) => value.to_string().into(),
        Value::Array(items) => {
            join(items.iter().map(|item| text(item, deeper)).collect::<Option<_>>()?)
        }
        Value::Object(fields) => {
            let parts = fields
                .iter()
                .flat_map(|(key, value)| [Some(Cow::Borrowed(key.as_str())), text(value, deeper)]);
            join(parts.collect::<Option<_>>()?)
        }
    })
}
