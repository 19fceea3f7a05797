//! What every run of a rule's net stays within, proved before it is used.
//!
//! All markings are listed, with one shortcut: where a transition does nothing but move one token
//! from a place to another and all that happens otherwise to the two is that the first gets tokens
//! or gets all of the second's back, only the lowest count of the second is kept: from there every
//! higher one is reached. So a limit of a million is verified as fast as a limit of three.

use std::collections::BTreeMap;
use std::fmt;

use petriflow_gate::SkillNet;
use petriflow_net::{PlaceId, TransitionId};

/// What was proved of a net.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// How many markings it can reach.
    pub states: u64,
    /// Whether every transition fires in some run. One that covers a blocked tool must not.
    pub all_fire: bool,
}

/// A net that could not be verified. Nets of rules always can.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unverified {
    net: String,
}

impl fmt::Display for Unverified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "net `{}` has more than {STATES_MAX} states apart from its counter", self.net)
    }
}

impl std::error::Error for Unverified {}

/// Markings that are listed, each standing for all counts of the counter.
const STATES_MAX: usize = 10_000;

/// Lists what a net can reach.
///
/// # Errors
/// If it is more than can be listed.
pub fn verify(net: &SkillNet) -> Result<Verified, Unverified> {
    let transitions: Vec<TransitionId> = net.net().transitions().collect();
    let counter = Counter::of(net, &transitions);
    let mut fired = vec![false; transitions.len()];
    // By everything but how the counter stands: its lowest reading.
    let mut lowest: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    let start = net.net().initial().to_vec();
    let mut waiting = vec![start];
    while let Some(marking) = waiting.pop() {
        let (key, reading) = counter.as_ref().map_or((marking.clone(), 0), |c| c.read(&marking));
        let known = lowest.get(&key).copied();
        if known.is_some_and(|known| known <= reading) {
            continue;
        }
        lowest.insert(key, reading);
        if lowest.len() > STATES_MAX {
            return Err(Unverified { net: net.name().into() });
        }
        for (&transition, fired) in transitions.iter().zip(&mut fired) {
            if let Some(next) = successor(net, &marking, transition) {
                *fired = true;
                let is_step = counter.as_ref().is_some_and(|c| c.steps.contains(&transition));
                if !is_step {
                    waiting.push(next);
                }
            }
        }
    }
    let count = |(key, reading): (&Vec<u32>, &u32)| match &counter {
        // Every reading from the lowest to the sum of the two places.
        Some(counter) => {
            u64::from(counter.sum(key)).saturating_sub(u64::from(*reading)).saturating_add(1)
        }
        None => 1,
    };
    let states = lowest.iter().map(count).fold(0, u64::saturating_add);
    Ok(Verified { states, all_fire: fired.iter().all(|&fired| fired) })
}

fn successor(net: &SkillNet, marking: &[u32], transition: TransitionId) -> Option<Vec<u32>> {
    let mut next = marking.to_vec();
    net.fire_in_place(&mut next, transition).ok()?;
    Some(next)
}

/// Two places between which tokens move one by one.
struct Counter {
    left: PlaceId,
    used: PlaceId,
    steps: Vec<TransitionId>,
}

impl Counter {
    fn of(net: &SkillNet, transitions: &[TransitionId]) -> Option<Self> {
        transitions.iter().find_map(|&step| {
            let [taken] = net.net().inputs(step) else { return None };
            let [put] = net.net().outputs(step) else { return None };
            let (left, used) = (taken.place, put.place);
            let counter = Self { left, used, steps: vec![step] };
            let is_step = is_step(net, step, left, used);
            let others_fit = transitions.iter().all(|&t| t == step || counter.fits(net, t));
            (is_step && others_fit).then_some(counter)
        })
    }

    /// Whether a transition leaves the two places alone, adds to the first, or moves everything back.
    fn fits(&self, net: &SkillNet, transition: TransitionId) -> bool {
        let inner = net.net();
        let touches = |place: PlaceId| place == self.left || place == self.used;
        let takes = inner.inputs(transition).iter().any(|arc| touches(arc.place));
        let puts = inner.outputs(transition).iter().any(|arc| arc.place == self.used);
        let drains = net.drains(transition).iter().all(|&(from, to)| {
            (from == self.used && to == self.left) || (!touches(from) && !touches(to))
        });
        !takes && !puts && drains
    }

    /// The marking with both places in one, and how much is in the second.
    fn read(&self, marking: &[u32]) -> (Vec<u32>, u32) {
        let tokens = |place: PlaceId| marking.get(place.index()).copied().unwrap_or(0);
        let mut key = marking.to_vec();
        let set = |key: &mut Vec<u32>, place: PlaceId, tokens: u32| {
            if let Some(slot) = key.get_mut(place.index()) {
                *slot = tokens;
            }
        };
        set(&mut key, self.left, tokens(self.left).saturating_add(tokens(self.used)));
        set(&mut key, self.used, 0);
        (key, tokens(self.used))
    }

    fn sum(&self, key: &[u32]) -> u32 {
        key.get(self.left.index()).copied().unwrap_or(0)
    }
}

/// Moves one token from one place to another and does nothing else.
fn is_step(net: &SkillNet, transition: TransitionId, from: PlaceId, to: PlaceId) -> bool {
    let weights = net.net().inputs(transition).iter().chain(net.net().outputs(transition));
    from != to
        && weights.into_iter().all(|arc| arc.weight == 1)
        && net.drains(transition).is_empty()
}
