//! Graphviz DOT: a drawing of a net, for `dot -Tsvg`. Written only, never read.
//!
//! ```
//! use petriflow_net::{Net, formats::dot};
//!
//! let net = Net::builder("door")
//!     .places(["closed", "open"])
//!     .transition("push", ["closed"], ["open"])
//!     .initial("closed", 1)
//!     .build()?;
//! assert!(dot::write(&net).contains(r#"p0 [shape=circle, label="closed\n1 token"];"#));
//! # Ok::<(), petriflow_net::BuildError>(())
//! ```

use super::label;
use crate::{Net, PlaceId, TransitionId, WeightedArc};

/// Draws the net: places as circles with their initial tokens, transitions as boxes, weights above
/// 1 on the arcs.
pub fn write(net: &Net) -> String {
    let mut dot = String::from("digraph {\n  rankdir=LR;\n");
    // A label rather than the graph's identifier: labels have one set of escapes for any text.
    dot.push_str(&format!("  label=\"{}\";\n", quoted(&label::lines(net.name()))));
    for place in net.places() {
        let label = quoted(&label::place_lines(net, place));
        dot.push_str(&format!("  p{} [shape=circle, label=\"{label}\"];\n", place.index()));
    }
    for transition in net.transitions() {
        write_transition(net, transition, &mut dot);
    }
    dot.push_str("}\n");
    dot
}

fn write_transition(net: &Net, transition: TransitionId, dot: &mut String) {
    let label = quoted(&label::lines(net.transition_name(transition)));
    dot.push_str(&format!("  t{} [shape=box, label=\"{label}\"];\n", transition.index()));
    for arc in net.inputs(transition) {
        let ends = format!("{} -> t{}", place_node(arc.place), transition.index());
        dot.push_str(&arc_line(&ends, arc));
    }
    for arc in net.outputs(transition) {
        let ends = format!("t{} -> {}", transition.index(), place_node(arc.place));
        dot.push_str(&arc_line(&ends, arc));
    }
}

fn place_node(place: PlaceId) -> String {
    format!("p{}", place.index())
}

fn arc_line(ends: &str, arc: &WeightedArc) -> String {
    match arc.weight {
        1 => format!("  {ends};\n"),
        weight => format!("  {ends} [label=\"{weight}\"];\n"),
    }
}

/// The inside of a quoted label.
///
/// Graphviz reads `\N`, `\G` and others as placeholders and resolves `&lt;` even in plain labels,
/// so the backslash and the ampersand need an escape beside the quote.
pub fn quoted(lines: &[impl AsRef<str>]) -> String {
    let escaped =
        |line: &str| line.replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;");
    let lines: Vec<String> = lines.iter().map(|line| escaped(line.as_ref())).collect();
    lines.join("\\n")
}
