//! Petri nets: places that hold tokens, transitions that move them, and analysis that proves or
//! refutes what they can do.
//!
//! No IO, no clock, no async; threads only where a caller asks an exploration for several.

mod builder;
mod firing;
mod ids;
mod marking;
mod net;

pub use builder::{BuildError, NetBuilder, Problem};
pub use firing::{FireError, NotEnabled, SequenceError};
pub use ids::{PlaceId, TransitionId};
pub use marking::Marking;
pub use net::{Net, WeightedArc, WrongMarking};
