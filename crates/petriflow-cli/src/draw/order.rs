//! Who stands above whom in a column.
//!
//! An arrow over several columns gets a slot in each of them, like a node, so that it never has to
//! run through one.

#![expect(
    clippy::indexing_slicing,
    reason = "slots and columns are named by positions that are handed out here, and every vector has an entry for each"
)]

use super::measure::float;
use super::ranks::{Graph, ranks};

/// Sweeps over all columns; more do not change the order of nets of a readable size.
const SWEEPS: u32 = 12;
/// Half the height that an arrow takes in a column it runs through.
const PASSING: f64 = 5.0;

/// A place in a column, for a node or for an arrow that runs through.
pub(super) struct Slot {
    pub(super) rank: usize,
    /// The edge that runs through; `None` for a node.
    pub(super) edge: Option<usize>,
    pub(super) above: f64,
    pub(super) below: f64,
    /// The slots of the columns beside it that arrows connect it with.
    pub(super) left: Vec<usize>,
    pub(super) right: Vec<usize>,
}

pub(super) struct Columns {
    /// The nodes' slots come first and have the nodes' positions.
    pub(super) slots: Vec<Slot>,
    /// The slots that each edge runs through, from left to right, its ends included.
    pub(super) chains: Vec<Vec<usize>>,
    /// The slots of each column from top to bottom.
    pub(super) columns: Vec<Vec<usize>>,
}

pub(super) fn columns(graph: &Graph) -> Columns {
    let ranks = ranks(graph);
    let count = ranks.iter().max().map_or(0, |rank| rank.saturating_add(1));
    let mut found =
        Columns { slots: Vec::new(), chains: Vec::new(), columns: vec![Vec::new(); count] };
    for (node, &rank) in graph.nodes.iter().zip(&ranks) {
        found.add(rank, None, node.size.above, node.size.below);
    }
    for edge in &graph.edges {
        let (from, to) = (edge.from, edge.to);
        let (left, right) = if ranks[from] < ranks[to] { (from, to) } else { (to, from) };
        found.connect(left, right);
    }
    found.sweep();
    found.swap_neighbours();
    found
}

impl Slot {
    pub(super) fn is_node(&self) -> bool {
        self.edge.is_none()
    }
}

impl Columns {
    fn add(&mut self, rank: usize, edge: Option<usize>, above: f64, below: f64) -> usize {
        let slot = self.slots.len();
        let (left, right) = (Vec::new(), Vec::new());
        self.slots.push(Slot { rank, edge, above, below, left, right });
        self.columns[rank].push(slot);
        slot
    }

    fn connect(&mut self, left: usize, right: usize) {
        let (first, last) = (self.slots[left].rank, self.slots[right].rank);
        let edge = Some(self.chains.len());
        let mut chain = vec![left];
        for rank in first.saturating_add(1)..last {
            chain.push(self.add(rank, edge, PASSING, PASSING));
        }
        chain.push(right);
        for pair in chain.windows(2) {
            if let &[left, right] = pair {
                self.slots[left].right.push(right);
                self.slots[right].left.push(left);
            }
        }
        self.chains.push(chain);
    }

    /// Orders every column after the middle of what its slots are connected with, to and fro, and
    /// keeps the best order met.
    fn sweep(&mut self) {
        let mut best = (self.crossings(), self.columns.clone());
        for _ in 0..SWEEPS {
            for rank in 0..self.columns.len() {
                self.sort_column(rank, |slot| &slot.left);
            }
            for rank in (0..self.columns.len()).rev() {
                self.sort_column(rank, |slot| &slot.right);
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.columns.clone());
            }
        }
        self.columns = best.1;
    }

    fn sort_column(&mut self, rank: usize, neighbours: impl Fn(&Slot) -> &[usize]) {
        let heights = self.heights();
        let middle = |slot: usize| {
            let neighbours = neighbours(&self.slots[slot]);
            let sum: f64 = neighbours.iter().map(|&other| heights[other]).sum();
            if neighbours.is_empty() { heights[slot] } else { sum / float(neighbours.len()) }
        };
        let column = &self.columns[rank];
        let mut column: Vec<(f64, usize)> = column.iter().map(|&s| (middle(s), s)).collect();
        column.sort_by(|one, other| one.0.total_cmp(&other.0));
        self.columns[rank] = column.into_iter().map(|(_, slot)| slot).collect();
    }

    /// The position of every slot in its column, about the column's middle.
    fn heights(&self) -> Vec<f64> {
        let mut heights = vec![0.0; self.slots.len()];
        for column in &self.columns {
            let middle = float(column.len().saturating_sub(1)) / 2.0;
            for (position, &slot) in column.iter().enumerate() {
                heights[slot] = float(position) - middle;
            }
        }
        heights
    }

    /// How often arrows cross between columns.
    fn crossings(&self) -> usize {
        let heights = self.heights();
        let mut crossings: usize = 0;
        for column in &self.columns {
            for (position, &lower) in column.iter().enumerate() {
                for &upper in &column[..position] {
                    let (upper, lower) = (&self.slots[upper].right, &self.slots[lower].right);
                    crossings = crossings.saturating_add(inversions(upper, lower, &heights));
                }
            }
        }
        crossings
    }

    /// Swaps neighbours as long as that removes crossings.
    fn swap_neighbours(&mut self) {
        // Every round but the last removes a crossing; the limit is for nets that nobody can read.
        for _ in 0..SWEEPS {
            let mut swapped = false;
            for rank in 0..self.columns.len() {
                let heights = self.heights();
                for lower in 1..self.columns[rank].len() {
                    let upper = lower.saturating_sub(1);
                    if self.swap_helps(
                        self.columns[rank][upper],
                        self.columns[rank][lower],
                        &heights,
                    ) {
                        self.columns[rank].swap(upper, lower);
                        swapped = true;
                    }
                }
            }
            if !swapped {
                break;
            }
        }
    }

    fn swap_helps(&self, upper: usize, lower: usize, heights: &[f64]) -> bool {
        let (upper, lower) = (&self.slots[upper], &self.slots[lower]);
        let crossings = |upper: &Slot, lower: &Slot| {
            let left = inversions(&upper.left, &lower.left, heights);
            left.saturating_add(inversions(&upper.right, &lower.right, heights))
        };
        crossings(lower, upper) < crossings(upper, lower)
    }
}

/// How often an arrow of the upper slot ends below one of the lower slot.
fn inversions(upper: &[usize], lower: &[usize], heights: &[f64]) -> usize {
    let below = |&one: &usize| lower.iter().filter(|&&other| heights[one] > heights[other]).count();
    upper.iter().map(below).sum()
}
