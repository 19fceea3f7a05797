//! "Did you mean …?"

/// Longer names are no slips of the keyboard, and comparing them takes long.
const LENGTH_MAX: usize = 40;

/// A help text that names the candidate closest to `name`, if one is close enough to be meant.
pub(super) fn did_you_mean<'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<String> {
    let length = name.chars().count();
    if length == 0 || length > LENGTH_MAX {
        return None;
    }
    // About one slip in three letters.
    let slips_max = length.div_ceil(3);
    let close = candidates.into_iter().filter_map(|candidate| {
        let slips = slips(name, candidate, slips_max)?;
        (slips < candidate.chars().count()).then_some((slips, candidate))
    });
    let (_, closest) = close.min_by_key(|&(slips, _)| slips)?;
    Some(format!("did you mean `{closest}`?"))
}

/// How many letters differ, are missing or are too many (case aside), if not more than `max`.
fn slips(name: &str, candidate: &str, max: usize) -> Option<usize> {
    let lower = |text: &str| text.chars().flat_map(char::to_lowercase).collect::<Vec<char>>();
    let (from, to) = (lower(name), lower(candidate));
    if from.len().abs_diff(to.len()) > max {
        return None;
    }
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (above, letter) in (1_usize..).zip(&from) {
        // `diagonal` is the cell above and to the left, `left` the one just made.
        let mut diagonal = above.saturating_sub(1);
        let mut left = above;
        if let Some(first) = row.first_mut() {
            *first = above;
        }
        for (cell, other) in row.iter_mut().skip(1).zip(&to) {
            let changed = diagonal.saturating_add(usize::from(letter != other));
            diagonal = *cell;
            *cell = changed.min(cell.saturating_add(1)).min(left.saturating_add(1));
            left = *cell;
        }
    }
    row.last().copied().filter(|&slips| slips <= max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let names = ["places", "transitions", "initialMarking"];
        for (name, help) in [
            ("place", Some("did you mean `places`?")),
            ("transtions", Some("did you mean `transitions`?")),
            ("initialmarking", Some("did you mean `initialMarking`?")),
            ("weather", None),
            ("", None),
        ] {
            assert_eq!(did_you_mean(name, names).as_deref(), help, "{name}");
        }
    }
}
