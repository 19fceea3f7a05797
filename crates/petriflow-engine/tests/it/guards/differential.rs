//! Parser, evaluator and the naive model agree on generated guards.

use petriflow_engine::guard::{Guard, Holds};
use petriflow_testkit::cases;
use serde_json::Value;

use super::World;
use super::naive::{Wrong, json_value, meaning, object, same, tree, written};

#[test]
fn generated_guards_mean_what_the_naive_evaluator_says() {
    let (mut yes, mut no, mut failed, mut values) = (0, 0, 0, 0);
    cases::check(20_000, |u| {
        let depth = u.int_in_range(0..=4)?;
        let tree = tree(u, depth)?;
        let context = object(u, &["a", "b", "c", "d", "e"], 3)?;
        let marking = vec![
            ("p".to_owned(), u.int_in_range(0..=3)?),
            ("q-r".to_owned(), u.int_in_range(0..=3)?),
        ];
        let expected = meaning(&tree, &context, &marking);
        let world = World { context, marking };
        for minimal in [true, false] {
            let text = written(&tree, minimal);
            let guard = Guard::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            agree(&world, &guard, &expected);
        }
        match expected {
            Ok(Value::Bool(true)) => yes += 1,
            Ok(Value::Bool(false)) => no += 1,
            Ok(_) => values += 1,
            Err(Wrong) => failed += 1,
        }
        Ok(())
    });
    // A generator that makes only errors, or none, would show little.
    for (name, count) in [("yes", yes), ("no", no), ("failed", failed), ("values", values)] {
        assert!(count > 1_000, "{name}: {count}");
    }
}

fn agree(world: &World, guard: &Guard, expected: &Result<Value, Wrong>) {
    let (found, holds) = (world.evaluate(guard), world.holds(guard));
    let context = &world.context;
    let agrees = match (&found, expected) {
        (Ok(found), Ok(expected)) => same(found, expected),
        (Err(_), Err(Wrong)) => true,
        _ => false,
    };
    assert!(agrees, "{guard} on {context}: {found:?}, but {expected:?} was expected");
    let as_expected = match (&holds, expected) {
        (Holds::Yes, Ok(Value::Bool(true))) | (Holds::No, Ok(Value::Bool(false))) => true,
        (Holds::Failed(_), Err(Wrong)) => true,
        (Holds::Failed(_), Ok(value)) => !value.is_boolean(),
        _ => false,
    };
    assert!(as_expected, "{guard} on {context}: {holds:?}, but {expected:?} was expected");
}

/// Whatever stands around a part that is needed and fails, the guard does not hold.
#[test]
fn a_failure_that_is_needed_is_never_a_yes() {
    let failing = ["missing", "1 / 0", "(status and true)", "marking.nowhere", "sqrt(-1)"];
    let around: [fn(&str) -> String; 14] = [
        |e| format!("not ({e})"),
        |e| format!("({e}) == 1"),
        |e| format!("({e}) != 1"),
        |e| format!("1 != ({e})"),
        |e| format!("({e}) or true"),
        |e| format!("false or ({e})"),
        |e| format!("true and ({e})"),
        |e| format!("({e}) and false"),
        |e| format!("if {e} then true else true"),
        |e| format!("1 not in (2, {e})"),
        |e| format!("({e}) not in (1, 2)"),
        |e| format!("({e},) != (1,)"),
        |e| format!("empty({e})"),
        |e| format!("min(1, {e}) <= 1"),
    ];
    let world = World::new(serde_json::json!({"status": "ok"}), &[]);
    cases::check(2_000, |u| {
        let mut text = (*u.choose(&failing)?).to_owned();
        for _ in 0..u.int_in_range(0..=8)? {
            text = u.choose(&around)?(&text);
        }
        let guard = Guard::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(matches!(world.holds(&guard), Holds::Failed(_)), "{text}");
        Ok(())
    });
}

#[test]
fn the_parser_survives_any_text() {
    let words = [
        "a",
        "`x y`",
        "marking.p",
        "1",
        "2.5",
        "\"s\"",
        "'t'",
        "true",
        "null",
        "and",
        "or",
        "not",
        "if",
        "then",
        "else",
        "in",
        "mod",
        "of",
        "(",
        ")",
        ",",
        "==",
        "<",
        "~=",
        "+",
        "-",
        "*",
        "^",
        ".",
        "exists",
        "min",
        "\\",
        "\"",
        "é",
        "`",
        "1e9",
        "=",
    ];
    cases::check(20_000, |u| {
        let mut text = String::new();
        for _ in 0..u.int_in_range(0..=30)? {
            if u.ratio(1, 20)? {
                text.push(u.arbitrary()?);
            } else {
                text.push_str(u.choose(&words)?);
            }
            if u.ratio(4, 5)? {
                text.push(' ');
            }
        }
        let world = World { context: json_value(u, 2)?, marking: Vec::new() };
        match Guard::parse(&text) {
            Err(error) => assert!(text.get(error.range.clone()).is_some(), "{text:?}: {error:?}"),
            Ok(guard) => {
                let _ = world.holds(&guard);
                for range in guard.fields().into_iter().map(|field| field.range) {
                    assert!(!text[range].is_empty());
                }
            }
        }
        Ok(())
    });
}
