//! What is probably not meant as it is written.

use std::collections::{HashMap, HashSet};

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Span};
use crate::names::APPROVAL;
use crate::shadow::shadows;
use crate::suggest;
use crate::syntax::{Field, Name, Pattern, PatternKind, Scope, Statement, StatementKind};
use crate::tools::KnownTools;
use crate::{names, pattern};

pub(crate) fn lint(statements: &[&Statement], known: Option<&KnownTools>) -> Vec<Diagnostic> {
    let facts = Facts::of(statements);
    let mut lints = Vec::new();
    lints.extend(duplicate_rules(statements));
    for statement in statements {
        lints.extend(about_itself(statement));
        lints.extend(almost_approval(statement));
        lints.extend(overlapping_names(statement));
        lints.extend(mapped_away(statement, &facts));
        for name in statement.kind.rule_names() {
            lints.extend(unknown_name(name, &facts, known));
        }
        if let (StatementKind::Map { field, .. }, Some(known)) = (&statement.kind, known) {
            lints.extend(unknown_field_tool(field, known));
        }
    }
    lints.extend(shadowed_maps(&facts));
    lints.extend(unused_names(&facts));
    lints
}

/// What the statements say together.
struct Facts<'s> {
    maps: Vec<Map<'s>>,
    /// The virtual names that maps produce.
    produced: HashSet<&'s str>,
    /// The names that rules use.
    used: HashSet<&'s str>,
}

#[derive(Clone, Copy)]
struct Map<'s> {
    field: &'s Field,
    pattern: &'s Pattern,
    name: &'s Name,
    span: Span,
}

impl<'s> Facts<'s> {
    fn of(statements: &[&'s Statement]) -> Self {
        let maps: Vec<Map<'_>> = statements
            .iter()
            .filter_map(|statement| match &statement.kind {
                StatementKind::Map { field, pattern, name } => {
                    Some(Map { field, pattern, name, span: statement.span })
                }
                _ => None,
            })
            .collect();
        let produced = maps.iter().map(|map| map.name.text.as_str()).collect();
        let names = statements.iter().flat_map(|statement| statement.kind.rule_names());
        Self { produced, used: names.map(|name| name.text.as_str()).collect(), maps }
    }
}

fn duplicate_rules(statements: &[&Statement]) -> Vec<Diagnostic> {
    let mut seen: HashMap<&StatementKind, Span> = HashMap::new();
    let mut lints = Vec::new();
    for statement in statements.iter().filter(|statement| statement.kind.is_rule()) {
        if let Some(&first) = seen.get(&statement.kind) {
            let message = format!("`{}` stands here twice", statement.kind);
            let lint = Diagnostic::new(Code::DuplicateRule, statement.span, message);
            lints.push(lint.related(first, "first here").help("delete one of the two lines"));
        } else {
            seen.insert(&statement.kind, statement.span);
        }
    }
    lints
}

/// Rules that a tool cannot have with itself, and limits that are none.
fn about_itself(statement: &Statement) -> Option<Diagnostic> {
    match &statement.kind {
        StatementKind::Require { prerequisite, dependent } if prerequisite == dependent => {
            let message = format!("`{dependent}` is required before itself");
            let help = "what is required is never refused, so this rule refuses nothing; name another tool or delete it";
            let lint = Diagnostic::new(Code::RequireItself, dependent.span, message);
            Some(lint.help(help))
        }
        StatementKind::Limit { tool, count, scope: Scope::Tool(scope) } if tool == scope => {
            let message = format!("the budget of `{tool}` is refilled by `{tool}` itself");
            let help = format!(
                "what refills a budget is never refused, so this rule refuses nothing; write `limit {tool} to {count} per session`"
            );
            Some(Diagnostic::new(Code::LimitPerItself, scope.span, message).help(help))
        }
        StatementKind::Limit { tool, count: 0, .. } => {
            let message = format!("a limit of 0 never lets `{tool}` run");
            let help = format!("write `block {tool}`, which says so");
            Some(Diagnostic::new(Code::ZeroLimit, statement.span, message).help(help))
        }
        _ => None,
    }
}

/// `require approval before deploy` waits for a tool named `approval`, and nobody is asked.
fn almost_approval(statement: &Statement) -> Option<Diagnostic> {
    let StatementKind::Require { prerequisite, dependent } = &statement.kind else { return None };
    let plain = prerequisite.text.to_lowercase().replace(['-', '_', '.', ':'], "");
    let almost =
        ["approval", "approve", "humanapproval", "humanapprove", "human", "manualapproval"];
    if !almost.contains(&plain.as_str()) && suggest::closest(&plain, ["humanapproval"]).is_none() {
        return None;
    }
    let message = format!("`{prerequisite}` is read as a tool, and nobody is asked");
    let help = format!("did you mean `require {APPROVAL} before {dependent}`?");
    Some(Diagnostic::new(Code::AlmostApproval, prerequisite.span, message).help(help))
}

/// `discord.post` is a `discord` too, so a rule between the two is about one call.
fn overlapping_names(statement: &Statement) -> Option<Diagnostic> {
    let mut names = statement.kind.rule_names();
    let (first, second) = (names.next()?, names.next()?);
    let is_action = |tool: &Name, action: &Name| {
        action.text.strip_prefix(tool.text.as_str()).is_some_and(|rest| rest.starts_with('.'))
    };
    let (tool, action) = match (is_action(first, second), is_action(second, first)) {
        (true, _) => (first, second),
        (_, true) => (second, first),
        _ => return None,
    };
    let message = format!("every call of `{action}` is a call of `{tool}` too");
    let help = "the rule looks at both names of such a call at once; name two different actions";
    Some(Diagnostic::new(Code::OverlappingNames, statement.span, message).help(help))
}

/// A rule on a tool all of whose calls are something else.
fn mapped_away(statement: &Statement, facts: &Facts<'_>) -> Option<Diagnostic> {
    statement.kind.rule_names().find_map(|name| {
        let all = facts.maps.iter().find(|map| {
            map.field.tool == name.text
                && map.name != name
                && matches!(&map.pattern.kind, PatternKind::Regex(regex) if pattern::matches_everything(regex))
        })?;
        let message = format!("no call of `{name}` with a `{}` is left for this rule", all.field.field);
        let help = format!(
            "this map makes all of them something else, at the latest `{0}`; write the rule for `{0}`, or make the map match less",
            all.name
        );
        let lint = Diagnostic::new(Code::MappedAway, name.span, message);
        Some(lint.related(all.pattern.span, "matches every call").help(help))
    })
}

fn unknown_name(name: &Name, facts: &Facts<'_>, known: Option<&KnownTools>) -> Option<Diagnostic> {
    let text = name.text.as_str();
    if facts.produced.contains(text) {
        return None;
    }
    let Some(known) = known else {
        // Without a list of tools every name may be one, unless it is a slip of a virtual one.
        let unused = facts.produced.iter().copied().filter(|name| !facts.used.contains(name));
        let meant = suggest::closest(text, sorted(unused))?;
        let message = format!("no map makes a call `{text}`");
        let lint = Diagnostic::new(Code::UnmappedName, name.span, message);
        return Some(lint.help(format!("did you mean `{meant}`?")));
    };
    if known.knows(text) {
        return None;
    }
    let candidates = facts.produced.iter().copied().chain(known.names());
    let help = match suggest::closest(text, sorted(candidates)) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!(
            "name a tool of {known}, or make such calls with `map TOOL.FIELD PATTERN as {text}`"
        ),
    };
    let message = format!("`{text}` is neither a tool of {known} nor made by a map");
    Some(Diagnostic::new(Code::UnknownTool, name.span, message).help(help))
}

fn unknown_field_tool(field: &Field, known: &KnownTools) -> Option<Diagnostic> {
    if known.knows(&field.tool) {
        return None;
    }
    let message = format!("`{}` is not a tool of {known}", field.tool);
    let help = match suggest::closest(&field.tool, known.names()) {
        Some(meant) => format!("did you mean `{meant}.{}`?", field.field),
        None => "this map will never match; name a tool that is there".into(),
    };
    Some(Diagnostic::new(Code::UnknownTool, field.span, message).help(help))
}

/// In one order, so that equally close names give the same hint every time.
fn sorted<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names
}

/// Pairs of maps that are compared; with more maps on one field, only the nearest before are.
const COMPARED_MAX: usize = 500;

fn shadowed_maps(facts: &Facts<'_>) -> Vec<Diagnostic> {
    let mut by_field: HashMap<&Field, Vec<Map<'_>>> = HashMap::new();
    let mut lints = Vec::new();
    for map in &facts.maps {
        let earlier = by_field.entry(map.field).or_default();
        let nearest = earlier.iter().rev().take(COMPARED_MAX);
        if let Some(first) =
            nearest.rev().find(|first| shadows(&first.pattern.kind, &map.pattern.kind))
        {
            let message = format!("this map never matches first: `{}` always does", first.pattern);
            let help = match first.name == map.name {
                true => "delete it; both make the same name".to_owned(),
                false => {
                    format!("the first match wins; move this line before line {}", first.span.line)
                }
            };
            let lint = Diagnostic::new(Code::ShadowedMap, map.pattern.span, message);
            lints.push(lint.related(first.pattern.span, "matches before it").help(help));
        }
        earlier.push(*map);
    }
    lints
}

fn unused_names(facts: &Facts<'_>) -> Vec<Diagnostic> {
    let mut told: HashSet<&str> = HashSet::new();
    let mut lints = Vec::new();
    for map in &facts.maps {
        let name = map.name.text.as_str();
        // A map to the tool's own name takes calls out of the maps behind it, which is a use.
        if facts.used.contains(name) || name == map.field.tool || !told.insert(name) {
            continue;
        }
        let message = format!("no rule uses `{name}`");
        let rules =
            sorted(facts.used.iter().copied().filter(|used| !facts.produced.contains(used)));
        let help = match suggest::closest(name, rules) {
            Some(meant) => format!("did you mean `{meant}`, which a rule uses?"),
            None => format!(
                "write a rule about it, such as `require {} before {name}`",
                names::APPROVAL
            ),
        };
        lints.push(Diagnostic::new(Code::UnusedName, map.name.span, message).help(help));
    }
    lints
}
