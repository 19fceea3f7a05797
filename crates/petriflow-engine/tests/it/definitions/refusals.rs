//! What is refused, in which words, and where.

use petriflow_engine::Definition;

fn refused_json(text: &str) -> String {
    Definition::from_json("w.json", text).unwrap_err().to_string()
}

fn refused_yaml(text: &str) -> String {
    Definition::from_yaml("w.yaml", text).unwrap_err().to_string()
}

#[test]
fn all_problems_are_told_at_once_with_their_places() {
    let text = r#"{
  "name": "",
  "place": [],
  "places": ["a", "b", "a", ""],
  "transitions": [
    {"name": "t", "type": "manul", "inputs": ["a", "bb"], "outputs": ["b"]},
    {"name": "t", "type": "timer", "inputs": [], "outputs": [], "config": {"delay": 5}},
    {"name": "u", "type": "auto", "inputs": [], "outputs": [], "guard": "a > 1)",
     "timeout": {"place": "c", "ms": 0}, "retry": {"maxAttempts": 0}},
    {"type": "auto", "inputs": [], "outputs": []}
  ],
  "initialMarking": {"a": -1, "b": 1.5, "x": 1, "b": 2},
  "initialContext": [],
  "terminalPlaces": ["a", "y", "a"],
  "externalPlaces": "a",
  "invariants": [{"weights": {"z": 1, "a": 0.5}}],
  "properties": [
    {"name": "p", "always": "a +", "never": "b"},
    {"name": "q", "always": "a + \"b\" > 1"},
    {"name": "r", "never": "bb"},
    {"name": "s", "never": "a", "without": ["v"]}
  ]
}"#;
    assert_eq!(
        refused_json(text),
        "\
w.json:2:11: the name of the definition is empty
w.json:3:3: the definition has no field `place`; did you mean `places`?
w.json:4:24: the place `a` is defined twice; the first is at 4:14
w.json:4:29: the name of a place is empty
w.json:6:27: the transition `t` has the type `manul`, which is not known; did you mean `manual`?
w.json:6:52: the transition `t` names `bb`, which is not a place; did you mean `b`?
w.json:7:14: the transition `t` is defined twice; the first is at 6:14
w.json:7:75: the config of the transition `t` has no `delayMs`
w.json:7:76: the config of the transition `t` has no field `delay`; did you mean `delayMs`?
w.json:8:79: the guard of the transition `u`: `)` stands where an operator or the end is needed
w.json:9:27: the timeout of the transition `u` names `c`, which is not a place
w.json:9:38: `ms` must be between 1 and 9007199254740991
w.json:9:67: `maxAttempts` must be between 1 and 4294967295
w.json:10:5: a transition has no `name`
w.json:12:27: the initial count of `a` is -1, but cannot be negative
w.json:12:36: the initial count of `b` is 1.5, which is not a whole number in range
w.json:12:41: `initialMarking` names `x`, which is not a place
w.json:12:49: `b` is given twice in `initialMarking`; the first is at 12:31
w.json:13:21: `initialContext` must be an object, not a list
w.json:14:27: `terminalPlaces` names `y`, which is not a place
w.json:14:32: `terminalPlaces` names `a` twice
w.json:15:21: `externalPlaces` must be a list, not a text
w.json:16:31: an invariant names `z`, which is not a place
w.json:16:44: the weight of `a` is 0.5, which is not a whole number in range
w.json:18:5: a property needs exactly one of `always`, `never`, `reachable`, `eventually`
w.json:19:34: `always`: `\"` is not part of a condition
w.json:20:29: `never`: `bb` is not a place; did you mean `b`?
w.json:21:45: `without` names `v`, which is not a transition"
    );
}

#[test]
fn yaml_problems_are_told_with_their_places_too() {
    let text = "\
name: w
places: [a, true]
transitions:
  - name: t
    type: auto
    inputs: [a]
    outputs: [b]
    guard: a > 1)
";
    assert_eq!(
        refused_yaml(text),
        "\
w.yaml:2:13: the name of a place must be a text, not true or false; put it in quotes
w.yaml:7:15: the transition `t` names `b`, which is not a place
w.yaml:8:17: the guard of the transition `t`: `)` stands where an operator or the end is needed"
    );
}

#[test]
fn what_yaml_could_expand_is_refused_unexpanded() {
    let mut bomb = String::from("a: &a [x, x]\n");
    for (from, to) in ('a'..='y').zip('b'..='z') {
        bomb.push_str(&format!("{to}: &{to} [*{from}, *{from}, *{from}, *{from}]\n"));
    }
    assert!(refused_yaml(&bomb).contains("anchors are not supported"));
    assert!(refused_yaml("name: !!str 1\n").contains("tags are not supported"));
    assert!(refused_yaml("name: a\n---\nname: b\n").contains("second document"));
    assert!(refused_yaml("").contains("there is no document"));
    assert!(refused_yaml("a: [").contains("not YAML"));
}

#[test]
fn what_is_not_json_is_told_where() {
    assert_eq!(refused_json("{\"näme\": }"), "w.json:1:10: not JSON: expected value");
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    assert_eq!(refused_json(&deep), "w.json:1:102: nested more than 100 deep");
    assert!(refused_yaml(&deep).starts_with("w.yaml:1:"));
    assert!(refused_json("{\"name\": \"\\ud800\"}").contains("w.json:1:10: not JSON"));
    assert!(refused_json("{\"version\": 1e999}").contains("the number `1e999` is too large"));
    assert!(refused_json("[]").contains("the definition must be an object, not a list"));
}

#[test]
fn limits_are_kept() {
    let with_places = |count: usize| {
        let places: Vec<String> = (0..count).map(|i| format!("\"p{i}\"")).collect();
        format!(r#"{{"name": "x", "places": [{}], "transitions": []}}"#, places.join(","))
    };
    assert!(Definition::from_json("x", &with_places(10_000)).is_ok());
    assert!(refused_json(&with_places(10_001)).contains("more than 10000 places"));
    let named = |name: &str| format!(r#"{{"name": "{name}", "places": [], "transitions": []}}"#);
    assert!(Definition::from_json("x", &named(&"ä".repeat(200))).is_ok());
    assert!(refused_json(&named(&"ä".repeat(201))).contains("longer than 200 characters"));
    assert!(refused_json(&named("a\\u0007")).contains("control character"));
    let count =
        r#"{"name": "x", "places": ["a"], "transitions": [], "initialMarking": {"a": 4294967296}}"#;
    assert!(refused_json(count).contains("must be between 0 and 4294967295"));
}

#[test]
fn a_file_full_of_problems_is_cut_short() {
    let transitions: Vec<String> = (0..500).map(|i| format!("{{\"x{i}\": 1}}")).collect();
    let text =
        format!(r#"{{"name": "x", "places": [], "transitions": [{}]}}"#, transitions.join(","));
    let problems = Definition::from_json("x", &text).unwrap_err();
    assert_eq!((problems.list().len(), problems.hidden()), (100, 900));
}

#[test]
fn configs_are_checked_by_type() {
    let with = |kind: &str, config: &str| {
        let text = format!(
            r#"{{"name": "x", "places": [], "transitions": [{{"name": "t", "type": "{kind}", "inputs": [], "outputs": [], "config": {config}}}]}}"#
        );
        Definition::from_json("x", &text).map_err(|problems| problems.list()[0].message.clone())
    };
    for (kind, config, message) in [
        (
            "auto",
            r#"{"a": 1}"#,
            "the config of the transition `t`, which is `auto`, has no field `a`",
        ),
        ("timer", "{}", "the config of the transition `t` has no `delayMs`"),
        ("timer", r#"{"delayMs": "5"}"#, "`delayMs` must be a number, not a text"),
        (
            "http",
            r#"{"url": "file:///etc/passwd"}"#,
            "`url` is `file:///etc/passwd`, but only http and https are allowed",
        ),
        ("http", r#"{"url": "http://a", "method": "STEAL"}"#, "`STEAL` is not a method"),
        (
            "http",
            r#"{"url": "http://a", "headers": {"a b": "c"}}"#,
            "`a b` is not the name of a header",
        ),
        ("set", "{}", "the config of the transition `t` sets nothing"),
        ("set", r#"{"a": 1}"#, "the expression of `a` must be a text, not a number"),
        ("command", r#"{"program": ""}"#, "`program` is empty"),
        ("command", r#"{"program": "a", "args": [1]}"#, "an argument must be a text, not a number"),
        ("http", "null", "the transition `t` is `http` and needs a `config`"),
    ] {
        assert_eq!(with(kind, config).unwrap_err(), message);
    }
}

#[test]
fn conditions_say_what_is_wrong_with_them() {
    for (condition, message) in [
        ("", "a place, a number or a condition is missing at the end"),
        ("a >", "a place, a number or a condition is missing at the end"),
        ("3", "a number is not a condition"),
        ("(a", "this bracket is not closed"),
        ("a b", "`b` stands where the end is expected"),
        ("not a > 1", "`not` applies to what directly follows it"),
        ("a * b > 1", "tokens can be multiplied by a number only"),
        ("(a > 1) + 1 > 2", "a condition is not a number of tokens"),
        ("a > 1.5", "`1.5` is not a whole number up to 4294967295"),
        ("marking.c", "`c` is not a place"),
        ("`a", "this back quote is not closed"),
        ("4000000000 * 4000000000 * a > 1", "a number is too large"),
    ] {
        let text = format!(
            r#"{{"name": "x", "places": ["a", "b"], "transitions": [], "properties": [{{"name": "p", "always": {}}}]}}"#,
            serde_json::Value::from(condition)
        );
        let problems = Definition::from_json("x", &text).unwrap_err();
        assert_eq!(problems.list()[0].message, format!("`always`: {message}"), "{condition}");
    }
}
