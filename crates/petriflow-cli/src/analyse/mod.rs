//! `petriflow analyse`: load a net or a workflow, explore it, and render what was found.

mod human;
mod json;
mod load;
mod progress;
mod report;
mod study;
mod workflow;

use petriflow_net::formats::{dot, mermaid};

use crate::args::AnalyseArgs;
use crate::outcome::{Exit, Failure, Outcome};

/// The command.
pub(crate) fn run(args: &AnalyseArgs) -> Outcome {
    analyse(args).unwrap_or_else(Outcome::from)
}

fn analyse(args: &AnalyseArgs) -> Result<Outcome, Failure> {
    let bytes = load::read(&args.file)?;
    if workflow::is_workflow(&args.file, &bytes) {
        return workflow::run(args, &bytes);
    }
    let document = load::net(&args.file, &bytes)?;
    if args.dot {
        return Ok(Outcome::output(dot::write(&document.net), Exit::Clean));
    }
    if args.mermaid {
        return Ok(Outcome::output(mermaid::write(&document.net), Exit::Clean));
    }
    let report = study::study(&document, args);
    let exit = match report.findings().is_empty() || !args.strict {
        true => Exit::Clean,
        false => Exit::Findings,
    };
    if args.json {
        return Ok(Outcome::output(json::render(&report)?, exit));
    }
    let stdout = human::render(&report, &load::source(&args.file), args.strict);
    let stderr = human::hint(&report).map_or(String::new(), |hint| format!("hint: {hint}\n"));
    Ok(Outcome { stdout, stderr, exit })
}
