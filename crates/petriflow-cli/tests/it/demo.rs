//! `petriflow demo`.

use std::process::Stdio;

use super::{command, run};

const SESSION: &str = include_str!("../../demo/demo.session");
const RULES: &str = include_str!("../../demo/demo.rules");

#[test]
fn every_call_of_the_session_is_shown_with_its_decision() {
    let demo = run(&["demo"], "");
    assert!(demo.starts_with("exit 0\n--- stdout\n"), "{demo}");
    assert!(!demo.contains("--- stderr"), "{demo}");
    let mut rest = demo.as_str();
    let calls = SESSION.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let mut count = 0;
    for call in calls {
        let (_, after) = rest.split_once(&format!("\n> {call}\n  ")).expect("in order");
        let decision = after.split_whitespace().next().expect("a word");
        assert!(["allowed", "blocked", "asks"].contains(&decision), "{call}: {decision}");
        rest = after;
        count += 1;
    }
    assert!(count >= 10, "{count} calls");
    for decision in ["\n  allowed  ", "\n  blocked  "] {
        assert!(demo.matches(decision).count() >= 3, "{demo}");
    }
}

#[test]
fn every_rule_is_shown_and_every_refusal_names_its_rule() {
    let demo = run(&["demo"], "");
    let statements = RULES.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    for statement in statements {
        assert!(demo.contains(&format!("    {statement}\n")), "{statement}");
        let is_rule = !statement.starts_with("map ");
        assert!(
            !is_rule || demo.contains(&format!(": {statement} [")),
            "{statement} decides nothing"
        );
    }
    let refusals = demo.matches("\n  blocked  ").count();
    assert!(demo.matches("demo.rules:").count() >= refusals);
}

#[test]
fn nothing_is_asked_of_the_reader() {
    let output = command(&["demo"]).stdin(Stdio::null()).output().expect("runs");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(run(&["demo"], ""), run(&["demo"], "no\nno\n"));
    assert!(!output.stdout.contains(&0x1b), "no colours in a pipe");
}

#[test]
fn its_rules_are_rules_to_begin_with() {
    let rules = run(&["demo", "--rules"], "");
    assert_eq!(rules, format!("exit 0\n--- stdout\n{RULES}"));
    let report = run(&["check", "-", "--strict"], RULES);
    assert!(report.starts_with("exit 0\n") && report.ends_with("no findings\n"), "{report}");
    assert!(run(&["fmt", "-", "--check"], RULES).starts_with("exit 0\n"));
}
