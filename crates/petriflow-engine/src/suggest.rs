//! "Did you mean …?"

/// The candidate that a slip of the keyboard may have turned into `text`.
pub(crate) fn closest<'c>(
    text: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    let close = candidates.into_iter().filter_map(|candidate| {
        let longer = text.chars().count().max(candidate.chars().count());
        if longer > LENGTH_MAX {
            return None;
        }
        let slips = distance(&text.to_lowercase(), &candidate.to_lowercase());
        let slips_max = if longer <= 3 { 1 } else { longer.saturating_add(2) / 4 };
        (slips <= slips_max && slips < longer).then_some((slips, candidate))
    });
    close.min_by_key(|&(slips, _)| slips).map(|(_, candidate)| candidate)
}

/// A help text that names the closest candidate.
pub(crate) fn did_you_mean<'c>(
    text: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<String> {
    closest(text, candidates).map(|candidate| format!("did you mean `{candidate}`?"))
}

/// Comparing longer names takes long and finds nothing.
const LENGTH_MAX: usize = 64;

/// How many letters are to be added, left out, changed or swapped with their neighbour.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let same = |i: usize, j: usize| from.get(i) == to.get(j);
    // `table[i][j]`: from the first `i` letters to the first `j`.
    let mut table: Vec<Vec<usize>> = vec![(0..=to.len()).collect()];
    for i in 0..from.len() {
        let mut row = vec![i.saturating_add(1)];
        for j in 0..to.len() {
            let at = |i: Option<usize>, j: Option<usize>| {
                let cell = i.and_then(|i| table.get(i)).and_then(|row| row.get(j?));
                cell.copied().unwrap_or(usize::MAX / 2)
            };
            let changed = at(Some(i), Some(j)).saturating_add(usize::from(!same(i, j)));
            let left_out = at(Some(i), j.checked_add(1)).saturating_add(1);
            let added = row.last().map_or(usize::MAX, |cell| cell.saturating_add(1));
            let swapped = match (i.checked_sub(1), j.checked_sub(1)) {
                (Some(a), Some(b)) if same(i, b) && same(a, j) => {
                    at(Some(a), Some(b)).saturating_add(1)
                }
                _ => usize::MAX,
            };
            row.push(changed.min(left_out).min(added).min(swapped));
        }
        table.push(row);
    }
    table.last().and_then(|row| row.last()).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let names = ["total", "status", "id"];
        for (slip, meant) in [
            ("totl", Some("total")),
            ("Status", Some("status")),
            ("statsu", Some("status")),
            ("ids", Some("id")),
            ("approved", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(closest(slip, names), meant, "{slip}");
        }
    }
}
