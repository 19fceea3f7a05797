//! Workflow files: the same command, with what is asked of a workflow.

mod human;
mod json;

use std::path::Path;

use petriflow_engine::analysis::{Limits, analyse};
use petriflow_engine::{Definition, Problems};
use petriflow_net::formats::{dot, mermaid};
use serde::Deserialize;

use super::load;
use crate::args::AnalyseArgs;
use crate::outcome::{Exit, Failure, Outcome};
use crate::text::{MESSAGE_MAX, shown};

/// Whether a file holds a workflow: it is YAML, or JSON in which transitions have types.
pub(super) fn is_workflow(path: &Path, bytes: &[u8]) -> bool {
    is_yaml(path) || serde_json::from_slice(bytes).is_ok_and(|hints: Hints| hints.has_types())
}

fn is_yaml(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| matches!(extension, "yaml" | "yml"))
}

/// As much of a file as tells what it is.
#[derive(Deserialize)]
struct Hints {
    #[serde(default)]
    transitions: Vec<TransitionHints>,
}

#[derive(Deserialize)]
struct TransitionHints {
    r#type: Option<serde::de::IgnoredAny>,
}

impl Hints {
    fn has_types(&self) -> bool {
        self.transitions.iter().any(|transition| transition.r#type.is_some())
    }
}

/// Analyses the workflow in a file.
pub(super) fn run(args: &AnalyseArgs, bytes: &[u8]) -> Result<Outcome, Failure> {
    let source = load::source(&args.file);
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Failure::new(format!("{source}: only UTF-8 can be read")))?;
    let definition = match is_yaml(&args.file) {
        true => Definition::from_yaml(&source, text),
        false => Definition::from_json(&source, text),
    };
    let definition = definition.map_err(|problems| refused(&problems))?;
    if args.dot {
        return Ok(Outcome::output(dot::write(definition.net()), Exit::Clean));
    }
    if args.mermaid {
        return Ok(Outcome::output(mermaid::write(definition.net()), Exit::Clean));
    }
    let limits = Limits {
        states_max: args.states_max(),
        memory_max_bytes: args.memory_max_bytes(),
        threads: args.thread_count(),
        ..Limits::default()
    };
    let report = analyse(&definition, &limits);
    let warnings: Vec<String> = definition
        .warnings()
        .iter()
        .map(|warning| shown(&format!("{source}:{warning}"), MESSAGE_MAX))
        .collect();
    let is_clean = report.findings().is_empty() && warnings.is_empty();
    let exit = if is_clean || !args.strict { Exit::Clean } else { Exit::Findings };
    if args.json {
        return Ok(Outcome::output(
            crate::outcome::json(&json::Page::new(&report, &warnings)),
            exit,
        ));
    }
    let stderr = warnings.iter().map(|warning| format!("warning: {warning}\n")).collect();
    Ok(Outcome { stdout: human::render(&report, warnings.len(), args.strict), stderr, exit })
}

fn refused(problems: &Problems) -> Failure {
    let lines = problems.to_string();
    Failure::all(lines.lines().map(|line| shown(line, MESSAGE_MAX)).collect())
}
