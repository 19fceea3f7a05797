//! Calls that were allowed and never ran.

use petriflow_gate::{Outcome, Release, Session, ToolCall, ToolResult};
use petriflow_testkit::cases;
use petriflow_testkit::gate::policies;
use petriflow_testkit::gate::{Event, Player, Seen, histories, restored};
use serde_json::json;

use crate::decisions::{NOW, approve, limit, require, session};

fn call(id: &str, tool: &str) -> ToolCall {
    ToolCall::new(id, tool, json!({}))
}

fn allowed(session: &mut Session, id: &str, tool: &str) -> bool {
    session.decide(&call(id, tool), NOW).is_allowed()
}

#[test]
fn a_released_call_gives_its_share_of_a_limit_back() {
    let mut session = session([limit("push", 2)]);
    assert!(allowed(&mut session, "1", "push"));
    assert!(allowed(&mut session, "2", "push"));
    assert!(!allowed(&mut session, "3", "push"));
    // Also when others have used the limit since, and after the session was saved.
    let mut session = restored(&session);
    assert_eq!(session.release("1"), Release::Done { returned: 1 });
    assert!(allowed(&mut session, "4", "push"));
    assert!(!allowed(&mut session, "5", "push"));
}

#[test]
fn a_call_is_released_once_and_its_result_is_not_believed() {
    let mut session = session([limit("push", 1)]);
    assert!(allowed(&mut session, "1", "push"));
    assert_eq!(session.release("1"), Release::Done { returned: 1 });
    assert_eq!(session.release("1"), Release::UnknownCall);
    assert_eq!(session.result(&ToolResult::success(&call("1", "push"))), Outcome::UnknownCall);
    // The id stays taken: that result could come late.
    assert!(!allowed(&mut session, "1", "push"));
    assert!(allowed(&mut session, "2", "push"));
    assert!(!allowed(&mut session, "3", "push"));
}

#[test]
fn a_call_that_ended_cannot_be_released() {
    let mut session = session([limit("push", 1)]);
    assert!(allowed(&mut session, "1", "push"));
    session.result(&ToolResult::failure(&call("1", "push")));
    assert_eq!(session.release("1"), Release::UnknownCall);
    assert!(!allowed(&mut session, "2", "push"));
}

#[test]
fn an_unlocked_call_that_never_ran_is_unlocked_still() {
    let mut session = session([require("backup", "delete")]);
    assert!(allowed(&mut session, "1", "backup"));
    session.result(&ToolResult::success(&call("1", "backup")));
    assert!(allowed(&mut session, "2", "delete"));
    assert!(!allowed(&mut session, "3", "delete"));
    assert_eq!(session.release("2"), Release::Done { returned: 1 });
    assert!(allowed(&mut session, "4", "delete"));
    assert!(!allowed(&mut session, "5", "delete"));
}

#[test]
fn a_release_does_not_unlock_what_a_later_call_used() {
    let mut session = session([require("backup", "delete")]);
    assert!(allowed(&mut session, "1", "backup"));
    session.result(&ToolResult::success(&call("1", "backup")));
    assert!(allowed(&mut session, "2", "delete"));
    assert!(allowed(&mut session, "3", "backup"));
    session.result(&ToolResult::success(&call("3", "backup")));
    assert!(allowed(&mut session, "4", "delete"));
    // Without the call in question, one backup would still have been used up by the other delete.
    assert_eq!(session.release("2"), Release::Done { returned: 0 });
    assert!(!allowed(&mut session, "5", "delete"));
}

#[test]
fn what_waits_for_a_released_call_is_dropped() {
    let mut session = session([require("backup", "delete"), approve("deploy")]);
    assert!(allowed(&mut session, "1", "backup"));
    assert_eq!(session.release("1"), Release::Done { returned: 0 });
    assert_eq!(session.pending_firings(), 0);
    assert_eq!(session.result(&ToolResult::success(&call("1", "backup"))), Outcome::UnknownCall);
    assert!(!allowed(&mut session, "2", "delete"));
}

#[test]
fn calls_without_ids_are_found_by_tool_and_input_oldest_first() {
    let mut session = session([limit("push", 3)]);
    let with = |id: &str, to: &str| ToolCall::new(id, "push", json!({ "to": to }));
    for (id, to) in [("a", "x"), ("b", "y"), ("c", "x")] {
        assert!(session.decide(&with(id, to), NOW).is_allowed());
    }
    assert_eq!(session.in_flight(), ["a", "b", "c"]);
    assert_eq!(session.in_flight_like(&with("", "x")), Some("a"));
    session.result(&ToolResult::success(&with("a", "x")));
    assert_eq!(session.in_flight_like(&with("", "x")), Some("c"));
    assert_eq!(session.in_flight_like(&with("", "z")), None);
    assert!(session.is_in_flight(&with("b", "y")));
    assert!(!session.is_in_flight(&with("b", "x")));
}

/// Three sessions live through the same: one releases a call, one keeps it, one never saw it.
#[test]
fn a_net_is_as_if_the_call_had_never_been_or_as_if_it_had_run() {
    let (mut returned, mut kept) = (0, 0);
    cases::check(4_000, |u| {
        let policy = policies::policy(u)?;
        let compiled = policy.policy();
        let history = histories::history(u, &policy, 60)?;
        let at = u.choose_index(history.len().max(1))?;
        let gap = u.choose_index(6)?;
        let [mut released, mut used, mut never] = [0; 3].map(|_| Player::new(&compiled));
        for event in history.iter().take(at) {
            for player in [&mut released, &mut used, &mut never] {
                player.play(event);
            }
        }
        let call = Event::Decide(histories::call(u, "in question".into())?);
        if released.play(&call) != Seen::Allowed {
            return Ok(());
        }
        used.play(&call);
        let mut comparable = true;
        for event in history.iter().skip(at).take(gap) {
            let seen = released.play(event);
            assert_eq!(seen, used.play(event));
            comparable &= seen == never.play(event);
        }
        let Release::Done { .. } = released.session.release("in question") else { return Ok(()) };
        if !comparable {
            // A later call was decided otherwise because of it: only the laws of nets hold then.
            return Ok(());
        }
        for name in policy.names() {
            let after = released.session.marking(&name);
            let (without, with) = (never.session.marking(&name), used.session.marking(&name));
            let held = after != with && after != without;
            assert!(!held, "{name}: {after:?}, neither {without:?} nor {with:?}");
            if without != with {
                if after == without { returned += 1 } else { kept += 1 }
            }
        }
        Ok(())
    });
    assert!(returned > 50 && kept > 5, "{returned} returned, {kept} kept");
}
