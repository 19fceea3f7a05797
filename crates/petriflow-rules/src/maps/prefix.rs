//! Whether a text could become a match of a regex, once what is not known yet stands after it.

use regex_automata::hybrid::dfa::DFA;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};

/// What answers for one regex; `None` if it cannot be built.
pub(super) fn build(regex: &str) -> Option<DFA> {
    DFA::builder()
        .syntax(syntax::Config::new().dot_matches_new_line(true))
        // Ends of words are exact in ASCII; elsewhere the search gives up, which counts as possible.
        .configure(DFA::config().unicode_word_boundary(true).skip_cache_capacity_check(true))
        .build(regex)
        .ok()
}

/// Bytes of a beginning that are looked at. A longer one could become anything.
const BEGINNING_MAX: usize = 4_096;

/// Whether some text that begins with this one has a match that begins in it. When it cannot be told,
/// it could.
pub(super) fn could_match(dfa: &DFA, beginning: &str) -> bool {
    let end = beginning.len();
    if end > BEGINNING_MAX {
        return true;
    }
    let mut cache = dfa.create_cache();
    (0..end).filter(|&start| beginning.is_char_boundary(start)).any(|start| {
        let input = Input::new(beginning).range(start..end).anchored(Anchored::Yes);
        let Ok(mut state) = dfa.start_state_forward(&mut cache, &input) else { return true };
        for &byte in beginning.as_bytes().get(start..end).unwrap_or_default() {
            let Ok(next) = dfa.next_state(&mut cache, state, byte) else { return true };
            state = next;
            if state.is_dead() {
                return false;
            }
            if state.is_quit() {
                return true;
            }
        }
        true
    })
}

/// Whether the text has a match that begins where the text does.
pub(super) fn matches_beginning(dfa: &DFA, text: &str) -> bool {
    let input = Input::new(text).anchored(Anchored::Yes);
    dfa.try_search_fwd(&mut dfa.create_cache(), &input).is_ok_and(|found| found.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_still_match_is_known() {
        for (regex, beginning, expected) in [
            ("git push .*--force", "git push ", true),
            ("git push .*--force", "git ", true),
            ("git push .*--force", "git pull ", false),
            ("git push .*--force", "ls ", false),
            ("^rm( |$)", "ls ", false),
            ("^rm( |$)", "sudo rm ", false),
            (r"\bdocker\b.*--privileged", "docker run ", true),
            (r"\bdocker\b.*--privileged", "ls ", false),
            ("curl", "cur", true),
        ] {
            let dfa = build(regex).unwrap();
            assert_eq!(could_match(&dfa, beginning), expected, "{regex} {beginning}");
        }
    }
}
