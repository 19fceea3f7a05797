//! The rules language: one-line rules that become Petri nets.
//!
//! ```text
//! require backup before delete            # a backup must have succeeded since the last delete
//! require human-approval before deploy    # a person is asked each time
//! block rm                                # never
//! limit push to 3 per session             # three calls
//! limit push to 3 per test                # three calls, and three more after a successful test
//! map bash.command rm as delete           # a bash call with the word `rm` in its command is a delete
//! map bash.command /git push .*--force/ as force-push
//! ```
//!
//! [`compile`] reads rules and gives nets; [`RuleSet::policy`] is what a gate's session runs on. No
//! IO: the caller reads the files.
//!
//! ```
//! use petriflow_gate::{Session, Timestamp, ToolCall};
//! use petriflow_rules::{SourceFile, compile};
//! use serde_json::json;
//!
//! let rules = compile(&[SourceFile::new("safety.rules", "
//!     map bash.command rm as delete
//!     block delete
//! ")])?;
//! let mut session = Session::new(&rules.policy()?);
//! let call = ToolCall::new("1", "bash", json!({"command": "rm -rf build"}));
//! let decision = session.decide(&call, Timestamp(0));
//! let reason = &decision.refusal().unwrap().reasons[0];
//! assert_eq!(reason.message, "delete is blocked and cannot be called.");
//! assert_eq!(reason.rule.as_ref().unwrap().source.as_ref().unwrap().line, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod code;
mod compile;
mod diagnostic;
mod format;
mod lexer;
mod lints;
mod maps;
mod names;
mod nets;
mod parser;
mod pattern;
mod required;
pub mod scenarios;
mod shadow;
mod suggest;
pub mod syntax;
mod tools;
mod verify;

pub use code::Code;
pub use compile::{Invalid, RuleNet, RuleSet, compile, compile_known};
pub use diagnostic::{Diagnostic, Paint, Severity, SourceFile, Span};
pub use format::format;
pub use maps::Maps;
pub use parser::{Parsed, parse};
pub use tools::KnownTools;
pub use verify::{Unverified, Verified, verify};
