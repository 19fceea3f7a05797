//! Minimal semiflows by the Farkas algorithm.

use super::arithmetic::{Entries, GaveUp, Overflow, Work, combine, divide, divisor, entry};
use super::arithmetic::{gcd, negate};
use super::matrix::{effects, transpose};
use super::weights::{PlaceWeights, Weights};
use crate::Net;

/// How much [`place_semiflows`] may cost. There can be exponentially many semiflows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SemiflowLimit {
    /// The most vectors kept at once; 20 000 by default.
    pub rows_max: usize,
    /// The most steps; 100 million by default, one to three seconds.
    pub work_max: u64,
}

impl Default for SemiflowLimit {
    fn default() -> Self {
        Self { rows_max: 20_000, work_max: 100_000_000 }
    }
}

/// The place invariants without negative weights whose support contains no smaller one's.
///
/// Every non-negative invariant is a non-negative combination of them. Normalised and sorted by
/// weights, larger weights on earlier places first.
///
/// # Errors
/// If a weight overflows or the limit is reached; a part of the semiflows is not handed out, since
/// it would say nothing about the places missing from it.
pub fn place_semiflows(net: &Net, limit: SemiflowLimit) -> Result<Vec<PlaceWeights>, GaveUp> {
    let mut farkas = Farkas::new(net, limit)?;
    while let Some(transition) = farkas.next_transition()? {
        farkas.annul(transition)?;
    }
    let mut rows: Vec<Entries> = farkas.rows.into_iter().map(|row| row.weights).collect();
    rows.sort_unstable_by(declared_order);
    Ok(rows.into_iter().map(Weights::normalised).collect::<Result<_, _>>()?)
}

/// By dense comparison, larger first: an entry at an earlier place beats none there.
fn declared_order(x: &Entries, y: &Entries) -> std::cmp::Ordering {
    let dense_key = |&(place, weight): &(usize, i128)| (place, std::cmp::Reverse(weight));
    x.iter().map(dense_key).cmp(y.iter().map(dense_key))
}

/// The state between two transitions.
///
/// INVARIANT: `rows` are the extreme rays of the non-negative weights that all transitions not in
/// `open` keep, one row per ray.
struct Farkas {
    rows: Vec<Row>,
    /// Transitions still to treat.
    open: Vec<usize>,
    limit: SemiflowLimit,
    work: Work,
}

/// Weights, and what each transition changes their sum by.
struct Row {
    weights: Entries,
    changes: Entries,
    support: Support,
}

/// A set of places as a bit set.
type Support = Box<[u64]>;

impl Farkas {
    fn new(net: &Net, limit: SemiflowLimit) -> Result<Self, GaveUp> {
        // Checked before the rows are made: together their supports take the square of the places.
        if net.place_count() > limit.rows_max {
            return Err(GaveUp::Rows { rows_max: limit.rows_max });
        }
        let words = net.place_count().div_ceil(64);
        let changes = transpose(&effects(net), net.place_count());
        let unit = |(place, changes)| Row {
            weights: vec![(place, 1)],
            changes,
            support: support(&[(place, 1)], words),
        };
        let rows: Vec<Row> = changes.into_iter().enumerate().map(unit).collect();
        let open = (0..net.transition_count()).collect();
        Ok(Self { rows, open, limit, work: Work::new(limit.work_max) })
    }

    /// Takes the open transition that makes the fewest pairs.
    fn next_transition(&mut self) -> Result<Option<usize>, GaveUp> {
        let mut signs: Vec<(usize, usize)> = Vec::new();
        for row in &self.rows {
            self.work.spend(row.changes.len())?;
            for &(transition, change) in &row.changes {
                count_sign(&mut signs, transition, change);
            }
        }
        let pairs = |transition: usize| {
            let (up, down) = signs.get(transition).copied().unwrap_or((0, 0));
            up.saturating_mul(down)
        };
        let cheapest = self.open.iter().copied().min_by_key(|&transition| pairs(transition));
        self.open.retain(|&transition| Some(transition) != cheapest);
        Ok(cheapest)
    }

    /// Replaces the rows the transition changes by those of their combinations that it keeps.
    fn annul(&mut self, transition: usize) -> Result<(), GaveUp> {
        let changed_by = |row: &Row| entry(&row.changes, transition);
        let with_sign = |sign: i128| {
            let rows = self.rows.iter().enumerate();
            let matching = rows.filter(move |(_, row)| changed_by(row).signum() == sign);
            matching.map(|(at, _)| at).collect::<Vec<usize>>()
        };
        let (up, down) = (with_sign(1), with_sign(-1));
        if up.is_empty() && down.is_empty() {
            return Ok(());
        }
        let kept = self.rows.len().saturating_sub(up.len()).saturating_sub(down.len());
        let mut made = Vec::new();
        for &x in &up {
            for &y in &down {
                if self.is_adjacent(x, y)? {
                    let row = self.combined(x, y, transition)?;
                    self.work.spend(row.as_ref().map_or(0, Row::size))?;
                    made.extend(row);
                    self.check_rows(kept.saturating_add(made.len()))?;
                }
            }
        }
        self.rows.retain(|row| entry(&row.changes, transition) == 0);
        self.rows.append(&mut made);
        Ok(())
    }

    /// Whether the two rays span an edge of the cone, and so meet the transition in a new ray.
    ///
    /// They do if no third ray lives within their joint support. Testing this beforehand keeps
    /// every row a minimal one, instead of making all pairs and throwing most away.
    fn is_adjacent(&mut self, x: usize, y: usize) -> Result<bool, GaveUp> {
        let (Some(row_x), Some(row_y)) = (self.rows.get(x), self.rows.get(y)) else {
            return Ok(false);
        };
        let joint: Support =
            row_x.support.iter().zip(&row_y.support).map(|(left, right)| left | right).collect();
        let mut rows = self.rows.iter().enumerate();
        let third = rows.position(|(at, row)| at != x && at != y && within(&row.support, &joint));
        self.work.spend(third.unwrap_or(self.rows.len()).saturating_add(joint.len()))?;
        Ok(third.is_none())
    }

    /// The positive combination of two rows that the transition keeps.
    fn combined(&self, x: usize, y: usize, transition: usize) -> Result<Option<Row>, GaveUp> {
        let (Some(x), Some(y)) = (self.rows.get(x), self.rows.get(y)) else { return Ok(None) };
        let (up, down) = (entry(&x.changes, transition), entry(&y.changes, transition));
        let common = divisor(up, down)?;
        let (a, b) = (negate(divide(down, common)?)?, divide(up, common)?);
        let mut row = Row {
            weights: combine(a, &x.weights, b, &y.weights)?,
            changes: combine(a, &x.changes, b, &y.changes)?,
            support: x.support.iter().zip(&y.support).map(|(left, right)| left | right).collect(),
        };
        row.reduce()?;
        Ok(Some(row))
    }

    fn check_rows(&self, made: usize) -> Result<(), GaveUp> {
        let rows_max = self.limit.rows_max;
        if self.rows.len().max(made) > rows_max { Err(GaveUp::Rows { rows_max }) } else { Ok(()) }
    }
}

impl Row {
    /// About what making the row cost.
    fn size(&self) -> usize {
        self.weights.len().saturating_add(self.changes.len()).saturating_add(self.support.len())
    }

    /// Divides by the common divisor of the weights, which divides the changes as well.
    fn reduce(&mut self) -> Result<(), Overflow> {
        let common = self.weights.iter().fold(0, |acc, &(_, w)| gcd(acc, w.unsigned_abs()));
        if common <= 1 {
            return Ok(());
        }
        let common = i128::try_from(common).map_err(|_| Overflow)?;
        for (_, entry) in self.weights.iter_mut().chain(&mut self.changes) {
            *entry = divide(*entry, common)?;
        }
        Ok(())
    }
}

fn count_sign(signs: &mut Vec<(usize, usize)>, transition: usize, change: i128) {
    if signs.len() <= transition {
        signs.resize(transition.saturating_add(1), (0, 0));
    }
    if let Some((up, down)) = signs.get_mut(transition) {
        let count = if change > 0 { up } else { down };
        *count = count.saturating_add(1);
    }
}

fn support(weights: &[(usize, i128)], words: usize) -> Support {
    let mut bits = vec![0_u64; words];
    for &(place, _) in weights {
        if let (Some(word), Some(bit)) =
            (bits.get_mut(place >> 6), 1_u64.checked_shl((place & 63) as u32))
        {
            *word |= bit;
        }
    }
    bits.into()
}

fn within(inner: &Support, outer: &Support) -> bool {
    inner.iter().zip(outer).all(|(inner, outer)| inner & !outer == 0)
}
