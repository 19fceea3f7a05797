//! `petriflow analyse` on workflows.

use crate::{file, relative, run};

#[test]
fn a_workflow_is_reported_claim_by_claim() {
    insta::assert_snapshot!(run(&["analyse", "workflows/coffee.json", "--strict"], ""), @r"
    exit 0
    --- stdout
    coffee: 5 states, all of them
      workflow    6 places, 3 transitions
      completed   1 marking, the nearest by heatWater → grindBeans → pourOver
      stuck       no marking
      bounds      at most 1 token in a place
      dead        no transition
      invariant   proved     waterCold + waterHot + coffeeReady = 1
      invariant   proved     beansWhole + beansGround + coffeeReady = 1
      sound       proved     from everywhere it can complete
                  proved     nothing is left behind
                  proved     every transition can fire
      livelocks   proved     an end can be reached from everywhere
      property    proved     there is coffee in the end
                             unless guards strand it after heatWater → grindBeans
      property    proved     no coffee from cold water
      property    proved     nothing is left over
      guards      pourOver
                  could strand an instance after heatWater → grindBeans
    no findings
    ");
    insta::assert_snapshot!(run(&["analyse", "workflows/contract-approval.json"], ""), @r"
    exit 0
    --- stdout
    contract-approval: 11 states, all of them
      workflow    8 places, 6 transitions
      completed   4 markings, the nearest by submit → approveFinance → rejectLegal
      stuck       no marking
      bounds      at most 1 token in a place
      dead        no transition
      invariant   proved     submitted + awaitingFinance + financeApproved + financeRejected + executed = 1
      sound       proved     from everywhere it can complete
                  refuted    nothing is left behind
                             submit → approveFinance → rejectLegal
                  proved     every transition can fire
      livelocks   proved     an end can be reached from everywhere
      property    proved     a rejected contract is never executed
      property    proved     no execution without finance
      property    proved     no execution without legal
      property    proved     every contract is decided
    no findings
    ");
}

#[test]
fn every_shipped_workflow_is_as_its_page_says() {
    let mut report = String::new();
    for (name, findings) in [
        ("agent-benchmark", 0),
        ("coffee", 0),
        ("contract-approval", 0),
        ("github-lookup", 0),
        ("order-checkout", 0),
        ("simple-agent", 0),
        ("safety/tool-approval", 0),
        ("safety/message-gating", 0),
        // What must never happen is dead, which is the point of them.
        ("safety/budget-escalation", 1),
        ("safety/sandbox-isolation", 0),
        ("safety/sandbox-isolation-locked", 1),
    ] {
        let shown = run(&["analyse", &format!("workflows/{name}.json"), "--strict"], "");
        assert!(shown.starts_with(&format!("exit {findings}\n")), "{shown}");
        assert!(!shown.contains("undecided"), "{shown}");
        let unproved =
            shown.lines().filter(|line| line.starts_with("  property") && !line.contains("proved"));
        assert_eq!(unproved.count(), 0, "{shown}");
        report.extend(shown.lines().nth(2).map(|line| format!("{line}\n")));
    }
    insta::assert_snapshot!(report, @r"
    agent-benchmark: 196 states, all of them
    coffee: 5 states, all of them
    contract-approval: 11 states, all of them
    github-lookup: 3 states, all of them
    order-checkout: 4 states, all of them
    simple-agent: 15 states, all of them
    tool-approval: 26 states, all of them
    message-gating: 9 states, all of them
    budget-escalation: 21 states, all of them
    sandbox-isolation: 30 states, all of them
    sandbox-isolation-locked: 21 states, all of them
    ");
}

#[test]
fn a_refuted_property_comes_with_a_shortest_way() {
    let path = file(
        "workflow-refuted.yaml",
        "\
name: door
places: [closed, open, broken]
transitions:
  - {name: push, type: manual, inputs: [closed], outputs: [open]}
  - {name: pull, type: auto, inputs: [open], outputs: [closed]}
  - {name: slam, type: auto, inputs: [open], outputs: [broken]}
initialMarking: {closed: 1}
terminalPlaces: [broken]
properties:
  - {name: it never breaks, never: broken}
",
    );
    insta::assert_snapshot!(relative(&run(&["analyse", &path, "--strict"], "")), @r"
    exit 1
    --- stdout
    door: 3 states, all of them
      workflow    3 places, 3 transitions
      completed   1 marking, the nearest by push → slam
      stuck       no marking
      bounds      at most 1 token in a place
      dead        no transition
      sound       proved     from everywhere it can complete
                  proved     nothing is left behind
                  proved     every transition can fire
      livelocks   proved     an end can be reached from everywhere
      property    refuted    it never breaks
                             push → slam
    1 finding
      the property `it never breaks` is refuted by push → slam
    ");
    let json = run(&["analyse", &path, "--json"], "");
    let json = json.strip_prefix("exit 0\n--- stdout\n").expect("analysed");
    let report: serde_json::Value = serde_json::from_str(json).expect("JSON");
    let property = report.pointer("/properties/0").expect("there");
    let steps = property.pointer("/trace/steps").expect("there");
    assert_eq!(steps, &serde_json::json!(["push", "slam"]));
}

#[test]
fn all_that_is_wrong_with_a_workflow_is_told_with_its_place() {
    let path = file(
        "workflow-wrong.json",
        r#"{
  "name": "wrong",
  "places": ["a", "b", "a"],
  "transitions": [
    {"name": "t", "type": "auto", "inputs": ["c"], "outputs": ["b"], "guard": "x >"},
    {"name": "u", "type": "atuo", "inputs": ["a"], "outputs": ["b"], "gaurd": "true"}
  ],
  "initialMarking": {"a": 1.5}
}"#,
    );
    insta::assert_snapshot!(relative(&run(&["analyse", &path], "")), @r"
    exit 2
    --- stderr
    error: workflow-wrong.json:3:24: the place `a` is defined twice; the first is at 3:14
    error: workflow-wrong.json:5:46: the transition `t` names `c`, which is not a place
    error: workflow-wrong.json:5:83: the guard of the transition `t`: a value is missing at the end
    error: workflow-wrong.json:6:27: the transition `u` has the type `atuo`, which is not known; did you mean `auto`?
    error: workflow-wrong.json:6:70: a transition has no field `gaurd`; did you mean `guard`?
    error: workflow-wrong.json:8:27: the initial count of `a` is 1.5, which is not a whole number in range
    ");
}
