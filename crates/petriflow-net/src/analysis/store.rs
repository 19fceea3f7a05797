//! Every marking met so far, stored whole: an arena in order of discovery and an exact index.
#![expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "indices come from the arena itself, slots are reduced to the table's length, and the \
              search keeps the number of markings below the index range"
)]

/// Words per packed marking: known when compiled for the common widths, so that loops over them
/// vanish.
pub(super) trait Width: Copy + Send + Sync {
    /// At most [`NARROW_WORDS`].
    const IS_NARROW: bool;
    fn words(self) -> usize;
}

/// Widths up to this are known when compiled.
pub(super) const NARROW_WORDS: usize = 2;

#[derive(Clone, Copy)]
pub(super) struct Fixed<const N: usize>;

impl<const N: usize> Width for Fixed<N> {
    const IS_NARROW: bool = N <= NARROW_WORDS;
    #[inline(always)]
    fn words(self) -> usize {
        N
    }
}

#[derive(Clone, Copy)]
pub(super) struct AnyWidth(pub(super) usize);

impl Width for AnyWidth {
    const IS_NARROW: bool = false;
    #[inline(always)]
    fn words(self) -> usize {
        self.0
    }
}

/// Calls a function with the width as a constant where it is small.
macro_rules! with_width {
    ($words:expr, $width:ident => $body:expr) => {
        match $words {
            1 => {
                let $width = $crate::analysis::store::Fixed::<1>;
                $body
            }
            2 => {
                let $width = $crate::analysis::store::Fixed::<2>;
                $body
            }
            words => {
                let $width = $crate::analysis::store::AnyWidth(words);
                $body
            }
        }
    };
}
pub(super) use with_width;

/// Markings per segment. Segments never move, so growing copies nothing and wastes at most one.
const SEGMENT: usize = 1 << SEGMENT_BITS;
const SEGMENT_BITS: usize = 12;

/// Packed markings and the marking each was first reached from.
#[derive(Debug, Default)]
pub(super) struct Arena {
    keys: Vec<Vec<u64>>,
    parents: Vec<Vec<u32>>,
    len: usize,
    words: usize,
}

impl Arena {
    fn new(words: usize) -> Self {
        Self { words, ..Self::default() }
    }

    #[inline(always)]
    fn key<W: Width>(&self, index: usize, width: W) -> &[u64] {
        let words = width.words();
        let start = (index & (SEGMENT - 1)) * words;
        &self.keys[index >> SEGMENT_BITS][start..start + words]
    }

    fn push(&mut self, key: &[u64], parent: u32) {
        if self.len & (SEGMENT - 1) == 0 {
            self.keys.push(Vec::with_capacity(SEGMENT * self.words));
            self.parents.push(Vec::with_capacity(SEGMENT));
        }
        let segment = self.len >> SEGMENT_BITS;
        self.keys[segment].extend_from_slice(key);
        self.parents[segment].push(parent);
        self.len += 1;
    }

    fn bytes(&self) -> usize {
        self.keys.len() * SEGMENT * (self.words * size_of::<u64>() + size_of::<u32>())
    }
}

/// A set of packed markings with stable indices.
///
/// The index is open addressing over 4-byte slots, in buckets of one cache line each. The bits of a
/// slot that the marking's index does not need hold a part of its hash, so that the arena is touched
/// almost only for a real hit, and a bucket is searched without a branch.
#[derive(Debug)]
pub(super) struct Store {
    arena: Arena,
    buckets: Vec<Bucket>,
    /// Bits of a slot that hold the index plus 1; a slot of 0 is empty.
    index_bits: u32,
    /// The table grows when the arena reaches this.
    len_max: usize,
}

const BUCKET: usize = 16;

#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Bucket([u32; BUCKET]);

impl Bucket {
    /// The slots whose part of the hash matches, as bits. Empty slots may match too.
    #[inline(always)]
    fn matching(&self, hash: u64, index_bits: u32) -> u32 {
        let bit =
            |(at, &entry): (usize, &u32)| u32::from((entry ^ hash as u32) >> index_bits == 0) << at;
        self.0.iter().enumerate().map(bit).fold(0, |bits, bit| bits | bit)
    }

    /// The slots that are taken, as bits. They are always the first ones.
    #[inline(always)]
    fn taken(&self) -> u32 {
        let bit = |(at, &entry): (usize, &u32)| u32::from(entry != 0) << at;
        self.0.iter().enumerate().map(bit).fold(0, |bits, bit| bits | bit)
    }

    fn is_full(&self) -> bool {
        self.0[BUCKET - 1] != 0
    }

    fn push(&mut self, entry: u32) {
        let free = self.taken().count_ones() as usize;
        self.0[free] = entry;
    }
}

/// Markings looked up together.
pub(super) const BATCH: usize = 256;

/// Buckets of a new table, so that small nets do not grow one at all.
const FIRST_BUCKETS: usize = 1 << 6;

impl Store {
    pub(super) fn new(words: usize) -> Self {
        let mut store =
            Self { arena: Arena::new(words), buckets: Vec::new(), index_bits: 0, len_max: 0 };
        store.resize(FIRST_BUCKETS);
        store
    }

    pub(super) fn len(&self) -> usize {
        self.arena.len
    }

    /// Gives up the index and hands out the markings in order, freeing them on the way, so that
    /// moving them elsewhere does not need the space twice.
    pub(super) fn into_drain(self) -> Drain {
        Drain { arena: self.arena, next: 0 }
    }

    pub(super) fn bytes(&self) -> usize {
        self.arena.bytes() + self.buckets.capacity() * size_of::<Bucket>()
    }

    #[inline(always)]
    pub(super) fn key<W: Width>(&self, index: usize, width: W) -> &[u64] {
        self.arena.key(index, width)
    }

    pub(super) fn parent(&self, index: usize) -> u32 {
        self.arena.parents[index >> SEGMENT_BITS][index & (SEGMENT - 1)]
    }

    pub(super) fn set_parent(&mut self, index: usize, parent: u32) {
        self.arena.parents[index >> SEGMENT_BITS][index & (SEGMENT - 1)] = parent;
    }

    /// Finds which markings of a batch are stored already; keys may be followed by other words.
    ///
    /// In passes, so that the cache misses of all members overlap instead of following each other:
    /// first the buckets, then, where a slot's part of the hash matches, the stored markings. A
    /// marking that is not reported may still be stored, behind another with the same part of the
    /// hash or in a bucket further on.
    #[inline(always)]
    pub(super) fn known<'k, W: Width>(
        &self,
        keys: impl Iterator<Item = &'k [u64]>,
        hashes: &[u64],
        known: &mut [bool; BATCH],
        width: W,
    ) {
        let mut entries = [0_u32; BATCH];
        for (entry, &hash) in entries.iter_mut().zip(hashes) {
            *entry = self.buckets[self.home(hash)].0[0];
        }
        for (entry, &hash) in entries.iter_mut().zip(hashes) {
            let bucket = &self.buckets[self.home(hash)];
            let matching = bucket.matching(hash, self.index_bits) & bucket.taken();
            // Without a match, the last slot: most often empty, else compared in vain.
            *entry = bucket.0[(matching.trailing_zeros() as usize).min(BUCKET - 1)];
        }
        for ((known, &entry), key) in known.iter_mut().zip(&entries).zip(keys) {
            // An empty slot reads marking 0, which is always there, instead of taking a branch that
            // would be mispredicted.
            let index = self.index_of(entry.max(1));
            *known = (entry != 0) & (self.key(index, width) == &key[..width.words()]);
        }
    }

    /// The index of a marking that is stored.
    #[inline(always)]
    pub(super) fn find<W: Width>(&self, key: &[u64], hash: u64, width: W) -> Option<usize> {
        self.probe(key, hash, width).ok()
    }

    /// Stores a marking unless it is there; its index if it is new.
    #[inline(always)]
    pub(super) fn insert<W: Width>(
        &mut self,
        key: &[u64],
        hash: u64,
        parent: u32,
        width: W,
    ) -> Option<usize> {
        let bucket = match self.probe(key, hash, width) {
            Ok(_) => return None,
            Err(bucket) => bucket,
        };
        let index = self.arena.len;
        self.arena.push(key, parent);
        let entry = self.entry(index, hash);
        self.buckets[bucket].push(entry);
        if self.arena.len >= self.len_max {
            self.grow(width);
        }
        Some(index)
    }

    /// `Ok` with the index, or `Err` with the bucket that has room for it.
    #[inline(always)]
    fn probe<W: Width>(&self, key: &[u64], hash: u64, width: W) -> Result<usize, usize> {
        let mut at = self.home(hash);
        loop {
            let bucket = &self.buckets[at];
            let mut matching = bucket.matching(hash, self.index_bits) & bucket.taken();
            while matching != 0 {
                let index = self.index_of(bucket.0[matching.trailing_zeros() as usize]);
                if self.key(index, width) == key {
                    return Ok(index);
                }
                matching &= matching - 1;
            }
            if !bucket.is_full() {
                return Err(at);
            }
            at = self.after(at);
        }
    }

    /// The home bucket: the upper half of the hash scaled to the table's length, which need not be
    /// a power of two.
    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        (((hash >> 32) * self.buckets.len() as u64) >> 32) as usize
    }

    fn after(&self, bucket: usize) -> usize {
        if bucket + 1 == self.buckets.len() { 0 } else { bucket + 1 }
    }

    #[inline(always)]
    fn entry(&self, index: usize, hash: u64) -> u32 {
        let tag = (u64::from(hash as u32) >> self.index_bits) << self.index_bits;
        tag as u32 | (index as u32 + 1)
    }

    #[inline(always)]
    fn index_of(&self, entry: u32) -> usize {
        (entry & (((1_u64 << self.index_bits) - 1) as u32)) as usize - 1
    }

    #[cold]
    fn grow<W: Width>(&mut self, width: W) {
        let buckets = self.buckets.len() + self.buckets.len() / 2;
        // Freed before the larger one is made: everything needed to fill it is in the arena, and so
        // the peak stays at one table.
        self.buckets = Vec::new();
        self.resize(buckets);
        for index in 0..self.arena.len {
            let hash = hash(self.key(index, width), width);
            let mut at = self.home(hash);
            while self.buckets[at].is_full() {
                at = self.after(at);
            }
            let entry = self.entry(index, hash);
            self.buckets[at].push(entry);
        }
    }

    fn resize(&mut self, buckets: usize) {
        self.buckets = vec![Bucket([0; BUCKET]); buckets];
        self.len_max = buckets * BUCKET / 4 * 3;
        self.index_bits = (self.len_max as u64 + 1).ilog2() + 1;
    }
}

/// Markings on their way out of a store.
pub(super) struct Drain {
    arena: Arena,
    next: usize,
}

impl Drain {
    /// The index, packed form and parent of the next marking, if it is before `end`.
    pub(super) fn next_before(&mut self, end: usize) -> Option<(usize, &[u64], u32)> {
        let index = self.next;
        if index >= end {
            return None;
        }
        let segment = index >> SEGMENT_BITS;
        if index & (SEGMENT - 1) == 0 && segment > 0 {
            self.arena.keys[segment - 1] = Vec::new();
        }
        self.next += 1;
        let parent = self.arena.parents[segment][index & (SEGMENT - 1)];
        Some((index, self.arena.key(index, AnyWidth(self.arena.words)), parent))
    }
}

/// Hash of a packed marking. Exactness does not rest on it: markings are always compared whole.
#[inline(always)]
pub(super) fn hash<W: Width>(key: &[u64], width: W) -> u64 {
    let mut hash = 0x9e37_79b9_7f4a_7c15;
    for &word in &key[..width.words()] {
        let product = u128::from(hash ^ word) * 0xa076_1d64_78bd_642f_u128;
        hash = (product as u64) ^ ((product >> 64) as u64);
    }
    // The multiplication leaves the low bits of a short product weak; one more round mixes them.
    let product = u128::from(hash ^ 0x8ebc_6af0_9c88_c6e3) * 0xd6e8_feb8_6659_fd93_u128;
    (product as u64) ^ ((product >> 64) as u64)
}
