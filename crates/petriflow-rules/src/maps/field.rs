//! The maps on one field, in one table.

use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use regex::{RegexSet, RegexSetBuilder};
use regex_automata::hybrid::dfa::DFA;

use super::{earlier, prefix};
use crate::pattern::is_word_character;
use crate::syntax::PatternKind;

/// The maps on one field of one tool.
#[derive(Debug)]
pub(super) struct FieldMaps {
    /// The field, or a way through several with dots between them.
    pub(super) path: String,
    /// Whether the field holds shell commands.
    pub(super) is_shell: bool,
    /// With the number of the map, in order.
    words: Vec<(String, u32)>,
    regexes: Vec<(String, u32)>,
    /// Built when a call first needs it: a hook that is started for one call builds nothing else.
    matcher: OnceLock<Result<Matcher, String>>,
    /// The regexes once more, where lines are looked at one by one.
    by_lines: OnceLock<Result<Option<RegexSet>, String>>,
    /// For every regex, what tells whether a text could become a match; `None` if it cannot be told.
    beginnings: Vec<OnceLock<Option<DFA>>>,
}

#[derive(Debug)]
struct Matcher {
    words: Option<AhoCorasick>,
    regexes: Option<RegexSet>,
}

impl FieldMaps {
    pub(super) fn new(path: &str) -> Self {
        let (words, regexes) = (Vec::new(), Vec::new());
        Self {
            path: path.into(),
            is_shell: false,
            words,
            regexes,
            matcher: OnceLock::new(),
            beginnings: Vec::new(),
            by_lines: OnceLock::new(),
        }
    }

    pub(super) fn add(&mut self, pattern: &PatternKind, number: u32) {
        match pattern {
            PatternKind::Word(word) => self.words.push((word.clone(), number)),
            PatternKind::Regex(regex) => {
                self.regexes.push((regex.clone(), number));
                self.beginnings.push(OnceLock::new());
            }
        }
    }

    /// The number of the first map that matches, in one pass for the words and one for the regexes.
    pub(super) fn first_match(&self, text: &str) -> Result<Option<u32>, String> {
        Ok(earlier(self.first_word(text)?, self.first_regex(text)?))
    }

    /// The number of the first map whose regex matches.
    pub(super) fn first_regex(&self, text: &str) -> Result<Option<u32>, String> {
        let Some(regexes) = &self.matcher()?.regexes else { return Ok(None) };
        let first = regexes.matches(text).iter().next();
        Ok(first.and_then(|first| self.regexes.get(first)).map(|&(_, number)| number))
    }

    /// The number of the first map whose regex matches if `^` and `$` are the ends of lines.
    pub(super) fn first_line_match(&self, text: &str) -> Result<Option<u32>, String> {
        let by_lines = self.by_lines.get_or_init(|| self.regex_set(true)).as_ref();
        let Some(regexes) = by_lines.map_err(Clone::clone)? else { return Ok(None) };
        let first = regexes.matches(text).iter().next();
        Ok(first.and_then(|first| self.regexes.get(first)).map(|&(_, number)| number))
    }

    /// The numbers of all maps that match.
    pub(super) fn all_matches(&self, text: &str) -> Result<impl Iterator<Item = u32>, String> {
        let mut numbers: Vec<u32> = Vec::new();
        if let Some(regexes) = &self.matcher()?.regexes {
            let matching = regexes.matches(text).into_iter().filter_map(|at| self.regexes.get(at));
            numbers.extend(matching.map(|&(_, number)| number));
        }
        numbers.extend(self.first_word(text)?);
        Ok(numbers.into_iter())
    }

    /// The number of the first map whose bare word stands in the text, where no character of a word
    /// is right before or after it.
    pub(super) fn first_word(&self, text: &str) -> Result<Option<u32>, String> {
        self.first_word_between(text, |character| !is_word_character(character))
    }

    /// The number of the first map whose bare word stands in the arguments of a command as a word
    /// of its own, as a part of a path or as a value: `--rm` and `rm.txt` are no `rm`.
    pub(super) fn first_argument(&self, text: &str) -> Result<Option<u32>, String> {
        let ends_word = |character: char| {
            character.is_whitespace() || "=:,;@|&()[]{}<>\"'`$!/\\".contains(character)
        };
        self.first_word_between(text, ends_word)
    }

    /// The numbers of the maps whose regex would match some text that begins with this one, with a
    /// match that begins in it.
    pub(super) fn possible(&self, beginning: &str) -> Vec<u32> {
        let possible = self.regexes.iter().zip(&self.beginnings).filter(|((regex, _), dfa)| {
            let dfa = dfa.get_or_init(|| prefix::build(regex));
            dfa.as_ref().is_none_or(|dfa| prefix::could_match(dfa, beginning))
        });
        possible.map(|(&(_, number), _)| number).collect()
    }

    /// Whether the map of this number has a regex.
    pub(super) fn is_regex(&self, number: u32) -> bool {
        self.regexes.iter().any(|&(_, of)| of == number)
    }

    /// Whether the regex of this map matches from the very beginning of the text.
    pub(super) fn regex_from_start(&self, number: u32, text: &str) -> bool {
        let mut maps = self.regexes.iter().zip(&self.beginnings);
        maps.any(|((regex, of), dfa)| *of == number && from_start(regex, dfa, text))
    }

    /// The number of the first map whose regex does.
    pub(super) fn first_regex_from_start(&self, text: &str) -> Option<u32> {
        let mut maps = self.regexes.iter().zip(&self.beginnings);
        maps.find(|((regex, _), dfa)| from_start(regex, dfa, text)).map(|(&(_, number), _)| number)
    }

    /// The numbers of all maps.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.words.iter().chain(&self.regexes).map(|&(_, number)| number)
    }

    fn matcher(&self) -> Result<&Matcher, String> {
        self.matcher.get_or_init(|| self.build()).as_ref().map_err(Clone::clone)
    }

    fn first_word_between(
        &self,
        text: &str,
        is_end: impl Fn(char) -> bool,
    ) -> Result<Option<u32>, String> {
        let Some(words) = &self.matcher()?.words else { return Ok(None) };
        let mut first: Option<u32> = None;
        for found in words.find_overlapping_iter(text) {
            let number = self.words.get(found.pattern().as_usize()).map(|&(_, number)| number);
            let before = text.get(..found.start()).and_then(|text| text.chars().next_back());
            let after = text.get(found.end()..).and_then(|text| text.chars().next());
            let stands_alone = before.is_none_or(&is_end) && after.is_none_or(&is_end);
            if stands_alone {
                first = earlier(first, number);
                if first == self.words.first().map(|&(_, number)| number) {
                    break;
                }
            }
        }
        Ok(first)
    }

    fn build(&self) -> Result<Matcher, String> {
        let failed = |error: &dyn std::fmt::Display| {
            format!("the maps on `{}` cannot be built: {error}", self.path)
        };
        let words = self.words.iter().map(|(word, _)| word);
        let words = match self.words.is_empty() {
            true => None,
            false => Some(AhoCorasick::new(words).map_err(|error| failed(&error))?),
        };
        Ok(Matcher { words, regexes: self.regex_set(false)? })
    }

    fn regex_set(&self, by_lines: bool) -> Result<Option<RegexSet>, String> {
        if self.regexes.is_empty() {
            return Ok(None);
        }
        let mut builder = RegexSetBuilder::new(self.regexes.iter().map(|(regex, _)| regex));
        builder.dot_matches_new_line(true).multi_line(by_lines).size_limit(SIZE_MAX_BYTES);
        let built = builder.build();
        built
            .map(Some)
            .map_err(|error| format!("the maps on `{}` cannot be built: {error}", self.path))
    }
}

fn from_start(regex: &str, dfa: &OnceLock<Option<DFA>>, text: &str) -> bool {
    let dfa = dfa.get_or_init(|| prefix::build(regex)).as_ref();
    dfa.is_some_and(|dfa| prefix::matches_beginning(dfa, text))
}

/// Bytes of the compiled regexes of one field. Each of them was checked to be small.
const SIZE_MAX_BYTES: usize = 1 << 30;
