//! Deep, long and costly guards are refused or evaluated, and nothing overflows.

use petriflow_engine::guard::{Guard, LENGTH_MAX, NESTING_MAX, PATTERNS_MAX};
use serde_json::json;

use super::{World, kind};

fn refusal(text: &str) -> String {
    Guard::parse(text).expect_err("too much").message
}

#[test]
fn deep_nesting_is_an_error_in_every_construct() {
    let deep = |open: &str, core: &str, close: &str, count: usize| {
        open.repeat(count) + core + &close.repeat(count)
    };
    for (open, core, close) in [
        ("(", "a", ")"),
        ("not ", "a", ""),
        ("-", "a", ""),
        ("2 ^ ", "a", ""),
        ("b of ", "a", ""),
        ("abs(", "a", ")"),
        ("(", "1", ",)"),
        ("if a then ", "b", " else c"),
        ("if (", "a", ") then b else c"),
        ("1 + (", "a", ") == 2 and b in c or d"),
    ] {
        // Both the condition and its parentheses are a level.
        let levels = if open == "if (" { 2 } else { 1 };
        assert!(Guard::parse(&deep(open, core, close, NESTING_MAX / levels)).is_ok(), "{open}");
        for count in [NESTING_MAX + 1, 1_000, LENGTH_MAX / (open.len() + close.len() + 1)] {
            let message = refusal(&deep(open, core, close, count));
            assert!(message.contains("nested more than 100 levels"), "{open} {count}: {message}");
        }
    }
    assert!(refusal(&"(".repeat(LENGTH_MAX)).contains("nested"));
}

#[test]
fn the_deepest_guard_is_evaluated_on_a_small_stack() {
    let text =
        "(1 + 2 * - 3 ^ ".repeat(NESTING_MAX / 3 - 1) + "1" + &")".repeat(NESTING_MAX / 3 - 1);
    let small = std::thread::Builder::new().stack_size(512 * 1024);
    let run = small.spawn(move || {
        let guard = Guard::parse(&text).unwrap();
        let _ = World::new(json!({}), &[]).evaluate(&guard);
    });
    run.unwrap().join().unwrap();
}

#[test]
fn long_chains_are_flat() {
    let world = World::new(json!({"a": 1, "t": true}), &[]);
    for (word, joint, value) in [
        ("t", " and ", json!(true)),
        ("a", "+", json!(20_000)),
        ("a", "*", json!(1)),
        ("a", "==", json!(true)),
        ("if not t then 0 else 1", " + ", json!(1)),
    ] {
        let count = if word.len() > 1 { 1 } else { 20_000 };
        let count = if joint.len() > 3 { count.min(10_000) } else { count };
        let guard = Guard::parse(&vec![word; count].join(joint)).unwrap();
        assert_eq!(world.evaluate(&guard).unwrap(), value);
    }
    let table = "if a == 2 then 0 else ".repeat(2_000) + "7";
    assert_eq!(world.evaluate(&Guard::parse(&table).unwrap()).unwrap(), 7);
}

#[test]
fn long_texts_are_refused() {
    assert!(Guard::parse(&format!("a{}", " ".repeat(LENGTH_MAX - 1))).is_ok());
    assert!(refusal(&format!("a{}", " ".repeat(LENGTH_MAX))).contains("65537 bytes"));
}

#[test]
fn patterns_are_bounded_in_size_and_number() {
    let many = |count: usize| vec![r#"a ~= "x""#; count].join(" or ");
    assert!(Guard::parse(&many(PATTERNS_MAX)).is_ok());
    assert!(refusal(&many(PATTERNS_MAX + 1)).contains("more than 32 patterns"));
    assert!(refusal(r#"a ~= "(([a-z]{50}){50}){50}""#).contains("too large"));
}

/// Backtracking would take longer than anybody waits.
#[test]
fn a_pattern_takes_linear_time() {
    let guard = Guard::parse(r#"a ~= "^(a+)+$""#).unwrap();
    let world = World::new(json!({"a": "a".repeat(100_000) + "!"}), &[]);
    assert!(!world.holds(&guard).is_yes());
}

#[test]
fn a_guard_cannot_multiply_a_large_context() {
    let world = World::new(json!({"a": "x".repeat(100_000)}), &[]);
    let text = format!("({})", vec!["a"; 10_000].join(","));
    let error = world.evaluate(&Guard::parse(&text).unwrap()).unwrap_err();
    assert_eq!(kind(&error), "too-large");
}
