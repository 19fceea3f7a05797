//! The hook and the commands around it, as hosts and people run them.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that panics is a test that fails, helpers included"
)]

mod agent;
mod audit;
mod fails_closed;
mod hosts;
mod parallel;
mod protection;
mod scratch;
mod session;
mod setup;
mod status;
mod trust;

use agent::{Agent, Effect, Heard, shell_tool};
use petriflow_hosts::Host;
use scratch::{Ran, Scratch};
use serde_json::{Value, json};
