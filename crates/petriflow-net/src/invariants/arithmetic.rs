//! Checked sparse integer vectors.

use std::cmp::Ordering;
use std::fmt;

/// A sparse vector: positions with their non-zero entries, sorted by position.
pub(super) type Entries = Vec<(usize, i128)>;

/// A number left the range of `i128`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overflow;

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a weight does not fit into 128 bits")
    }
}

impl std::error::Error for Overflow {}

/// Why a computation ended without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GaveUp {
    /// A number left the range of `i128`.
    Overflow,
    /// It took more steps than allowed; a step is about one vector entry read or written.
    Work {
        /// The limit.
        work_max: u64,
    },
    /// It had to keep more vectors at once than allowed.
    Rows {
        /// The limit.
        rows_max: usize,
    },
}

impl From<Overflow> for GaveUp {
    fn from(Overflow: Overflow) -> Self {
        Self::Overflow
    }
}

impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overflow => Overflow.fmt(f),
            Self::Work { work_max } => write!(f, "not decided within {work_max} steps"),
            Self::Rows { rows_max } => write!(f, "not decided with {rows_max} vectors at once"),
        }
    }
}

impl std::error::Error for GaveUp {}

/// Steps spent, and how many may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Work {
    spent: u64,
    work_max: u64,
}

impl Work {
    pub(super) fn new(work_max: u64) -> Self {
        Self { spent: 0, work_max }
    }

    pub(super) fn spend(&mut self, steps: usize) -> Result<(), GaveUp> {
        self.spent = self.spent.saturating_add(steps as u64);
        if self.spent > self.work_max {
            return Err(GaveUp::Work { work_max: self.work_max });
        }
        Ok(())
    }
}

/// The greatest common divisor; that of 0 and `b` is `b`.
pub(super) fn gcd(mut a: u128, mut b: u128) -> u128 {
    // 128-bit division is several times as slow as 64-bit, and entries are nearly always small.
    if let (Ok(small_a), Ok(small_b)) = (u64::try_from(a), u64::try_from(b)) {
        return u128::from(gcd_small(small_a, small_b));
    }
    while let Some(rest) = a.checked_rem(b) {
        (a, b) = (b, rest);
    }
    a
}

fn gcd_small(mut a: u64, mut b: u64) -> u64 {
    while let Some(rest) = a.checked_rem(b) {
        (a, b) = (b, rest);
    }
    a
}

/// The gcd of two numbers of which at least one is not 0, as a divisor.
pub(super) fn divisor(a: i128, b: i128) -> Result<i128, Overflow> {
    i128::try_from(gcd(a.unsigned_abs(), b.unsigned_abs())).map_err(|_| Overflow)
}

/// `a / b` for a `b` that divides `a`.
pub(super) fn divide(a: i128, b: i128) -> Result<i128, Overflow> {
    a.checked_div(b).ok_or(Overflow)
}

pub(super) fn multiply(a: i128, b: i128) -> Result<i128, Overflow> {
    // The widening product of two 64-bit numbers always fits and is much cheaper than the check.
    if let (Ok(small_a), Ok(small_b)) = (i64::try_from(a), i64::try_from(b)) {
        return Ok(i128::from(small_a).wrapping_mul(i128::from(small_b)));
    }
    a.checked_mul(b).ok_or(Overflow)
}

pub(super) fn add(a: i128, b: i128) -> Result<i128, Overflow> {
    a.checked_add(b).ok_or(Overflow)
}

pub(super) fn negate(a: i128) -> Result<i128, Overflow> {
    a.checked_neg().ok_or(Overflow)
}

/// `a·x + b·y`, with `a` and `b` not 0.
pub(super) fn combine(
    a: i128,
    x: &[(usize, i128)],
    b: i128,
    y: &[(usize, i128)],
) -> Result<Entries, Overflow> {
    let mut sum = Vec::with_capacity(x.len().max(y.len()));
    let (mut x, mut y) = (x.iter().peekable(), y.iter().peekable());
    loop {
        let order = match (x.peek(), y.peek()) {
            (None, None) => return Ok(sum),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((left, _)), Some((right, _))) => left.cmp(right),
        };
        let left = if order.is_le() { x.next() } else { None };
        let right = if order.is_ge() { y.next() } else { None };
        let position = left.or(right).map_or(0, |&(position, _)| position);
        let left = left.map_or(Ok(0), |&(_, entry)| multiply(a, entry))?;
        let right = right.map_or(Ok(0), |&(_, entry)| multiply(b, entry))?;
        let entry = add(left, right)?;
        if entry != 0 {
            sum.push((position, entry));
        }
    }
}

/// Divides all entries by their greatest common divisor; signs stay.
pub(super) fn reduce(entries: &mut Entries) -> Result<(), Overflow> {
    let mut common = 0;
    for &(_, entry) in entries.iter() {
        common = gcd(common, entry.unsigned_abs());
        if common == 1 {
            return Ok(());
        }
    }
    let common = i128::try_from(common).map_err(|_| Overflow)?;
    for (_, entry) in entries.iter_mut() {
        *entry = divide(*entry, common)?;
    }
    Ok(())
}

/// The entry at a position.
pub(super) fn entry(entries: &[(usize, i128)], position: usize) -> i128 {
    let found = entries.binary_search_by_key(&position, |&(at, _)| at);
    found.ok().and_then(|at| entries.get(at)).map_or(0, |&(_, entry)| entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gcd_works_across_the_64_bit_border() {
        assert_eq!(gcd(12, 18), 6);
        assert_eq!(gcd(0, 5), 5);
        assert_eq!(gcd(6 << 70, 9 << 70), 3 << 70);
        assert_eq!(gcd(1 << 127, 1 << 64), 1 << 64);
    }

    #[test]
    fn combining_drops_zeros_and_reports_overflow() {
        let (x, y) = (vec![(0, 2), (3, 1)], vec![(1, 5), (3, 2)]);
        assert_eq!(combine(2, &x, -1, &y), Ok(vec![(0, 4), (1, -5)]));
        assert_eq!(combine(i128::MAX, &x, 1, &y), Err(Overflow));
    }
}
