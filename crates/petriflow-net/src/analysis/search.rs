//! The breadth-first search: rounds over the parts, limits, widening, splitting.
//!
//! One depth is finished everywhere before the next begins, so the first way to a marking is a
//! shortest one. A round lets every part expand a chunk of its frontier, in turn or each on its own
//! thread; successors that belong to another part are handed over. Everything that needs the whole
//! picture (limits, wider fields, more parts, progress) happens between rounds on the calling thread.
#![expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "part numbers are below the number of parts, and counts of stored markings fit memory"
)]

use std::ops::ControlFlow;
use std::sync::mpsc;
use std::thread;

use super::coverability::coverability_within;
use super::explorer::{Explorer, Limit, Progress};
use super::layout::Layout;
use super::part::{Context, Found, Full, Links, Part, Tally, global_id, part_and_index, part_of};
use super::pump::{self, Pump};
use super::space::StateSpace;
use super::store::{AnyWidth, Drain, hash};
use crate::PlaceId;
use crate::invariants::{self, StructuralBound};

/// Markings that one part expands in one round.
const CHUNK: usize = 1 << 13;
/// The same where every part has a thread, which is slow to start and to wait for.
const CHUNK_PARALLEL: usize = 1 << 17;
/// Frontier from which several threads pay for themselves.
const PARALLEL_FRONTIER: usize = 1 << 11;
/// Markings up to which a net is simply explored, because any analysis ahead would take longer.
const SMALL: usize = 1 << 14;
/// Nodes and steps of the depth-first look for growth without end: a few milliseconds.
const PROBE_NODES: usize = 2_000;
const PROBE_WORK: u64 = 4_000_000;
/// Comparisons with ancestors allowed for every marking found.
const COMPARISONS_PER_MARKING: usize = 8;
/// Every marking keeps an index below this, so that numbers of markings fit their 32 bits.
const INDEX_MAX: usize = 1 << 31;

/// How a search ended.
pub(super) enum End {
    Complete,
    Limit(Limit),
    Unbounded(Pump),
}

/// What is known about growth without end.
enum Growth {
    Unknown,
    Possible,
    Impossible,
}

pub(super) struct Search<'n, 'c> {
    setup: Explorer<'n, 'c>,
    layout: Layout,
    parts: Vec<Part>,
    depth: u32,
    growth: Growth,
}

impl<'n, 'c> Search<'n, 'c> {
    pub(super) fn new(setup: Explorer<'n, 'c>) -> Self {
        let layout = Layout::new(setup.net);
        let parts = vec![Part::new(0, 1, &layout, setup.questions.len())];
        let mut search = Self { setup, layout, parts, depth: 0, growth: Growth::Unknown };
        search.store_initial();
        search
    }

    fn store_initial(&mut self) {
        let mut key = vec![0; self.layout.words()];
        // The layout was made to hold the initial marking.
        let _fits = self.layout.pack(self.setup.net.initial(), &mut key);
        let width = AnyWidth(key.len());
        let part = &mut self.parts[0];
        part.store.insert(&key, hash(&key, width), global_id(0, 0, 1), width);
        part.level_end = 1;
        part.tally.tokens_max = self.setup.net.initial().total();
        let context = context(&self.setup, &self.layout, 1, 0);
        part.observe(&context, &key, Found { depth: 0, index: 0 });
    }

    pub(super) fn run(
        &mut self,
        mut progress: Option<impl FnMut(&Progress) -> ControlFlow<()>>,
    ) -> End {
        loop {
            if self.frontier() == 0 && !self.next_level() {
                return End::Complete;
            }
            if let Err(limit) = self.round().and_then(|()| self.widen()) {
                // The limit may well have been reached because there is no end to the net.
                return self.last_look_for_growth().map_or(End::Limit(limit), End::Unbounded);
            }
            if let Some(pump) = self.look_for_growth() {
                return End::Unbounded(pump);
            }
            if let Some(progress) = &mut progress
                && progress(&self.progress()).is_break()
            {
                return End::Limit(Limit::Cancelled);
            }
        }
    }

    /// Moves on to the next depth; `false` if there is none.
    fn next_level(&mut self) -> bool {
        self.depth = self.depth.saturating_add(1);
        for part in &mut self.parts {
            part.level_end = part.store.len();
        }
        let frontier = self.frontier();
        if self.parts.len() < self.setup.threads && frontier >= PARALLEL_FRONTIER {
            self.rebuild(self.layout.clone(), self.setup.threads);
        }
        frontier > 0
    }

    fn round(&mut self) -> Result<(), Limit> {
        let (room, limit) = self.room();
        let parts = self.parts.len();
        let successors_max = parts * self.layout.transition_count().max(1);
        let chunk = CHUNK_PARALLEL.min(room / successors_max);
        let parallel =
            parts > 1 && chunk >= PARALLEL_FRONTIER && self.frontier() >= PARALLEL_FRONTIER;
        let context = context(&self.setup, &self.layout, parts, self.depth);
        if parallel {
            // The chunk is small enough that no part can run out of room.
            round_in_parallel(&mut self.parts, &context, chunk);
            return Ok(());
        }
        round_in_turn(&mut self.parts, &context, room).map_err(|Full| limit)
    }

    /// How many more markings may be stored, and the limit that says so.
    fn room(&self) -> (usize, Limit) {
        let Explorer { markings_max, memory_max_bytes, threads, .. } = self.setup;
        let len = self.len();
        let buffers: usize = self.parts.iter().map(Part::buffer_bytes).sum();
        // What a marking costs just after its index grew: its words, its parent, two slots.
        let marking_bytes = self.layout.words() * size_of::<u64>() + 3 * size_of::<u32>();
        let in_memory = memory_max_bytes.saturating_sub(buffers) / marking_bytes;
        let numbered = INDEX_MAX / threads;
        let markings_max = markings_max.min(numbered);
        if in_memory < markings_max {
            (in_memory.saturating_sub(len), Limit::Memory { memory_max_bytes })
        } else {
            (markings_max.saturating_sub(len), Limit::Markings { markings_max })
        }
    }

    /// Widens the fields that were too narrow, and packs everything anew.
    fn widen(&mut self) -> Result<(), Limit> {
        let mut narrow: Vec<PlaceId> =
            self.parts.iter_mut().flat_map(|part| std::mem::take(&mut part.narrow)).collect();
        if narrow.is_empty() {
            return Ok(());
        }
        narrow.sort_unstable();
        narrow.dedup();
        let widened = self.layout.widened(self.setup.net, &narrow);
        let layout = widened.map_err(|full| Limit::Tokens { place: full.0 })?;
        self.rebuild(layout, self.parts.len());
        Ok(())
    }

    /// Moves every marking into parts of another layout or number.
    fn rebuild(&mut self, layout: Layout, count: usize) {
        let questions = self.setup.questions.len();
        let mut parts: Vec<Part> =
            (0..count).map(|number| Part::new(number, count, &layout, questions)).collect();
        let old = std::mem::take(&mut self.parts);
        let old_count = old.len();
        if let ([before], [after]) = (old.as_slice(), parts.as_mut_slice()) {
            after.compared = before.compared;
        }
        let mut tallies = Vec::new();
        let mut leaving = Vec::new();
        for part in old {
            tallies.push(part.tally);
            let ends = [part.next, part.level_end, part.store.len()];
            leaving.push(Leaving {
                ends,
                moved: vec![0; ends[2]],
                markings: part.store.into_drain(),
            });
        }
        move_markings(&mut leaving, &self.layout, &mut parts, &layout);
        for part in &mut parts {
            for index in 0..part.store.len() {
                let (from, old_index) = part_and_index(part.store.parent(index), old_count);
                part.store.set_parent(index, leaving[from].moved[old_index]);
            }
        }
        for (tally, leaving) in tallies.into_iter().zip(&leaving) {
            merge_tally(tally, &self.layout, &leaving.moved, &mut parts, &layout);
        }
        self.parts = parts;
        self.layout = layout;
    }

    /// Looks for a proof that the net grows without end, once it is not small.
    ///
    /// A structural proof that it cannot grow settles the matter for good. Otherwise a depth-first
    /// probe finds growth that lies deep, and after that markings are compared with those they were
    /// reached from. That work is in proportion to the markings found, so a net that turns out
    /// bounded pays a constant factor at most; and every marking is compared in the end, so a net
    /// that grows without end is always recognised.
    fn look_for_growth(&mut self) -> Option<Pump> {
        match self.growth {
            Growth::Unknown if self.len() < SMALL => None,
            Growth::Unknown => self.probe_for_growth(),
            Growth::Possible => self.compare_with_ancestors(CHUNK * COMPARISONS_PER_MARKING),
            Growth::Impossible => None,
        }
    }

    fn last_look_for_growth(&mut self) -> Option<Pump> {
        let probed = match self.growth {
            Growth::Unknown => self.probe_for_growth(),
            Growth::Possible | Growth::Impossible => None,
        };
        probed.or_else(|| match self.growth {
            Growth::Possible => self.compare_with_ancestors(self.len() * COMPARISONS_PER_MARKING),
            Growth::Unknown | Growth::Impossible => None,
        })
    }

    fn probe_for_growth(&mut self) -> Option<Pump> {
        let bounded = invariants::structurally_bounded(self.setup.net);
        if matches!(bounded, StructuralBound::Bounded(_)) {
            self.growth = Growth::Impossible;
            return None;
        }
        self.growth = Growth::Possible;
        coverability_within(self.setup.net, PROBE_NODES, PROBE_WORK).pump
    }

    fn compare_with_ancestors(&mut self, comparisons_max: usize) -> Option<Pump> {
        pump::find(self.setup.net, &self.layout, &mut self.parts, comparisons_max)
    }

    fn len(&self) -> usize {
        self.parts.iter().map(|part| part.store.len()).sum()
    }

    fn frontier(&self) -> usize {
        self.parts.iter().map(Part::frontier).sum()
    }

    fn progress(&self) -> Progress {
        Progress {
            markings: self.len(),
            expanded: self.parts.iter().map(|part| part.next).sum(),
            edges: self.parts.iter().map(|part| part.tally.edges).sum(),
            depth: self.depth,
            memory_bytes: self.parts.iter().map(Part::bytes).sum(),
        }
    }

    pub(super) fn into_space(self) -> StateSpace<'n> {
        let posed = self.setup.questions.into_iter().map(|question| question.posed).collect();
        StateSpace::new(self.setup.net, self.layout, self.parts, posed)
    }
}

fn context<'a>(
    setup: &'a Explorer<'_, '_>,
    layout: &'a Layout,
    parts: usize,
    depth: u32,
) -> Context<'a> {
    Context {
        net: setup.net,
        layout,
        terminal_places: &setup.terminal_places,
        questions: &setup.questions,
        parts,
        depth,
    }
}

/// Expands a chunk of every part on the calling thread, storing at most `room` new markings.
fn round_in_turn(parts: &mut [Part], context: &Context<'_>, mut room: usize) -> Result<(), Full> {
    for from in 0..parts.len() {
        parts[from].expand(context, CHUNK, &mut room)?;
        for to in 0..parts.len() {
            let batch = parts[from].take_box(to);
            parts[to].receive(context, &batch, &mut room)?;
        }
    }
    Ok(())
}

/// Expands a chunk of every part on a thread of its own, the first on the calling one.
fn round_in_parallel(parts: &mut [Part], context: &Context<'_>, chunk: usize) {
    /// Messages that may wait for a part.
    const INBOX: usize = 64;
    let (senders, receivers): (Vec<_>, Vec<_>) =
        (0..parts.len()).map(|_| mpsc::sync_channel(INBOX)).unzip();
    let mut links: Vec<Links> =
        receivers.into_iter().map(|from| Links { to: senders.clone(), from }).collect();
    drop(senders);
    // A sender to oneself would keep a part waiting for itself; one without a receiver takes its place.
    for (part, links) in links.iter_mut().enumerate() {
        links.to[part] = mpsc::sync_channel(0).0;
    }
    let mut work = parts.iter_mut().zip(links);
    let first = work.next();
    thread::scope(|scope| {
        for (part, links) in work {
            scope.spawn(|| part.expand_among_others(context, chunk, links));
        }
        if let Some((part, links)) = first {
            part.expand_among_others(context, chunk, links);
        }
    });
}

/// The markings of a part that is given up.
struct Leaving {
    /// Where its expanded markings end, those of the current depth, and those of the next.
    ends: [usize; 3],
    markings: Drain,
    /// The new number of each marking.
    moved: Vec<u32>,
}

/// Moves all markings. Parents still have their old numbers afterwards.
///
/// Expanded ones go first, then the current depth, then the next, as [`Part`] requires.
fn move_markings(
    leaving: &mut [Leaving],
    old_layout: &Layout,
    parts: &mut [Part],
    layout: &Layout,
) {
    let width = AnyWidth(layout.words());
    let mut tokens = old_layout.unpack(&vec![0; old_layout.words()]);
    let mut key = vec![0; layout.words()];
    let count = parts.len();
    for stage in 0..3 {
        for leaving in &mut *leaving {
            let end = leaving.ends[stage];
            while let Some((index, packed, parent)) = leaving.markings.next_before(end) {
                old_layout.unpack_into(packed, &mut tokens);
                // The new layout is at least as wide.
                let _fits = layout.pack(&tokens, &mut key);
                let hash = hash(&key, width);
                let to = part_of(hash, count);
                if let Some(new_index) = parts[to].store.insert(&key, hash, parent, width) {
                    leaving.moved[index] = global_id(to, new_index, count);
                }
            }
        }
        for part in &mut *parts {
            match stage {
                0 => part.next = part.store.len(),
                1 => part.level_end = part.store.len(),
                _ => {}
            }
        }
    }
}

/// Adds an old part's counts to the new parts, with what it found under its new number.
fn merge_tally(
    tally: Tally,
    old_layout: &Layout,
    moved: &[u32],
    parts: &mut [Part],
    layout: &Layout,
) {
    let count = parts.len();
    let locate = |found: Found| {
        let (part, index) = part_and_index(moved[found.index], count);
        (part, Found { index, ..found })
    };
    if let Some((part, found)) = tally.deadlock.map(locate) {
        earliest(&mut parts[part].tally.deadlock, found);
    }
    for (question, settled) in tally.settled.into_iter().enumerate() {
        if let Some((part, found)) = settled.map(locate) {
            earliest(&mut parts[part].tally.settled[question], found);
        }
    }
    let sum = &mut parts[0].tally;
    sum.edges += tally.edges;
    sum.terminal += tally.terminal;
    sum.deadlocks += tally.deadlocks;
    sum.tokens_max = sum.tokens_max.max(tally.tokens_max);
    for (sum, fired) in sum.fired.iter_mut().zip(tally.fired) {
        *sum |= fired;
    }
    sum.peaks.absorb(&tally.peaks.repacked(old_layout, layout), layout);
}

fn earliest(slot: &mut Option<Found>, found: Found) {
    if slot.is_none_or(|held| found.depth < held.depth) {
        *slot = Some(found);
    }
}
