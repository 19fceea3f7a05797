//! Ways around the gate that were once open, or that somebody will try.

use std::borrow::Cow;
use std::sync::Arc;

use petriflow_gate::{
    Answer, Attempt, Cause, Decision, Mapper, Meta, Mode, Outcome, Policy, Resolution, Resolver,
    Session, SkillNet, Snapshot, Timestamp, ToolCall, ToolResult, Transition,
};
use serde_json::{Value, json};

use crate::decisions::{NOW, approve, limit, limit_per, require, session};

fn bash(id: &str, command: &str) -> ToolCall {
    ToolCall::new(id, "bash", json!({ "command": command }))
}

fn succeed(session: &mut Session, id: &str, command: &str) -> bool {
    let call = bash(id, command);
    let allowed = session.decide(&call, NOW).is_allowed();
    session.result(&ToolResult::success(&call));
    allowed
}

fn allowed(session: &mut Session, id: &str, command: &str) -> bool {
    session.decide(&bash(id, command), NOW).is_allowed()
}

fn cause(decision: &Decision) -> Option<Cause> {
    decision.refusal().and_then(|refusal| refusal.reasons.first()).map(|reason| reason.cause)
}

/// Two inputs whose bytes would be the same if numbers of two kinds began with the same letter.
fn twins() -> (Value, Value) {
    let bits = 2.5_f64.to_bits();
    let whole = (bits << 8) | 0x2e;
    let key = "command";
    let long_key_len = key.len() * 256 + (bits >> 56) as usize;
    let text_len = long_key_len - (key.len() + 10) + 1;
    let text = format!("rm -rf / #{}z", "x".repeat(text_len - 11));
    let mut long_key = format!("\0{key}s");
    long_key.extend((text_len as u64).to_le_bytes().map(char::from));
    long_key.push_str(&text[..text.len() - 1]);
    assert_eq!(long_key.len(), long_key_len);
    (json!({"": whole, long_key: null}), json!({"": 2.5, key: text}))
}

#[test]
fn inputs_cannot_be_made_to_look_alike() {
    let mut session = session([approve("deploy")]);
    let (harmless, evil) = twins();
    let harmless = ToolCall::new("1", "deploy", harmless);
    let evil = ToolCall::new("1", "deploy", evil);
    // The resolver of these tests looks at `command`, so ask it about another tool's input.
    let ticket = session.decide(&harmless, NOW).approval().unwrap().ticket;
    let answered = session.answer(&evil, ticket, Answer::Approved, NOW);
    assert_eq!(cause(&answered), Some(Cause::StaleApproval));
    assert!(session.answer(&harmless, ticket, Answer::Approved, NOW).is_allowed());
    assert_eq!(cause(&session.decide(&evil, NOW)), Some(Cause::IdInUse));
}

#[test]
fn inputs_nested_without_end_are_refused() {
    let mut session = session([]);
    let mut input = json!(null);
    for _ in 0..1_000 {
        input = json!([input]);
    }
    assert_eq!(
        cause(&session.decide(&ToolCall::new("1", "x", input), NOW)),
        Some(Cause::Unresolved)
    );
}

#[test]
fn an_alternative_that_did_not_run_unlocks_nothing() {
    let mut session = session([require("backup", "delete")]);
    assert!(!allowed(&mut session, "1", "true || backup && delete"));
    assert!(!allowed(&mut session, "2", "backup && ls || backup && delete"));
    assert!(allowed(&mut session, "3", "true || ls ; backup && delete"));
}

#[test]
fn what_runs_in_the_background_uses_up_what_it_used() {
    for command in ["backup && delete&", "backup && delete& && ls"] {
        let mut session = session([require("backup", "delete")]);
        assert!(succeed(&mut session, "1", command), "{command}");
        assert!(!allowed(&mut session, "2", "delete"), "{command}");
    }
    // Nor can anything rely on it.
    let mut session = session([require("backup", "delete")]);
    assert!(!allowed(&mut session, "1", "backup& && delete"));
    assert!(succeed(&mut session, "2", "backup&"));
    assert!(!allowed(&mut session, "3", "delete"));
}

/// One token, one release: however the parts are put together.
#[test]
fn a_token_is_not_used_twice_through_compound_calls() {
    let once = || {
        SkillNet::builder("one-release")
            .places(["untested", "tested", "released"])
            .initial("untested", 1)
            .transition(
                Transition::auto("test")
                    .from(["untested"])
                    .to(["tested"])
                    .tools(["test"])
                    .deferred(),
            )
            .transition(Transition::auto("ship").from(["tested"]).to(["released"]).tools(["ship"]))
            .build()
            .unwrap()
    };
    for command in [
        "test && ship",
        "test && ship && false",
        "test && ship ; true",
        "test && ship ; test && ship",
    ] {
        let mut session = session([once()]);
        let decision = session.decide(&bash("1", command), NOW);
        assert_eq!(cause(&decision), Some(Cause::Entangled), "{command}");
        assert!(decision.refusal().unwrap().to_string().contains("one after the other"));
    }
    let mut session = session([once()]);
    assert!(succeed(&mut session, "1", "test"));
    assert!(succeed(&mut session, "2", "ship"));
    assert!(!succeed(&mut session, "3", "test"));
}

/// A validator that counts: three sends, whatever they are combined with and however they end.
#[test]
fn budgets_of_validators_are_spent_when_a_call_is_allowed() {
    let counted = || {
        SkillNet::builder("three-sends")
            .places(["untested", "tested"])
            .initial("untested", 1)
            .transition(
                Transition::auto("test")
                    .from(["untested"])
                    .to(["tested"])
                    .tools(["test"])
                    .deferred(),
            )
            .transition(
                Transition::auto("retest")
                    .from(["tested"])
                    .to(["tested"])
                    .tools(["test"])
                    .deferred(),
            )
            .transition(Transition::auto("send").from(["tested"]).to(["untested"]).tools(["send"]))
            .validator(|attempt: &Attempt<'_>, meta: &mut Meta| {
                let sent = meta.get("sent").and_then(Value::as_u64).unwrap_or(0);
                match attempt.tool {
                    "send" if sent >= 3 => Err("three are enough.".to_owned()),
                    "send" => {
                        meta.insert("sent".into(), json!(sent + 1));
                        Ok(())
                    }
                    _ => Ok(()),
                }
            })
            .on_deferred_result(|_: &Attempt<'_>, meta: &mut Meta| {
                meta.insert("tested".into(), json!(true));
            })
            .build()
            .unwrap()
    };
    for (command, sends, fails) in [
        ("test && send", 1, false),
        ("test && send && false", 1, true),
        ("test && send ; true", 1, false),
        ("test && send ; test && send", 2, false),
    ] {
        for parallel in [false, true] {
            let mut session = session([counted()]);
            let mut sent = 0;
            for number in 0..20 {
                let call = bash(&number.to_string(), command);
                sent += if session.decide(&call, NOW).is_allowed() { sends } else { 0 };
                if !parallel {
                    session.result(&ToolResult { is_error: fails, ..ToolResult::success(&call) });
                }
            }
            assert!(sent <= 3 && sent > 0, "{command}, parallel {parallel}: {sent} sends");
        }
    }
}

/// Part by part or in one call: what a hook notes on success is there for the part behind it.
#[test]
fn a_part_may_rely_on_what_a_success_notes() {
    let noted = || {
        SkillNet::builder("noted")
            .places(["here"])
            .initial("here", 1)
            .transition(
                Transition::auto("backup").from(["here"]).to(["here"]).tools(["backup"]).deferred(),
            )
            .transition(Transition::auto("delete").from(["here"]).to(["here"]).tools(["delete"]))
            .validator(|attempt: &Attempt<'_>, meta: &mut Meta| match attempt.tool {
                "delete" => meta.remove("saved").map(|_| ()).ok_or_else(|| "no backup".to_owned()),
                _ => Ok(()),
            })
            .on_deferred_result(|_: &Attempt<'_>, meta: &mut Meta| {
                meta.insert("saved".into(), json!(true));
            })
            .build()
            .unwrap()
    };
    let mut session = session([noted()]);
    assert!(!allowed(&mut session, "1", "backup ; delete"));
    assert!(succeed(&mut session, "2", "backup && delete"));
    assert!(!allowed(&mut session, "3", "delete"), "the backup was used up inside the call");
    // The hook is not called for a call that failed, nor before there is a result.
    let call = bash("4", "backup");
    assert!(session.decide(&call, NOW).is_allowed());
    session.result(&ToolResult::failure(&call));
    assert!(!allowed(&mut session, "5", "delete"));
    // One that was there before is used up too.
    assert!(succeed(&mut session, "6", "backup"));
    assert!(succeed(&mut session, "7", "backup && delete"));
    assert!(!allowed(&mut session, "8", "delete"));
}

/// What is noted only with a success must not be forgotten with a failure.
#[test]
fn a_budget_that_relies_on_what_a_success_notes_is_refused() {
    let net = SkillNet::builder("tested sends")
        .places(["here"])
        .initial("here", 1)
        .transition(Transition::auto("test").from(["here"]).to(["here"]).tools(["test"]).deferred())
        .transition(Transition::auto("send").from(["here"]).to(["here"]).tools(["send"]))
        .validator(|attempt: &Attempt<'_>, meta: &mut Meta| {
            if attempt.tool == "send" {
                meta.remove("tested").ok_or("not tested")?;
                let sent = meta.get("sent").and_then(Value::as_u64).unwrap_or(0);
                meta.insert("sent".into(), json!(sent + 1));
            }
            Ok(())
        })
        .on_deferred_result(|_: &Attempt<'_>, meta: &mut Meta| {
            meta.insert("tested".into(), json!(true));
        })
        .build()
        .unwrap();
    let mut session = session([net]);
    for command in ["test && send", "test && send && false", "test && send ; true"] {
        let decision = session.decide(&bash(command, command), NOW);
        assert_eq!(cause(&decision), Some(Cause::Entangled), "{command}");
    }
    assert!(succeed(&mut session, "1", "test"));
    assert!(succeed(&mut session, "2", "send"));
    assert!(!succeed(&mut session, "3", "send"));
}

/// An early firing must not take what a pending one needs, even if the end looks right.
#[test]
fn an_early_firing_does_not_starve_what_waits() {
    let net = || {
        SkillNet::builder("desk and key")
            .places(["desk", "key", "slot"])
            .initial("desk", 1)
            .initial("key", 1)
            .transition(
                Transition::auto("c")
                    .from(["desk", "key"])
                    .to(["slot", "desk"])
                    .tools(["c"])
                    .deferred(),
            )
            .transition(Transition::auto("b").from(["slot"]).tools(["b"]))
            .transition(Transition::auto("x1").from(["key"]).tools(["x"]))
            .transition(Transition::auto("x2").from(["desk"]).tools(["x"]))
            .build()
            .unwrap()
    };
    for command in ["c && b && x", "c && b && x && false", "c && b && x ; true"] {
        let mut session = session([net()]);
        let decision = session.decide(&bash("1", command), NOW);
        assert_eq!(cause(&decision), Some(Cause::Entangled), "{command}");
    }
}

/// Tokens that come back must not let something else happen that the parts would have ended.
#[test]
fn nothing_is_edited_after_a_release() {
    let net = || {
        SkillNet::builder("no edit after release")
            .places(["open", "tested", "released"])
            .initial("open", 1)
            .transition(Transition::auto("edit").from(["open"]).to(["open"]).tools(["edit"]))
            .transition(
                Transition::auto("test").from(["open"]).to(["tested"]).tools(["test"]).deferred(),
            )
            .transition(
                Transition::auto("retest")
                    .from(["released"])
                    .to(["tested"])
                    .tools(["test"])
                    .deferred(),
            )
            .transition(
                Transition::auto("release").from(["tested"]).to(["released"]).tools(["release"]),
            )
            .build()
            .unwrap()
    };
    for command in ["test && release && false", "test && release ; true", "test && release"] {
        let mut session = session([net()]);
        let decision = session.decide(&bash("1", command), NOW);
        assert_eq!(cause(&decision), Some(Cause::Entangled), "{command}");
    }
}

#[test]
fn a_migrated_session_has_back_what_calls_held() {
    let policy = |more: &str| {
        let nets = [limit_per("push", 2, "review"), limit(more, 1)];
        Policy::builder()
            .nets(nets)
            .resolver(Arc::new(petriflow_testkit::gate::Words))
            .build()
            .unwrap()
    };
    let (old, new) = (policy("old"), policy("new"));
    let mut session = Session::new(&old);
    for id in ["1", "2"] {
        assert!(succeed(&mut session, id, "push"));
    }
    assert!(allowed(&mut session, "compound", "review && push"));
    assert!(session.status().contains("spent:1"), "{}", session.status());
    let migrated = Session::migrate(&old, session.snapshot(), &new).unwrap();
    assert!(migrated.status().contains("spent:2"), "{}", migrated.status());
}

#[test]
fn an_approval_covers_only_what_was_asked() {
    let net = SkillNet::builder("ops")
        .places(["credit", "ready"])
        .initial("credit", 1)
        .initial("ready", 1)
        .transition(Transition::auto("cheap").from(["credit"]).tools(["drop-db"]))
        .transition(
            Transition::manual("ask").from(["ready"]).to(["ready"]).tools(["restart", "drop-db"]),
        )
        .build()
        .unwrap();
    let mut session = session([net]);
    let both = bash("1", "restart ; drop-db");
    let question = session.decide(&both, NOW).approval().unwrap().clone();
    assert_eq!(question.message, "Allow 'restart' via transition 'ask' in net 'ops'?");
    assert!(allowed(&mut session, "2", "drop-db"), "uses up the credit");
    let decision = session.answer(&both, question.ticket, Answer::Approved, NOW);
    let again = decision.approval().expect("the other part must be asked about");
    assert!(again.message.contains("Allow 'drop-db'"), "{}", again.message);
}

#[test]
fn an_approved_transition_is_not_replaced_by_another() {
    let net = SkillNet::builder("deploy")
        .places(["staging", "staged", "prod", "live"])
        .initial("staging", 1)
        .transition(
            Transition::manual("to-staging")
                .from(["staging"])
                .to(["staged"])
                .tools(["deploy"])
                .deferred(),
        )
        .transition(
            Transition::manual("to-prod").from(["prod"]).to(["live"]).tools(["deploy"]).deferred(),
        )
        .transition(Transition::auto("promote").from(["staging"]).to(["prod"]).tools(["promote"]))
        .build()
        .unwrap();
    let mut session = session([net]);
    let deploy = bash("1", "deploy");
    let ticket = session.decide(&deploy, NOW).approval().unwrap().ticket;
    assert!(session.answer(&deploy, ticket, Answer::Approved, NOW).is_allowed());
    assert!(allowed(&mut session, "2", "promote"));
    assert_eq!(session.result(&ToolResult::success(&deploy)), Outcome::Settled { fired: 0 });
    assert_eq!(session.status(), "deploy (active): prod:1");
}

struct Plain;

impl Mapper for Plain {
    fn map<'a>(&'a self, call: &'a ToolCall) -> Cow<'a, str> {
        Cow::Borrowed(&call.tool)
    }
}

/// Which nets share a mapper is no part of what a policy says, so it must not matter.
#[test]
fn a_pending_firing_stays_with_its_net() {
    let net = |name: &str, first: &str, then: &str, mapper: &Arc<dyn Mapper>| {
        SkillNet::builder(name)
            .places(["waiting", "done"])
            .initial("waiting", 1)
            .transition(
                Transition::auto("first").from(["waiting"]).to(["done"]).tools([first]).deferred(),
            )
            .transition(Transition::auto("then").from(["done"]).to(["waiting"]).tools([then]))
            .mapper(Arc::clone(mapper))
            .build()
            .unwrap()
    };
    let (one, other): (Arc<dyn Mapper>, Arc<dyn Mapper>) = (Arc::new(Plain), Arc::new(Plain));
    let policy = |second: &Arc<dyn Mapper>| {
        Policy::new([net("a", "backup", "delete", &one), net("b", "audit", "wire", second)])
            .unwrap()
    };
    let (shared, apart) = (policy(&one), policy(&other));
    assert_eq!(shared.fingerprint(), apart.fingerprint());
    let mut session = Session::new(&shared);
    let audit = ToolCall::new("1", "audit", json!({}));
    assert!(session.decide(&audit, NOW).is_allowed());
    let mut restored = Session::restore(&apart, session.snapshot()).unwrap();
    restored.result(&ToolResult::success(&audit));
    assert_eq!(restored.status(), "a (active): waiting:1\nb (active): done:1");
}

#[test]
fn a_damaged_snapshot_is_refused_wherever_it_is_damaged() {
    let policy = Policy::new([limit("push", 3), require("backup", "delete")]).unwrap();
    let mut session = Session::new(&policy);
    for id in ["1", "2", "3"] {
        assert!(session.decide(&ToolCall::new(id, "push", json!({})), NOW).is_allowed());
    }
    let text = serde_json::to_string(&session.snapshot()).unwrap();
    for at in 0..text.len() {
        for bit in 0..7 {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1 << bit;
            let read = serde_json::from_slice::<Snapshot>(&bytes);
            let restored = read.map(|snapshot| Session::restore(&policy, snapshot).is_ok());
            assert!(!restored.unwrap_or(false), "byte {at}, bit {bit}");
        }
    }
}

#[test]
fn a_late_result_is_not_taken_for_that_of_another_call() {
    let policy = Policy::builder()
        .nets([require("backup", "delete"), limit("push", 2)])
        .open_calls_max(2)
        .build()
        .unwrap();
    let mut session = Session::new(&policy);
    for id in ["1", "2", "3", "4"] {
        assert!(session.decide(&ToolCall::new(id, "ls", json!({})), NOW).is_allowed());
    }
    // Call 1 was forgotten; its id stays taken.
    let backup = ToolCall::new("1", "backup", json!({}));
    assert_eq!(cause(&session.decide(&backup, NOW)), Some(Cause::IdInUse));
    assert_eq!(session.result(&ToolResult::success(&backup)), Outcome::UnknownCall);
    assert_eq!(session.open_calls(), 2);
    assert_eq!(session.expire_open_calls(Timestamp(u64::MAX)), 2);
    assert_eq!(
        cause(&session.decide(&ToolCall::new("4", "push", json!({})), NOW)),
        Some(Cause::IdInUse)
    );
}

#[test]
fn calls_that_never_report_block_only_what_would_have_to_wait() {
    let policy =
        Policy::builder().nets([require("backup", "delete")]).open_calls_max(3).build().unwrap();
    let mut session = Session::new(&policy);
    for id in ["1", "2", "3"] {
        assert!(session.decide(&ToolCall::new(id, "backup", json!({})), NOW).is_allowed());
    }
    let decision = session.decide(&ToolCall::new("4", "backup", json!({})), NOW);
    assert_eq!(cause(&decision), Some(Cause::TooManyOpen));
    assert!(session.decide(&ToolCall::new("5", "ls", json!({})), NOW).is_allowed());
}

#[test]
fn replay_cannot_be_mistaken_for_a_live_call() {
    let mut session = session([require("backup", "delete")]);
    let call = ToolCall::new("\0replay 0", "backup", json!({}));
    assert_eq!(cause(&session.decide(&call, NOW)), Some(Cause::IdInUse));
    assert_eq!(session.replay(["backup"]), 1);
    assert_eq!(session.status(), "require-backup-before-delete (active): done:1");
}

#[test]
fn shadow_mode_does_not_move_for_what_it_would_have_blocked() {
    let policy = Policy::builder()
        .nets([approve("deploy")])
        .approvals_max(0)
        .mode(Mode::Shadow)
        .build()
        .unwrap();
    let mut session = Session::new(&policy);
    let before = serde_json::to_string(&session.snapshot()).unwrap();
    assert!(session.decide(&ToolCall::new("1", "deploy", json!({})), NOW).is_allowed());
    assert_eq!(serde_json::to_string(&session.snapshot()).unwrap(), before);
}

#[test]
fn competing_structural_transitions_do_not_fire_however_many_they_are() {
    let mut builder =
        SkillNet::builder("three for two").places(["p", "a", "b", "c"]).initial("p", 2);
    for to in ["a", "b", "c"] {
        builder = builder.transition(Transition::auto(format!("to {to}")).from(["p"]).to([to]));
    }
    let session = session([builder.build().unwrap()]);
    assert_eq!(session.status(), "three for two (active): p:2");
}

struct Panics;

impl Resolver for Panics {
    fn resolve(&self, _call: &ToolCall) -> Resolution {
        std::panic::panic_any("broken resolver")
    }

    fn fingerprint(&self) -> String {
        String::new()
    }
}

#[test]
fn a_resolver_that_panics_refuses() {
    let policy = Policy::builder().resolver(Arc::new(Panics)).build().unwrap();
    assert_ne!(policy.fingerprint(), Policy::new([]).unwrap().fingerprint());
    let mut session = Session::new(&policy);
    let call = ToolCall::new("1", "ls", json!({}));
    assert_eq!(cause(&session.decide(&call, NOW)), Some(Cause::Internal));
    assert_eq!(session.classify(&call).unwrap_err().reasons[0].cause, Cause::Internal);
}

/// Commands that are really run, with chance deciding which tools fail: what the rules promise must
/// hold for what happened, not only for what was decided.
#[test]
fn what_really_ran_kept_the_rules() {
    for parallel in [false, true] {
        let mut allowed = 0;
        petriflow_testkit::cases::check(6_000, |u| {
            let budget: u32 = u.int_in_range(1..=2)?;
            let mut session = session([require("a", "b"), limit_per("k", budget, "a")]);
            let mut world =
                World { armed: false, left: budget, budget, ran_a: 0, ran_b: 0, ran_k: 0 };
            let mut open: Vec<(ToolCall, bool)> = Vec::new();
            for number in 0..6 {
                let words = arbitrary_command(u)?;
                let call = bash(&number.to_string(), &text(&words));
                if session.decide(&call, NOW).is_allowed() {
                    allowed += 1;
                    let succeeded = world.run(&words, u, parallel)?;
                    open.push((call, succeeded));
                }
                while !open.is_empty() && (!parallel || u.arbitrary()?) {
                    let (call, succeeded) = open.swap_remove(u.choose_index(open.len())?);
                    session
                        .result(&ToolResult { is_error: !succeeded, ..ToolResult::success(&call) });
                }
            }
            Ok(())
        });
        assert!(allowed > 5_000, "{allowed} calls were allowed");
    }
}

type Words = Vec<(&'static str, &'static str)>;

fn arbitrary_command(u: &mut arbitrary::Unstructured<'_>) -> arbitrary::Result<Words> {
    (0..u.int_in_range(1..=5)?)
        .map(|_| {
            let connective = u.choose(&["&&", "&&", ";", "||"])?;
            let tool = u.choose(&["a", "a", "b", "k", "true", "false"])?;
            Ok((*connective, *tool))
        })
        .collect()
}

fn text(words: &Words) -> String {
    let parts = words.iter().enumerate().map(|(at, (connective, tool))| match at {
        0 => (*tool).to_owned(),
        _ => format!("{connective} {tool}"),
    });
    parts.collect::<Vec<_>>().join(" ")
}

struct World {
    armed: bool,
    left: u32,
    budget: u32,
    ran_a: u32,
    ran_b: u32,
    ran_k: u32,
}

impl World {
    /// Runs a command as a shell does and checks the rules as it goes.
    fn run(
        &mut self,
        words: &Words,
        u: &mut arbitrary::Unstructured<'_>,
        parallel: bool,
    ) -> arbitrary::Result<bool> {
        let mut status = true;
        for (at, &(connective, tool)) in words.iter().enumerate() {
            let runs = at == 0 || (connective == ";") || (connective == "&&") == status;
            if !runs {
                continue;
            }
            status = match tool {
                "true" => true,
                "false" => false,
                _ => u.ratio(3, 4)?,
            };
            match tool {
                "a" if status => {
                    (self.armed, self.left, self.ran_a) = (true, self.budget, self.ran_a + 1);
                }
                "b" => {
                    // With calls side by side only the numbers can be compared.
                    self.ran_b += 1;
                    assert!(
                        if parallel { self.ran_b <= self.ran_a } else { self.armed },
                        "{}",
                        text(words)
                    );
                    self.armed = false;
                }
                "k" => {
                    self.ran_k += 1;
                    let within = if parallel {
                        self.ran_k <= (self.ran_a + 1) * self.budget
                    } else {
                        self.left > 0
                    };
                    assert!(within, "{}", text(words));
                    self.left = self.left.saturating_sub(1);
                }
                _ => {}
            }
        }
        Ok(status)
    }
}
