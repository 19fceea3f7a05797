//! Maps: what a call stands for, from what its input says.

mod field;
mod prefix;
mod regexes;
mod shell;
mod values;

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use petriflow_gate::{Action, Resolution, Resolver, ToolCall};
use serde_json::Value;

use self::field::FieldMaps;
use self::values::{Found, leaves, text, values, whole};
use crate::syntax::{Statement, StatementKind};

/// All maps of a policy in one table, and the dotted names its rules use.
///
/// A call is the virtual tool of the first map on a field that matches, or its own tool if none does. A
/// field that holds a shell command is looked at command by command. If rules name one of its actions
/// (`discord.post` for `discord` with the input `action: "post"`), the call is that as well.
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
        let mut declared: HashMap<String, bool> = HashMap::new();
        for statement in statements {
            maps.add(&statement.kind);
            match &statement.kind {
                StatementKind::Shell { field } => declared.insert(field.to_string(), true),
                StatementKind::Plain { field } => declared.insert(field.to_string(), false),
                _ => None,
            };
        }
        for (tool, fields) in &mut maps.tools {
            for field in fields {
                let last = field.path.rsplit('.').next().unwrap_or_default();
                let is_usual = ["command", "cmd", "script"].contains(&last);
                let whole = format!("{tool}.{}", field.path);
                field.is_shell = declared.get(&whole).copied().unwrap_or(is_usual);
            }
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

    /// What a call stands for, as far as its maps tell.
    fn mapped(&self, call: &ToolCall) -> Result<Mapped, String> {
        let mut mapped = Mapped::default();
        let Some(fields) = self.tools.get(call.tool.as_str()) else { return Ok(mapped) };
        if let Value::String(_) | Value::Number(_) | Value::Bool(_) = call.input {
            return Err(format!("The input of {} is not an object.", call.tool));
        }
        for field in fields {
            for Found { value, in_list } in self.values(call, &field.path) {
                if field.is_shell {
                    mapped.commands.extend(self.commands(call, field, value)?);
                } else {
                    self.map_value(call, field, value, in_list, &mut mapped.names)?;
                }
            }
        }
        Ok(mapped)
    }

    /// The values that a map's path leads to. `discord.post.text` also means the field `text` of a
    /// `discord` whose action is `post`.
    fn values<'c>(&self, call: &'c ToolCall, path: &str) -> Vec<Found<'c>> {
        let mut found = values(&call.input, path);
        if let Some((first, rest)) = path.split_once('.')
            && call.input.get("action").is_some_and(|action| text(action) == first)
        {
            found.extend(values(&call.input, rest));
        }
        found
    }

    /// The virtual tool of the first map that matches. A list is looked at item by item, and the
    /// call goes by the names of all of them: one item must not hide another.
    fn map_value(
        &self,
        call: &ToolCall,
        field: &FieldMaps,
        value: &Value,
        in_list: bool,
        names: &mut Vec<String>,
    ) -> Result<(), String> {
        let mut add = |name: &str| {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        };
        let leaves = leaves(value);
        let is_one_of_many = in_list || matches!(value, Value::Array(_) | Value::Object(_));
        for text in &leaves {
            let found = field.first_match(text)?;
            match found {
                Some(number) => add(self.name(number)),
                None if is_one_of_many => add(&call.tool),
                None => {}
            }
            // A new line must not hide what an anchor is about.
            if text.contains('\n')
                && let Some(number) = field.first_line_match(text)?
                && found != Some(number)
            {
                add(self.name(number));
                if found.is_none() {
                    add(&call.tool);
                }
            }
        }
        if let Value::Array(_) | Value::Object(_) = value {
            // Together the items may say what none of them says alone.
            field.all_matches(&whole(value))?.for_each(|number| add(self.name(number)));
        }
        Ok(())
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "numbers are positions in the list, and a panic is a refusal; no name would be an allow"
    )]
    fn name(&self, number: u32) -> &str {
        &self.names[number as usize]
    }

    /// The name of the call's action, if a rule names it.
    fn dotted_name(&self, call: &ToolCall) -> Result<Option<String>, String> {
        if !self.before_dots.contains(call.tool.as_str()) {
            return Ok(None);
        }
        let unclear = || {
            let tool = &call.tool;
            format!(
                "{tool} has rules about its actions, and the action of this call is not a text."
            )
        };
        let action = match &call.input {
            Value::Object(input) => input.get("action").unwrap_or(&Value::Null),
            Value::Null => &Value::Null,
            _ => return Err(unclear()),
        };
        let name = match action {
            Value::Null => return Ok(None),
            Value::Array(_) | Value::Object(_) => return Err(unclear()),
            _ => format!("{}.{}", call.tool, text(action)),
        };
        Ok(Some(name).filter(|name| self.dotted.contains(name)))
    }

    fn resolved(&self, call: &ToolCall) -> Result<Resolution, String> {
        let Mapped { mut commands, mut names } = self.mapped(call)?;
        let dotted = self.dotted_name(call)?;
        if commands.is_empty() {
            let tool = if names.is_empty() { call.tool.clone() } else { names.remove(0) };
            commands.push(Action::new(tool));
        }
        if let Some(first) = commands.first_mut() {
            // What the whole call is, its first part is: later ones could rely on what comes before.
            first.also.extend(names);
            first.special = dotted;
        }
        match commands.as_slice() {
            [only]
                if only.tool == call.tool
                    && only.also.is_empty()
                    && only.special.is_none()
                    && !only.detached =>
            {
                Ok(Resolution::Itself)
            }
            _ => Ok(Resolution::Actions(commands)),
        }
    }
}

/// What the maps make of a call.
#[derive(Default)]
struct Mapped {
    /// The commands in its shell fields.
    commands: Vec<Action>,
    /// Its names by other fields.
    names: Vec<String>,
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
