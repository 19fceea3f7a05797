//! Coverability after Karp and Miller: which places grow without end, decided for every net.

use std::collections::HashSet;

use super::pump::Pump;
use crate::{Net, PlaceId, TransitionId};

/// A count that stands for "as many as you like".
const OMEGA: u64 = u64::MAX;

/// What the coverability tree of a net shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverability {
    /// Whether the tree was finished. If not, absence proves nothing.
    pub complete: bool,
    /// Nodes of the tree that were looked at.
    pub nodes: usize,
    /// For every place its largest count, or `None` if it grows without end.
    pub bounds: Vec<Option<u64>>,
    /// The transitions that no node enables. They are dead if the tree is complete.
    pub unfired: Vec<TransitionId>,
    /// A sequence that shows growth without end, if any place grows so.
    pub pump: Option<Pump>,
}

impl Coverability {
    /// The places that grow without end.
    pub fn unbounded_places(&self, net: &Net) -> Vec<PlaceId> {
        net.places().zip(&self.bounds).filter(|(_, b)| b.is_none()).map(|(p, _)| p).collect()
    }
}

/// Builds the coverability tree of a net depth-first, up to `nodes_max` nodes.
///
/// A node that covers one it was reached from can be repeated without end, so the counts that grew
/// become unlimited. Exploration then ends for every net; the limit is for time alone.
///
/// ```
/// use petriflow_net::{Net, analysis::coverability};
///
/// let net = Net::builder("producer")
///     .places(["ready", "done"])
///     .transition("produce", ["ready"], ["ready", "done"])
///     .initial("ready", 1)
///     .build()?;
/// let result = coverability(&net, 1_000);
/// assert!(result.complete);
/// assert_eq!(result.bounds, [Some(1), None]);
/// # Ok::<(), petriflow_net::BuildError>(())
/// ```
pub fn coverability(net: &Net, nodes_max: usize) -> Coverability {
    coverability_within(net, nodes_max, COVERABILITY_WORK_MAX)
}

/// How many steps [`coverability`] makes at most: a few seconds. A step looks at one count.
pub const COVERABILITY_WORK_MAX: u64 = 1_000_000_000;

/// As [`coverability`], with another limit of steps than [`COVERABILITY_WORK_MAX`].
pub fn coverability_within(net: &Net, nodes_max: usize, work_max: u64) -> Coverability {
    let mut tree = Tree {
        net,
        seen: HashSet::new(),
        path: Vec::new(),
        result: Coverability {
            complete: true,
            nodes: 0,
            bounds: vec![Some(0); net.place_count()],
            unfired: Vec::new(),
            pump: None,
        },
        fired: vec![false; net.transition_count()],
        work: 0,
    };
    let initial = net.initial().iter().map(|&tokens| u64::from(tokens)).collect();
    tree.enter(initial, None);
    while let Some(node) = tree.path.last_mut() {
        let Some(transition) = node.untried.next() else {
            tree.path.pop();
            continue;
        };
        tree.work = tree.work.saturating_add(1);
        if !is_enabled(net, &node.counts, transition) {
            continue;
        }
        if let Some(fired) = tree.fired.get_mut(transition.index()) {
            *fired = true;
        }
        if tree.result.nodes >= nodes_max || tree.work >= work_max {
            tree.result.complete = false;
            break;
        }
        let next = fire(net, &node.counts, transition);
        tree.work = tree.work.saturating_add(next.len() as u64);
        tree.enter(next, Some(transition));
    }
    let fired = tree.fired;
    let unfired = net.transitions().zip(fired).filter(|&(_, fired)| !fired).map(|(t, _)| t);
    Coverability { unfired: unfired.collect(), ..tree.result }
}

struct Tree<'n> {
    net: &'n Net,
    seen: HashSet<Box<[u64]>>,
    /// The nodes from the root to the current one.
    path: Vec<Node>,
    result: Coverability,
    /// Which transitions some node enables.
    fired: Vec<bool>,
    /// Counts looked at.
    work: u64,
}

struct Node {
    counts: Box<[u64]>,
    /// How it was reached; `None` for the root.
    by: Option<TransitionId>,
    untried: Box<dyn Iterator<Item = TransitionId>>,
}

impl Tree<'_> {
    fn enter(&mut self, mut counts: Box<[u64]>, by: Option<TransitionId>) {
        self.accelerate(&mut counts, by);
        if !self.seen.insert(counts.clone()) {
            return;
        }
        self.result.nodes = self.result.nodes.saturating_add(1);
        for (bound, &count) in self.result.bounds.iter_mut().zip(&counts) {
            *bound = bound.filter(|_| count != OMEGA).map(|bound| bound.max(count));
        }
        let untried = Box::new(self.net.transitions());
        self.path.push(Node { counts, by, untried });
    }

    /// Raises counts to unlimited where the new node covers one of its ancestors.
    fn accelerate(&mut self, counts: &mut Box<[u64]>, by: Option<TransitionId>) {
        for at in (0..self.path.len()).rev() {
            let Some(ancestor) = self.path.get(at).map(|node| &node.counts) else { continue };
            let fewer = counts.iter().zip(ancestor).position(|(new, old)| new < old);
            let looked_at = fewer.unwrap_or(counts.len()) as u64;
            self.work = self.work.saturating_add(looked_at).saturating_add(1);
            if fewer.is_some() || counts == ancestor {
                continue;
            }
            // The first time, no count on the path is unlimited, so the sequence is real as it is.
            if self.result.pump.is_none() {
                self.result.pump = Some(self.pump_from(at, by));
            }
            let grown: Vec<bool> =
                counts.iter().zip(ancestor).map(|(new, old)| new > old).collect();
            for (count, _) in counts.iter_mut().zip(grown).filter(|&(_, grown)| grown) {
                *count = OMEGA;
            }
        }
    }

    fn pump_from(&self, at: usize, by: Option<TransitionId>) -> Pump {
        let mut steps: Vec<TransitionId> = self.path.iter().filter_map(|node| node.by).collect();
        steps.extend(by);
        // The root has no step, so node `at` is reached after `at` steps.
        let cycle = steps.split_off(at.min(steps.len()));
        Pump::new(self.net, steps, cycle)
    }
}

fn is_enabled(net: &Net, counts: &[u64], transition: TransitionId) -> bool {
    let count = |place: PlaceId| counts.get(place.index()).copied().unwrap_or(0);
    net.inputs(transition).iter().all(|arc| count(arc.place) >= arc.weight.into())
}

/// The counts after a transition that is enabled.
fn fire(net: &Net, counts: &[u64], transition: TransitionId) -> Box<[u64]> {
    let mut next: Box<[u64]> = counts.into();
    for (place, change) in net.effect(transition) {
        let Some(count) = next.get_mut(place.index()) else { continue };
        if *count != OMEGA {
            // One below the mark for "unlimited"; only reached after 2^32 firings of the largest arc.
            *count = count.saturating_add_signed(change).min(OMEGA.saturating_sub(1));
        }
    }
    next
}
