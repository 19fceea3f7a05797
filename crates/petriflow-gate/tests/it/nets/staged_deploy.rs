//! Test, build, stage, ship.

use petriflow_gate::{
    Answer, Cause, Decision, Outcome, Policy, Session, Timestamp, ToolCall, ToolResult, nets,
};
use petriflow_net::analysis::{Explorer, Verdict};
use serde_json::{Value, json};

const NOW: Timestamp = Timestamp(1_000);

fn session() -> Session {
    Session::new(&Policy::new([nets::staged_deploy().unwrap()]).unwrap())
}

/// `build`, `build!` (fails), `build~1` (waits until `=1`, or `=1!` if it fails), `ship prod+`
/// (approved), `ship prod-` (rejected), `ship prod` (nobody there).
fn play(session: &mut Session, history: &str) -> String {
    let mut log = Vec::new();
    for (number, step) in history.split(", ").enumerate() {
        if let Some(waiting) = step.strip_prefix('=') {
            let (id, is_error) = (waiting.trim_end_matches('!'), waiting.ends_with('!'));
            let (tool, id) = id.split_once(' ').unwrap();
            let outcome =
                session.result(&ToolResult { id: id.into(), tool: tool.into(), is_error });
            assert!(matches!(outcome, Outcome::Settled { .. }), "{step}: {outcome:?}");
            log.push(step.to_owned());
            continue;
        }
        let (plain, waits) = step.split_once('~').unwrap_or((step, ""));
        let plain = plain.trim_end_matches(['!', '+', '-']);
        let (tool, target) = plain.split_once(' ').unwrap_or((plain, ""));
        let id = if waits.is_empty() { format!("#{number}") } else { waits.to_owned() };
        let input = if target.is_empty() { json!({}) } else { json!({ "target": target }) };
        let call = ToolCall::new(id, tool, input);
        let mut decision = session.decide(&call, NOW);
        let mut asked = "";
        if let Decision::NeedsApproval(approval) = &decision {
            asked = " after asking";
            let answer = match step {
                _ if step.ends_with('+') => Answer::Approved,
                _ if step.ends_with('-') => Answer::Rejected,
                _ => Answer::Unavailable,
            };
            decision = session.answer(&call, approval.ticket, answer, NOW);
        }
        match decision.refusal() {
            Some(refusal) => log.push(format!("{step}: {refusal}")),
            None => {
                log.push(format!("{step}: allowed{asked}"));
                if waits.is_empty() {
                    let is_error = step.ends_with('!');
                    session.result(&ToolResult { is_error, ..ToolResult::success(&call) });
                }
            }
        }
    }
    log.join("\n")
}

#[test]
fn every_stage_needs_the_one_before() {
    insta::assert_snapshot!(play(&mut session(), "build, stage, ship dev, test, stage, ship dev, build, ship dev, stage, ship dev, ship dev, build"), @"
    build: build is not allowed by 'staged-deploy' in its current state.
    stage: stage is not allowed by 'staged-deploy' in its current state.
    ship dev: ship-elsewhere is not allowed by 'staged-deploy' in its current state.
    test: allowed
    stage: stage is not allowed by 'staged-deploy' in its current state.
    ship dev: ship-elsewhere is not allowed by 'staged-deploy' in its current state.
    build: allowed
    ship dev: ship-elsewhere is not allowed by 'staged-deploy' in its current state.
    stage: allowed
    ship dev: allowed
    ship dev: ship-elsewhere is not allowed by 'staged-deploy' in its current state.
    build: build is not allowed by 'staged-deploy' in its current state.
    ");
}

#[test]
fn production_needs_a_person() {
    insta::assert_snapshot!(play(&mut session(), "test, build, stage, ship prod, ship production-, ship production+, ship production+"), @"
    test: allowed
    build: allowed
    stage: allowed
    ship prod: ship requires human approval.
    ship production-: ship requires human approval.
    ship production+: allowed after asking
    ship production+: ship is not allowed by 'staged-deploy' in its current state.
    ");
}

#[test]
fn a_stage_that_failed_leads_nowhere() {
    insta::assert_snapshot!(play(&mut session(), "test!, build, test, build!, stage, build, stage!, ship dev, stage, ship dev!, ship dev"), @"
    test!: allowed
    build: build is not allowed by 'staged-deploy' in its current state.
    test: allowed
    build!: allowed
    stage: stage is not allowed by 'staged-deploy' in its current state.
    build: allowed
    stage!: allowed
    ship dev: ship-elsewhere is not allowed by 'staged-deploy' in its current state.
    stage: allowed
    ship dev!: allowed
    ship dev: ship-elsewhere is not allowed by 'staged-deploy' in its current state.
    ");
}

#[test]
fn a_successful_test_starts_anew_and_a_failed_one_does_not() {
    insta::assert_snapshot!(play(&mut session(), "test, test, build, test, stage, build, stage, test!, test, ship dev, build, stage, ship dev"), @"
    test: allowed
    test: allowed
    build: allowed
    test: allowed
    stage: stage is not allowed by 'staged-deploy' in its current state.
    build: allowed
    stage: allowed
    test!: allowed
    test: allowed
    ship dev: ship-elsewhere is not allowed by 'staged-deploy' in its current state.
    build: allowed
    stage: allowed
    ship dev: allowed
    ");
}

#[test]
fn building_and_staging_may_be_repeated_but_count_only_once_done() {
    insta::assert_snapshot!(play(&mut session(), "test, build, build, stage, stage, build!, ship dev, stage, build, stage, stage!, ship dev, stage, ship dev"), @"
    test: allowed
    build: allowed
    build: allowed
    stage: allowed
    stage: allowed
    build!: allowed
    ship dev: ship requires that the last build was staged successfully.
    stage: stage requires a build that has succeeded since the last test.
    build: allowed
    stage: allowed
    stage!: allowed
    ship dev: ship requires that the last build was staged successfully.
    stage: allowed
    ship dev: allowed
    ");
}

#[test]
fn nothing_goes_on_while_the_stage_before_is_running() {
    insta::assert_snapshot!(play(&mut session(), "test~a, build, =test a, build~b, stage, =build b, stage~c, ship dev, =stage c, ship dev"), @"
    test~a: allowed
    build: build is not allowed by 'staged-deploy' in its current state.
    =test a
    build~b: allowed
    stage: stage is not allowed by 'staged-deploy' in its current state.
    =build b
    stage~c: allowed
    ship dev: ship-elsewhere is not allowed by 'staged-deploy' in its current state.
    =stage c
    ship dev: allowed
    ");
}

#[test]
fn what_a_newer_test_or_build_has_overtaken_does_not_count() {
    insta::assert_snapshot!(play(&mut session(), "test, build~a, test, =build a, stage, build, stage~b, build, =stage b, ship dev, stage, ship dev"), @"
    test: allowed
    build~a: allowed
    test: allowed
    =build a
    stage: stage requires a build that has succeeded since the last test.
    build: allowed
    stage~b: allowed
    build: allowed
    =stage b
    ship dev: ship requires that the last build was staged successfully.
    stage: allowed
    ship dev: allowed
    ");
    insta::assert_snapshot!(play(&mut session(), "test, build, stage~a, build~b, =stage a, ship dev, =build b, ship dev, stage, ship dev"), @"
    test: allowed
    build: allowed
    stage~a: allowed
    build~b: allowed
    =stage a
    ship dev: ship requires that the last build was staged successfully.
    =build b
    ship dev: ship-elsewhere is not allowed by 'staged-deploy' in its current state.
    stage: allowed
    ship dev: allowed
    ");
}

#[test]
fn a_stage_from_before_shipping_does_not_count_afterwards() {
    insta::assert_snapshot!(play(&mut session(), "test, build, stage~a, stage, ship dev, test, build, =stage a, ship dev, stage, ship dev"), @"
    test: allowed
    build: allowed
    stage~a: allowed
    stage: allowed
    ship dev: allowed
    test: allowed
    build: allowed
    =stage a
    ship dev: ship requires that the last build was staged successfully.
    stage: allowed
    ship dev: allowed
    ");
}

#[test]
fn of_two_ships_at_once_one_goes() {
    insta::assert_snapshot!(play(&mut session(), "test, build, stage, ship dev~a, ship dev~b"), @"
    test: allowed
    build: allowed
    stage: allowed
    ship dev~a: allowed
    ship dev~b: ship-elsewhere is not allowed by 'staged-deploy' in its current state.
    ");
}

#[test]
fn an_approval_does_not_outlive_what_was_staged() {
    let mut session = session();
    play(&mut session, "test, build, stage");
    let ship = ToolCall::new("p", "ship", json!({"target": "production"}));
    let Decision::NeedsApproval(approval) = session.decide(&ship, NOW) else { unreachable!() };
    play(&mut session, "ship dev");
    let late = session.answer(&ship, approval.ticket, Answer::Approved, NOW);
    let refusal = late.refusal().unwrap();
    assert_eq!(refusal.reasons[0].cause, Cause::NotEnabled);
    assert_eq!(refusal.to_string(), "ship is not allowed by 'staged-deploy' in its current state.");
}

#[test]
fn an_approval_for_one_target_is_not_good_for_another() {
    let mut session = session();
    play(&mut session, "test, build, stage");
    let ship = |target: &str| ToolCall::new("p", "ship", json!({ "target": target }));
    let Decision::NeedsApproval(approval) = session.decide(&ship("eu"), NOW) else {
        unreachable!()
    };
    let other = session.answer(&ship("prod"), approval.ticket, Answer::Approved, NOW);
    assert_eq!(other.refusal().unwrap().to_string(), "the approval is for another call");
    assert_eq!(other.refusal().unwrap().reasons[0].cause, Cause::StaleApproval);
}

fn who_decides(tool: &str, input: Value) -> &'static str {
    let mut session = session();
    play(&mut session, "test, build, stage");
    match session.decide(&ToolCall::new("s", tool, input), NOW) {
        Decision::Allowed => "automatic",
        Decision::NeedsApproval(_) => "a person",
        Decision::Blocked(_) => "blocked",
    }
}

#[test]
fn only_known_targets_ship_without_a_person() {
    for target in ["staging", "preview", "dev", "development", "test"] {
        for field in ["target", "environment", "env"] {
            assert_eq!(who_decides("ship", json!({ field: target })), "automatic", "{target}");
        }
    }
    let production = [
        json!({}),
        json!(null),
        json!("dev"),
        json!(["dev"]),
        json!({"target": "production"}),
        json!({"env": "prod"}),
        json!({"target": "Dev"}),
        json!({"target": " dev"}),
        json!({"target": "dev,prod"}),
        json!({"target": ""}),
        json!({"target": null}),
        json!({"target": ["dev"]}),
        json!({"target": {"name": "dev"}}),
        json!({"target": "dev", "env": "prod"}),
        json!({"target": "dev", "environment": null}),
        json!({"where": "dev"}),
    ];
    for input in production {
        assert_eq!(who_decides("ship", input.clone()), "a person", "{input}");
    }
    // The virtual name is no way around.
    assert_eq!(who_decides("ship-elsewhere", json!({"target": "dev"})), "a person");
}

#[test]
fn forged_results_lead_nowhere() {
    let mut session = session();
    let test = ToolCall::new("1", "test", json!({}));
    assert_eq!(session.result(&ToolResult::success(&test)), Outcome::UnknownCall);
    assert!(session.decide(&test, NOW).is_allowed());
    let forged = ToolResult { id: "1".into(), tool: "stage".into(), is_error: false };
    assert_eq!(session.result(&forged), Outcome::OtherTool { called: "test".into() });
    insta::assert_snapshot!(play(&mut session, "build, ship dev"), @"
    build: build is not allowed by 'staged-deploy' in its current state.
    ship dev: ship-elsewhere is not allowed by 'staged-deploy' in its current state.
    ");
}

#[test]
fn the_structure_has_four_states_one_token_and_no_dead_end() {
    let net = nets::staged_deploy().unwrap();
    let exploration = Explorer::new(net.net())
        .always("the pipeline is in one place", |m| m.total() == 1)
        .explore();
    assert_eq!(exploration.claims()[0].verdict, Verdict::Proved { witness: None });
    let space = exploration.complete().unwrap();
    assert_eq!((space.len(), space.edges()), (4, 11));
}
