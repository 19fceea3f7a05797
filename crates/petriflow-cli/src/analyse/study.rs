//! The analysis itself: explores, then computes what the outcome allows.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::ops::ControlFlow;

use petriflow_net::Net;
use petriflow_net::analysis::{
    Exploration, Explorer, Graph, Limit, Pump, StateSpace, coverability,
};
use petriflow_net::formats::NetDocument;
use petriflow_net::invariants::{
    self, Coverage, GaveUp, PlaceWeights, SemiflowLimit, StructuralBound,
};

use super::progress::ProgressLine;
use super::report::{
    Complete, Covered, Explored, Invariants, NotComputed, PlaceInvariant, Recurrence, Report,
    Unbounded, Undecided, Verdict,
};
use crate::args::AnalyseArgs;

/// Edges up to which liveness is computed without being asked: about half a second.
const LIVENESS_EDGES_MAX: u64 = 2_000_000;

/// Nodes of the coverability tree.
const COVERABILITY_NODES_MAX: usize = 20_000;

/// Comparisons within the coverability tree, at most a few seconds: every firing from a node is
/// compared with all the nodes above it.
const COVERABILITY_COMPARISONS_MAX: usize = 2_000_000_000;

/// Token counts that the coverability tree may hold; it stores each twice, 8 bytes a count.
const COVERABILITY_COUNTS_MAX: usize = 1 << 24;

/// Analyses the net with the limits of the command line.
pub(super) fn study<'n>(document: &'n NetDocument, args: &AnalyseArgs) -> Report<'n> {
    let net = &document.net;
    let exploration = explore(document, args);
    let explored = explored(exploration.explored());
    let invariants = invariants_of(net);
    let verdict = match exploration {
        Exploration::Complete(space) => Verdict::Complete(complete(&space, args.liveness)),
        Exploration::Unbounded { pump, .. } => Verdict::Unbounded(unbounded(net, pump)),
        Exploration::Undecided { limit, .. } => {
            Verdict::Undecided(undecided(net, limit, &invariants.coverage))
        }
    };
    Report { net, explored, verdict, invariants }
}

fn explore<'n>(document: &'n NetDocument, args: &AnalyseArgs) -> Exploration<'n> {
    let mut progress = io::stderr().is_terminal().then(|| ProgressLine::new(io::stderr()));
    Explorer::new(&document.net)
        .markings_max(args.states_max())
        .memory_max_bytes(args.memory_max_bytes())
        .threads(args.thread_count())
        .terminal_places(document.terminal_places.iter().copied())
        .on_progress(|now| {
            if let Some(line) = &mut progress {
                line.tell(now);
            }
            ControlFlow::Continue(())
        })
        .explore()
}

fn explored(space: &StateSpace<'_>) -> Explored {
    Explored {
        states: space.len(),
        edges: space.edges(),
        terminal: space.terminal_count(),
        deadlocks: space.deadlock_count(),
        deadlock: space.deadlock(),
        unfired: space.unfired(),
        memory_bytes: space.memory_bytes(),
    }
}

fn complete(space: &StateSpace<'_>, liveness: bool) -> Complete {
    Complete {
        bounds: space.bounds().clone(),
        tokens_max: space.tokens_max(),
        recurrence: recurrence(space, liveness),
    }
}

fn recurrence(space: &StateSpace<'_>, forced: bool) -> Result<Recurrence, NotComputed> {
    if space.edges() > LIVENESS_EDGES_MAX && !forced {
        return Err(NotComputed::Edges { edges_max: LIVENESS_EDGES_MAX });
    }
    let graph = Graph::new(space).map_err(|_| NotComputed::Impossible)?;
    let live = graph.live_transitions();
    let transitions = space.net().transitions().zip(live);
    Ok(Recurrence {
        live: transitions.filter(|&(_, live)| live).map(|(transition, _)| transition).collect(),
        reversible: graph.is_reversible(),
    })
}

fn unbounded(net: &Net, pump: Pump) -> Unbounded {
    let tree = coverability(net, coverability_nodes_max(net));
    // Growth that the tree met is proved even if the tree was not finished.
    let growing: BTreeSet<_> =
        tree.unbounded_places(net).into_iter().chain(pump.places.iter().copied()).collect();
    let covered = tree.complete.then_some(Covered { bounds: tree.bounds, dead: tree.unfired });
    Unbounded { pump, growing: growing.into_iter().collect(), covered }
}

fn coverability_nodes_max(net: &Net) -> usize {
    let in_memory = COVERABILITY_COUNTS_MAX.checked_div(net.place_count());
    let in_time = COVERABILITY_COMPARISONS_MAX.checked_div(net.transition_count());
    COVERABILITY_NODES_MAX
        .min(in_memory.unwrap_or(usize::MAX))
        .min(in_time.unwrap_or(usize::MAX).isqrt())
}

fn undecided(net: &Net, limit: Limit, coverage: &Coverage) -> Undecided {
    // Weights that only shrink bound places too; invariants are known already, so they go first.
    let covered = matches!(coverage, Coverage::Known(uncovered) if uncovered.is_empty());
    let bounded =
        covered || matches!(invariants::structurally_bounded(net), StructuralBound::Bounded(_));
    Undecided { limit, bounded }
}

fn invariants_of(net: &Net) -> Invariants {
    Invariants {
        places: place_invariants(net),
        transitions: invariants::transition_basis(net),
        coverage: invariants::uncovered_places(net),
    }
}

fn place_invariants(net: &Net) -> Result<Vec<PlaceInvariant>, GaveUp> {
    let limit = SemiflowLimit::default();
    // It starts with one row a place, each as wide as the net; a net that cannot fit is not begun.
    if net.place_count() > limit.rows_max {
        return Err(GaveUp::Rows { rows_max: limit.rows_max });
    }
    let with_value = |weights: PlaceWeights| {
        let value = weights.value(net.initial())?;
        Ok(PlaceInvariant { weights, value })
    };
    invariants::place_semiflows(net, limit)?.into_iter().map(with_value).collect()
}
