//! Building nets, and what a session tells and keeps.

use std::sync::{Arc, Mutex};

use petriflow_gate::{
    Attempt, Cause, Meta, Mode, Policy, PolicyError, ReplayEntry, Session, SkillNet, SkillNetError,
    ToolCall, Transition, Verdict,
};
use serde_json::json;

use crate::decisions::{NOW, approve, block, limit, require, session};

#[test]
fn nets_that_could_fire_for_ever_are_refused() {
    let endless = |error: SkillNetError| matches!(error, SkillNetError::Endless { .. });
    let source = SkillNet::builder("source")
        .places(["p"])
        .transition(Transition::auto("t").to(["p"]))
        .build();
    assert!(endless(source.unwrap_err()));
    let circle = SkillNet::builder("circle")
        .places(["p", "q"])
        .transition(Transition::auto("there").from(["p"]).to(["q"]))
        .transition(Transition::auto("back").from(["q"]).to(["p"]))
        .build();
    assert!(endless(circle.unwrap_err()));
    let itself = SkillNet::builder("itself")
        .places(["p"])
        .transition(Transition::auto("t").from(["p"]).to(["p"]))
        .build();
    assert!(endless(itself.unwrap_err()));
    // A transition with tools in between ends the circle.
    let gated = SkillNet::builder("gated")
        .places(["p", "q"])
        .transition(Transition::auto("there").from(["p"]).to(["q"]))
        .transition(Transition::auto("back").from(["q"]).to(["p"]).tools(["x"]))
        .build();
    assert!(gated.is_ok());
    // One that would merely take very long is given up.
    let mut explosion = SkillNet::builder("explosion").places((0..12).map(|n| format!("p{n}")));
    for n in 0..11 {
        let step = Transition::auto(format!("t{n}"));
        explosion =
            explosion.transition(step.takes(format!("p{n}"), 1).puts(format!("p{}", n + 1), 10));
    }
    let error = explosion.initial("p0", 1).build().unwrap_err();
    assert!(matches!(error, SkillNetError::Unsettled(_)), "{error}");
}

#[test]
fn transitions_that_could_never_be_used_are_refused() {
    let manual = SkillNet::builder("n")
        .places(["p"])
        .transition(Transition::manual("t").from(["p"]))
        .build();
    assert_eq!(
        manual.unwrap_err().to_string(),
        "transition `t` is manual or deferred but covers no tool, so it could never fire"
    );
    let nameless = Transition::auto("t").from(["p"]).tools([""]);
    let nameless = SkillNet::builder("n").places(["p"]).transition(nameless).build();
    assert!(matches!(nameless, Err(SkillNetError::EmptyTool { .. })));
    let unknown = SkillNet::builder("n").terminal_places(["nowhere"]).build();
    assert!(matches!(unknown, Err(SkillNetError::UnknownTerminal { .. })));
    let twice = Policy::new([block("rm"), block("rm")]).unwrap_err();
    assert_eq!(twice, PolicyError::DuplicateName { name: "block-rm".into() });
}

#[test]
fn notes_of_accepting_validators_are_undone_when_another_rejects() {
    let net = |name: &str, accepts: bool| {
        SkillNet::builder(name)
            .places(["p"])
            .initial("p", 1)
            .transition(Transition::auto("t").from(["p"]).to(["p"]).tools(["x"]))
            .validator(move |_: &Attempt<'_>, meta: &mut Meta| {
                meta.insert("seen".into(), json!(true));
                if accepts { Ok(()) } else { Err("no".to_owned()) }
            })
            .build()
            .unwrap()
    };
    let mut session = session([net("first", true), net("second", false)]);
    let before = serde_json::to_string(&session.snapshot()).unwrap();
    let decision = session.decide(&ToolCall::new("1", "x", json!({})), NOW);
    let reasons = &decision.refusal().unwrap().reasons;
    assert_eq!((reasons.len(), reasons[0].cause), (1, Cause::Invalid));
    assert_eq!((reasons[0].net.as_deref(), reasons[0].message.as_str()), (Some("second"), "no"));
    assert_eq!(session.meta("first"), None);
    assert_eq!(serde_json::to_string(&session.snapshot()).unwrap(), before);
}

#[test]
fn shadow_mode_reports_everything_and_blocks_nothing() {
    let told: Arc<Mutex<Vec<String>>> = Arc::default();
    let sink = Arc::clone(&told);
    let policy = Policy::builder()
        .nets([limit("push", 1), approve("deploy")])
        .mode(Mode::Shadow)
        .on_decision(move |call, decision| {
            let what = match (decision.refusal(), decision.approval()) {
                (Some(refusal), _) => refusal.to_string(),
                (None, Some(approval)) => approval.title.clone(),
                (None, None) => "allowed".into(),
            };
            sink.lock().unwrap().push(format!("{}: {what}", call.id));
        })
        .build()
        .unwrap();
    let mut session = Session::new(&policy);
    for (id, tool) in [("1", "push"), ("2", "push"), ("3", "deploy"), ("4", "ls")] {
        assert!(session.decide(&ToolCall::new(id, tool, json!({})), NOW).is_allowed());
    }
    let expected = [
        "1: allowed",
        "2: push has reached its limit of 1 calls per session.",
        "3: Approve: deploy",
        "4: allowed",
    ];
    assert_eq!(*told.lock().unwrap(), expected);
    assert!(session.status().contains("limit-push-1 (active): spent:1"), "{}", session.status());
}

#[test]
fn a_registry_answers_in_the_words_of_its_users() {
    let policy = Policy::builder()
        .register("safety", block("rm"))
        .register("deploy", require("test", "deploy"))
        .active(["safety"])
        .build()
        .unwrap();
    let mut session = Session::new(&policy);
    let deploy = ToolCall::new("1", "deploy", json!({}));
    assert_eq!(session.classify(&deploy).unwrap(), [("safety", Verdict::Abstain)]);
    let said = [
        session.activate("deploy"),
        session.activate("deploy"),
        session.deactivate("safety"),
        session.deactivate("safety"),
        session.activate("nowhere"),
    ];
    let said: Vec<String> =
        said.iter().map(|change| format!("{} {}", change.ok, change.message)).collect();
    assert_eq!(
        said,
        [
            "true Activated 'deploy'",
            "false 'deploy' is already active",
            "true Deactivated 'safety' (state preserved)",
            "false 'safety' is not active",
            "false Unknown net 'nowhere'",
        ]
    );
    assert_eq!(session.status(), "safety (inactive): (empty)\ndeploy (active): waiting:1");
    assert_eq!(session.classify(&deploy).unwrap(), [("deploy", Verdict::Blocked)]);
    assert!(session.decide(&ToolCall::new("2", "rm", json!({})), NOW).is_allowed());
    let mut fixed = Session::new(&Policy::new([block("rm")]).unwrap());
    assert!(!fixed.deactivate("block-rm").ok, "a static policy cannot be talked out of a rule");
}

#[test]
fn the_system_prompt_tells_what_is_possible_now() {
    let session = session([require("backup", "delete"), approve("deploy"), block("rm")]);
    insta::assert_snapshot!(session.system_prompt(), @"
    ## Tool rules

    Every tool call is checked against the rules below before it runs. A call runs only if all of them allow it. A refusal says what is missing.

    ### require-backup-before-delete

    - backup: allowed, counts once it has succeeded
    - delete: not now
    - state: waiting:1

    ### approve-before-deploy

    - deploy: needs human approval
    - state: ready:1

    ### block-rm

    - rm: not now
    - state: (empty)
    ");
}

#[test]
fn replay_takes_names_and_entries_and_skips_what_failed_or_cannot_be() {
    let nets = || [require("lint", "test"), require("test", "deploy")];
    let mut session = session(nets());
    assert_eq!(session.replay(["deploy", "lint", "test"]), 2);
    assert!(session.decide(&ToolCall::new("1", "deploy", json!({})), NOW).is_allowed());
    let mut failed = crate::decisions::session(nets());
    failed
        .replay([ReplayEntry::success("lint", json!({})), ReplayEntry::failure("test", json!({}))]);
    assert!(!failed.decide(&ToolCall::new("1", "deploy", json!({})), NOW).is_allowed());
    // A failed call spends what it spent when it was allowed.
    let mut spent = crate::decisions::session([limit("push", 1)]);
    spent.replay([ReplayEntry::failure("push", json!({}))]);
    assert!(!spent.decide(&ToolCall::new("1", "push", json!({})), NOW).is_allowed());
}
