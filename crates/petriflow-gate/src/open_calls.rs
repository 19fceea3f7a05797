//! Calls in flight: allowed, and their result not here yet.

use hashbrown::{DefaultHashBuilder, HashTable};
use petriflow_net::TransitionId;
use serde::{Deserialize, Serialize};
use std::collections::{HashSet, VecDeque};
use std::hash::BuildHasher;

use crate::call::{CallDigest, Timestamp, ToolCall};
use crate::parts::Parts;
use crate::plan::{Held, Part};
use crate::{Action, Connective};

/// One firing that waits for a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pending {
    pub(crate) net: u32,
    pub(crate) site: u32,
    pub(crate) transition: TransitionId,
    pub(crate) part: Part,
    /// Whether the transition is still to fire, or only notes are to be taken.
    pub(crate) fires: bool,
    /// The validator saw what a success that is yet to come would note, so it runs again then.
    pub(crate) revalidate: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct OpenCall {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) digest: CallDigest,
    pub(crate) pending: Vec<Pending>,
    /// Given back with the result, whatever it is.
    pub(crate) held: Vec<Held>,
    /// Kept only if a hook will want to see it.
    pub(crate) kept: Option<Box<KeptCall>>,
    /// Order of being allowed.
    pub(crate) sequence: u64,
    pub(crate) decided_at: Timestamp,
}

/// A call and what it stood for, kept until its result.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct KeptCall {
    pub(crate) call: ToolCall,
    pub(crate) actions: Vec<Action>,
}

impl KeptCall {
    pub(crate) fn new(call: &ToolCall, parts: &Parts<'_>) -> Self {
        let actions = match parts {
            Parts::Plain(_) => Vec::new(),
            Parts::Several(several) => several.actions.clone(),
        };
        Self { call: call.clone(), actions }
    }

    pub(crate) fn action(&self, part: Part) -> Action {
        let number = match part {
            Part::Whole => None,
            Part::Number(number) => self.actions.get(number as usize),
        };
        number
            .cloned()
            .unwrap_or_else(|| Action::new(&self.call.tool).after(Connective::Regardless))
    }
}

/// A firing that could be taken back if its call turned out never to have run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Returnable {
    /// The call's.
    pub(crate) sequence: u64,
    pub(crate) net: u32,
    pub(crate) transition: TransitionId,
}

/// The calls in flight by id. Slots of calls that ended are filled again, buffers and all, so that a
/// session in use allocates nothing for a plain call.
#[derive(Debug, Default)]
pub(crate) struct OpenCalls {
    hasher: DefaultHashBuilder,
    index: HashTable<u32>,
    slots: Vec<OpenCall>,
    free: Vec<u32>,
    next_sequence: u64,
    /// Of calls in flight, in the order of firing.
    returnable: Vec<Returnable>,
    forgotten: VecDeque<String>,
    forgotten_ids: HashSet<String>,
}

/// Firings that can be taken back; beyond, the oldest count as used for good.
const RETURNABLE_MAX: usize = 1_024;

/// Buffers larger than this are given back with the call.
const PENDING_KEPT: usize = 64;

impl OpenCall {
    /// Nothing waits for its result.
    fn is_idle(&self) -> bool {
        self.pending.is_empty() && self.held.is_empty()
    }
}

impl OpenCalls {
    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    pub(crate) fn next_sequence(&self) -> u64 {
        self.next_sequence
    }

    pub(crate) fn set_next_sequence(&mut self, next_sequence: u64) {
        self.next_sequence = next_sequence;
    }

    pub(crate) fn get(&self, id: &str) -> Option<&OpenCall> {
        let hash = self.hasher.hash_one(id);
        let slot = self.index.find(hash, |&slot| self.id_at(slot) == Some(id))?;
        self.slots.get(*slot as usize)
    }

    /// In the order of being allowed.
    pub(crate) fn in_order(&self) -> Vec<&OpenCall> {
        let mut calls: Vec<&OpenCall> =
            self.index.iter().filter_map(|&slot| self.slots.get(slot as usize)).collect();
        calls.sort_unstable_by_key(|call| call.sequence);
        calls
    }

    /// Adds a call and returns it to be filled in. The id must not be in use.
    pub(crate) fn add(
        &mut self,
        call: &ToolCall,
        digest: CallDigest,
        now: Timestamp,
    ) -> &mut OpenCall {
        let sequence = self.next_sequence;
        self.next_sequence = sequence.saturating_add(1);
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(OpenCall {
                id: String::new(),
                tool: String::new(),
                digest,
                pending: Vec::new(),
                held: Vec::new(),
                kept: None,
                sequence,
                decided_at: now,
            });
            self.slots.len().saturating_sub(1) as u32
        });
        let hash = self.hasher.hash_one(call.id.as_str());
        #[expect(clippy::indexing_slicing, reason = "the slot was just taken from the list")]
        let open = &mut self.slots[slot as usize];
        open.id.clone_from(&call.id);
        open.tool.clone_from(&call.tool);
        open.digest = digest;
        open.pending.clear();
        open.held.clear();
        open.kept = None;
        open.sequence = sequence;
        open.decided_at = now;
        let Self { slots, index, hasher, .. } = self;
        let rehash = |&slot: &u32| {
            slots.get(slot as usize).map_or(0, |open| hasher.hash_one(open.id.as_str()))
        };
        index.insert_unique(hash, slot, rehash);
        #[expect(clippy::indexing_slicing, reason = "the slot was just filled")]
        &mut self.slots[slot as usize]
    }

    /// Takes a call out. Its buffers go back with [`recycle`](Self::recycle).
    pub(crate) fn remove(&mut self, id: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(id);
        let Self { slots, index, .. } = self;
        let is_it = |&slot: &u32| slots.get(slot as usize).is_some_and(|open| open.id == id);
        let (slot, _) = index.find_entry(hash, is_it).ok()?.remove();
        if let Some(sequence) = slots.get(slot as usize).map(|open| open.sequence) {
            self.returnable.retain(|returnable| returnable.sequence != sequence);
        }
        Some(slot)
    }

    /// The call's firings that can still be taken back.
    pub(crate) fn returnable(&self, sequence: u64) -> impl Iterator<Item = Returnable> {
        self.returnable.iter().copied().filter(move |firing| firing.sequence == sequence)
    }

    pub(crate) fn add_returnable(&mut self, firing: Returnable) {
        if self.returnable.len() >= RETURNABLE_MAX {
            self.returnable.remove(0);
        }
        self.returnable.push(firing);
    }

    /// A net is moved by a transition, or will be: what others did before in that net cannot be
    /// taken back any more, because this one may rely on it. Firings of one and the same transition
    /// do not rely on each other: without one of them, the others would have come all the same.
    pub(crate) fn moves(&mut self, net: u32, transition: TransitionId, at_once: bool) {
        self.returnable
            .retain(|firing| firing.net != net || (at_once && firing.transition == transition));
    }

    pub(crate) fn slot(&self, slot: u32) -> Option<&OpenCall> {
        self.slots.get(slot as usize)
    }

    pub(crate) fn recycle(&mut self, slot: u32) {
        if let Some(open) = self.slots.get_mut(slot as usize) {
            open.kept = None;
            // A call with many parts must not keep its buffers for ever.
            open.pending.clear();
            open.pending.shrink_to(PENDING_KEPT);
            open.held.clear();
            open.held.shrink_to(PENDING_KEPT);
        }
        self.free.push(slot);
    }

    /// Makes room below `max`: forgets the oldest call that nothing waits for.
    pub(crate) fn make_room(&mut self, max: usize) -> Result<(), Full> {
        if self.len() < max {
            return Ok(());
        }
        let idle = self.index.iter().filter_map(|&slot| self.slots.get(slot as usize));
        let oldest = idle.filter(|open| open.is_idle()).min_by_key(|open| open.sequence);
        let id = oldest.map(|open| open.id.clone()).ok_or(Full)?;
        if let Some(slot) = self.forget(&id, max) {
            self.recycle(slot);
        }
        if self.len() < max { Ok(()) } else { Err(Full) }
    }

    pub(crate) fn has_room(&self, max: usize) -> bool {
        let is_idle = |&slot: &u32| self.slots.get(slot as usize).is_some_and(OpenCall::is_idle);
        max > 0 && (self.len() < max || self.index.iter().any(is_idle))
    }

    /// How many firings wait for results.
    pub(crate) fn pending_count(&self) -> usize {
        let calls = self.index.iter().filter_map(|&slot| self.slots.get(slot as usize));
        calls.map(|open| open.pending.len()).sum()
    }

    /// Takes a call out whose result has not come, and remembers its id: a result that comes late
    /// must not be taken for that of another call.
    pub(crate) fn forget(&mut self, id: &str, remembered_max: usize) -> Option<u32> {
        let slot = self.remove(id)?;
        self.remember_forgotten(id.to_owned());
        while self.forgotten.len() > remembered_max.max(1) {
            if let Some(oldest) = self.forgotten.pop_front() {
                self.forgotten_ids.remove(&oldest);
            }
        }
        Some(slot)
    }

    pub(crate) fn remember_forgotten(&mut self, id: String) {
        if self.forgotten_ids.insert(id.clone()) {
            self.forgotten.push_back(id);
        }
    }

    pub(crate) fn is_forgotten(&self, id: &str) -> bool {
        !self.forgotten.is_empty() && self.forgotten_ids.contains(id)
    }

    /// Ids of calls that were forgotten, the oldest first.
    pub(crate) fn forgotten(&self) -> impl Iterator<Item = &String> {
        self.forgotten.iter()
    }

    fn id_at(&self, slot: u32) -> Option<&str> {
        self.slots.get(slot as usize).map(|open| open.id.as_str())
    }
}

/// Something waits for every call in flight.
#[derive(Debug)]
pub(crate) struct Full;
