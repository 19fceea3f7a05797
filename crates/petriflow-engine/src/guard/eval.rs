//! Evaluation. Every rule that could turn an error into an answer is here.
//!
//! An error ends the evaluation of the whole guard: no operator catches one. Only what is not needed
//! (behind a decided `and` or `or`, in a branch not taken, behind a broken link of a chain) is not
//! evaluated, and `exists` looks whether a field is there instead of reading it.

use std::cell::Cell;

use serde_json::Value;

use super::Scope;
use super::ast::{Comparison, Expr, Function, Kind, Operator, Path, Span};
use super::error::{EvalError, EvalErrorKind};
use super::value::{Operand, Sort, weight};

/// The most bytes, roughly, of the lists that one evaluation makes. Without a bound a short text
/// could copy a large context thousands of times.
pub const MADE_BYTES_MAX: usize = 16 << 20;

/// An error without the text that describes it: making that is left to the end.
#[derive(Debug)]
pub(super) struct Fault<'v> {
    kind: FaultKind<'v>,
    span: Span,
}

#[derive(Debug)]
enum FaultKind<'v> {
    /// The first `depth` names lead to something, of the sort `found`, that has not the next one.
    NoField {
        path: &'v Path,
        depth: usize,
        found: Option<Sort>,
    },
    NoPlace {
        name: &'v str,
    },
    NoTokens {
        name: &'v str,
    },
    WrongSort {
        wanted: &'static str,
        found: Sort,
    },
    Inexact,
    ByZero,
    NoResult,
    Overflow,
    TooMuch,
}

type Outcome<'v, T> = Result<T, Fault<'v>>;

pub(super) struct Evaluation<'v> {
    scope: &'v Scope<'v>,
    made: Cell<usize>,
}

impl<'v> Evaluation<'v> {
    pub(super) fn new(scope: &'v Scope<'v>) -> Self {
        Self { scope, made: Cell::new(0) }
    }

    /// The value of an expression.
    pub(super) fn value(&self, expr: &'v Expr) -> Outcome<'v, Operand<'v>> {
        match &expr.kind {
            Kind::Null => Ok(Operand::Null),
            Kind::Bool(value) => Ok(Operand::Bool(*value)),
            Kind::Number(number) => Ok(Operand::Number(*number)),
            Kind::Text(text) => Ok(Operand::Text(text)),
            Kind::Constant(list) => Ok(Operand::Json(list)),
            Kind::Field(path) => field(self.scope.context, path, expr.span).map(Operand::from),
            Kind::Of { path, object } => self.of(path, object, expr.span),
            Kind::If { arms, otherwise } => {
                for arm in arms {
                    if self.truth(&arm.when)? {
                        return self.value(&arm.value);
                    }
                }
                self.value(otherwise)
            }
            Kind::List(parts) => self.list(parts, expr.span),
            Kind::Place { .. }
            | Kind::Minus(_)
            | Kind::Arithmetic { .. }
            | Kind::Power(_)
            | Kind::Call { .. } => self.number(expr).map(Operand::Number),
            Kind::Not(_)
            | Kind::And(_)
            | Kind::Or(_)
            | Kind::Compare { .. }
            | Kind::In { .. }
            | Kind::Matches { .. }
            | Kind::Exists(_)
            | Kind::Empty(_) => self.truth(expr).map(Operand::Bool),
        }
    }

    /// The value of an expression that must be true or false.
    pub(super) fn truth(&self, expr: &'v Expr) -> Outcome<'v, bool> {
        match &expr.kind {
            Kind::Not(operand) => Ok(!self.truth(operand)?),
            Kind::And(parts) => {
                for part in parts {
                    if !self.truth(part)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Kind::Or(parts) => {
                for part in parts {
                    if self.truth(part)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Kind::Compare { first, rest } => self.compare(first, rest),
            Kind::In { item, list, negated } => Ok(self.contains(item, list)? != *negated),
            Kind::Matches { text, pattern } => match self.value(text)? {
                Operand::Text(text) => Ok(pattern.is_match(text)),
                other => Err(wrong("a string", &other, text.span)),
            },
            Kind::Exists(path) => Ok(field(self.scope.context, path, expr.span).is_ok()),
            Kind::Empty(operand) => Ok(self.value(operand)?.is_empty()),
            _ => match self.value(expr)? {
                Operand::Bool(value) => Ok(value),
                other => Err(wrong("true or false", &other, expr.span)),
            },
        }
    }

    fn number(&self, expr: &'v Expr) -> Outcome<'v, f64> {
        match &expr.kind {
            Kind::Number(number) => Ok(*number),
            Kind::Place { name, index } => self.tokens(name, *index, expr.span),
            Kind::Minus(operand) => Ok(-self.number(operand)?),
            Kind::Arithmetic { first, rest } => {
                let mut result = self.number(first)?;
                for (operator, part) in rest {
                    let right = self.number(part)?;
                    let span = expr.span.to(part.span);
                    result = apply(*operator, result, right, part.span, span)?;
                }
                Ok(result)
            }
            Kind::Power(pair) => {
                let base = self.number(&pair.0)?;
                finite(base.powf(self.number(&pair.1)?), expr.span)
            }
            Kind::Call { function, arguments } => self.call(*function, arguments, expr.span),
            _ => as_number(&self.value(expr)?, expr.span),
        }
    }

    fn tokens(&self, name: &'v str, index: Option<usize>, span: Span) -> Outcome<'v, f64> {
        let Some(index) = index.or_else(|| (self.scope.places)(name)) else {
            return Err(Fault { kind: FaultKind::NoPlace { name }, span });
        };
        match self.scope.tokens.get(index) {
            Some(tokens) => Ok(f64::from(*tokens)),
            None => Err(Fault { kind: FaultKind::NoTokens { name }, span }),
        }
    }

    fn of(&self, path: &'v Path, object: &'v Expr, span: Span) -> Outcome<'v, Operand<'v>> {
        match self.value(object)? {
            Operand::Json(value) => field(value, path, span).map(Operand::from),
            other => {
                let found = Some(other.sort());
                Err(Fault { kind: FaultKind::NoField { path, depth: 0, found }, span })
            }
        }
    }

    fn list(&self, parts: &'v [Expr], span: Span) -> Outcome<'v, Operand<'v>> {
        let mut values = Vec::new();
        for part in parts {
            let operand = self.value(part)?;
            // Before the copy is made. A list that was made is counted again when it is put into
            // another one, which is harmless: the depth is bounded.
            let bytes = match &operand {
                Operand::Text(text) => text.len(),
                other => other.json().map_or(0, weight),
            };
            let made = self.made.get().saturating_add(bytes).saturating_add(size_of::<Value>());
            if made > MADE_BYTES_MAX {
                return Err(Fault { kind: FaultKind::TooMuch, span });
            }
            self.made.set(made);
            values.push(operand.into_value());
        }
        Ok(Operand::Made(Box::new(Value::Array(values))))
    }

    fn compare(&self, first: &'v Expr, rest: &'v [(Comparison, Expr)]) -> Outcome<'v, bool> {
        let mut left = (self.value(first)?, first.span);
        for (comparison, part) in rest {
            let right = (self.value(part)?, part.span);
            let holds = match comparison {
                Comparison::Equal => left.0.equals(&right.0),
                Comparison::Unequal => !left.0.equals(&right.0),
                order => {
                    let (a, b) = (as_number(&left.0, left.1)?, as_number(&right.0, right.1)?);
                    ordered(*order, a, b)
                }
            };
            if !holds {
                return Ok(false);
            }
            left = right;
        }
        Ok(true)
    }

    /// Every element is evaluated even if an earlier one is equal: a list is a value, and a value
    /// with an error in it is an error.
    fn contains(&self, item_expr: &'v Expr, list_expr: &'v Expr) -> Outcome<'v, bool> {
        let item = self.value(item_expr)?;
        if item.sort() == Sort::List {
            return Err(wrong("one element", &item, item_expr.span));
        }
        if let Kind::List(parts) = &list_expr.kind {
            let mut found = false;
            for part in parts {
                found |= item.equals(&self.value(part)?);
            }
            return Ok(found);
        }
        let list = self.value(list_expr)?;
        match list.json() {
            Some(Value::Array(values)) => Ok(values.iter().any(|value| item.equals_value(value))),
            _ => Err(wrong("a list", &list, list_expr.span)),
        }
    }

    fn call(&self, function: Function, arguments: &'v [Expr], span: Span) -> Outcome<'v, f64> {
        let mut numbers = arguments.iter().map(|argument| self.number(argument));
        let first = numbers.next().unwrap_or(Err(Fault { kind: FaultKind::NoResult, span }))?;
        let result = match function {
            Function::Abs => first.abs(),
            Function::Ceil => first.ceil(),
            Function::Floor => first.floor(),
            Function::Round => round(first),
            Function::Sqrt => first.sqrt(),
            Function::Log => first.ln(),
            Function::Log2 => first.log2(),
            Function::Log10 => first.log10(),
            Function::Min => numbers.try_fold(first, |least, next| Ok(least.min(next?)))?,
            Function::Max => numbers.try_fold(first, |most, next| Ok(most.max(next?)))?,
        };
        finite(result, span)
    }
}

/// What a path leads to.
fn field<'v>(from: &'v Value, path: &'v Path, span: Span) -> Outcome<'v, &'v Value> {
    let mut value = from;
    for (depth, segment) in path.0.iter().enumerate() {
        let next = match value {
            Value::Object(fields) => fields.get(&*segment.name),
            Value::Array(items) => segment.index.and_then(|index| items.get(index)),
            _ => None,
        };
        value = next.ok_or_else(|| {
            let found = Some(Sort::of(value)).filter(|sort| *sort != Sort::Object);
            Fault { kind: FaultKind::NoField { path, depth, found }, span }
        })?;
    }
    Ok(value)
}

fn as_number<'v>(operand: &Operand<'_>, span: Span) -> Outcome<'v, f64> {
    match operand {
        Operand::Number(number) => Ok(*number),
        Operand::Json(Value::Number(_)) => Err(Fault { kind: FaultKind::Inexact, span }),
        other => Err(wrong("a number", other, span)),
    }
}

fn wrong<'v>(wanted: &'static str, found: &Operand<'_>, span: Span) -> Fault<'v> {
    Fault { kind: FaultKind::WrongSort { wanted, found: found.sort() }, span }
}

fn ordered(comparison: Comparison, a: f64, b: f64) -> bool {
    match comparison {
        Comparison::Equal => a == b,
        Comparison::Unequal => a != b,
        Comparison::Less => a < b,
        Comparison::LessOrEqual => a <= b,
        Comparison::Greater => a > b,
        Comparison::GreaterOrEqual => a >= b,
    }
}

fn apply<'v>(
    operator: Operator,
    left: f64,
    right: f64,
    right_span: Span,
    span: Span,
) -> Outcome<'v, f64> {
    if right == 0.0 && matches!(operator, Operator::Divide | Operator::Modulo) {
        return Err(Fault { kind: FaultKind::ByZero, span: right_span });
    }
    let result = match operator {
        Operator::Plus => left + right,
        Operator::Minus => left - right,
        Operator::Times => left * right,
        Operator::Divide => left / right,
        // With the sign of the divisor, so that `x mod 7` is a day of the week for every `x`.
        Operator::Modulo => {
            let rest = left % right;
            if rest != 0.0 && (rest < 0.0) != (right < 0.0) { rest + right } else { rest }
        }
    };
    finite(result, span)
}

/// Halves go up, `-2.5` to `-2`.
fn round(number: f64) -> f64 {
    let down = number.floor();
    if number - down >= 0.5 { down + 1.0 } else { down }
}

fn finite<'v>(number: f64, span: Span) -> Outcome<'v, f64> {
    if number.is_finite() {
        return Ok(number);
    }
    let kind = if number.is_nan() { FaultKind::NoResult } else { FaultKind::Overflow };
    Err(Fault { kind, span })
}

impl Fault<'_> {
    /// The error with its text; `text` is the guard's.
    pub(super) fn describe(&self, text: &str) -> EvalError {
        let range = self.span.range();
        let part = text.get(range.clone()).unwrap_or_default();
        let (kind, message) = match &self.kind {
            FaultKind::NoField { path, depth, found } => {
                (EvalErrorKind::UnknownField, no_field(path, *depth, *found))
            }
            FaultKind::NoPlace { name } => {
                (EvalErrorKind::UnknownPlace, format!("there is no place `{name}`"))
            }
            FaultKind::NoTokens { name } => (
                EvalErrorKind::UnknownPlace,
                format!("the marking does not reach to place `{name}`"),
            ),
            FaultKind::WrongSort { wanted, found } => {
                (EvalErrorKind::WrongType, format!("`{part}` is {found} where {wanted} is needed"))
            }
            FaultKind::Inexact => {
                let message = format!("`{part}` is too large an integer to compute with exactly");
                (EvalErrorKind::TooLarge, message)
            }
            FaultKind::ByZero => (
                EvalErrorKind::Undefined,
                format!("`{part}` is zero, and nothing can be divided by it"),
            ),
            FaultKind::NoResult => {
                (EvalErrorKind::Undefined, format!("`{part}` is not defined for these numbers"))
            }
            FaultKind::Overflow => {
                (EvalErrorKind::Undefined, format!("`{part}` is larger than any number"))
            }
            FaultKind::TooMuch => {
                let message = format!("the lists take more than {MADE_BYTES_MAX} bytes");
                (EvalErrorKind::TooLarge, message)
            }
        };
        EvalError { kind, message, range }
    }
}

fn no_field(path: &Path, depth: usize, found: Option<Sort>) -> String {
    let name = path.0.get(depth).map_or("", |segment| &segment.name);
    let parent = path.leading_text(depth);
    match (parent.as_str(), found) {
        ("", None) => format!("there is no field `{name}`"),
        ("", Some(found)) => format!("there is no field `{name}` in {found}"),
        (parent, None) => format!("`{parent}` has no field `{name}`"),
        (parent, Some(Sort::List)) => format!("the list `{parent}` has no element `{name}`"),
        (parent, Some(found)) => format!("`{parent}` is {found}, which has no field `{name}`"),
    }
}
