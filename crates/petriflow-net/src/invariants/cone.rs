//! The largest support of a non-negative solution: an exact simplex method on a cone.
//!
//! The solutions x ≥ 0 of A·x = 0 form a cone. For one wanted column after the other we look for a
//! ray on which it grows; the sum of these rays covers all that can be covered. Every basis is
//! feasible, since all right sides are 0, so there is no first phase.
//!
//! Enumerating all rays (as [`place_semiflows`](super::place_semiflows) does) answers the same
//! question, but there can be exponentially many. Growing all wanted columns at once needs fewer
//! rays, but couples independent parts of a net through one long objective: 2 000 independent toggles
//! were not covered after 3 s, and take 5 ms this way.

use std::collections::{BTreeMap, BTreeSet};

use super::arithmetic::{Entries, GaveUp, Overflow, add};
use super::matrix::Tableau;

/// A solution with the largest possible support among the wanted columns.
#[derive(Debug, Default)]
pub(super) struct Covering {
    /// A solution x ≥ 0.
    pub(super) solution: BTreeMap<usize, i128>,
    /// The wanted columns in which every solution x ≥ 0 has 0.
    pub(super) uncovered: BTreeSet<usize>,
}

/// Searches rays until every wanted column is covered or proven not to be.
pub(super) fn cover(tableau: Tableau, wanted: &BTreeSet<usize>) -> Result<Covering, GaveUp> {
    let mut search = Search::new(tableau);
    let mut covering = Covering::default();
    for &column in wanted {
        if covering.solution.contains_key(&column) || covering.uncovered.contains(&column) {
            continue;
        }
        search.aim(column)?;
        match search.ray()? {
            Some(ray) => covering.add(ray)?,
            None => covering.uncovered.extend(search.zero_columns(column)),
        }
    }
    covering.uncovered.retain(|column| wanted.contains(column));
    Ok(covering)
}

impl Covering {
    /// Adds a solution to this one.
    pub(super) fn add(
        &mut self,
        entries: impl IntoIterator<Item = (usize, i128)>,
    ) -> Result<(), Overflow> {
        for (column, entry) in entries {
            let sum = self.solution.entry(column).or_insert(0);
            *sum = add(*sum, entry)?;
        }
        Ok(())
    }
}

struct Search {
    /// The equations, and last the objective `z - (wanted column) = 0`.
    tableau: Tableau,
    objective: usize,
    /// The column of `z`.
    value: usize,
}

impl Search {
    fn new(tableau: Tableau) -> Self {
        let objective = tableau.matrix.row_count();
        let value = tableau.matrix.column_count();
        Self { tableau: tableau.with_row_and_column(), objective, value }
    }

    /// Sets the objective and expresses it in columns that are not basic.
    fn aim(&mut self, wanted: usize) -> Result<(), GaveUp> {
        self.tableau.matrix.replace(self.objective, vec![(wanted, -1), (self.value, 1)]);
        match self.tableau.row_of(wanted) {
            Some(row) => self.tableau.matrix.eliminate(self.objective, row, wanted),
            None => Ok(()),
        }
    }

    /// A ray on which the objective grows; `None` if there is none.
    fn ray(&mut self) -> Result<Option<Entries>, GaveUp> {
        loop {
            let improving = self.improving_columns();
            let Some(&entering) = improving.first() else { return Ok(None) };
            for &column in &improving {
                if self.leaving_row(column)?.is_none() {
                    return Ok(Some(self.tableau.solution(column, Some(self.objective))?));
                }
            }
            // Bland's rule, the first column and the least basic column, cannot cycle.
            if let Some(row) = self.leaving_row(entering)? {
                self.tableau.pivot(row, entering)?;
            }
        }
    }

    /// The columns that are 0 in every solution x ≥ 0, as told by an objective that cannot grow.
    ///
    /// It then reads `z + (a non-negative combination) = 0`, and `z` is not negative either.
    fn zero_columns(&self, wanted: usize) -> impl Iterator<Item = usize> + '_ {
        let objective = self.tableau.matrix.row(self.objective).iter();
        objective.map(|&(column, _)| column).chain([wanted])
    }

    /// The columns whose growth makes the objective grow, ascending.
    fn improving_columns(&self) -> Vec<usize> {
        let objective = self.tableau.matrix.row(self.objective).iter();
        objective.filter(|&&(_, entry)| entry < 0).map(|&(column, _)| column).collect()
    }

    /// Of the rows that forbid the column to grow, the one with the least basic column.
    fn leaving_row(&mut self, column: usize) -> Result<Option<usize>, GaveUp> {
        self.tableau.matrix.spend(self.tableau.matrix.use_count(column))?;
        let Tableau { matrix, basic } = &self.tableau;
        let blocks = |&row: &usize| row != self.objective && matrix.entry(row, column) > 0;
        let by_basic = |&row: &usize| basic.get(row).copied().flatten();
        Ok(matrix.rows_at(column).filter(blocks).min_by_key(by_basic))
    }
}
