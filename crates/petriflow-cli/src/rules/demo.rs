//! `petriflow demo`: a scripted agent goes through the real gate.

use petriflow::rules::scenarios::{Player, Step};
use petriflow::rules::{SourceFile, compile};

use crate::args::DemoArgs;
use crate::outcome::{Exit, Failure, Outcome};
use crate::simulate::show;
use crate::style::Style;
use crate::text;

const RULES: &str = include_str!("../../demo/demo.rules");
const SESSION: &str = include_str!("../../demo/demo.session");

/// The command.
pub(crate) fn run(args: &DemoArgs) -> Outcome {
    if args.rules {
        return Outcome::output(RULES.into(), Exit::Clean);
    }
    play().unwrap_or_else(Outcome::from)
}

fn play() -> Result<Outcome, Failure> {
    let style = Style::of_stdout();
    let failure = |error: &dyn std::fmt::Display| Failure::new(error.to_string());
    let files = [SourceFile::new("demo.rules", RULES)];
    let rules = compile(&files).map_err(|error| failure(&error))?;
    let policy = rules.policy().map_err(|error| failure(&error))?;
    let states = rules.nets.iter().map(|rule| rule.verified.states).fold(0, u64::saturating_add);

    let mut out =
        String::from("An agent is to clean up a server and ship a release, under these rules:\n\n");
    for line in RULES.lines().filter(|line| !line.starts_with('#')) {
        out.push_str(format!("    {line}").trim_end());
        out.push('\n');
    }
    let nets = text::counted(rules.nets.len() as u64, "net");
    out.push_str(&format!("\nThey are {nets}, and all of their {states} states were looked at.\n"));
    let mut player = Player::new(&policy);
    for line in SESSION.lines() {
        if let Some(told) = line.strip_prefix('#') {
            out.push_str(&format!("\n{}\n", style.bold(told.trim())));
        } else if !line.trim().is_empty() {
            let step = Step::parse(line).map_err(|error| failure(&error.message))?;
            let played = player.play(&step);
            out.push_str(&format!("> {line}\n"));
            out.push_str(&show(&step, &played, &player, style));
        }
    }
    out.push_str("\nNow with rules of your own:\n\n");
    out.push_str("    petriflow demo --rules > safety.rules   # or write them yourself\n");
    out.push_str("    petriflow check safety.rules\n");
    out.push_str("    petriflow simulate safety.rules\n");
    Ok(Outcome::output(out, Exit::Clean))
}
