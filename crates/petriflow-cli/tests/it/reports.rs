//! What the reports say of nets of every kind.

use super::{file, relative, run};

fn analysed(net: &str, flags: &[&str]) -> String {
    run(&[&["analyse", net], flags].concat(), "")
}

#[test]
fn a_deadlock_is_shown_with_a_shortest_way_into_it() {
    insta::assert_snapshot!(analysed("examples/nets/philosophers-3.pnml", &[]), @"
    exit 0
    --- stdout
    philosophers-3: 14 states, 27 edges, explored completely
      net          12 places, 9 transitions, 6 tokens at the start
      bounded      yes, at most 1 token in a place, 6 in a marking
      terminal     1 marking, 1 deadlock
                   shortest:  take_left_0 → take_left_1 → take_left_2
                   ends with: has_left_0:1, has_left_1:1, has_left_2:1
      dead         no transition
      live         no transition
      reversible   no
      invariants   6 place invariants, every place is covered
                   thinking_0 + has_left_0 + eating_0 = 1
                   has_left_0 + eating_0 + fork_0 + eating_2 = 1
                   eating_0 + has_left_1 + eating_1 + fork_1 = 1
                   thinking_1 + has_left_1 + eating_1 = 1
                   eating_1 + has_left_2 + eating_2 + fork_2 = 1
                   thinking_2 + has_left_2 + eating_2 = 1
                   3 independent transition invariants
    findings: 1, deadlocks (exit 1 with --strict)
    ");
}

#[test]
fn a_net_that_keeps_running_is_live_and_reversible() {
    insta::assert_snapshot!(analysed("examples/nets/mutex.pnml", &[]), @"
    exit 0
    --- stdout
    mutex: 3 states, 4 edges, explored completely
      net          5 places, 4 transitions, 3 tokens at the start
      bounded      yes, at most 1 token in a place, 3 in a marking
      terminal     no marking
      dead         no transition
      live         every transition (4)
      reversible   yes
      invariants   3 place invariants, every place is covered
                   idle_a + critical_a = 1
                   critical_a + critical_b + lock = 1
                   idle_b + critical_b = 1
                   2 independent transition invariants
    findings: none
    ");
}

#[test]
fn ending_in_a_terminal_place_is_no_deadlock() {
    insta::assert_snapshot!(analysed("examples/nets/coffee.json", &[]), @"
    exit 0
    --- stdout
    coffee: 27 states, 41 edges, explored completely
      net          6 places, 5 transitions, 3 tokens at the start
      bounded      yes, at most 2 tokens in a place, 3 in a marking
      terminal     2 markings, no deadlock
      dead         no transition
      live         no transition
      reversible   no
      invariants   1 place invariant, not covered: milk
                   waiting + paid + ordered + brewing + served = 2
                   no independent transition invariant
    findings: none
    ");
}

#[test]
fn an_unbounded_net_is_shown_with_what_pumps_it() {
    insta::assert_snapshot!(analysed("examples/nets/producer-unbounded.json", &[]), @"
    exit 0
    --- stdout
    producer-unbounded: unbounded, shown after 16385 states and 32764 edges
      net          5 places, 4 transitions, 2 tokens at the start
      bounded      no, tokens without end in buffer
                   first:     (start)
                   repeat:    produce
                   adding to: buffer
      other places ready at most 1, hungry at most 1, eating at most 1, full at most 0
      terminal     no marking among the states explored
      dead         1 of 4 transitions: overflow
      live         not computed, the net is unbounded
      reversible   not computed, the net is unbounded
      invariants   2 place invariants, not covered: buffer
                   ready + full = 1
                   hungry + eating = 1
                   1 independent transition invariant
    findings: 2, unbounded and dead transitions (exit 1 with --strict)
    ");
}

#[test]
fn an_undecided_net_says_which_limit_and_what_was_explored() {
    let flags = ["--max-states", "5"];
    insta::assert_snapshot!(analysed("examples/nets/philosophers-3.pnml", &flags), @"
    exit 0
    --- stdout
    philosophers-3: undecided, 5 states and 12 edges explored until the limit of 5 states
      net          12 places, 9 transitions, 6 tokens at the start
      bounded      yes, by the arcs alone; how many tokens was not decided
      terminal     no marking among the states explored
      dead         not decided, 3 transitions not fired so far
      live         not decided
      reversible   not decided
      invariants   6 place invariants, every place is covered
                   thinking_0 + has_left_0 + eating_0 = 1
                   has_left_0 + eating_0 + fork_0 + eating_2 = 1
                   eating_0 + has_left_1 + eating_1 + fork_1 = 1
                   thinking_1 + has_left_1 + eating_1 = 1
                   eating_1 + has_left_2 + eating_2 + fork_2 = 1
                   thinking_2 + has_left_2 + eating_2 = 1
                   3 independent transition invariants
    findings: 1, undecided (exit 1 with --strict)
    --- stderr
    hint: raise --max-states
    ");
}

#[test]
fn json_of_a_complete_space_has_every_field() {
    insta::assert_snapshot!(analysed("examples/nets/mutex.pnml", &["--json"]), @r#"
    exit 0
    --- stdout
    {
      "version": 1,
      "name": "mutex",
      "places": 5,
      "transitions": 4,
      "verdict": "complete",
      "limit": null,
      "states": 3,
      "edges": 4,
      "terminal": 0,
      "deadlocks": 0,
      "deadlockTrace": null,
      "bounded": true,
      "maxTokensInPlace": {
        "idle_a": 1,
        "critical_a": 1,
        "idle_b": 1,
        "critical_b": 1,
        "lock": 1
      },
      "maxTokensInMarking": 3,
      "pump": null,
      "deadTransitions": [],
      "live": [
        "a_enters",
        "a_leaves",
        "b_enters",
        "b_leaves"
      ],
      "reversible": true,
      "invariants": {
        "places": [
          {
            "weights": {
              "idle_a": 1,
              "critical_a": 1
            },
            "value": 1
          },
          {
            "weights": {
              "critical_a": 1,
              "critical_b": 1,
              "lock": 1
            },
            "value": 1
          },
          {
            "weights": {
              "idle_b": 1,
              "critical_b": 1
            },
            "value": 1
          }
        ],
        "transitions": [
          {
            "a_enters": 1,
            "a_leaves": 1
          },
          {
            "b_enters": 1,
            "b_leaves": 1
          }
        ],
        "uncoveredPlaces": []
      },
      "findings": [],
      "memoryBytes": …
    }
    "#);
}

#[test]
fn json_of_a_deadlock_has_its_trace() {
    let net = r#"{"name": "trap", "places": ["a", "b"], "transitions": [
        {"name": "fall", "inputs": ["a", "a"], "outputs": ["b"]},
        {"name": "climb", "inputs": ["b", "b"], "outputs": ["a"]}
    ], "initialMarking": {"a": 3}}"#;
    insta::assert_snapshot!(run(&["analyse", "-", "--json"], net), @r#"
    exit 0
    --- stdout
    {
      "version": 1,
      "name": "trap",
      "places": 2,
      "transitions": 2,
      "verdict": "complete",
      "limit": null,
      "states": 2,
      "edges": 1,
      "terminal": 1,
      "deadlocks": 1,
      "deadlockTrace": {
        "transitions": [
          "fall"
        ],
        "marking": {
          "a": 1,
          "b": 1
        }
      },
      "bounded": true,
      "maxTokensInPlace": {
        "a": 3,
        "b": 1
      },
      "maxTokensInMarking": 3,
      "pump": null,
      "deadTransitions": [
        "climb"
      ],
      "live": [],
      "reversible": false,
      "invariants": {
        "places": [],
        "transitions": [],
        "uncoveredPlaces": [
          "a",
          "b"
        ]
      },
      "findings": [
        {
          "kind": "deadlocks",
          "message": "1 deadlock, the nearest after 1 firing"
        },
        {
          "kind": "deadTransitions",
          "message": "never fires: climb"
        }
      ],
      "memoryBytes": …
    }
    "#);
}

#[test]
fn json_of_an_unbounded_net_has_its_pump() {
    insta::assert_snapshot!(analysed("examples/nets/producer-unbounded.json", &["--json"]), @r#"
    exit 0
    --- stdout
    {
      "version": 1,
      "name": "producer-unbounded",
      "places": 5,
      "transitions": 4,
      "verdict": "unbounded",
      "limit": null,
      "states": 16385,
      "edges": 32764,
      "terminal": 0,
      "deadlocks": 0,
      "deadlockTrace": null,
      "bounded": false,
      "maxTokensInPlace": {
        "ready": 1,
        "buffer": null,
        "hungry": 1,
        "eating": 1,
        "full": 0
      },
      "maxTokensInMarking": null,
      "pump": {
        "prefix": [],
        "cycle": [
          "produce"
        ],
        "places": [
          "buffer"
        ]
      },
      "deadTransitions": [
        "overflow"
      ],
      "live": null,
      "reversible": null,
      "invariants": {
        "places": [
          {
            "weights": {
              "ready": 1,
              "full": 1
            },
            "value": 1
          },
          {
            "weights": {
              "hungry": 1,
              "eating": 1
            },
            "value": 1
          }
        ],
        "transitions": [
          {
            "produce": 2,
            "consume": 1,
            "digest": 1
          }
        ],
        "uncoveredPlaces": [
          "buffer"
        ]
      },
      "findings": [
        {
          "kind": "unbounded",
          "message": "tokens without end in buffer"
        },
        {
          "kind": "deadTransitions",
          "message": "never fires: overflow"
        }
      ],
      "memoryBytes": …
    }
    "#);
}

#[test]
fn json_of_an_undecided_net_has_its_limit() {
    let flags = ["--json", "--max-states", "2"];
    insta::assert_snapshot!(analysed("examples/nets/mutex.pnml", &flags), @r#"
    exit 0
    --- stdout
    {
      "version": 1,
      "name": "mutex",
      "places": 5,
      "transitions": 4,
      "verdict": "undecided",
      "limit": {
        "kind": "states",
        "max": 2,
        "place": null
      },
      "states": 2,
      "edges": 2,
      "terminal": 0,
      "deadlocks": 0,
      "deadlockTrace": null,
      "bounded": true,
      "maxTokensInPlace": {
        "idle_a": null,
        "critical_a": null,
        "idle_b": null,
        "critical_b": null,
        "lock": null
      },
      "maxTokensInMarking": null,
      "pump": null,
      "deadTransitions": null,
      "live": null,
      "reversible": null,
      "invariants": {
        "places": [
          {
            "weights": {
              "idle_a": 1,
              "critical_a": 1
            },
            "value": 1
          },
          {
            "weights": {
              "critical_a": 1,
              "critical_b": 1,
              "lock": 1
            },
            "value": 1
          },
          {
            "weights": {
              "idle_b": 1,
              "critical_b": 1
            },
            "value": 1
          }
        ],
        "transitions": [
          {
            "a_enters": 1,
            "a_leaves": 1
          },
          {
            "b_enters": 1,
            "b_leaves": 1
          }
        ],
        "uncoveredPlaces": []
      },
      "findings": [
        {
          "kind": "undecided",
          "message": "stopped at the limit of 2 states"
        }
      ],
      "memoryBytes": …
    }
    "#);
}

#[test]
fn what_an_undecided_exploration_proves_all_the_same_is_said() {
    // Both transitions fire and the arcs keep the token, though one state is left out.
    let net = r#"{"places": ["a", "b", "c"], "transitions": [
        {"name": "go", "inputs": ["a"], "outputs": ["b"]},
        {"name": "on", "inputs": ["b"], "outputs": ["c"]}
    ], "initialMarking": {"a": 2}}"#;
    insta::assert_snapshot!(run(&["analyse", "-", "--max-states", "4"], net), @"
    exit 0
    --- stdout
    <stdin>: undecided, 4 states and 5 edges explored until the limit of 4 states
      net          3 places, 2 transitions, 2 tokens at the start
      bounded      yes, by the arcs alone; how many tokens was not decided
      terminal     no marking among the states explored
      dead         no transition
      live         not decided
      reversible   not decided
      invariants   1 place invariant, every place is covered
                   a + b + c = 2
                   no independent transition invariant
    findings: 1, undecided (exit 1 with --strict)
    --- stderr
    hint: raise --max-states
    ");
}

#[test]
fn an_empty_net_is_one_state() {
    let net = r#"{"places": [], "transitions": []}"#;
    insta::assert_snapshot!(run(&["analyse", "-"], net), @"
    exit 0
    --- stdout
    <stdin>: 1 state, no edge, explored completely
      net          no place, no transition, no token at the start
      bounded      yes, at most 0 tokens in a place, 0 in a marking
      terminal     1 marking, 1 deadlock
                   shortest:  (start)
                   ends with: no token anywhere
      dead         no transition
      live         no transition
      reversible   yes
      invariants   no place invariant without negative weights, every place is covered
                   no independent transition invariant
    findings: 1, deadlocks (exit 1 with --strict)
    ");
}

#[test]
fn long_lists_and_sequences_are_cut() {
    let stages = 40;
    let places: Vec<String> = (0..=stages).map(|at| format!("\"p{at}\"")).collect();
    let step = |at| {
        let next = at + 1;
        format!(
            r#"{{"name": "t{at}", "inputs": ["p{at}"], "outputs": ["p{next}", "p{at}", "p{at}"]}}"#
        )
    };
    let line =
        |at| format!(r#"{{"name": "t{at}", "inputs": ["p{at}"], "outputs": ["p{}"]}}"#, at + 1);
    let dead = |at| format!(r#"{{"name": "d{at}", "inputs": ["p40", "p{at}"], "outputs": []}}"#);
    let net = |transitions: Vec<String>| {
        let (places, transitions) = (places.join(","), transitions.join(","));
        let initial = r#""initialMarking": {"p0": 1}"#;
        format!(r#"{{"places": [{places}], "transitions": [{transitions}], {initial}}}"#)
    };
    let bounded = net((0..stages).map(line).chain((0..30).map(dead)).collect());
    let growing = net((0..stages).map(step).collect());
    let reports = run(&["analyse", "-"], &bounded) + &run(&["analyse", "-"], &growing);
    insta::assert_snapshot!(reports, @"
    exit 0
    --- stdout
    <stdin>: 41 states, 40 edges, explored completely
      net          41 places, 70 transitions, 1 token at the start
      bounded      yes, at most 1 token in a place, 1 in a marking
      terminal     1 marking, 1 deadlock
                   shortest:  t0 → t1 → t2 → t3 → t4 → t5 → t6 → t7 → t8 → t9 → t10 → t11 → … 22 more … → t34 → t35 → t36 → t37 → t38 → t39
                   ends with: p40:1
      dead         30 of 70 transitions: d0, d1, d2, d3, d4, d5, d6, d7, d8, d9 and 20 more (--json lists all)
      live         no transition
      reversible   no
      invariants   no place invariant without negative weights, no place is covered
                   29 independent transition invariants
    findings: 2, deadlocks and dead transitions (exit 1 with --strict)
    exit 0
    --- stdout
    <stdin>: unbounded, shown after 16384 states and 61440 edges
      net          41 places, 40 transitions, 1 token at the start
      bounded      no, tokens without end in p0, p1, p2, p3, p4, p5, p6, p7, p8, p9 and 31 more (--json lists all)
                   first:     (start)
                   repeat:    t0
                   adding to: p0, p1
      other places none
      terminal     no marking among the states explored
      dead         no transition
      live         not computed, the net is unbounded
      reversible   not computed, the net is unbounded
      invariants   no place invariant without negative weights, no place is covered
                   no independent transition invariant
    findings: 1, unbounded (exit 1 with --strict)
    ");
}

#[test]
fn weights_that_doubles_cannot_hold_are_strings_in_json() {
    // Each place counts 4294967295 of the next, so the first weighs their product.
    let transition = |name: &str, from: &str, to: &str| {
        let output = format!(r#"{{"place": "{to}", "weight": 4294967295}}"#);
        format!(r#"{{"name": "{name}", "inputs": ["{from}"], "outputs": [{output}]}}"#)
    };
    let transitions = transition("x", "a", "b") + "," + &transition("y", "b", "c");
    let net = format!(
        r#"{{"places": ["a", "b", "c"], "transitions": [{transitions}], "initialMarking": {{"a": 2}}}}"#
    );
    let json = run(&["analyse", "-", "--json", "--max-states", "10"], &net);
    let (_, invariants) = json.split_once("\"invariants\"").unwrap();
    insta::assert_snapshot!(invariants.split_once("\"transitions\"").unwrap().0, @r#"
    : {
        "places": [
          {
            "weights": {
              "a": "18446744065119617025",
              "b": 4294967295,
              "c": 1
            },
            "value": "36893488130239234050"
          }
        ],
    "#);
}

#[test]
fn names_cannot_send_control_sequences_to_the_terminal() {
    let net = r#"{"name": "\u001b]0;owned\u0007", "places": ["a\u001b[2J", "b\u009b31m"],
        "transitions": [
            {"name": "t\r\n\u202e", "inputs": ["a\u001b[2J"], "outputs": ["b\u009b31m"]},
            {"name": "never\u007f", "inputs": ["a\u001b[2J", "b\u009b31m"], "outputs": []}
        ], "initialMarking": {"a\u001b[2J": 1}}"#;
    let human = run(&["analyse", "-"], net);
    let json = run(&["analyse", "-", "--json"], net);
    let dot = run(&["analyse", "-", "--dot"], net);
    let mermaid = run(&["analyse", "-", "--mermaid"], net);
    for text in [&human, &json, &dot, &mermaid] {
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    }
    insta::assert_snapshot!(human, @r"
    exit 0
    --- stdout
    \u{1b}]0;owned\u{7}: 2 states, 1 edge, explored completely
      net          2 places, 2 transitions, 1 token at the start
      bounded      yes, at most 1 token in a place, 1 in a marking
      terminal     1 marking, 1 deadlock
                   shortest:  t\r\n\u{202e}
                   ends with: b\u{9b}31m:1
      dead         1 of 2 transitions: never\u{7f}
      live         no transition
      reversible   no
      invariants   no place invariant without negative weights, no place is covered
                   no independent transition invariant
    findings: 2, deadlocks and dead transitions (exit 1 with --strict)
    ");
}

#[test]
fn a_net_without_a_name_is_called_by_its_file() {
    let net = file("nameless.json", r#"{"places": ["p"], "transitions": []}"#);
    let report = relative(&analysed(&net, &[]));
    assert_eq!(report.lines().nth(2), Some("nameless.json: 1 state, no edge, explored completely"));
}
