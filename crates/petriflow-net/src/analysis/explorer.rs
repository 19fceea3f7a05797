//! The front of the search: what to explore, how far, and what came of it.

use std::fmt;
use std::ops::ControlFlow;

use super::claims::{Claim, MarkingView, Posed, Quantifier, Question};
use super::pump::Pump;
use super::search::{End, Search};
use super::space::StateSpace;
use crate::{Net, PlaceId};

/// Sets up an exhaustive exploration of a net `'n`, with callbacks `'c`.
#[must_use]
pub struct Explorer<'n, 'c> {
    pub(super) net: &'n Net,
    pub(super) markings_max: usize,
    pub(super) memory_max_bytes: usize,
    pub(super) threads: usize,
    pub(super) terminal_places: Vec<PlaceId>,
    pub(super) questions: Vec<Question<'c>>,
    pub(super) progress: Option<ProgressCallback<'c>>,
}

type ProgressCallback<'c> = Box<dyn FnMut(&Progress) -> ControlFlow<()> + 'c>;

impl<'n, 'c> Explorer<'n, 'c> {
    /// Most markings stored unless [`markings_max`](Self::markings_max) says otherwise.
    pub const DEFAULT_MARKINGS_MAX: usize = 10_000_000;
    /// Most memory used unless [`memory_max_bytes`](Self::memory_max_bytes) says otherwise: 4 GiB.
    pub const DEFAULT_MEMORY_MAX_BYTES: usize = 4 << 30;
    /// More threads than this are not used.
    pub const THREADS_MAX: usize = 16;

    /// An exploration with default limits, on the calling thread.
    pub fn new(net: &'n Net) -> Self {
        Self {
            net,
            markings_max: Self::DEFAULT_MARKINGS_MAX,
            memory_max_bytes: Self::DEFAULT_MEMORY_MAX_BYTES,
            threads: 1,
            terminal_places: Vec::new(),
            questions: Vec::new(),
            progress: None,
        }
    }

    /// Stores at most this many markings (at least 1, the initial one).
    pub fn markings_max(mut self, markings_max: usize) -> Self {
        self.markings_max = markings_max;
        self
    }

    /// Uses at most about this much memory for markings, index and buffers.
    pub fn memory_max_bytes(mut self, memory_max_bytes: usize) -> Self {
        self.memory_max_bytes = memory_max_bytes;
        self
    }

    /// Explores with this many threads once there is enough to do; counts and verdicts stay the
    /// same, and witnesses stay shortest.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.clamp(1, Self::THREADS_MAX);
        self
    }

    /// A terminal marking with a token in one of these is a proper end; any other is a deadlock.
    pub fn terminal_places(mut self, places: impl IntoIterator<Item = PlaceId>) -> Self {
        self.terminal_places.extend(places);
        self
    }

    /// Claims that every reachable marking satisfies the predicate.
    pub fn always(
        self,
        name: impl Into<String>,
        predicate: impl Fn(&MarkingView<'_>) -> bool + Send + Sync + 'c,
    ) -> Self {
        self.question(name, Quantifier::Always, predicate)
    }

    /// Claims that no reachable marking satisfies the predicate.
    pub fn never(
        self,
        name: impl Into<String>,
        predicate: impl Fn(&MarkingView<'_>) -> bool + Send + Sync + 'c,
    ) -> Self {
        self.question(name, Quantifier::Never, predicate)
    }

    /// Claims that some reachable marking satisfies the predicate.
    pub fn reachable(
        self,
        name: impl Into<String>,
        predicate: impl Fn(&MarkingView<'_>) -> bool + Send + Sync + 'c,
    ) -> Self {
        self.question(name, Quantifier::Reachable, predicate)
    }

    fn question(
        mut self,
        name: impl Into<String>,
        quantifier: Quantifier,
        predicate: impl Fn(&MarkingView<'_>) -> bool + Send + Sync + 'c,
    ) -> Self {
        let predicate = Box::new(predicate);
        let posed = Posed { name: name.into(), quantifier };
        self.questions.push(Question { posed, predicate });
        self
    }

    /// Is told how far the exploration is, every few thousand markings; `Break` ends it undecided.
    pub fn on_progress(mut self, callback: impl FnMut(&Progress) -> ControlFlow<()> + 'c) -> Self {
        self.progress = Some(Box::new(callback));
        self
    }

    /// Explores until everything was seen, growth without end is proved, or a limit is reached.
    pub fn explore(mut self) -> Exploration<'n> {
        let progress = self.progress.take();
        let mut search = Search::new(self);
        let end = search.run(progress);
        let space = search.into_space();
        match end {
            End::Complete => Exploration::Complete(space),
            End::Limit(limit) => Exploration::Undecided { limit, explored: space },
            End::Unbounded(pump) => Exploration::Unbounded { pump, explored: space },
        }
    }
}

/// How far an exploration is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Markings stored.
    pub markings: usize,
    /// Markings whose successors are all known.
    pub expanded: usize,
    /// Firings from those.
    pub edges: u64,
    /// Length of the firing sequences being looked at.
    pub depth: u32,
    /// Memory in use for markings, index and buffers.
    pub memory_bytes: usize,
}

/// Why an exploration stopped early.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// The most markings were stored.
    Markings {
        /// The limit.
        markings_max: usize,
    },
    /// The most memory was used.
    Memory {
        /// The limit.
        memory_max_bytes: usize,
    },
    /// A place would hold more than `u32::MAX` tokens.
    Tokens {
        /// The place.
        place: PlaceId,
    },
    /// The progress callback ended it.
    Cancelled,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Markings { markings_max } => write!(f, "the limit of {markings_max} markings"),
            Self::Memory { memory_max_bytes } => {
                write!(f, "the limit of {} MiB of memory", memory_max_bytes >> 20)
            }
            Self::Tokens { place } => write!(f, "more than {} tokens in {place:?}", u32::MAX),
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}

/// What came of an exploration.
#[derive(Debug)]
pub enum Exploration<'n> {
    /// Every reachable marking was met.
    Complete(StateSpace<'n>),
    /// Some place grows without end.
    Unbounded {
        /// The proof.
        pump: Pump,
        /// What was explored before it was found.
        explored: StateSpace<'n>,
    },
    /// A limit was reached first. Nothing may be concluded from what is absent.
    Undecided {
        /// Which one.
        limit: Limit,
        /// What was explored.
        explored: StateSpace<'n>,
    },
}

impl<'n> Exploration<'n> {
    /// What was explored, whole or in part.
    pub fn explored(&self) -> &StateSpace<'n> {
        match self {
            Self::Complete(space) => space,
            Self::Unbounded { explored, .. } | Self::Undecided { explored, .. } => explored,
        }
    }

    /// The whole state space, if it was explored.
    pub fn complete(self) -> Option<StateSpace<'n>> {
        match self {
            Self::Complete(space) => Some(space),
            Self::Unbounded { .. } | Self::Undecided { .. } => None,
        }
    }

    /// The claims in the order they were posed, each with its verdict.
    pub fn claims(&self) -> Vec<Claim> {
        self.explored().claims(matches!(self, Self::Complete(_)))
    }
}
