//! Code that a policy's author brings: mappers, validators, and what to do with a result.
//!
//! All of it is called with a copy of the state it may change, and a panic in it refuses the call.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::{Action, ToolCall};

/// What a net remembers beside its marking: backed-up paths, approved targets, running totals.
pub type Meta = Map<String, Value>;

/// Tells which virtual tool a call stands for.
///
/// Nets that share one mapper (the same `Arc`) share its answer: it runs once per call.
pub trait Mapper: Send + Sync {
    /// The virtual tool; the call's own name if it stands for none.
    fn map<'a>(&'a self, call: &'a ToolCall) -> Cow<'a, str>;
}

impl<F: for<'a> Fn(&'a ToolCall) -> Cow<'a, str> + Send + Sync> Mapper for F {
    fn map<'a>(&'a self, call: &'a ToolCall) -> Cow<'a, str> {
        self(call)
    }
}

/// What a validator or a result hook is told.
#[derive(Debug, Clone, Copy)]
pub struct Attempt<'a> {
    /// The call.
    pub call: &'a ToolCall,
    /// The action of the call that is looked at; for a plain call, the call itself.
    pub action: &'a Action,
    /// The tool as this net sees it.
    pub tool: &'a str,
    /// The transition that covers it.
    pub transition: &'a str,
}

/// Checks what net structure cannot express, such as paths in the input.
pub trait Validator: Send + Sync {
    /// Accepts the call, perhaps noting something in `meta`, or says why not.
    ///
    /// # Errors
    /// The reason for the refusal. Whatever was changed in `meta` is undone.
    fn validate(&self, attempt: &Attempt<'_>, meta: &mut Meta) -> Result<(), String>;
}

impl<F: Fn(&Attempt<'_>, &mut Meta) -> Result<(), String> + Send + Sync> Validator for F {
    fn validate(&self, attempt: &Attempt<'_>, meta: &mut Meta) -> Result<(), String> {
        self(attempt, meta)
    }
}

/// Takes note when a deferred transition fires.
///
/// It must do nothing but change `meta`: it is also tried on a copy while a call is decided whose
/// later parts rely on the success of this one.
pub trait OnDeferredResult: Send + Sync {
    /// Takes note of a call that has succeeded.
    fn resolved(&self, attempt: &Attempt<'_>, meta: &mut Meta);
}

impl<F: Fn(&Attempt<'_>, &mut Meta) + Send + Sync> OnDeferredResult for F {
    fn resolved(&self, attempt: &Attempt<'_>, meta: &mut Meta) {
        self(attempt, meta);
    }
}
