//! Petri nets: places that hold tokens, transitions that move them, and analysis that proves or
//! refutes what they can do.
//!
//! No IO, no clock, no async; threads only where a caller asks an exploration for several.

pub mod analysis;
mod builder;
mod firing;
pub mod formats;
mod ids;
pub mod invariants;
mod marking;
mod net;

pub use builder::{BuildError, NetBuilder, Problem};
pub use firing::{FireError, NotEnabled, SequenceError};
pub use ids::{PlaceId, TransitionId};
pub use marking::Marking;
pub use net::{Net, WeightedArc, WrongMarking};
