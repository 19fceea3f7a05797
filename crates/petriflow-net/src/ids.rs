//! Typed indices: a place can never be passed where a transition is meant.

use std::fmt;

macro_rules! index_type {
    ($(#[$doc:meta])* $name:ident, $letter:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The index with this position; `None` beyond `u32::MAX`.
            pub fn new(position: usize) -> Option<Self> {
                u32::try_from(position).ok().map(Self)
            }

            /// The position in the net's list.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($letter, "{}"), self.0)
            }
        }
    };
}

index_type!(
    /// A place of a [`Net`](crate::Net), by position.
    PlaceId,
    "p"
);
index_type!(
    /// A transition of a [`Net`](crate::Net), by position.
    TransitionId,
    "t"
);
