//! The hook formats of agent hosts, in both directions.
//!
//! A host runs a hook before and after its tool calls: it writes an event to the hook's standard
//! input and reads the answer from its output and exit code. [`read()`] turns the bytes of an event
//! into an [`Event`]; [`answer()`] turns a [`Verdict`] into what the host understands; [`setup`] writes
//! the files in which a host looks for its hooks. No IO, no clock, no files.
//!
//! ```
//! use petriflow_hosts::{Host, Kind, Verdict, answer, read};
//!
//! let bytes = br#"{"session_id": "s1", "hook_event_name": "PreToolUse", "cwd": "/project",
//!     "tool_name": "Bash", "tool_input": {"command": "rm -rf build"}, "tool_use_id": "t1"}"#;
//! let event = read(Host::ClaudeCode, bytes)?;
//! let Kind::Call(call) = &event.kind else { panic!("a call") };
//! assert_eq!((call.tool.as_str(), call.id.as_deref()), ("Bash", Some("t1")));
//!
//! let verdict = Verdict::Refused { reason: "delete is blocked".into() };
//! let answer = answer(Host::ClaudeCode, &event.name, &verdict);
//! assert!(answer.stdout.contains(r#""permissionDecision":"deny""#));
//! # Ok::<(), petriflow_hosts::Unreadable>(())
//! ```
//!
//! # A doubt is a refusal
//!
//! Most hosts run a call if its hook fails: a crash, a time-out, an answer that is not quite right.
//! So what cannot be read is [`Unreadable`], which knows the answer that refuses ([`failure`]), and
//! no answer says "allow" unless the host reads silence as a refusal. A result counts as a success
//! ([`Ended::Succeeded`]) only where the host says so and the tool's own output cannot say it instead.

mod answer;
mod event;
mod fields;
mod host;
mod hosts;
mod json;
mod probe;
pub mod setup;

pub use answer::{Answer, Verdict, answer, failure};
pub use event::{Call, Ended, Event, Kind, Start, Unreadable, read};
pub use host::{Capabilities, Failures, Host, UnknownHost};
pub use probe::{is_refusal, probe};
