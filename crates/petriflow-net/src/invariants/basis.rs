//! A basis of all invariants: the null spaces of the incidence matrix.

use super::arithmetic::{Entries, GaveUp};
use super::matrix::{Matrix, Tableau, effects, transpose};
use super::weights::{NetIndex, PlaceWeights, TransitionWeights, Weights};
use crate::Net;

/// How many steps [`place_basis`] and [`transition_basis`] make at most: some ten seconds.
///
/// Nets that people draw need a few steps per arc. Only large matrices that fill up as they are
/// eliminated come near.
pub const BASIS_WORK_MAX: u64 = 200_000_000;

/// Place invariants of which every place invariant is a rational combination.
///
/// As many as the net has places, less the rank of its incidence matrix. Weights may be negative;
/// see [`place_semiflows`](super::place_semiflows) for those that bound places.
///
/// # Errors
/// If a weight overflows, or after [`BASIS_WORK_MAX`] steps.
pub fn place_basis(net: &Net) -> Result<Vec<PlaceWeights>, GaveUp> {
    null_space(effects(net), net.place_count())
}

/// Transition invariants of which every transition invariant is a rational combination.
///
/// As many as the net has transitions, less the rank of its incidence matrix.
///
/// # Errors
/// As [`place_basis`].
pub fn transition_basis(net: &Net) -> Result<Vec<TransitionWeights>, GaveUp> {
    let rows = transpose(&effects(net), net.place_count());
    null_space(rows, net.transition_count())
}

/// One solution for each column that is not basic, in order of these columns.
fn null_space<I: NetIndex>(
    equations: Vec<Entries>,
    column_count: usize,
) -> Result<Vec<Weights<I>>, GaveUp> {
    let tableau = Tableau::reduce(Matrix::new(equations, column_count, BASIS_WORK_MAX))?;
    let basic = tableau.basic_columns();
    let free = (0..column_count).zip(basic).filter(|&(_, is_basic)| !is_basic);
    free.map(|(column, _)| Ok(Weights::normalised(tableau.solution(column, None)?)?)).collect()
}
