//! One net of the model: a map of tokens, everything found by scanning.

use std::collections::BTreeMap;

use super::super::spec::{NetSpec, TransitionSpec};

/// How many tokens each place holds.
pub(super) type Tokens = BTreeMap<String, u32>;

/// Structural transitions did not stop within the gate's limit.
#[derive(Debug)]
pub(super) struct Restless;

/// The gate's limit. The nets here are far from it unless tokens pile up in front of a conflict.
const STRUCTURAL_FIRINGS_MAX: usize = 10_000;

impl NetSpec {
    /// The marking at the start: the initial one, come to rest.
    pub(super) fn start(&self) -> Tokens {
        self.settle(self.places.iter().cloned().collect()).expect("checked by the builder")
    }

    /// The transitions that have a say about a tool.
    pub(super) fn covering(&self, tool: &str) -> Vec<&TransitionSpec> {
        if self.free_tools.iter().any(|free| free == tool) {
            return Vec::new();
        }
        let covers = |t: &&TransitionSpec| t.tools.iter().any(|covered| covered == tool);
        self.transitions.iter().filter(covers).collect()
    }

    /// The marking after a firing, come to rest.
    pub(super) fn fire(&self, tokens: &Tokens, fired: &TransitionSpec) -> Result<Tokens, Restless> {
        self.settle(fired.applied(tokens))
    }

    /// Structural transitions fire until nothing moves. Those that take from a place which has not
    /// enough for all that are enabled do not.
    fn settle(&self, mut tokens: Tokens) -> Result<Tokens, Restless> {
        let structural: Vec<&TransitionSpec> =
            self.transitions.iter().filter(|t| t.tools.is_empty()).collect();
        if structural.is_empty() {
            return Ok(tokens);
        }
        for _ in 0..STRUCTURAL_FIRINGS_MAX {
            let enabled: Vec<&TransitionSpec> =
                structural.iter().copied().filter(|t| t.is_enabled(&tokens)).collect();
            let has_enough = |t: &TransitionSpec, place: &str, held: u32| {
                let wanted: u32 = enabled.iter().map(|other| other.taken(place)).sum();
                t.taken(place) == 0 || wanted <= held
            };
            let is_free = |t: &&&TransitionSpec| {
                tokens.iter().all(|(place, &held)| has_enough(t, place, held))
            };
            let Some(next) = enabled.iter().find(is_free) else { return Ok(tokens) };
            tokens = next.applied(&tokens);
        }
        Err(Restless)
    }
}

impl TransitionSpec {
    fn taken(&self, place: &str) -> u32 {
        weight(&self.inputs, place)
    }

    pub(super) fn is_enabled(&self, tokens: &Tokens) -> bool {
        tokens.iter().all(|(place, &held)| held >= self.taken(place))
    }

    /// The marking after the bare firing.
    fn applied(&self, tokens: &Tokens) -> Tokens {
        let moved = |(place, &held): (&String, &u32)| {
            (place.clone(), held - self.taken(place) + weight(&self.outputs, place))
        };
        tokens.iter().map(moved).collect()
    }

    /// Whether everything it takes is in `then` but was not there `now`.
    pub(super) fn takes_only_what_is_new(&self, now: &Tokens, then: &Tokens) -> bool {
        let is_new = |(place, &held): (&String, &u32)| {
            let taken = self.taken(place);
            taken == 0 || held.saturating_sub(now[place]) >= taken
        };
        then.iter().all(is_new)
    }
}

fn weight(arcs: &[(String, u32)], place: &str) -> u32 {
    arcs.iter().filter(|(name, _)| name == place).map(|(_, weight)| weight).sum()
}
