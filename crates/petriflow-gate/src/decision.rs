//! What comes out: decisions that carry their reasons.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::rule::Rule;

/// The answer to a call. There is no third way to read it and no default.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a decision that is not looked at lets the call through"]
pub enum Decision {
    /// The call may run.
    Allowed,
    /// The call must not run.
    Blocked(Refusal),
    /// A person must be asked; the answer goes to [`Session::answer`](crate::Session::answer).
    NeedsApproval(Approval),
}

impl Decision {
    /// Whether the call may run now.
    pub fn is_allowed(&self) -> bool {
        matches!(self, Self::Allowed)
    }

    /// The refusal, if it is one.
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Blocked(refusal) => Some(refusal),
            Self::Allowed | Self::NeedsApproval(_) => None,
        }
    }

    /// The question to a person, if there is one.
    pub fn approval(&self) -> Option<&Approval> {
        match self {
            Self::NeedsApproval(approval) => Some(approval),
            Self::Allowed | Self::Blocked(_) => None,
        }
    }

    pub(crate) fn blocked(reason: Reason) -> Self {
        Self::Blocked(Refusal { reasons: vec![reason] })
    }
}

/// Why a call must not run; at least one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Every net that objects, in the order of the policy.
    pub reasons: Vec<Reason>,
}

impl fmt::Display for Refusal {
    /// The messages, one after the other.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, reason) in self.reasons.iter().enumerate() {
            let separator = if at == 0 { "" } else { " " };
            write!(f, "{separator}{reason}")?;
        }
        Ok(())
    }
}

/// One reason against a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// What kind of objection it is.
    pub cause: Cause,
    /// The net that objects, if it was one.
    pub net: Option<String>,
    /// The rule behind the net, with its place in the rules file.
    pub rule: Option<Rule>,
    /// The part of the call that was refused, if the call has parts.
    pub part: Option<String>,
    /// The constraint in one sentence.
    pub message: String,
}

impl Reason {
    pub(crate) fn of_call(cause: Cause, message: impl Into<String>) -> Self {
        Self { cause, net: None, rule: None, part: None, message: message.into() }
    }

    /// The message, and the part of the call that it is about, if it has parts.
    pub fn with_part(&self) -> String {
        match &self.part {
            Some(part) => format!("{} ({part})", self.message),
            None => self.message.clone(),
        }
    }

    /// A net or tool that the policy's own index names is not there. It cannot happen, and if it
    /// does, whatever that net would have said is not to be left out.
    pub(crate) fn broken_index() -> Self {
        Self::of_call(Cause::Internal, "the policy does not fit its own index and refuses the call")
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The ways to be refused. A new one is a change that callers should notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// A net covers the tool, and none of its transitions for it is enabled.
    NotEnabled,
    /// A validator said no.
    Invalid,
    /// A person said no.
    Rejected,
    /// Nobody could be asked.
    NobodyToAsk,
    /// The answer came too late, twice, or for another call.
    StaleApproval,
    /// The id belongs to another call that is in flight.
    IdInUse,
    /// What the call does could not be told.
    Unresolved,
    /// Parts of the call hang together in a way that cannot be decided ahead.
    Entangled,
    /// Too many calls or questions are open.
    TooManyOpen,
    /// Something broke; nothing is allowed then.
    Internal,
}

/// A question to a person. It names every rule that wants the call approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// To be given back with the answer.
    pub ticket: Ticket,
    /// Short form, such as `Approve: deploy`.
    pub title: String,
    /// Long form, such as `Allow 'deploy' via transition 'approve' in net 'approve-before-deploy'?`,
    /// one line for every net that asks.
    pub message: String,
    /// The nets that ask.
    pub nets: Vec<String>,
    /// After this moment an answer is too late.
    pub expires_at: Timestamp,
}

/// Names one question. It is good for one answer about the exact call it was issued for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ticket(pub(crate) u64);

impl Ticket {
    /// The number, for hosts that must carry it as text.
    pub fn number(self) -> u64 {
        self.0
    }

    /// The ticket of this number. One that was never issued is refused like a stale one.
    pub fn from_number(number: u64) -> Self {
        Self(number)
    }
}

/// What came back for a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The person said yes.
    Approved,
    /// The person said no.
    Rejected,
    /// There was nobody to ask.
    Unavailable,
}

/// What came of taking a call back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// The call is no longer in flight.
    Done {
        /// How many firings were undone; others count as used.
        returned: usize,
    },
    /// No call of this id is in flight. Nothing changed.
    UnknownCall,
}

/// What a result did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The call was known; this many deferred transitions fired.
    Settled {
        /// How many.
        fired: usize,
    },
    /// No call of this id is in flight. Nothing changed.
    UnknownCall,
    /// The call in flight under this id is of another tool. Nothing changed, and it is still open.
    OtherTool {
        /// The tool that was called.
        called: String,
    },
    /// A hook failed, so that its net did not move; the others did.
    HookFailed {
        /// The nets that did not move.
        nets: Vec<String>,
    },
}
