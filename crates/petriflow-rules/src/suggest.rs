//! "Did you mean …?"

/// The candidate that differs least from `text`, if it is close enough to be a slip.
pub(crate) fn closest<'c>(
    text: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    let length = text.chars().count();
    if length > LENGTH_MAX {
        return None;
    }
    let close = candidates.into_iter().filter_map(|candidate| {
        if candidate.eq_ignore_ascii_case(text) {
            return Some((0, candidate));
        }
        let longer = length.max(candidate.chars().count());
        let slips_max = if longer <= 3 { 1 } else { longer.saturating_add(2) / 4 };
        let slips = distance(text, candidate, slips_max)?;
        (slips < longer).then_some((slips, candidate))
    });
    close.min_by_key(|&(slips, _)| slips).map(|(_, candidate)| candidate)
}

/// The candidate that differs by one letter, or in upper and lower case only.
pub(crate) fn slip<'c>(
    text: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    let is_slip = |candidate: &&str| {
        candidate.eq_ignore_ascii_case(text)
            || (text.chars().count() >= 4 && distance(text, candidate, 1).is_some())
    };
    candidates.into_iter().find(is_slip)
}

/// Longer texts are no slips of the keyboard, and comparing them takes long.
const LENGTH_MAX: usize = 64;

/// How many letters are to be added, left out, changed or swapped with their neighbour, if not more
/// than `max`.
fn distance(from: &str, to: &str, max: usize) -> Option<usize> {
    let from: Vec<char> = from.chars().collect();
    let to: Vec<char> = to.chars().collect();
    if from.len().abs_diff(to.len()) > max || to.len() > LENGTH_MAX {
        return None;
    }
    let cell = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX / 2);
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i.saturating_add(1)];
        for (j, b) in to.iter().enumerate() {
            let next = j.saturating_add(1);
            let changed = cell(&above, j).saturating_add(usize::from(a != b));
            let added = cell(&row, j).saturating_add(1).min(cell(&above, next).saturating_add(1));
            let mut least = changed.min(added);
            let neighbours = i
                .checked_sub(1)
                .and_then(|i| from.get(i))
                .zip(j.checked_sub(1).and_then(|j| to.get(j)));
            if neighbours.is_some_and(|(c, d)| c == b && d == a) {
                least = least.min(cell(&before, j.saturating_sub(1)).saturating_add(1));
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().filter(|&slips| slips <= max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let words = ["require", "block", "limit", "map"];
        for (slip, meant) in [
            ("requrie", Some("require")),
            ("blok", Some("block")),
            ("Limit", Some("limit")),
            ("mpa", Some("map")),
            ("delete", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(closest(slip, words), meant, "{slip}");
        }
    }
}
