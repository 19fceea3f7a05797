//! The reference model: maps, breadth-first search, no cleverness.
//!
//! It has its own firing rule and shares nothing with the real explorer but the net, so that one
//! mistake cannot hide in both.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use petriflow_net::{Net, TransitionId};

/// What [`explore`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NaiveOutcome {
    /// Every reachable marking.
    Complete(NaiveSpace),
    /// There are more markings than allowed.
    TooMany,
    /// A place would hold more than `u32::MAX` tokens.
    Overflow,
}

impl NaiveOutcome {
    /// The whole state space, if it was explored.
    pub fn complete(self) -> Option<NaiveSpace> {
        match self {
            Self::Complete(space) => Some(space),
            Self::TooMany | Self::Overflow => None,
        }
    }
}

/// A state space explored in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NaiveSpace {
    /// The initial marking.
    pub initial: Vec<u32>,
    /// Every reachable marking with its distance from the initial one.
    pub depths: BTreeMap<Vec<u32>, usize>,
    /// What each transition enabled in a marking leads to, in declared order.
    pub successors: BTreeMap<Vec<u32>, Vec<(TransitionId, Vec<u32>)>>,
    /// How many pairs of a marking and a transition enabled there.
    pub edges: usize,
    /// The markings that enable nothing.
    pub terminal: BTreeSet<Vec<u32>>,
    /// The most tokens each place holds.
    pub bounds: Vec<u32>,
    /// The most tokens one marking holds.
    pub tokens_max: u64,
    /// The transitions that fire somewhere.
    pub fired: BTreeSet<TransitionId>,
}

/// Explores a net breadth first, up to `markings_max` markings.
pub fn explore(net: &Net, markings_max: usize) -> NaiveOutcome {
    let initial = net.initial().to_vec();
    let mut depths = BTreeMap::from([(initial.clone(), 0)]);
    let mut successors = BTreeMap::new();
    let mut queue = VecDeque::from([initial.clone()]);
    while let Some(marking) = queue.pop_front() {
        if depths.len() > markings_max {
            return NaiveOutcome::TooMany;
        }
        let depth = depths[&marking];
        let Ok(next) = fire_all(net, &marking) else { return NaiveOutcome::Overflow };
        for (_, reached) in &next {
            if !depths.contains_key(reached) {
                depths.insert(reached.clone(), depth + 1);
                queue.push_back(reached.clone());
            }
        }
        successors.insert(marking, next);
    }
    NaiveOutcome::Complete(summarise(initial, depths, successors))
}

fn summarise(
    initial: Vec<u32>,
    depths: BTreeMap<Vec<u32>, usize>,
    successors: BTreeMap<Vec<u32>, Vec<(TransitionId, Vec<u32>)>>,
) -> NaiveSpace {
    let mut bounds = vec![0; initial.len()];
    for marking in depths.keys() {
        for (bound, tokens) in bounds.iter_mut().zip(marking) {
            *bound = (*bound).max(*tokens);
        }
    }
    let total = |marking: &Vec<u32>| marking.iter().map(|&tokens| u64::from(tokens)).sum();
    let is_terminal = |marking: &&Vec<u32>| successors[*marking].is_empty();
    NaiveSpace {
        edges: successors.values().map(Vec::len).sum(),
        terminal: depths.keys().filter(is_terminal).cloned().collect(),
        tokens_max: depths.keys().map(total).max().unwrap_or(0),
        fired: successors.values().flatten().map(|(transition, _)| *transition).collect(),
        initial,
        depths,
        successors,
        bounds,
    }
}

/// A place would hold more than `u32::MAX` tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaceFull;

/// Every enabled transition with the marking it leads to.
///
/// # Errors
/// If a place cannot hold the result.
pub fn fire_all(net: &Net, marking: &[u32]) -> Result<Vec<(TransitionId, Vec<u32>)>, PlaceFull> {
    let mut reached = Vec::new();
    for transition in net.transitions() {
        if let Some(next) = fire(net, marking, transition)? {
            reached.push((transition, next));
        }
    }
    Ok(reached)
}

/// The marking after firing; `None` if the transition is not enabled.
///
/// # Errors
/// If a place cannot hold the result.
pub fn fire(
    net: &Net,
    marking: &[u32],
    transition: TransitionId,
) -> Result<Option<Vec<u32>>, PlaceFull> {
    let mut tokens: Vec<i64> = marking.iter().map(|&tokens| i64::from(tokens)).collect();
    for arc in net.inputs(transition) {
        tokens[arc.place.index()] -= i64::from(arc.weight);
    }
    if tokens.iter().any(|&tokens| tokens < 0) {
        return Ok(None);
    }
    for arc in net.outputs(transition) {
        tokens[arc.place.index()] += i64::from(arc.weight);
    }
    let next = tokens.into_iter().map(|tokens| u32::try_from(tokens).map_err(|_| PlaceFull));
    next.collect::<Result<_, _>>().map(Some)
}

impl NaiveSpace {
    /// The greatest distance of a marking from the initial one.
    pub fn depth(&self) -> usize {
        self.depths.values().copied().max().unwrap_or(0)
    }

    /// The markings reachable from this one, itself included.
    pub fn reachable_from(&self, marking: &[u32]) -> BTreeSet<Vec<u32>> {
        let mut seen = BTreeSet::from([marking.to_vec()]);
        let mut queue = VecDeque::from([marking.to_vec()]);
        while let Some(marking) = queue.pop_front() {
            for (_, next) in &self.successors[&marking] {
                if seen.insert(next.clone()) {
                    queue.push_back(next.clone());
                }
            }
        }
        seen
    }

    /// The strongly connected components, each a set, ordered by their least marking.
    pub fn components(&self) -> Vec<BTreeSet<Vec<u32>>> {
        let reach: BTreeMap<&Vec<u32>, BTreeSet<Vec<u32>>> =
            self.depths.keys().map(|marking| (marking, self.reachable_from(marking))).collect();
        let mut placed = BTreeSet::new();
        let mut components = Vec::new();
        for (marking, reached) in &reach {
            if !placed.contains(*marking) {
                let returns = |other: &&Vec<u32>| reach[other].contains(*marking);
                let component: BTreeSet<_> = reached.iter().filter(returns).cloned().collect();
                placed.extend(component.iter().cloned());
                components.push(component);
            }
        }
        components
    }

    /// The components that no edge leaves.
    pub fn terminal_components(&self) -> Vec<BTreeSet<Vec<u32>>> {
        let leaves = |component: &BTreeSet<Vec<u32>>, marking: &Vec<u32>| {
            self.successors[marking].iter().any(|(_, next)| !component.contains(next))
        };
        let is_terminal =
            |component: &BTreeSet<Vec<u32>>| !component.iter().any(|m| leaves(component, m));
        self.components().into_iter().filter(is_terminal).collect()
    }

    /// The markings from which no marking of `goal` can be reached.
    pub fn cannot_reach(&self, goal: impl Fn(&[u32]) -> bool) -> BTreeSet<Vec<u32>> {
        let reaches =
            |marking: &&Vec<u32>| self.reachable_from(marking).iter().any(|other| goal(other));
        self.depths.keys().filter(|marking| !reaches(marking)).cloned().collect()
    }

    /// The transitions that can become enabled again from every reachable marking.
    pub fn live_transitions(&self, net: &Net) -> BTreeSet<TransitionId> {
        let enables = |marking: &[u32], transition: TransitionId| {
            self.successors[marking].iter().any(|(fired, _)| *fired == transition)
        };
        net.transitions()
            .filter(|&transition| self.cannot_reach(|m| enables(m, transition)).is_empty())
            .collect()
    }

    /// Whether the initial marking can be reached from every reachable marking.
    pub fn reversible(&self) -> bool {
        self.cannot_reach(|marking| marking == self.initial).is_empty()
    }
}

/// What [`boundedness`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundedness {
    /// There are finitely many reachable markings.
    Bounded,
    /// Some marking strictly covers one it was reached from.
    Unbounded,
    /// The budget did not suffice.
    GaveUp,
}

/// Decides by definition whether a net is bounded, within a budget of steps.
///
/// Bounded if breadth-first search ends. Otherwise depth-first search through the reachability
/// tree, which looks for a marking that strictly covers an ancestor.
pub fn boundedness(net: &Net, steps_max: usize) -> Boundedness {
    match explore(net, steps_max) {
        NaiveOutcome::Complete(_) => Boundedness::Bounded,
        NaiveOutcome::TooMany | NaiveOutcome::Overflow => search_cover(net, steps_max),
    }
}

fn search_cover(net: &Net, steps_max: usize) -> Boundedness {
    // The path from the root, and for each marking on it the successors still to visit.
    let mut path = vec![net.initial().to_vec()];
    let mut open = vec![vec_of_successors(net, &path[0])];
    for _ in 0..steps_max {
        let Some(rest) = open.last_mut() else { return Boundedness::Bounded };
        let Some(next) = rest.pop() else {
            open.pop();
            path.pop();
            continue;
        };
        if path.iter().any(|ancestor| strictly_covers(&next, ancestor)) {
            return Boundedness::Unbounded;
        }
        // A simple path suffices: infinitely many markings need an infinite simple path, and that
        // has a strictly growing pair.
        if !path.contains(&next) {
            open.push(vec_of_successors(net, &next));
            path.push(next);
        }
    }
    Boundedness::GaveUp
}

/// Full places count as no successor: the budget ends long before `u32::MAX` in any honest test.
fn vec_of_successors(net: &Net, marking: &[u32]) -> Vec<Vec<u32>> {
    let fired = fire_all(net, marking).unwrap_or_default();
    fired.into_iter().map(|(_, next)| next).rev().collect()
}

/// Whether `larger` has at least the tokens of `smaller` everywhere and more somewhere.
pub fn strictly_covers(larger: &[u32], smaller: &[u32]) -> bool {
    larger != smaller && larger.iter().zip(smaller).all(|(large, small)| large >= small)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_rooms() -> Net {
        let builder = Net::builder("two-rooms")
            .places(["left", "right", "out"])
            .transition("go", ["left"], ["right"])
            .transition("back", ["right"], ["left"])
            .transition("leave", ["right"], ["out"])
            .initial("left", 1);
        builder.build().unwrap()
    }

    #[test]
    fn a_net_that_can_stop_is_neither_live_nor_reversible() {
        let net = two_rooms();
        let space = explore(&net, 10).complete().unwrap();
        assert_eq!((space.depths.len(), space.edges, space.depth()), (3, 3, 2));
        assert_eq!(space.terminal, BTreeSet::from([vec![0, 0, 1]]));
        assert_eq!((space.components().len(), space.terminal_components().len()), (2, 1));
        assert!(space.live_transitions(&net).is_empty());
        assert!(!space.reversible());
        assert_eq!(space.cannot_reach(|m| m[0] == 1), BTreeSet::from([vec![0, 0, 1]]));
    }

    #[test]
    fn limits_and_full_places_are_told_apart() {
        assert_eq!(explore(&two_rooms(), 2), NaiveOutcome::TooMany);
        let full = Net::builder("full")
            .place("p")
            .weighted_transition("t", [("p", 1)], [("p", 2)])
            .initial("p", u64::from(u32::MAX))
            .build()
            .unwrap();
        assert_eq!(explore(&full, 10), NaiveOutcome::Overflow);
    }
}
