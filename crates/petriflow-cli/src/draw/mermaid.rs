//! Mermaid: one flowchart with a subgraph for each net.

use petriflow_net::formats::mermaid::quoted;

use petriflow::gate::SkillNet;

use super::sketch::{Arc, Direction, Place, Sketch, Transition};

const CLASSES: &str = "  \
classDef tool fill:#eaf1fe,stroke:#3f6fcb,color:#26323f
  classDef deferred fill:#eaf1fe,stroke:#3f6fcb,color:#26323f,stroke-dasharray:5 4
  classDef manual fill:#fff4da,stroke:#b27710,color:#26323f
  classDef manualDeferred fill:#fff4da,stroke:#b27710,color:#26323f,stroke-dasharray:5 4
  classDef never fill:#fdeeee,stroke:#cc3333,color:#26323f,stroke-width:2px
  classDef structural fill:#e4e8ec,stroke:#98a3ae,color:#56626e
";

/// Draws the nets for a Markdown page.
pub(crate) fn mermaid(nets: &[&SkillNet]) -> String {
    let mut chart = format!("flowchart LR\n{CLASSES}");
    for (position, net) in nets.iter().enumerate() {
        write_subgraph(&mut chart, position, &Sketch::new(net));
    }
    chart
}

fn write_subgraph(chart: &mut String, number: usize, sketch: &Sketch) {
    let lines = [Some(&sketch.title), sketch.origin.as_ref(), Some(&sketch.name)];
    let label: Vec<&str> = lines.into_iter().flatten().map(String::as_str).collect();
    chart.push_str(&format!("  subgraph n{number}[\"{}\"]\n    direction LR\n", quoted(&label)));
    for (position, place) in sketch.places.iter().enumerate() {
        chart.push_str(&format!("    n{number}_p{position}{}\n", place_shape(place)));
    }
    for (position, transition) in sketch.transitions.iter().enumerate() {
        let shape = transition_shape(transition);
        let class = class(transition);
        chart.push_str(&format!("    n{number}_t{position}{shape}:::{class}\n"));
    }
    for arc in &sketch.arcs {
        let (from, to) = arc.ends(number);
        chart.push_str(&format!("    {from} {} {to}\n", arrow(arc)));
    }
    chart.push_str("  end\n");
}

fn place_shape(place: &Place) -> String {
    let label = quoted(&place.lines());
    if place.terminal { format!("(((\"{label}\")))") } else { format!("((\"{label}\"))") }
}

fn transition_shape(transition: &Transition) -> String {
    let mut lines: Vec<&str> = transition.tools.iter().map(String::as_str).collect();
    lines.push(&transition.name);
    lines.extend(transition.caption());
    format!("(\"{}\")", quoted(&lines))
}

fn class(transition: &Transition) -> &'static str {
    match transition {
        Transition { never: true, .. } => "never",
        Transition { manual: true, deferred: true, .. } => "manualDeferred",
        Transition { manual: true, .. } => "manual",
        Transition { deferred: true, .. } => "deferred",
        _ if transition.is_structural() => "structural",
        _ => "tool",
    }
}

fn arrow(arc: &Arc) -> String {
    let line = match (arc.direction, arc.amount.is_drain()) {
        (Direction::Both, _) => "<-->",
        (_, true) => "==>",
        (_, false) => "-->",
    };
    match arc.amount.label() {
        Some(label) => format!("{line}|\"{}\"|", quoted(&[&label])),
        None => line.to_owned(),
    }
}
