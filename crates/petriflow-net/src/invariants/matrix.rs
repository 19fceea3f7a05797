//! A sparse integer matrix under row operations.

use std::collections::BTreeSet;

use super::arithmetic::{
    Entries, GaveUp, Overflow, Work, combine, divide, divisor, entry, multiply, negate, reduce,
};
use crate::Net;

/// Rows as sorted sparse vectors, with an index from each column to the rows that use it.
#[derive(Debug, Clone)]
pub(super) struct Matrix {
    rows: Vec<Entries>,
    // INVARIANT: column `c` lists exactly the rows with an entry at `c`.
    columns: Vec<BTreeSet<usize>>,
    work: Work,
}

impl Matrix {
    pub(super) fn new(rows: Vec<Entries>, column_count: usize, work_max: u64) -> Self {
        let mut matrix = Self {
            rows: vec![Vec::new(); rows.len()],
            columns: vec![BTreeSet::new(); column_count],
            work: Work::new(work_max),
        };
        for (row, entries) in rows.into_iter().enumerate() {
            matrix.replace(row, entries);
        }
        matrix
    }

    pub(super) fn row_count(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn column_count(&self) -> usize {
        self.columns.len()
    }

    pub(super) fn row(&self, row: usize) -> &[(usize, i128)] {
        self.rows.get(row).map_or(&[], Vec::as_slice)
    }

    pub(super) fn entry(&self, row: usize, column: usize) -> i128 {
        entry(self.row(row), column)
    }

    /// The rows with an entry in the column, ascending.
    pub(super) fn rows_at(&self, column: usize) -> impl Iterator<Item = usize> + '_ {
        self.columns.get(column).into_iter().flatten().copied()
    }

    /// How many rows have an entry in the column.
    pub(super) fn use_count(&self, column: usize) -> usize {
        self.columns.get(column).map_or(0, BTreeSet::len)
    }

    /// Counts steps that a caller makes on this matrix.
    pub(super) fn spend(&mut self, steps: usize) -> Result<(), GaveUp> {
        self.work.spend(steps)
    }

    pub(super) fn replace(&mut self, row: usize, entries: Entries) {
        let Some(slot) = self.rows.get_mut(row) else { return };
        let old = std::mem::replace(slot, entries);
        let new: &Entries = slot;
        for &(column, _) in old.iter().filter(|&&(column, _)| entry(new, column) == 0) {
            self.columns.get_mut(column).map(|rows| rows.remove(&row));
        }
        for &(column, _) in new.iter().filter(|&&(column, _)| entry(&old, column) == 0) {
            self.columns.get_mut(column).map(|rows| rows.insert(row));
        }
    }

    /// Multiplies a row by -1 if its entry in the column is negative.
    pub(super) fn make_positive(&mut self, row: usize, column: usize) -> Result<(), Overflow> {
        if self.entry(row, column) >= 0 {
            return Ok(());
        }
        for (_, entry) in self.rows.get_mut(row).into_iter().flatten() {
            *entry = negate(*entry)?;
        }
        Ok(())
    }

    /// Clears a column of `target` with the help of `pivot`, whose entry there is positive.
    ///
    /// The target row is scaled by a positive factor only, so inequalities keep their direction.
    pub(super) fn eliminate(
        &mut self,
        target: usize,
        pivot: usize,
        column: usize,
    ) -> Result<(), GaveUp> {
        let (target_entry, pivot_entry) = (self.entry(target, column), self.entry(pivot, column));
        let common = divisor(target_entry, pivot_entry)?;
        let (factor, back) = (divide(pivot_entry, common)?, divide(target_entry, common)?);
        let (x, y) = (self.row(target), self.row(pivot));
        let steps = x.len().saturating_add(y.len());
        let mut entries = combine(factor, x, negate(back)?, y)?;
        reduce(&mut entries)?;
        self.replace(target, entries);
        self.work.spend(steps)
    }

    /// Clears a column of all rows but the pivot's.
    pub(super) fn eliminate_others(&mut self, pivot: usize, column: usize) -> Result<(), GaveUp> {
        let targets: Vec<usize> = self.rows_at(column).filter(|&row| row != pivot).collect();
        targets.into_iter().try_for_each(|target| self.eliminate(target, pivot, column))
    }
}

/// A matrix whose every non-empty row has a column of its own, its *basic* column.
#[derive(Debug, Clone)]
pub(super) struct Tableau {
    pub(super) matrix: Matrix,
    /// The basic column of each row, with a positive entry there; `None` for an empty row.
    pub(super) basic: Vec<Option<usize>>,
}

impl Tableau {
    /// Gauss–Jordan elimination that prefers short rows and rare columns, to limit fill-in.
    pub(super) fn reduce(mut matrix: Matrix) -> Result<Self, GaveUp> {
        let mut basic = vec![None; matrix.row_count()];
        let order = forward(&mut matrix, &mut basic)?;
        for (pivot, column) in order.into_iter().rev() {
            matrix.eliminate_others(pivot, column)?;
        }
        Ok(Self { matrix, basic })
    }

    /// The row whose basic column this is.
    pub(super) fn row_of(&self, column: usize) -> Option<usize> {
        // A basic column has an entry in its own row only, apart from the objective's.
        let is_own = |row: &usize| self.basic.get(*row).copied().flatten() == Some(column);
        self.matrix.rows_at(column).find(is_own)
    }

    /// Makes a column with a positive entry in the row its basic column.
    pub(super) fn pivot(&mut self, row: usize, column: usize) -> Result<(), GaveUp> {
        self.matrix.eliminate_others(row, column)?;
        if let Some(slot) = self.basic.get_mut(row) {
            *slot = Some(column);
        }
        Ok(())
    }

    /// Adds an empty row and an empty column.
    pub(super) fn with_row_and_column(mut self) -> Self {
        self.matrix.rows.push(Vec::new());
        self.matrix.columns.push(BTreeSet::new());
        self.basic.push(None);
        self
    }

    /// Whether each column is basic.
    pub(super) fn basic_columns(&self) -> Vec<bool> {
        let mut flags = vec![false; self.matrix.column_count()];
        for &column in self.basic.iter().flatten() {
            if let Some(flag) = flags.get_mut(column) {
                *flag = true;
            }
        }
        flags
    }

    /// The solution of `matrix · x = 0` in which `free` is the only non-basic column used.
    ///
    /// The entry of `free` is positive; rows in `skipped` are not equations.
    pub(super) fn solution(
        &self,
        free: usize,
        skipped: Option<usize>,
    ) -> Result<Entries, Overflow> {
        let rows = || self.matrix.rows_at(free).filter(|&row| Some(row) != skipped);
        let mut scale = 1;
        for row in rows() {
            let (own, _) = self.ratio(row, free)?;
            scale = multiply(scale, divide(own, divisor(scale, own)?)?)?;
        }
        let mut solution = vec![(free, scale)];
        for row in rows() {
            let (own, used) = self.ratio(row, free)?;
            let Some(column) = self.basic.get(row).copied().flatten() else { continue };
            solution.push((column, negate(multiply(used, divide(scale, own)?)?)?));
        }
        solution.sort_unstable();
        Ok(solution)
    }

    /// The entries of a row at its basic column and at `free`, without common divisor.
    fn ratio(&self, row: usize, free: usize) -> Result<(i128, i128), Overflow> {
        let used = self.matrix.entry(row, free);
        let basic = self.basic.get(row).copied().flatten();
        let own = basic.map_or(1, |column| self.matrix.entry(row, column));
        let common = divisor(own, used)?;
        Ok((divide(own, common)?, divide(used, common)?))
    }
}

/// Picks pivots and clears each from the rows not yet picked; returns pivot rows with columns.
fn forward(
    matrix: &mut Matrix,
    basic: &mut [Option<usize>],
) -> Result<Vec<(usize, usize)>, GaveUp> {
    let mut order = Vec::new();
    let mut open: BTreeSet<(usize, usize)> =
        (0..matrix.row_count()).map(|row| (matrix.row(row).len(), row)).collect();
    while let Some((_, pivot)) = open.pop_first() {
        let Some(column) = rarest_column(matrix, pivot) else { continue };
        matrix.make_positive(pivot, column)?;
        let targets: Vec<usize> = matrix.rows_at(column).collect();
        for target in targets {
            // Rows picked earlier are cleared on the way back, when this pivot has become short.
            if open.remove(&(matrix.row(target).len(), target)) {
                matrix.eliminate(target, pivot, column)?;
                open.insert((matrix.row(target).len(), target));
            }
        }
        if let Some(slot) = basic.get_mut(pivot) {
            *slot = Some(column);
        }
        order.push((pivot, column));
    }
    Ok(order)
}

fn rarest_column(matrix: &Matrix, row: usize) -> Option<usize> {
    let cost = |&(column, entry): &(usize, i128)| {
        // Among equals an entry of 1 keeps the numbers small.
        (matrix.use_count(column), entry.unsigned_abs(), column)
    };
    matrix.row(row).iter().map(cost).min().map(|(_, _, column)| column)
}

/// One row per transition: its change of every place.
pub(super) fn effects(net: &Net) -> Vec<Entries> {
    let row = |transition| {
        let effect = net.effect(transition).into_iter();
        effect.map(|(place, change)| (place.index(), i128::from(change))).collect()
    };
    net.transitions().map(row).collect()
}

/// The rows of a matrix as its columns.
pub(super) fn transpose(rows: &[Entries], column_count: usize) -> Vec<Entries> {
    let mut columns = vec![Vec::new(); column_count];
    for (row, entries) in rows.iter().enumerate() {
        for &(column, entry) in entries {
            if let Some(column) = columns.get_mut(column) {
                column.push((row, entry));
            }
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> Vec<Entries> {
        vec![vec![(0, 2), (1, 3)], vec![(0, 4), (1, -1)], vec![(0, 6), (1, 2)]]
    }

    #[test]
    fn elimination_leaves_every_basic_column_to_its_row() {
        let tableau = Tableau::reduce(Matrix::new(square(), 2, u64::MAX)).unwrap();
        assert_eq!(tableau.basic_columns(), [true, true]);
        let rows: Vec<_> = (0..3).map(|row| tableau.matrix.row(row).to_vec()).collect();
        assert_eq!(rows, [vec![(0, 1)], vec![(1, 1)], vec![]]);
    }

    #[test]
    fn elimination_stops_at_its_limit() {
        let gave_up = Tableau::reduce(Matrix::new(square(), 2, 5)).unwrap_err();
        assert_eq!(gave_up, GaveUp::Work { work_max: 5 });
    }
}
