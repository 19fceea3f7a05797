//! Nodes and arrows as SVG elements.

use super::layout::{Layout, Point, arc_label};
use super::measure::{
    DOTS_MAX, Outline, SMALL_FONT, SMALL_LINE, Size, TOOL_LINE, bold_width, place_name, sizes,
    tool_lines, transition_name,
};
use super::routes::{Route, Strand};
use super::sketch::{Arc, Place, Sketch, Transition, grouped};

/// Draws a laid-out net.
pub(super) fn picture(sketch: &Sketch, layout: &Layout) -> String {
    let mut svg = String::new();
    for (arc, route) in sketch.arcs.iter().zip(&layout.routes) {
        arrow(&mut svg, route, arc.amount.is_drain());
    }
    let nodes: Vec<(Size, Point)> =
        sizes(sketch).into_iter().zip(layout.nodes.iter().copied()).collect();
    for (place, (size, centre)) in sketch.places.iter().zip(&nodes) {
        paint_place(&mut svg, place, *size, *centre);
    }
    let transitions = nodes.iter().skip(sketch.places.len());
    for (transition, (size, centre)) in sketch.transitions.iter().zip(transitions) {
        paint_transition(&mut svg, transition, *size, *centre);
    }
    labels(&mut svg, &sketch.arcs, &layout.routes);
    svg
}

/// Text safe between tags and in quotes.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// A coordinate, to a tenth of a pixel.
pub(super) fn number(value: f64) -> String {
    let number = format!("{value:.1}");
    let short = number.strip_suffix(".0").unwrap_or(&number);
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

/// A line of text with its baseline at `at`.
pub(super) fn text(svg: &mut String, at: Point, class: &str, text: &str) {
    let (x, y) = (number(at.x), number(at.y));
    svg.push_str(&format!(
        "<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{}</text>\n",
        escaped(text)
    ));
}

pub(super) fn rectangle(svg: &mut String, corner: Point, size: Point, radius: f64, class: &str) {
    svg.push_str(&format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" class=\"{class}\"/>\n",
        number(corner.x),
        number(corner.y),
        number(size.x),
        number(size.y),
        number(radius),
    ));
}

pub(super) fn circle(svg: &mut String, centre: Point, radius: f64, class: &str) {
    let (x, y, r) = (number(centre.x), number(centre.y), number(radius));
    svg.push_str(&format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" class=\"{class}\"/>\n"));
}

fn paint_place(svg: &mut String, place: &Place, size: Size, centre: Point) {
    let radius = size.outline.half_height();
    svg.push_str(&format!("<g><title>{}</title>\n", escaped(&place_title(place))));
    circle(svg, centre, radius, "place");
    if place.terminal {
        circle(svg, centre, radius - 3.5, "ring");
    }
    tokens(svg, place.tokens, centre);
    let name = centre.shifted(Point { x: 0.0, y: radius + SMALL_LINE + 1.0 });
    text(svg, name, "middle", &place_name(place));
    svg.push_str("</g>\n");
}

pub(super) fn place_title(place: &Place) -> String {
    let tokens = match place.tokens {
        0 => String::new(),
        1 => ", 1 token at the start".to_owned(),
        tokens => format!(", {tokens} tokens at the start"),
    };
    let end = if place.terminal { ", a proper end" } else { "" };
    format!("place {}{tokens}{end}", place.name)
}

/// Tokens as on a die, or as a number.
fn tokens(svg: &mut String, tokens: u32, centre: Point) {
    const D: f64 = 6.5;
    let dots: &[(f64, f64)] = match tokens {
        0 => &[],
        1 => &[(0.0, 0.0)],
        2 => &[(-D, 0.0), (D, 0.0)],
        3 => &[(0.0, -D), (-D, D - 1.0), (D, D - 1.0)],
        4 => &[(-D, -D), (D, -D), (-D, D), (D, D)],
        DOTS_MAX => &[(-D, -D), (D, -D), (0.0, 0.0), (-D, D), (D, D)],
        _ => {
            let at = centre.shifted(Point { x: 0.0, y: 4.2 });
            return text(svg, at, "middle count", &grouped(tokens));
        }
    };
    let radius = if tokens == 1 { 4.8 } else { 3.4 };
    for &(x, y) in dots {
        circle(svg, centre.shifted(Point { x, y }), radius, "token");
    }
}

fn paint_transition(svg: &mut String, transition: &Transition, size: Size, centre: Point) {
    let Outline::Box { half_width, half_height } = size.outline else { return };
    svg.push_str(&format!("<g><title>{}</title>\n", escaped(&transition_title(transition))));
    let corner = centre.shifted(Point { x: -half_width, y: -half_height });
    let extent = Point { x: 2.0 * half_width, y: 2.0 * half_height };
    let below =
        |line: f64| centre.shifted(Point { x: 0.0, y: half_height + line * SMALL_LINE - 1.0 });
    let name = transition_name(transition);
    let radius = if transition.is_structural() { 4.0 } else { 10.0 };
    rectangle(svg, corner, extent, radius, &box_class(transition));
    let mut baseline = Point { x: centre.x, y: corner.y + 3.5 };
    for tool in tool_lines(transition) {
        baseline.y += TOOL_LINE;
        text(svg, baseline, "middle tool", &tool);
    }
    // A structural transition is too small for a name inside.
    let mut line = 1.0;
    if let Some(name) = name {
        let at = match transition.is_structural() {
            true => below(line),
            false => baseline.shifted(Point { x: 0.0, y: SMALL_LINE + 0.5 }),
        };
        text(svg, at, "middle small", &name);
        line += if transition.is_structural() { 1.0 } else { 0.0 };
    }
    if let Some(caption) = transition.caption() {
        text(svg, below(line), &caption_class(transition), caption);
    }
    svg.push_str("</g>\n");
}

pub(super) fn transition_title(transition: &Transition) -> String {
    let mut title = match transition.tools.as_slice() {
        [] => format!("transition {}, by itself", transition.name),
        tools => format!("{} (transition {})", tools.join(", "), transition.name),
    };
    if let Some(caption) = transition.caption() {
        title.push_str(", ");
        title.push_str(caption);
    }
    title
}

fn box_class(transition: &Transition) -> String {
    let classes = [
        (true, "box"),
        (transition.is_structural(), "structural"),
        (transition.manual, "manual"),
        (transition.deferred, "deferred"),
        (transition.never, "never"),
    ];
    let classes = classes.into_iter().filter(|(applies, _)| *applies);
    classes.map(|(_, class)| class).collect::<Vec<_>>().join(" ")
}

fn caption_class(transition: &Transition) -> String {
    let own = match transition {
        Transition { never: true, .. } => " caption-never",
        Transition { manual: true, .. } => " caption-manual",
        _ => "",
    };
    format!("middle caption{own}")
}

/// The size of a head: its length and half its width.
fn head_size(is_drain: bool) -> (f64, f64) {
    if is_drain { (11.0, 7.0) } else { (9.0, 4.2) }
}

pub(super) fn arrow(svg: &mut String, route: &Route, is_drain: bool) {
    for strand in &route.strands {
        let path = path(strand, route.two_heads, is_drain);
        let classes: &[&str] = if is_drain { &["drain", "drain-inside"] } else { &["arrow"] };
        for class in classes {
            svg.push_str(&format!("<path d=\"{path}\" class=\"{class}\"/>\n"));
        }
        if let Some((before, end)) = strand.arrival() {
            head(svg, before, end, is_drain);
        }
        if let (true, [begin, after, ..]) = (route.two_heads, strand.points.as_slice()) {
            head(svg, *after, *begin, is_drain);
        }
    }
}

fn head(svg: &mut String, before: Point, tip: Point, is_drain: bool) {
    let (length, half_width) = head_size(is_drain);
    let back = towards(tip, before, length);
    let (x, y) = ((tip.x - back.x) / length * half_width, (tip.y - back.y) / length * half_width);
    let class = if is_drain { "drain-head" } else { "head" };
    svg.push_str(&format!(
        "<path d=\"M{} {}L{} {}L{} {}Z\" class=\"{class}\"/>\n",
        number(tip.x),
        number(tip.y),
        number(back.x - y),
        number(back.y + x),
        number(back.x + y),
        number(back.y - x),
    ));
}

/// The point at a distance from one point on the way to another.
fn towards(from: Point, to: Point, distance: f64) -> Point {
    let (x, y) = (to.x - from.x, to.y - from.y);
    let share = distance / x.hypot(y).max(0.1);
    from.shifted(Point { x: x * share, y: y * share })
}

/// The line of a strand, which ends inside its heads.
fn path(strand: &Strand, two_heads: bool, is_drain: bool) -> String {
    let mut points = strand.points.clone();
    let inside = head_size(is_drain).0 - 1.5;
    if let (Some((before, end)), Some(last)) = (strand.arrival(), points.last_mut()) {
        *last = towards(end, before, inside);
    }
    if let (true, [begin, after, ..]) = (two_heads, points.as_mut_slice()) {
        *begin = towards(*begin, *after, inside);
    }
    let mut path = String::new();
    let mut previous: Option<Point> = None;
    for (position, &point) in points.iter().enumerate() {
        let (x, y) = (number(point.x), number(point.y));
        match previous {
            None => path.push_str(&format!("M{x} {y}")),
            Some(previous) if position % 2 == 0 => {
                let (first, second) = strand.controls(previous, point);
                let (x1, y1) = (number(first.x), number(first.y));
                let (x2, y2) = (number(second.x), number(second.y));
                path.push_str(&format!("C{x1} {y1} {x2} {y2} {x} {y}"));
            }
            Some(_) => path.push_str(&format!("L{x} {y}")),
        }
        previous = Some(point);
    }
    path
}

/// Labels of arrows, on a patch of background; each at its best point that is still free.
fn labels(svg: &mut String, arcs: &[Arc], routes: &[Route]) {
    let mut taken: Vec<(Point, f64)> = Vec::new();
    for (arc, route) in arcs.iter().zip(routes) {
        let Some(label) = arc_label(arc) else { continue };
        let half_width = bold_width(&label, SMALL_FONT) / 2.0 + 4.0;
        let is_free = |at: &&Point| {
            taken.iter().all(|(other, other_width)| {
                (at.x - other.x).abs() > half_width + other_width || (at.y - other.y).abs() > 16.0
            })
        };
        let free = route.label.iter().find(is_free).or(route.label.first());
        let Some(&at) = free else { continue };
        taken.push((at, half_width));
        let corner = at.shifted(Point { x: -half_width, y: -8.0 });
        rectangle(svg, corner, Point { x: 2.0 * half_width, y: 16.0 }, 5.0, "label-back");
        text(svg, at.shifted(Point { x: 0.0, y: 3.8 }), "middle label", &label);
    }
}
