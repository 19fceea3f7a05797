//! Actions of several names, and transitions that drain a place.

use std::sync::Arc;

use petriflow_gate::{
    Action, Decision, Policy, Resolution, Resolver, Session, SkillNet, SkillNetError, Timestamp,
    ToolCall, ToolResult, Transition,
};
use petriflow_testkit::cases;
use petriflow_testkit::gate::{Words, rules};
use serde_json::json;

/// `discord.post` is a `discord` and a `discord.post`.
struct Dotted;

impl Resolver for Dotted {
    fn resolve(&self, call: &ToolCall) -> Resolution {
        match call.tool.split_once('.') {
            Some((tool, _)) => Resolution::Actions(vec![Action::new(tool).specially(&call.tool)]),
            None => Resolution::Itself,
        }
    }

    fn fingerprint(&self) -> String {
        "dotted".into()
    }
}

fn session(nets: impl IntoIterator<Item = SkillNet>) -> Session {
    let policy = Policy::builder().nets(nets).resolver(Arc::new(Dotted)).build();
    Session::new(&policy.unwrap())
}

fn decide(session: &mut Session, id: &str, tool: &str) -> Decision {
    session.decide(&ToolCall::new(id, tool, json!({})), Timestamp(0))
}

fn succeed(session: &mut Session, id: &str, tool: &str) {
    let call = ToolCall::new(id, tool, json!({}));
    assert!(session.decide(&call, Timestamp(0)).is_allowed(), "{id} {tool}");
    session.result(&ToolResult::success(&call));
}

#[test]
fn every_name_of_an_action_must_be_allowed() {
    let nets = [rules::limit("discord", 2), rules::limit("discord.post", 1)];
    let mut session = session(nets.map(|net| net.build(None).unwrap()));
    assert!(decide(&mut session, "1", "discord.post").is_allowed());
    let refused = decide(&mut session, "2", "discord.post");
    let message = refused.refusal().unwrap().to_string();
    assert_eq!(message, "discord.post has reached its limit of 1 calls per session.");
    assert!(decide(&mut session, "3", "discord.read").is_allowed());
    let refused = decide(&mut session, "4", "discord");
    let message = refused.refusal().unwrap().to_string();
    assert_eq!(message, "discord has reached its limit of 2 calls per session.");
}

#[test]
fn success_counts_for_every_name() {
    let nets = [rules::require("discord", "a"), rules::require("discord.login", "b")];
    let mut session = session(nets.map(|net| net.build(None).unwrap()));
    succeed(&mut session, "1", "discord.login");
    assert!(decide(&mut session, "2", "a").is_allowed());
    assert!(decide(&mut session, "3", "b").is_allowed());
}

#[test]
fn a_name_does_not_rely_on_another_name_of_the_same_action() {
    let mut session = session([rules::require("discord", "discord.post").build(None).unwrap()]);
    assert!(!decide(&mut session, "1", "discord.post").is_allowed());
    succeed(&mut session, "2", "discord");
    assert!(decide(&mut session, "3", "discord.post").is_allowed());
}

#[test]
fn a_rule_between_a_tool_and_its_action_sees_the_action_alone() {
    let mut read_first = session([rules::require("discord.read", "discord").build(None).unwrap()]);
    assert!(!decide(&mut read_first, "1", "discord").is_allowed());
    succeed(&mut read_first, "2", "discord.read");
    succeed(&mut read_first, "3", "discord.read");
    assert!(decide(&mut read_first, "4", "discord.post").is_allowed());

    let mut reset = session([rules::limit_per("discord", 1, "discord.reset").build(None).unwrap()]);
    succeed(&mut reset, "1", "discord");
    assert!(!decide(&mut reset, "2", "discord").is_allowed());
    succeed(&mut reset, "3", "discord.reset");
    assert!(decide(&mut reset, "4", "discord").is_allowed());
}

#[test]
fn an_action_that_is_both_sides_of_a_rule_makes_up_for_nothing() {
    struct Both;
    impl Resolver for Both {
        fn resolve(&self, call: &ToolCall) -> Resolution {
            match call.tool.as_str() {
                "both" => Resolution::Actions(vec![Action::new("backup").also("delete")]),
                _ => Resolution::Itself,
            }
        }
        fn fingerprint(&self) -> String {
            "both".into()
        }
    }
    let nets = [rules::require("backup", "delete"), rules::limit_per("delete", 2, "backup")];
    let nets = nets.map(|net| net.build(None).unwrap());
    let policy = Policy::builder().nets(nets).resolver(Arc::new(Both)).build().unwrap();
    let mut session = Session::new(&policy);
    assert!(!decide(&mut session, "1", "both").is_allowed());
    succeed(&mut session, "2", "backup");
    succeed(&mut session, "3", "both");
    assert!(!decide(&mut session, "4", "delete").is_allowed());
    let left = session.marking("limit-delete-2-per-backup").unwrap();
    assert_eq!(left[..], [1, 1]);
}

#[test]
fn two_names_that_both_fire_at_once_in_one_net_are_refused() {
    let steps = SkillNet::builder("steps")
        .places(["a", "b", "c"])
        .initial("a", 1)
        .transition(Transition::auto("one").from(["a"]).to(["b"]).tools(["discord"]))
        .transition(Transition::auto("two").from(["b"]).to(["c"]).tools(["discord.post"]))
        .build();
    let mut session = session([steps.unwrap()]);
    assert!(!decide(&mut session, "1", "discord.post").is_allowed());
    assert_eq!(session.marking("steps").unwrap()[..], [1, 0, 0]);
}

#[test]
fn drains_that_make_no_sense_are_refused() {
    let build = |transition: Transition| {
        SkillNet::builder("n").places(["a", "b"]).transition(transition).build().unwrap_err()
    };
    let drain = |t: Transition| t.drains("a", "b").tools(["x"]);
    for wrong in [
        drain(Transition::auto("t")).from(["a"]),
        drain(Transition::auto("t")).to(["a"]),
        drain(Transition::auto("t")).drains("b", "a"),
        Transition::auto("t").drains("a", "a").tools(["x"]),
        Transition::auto("t").drains("a", "nowhere").tools(["x"]),
        Transition::auto("t").from(["b"]).drains("a", "b"),
    ] {
        assert!(matches!(build(wrong.clone()), SkillNetError::Drain { .. }), "{wrong:?}");
    }
}

/// The limit with one refill that drains, instead of one refill for every count.
fn drained(tool: &str, limit: u32, scope: &str) -> SkillNet {
    SkillNet::builder(format!("limit-{tool}-{limit}-per-{scope}"))
        .places(["budget", "spent"])
        .initial("budget", u64::from(limit))
        .transition(Transition::auto("use").from(["budget"]).to(["spent"]).tools([tool]))
        .transition(Transition::auto("refill").drains("spent", "budget").tools([scope]).deferred())
        .build()
        .unwrap()
}

#[test]
fn a_drain_is_a_refill_for_every_count() {
    cases::check(300, |u| {
        let limit = u.int_in_range(1..=4)?;
        let policy = |net| Policy::builder().nets([net]).resolver(Arc::new(Words)).build().unwrap();
        let ladder = policy(rules::limit_per("a", limit, "x").build(None).unwrap());
        let drain = policy(drained("a", limit, "x"));
        let mut sessions = [Session::new(&ladder), Session::new(&drain)];
        let mut open: Vec<ToolCall> = Vec::new();
        for number in 0..u.int_in_range(5..=60)? {
            if !open.is_empty() && u.ratio(2, 5)? {
                let call = open.swap_remove(u.choose_index(open.len())?);
                let is_error = u.ratio(1, 4)?;
                let result = ToolResult { is_error, ..ToolResult::success(&call) };
                sessions.iter_mut().for_each(|session| {
                    session.result(&result);
                });
            } else {
                let mut command = String::new();
                for _ in 0..u.int_in_range(1..=4)? {
                    command += u.choose(&["a ", "x ", "b ", "a& ", "x& "])?;
                    command += u.choose(&["&& ", "&& ", "; ", "|| "])?;
                }
                let input = json!({ "command": command });
                let call = ToolCall::new(number.to_string(), "bash", input);
                let [left, right] = sessions.each_mut().map(|s| s.decide(&call, Timestamp(0)));
                assert_eq!(left.is_allowed(), right.is_allowed(), "{command}");
                if left.is_allowed() {
                    open.push(call);
                }
            }
            let [left, right] = sessions
                .each_ref()
                .map(|session| session.marking(session.policy().nets()[0].name()).unwrap());
            assert_eq!(left, right);
        }
        Ok(())
    });
}
