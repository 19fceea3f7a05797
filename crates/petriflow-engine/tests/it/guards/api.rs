//! What a guard tells about itself, binding, error texts, and the guide.

use petriflow_engine::guard::{FieldUse, Guard, Holds, Scope};
use serde_json::json;

use super::World;

#[test]
fn guards_are_equal_by_text_and_can_be_shared() {
    fn shared<T: Send + Sync + Clone>(value: &T) -> T {
        value.clone()
    }
    let guard = Guard::parse("a > 1").unwrap();
    assert_eq!(shared(&guard), guard);
    assert_ne!(guard, Guard::parse("a  > 1").unwrap());
    assert_eq!(format!("{guard:?} {guard}"), r#"Guard("a > 1") a > 1"#);
}

#[test]
fn fields_and_places_are_told_with_their_ranges() {
    let text = "exists(a.b) and a.b > 1 and marking.p == c of d.`e f` and x of (a, marking.q)";
    let guard = Guard::parse(text).unwrap();
    let show = |field: &FieldUse| {
        format!("{} {:?} {}", field.path.join("/"), &text[field.range.clone()], field.only_exists)
    };
    let fields: Vec<_> = guard.fields().iter().map(show).collect();
    let expected = [
        r#"a/b "exists(a.b)" true"#,
        r#"a/b "a.b" false"#,
        r#"d/e f/c "c of d.`e f`" false"#,
        r#"a "a" false"#,
    ];
    assert_eq!(fields, expected);
    let places: Vec<_> = guard.places().iter().map(|used| &text[used.range.clone()]).collect();
    assert_eq!(places, ["marking.p", "marking.q"]);
}

#[test]
fn a_bound_guard_asks_for_no_names() {
    let guard = Guard::parse("marking.b > marking.a or not (marking.b in (marking.a, 9))").unwrap();
    let index = |name: &str| ["a", "b"].iter().position(|place| *place == name);
    let bound = guard.bind(&index).unwrap();
    let scope = Scope { context: &json!({}), tokens: &[1, 2], places: &|_| panic!("is bound") };
    assert_eq!(bound.holds(&scope), Holds::Yes);
    let few = Scope { tokens: &[1], ..scope };
    assert!(matches!(bound.holds(&few), Holds::Failed(_)));
    let unknown = guard.bind(&|name| (name == "b").then_some(0)).unwrap_err();
    assert_eq!((unknown.name.as_str(), unknown.range.clone()), ("a", 12..21));
    assert_eq!(unknown.to_string(), "there is no place `a`");
}

#[test]
fn an_error_says_what_is_wrong_where() {
    let context = json!({"status": "ok", "order": {"lines": [1]}, "big": u64::MAX});
    let world = World::new(context, &[("p", 1)]);
    for (text, message, part) in [
        ("1 < missing", "there is no field `missing`", "missing"),
        ("order.total > 1", "`order` has no field `total`", "order.total"),
        ("order.lines.1 > 1", "the list `order.lines` has no element `1`", "order.lines.1"),
        ("status.x == 1", "`status` is a string, which has no field `x`", "status.x"),
        ("x of 1 == 1", "there is no field `x` in a number", "x of 1"),
        ("true and status", "`status` is a string where true or false is needed", "status"),
        ("status > 1", "`status` is a string where a number is needed", "status"),
        ("1 in (status)", "`(status)` is a string where a list is needed", "(status)"),
        ("1 / (2 - 2) > 1", "`(2 - 2)` is zero, and nothing can be divided by it", "(2 - 2)"),
        ("sqrt(0 - 1) > 1", "`sqrt(0 - 1)` is not defined for these numbers", "sqrt(0 - 1)"),
        ("1e300 * 1e300 > 1", "`1e300 * 1e300` is larger than any number", "1e300 * 1e300"),
        ("big > 1", "`big` is too large an integer to compute with exactly", "big"),
        ("marking.q > 1", "there is no place `q`", "marking.q"),
        ("status", "`status` is a string where true or false is needed", "status"),
    ] {
        let Holds::Failed(error) = world.holds(&Guard::parse(text).unwrap()) else {
            panic!("{text} does not fail");
        };
        assert_eq!((error.to_string().as_str(), &text[error.range()]), (message, part), "{text}");
    }
}

#[test]
fn large_integers_are_never_rounded_into_equality() {
    let context = json!({"a": u64::MAX, "b": u64::MAX - 1, "c": [u64::MAX], "d": [u64::MAX - 1],
        "e": 1u64 << 63, "f": 9_223_372_036_854_775_808.0, "g": i64::MIN, "h": i64::MAX});
    let world = World::new(context, &[]);
    for text in ["a == a", "a != b", "c == c", "c != d", "e == f", "a in c", "b not in c", "h != f"]
    {
        assert_eq!(world.holds(&Guard::parse(text).unwrap()), Holds::Yes, "{text}");
    }
    let value = world.evaluate(&Guard::parse("(a, e, g, h)").unwrap()).unwrap();
    assert_eq!(value, json!([u64::MAX, 1u64 << 63, i64::MIN, i64::MAX]));
}

/// Lines of the form `guard → result` in the code blocks of the guide, on the context it shows.
#[test]
fn the_examples_of_the_guide_are_right() {
    let guide = include_str!("../../../../../docs/guards.md");
    let (_, rest) = guide.split_once("```json\n").unwrap();
    let (context, _) = rest.split_once("```").unwrap();
    let world = World::new(serde_json::from_str(context).unwrap(), &[("stock", 3), ("on-hold", 0)]);
    let mut count = 0;
    for (text, expected) in guide.lines().filter_map(|line| line.split_once('→')) {
        count += 1;
        let (text, expected) = (text.trim(), expected.trim());
        let result = Guard::parse(text).map(|guard| world.evaluate(&guard));
        let found = match result {
            Err(error) => format!("refused: {}", error.message),
            Ok(Err(error)) => format!("error: {error}"),
            Ok(Ok(value)) => value.to_string(),
        };
        assert_eq!(found, expected, "{text}");
    }
    assert!(count >= 40, "{count} examples");
}
