//! Tests of the crate at its public boundary.

mod exploration;
mod formats;
mod invariants;
mod nets;
