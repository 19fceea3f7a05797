//! Proofs of growth without end.
#![expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "ids come from the parts themselves and cursors stay below their lengths"
)]

use super::layout::Layout;
use super::part::{Part, global_id, part_and_index};
use super::space::transitions_along;
use super::store::AnyWidth;
use crate::{Net, PlaceId, TransitionId};

/// A firing sequence that can be repeated for ever and adds tokens each time.
///
/// After `prefix`, `cycle` leads to a marking that has at least as many tokens in every place and
/// more in `places`; so it can be fired again, and again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pump {
    /// From the initial marking to where the cycle begins.
    pub prefix: Vec<TransitionId>,
    /// What can be repeated.
    pub cycle: Vec<TransitionId>,
    /// The places that gain tokens with each repetition, at least one.
    pub places: Vec<PlaceId>,
}

impl Pump {
    /// Describes the sequences `prefix` and `prefix + cycle`, which the caller has found to fire.
    pub(super) fn new(net: &Net, prefix: Vec<TransitionId>, cycle: Vec<TransitionId>) -> Self {
        let mut growth = vec![0_i128; net.place_count()];
        for &transition in &cycle {
            for (place, change) in net.effect(transition) {
                growth[place.index()] += i128::from(change);
            }
        }
        let places = net.places().filter(|place| growth[place.index()] > 0).collect();
        Self { prefix, cycle, places }
    }
}

/// Compares markings not compared yet with those they were reached from, until one covers an
/// ancestor or `steps` comparisons are done.
pub(super) fn find(
    net: &Net,
    layout: &Layout,
    parts: &mut [Part],
    mut steps: usize,
) -> Option<Pump> {
    for number in 0..parts.len() {
        let share = steps / (parts.len() - number);
        let mut left = share;
        while left > 0 && parts[number].compared < parts[number].store.len() {
            let index = parts[number].compared;
            if let Some(pump) = covered_ancestor(net, layout, parts, number, index, &mut left) {
                return Some(pump);
            }
            parts[number].compared += 1;
        }
        steps -= share - left;
    }
    None
}

fn covered_ancestor(
    net: &Net,
    layout: &Layout,
    parts: &[Part],
    number: usize,
    index: usize,
    left: &mut usize,
) -> Option<Pump> {
    let width = AnyWidth(layout.words());
    let marking = parts[number].store.key(index, width);
    let start = global_id(number, index, parts.len());
    let mut chain = vec![start];
    let mut current = start;
    loop {
        let (part, index) = part_and_index(current, parts.len());
        let parent = parts[part].store.parent(index);
        if parent == current {
            return None;
        }
        *left = left.saturating_sub(1);
        chain.push(parent);
        current = parent;
        let (part, index) = part_and_index(current, parts.len());
        if layout.covers(marking, parts[part].store.key(index, width)) {
            break;
        }
    }
    let key = |id: u32| {
        let (part, index) = part_and_index(id, parts.len());
        parts[part].store.key(index, width)
    };
    chain.reverse();
    let cycle = transitions_along(layout, chain.iter().map(|&id| key(id)));
    let mut path = vec![current];
    loop {
        let (part, index) = part_and_index(current, parts.len());
        let parent = parts[part].store.parent(index);
        if parent == current {
            break;
        }
        path.push(parent);
        current = parent;
    }
    path.reverse();
    let prefix = transitions_along(layout, path.iter().map(|&id| key(id)));
    Some(Pump::new(net, prefix, cycle))
}
