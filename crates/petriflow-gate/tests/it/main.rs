//! Tests of the gate at its public boundary.

mod concurrency;
mod decisions;
mod laws;
mod model;
mod nets;
