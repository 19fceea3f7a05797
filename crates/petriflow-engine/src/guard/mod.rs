//! Guards: small total expressions over a context (JSON) and a marking.
//!
//! A guard decides whether a transition may fire, so an error is never a *yes*: it ends the
//! evaluation, [`Guard::holds`] answers [`Holds::Failed`], and that counts as *no*. What the
//! language is: `docs/guards.md`.
//!
//! - `lexer`, `parser`: from text to `ast`, within bounds of length and depth
//! - `eval`: on values borrowed from the guard and the context (`value`)
//! - `check`: what can be said about a guard before it runs

mod ast;
mod check;
mod error;
mod eval;
mod lexer;
mod parser;
mod value;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

pub use check::{Finding, Known, Problem, Purpose, check};
pub use error::{EvalError, EvalErrorKind, ParseError, UnknownPlace};
pub use eval::MADE_BYTES_MAX;
pub use parser::{LENGTH_MAX, NESTING_MAX, PATTERNS_MAX};

use ast::{Expr, Kind, Path};
use eval::Evaluation;
use value::Operand;

/// An expression, parsed. Clones share it; two are equal if their texts are.
///
/// ```
/// use petriflow_engine::guard::{Guard, Holds, Scope};
/// let guard = Guard::parse("count > 3 and marking.inventory > 0")?;
/// let context = serde_json::json!({"count": 4});
/// let places = |name: &str| (name == "inventory").then_some(0);
/// let scope = Scope { context: &context, tokens: &[2], places: &places };
/// assert_eq!(guard.holds(&scope), Holds::Yes);
/// # Ok::<(), petriflow_engine::guard::ParseError>(())
/// ```
#[derive(Clone)]
pub struct Guard(Arc<Parsed>);

struct Parsed {
    text: Box<str>,
    expr: Expr,
}

/// What a guard is evaluated on.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The fields, an object.
    pub context: &'a Value,
    /// How many tokens each place holds.
    pub tokens: &'a [u32],
    /// The index of a place in `tokens`, for guards that are not bound.
    pub places: &'a dyn Fn(&str) -> Option<usize>,
}

/// Whether a guard lets its transition fire.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Holds {
    /// It is true.
    Yes,
    /// It is false.
    No,
    /// It has no value, or one that is neither true nor false. Counts as no.
    Failed(EvalError),
}

impl Holds {
    /// Whether the transition may fire: only if the guard is true.
    pub fn is_yes(&self) -> bool {
        matches!(self, Self::Yes)
    }
}

/// A place in the text where a guard reads a field of the context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldUse {
    /// The names that lead to the field.
    pub path: Vec<String>,
    /// The bytes of the text.
    pub range: Range<usize>,
    /// Whether the guard only asks if the field is there, by `exists`.
    pub only_exists: bool,
}

/// A place in the text where a guard reads how many tokens a place holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceUse {
    /// The name of the place.
    pub place: String,
    /// The bytes of the text.
    pub range: Range<usize>,
}

impl Guard {
    /// Reads a guard.
    ///
    /// # Errors
    /// If the text is not an expression, is longer than [`LENGTH_MAX`], is nested deeper than
    /// [`NESTING_MAX`], or has more than [`PATTERNS_MAX`] patterns.
    pub fn parse(text: &str) -> Result<Guard, ParseError> {
        let expr = parser::parse(text)?;
        Ok(Guard(Arc::new(Parsed { text: text.into(), expr })))
    }

    /// The text it was read from.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The value of the expression.
    ///
    /// # Errors
    /// If a part that is needed has no value.
    pub fn evaluate(&self, scope: &Scope<'_>) -> Result<Value, EvalError> {
        let value = Evaluation::new(scope).value(&self.0.expr).map(Operand::into_value);
        value.map_err(|fault| fault.describe(self.text()))
    }

    /// Whether the expression is true. An error is not.
    pub fn holds(&self, scope: &Scope<'_>) -> Holds {
        match Evaluation::new(scope).truth(&self.0.expr) {
            Ok(true) => Holds::Yes,
            Ok(false) => Holds::No,
            Err(fault) => Holds::Failed(fault.describe(self.text())),
        }
    }

    /// The fields it reads, in the order of the text, one for each time.
    pub fn fields(&self) -> Vec<FieldUse> {
        let mut fields = Vec::new();
        self.0.expr.walk(&mut |expr| match &expr.kind {
            Kind::Field(path) => fields.push(field_use(path, expr, false)),
            Kind::Exists(path) => fields.push(field_use(path, expr, true)),
            _ => {}
        });
        fields
    }

    /// The places it reads, in the order of the text, one for each time.
    pub fn places(&self) -> Vec<PlaceUse> {
        let mut places = Vec::new();
        self.0.expr.walk(&mut |expr| {
            if let Kind::Place { name, .. } = &expr.kind {
                places.push(PlaceUse { place: name.to_string(), range: expr.span.range() });
            }
        });
        places
    }

    /// The same guard with every place looked up once; it no longer asks [`Scope::places`].
    ///
    /// # Errors
    /// If there is no such place: the first one in the text.
    pub fn bind(&self, place_index: &dyn Fn(&str) -> Option<usize>) -> Result<Guard, UnknownPlace> {
        let mut expr = self.0.expr.clone();
        bind(&mut expr, place_index)?;
        Ok(Guard(Arc::new(Parsed { text: self.0.text.clone(), expr })))
    }
}

fn bind(expr: &mut Expr, place_index: &dyn Fn(&str) -> Option<usize>) -> Result<(), UnknownPlace> {
    let range = expr.span.range();
    if let Kind::Place { name, index } = &mut expr.kind {
        let unknown = || UnknownPlace { name: name.to_string(), range };
        *index = Some(place_index(name).ok_or_else(unknown)?);
    }
    expr.children_mut().into_iter().try_for_each(|child| bind(child, place_index))
}

fn field_use(path: &Path, expr: &Expr, only_exists: bool) -> FieldUse {
    let path = path.0.iter().map(|segment| segment.name.to_string()).collect();
    FieldUse { path, range: expr.span.range(), only_exists }
}

impl PartialEq for Guard {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for Guard {}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Guard").field(&self.text()).finish()
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
