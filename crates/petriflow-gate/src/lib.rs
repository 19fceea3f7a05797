//! Decides every tool call of an agent by Petri nets.
//!
//! Values in, values out: no IO, no clock, no async runtime. A [`Policy`] is an immutable set of
//! [`SkillNet`]s; a [`Session`] is what one agent has done so far. [`Session::decide`] answers a
//! call, [`Session::result`] takes how it ended.
//!
//! # A net has a say about tools
//!
//! A call is allowed if every net that covers its tool has an enabled transition for it. Here, each
//! `push` takes a token, and there are two:
//!
//! ```
//! use petriflow_gate::{Policy, RuleKind, Session, SkillNet, Timestamp, ToolCall, Transition};
//! use serde_json::json;
//!
//! let limit = SkillNet::builder("limit-push-2")
//!     .places(["budget", "spent"])
//!     .initial("budget", 2)
//!     .transition(Transition::auto("use").from(["budget"]).to(["spent"]).tools(["push"]))
//!     .rule(RuleKind::Limit { tool: "push".into(), limit: 2, scope: "session".into() })
//!     .build()?;
//! let mut session = Session::new(&Policy::new([limit])?);
//!
//! let push = |id: &str| ToolCall::new(id, "push", json!({}));
//! assert!(session.decide(&push("1"), Timestamp(0)).is_allowed());
//! assert!(session.decide(&push("2"), Timestamp(0)).is_allowed());
//! let decision = session.decide(&push("3"), Timestamp(0));
//! let refusal = decision.refusal().unwrap();
//! assert_eq!(refusal.to_string(), "push has reached its limit of 2 calls per session.");
//! // The same call in flight is decided once, however often the host asks.
//! assert!(session.decide(&push("2"), Timestamp(0)).is_allowed());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Deferred: success counts, not the attempt
//!
//! A deferred transition lets the call run at once but fires only when it has succeeded. A failed
//! `test` unlocks nothing:
//!
//! ```
//! # use petriflow_gate::{Policy, Session, SkillNet, Timestamp, ToolCall, ToolResult, Transition};
//! # use serde_json::json;
//! let test_first = SkillNet::builder("require-test-before-deploy")
//!     .places(["untested", "tested"])
//!     .initial("untested", 1)
//!     .transition(
//!         Transition::auto("test").from(["untested"]).to(["tested"]).tools(["test"]).deferred(),
//!     )
//!     .transition(Transition::auto("deploy").from(["tested"]).to(["untested"]).tools(["deploy"]))
//!     .build()?;
//! let mut session = Session::new(&Policy::new([test_first])?);
//! let now = Timestamp(0);
//!
//! let test = ToolCall::new("1", "test", json!({}));
//! let deploy = ToolCall::new("2", "deploy", json!({}));
//! assert!(session.decide(&test, now).is_allowed());
//! session.result(&ToolResult::failure(&test));
//! assert!(!session.decide(&deploy, now).is_allowed());
//!
//! assert!(session.decide(&test, now).is_allowed());
//! session.result(&ToolResult::success(&test));
//! assert!(session.decide(&deploy, now).is_allowed());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Approvals are tickets
//!
//! Where a transition is manual, the decision is a question with a [`Ticket`]. It is good for one
//! answer, for the exact call it was issued for, and for a while:
//!
//! ```
//! # use petriflow_gate::{Answer, Decision, Policy, Session, SkillNet, Timestamp, ToolCall, Transition};
//! # use serde_json::json;
//! let approve = SkillNet::builder("approve-before-deploy")
//!     .places(["ready"])
//!     .initial("ready", 1)
//!     .transition(Transition::manual("approve").from(["ready"]).to(["ready"]).tools(["deploy"]))
//!     .build()?;
//! let mut session = Session::new(&Policy::new([approve])?);
//!
//! let deploy = ToolCall::new("1", "deploy", json!({"to": "production"}));
//! let Decision::NeedsApproval(question) = session.decide(&deploy, Timestamp(0)) else {
//!     panic!("a person must be asked");
//! };
//! assert_eq!(question.title, "Approve: deploy");
//! let answered = session.answer(&deploy, question.ticket, Answer::Approved, Timestamp(5_000));
//! assert!(answered.is_allowed());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`SharedSession::decide`] does this with an [`Approver`], without holding the session while a
//! person thinks.
//!
//! # One call, several actions
//!
//! A policy's [`Resolver`] may say that a call stands for several [`Action`]s, as a shell command
//! does. A part behind [`Connective::AfterSuccess`] may rely on what the parts before it unlock;
//! other parts may not. The call is allowed only if all its parts are.
//!
//! ```
//! # use std::sync::Arc;
//! # use petriflow_gate::*;
//! # use serde_json::json;
//! struct Commands;
//!
//! impl Resolver for Commands {
//!     fn resolve(&self, call: &ToolCall) -> Resolution {
//!         let Some(command) = call.text("command") else { return Resolution::Itself };
//!         let parts = command.split(" && ").map(|part| {
//!             Action::new(part).after(Connective::AfterSuccess).with_text(part)
//!         });
//!         Resolution::Actions(parts.collect())
//!     }
//!     fn fingerprint(&self) -> String { "commands split at &&".into() }
//! }
//!
//! # let test_first = SkillNet::builder("require-test-before-deploy")
//! #     .places(["untested", "tested"])
//! #     .initial("untested", 1)
//! #     .transition(Transition::auto("test").from(["untested"]).to(["tested"]).tools(["test"]).deferred())
//! #     .transition(Transition::auto("deploy").from(["tested"]).to(["untested"]).tools(["deploy"]))
//! #     .build()?;
//! let policy = Policy::builder().nets([test_first]).resolver(Arc::new(Commands)).build()?;
//! let mut session = Session::new(&policy);
//! let bash = |id: &str, command: &str| ToolCall::new(id, "bash", json!({ "command": command }));
//! assert!(session.decide(&bash("1", "test && deploy"), Timestamp(0)).is_allowed());
//! assert!(!session.decide(&bash("2", "deploy && test"), Timestamp(0)).is_allowed());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Sessions are data
//!
//! [`Session::snapshot`] gives a value to store; [`Session::restore`] takes it up again, and refuses
//! under another policy ([`Session::migrate`] carries over what is the same).
//!
//! # What it does not do
//!
//! The gate decides on names and on what hooks look at. It does not run tools, does not know whether
//! a result is true, and cannot see the code of closures when it compares policies.

mod action;
mod advance;
mod approver;
mod call;
mod decide;
mod decision;
mod hooks;
pub mod nets;
mod notes;
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
pub use decision::{Answer, Approval, Cause, Decision, Outcome, Reason, Refusal, Release, Ticket};
pub use hooks::{Attempt, Mapper, Meta, OnDeferredResult, Validator};
pub use policy::{Fingerprint, Mode, Policy, PolicyBuilder, PolicyError};
pub use replay::ReplayEntry;
pub use rule::{Rule, RuleKind, Source};
pub use session::{NetChange, Session};
pub use skill_net::{SkillNet, SkillNetBuilder, SkillNetError, Transition};
pub use snapshot::{RestoreError, Snapshot};
pub use verdict::Verdict;

/// The guide's examples are run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/gate.md")]
struct Guide;
