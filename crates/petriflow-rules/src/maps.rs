//! Maps: what a call stands for, from what its input says.

use std::borrow::Cow;
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
            // A tool may have a dot in its name, and a field may be deep in the input.
            let whole = field.to_string();
            for (tool, path) in whole.match_indices('.').map(|(dot, _)| whole.split_at(dot)) {
                let path = path.strip_prefix('.').unwrap_or_default();
                self.field_maps(tool, path).add(&pattern.kind, number);
            }
        }
        if !kind.is_rule() {
            let _ = writeln!(self.fingerprint, "{kind}");
        }
    }

    fn field_maps(&mut self, tool: &str, path: &str) -> &mut FieldMaps {
        let fields = self.tools.entry(tool.to_owned()).or_default();
        let at = fields.iter().position(|maps| maps.path == path).unwrap_or(fields.len());
        if at == fields.len() {
            fields.push(FieldMaps::new(path));
        }
        #[expect(clippy::indexing_slicing, reason = "it was found or just added")]
        &mut fields[at]
    }

    /// Whether every call stands for itself.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.dotted.is_empty()
    }

    /// The names of a call: the virtual tool of the first map that matches, or its own tool. A list
    /// in its input is looked at item by item, and the call goes by the names of all of them.
    fn names<'c>(&'c self, call: &'c ToolCall) -> Result<Vec<&'c str>, String> {
        let Some(fields) = self.tools.get(call.tool.as_str()) else { return Ok(Vec::new()) };
        let mut first: Option<u32> = None;
        let mut of_items: Vec<Option<u32>> = Vec::new();
        for field in fields {
            for value in values(&call.input, &field.path) {
                let texts = texts(value).ok_or("the input is nested too deeply")?;
                let mut matches = texts.iter().map(|text| field.first_match(text));
                if let Value::Array(_) = value {
                    for found in matches {
                        of_items.push(found?);
                    }
                    // Together the items may say what none of them says alone.
                    let joined = field.first_match(&texts.join(" "))?;
                    of_items.extend(joined.map(Some));
                } else if let Some(found) = matches.next() {
                    first = earlier(first, found?);
                }
            }
        }
        if of_items.is_empty() {
            of_items.push(None);
        }
        let mut names: Vec<&str> = Vec::new();
        for found in of_items {
            let number = earlier(first, found);
            let mapped = number.and_then(|number| self.names.get(number as usize));
            let name = mapped.map_or(call.tool.as_str(), String::as_str);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Ok(names)
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
        let names = self.names(call)?;
        let dotted = self.dotted_name(call)?;
        let (first, others) = match names.split_first() {
            Some((first, others)) => (*first, others),
            None => (call.tool.as_str(), &[][..]),
        };
        if first == call.tool && others.is_empty() && dotted.is_none() {
            return Ok(Resolution::Itself);
        }
        let mut action = Action::new(first);
        action.also.extend(others.iter().map(|&name| name.to_owned()));
        action.also.extend(dotted);
        Ok(Resolution::Actions(vec![action]))
    }
}

fn earlier(a: Option<u32>, b: Option<u32>) -> Option<u32> {
    [a, b].into_iter().flatten().min()
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
    /// The field, or a way through several with dots between them.
    path: String,
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
    fn new(path: &str) -> Self {
        let (words, regexes) = (Vec::new(), Vec::new());
        Self { path: path.into(), words, regexes, matcher: OnceLock::new() }
    }

    fn add(&mut self, pattern: &PatternKind, number: u32) {
        match pattern {
            PatternKind::Word(word) => self.words.push((word.clone(), number)),
            PatternKind::Regex(regex) => self.regexes.push((regex.clone(), number)),
        }
    }

    /// The number of the first map that matches, in one pass for the words and one for the regexes.
    fn first_match(&self, text: &str) -> Result<Option<u32>, String> {
        let matcher = self.matcher.get_or_init(|| self.build()).as_ref()?;
        let words = matcher.words.as_ref().and_then(|words| self.first_word(words, text));
        let regex = matcher.regexes.as_ref().and_then(|regexes| {
            let first = regexes.matches(text).iter().next()?;
            self.regexes.get(first).map(|&(_, number)| number)
        });
        Ok(earlier(words, regex))
    }

    fn first_word(&self, words: &AhoCorasick, text: &str) -> Option<u32> {
        let mut first: Option<u32> = None;
        for found in words.find_overlapping_iter(text) {
            let number = self.words.get(found.pattern().as_usize()).map(|&(_, number)| number);
            let before = text.get(..found.start()).and_then(|text| text.chars().next_back());
            let after = text.get(found.end()..).and_then(|text| text.chars().next());
            let stands_alone =
                !before.is_some_and(is_word_character) && !after.is_some_and(is_word_character);
            if stands_alone {
                first = earlier(first, number);
                if first == self.words.first().map(|&(_, number)| number) {
                    break;
                }
            }
        }
        first
    }

    fn build(&self) -> Result<Matcher, String> {
        let failed = |error: &dyn std::fmt::Display| {
            format!("the maps on `{}` cannot be built: {error}", self.path)
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

/// The values at a path: a name of the input itself, or names that lead through objects and lists.
fn values<'v>(input: &'v Value, path: &str) -> Vec<&'v Value> {
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
fn texts(value: &Value) -> Option<Vec<Cow<'_, str>>> {
    match value {
        Value::Array(items) => items.iter().map(|item| text(item, 0)).collect(),
        _ => Some(vec![text(value, 0)?]),
    }
}

/// Levels of lists and objects that are looked into, as many as the gate accepts.
const NESTING_MAX: u32 = 128;

fn text(value: &Value, depth: u32) -> Option<Cow<'_, str>> {
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
