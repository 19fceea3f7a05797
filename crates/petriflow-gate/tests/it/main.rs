//! Tests of the gate at its public boundary.

mod bypasses;
mod concurrency;
mod decisions;
mod laws;
mod model;
mod nets;
