//! Writing: one place and one transition a line, so that a change of a net is a readable diff.

use super::super::NetDocument;
use crate::{Net, TransitionId, WeightedArc};

/// The largest weight that is written by repeating the place.
const REPEATED_MAX: u32 = 3;

/// Writes a document; [`read`](super::read()) gives it back. Ends with a newline.
///
/// # Panics
/// If a terminal place belongs to a larger net.
pub fn write(document: &NetDocument) -> String {
    let net = &document.net;
    let places = net.places().map(|place| quoted(net.place_name(place)));
    let transitions = net.transitions().map(|transition| transition_object(net, transition));
    let terminal = document.terminal_places.iter().map(|&place| quoted(net.place_name(place)));

    let mut fields = Vec::new();
    if !net.name().is_empty() {
        fields.push(format!("\"name\": {}", quoted(net.name())));
    }
    fields.push(format!("\"places\": {}", block('[', places.collect(), ']')));
    fields.push(format!("\"transitions\": {}", block('[', transitions.collect(), ']')));
    fields.push(format!("\"initialMarking\": {}", block('{', marking_entries(net), '}')));
    fields.push(format!("\"terminalPlaces\": {}", block('[', terminal.collect(), ']')));
    format!("{{\n  {}\n}}\n", fields.join(",\n  "))
}

fn marking_entries(net: &Net) -> Vec<String> {
    let marked = net.places().zip(net.initial().iter()).filter(|&(_, &tokens)| tokens > 0);
    marked.map(|(place, tokens)| format!("{}: {tokens}", quoted(net.place_name(place)))).collect()
}

fn transition_object(net: &Net, transition: TransitionId) -> String {
    format!(
        "{{\"name\": {}, \"inputs\": [{}], \"outputs\": [{}]}}",
        quoted(net.transition_name(transition)),
        arc_list(net, net.inputs(transition)),
        arc_list(net, net.outputs(transition)),
    )
}

fn arc_list(net: &Net, arcs: &[WeightedArc]) -> String {
    let items = arcs.iter().flat_map(|arc| {
        let place = quoted(net.place_name(arc.place));
        let (item, times) = match arc.weight {
            weight @ ..=REPEATED_MAX => (place, weight),
            weight => (format!("{{\"place\": {place}, \"weight\": {weight}}}"), 1),
        };
        (0..times).map(move |_| item.clone())
    });
    items.collect::<Vec<_>>().join(", ")
}

/// A list or object with one item a line.
fn block(open: char, items: Vec<String>, close: char) -> String {
    match items.is_empty() {
        true => format!("{open}{close}"),
        false => format!("{open}\n    {}\n  {close}", items.join(",\n    ")),
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
