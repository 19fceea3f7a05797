//! Nets: places, transitions and weighted arcs, checked once and immutable afterwards.

use std::sync::Arc;

use crate::builder::NetBuilder;
use crate::{Marking, PlaceId, TransitionId};

/// An immutable Petri net with its initial marking.
///
/// Made by [`Net::builder`], which checks everything once; afterwards every arc is known to name a
/// place of the net and to have a weight of at least 1.
///
/// ```
/// use petriflow_net::Net;
///
/// let net = Net::builder("door")
///     .place("closed")
///     .place("open")
///     .transition("push", ["closed"], ["open"])
///     .transition("pull", ["open"], ["closed"])
///     .initial("closed", 1)
///     .build()?;
/// let push = net.transition_named("push").unwrap();
/// let open = net.fire(net.initial(), push)?;
/// assert_eq!(open.display(&net).to_string(), "closed:0, open:1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Net {
    pub(crate) name: Box<str>,
    // Shared between nets that differ in their name or their initial marking only.
    pub(crate) places: Arc<Names>,
    pub(crate) transitions: Arc<Names>,
    // INVARIANT: as many entries as `transitions` has names, every arc's place below
    // `places.len()`, arcs sorted by place, at most one arc per place and side, weights at least 1.
    pub(crate) arcs: Arc<[Arcs]>,
    // INVARIANT: as many entries as `places` has names.
    pub(crate) initial: Marking,
}

/// The arcs of one transition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arcs {
    pub(crate) inputs: Box<[WeightedArc]>,
    pub(crate) outputs: Box<[WeightedArc]>,
}

/// One arc between a place and a transition; which side is known from the list it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WeightedArc {
    /// The place that tokens are taken from or put into.
    pub place: PlaceId,
    /// How many tokens; at least 1.
    pub weight: u32,
}

impl Net {
    /// Starts a net of this name.
    pub fn builder(name: impl Into<String>) -> NetBuilder {
        NetBuilder::new(name)
    }

    /// The net's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The marking the net starts in.
    pub fn initial(&self) -> &Marking {
        &self.initial
    }

    /// The same net started in another marking.
    ///
    /// # Errors
    /// If the marking has another number of places than the net.
    pub fn with_initial(&self, initial: Marking) -> Result<Net, WrongMarking> {
        WrongMarking::check(self, &initial)?;
        Ok(Net { initial, ..self.clone() })
    }

    /// The same net under another name. Places, transitions and arcs are shared, not copied.
    #[must_use]
    pub fn renamed(&self, name: impl Into<Box<str>>) -> Net {
        Net { name: name.into(), ..self.clone() }
    }

    /// How many places there are.
    pub fn place_count(&self) -> usize {
        self.places.len()
    }

    /// How many transitions there are.
    pub fn transition_count(&self) -> usize {
        self.transitions.len()
    }

    /// All places, in declared order.
    pub fn places(&self) -> impl ExactSizeIterator<Item = PlaceId> + use<> {
        (0..self.places.len() as u32).map(|position| place_id(position as usize))
    }

    /// All transitions, in declared order.
    pub fn transitions(&self) -> impl ExactSizeIterator<Item = TransitionId> + use<> {
        (0..self.transitions.len() as u32).map(|position| transition_id(position as usize))
    }

    /// The place of this name.
    pub fn place_named(&self, name: &str) -> Option<PlaceId> {
        self.places.position(name).map(place_id)
    }

    /// The transition of this name.
    pub fn transition_named(&self, name: &str) -> Option<TransitionId> {
        self.transitions.position(name).map(transition_id)
    }

    /// A place's name.
    ///
    /// # Panics
    /// If the place belongs to a larger net.
    pub fn place_name(&self, place: PlaceId) -> &str {
        self.places.name(place.index())
    }

    /// A transition's name.
    ///
    /// # Panics
    /// If the transition belongs to a larger net.
    pub fn transition_name(&self, transition: TransitionId) -> &str {
        self.transitions.name(transition.index())
    }

    /// What a transition takes, sorted by place.
    ///
    /// # Panics
    /// If the transition belongs to a larger net.
    pub fn inputs(&self, transition: TransitionId) -> &[WeightedArc] {
        &self.arcs(transition).inputs
    }

    /// What a transition puts, sorted by place.
    ///
    /// # Panics
    /// If the transition belongs to a larger net.
    pub fn outputs(&self, transition: TransitionId) -> &[WeightedArc] {
        &self.arcs(transition).outputs
    }

    /// The change of each touched place when the transition fires, sorted by place, zeros left out.
    ///
    /// # Panics
    /// If the transition belongs to a larger net.
    pub fn effect(&self, transition: TransitionId) -> Vec<(PlaceId, i64)> {
        let mut effect = std::collections::BTreeMap::new();
        let arcs = self.arcs(transition);
        let taken =
            arcs.inputs.iter().map(|arc| (arc.place, 0_i64.saturating_sub(arc.weight.into())));
        let put = arcs.outputs.iter().map(|arc| (arc.place, i64::from(arc.weight)));
        for (place, change) in taken.chain(put) {
            let sum: &mut i64 = effect.entry(place).or_default();
            // Two `u32` values cannot overflow an `i64`.
            *sum = sum.saturating_add(change);
        }
        effect.into_iter().filter(|&(_, change)| change != 0).collect()
    }

    #[expect(clippy::indexing_slicing, reason = "documented panic for an id of another net")]
    fn arcs(&self, transition: TransitionId) -> &Arcs {
        &self.arcs[transition.index()]
    }
}

/// The builder refuses nets with more than `u32::MAX` places or transitions.
#[expect(clippy::expect_used, reason = "the builder checked that every position fits")]
pub(crate) fn place_id(position: usize) -> PlaceId {
    PlaceId::new(position).expect("position fits")
}

/// See [`place_id`].
#[expect(clippy::expect_used, reason = "the builder checked that every position fits")]
pub(crate) fn transition_id(position: usize) -> TransitionId {
    TransitionId::new(position).expect("position fits")
}

/// A marking with another number of places than its net.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongMarking {
    places: usize,
    tokens: usize,
}

impl WrongMarking {
    pub(crate) fn check(net: &Net, tokens: &[u32]) -> Result<(), WrongMarking> {
        let (places, tokens) = (net.place_count(), tokens.len());
        if places == tokens { Ok(()) } else { Err(WrongMarking { places, tokens }) }
    }
}

impl std::fmt::Display for WrongMarking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the marking is for {} places, the net has {}", self.tokens, self.places)
    }
}

impl std::error::Error for WrongMarking {}

/// Unique names in declared order, found by binary search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Names {
    names: Box<[Box<str>]>,
    // INVARIANT: the positions of `names`, sorted by name.
    sorted: Box<[u32]>,
}

impl Names {
    /// The caller has checked that the names differ and that their number fits a `u32`.
    pub(crate) fn new(names: Vec<Box<str>>) -> Self {
        let mut sorted: Vec<u32> = (0..names.len() as u32).collect();
        sorted.sort_by_key(|&position| names.get(position as usize));
        Self { names: names.into(), sorted: sorted.into() }
    }

    fn len(&self) -> usize {
        self.names.len()
    }

    #[expect(clippy::indexing_slicing, reason = "documented panic for an id of another net")]
    fn name(&self, position: usize) -> &str {
        &self.names[position]
    }

    fn position(&self, name: &str) -> Option<usize> {
        let found = self.sorted.binary_search_by(|&position| {
            self.names.get(position as usize).map_or("", |candidate| candidate).cmp(name)
        });
        found.ok().and_then(|at| self.sorted.get(at)).map(|&position| position as usize)
    }
}
