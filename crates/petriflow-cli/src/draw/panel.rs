//! One net with its title, on a card.

use super::layout::{Layout, Point, graph, layout};
use super::measure::{bold_width, cut, width};
use super::paint::{escaped, number, picture, rectangle, text};
use super::sketch::Sketch;

/// Nets with more nodes or arrows are not drawn: nobody could read them.
const NODES_MAX: usize = 60;
const ARCS_MAX: usize = 150;
const PADDING: f64 = 26.0;
const TITLE_FONT: f64 = 16.0;
const LINE_FONT: f64 = 11.5;
const LINE: f64 = 18.0;
/// A panel is not made wider than this for its texts; they are cut.
const TEXT_WIDTH: f64 = 620.0;
const WIDTH_MIN: f64 = 380.0;
/// Between the texts and the picture.
const HEADER_GAP: f64 = 26.0;

pub(super) struct Panel {
    pub(super) sketch: Sketch,
    /// `None` if the net is too large or has nothing to show.
    layout: Option<Layout>,
}

impl Panel {
    pub(super) fn new(sketch: Sketch) -> Self {
        let nodes = sketch.places.len().saturating_add(sketch.transitions.len());
        let fits = nodes <= NODES_MAX && sketch.arcs.len() <= ARCS_MAX && nodes > 0;
        let layout = fits.then(|| layout(&graph(&sketch)));
        Self { sketch, layout }
    }

    pub(super) fn is_drawn(&self) -> bool {
        self.layout.is_some()
    }

    pub(super) fn width(&self) -> f64 {
        let title = bold_width(&self.sketch.title, TITLE_FONT);
        let lines = self.lines();
        let text = lines.iter().map(|line| width(line, LINE_FONT)).fold(title, f64::max);
        let picture = self.layout.as_ref().map_or(0.0, |layout| layout.width);
        (text.min(TEXT_WIDTH).max(picture) + 2.0 * PADDING).max(WIDTH_MIN)
    }

    pub(super) fn height(&self) -> f64 {
        let picture = self.layout.as_ref().map_or(LINE, |layout| layout.height);
        self.header_height() + picture + PADDING
    }

    fn header_height(&self) -> f64 {
        self.lines().iter().fold(PADDING + TITLE_FONT + HEADER_GAP, |height, _| height + LINE)
    }

    /// The panel, stretched to a size at least its own.
    pub(super) fn paint(&self, corner: Point, size: Point) -> String {
        let mut svg = String::new();
        let title = escaped(&self.full_title());
        let at = format!("{} {}", number(corner.x), number(corner.y));
        svg.push_str(&format!("<g transform=\"translate({at})\">\n"));
        rectangle(&mut svg, Point::default(), size, 14.0, "panel");
        svg.push_str(&format!("<g><title>{title}</title>\n"));
        self.paint_texts(&mut svg, size.x - 2.0 * PADDING);
        svg.push_str("</g>\n");
        match &self.layout {
            Some(layout) => {
                let x = (size.x - layout.width) / 2.0;
                let spare = (size.y - self.height()).max(0.0) / 2.0;
                let (x, y) = (number(x), number(self.header_height() + spare));
                svg.push_str(&format!("<g transform=\"translate({x} {y})\">\n"));
                svg.push_str(&picture(&self.sketch, layout));
                svg.push_str("</g>\n");
            }
            None => {
                let at = Point { x: PADDING, y: self.header_height() + 6.0 };
                text(&mut svg, at, "notice", &self.notice());
            }
        }
        svg.push_str("</g>\n");
        svg
    }

    fn paint_texts(&self, svg: &mut String, room: f64) {
        let mut at = Point { x: PADDING, y: PADDING + TITLE_FONT - 3.0 };
        text(svg, at, "heading", &cut_to_width(&self.sketch.title, bold_width, TITLE_FONT, room));
        at.y += 3.0;
        for line in self.lines() {
            at.y += LINE;
            text(svg, at, "origin", &cut_to_width(&line, width, LINE_FONT, room));
        }
    }

    /// What stands below the title.
    fn lines(&self) -> Vec<String> {
        let Sketch { title, origin, name, free_tools, .. } = &self.sketch;
        let mut lines = Vec::new();
        match origin {
            Some(origin) => lines.push(format!("{origin}  ·  {name}")),
            None if title != name => lines.push(name.clone()),
            None => {}
        }
        if !free_tools.is_empty() {
            lines.push(format!("always allowed: {}", free_tools.join(", ")));
        }
        lines
    }

    fn full_title(&self) -> String {
        let lines = self.lines().into_iter();
        [self.sketch.title.clone()].into_iter().chain(lines).collect::<Vec<_>>().join("\n")
    }

    fn notice(&self) -> String {
        let (places, transitions) = (self.sketch.places.len(), self.sketch.transitions.len());
        let nodes = places.saturating_add(transitions);
        let arcs = match nodes <= NODES_MAX {
            true => format!(", {} arrows", self.sketch.arcs.len()),
            false => String::new(),
        };
        match nodes {
            0 => "nothing in it".to_owned(),
            _ => format!(
                "too large to draw: {places} places, {transitions} transitions{arcs}; use --format dot"
            ),
        }
    }
}

/// As much of a text as fits.
fn cut_to_width(line: &str, width: fn(&str, f64) -> f64, font: f64, room: f64) -> String {
    if width(line, font) <= room {
        return line.to_owned();
    }
    let mut taken = width("…", font);
    let fits = |character: &char| {
        taken += width(character.encode_utf8(&mut [0; 4]), font);
        taken <= room
    };
    let characters = line.chars().take_while(fits).count();
    cut(line, characters.saturating_add(1))
}
