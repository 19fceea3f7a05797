//! The shipped workflows: their state counts, and what is proved of them.

use std::path::Path;

use petriflow_engine::Definition;
use petriflow_engine::analysis::{Bound, Caveat, Limits, Outcome, Report, analyse};

fn shipped(name: &str) -> (Definition, Report) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../workflows/{name}.json"));
    let text = std::fs::read_to_string(&path).unwrap();
    let definition = Definition::from_json(name, &text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(definition.warnings(), [], "{name}");
    let report = analyse(&definition, &Limits::default());
    (definition, report)
}

/// The analysis of a workflow with these counts, in which every invariant and property is proved
/// and nothing but these transitions is dead.
fn proved(name: &str, states: usize, terminal: usize, dead: &[&str]) -> Report {
    let (definition, report) = shipped(name);
    assert_eq!(report.outcome, Outcome::Complete, "{name}");
    assert_eq!((report.states, report.completed.count), (states, terminal), "{name}");
    assert_eq!(report.stuck.count, 0, "{name}");
    assert!(report.no_livelock.is_proved(), "{name}");
    assert!(report.soundness.can_complete.is_proved(), "{name}");
    assert_eq!(report.dead.as_deref().unwrap(), dead, "{name}");
    assert_eq!(report.properties.len(), definition.properties().len());
    for property in &report.properties {
        assert!(property.verdict.is_proved(), "{name}: {property:?}");
    }
    for invariant in &report.invariants {
        assert!(invariant.verdict.is_proved(), "{name}: {invariant:?}");
    }
    assert_eq!(report.findings().len(), usize::from(!dead.is_empty()), "{name}");
    report
}

#[test]
fn coffee_has_5_states_and_is_sound() {
    let report = proved("coffee", 5, 1, &[]);
    assert!(report.soundness.is_proved());
    // A guard on the only way on can strand the workflow, and the report says where.
    assert_eq!(report.guards.guarded, ["pourOver"]);
    assert_eq!(report.guards.may_strand.count, 1);
    let Some(Caveat::GuardsMayStrand(trace)) = &report.properties[0].caveat else {
        panic!("{:?}", report.properties[0]);
    };
    assert_eq!(trace.to_string(), "heatWater → grindBeans");
    assert_eq!(report.properties[1].caveat, None);
}

#[test]
fn github_lookup_has_3_states_and_is_sound() {
    assert!(proved("github-lookup", 3, 1, &[]).soundness.is_proved());
}

#[test]
fn contract_approval_has_11_states_and_never_executes_what_was_rejected() {
    let report = proved("contract-approval", 11, 4, &[]);
    assert_eq!(report.invariants[0].equation.value, 1);
    // One department can be left with its approval when the other rejects.
    assert!(report.soundness.completes_properly.is_refuted());
}

#[test]
fn order_checkout_has_4_states_and_keeps_its_stock() {
    let report = proved("order-checkout", 4, 2, &[]);
    assert_eq!(report.invariants[0].equation.value, 3);
    assert_eq!(report.guards.may_strand.count, 0);
}

#[test]
fn simple_agent_has_15_states_and_answers() {
    proved("simple-agent", 15, 3, &[]);
}

#[test]
fn agent_benchmark_has_196_states_and_keeps_its_promises() {
    let report = proved("agent-benchmark", 196, 4, &[]);
    assert_eq!((report.places, report.transitions), (16, 17));
    let budget = report.bounds.iter().find(|(place, _)| place == "iterationBudget").unwrap();
    assert_eq!(budget.1, Bound::AtMost(3));
}

#[test]
fn tool_approval_has_26_states_and_runs_nothing_unapproved() {
    proved("safety/tool-approval", 26, 1, &[]);
}

#[test]
fn message_gating_has_9_states_and_sends_nothing_tainted_unreviewed() {
    proved("safety/message-gating", 9, 3, &[]);
}

#[test]
fn budget_escalation_has_21_states_and_its_privileged_transition_is_dead() {
    let report = proved("safety/budget-escalation", 21, 1, &["escalate"]);
    assert!(report.soundness.no_dead_transition.is_refuted());
}

#[test]
fn sandbox_isolation_has_30_states_and_uses_the_host_only_if_approved() {
    proved("safety/sandbox-isolation", 30, 3, &[]);
}

#[test]
fn the_locked_sandbox_has_21_states_and_never_uses_the_host() {
    let host = ["requestHost", "approveHost", "denyHost", "runOnHost", "collectHostOutput"];
    proved("safety/sandbox-isolation-locked", 21, 3, &host);
}

#[test]
fn every_shipped_workflow_has_a_page_and_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let tests = include_str!("workflows.rs");
    let mut count = 0;
    for folder in ["", "safety/"] {
        for entry in std::fs::read_dir(root.join("workflows").join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                continue;
            }
            let name = path.file_stem().unwrap().to_str().unwrap();
            let page = root.join(format!("docs/workflows/{name}.md"));
            assert!(page.exists(), "{name} has no page");
            assert!(tests.contains(&format!("proved(\"{folder}{name}\"")), "{name} has no test");
            count += 1;
        }
    }
    assert_eq!(count, 11);
}
