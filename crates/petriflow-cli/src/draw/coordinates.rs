//! Where the slots of the columns stand.

#![expect(
    clippy::indexing_slicing,
    reason = "slots and columns are named by positions in vectors that have an entry for each"
)]

use super::layout::Point;
use super::measure::float;
use super::order::{Columns, Slot};
use super::ranks::Graph;

/// Between nodes of a column.
const ROW_GAP: f64 = 22.0;
/// Between an arrow that runs through a column and its neighbours.
const PASSING_GAP: f64 = 8.0;
/// Between columns, if no label needs more.
const COLUMN_GAP: f64 = 58.0;
/// Arrows run straight for this long before and behind a column, so that heads do not bend.
pub(super) const STUB: f64 = 12.0;
/// After so many sweeps nothing moves by more than a fraction of a pixel in nets that are small
/// enough to be drawn.
const SWEEPS: u32 = 40;

pub(super) struct Coordinates {
    /// One for each slot.
    pub(super) slots: Vec<Point>,
    /// Left and right edge of each column.
    pub(super) columns: Vec<(f64, f64)>,
    pub(super) width: f64,
    pub(super) height: f64,
}

pub(super) fn coordinates(graph: &Graph, columns: &Columns) -> Coordinates {
    let mut heights = heights(columns);
    let all = || columns.slots.iter().zip(&heights);
    let top = all().map(|(slot, y)| y - slot.above).fold(f64::INFINITY, f64::min);
    let bottom = all().map(|(slot, y)| y + slot.below).fold(f64::NEG_INFINITY, f64::max);
    for y in &mut heights {
        *y -= top;
    }
    let edges = column_edges(graph, columns, &heights);
    let at = |(slot, y): (&Slot, f64)| {
        let (left, right) = edges[slot.rank];
        Point { x: f64::midpoint(left, right), y }
    };
    Coordinates {
        slots: columns.slots.iter().zip(heights).map(at).collect(),
        width: edges.last().map_or(0.0, |(_, right)| *right),
        height: if bottom > top { bottom - top } else { 0.0 },
        columns: edges,
    }
}

/// The height of every slot: near the middle of its neighbours, with room above and below.
fn heights(columns: &Columns) -> Vec<f64> {
    let mut heights = vec![0.0; columns.slots.len()];
    for column in &columns.columns {
        settle(columns, column, &mut heights, |_, _| (0.0, 1.0));
    }
    let count = columns.columns.len();
    let there_and_back = || (0..count).chain((0..count).rev());
    for rank in (0..SWEEPS).flat_map(|_| there_and_back()) {
        let column = &columns.columns[rank];
        settle(columns, column, &mut heights, |slot, heights| wish(columns, slot, heights));
    }
    for rank in (0..SWEEPS).flat_map(|_| there_and_back()) {
        let column = &columns.columns[rank];
        settle(columns, column, &mut heights, |slot, heights| last_wish(columns, slot, heights));
    }
    heights
}

/// Where a slot would like to be, and how much.
fn wish(columns: &Columns, slot: usize, heights: &[f64]) -> (f64, f64) {
    let own = &columns.slots[slot];
    let (mut sum, mut weights) = (0.0, 0.0);
    let mut add = |other: usize, weight: f64| {
        sum += weight * heights[other];
        weights += weight;
    };
    match own.edge {
        // All of a long arrow wishes for the same height, so that it runs straight.
        Some(edge) => {
            for &other in &columns.chains[edge] {
                add(other, if columns.slots[other].is_node() { 1.0 } else { 2.0 });
            }
        }
        None => {
            for &other in own.left.iter().chain(&own.right) {
                add(other, if columns.slots[other].is_node() { 2.0 } else { 0.4 });
            }
        }
    }
    if weights > 0.0 { (sum / weights, weights) } else { (heights[slot], 1.0) }
}

/// As [`wish`], once the nodes have found their places: a long arrow only wishes to be straight.
fn last_wish(columns: &Columns, slot: usize, heights: &[f64]) -> (f64, f64) {
    let Some(edge) = columns.slots[slot].edge else { return (heights[slot], 1000.0) };
    let inner = columns.chains[edge].iter().filter(|&&other| !columns.slots[other].is_node());
    let (sum, count) =
        inner.fold((0.0, 0.0), |(sum, count), &other| (sum + heights[other], count + 1.0));
    (sum / count, 1.0)
}

/// Puts the slots of a column as near to their wishes as their sizes let them, in least squares.
///
/// Slots that would come too close become a block, which stands at the mean of its wishes (the
/// pool-adjacent-violators algorithm).
fn settle(
    columns: &Columns,
    column: &[usize],
    heights: &mut [f64],
    wish: impl Fn(usize, &[f64]) -> (f64, f64),
) {
    struct Block {
        mean: f64,
        weight: f64,
        /// Its slots, and how far below the first one of the column each must stand.
        slots: Vec<(usize, f64)>,
    }
    let mut blocks: Vec<Block> = Vec::new();
    let mut offset = 0.0;
    let mut above: Option<&Slot> = None;
    for &slot in column {
        let below = &columns.slots[slot];
        offset += above.map_or(0.0, |above| distance(above, below));
        above = Some(below);
        let (wished, weight) = wish(slot, heights);
        let mut block = Block { mean: wished - offset, weight, slots: vec![(slot, offset)] };
        while let Some(last) = blocks.pop_if(|last| last.mean > block.mean) {
            let weight = last.weight + block.weight;
            let mean = (last.mean * last.weight + block.mean * block.weight) / weight;
            let slots = last.slots.into_iter().chain(block.slots).collect();
            block = Block { mean, weight, slots };
        }
        blocks.push(block);
    }
    for block in blocks {
        for (slot, offset) in block.slots {
            heights[slot] = block.mean + offset;
        }
    }
}

/// The least distance between neighbours of a column.
fn distance(above: &Slot, below: &Slot) -> f64 {
    let gap = if above.is_node() && below.is_node() { ROW_GAP } else { PASSING_GAP };
    above.below + gap + below.above
}

fn column_edges(graph: &Graph, columns: &Columns, heights: &[f64]) -> Vec<(f64, f64)> {
    let labels = labels_behind(graph, columns);
    let mut edges = Vec::new();
    let mut left = 0.0;
    for (column, labels) in columns.columns.iter().zip(&labels) {
        let nodes = column.iter().filter_map(|&slot| graph.nodes.get(slot));
        let half_width = nodes.map(|node| node.size.half_width).fold(0.0, f64::max);
        let right = left + 2.0 * half_width;
        edges.push((left, right));
        left = right + gap_behind(columns, column, labels, heights);
    }
    edges
}

/// The widths of the labels in the gap behind each column. They stand beside the transition.
fn labels_behind(graph: &Graph, columns: &Columns) -> Vec<Vec<f64>> {
    let mut labels = vec![Vec::new(); columns.columns.len()];
    for (edge, chain) in graph.edges.iter().zip(&columns.chains) {
        let piece = label_piece(graph, chain);
        if let (Some(&slot), true) = (chain.get(piece), edge.label_width > 0.0) {
            labels[columns.slots[slot].rank].push(edge.label_width);
        }
    }
    labels
}

/// Which piece of an edge has the label.
pub(super) fn label_piece(graph: &Graph, chain: &[usize]) -> usize {
    let left_is_place = chain.first().is_some_and(|&left| graph.nodes[left].is_place);
    if left_is_place { chain.len().saturating_sub(2) } else { 0 }
}

fn gap_behind(columns: &Columns, column: &[usize], labels: &[f64], heights: &[f64]) -> f64 {
    let widest = labels.iter().copied().fold(0.0, f64::max);
    // Several labels may have to evade each other.
    let room = match labels.len() {
        0 | 1 => 1.0,
        2 => 1.6,
        _ => 2.2,
    };
    let rise = |&slot: &usize| {
        let ends = columns.slots[slot].right.iter().map(|&right| heights[right]);
        ends.map(|y| (y - heights[slot]).abs()).fold(0.0, f64::max)
    };
    let steepest = column.iter().map(rise).fold(0.0, f64::max);
    let crowd: usize = column.iter().map(|&slot| columns.slots[slot].right.len()).sum();
    let label_room = if widest > 0.0 { widest * room + 2.0 * STUB + 20.0 } else { 0.0 };
    // Steep or many arrows get more room, up to a point.
    let gap = COLUMN_GAP + (0.12 * steepest).min(50.0) + (3.0 * float(crowd)).min(40.0);
    gap.max(label_room)
}
