//! Exploration of everything a net can do.
//!
//! [`Explorer`] visits every reachable marking breadth-first and stores each one whole, so that its
//! counts are exact and its witnesses are shortest. The answer is one of three
//! ([`Exploration`]): the whole state space, a proof that there is no end to it, or what was
//! explored until a limit.
//!
//! ```
//! use petriflow_net::Net;
//! use petriflow_net::analysis::{Exploration, Explorer, Verdict};
//!
//! let net = Net::builder("lock")
//!     .places(["free", "a", "b"])
//!     .transition("a takes", ["free"], ["a"])
//!     .transition("b takes", ["free"], ["b"])
//!     .transition("a gives back", ["a"], ["free"])
//!     .transition("b gives back", ["b"], ["free"])
//!     .initial("free", 1)
//!     .build()?;
//! let (a, b) = (net.place_named("a").unwrap(), net.place_named("b").unwrap());
//!
//! let exploration = Explorer::new(&net)
//!     .never("both hold the lock", move |m| m.tokens(a) > 0 && m.tokens(b) > 0)
//!     .never("b holds the lock", move |m| m.tokens(b) > 0)
//!     .explore();
//!
//! let Exploration::Complete(space) = &exploration else { panic!("small and bounded") };
//! assert_eq!((space.len(), space.edges()), (3, 4));
//! let claims = exploration.claims();
//! assert_eq!(claims[0].verdict, Verdict::Proved { witness: None });
//! let Verdict::Refuted { witness: Some(trace) } = &claims[1].verdict else { panic!("it can") };
//! assert_eq!(trace.display(&net).to_string(), "b takes");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod claims;
mod coverability;
mod explorer;
mod graph;
mod layout;
mod part;
mod pump;
mod search;
mod space;
mod store;

pub use claims::{Claim, MarkingView, Verdict};
pub use coverability::{COVERABILITY_WORK_MAX, Coverability, coverability, coverability_within};
pub use explorer::{Exploration, Explorer, Limit, Progress};
pub use graph::{Graph, TooLarge};
pub use pump::Pump;
pub use space::{StateId, StateSpace, Trace};
