//! Where everything stands: the nodes' centres, and the routes of the arrows between them.
//!
//! Each part of a net that hangs together is laid out by itself; the parts stand side by side
//! while there is room, then below each other.

#![expect(
    clippy::indexing_slicing,
    reason = "nodes and edges are named by positions in vectors that have an entry for each"
)]

use super::coordinates::{Coordinates, coordinates};
use super::measure::{SMALL_FONT, bold_width, cut, sizes};
use super::order::columns;
use super::ranks::{Edge, Graph, Node};
use super::routes::{Route, routes};
use super::sketch::{Arc, Direction, Sketch};

/// Between parts of a net that do not hang together.
const PART_GAP: f64 = 56.0;
/// Parts stand side by side up to this width.
const ROW_WIDTH: f64 = 640.0;
const LABEL_MAX: usize = 20;

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

impl Point {
    pub(super) fn shifted(self, by: Point) -> Point {
        Point { x: self.x + by.x, y: self.y + by.y }
    }
}

/// A drawing with its upper left corner at the origin.
#[derive(Default)]
pub(super) struct Layout {
    /// The centres of places, then of transitions.
    pub(super) nodes: Vec<Point>,
    /// One for each arc of the sketch.
    pub(super) routes: Vec<Route>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// The sketch without its texts. Edges are in the order of the arcs.
pub(super) fn graph(sketch: &Sketch) -> Graph {
    let places = sketch.places.iter().map(|place| (true, place.tokens > 0));
    let transitions = sketch.transitions.iter().map(|_| (false, false));
    let kinds = places.chain(transitions).zip(sizes(sketch));
    let node = |((is_place, is_marked), size)| Node { size, is_place, is_marked };
    let edge = |arc: &Arc| {
        let transition = sketch.places.len().saturating_add(arc.transition);
        let (from, to) = match arc.direction {
            Direction::Takes | Direction::Both => (arc.place, transition),
            Direction::Puts => (transition, arc.place),
        };
        let label_width = arc_label(arc).map_or(0.0, |label| bold_width(&label, SMALL_FONT) + 8.0);
        Edge { from, to, both: arc.direction == Direction::Both, label_width }
    };
    Graph { nodes: kinds.map(node).collect(), edges: sketch.arcs.iter().map(edge).collect() }
}

/// What is written at an arrow.
pub(super) fn arc_label(arc: &Arc) -> Option<String> {
    arc.amount.label().map(|label| cut(&label, LABEL_MAX))
}

pub(super) fn layout(graph: &Graph) -> Layout {
    let mut whole = Layout {
        nodes: vec![Point::default(); graph.nodes.len()],
        routes: vec![Route::default(); graph.edges.len()],
        ..Layout::default()
    };
    let mut row: Vec<(Part, Layout)> = Vec::new();
    for part in parts(graph) {
        let layout = part_layout(&part.graph);
        let taken: f64 = row.iter().map(|(_, layout)| layout.width + PART_GAP).sum();
        if taken + layout.width > ROW_WIDTH {
            whole.add_row(&row);
            row.clear();
        }
        row.push((part, layout));
    }
    whole.add_row(&row);
    whole
}

impl Layout {
    /// Adds parts below what is there, their first nodes in one line.
    fn add_row(&mut self, row: &[(Part, Layout)]) {
        let line = |layout: &Layout| layout.nodes.first().map_or(0.0, |node| node.y);
        let lowest = row.iter().map(|(_, layout)| line(layout)).fold(0.0, f64::max);
        let top = if self.height > 0.0 { self.height + PART_GAP } else { 0.0 };
        let mut left = 0.0;
        for (part, layout) in row {
            let corner = Point { x: left, y: top + lowest - line(layout) };
            for (&node, at) in part.nodes.iter().zip(&layout.nodes) {
                self.nodes[node] = at.shifted(corner);
            }
            for (&edge, route) in part.edges.iter().zip(&layout.routes) {
                self.routes[edge] = route.shifted(corner);
            }
            self.width = self.width.max(left + layout.width);
            self.height = self.height.max(corner.y + layout.height);
            left += layout.width + PART_GAP;
        }
    }
}

fn part_layout(graph: &Graph) -> Layout {
    let columns = columns(graph);
    let coordinates = coordinates(graph, &columns);
    let routes = routes(graph, &columns, &coordinates);
    let Coordinates { slots, width, height, .. } = coordinates;
    Layout { nodes: slots.into_iter().take(graph.nodes.len()).collect(), routes, width, height }
}

/// Nodes that hang together, and where they are in the whole graph.
struct Part {
    graph: Graph,
    nodes: Vec<usize>,
    edges: Vec<usize>,
}

fn parts(graph: &Graph) -> Vec<Part> {
    let part_of = part_numbers(graph);
    let mut parts: Vec<Part> = Vec::new();
    let mut position_in_part = Vec::new();
    let count = part_of.iter().max().map_or(0, |number| number.saturating_add(1));
    parts.resize_with(count, || Part {
        graph: Graph::default(),
        nodes: Vec::new(),
        edges: Vec::new(),
    });
    for (position, node) in graph.nodes.iter().enumerate() {
        let part = &mut parts[part_of[position]];
        position_in_part.push(part.nodes.len());
        part.nodes.push(position);
        part.graph.nodes.push(*node);
    }
    for (position, edge) in graph.edges.iter().enumerate() {
        let part = &mut parts[part_of[edge.from]];
        let (from, to) = (position_in_part[edge.from], position_in_part[edge.to]);
        part.edges.push(position);
        part.graph.edges.push(Edge { from, to, ..*edge });
    }
    parts
}

/// The part of every node, counted in the order of their first nodes.
fn part_numbers(graph: &Graph) -> Vec<usize> {
    // The first node of a part stands for it; smaller ones win until nothing changes.
    let mut first: Vec<usize> = (0..graph.nodes.len()).collect();
    loop {
        let before = first.clone();
        for edge in &graph.edges {
            let smaller = first[edge.from].min(first[edge.to]);
            first[edge.from] = smaller;
            first[edge.to] = smaller;
        }
        if first == before {
            break;
        }
    }
    let mut firsts = first.clone();
    firsts.sort_unstable();
    firsts.dedup();
    first.iter().map(|node| firsts.partition_point(|other| other < node)).collect()
}
