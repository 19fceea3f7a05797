//! What an exploration has seen: counts, bounds, markings and the ways to them.
#![expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "state ids are handed out by the space itself, and offsets are sums of its lengths"
)]

use std::fmt;

use super::claims::{Claim, MarkingView, Posed};
use super::layout::{Fired, Layout};
use super::part::{Found, Part, Tally, part_and_index, part_of};
use super::store::{AnyWidth, Store, Width, hash, with_width};
use crate::net::transition_id;
use crate::{Marking, Net, TransitionId};

/// A marking of a [`StateSpace`], by number. Numbers are dense and begin at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub(super) u32);

impl StateId {
    /// The number.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The markings that were met, whole and exact.
pub struct StateSpace<'n> {
    net: &'n Net,
    pub(super) layout: Layout,
    stores: Vec<Store>,
    /// Number of the first marking of each store, and the number of all at the end.
    offsets: Vec<usize>,
    tally: Summary,
    posed: Vec<Posed>,
}

/// The parts' counts together; what was found is by state.
struct Summary {
    edges: u64,
    terminal: u64,
    deadlocks: u64,
    deadlock: Option<StateId>,
    fired: Vec<bool>,
    bounds: Marking,
    tokens_max: u64,
    settled: Vec<Option<StateId>>,
}

impl<'n> StateSpace<'n> {
    pub(super) fn new(net: &'n Net, layout: Layout, parts: Vec<Part>, posed: Vec<Posed>) -> Self {
        let mut offsets = vec![0];
        for part in &parts {
            offsets.push(offsets[offsets.len() - 1] + part.store.len());
        }
        let tallies: Vec<&Tally> = parts.iter().map(|part| &part.tally).collect();
        let tally = Summary::new(&layout, &tallies, &offsets);
        let stores = parts.into_iter().map(|part| part.store).collect();
        Self { net, layout, stores, offsets, tally, posed }
    }

    /// The net that was explored.
    pub fn net(&self) -> &'n Net {
        self.net
    }

    /// How many markings were met.
    #[expect(clippy::len_without_is_empty, reason = "the initial marking is always there")]
    pub fn len(&self) -> usize {
        self.offsets[self.stores.len()]
    }

    /// How many firings lead from one of them to another, each transition counted by itself.
    pub fn edges(&self) -> u64 {
        self.tally.edges
    }

    /// How many markings enable nothing.
    pub fn terminal_count(&self) -> u64 {
        self.tally.terminal
    }

    /// How many of those mark none of the terminal places.
    pub fn deadlock_count(&self) -> u64 {
        self.tally.deadlocks
    }

    /// A shortest way into a deadlock, if there is one.
    pub fn deadlock(&self) -> Option<Trace> {
        self.tally.deadlock.map(|state| self.trace_to(state))
    }

    /// The most tokens met in each place.
    pub fn bounds(&self) -> &Marking {
        &self.tally.bounds
    }

    /// The most tokens met in one marking.
    pub fn tokens_max(&self) -> u64 {
        self.tally.tokens_max
    }

    /// The transitions that never fired. They are dead if the space is complete.
    pub fn unfired(&self) -> Vec<TransitionId> {
        let transitions = self.net.transitions();
        transitions.filter(|transition| !self.tally.fired[transition.index()]).collect()
    }

    /// Memory that the markings and their index take.
    pub fn memory_bytes(&self) -> usize {
        self.stores.iter().map(Store::bytes).sum()
    }

    /// All states, in no particular order.
    pub fn states(&self) -> impl ExactSizeIterator<Item = StateId> + use<> {
        (0..self.len() as u32).map(StateId)
    }

    /// The state of the initial marking.
    pub fn initial(&self) -> StateId {
        self.find(self.net.initial()).unwrap_or(StateId(0))
    }

    /// A state's marking.
    ///
    /// # Panics
    /// If the state belongs to a larger space.
    pub fn marking(&self, state: StateId) -> Marking {
        self.layout.unpack(self.key(state))
    }

    /// A state's marking in its stored form.
    ///
    /// # Panics
    /// If the state belongs to a larger space.
    pub fn view(&self, state: StateId) -> MarkingView<'_> {
        MarkingView::new(&self.layout, self.key(state))
    }

    /// The state of a marking, if it was met.
    pub fn find(&self, marking: &Marking) -> Option<StateId> {
        if marking.len() != self.net.place_count() {
            return None;
        }
        let mut key = vec![0; self.layout.words()];
        self.layout.pack(marking, &mut key)?;
        self.find_key(&key, AnyWidth(key.len()))
    }

    /// A state's successors, each with the transition that leads there, in declared order.
    ///
    /// Of a space that is not complete, only those that were met.
    ///
    /// # Panics
    /// If the state belongs to a larger space.
    pub fn successors(&self, state: StateId) -> Vec<(TransitionId, StateId)> {
        let mut successors = Vec::new();
        self.each_successor(state, &mut Vec::new(), |transition, successor| {
            successors.push((transition, successor));
        });
        successors
    }

    /// A shortest firing sequence from the initial marking to a state.
    ///
    /// # Panics
    /// If the state belongs to a larger space.
    pub fn trace_to(&self, state: StateId) -> Trace {
        let mut path = vec![state];
        let mut current = state;
        while let Some(parent) = self.parent(current) {
            path.push(parent);
            current = parent;
        }
        path.reverse();
        let keys = path.iter().map(|&state| self.key(state));
        Trace { transitions: transitions_along(&self.layout, keys), marking: self.marking(state) }
    }

    /// Of these states one that is nearest to the initial marking, with the way there.
    ///
    /// # Panics
    /// If a state belongs to a larger space.
    pub fn nearest(&self, states: impl IntoIterator<Item = StateId>) -> Option<Trace> {
        // Each store is in the order of discovery, so only its first state can be nearest.
        let mut first: Vec<Option<StateId>> = vec![None; self.stores.len()];
        for state in states {
            let (part, _) = self.part_and_index(state);
            first[part] = Some(first[part].map_or(state, |held| held.min(state)));
        }
        let traces = first.into_iter().flatten().map(|state| self.trace_to(state));
        traces.min_by_key(|trace| trace.transitions.len())
    }

    /// The states that enable nothing.
    pub fn terminal_states(&self) -> impl Iterator<Item = StateId> + '_ {
        let mut scratch = vec![0; self.layout.words()];
        self.states().filter(move |&state| {
            let from = self.key(state);
            (0..self.layout.transition_count()).all(|transition| {
                scratch.copy_from_slice(from);
                self.layout.fire(from, transition, &mut scratch) == Fired::Disabled
            })
        })
    }

    pub(super) fn claims(&self, complete: bool) -> Vec<Claim> {
        let answers = self.posed.iter().zip(&self.tally.settled);
        let claim = |(posed, settled): (&Posed, &Option<StateId>)| Claim {
            name: posed.name.clone(),
            verdict: posed.verdict(settled.map(|state| self.trace_to(state)), complete),
        };
        answers.map(claim).collect()
    }

    /// Calls `visit` with every successor that was met; `scratch` saves an allocation per call.
    pub(super) fn each_successor(
        &self,
        state: StateId,
        scratch: &mut Vec<u64>,
        visit: impl FnMut(TransitionId, StateId),
    ) {
        with_width!(self.layout.words(), width => {
            self.each_successor_with(state, scratch, visit, width);
        });
    }

    fn each_successor_with<W: Width>(
        &self,
        state: StateId,
        scratch: &mut Vec<u64>,
        mut visit: impl FnMut(TransitionId, StateId),
        width: W,
    ) {
        let from = self.key(state);
        scratch.clear();
        scratch.extend_from_slice(from);
        for transition in 0..self.layout.transition_count() {
            match self.layout.fire(from, transition, scratch) {
                Fired::Disabled => continue,
                Fired::Done => {
                    if let Some(successor) = self.find_key(scratch, width) {
                        visit(transition_id(transition), successor);
                    }
                }
                // Its successor would need a wider field than any marking that was met.
                Fired::TooNarrow => {}
            }
            scratch.copy_from_slice(from);
        }
    }

    fn find_key<W: Width>(&self, key: &[u64], width: W) -> Option<StateId> {
        let hash = hash(key, width);
        let part = part_of(hash, self.stores.len());
        let index = self.stores[part].find(key, hash, width)?;
        Some(state_id(&self.offsets, part, index))
    }

    fn key(&self, state: StateId) -> &[u64] {
        let (part, index) = self.part_and_index(state);
        self.stores[part].key(index, AnyWidth(self.layout.words()))
    }

    fn parent(&self, state: StateId) -> Option<StateId> {
        let (part, index) = self.part_and_index(state);
        let (part, index) = part_and_index(self.stores[part].parent(index), self.stores.len());
        let parent = state_id(&self.offsets, part, index);
        // The initial marking is its own parent.
        (parent != state).then_some(parent)
    }

    fn part_and_index(&self, state: StateId) -> (usize, usize) {
        let part = self.offsets.partition_point(|&offset| offset <= state.index()) - 1;
        (part, state.index() - self.offsets[part])
    }
}

impl fmt::Debug for StateSpace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateSpace")
            .field("net", &self.net.name())
            .field("markings", &self.len())
            .field("edges", &self.edges())
            .finish_non_exhaustive()
    }
}

impl Summary {
    fn new(layout: &Layout, tallies: &[&Tally], offsets: &[usize]) -> Self {
        let mut peaks = layout.peaks();
        tallies.iter().for_each(|tally| peaks.absorb(&tally.peaks, layout));
        let fired = (0..layout.transition_count())
            .map(|transition| tallies.iter().any(|tally| tally.fired[transition]));
        let earliest = |select: &dyn Fn(&Tally) -> Option<Found>| {
            let found = tallies.iter().enumerate().filter_map(|(part, tally)| {
                select(tally).map(|found| (found.depth, state_id(offsets, part, found.index)))
            });
            found.min().map(|(_, state)| state)
        };
        let questions = tallies.first().map_or(0, |tally| tally.settled.len());
        Self {
            edges: tallies.iter().map(|tally| tally.edges).sum(),
            terminal: tallies.iter().map(|tally| tally.terminal).sum(),
            deadlocks: tallies.iter().map(|tally| tally.deadlocks).sum(),
            deadlock: earliest(&|tally| tally.deadlock),
            fired: fired.collect(),
            bounds: peaks.unpack(layout),
            tokens_max: tallies.iter().map(|tally| tally.tokens_max).max().unwrap_or(0),
            settled: (0..questions).map(|at| earliest(&|tally| tally.settled[at])).collect(),
        }
    }
}

fn state_id(offsets: &[usize], part: usize, index: usize) -> StateId {
    StateId((offsets[part] + index) as u32)
}

/// The transitions that lead from each packed marking to the next.
///
/// Only the markings are stored; which transition it was is found by trying, a saving of four bytes
/// for every marking. Where several lead to the same marking, the first declared is named.
pub(super) fn transitions_along<'k>(
    layout: &Layout,
    keys: impl Iterator<Item = &'k [u64]>,
) -> Vec<TransitionId> {
    let mut transitions = Vec::new();
    let mut previous: Option<&[u64]> = None;
    let mut scratch = vec![0; layout.words()];
    for key in keys {
        if let Some(from) = previous {
            let leads_there = |&transition: &usize| {
                scratch.copy_from_slice(from);
                layout.fire(from, transition, &mut scratch) == Fired::Done && scratch == key
            };
            transitions.extend((0..layout.transition_count()).find(leads_there).map(transition_id));
        }
        previous = Some(key);
    }
    transitions
}

/// A firing sequence from the initial marking, and where it leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// The transitions, in order.
    pub transitions: Vec<TransitionId>,
    /// The marking after them.
    pub marking: Marking,
}

impl Trace {
    /// The names of the transitions, separated by arrows; `(start)` if there are none.
    pub fn display<'a>(&'a self, net: &'a Net) -> impl fmt::Display + 'a {
        DisplaySequence { net, transitions: &self.transitions }
    }
}

struct DisplaySequence<'a> {
    net: &'a Net,
    transitions: &'a [TransitionId],
}

impl fmt::Display for DisplaySequence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for &transition in self.transitions {
            write!(f, "{separator}{}", self.net.transition_name(transition))?;
            separator = " → ";
        }
        if separator.is_empty() { f.write_str("(start)") } else { Ok(()) }
    }
}
