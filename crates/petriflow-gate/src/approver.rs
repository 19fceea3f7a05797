//! The async layer: asking a person without holding the session.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use crate::call::{Timestamp, ToolCall, ToolResult};
use crate::decision::{Answer, Approval, Cause, Decision, Outcome, Reason};
use crate::session::Session;

/// Puts questions to a person.
pub trait Approver {
    /// Asks, and comes back with the answer.
    fn ask(&self, call: &ToolCall, approval: &Approval) -> impl Future<Output = Answer> + Send;
}

/// An approver for hosts that have nobody to ask: everything manual is blocked.
#[derive(Debug, Clone, Copy, Default)]
pub struct NobodyToAsk;

impl Approver for NobodyToAsk {
    async fn ask(&self, _call: &ToolCall, _approval: &Approval) -> Answer {
        Answer::Unavailable
    }
}

/// A session that tasks and threads share.
///
/// The lock is held while a decision is made, never while a person is asked.
#[derive(Debug, Clone)]
pub struct SharedSession {
    session: Arc<Mutex<Session>>,
}

impl SharedSession {
    /// Shares a session.
    pub fn new(session: Session) -> Self {
        Self { session: Arc::new(Mutex::new(session)) }
    }

    /// Decides a call, asking `approver` if a person must approve. `clock` is read before the
    /// decision and again when the answer is in.
    pub async fn decide(
        &self,
        call: &ToolCall,
        approver: &impl Approver,
        clock: impl Fn() -> Timestamp,
    ) -> Decision {
        let mut decision = self.with(|session| session.decide(call, clock()));
        // What changed while the person was thinking may call for another question, but only so
        // many times: a state that keeps changing is no reason to keep asking.
        for _ in 0..QUESTIONS_MAX {
            let Decision::NeedsApproval(approval) = decision else { return decision };
            let answer = approver.ask(call, &approval).await;
            decision = self.with(|session| session.answer(call, approval.ticket, answer, clock()));
        }
        match decision {
            Decision::NeedsApproval(approval) => self.with(|session| {
                session.answer(call, approval.ticket, Answer::Unavailable, clock())
            }),
            decided => decided,
        }
    }

    /// Takes a result; see [`Session::result`].
    pub fn result(&self, result: &ToolResult) -> Outcome {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        session.result(result)
    }

    /// Looks at the session, or changes it, under its lock.
    pub fn with_session<T>(&self, work: impl FnOnce(&mut Session) -> T) -> T {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut session)
    }

    /// A lock that was poisoned by a panic refuses every call from then on.
    fn with(&self, decide: impl FnOnce(&mut Session) -> Decision) -> Decision {
        match self.session.lock() {
            Ok(mut session) => decide(&mut session),
            Err(_poisoned) => Decision::blocked(Reason::of_call(
                Cause::Internal,
                "the session failed earlier and refuses every call",
            )),
        }
    }
}

/// Questions put for one call at the most.
const QUESTIONS_MAX: usize = 3;
