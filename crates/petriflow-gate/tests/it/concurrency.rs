//! Many threads on one session.

use std::pin::pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread;

use petriflow_gate::{
    Answer, Approval, Approver, Cause, Decision, Outcome, Session, SharedSession, Timestamp,
    ToolCall, ToolResult,
};
use petriflow_testkit::gate::PolicySpec;
use petriflow_testkit::gate::rules::{approve, limit, limit_per, require};
use serde_json::json;

const NOW: Timestamp = Timestamp(1_000);
const THREADS: usize = 8;
const CALLS: usize = 50;

fn session(nets: impl IntoIterator<Item = petriflow_testkit::gate::NetSpec>) -> Session {
    Session::new(&PolicySpec::of(nets).policy())
}

/// Runs `work` in every thread for every call, and counts how often it was allowed.
fn count_allowed(calls: usize, work: impl Fn(String) -> Decision + Sync) -> usize {
    let allowed = AtomicUsize::new(0);
    thread::scope(|scope| {
        for number in 0..THREADS {
            let (work, allowed) = (&work, &allowed);
            scope.spawn(move || {
                for call in 0..calls {
                    if work(format!("{number}.{call}")).is_allowed() {
                        allowed.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    allowed.into_inner()
}

/// Polls without a runtime: whoever waits here waits for another thread's turn, not for a waker.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(done) => return done,
            Poll::Pending => thread::yield_now(),
        }
    }
}

/// Says yes after letting others go first.
struct SlowYes;

impl Approver for SlowYes {
    async fn ask(&self, _call: &ToolCall, _approval: &Approval) -> Answer {
        let mut turns = 0..3;
        std::future::poll_fn(|_| match turns.next() {
            Some(_) => Poll::Pending,
            None => Poll::Ready(Answer::Approved),
        })
        .await
    }
}

#[test]
fn threads_behind_a_lock_never_exceed_a_limit() {
    let session = Mutex::new(session([limit("push", 100)]));
    let allowed = count_allowed(CALLS, |id| {
        session.lock().unwrap().decide(&ToolCall::new(id, "push", json!({})), NOW)
    });
    assert_eq!(allowed, 100);
    assert_eq!(session.into_inner().unwrap().status(), "limit-push-100 (active): spent:100");
}

#[test]
fn threads_on_a_shared_session_never_exceed_a_limit() {
    let shared = SharedSession::new(session([limit("push", 100), require("backup", "delete")]));
    let allowed = count_allowed(CALLS, |id| {
        let call = ToolCall::new(id, "push", json!({}));
        let decision = block_on(shared.decide(&call, &SlowYes, || NOW));
        if decision.is_allowed() {
            assert_eq!(shared.result(&ToolResult::success(&call)), Outcome::Settled { fired: 0 });
        }
        decision
    });
    assert_eq!(allowed, 100);
    assert_eq!(shared.with_session(|session| session.open_calls()), 0);
}

/// Commands that refill the budget themselves, and pushes that live on it, in parallel.
#[test]
fn threads_with_compound_calls_never_push_more_often_than_reviews_allow() {
    let shared = SharedSession::new(session([limit_per("push", 2, "review")]));
    let (pushes, reviews) = (AtomicUsize::new(0), AtomicUsize::new(0));
    count_allowed(CALLS, |id| {
        let command = if id.ends_with('3') { "review && push" } else { "push" };
        let call = ToolCall::new(id, "sh", json!({"command": command}));
        let decision = block_on(shared.decide(&call, &SlowYes, || NOW));
        if decision.is_allowed() {
            pushes.fetch_add(1, Ordering::Relaxed);
            reviews.fetch_add(usize::from(command != "push"), Ordering::Relaxed);
            shared.result(&ToolResult::success(&call));
        }
        decision
    });
    let (pushes, reviews) = (pushes.into_inner(), reviews.into_inner());
    assert_eq!(reviews, THREADS * CALLS / 10);
    assert!(pushes > reviews && pushes <= 2 + 2 * reviews, "{pushes} {reviews}");
}

#[test]
fn approvals_in_parallel_never_exceed_a_limit() {
    let shared = SharedSession::new(session([approve("push"), limit("push", 20)]));
    let allowed = count_allowed(CALLS, |id| {
        let call = ToolCall::new(id, "push", json!({}));
        block_on(shared.decide(&call, &SlowYes, || NOW))
    });
    assert_eq!(allowed, 20);
}

#[test]
fn one_call_decided_by_many_threads_counts_once() {
    let shared = SharedSession::new(session([approve("push"), limit("push", 2)]));
    let call = ToolCall::new("same", "push", json!({}));
    let allowed = count_allowed(CALLS, |_| block_on(shared.decide(&call, &SlowYes, || NOW)));
    assert!(allowed >= 1, "{allowed}");
    let status = shared.with_session(|session| session.status());
    assert!(status.ends_with("limit-push-2 (active): budget:1, spent:1"), "{status}");
}

#[test]
fn a_poisoned_lock_refuses() {
    let shared = SharedSession::new(session([limit("push", 2)]));
    let call = ToolCall::new("1", "push", json!({}));
    assert!(block_on(shared.decide(&call, &SlowYes, || NOW)).is_allowed());
    let poisoner = shared.clone();
    let died = thread::spawn(move || poisoner.with_session(|_| panic!("on purpose"))).join();
    assert!(died.is_err());
    for id in ["1", "2"] {
        let call = ToolCall::new(id, "push", json!({}));
        let decision = block_on(shared.decide(&call, &SlowYes, || NOW));
        assert_eq!(decision.refusal().unwrap().reasons[0].cause, Cause::Internal);
    }
    // Results are still taken: forgetting what ran would be no safer.
    assert_eq!(shared.result(&ToolResult::success(&call)), Outcome::Settled { fired: 0 });
}
