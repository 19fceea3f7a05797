//! `petriflow completions`.

use clap::CommandFactory;

use crate::args::{Args, CompletionsArgs};
use crate::outcome::{Exit, Outcome};

/// The command.
pub(crate) fn run(args: &CompletionsArgs) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "petriflow", &mut script);
    Outcome::output(String::from_utf8_lossy(&script).into_owned(), Exit::Clean)
}
