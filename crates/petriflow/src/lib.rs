//! Rules an AI agent cannot break, proved on Petri nets.
//!
//! This crate is what users may rely on; the crates behind it may move.
//!
//! - [`rules`]: the rules language, compiled to nets.
//! - [`gate`]: deciding an agent's tool calls by nets.
//! - [`net`]: Petri nets and what can be proved about them.
//!
//! ```
//! use petriflow::gate::{Session, Timestamp, ToolCall};
//! use petriflow::rules::{SourceFile, compile};
//! use serde_json::json;
//!
//! let rules = compile(&[SourceFile::new("safety.rules", "require backup before delete")])?;
//! let mut session = Session::new(&rules.policy()?);
//! let call = ToolCall::new("1", "delete", json!({"path": "/data"}));
//! let decision = session.decide(&call, Timestamp(0));
//! assert_eq!(
//!     decision.refusal().unwrap().to_string(),
//!     "delete requires a successful call to backup first."
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod load;

pub use load::{LoadError, load};
pub use petriflow_gate as gate;
pub use petriflow_net as net;
pub use petriflow_rules as rules;

/// The README's example is run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The guide's example is run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rules.md")]
struct RulesGuide;
