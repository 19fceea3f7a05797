//! Graphviz: one graph with a cluster for each net.

use petriflow_net::formats::dot::quoted;

use petriflow::gate::SkillNet;

use super::sketch::{Arc, Direction, Place, Sketch, Transition};

/// Draws the nets for `dot -Tsvg`.
pub(crate) fn dot(nets: &[&SkillNet]) -> String {
    let mut dot = String::from(
        "digraph petriflow {\n  rankdir=LR;\n  fontname=\"sans-serif\";\n  \
         node [fontname=\"sans-serif\", fontsize=11, margin=\"0.16,0.08\"];\n  \
         edge [fontname=\"sans-serif\", fontsize=10, color=\"#5b6875\"];\n",
    );
    for (position, net) in nets.iter().enumerate() {
        write_cluster(&mut dot, position, &Sketch::new(net));
    }
    dot.push_str("}\n");
    dot
}

fn write_cluster(dot: &mut String, number: usize, sketch: &Sketch) {
    let lines = [Some(&sketch.title), sketch.origin.as_ref(), Some(&sketch.name)];
    let label: Vec<&str> = lines.into_iter().flatten().map(String::as_str).collect();
    dot.push_str(&format!(
        "  subgraph cluster_{number} {{\n    label=\"{}\";\n    style=rounded;\n    color=\"#dfe4ea\";\n",
        quoted(&label)
    ));
    for (position, place) in sketch.places.iter().enumerate() {
        dot.push_str(&format!("    n{number}_p{position} [{}];\n", place_attributes(place)));
    }
    for (position, transition) in sketch.transitions.iter().enumerate() {
        let attributes = transition_attributes(transition);
        dot.push_str(&format!("    n{number}_t{position} [{attributes}];\n"));
    }
    for arc in &sketch.arcs {
        let (from, to) = arc.ends(number);
        dot.push_str(&format!("    {from} -> {to}{};\n", arc_attributes(arc)));
    }
    dot.push_str("  }\n");
}

fn place_attributes(place: &Place) -> String {
    let shape = if place.terminal { "doublecircle" } else { "circle" };
    format!("shape={shape}, label=\"{}\"", quoted(&place.lines()))
}

fn transition_attributes(transition: &Transition) -> String {
    let (fill, line) = match transition {
        Transition { never: true, .. } => ("#fdeeee", "#cc3333"),
        Transition { manual: true, .. } => ("#fff4da", "#b27710"),
        _ if transition.is_structural() => ("#e4e8ec", "#98a3ae"),
        _ => ("#eaf1fe", "#3f6fcb"),
    };
    let style = if transition.deferred { "rounded,filled,dashed" } else { "rounded,filled" };
    let mut lines: Vec<&str> = transition.tools.iter().map(String::as_str).collect();
    lines.push(&transition.name);
    let caption = transition.caption().map(|caption| format!("({caption})"));
    lines.extend(caption.as_deref());
    let label = quoted(&lines);
    format!(
        "shape=box, style=\"{style}\", fillcolor=\"{fill}\", color=\"{line}\", label=\"{label}\""
    )
}

fn arc_attributes(arc: &Arc) -> String {
    let mut attributes = Vec::new();
    if let Some(label) = arc.amount.label() {
        attributes.push(format!("label=\"{}\"", quoted(&[&label])));
    }
    if arc.direction == Direction::Both {
        attributes.push("dir=both".to_owned());
    }
    if arc.amount.is_drain() {
        // Two colours beside each other are drawn as a double line.
        attributes.push("color=\"#0f766e:#ffffff:#0f766e\", penwidth=1.8".to_owned());
    }
    match attributes.as_slice() {
        [] => String::new(),
        attributes => format!(" [{}]", attributes.join(", ")),
    }
}
