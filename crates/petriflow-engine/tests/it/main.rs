//! Tests of the engine at its public boundary.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that panics is a test that fails, helpers included"
)]

mod definitions;
mod guards;
mod workflows;
