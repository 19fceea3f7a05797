//! The `petriflow` command.
//!
//! A command is a function from its arguments to an [`Outcome`](outcome::Outcome): text for
//! standard output, text for standard error, and the exit code. Writing them happens in one place;
//! only `simulate` and `audit export`, which write while they read, do it themselves.

mod analyse;
mod args;
mod audit;
mod completions;
mod draw;
mod hook;
mod outcome;
mod panics;
mod rules;
mod sessions;
mod setup;
mod shell;
mod simulate;
mod style;
mod test;
mod text;
mod when;

use std::process::ExitCode;

use args::{Args, Command};
use clap::Parser;
use outcome::Outcome;

fn main() -> ExitCode {
    panics::contained(run).deliver().into()
}

fn run() -> Outcome {
    let command = match Args::try_parse() {
        Ok(Args { command }) => command,
        Err(error) => return Outcome::usage(&error),
    };
    match command {
        Command::Demo(args) => rules::demo::run(&args),
        Command::Check(args) => rules::check::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Fmt(args) => rules::fmt::run(&args),
        Command::Draw(args) => rules::draw::run(&args),
        Command::Explain(args) => rules::explain::run(&args),
        Command::Shell(args) => shell::run(&args),
        Command::Init(args) => setup::init::run(&args),
        Command::Doctor(args) => setup::doctor::run(&args),
        Command::Uninstall(args) => setup::uninstall::run(&args),
        Command::Hook(args) => hook::run(&args),
        Command::Status(args) => sessions::status::run(&args),
        Command::Sessions(args) => sessions::list::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Approve(args) => sessions::answers::approve(&args),
        Command::Deny(args) => sessions::answers::deny(&args),
        Command::Trust(args) => sessions::trust::run(&args),
        Command::Analyse(args) => analyse::run(&args),
        Command::Completions(args) => completions::run(&args),
    }
}
