//! Mermaid: a drawing of a net for Markdown pages. Written only, never read.
//!
//! ```
//! use petriflow_net::{Net, formats::mermaid};
//!
//! let net = Net::builder("door")
//!     .places(["closed", "open"])
//!     .transition("push", ["closed"], ["open"])
//!     .initial("closed", 1)
//!     .build()?;
//! assert!(mermaid::write(&net).contains(r#"p0(("closed<br/>1 token"))"#));
//! # Ok::<(), petriflow_net::BuildError>(())
//! ```

use super::label;
use crate::{Net, TransitionId, WeightedArc};

/// Draws the net as a flowchart: places as circles with their initial tokens, transitions as
/// boxes, weights above 1 on the arcs. The net's name is left out.
pub fn write(net: &Net) -> String {
    let mut chart = String::from("flowchart LR\n");
    for place in net.places() {
        let label = quoted(&label::place_lines(net, place));
        chart.push_str(&format!("  p{}((\"{label}\"))\n", place.index()));
    }
    for transition in net.transitions() {
        write_transition(net, transition, &mut chart);
    }
    chart
}

fn write_transition(net: &Net, transition: TransitionId, chart: &mut String) {
    let label = quoted(&label::lines(net.transition_name(transition)));
    chart.push_str(&format!("  t{}[\"{label}\"]\n", transition.index()));
    for arc in net.inputs(transition) {
        let (place, transition) = (arc.place.index(), transition.index());
        chart.push_str(&format!("  p{place} {} t{transition}\n", arrow(arc)));
    }
    for arc in net.outputs(transition) {
        let (place, transition) = (arc.place.index(), transition.index());
        chart.push_str(&format!("  t{transition} {} p{place}\n", arrow(arc)));
    }
}

fn arrow(arc: &WeightedArc) -> String {
    match arc.weight {
        1 => "-->".to_owned(),
        weight => format!("-->|{weight}|"),
    }
}

/// The inside of a quoted label.
pub fn quoted(lines: &[impl AsRef<str>]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| escaped(line.as_ref())).collect();
    lines.join("<br/>")
}

/// A line with everything but words as character codes.
///
/// A label is read as Mermaid, then as Markdown, then as HTML, each with its own special
/// characters (even `1.` at the start makes a list), so only letters, digits, spaces, and `_` or
/// `-` inside a word stay as they are.
fn escaped(line: &str) -> String {
    let mut escaped = String::new();
    let mut previous = ' ';
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let inside_word = previous.is_alphanumeric()
            && characters.peek().is_some_and(|next| next.is_alphanumeric());
        let plain = match character {
            ' ' => true,
            '_' | '-' => inside_word,
            _ => character.is_alphanumeric(),
        };
        match plain {
            true => escaped.push(character),
            false => escaped.push_str(&format!("#{};", u32::from(character))),
        }
        previous = character;
    }
    escaped
}
