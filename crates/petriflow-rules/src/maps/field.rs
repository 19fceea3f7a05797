//! The maps on one field, in one table.

use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use regex_automata::hybrid::dfa::DFA;

use super::regexes::Regexes;
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
    /// Built when a call first needs it: a hook that is started for one call builds nothing else.
    word_matcher: OnceLock<Result<AhoCorasick, String>>,
    regexes: Regexes,
    /// The regexes once more, where lines are looked at one by one.
    by_lines: Regexes,
    /// The numbers of the maps with a regex.
    regex_numbers: Vec<u32>,
    /// For every regex, what tells whether a text could become a match; `None` if it cannot be told.
    beginnings: Vec<OnceLock<Option<DFA>>>,
}

impl FieldMaps {
    pub(super) fn new(path: &str) -> Self {
        Self {
            path: path.into(),
            is_shell: false,
            words: Vec::new(),
            word_matcher: OnceLock::new(),
            regexes: Regexes::new(false),
            by_lines: Regexes::new(true),
            regex_numbers: Vec::new(),
            beginnings: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, pattern: &PatternKind, number: u32) {
        match pattern {
            PatternKind::Word(word) => self.words.push((word.clone(), number)),
            PatternKind::Regex(regex) => {
                self.regexes.push(regex.clone());
                self.by_lines.push(regex.clone());
                self.regex_numbers.push(number);
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
        Ok(self.numbers_of(&self.regexes, text)?.first().copied())
    }

    /// The number of the first map whose regex matches if `^` and `$` are the ends of lines.
    pub(super) fn first_line_match(&self, text: &str) -> Result<Option<u32>, String> {
        Ok(self.numbers_of(&self.by_lines, text)?.first().copied())
    }

    fn numbers_of(&self, regexes: &Regexes, text: &str) -> Result<Vec<u32>, String> {
        let matching = regexes.matching(text).map_err(|error| self.cannot_be_built(&error))?;
        Ok(matching.into_iter().filter_map(|at| self.regex_numbers.get(at).copied()).collect())
    }

    fn cannot_be_built(&self, error: &str) -> String {
        format!("the maps on `{}` cannot be built: {error}", self.path)
    }

    /// The numbers of all maps that match.
    pub(super) fn all_matches(&self, text: &str) -> Result<impl Iterator<Item = u32>, String> {
        let mut numbers = self.numbers_of(&self.regexes, text)?;
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
        let maps = self.regexes.iter().zip(&self.beginnings).zip(&self.regex_numbers);
        let possible = maps.filter(|((regex, dfa), _)| {
            let dfa = dfa.get_or_init(|| prefix::build(regex));
            dfa.as_ref().is_none_or(|dfa| prefix::could_match(dfa, beginning))
        });
        possible.map(|(_, &number)| number).collect()
    }

    /// Whether the map of this number has a regex.
    pub(super) fn is_regex(&self, number: u32) -> bool {
        self.regex_numbers.contains(&number)
    }

    /// Whether the regex of this map matches from the very beginning of the text.
    pub(super) fn regex_from_start(&self, number: u32, text: &str) -> bool {
        self.regexes_from_start(text).any(|of| of == number)
    }

    /// The number of the first map whose regex does.
    pub(super) fn first_regex_from_start(&self, text: &str) -> Option<u32> {
        self.regexes_from_start(text).next()
    }

    fn regexes_from_start(&self, text: &str) -> impl Iterator<Item = u32> {
        let found = self.regexes.matching_start(text);
        let maps = self.regexes.iter().zip(&self.beginnings).zip(&self.regex_numbers).enumerate();
        maps.filter(move |(at, ((regex, dfa), _))| match &found {
            Some(found) => found.contains(at),
            None => from_start(regex, dfa, text),
        })
        .map(|(_, (_, &number))| number)
    }

    /// The numbers of all maps.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.words.iter().map(|&(_, number)| number).chain(self.regex_numbers.iter().copied())
    }

    fn first_word_between(
        &self,
        text: &str,
        is_end: impl Fn(char) -> bool,
    ) -> Result<Option<u32>, String> {
        if self.words.is_empty() {
            return Ok(None);
        }
        let words = self.word_matcher.get_or_init(|| {
            let words = self.words.iter().map(|(word, _)| word);
            AhoCorasick::new(words).map_err(|error| self.cannot_be_built(&error.to_string()))
        });
        let words = words.as_ref().map_err(Clone::clone)?;
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
}

fn from_start(regex: &str, dfa: &OnceLock<Option<DFA>>, text: &str) -> bool {
    let dfa = dfa.get_or_init(|| prefix::build(regex)).as_ref();
    dfa.is_some_and(|dfa| prefix::matches_beginning(dfa, text))
}
