//! What is looked at in a call's input.

use std::borrow::Cow;

use serde_json::Value;

/// A value that a path leads to.
pub(super) struct Found<'v> {
    pub(super) value: &'v Value,
    /// Whether the path leads through a list, so that there may be others.
    pub(super) in_list: bool,
}

/// The values at a path: a name of the input itself, and names that lead through objects and lists.
/// Both are looked at where both are there: neither hides the other.
pub(super) fn values<'v>(input: &'v Value, path: &str) -> Vec<Found<'v>> {
    let direct = |input: &'v Value| {
        let value = input.get(path)?;
        Some(Found { value, in_list: false })
    };
    if !path.contains('.') && !input.is_array() {
        return direct(input).into_iter().collect();
    }
    let mut found: Vec<Found<'v>> = vec![Found { value: input, in_list: false }];
    for step in path.split('.') {
        let mut next = Vec::new();
        for Found { value, in_list } in found {
            for (object, in_list) in objects(value, in_list) {
                next.extend(object.get(step).map(|value| Found { value, in_list }));
            }
        }
        found = next;
    }
    if path.contains('.') {
        found.extend(direct(input));
    }
    found
}

/// The value itself, or what is in it if it is a list, however deep.
fn objects(value: &Value, in_list: bool) -> Vec<(&Value, bool)> {
    let mut objects = Vec::new();
    let mut waiting = vec![(value, in_list)];
    while let Some((value, in_list)) = waiting.pop() {
        match value {
            Value::Array(items) => waiting.extend(items.iter().rev().map(|item| (item, true))),
            _ => objects.push((value, in_list)),
        }
    }
    objects
}

/// The texts in a value, each by itself: of lists and objects, those of all that is in them.
pub(super) fn leaves(value: &Value) -> Vec<Cow<'_, str>> {
    let mut leaves = Vec::new();
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(items) => waiting.extend(items.iter().rev()),
            Value::Object(fields) => waiting.extend(fields.values().rev()),
            _ => leaves.push(text(value)),
        }
    }
    leaves
}

/// All texts in a list or object together, with the names of fields: what none of them says alone.
pub(super) fn whole(value: &Value) -> String {
    let mut texts: Vec<Cow<'_, str>> = Vec::new();
    let mut waiting: Vec<(Option<&str>, &Value)> = vec![(None, value)];
    while let Some((name, value)) = waiting.pop() {
        texts.extend(name.map(Cow::Borrowed));
        match value {
            Value::Array(items) => waiting.extend(items.iter().rev().map(|item| (None, item))),
            Value::Object(fields) => {
                let named = fields.iter().map(|(name, value)| (Some(name.as_str()), value));
                waiting.extend(named.collect::<Vec<_>>().into_iter().rev());
            }
            _ => texts.push(text(value)),
        }
    }
    texts.join(" ")
}

/// The text of a value that is no list and no object. Numbers are written in full, without exponent
/// and without a fraction of nothing: `1e3` and `1000.0` are `1000`.
pub(super) fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => text.as_str().into(),
        Value::Number(number) => match (number.is_f64(), number.as_f64()) {
            (true, Some(decimal)) => decimal.to_string().into(),
            _ => number.to_string().into(),
        },
        Value::Bool(flag) => if *flag { "true" } else { "false" }.into(),
        Value::Null | Value::Array(_) | Value::Object(_) => "".into(),
    }
}
