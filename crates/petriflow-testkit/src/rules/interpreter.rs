//! The rules by their meaning: a few lines for each kind, and no net.

use std::collections::BTreeSet;

use petriflow_rules::syntax::{Document, PatternKind, Scope, StatementKind};
use serde_json::Value;

/// Rules that are read anew for every call.
#[derive(Debug, Clone)]
pub struct Interpreter {
    statements: Vec<StatementKind>,
    /// Beside every statement: whether the prerequisite was met, or how much is left.
    state: Vec<u32>,
}

/// What a call goes by, and which of it is the action of its tool.
#[derive(Debug, Clone)]
pub struct Names {
    names: BTreeSet<String>,
    special: Option<String>,
}

/// What the rules say about a call: the numbers of the rules that object or ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// All rules agree.
    Allowed,
    /// These refuse.
    Blocked(BTreeSet<usize>),
    /// None refuses, and these want a person to be asked.
    Asks(BTreeSet<usize>),
}

impl Interpreter {
    /// A session under the rules of a document.
    pub fn new(document: &Document) -> Self {
        let statements: Vec<StatementKind> =
            document.statements().map(|statement| statement.kind.clone()).collect();
        let start = |kind: &StatementKind| match kind {
            StatementKind::Limit { count, .. } => *count,
            _ => 0,
        };
        let state = statements.iter().map(start).collect();
        Self { statements, state }
    }

    /// What a call is called: by the first map on each field that matches or by its tool, and by its
    /// action.
    pub fn names(&self, tool: &str, input: &Value) -> Names {
        let text = |field: &str| input.get(field).and_then(Value::as_str);
        let mut fields: Vec<&str> = Vec::new();
        let mut names = BTreeSet::new();
        for kind in &self.statements {
            let StatementKind::Map { field, pattern, name } = kind else { continue };
            let matches = || text(&field.field).is_some_and(|text| matches(&pattern.kind, text));
            // The first match on a field wins.
            if field.tool == tool && !fields.contains(&field.field.as_str()) && matches() {
                fields.push(&field.field);
                names.insert(name.text.clone());
            }
        }
        if names.is_empty() {
            names.insert(tool.to_owned());
        }
        let dotted = text("action").map(|action| format!("{tool}.{action}"));
        let is_named = |name: &String| {
            self.statements.iter().flat_map(|kind| kind.rule_names()).any(|n| n.text == *name)
        };
        let special = dotted.filter(is_named);
        names.extend(special.clone());
        Names { names, special }
    }

    /// Decides a call that goes by these names. What is allowed, or asked and approved, is counted.
    pub fn decide(&mut self, names: &Names, approved: bool) -> Ruling {
        let mut refusing = BTreeSet::new();
        let mut asking = BTreeSet::new();
        for (number, (kind, &state)) in self.statements.iter().zip(&self.state).enumerate() {
            let names = seen(kind, names);
            let has = |name: &str| names.contains(name);
            match kind {
                StatementKind::Block { tool } if has(&tool.text) => {
                    refusing.insert(number);
                }
                StatementKind::Require { prerequisite, dependent }
                    if has(&dependent.text) && prerequisite != dependent && state == 0 =>
                {
                    refusing.insert(number);
                }
                StatementKind::Limit { tool, scope, .. }
                    if has(&tool.text) && *scope != Scope::Tool(tool.clone()) && state == 0 =>
                {
                    refusing.insert(number);
                }
                StatementKind::RequireApproval { tool } if has(&tool.text) => {
                    asking.insert(number);
                }
                _ => {}
            }
        }
        if !refusing.is_empty() {
            return Ruling::Blocked(refusing);
        }
        if !asking.is_empty() && !approved {
            return Ruling::Asks(asking);
        }
        for (kind, state) in self.statements.iter().zip(&mut self.state) {
            let names = seen(kind, names);
            match kind {
                StatementKind::Require { prerequisite, dependent }
                    if names.contains(&dependent.text) && prerequisite != dependent =>
                {
                    *state = 0;
                }
                StatementKind::Limit { tool, .. } if names.contains(&tool.text) => {
                    *state = state.saturating_sub(1);
                }
                _ => {}
            }
        }
        if asking.is_empty() { Ruling::Allowed } else { Ruling::Asks(asking) }
    }

    /// A call that went by these names has succeeded.
    pub fn succeeded(&mut self, names: &Names) {
        for (kind, state) in self.statements.iter().zip(&mut self.state) {
            let names = seen(kind, names);
            match kind {
                StatementKind::Require { prerequisite, dependent }
                    // What is both does not make up for itself.
                    if names.contains(&prerequisite.text)
                        && (prerequisite == dependent || !names.contains(&dependent.text)) =>
                {
                    *state = 1;
                }
                StatementKind::Limit { tool, count, scope: Scope::Tool(scope) }
                    if names.contains(&scope.text)
                        && (tool == scope || !names.contains(&tool.text)) =>
                {
                    *state = *count;
                }
                _ => {}
            }
        }
    }
}

/// The names that a rule sees: of a tool and its action, the action alone if it names both.
fn seen(kind: &StatementKind, Names { names, special }: &Names) -> BTreeSet<String> {
    let special = special.as_deref().filter(|s| kind.rule_names().any(|name| name.text == **s));
    let is_general = |name: &String| {
        special.is_some_and(|s| s.strip_prefix(name.as_str()).is_some_and(|r| r.starts_with('.')))
    };
    names.iter().filter(|name| !is_general(name)).cloned().collect()
}

/// A word between other characters, or a regex anywhere.
fn matches(pattern: &PatternKind, text: &str) -> bool {
    let regex = match pattern {
        PatternKind::Regex(regex) => format!("(?s){regex}"),
        PatternKind::Word(word) => {
            let word: Vec<char> = word.chars().collect();
            let text: Vec<char> = text.chars().collect();
            let is_word = |c: Option<&char>| c.is_some_and(|&c| c.is_alphanumeric() || c == '_');
            return (0..text.len()).any(|at| {
                text[at..].starts_with(&word)
                    && !is_word(at.checked_sub(1).and_then(|before| text.get(before)))
                    && !is_word(text.get(at + word.len()))
            });
        }
    };
    regex::Regex::new(&regex).expect("the parser accepted it").is_match(text)
}
