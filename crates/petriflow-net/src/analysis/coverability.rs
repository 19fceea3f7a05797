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
    let mut tree = Tree {
        net,
        seen: HashSet::new(),
        path: Vec::new(),
        result: Coverability {
            complete: true,
            nodes: 0,
            bounds: vec![Some(0); net.place_count()],
            unfired: net.transitions().collect(),
            pump: None,
        },
    };
    let initial = net.initial().iter().map(|&tokens| u64::from(tokens)).collect();
    tree.enter(initial, None);
    while let Some(node) = tree.path.last_mut() {
        let Some(transition) = node.untried.next() else {
            tree.path.pop();
            continue;
        };
        let Some(next) = fire(net, &node.counts, transition) else { continue };
        tree.result.unfired.retain(|&unfired| unfired != transition);
        if tree.result.nodes >= nodes_max {
            tree.result.complete = false;
            break;
        }
        tree.enter(next, Some(transition));
    }
    tree.result
}

struct Tree<'n> {
    net: &'n Net,
    seen: HashSet<Box<[u64]>>,
    /// The nodes from the root to the current one.
    path: Vec<Node>,
    result: Coverability,
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
            let covers = counts.iter().zip(ancestor).all(|(new, old)| new >= old);
            if !covers || counts == ancestor {
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

/// The counts after a transition, or `None` if it is not enabled.
fn fire(net: &Net, counts: &[u64], transition: TransitionId) -> Option<Box<[u64]>> {
    let mut next: Box<[u64]> = counts.into();
    for arc in net.inputs(transition) {
        let count = next.get_mut(arc.place.index())?;
        if *count != OMEGA {
            *count = count.checked_sub(arc.weight.into())?;
        }
    }
    for arc in net.outputs(transition) {
        let count = next.get_mut(arc.place.index())?;
        if *count != OMEGA {
            // One below the mark for "unlimited"; only reached after 2^32 firings of the largest arc.
            *count = count.saturating_add(arc.weight.into()).min(OMEGA.saturating_sub(1));
        }
    }
    Some(next)
}
