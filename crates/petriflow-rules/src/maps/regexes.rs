//! The regexes on one field.
//!
//! A hook is started for one call, and building all regexes of a large policy takes longer than all
//! the rest of it. So as long as few texts have been looked at, only those regexes are built that a
//! text could match by what they require ([`Required`]), and for text of ASCII in a form that knows no
//! other, which is built far sooner and finds the same. After that, and for long texts, one automaton
//! for all of them is worth its while.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use regex::{RegexSet, RegexSetBuilder};
use regex_automata::nfa::thompson::pikevm::PikeVM;
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};

use crate::required::Required;

/// Texts looked at one regex at a time, before the automaton of all is built.
const SINGLY_MAX: u32 = 64;
/// Bytes of a text that is looked at so.
const SHORT_MAX: usize = 16 << 10;
/// Bytes of the compiled regexes of one field. Each of them was checked to be small.
const SIZE_MAX_BYTES: usize = 1 << 30;

/// Regexes, known by their position.
#[derive(Debug)]
pub(super) struct Regexes {
    /// Whether `^` and `$` are the ends of lines.
    by_lines: bool,
    single: Vec<Single>,
    all: OnceLock<Result<RegexSet, String>>,
    looked_at: AtomicU32,
}

#[derive(Debug)]
struct Single {
    regex: String,
    required: OnceLock<Required>,
    /// For text of ASCII; `None` if the regex has to do with other characters.
    ascii: OnceLock<Option<PikeVM>>,
}

impl Regexes {
    pub(super) fn new(by_lines: bool) -> Self {
        let (single, all, looked_at) = (Vec::new(), OnceLock::new(), AtomicU32::new(0));
        Self { by_lines, single, all, looked_at }
    }

    pub(super) fn push(&mut self, regex: String) {
        let (required, ascii) = (OnceLock::new(), OnceLock::new());
        self.single.push(Single { regex, required, ascii });
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.single.iter().map(|single| single.regex.as_str())
    }

    /// The positions of all regexes that match, in order.
    pub(super) fn matching(&self, text: &str) -> Result<Vec<usize>, String> {
        if self.single.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(one_by_one) = self.one_by_one(text, Anchored::No) {
            return Ok(one_by_one);
        }
        let all = self.all.get_or_init(|| self.build()).as_ref().map_err(Clone::clone)?;
        Ok(all.matches(text).into_iter().collect())
    }

    /// The positions of all regexes with a match that begins where the text does; `None` if that has
    /// to be found out in another way.
    pub(super) fn matching_start(&self, text: &str) -> Option<Vec<usize>> {
        self.one_by_one(text, Anchored::Yes)
    }

    fn one_by_one(&self, text: &str, anchored: Anchored) -> Option<Vec<usize>> {
        let is_new = self.looked_at.load(Ordering::Relaxed) < SINGLY_MAX;
        if !is_new || text.len() > SHORT_MAX || !text.is_ascii() {
            return None;
        }
        self.looked_at.fetch_add(1, Ordering::Relaxed);
        let lower_case = text.to_ascii_lowercase();
        let mut matching = Vec::new();
        for (at, single) in self.single.iter().enumerate() {
            let required = single.required.get_or_init(|| Required::of(&single.regex));
            if required.rules_out(&lower_case) {
                continue;
            }
            let regex = single.ascii.get_or_init(|| for_ascii(&single.regex, self.by_lines));
            let regex = regex.as_ref()?;
            if regex.is_match(&mut regex.create_cache(), Input::new(text).anchored(anchored)) {
                matching.push(at);
            }
        }
        Some(matching)
    }

    fn build(&self) -> Result<RegexSet, String> {
        let mut builder = RegexSetBuilder::new(self.iter());
        builder.dot_matches_new_line(true).multi_line(self.by_lines).size_limit(SIZE_MAX_BYTES);
        builder.build().map_err(|error| error.to_string())
    }
}

/// The regex without any character beyond ASCII, if it has to do with none: on text of ASCII it finds
/// the same.
///
/// Of all engines this one is built soonest, and it will see a few short texts.
fn for_ascii(regex: &str, by_lines: bool) -> Option<PikeVM> {
    // Classes by name, characters by number, and the flag that is set here.
    let is_particular = |at: usize| {
        let next = regex.get(at.saturating_add(1)..).unwrap_or_default();
        next.starts_with(['p', 'P', 'x', 'u', 'U'])
    };
    let has_particular = regex.match_indices('\\').any(|(at, _)| is_particular(at));
    let sets_unicode = regex.match_indices("(?").any(|(at, _)| {
        let flags = regex.get(at.saturating_add(2)..).unwrap_or_default();
        flags.chars().take_while(|&c| c.is_ascii_alphabetic() || c == '-').any(|c| c == 'u')
    });
    if !regex.is_ascii() || has_particular || sets_unicode {
        return None;
    }
    let syntax = syntax::Config::new()
        .unicode(false)
        .utf8(false)
        .dot_matches_new_line(true)
        .multi_line(by_lines);
    let nfa = thompson::Config::new()
        .utf8(false)
        .which_captures(WhichCaptures::None)
        .nfa_size_limit(Some(SIZE_MAX_BYTES));
    PikeVM::builder().syntax(syntax).thompson(nfa).build(regex).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REGEXES: [&str; 42] = [
        r"\<rm\>",
        r"git push\>",
        r"\b{start}rm",
        "rm+*",
        "ls+??",
        "rm+?",
        "(rm)+*ls",
        "rm{2}*",
        r"\bgit\s+push\b",
        r"(^|[\s;&|(\/])rm\s(.*[\s\x22'])?-rf",
        "^rm( |$)",
        "rm$",
        r"\brm\b.*\n?ls",
        "(?i)DROP\\s+TABLE",
        "(?i)select|insert",
        "(?i:k)ill",
        "(?-i)Push",
        "(?m)^ls$",
        "(?s)a.b",
        "(?-s)a.b",
        "(?x) r m # comment",
        "(?U)a+b",
        "[^a-z]rm",
        r"[\w-]+\.rules",
        r"\W\d{2,4}\D",
        r"\S+\s\S+",
        "ls|cp|mv",
        "(ls|c.)p?",
        "(a|b)*ls",
        "x{0}ls",
        r"\Als\z",
        r"\Bs",
        r"[[:alpha:]]+=[[:digit:]]",
        r"[a-c&&[^b]]p",
        ".",
        "^$",
        "",
        "é",
        r"\p{Lu}s",
        r"\x6cs",
        r"(?u)\bls",
        "ſ",
    ];

    /// Texts of pieces that the regexes are about, by a simple generator with a fixed beginning.
    fn texts() -> impl Iterator<Item = String> {
        let pieces = [
            "git",
            " ",
            "push",
            "rm",
            "-rf",
            "\n",
            ";",
            "ls",
            "a",
            "b",
            "p",
            "DROP TABLE",
            "drop",
            "K",
            "ill",
            "s",
            ".rules",
            "12",
            "=",
            "'",
            "\t",
            "cp",
            "\u{b}",
            "_",
            "Push",
            "/",
            "\u{1c}",
        ];
        let mut state: u64 = 7;
        let mut next = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((state >> 33) as usize).checked_rem(below).unwrap_or(0)
        };
        (0..3_000).map(move |_| (0..next(9)).map(|_| pieces[next(pieces.len())]).collect())
    }

    #[test]
    fn one_by_one_finds_what_the_automaton_of_all_finds() {
        for by_lines in [false, true] {
            for regex in REGEXES {
                let mut singly = Regexes::new(by_lines);
                singly.push(regex.into());
                let all = singly.build().unwrap();
                for text in texts() {
                    singly.looked_at.store(0, Ordering::Relaxed);
                    if let Some(found) = singly.one_by_one(&text, Anchored::No) {
                        let is_in_all = all.is_match(&text);
                        assert_eq!(!found.is_empty(), is_in_all, "/{regex}/ in {text:?}");
                    }
                    assert_eq!(!singly.matching(&text).unwrap().is_empty(), all.is_match(&text));
                }
            }
        }
    }

    #[test]
    fn matches_from_the_start_are_those_that_the_automaton_finds() {
        for regex in REGEXES {
            let mut singly = Regexes::new(false);
            singly.push(regex.into());
            let Some(dfa) = crate::maps::prefix::build(regex) else { continue };
            for text in texts() {
                singly.looked_at.store(0, Ordering::Relaxed);
                if let Some(found) = singly.matching_start(&text) {
                    let from_start = crate::maps::prefix::matches_beginning(&dfa, &text);
                    assert_eq!(!found.is_empty(), from_start, "/{regex}/ in {text:?}");
                }
            }
        }
    }

    #[test]
    fn regexes_about_other_characters_are_left_to_the_automaton() {
        for regex in ["é", r"\p{Lu}s", r"\x6cs", r"(?u)\bls", "ſ"] {
            assert!(for_ascii(regex, false).is_none(), "{regex}");
        }
    }
}
