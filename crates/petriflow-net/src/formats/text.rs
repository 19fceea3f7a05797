//! What the readers share: positions in a text, and user text shortened for an error.

#[cfg(feature = "pnml")]
use std::collections::HashMap;
use std::fmt;

/// A place in a text, counted from 1; a column is a character, not a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

#[cfg(feature = "pnml")]
impl Position {
    pub(super) const START: Self = Self { line: 1, column: 1 };

    fn after(self, character: char) -> Self {
        match character {
            '\n' => Self { line: self.line.saturating_add(1), column: 1 },
            _ => Self { column: self.column.saturating_add(1), ..self },
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// The positions of all these byte offsets.
///
/// One pass for all of them: a file of one long line with many problems would otherwise be walked
/// once a problem.
#[cfg(feature = "pnml")]
pub(super) fn positions(
    text: &str,
    offsets: impl Iterator<Item = usize>,
) -> HashMap<usize, Position> {
    let mut offsets: Vec<usize> = offsets.collect();
    offsets.sort_unstable();
    offsets.dedup();
    let mut found = HashMap::with_capacity(offsets.len());
    let mut characters = text.char_indices();
    let mut position = Position::START;
    let mut next = characters.next();
    for offset in offsets {
        while let Some((_, character)) = next.filter(|&(at, _)| at < offset) {
            position = position.after(character);
            next = characters.next();
        }
        found.insert(offset, position);
    }
    found
}

/// User text fit for one line of an error: what cannot be seen is escaped, long text cut.
pub(super) fn shown(text: &str) -> String {
    cut(text, 60)
}

/// User text fit for one line of a terminal: what cannot be seen is escaped, so that a file cannot
/// send control sequences to it, and long text is cut.
pub fn cut(text: &str, characters_max: usize) -> String {
    let mut shown = String::new();
    for character in text.chars().take(characters_max) {
        match character {
            '"' | '\'' | '\\' => shown.push(character),
            _ => shown.extend(character.escape_debug()),
        }
    }
    if text.chars().nth(characters_max).is_some() {
        shown.push('…');
    }
    shown
}
