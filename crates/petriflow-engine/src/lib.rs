//! Durable workflows on Petri nets.
//!
//! - [`definition`]: what a workflow is, read from JSON or YAML or built in Rust, and checked whole.
//! - [`guard`]: the conditions of its transitions.
//! - [`analysis`]: what a workflow can and cannot do.
//!
//! No IO, no clock, no async.

pub mod analysis;
pub mod definition;
pub mod guard;
mod suggest;

pub use definition::{Definition, NodeTypes, Problem, Problems};
