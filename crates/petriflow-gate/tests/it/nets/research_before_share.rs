//! Every share is earned by a fetch.

use petriflow_gate::{Outcome, Session, Timestamp, ToolCall, ToolResult, nets};
use petriflow_net::analysis::{Explorer, Verdict};
use serde_json::json;

use crate::decisions::{play, session};

fn fresh() -> Session {
    session([nets::research_before_share().unwrap()])
}

fn state(session: &Session) -> String {
    session.status().replace("research-before-share (active): ", "")
}

#[test]
fn each_fetch_earns_one_share() {
    insta::assert_snapshot!(play(&mut fresh(), "share, fetch, share, share, search, webFetch, publish, post, share"), @"
    share: share is not allowed by 'research-before-share' in its current state.
    fetch: allowed
    share: allowed
    share: share is not allowed by 'research-before-share' in its current state.
    search: allowed
    webFetch: allowed
    publish: allowed
    post: allowed
    share: share is not allowed by 'research-before-share' in its current state.
    ");
}

#[test]
fn a_failed_fetch_earns_nothing_and_a_failed_share_is_spent() {
    insta::assert_snapshot!(play(&mut fresh(), "webSearch!, share, fetch, share!, share"), @"
    webSearch!: allowed
    share: share is not allowed by 'research-before-share' in its current state.
    fetch: allowed
    share!: allowed
    share: share is not allowed by 'research-before-share' in its current state.
    ");
}

#[test]
fn fetches_and_shares_at_once_do_not_count_double() {
    insta::assert_snapshot!(play(&mut fresh(), "fetch~, share, fetch, share~, share~"), @"
    fetch~: allowed
    share: share is not allowed by 'research-before-share' in its current state.
    fetch: allowed
    share~: allowed
    share~: share is not allowed by 'research-before-share' in its current state.
    ");
}

#[test]
fn a_share_may_rely_on_a_fetch_in_the_same_call_only_behind_its_success() {
    insta::assert_snapshot!(play(&mut fresh(), "[share && fetch], [fetch ; share], [fetch && share], share, [fetch && share && share], fetch, [fetch && share], share, share"), @"
    [share && fetch]: share is not allowed by 'research-before-share' in its current state.
    [fetch ; share]: share is not allowed by 'research-before-share' in its current state.
    [fetch && share]: allowed
    share: share is not allowed by 'research-before-share' in its current state.
    [fetch && share && share]: share is not allowed by 'research-before-share' in its current state.
    fetch: allowed
    [fetch && share]: allowed
    share: allowed
    share: share is not allowed by 'research-before-share' in its current state.
    ");
}

#[test]
fn at_most_ten_shares_are_kept_and_fetching_goes_on() {
    let mut session = fresh();
    let log = play(&mut session, &["fetch"; 14].join(", "));
    assert_eq!(log, ["fetch: allowed"; 14].join("\n"));
    assert_eq!(state(&session), "earned:10");
    let log = play(&mut session, &["share"; 11].join(", "));
    let refused = "share: share is not allowed by 'research-before-share' in its current state.";
    assert_eq!(log, format!("{}\n{refused}", ["share: allowed"; 10].join("\n")));
    assert_eq!(state(&session), "free:10");
}

#[test]
fn fetches_in_flight_beyond_the_capacity_earn_ten() {
    let mut session = fresh();
    let calls: Vec<_> =
        (0..13).map(|id| ToolCall::new(id.to_string(), "fetch", json!({}))).collect();
    for call in &calls {
        assert!(session.decide(call, Timestamp(0)).is_allowed());
    }
    for call in calls.iter().rev() {
        assert_eq!(session.result(&ToolResult::success(call)), Outcome::Settled { fired: 1 });
    }
    assert_eq!(state(&session), "earned:10");
}

#[test]
fn a_compound_call_at_capacity_spends_what_it_shares() {
    let mut session = fresh();
    play(&mut session, &["fetch"; 10].join(", "));
    insta::assert_snapshot!(play(&mut session, "[fetch && share]"), @"[fetch && share]: allowed");
    assert_eq!(state(&session), "free:1, earned:9");
}

#[test]
fn forged_results_earn_nothing() {
    let mut session = fresh();
    let fetch = ToolCall::new("f", "fetch", json!({}));
    assert_eq!(session.result(&ToolResult::success(&fetch)), Outcome::UnknownCall);
    assert!(session.decide(&fetch, Timestamp(0)).is_allowed());
    session.result(&ToolResult::success(&fetch));
    assert_eq!(session.result(&ToolResult::success(&fetch)), Outcome::UnknownCall);
    assert_eq!(state(&session), "free:9, earned:1");
}

#[test]
fn the_structure_has_eleven_states_and_keeps_its_tokens() {
    let net = nets::research_before_share().unwrap();
    let exploration =
        Explorer::new(net.net()).always("ten tokens together", |m| m.total() == 10).explore();
    assert_eq!(exploration.claims()[0].verdict, Verdict::Proved { witness: None });
    let space = exploration.complete().unwrap();
    assert_eq!((space.len(), space.edges()), (11, 21));
}
