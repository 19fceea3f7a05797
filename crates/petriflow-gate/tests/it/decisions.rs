//! Decisions, one behaviour a test, in the words of the rules.

use std::sync::Arc;

use petriflow_gate::{
    Answer, Cause, Decision, Outcome, Policy, Session, SkillNet, Timestamp, ToolCall, ToolResult,
    Transition,
};
use petriflow_testkit::gate::{Words, rules};
use serde_json::json;

pub(crate) const NOW: Timestamp = Timestamp(1_000);

pub(crate) fn require(first: &str, then: &str) -> SkillNet {
    rules::require(first, then).skill_net()
}

pub(crate) fn limit(tool: &str, limit: u32) -> SkillNet {
    rules::limit(tool, limit).skill_net()
}

pub(crate) fn limit_per(tool: &str, limit: u32, scope: &str) -> SkillNet {
    rules::limit_per(tool, limit, scope).skill_net()
}

pub(crate) fn approve(tool: &str) -> SkillNet {
    rules::approve(tool).skill_net()
}

pub(crate) fn block(tool: &str) -> SkillNet {
    rules::block(tool).skill_net()
}

pub(crate) fn session(nets: impl IntoIterator<Item = SkillNet>) -> Session {
    let policy = Policy::builder().nets(nets).resolver(Arc::new(Words)).build().unwrap();
    Session::new(&policy)
}

/// Plays a history and tells each decision. `backup`, `backup!` (fails), `deploy+` (approved),
/// `deploy-` (rejected), `x~` (no result yet), `[a && b]` (one call).
pub(crate) fn play(session: &mut Session, history: &str) -> String {
    let mut log = Vec::new();
    for (number, step) in history.split(',').map(str::trim).enumerate() {
        let (name, suffix) = match step.find(['!', '+', '-', '~']) {
            Some(at) if !step.starts_with('[') || step[at..].len() == 1 => step.split_at(at),
            _ => (step, ""),
        };
        let id = format!("{number}");
        let call = match name.strip_prefix('[') {
            Some(command) => {
                ToolCall::new(id, "bash", json!({"command": command.trim_end_matches(']')}))
            }
            None => ToolCall::new(id, name, json!({})),
        };
        let mut decision = session.decide(&call, NOW);
        if let Decision::NeedsApproval(approval) = &decision {
            let answer = match suffix {
                "+" => Answer::Approved,
                "-" => Answer::Rejected,
                _ => Answer::Unavailable,
            };
            decision = session.answer(&call, approval.ticket, answer, NOW);
        }
        match &decision {
            Decision::Allowed => {
                if suffix != "~" {
                    let is_error = suffix == "!";
                    session.result(&ToolResult { id: call.id, tool: call.tool, is_error });
                }
                log.push(format!("{step}: allowed"));
            }
            Decision::Blocked(refusal) => log.push(format!("{step}: {refusal}")),
            Decision::NeedsApproval(_) => panic!("asked twice"),
        }
    }
    log.join("\n")
}

#[test]
fn delete_waits_for_a_successful_backup() {
    let mut session = session([require("backup", "delete")]);
    insta::assert_snapshot!(play(&mut session, "delete, backup!, delete, backup, backup, delete, delete"), @"
    delete: delete requires a successful call to backup first.
    backup!: allowed
    delete: delete requires a successful call to backup first.
    backup: allowed
    backup: allowed
    delete: allowed
    delete: delete requires a successful call to backup first.
    ");
}

#[test]
fn limits_count_calls_whether_or_not_they_succeed() {
    let mut session = session([limit("push", 2)]);
    insta::assert_snapshot!(play(&mut session, "push!, push, push"), @"
    push!: allowed
    push: allowed
    push: push has reached its limit of 2 calls per session.
    ");
}

#[test]
fn a_successful_call_of_the_scope_refills_the_whole_budget() {
    let mut session = session([limit_per("push", 2, "review")]);
    insta::assert_snapshot!(play(&mut session, "review, push, push, push, review!, push, review, push, push, push"), @"
    review: allowed
    push: allowed
    push: allowed
    push: push has reached its limit of 2 calls per review.
    review!: allowed
    push: push has reached its limit of 2 calls per review.
    review: allowed
    push: allowed
    push: allowed
    push: push has reached its limit of 2 calls per review.
    ");
}

#[test]
fn a_person_approves_each_time() {
    let mut session = session([approve("deploy"), block("rm")]);
    insta::assert_snapshot!(play(&mut session, "deploy+, deploy-, deploy, rm, ls"), @"
    deploy+: allowed
    deploy-: deploy requires human approval.
    deploy: deploy requires human approval.
    rm: rm is blocked and cannot be called.
    ls: allowed
    ");
}

#[test]
fn parts_behind_success_may_rely_on_it_and_others_may_not() {
    let histories = [
        ("[backup && delete], delete", "allowed"),
        ("[backup ; delete]", "delete requires"),
        ("[backup || delete]", "delete requires"),
        ("[backup && delete ; delete]", "delete requires"),
        ("[backup && ls && delete]", "allowed"),
        ("[ls ; backup && delete]", "allowed"),
        ("[backup && delete && delete]", "delete requires"),
        ("[backup && delete && backup && delete]", "allowed"),
    ];
    for (history, expected) in histories {
        let mut session = session([require("backup", "delete")]);
        let log = play(&mut session, history);
        assert!(log.lines().next().unwrap().contains(expected), "{history}: {log}");
        // What was used up inside the call is not left over after it.
        if log.lines().count() > 1 {
            assert!(log.lines().nth(1).unwrap().contains("delete requires"), "{history}: {log}");
        }
    }
}

#[test]
fn a_call_shows_the_success_of_its_last_parts_only() {
    for (history, unlocked) in [
        ("[backup], delete", true),
        ("[ls ; backup], delete", true),
        ("[backup && ls], delete", true),
        ("[backup ; ls], delete", false),
        ("[backup || ls], delete", false),
        ("[ls || backup], delete", false),
    ] {
        let mut session = session([require("backup", "delete")]);
        let log = play(&mut session, history);
        assert_eq!(log.lines().nth(1).unwrap().ends_with("allowed"), unlocked, "{history}: {log}");
    }
}

#[test]
fn budgets_are_spent_while_a_compound_call_is_in_flight() {
    let mut session = session([limit_per("push", 1, "review")]);
    insta::assert_snapshot!(play(&mut session, "[review && push]~, push"), @"
    [review && push]~: allowed
    push: push has reached its limit of 1 calls per review.
    ");
    // And exactly once when it has succeeded.
    let id = "0".to_owned();
    session.result(&ToolResult { id, tool: "bash".into(), is_error: false });
    assert!(!play(&mut session, "push").contains("allowed"));
    assert_eq!(session.status(), "limit-push-1-per-review (active): spent:1");
}

#[test]
fn a_call_in_flight_is_decided_once() {
    let mut session = session([limit("push", 1)]);
    let call = ToolCall::new("1", "push", json!({"to": "main", "force": false}));
    assert_eq!(session.decide(&call, NOW), Decision::Allowed);
    let before = serde_json::to_string(&session.snapshot()).unwrap();
    // The same input in another order is the same call.
    let same = ToolCall::new("1", "push", json!({"force": false, "to": "main"}));
    assert_eq!(session.decide(&same, NOW), Decision::Allowed);
    for other in [
        ToolCall::new("1", "push", json!({"to": "main", "force": true})),
        ToolCall::new("1", "pull", json!({"to": "main", "force": false})),
    ] {
        let decision = session.decide(&other, NOW);
        assert_eq!(decision.refusal().unwrap().reasons[0].cause, Cause::IdInUse);
    }
    assert_eq!(serde_json::to_string(&session.snapshot()).unwrap(), before);
}

#[test]
fn results_of_unknown_calls_and_other_tools_change_nothing() {
    let mut session = session([require("backup", "delete")]);
    let call = ToolCall::new("1", "backup", json!({}));
    assert!(session.decide(&call, NOW).is_allowed());
    let before = serde_json::to_string(&session.snapshot()).unwrap();
    let unknown = ToolResult { id: "2".into(), tool: "backup".into(), is_error: false };
    assert_eq!(session.result(&unknown), Outcome::UnknownCall);
    let other = ToolResult { id: "1".into(), tool: "ls".into(), is_error: false };
    assert_eq!(session.result(&other), Outcome::OtherTool { called: "backup".into() });
    assert_eq!(serde_json::to_string(&session.snapshot()).unwrap(), before);
    assert_eq!(session.result(&ToolResult::success(&call)), Outcome::Settled { fired: 1 });
}

#[test]
fn one_question_names_every_net_and_binds_the_exact_call() {
    let mut session = session([approve("deploy"), {
        SkillNet::builder("second")
            .places(["p"])
            .initial("p", 1)
            .transition(Transition::manual("confirm").from(["p"]).to(["p"]).tools(["deploy"]))
            .build()
            .unwrap()
    }]);
    let call = ToolCall::new("1", "deploy", json!({"to": "staging"}));
    let decision = session.decide(&call, NOW);
    let approval = decision.approval().unwrap().clone();
    assert_eq!(approval.title, "Approve: deploy");
    assert_eq!(
        approval.message,
        "Allow 'deploy' via transition 'approve' in net 'approve-before-deploy'?\n\
         Allow 'deploy' via transition 'confirm' in net 'second'?"
    );
    // The same question again, not another one.
    assert_eq!(session.decide(&call, NOW).approval(), Some(&approval));
    let cause = |decision: Decision| decision.refusal().unwrap().reasons[0].cause;
    let other = ToolCall::new("1", "deploy", json!({"to": "production"}));
    let answered = session.answer(&other, approval.ticket, Answer::Approved, NOW);
    assert_eq!(cause(answered), Cause::StaleApproval);
    assert_eq!(cause(session.decide(&other, NOW)), Cause::IdInUse);
    assert!(session.answer(&call, approval.ticket, Answer::Approved, NOW).is_allowed());
    let again = session.answer(&call, approval.ticket, Answer::Approved, NOW);
    assert_eq!(cause(again), Cause::StaleApproval);
}

#[test]
fn an_approval_that_comes_too_late_is_none() {
    let mut session = session([approve("deploy")]);
    let call = ToolCall::new("1", "deploy", json!({}));
    let ticket = session.decide(&call, NOW).approval().unwrap().ticket;
    let late = NOW.after_ms(Policy::DEFAULT_APPROVAL_MS + 1);
    let decision = session.answer(&call, ticket, Answer::Approved, late);
    assert_eq!(decision.refusal().unwrap().reasons[0].cause, Cause::StaleApproval);
    // Asked again, it can be approved.
    let ticket = session.decide(&call, late).approval().unwrap().ticket;
    assert!(session.answer(&call, ticket, Answer::Approved, late).is_allowed());
}

#[test]
fn an_approval_does_not_let_through_what_became_forbidden() {
    let mut session = session([approve("push"), limit("push", 1)]);
    let (a, b) = (ToolCall::new("a", "push", json!({})), ToolCall::new("b", "push", json!({})));
    let first = session.decide(&a, NOW).approval().unwrap().ticket;
    let second = session.decide(&b, NOW).approval().unwrap().ticket;
    assert!(session.answer(&a, first, Answer::Approved, NOW).is_allowed());
    let decision = session.answer(&b, second, Answer::Approved, NOW);
    assert_eq!(
        decision.refusal().unwrap().to_string(),
        "push has reached its limit of 1 calls per session."
    );
}

#[test]
fn a_hook_that_panics_refuses_the_call_and_changes_nothing() {
    let net = SkillNet::builder("fragile")
        .places(["p"])
        .initial("p", 1)
        .transition(Transition::auto("t").from(["p"]).tools(["x"]))
        .validator(
            |_: &petriflow_gate::Attempt<'_>, _: &mut petriflow_gate::Meta| -> Result<(), String> {
                panic!("broken validator")
            },
        )
        .build()
        .unwrap();
    let mut session = session([net]);
    let before = serde_json::to_string(&session.snapshot()).unwrap();
    let decision = session.decide(&ToolCall::new("1", "x", json!({})), NOW);
    let reason = &decision.refusal().unwrap().reasons[0];
    assert_eq!(reason.cause, Cause::Internal);
    assert!(reason.message.contains("broken validator"), "{}", reason.message);
    assert_eq!(serde_json::to_string(&session.snapshot()).unwrap(), before);
}

#[test]
fn calls_that_cannot_be_told_apart_are_refused() {
    let mut session = session([block("rm")]);
    let call = ToolCall::new("1", "bash", json!({"command": "?"}));
    let decision = session.decide(&call, NOW);
    assert_eq!(decision.refusal().unwrap().reasons[0].cause, Cause::Unresolved);
}
