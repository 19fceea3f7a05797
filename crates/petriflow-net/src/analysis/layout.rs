//! How a marking is packed into machine words, and how transitions work on the packed form.
//!
//! Every place has a field of as many bits as its largest count so far needs. A field of one bit
//! stands alone; a wider one has a guard bit above it that is 0 in every stored marking. Subtracting
//! with all guards set shows in one operation per word whether any field had too few tokens, and a
//! guard that is set after adding shows that a field is too narrow. Nothing is ever lost: a field
//! that overflows makes the search widen the layout and pack everything again.
#![expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "fields are built for the net's places and words, and field arithmetic is on masks that \
              the layout keeps apart"
)]

use super::store::{NARROW_WORDS, Width};
use crate::{Marking, Net, PlaceId, TransitionId};

/// Where a place's count is.
#[derive(Debug, Clone, Copy)]
struct Field {
    word: u32,
    shift: u32,
    /// Bits of the count, without the guard.
    bits: u32,
}

impl Field {
    fn has_guard(self) -> bool {
        self.bits > 1
    }

    /// Bits taken from the word, the guard included.
    fn span(self) -> u32 {
        if self.has_guard() { self.bits.saturating_add(1) } else { self.bits }
    }

    fn value_mask(self) -> u64 {
        (1_u64 << self.bits).wrapping_sub(1) << self.shift
    }

    fn guard_mask(self) -> u64 {
        if self.has_guard() { 1_u64 << self.shift << self.bits } else { 0 }
    }
}

/// What a transition does to one word. A transition has one of these for every word it touches.
#[derive(Debug, Clone, Copy, Default)]
struct Step {
    word: u32,
    /// One-bit fields that must be set.
    need: u64,
    /// What wider fields lose, and their guards.
    take: u64,
    take_guards: u64,
    /// The change of the whole word; fields cannot spill into each other once the checks passed.
    change: u64,
    /// One-bit fields that gain a token and so must be clear.
    vacant: u64,
    /// Guards of wider fields that gain tokens.
    put_guards: u64,
}

impl Step {
    #[inline(always)]
    fn is_enabled(&self, word: u64) -> bool {
        let left = (word | self.take_guards).wrapping_sub(self.take) & self.take_guards;
        (word & self.need == self.need) & (left == self.take_guards)
    }
}

/// The fields of one word, by kind.
#[derive(Debug, Clone, Copy, Default)]
struct WordMasks {
    guards: u64,
    single: u64,
}

impl WordMasks {
    /// Whether every field of `upper` is at least that of `lower`.
    ///
    /// One-bit fields have no guard that would stop a borrow, so they are compared as bits and kept
    /// out of the subtraction.
    #[inline]
    fn covers(self, upper: u64, lower: u64) -> bool {
        let wide = |word: u64| word & !self.single;
        let left = (wide(upper) | self.guards).wrapping_sub(wide(lower)) & self.guards;
        lower & self.single & !upper == 0 && left == self.guards
    }
}

/// What came of trying a transition on a packed marking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fired {
    Disabled,
    Done,
    /// A field was too narrow; [`Layout::overflowing`] tells which.
    TooNarrow,
}

/// The packing of one net's markings.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    fields: Box<[Field]>,
    words: usize,
    steps: Box<[Step]>,
    /// `steps[ranges[t]..ranges[t + 1]]` belong to transition `t`.
    ranges: Box<[u32]>,
    /// Per word: the guards of its wider fields, and its one-bit fields.
    masks: Box<[WordMasks]>,
    /// The wider fields once more, for sums.
    wide: Box<[Field]>,
    /// The total changes with some transition, so it must be counted.
    total_varies: bool,
}

/// The count of a place is beyond `u32`.
#[derive(Debug, Clone, Copy)]
pub(super) struct TooManyTokens(pub(super) PlaceId);

impl Layout {
    /// Fields wide enough for the initial marking and every arc weight.
    ///
    /// In most nets tokens only change places, so that any place may come to hold what the fullest
    /// one holds at the start. Where that still packs tightly, all fields are made so wide at once,
    /// which saves packing everything anew when the search is well on its way.
    pub(super) fn new(net: &Net) -> Self {
        const WORDS_ROOMY: usize = 2;
        let tight = field_bits(&largest_counts(net));
        let widest = tight.iter().copied().max().unwrap_or(1);
        let (_, words) = place_fields(&vec![widest; tight.len()]);
        let roomy = words <= WORDS_ROOMY;
        Self::with_bits(net, if roomy { vec![widest; tight.len()] } else { tight })
    }

    /// The same with one more bit for each of these places.
    pub(super) fn widened(&self, net: &Net, places: &[PlaceId]) -> Result<Self, TooManyTokens> {
        let mut bits: Vec<u32> = self.fields.iter().map(|field| field.bits).collect();
        for &place in places {
            if let Some(bits) = bits.get_mut(place.index()) {
                *bits = bits.saturating_add(1);
                if *bits > u32::BITS {
                    return Err(TooManyTokens(place));
                }
            }
        }
        Ok(Self::with_bits(net, bits))
    }

    fn with_bits(net: &Net, bits: Vec<u32>) -> Self {
        let (fields, words) = place_fields(&bits);
        let mut masks = vec![WordMasks::default(); words];
        for field in &fields {
            let masks = &mut masks[field.word as usize];
            masks.guards |= field.guard_mask();
            if !field.has_guard() {
                masks.single |= field.value_mask();
            }
        }
        let mut steps = Vec::new();
        let mut ranges = vec![0];
        for transition in net.transitions() {
            steps.extend(steps_of(net, &fields, transition, words));
            ranges.push(steps.len() as u32);
        }
        let total_varies = net.transitions().any(|transition| {
            net.effect(transition).iter().map(|&(_, change)| i128::from(change)).sum::<i128>() != 0
        });
        let wide = fields.iter().copied().filter(|field| field.has_guard()).collect();
        Self {
            fields: fields.into(),
            words,
            steps: steps.into(),
            ranges: ranges.into(),
            masks: masks.into(),
            wide,
            total_varies,
        }
    }

    /// Words of a packed marking; at least 1.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    pub(super) fn transition_count(&self) -> usize {
        self.ranges.len() - 1
    }

    /// Fires `transition` from `from` into `into`, which already holds a copy of `from`.
    ///
    /// `into` is only meaningful after [`Fired::Done`]; it is a copy of `from` after `Disabled`.
    pub(super) fn fire(&self, from: &[u64], transition: usize, into: &mut [u64]) -> Fired {
        if !self.steps_of(transition).iter().all(|step| step.is_enabled(from[step.word as usize])) {
            return Fired::Disabled;
        }
        self.fire_enabled(from, transition, into)
    }

    /// Lists the enabled transitions of a packed marking, in declared order.
    ///
    /// Whether a transition is enabled is close to a coin toss, so that a branch for each would cost
    /// more than the test itself. For narrow layouts there is none: every transition is written to
    /// the list, and the next one over it if it was not enabled.
    #[inline(always)]
    pub(super) fn list_enabled<W: Width>(&self, from: &[u64], list: &mut Vec<u32>, width: W) {
        let transitions = self.transition_count();
        if !W::IS_NARROW {
            let enabled = |&t: &usize| {
                self.steps_of(t).iter().all(|step| step.is_enabled(from[step.word as usize]))
            };
            list.clear();
            list.extend((0..transitions).filter(enabled).map(|t| t as u32));
            return;
        }
        list.resize(transitions, 0);
        let mut count = 0;
        let from = &from[..width.words()];
        for (transition, steps) in self.steps.chunks_exact(width.words()).enumerate() {
            let words = steps.iter().zip(from);
            let enabled = words.fold(true, |all, (step, &word)| all & step.is_enabled(word));
            list[count] = transition as u32;
            count += usize::from(enabled);
        }
        list.truncate(count);
    }

    /// Fires a transition that is enabled; otherwise as [`fire`](Self::fire).
    #[inline(always)]
    pub(super) fn fire_enabled(&self, from: &[u64], transition: usize, into: &mut [u64]) -> Fired {
        let mut narrow = 0;
        for step in self.steps_of(transition) {
            let word = from[step.word as usize];
            let next = word.wrapping_add(step.change);
            narrow |= (word & step.vacant) | (next & step.put_guards);
            into[step.word as usize] = next;
        }
        if narrow == 0 { Fired::Done } else { Fired::TooNarrow }
    }

    #[inline(always)]
    fn steps_of(&self, transition: usize) -> &[Step] {
        &self.steps[self.ranges[transition] as usize..self.ranges[transition + 1] as usize]
    }

    /// The places that cannot hold what `transition` would put into them.
    pub(super) fn overflowing(
        &self,
        net: &Net,
        from: &[u64],
        transition: TransitionId,
    ) -> Vec<PlaceId> {
        let too_narrow = |&(place, change): &(PlaceId, i64)| {
            let capacity = (1_i64 << self.fields[place.index()].bits) - 1;
            i64::from(self.tokens(from, place)).saturating_add(change) > capacity
        };
        net.effect(transition).into_iter().filter(too_narrow).map(|(place, _)| place).collect()
    }

    /// The tokens of a place in a packed marking.
    #[inline]
    pub(super) fn tokens(&self, packed: &[u64], place: PlaceId) -> u32 {
        let field = self.fields[place.index()];
        ((packed[field.word as usize] & field.value_mask()) >> field.shift) as u32
    }

    /// The packed marking as a marking.
    pub(super) fn unpack(&self, packed: &[u64]) -> Marking {
        let mut marking = Marking::from(vec![0; self.fields.len()]);
        self.unpack_into(packed, &mut marking);
        marking
    }

    pub(super) fn unpack_into(&self, packed: &[u64], tokens: &mut [u32]) {
        for (field, count) in self.fields.iter().zip(tokens) {
            *count = ((packed[field.word as usize] & field.value_mask()) >> field.shift) as u32;
        }
    }

    /// Packs a marking; `None` if a count does not fit, so that it cannot have been stored.
    pub(super) fn pack(&self, tokens: &[u32], into: &mut [u64]) -> Option<()> {
        into.fill(0);
        for (field, &count) in self.fields.iter().zip(tokens) {
            if u64::from(count) >> field.bits != 0 {
                return None;
            }
            into[field.word as usize] |= u64::from(count) << field.shift;
        }
        Some(())
    }

    /// Whether every count of `upper` is at least that of `lower`.
    pub(super) fn covers(&self, upper: &[u64], lower: &[u64]) -> bool {
        let words = upper.iter().zip(lower);
        self.masks.iter().zip(words).all(|(masks, (&upper, &lower))| masks.covers(upper, lower))
    }

    /// All tokens of a packed marking, or `None` where firing never changes the total.
    #[inline]
    pub(super) fn varying_total(&self, packed: &[u64]) -> Option<u64> {
        self.total_varies.then(|| self.total(packed))
    }

    /// All tokens of a packed marking.
    pub(super) fn total(&self, packed: &[u64]) -> u64 {
        let single =
            |(masks, &word): (&WordMasks, &u64)| u64::from((word & masks.single).count_ones());
        let wide =
            |field: &Field| (packed[field.word as usize] & field.value_mask()) >> field.shift;
        self.masks.iter().zip(packed).map(single).sum::<u64>()
            + self.wide.iter().map(wide).sum::<u64>()
    }

    pub(super) fn peaks(&self) -> Peaks {
        Peaks { packed: vec![0; self.words].into() }
    }
}

/// The largest count seen in every field, itself packed.
#[derive(Debug, Clone)]
pub(super) struct Peaks {
    packed: Box<[u64]>,
}

impl Peaks {
    /// Raises the peaks to those of `packed`. Almost always there is nothing to raise, which one
    /// subtraction per word shows.
    #[inline]
    pub(super) fn raise(&mut self, layout: &Layout, packed: &[u64]) {
        if !layout.covers(&self.packed, packed) {
            self.raise_each(layout, packed);
        }
    }

    #[cold]
    fn raise_each(&mut self, layout: &Layout, packed: &[u64]) {
        for field in &layout.fields {
            let word = field.word as usize;
            let mask = field.value_mask();
            let largest = (self.packed[word] & mask).max(packed[word] & mask);
            self.packed[word] = (self.packed[word] & !mask) | largest;
        }
    }

    pub(super) fn unpack(&self, layout: &Layout) -> Marking {
        layout.unpack(&self.packed)
    }

    /// The same peaks in a layout that is at least as wide.
    pub(super) fn repacked(&self, from: &Layout, to: &Layout) -> Self {
        let mut peaks = to.peaks();
        let _fits = to.pack(&from.unpack(&self.packed), &mut peaks.packed);
        peaks
    }

    pub(super) fn absorb(&mut self, other: &Peaks, layout: &Layout) {
        self.raise(layout, &other.packed);
    }
}

/// The largest count each place has at the start or moves at once.
fn largest_counts(net: &Net) -> Vec<u32> {
    let mut largest: Vec<u32> = net.initial().to_vec();
    for transition in net.transitions() {
        for arc in net.inputs(transition).iter().chain(net.outputs(transition)) {
            largest[arc.place.index()] = largest[arc.place.index()].max(arc.weight);
        }
    }
    largest
}

fn field_bits(counts: &[u32]) -> Vec<u32> {
    counts.iter().map(|&count| count.max(1).ilog2() + 1).collect()
}

/// Widest fields first, each into the first word with room, so that one-bit fields fill the gaps.
fn place_fields(bits: &[u32]) -> (Vec<Field>, usize) {
    let mut fields: Vec<Field> =
        bits.iter().map(|&bits| Field { word: 0, shift: 0, bits }).collect();
    let mut order: Vec<usize> = (0..fields.len()).collect();
    order.sort_by_key(|&place| std::cmp::Reverse(bits[place]));
    let mut used: Vec<u32> = vec![0];
    let mut first_open = 0;
    for place in order {
        let span = fields[place].span();
        while used[first_open] == u64::BITS {
            first_open += 1;
            if first_open == used.len() {
                used.push(0);
            }
        }
        let word = (first_open..used.len()).find(|&word| used[word] + span <= u64::BITS);
        let word = word.unwrap_or_else(|| {
            used.push(0);
            used.len() - 1
        });
        fields[place].word = word as u32;
        fields[place].shift = used[word];
        used[word] += span;
    }
    if used.len() > 1 && used.last() == Some(&0) {
        used.pop();
    }
    (fields, used.len())
}

/// Steps for the words that a transition touches; in a narrow layout for all of them, so that every
/// transition has equally many.
fn steps_of(net: &Net, fields: &[Field], transition: TransitionId, words: usize) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    if words <= NARROW_WORDS {
        steps.extend((0..words as u32).map(|word| Step { word, ..Step::default() }));
    }
    let mut step_of = |field: Field| {
        let at = steps.iter().position(|step| step.word == field.word);
        at.unwrap_or_else(|| {
            steps.push(Step { word: field.word, ..Step::default() });
            steps.len() - 1
        })
    };
    let arcs = net.inputs(transition).iter().chain(net.outputs(transition));
    let touched: Vec<usize> = arcs.map(|arc| step_of(fields[arc.place.index()])).collect();
    for (arc, &at) in net.inputs(transition).iter().zip(&touched) {
        let field = fields[arc.place.index()];
        let step = &mut steps[at];
        if field.has_guard() {
            step.take |= u64::from(arc.weight) << field.shift;
            step.take_guards |= field.guard_mask();
        } else {
            step.need |= field.value_mask();
        }
    }
    for (place, change) in net.effect(transition) {
        let field = fields[place.index()];
        let Some(step) = steps.iter_mut().find(|step| step.word == field.word) else { continue };
        step.change = step.change.wrapping_add((change as u64) << field.shift);
        if change > 0 {
            step.put_guards |= field.guard_mask();
            if !field.has_guard() {
                step.vacant |= field.value_mask();
            }
        }
    }
    steps
}
