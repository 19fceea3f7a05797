//! The report on a workflow as JSON.

use petriflow_engine::analysis::{
    Bound, Caveat, Ends, Equation, FindingKind, Outcome, Report, Step, Trace, Verdict,
};
use serde::Serialize;

/// One object with a version.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Page<'a> {
    version: u32,
    kind: &'static str,
    name: &'a str,
    places: usize,
    transitions: usize,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<&'a str>,
    states: usize,
    completed: EndsJson,
    stuck: EndsJson,
    waiting: EndsJson,
    bounds: Vec<BoundJson<'a>>,
    dead: Option<&'a [String]>,
    invariants: Vec<InvariantJson<'a>>,
    soundness: [ClaimJson<'a>; 3],
    livelock: ClaimJson<'a>,
    properties: Vec<ClaimJson<'a>>,
    guarded: &'a [String],
    guards_may_strand: EndsJson,
    loose_timeouts: &'a [String],
    warnings: &'a [String],
    findings: Vec<FindingJson>,
}

#[derive(Serialize)]
struct EndsJson {
    count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<TraceJson>,
}

#[derive(Serialize)]
struct TraceJson {
    steps: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cycle: Vec<String>,
}

/// Tokens; `null` if the place grows without end or it is not known.
#[derive(Serialize)]
struct BoundJson<'a> {
    place: &'a str,
    bound: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
}

#[derive(Serialize)]
struct InvariantJson<'a> {
    weights: Vec<(&'a str, i128)>,
    value: i128,
    #[serde(flatten)]
    claim: ClaimJson<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ClaimJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<TraceJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    passes_guards: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    guards_may_strand: Option<TraceJson>,
}

#[derive(Serialize)]
struct FindingJson {
    kind: &'static str,
    message: String,
}

impl<'a> Page<'a> {
    pub(super) fn new(report: &'a Report, warnings: &'a [String]) -> Self {
        let (outcome, limit) = match &report.outcome {
            Outcome::Complete => ("complete", None),
            Outcome::Unbounded => ("unbounded", None),
            Outcome::Undecided { limit } => ("undecided", Some(limit.as_str())),
        };
        let soundness = &report.soundness;
        Self {
            version: 1,
            kind: "workflow",
            name: &report.name,
            places: report.places,
            transitions: report.transitions,
            outcome,
            limit,
            states: report.states,
            completed: ends(&report.completed),
            stuck: ends(&report.stuck),
            waiting: ends(&report.waiting),
            bounds: report.bounds.iter().map(|(place, bound)| bound_json(place, *bound)).collect(),
            dead: report.dead.as_deref(),
            invariants: report
                .invariants
                .iter()
                .map(|invariant| invariant_json(&invariant.equation, &invariant.verdict))
                .collect(),
            soundness: [
                claim(Some("canComplete"), &soundness.can_complete, None),
                claim(Some("completesProperly"), &soundness.completes_properly, None),
                claim(Some("noDeadTransition"), &soundness.no_dead_transition, None),
            ],
            livelock: claim(None, &report.no_livelock, None),
            properties: report
                .properties
                .iter()
                .map(|p| claim(Some(&p.name), &p.verdict, p.caveat.as_ref()))
                .collect(),
            guarded: &report.guards.guarded,
            guards_may_strand: ends(&report.guards.may_strand),
            loose_timeouts: &report.loose_timeouts,
            warnings,
            findings: report
                .findings()
                .into_iter()
                .map(|finding| FindingJson { kind: kind(finding.kind), message: finding.message })
                .collect(),
        }
    }
}

fn ends(ends: &Ends) -> EndsJson {
    EndsJson { count: ends.count, nearest: ends.nearest.as_ref().map(trace) }
}

fn trace(trace: &Trace) -> TraceJson {
    let texts = |steps: &[Step]| steps.iter().map(Step::to_string).collect();
    TraceJson { steps: texts(&trace.steps), cycle: texts(&trace.cycle) }
}

fn bound_json(place: &str, bound: Bound) -> BoundJson<'_> {
    let (bound, tokens) = match bound {
        Bound::AtMost(tokens) => ("atMost", Some(tokens)),
        Bound::Unbounded => ("unbounded", None),
        Bound::Undecided => ("undecided", None),
    };
    BoundJson { place, bound, tokens }
}

fn invariant_json<'a>(equation: &'a Equation, verdict: &'a Verdict) -> InvariantJson<'a> {
    let weights = equation.weights.iter().map(|(place, weight)| (place.as_str(), *weight));
    InvariantJson {
        weights: weights.collect(),
        value: equation.value,
        claim: claim(None, verdict, None),
    }
}

fn claim<'a>(
    name: Option<&'a str>,
    verdict: &'a Verdict,
    caveat: Option<&'a Caveat>,
) -> ClaimJson<'a> {
    let (word, reason) = match verdict {
        Verdict::Proved { .. } => ("proved", None),
        Verdict::Refuted { .. } => ("refuted", None),
        Verdict::Undecided { reason } => ("undecided", Some(reason.as_str())),
    };
    let passes_guards = match caveat {
        Some(Caveat::TracePassesGuards(guarded)) => Some(guarded.as_slice()),
        _ => None,
    };
    let guards_may_strand = match caveat {
        Some(Caveat::GuardsMayStrand(way)) => Some(trace(way)),
        _ => None,
    };
    let way = verdict.trace().map(trace);
    ClaimJson { name, verdict: word, trace: way, reason, passes_guards, guards_may_strand }
}

fn kind(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Undecided => "undecided",
        FindingKind::Unbounded => "unbounded",
        FindingKind::Stuck => "stuck",
        FindingKind::Livelock => "livelock",
        FindingKind::Dead => "dead",
        FindingKind::Invariant => "invariant",
        FindingKind::Property => "property",
    }
}
