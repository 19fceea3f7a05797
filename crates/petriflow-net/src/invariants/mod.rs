//! Linear invariants: what every firing keeps.
//!
//! A *place invariant* weighs the places so that no transition changes the weighted sum of tokens;
//! a *transition invariant* counts firings that together change nothing. Both follow from the arcs
//! alone, without exploring a single marking, so they hold for every initial marking.
//!
//! - [`check_place_weights`], [`check_transition_weights`]: are these weights an invariant?
//! - [`place_basis`], [`transition_basis`]: vectors that generate all invariants.
//! - [`place_semiflows`]: the minimal-support invariants without negative weights.
//! - [`uncovered_places`], [`structurally_bounded`], [`place_bounds`]: what they say about bounds.
//!
//! What they do not prove: invariants over-approximate. A marking that satisfies every invariant
//! need not be reachable, a place that no invariant covers may still be bounded from the net's
//! initial marking, and a transition invariant need not be fireable.
//!
//! Arithmetic is exact, with checked `i128`. Overflow and reached limits come out as [`GaveUp`].
//!
//! ```
//! use petriflow_net::Net;
//! use petriflow_net::invariants::{self, StructuralBound};
//!
//! let net = Net::builder("mutex")
//!     .places(["idle", "critical", "lock"])
//!     .transition("enter", ["idle", "lock"], ["critical"])
//!     .transition("leave", ["critical"], ["idle", "lock"])
//!     .initial("idle", 3)
//!     .initial("lock", 1)
//!     .build()?;
//!
//! let semiflows = invariants::place_semiflows(&net, invariants::SemiflowLimit::default())?;
//! let equations: Vec<String> =
//!     semiflows.iter().map(|y| y.equation(&net)).collect::<Result<_, _>>()?;
//! assert_eq!(equations, ["idle + critical = 3", "critical + lock = 1"]);
//!
//! assert_eq!(invariants::place_bounds(&net, &semiflows)?, [Some(3), Some(1), Some(1)]);
//! assert!(matches!(invariants::structurally_bounded(&net), StructuralBound::Bounded(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arithmetic;
mod basis;
mod bounds;
mod check;
mod cone;
mod matrix;
mod semiflows;
mod weights;

pub use arithmetic::{GaveUp, Overflow};
pub use basis::{BASIS_WORK_MAX, place_basis, transition_basis};
pub use bounds::{
    COVERAGE_WORK_MAX, Coverage, STRUCTURE_WORK_MAX, StructuralBound, place_bounds,
    structurally_bounded, structurally_bounded_within, uncovered_places, uncovered_places_within,
};
pub use check::{Violation, check_place_weights, check_transition_weights};
pub use semiflows::{SemiflowLimit, place_semiflows};
pub use weights::{NetIndex, PlaceWeights, TransitionWeights, Weights};
