//! Maps: what a call stands for, from what its input says.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use petriflow_gate::{Action, Resolution, Resolver, ToolCall};
use regex::{RegexSet, RegexSetBuilder};
use serde_json::Value;

use crate::pattern::is_word_character;
use crate::syntax::{PatternKind, Statement, StatementKind};

/// All maps of a policy in one table, and the dotted names its rules use.
///
/// A call is the virtual tool of the first map that matches, or its own tool if none does. If rules
/// name one of its actions (`discord.post` for `discord` with the input `action: "post"`), it is
/// that as well.
#[derive(Debug, Default)]
pub struct Maps {
    tools: HashMap<String, Vec<FieldMaps>>,
    /// The virtual tools, by the number of their map.
    names: Vec<String>,
    /// Names in rules with a dot in them, and everything that stands before one of their dots.
    dotted: HashSet<String>,
    before_dots: HashSet<String>,
    fingerprint: String,
}

impl Maps {
    pub(crate) fn new<'s>(statements: impl Iterator<Item = &'s Statement>) -> Self {
        let mut maps = Self::default();
        for statement in statements {
            maps.add(&statement.kind);
        }
        maps
    }

    fn add(&mut self, kind: &StatementKind) {
        for name in kind.rule_names().filter(|name| name.text.contains('.')) {
            if self.dotted.insert(name.text.clone()) {
                let dots = name.text.match_indices('.').filter_map(|(at, _)| name.text.get(..at));
                self.before_dots.extend(dots.map(str::to_owned));
                let _ = writeln!(self.fingerprint, "name {name}");
            }
        }
        if let StatementKind::Map { field, pattern, name } = kind {
            let number = self.names.len() as u32;
            self.names.push(name.text.clone());
            let fields = self.tools.entry(field.tool.clone()).or_default();
            let at = fields.iter().position(|maps| maps.field == field.field);
            let at = at.unwrap_or_else(|| {
                fields.push(FieldMaps::new(&field.field));
                fields.len().saturating_sub(1)
            });
            if let Some(maps) = fields.get_mut(at) {
                match &pattern.kind {
                    PatternKind::Word(word) => maps.words.push((word.clone(), number)),
                    PatternKind::Regex(regex) => maps.regexes.push((regex.clone(), number)),
                }
            }
        }
        if !kind.is_rule() {
            let _ = writeln!(self.fingerprint, "{kind}");
        }
    }

    /// Whether every call stands for itself.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.dotted.is_empty()
    }

    /// The virtual tool a call is mapped to, if a map matches.
    ///
    /// # Errors
    /// The reason, if it cannot be told.
    pub fn virtual_tool(&self, call: &ToolCall) -> Result<Option<&str>, String> {
        let Some(fields) = self.tools.get(call.tool.as_str()) else { return Ok(None) };
        let mut first: Option<u32> = None;
        for field in fields {
            let Some(value) = call.input.get(&field.field) else { continue };
            for text in texts(value).ok_or("the input is nested too deeply")? {
                let found = field.first_match(&text)?;
                first = [first, found].into_iter().flatten().min();
            }
        }
        Ok(first.and_then(|number| self.names.get(number as usize)).map(String::as_str))
    }

    /// The name of the call's action, if a rule names it.
    fn dotted_name(&self, call: &ToolCall) -> Result<Option<String>, String> {
        if !self.before_dots.contains(call.tool.as_str()) {
            return Ok(None);
        }
        let name = match call.input.get("action") {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(action)) => format!("{}.{action}", call.tool),
            Some(Value::Bool(action)) => format!("{}.{action}", call.tool),
            Some(Value::Number(action)) => format!("{}.{action}", call.tool),
            Some(Value::Array(_) | Value::Object(_)) => {
                let tool = &call.tool;
                return Err(format!(
                    "{tool} has rules about its actions, and the action of this call is not a text."
                ));
            }
        };
        Ok(Some(name).filter(|name| self.dotted.contains(name)))
    }

    fn resolved(&self, call: &ToolCall) -> Result<Resolution, String> {
        let mapped = self.virtual_tool(call)?;
        let dotted = self.dotted_name(call)?;
        if mapped.is_none() && dotted.is_none() {
            return Ok(Resolution::Itself);
        }
        let mut action = Action::new(mapped.unwrap_or(&call.tool));
        action.also.extend(dotted);
        Ok(Resolution::Actions(vec![action]))
    }
}

impl Resolver for Maps {
    fn resolve(&self, call: &ToolCall) -> Resolution {
        self.resolved(call).unwrap_or_else(Resolution::Refused)
    }

    fn fingerprint(&self) -> String {
        format!("petriflow maps 1\n{}", self.fingerprint)
    }
}

/// The maps on one field of one tool.
#[derive(Debug)]
struct FieldMaps {
    field: String,
    /// With the number of the map, in order.
    words: Vec<(String, u32)>,
    regexes: Vec<(String, u32)>,
    /// Built when a call first needs it: a hook that is started for one call builds nothing else.
    matcher: OnceLock<Result<Matcher, String>>,
}

#[derive(Debug)]
struct Matcher {
    words: Option<AhoCorasick>,
    regexes: Option<RegexSet>,
}

impl FieldMaps {
    fn new(field: &str) -> Self {
        let (words, regexes) = (Vec::new(), Vec::new());
        Self { field: field.into(), words, regexes, matcher: OnceLock::new() }
    }

    /// The number of the first map that matches, in one pass for the words and one for the regexes.
    fn first_match(&self, text: &str) -> Result<Option<u32>, String> {
        let matcher = self.matcher.get_or_init(|| self.build()).as_ref()?;
        let words = matcher.words.as_ref().and_then(|words| self.first_word(words, text));
        let regex = matcher.regexes.as_ref().and_then(|regexes| {
            let first = regexes.matches(text).iter().next()?;
            self.regexes.get(first).map(|&(_, number)| number)
        });
        Ok([words, regex].into_iter().flatten().min())
    }

    fn first_word(&self, words: &AhoCorasick, text: &str) -> Option<u32> {
        let mut first: Option<u32> = None;
        for found in words.find_overlapping_iter(text) {
            let number = self.words.get(found.pattern().as_usize()).map(|&(_, number)| number);
            let before = text.get(..found.start()).and_then(|text| text.chars().next_back());
            let behind = text.get(found.end()..).and_then(|text| text.chars().next());
            let stands_alone =
                !before.is_some_and(is_word_character) && !behind.is_some_and(is_word_character);
            if stands_alone {
                first = [first, number].into_iter().flatten().min();
                if first == self.words.first().map(|&(_, number)| number) {
                    break;
                }
            }
        }
        first
    }

    fn build(&self) -> Result<Matcher, String> {
        let failed = |error: &dyn std::fmt::Display| {
            format!("the maps on `{}` cannot be built: {error}", self.field)
        };
        let words = self.words.iter().map(|(word, _)| word);
        let words = match self.words.is_empty() {
            true => None,
            false => Some(AhoCorasick::new(words).map_err(|error| failed(&error))?),
        };
        let regexes = self.regexes.iter().map(|(regex, _)| regex);
        let regexes = match self.regexes.is_empty() {
            true => None,
            false => {
                let mut builder = RegexSetBuilder::new(regexes);
                builder.dot_matches_new_line(true).size_limit(SIZE_MAX_BYTES);
                Some(builder.build().map_err(|error| failed(&error))?)
            }
        };
        Ok(Matcher { words, regexes })
    }
}

/// Bytes of the compiled regexes of one field. Each of them was checked to be small.
const SIZE_MAX_BYTES: usize = 1 << 30;

/// The texts of a value that maps look at: a list is looked at as a whole and item by item.
fn texts(value: &Value) -> Option<Vec<std::borrow::Cow<'_, str>>> {
    let mut texts = Vec::with_capacity(1);
    match value {
        Value::Array(items) => {
            for item in items {
                texts.push(text(item, 0)?);
            }
            let joined = texts.join(" ");
            texts.push(joined.into());
        }
        _ => texts.push(text(value, 0)?),
    }
    Some(texts)
}

/// Levels of lists and objects that are looked into, as many as the gate accepts.
const NESTING_MAX: u32 = 128;

fn text(value: &Value, depth: u32) -> Option<std::borrow::Cow<'_, str>> {
    if depth > NESTING_MAX {
        return None;
    }
    let deeper = depth.saturating_add(1);
    let join = |mut texts: Vec<std::borrow::Cow<'_, str>>| {
        texts.retain(|text| !text.is_empty());
        texts.join(" ").into()
    };
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
                .flat_map(|(key, value)| [Some(key.as_str().into()), text(value, deeper)]);
            join(parts.collect::<Option<_>>()?)
        }
    })
}
