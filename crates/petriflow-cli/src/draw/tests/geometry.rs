//! No picture has nodes on top of each other or arrows through them, whatever the net.

use petriflow::gate::{SkillNet, Transition};
use petriflow_testkit::cases::{self, Result, Unstructured};

use super::super::layout::{Layout, Point, graph, layout};
use super::super::ranks::Graph;
use super::super::routes::Strand;
use super::super::sketch::Sketch;
use super::super::{Format, draw};
use super::{checked, shapes};

/// A net with arcs anywhere; structural transitions only where they come to rest.
fn any_net(u: &mut Unstructured<'_>) -> Result<SkillNet> {
    let largest = if u.ratio(1, 4)? { 20 } else { 8 };
    let places: usize = u.int_in_range(1..=largest)?;
    let transitions: usize = u.int_in_range(0..=largest)?;
    let mut described = Vec::new();
    for number in 0..transitions {
        described.push((number, arcs(u, places)?, arcs(u, places)?, u.int_in_range(0..=9u32)?));
    }
    let marked: usize = u.int_in_range(0..=places.min(3))?;
    let tokens = u.int_in_range(1..=9u64)?;
    let build = |with_structural: bool| {
        let names = (0..places).map(|place| format!("p{place}"));
        let mut builder = SkillNet::builder("any").places(names);
        for place in 0..marked {
            builder = builder.initial(format!("p{place}"), tokens);
        }
        for (number, inputs, outputs, kind) in &described {
            builder =
                builder.transition(transition(*number, inputs, outputs, *kind, with_structural));
        }
        builder.build()
    };
    Ok(build(true).or_else(|_| build(false)).unwrap())
}

fn arcs(u: &mut Unstructured<'_>, places: usize) -> Result<Vec<(usize, u64)>> {
    let count = u.int_in_range(0..=3u32)?;
    let weight = |u: &mut Unstructured<'_>| u.choose(&[1, 1, 1, 2, 1_000_000]).copied();
    (0..count).map(|_| Ok((u.choose_index(places)?, weight(u)?))).collect()
}

fn transition(
    number: usize,
    inputs: &[(usize, u64)],
    outputs: &[(usize, u64)],
    kind: u32,
    with_structural: bool,
) -> Transition {
    let name = format!("t{number}");
    let mut transition = if kind == 1 { Transition::manual(name) } else { Transition::auto(name) };
    for (place, weight) in inputs {
        transition = transition.takes(format!("p{place}"), *weight);
    }
    for (place, weight) in outputs {
        transition = transition.puts(format!("p{place}"), *weight);
    }
    if kind == 0 && with_structural {
        return transition;
    }
    let tools = (0..kind).map(|tool| format!("tool-number-{tool}")).chain(["tool".to_owned()]);
    let transition = transition.tools(tools);
    if kind == 2 { transition.deferred() } else { transition }
}

/// Left, top, right, bottom of everything that belongs to a node.
fn boxes(graph: &Graph, layout: &Layout) -> Vec<[f64; 4]> {
    let nodes = graph.nodes.iter().zip(&layout.nodes);
    let corners = nodes.map(|(node, at)| {
        let size = node.size;
        [at.x - size.half_width, at.y - size.above, at.x + size.half_width, at.y + size.below]
    });
    corners.collect()
}

fn assert_nodes_apart(boxes: &[[f64; 4]], layout: &Layout) {
    const SLACK: f64 = 0.01;
    for (position, one) in boxes.iter().enumerate() {
        assert!(one[0] >= -SLACK && one[1] >= -SLACK, "{one:?} sticks out");
        assert!(
            one[2] <= layout.width + SLACK && one[3] <= layout.height + SLACK,
            "{one:?} sticks out"
        );
        for other in &boxes[..position] {
            let apart = one[2] <= other[0] + SLACK
                || other[2] <= one[0] + SLACK
                || one[3] <= other[1] + SLACK
                || other[3] <= one[1] + SLACK;
            assert!(apart, "{one:?} and {other:?} overlap");
        }
    }
}

/// Points along an arrow, close together.
fn trace(strand: &Strand) -> Vec<Point> {
    let mut points = Vec::new();
    for (position, pair) in strand.points.windows(2).enumerate() {
        let (from, to) = (pair[0], pair[1]);
        for step in 0..=20 {
            let t = f64::from(step) / 20.0;
            points.push(match position % 2 {
                0 => Point { x: from.x + t * (to.x - from.x), y: from.y },
                _ => strand.on_curve(from, to, t),
            });
        }
    }
    points
}

fn assert_arrows_around(graph: &Graph, layout: &Layout, boxes: &[[f64; 4]]) {
    for (edge, route) in graph.edges.iter().zip(&layout.routes) {
        for point in route.strands.iter().flat_map(trace) {
            for (node, [left, top, right, bottom]) in boxes.iter().enumerate() {
                let inside = point.x > left + 0.01
                    && point.x < right - 0.01
                    && point.y > top + 0.01
                    && point.y < bottom - 0.01;
                let own = node == edge.from || node == edge.to;
                assert!(own || !inside, "an arrow runs through node {node} at {point:?}");
            }
        }
    }
}

fn assert_arrows_end_at_nodes(graph: &Graph, layout: &Layout) {
    for (edge, route) in graph.edges.iter().zip(&layout.routes) {
        let [first, ..] = route.strands.as_slice() else { panic!("an arrow without a line") };
        for (node, end) in [(edge.from, first.points.first()), (edge.to, first.points.last())] {
            let (size, at, end) = (graph.nodes[node].size, layout.nodes[node], end.unwrap());
            let offset = end.y - at.y;
            let distance = (end.x - at.x).abs() - size.outline.edge(offset);
            assert!(distance.abs() < 0.01 && offset.abs() < size.outline.half_height());
        }
    }
}

fn assert_tidy(net: &SkillNet) {
    let graph = graph(&Sketch::new(net));
    let layout = layout(&graph);
    let boxes = boxes(&graph, &layout);
    assert_nodes_apart(&boxes, &layout);
    assert_arrows_around(&graph, &layout, &boxes);
    assert_arrows_end_at_nodes(&graph, &layout);
}

#[test]
fn shapes_are_tidy() {
    for (_, net) in shapes::all() {
        assert_tidy(&net);
    }
}

#[test]
fn any_net_is_tidy() {
    cases::check(400, |u| {
        let net = any_net(u)?;
        assert_tidy(&net);
        for format in [Format::Svg, Format::Dot, Format::Mermaid] {
            let drawing = draw(&[&net], format);
            if format == Format::Svg {
                checked(&drawing);
            }
        }
        Ok(())
    });
}

#[test]
fn the_largest_net_that_is_drawn_is_tidy_too() {
    // A ring of 30 places and transitions, and long arrows across it.
    let place = |number: usize| format!("p{}", number % 30);
    let mut builder = SkillNet::builder("ring").places((0..30).map(place)).initial("p0", 1);
    for number in 0..30 {
        let transition = Transition::auto(format!("t{number}")).tools(["tool"]);
        let far = [place(number + 7), place(number + 17), place(number + 1)];
        builder = builder.transition(transition.from([place(number), place(number + 11)]).to(far));
    }
    assert_tidy(&builder.build().unwrap());
}
