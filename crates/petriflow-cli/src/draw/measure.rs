//! How large nodes are, without asking a font.
//!
//! The reader's font is not known, so widths are estimated after a wide one (DejaVu Sans). With
//! a narrower font there is more air in the boxes.

use super::sketch::{Place, Sketch, Transition, grouped};

pub(super) const PLACE_RADIUS: f64 = 20.0;
pub(super) const PLACE_FONT: f64 = 12.0;
pub(super) const TOKENS_FONT: f64 = 12.0;
pub(super) const TOOL_FONT: f64 = 13.5;
pub(super) const SMALL_FONT: f64 = 10.5;
pub(super) const TOOL_LINE: f64 = 18.0;
pub(super) const SMALL_LINE: f64 = 14.0;
/// Between the edge of a box and the text in it.
pub(super) const BOX_PADDING: f64 = 10.0;
/// Tokens that are drawn as dots; more are a number.
pub(super) const DOTS_MAX: u32 = 5;
const NAME_MAX: usize = 20;
const TOOL_MAX: usize = 28;
const TOOL_LINES_MAX: usize = 4;
const STRUCTURAL_WIDTH: f64 = 12.0;
const STRUCTURAL_HEIGHT: f64 = 34.0;

/// Where a node's edge is, around the point that arrows aim at.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Outline {
    Circle { radius: f64 },
    Box { half_width: f64, half_height: f64 },
}

/// A node's size: its outline and all that is written around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) outline: Outline,
    pub(super) half_width: f64,
    pub(super) above: f64,
    pub(super) below: f64,
}

impl Outline {
    /// How far from the centre the edge is, at this height above or below it.
    pub(super) fn edge(self, offset: f64) -> f64 {
        match self {
            Self::Circle { radius } => (radius * radius - offset * offset).max(0.0).sqrt(),
            Self::Box { half_width, .. } => half_width,
        }
    }

    /// How far above and below the centre arrows may end.
    pub(super) fn reach(self) -> f64 {
        match self {
            Self::Circle { radius } => radius * 0.65,
            Self::Box { half_height, .. } => half_height - 7.0,
        }
    }

    pub(super) fn half_height(self) -> f64 {
        match self {
            Self::Circle { radius } => radius,
            Self::Box { half_height, .. } => half_height,
        }
    }
}

/// Places first, then transitions.
pub(super) fn sizes(sketch: &Sketch) -> Vec<Size> {
    let places = sketch.places.iter().map(place_size);
    places.chain(sketch.transitions.iter().map(transition_size)).collect()
}

fn place_size(place: &Place) -> Size {
    let radius = match place.tokens {
        0..=DOTS_MAX => PLACE_RADIUS,
        tokens => PLACE_RADIUS.max(bold_width(&grouped(tokens), TOKENS_FONT) / 2.0 + 6.0),
    };
    let name = width(&place_name(place), PLACE_FONT);
    let outline = Outline::Circle { radius };
    sized(outline, name, SMALL_LINE + 5.0)
}

fn transition_size(transition: &Transition) -> Size {
    let caption = transition.caption().map_or(0.0, |caption| width(caption, SMALL_FONT));
    let name = transition_name(transition);
    let name = name.map_or(0.0, |name| width(&name, SMALL_FONT));
    if transition.is_structural() {
        let (half_width, half_height) = (STRUCTURAL_WIDTH / 2.0, STRUCTURAL_HEIGHT / 2.0);
        let lines = if caption > 0.0 { 2.0 } else { 1.0 };
        let outline = Outline::Box { half_width, half_height };
        return sized(outline, name.max(caption), lines * SMALL_LINE + 4.0);
    }
    let tools = tool_lines(transition);
    let name_line = if name > 0.0 { SMALL_LINE } else { 2.0 };
    let widest = tools.iter().map(|line| bold_width(line, TOOL_FONT)).fold(name, f64::max);
    let height = float(tools.len()) * TOOL_LINE + name_line + 14.0;
    let half_width = (widest / 2.0 + BOX_PADDING).max(36.0);
    let outline = Outline::Box { half_width, half_height: height / 2.0 };
    let below = if caption > 0.0 { SMALL_LINE + 4.0 } else { 2.0 };
    sized(outline, caption, below)
}

fn sized(outline: Outline, text_width: f64, text_below: f64) -> Size {
    let half_height = outline.half_height();
    Size {
        outline,
        half_width: outline.edge(0.0).max(text_width / 2.0),
        above: half_height + 2.0,
        below: half_height + text_below,
    }
}

/// A count as something to multiply sizes with.
pub(super) fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

pub(super) fn place_name(place: &Place) -> String {
    cut(&place.name, NAME_MAX)
}

/// The transition's own name, unless its caption says the same.
pub(super) fn transition_name(transition: &Transition) -> Option<String> {
    let is_said = transition.caption() == Some(&transition.name);
    (!is_said).then(|| cut(&transition.name, NAME_MAX))
}

/// The tools of a transition, one a line; the last line says how many are missing.
pub(super) fn tool_lines(transition: &Transition) -> Vec<String> {
    let tools = &transition.tools;
    let fits = tools.len() <= TOOL_LINES_MAX;
    let shown = if fits { TOOL_LINES_MAX } else { TOOL_LINES_MAX.saturating_sub(1) };
    let mut lines: Vec<String> = tools.iter().take(shown).map(|tool| cut(tool, TOOL_MAX)).collect();
    if !fits {
        lines.push(format!("and {} more", tools.len().saturating_sub(shown)));
    }
    lines
}

/// At most this many characters; what is cut off is marked.
pub(super) fn cut(text: &str, characters_max: usize) -> String {
    match text.char_indices().nth(characters_max) {
        None => text.to_owned(),
        Some(_) => {
            let kept = text.chars().take(characters_max.saturating_sub(1));
            kept.chain(['…']).collect()
        }
    }
}

/// The width of a line in a bold font of this size.
pub(super) fn bold_width(text: &str, font: f64) -> f64 {
    width(text, font) * 1.12
}

/// The width of a line in a font of this size.
pub(super) fn width(text: &str, font: f64) -> f64 {
    text.chars().map(em).sum::<f64>() * font
}

fn em(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | '\'' | '|' => 0.3,
        ' ' | '.' | ',' | ':' | ';' | '!' | 'I' | '\u{202f}' => 0.35,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' => 0.42,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 0.98,
        '\u{1100}'.. => 1.05,
        'A'..='Z' => 0.74,
        _ => 0.64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_and_says_so() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdefg", 6), "abcde…");
        assert_eq!(cut("ééééééé", 6), "ééééé…");
        assert_eq!(cut("a", 0), "…");
    }

    #[test]
    fn many_tools_take_few_lines() {
        let tools = |count: u32| Transition {
            name: "t".into(),
            tools: (0..count).map(|tool| format!("tool{tool}")).collect(),
            manual: false,
            deferred: false,
            never: false,
        };
        assert_eq!(tool_lines(&tools(4)).len(), 4);
        assert_eq!(tool_lines(&tools(9)), ["tool0", "tool1", "tool2", "and 6 more"]);
    }
}
