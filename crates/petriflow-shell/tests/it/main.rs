//! Tests of the shell reader at its public boundary.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that panics is a test that fails, helpers included"
)]

mod commands;
mod corpus;
mod differential;
mod limits;
mod properties;

use arbitrary::Unstructured;
use petriflow_shell::{Command, Nature, parse};

/// Runs generated cases from consecutive seeds; a failure says which one it was.
///
/// `PETRIFLOW_CASES` multiplies their number and `PETRIFLOW_SEED` says where to begin.
fn generated(
    count: u64,
    check: impl Fn(&mut Unstructured<'_>) -> arbitrary::Result<()> + std::panic::RefUnwindSafe,
) {
    let setting = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
    };
    let first = setting("PETRIFLOW_SEED", 0);
    for seed in first..first + count * setting("PETRIFLOW_CASES", 1) {
        let bytes = bytes(seed);
        let outcome = std::panic::catch_unwind(|| check(&mut Unstructured::new(&bytes)));
        assert!(outcome.is_ok(), "PETRIFLOW_SEED={seed} PETRIFLOW_CASES=1 repeats this failure");
    }
}

/// Bytes that depend on the seed alone (SplitMix64).
fn bytes(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    };
    (0..128).flat_map(|_| next().to_le_bytes()).collect()
}

/// One line per command: its text, and what is special about it.
fn read(text: &str) -> String {
    match parse(text) {
        Err(error) => format!("error: {error}"),
        Ok(script) => script.commands.iter().map(line).collect::<Vec<_>>().join("\n"),
    }
}

fn line(command: &Command) -> String {
    let mut line = format!("{:?}: {}", command.connective, command.full_text());
    if command.may_be_skipped_or_lost() {
        line.push_str(" (lost)");
    }
    match &command.nature {
        Nature::Plain => {}
        nature => line.push_str(&format!(" {nature:?}")),
    }
    line
}
