//! What the two drawings share: the lines of a node's label.

use crate::{Net, PlaceId};

/// The lines of a place's label: those of its name, then its tokens at the start if it has any.
pub(super) fn place_lines(net: &Net, place: PlaceId) -> Vec<String> {
    let mut lines = lines(net.place_name(place));
    match net.initial().tokens(place) {
        0 => {}
        1 => lines.push("1 token".to_owned()),
        tokens => lines.push(format!("{tokens} tokens")),
    }
    lines
}

/// The lines of a text, control characters made visible.
///
/// A drawing is not read back, and a raw control character can cut a label short or break the
/// file, so `\u{0}` is written out as those five characters.
pub(super) fn lines(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.split('\n').map(visible).collect()
}

fn visible(line: &str) -> String {
    let mut visible = String::new();
    for character in line.chars() {
        match character.is_control() {
            true => visible.extend(character.escape_default()),
            false => visible.push(character),
        }
    }
    visible
}
