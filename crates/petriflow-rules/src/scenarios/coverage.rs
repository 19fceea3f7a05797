//! Which rules and transitions the scenarios exercised.

use std::collections::{BTreeMap, BTreeSet};

use petriflow_gate::Decision;

use super::player::Played;
use crate::RuleSet;

/// What was exercised, rule by rule.
#[derive(Debug, Clone, Default)]
pub struct Coverage {
    /// In the order of the rules.
    pub rules: Vec<RuleCoverage>,
}

/// What was exercised of one rule.
#[derive(Debug, Clone)]
pub struct RuleCoverage {
    /// The net's name.
    pub net: String,
    /// The rule as written.
    pub rule: String,
    /// Where it stands.
    pub file: String,
    /// The line.
    pub line: u32,
    /// How often it refused a call or asked a person.
    pub refused: u64,
    /// The transitions that can fire, and how often each did.
    pub fired: Vec<(String, u64)>,
}

impl RuleCoverage {
    /// Whether nothing it says was seen.
    pub fn is_untouched(&self) -> bool {
        self.refused == 0 && self.fired.iter().all(|(_, count)| *count == 0)
    }

    /// The transitions that never fired.
    pub fn unfired(&self) -> impl Iterator<Item = &str> {
        self.fired.iter().filter(|(_, count)| *count == 0).map(|(name, _)| name.as_str())
    }
}

/// Counts while scenarios are played.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    refused: BTreeMap<String, u64>,
    fired: BTreeMap<(String, String), u64>,
}

impl Counts {
    pub(crate) fn add(&mut self, played: &Played) {
        let mut count = |name: String| {
            let refused = self.refused.entry(name).or_default();
            *refused = refused.saturating_add(1);
        };
        let mut told: BTreeSet<String> = BTreeSet::new();
        if let Some(question) = &played.asked {
            told.extend(question.nets.iter().cloned());
        }
        if let Some(Decision::Blocked(refusal)) = &played.decision {
            told.extend(refusal.reasons.iter().filter_map(|reason| reason.net.clone()));
        }
        told.into_iter().for_each(&mut count);
        for moved in &played.moved {
            let key = (moved.net.clone(), moved.transition.clone());
            let fired = self.fired.entry(key).or_default();
            *fired = fired.saturating_add(1);
        }
    }

    pub(crate) fn report(&self, rules: &RuleSet) -> Coverage {
        let rules = rules.nets.iter().map(|rule| {
            let net = &rule.net;
            let name = net.name().to_owned();
            let transitions = net.net().transitions().filter(|&t| !net.tools(t).is_empty());
            // The transition of a blocked tool is there to never fire.
            let transitions = transitions.filter(|_| rule.verified.all_fire);
            let fired = transitions.map(|transition| {
                let transition = net.net().transition_name(transition).to_owned();
                let count = self.fired.get(&(name.clone(), transition.clone()));
                (transition, count.copied().unwrap_or(0))
            });
            let source = net.rule().and_then(|rule| rule.source.as_ref());
            RuleCoverage {
                rule: rule.text().into(),
                file: source.map(|source| source.file.clone()).unwrap_or_default(),
                line: rule.span.line,
                refused: self.refused.get(&name).copied().unwrap_or(0),
                fired: fired.collect(),
                net: name,
            }
        });
        Coverage { rules: rules.collect() }
    }
}
