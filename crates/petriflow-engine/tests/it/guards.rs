//! Guards: a table of cases, a naive evaluator to compare with, limits, findings.

mod api;
mod checks;
mod corpus;
mod differential;
mod limits;
mod naive;

use petriflow_engine::guard::{EvalError, EvalErrorKind, Guard, Holds, Scope};
use serde_json::Value;

/// A context and a marking.
struct World {
    context: Value,
    marking: Vec<(String, u32)>,
}

impl World {
    fn new(context: Value, marking: &[(&str, u32)]) -> World {
        let marking = marking.iter().map(|(name, tokens)| ((*name).to_owned(), *tokens)).collect();
        World { context, marking }
    }

    fn with<T>(&self, look: impl FnOnce(&Scope<'_>) -> T) -> T {
        let tokens: Vec<u32> = self.marking.iter().map(|(_, tokens)| *tokens).collect();
        let places = |name: &str| self.marking.iter().position(|(place, _)| place == name);
        look(&Scope { context: &self.context, tokens: &tokens, places: &places })
    }

    fn evaluate(&self, guard: &Guard) -> Result<Value, EvalError> {
        self.with(|scope| guard.evaluate(scope))
    }

    fn holds(&self, guard: &Guard) -> Holds {
        self.with(|scope| guard.holds(scope))
    }
}

/// The kind of an error as the corpus calls it.
fn kind(error: &EvalError) -> &'static str {
    match error.kind() {
        EvalErrorKind::UnknownField => "unknown-field",
        EvalErrorKind::UnknownPlace => "unknown-place",
        EvalErrorKind::WrongType => "wrong-type",
        EvalErrorKind::Undefined => "undefined",
        EvalErrorKind::TooLarge => "too-large",
    }
}
