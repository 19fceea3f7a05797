//! What the symbols mean: only those that are in the picture.

use super::layout::Point;
use super::measure::{float, width};
use super::paint::{arrow, circle, rectangle, text};
use super::routes::{Route, Strand};
use super::sketch::{Amount, Sketch, Transition};

const FONT: f64 = 12.0;
const ROW: f64 = 30.0;
const ICON: f64 = 34.0;
const TEXT_GAP: f64 = 10.0;
const ENTRY_GAP: f64 = 30.0;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Symbol {
    Place,
    End,
    Tool,
    Deferred,
    Manual,
    Never,
    Structural,
    Weight,
    Drain,
}

const SYMBOLS: [(Symbol, &str); 9] = [
    (Symbol::Place, "place, with a token at the start"),
    (Symbol::End, "place of a proper end"),
    (Symbol::Tool, "tool call"),
    (Symbol::Deferred, "counts once it has succeeded"),
    (Symbol::Manual, "a person is asked each time"),
    (Symbol::Never, "can never happen"),
    (Symbol::Structural, "happens by itself"),
    (Symbol::Weight, "n tokens at once"),
    (Symbol::Drain, "all tokens there are"),
];

/// The symbols in use, in columns of one width.
pub(super) struct Legend {
    entries: Vec<(Symbol, &'static str)>,
    columns: usize,
    column_width: f64,
}

impl Legend {
    pub(super) fn new<'a>(sketches: impl Iterator<Item = &'a Sketch>, width_max: f64) -> Self {
        let used: Vec<Symbol> = sketches.flat_map(symbols).collect();
        let entries: Vec<(Symbol, &str)> =
            SYMBOLS.into_iter().filter(|(symbol, _)| used.contains(symbol)).collect();
        let widest = entries.iter().map(|(_, meaning)| width(meaning, FONT)).fold(0.0, f64::max);
        let column_width = ICON + TEXT_GAP + widest + ENTRY_GAP;
        let fits = |columns: &usize| float(*columns) * column_width - ENTRY_GAP <= width_max;
        let columns = (1..=entries.len()).take_while(fits).last().unwrap_or(1);
        Self { entries, columns, column_width }
    }

    pub(super) fn height(&self) -> f64 {
        float(self.entries.len().div_ceil(self.columns)) * ROW
    }

    pub(super) fn paint(&self, corner: Point) -> String {
        let mut svg = String::new();
        for (row, entries) in self.entries.chunks(self.columns).enumerate() {
            let y = corner.y + float(row) * ROW + ROW / 2.0;
            for (column, (symbol, meaning)) in entries.iter().enumerate() {
                let x = corner.x + float(column) * self.column_width;
                icon(&mut svg, *symbol, Point { x: x + ICON / 2.0, y });
                text(&mut svg, Point { x: x + ICON + TEXT_GAP, y: y + 4.2 }, "entry", meaning);
            }
        }
        svg
    }
}

fn symbols(sketch: &Sketch) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    for place in &sketch.places {
        symbols.push(if place.terminal { Symbol::End } else { Symbol::Place });
    }
    for transition in &sketch.transitions {
        symbols.extend(transition_symbols(transition));
    }
    for arc in &sketch.arcs {
        symbols.extend(match arc.amount {
            Amount::Tokens(1) => None,
            Amount::Tokens(_) => Some(Symbol::Weight),
            Amount::All | Amount::AllOf(_) => Some(Symbol::Drain),
        });
    }
    symbols
}

fn transition_symbols(transition: &Transition) -> Vec<Symbol> {
    let symbols = [
        (transition.never, Symbol::Never),
        (transition.deferred, Symbol::Deferred),
        (transition.manual && !transition.never, Symbol::Manual),
        (transition.is_structural() && !transition.never, Symbol::Structural),
    ];
    let mut special: Vec<Symbol> =
        symbols.into_iter().filter(|(applies, _)| *applies).map(|(_, symbol)| symbol).collect();
    if special.is_empty() {
        special.push(Symbol::Tool);
    }
    special
}

fn icon(svg: &mut String, symbol: Symbol, centre: Point) {
    let boxed = |svg: &mut String, class: &str| {
        let corner = centre.shifted(Point { x: -16.0, y: -9.5 });
        rectangle(svg, corner, Point { x: 32.0, y: 19.0 }, 6.0, class);
    };
    match symbol {
        Symbol::Place => {
            circle(svg, centre, 10.0, "place");
            circle(svg, centre, 3.2, "token");
        }
        Symbol::End => {
            circle(svg, centre, 10.0, "place");
            circle(svg, centre, 7.0, "ring");
        }
        Symbol::Tool => boxed(svg, "box"),
        Symbol::Deferred => boxed(svg, "box deferred"),
        Symbol::Manual => boxed(svg, "box manual"),
        Symbol::Never => boxed(svg, "box never"),
        Symbol::Structural => {
            let corner = centre.shifted(Point { x: -4.0, y: -10.0 });
            rectangle(svg, corner, Point { x: 8.0, y: 20.0 }, 3.0, "box structural");
        }
        Symbol::Weight => text(svg, centre.shifted(Point { x: 0.0, y: 4.2 }), "middle label", "×n"),
        Symbol::Drain => {
            let ends = [-16.0, 16.0].map(|x| centre.shifted(Point { x, y: 0.0 }));
            let strand = Strand { points: ends.to_vec(), bulge: 0.0 };
            arrow(svg, &Route { strands: vec![strand], ..Route::default() }, true);
        }
    }
}
