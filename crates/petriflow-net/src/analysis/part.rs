//! One share of the search: the markings whose hash falls to it, and their expansion.
#![expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "indices come from the store and from batches that keep keys, hashes and parents in step"
)]

use super::claims::{MarkingView, Question};
use super::layout::{Fired, Layout, Peaks};
use super::store::{BATCH, Store, Width, hash, with_width};
use crate::net::transition_id;
use crate::{Net, PlaceId};

/// Markings on their way to the part that stores them.
#[derive(Debug, Default)]
pub(super) struct Batch {
    keys: Vec<u64>,
    hashes: Vec<u64>,
    parents: Vec<u32>,
}

impl Batch {
    #[inline(always)]
    fn push(&mut self, key: &[u64], hash: u64, parent: u32) {
        self.keys.extend_from_slice(key);
        self.hashes.push(hash);
        self.parents.push(parent);
    }

    fn len(&self) -> usize {
        self.hashes.len()
    }

    fn clear(&mut self) {
        self.keys.clear();
        self.hashes.clear();
        self.parents.clear();
    }

    fn bytes(&self) -> usize {
        (self.keys.capacity() + self.hashes.capacity()) * size_of::<u64>()
            + self.parents.capacity() * size_of::<u32>()
    }
}

/// A marking that answered a question, and the length of the shortest sequence to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) depth: u32,
    /// Index within the part.
    pub(super) index: usize,
}

/// What a part has counted.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    pub(super) edges: u64,
    pub(super) terminal: u64,
    pub(super) deadlocks: u64,
    pub(super) deadlock: Option<Found>,
    pub(super) fired: Vec<bool>,
    pub(super) peaks: Peaks,
    pub(super) tokens_max: u64,
    /// The first marking that settles each question.
    pub(super) settled: Vec<Option<Found>>,
}

impl Tally {
    pub(super) fn new(layout: &Layout, questions: usize) -> Self {
        Self {
            edges: 0,
            terminal: 0,
            deadlocks: 0,
            deadlock: None,
            fired: vec![false; layout.transition_count()],
            peaks: layout.peaks(),
            tokens_max: 0,
            settled: vec![None; questions],
        }
    }
}

/// What all parts share during a round.
pub(super) struct Context<'a> {
    pub(super) net: &'a Net,
    pub(super) layout: &'a Layout,
    pub(super) terminal_places: &'a [PlaceId],
    pub(super) questions: &'a [Question<'a>],
    pub(super) parts: usize,
    /// Depth of the markings being expanded.
    pub(super) depth: u32,
}

impl Context<'_> {
    /// The part a marking belongs to.
    #[inline(always)]
    pub(super) fn part_of(&self, hash: u64) -> usize {
        part_of(hash, self.parts)
    }
}

#[inline(always)]
pub(super) fn part_of(hash: u64, parts: usize) -> usize {
    (((hash & 0xffff) * parts as u64) >> 16) as usize
}

/// A marking of any part as one number, as parents are stored.
#[inline(always)]
pub(super) fn global_id(part: usize, index: usize, parts: usize) -> u32 {
    (index * parts + part) as u32
}

/// The part and the index behind a number made by [`global_id`].
pub(super) fn part_and_index(id: u32, parts: usize) -> (usize, usize) {
    (id as usize % parts, id as usize / parts)
}

#[derive(Debug)]
pub(super) struct Part {
    number: usize,
    pub(super) store: Store,
    // INVARIANT: markings before `next` are expanded, those before `level_end` are of the current
    // depth, those after it of the next.
    pub(super) next: usize,
    pub(super) level_end: usize,
    pub(super) tally: Tally,
    batch: Batch,
    /// Successors that belong to other parts, by part.
    pub(super) outboxes: Vec<Batch>,
    /// Successors found by other parts, by part.
    pub(super) inboxes: Vec<Batch>,
    /// Places whose fields were too narrow.
    pub(super) narrow: Vec<PlaceId>,
    /// Markings before this were compared with their ancestors.
    pub(super) compared: usize,
}

/// There was no room for another marking.
pub(super) struct Full;

impl Part {
    pub(super) fn new(number: usize, parts: usize, layout: &Layout, questions: usize) -> Self {
        let boxes = || (0..parts).map(|_| Batch::default()).collect();
        Self {
            number,
            store: Store::new(layout.words()),
            next: 0,
            level_end: 0,
            tally: Tally::new(layout, questions),
            batch: Batch::default(),
            outboxes: boxes(),
            inboxes: boxes(),
            narrow: Vec::new(),
            compared: 0,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.store.bytes() + self.buffer_bytes()
    }

    pub(super) fn buffer_bytes(&self) -> usize {
        let boxes = self.outboxes.iter().chain(&self.inboxes);
        boxes.chain([&self.batch]).map(Batch::bytes).sum()
    }

    /// Markings of the current depth still to expand.
    pub(super) fn frontier(&self) -> usize {
        self.level_end - self.next
    }

    /// Expands up to `chunk` markings of the current depth, storing at most `room` new ones.
    ///
    /// Stops before a marking one of whose successors does not fit the layout.
    pub(super) fn expand(
        &mut self,
        context: &Context<'_>,
        chunk: usize,
        room: &mut usize,
    ) -> Result<(), Full> {
        with_width!(context.layout.words(), width => self.expand_with(context, chunk, room, width))
    }

    fn expand_with<W: Width>(
        &mut self,
        context: &Context<'_>,
        chunk: usize,
        room: &mut usize,
        width: W,
    ) -> Result<(), Full> {
        let mut from = vec![0; width.words()];
        let mut into = vec![0; width.words()];
        let end = self.level_end.min(self.next.saturating_add(chunk));
        while self.next < end {
            from.copy_from_slice(self.store.key(self.next, width));
            into.copy_from_slice(&from);
            if !self.expand_one(context, &from, &mut into, width) {
                break;
            }
            self.next += 1;
            if self.batch.len() >= BATCH {
                self.store_batch(context, room, width)?;
            }
        }
        self.store_batch(context, room, width)
    }

    /// Gathers the successors of marking `next`; `false` if one of them does not fit the layout.
    #[inline(always)]
    fn expand_one<W: Width>(
        &mut self,
        context: &Context<'_>,
        from: &[u64],
        into: &mut [u64],
        width: W,
    ) -> bool {
        let parent = global_id(self.number, self.next, context.parts);
        let mut edges = 0;
        for transition in 0..context.layout.transition_count() {
            match context.layout.fire(from, transition, into) {
                Fired::Disabled => continue,
                Fired::TooNarrow => {
                    let transition = transition_id(transition);
                    self.narrow = context.layout.overflowing(context.net, from, transition);
                    // Successors gathered so far are real; this marking is expanded again later.
                    return false;
                }
                Fired::Done => {}
            }
            edges += 1;
            self.tally.fired[transition] = true;
            let hash = hash(into, width);
            let part = context.part_of(hash);
            if part == self.number {
                self.batch.push(into, hash, parent);
            } else {
                self.outboxes[part].push(into, hash, parent);
            }
            into.copy_from_slice(from);
        }
        self.tally.edges += edges;
        if edges == 0 {
            self.count_terminal(context, from);
        }
        true
    }

    fn count_terminal(&mut self, context: &Context<'_>, packed: &[u64]) {
        self.tally.terminal += 1;
        let is_marked = |&place: &PlaceId| context.layout.tokens(packed, place) > 0;
        if !context.terminal_places.iter().any(is_marked) {
            self.tally.deadlocks += 1;
            let found = Found { depth: context.depth, index: self.next };
            self.tally.deadlock.get_or_insert(found);
        }
    }

    fn store_batch<W: Width>(
        &mut self,
        context: &Context<'_>,
        room: &mut usize,
        width: W,
    ) -> Result<(), Full> {
        let mut batch = std::mem::take(&mut self.batch);
        let stored = self.store_all(context, &batch, room, width);
        batch.clear();
        self.batch = batch;
        stored
    }

    /// Stores what the other parts found for this one.
    pub(super) fn receive(&mut self, context: &Context<'_>, room: &mut usize) -> Result<(), Full> {
        for from in 0..self.inboxes.len() {
            let mut batch = std::mem::take(&mut self.inboxes[from]);
            with_width!(context.layout.words(), width => {
                self.store_all(context, &batch, room, width)?;
            });
            batch.clear();
            self.inboxes[from] = batch;
        }
        Ok(())
    }

    fn store_all<W: Width>(
        &mut self,
        context: &Context<'_>,
        batch: &Batch,
        room: &mut usize,
        width: W,
    ) -> Result<(), Full> {
        let mut known = [false; BATCH];
        let words = width.words();
        let hashes = batch.hashes.chunks(BATCH);
        let keys = batch.keys.chunks(BATCH * words);
        for ((hashes, keys), parents) in hashes.zip(keys).zip(batch.parents.chunks(BATCH)) {
            self.store.known(keys, hashes, &mut known, width);
            for (at, key) in keys.chunks_exact(words).enumerate() {
                if !known[at] {
                    self.store_one(context, key, hashes[at], parents[at], room, width)?;
                }
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn store_one<W: Width>(
        &mut self,
        context: &Context<'_>,
        key: &[u64],
        hash: u64,
        parent: u32,
        room: &mut usize,
        width: W,
    ) -> Result<(), Full> {
        if *room == 0 {
            return self.store.find(key, hash, width).map(|_| ()).ok_or(Full);
        }
        if let Some(index) = self.store.insert(key, hash, parent, width) {
            *room -= 1;
            self.observe(context, key, Found { depth: context.depth + 1, index });
        }
        Ok(())
    }

    /// Counts a new marking.
    #[inline]
    pub(super) fn observe(&mut self, context: &Context<'_>, key: &[u64], found: Found) {
        self.tally.peaks.raise(context.layout, key);
        if let Some(total) = context.layout.varying_total(key) {
            self.tally.tokens_max = self.tally.tokens_max.max(total);
        }
        for (question, settled) in context.questions.iter().zip(&mut self.tally.settled) {
            if settled.is_none() && question.is_settled_by(&MarkingView::new(context.layout, key)) {
                *settled = Some(found);
            }
        }
    }
}
