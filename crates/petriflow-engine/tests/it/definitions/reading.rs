//! What is accepted, and what becomes of it.

use petriflow_engine::definition::{Node, Quantifier, TransitionDraft};
use petriflow_engine::{Definition, NodeTypes};
use serde_json::json;

const TICKET: &str = r#"{
  "name": "ticket",
  "version": 3,
  "places": ["open", "escalated", "closed"],
  "transitions": [
    {"name": "ask", "type": "http", "inputs": ["open"], "outputs": ["open"],
     "config": {"url": "https://example.com/{{id}}", "method": "post", "body": {"a": [1, 2.5, null]}},
     "retry": {"maxAttempts": 4}},
    {"name": "wait", "type": "timer", "inputs": ["open"], "outputs": ["open"], "config": {"delayMs": 250}},
    {"name": "tell", "type": "command", "inputs": ["open"], "outputs": ["open"],
     "config": {"program": "notify", "args": ["-v"], "stdin": "x"}},
    {"name": "close", "type": "manual", "inputs": ["open"], "outputs": ["closed"],
     "timeout": {"place": "escalated", "ms": 60000}, "guard": "priority < 3"}
  ],
  "initialMarking": {"open": 1},
  "initialContext": {"priority": 1, "id": "T1"},
  "terminalPlaces": ["closed"],
  "externalPlaces": ["escalated"],
  "invariants": [{"weights": {"open": 1, "closed": 1}}],
  "properties": [{"name": "one", "always": "open + closed == 1"}]
}"#;

const TICKET_YAML: &str = r#"
# The same in YAML.
name: ticket
version: 3
places: [open, escalated, closed]
initialMarking: {open: 1}
initialContext:
  id: T1
  priority: 1
terminalPlaces: [closed]
externalPlaces: [escalated]
invariants:
  - weights: {closed: 1, open: 1}
properties:
  - name: one
    always: open + closed == 1
transitions:
  - name: ask
    type: http
    inputs: [open]
    outputs: [open]
    config:
      url: https://example.com/{{id}}
      method: POST
      body: {a: [1, 2.5, ~]}
    retry: {maxAttempts: 4, backoffMs: 1000, maxBackoffMs: 60000}
  - {name: wait, type: timer, inputs: [open], outputs: [open], config: {delayMs: 0xfa}}
  - name: tell
    type: command
    inputs: [open]
    outputs: [open]
    config: {program: notify, args: ["-v"], stdin: 'x'}
  - name: close
    type: manual
    inputs: [open]
    outputs: [closed]
    guard: priority < 3
    timeout: {place: escalated, ms: 60000, repeat: false}
"#;

#[test]
fn json_yaml_and_rust_give_the_same_definition() {
    let from_json = Definition::from_json("ticket.json", TICKET).unwrap();
    let from_yaml = Definition::from_yaml("ticket.yaml", TICKET_YAML).unwrap();
    let loop_at = |name: &str| TransitionDraft::new(name).inputs(["open"]).outputs(["open"]);
    let built = Definition::builder("ticket")
        .version(3)
        .places(["open", "escalated", "closed"])
        .transition(
            loop_at("ask")
                .node(
                    "http",
                    &json!({"url": "https://example.com/{{id}}", "method": "POST",
                            "body": {"a": [1, 2.5, null]}}),
                )
                .retry(4, 1000, 60_000),
        )
        .transition(loop_at("wait").node("timer", &json!({"delayMs": 250})))
        .transition(
            loop_at("tell")
                .node("command", &json!({"program": "notify", "args": ["-v"], "stdin": "x"})),
        )
        .transition(
            TransitionDraft::new("close")
                .kind("manual")
                .inputs(["open"])
                .outputs(["closed"])
                .guard("priority < 3")
                .timeout("escalated", 60_000, false),
        )
        .initial("open", 1)
        .context(&json!({"priority": 1, "id": "T1"}))
        .terminal_places(["closed"])
        .external_places(["escalated"])
        .invariant([("open", 1), ("closed", 1)])
        .property("one", Quantifier::Always, "open + closed == 1")
        .build()
        .unwrap();
    assert_eq!(from_json.to_json(), from_yaml.to_json());
    assert_eq!(from_json.to_json(), built.to_json());
    assert_eq!(from_json.content_hash(), from_yaml.content_hash());
    assert_eq!(from_json.version(), 3);
    let Node::Http(http) = from_json.transitions()[0].node() else { panic!("http") };
    assert_eq!((http.method.as_str(), http.body.is_some()), ("POST", true));
    assert_eq!(from_json.transitions()[3].timeout().unwrap().ms, 60_000);
}

#[test]
fn the_hash_ignores_the_order_of_fields_and_keeps_that_of_transitions() {
    let read = |text: &str| Definition::from_json("x", text).unwrap().content_hash();
    let a = r#"{"name": "a", "type": "auto", "inputs": ["p", "q"], "outputs": []}"#;
    let a2 =
        r#"{"outputs": [], "inputs": ["q", "p"], "config": {}, "type": "automatic", "name": "a"}"#;
    let b = r#"{"name": "b", "type": "auto", "inputs": ["p"], "outputs": []}"#;
    let whole = |transitions: &str| {
        format!(r#"{{"name": "x", "places": ["p", "q"], "transitions": [{transitions}]}}"#)
    };
    let (ab, a2b, ba) =
        (whole(&format!("{a},{b}")), whole(&format!("{a2},{b}")), whole(&format!("{b},{a}")));
    assert_eq!(read(&ab), read(&a2b));
    assert_ne!(read(&ab), read(&ba));
    assert_eq!(read(&ab).to_string().len(), 64);
}

#[test]
fn a_repeated_place_is_a_weight() {
    let definition = Definition::builder("w")
        .places(["p"])
        .transition(TransitionDraft::new("t").inputs(["p", "p"]).outputs(["p"]))
        .initial("p", 2)
        .build()
        .unwrap();
    let net = definition.net();
    assert_eq!(net.inputs(net.transition_named("t").unwrap())[0].weight, 2);
}

#[test]
fn expanding_keeps_everything_and_knows_the_new_places() {
    let small = Definition::from_json("ticket.json", TICKET).unwrap();
    let reopen = TransitionDraft::new("archive").inputs(["closed"]).outputs(["archived"]);
    let large = small.expand([reopen], ["archived"]).unwrap();
    let net = large.net();
    assert_eq!(net.place_count(), 4);
    assert_eq!(large.version(), 4);
    assert_ne!(large.content_hash(), small.content_hash());
    // A token that moves to a new place is there.
    let fire = |name| net.transition_named(name).unwrap();
    let end = net.fire_sequence(net.initial(), &[fire("close"), fire("archive")]).unwrap();
    assert_eq!(end.tokens(net.place_named("archived").unwrap()), 1);
    let taken = small.expand([TransitionDraft::new("close")], ["open"]).unwrap_err();
    let messages: Vec<&str> = taken.list().iter().map(|p| p.message.as_str()).collect();
    assert_eq!(
        messages,
        ["the place `open` is defined twice", "the transition `close` is defined twice"]
    );
}

#[test]
fn registered_types_are_known_and_check_their_config() {
    let types = NodeTypes::built_in().with("email").with_check("pay", |config| {
        config.get("amount").map(|_| ()).ok_or("there is no `amount`".to_owned())
    });
    let text = |config: &str| {
        format!(
            r#"{{"name": "x", "places": [], "transitions": [
              {{"name": "e", "type": "email", "inputs": [], "outputs": []}},
              {{"name": "p", "type": "pay", "inputs": [], "outputs": [], "config": {config}}}]}}"#
        )
    };
    let definition = Definition::from_json_with("x", &text(r#"{"amount": 3}"#), &types).unwrap();
    assert_eq!(definition.transitions()[1].node().kind(), "pay");
    assert_eq!(
        Definition::from_json_with("x", &text("{}"), &types).unwrap_err().to_string(),
        "x:3:83: the config of the transition `p` is not accepted: there is no `amount`"
    );
    assert!(Definition::from_json("x", &text("{}")).is_err());
}

#[test]
fn a_guard_that_reads_what_nothing_sets_is_a_warning() {
    let text = r#"{"name": "x", "places": ["p"], "transitions": [
  {"name": "look", "type": "http", "inputs": ["p"], "outputs": ["p"], "config": {"url": "http://a"}},
  {"name": "t", "type": "auto", "inputs": ["p"], "outputs": [],
   "guard": "look.ok and order.id == 1 and order.totl > 1 and ordr == 1 and marking.q > 0"},
  {"name": "u", "type": "auto", "inputs": ["p"], "outputs": [], "guard": "exists(maybe)"}
], "initialContext": {"order": {"id": 1}}}"#;
    let definition = Definition::from_json("x", text).unwrap();
    let warnings: Vec<String> = definition.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "4:44: `order` has no field `totl`; give it a value in `initialContext`, or ask `exists(…)` first",
            "4:63: the context has no field `ordr`; did you mean `order`?",
            "4:77: there is no place `q`"
        ]
    );
}
