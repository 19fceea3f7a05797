//! Findings about guards before they run.

use petriflow_engine::guard::{Guard, Known, Problem, Purpose, check};
use serde_json::json;

/// The findings, one per line: problem, text, message, help.
fn findings(text: &str, purpose: Purpose) -> String {
    let context = json!({
        "count": 1, "status": "ok", "later": null, "open": {}, "tags": [],
        "order": {"total": 1, "ship-to": "x"}, "fetch": {"status": 200, "ok": true, "data": null},
    });
    let places = ["stock".to_owned(), "out-of-stock".to_owned()];
    let known = Known { context: &context, places: &places, purpose };
    let found = check(&Guard::parse(text).unwrap(), &known);
    let line = |finding: petriflow_engine::guard::Finding| {
        let help = finding.help.map(|help| format!("; {help}")).unwrap_or_default();
        format!("{:?} `{}`: {}{help}", finding.problem, &text[finding.range], finding.message)
    };
    found.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_guard_that_may_be_right_has_no_findings() {
    for text in [
        "count > 3 and status == \"ok\" and order.total >= 100",
        "marking.stock == 0",
        "marking.`out-of-stock` > 0",
        "later.anything.below > 1",
        "open.anything",
        "tags.0.name == \"x\"",
        "fetch.data.id == 1",
        "exists(missing) and missing.x > 1",
        "not exists(missing)",
        "status == 1",
        "if count > 1 then status == \"ok\" else later",
        "count in tags",
        "not later == true",
    ] {
        assert_eq!(findings(text, Purpose::Condition), "", "{text}");
    }
    assert_eq!(findings("count + 1", Purpose::Value), "");
    assert_eq!(findings("\"done\"", Purpose::Value), "");
}

#[test]
fn findings_say_what_is_wrong_and_what_was_meant() {
    for (text, expected) in [
        (
            "conut > 1",
            "UnknownField `conut`: the context has no field `conut`; did you mean `count`?",
        ),
        (
            "order.totl > 1",
            "UnknownField `order.totl`: `order` has no field `totl`; did you mean `total`?",
        ),
        (
            "totl of order > 1",
            "UnknownField `totl of order`: `order` has no field `totl`; did you mean `total`?",
        ),
        (
            "order.ship == 1",
            "UnknownField `order.ship`: `order` has no field `ship`; give it a value in `initialContext`, or ask `exists(…)` first",
        ),
        ("count.x > 1", "UnknownField `count.x`: `count` is a number, which has no field `x`"),
        (
            "marking.stok > 1",
            "UnknownPlace `marking.stok`: there is no place `stok`; did you mean `marking.stock`?",
        ),
        (
            "marking.outofstock > 1",
            "UnknownPlace `marking.outofstock`: there is no place `outofstock`; did you mean `marking.`out-of-stock``?",
        ),
        ("\"a\" < count", "WrongType `\"a\"`: `\"a\"` is a string where an order needs a number"),
        ("1 and count == 1", "WrongType `1`: `1` is a number where `and` needs true or false"),
        (
            "count + 1",
            "WrongType `count + 1`: `count + 1` is a number where a guard needs true or false",
        ),
        (
            "marking.stock",
            "WrongType `marking.stock`: `marking.stock` is a number where a guard needs true or false",
        ),
        (
            "marking.stock == \"0\"",
            "WrongType `marking.stock == \"0\"`: a number never equals a string",
        ),
        (
            "not status == \"ok\"",
            "WrongType `not status == \"ok\"`: true or false never equals a string; `not` comes before comparisons: write `not (a == b)`",
        ),
        (
            "not count < 3",
            "WrongType `not count`: `not count` is true or false where an order needs a number; `not` comes before comparisons: write `not (a == b)`",
        ),
        (
            "status in (\"ok\")",
            "WrongType `(\"ok\")`: `(\"ok\")` is a string where `in` needs a list; a list of one element is written `(a,)`",
        ),
        (
            "(count, 1) in tags",
            "WrongType `(count, 1)`: `in` looks for one element, not for a list; ask for each element, joined with `and`",
        ),
        (
            "'status' != \"x\"",
            "Constant `'status' != \"x\"`: the guard is always true; let it depend on the context or the marking, or leave it out",
        ),
        (
            "true or count > 1",
            "Constant `true or count > 1`: the guard is always true; let it depend on the context or the marking, or leave it out",
        ),
        (
            "1 / 0 > 1",
            "Constant `1 / 0 > 1`: the guard always fails: `0` is zero, and nothing can be divided by it; let it depend on the context or the marking, or leave it out",
        ),
    ] {
        assert_eq!(findings(text, Purpose::Condition), expected, "{text}");
    }
}

#[test]
fn every_problem_is_told_at_once_in_the_order_of_the_text() {
    let guard = Guard::parse("conut > \"a\" and marking.x == 1").unwrap();
    let known = Known { context: &json!({"count": 1}), places: &[], purpose: Purpose::Condition };
    let problems: Vec<_> = check(&guard, &known).iter().map(|finding| finding.problem).collect();
    assert_eq!(problems, [Problem::UnknownField, Problem::WrongType, Problem::UnknownPlace]);
}
