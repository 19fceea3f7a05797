//! The picture: all nets on one page, each on its panel, and a legend below.

use petriflow::gate::SkillNet;

use super::layout::Point;
use super::legend::Legend;
use super::paint::{escaped, number, place_title, text, transition_title};
use super::panel::Panel;
use super::sketch::{Arc, Direction, Sketch};
use super::style::STYLE;

const MARGIN: f64 = 24.0;
const PANEL_GAP: f64 = 20.0;
/// Up to so many nets stand below each other.
const SINGLE_COLUMN_MAX: usize = 3;
const COLUMNS_MAX: u32 = 4;
/// A page of many nets is about so much wider than high.
const ASPECT: f64 = 1.3;

/// Draws the nets as one SVG that needs no other file.
pub(crate) fn svg(nets: &[&SkillNet]) -> String {
    let panels: Vec<Panel> = nets.iter().map(|net| Panel::new(Sketch::new(net))).collect();
    let grid = Grid::new(&panels);
    let drawn = panels.iter().filter(|panel| panel.is_drawn()).map(|panel| &panel.sketch);
    let legend = Legend::new(drawn, grid.width);
    let legend_gap = if legend.height() > 0.0 { PANEL_GAP } else { 0.0 };
    let width = grid.width + 2.0 * MARGIN;
    let height = grid.height + legend_gap + legend.height() + 2.0 * MARGIN;

    let mut svg = open(&panels, width, height);
    if panels.is_empty() {
        text(&mut svg, Point { x: MARGIN, y: MARGIN + 20.0 }, "notice", "no nets to draw");
    }
    for (panel, (corner, size)) in panels.iter().zip(&grid.cells) {
        svg.push_str(&panel.paint(*corner, *size));
    }
    svg.push_str(&legend.paint(Point { x: MARGIN, y: MARGIN + grid.height + legend_gap }));
    svg.push_str("</svg>\n");
    svg
}

fn open(panels: &[Panel], width: f64, height: f64) -> String {
    let (width, height) = (number(width.ceil()), number(height.ceil()));
    let title = match panels {
        [panel] => panel.sketch.title.clone(),
        _ => format!("{} nets of PetriFlow", panels.len()),
    };
    let described = panels.iter().map(|panel| description(&panel.sketch));
    let description = described.collect::<Vec<_>>().join("\n");
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"petriflow\" role=\"img\" \
         width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <title>{}</title>\n<desc>{}</desc>\n<style>\n{STYLE}</style>\n\
         <rect width=\"100%\" height=\"100%\" class=\"page\"/>\n",
        escaped(&title),
        escaped(&description)
    )
}

/// The net in words, for those who cannot see it.
fn description(sketch: &Sketch) -> String {
    let places = sketch.places.iter().map(place_title).collect::<Vec<_>>().join("; ");
    let mut description = format!("{}: {places}.", sketch.title);
    for (position, transition) in sketch.transitions.iter().enumerate() {
        let names = |wanted: [Direction; 2]| {
            let arcs = sketch.arcs.iter();
            let arcs = arcs.filter(|a| a.transition == position && wanted.contains(&a.direction));
            arcs.map(|arc| amount_and_place(sketch, arc)).collect::<Vec<_>>().join(", ")
        };
        let taken = names([Direction::Takes, Direction::Both]);
        let put = names([Direction::Puts, Direction::Both]);
        description.push_str(&format!(" {}", transition_title(transition)));
        for (word, list) in [("from", taken), ("to", put)] {
            if !list.is_empty() {
                description.push_str(&format!(", {word} {list}"));
            }
        }
        description.push('.');
    }
    description
}

fn amount_and_place(sketch: &Sketch, arc: &Arc) -> String {
    let place = sketch.places.get(arc.place).map_or("", |place| &place.name);
    match arc.amount.label() {
        Some(label) => format!("{place} ({label})"),
        None => place.to_owned(),
    }
}

/// Panels in rows and columns, in the order of the nets. A wide panel takes several columns.
struct Grid {
    /// Corner and size of each panel.
    cells: Vec<(Point, Point)>,
    width: f64,
    height: f64,
}

impl Grid {
    fn new(panels: &[Panel]) -> Self {
        if panels.len() <= SINGLE_COLUMN_MAX {
            return Self::with_columns(panels, 1);
        }
        let grids = (1..=COLUMNS_MAX).map(|columns| Self::with_columns(panels, columns));
        let strain = |grid: &Grid| (grid.width / grid.height.max(1.0) / ASPECT).ln().abs();
        let best = grids.min_by(|one, other| strain(one).total_cmp(&strain(other)));
        best.unwrap_or_else(|| Self::with_columns(panels, 1))
    }

    fn with_columns(panels: &[Panel], columns: u32) -> Self {
        let spans = spans(panels, columns);
        let share =
            |(panel, span): (&Panel, &f64)| (panel.width() - (span - 1.0) * PANEL_GAP) / span;
        let column = panels.iter().zip(&spans).map(share).fold(200.0, f64::max);
        let extent = |span: f64| span * column + (span - 1.0) * PANEL_GAP;
        let columns = f64::from(columns);
        let mut grid = Self { cells: Vec::new(), width: extent(columns), height: 0.0 };
        let mut rows: Vec<Vec<(&Panel, f64)>> = Vec::new();
        let mut taken = columns;
        for (panel, &span) in panels.iter().zip(&spans) {
            if taken + span > columns {
                rows.push(Vec::new());
                taken = 0.0;
            }
            taken += span;
            if let Some(row) = rows.last_mut() {
                row.push((panel, extent(span)));
            }
        }
        rows.iter().for_each(|row| grid.add_row(row));
        grid.height = grid.height.max(20.0);
        grid
    }

    /// Adds panels of these widths below what is there.
    fn add_row(&mut self, row: &[(&Panel, f64)]) {
        let highest = row.iter().map(|(panel, _)| panel.height()).fold(0.0, f64::max);
        let gap = if self.cells.is_empty() { 0.0 } else { PANEL_GAP };
        let mut corner = Point { x: MARGIN, y: MARGIN + self.height + gap };
        for (_, width) in row {
            self.cells.push((corner, Point { x: *width, y: highest }));
            corner.x += width + PANEL_GAP;
        }
        self.height += gap + highest;
    }
}

/// How many columns each panel takes, so that one wide net does not make all columns wide.
fn spans(panels: &[Panel], columns: u32) -> Vec<f64> {
    let mut widths: Vec<f64> = panels.iter().map(Panel::width).collect();
    widths.sort_by(f64::total_cmp);
    let usual = widths.get(widths.len() / 2).copied().unwrap_or(1.0);
    let span =
        |panel: &Panel| (panel.width() / (1.4 * usual)).ceil().clamp(1.0, f64::from(columns));
    panels.iter().map(span).collect()
}
