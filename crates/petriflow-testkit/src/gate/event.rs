//! What can happen to a session, and what can be seen of it from outside.

use std::collections::BTreeSet;
use std::sync::Arc;

use petriflow_gate::{
    Answer, Decision, Outcome, Policy, Session, Snapshot, Ticket, Timestamp, ToolCall, ToolResult,
};

/// One thing that happens to a session.
#[derive(Debug, Clone)]
pub enum Event {
    /// A call is decided.
    Decide(ToolCall),
    /// A question is answered, perhaps one that was never asked.
    Answer {
        /// The call the answer claims to be about.
        call: ToolCall,
        /// The question's number.
        ticket: u64,
        /// What was said.
        answer: Answer,
    },
    /// A result arrives, perhaps for no call in flight.
    Result(ToolResult),
    /// A net comes into play.
    Activate(String),
    /// A net goes out of play.
    Deactivate(String),
    /// The session is saved as text and taken up from there.
    SaveAndRestore,
    /// Time passes.
    Wait {
        /// How much.
        ms: u64,
    },
    /// Calls in flight for longer than this are forgotten.
    Expire {
        /// How old they are at least.
        age_ms: u64,
    },
}

/// What an event did, as far as the model and the gate must agree on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// The call may run.
    Allowed,
    /// The call must not run: the nets that object (empty if it was none) and their causes.
    Blocked(BTreeSet<(String, String)>),
    /// A person must be asked.
    Asked {
        /// The question's number.
        ticket: u64,
        /// The nets that ask.
        nets: BTreeSet<String>,
    },
    /// A result was taken, and this many deferred transitions fired.
    Fired(usize),
    /// A result was taken, and these nets did not come to rest.
    Stuck(BTreeSet<String>),
    /// A result changed nothing.
    Ignored,
    /// A net was switched, or not.
    Switched(bool),
    /// This many calls were forgotten.
    Forgotten(usize),
    /// Nothing to be seen.
    Nothing,
}

impl From<&Decision> for Seen {
    fn from(decision: &Decision) -> Self {
        match decision {
            Decision::Allowed => Self::Allowed,
            Decision::Blocked(refusal) => {
                let reasons = refusal.reasons.iter();
                let named = |net: &Option<String>| net.clone().unwrap_or_default();
                Self::Blocked(reasons.map(|r| (named(&r.net), format!("{:?}", r.cause))).collect())
            }
            Decision::NeedsApproval(approval) => Self::Asked {
                ticket: approval.ticket.number(),
                nets: approval.nets.iter().cloned().collect(),
            },
        }
    }
}

impl From<Outcome> for Seen {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Settled { fired } => Self::Fired(fired),
            Outcome::HookFailed { nets } => Self::Stuck(nets.into_iter().collect()),
            Outcome::UnknownCall | Outcome::OtherTool { .. } => Self::Ignored,
        }
    }
}

/// A real session and its clock.
#[derive(Debug)]
pub struct Player {
    /// The session.
    pub session: Session,
    /// The time.
    pub now: Timestamp,
}

impl Player {
    /// A fresh session.
    pub fn new(policy: &Arc<Policy>) -> Self {
        Self { session: Session::new(policy), now: START }
    }

    /// Lets something happen.
    ///
    /// # Panics
    /// If a session cannot be restored from its own snapshot.
    pub fn play(&mut self, event: &Event) -> Seen {
        let Self { session, now } = self;
        match event {
            Event::Decide(call) => (&session.decide(call, *now)).into(),
            Event::Answer { call, ticket, answer } => {
                (&session.answer(call, Ticket::from_number(*ticket), *answer, *now)).into()
            }
            Event::Result(result) => session.result(result).into(),
            Event::Activate(net) => Seen::Switched(session.activate(net).ok),
            Event::Deactivate(net) => Seen::Switched(session.deactivate(net).ok),
            Event::SaveAndRestore => {
                *session = restored(session);
                Seen::Nothing
            }
            Event::Wait { ms } => {
                *now = now.after_ms(*ms);
                Seen::Nothing
            }
            Event::Expire { age_ms } => {
                Seen::Forgotten(session.expire_open_calls(before(*now, *age_ms)))
            }
        }
    }
}

/// When histories begin.
pub const START: Timestamp = Timestamp(1_000);

pub(super) fn before(now: Timestamp, age_ms: u64) -> Timestamp {
    Timestamp(now.0.saturating_sub(age_ms))
}

/// The session as JSON.
pub fn saved(session: &Session) -> String {
    serde_json::to_string(&session.snapshot()).expect("snapshots are data")
}

/// The same session, taken up from its snapshot as text.
///
/// # Panics
/// If that does not work.
pub fn restored(session: &Session) -> Session {
    let snapshot: Snapshot = serde_json::from_str(&saved(session)).expect("it was just written");
    Session::restore(session.policy(), snapshot).expect("it was just saved")
}
