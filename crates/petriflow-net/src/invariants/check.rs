//! Are given weights an invariant?

use std::fmt;

use super::arithmetic::{Overflow, add, multiply};
use super::weights::{NetIndex, PlaceWeights, TransitionWeights, Weights};
use crate::{Net, PlaceId, TransitionId};

/// Why weights are not an invariant, or could not be shown to be one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation<I> {
    /// Place weights: this transition changes the weighted sum. Transition weights: the firings
    /// together change this place.
    Changed {
        /// The first transition or place, in declared order.
        at: I,
        /// Its name.
        name: String,
        /// By how much; not 0.
        change: i128,
    },
    /// The weights name something the net does not have, at this position.
    Foreign {
        /// The position, from 0.
        position: usize,
    },
    /// A change left the range of `i128`.
    Overflow,
}

impl<I> From<Overflow> for Violation<I> {
    fn from(Overflow: Overflow) -> Self {
        Self::Overflow
    }
}

impl<I> fmt::Display for Violation<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed { name, change, .. } => write!(f, "`{name}` changes by {change:+}"),
            Self::Foreign { position } => {
                write!(f, "the net has nothing at the weighted position {position}")
            }
            Self::Overflow => Overflow.fmt(f),
        }
    }
}

impl<I: fmt::Debug> std::error::Error for Violation<I> {}

/// Checks that every transition keeps the weighted sum of the tokens.
///
/// # Errors
/// The first transition that changes the sum, and by how much.
pub fn check_place_weights(
    net: &Net,
    weights: &PlaceWeights,
) -> Result<(), Violation<TransitionId>> {
    check_known(net, weights)?;
    for transition in net.transitions() {
        check_zero(net, transition, change(net, weights, transition)?)?;
    }
    Ok(())
}

/// Checks that firing every transition as often as weighed returns to the same marking.
///
/// Negative weights are allowed, though no firing sequence has them.
///
/// # Errors
/// The first place that would change, and by how much.
pub fn check_transition_weights(
    net: &Net,
    weights: &TransitionWeights,
) -> Result<(), Violation<PlaceId>> {
    check_known(net, weights)?;
    let mut changes = vec![0_i128; net.place_count()];
    for (transition, count) in weights.iter() {
        for (place, effect) in net.effect(transition) {
            if let Some(change) = changes.get_mut(place.index()) {
                *change = add(*change, multiply(count, effect.into())?)?;
            }
        }
    }
    net.places().zip(changes).try_for_each(|(place, change)| check_zero(net, place, change))
}

/// By how much firing the transition changes the weighted sum.
pub(super) fn change(
    net: &Net,
    weights: &PlaceWeights,
    transition: TransitionId,
) -> Result<i128, Overflow> {
    net.effect(transition).into_iter().try_fold(0, |sum, (place, effect)| {
        add(sum, multiply(weights.weight(place), effect.into())?)
    })
}

fn check_known<I: NetIndex, E>(net: &Net, weights: &Weights<I>) -> Result<(), Violation<E>> {
    let foreign = weights.support().find(|index| index.name(net).is_none());
    foreign.map_or(Ok(()), |index| Err(Violation::Foreign { position: index.position() }))
}

fn check_zero<I: NetIndex>(net: &Net, at: I, change: i128) -> Result<(), Violation<I>> {
    if change == 0 {
        return Ok(());
    }
    Err(Violation::Changed { at, name: at.name(net).unwrap_or_default().into(), change })
}
