//! The report for a program.

use std::collections::BTreeMap;

use petriflow::rules::scenarios::{Failure, RuleCoverage, Run};
use serde::Serialize;

use super::Tested;
use crate::outcome;

#[derive(Serialize)]
struct Report<'r> {
    version: u32,
    scenarios: usize,
    failed: usize,
    files: Vec<File<'r>>,
}

#[derive(Serialize)]
struct File<'r> {
    file: &'r str,
    scenarios: Vec<Scenario<'r>>,
    coverage: Vec<Covered<'r>>,
}

#[derive(Serialize)]
struct Scenario<'r> {
    name: &'r str,
    line: u32,
    passed: bool,
    trace: Vec<Step<'r>>,
    failure: Option<Failed<'r>>,
}

#[derive(Serialize)]
struct Step<'r> {
    line: u32,
    step: &'r str,
    outcome: &'r str,
}

#[derive(Serialize)]
struct Failed<'r> {
    line: u32,
    expected: &'r str,
    got: &'r str,
    reasons: Vec<Reason<'r>>,
}

#[derive(Serialize)]
struct Reason<'r> {
    message: &'r str,
    rule: Option<&'r str>,
    file: Option<&'r str>,
    line: Option<u32>,
}

#[derive(Serialize)]
struct Covered<'r> {
    net: &'r str,
    rule: &'r str,
    file: &'r str,
    line: u32,
    refused: u64,
    fired: BTreeMap<&'r str, u64>,
}

pub(crate) fn render(tested: &[Tested]) -> String {
    let runs = || tested.iter().flat_map(|one| &one.report.runs);
    outcome::json(&Report {
        version: 1,
        scenarios: runs().count(),
        failed: runs().filter(|run| run.failure.is_some()).count(),
        files: tested.iter().map(file).collect(),
    })
}

fn file(tested: &Tested) -> File<'_> {
    File {
        file: &tested.file.name,
        scenarios: tested.report.runs.iter().map(|run| scenario(tested, run)).collect(),
        coverage: tested.report.coverage.rules.iter().map(covered).collect(),
    }
}

fn scenario<'r>(tested: &'r Tested, run: &'r Run) -> Scenario<'r> {
    let trace = run.trace.iter().map(|step| Step {
        line: step.line,
        step: tested.file.line(step.line).trim(),
        outcome: &step.outcome,
    });
    Scenario {
        name: &run.name,
        line: run.line,
        passed: run.failure.is_none(),
        trace: trace.collect(),
        failure: run.failure.as_ref().map(failed),
    }
}

fn failed(failure: &Failure) -> Failed<'_> {
    let reasons = failure.reasons.iter().map(|(message, source)| Reason {
        message,
        rule: source.as_ref().map(|source| source.text.as_str()),
        file: source.as_ref().map(|source| source.file.as_str()),
        line: source.as_ref().map(|source| source.line),
    });
    Failed {
        line: failure.line,
        expected: &failure.expected,
        got: &failure.got,
        reasons: reasons.collect(),
    }
}

fn covered(rule: &RuleCoverage) -> Covered<'_> {
    Covered {
        net: &rule.net,
        rule: &rule.rule,
        file: &rule.file,
        line: rule.line,
        refused: rule.refused,
        fired: rule.fired.iter().map(|(name, count)| (name.as_str(), *count)).collect(),
    }
}
