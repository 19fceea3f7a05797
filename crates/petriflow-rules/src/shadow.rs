//! Whether one pattern matches whenever another one does.

use regex::RegexBuilder;
use regex_syntax::hir::literal::Extractor;
use regex_syntax::hir::{Hir, Look};

use crate::pattern::{is_word_character, matches_everything, parse_regex};
use crate::syntax::PatternKind;

/// Whether `earlier` surely matches every text that `later` matches. `false` is no proof that some
/// text is left: languages of regexes are not compared, only what can be read off them.
pub(crate) fn shadows(earlier: &PatternKind, later: &PatternKind) -> bool {
    if earlier == later {
        return true;
    }
    match (earlier, later) {
        (PatternKind::Regex(regex), _) if matches_everything(regex) => true,
        (PatternKind::Word(earlier), PatternKind::Word(later)) => word_in(earlier, later),
        (PatternKind::Regex(earlier), PatternKind::Word(later)) => regex_in_word(earlier, later),
        (PatternKind::Regex(earlier), PatternKind::Regex(later)) => regex_in_regex(earlier, later),
        (PatternKind::Word(earlier), PatternKind::Regex(later)) => {
            // Only what is inside a literal has neighbours that are known.
            literals(later)
                .is_some_and(|all| all.iter().all(|text| word_strictly_in(earlier, text)))
        }
    }
}

/// Whether the word stands in the other, whose ends are ends of words.
fn word_in(word: &str, text: &str) -> bool {
    places(word, text).any(|(before, behind)| {
        !before.is_some_and(is_word_character) && !behind.is_some_and(is_word_character)
    })
}

/// Whether the word stands in the text with something on either side.
fn word_strictly_in(word: &str, text: &str) -> bool {
    let stands_alone = |neighbour: Option<char>| neighbour.is_some_and(|c| !is_word_character(c));
    places(word, text).any(|(before, behind)| stands_alone(before) && stands_alone(behind))
}

/// What stands before and behind every place of the word in the text.
fn places(word: &str, text: &str) -> impl Iterator<Item = (Option<char>, Option<char>)> {
    text.match_indices(word).map(move |(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let behind = text.get(at.saturating_add(word.len())..).and_then(|b| b.chars().next());
        (before, behind)
    })
}

fn regex_in_word(regex: &str, word: &str) -> bool {
    let Ok(hir) = parse_regex(regex) else { return false };
    // The ends of a bare word are ends of words, whatever stands around it.
    only_word_ends(&hir) && is_match(regex, word)
}

fn regex_in_regex(earlier: &str, later: &str) -> bool {
    let Ok(hir) = parse_regex(earlier) else { return false };
    hir.properties().look_set().is_empty()
        && literals(later).is_some_and(|all| all.iter().all(|text| is_match(earlier, text)))
}

fn only_word_ends(hir: &Hir) -> bool {
    hir.properties().look_set().iter().all(|look| look == Look::WordUnicode)
}

fn is_match(regex: &str, text: &str) -> bool {
    let built = RegexBuilder::new(regex).dot_matches_new_line(true).build();
    built.is_ok_and(|regex| regex.is_match(text))
}

/// The texts that a regex stands for, one of which is in every text that it matches.
fn literals(regex: &str) -> Option<Vec<String>> {
    let hir = parse_regex(regex).ok()?;
    if !hir.properties().look_set().is_empty() {
        return None;
    }
    let all = Extractor::new().extract(&hir);
    let texts = all.literals()?.iter();
    let texts: Option<Vec<String>> =
        texts.map(|literal| String::from_utf8(literal.as_bytes().to_vec()).ok()).collect();
    texts.filter(|texts| !texts.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_always_matches_shadows() {
        let word = |text: &str| PatternKind::Word(text.into());
        let regex = |text: &str| PatternKind::Regex(text.into());
        for (earlier, later, expected) in [
            (word("git"), word("git"), true),
            (word("git"), word("git-push"), true),
            (word("git"), word("github"), false),
            (word("git-push"), word("git"), false),
            (regex(".*"), word("rm"), true),
            (regex("r"), word("rm"), true),
            (regex(r"\brm\b"), word("rm"), true),
            (regex("^rm"), word("rm"), false),
            (regex("git"), regex("git push"), true),
            (regex("git push"), regex("git push --force"), true),
            (regex("git push"), regex("git (push|pull)"), false),
            (regex("git"), regex("git (push|pull)"), true),
            (regex("push$"), regex("git push"), false),
            (word("push"), regex("git push --force"), true),
            // `xgit push` has no word `git`.
            (word("git"), regex("git push"), false),
            (word("rm"), regex("rm.*"), false),
        ] {
            assert_eq!(shadows(&earlier, &later), expected, "{earlier:?} {later:?}");
        }
    }
}
