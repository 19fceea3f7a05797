//! Brace expansion: `{rm,-rf,x}` is three words.

use crate::ast::Part;

/// Most words that one word may become.
const WORDS_MAX: usize = 1024;

/// Most characters of all these words.
const CHARACTERS_MAX: usize = 1 << 18;

/// A character of a word and whether it was quoted.
type Piece = (char, bool);

pub(super) enum Braces {
    /// There is nothing to expand.
    None,
    Words(Vec<Vec<Part>>),
    /// What it expands to is not known, or too much.
    Unknown,
}

pub(super) fn expand(parts: &[Part]) -> Braces {
    let plain = |byte: char| {
        parts.iter().any(|part| matches!(part, Part::Plain(text) if text.contains(byte)))
    };
    if !plain('{') || !plain('}') || !(plain(',') || plain('.')) {
        return Braces::None;
    }
    let mut pieces = Vec::new();
    for part in parts {
        match part {
            Part::Plain(text) => pieces.extend(text.chars().map(|c| (c, false))),
            // An empty quoted string makes a word; it has no characters, so it is dropped here
            // and no brace expansion of interest consists of it alone.
            Part::Quoted(text) => pieces.extend(text.chars().map(|c| (c, true))),
            _ => return Braces::Unknown,
        }
    }
    let pairs = pairs(&pieces);
    if pairs.iter().flatten().any(|pair| pair.sequence) {
        return Braces::Unknown;
    }
    if !pairs.iter().flatten().any(|pair| !pair.commas.is_empty()) {
        return Braces::None;
    }
    let Some(words) = combine(&pieces, &pairs, 0, pieces.len(), 0) else { return Braces::Unknown };
    Braces::Words(words.iter().map(|word| to_parts(word)).collect())
}

/// What closes an opening brace, and the commas directly inside.
struct Pair {
    close: usize,
    commas: Vec<usize>,
    sequence: bool,
}

/// The pair that opens at each position, found in one pass.
fn pairs(pieces: &[Piece]) -> Vec<Option<Pair>> {
    let mut found: Vec<Option<Pair>> = Vec::new();
    found.resize_with(pieces.len(), || None);
    let mut open: Vec<(usize, Vec<usize>, bool)> = Vec::new();
    let mut last = ' ';
    for (position, &(character, quoted)) in pieces.iter().enumerate() {
        match character {
            _ if quoted => {}
            '{' => open.push((position, Vec::new(), false)),
            ',' => {
                if let Some((_, commas, _)) = open.last_mut() {
                    commas.push(position);
                }
            }
            '.' if last == '.' => {
                if let Some((_, _, sequence)) = open.last_mut() {
                    *sequence = true;
                }
            }
            '}' => {
                if let Some((start, commas, sequence)) = open.pop() {
                    let sequence = sequence && commas.is_empty();
                    if let Some(slot) = found.get_mut(start) {
                        *slot = Some(Pair { close: position, commas, sequence });
                    }
                }
            }
            _ => {}
        }
        last = if quoted { ' ' } else { character };
    }
    found
}

/// All words of `pieces[from..to]`, in order. `None` if there are too many or they nest too deep.
fn combine(
    pieces: &[Piece],
    pairs: &[Option<Pair>],
    from: usize,
    to: usize,
    depth: usize,
) -> Option<Vec<Vec<Piece>>> {
    if depth > crate::DEPTH_MAX {
        return None;
    }
    let mut words: Vec<Vec<Piece>> = vec![Vec::new()];
    let mut position = from;
    while position < to {
        let pair =
            pairs.get(position).and_then(Option::as_ref).filter(|pair| !pair.commas.is_empty());
        let Some(pair) = pair else {
            let piece = *pieces.get(position)?;
            words.iter_mut().for_each(|word| word.push(piece));
            position = position.saturating_add(1);
            continue;
        };
        let mut choices = Vec::new();
        let mut start = position.saturating_add(1);
        for end in pair.commas.iter().copied().chain([pair.close]) {
            choices.extend(combine(pieces, pairs, start, end, depth.saturating_add(1))?);
            start = end.saturating_add(1);
        }
        let count = words.len().saturating_mul(choices.len());
        if count > WORDS_MAX || count.saturating_mul(pieces.len()) > CHARACTERS_MAX {
            return None;
        }
        words = words
            .iter()
            .flat_map(|word| choices.iter().map(move |choice| [word.as_slice(), choice].concat()))
            .collect();
        position = pair.close.saturating_add(1);
    }
    Some(words)
}

fn to_parts(word: &[Piece]) -> Vec<Part> {
    let mut parts = Vec::new();
    for &(character, quoted) in word {
        match (parts.last_mut(), quoted) {
            (Some(Part::Plain(text)), false) | (Some(Part::Quoted(text)), true) => {
                text.push(character)
            }
            (_, false) => parts.push(Part::Plain(character.to_string())),
            (_, true) => parts.push(Part::Quoted(character.to_string())),
        }
    }
    parts
}
