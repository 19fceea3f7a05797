//! Formats: what is read, what is refused and with which words, and that writing and reading are
//! inverse to each other.

mod drawings;
#[cfg(all(feature = "json", feature = "pnml"))]
mod hostile;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "pnml")]
mod pnml;
#[cfg(all(feature = "json", feature = "pnml"))]
mod round_trip;

use petriflow_net::Net;

/// The net as text: every place with its tokens, every transition with its arcs.
#[cfg(any(feature = "json", feature = "pnml"))]
fn describe(net: &Net) -> String {
    let side = |arcs: &[petriflow_net::WeightedArc]| {
        let arcs = arcs.iter().map(|arc| format!("{}*{}", arc.weight, net.place_name(arc.place)));
        arcs.collect::<Vec<_>>().join(" + ")
    };
    let mut text = format!("net {:?}\n", net.name());
    text.push_str(&format!("marking {}\n", net.initial().display(net)));
    for transition in net.transitions() {
        let (inputs, outputs) = (side(net.inputs(transition)), side(net.outputs(transition)));
        let name = net.transition_name(transition);
        text.push_str(&format!("{name}: {inputs} -> {outputs}\n"));
    }
    text
}

/// A net with an arc of each form and names that need every escape.
fn awkward_net() -> Net {
    Net::builder("a \"net\" & <more>")
        .places(["plain", " padded\t", "two\nlines", "\"quoted\" \\ #35; [x]; `y` <b>&lt;</b>"])
        .transition("1. take_one-each", ["plain", " padded\t"], ["two\nlines"])
        .weighted_transition("größer", [("plain", 3)], [("plain", 4), ("two\nlines", 2)])
        .transition("%%{init}%%", [""; 0], ["\"quoted\" \\ #35; [x]; `y` <b>&lt;</b>"])
        .initial("plain", 1)
        .initial("two\nlines", 12)
        .build()
        .unwrap()
}
