//! The report for people: one line a subject, details indented below.

use petriflow_net::TransitionId;
use petriflow_net::analysis::{Limit, Trace};
use petriflow_net::invariants::Coverage;

use super::report::{
    Complete, Covered, Invariants, NotComputed, Recurrence, Report, Unbounded, Undecided, Verdict,
};
use crate::text::{MESSAGE_MAX, NAME_MAX, counted, listed, shown};

/// Names shown of a list.
const NAMES_MAX: usize = 10;
/// Equations shown.
const EQUATIONS_MAX: usize = 10;
/// Steps shown of a longer sequence: these first ones and these last ones.
const STEPS_FIRST: usize = 12;
const STEPS_LAST: usize = 6;

/// The report as text; `file` is what a net without a name is called by.
pub(super) fn render(report: &Report<'_>, file: &str, strict: bool) -> String {
    let mut page = Page::default();
    let name = match report.net.name() {
        "" => file.to_owned(),
        name => shown(name, NAME_MAX),
    };
    page.line(&format!("{name}: {}", headline(report)));
    page.row("net", &size(report));
    match &report.verdict {
        Verdict::Complete(complete) => complete_rows(&mut page, report, complete),
        Verdict::Unbounded(unbounded) => unbounded_rows(&mut page, report, unbounded),
        Verdict::Undecided(undecided) => undecided_rows(&mut page, report, undecided),
    }
    invariant_rows(&mut page, report, &report.invariants);
    page.line(&findings_line(report, strict));
    page.text
}

/// What to try if a limit was reached.
pub(super) fn hint(report: &Report<'_>) -> Option<&'static str> {
    match &report.verdict {
        Verdict::Undecided(Undecided { limit: Limit::Markings { .. }, .. }) => {
            Some("raise --max-states")
        }
        Verdict::Undecided(Undecided { limit: Limit::Memory { .. }, .. }) => {
            Some("raise --max-memory")
        }
        _ => None,
    }
}

/// Text in two columns.
#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn row(&mut self, label: &str, text: &str) {
        self.line(&format!("  {label:<12} {text}"));
    }

    fn detail(&mut self, text: &str) {
        self.row("", text);
    }
}

fn headline(report: &Report<'_>) -> String {
    let states = counted(report.explored.states as u64, "state");
    let edges = counted(report.explored.edges, "edge");
    match &report.verdict {
        Verdict::Complete(_) => format!("{states}, {edges}, explored completely"),
        Verdict::Unbounded(_) => format!("unbounded, shown after {states} and {edges}"),
        Verdict::Undecided(Undecided { limit, .. }) => {
            let limit = report.limit_text(limit);
            format!("undecided, {states} and {edges} explored until {limit}")
        }
    }
}

fn size(report: &Report<'_>) -> String {
    let places = counted(report.net.place_count() as u64, "place");
    let transitions = counted(report.net.transition_count() as u64, "transition");
    let tokens = counted(report.net.initial().total(), "token");
    format!("{places}, {transitions}, {tokens} at the start")
}

fn complete_rows(page: &mut Page, report: &Report<'_>, complete: &Complete) {
    let in_place = complete.bounds.iter().copied().max().unwrap_or(0);
    let tokens = if in_place == 1 { "token" } else { "tokens" };
    let in_marking = complete.tokens_max;
    let bounded = format!("yes, at most {in_place} {tokens} in a place, {in_marking} in a marking");
    page.row("bounded", &bounded);
    terminal_rows(page, report, "");
    dead_row(page, report);
    match &complete.recurrence {
        Ok(Recurrence { live, reversible }) => {
            page.row("live", &share(report, live));
            page.row("reversible", if *reversible { "yes" } else { "no" });
        }
        Err(why) => {
            let why = not_computed(why);
            page.row("live", &why);
            page.row("reversible", &why);
        }
    }
}

fn unbounded_rows(page: &mut Page, report: &Report<'_>, unbounded: &Unbounded) {
    let Unbounded { pump, growing, covered } = unbounded;
    let names = name_list(report.place_names(growing));
    let others = if covered.is_some() { "" } else { ", others not decided" };
    page.row("bounded", &format!("no, tokens without end in {names}{others}"));
    page.detail(&format!("first:     {}", sequence(report, &pump.prefix)));
    page.detail(&format!("repeat:    {}", sequence(report, &pump.cycle)));
    page.detail(&format!("adding to: {}", name_list(report.place_names(&pump.places))));
    match covered {
        Some(covered) => page.row("other places", &bounded_places(report, covered)),
        None => page.row("other places", "not decided, the coverability tree is too large"),
    }
    terminal_rows(page, report, " among the states explored");
    dead_row(page, report);
    page.row("live", "not computed, the net is unbounded");
    page.row("reversible", "not computed, the net is unbounded");
}

fn undecided_rows(page: &mut Page, report: &Report<'_>, undecided: &Undecided) {
    let bounded = match undecided.bounded {
        true => "yes, by the arcs alone; how many tokens was not decided",
        false => "not decided",
    };
    page.row("bounded", bounded);
    terminal_rows(page, report, " among the states explored");
    dead_row(page, report);
    page.row("live", "not decided");
    page.row("reversible", "not decided");
}

fn terminal_rows(page: &mut Page, report: &Report<'_>, among: &str) {
    let explored = &report.explored;
    let terminal = counted(explored.terminal, "marking");
    if explored.terminal == 0 {
        return page.row("terminal", &format!("{terminal}{among}"));
    }
    let deadlocks = counted(explored.deadlocks, "deadlock");
    page.row("terminal", &format!("{terminal}, {deadlocks}{among}"));
    if let Some(trace) = &explored.deadlock {
        page.detail(&format!("shortest:  {}", sequence(report, &trace.transitions)));
        page.detail(&format!("ends with: {}", marked(report, trace)));
    }
}

fn dead_row(page: &mut Page, report: &Report<'_>) {
    let unfired = counted(report.explored.unfired.len() as u64, "transition");
    match report.dead() {
        Some(dead) => page.row("dead", &share(report, dead)),
        None => page.row("dead", &format!("not decided, {unfired} not fired so far")),
    }
}

fn invariant_rows(page: &mut Page, report: &Report<'_>, invariants: &Invariants) {
    match &invariants.places {
        Ok(list) => {
            let count = match list.len() {
                0 => "no place invariant without negative weights".to_owned(),
                count => counted(count as u64, "place invariant"),
            };
            page.row("invariants", &format!("{count}, {}", coverage(report, &invariants.coverage)));
            for invariant in list.iter().take(EQUATIONS_MAX) {
                let sum = invariant.weights.display(report.net).to_string();
                page.detail(&format!("{} = {}", shown(&sum, MESSAGE_MAX), invariant.value));
            }
            if let Some(hidden) = list.len().checked_sub(EQUATIONS_MAX).filter(|&n| n > 0) {
                page.detail(&format!("and {hidden} more (--json lists all)"));
            }
        }
        Err(why) => {
            let covered = coverage(report, &invariants.coverage);
            page.row("invariants", &format!("place invariants not listed: {why}; {covered}"));
        }
    }
    match &invariants.transitions {
        Ok(basis) => {
            let count = counted(basis.len() as u64, "independent transition invariant");
            page.detail(&count);
        }
        Err(why) => page.detail(&format!("transition invariants not computed: {why}")),
    }
}

/// Which places invariants without negative weights bound.
fn coverage(report: &Report<'_>, coverage: &Coverage) -> String {
    match coverage {
        Coverage::Known(uncovered) if uncovered.is_empty() => "every place is covered".to_owned(),
        Coverage::Known(uncovered) if uncovered.len() == report.net.place_count() => {
            "no place is covered".to_owned()
        }
        Coverage::Known(uncovered) => {
            format!("not covered: {}", name_list(report.place_names(uncovered)))
        }
        Coverage::Undecided(why) => format!("coverage of places: {why}"),
    }
}

/// Some of the net's transitions: none, all, or which.
fn share(report: &Report<'_>, transitions: &[TransitionId]) -> String {
    let all = report.net.transition_count();
    match transitions.len() {
        0 => "no transition".to_owned(),
        count if count == all => format!("every transition ({all})"),
        count => {
            let names = name_list(report.transition_names(transitions));
            format!("{count} of {all} transitions: {names}")
        }
    }
}

fn bounded_places(report: &Report<'_>, covered: &Covered) -> String {
    let places = report.net.places().zip(&covered.bounds);
    let bounded: Vec<String> = places
        .filter_map(|(place, bound)| bound.map(|bound| (place, bound)))
        .map(|(place, bound)| {
            format!("{} at most {bound}", shown(report.net.place_name(place), NAME_MAX))
        })
        .collect();
    match bounded.is_empty() {
        true => "none".to_owned(),
        false => listed_phrases(&bounded),
    }
}

fn marked(report: &Report<'_>, trace: &Trace) -> String {
    let tokens = report.net.places().zip(trace.marking.iter());
    let marked: Vec<String> = tokens
        .filter(|&(_, &tokens)| tokens > 0)
        .map(|(place, tokens)| {
            format!("{}:{tokens}", shown(report.net.place_name(place), NAME_MAX))
        })
        .collect();
    match marked.is_empty() {
        true => "no token anywhere".to_owned(),
        false => listed_phrases(&marked),
    }
}

/// Names of places or transitions.
fn name_list<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let all = if names.len() > NAMES_MAX { " (--json lists all)" } else { "" };
    listed(names, NAMES_MAX) + all
}

/// Phrases whose names are already fit to be shown.
fn listed_phrases(phrases: &[String]) -> String {
    let hidden = phrases.len().saturating_sub(NAMES_MAX);
    let list = phrases.get(..NAMES_MAX).unwrap_or(phrases).join(", ");
    if hidden == 0 { list } else { format!("{list} and {hidden} more (--json lists all)") }
}

/// A firing sequence; the middle of a long one is left out.
fn sequence(report: &Report<'_>, transitions: &[TransitionId]) -> String {
    let name = |name| shown(name, NAME_MAX);
    let names: Vec<String> = report.transition_names(transitions).map(name).collect();
    let shown_max = STEPS_FIRST.saturating_add(STEPS_LAST);
    let hidden = names.len().saturating_sub(shown_max);
    match names.len() {
        0 => "(start)".to_owned(),
        _ if hidden == 0 => names.join(" → "),
        len => {
            let first = names.get(..STEPS_FIRST).unwrap_or_default().join(" → ");
            let last = names.get(len.saturating_sub(STEPS_LAST)..).unwrap_or_default().join(" → ");
            format!("{first} → … {hidden} more … → {last}")
        }
    }
}

fn not_computed(why: &NotComputed) -> String {
    match why {
        NotComputed::Edges { edges_max } => {
            format!("not computed above {edges_max} edges unless asked with --liveness")
        }
        NotComputed::Impossible => format!("not computed, more than {} edges", u32::MAX),
    }
}

fn findings_line(report: &Report<'_>, strict: bool) -> String {
    let findings = report.findings();
    if findings.is_empty() {
        return "findings: none".to_owned();
    }
    let kinds: Vec<&str> = findings.iter().map(|finding| finding.kind.words()).collect();
    let exit = if strict { "" } else { " (exit 1 with --strict)" };
    format!("findings: {}, {}{exit}", findings.len(), kinds.join(" and "))
}
