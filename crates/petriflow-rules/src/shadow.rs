//! Whether one pattern matches whenever another one does.

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::literal::Extractor;
use regex_syntax::hir::{Hir, Look};

use crate::pattern::{is_word_character, matches_everything, parse_regex};
use crate::syntax::PatternKind;

/// A pattern and what can be read off it, worked out once for all comparisons.
pub(crate) struct Prepared<'p> {
    pattern: &'p PatternKind,
    matches_everything: bool,
    /// A regex that looks at nothing around it, or at ends of words only.
    unbound: Option<Regex>,
    looks_at_words: bool,
    /// Texts one of which is in every text that a regex matches.
    literals: Option<Vec<String>>,
}

impl<'p> Prepared<'p> {
    pub(crate) fn new(pattern: &'p PatternKind) -> Self {
        let mut prepared = Self {
            pattern,
            matches_everything: false,
            unbound: None,
            looks_at_words: false,
            literals: None,
        };
        if let PatternKind::Regex(regex) = pattern
            && let Ok(hir) = parse_regex(regex)
        {
            prepared.matches_everything = matches_everything(regex);
            prepared.looks_at_words = !hir.properties().look_set().is_empty();
            if hir.properties().look_set().iter().all(|look| look == Look::WordUnicode) {
                prepared.unbound = RegexBuilder::new(regex).dot_matches_new_line(true).build().ok();
            }
            prepared.literals = literals(&hir);
        }
        prepared
    }

    /// Whether it surely matches every text that a later pattern matches. `false` is no proof that
    /// some text is left: languages of regexes are not compared, only what can be read off them.
    pub(crate) fn shadows(&self, later: &Prepared<'_>) -> bool {
        let finds = |text: &str| self.unbound.as_ref().is_some_and(|regex| regex.is_match(text));
        let in_all = |test: &dyn Fn(&str) -> bool| {
            later.literals.as_ref().is_some_and(|all| all.iter().all(|text| test(text)))
        };
        if self.matches_everything || self.pattern == later.pattern {
            return true;
        }
        match (self.pattern, later.pattern) {
            (PatternKind::Word(word), PatternKind::Word(later)) => word_in(word, later),
            // The ends of a bare word are ends of words, whatever stands around it.
            (PatternKind::Regex(_), PatternKind::Word(later)) => finds(later),
            (PatternKind::Regex(_), PatternKind::Regex(_)) => {
                !self.looks_at_words && in_all(&finds)
            }
            // Only what is inside a literal has neighbours that are known.
            (PatternKind::Word(word), PatternKind::Regex(_)) => {
                in_all(&|text| word_strictly_in(word, text))
            }
        }
    }
}

/// Whether the word stands in the other, whose ends are ends of words.
fn word_in(word: &str, text: &str) -> bool {
    places(word, text).any(|(before, after)| {
        !before.is_some_and(is_word_character) && !after.is_some_and(is_word_character)
    })
}

/// Whether the word stands in the text with something on either side.
fn word_strictly_in(word: &str, text: &str) -> bool {
    let stands_alone = |neighbour: Option<char>| neighbour.is_some_and(|c| !is_word_character(c));
    places(word, text).any(|(before, after)| stands_alone(before) && stands_alone(after))
}

/// What stands before and after every place of the word in the text.
fn places(word: &str, text: &str) -> impl Iterator<Item = (Option<char>, Option<char>)> {
    text.match_indices(word).map(move |(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at.saturating_add(word.len())..).and_then(|b| b.chars().next());
        (before, after)
    })
}

/// The texts that a regex stands for, one of which is in every text that it matches.
fn literals(hir: &Hir) -> Option<Vec<String>> {
    if !hir.properties().look_set().is_empty() {
        return None;
    }
    let all = Extractor::new().extract(hir);
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
            let shadows = Prepared::new(&earlier).shadows(&Prepared::new(&later));
            assert_eq!(shadows, expected, "{earlier:?} {later:?}");
        }
    }
}
