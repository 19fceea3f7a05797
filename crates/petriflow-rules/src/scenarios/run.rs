//! Runs the scenarios of a file.

use petriflow_gate::{Decision, PolicyError};

use super::coverage::{Counts, Coverage};
use super::player::{Played, Player};
use super::step::{Expectation, Step};
use super::suite::{Scenario, Suite};
use crate::RuleSet;

/// What came of a file of scenarios.
#[derive(Debug)]
pub struct Report {
    /// One entry for every scenario, in order.
    pub runs: Vec<Run>,
    /// What they exercised.
    pub coverage: Coverage,
}

/// What came of one scenario.
#[derive(Debug)]
pub struct Run {
    /// The scenario's name.
    pub name: String,
    /// Its line.
    pub line: u32,
    /// What happened, up to the failure if there is one.
    pub trace: Vec<Trace>,
    /// What was not as expected.
    pub failure: Option<Failure>,
}

/// One step of a run.
#[derive(Debug)]
pub struct Trace {
    /// The line.
    pub line: u32,
    /// What came of it.
    pub outcome: String,
}

/// A step that did not go as expected. The scenario ends there.
#[derive(Debug)]
pub struct Failure {
    /// The line.
    pub line: u32,
    /// What should have come of it.
    pub expected: String,
    /// What did.
    pub got: String,
    /// The messages of the rules that refused, each with its rule's text, file and line.
    pub reasons: Vec<(String, Option<petriflow_gate::Source>)>,
}

/// Runs all scenarios, each in a fresh session.
///
/// # Errors
/// If the rules make no policy.
pub fn run(suite: &Suite, rules: &RuleSet) -> Result<Report, PolicyError> {
    let policy = rules.policy()?;
    let mut counts = Counts::default();
    let mut runs = Vec::with_capacity(suite.scenarios.len());
    for scenario in &suite.scenarios {
        runs.push(run_one(scenario, Player::new(&policy), &mut counts));
    }
    Ok(Report { runs, coverage: counts.report(rules) })
}

fn run_one(scenario: &Scenario, mut player: Player, counts: &mut Counts) -> Run {
    let mut run =
        Run { name: scenario.name.clone(), line: scenario.line, trace: Vec::new(), failure: None };
    for (line, step) in &scenario.steps {
        let played = player.play(step);
        counts.add(&played);
        run.trace.push(Trace { line: *line, outcome: played.outcome() });
        run.failure = failure(*line, step, &played);
        if run.failure.is_some() {
            break;
        }
    }
    run
}

fn failure(line: u32, step: &Step, played: &Played) -> Option<Failure> {
    let expected: Option<&Expectation> = match step {
        Step::Call(call) => call.expected.as_ref(),
        Step::End { .. } => None,
    };
    let failed = match (&played.mistake, expected) {
        (Some(_), _) => true,
        (None, Some(expected)) => !played.fits(expected),
        (None, None) => false,
    };
    if !failed {
        return None;
    }
    let reasons = match &played.decision {
        Some(Decision::Blocked(refusal)) => refusal
            .reasons
            .iter()
            .map(|reason| {
                let source = reason.rule.as_ref().and_then(|rule| rule.source.clone());
                (reason.message.clone(), source)
            })
            .collect(),
        _ => Vec::new(),
    };
    let expected = expected.map_or_else(|| "the call to end".to_owned(), ToString::to_string);
    Some(Failure { line, expected, got: played.outcome(), reasons })
}
