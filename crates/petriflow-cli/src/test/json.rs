//! The report for a program.

use serde_json::{Value, json};

use super::Tested;

pub(crate) fn render(tested: &[Tested]) -> String {
    let runs = || tested.iter().flat_map(|one| &one.report.runs);
    let failed = runs().filter(|run| run.failure.is_some()).count();
    let files: Vec<Value> = tested.iter().map(file).collect();
    let report =
        json!({ "version": 1, "scenarios": runs().count(), "failed": failed, "files": files });
    format!("{report:#}\n")
}

fn file(tested: &Tested) -> Value {
    let scenarios = tested.report.runs.iter().map(|run| {
        let failure = run.failure.as_ref().map(|failure| {
            let reasons = failure.reasons.iter().map(|(message, source)| {
                json!({
                    "message": message,
                    "rule": source.as_ref().map(|source| &source.text),
                    "file": source.as_ref().map(|source| &source.file),
                    "line": source.as_ref().map(|source| source.line),
                })
            });
            json!({
                "line": failure.line,
                "expected": failure.expected,
                "got": failure.got,
                "reasons": reasons.collect::<Vec<_>>(),
            })
        });
        let trace = run.trace.iter().map(|step| {
            json!({
                "line": step.line,
                "step": tested.file.line(step.line).trim(),
                "outcome": step.outcome,
            })
        });
        json!({
            "name": run.name,
            "line": run.line,
            "passed": run.failure.is_none(),
            "trace": trace.collect::<Vec<_>>(),
            "failure": failure,
        })
    });
    let coverage = tested.report.coverage.rules.iter().map(|rule| {
        json!({
            "net": rule.net,
            "rule": rule.rule,
            "file": rule.file,
            "line": rule.line,
            "refused": rule.refused,
            "fired": rule.fired.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
        })
    });
    json!({
        "file": tested.file.name,
        "scenarios": scenarios.collect::<Vec<_>>(),
        "coverage": coverage.collect::<Vec<_>>(),
    })
}
