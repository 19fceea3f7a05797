//! One share of the search: the markings whose hash falls to it, and their expansion.
#![expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "indices come from the store and from batches that keep keys, hashes and parents in step"
)]

use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError};
use std::thread;

use super::claims::{MarkingView, Question};
use super::layout::{Fired, Layout, Peaks};
use super::store::{AnyWidth, BATCH, Store, Width, hash, with_width};
use crate::net::transition_id;
use crate::{Net, PlaceId};

/// Markings on their way to the part that stores them: records of a packed marking, its hash and
/// its parent, in one list so that adding one is a single copy.
#[derive(Debug, Default)]
pub(super) struct Batch(Vec<u64>);

/// Words of a record beside the packed marking.
const RECORD_EXTRA: usize = 2;

impl Batch {
    fn len<W: Width>(&self, width: W) -> usize {
        self.0.len() / (width.words() + RECORD_EXTRA)
    }

    fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<u64>()
    }
}

/// Markings that make a message to another part.
const MESSAGE: usize = 1 << 10;
/// Markings expanded before messages are looked at.
const EXPANDED_BETWEEN_MESSAGES: usize = 1 << 8;

/// The ways to and from the other parts during a round: `to` has one sender for every part, its own
/// included, so that positions match.
pub(super) struct Links {
    pub(super) to: Vec<SyncSender<Batch>>,
    pub(super) from: Receiver<Batch>,
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
    /// The enabled transitions of the marking being expanded.
    enabled: Vec<u32>,
    /// Successors to be stored, by the part they belong to.
    boxes: Vec<Batch>,
    /// Places whose fields were too narrow.
    pub(super) narrow: Vec<PlaceId>,
    /// Markings before this were compared with their ancestors.
    pub(super) compared: usize,
}

/// There was no room for another marking.
pub(super) struct Full;

impl Part {
    pub(super) fn new(number: usize, parts: usize, layout: &Layout, questions: usize) -> Self {
        Self {
            number,
            store: Store::new(layout.words()),
            next: 0,
            level_end: 0,
            tally: Tally::new(layout, questions),
            enabled: Vec::new(),
            boxes: (0..parts).map(|_| Batch::default()).collect(),
            narrow: Vec::new(),
            compared: 0,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.store.bytes() + self.buffer_bytes()
    }

    pub(super) fn buffer_bytes(&self) -> usize {
        self.boxes.iter().map(Batch::bytes).sum()
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
        let mut record = vec![0; width.words() + RECORD_EXTRA];
        let end = self.level_end.min(self.next.saturating_add(chunk));
        while self.next < end {
            from.copy_from_slice(self.store.key(self.next, width));
            if !self.expand_one(context, &from, &mut record, width) {
                break;
            }
            self.next += 1;
            if self.boxes[self.number].len(width) >= BATCH {
                self.store_own(context, room, width)?;
            }
        }
        self.store_own(context, room, width)
    }

    /// Gathers the successors of marking `next`; `false` if one of them does not fit the layout.
    #[inline(always)]
    fn expand_one<W: Width>(
        &mut self,
        context: &Context<'_>,
        from: &[u64],
        record: &mut [u64],
        width: W,
    ) -> bool {
        let words = width.words();
        let record = &mut record[..words + RECORD_EXTRA];
        record[..words].copy_from_slice(&from[..words]);
        record[words + 1] = u64::from(global_id(self.number, self.next, context.parts));
        context.layout.list_enabled(from, &mut self.enabled, width);
        for at in 0..self.enabled.len() {
            let transition = self.enabled[at] as usize;
            if context.layout.fire_enabled(from, transition, record) == Fired::TooNarrow {
                let transition = transition_id(transition);
                self.narrow = context.layout.overflowing(context.net, from, transition);
                // Successors gathered so far are real; this marking is expanded again later.
                return false;
            }
            self.tally.fired[transition] = true;
            record[words] = hash(record, width);
            // Which part is a coin toss, so it must not be a branch.
            self.boxes[context.part_of(record[words])].0.extend_from_slice(record);
            record[..words].copy_from_slice(&from[..words]);
        }
        self.tally.edges += self.enabled.len() as u64;
        if self.enabled.is_empty() {
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

    fn store_own<W: Width>(
        &mut self,
        context: &Context<'_>,
        room: &mut usize,
        width: W,
    ) -> Result<(), Full> {
        let mut own = self.take_box(self.number);
        let stored = self.store_all(context, &own, room, width);
        own.0.clear();
        self.boxes[self.number] = own;
        stored
    }

    /// Takes the successors found for another part.
    pub(super) fn take_box(&mut self, part: usize) -> Batch {
        std::mem::take(&mut self.boxes[part])
    }

    /// Stores what another part found for this one.
    pub(super) fn receive(
        &mut self,
        context: &Context<'_>,
        batch: &Batch,
        room: &mut usize,
    ) -> Result<(), Full> {
        with_width!(context.layout.words(), width => self.store_all(context, batch, room, width))
    }

    /// Expands up to `chunk` markings while the other parts do the same on their threads.
    ///
    /// The caller has made sure that there is room for whatever comes.
    pub(super) fn expand_among_others(
        &mut self,
        context: &Context<'_>,
        chunk: usize,
        links: Links,
    ) {
        let Links { to, from } = links;
        let end = self.level_end.min(self.next.saturating_add(chunk));
        while self.next < end && self.narrow.is_empty() {
            let few = EXPANDED_BETWEEN_MESSAGES.min(end - self.next);
            let _has_room = self.expand(context, few, &mut { usize::MAX });
            self.send(context, &to, &from, MESSAGE);
            self.receive_waiting(context, &from);
        }
        self.send(context, &to, &from, 1);
        // A part is done when nobody can send to it any more.
        drop(to);
        // The others are about to finish too: a thread that slept would take longer to wake up.
        loop {
            match from.try_recv() {
                Ok(batch) => {
                    let _has_room = self.receive(context, &batch, &mut { usize::MAX });
                }
                Err(TryRecvError::Empty) => thread::yield_now(),
                Err(TryRecvError::Disconnected) => break,
            }
        }
    }

    /// Sends to the others what they have at least `len_min` markings to store of.
    fn send(
        &mut self,
        context: &Context<'_>,
        to: &[SyncSender<Batch>],
        from: &Receiver<Batch>,
        len_min: usize,
    ) {
        let width = AnyWidth(context.layout.words());
        for (part, sender) in to.iter().enumerate() {
            if part == self.number || self.boxes[part].len(width) < len_min {
                continue;
            }
            let mut batch = self.take_box(part);
            // Two parts with full inboxes must not wait for each other: receive before trying again.
            while let Err(TrySendError::Full(unsent)) = sender.try_send(batch) {
                batch = unsent;
                if !self.receive_waiting(context, from) {
                    thread::yield_now();
                }
            }
        }
    }

    /// Stores what has arrived; `false` if nothing has.
    fn receive_waiting(&mut self, context: &Context<'_>, from: &Receiver<Batch>) -> bool {
        let mut any = false;
        while let Ok(batch) = from.try_recv() {
            any = true;
            let _has_room = self.receive(context, &batch, &mut { usize::MAX });
        }
        any
    }

    fn store_all<W: Width>(
        &mut self,
        context: &Context<'_>,
        batch: &Batch,
        room: &mut usize,
        width: W,
    ) -> Result<(), Full> {
        let stride = width.words() + RECORD_EXTRA;
        let mut hashes = [0; BATCH];
        let mut known = [false; BATCH];
        for records in batch.0.chunks(BATCH * stride) {
            let records = records.chunks_exact(stride);
            for (hash, record) in hashes.iter_mut().zip(records.clone()) {
                *hash = record[width.words()];
            }
            self.store.known(records.clone(), &hashes[..records.len()], &mut known, width);
            for (record, _) in records.zip(&known).filter(|&(_, known)| !known) {
                self.store_one(context, record, room, width)?;
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn store_one<W: Width>(
        &mut self,
        context: &Context<'_>,
        record: &[u64],
        room: &mut usize,
        width: W,
    ) -> Result<(), Full> {
        let (key, extra) = record.split_at(width.words());
        let (hash, parent) = (extra[0], extra[1] as u32);
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
