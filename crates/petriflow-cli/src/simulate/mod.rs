//! `petriflow simulate`: calls tried against rules, one line at a time.

mod human;
mod jsonl;
mod state;

use std::io::{self, BufRead, ErrorKind, IsTerminal, Write};

use crate::args::SimulateArgs;
use crate::outcome::{Exit, Failure, Outcome};
use crate::rules;
use crate::style::Style;

pub(crate) use human::show;
pub(crate) use state::describe;

/// The command.
pub(crate) fn run(args: &SimulateArgs) -> Outcome {
    if args.files.iter().any(|file| file.as_os_str() == "-") {
        return Failure::new("the calls are on standard input, so the rules cannot be".into())
            .hint("name a file of rules")
            .into();
    }
    let rules = match rules::load(&args.files) {
        Ok(rules) => rules,
        Err(outcome) => return outcome,
    };
    let policy = match rules.policy() {
        Ok(policy) => policy,
        Err(error) => return Failure::new(error.to_string()).into(),
    };
    let stdin = io::stdin().lock();
    let mut stdout = io::stdout().lock();
    let played = if args.jsonl {
        jsonl::play(&policy, stdin, &mut stdout)
    } else {
        let is_terminal = io::stdin().is_terminal();
        human::play(&policy, stdin, &mut stdout, is_terminal, Style::of_stdout())
    };
    match played.and_then(|()| stdout.flush()) {
        Ok(()) => Outcome::output(String::new(), Exit::Clean),
        // Whoever read the answers has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            Outcome::output(String::new(), Exit::Clean)
        }
        Err(error) => Failure::new(format!("cannot go on: {error}")).into(),
    }
}

/// Bytes of one line. A longer one is not read into memory, but skipped and reported.
const LINE_MAX: usize = 64 << 20;

/// Reads the next line without its end; `None` at the end of the input.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Result<String, &'static str>>> {
    let mut line = Vec::new();
    let limit = LINE_MAX.saturating_add(1) as u64;
    let read = io::Read::take(&mut *input, limit).read_until(b'\n', &mut line)?;
    if read == 0 {
        return Ok(None);
    }
    if line.len() > LINE_MAX && !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
        return Ok(Some(Err("the line is too long")));
    }
    while line.ends_with(b"\n") || line.ends_with(b"\r") {
        line.pop();
    }
    Ok(Some(String::from_utf8(line).map_err(|_| "the line is not UTF-8 text")))
}
