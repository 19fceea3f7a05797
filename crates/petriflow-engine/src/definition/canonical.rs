//! The canonical form of a definition: one text for every way to write it.
//!
//! Fields are sorted by name, what has its default is left out, `automatic` is `auto`, arcs and
//! lists of places follow the order of the places. The order of places, transitions, invariants
//! and properties is kept: it is the order in which a scheduler chooses and a report lists.

use petriflow_net::invariants::PlaceWeights;
use petriflow_net::{Net, PlaceId, TransitionId, WeightedArc};
use serde_json::{Number, Value as Json};
use sha2::{Digest, Sha256};

use super::nodes::Node as Effect;
use super::tree::{Node, Value};
use super::{Inner, Property, Transition};

/// The definition as a tree, fields in no particular order.
pub(super) fn tree(definition: &Inner) -> Node {
    let net = &definition.net;
    let mut fields = vec![
        ("name", Node::text(&*definition.name)),
        ("version", Node::number(definition.version)),
        ("places", place_names(net, net.places())),
    ];
    let transitions = net.transitions().zip(&definition.transitions);
    let transitions = transitions.map(|(id, transition)| transition_tree(net, id, transition));
    fields.push(("transitions", Node::list(transitions)));
    let marked = net.places().zip(net.initial().iter()).filter(|&(_, &tokens)| tokens > 0);
    let marked = marked.map(|(place, &tokens)| (net.place_name(place), Node::number(tokens)));
    fields.push(("initialMarking", Node::object(marked)));
    fields.push((
        "initialContext",
        Node::from_json(&Json::Object(definition.initial_context.clone())),
    ));
    fields.push(("terminalPlaces", place_names(net, definition.terminal_places.iter().copied())));
    fields.push(("externalPlaces", place_names(net, definition.external_places.iter().copied())));
    let invariants = definition.invariants.iter().map(|weights| invariant(net, weights));
    fields.push(("invariants", Node::list(invariants)));
    let properties = definition.properties.iter().map(|property| property_tree(net, property));
    fields.push(("properties", Node::list(properties)));
    let required = ["name", "version", "places", "transitions"];
    let is_kept = |(name, node): &(&str, Node)| required.contains(name) || !is_empty(node);
    fields.retain(is_kept);
    Node::object(fields)
}

fn is_empty(node: &Node) -> bool {
    match &node.value {
        Value::List(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

fn place_names(net: &Net, places: impl Iterator<Item = PlaceId>) -> Node {
    Node::list(places.map(|place| Node::text(net.place_name(place))))
}

fn transition_tree(net: &Net, id: TransitionId, transition: &Transition) -> Node {
    let arcs = |arcs: &[WeightedArc]| {
        let repeated = |arc: &WeightedArc| std::iter::repeat_n(arc.place, arc.weight as usize);
        place_names(net, arcs.iter().flat_map(repeated))
    };
    let mut fields = vec![
        ("name", Node::text(transition.name())),
        ("type", Node::text(transition.node().kind())),
        ("inputs", arcs(net.inputs(id))),
        ("outputs", arcs(net.outputs(id))),
    ];
    if let Some(guard) = transition.guard() {
        fields.push(("guard", Node::text(guard.text())));
    }
    if let Some(timeout) = transition.timeout() {
        let mut timeout_fields = vec![
            ("place", Node::text(net.place_name(timeout.place))),
            ("ms", Node::number(timeout.ms)),
        ];
        if timeout.repeat {
            timeout_fields.push(("repeat", Node { at: None, value: Value::Bool(true) }));
        }
        fields.push(("timeout", Node::object(timeout_fields)));
    }
    if let Some(retry) = transition.retry() {
        let retry = [
            ("maxAttempts", Node::number(retry.max_attempts)),
            ("backoffMs", Node::number(retry.backoff_ms)),
            ("maxBackoffMs", Node::number(retry.max_backoff_ms)),
        ];
        fields.push(("retry", Node::object(retry)));
    }
    fields.extend(config(transition.node()).map(|config| ("config", config)));
    Node::object(fields)
}

fn config(node: &Effect) -> Option<Node> {
    let texts = |texts: &[String]| Node::list(texts.iter().map(Node::text));
    Some(match node {
        Effect::Auto | Effect::Manual => return None,
        Effect::Timer { delay_ms } => Node::object([("delayMs", Node::number(*delay_ms))]),
        Effect::Http(http) => {
            let mut fields =
                vec![("url", Node::text(&http.url)), ("method", Node::text(&http.method))];
            if !http.headers.is_empty() {
                let headers = http.headers.iter().map(|(name, value)| (name, Node::text(value)));
                fields.push(("headers", Node::object(headers)));
            }
            fields.extend(http.body.as_ref().map(|body| ("body", Node::from_json(body))));
            Node::object(fields)
        }
        Effect::Set(writes) => {
            Node::object(writes.iter().map(|(field, guard)| (field, Node::text(guard.text()))))
        }
        Effect::Command(command) => {
            let mut fields = vec![("program", Node::text(&command.program))];
            if !command.args.is_empty() {
                fields.push(("args", texts(&command.args)));
            }
            fields.extend(command.stdin.as_ref().map(|stdin| ("stdin", Node::text(stdin))));
            Node::object(fields)
        }
        Effect::Custom { config: Json::Null, .. } => return None,
        Effect::Custom { config, .. } => Node::from_json(config),
    })
}

fn invariant(net: &Net, weights: &PlaceWeights) -> Node {
    let weight = |(place, weight): (PlaceId, i128)| {
        // The reader accepts no weight that is beyond an `i64`.
        let weight = Number::from(i64::try_from(weight).unwrap_or(i64::MAX));
        (net.place_name(place), Node { at: None, value: Value::Number(weight) })
    };
    Node::object([("weights", Node::object(weights.iter().map(weight)))])
}

fn property_tree(net: &Net, property: &Property) -> Node {
    let mut fields = vec![
        ("name", Node::text(&*property.name)),
        (property.quantifier.word(), Node::text(property.condition.text())),
    ];
    if !property.without.is_empty() {
        let names = property.without.iter().map(|&id| Node::text(net.transition_name(id)));
        fields.push(("without", Node::list(names)));
    }
    Node::object(fields)
}

/// The tree as JSON without spaces, fields sorted by name.
pub(super) fn print(node: &Node) -> String {
    let mut text = String::new();
    write(&node.to_json(), &mut text);
    text
}

/// `serde_json` keeps its own order of fields, which a feature of it can change; this does not.
fn write(value: &Json, text: &mut String) {
    match value {
        Json::Array(items) => {
            text.push('[');
            for (number, item) in items.iter().enumerate() {
                text.push_str(if number == 0 { "" } else { "," });
                write(item, text);
            }
            text.push(']');
        }
        Json::Object(fields) => {
            let mut fields: Vec<(&String, &Json)> = fields.iter().collect();
            fields.sort_by_key(|&(name, _)| name);
            text.push('{');
            for (number, (name, value)) in fields.into_iter().enumerate() {
                text.push_str(if number == 0 { "" } else { "," });
                text.push_str(&Json::String(name.clone()).to_string());
                text.push(':');
                write(value, text);
            }
            text.push('}');
        }
        other => text.push_str(&other.to_string()),
    }
}

pub(super) fn hash(canonical: &str) -> [u8; 32] {
    Sha256::digest(canonical.as_bytes()).into()
}
