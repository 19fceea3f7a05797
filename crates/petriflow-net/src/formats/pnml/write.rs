//! Writing: one page, one element a line.

use std::fmt;

use super::super::text::shown;
use super::{PTNET, WHITE_SPACE};
use crate::{Net, PlaceId, TransitionId, WeightedArc};

/// Writes the net as PNML; [`read`](super::read()) gives it back.
///
/// # Errors
/// If a name has characters that XML cannot carry, not even as references: control characters
/// other than tab and line ends, U+FFFE and U+FFFF. Replacing them would change the names.
pub fn write(net: &Net) -> Result<String, PnmlWriteError> {
    check_names(net)?;
    let mut pnml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    pnml.push_str("<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n");
    pnml.push_str(&format!("  <net id=\"net\" type=\"{PTNET}\">\n"));
    pnml.push_str(&format!("    {}\n    <page id=\"page\">\n", name_element(net.name())));
    for place in net.places() {
        pnml.push_str(&place_element(net, place));
    }
    for transition in net.transitions() {
        let name = name_element(net.transition_name(transition));
        let id = transition_id(transition);
        pnml.push_str(&format!("      <transition id=\"{id}\">{name}</transition>\n"));
    }
    write_arcs(net, &mut pnml);
    pnml.push_str("    </page>\n  </net>\n</pnml>\n");
    Ok(pnml)
}

fn place_element(net: &Net, place: PlaceId) -> String {
    let name = name_element(net.place_name(place));
    let marking = match net.initial().tokens(place) {
        0 => String::new(),
        tokens => format!("<initialMarking><text>{tokens}</text></initialMarking>"),
    };
    format!("      <place id=\"{}\">{name}{marking}</place>\n", place_id(place))
}

fn write_arcs(net: &Net, pnml: &mut String) {
    let mut number = 0_usize;
    let mut write_arc = |source: String, target: String, arc: &WeightedArc| {
        let ends = format!("id=\"a{number}\" source=\"{source}\" target=\"{target}\"");
        number = number.saturating_add(1);
        pnml.push_str(&match arc.weight {
            1 => format!("      <arc {ends}/>\n"),
            weight => format!(
                "      <arc {ends}><inscription><text>{weight}</text></inscription></arc>\n"
            ),
        });
    };
    for transition in net.transitions() {
        for arc in net.inputs(transition) {
            write_arc(place_id(arc.place), transition_id(transition), arc);
        }
        for arc in net.outputs(transition) {
            write_arc(transition_id(transition), place_id(arc.place), arc);
        }
    }
}

fn place_id(place: PlaceId) -> String {
    format!("p{}", place.index())
}

fn transition_id(transition: TransitionId) -> String {
    format!("t{}", transition.index())
}

fn name_element(name: &str) -> String {
    format!("<name><text>{}</text></name>", escaped(name))
}

/// The text with references for markup, for white space at its ends, and for all white space but
/// the plain space: readers normalise line ends, and layout is what they drop.
fn escaped(text: &str) -> String {
    let inside = text.trim_matches(WHITE_SPACE);
    let before = text.len().saturating_sub(text.trim_start_matches(WHITE_SPACE).len());
    let inside = before..before.saturating_add(inside.len());
    let mut escaped = String::new();
    for (at, character) in text.char_indices() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            ' ' if inside.contains(&at) => escaped.push(' '),
            _ if WHITE_SPACE.contains(&character) => {
                escaped.push_str(&format!("&#{};", u32::from(character)));
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

/// Names that XML cannot carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PnmlWriteError {
    // INVARIANT: at least one.
    names: Vec<UnwritableName>,
}

/// A name that XML cannot carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnwritableName {
    /// `net`, `place` or `transition`.
    pub kind: &'static str,
    /// The name.
    pub name: String,
    /// The first character that cannot be written.
    pub character: char,
}

impl PnmlWriteError {
    /// The names, at least one, in the order of the net's parts.
    pub fn names(&self) -> &[UnwritableName] {
        &self.names
    }
}

fn check_names(net: &Net) -> Result<(), PnmlWriteError> {
    let places = net.places().map(|place| ("place", net.place_name(place)));
    let transitions = net.transitions().map(|id| ("transition", net.transition_name(id)));
    let names: Vec<_> = std::iter::once(("net", net.name()))
        .chain(places)
        .chain(transitions)
        .filter_map(|(kind, name)| {
            let character = name.chars().find(|&character| !is_xml(character))?;
            Some(UnwritableName { kind, name: name.to_owned(), character })
        })
        .collect();
    if names.is_empty() { Ok(()) } else { Err(PnmlWriteError { names }) }
}

/// The production `Char` of XML 1.0.
fn is_xml(character: char) -> bool {
    match character {
        '\t' | '\n' | '\r' => true,
        _ => character >= ' ' && !matches!(character, '\u{fffe}' | '\u{ffff}'),
    }
}

impl fmt::Display for UnwritableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, name, code) = (self.kind, shown(&self.name), u32::from(self.character));
        write!(f, "the name of {kind} `{name}` has the character U+{code:04X}")?;
        write!(f, ", which XML cannot carry")
    }
}

impl fmt::Display for PnmlWriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for name in &self.names {
            write!(f, "{separator}{name}")?;
            separator = "\n";
        }
        Ok(())
    }
}

impl std::error::Error for PnmlWriteError {}
