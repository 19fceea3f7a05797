//! What a workflow can and cannot do, whatever its context holds.
//!
//! [`analyse`] explores every marking that instances of a definition can reach. Transitions fire
//! whenever they have their tokens, guards aside; timeouts may happen whenever they may; outside
//! events put tokens into external places. So instances do nothing that was not looked at, and what
//! is claimed never to happen never does. Guards can make an instance do *less*: the report says
//! where they could strand it, and which verdicts that could change.
//!
//! Outside events have no end, so a place that they put tokens into grows without end. The markings
//! are explored with a limit of them; what holds up to there is *undecided*, and says so. Bounds
//! and dead transitions are decided without that limit, by the coverability tree.

mod claims;
mod eventually;
mod model;
mod report;
mod study;

use petriflow_net::analysis::Explorer;

pub use report::{
    Bound, Caveat, Ends, Equation, Finding, FindingKind, Guards, Invariant, Outcome,
    PropertyReport, Pump, Report, Soundness, Step, Trace, Verdict,
};

use crate::definition::Definition;

/// How much an analysis may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most states; 10 million by default.
    pub states_max: usize,
    /// The most memory for them; 4 GiB by default.
    pub memory_max_bytes: usize,
    /// How many threads explore; one by default.
    pub threads: usize,
    /// How many tokens outside events put into each external place; 2 by default.
    pub injections_max: u32,
    /// The most nodes of the coverability tree, which tells the bounds of an unbounded workflow;
    /// 20,000 by default.
    pub coverability_nodes_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            states_max: Explorer::DEFAULT_MARKINGS_MAX,
            memory_max_bytes: Explorer::DEFAULT_MEMORY_MAX_BYTES,
            threads: 1,
            injections_max: 2,
            coverability_nodes_max: 20_000,
        }
    }
}

/// Analyses a definition.
///
/// ```
/// use petriflow_engine::Definition;
/// use petriflow_engine::analysis::{Limits, analyse};
/// use petriflow_engine::definition::{Quantifier, TransitionDraft};
///
/// let door = Definition::builder("door")
///     .places(["closed", "open"])
///     .transition(TransitionDraft::new("push").inputs(["closed"]).outputs(["open"]))
///     .initial("closed", 1)
///     .terminal_places(["open"])
///     .property("it is open or closed", Quantifier::Always, "open + closed == 1")
///     .build()?;
/// let report = analyse(&door, &Limits::default());
/// assert_eq!((report.states, report.completed.count), (2, 1));
/// assert!(report.properties[0].verdict.is_proved());
/// assert!(report.soundness.is_proved());
/// # Ok::<(), petriflow_engine::Problems>(())
/// ```
pub fn analyse(definition: &Definition, limits: &Limits) -> Report {
    study::study(definition, limits)
}
