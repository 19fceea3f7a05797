//! Decides every tool call of an agent by Petri nets. Values in, values out: no IO, no clock, no
//! async runtime.

mod action;
mod advance;
mod approver;
mod call;
mod decide;
mod decision;
mod hooks;
pub mod nets;
mod open_calls;
mod parts;
mod plan;
mod policy;
mod replay;
mod result;
mod rule;
mod session;
mod skill_net;
mod snapshot;
mod text;
mod verdict;

pub use action::{Action, Connective, Resolution, Resolver};
pub use advance::Unsettled;
pub use approver::{Approver, NobodyToAsk, SharedSession};
pub use call::{Timestamp, ToolCall, ToolResult};
pub use decision::{Answer, Approval, Cause, Decision, Outcome, Reason, Refusal, Ticket};
pub use hooks::{Attempt, Mapper, Meta, OnDeferredResult, Validator};
pub use policy::{Fingerprint, Mode, Policy, PolicyBuilder, PolicyError};
pub use replay::ReplayEntry;
pub use rule::{Rule, RuleKind, Source};
pub use session::{NetChange, Session};
pub use skill_net::{SkillNet, SkillNetBuilder, SkillNetError, Transition};
pub use snapshot::{RestoreError, Snapshot};
pub use verdict::Verdict;
