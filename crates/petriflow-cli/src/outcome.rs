//! What a command leaves behind: output, messages and the exit code.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

/// The exit codes of every command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Done; with `--strict` also: nothing was found.
    Clean = 0,
    /// Something was found, and `--strict` asked to be told so.
    Findings = 1,
    /// Could not do it: bad usage, an unreadable or malformed file, or a bug.
    Failed = 2,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// The result of a command as values; [`deliver`](Outcome::deliver) writes them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) exit: Exit,
}

impl Outcome {
    /// Output and nothing to add.
    pub(crate) fn output(stdout: String, exit: Exit) -> Self {
        Self { stdout, stderr: String::new(), exit }
    }

    /// The argument parser's word: help and version go to standard output, complaints do not.
    pub(crate) fn usage(error: &clap::Error) -> Self {
        let text = error.render().to_string();
        if error.use_stderr() {
            Self { stdout: String::new(), stderr: text, exit: Exit::Failed }
        } else {
            Self::output(text, Exit::Clean)
        }
    }

    /// Writes everything and gives the exit code.
    pub(crate) fn deliver(self) -> Exit {
        // Nobody is left to tell if standard error is gone as well.
        let _ = io::stderr().write_all(self.stderr.as_bytes());
        let mut stdout = io::stdout().lock();
        match stdout.write_all(self.stdout.as_bytes()).and_then(|()| stdout.flush()) {
            Ok(()) => self.exit,
            // The reader, such as `head`, has seen enough. The exit code stays: under `pipefail`, a
            // 0 here would hide findings.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => self.exit,
            Err(error) => {
                let _ = writeln!(io::stderr(), "error: cannot write to standard output: {error}");
                Exit::Failed
            }
        }
    }
}

/// A report as JSON. Its types are structs, so that the order of its fields does not depend on how a
/// library was built.
pub(crate) fn json(report: &impl serde::Serialize) -> String {
    match serde_json::to_string_pretty(report) {
        Ok(text) => text + "\n",
        // Only maps with other keys than texts and floats that are no numbers fail.
        Err(error) => format!("{{\"error\": \"{error}\"}}\n"),
    }
}

/// Why a command could not do its work: at least one problem, and perhaps what to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    problems: Vec<String>,
    hint: Option<&'static str>,
}

impl Failure {
    /// More problems than this are counted rather than shown.
    const PROBLEMS_SHOWN_MAX: usize = 20;

    pub(crate) fn new(problem: String) -> Self {
        Self { problems: vec![problem], hint: None }
    }

    /// All problems of one file. The caller has at least one.
    pub(crate) fn all(problems: Vec<String>) -> Self {
        Self { problems, hint: None }
    }

    pub(crate) fn hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }
}

impl From<petriflow_sqlite::StoreError> for Failure {
    /// Its words say what to do.
    fn from(error: petriflow_sqlite::StoreError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Self {
        let mut stderr = String::new();
        for problem in failure.problems.iter().take(Failure::PROBLEMS_SHOWN_MAX) {
            stderr.push_str(&format!("error: {problem}\n"));
        }
        let hidden = failure.problems.len().saturating_sub(Failure::PROBLEMS_SHOWN_MAX);
        if hidden > 0 {
            stderr.push_str(&format!("and {hidden} more\n"));
        }
        if let Some(hint) = failure.hint {
            stderr.push_str(&format!("hint: {hint}\n"));
        }
        Self { stdout: String::new(), stderr, exit: Exit::Failed }
    }
}
