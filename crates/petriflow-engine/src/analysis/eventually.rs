//! Is a condition fulfilled sooner or later, whatever fires?
//!
//! It is not if some firing sequence that never fulfils it comes to an end or goes round in a
//! circle. No fairness is assumed: what can be put off for ever counts as put off for ever.

use std::collections::{HashMap, VecDeque};

use petriflow_net::TransitionId;
use petriflow_net::analysis::{StateId, StateSpace};

/// A firing sequence on which the condition is never fulfilled.
#[derive(Debug)]
pub(super) struct Evasion {
    pub(super) steps: Vec<TransitionId>,
    /// Where they lead.
    pub(super) state: StateId,
    /// What is repeated from there; empty if nothing can happen there.
    pub(super) cycle: Vec<TransitionId>,
}

/// A way to evade the condition in a complete space: to a nearest end, or else into a circle.
pub(super) fn evasion(
    space: &StateSpace<'_>,
    fulfilled: impl Fn(StateId) -> bool,
    is_end: impl Fn(StateId) -> bool,
) -> Option<Evasion> {
    let initial = space.initial();
    if fulfilled(initial) {
        return None;
    }
    // How each state was first reached without fulfilling the condition.
    let mut reached: HashMap<StateId, Option<(StateId, TransitionId)>> = HashMap::new();
    reached.insert(initial, None);
    let mut queue = VecDeque::from([initial]);
    while let Some(state) = queue.pop_front() {
        if is_end(state) {
            let steps = steps_to(&reached, state);
            return Some(Evasion { steps, state, cycle: Vec::new() });
        }
        for (transition, next) in space.successors(state) {
            if !reached.contains_key(&next) && !fulfilled(next) {
                reached.insert(next, Some((state, transition)));
                queue.push_back(next);
            }
        }
    }
    let (state, cycle) = circle(space, initial, |state| reached.contains_key(&state))?;
    Some(Evasion { steps: steps_to(&reached, state), state, cycle })
}

fn steps_to(
    reached: &HashMap<StateId, Option<(StateId, TransitionId)>>,
    mut state: StateId,
) -> Vec<TransitionId> {
    let mut steps = Vec::new();
    while let Some(Some((before, transition))) = reached.get(&state) {
        steps.push(*transition);
        state = *before;
    }
    steps.reverse();
    steps
}

/// A state on the path, how it was entered, and what is left to try from it.
struct Visit {
    state: StateId,
    by: Option<TransitionId>,
    untried: std::vec::IntoIter<(TransitionId, StateId)>,
}

/// A circle among these states: where it begins, and its steps.
fn circle(
    space: &StateSpace<'_>,
    start: StateId,
    is_within: impl Fn(StateId) -> bool,
) -> Option<(StateId, Vec<TransitionId>)> {
    // Whether a state is on the path (true) or done with (false).
    let mut on_path: HashMap<StateId, bool> = HashMap::from([(start, true)]);
    let enter = |state, by| Visit { state, by, untried: space.successors(state).into_iter() };
    let mut path = vec![enter(start, None)];
    while let Some(visit) = path.last_mut() {
        let Some((transition, next)) = visit.untried.next() else {
            on_path.insert(visit.state, false);
            path.pop();
            continue;
        };
        match on_path.get(&next) {
            Some(true) => {
                let around = path.iter().skip_while(|visit| visit.state != next).skip(1);
                let mut steps: Vec<TransitionId> = around.filter_map(|visit| visit.by).collect();
                steps.push(transition);
                return Some((next, steps));
            }
            Some(false) => {}
            None if is_within(next) => {
                on_path.insert(next, true);
                path.push(enter(next, Some(transition)));
            }
            None => {}
        }
    }
    None
}
