//! Rules an AI agent cannot break, proved on Petri nets.
//!
//! This crate is what users may rely on; the crates behind it may move.
//!
//! - [`net`]: Petri nets and what can be proved about them.
//! - [`gate`]: deciding an agent's tool calls by nets.
//!
//! ```
//! use petriflow::net::Net;
//! use petriflow::net::analysis::Explorer;
//!
//! let net = Net::builder("lamp")
//!     .places(["off", "on"])
//!     .transition("switch on", ["off"], ["on"])
//!     .initial("off", 1)
//!     .build()?;
//! let space = Explorer::new(&net).explore().complete().ok_or("not explored")?;
//! assert_eq!(space.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use petriflow_gate as gate;
pub use petriflow_net as net;

/// The README's example is run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
