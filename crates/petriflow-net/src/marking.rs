//! Markings: how many tokens each place holds.

use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::{Net, PlaceId};

/// The tokens of every place of a net, by position.
///
/// Dense: one `u32` a place in one allocation, compared and hashed as a slice. It dereferences to
/// `[u32]`, so functions of [`Net`] take a part of a larger buffer just as well.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Marking(Box<[u32]>);

impl Marking {
    /// A marking with these counts, in the order of the net's places.
    pub fn new(tokens: impl Into<Box<[u32]>>) -> Self {
        Self(tokens.into())
    }

    /// The tokens in `place`; 0 for a place this marking does not have.
    pub fn tokens(&self, place: PlaceId) -> u32 {
        self.0.get(place.index()).copied().unwrap_or(0)
    }

    /// All tokens of the marking together.
    pub fn total(&self) -> u64 {
        self.0.iter().map(|&tokens| u64::from(tokens)).sum()
    }

    /// Whether every place holds at least as many tokens as in `other`.
    pub fn covers(&self, other: &Marking) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&*other.0).all(|(a, b)| a >= b)
    }

    /// The marking with place names, as in `ready:1, working:0`.
    pub fn display<'a>(&'a self, net: &'a Net) -> impl fmt::Display + 'a {
        DisplayMarking { net, tokens: &self.0, empty: true }
    }

    /// Only the marked places with their names, as in `ready:1`; `(empty)` if there are none.
    pub fn display_marked<'a>(&'a self, net: &'a Net) -> impl fmt::Display + 'a {
        DisplayMarking { net, tokens: &self.0, empty: false }
    }
}

impl Deref for Marking {
    type Target = [u32];
    fn deref(&self) -> &[u32] {
        &self.0
    }
}

impl DerefMut for Marking {
    fn deref_mut(&mut self) -> &mut [u32] {
        &mut self.0
    }
}

impl From<Vec<u32>> for Marking {
    fn from(tokens: Vec<u32>) -> Self {
        Self(tokens.into())
    }
}

impl fmt::Debug for Marking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&*self.0).finish()
    }
}

struct DisplayMarking<'a> {
    net: &'a Net,
    tokens: &'a [u32],
    /// Whether places without tokens are listed.
    empty: bool,
}

impl fmt::Display for DisplayMarking<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (place, &tokens) in self.net.places().zip(self.tokens) {
            if tokens > 0 || self.empty {
                write!(f, "{separator}{}:{tokens}", self.net.place_name(place))?;
                separator = ", ";
            }
        }
        if separator.is_empty() { f.write_str("(empty)") } else { Ok(()) }
    }
}
