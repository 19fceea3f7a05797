//! Integer weights on places or transitions.

use std::fmt;

use super::arithmetic::{self, Entries, Overflow};
use crate::net::{place_id, transition_id};
use crate::{Net, PlaceId, TransitionId};

/// A weight for each place or each transition; those not named weigh 0.
///
/// What this crate computes is normalised: the weights have no common divisor, and the first is
/// positive. Weights made with [`Weights::new`] are kept as given.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Weights<I> {
    // INVARIANT: sorted by index, each once, none 0.
    entries: Box<[(I, i128)]>,
}

/// Weights on places, as of a place invariant.
pub type PlaceWeights = Weights<PlaceId>;

/// Weights on transitions, as of a transition invariant: how often each fires.
pub type TransitionWeights = Weights<TransitionId>;

/// What can be weighed: [`PlaceId`] and [`TransitionId`], nothing else.
pub trait NetIndex: Copy + Ord + fmt::Debug + sealed::Sealed {
    /// The position in the net's list.
    fn position(self) -> usize;
    /// The name, if the net has this place or transition.
    fn name(self, net: &Net) -> Option<&str>;
}

mod sealed {
    pub trait Sealed {
        /// The caller knows that the net has this position.
        fn at(position: usize) -> Self;
    }
}

impl sealed::Sealed for PlaceId {
    fn at(position: usize) -> Self {
        place_id(position)
    }
}

impl NetIndex for PlaceId {
    fn position(self) -> usize {
        self.index()
    }
    fn name(self, net: &Net) -> Option<&str> {
        (self.index() < net.place_count()).then(|| net.place_name(self))
    }
}

impl sealed::Sealed for TransitionId {
    fn at(position: usize) -> Self {
        transition_id(position)
    }
}

impl NetIndex for TransitionId {
    fn position(self) -> usize {
        self.index()
    }
    fn name(self, net: &Net) -> Option<&str> {
        (self.index() < net.transition_count()).then(|| net.transition_name(self))
    }
}

impl<I: NetIndex> Weights<I> {
    /// These weights; one named several times is the sum.
    ///
    /// # Errors
    /// If a sum overflows.
    pub fn new(weights: impl IntoIterator<Item = (I, i128)>) -> Result<Self, Overflow> {
        let mut sums = std::collections::BTreeMap::new();
        for (index, weight) in weights {
            let sum = sums.entry(index).or_insert(0);
            *sum = arithmetic::add(*sum, weight)?;
        }
        Ok(Self { entries: sums.into_iter().filter(|&(_, weight)| weight != 0).collect() })
    }

    /// Normalised weights from positions of the net.
    pub(super) fn normalised(mut entries: Entries) -> Result<Self, Overflow> {
        arithmetic::reduce(&mut entries)?;
        if entries.first().is_some_and(|&(_, first)| first < 0) {
            for (_, entry) in &mut entries {
                *entry = arithmetic::negate(*entry)?;
            }
        }
        Ok(Self { entries: entries.into_iter().map(|(at, entry)| (I::at(at), entry)).collect() })
    }

    /// The weights other than 0, in declared order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (I, i128)> + '_ {
        self.entries.iter().copied()
    }

    /// What weighs other than 0, in declared order.
    pub fn support(&self) -> impl ExactSizeIterator<Item = I> + '_ {
        self.entries.iter().map(|&(index, _)| index)
    }

    /// The weight of one place or transition.
    pub fn weight(&self, index: I) -> i128 {
        let found = self.entries.binary_search_by_key(&index, |&(at, _)| at);
        found.ok().and_then(|at| self.entries.get(at)).map_or(0, |&(_, weight)| weight)
    }

    /// Whether no weight is negative.
    pub fn is_non_negative(&self) -> bool {
        self.entries.iter().all(|&(_, weight)| weight > 0)
    }

    /// The weighted sum with names, as in `2·a + b - c`; `0` if nothing weighs anything.
    pub fn display<'a>(&'a self, net: &'a Net) -> impl fmt::Display + 'a {
        DisplayWeights { net, weights: self }
    }
}

impl PlaceWeights {
    /// The weighted sum of the tokens of a marking.
    ///
    /// # Errors
    /// If the sum overflows.
    pub fn value(&self, tokens: &[u32]) -> Result<i128, Overflow> {
        self.entries.iter().try_fold(0, |sum, &(place, weight)| {
            let tokens = tokens.get(place.index()).copied().unwrap_or(0);
            arithmetic::add(sum, arithmetic::multiply(weight, tokens.into())?)
        })
    }

    /// The weighted sum with its value in the initial marking, as in `2·a + b - c = 3`.
    ///
    /// # Errors
    /// If the value overflows.
    pub fn equation(&self, net: &Net) -> Result<String, Overflow> {
        Ok(format!("{} = {}", self.display(net), self.value(net.initial())?))
    }
}

struct DisplayWeights<'a, I> {
    net: &'a Net,
    weights: &'a Weights<I>,
}

impl<I: NetIndex> fmt::Display for DisplayWeights<'_, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (term, (index, weight)) in self.weights.iter().enumerate() {
            f.write_str(match (term, weight < 0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            })?;
            match weight.unsigned_abs() {
                1 => {}
                factor => write!(f, "{factor}·")?,
            }
            match index.name(self.net) {
                Some(name) => f.write_str(name)?,
                None => write!(f, "{index:?}")?,
            }
        }
        if self.weights.entries.is_empty() { f.write_str("0") } else { Ok(()) }
    }
}
