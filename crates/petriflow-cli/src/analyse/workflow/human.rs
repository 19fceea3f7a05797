//! The report on a workflow for people: one line a subject, each claim with its verdict and trace.

use petriflow_engine::analysis::{Bound, Caveat, Ends, Equation, Outcome, Report, Trace, Verdict};

use crate::text::{MESSAGE_MAX, NAME_MAX, counted, listed, shown};

/// Names shown of a list.
const NAMES_MAX: usize = 10;

pub(super) fn render(report: &Report, warnings: usize, strict: bool) -> String {
    let mut out = format!("{}: {}\n", shown(&report.name, NAME_MAX), headline(report));
    let mut row = |name: &str, text: String| out.push_str(&format!("  {name:<12}{text}\n"));
    let (places, transitions) = (report.places as u64, report.transitions as u64);
    row(
        "workflow",
        format!("{}, {}", counted(places, "place"), counted(transitions, "transition")),
    );
    row("completed", ends(&report.completed));
    row("stuck", ends(&report.stuck));
    if report.injections_max.is_some() {
        row("waiting", ends(&report.waiting));
    }
    row("bounds", bounds(report));
    if let Some(pump) = &report.pump {
        let trace =
            Trace { steps: pump.prefix.clone(), cycle: pump.cycle.clone(), ..Trace::default() };
        row("", shown(&trace.to_string(), MESSAGE_MAX));
    }
    row(
        "dead",
        match &report.dead {
            Some(dead) if dead.is_empty() => "no transition".to_owned(),
            Some(dead) => names(dead),
            None => "undecided".to_owned(),
        },
    );
    for invariant in &report.invariants {
        claim(&mut row, "invariant", &equation(&invariant.equation), &invariant.verdict, None);
    }
    let soundness = &report.soundness;
    for (name, what, verdict) in [
        ("sound", "from everywhere it can complete", &soundness.can_complete),
        ("", "nothing is left behind", &soundness.completes_properly),
        ("", "every transition can fire", &soundness.no_dead_transition),
        ("livelocks", "an end can be reached from everywhere", &report.no_livelock),
    ] {
        claim(&mut row, name, what, verdict, None);
    }
    for property in &report.properties {
        let name = shown(&property.name, MESSAGE_MAX);
        claim(&mut row, "property", &name, &property.verdict, property.caveat.as_ref());
    }
    if !report.guards.guarded.is_empty() {
        row("guards", names(&report.guards.guarded));
        if let Some(trace) = &report.guards.may_strand.nearest {
            row("", format!("could strand an instance after {}", path(trace)));
        }
    }
    if !report.loose_timeouts.is_empty() {
        row(
            "timeouts",
            format!("modelled with more freedom than they have: {}", names(&report.loose_timeouts)),
        );
    }
    out + &findings(report, warnings, strict)
}

/// A claim with its verdict, and below it what goes with that.
fn claim(
    row: &mut impl FnMut(&str, String),
    name: &str,
    what: &str,
    verdict: &Verdict,
    caveat: Option<&Caveat>,
) {
    let word = match verdict {
        Verdict::Proved { .. } => "proved",
        Verdict::Refuted { .. } => "refuted",
        Verdict::Undecided { .. } => "undecided",
    };
    row(name, format!("{word:<11}{what}"));
    for note in notes(verdict, caveat) {
        row("", format!("{:<11}{note}", ""));
    }
}

fn headline(report: &Report) -> String {
    let states = counted(report.states as u64, "state");
    match &report.outcome {
        Outcome::Complete => format!("{states}, all of them"),
        Outcome::Unbounded => format!("tokens without end, {states} met"),
        Outcome::Undecided { limit } => format!("undecided: {limit}, {states} met"),
    }
}

fn ends(ends: &Ends) -> String {
    let count = counted(ends.count as u64, "marking");
    match &ends.nearest {
        Some(trace) => format!("{count}, the nearest by {}", path(trace)),
        None => count,
    }
}

fn bounds(report: &Report) -> String {
    let mut highest = 0;
    for (place, bound) in &report.bounds {
        match bound {
            Bound::AtMost(tokens) => highest = highest.max(*tokens),
            Bound::Unbounded => return format!("{} grows without end", shown(place, NAME_MAX)),
            Bound::Undecided => return "undecided".to_owned(),
        }
    }
    format!("at most {} in a place", counted(highest, "token"))
}

/// What goes with a verdict: the way, the reason, and what guards could change.
fn notes(verdict: &Verdict, caveat: Option<&Caveat>) -> Vec<String> {
    let mut notes = Vec::new();
    match verdict {
        Verdict::Proved { witness: Some(trace) } | Verdict::Refuted { trace: Some(trace) } => {
            notes.push(path(trace));
        }
        Verdict::Undecided { reason } => notes.push(shown(reason, MESSAGE_MAX)),
        Verdict::Proved { witness: None } | Verdict::Refuted { trace: None } => {}
    }
    match caveat {
        Some(Caveat::TracePassesGuards(guarded)) => {
            notes.push(format!("if the guards of {} let it", names(guarded)));
        }
        Some(Caveat::GuardsMayStrand(trace)) => {
            notes.push(format!("unless guards strand it after {}", path(trace)));
        }
        None => {}
    }
    notes
}

fn path(trace: &Trace) -> String {
    shown(&trace.to_string(), MESSAGE_MAX)
}

fn names(names: &[String]) -> String {
    listed(names.iter().map(String::as_str), NAMES_MAX)
}

/// `2·a + b = 3`
fn equation(equation: &Equation) -> String {
    let term = |(place, weight): &(String, i128)| match weight {
        1 => shown(place, NAME_MAX),
        _ => format!("{weight}·{}", shown(place, NAME_MAX)),
    };
    let terms: Vec<String> = equation.weights.iter().map(term).collect();
    format!("{} = {}", terms.join(" + "), equation.value)
}

fn findings(report: &Report, warnings: usize, strict: bool) -> String {
    let findings = report.findings();
    let warned = match warnings {
        0 => String::new(),
        _ => format!(", {}", counted(warnings as u64, "warning")),
    };
    let is_clean = findings.is_empty() && warnings == 0;
    let end = if strict || is_clean { "" } else { " (exit 1 with --strict)" };
    let mut out = format!(
        "{}{warned}{end}\n",
        counted(findings.len() as u64, "finding").replace("no finding", "no findings")
    );
    for finding in findings {
        out.push_str(&format!("  {}\n", shown(&finding.message, MESSAGE_MAX)));
    }
    out
}
