//! The state space as a graph: what can happen again, and what can happen no longer.
#![expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "states are dense numbers of the space, and components are numbered as they are found"
)]

use std::fmt;

use super::claims::MarkingView;
use super::space::{StateId, StateSpace};
use crate::TransitionId;

/// The strongly connected components of a complete state space.
///
/// States of one component can reach each other. A component that nothing leaves is *final*: once
/// there, the net stays there, so what is not possible in it is not possible ever again.
#[derive(Debug)]
pub struct Graph<'s, 'n> {
    space: &'s StateSpace<'n>,
    edges: Edges,
    /// Component of each state. Components are numbered so that edges lead to lower or equal ones.
    component_of: Vec<u32>,
    components: usize,
}

/// Successors of all states in one list: those of state `s` are `targets[starts[s]..starts[s + 1]]`.
#[derive(Debug)]
struct Edges {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Edges {
    fn of(&self, state: u32) -> &[u32] {
        &self.targets
            [self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize]
    }
}

/// A state space with more edges than can be numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge {
    edges: u64,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} firings are more than the {} a graph can hold", self.edges, u32::MAX)
    }
}

impl std::error::Error for TooLarge {}

impl<'s, 'n> Graph<'s, 'n> {
    /// Lists the edges of a complete space and finds its components.
    ///
    /// Takes 4 bytes per edge and 12 per state besides the space itself. On a space that is not
    /// complete the answers are about what was explored only.
    ///
    /// # Errors
    /// If there are more than `u32::MAX` edges.
    pub fn new(space: &'s StateSpace<'n>) -> Result<Self, TooLarge> {
        if u32::try_from(space.edges()).is_err() {
            return Err(TooLarge { edges: space.edges() });
        }
        let edges = list_edges(space);
        let (component_of, components) = Components::find(&edges, space.len());
        Ok(Self { space, edges, component_of, components })
    }

    /// How many components there are.
    pub fn component_count(&self) -> usize {
        self.components
    }

    /// Whether the initial marking can be reached again from every marking.
    pub fn is_reversible(&self) -> bool {
        self.components == 1
    }

    /// For every transition whether it is live: from every marking, a marking can be reached that
    /// enables it.
    ///
    /// That is so if it fires in every final component.
    pub fn live_transitions(&self) -> Vec<bool> {
        let finals = self.final_components();
        let mut live = vec![true; self.space.net().transition_count()];
        let mut fires = vec![false; live.len()];
        let mut scratch = Vec::new();
        let states = self.by_component();
        let same =
            |a: &u32, b: &u32| self.component_of[*a as usize] == self.component_of[*b as usize];
        for members in states.chunk_by(same) {
            if !finals[self.component_of[members[0] as usize] as usize] {
                continue;
            }
            fires.fill(false);
            for &state in members {
                self.space.each_successor(StateId(state), &mut scratch, |transition, _| {
                    fires[transition.index()] = true;
                });
            }
            live.iter_mut().zip(&fires).for_each(|(live, fires)| *live &= fires);
        }
        live
    }

    /// The states from which no marking satisfying the predicate can be reached any more.
    pub fn cannot_reach(&self, target: impl Fn(&MarkingView<'_>) -> bool) -> Vec<StateId> {
        let mut can = vec![false; self.components];
        for state in self.space.states() {
            can[self.component_of[state.index()] as usize] |= target(&self.space.view(state));
        }
        // Edges lead to lower components, whose answer is final when a component's turn comes.
        for state in self.by_component() {
            let component = self.component_of[state as usize] as usize;
            let successors = self.edges.of(state);
            can[component] |=
                successors.iter().any(|&to| can[self.component_of[to as usize] as usize]);
        }
        let cannot = |state: &StateId| !can[self.component_of[state.index()] as usize];
        self.space.states().filter(cannot).collect()
    }

    /// Components that nothing leaves.
    fn final_components(&self) -> Vec<bool> {
        let mut finals = vec![true; self.components];
        for state in 0..self.component_of.len() as u32 {
            let component = self.component_of[state as usize];
            let leaves = |&to: &u32| self.component_of[to as usize] != component;
            if self.edges.of(state).iter().any(leaves) {
                finals[component as usize] = false;
            }
        }
        finals
    }

    /// All states, those of lower components first.
    fn by_component(&self) -> Vec<u32> {
        let mut states: Vec<u32> = (0..self.component_of.len() as u32).collect();
        states.sort_by_key(|&state| self.component_of[state as usize]);
        states
    }
}

fn list_edges(space: &StateSpace<'_>) -> Edges {
    let mut starts = Vec::with_capacity(space.len() + 1);
    let mut targets = Vec::with_capacity(space.edges() as usize);
    let mut scratch = Vec::new();
    for state in space.states() {
        starts.push(targets.len() as u32);
        space.each_successor(state, &mut scratch, |_: TransitionId, to| targets.push(to.0));
    }
    starts.push(targets.len() as u32);
    Edges { starts, targets }
}

/// Tarjan's algorithm with its own stack, since state spaces are deeper than any call stack.
struct Components<'e> {
    edges: &'e Edges,
    /// Order of discovery, from 1; 0 is unvisited. Lowered to the earliest state reachable.
    low: Vec<u32>,
    visited: u32,
    /// States whose component is not known yet.
    open: Vec<u32>,
    /// Component of each state, or `u32::MAX`.
    component_of: Vec<u32>,
    components: u32,
}

/// A state being visited, the next of its edges, and its order of discovery.
struct Visit {
    state: u32,
    edge: u32,
    order: u32,
}

impl<'e> Components<'e> {
    fn find(edges: &'e Edges, states: usize) -> (Vec<u32>, usize) {
        let mut components = Self {
            edges,
            low: vec![0; states],
            visited: 0,
            open: Vec::new(),
            component_of: vec![u32::MAX; states],
            components: 0,
        };
        for root in 0..states as u32 {
            if components.low[root as usize] == 0 {
                components.visit_from(root);
            }
        }
        (components.component_of, components.components as usize)
    }

    fn visit_from(&mut self, root: u32) {
        let mut visits = vec![self.enter(root)];
        while let Some(visit) = visits.last_mut() {
            let state = visit.state;
            if let Some(&to) = self.edges.of(state).get(visit.edge as usize) {
                visit.edge += 1;
                if self.low[to as usize] == 0 {
                    let entered = self.enter(to);
                    visits.push(entered);
                } else if self.component_of[to as usize] == u32::MAX {
                    self.lower(state, self.low[to as usize]);
                }
                continue;
            }
            let order = visit.order;
            visits.pop();
            if self.low[state as usize] == order {
                self.close(state);
            }
            if let Some(parent) = visits.last()
                && self.component_of[state as usize] == u32::MAX
            {
                self.lower(parent.state, self.low[state as usize]);
            }
        }
    }

    fn enter(&mut self, state: u32) -> Visit {
        self.visited += 1;
        self.low[state as usize] = self.visited;
        self.open.push(state);
        Visit { state, edge: 0, order: self.visited }
    }

    fn lower(&mut self, state: u32, to: u32) {
        self.low[state as usize] = self.low[state as usize].min(to);
    }

    /// Everything found since `state` that is still open forms a component with it.
    fn close(&mut self, state: u32) {
        while let Some(member) = self.open.pop() {
            self.component_of[member as usize] = self.components;
            if member == state {
                break;
            }
        }
        self.components += 1;
    }
}
