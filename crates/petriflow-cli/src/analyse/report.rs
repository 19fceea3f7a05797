//! What an analysis found, as values that both renderings read.

use petriflow_net::analysis::{Limit, Pump, Trace};
use petriflow_net::invariants::{Coverage, GaveUp, PlaceWeights, TransitionWeights};
use petriflow_net::{Marking, Net, PlaceId, TransitionId};

use crate::text::{counted, listed};

/// Everything about one net.
pub(super) struct Report<'n> {
    pub(super) net: &'n Net,
    pub(super) explored: Explored,
    pub(super) verdict: Verdict,
    pub(super) invariants: Invariants,
}

/// What was met. About the whole net only if the verdict is [`Verdict::Complete`].
pub(super) struct Explored {
    pub(super) states: usize,
    pub(super) edges: u64,
    pub(super) terminal: u64,
    pub(super) deadlocks: u64,
    pub(super) deadlock: Option<Trace>,
    /// The transitions that did not fire. If there are none, no transition is dead.
    pub(super) unfired: Vec<TransitionId>,
    pub(super) memory_bytes: usize,
}

pub(super) enum Verdict {
    Complete(Complete),
    Unbounded(Unbounded),
    Undecided(Undecided),
}

/// Every reachable marking was met, so all of this is proved.
pub(super) struct Complete {
    pub(super) bounds: Marking,
    pub(super) tokens_max: u64,
    pub(super) recurrence: Result<Recurrence, NotComputed>,
}

/// What can always happen again.
pub(super) struct Recurrence {
    pub(super) live: Vec<TransitionId>,
    pub(super) reversible: bool,
}

/// Why there is no [`Recurrence`].
pub(super) enum NotComputed {
    /// The state space has more edges than are listed without being asked.
    Edges { edges_max: u64 },
    /// More edges than can be numbered at all.
    Impossible,
}

/// Some place grows without end.
pub(super) struct Unbounded {
    pub(super) pump: Pump,
    /// At least the places of the pump; all of them if `covered` is there.
    pub(super) growing: Vec<PlaceId>,
    /// What the coverability tree adds, if it was finished.
    pub(super) covered: Option<Covered>,
}

/// What a finished coverability tree proves.
pub(super) struct Covered {
    /// `None` grows without end.
    pub(super) bounds: Vec<Option<u64>>,
    pub(super) dead: Vec<TransitionId>,
}

/// A limit was reached first.
pub(super) struct Undecided {
    pub(super) limit: Limit,
    /// Whether weights prove the net bounded all the same.
    pub(super) bounded: bool,
}

/// What the arcs alone prove.
pub(super) struct Invariants {
    pub(super) places: Result<Vec<PlaceInvariant>, GaveUp>,
    pub(super) transitions: Result<Vec<TransitionWeights>, GaveUp>,
    pub(super) coverage: Coverage,
}

/// Weights whose sum of tokens never changes, and that sum.
pub(super) struct PlaceInvariant {
    pub(super) weights: PlaceWeights,
    pub(super) value: i128,
}

/// Something `--strict` turns into exit 1.
pub(super) struct Finding {
    pub(super) kind: FindingKind,
    pub(super) message: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FindingKind {
    Deadlocks,
    DeadTransitions,
    Unbounded,
    Undecided,
}

/// Names listed in the message of a finding.
const NAMES_MAX: usize = 10;

impl Report<'_> {
    /// The findings, at most one of each kind.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut found = |kind, message| findings.push(Finding { kind, message });
        match &self.verdict {
            Verdict::Complete(_) => {}
            Verdict::Unbounded(Unbounded { growing, .. }) => {
                let places = listed(self.place_names(growing), NAMES_MAX);
                found(FindingKind::Unbounded, format!("tokens without end in {places}"));
            }
            Verdict::Undecided(Undecided { limit, .. }) => {
                found(FindingKind::Undecided, format!("stopped at {}", self.limit_text(limit)));
            }
        }
        if let Some(trace) = &self.explored.deadlock {
            let count = counted(self.explored.deadlocks, "deadlock");
            let steps = counted(trace.transitions.len() as u64, "firing");
            found(FindingKind::Deadlocks, format!("{count}, the nearest after {steps}"));
        }
        if let Some(dead) = self.dead().filter(|dead| !dead.is_empty()) {
            let names = listed(self.transition_names(dead), NAMES_MAX);
            found(FindingKind::DeadTransitions, format!("never fires: {names}"));
        }
        findings
    }

    /// The transitions that can never fire, if that is known.
    pub(super) fn dead(&self) -> Option<&[TransitionId]> {
        let unfired = self.explored.unfired.as_slice();
        match &self.verdict {
            Verdict::Complete(_) => Some(unfired),
            Verdict::Unbounded(Unbounded { covered: Some(covered), .. }) => Some(&covered.dead),
            Verdict::Unbounded(_) | Verdict::Undecided(_) => unfired.is_empty().then_some(unfired),
        }
    }

    pub(super) fn place_names<'a>(
        &'a self,
        places: &'a [PlaceId],
    ) -> impl ExactSizeIterator<Item = &'a str> {
        places.iter().map(|&place| self.net.place_name(place))
    }

    pub(super) fn transition_names<'a>(
        &'a self,
        transitions: &'a [TransitionId],
    ) -> impl ExactSizeIterator<Item = &'a str> {
        transitions.iter().map(|&transition| self.net.transition_name(transition))
    }

    /// The limit in the words of the command line.
    pub(super) fn limit_text(&self, limit: &Limit) -> String {
        match limit {
            Limit::Markings { markings_max } => format!("the limit of {markings_max} states"),
            Limit::Tokens { place } => {
                let place = listed(self.place_names(&[*place]), 1);
                format!("more than {} tokens in {place}", u32::MAX)
            }
            other => other.to_string(),
        }
    }
}

impl FindingKind {
    /// The name in JSON.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Deadlocks => "deadlocks",
            Self::DeadTransitions => "deadTransitions",
            Self::Unbounded => "unbounded",
            Self::Undecided => "undecided",
        }
    }

    /// The name in the human report.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::DeadTransitions => "dead transitions",
            other => other.key(),
        }
    }
}
