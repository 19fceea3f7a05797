//! Tests of the gate at its public boundary.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that panics is a test that fails, helpers included"
)]

mod bypasses;
mod concurrency;
mod decisions;
mod laws;
mod model;
mod names;
mod nets;
mod release;
mod sessions;
