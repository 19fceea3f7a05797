//! `petriflow test`: the scenarios of policies.

mod human;
mod json;
mod junit;

use std::fs;
use std::path::{Path, PathBuf};

use petriflow::rules::SourceFile;
use petriflow::rules::scenarios::{Report, Suite, run as run_suite};

use crate::args::{TestArgs, TestFormat};
use crate::outcome::{Exit, Failure, Outcome};
use crate::rules;
use crate::style::Style;

/// The scenarios of one file and what came of them.
pub(crate) struct Tested {
    pub(crate) file: SourceFile,
    pub(crate) report: Report,
}

/// The command.
pub(crate) fn run(args: &TestArgs) -> Outcome {
    let paths = match scenario_files(&args.paths) {
        Ok(paths) => paths,
        Err(failure) => return failure.into(),
    };
    let mut tested = Vec::new();
    for path in &paths {
        match test_file(path, args.filter.as_deref()) {
            Ok(one) => tested.push(one),
            Err(outcome) => return outcome,
        }
    }
    if tested.iter().all(|one| one.report.runs.is_empty()) {
        let failure = Failure::new("no scenario was run".into());
        return match args.filter {
            Some(_) => failure.hint("no name has what --filter asks for").into(),
            None => failure.hint("write `scenario WHAT IT SHOWS` and calls under it").into(),
        };
    }
    let failed = tested.iter().any(|one| one.report.runs.iter().any(|run| run.failure.is_some()));
    let stdout = match args.format {
        TestFormat::Human => human::render(&tested, args.coverage, Style::of_stdout()),
        TestFormat::Json => json::render(&tested),
        TestFormat::Junit => junit::render(&tested),
    };
    Outcome::output(stdout, if failed { Exit::Findings } else { Exit::Clean })
}

fn test_file(path: &Path, filter: Option<&str>) -> Result<Tested, Outcome> {
    let files = rules::read(&[path.to_owned()])?;
    let Some(file) = files.into_iter().next() else {
        return Err(Failure::new(format!("cannot read {}", rules::name(path))).into());
    };
    let mut suite = Suite::parse(&file);
    let rules_files = rules_of(path, &suite);
    let rules = rules::load(&rules_files)?;
    let mut problems = std::mem::take(&mut suite.problems);
    problems.extend(suite.check(&file, &rules));
    if !problems.is_empty() {
        let style = Style::of_stderr();
        let stderr = rules::render(&problems, std::slice::from_ref(&file), style);
        return Err(Outcome { stdout: String::new(), stderr, exit: Exit::Failed });
    }
    suite.scenarios.retain(|s| filter.is_none_or(|filter| s.name.contains(filter)));
    let report = run_suite(&suite, &rules);
    let report = report.map_err(|error| Outcome::from(Failure::new(error.to_string())))?;
    Ok(Tested { file, report })
}

/// The rules files named in the scenarios, or the one of the same name beside them.
fn rules_of(path: &Path, suite: &Suite) -> Vec<PathBuf> {
    if suite.rules.is_empty() {
        return vec![path.with_extension("rules")];
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    suite.rules.iter().map(|name| folder.join(name)).collect()
}

/// The files given, and those in folders given, in order.
fn scenario_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = files.len();
            search(path, 0, &mut files)?;
            if files.len() == before {
                let shown = rules::name(path);
                return Err(Failure::new(format!("there are no .scenarios files in {shown}"))
                    .hint("write NAME.scenarios beside NAME.rules; docs/rules.md tells how"));
            }
        } else {
            files.push(path.clone());
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

/// Folders in folders that are searched.
const DEPTH_MAX: u32 = 32;

fn search(folder: &Path, depth: u32, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(format!("cannot search {}: {error}", rules::name(folder)))
    };
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let kind = entry.file_type().map_err(failed)?;
        let path = entry.path();
        let name = entry.file_name();
        let is_hidden = name.to_string_lossy().starts_with('.');
        // What builds and package managers leave behind is large and holds no policies.
        let is_output = ["target", "node_modules"].iter().any(|output| name == *output);
        if kind.is_dir() && !is_hidden && !is_output && depth < DEPTH_MAX {
            search(&path, depth.saturating_add(1), files)?;
        } else if path.extension().is_some_and(|extension| extension == "scenarios")
            && !kind.is_dir()
        {
            // `./x` is shown as `x`.
            files.push(path.strip_prefix(".").map(Path::to_owned).unwrap_or(path));
        }
    }
    Ok(())
}
