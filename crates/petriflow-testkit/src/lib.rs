//! Test support: named net families, one generator of small nets, and an obvious reference model.
//!
//! - [`workloads`]: nets a reader recognises, with the state counts they must have.
//! - [`nets`]: arbitrary nets made from bytes, shared by property tests and fuzz targets.
//! - [`cases`]: many of them from consecutive seeds.
//! - [`naive`]: exploration with maps and breadth-first search, to compare the real crates with.
//! - [`gate`]: policies and histories made from bytes, and a gate made of maps to compare with.
//! - [`rules`]: rules made from bytes, and a direct interpreter of them.
//! - [`shell`]: what must hold for any shell text.
//!
//! Unpublished; nothing here runs outside of tests and benches.

#![expect(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "test support: a panic here is a failing test, which is what it should be"
)]

pub mod cases;
pub mod gate;
pub mod naive;
pub mod nets;
pub mod rules;
pub mod shell;
pub mod workloads;
