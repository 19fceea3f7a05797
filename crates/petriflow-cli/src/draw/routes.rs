//! How arrows run.
//!
//! Between columns they may rise and fall; inside a column they run level, either in a slot of
//! their own or to the node they end at. So no arrow runs through a node or its texts.

#![expect(
    clippy::indexing_slicing,
    reason = "slots, nodes and columns are named by positions in vectors that have an entry for each"
)]

use super::coordinates::{Coordinates, STUB, label_piece};
use super::layout::Point;
use super::measure::float;
use super::order::Columns;
use super::ranks::{Edge, Graph};

/// Between the ends of arrows at one side of a node.
const PORT_GAP: f64 = 15.0;
/// How far the control points of a loop's two arrows are away from the straight line.
const BULGE: f64 = 12.0;

/// The way of an arrow, from where it begins to where its head is.
#[derive(Clone, Default, Debug)]
pub(super) struct Route {
    /// Two for a loop between neighbouring columns, there and back; one otherwise.
    pub(super) strands: Vec<Strand>,
    /// Whether the one strand has a head at its beginning too.
    pub(super) two_heads: bool,
    /// Where a label may stand, best place first.
    pub(super) label: Vec<Point>,
}

/// A line of level pieces and curves in turn: level from the first point to the second, a curve to
/// the third, and so on.
#[derive(Clone, Default, Debug)]
pub(super) struct Strand {
    pub(super) points: Vec<Point>,
    /// How far curves bulge. Those that do not are level at both ends.
    pub(super) bulge: f64,
}

impl Route {
    pub(super) fn shifted(&self, by: Point) -> Route {
        let all = |points: &[Point]| points.iter().map(|point| point.shifted(by)).collect();
        let strand = |strand: &Strand| Strand { points: all(&strand.points), bulge: strand.bulge };
        Route {
            strands: self.strands.iter().map(strand).collect(),
            two_heads: self.two_heads,
            label: all(&self.label),
        }
    }
}

impl Strand {
    fn straight(points: Vec<Point>) -> Self {
        Self { points, bulge: 0.0 }
    }

    /// The two inner control points of the curve between two points.
    pub(super) fn controls(&self, from: Point, to: Point) -> (Point, Point) {
        let share = if self.bulge == 0.0 { 0.5 } else { 0.3 };
        let (run, y) = (share * (to.x - from.x), self.bulge);
        (from.shifted(Point { x: run, y }), to.shifted(Point { x: -run, y }))
    }

    /// A point of the curve between two points, `t` between 0 and 1.
    pub(super) fn on_curve(&self, from: Point, to: Point, t: f64) -> Point {
        let (first, second) = self.controls(from, to);
        let s = 1.0 - t;
        let (a, b, c, d) = (s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t);
        Point {
            x: a * from.x + b * first.x + c * second.x + d * to.x,
            y: a * from.y + b * first.y + c * second.y + d * to.y,
        }
    }

    /// The end, and a point that the line comes from.
    pub(super) fn arrival(&self) -> Option<(Point, Point)> {
        match self.points.as_slice() {
            [.., before, end] if before != end => Some((*before, *end)),
            [.., from, _, end] => Some((self.controls(*from, *end).1, *end)),
            _ => None,
        }
    }
}

pub(super) fn routes(graph: &Graph, columns: &Columns, coordinates: &Coordinates) -> Vec<Route> {
    let ports = ports(graph, columns, coordinates);
    let chains = graph.edges.iter().zip(&columns.chains).zip(&ports);
    chains
        .map(|((edge, chain), ports)| route(graph, columns, coordinates, edge, chain, ports))
        .collect()
}

/// How far above or below the centres of its two nodes a strand ends, left and right.
type Ports = (f64, f64);

fn is_loop(edge: &Edge, chain: &[usize]) -> bool {
    edge.both && chain.len() == 2
}

/// The ports of every edge's strands. At each side of a node they are spread in the order of
/// where the arrows come from, so that arrows do not cross right before a node.
fn ports(graph: &Graph, columns: &Columns, coordinates: &Coordinates) -> Vec<Vec<Ports>> {
    let strands = |(edge, chain): (&Edge, &Vec<usize>)| match is_loop(edge, chain) {
        true => vec![(0.0, 0.0); 2],
        false => vec![(0.0, 0.0)],
    };
    let mut ports: Vec<Vec<Ports>> = graph.edges.iter().zip(&columns.chains).map(strands).collect();
    for (node, described) in graph.nodes.iter().enumerate() {
        let mut left_side: Vec<(f64, usize, usize)> = Vec::new();
        let mut right_side: Vec<(f64, usize, usize)> = Vec::new();
        for (edge, chain) in columns.chains.iter().enumerate() {
            let ends = [
                chain.first().zip(chain.get(1)),
                chain.split_last().and_then(|(last, rest)| Some((last, rest.last()?))),
            ];
            for (end, side) in ends.into_iter().zip([&mut right_side, &mut left_side]) {
                if let Some((_, &other)) = end.filter(|(own, _)| **own == node) {
                    let y = coordinates.slots[other].y;
                    side.extend((0..ports[edge].len()).map(|strand| (y, edge, strand)));
                }
            }
        }
        let reach = described.size.outline.reach();
        for (edge, strand, offset) in spread(right_side, reach) {
            ports[edge][strand].0 = offset;
        }
        for (edge, strand, offset) in spread(left_side, reach) {
            ports[edge][strand].1 = offset;
        }
    }
    ports
}

/// Gives every strand of a side its distance from the node's centre.
fn spread(mut side: Vec<(f64, usize, usize)>, reach: f64) -> Vec<(usize, usize, f64)> {
    // Sorting is stable, so parallel arrows keep their order at both ends.
    side.sort_by(|one, other| one.0.total_cmp(&other.0));
    let between = float(side.len().saturating_sub(1));
    let gap = if between > 0.0 { PORT_GAP.min(2.0 * reach / between) } else { 0.0 };
    let offset = |position: usize| (float(position) - between / 2.0) * gap;
    let numbered = side.into_iter().enumerate();
    numbered.map(|(position, (_, edge, strand))| (edge, strand, offset(position))).collect()
}

fn route(
    graph: &Graph,
    columns: &Columns,
    coordinates: &Coordinates,
    edge: &Edge,
    chain: &[usize],
    ports: &[Ports],
) -> Route {
    let ways = ports.iter().map(|&ports| way(graph, columns, coordinates, chain, ports));
    let mut ways: Vec<Vec<Point>> = ways.collect();
    let piece = label_piece(graph, chain).saturating_mul(2).saturating_add(1);
    let label = ways.first().map_or_else(Vec::new, |way| label_points(way, piece));
    if runs_leftwards(edge, chain) {
        ways.iter_mut().for_each(|way| way.reverse());
    }
    match <[Strand; 2]>::try_from(ways.into_iter().map(Strand::straight).collect::<Vec<_>>()) {
        Ok([there, mut back]) => {
            back.points.reverse();
            // The label stands between the two.
            let between = |at: Point| Point { y: at.y + PORT_GAP / 2.0, ..at };
            let label = label.into_iter().map(between).collect();
            let strands = vec![bulging(there, -BULGE), bulging(back, BULGE)];
            Route { strands, two_heads: false, label }
        }
        Err(strands) => Route { strands, two_heads: edge.both, label },
    }
}

/// The strand as one curve between its ends, if they are level.
///
/// The curve stays closer to the middle of the two nodes than their texts are, so it needs no
/// straight pieces beside them.
fn bulging(strand: Strand, bulge: f64) -> Strand {
    match strand.points.as_slice() {
        &[begin, _, _, end] if (begin.y - end.y).abs() < 1.0 => {
            Strand { points: vec![begin, begin, end, end], bulge }
        }
        _ => strand,
    }
}

fn runs_leftwards(edge: &Edge, chain: &[usize]) -> bool {
    chain.first() != Some(&edge.from)
}

/// The points of a strand from left to right.
fn way(
    graph: &Graph,
    columns: &Columns,
    coordinates: &Coordinates,
    chain: &[usize],
    (first_port, last_port): Ports,
) -> Vec<Point> {
    let mut points = Vec::new();
    let last = chain.len().saturating_sub(1);
    for (position, &slot) in chain.iter().enumerate() {
        let centre = coordinates.slots[slot];
        let (left, right) = coordinates.columns[columns.slots[slot].rank];
        let outline = graph.nodes.get(slot).map(|node| node.size.outline);
        let edge = |port: f64| outline.map_or(0.0, |outline| outline.edge(port));
        let (begin, end, y) = match position {
            0 => (centre.x + edge(first_port), right + STUB, centre.y + first_port),
            _ if position == last => {
                (left - STUB, centre.x - edge(last_port), centre.y + last_port)
            }
            _ => (left - STUB, right + STUB, centre.y),
        };
        points.push(Point { x: begin, y });
        points.push(Point { x: end, y });
    }
    points
}

/// Points of a curve that a label may stand at.
fn label_points(way: &[Point], piece: usize) -> Vec<Point> {
    let (Some(&from), Some(&to)) = (way.get(piece), way.get(piece.saturating_add(1))) else {
        return Vec::new();
    };
    let curve = Strand::default();
    [0.5, 0.36, 0.64, 0.43, 0.57, 0.25, 0.75].iter().map(|&t| curve.on_curve(from, to, t)).collect()
}
