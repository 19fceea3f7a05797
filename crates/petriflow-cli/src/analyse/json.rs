//! The report for programs: one JSON object, whose fields docs/analyse.md lists.
//!
//! Compatible changes add fields; any other raises [`VERSION`].

use petriflow_net::analysis::{Limit, Pump, Trace};
use petriflow_net::invariants::{Coverage, NetIndex, Weights};
use petriflow_net::{Net, TransitionId};
use serde::{Serialize, Serializer};

use super::report::{
    Complete, Covered, Finding, Invariants, Report, Unbounded, Undecided, Verdict,
};
use crate::outcome::Failure;
use crate::text::is_invisible;

const VERSION: u32 = 1;

/// Whole numbers up to here survive readers that know only doubles, such as JavaScript.
const EXACT_MAX: u128 = (1 << 53) - 1;

/// The report as text, ending with a newline.
pub(super) fn render(report: &Report<'_>) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(&ReportWire::new(report))
        .map_err(|error| Failure::new(format!("cannot write the report: {error}")))?;
    Ok(escaped(&text) + "\n")
}

/// JSON leaves some control characters as they are, of which terminals obey a few. They can only
/// be inside strings, where an escape means the same.
fn escaped(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        if character == '\n' || !is_invisible(character) {
            escaped.push(character);
        } else {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    escaped
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReportWire<'a> {
    version: u32,
    name: &'a str,
    places: usize,
    transitions: usize,
    verdict: &'static str,
    limit: Option<LimitWire<'a>>,
    states: usize,
    edges: u64,
    terminal: u64,
    deadlocks: u64,
    deadlock_trace: Option<TraceWire<'a>>,
    bounded: Option<bool>,
    max_tokens_in_place: Entries<'a, Option<u64>>,
    max_tokens_in_marking: Option<u64>,
    pump: Option<PumpWire<'a>>,
    dead_transitions: Option<Vec<&'a str>>,
    live: Option<Vec<&'a str>>,
    reversible: Option<bool>,
    invariants: InvariantsWire<'a>,
    findings: Vec<FindingWire>,
    memory_bytes: usize,
}

#[derive(Serialize)]
struct LimitWire<'a> {
    kind: &'static str,
    max: Option<u64>,
    place: Option<&'a str>,
}

#[derive(Serialize)]
struct TraceWire<'a> {
    transitions: Vec<&'a str>,
    marking: Entries<'a, u32>,
}

#[derive(Serialize)]
struct PumpWire<'a> {
    prefix: Vec<&'a str>,
    cycle: Vec<&'a str>,
    places: Vec<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InvariantsWire<'a> {
    places: Option<Vec<PlaceInvariantWire<'a>>>,
    transitions: Option<Vec<Entries<'a, Exact>>>,
    uncovered_places: Option<Vec<&'a str>>,
}

#[derive(Serialize)]
struct PlaceInvariantWire<'a> {
    weights: Entries<'a, Exact>,
    value: Exact,
}

#[derive(Serialize)]
struct FindingWire {
    kind: &'static str,
    message: String,
}

/// An object with names as keys, in declared order.
struct Entries<'a, V>(Vec<(&'a str, V)>);

impl<V: Serialize> Serialize for Entries<'_, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// A number, or a string of digits where a number would not be exact for every reader.
struct Exact(i128);

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match i64::try_from(self.0) {
            Ok(number) if self.0.unsigned_abs() <= EXACT_MAX => number.serialize(serializer),
            _ => serializer.collect_str(&self.0),
        }
    }
}

impl<'a> ReportWire<'a> {
    fn new(report: &'a Report<'_>) -> Self {
        let net = report.net;
        let explored = &report.explored;
        let names = |transitions: &[TransitionId]| transition_names(net, transitions);
        let mut wire = Self {
            version: VERSION,
            name: net.name(),
            places: net.place_count(),
            transitions: net.transition_count(),
            verdict: "complete",
            limit: None,
            states: explored.states,
            edges: explored.edges,
            terminal: explored.terminal,
            deadlocks: explored.deadlocks,
            deadlock_trace: explored.deadlock.as_ref().map(|trace| trace_wire(net, trace)),
            bounded: None,
            max_tokens_in_place: by_place(net, std::iter::repeat(None)),
            max_tokens_in_marking: None,
            pump: None,
            dead_transitions: report.dead().map(names),
            live: None,
            reversible: None,
            invariants: invariants_wire(net, &report.invariants),
            findings: report.findings().into_iter().map(finding_wire).collect(),
            memory_bytes: explored.memory_bytes,
        };
        match &report.verdict {
            Verdict::Complete(complete) => wire.add_complete(net, complete),
            Verdict::Unbounded(unbounded) => wire.add_unbounded(net, unbounded),
            Verdict::Undecided(undecided) => wire.add_undecided(net, undecided),
        }
        wire
    }

    fn add_complete(&mut self, net: &'a Net, complete: &Complete) {
        self.verdict = "complete";
        self.bounded = Some(true);
        let bounds = complete.bounds.iter().map(|&tokens| Some(u64::from(tokens)));
        self.max_tokens_in_place = by_place(net, bounds);
        self.max_tokens_in_marking = Some(complete.tokens_max);
        if let Ok(recurrence) = &complete.recurrence {
            self.live = Some(transition_names(net, &recurrence.live));
            self.reversible = Some(recurrence.reversible);
        }
    }

    fn add_unbounded(&mut self, net: &'a Net, unbounded: &Unbounded) {
        self.verdict = "unbounded";
        self.bounded = Some(false);
        self.pump = Some(pump_wire(net, &unbounded.pump));
        if let Some(Covered { bounds, .. }) = &unbounded.covered {
            self.max_tokens_in_place = by_place(net, bounds.iter().copied());
        }
    }

    fn add_undecided(&mut self, net: &'a Net, undecided: &Undecided) {
        self.verdict = "undecided";
        self.bounded = undecided.bounded.then_some(true);
        self.limit = Some(limit_wire(net, &undecided.limit));
    }
}

fn limit_wire<'a>(net: &'a Net, limit: &Limit) -> LimitWire<'a> {
    let (kind, max, place) = match limit {
        Limit::Markings { markings_max } => ("states", Some(*markings_max as u64), None),
        Limit::Memory { memory_max_bytes } => ("memoryBytes", Some(*memory_max_bytes as u64), None),
        Limit::Tokens { place } => ("tokens", Some(u32::MAX.into()), Some(net.place_name(*place))),
        _ => ("cancelled", None, None),
    };
    LimitWire { kind, max, place }
}

fn trace_wire<'a>(net: &'a Net, trace: &Trace) -> TraceWire<'a> {
    let marked = net.places().zip(trace.marking.iter()).filter(|&(_, &tokens)| tokens > 0);
    let entries = marked.map(|(place, &tokens)| (net.place_name(place), tokens));
    TraceWire {
        transitions: transition_names(net, &trace.transitions),
        marking: Entries(entries.collect()),
    }
}

fn pump_wire<'a>(net: &'a Net, pump: &Pump) -> PumpWire<'a> {
    PumpWire {
        prefix: transition_names(net, &pump.prefix),
        cycle: transition_names(net, &pump.cycle),
        places: pump.places.iter().map(|&place| net.place_name(place)).collect(),
    }
}

fn invariants_wire<'a>(net: &'a Net, invariants: &Invariants) -> InvariantsWire<'a> {
    let places = invariants.places.as_ref().ok().map(|list| {
        let wire = list.iter().map(|invariant| PlaceInvariantWire {
            weights: weights_wire(net, &invariant.weights),
            value: Exact(invariant.value),
        });
        wire.collect()
    });
    let transitions = invariants.transitions.as_ref().ok();
    let uncovered_places = match &invariants.coverage {
        Coverage::Known(places) => {
            Some(places.iter().map(|&place| net.place_name(place)).collect())
        }
        Coverage::Undecided(_) => None,
    };
    InvariantsWire {
        places,
        transitions: transitions
            .map(|basis| basis.iter().map(|weights| weights_wire(net, weights)).collect()),
        uncovered_places,
    }
}

fn weights_wire<'a, I: NetIndex>(net: &'a Net, weights: &Weights<I>) -> Entries<'a, Exact> {
    let named = weights.iter().map(|(index, weight)| {
        // The weights were computed from this net, so every index has its name.
        (index.name(net).unwrap_or_default(), Exact(weight))
    });
    Entries(named.collect())
}

fn finding_wire(finding: Finding) -> FindingWire {
    FindingWire { kind: finding.kind.key(), message: finding.message }
}

fn by_place<V>(net: &Net, values: impl Iterator<Item = V>) -> Entries<'_, V> {
    Entries(net.places().map(|place| net.place_name(place)).zip(values).collect())
}

fn transition_names<'a>(net: &'a Net, transitions: &[TransitionId]) -> Vec<&'a str> {
    transitions.iter().map(|&transition| net.transition_name(transition)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_doubles_cannot_hold_are_strings() {
        let numbers = [0, -3, (1 << 53) - 1, 1 << 53, -(1 << 53), i128::MAX].map(Exact);
        insta::assert_snapshot!(serde_json::to_string(&numbers).unwrap(), @r#"[0,-3,9007199254740991,"9007199254740992","-9007199254740992","170141183460469231731687303715884105727"]"#);
    }

    #[test]
    fn control_characters_are_escaped_and_read_back() {
        let name = "a\u{9b}31m\u{202e}\u{7f}é\n";
        let json = escaped(&serde_json::to_string(name).unwrap());
        insta::assert_snapshot!(json, @r#""a\u009b31m\u202e\u007fé\n""#);
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), name);
    }
}
