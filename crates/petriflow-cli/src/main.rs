//! The `petriflow` command.
//!
//! A command is a function from its arguments to an [`Outcome`](outcome::Outcome): text for
//! standard output, text for standard error, and the exit code. Writing them happens in one place.

mod analyse;
mod args;
mod outcome;
mod panics;
mod text;

use std::process::ExitCode;

use args::{Args, Command};
use clap::Parser;
use outcome::Outcome;

fn main() -> ExitCode {
    panics::contained(run).deliver().into()
}

fn run() -> Outcome {
    match Args::try_parse() {
        Ok(Args { command: Command::Analyse(args) }) => analyse::run(&args),
        Err(error) => Outcome::usage(&error),
    }
}
