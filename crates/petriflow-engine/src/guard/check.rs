//! What can be said about a guard before it runs.
//!
//! Only what is certain is said about types: a field may hold anything by the time the guard is
//! evaluated, so no type is taken from the example. A guard without findings may still fail.

use std::ops::Range;

use serde_json::Value;

use super::ast::{Comparison, Expr, Kind, quoted};
use super::eval::Evaluation;
use super::value::Sort;
use super::{EvalErrorKind, FieldUse, Guard, Scope};
use crate::suggest::closest;

/// What is known where the guard stands.
#[derive(Clone, Copy)]
pub struct Known<'k> {
    /// An example of the context. What is null or empty below its top may hold anything.
    pub context: &'k Value,
    /// The names of all places.
    pub places: &'k [String],
    /// What the expression is for.
    pub purpose: Purpose,
}

/// What an expression is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// It must be true or false, and should depend on something.
    Condition,
    /// It may have any value.
    Value,
}

/// What is wrong with a guard that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The sort of problem.
    pub problem: Problem,
    /// The bytes of the text.
    pub range: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

/// The sorts of [`Finding`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Problem {
    /// The example of the context has no such field.
    UnknownField,
    /// There is no such place.
    UnknownPlace,
    /// A value can never be of the type that is needed.
    WrongType,
    /// The guard has the same answer in every context and marking.
    Constant,
}

/// Looks for what is wrong with a guard, in the order of its text.
pub fn check(guard: &Guard, known: &Known<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    unknown_fields(guard, known.context, &mut findings);
    unknown_places(guard, known.places, &mut findings);
    let expr = &guard.0.expr;
    let types = Types { text: guard.text() };
    expr.walk(&mut |expr| types.check(expr, &mut findings));
    if known.purpose == Purpose::Condition {
        types.needs(expr, Sort::Bool, "a guard", &mut findings);
        let is_wrong = findings.iter().any(|finding| finding.problem == Problem::WrongType);
        findings.extend(constant(guard).filter(|_| !is_wrong));
    }
    findings.sort_by_key(|finding| (finding.range.start, finding.range.end));
    findings
}

fn unknown_fields(guard: &Guard, context: &Value, findings: &mut Vec<Finding>) {
    let fields = guard.fields();
    // Who asks whether a field is there knows that it may be missing.
    let asked = |field: &FieldUse| {
        fields.iter().any(|other| other.only_exists && field.path.starts_with(&other.path))
    };
    for field in &fields {
        if !asked(field)
            && let Some((message, help)) = missing(&field.path, context)
        {
            let (problem, range) = (Problem::UnknownField, field.range.clone());
            findings.push(Finding { problem, range, message, help });
        }
    }
}

/// Why the example does not have the field, unless it leaves that open.
fn missing(path: &[String], context: &Value) -> Option<(String, Option<String>)> {
    let mut value = context;
    for (depth, name) in path.iter().enumerate() {
        let parent = path.iter().take(depth).map(|name| quoted(name)).collect::<Vec<_>>().join(".");
        let fields = match value {
            Value::Object(fields) => fields,
            // Nothing is known yet about what is here, or about the other elements of a list.
            Value::Null | Value::Array(_) => return None,
            other => {
                let found = Sort::of(other);
                return Some((format!("`{parent}` is {found}, which has no field `{name}`"), None));
            }
        };
        if fields.is_empty() && depth > 0 {
            return None;
        }
        let Some(inner) = fields.get(name) else {
            let message = match parent.as_str() {
                "" => format!("the context has no field `{name}`"),
                parent => format!("`{parent}` has no field `{name}`"),
            };
            let meant = closest(name, fields.keys().map(String::as_str));
            let help = match meant {
                Some(meant) => format!("did you mean `{}`?", quoted(meant)),
                None => "give it a value in `initialContext`, or ask `exists(…)` first".to_owned(),
            };
            return Some((message, Some(help)));
        };
        value = inner;
    }
    None
}

fn unknown_places(guard: &Guard, places: &[String], findings: &mut Vec<Finding>) {
    for found in guard.places().into_iter().filter(|found| !places.contains(&found.place)) {
        let message = format!("there is no place `{}`", found.place);
        let meant = closest(&found.place, places.iter().map(String::as_str));
        let help = meant.map(|meant| format!("did you mean `marking.{}`?", quoted(meant)));
        findings.push(Finding {
            problem: Problem::UnknownPlace,
            range: found.range,
            message,
            help,
        });
    }
}

struct Types<'t> {
    text: &'t str,
}

impl Types<'_> {
    fn check(&self, expr: &Expr, findings: &mut Vec<Finding>) {
        match &expr.kind {
            Kind::Not(operand) => self.needs(operand, Sort::Bool, "`not`", findings),
            Kind::Minus(operand) => self.needs(operand, Sort::Number, "`-`", findings),
            Kind::And(parts) => self.all_need(parts, Sort::Bool, "`and`", findings),
            Kind::Or(parts) => self.all_need(parts, Sort::Bool, "`or`", findings),
            Kind::If { arms, .. } => {
                for arm in arms {
                    self.needs(&arm.when, Sort::Bool, "`if`", findings);
                }
            }
            Kind::Compare { first, rest } => {
                let mut left: &Expr = first;
                for (comparison, right) in rest {
                    self.compare(left, *comparison, right, findings);
                    left = right;
                }
            }
            Kind::In { item, list, .. } => {
                self.needs(list, Sort::List, "`in`", findings);
                if sort(item) == Some(Sort::List) {
                    let message = "`in` looks for one element, not for a list".to_owned();
                    let help = Some("ask for each element, joined with `and`".to_owned());
                    findings.push(wrong_type(item, message, help));
                }
            }
            Kind::Matches { text, .. } => self.needs(text, Sort::Text, "`~=`", findings),
            Kind::Arithmetic { first, rest } => {
                self.needs(first, Sort::Number, "arithmetic", findings);
                for (_, part) in rest {
                    self.needs(part, Sort::Number, "arithmetic", findings);
                }
            }
            Kind::Power(pair) => {
                self.needs(&pair.0, Sort::Number, "`^`", findings);
                self.needs(&pair.1, Sort::Number, "`^`", findings);
            }
            Kind::Call { arguments, .. } => {
                self.all_need(arguments, Sort::Number, "the function", findings);
            }
            Kind::Of { object, .. } => self.needs(object, Sort::Object, "`of`", findings),
            _ => {}
        }
    }

    fn all_need(&self, parts: &[Expr], wanted: Sort, who: &str, findings: &mut Vec<Finding>) {
        parts.iter().for_each(|part| self.needs(part, wanted, who, findings));
    }

    fn needs(&self, expr: &Expr, wanted: Sort, who: &str, findings: &mut Vec<Finding>) {
        let Some(found) = sort(expr).filter(|found| *found != wanted) else { return };
        let part = self.text.get(expr.span.range()).unwrap_or_default();
        let message = format!("`{part}` is {found} where {who} needs {wanted}");
        let help = match (wanted, &expr.kind) {
            (Sort::List, _) => Some("a list of one element is written `(a,)`".to_owned()),
            (_, Kind::Not(_)) => Some(NOT_BINDS.to_owned()),
            _ => None,
        };
        findings.push(wrong_type(expr, message, help));
    }

    fn compare(
        &self,
        left: &Expr,
        comparison: Comparison,
        right: &Expr,
        findings: &mut Vec<Finding>,
    ) {
        if comparison.is_order() {
            self.needs(left, Sort::Number, "an order", findings);
            self.needs(right, Sort::Number, "an order", findings);
            return;
        }
        let (Some(a), Some(b)) = (sort(left), sort(right)) else { return };
        if a != b {
            let whole = Expr { kind: Kind::Null, span: left.span.to(right.span) };
            let help = matches!(left.kind, Kind::Not(_)).then(|| NOT_BINDS.to_owned());
            findings.push(wrong_type(&whole, format!("{a} never equals {b}"), help));
        }
    }
}

const NOT_BINDS: &str = "`not` comes before comparisons: write `not (a == b)`";

fn wrong_type(expr: &Expr, message: String, help: Option<String>) -> Finding {
    Finding { problem: Problem::WrongType, range: expr.span.range(), message, help }
}

/// What an expression is whenever it has a value, if that is certain.
fn sort(expr: &Expr) -> Option<Sort> {
    match &expr.kind {
        Kind::Null => Some(Sort::Null),
        Kind::Text(_) => Some(Sort::Text),
        Kind::Constant(_) | Kind::List(_) => Some(Sort::List),
        Kind::Number(_)
        | Kind::Place { .. }
        | Kind::Minus(_)
        | Kind::Arithmetic { .. }
        | Kind::Power(_)
        | Kind::Call { .. } => Some(Sort::Number),
        Kind::Bool(_)
        | Kind::Not(_)
        | Kind::And(_)
        | Kind::Or(_)
        | Kind::Compare { .. }
        | Kind::In { .. }
        | Kind::Matches { .. }
        | Kind::Exists(_)
        | Kind::Empty(_) => Some(Sort::Bool),
        Kind::If { arms, otherwise } => {
            let last = sort(otherwise);
            last.filter(|_| arms.iter().all(|arm| sort(&arm.value) == last))
        }
        Kind::Field(_) | Kind::Of { .. } => None,
    }
}

/// A guard that has an answer without any field or place has that answer always.
fn constant(guard: &Guard) -> Option<Finding> {
    // What `exists` says about an empty context is not always so.
    if guard.fields().iter().any(|field| field.only_exists) {
        return None;
    }
    let scope = Scope { context: &Value::Null, tokens: &[], places: &|_| None };
    // A bound place has an index, which no tokens reach either.
    let answer = Evaluation::new(&scope).truth(&guard.0.expr);
    let message = match answer.map_err(|fault| fault.describe(guard.text())) {
        Ok(answer) => format!("the guard is always {answer}"),
        Err(error) => match error.kind() {
            EvalErrorKind::UnknownField | EvalErrorKind::UnknownPlace => return None,
            _ => format!("the guard always fails: {error}"),
        },
    };
    let help = Some("let it depend on the context or the marking, or leave it out".to_owned());
    let range = guard.0.expr.span.range();
    Some(Finding { problem: Problem::Constant, range, message, help })
}
