//! Reading single values of a tree, with a problem for each that is not what it should be.

use std::collections::HashMap;

use serde_json::Value as Json;

use super::problem::{Collector, Position};
use super::tree::{Key, Node, Value};
use super::{DEFINITION_VALUE_DEPTH_MAX, Definition};
use crate::suggest::did_you_mean;

/// The fields of an object whose names are known beforehand.
pub(super) struct Fields<'t> {
    at: Option<Position>,
    what: String,
    fields: Vec<(&'t Key, &'t Node)>,
}

impl<'t> Fields<'t> {
    /// The fields of an object; others than `known` are problems. `what` is what the object is
    /// called in messages.
    pub(super) fn read(
        node: &'t Node,
        what: impl Into<String>,
        known: &[&str],
        problems: &mut Collector,
    ) -> Option<Self> {
        let what = what.into();
        let fields = entries(node, &what, problems)?;
        for (key, _) in &fields {
            if !known.contains(&key.name.as_str()) {
                let message = format!("{what} has no field `{}`", shown(&key.name));
                problems.add_with(key.at, message, || {
                    did_you_mean(&key.name, known.iter().copied())
                        .or_else(|| Some(format!("its fields are {}", listed(known))))
                });
            }
        }
        Some(Self { at: node.at, what, fields })
    }

    /// The same fields under another name for messages.
    pub(super) fn renamed(self, what: &str) -> Self {
        Self { what: what.into(), ..self }
    }

    pub(super) fn get(&self, name: &str) -> Option<&'t Node> {
        self.fields.iter().find(|(key, _)| key.name == name).map(|&(_, node)| node)
    }

    pub(super) fn required(&self, name: &str, problems: &mut Collector) -> Option<&'t Node> {
        let found = self.get(name);
        if found.is_none() {
            problems.add(self.at, format!("{} has no `{name}`", self.what));
        }
        found
    }
}

/// The fields of an object, names given twice left out after a problem for each.
pub(super) fn entries<'t>(
    node: &'t Node,
    what: &str,
    problems: &mut Collector,
) -> Option<Vec<(&'t Key, &'t Node)>> {
    let Value::Object(fields) = &node.value else {
        return expected(node, what, "an object", problems);
    };
    let mut seen: HashMap<&str, Option<Position>> = HashMap::new();
    let mut entries = Vec::with_capacity(fields.len());
    for (key, value) in fields {
        match seen.get(key.name.as_str()) {
            Some(first) => {
                let message = format!("`{}` is given twice in {what}", shown(&key.name));
                problems.add_with(key.at, message, || first_at(*first));
            }
            None => {
                seen.insert(&key.name, key.at);
                entries.push((key, value));
            }
        }
    }
    Some(entries)
}

pub(super) fn first_at(first: Option<Position>) -> Option<String> {
    first.map(|first| format!("the first is at {first}"))
}

pub(super) fn list<'t>(node: &'t Node, what: &str, problems: &mut Collector) -> Option<&'t [Node]> {
    match &node.value {
        Value::List(items) => Some(items),
        _ => expected(node, what, "a list", problems),
    }
}

pub(super) fn text<'t>(node: &'t Node, what: &str, problems: &mut Collector) -> Option<&'t str> {
    match &node.value {
        Value::Text(text) => Some(&text.text),
        Value::Bool(_) | Value::Number(_) | Value::Null => {
            let message = format!("{what} must be a text, not {}", node.kind());
            problems.add_with(node.at, message, || Some("put it in quotes".into()));
            None
        }
        _ => expected(node, what, "a text", problems),
    }
}

/// A name: not empty, not long, nothing invisible in it.
pub(super) fn name<'t>(node: &'t Node, what: &str, problems: &mut Collector) -> Option<&'t str> {
    let name = text(node, what, problems)?;
    is_name(name, node.at, what, problems).then_some(name)
}

pub(super) fn is_name(
    name: &str,
    at: Option<Position>,
    what: &str,
    problems: &mut Collector,
) -> bool {
    let problem = if name.trim().is_empty() {
        format!("{what} is empty")
    } else if name.chars().count() > Definition::NAME_CHARS_MAX {
        format!("{what} is longer than {} characters", Definition::NAME_CHARS_MAX)
    } else if name.chars().any(char::is_control) {
        format!("{what} contains a control character")
    } else {
        return true;
    };
    problems.add(at, problem);
    false
}

pub(super) fn boolean(node: &Node, what: &str, problems: &mut Collector) -> Option<bool> {
    match node.value {
        Value::Bool(value) => Some(value),
        _ => expected(node, what, "true or false", problems),
    }
}

/// A whole number within a range.
pub(super) fn count(
    node: &Node,
    what: &str,
    range: std::ops::RangeInclusive<u64>,
    problems: &mut Collector,
) -> Option<u64> {
    let number = match integer(node, what, problems)? {
        number if number < 0 && *range.start() == 0 => {
            problems.add(node.at, format!("{what} is {number}, but cannot be negative"));
            return None;
        }
        number => u64::try_from(number).ok().filter(|number| range.contains(number)),
    };
    if number.is_none() {
        let (least, most) = (range.start(), range.end());
        problems.add(node.at, format!("{what} must be between {least} and {most}"));
    }
    number
}

/// A whole number of any sign.
pub(super) fn integer(node: &Node, what: &str, problems: &mut Collector) -> Option<i128> {
    let Value::Number(number) = &node.value else {
        return expected(node, what, "a number", problems);
    };
    let integer = number.as_u64().map(i128::from).or(number.as_i64().map(i128::from));
    if integer.is_none() {
        problems.add(node.at, format!("{what} is {number}, which is not a whole number in range"));
    }
    integer
}

/// Any value.
pub(super) fn json(node: &Node, what: &str, problems: &mut Collector) -> Option<Json> {
    check_json(node, what, 0, problems)?;
    Some(node.to_json())
}

fn check_json(node: &Node, what: &str, depth: usize, problems: &mut Collector) -> Option<()> {
    if depth > DEFINITION_VALUE_DEPTH_MAX {
        let message = format!("{what} is nested more than {DEFINITION_VALUE_DEPTH_MAX} deep");
        problems.add(node.at, message);
        return None;
    }
    let depth = depth.saturating_add(1);
    match &node.value {
        Value::List(items) => {
            items.iter().try_for_each(|item| check_json(item, what, depth, problems))
        }
        Value::Object(_) => entries(node, what, problems)?
            .into_iter()
            .try_for_each(|(_, value)| check_json(value, what, depth, problems)),
        _ => Some(()),
    }
}

pub(super) fn expected<T>(
    node: &Node,
    what: &str,
    wanted: &str,
    problems: &mut Collector,
) -> Option<T> {
    problems.add(node.at, format!("{what} must be {wanted}, not {}", node.kind()));
    None
}

pub(super) fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// A name from the file, fit for a message of one line.
pub(super) fn shown(name: &str) -> String {
    const SHOWN_MAX: usize = 60;
    let short: String = name.chars().take(SHOWN_MAX).collect();
    let dots = if short.len() < name.len() { "…" } else { "" };
    let escape = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.into() };
    short.chars().map(escape).collect::<String>() + dots
}
