//! Which column a node stands in.
//!
//! Columns grow along the arrows, from what is marked at the start. Arrows that close a circle do
//! not count; a circle is closed where it comes back to what is marked. A transition that only leads
//! back stands between the places it connects, so that a circle looks like one: there and back
//! instead of one long arrow around everything.

#![expect(
    clippy::indexing_slicing,
    reason = "every vector has an entry for each node or each edge of one graph, whose edges name its own nodes"
)]

use std::collections::HashMap;

use super::measure::Size;

/// The nodes and arrows of a net, without their texts.
#[derive(Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
}

#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) size: Size,
    pub(super) is_place: bool,
    pub(super) is_marked: bool,
}

#[derive(Clone, Copy)]
pub(super) struct Edge {
    // INVARIANT: both are positions in the graph's nodes; one is a place, the other a transition.
    pub(super) from: usize,
    pub(super) to: usize,
    /// Whether there is a head at each end.
    pub(super) both: bool,
    pub(super) label_width: f64,
}

/// The column of every node. The ends of an edge are never in the same one, and none is empty.
pub(super) fn ranks(graph: &Graph) -> Vec<usize> {
    let Walk { finished, closes } = walk(graph);
    let forward: Vec<Edge> =
        graph.edges.iter().zip(&closes).filter(|(_, closes)| !**closes).map(|(e, _)| *e).collect();
    let mut ranks: Vec<usize> = graph.nodes.iter().map(|n| usize::from(!n.is_place)).collect();
    for &node in finished.iter().rev() {
        for edge in forward.iter().filter(|edge| edge.from == node) {
            ranks[edge.to] = ranks[edge.to].max(ranks[node].saturating_add(1));
        }
    }
    pull_sources(&forward, &mut ranks);
    pull_returns(graph, &closes, &forward, &mut ranks);
    dense(&ranks)
}

struct Walk {
    /// The nodes, in the order in which everything behind them had been looked at.
    finished: Vec<usize>,
    /// For each edge, whether it closes a circle.
    closes: Vec<bool>,
}

fn walk(graph: &Graph) -> Walk {
    let mut outgoing = vec![Vec::new(); graph.nodes.len()];
    let mut has_input = vec![false; graph.nodes.len()];
    for (position, edge) in graph.edges.iter().enumerate() {
        outgoing[edge.from].push(position);
        has_input[edge.to] = true;
    }
    let all = || 0..graph.nodes.len();
    let marked = all().filter(|&node| graph.nodes[node].is_marked);
    let sources = all().filter(|&node| !has_input[node]);
    let mut walk = Walk { finished: Vec::new(), closes: closes_at_marked(graph, &outgoing) };
    // `Some(true)` while a node is on the path, `Some(false)` afterwards.
    let mut on_path: Vec<Option<bool>> = vec![None; graph.nodes.len()];
    for root in marked.chain(sources).chain(all()) {
        walk_from(root, graph, &outgoing, &mut on_path, &mut walk);
    }
    walk
}

/// Which edges lead to a marked place that leads to them.
///
/// Without this a walk would follow a circle through marked places, and philosophers around a table
/// would stand in one long line.
fn closes_at_marked(graph: &Graph, outgoing: &[Vec<usize>]) -> Vec<bool> {
    let mut reached_from: HashMap<usize, Vec<bool>> = HashMap::new();
    let mut closes = Vec::new();
    for edge in &graph.edges {
        let is_marked = graph.nodes[edge.to].is_marked;
        let reached = || reached(edge.to, graph, outgoing);
        closes.push(is_marked && reached_from.entry(edge.to).or_insert_with(reached)[edge.from]);
    }
    closes
}

fn reached(root: usize, graph: &Graph, outgoing: &[Vec<usize>]) -> Vec<bool> {
    let mut reached = vec![false; graph.nodes.len()];
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            open.extend(outgoing[node].iter().map(|&edge| graph.edges[edge].to));
        }
    }
    reached
}

fn walk_from(
    root: usize,
    graph: &Graph,
    outgoing: &[Vec<usize>],
    on_path: &mut [Option<bool>],
    walk: &mut Walk,
) {
    if on_path[root].is_some() {
        return;
    }
    on_path[root] = Some(true);
    let mut path = vec![(root, outgoing[root].iter())];
    while let Some((node, edges)) = path.last_mut() {
        let Some(&edge) = edges.next() else {
            on_path[*node] = Some(false);
            walk.finished.push(*node);
            path.pop();
            continue;
        };
        let to = graph.edges[edge].to;
        match on_path[to] {
            _ if walk.closes[edge] => {}
            Some(closes) => walk.closes[edge] = closes,
            None => {
                on_path[to] = Some(true);
                path.push((to, outgoing[to].iter()));
            }
        }
    }
}

/// A node that nothing leads to stands right before what it leads to.
fn pull_sources(forward: &[Edge], ranks: &mut [usize]) {
    for node in 0..ranks.len() {
        if forward.iter().any(|edge| edge.to == node) {
            continue;
        }
        let next = forward.iter().filter(|edge| edge.from == node).map(|edge| ranks[edge.to]).min();
        if let Some(next) = next {
            ranks[node] = next.saturating_sub(1);
        }
    }
}

/// A transition that only leads back stands halfway.
fn pull_returns(graph: &Graph, closes: &[bool], forward: &[Edge], ranks: &mut [usize]) {
    for node in 0..ranks.len() {
        if graph.nodes[node].is_place || forward.iter().any(|edge| edge.from == node) {
            continue;
        }
        let closing = graph.edges.iter().zip(closes).filter(|(_, closes)| **closes);
        let to = closing.filter(|(edge, _)| edge.from == node).map(|(e, _)| ranks[e.to]).max();
        let inputs = graph.edges.iter().filter(|edge| edge.to == node);
        let from = inputs.map(|edge| ranks[edge.from]).min();
        let (Some(to), Some(from)) = (to, from) else { continue };
        if to < from {
            // Places stand in columns of one parity, transitions in those of the other.
            let middle = to.midpoint(from);
            let is_place_column = middle.abs_diff(to).is_multiple_of(2);
            ranks[node] = middle.saturating_add(usize::from(is_place_column));
        }
    }
}

/// The same order without empty columns.
fn dense(ranks: &[usize]) -> Vec<usize> {
    let mut used = ranks.to_vec();
    used.sort_unstable();
    used.dedup();
    ranks.iter().map(|rank| used.partition_point(|other| other < rank)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::layout::graph;
    use crate::draw::sketch::Sketch;
    use crate::draw::tests::shapes;

    #[test]
    fn a_transition_that_leads_back_stands_in_between() {
        // Places idle, waiting, done; transitions start, first, again, then.
        let require = graph(&Sketch::new(&shapes::require()));
        assert_eq!(ranks(&require), [0, 2, 4, 1, 3, 5, 3]);
        // Places idle, budget, spent; transitions start, use, refill.
        let refilled = graph(&Sketch::new(&shapes::refilled()));
        assert_eq!(ranks(&refilled), [0, 2, 4, 1, 3, 3]);
    }
}
