//! Claims about all markings, and their verdicts.

use super::layout::Layout;
use super::space::Trace;
use crate::{Marking, PlaceId};

/// A reachable marking, read in the form it is stored in.
#[derive(Debug, Clone, Copy)]
pub struct MarkingView<'a> {
    layout: &'a Layout,
    packed: &'a [u64],
}

impl<'a> MarkingView<'a> {
    pub(super) fn new(layout: &'a Layout, packed: &'a [u64]) -> Self {
        Self { layout, packed }
    }

    /// The tokens in `place`.
    ///
    /// # Panics
    /// If the place belongs to a larger net.
    pub fn tokens(&self, place: PlaceId) -> u32 {
        self.layout.tokens(self.packed, place)
    }

    /// All tokens together.
    pub fn total(&self) -> u64 {
        self.layout.total(self.packed)
    }

    /// The marking by itself.
    pub fn to_marking(&self) -> Marking {
        self.layout.unpack(self.packed)
    }
}

/// What is said of the reachable markings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantifier {
    Always,
    Never,
    Reachable,
}

type Predicate<'c> = Box<dyn Fn(&MarkingView<'_>) -> bool + Send + Sync + 'c>;

/// A claim as it was posed.
pub(super) struct Question<'c> {
    pub(super) posed: Posed,
    pub(super) predicate: Predicate<'c>,
}

/// What is left of a question once every marking was asked.
#[derive(Debug, Clone)]
pub(super) struct Posed {
    pub(super) name: String,
    pub(super) quantifier: Quantifier,
}

impl Question<'_> {
    /// Whether this marking settles the question: a counterexample, or for "reachable" an example.
    #[inline]
    pub(super) fn is_settled_by(&self, view: &MarkingView<'_>) -> bool {
        (self.predicate)(view) == (self.posed.quantifier != Quantifier::Always)
    }
}

impl Posed {
    /// The verdict, given the marking that settles it if one was met, and whether all were.
    pub(super) fn verdict(&self, witness: Option<Trace>, complete: bool) -> Verdict {
        match (self.quantifier, witness, complete) {
            (Quantifier::Reachable, Some(trace), _) => Verdict::Proved { witness: Some(trace) },
            (Quantifier::Reachable, None, true) => Verdict::Refuted { witness: None },
            (_, Some(trace), _) => Verdict::Refuted { witness: Some(trace) },
            (_, None, true) => Verdict::Proved { witness: None },
            (_, None, false) => Verdict::Undecided,
        }
    }
}

/// A claim with its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The name it was posed under.
    pub name: String,
    /// What exploration found.
    pub verdict: Verdict,
}

/// Three answers, never two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It holds; for "reachable", with a shortest firing sequence that gets there.
    Proved {
        /// The sequence, for claims that something is reachable.
        witness: Option<Trace>,
    },
    /// It does not hold; for "always" and "never", with a shortest counterexample.
    Refuted {
        /// The sequence, for claims that something is always or never so.
        witness: Option<Trace>,
    },
    /// Not all markings were met, and none of those that were settles it.
    Undecided,
}
