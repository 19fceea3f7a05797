//! What is probably not meant as it is written.

use std::collections::{HashMap, HashSet};

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Span};
use crate::names::APPROVAL;
use crate::shadow::Prepared;
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
        lints.extend(almost_approval(statement, &facts, known));
        lints.extend(almost_session(statement, &facts));
        lints.extend(matches_all(statement));
        lints.extend(mapped_away(statement, &facts));
        for name in statement.kind.rule_names() {
            lints.extend(unknown_name(name, &facts, known));
        }
        if let StatementKind::Map { field, .. }
        | StatementKind::Shell { field }
        | StatementKind::Plain { field } = &statement.kind
        {
            lints.extend(deep_field(field));
            lints.extend(known.and_then(|known| unknown_field_tool(field, known)));
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
    /// What names are compared with to find slips, in one order so that hints do not vary.
    unused_names: Vec<&'s str>,
    produced_names: Vec<&'s str>,
}

/// Names that a name is compared with to find a slip. Of more, the others are not suggested.
const SUGGESTED_MAX: usize = 300;

#[derive(Clone, Copy)]
struct Map<'s> {
    /// Whether every call with the field matches.
    takes_all: bool,
    field: &'s Field,
    pattern: &'s Pattern,
    name: &'s Name,
}

impl<'s> Facts<'s> {
    fn of(statements: &[&'s Statement]) -> Self {
        let maps: Vec<Map<'_>> = statements
            .iter()
            .filter_map(|statement| match &statement.kind {
                StatementKind::Map { field, pattern, name } => {
                    Some(Map { takes_all: takes_all(pattern), field, pattern, name })
                }
                _ => None,
            })
            .collect();
        let produced = maps.iter().map(|map| map.name.text.as_str()).collect();
        let names = statements.iter().flat_map(|statement| statement.kind.rule_names());
        let used: HashSet<&str> = names.map(|name| name.text.as_str()).collect();
        let produced: HashSet<&str> = produced;
        let mut produced_names = sorted(produced.iter().copied());
        let mut unused_names = produced_names.clone();
        unused_names.retain(|name| !used.contains(name));
        produced_names.truncate(SUGGESTED_MAX);
        unused_names.truncate(SUGGESTED_MAX);
        Self { maps, produced, used, unused_names, produced_names }
    }
}

fn takes_all(pattern: &Pattern) -> bool {
    matches!(&pattern.kind, PatternKind::Regex(regex) if pattern::matches_everything(regex))
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
fn almost_approval(
    statement: &Statement,
    facts: &Facts<'_>,
    known: Option<&KnownTools>,
) -> Option<Diagnostic> {
    let StatementKind::Require { prerequisite, dependent } = &statement.kind else { return None };
    if !is_almost_approval(prerequisite, facts, known) {
        return None;
    }
    let message = format!("`{prerequisite}` is read as a tool, and nobody is asked");
    let help = format!("did you mean `require {APPROVAL} before {dependent}`?");
    Some(Diagnostic::new(Code::AlmostApproval, prerequisite.span, message).help(help))
}

fn is_almost_approval(name: &Name, facts: &Facts<'_>, known: Option<&KnownTools>) -> bool {
    let is_there = facts.produced.contains(name.text.as_str())
        || known.is_some_and(|known| known.knows(&name.text));
    let plain = name.text.to_lowercase().replace(['-', '_', '.', ':'], "");
    let who = ["", "human", "user", "manual", "person", "my", "operator", "owner"];
    let what = [
        "approval",
        "approvals",
        "approve",
        "approved",
        "review",
        "confirmation",
        "confirm",
        "permission",
    ];
    let both = who.iter().any(|who| {
        plain
            .strip_prefix(who)
            .is_some_and(|rest| what.contains(&rest) && !(who.is_empty() && rest == "review"))
    });
    let alone =
        ["human", "person", "askuser", "askhuman", "approvalhuman"].contains(&plain.as_str());
    !is_there && (both || alone || suggest::slip(&plain, ["humanapproval"]).is_some())
}

/// `limit push to 3 per hour` waits for a tool named `hour`.
fn almost_session(statement: &Statement, facts: &Facts<'_>) -> Option<Diagnostic> {
    let StatementKind::Limit { tool, count, scope: Scope::Tool(scope) } = &statement.kind else {
        return None;
    };
    let plain = scope.text.to_lowercase();
    let singular = plain.strip_suffix('s').unwrap_or(&plain);
    let is_time = ["second", "minute", "hour", "day", "week", "month", "year", "turn", "run"]
        .contains(&singular);
    let is_slip = suggest::slip(&plain, ["session"]).is_some() || singular == "session";
    if facts.produced.contains(scope.text.as_str()) || !(is_time || is_slip) {
        return None;
    }
    let message = format!("`{scope}` is read as a tool, whose success would refill the budget");
    let help = match is_time {
        true => format!(
            "there are no time windows; write `limit {tool} to {count} per session`, or name a tool"
        ),
        false => format!("did you mean `limit {tool} to {count} per session`?"),
    };
    Some(Diagnostic::new(Code::AlmostSession, scope.span, message).help(help))
}

/// A regex that finds something in every text, though it does not look like it.
fn matches_all(statement: &Statement) -> Option<Diagnostic> {
    let StatementKind::Map { pattern, .. } = &statement.kind else { return None };
    let PatternKind::Regex(regex) = &pattern.kind else { return None };
    if pattern::says_everything(regex) || !pattern::matches_everything(regex) {
        return None;
    }
    let message = format!("`{}` matches every text", pattern);
    let help = "a part of it may be empty; write `/.*/` if every call is meant";
    Some(Diagnostic::new(Code::MatchesAll, pattern.span, message).help(help))
}

/// `bash.input.command` looks for a field `input` in the input.
fn deep_field(field: &Field) -> Option<Diagnostic> {
    let (first, rest) = field.field.split_once('.')?;
    if !["input", "tool_input", "args", "arguments", "params", "parameters"].contains(&first) {
        return None;
    }
    let message = format!("`{first}` is looked for inside the input of `{}`", field.tool);
    let help = format!("fields of the input are named directly: write `{}.{rest}`", field.tool);
    Some(Diagnostic::new(Code::DeepField, field.span, message).help(help))
}

/// A rule on a tool all of whose calls are something else.
fn mapped_away(statement: &Statement, facts: &Facts<'_>) -> Option<Diagnostic> {
    statement.kind.rule_names().find_map(|name| {
        let all = facts.maps.iter().find(|map| {
            map.field.tool == name.text
                && map.name != name
                && map.takes_all
        })?;
        let message = format!("no call of `{name}` with a `{}` is left for this rule", all.field.field);
        let help = format!(
            "this map matches all of them, so they are `{}`; write the rule for that name, or make the map match less",
            all.name
        );
        let lint = Diagnostic::new(Code::MappedAway, name.span, message);
        Some(lint.related(all.pattern.span, "matches every call").help(help))
    })
}

fn unknown_name(name: &Name, facts: &Facts<'_>, known: Option<&KnownTools>) -> Option<Diagnostic> {
    let text = name.text.as_str();
    if facts.produced.contains(text) || is_almost_approval(name, facts, known) {
        return None;
    }
    // Only tools have actions; a call that a map renames is what the map says.
    let of_virtual = text.rsplit_once('.').filter(|(tool, _)| facts.produced.contains(tool));
    if let (Some((tool, _)), false) = (of_virtual, known.is_some_and(|known| known.knows(text))) {
        let message = format!("no map makes a call `{text}`");
        let help =
            format!("`{tool}` is made by a map and has no actions; write a `map` for `{text}`");
        return Some(Diagnostic::new(Code::UnmappedName, name.span, message).help(help));
    }
    let Some(known) = known else {
        // Without a list of tools every name may be one, unless it is a slip of a virtual one.
        let unused = facts.unused_names.iter().copied();
        let meant = suggest::closest(text, unused)
            .or_else(|| suggest::slip(text, facts.produced_names.iter().copied()))?;
        let message = format!("no map makes a call `{text}`");
        let lint = Diagnostic::new(Code::UnmappedName, name.span, message);
        return Some(lint.help(format!("did you mean `{meant}`?")));
    };
    if known.knows(text) {
        return None;
    }
    let candidates = facts.produced_names.iter().copied().chain(known.names().take(SUGGESTED_MAX));
    let help = match suggest::closest(text, candidates) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!(
            "name a tool of {known}, or make such calls with `map TOOL.FIELD PATTERN as {text}`"
        ),
    };
    let message = format!("`{text}` is neither a tool of {known} nor made by a map");
    Some(Diagnostic::new(Code::UnknownTool, name.span, message).help(help))
}

fn unknown_field_tool(field: &Field, known: &KnownTools) -> Option<Diagnostic> {
    let whole = field.to_string();
    let tools = whole.match_indices('.').filter_map(|(dot, _)| whole.get(..dot));
    if tools.into_iter().any(|tool| known.knows(tool)) {
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

/// Maps before one that it is compared with; of more on one field, the nearest.
const COMPARED_MAX: usize = 500;

fn shadowed_maps(facts: &Facts<'_>) -> Vec<Diagnostic> {
    let mut by_field: HashMap<&Field, Vec<(Map<'_>, Prepared<'_>)>> = HashMap::new();
    let mut lints = Vec::new();
    for map in &facts.maps {
        let earlier = by_field.entry(map.field).or_default();
        let prepared = Prepared::new(&map.pattern.kind);
        let nearest = earlier.get(earlier.len().saturating_sub(COMPARED_MAX)..).unwrap_or_default();
        let first = nearest.iter().find(|(_, first)| first.shadows(&prepared));
        lints.extend(first.map(|(first, _)| shadowed(first, map)));
        earlier.push((*map, prepared));
    }
    lints
}

fn shadowed(first: &Map<'_>, map: &Map<'_>) -> Diagnostic {
    let message = format!("this map never matches first: `{}` always does", first.pattern);
    let help = match (first.name == map.name, first.pattern == map.pattern) {
        (true, _) => "delete it; both make the same name",
        (false, true) => "delete one of the two lines",
        (false, false) => "the first match wins; move this line before the other",
    };
    let lint = Diagnostic::new(Code::ShadowedMap, map.pattern.span, message);
    lint.related(first.pattern.span, "matches before it").help(help)
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
