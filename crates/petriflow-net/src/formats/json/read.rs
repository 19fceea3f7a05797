//! Reading: JSON to the wire types, then to a checked document.

use std::collections::HashMap;

use super::super::text::cut;
use super::super::{INPUT_BYTES_MAX, NetDocument, Position};
use super::wire::{ArcWire, DocumentWire, Object};
use super::{JsonError, JsonProblem};
use crate::{BuildError, Net, PlaceId};

const MESSAGE_CHARACTERS_MAX: usize = 300;

/// Reads a document.
///
/// # Errors
/// If the text is not JSON of this form, the position where reading stopped; otherwise every
/// problem of the net and of the terminal places.
pub fn read(text: &str) -> Result<NetDocument, JsonError> {
    if text.len() > INPUT_BYTES_MAX {
        return Err(JsonError::new(vec![JsonProblem::TooLarge { bytes: text.len() }]));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document: Object<DocumentWire> =
        serde_json::from_str(text).map_err(|error| malformed(text, &error))?;
    document_from(document.0)
}

fn document_from(wire: DocumentWire) -> Result<NetDocument, JsonError> {
    // Terminal places are checked against the names in the file, not against the built net, so
    // that they are also reported when the net itself has problems.
    let (terminal_places, mut problems) = terminal_places(&wire);
    match net_from(wire) {
        Ok(net) if problems.is_empty() => Ok(NetDocument { net, terminal_places }),
        Ok(_) => Err(JsonError::new(problems)),
        Err(error) => {
            let mut all: Vec<_> = error.problems().iter().cloned().map(JsonProblem::Net).collect();
            all.append(&mut problems);
            Err(JsonError::new(all))
        }
    }
}

fn terminal_places(wire: &DocumentWire) -> (Vec<PlaceId>, Vec<JsonProblem>) {
    let known: HashMap<&str, Option<PlaceId>> = wire
        .places
        .iter()
        .enumerate()
        .map(|(position, name)| (name.as_str(), PlaceId::new(position)))
        .collect();
    let mut times: HashMap<&str, u32> = HashMap::new();
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for place in &wire.terminal_places {
        let times = times.entry(place).or_default();
        *times = times.saturating_add(1);
        match (*times, known.get(place.as_str())) {
            (1, Some(id)) => found.extend(*id),
            (1, None) => problems.push(JsonProblem::UnknownTerminal { place: place.clone() }),
            // Reported at the second occurrence, and only there.
            (2, _) => problems.push(JsonProblem::TerminalTwice { place: place.clone() }),
            _ => {}
        }
    }
    (found, problems)
}

fn net_from(wire: DocumentWire) -> Result<Net, BuildError> {
    let mut builder = Net::builder(wire.name).places(wire.places);
    for Object(transition) in wire.transitions {
        let inputs = transition.inputs.into_iter().map(pair);
        let outputs = transition.outputs.into_iter().map(pair);
        builder = builder.weighted_transition(transition.name, inputs, outputs);
    }
    for (place, tokens) in wire.initial_marking.0 {
        builder = builder.initial(place, tokens.0);
    }
    builder.build()
}

fn pair(arc: ArcWire) -> (String, u64) {
    (arc.place, arc.weight.0)
}

fn malformed(text: &str, error: &serde_json::Error) -> JsonError {
    let position = position(text, error.line(), error.column());
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = error.to_string();
    // The parser quotes unknown fields whole, however long they are.
    let message = cut(message.strip_suffix(&place).unwrap_or(&message), MESSAGE_CHARACTERS_MAX);
    JsonError::new(vec![JsonProblem::Malformed { position, message }])
}

/// The parser counts columns in bytes, and from 0 at the start of a line; we count characters
/// from 1.
fn position(text: &str, line: usize, column: usize) -> Position {
    let found = text.split('\n').nth(line.saturating_sub(1)).unwrap_or_default();
    let is_character_start = |byte: &u8| byte & 0b1100_0000 != 0b1000_0000;
    let characters = found.bytes().take(column).filter(is_character_start).count();
    Position { line: line.max(1), column: characters.max(1) }
}
