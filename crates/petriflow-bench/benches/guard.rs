//! Parsing and evaluating guards: times, and the allocations of one run.
//!
//! `cargo bench -p petriflow-bench --bench guard`. Times are the best of several rounds.
#![allow(
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a benchmark prints, computes ratios and stops when something is off"
)]

use std::alloc::System;
use std::hint::black_box;
use std::time::Instant;

use petriflow_engine::guard::{Guard, Holds, Scope};
use serde_json::{Value, json};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The guard whose target is 200 ns.
const TYPICAL: &str = r#"count > 3 and status == "ok" and order.total >= 100"#;

fn main() {
    println!("{:<32} {:>10} {:>12}", "guard", "time", "allocations");
    let small = context(0);
    evaluate("typical", TYPICAL, &small, true);
    evaluate("typical, 1 000 other fields", TYPICAL, &context(1_000), true);
    evaluate("a place", "marking.inventory == 2", &small, true);
    evaluate("a chain", "1 < count < 5 < order.total", &small, true);
    evaluate("a list of literals", r#"status in ("new", "open", "ok", "late")"#, &small, true);
    evaluate("a list of fields", r#"status in (other, order.state, "ok")"#, &small, true);
    evaluate("a pattern", r#"order.id ~= "^ord-[0-9]+$""#, &small, true);
    evaluate("arithmetic", "(order.total - 50) * 2 ^ 3 / count mod 7 >= 0", &small, true);
    evaluate("false at once", "count > 30 and missing", &small, false);
    let failing = Guard::parse("missing > 3").unwrap();
    measure("an error with its text", || {
        let scope = Scope { context: black_box(&small), tokens: &[2], places: &place };
        assert!(matches!(failing.holds(&scope), Holds::Failed(_)));
    });
    measure("parse the typical one", || {
        black_box(Guard::parse(black_box(TYPICAL)).unwrap());
    });
    let long = vec!["count > 3"; 100].join(" and ");
    measure("parse one of 100 terms", || {
        black_box(Guard::parse(black_box(&long)).unwrap());
    });
}

fn context(others: usize) -> Value {
    let mut context = json!({
        "count": 4,
        "status": "ok",
        "other": "x",
        "order": {"total": 120.5, "id": "ord-20417", "state": "sent"},
    });
    for n in 0..others {
        context[format!("field-{n}")] = json!(n);
    }
    context
}

fn place(name: &str) -> Option<usize> {
    (name == "inventory").then_some(0)
}

fn evaluate(name: &str, text: &str, context: &Value, expected: bool) {
    let guard = Guard::parse(text).unwrap().bind(&place).unwrap();
    measure(name, || {
        let scope = Scope { context: black_box(context), tokens: black_box(&[2]), places: &place };
        let holds = black_box(&guard).holds(&scope);
        assert_eq!(holds.is_yes(), expected, "{holds:?}");
    });
}

fn measure(name: &str, mut work: impl FnMut()) {
    const RUNS: u32 = 1_000;
    let mut round = || {
        let start = Instant::now();
        for _ in 0..RUNS {
            work();
        }
        start.elapsed().as_secs_f64() * 1e9 / f64::from(RUNS)
    };
    // The first round warms what is built when it is first needed.
    let time = (0..20).map(|_| round()).fold(f64::INFINITY, f64::min);
    let region = Region::new(ALLOCATOR);
    work();
    let allocations = region.change().allocations;
    println!("{name:<32} {time:>7.0} ns {allocations:>12}");
}
