//! Policies and histories made from bytes, and a naive gate to compare the real one with.
//!
//! - [`NetSpec`] and [`PolicySpec`]: nets and policies as data.
//! - [`rules`]: the nets that rules stand for.
//! - [`policies`] and [`histories`]: arbitrary ones.
//! - [`Model`]: the gate by its definition. Its own firing rule, nothing shared with the real gate.
//! - [`watched`]: what limits and sequences promise, checked without any net.
//! - [`agree()`]: one history on both; the body of the property test and of the fuzz target.

mod agree;
mod corrupt;
mod event;
pub mod histories;
mod model;
pub mod policies;
pub mod rules;
mod spec;
mod watch;
mod words;

pub use agree::{Tally, agree, agree_on};
pub use corrupt::corrupted;
pub use event::{Event, Player, START, Seen, restored, saved};
pub use model::Model;
pub use spec::{NetSpec, PolicySpec, TransitionSpec};
pub use watch::{Watched, watched};
pub use words::{Words, stands_for};
