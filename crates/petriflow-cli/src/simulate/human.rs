//! Lines that a person writes, and answers for a person.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::sync::Arc;

use petriflow::gate::{Decision, Policy};
use petriflow::rules::scenarios::{Played, Player, Step};

use super::{describe, next_line};
use crate::style::Style;
use crate::text;

/// Answers lines until the input ends.
pub(crate) fn play(
    policy: &Arc<Policy>,
    mut input: impl BufRead,
    output: &mut impl Write,
    is_terminal: bool,
    style: Style,
) -> io::Result<()> {
    let mut player = Player::new(policy);
    if is_terminal {
        let nets = text::counted(policy.nets().len() as u64, "rule");
        writeln!(
            output,
            "{nets}; a line is a call, such as `delete` or `backup fails`; :help tells more"
        )?;
    }
    loop {
        if is_terminal {
            write!(output, "> ")?;
            output.flush()?;
        }
        let line = match next_line(&mut input)? {
            None => return Ok(()),
            Some(Ok(line)) => line,
            Some(Err(problem)) => {
                writeln!(output, "  {} {problem}", style.bad("error"))?;
                continue;
            }
        };
        let line = line.trim();
        if !is_terminal && !line.is_empty() {
            writeln!(output, "> {}", text::shown(line, text::MESSAGE_MAX))?;
        }
        match line {
            "" => {}
            comment if comment.starts_with('#') => {}
            ":quit" | ":q" | ":exit" => return Ok(()),
            ":reset" => {
                player = Player::new(policy);
                writeln!(output, "  a fresh session")?;
            }
            ":status" => output.write_all(status(&player).as_bytes())?,
            ":help" => output.write_all(HELP.as_bytes())?,
            command if command.starts_with(':') => {
                writeln!(
                    output,
                    "  {} there is no such command; :help lists them",
                    style.bad("error")
                )?;
            }
            call => match Step::parse(call) {
                Ok(step) => {
                    let played = player.play(&step);
                    output.write_all(show(&step, &played, &player, style).as_bytes())?;
                }
                Err(error) => {
                    let message = text::shown(&error.message, text::MESSAGE_MAX);
                    writeln!(output, "  {} {message}; {}", style.bad("error"), error.help)?;
                }
            },
        }
        output.flush()?;
    }
}

const HELP: &str = "  delete                          a call that succeeds if it is allowed
  backup fails                    a call that fails
  bash {\"command\": \"rm -rf x\"}   a call with its input
  deploy approved                 a person says yes if asked (or: rejected)
  begin b1 backup                 a call that goes on until `end b1` (or: end b1 fails)
  :status                         where every rule stands
  :reset                          begin anew
  :quit
";

fn status(player: &Player) -> String {
    let session = player.session();
    let line = |net: &petriflow::gate::SkillNet| {
        let marking = session.marking(net.name())?;
        Some(format!("  {}: {}\n", net.name(), describe(net, &marking)))
    };
    session.policy().nets().iter().filter_map(line).collect()
}

/// The decision and its reasons, what fired, and where the rules concerned stand now.
pub(crate) fn show(step: &Step, played: &Played, player: &Player, style: Style) -> String {
    let mut lines: Vec<String> = Vec::new();
    let refusal = played.decision.as_ref().and_then(Decision::refusal);
    let reasons = refusal.map(|refusal| refusal.reasons.as_slice()).unwrap_or_default();
    let word = match (&played.decision, &played.mistake) {
        (_, Some(mistake)) => {
            lines.push(mistake.clone());
            style.bad("error  ")
        }
        (None, None) => {
            lines.push(ended(step).into());
            style.good("ended  ")
        }
        (Some(Decision::Allowed), None) => {
            lines.push(how(step, played.asked.is_some()));
            style.good("allowed")
        }
        (Some(_), None) if played.outcome() == "asks" => {
            lines.push("a person must approve it, and nobody did".into());
            style.ask("asks   ")
        }
        (Some(_), None) => style.bad("blocked"),
    };
    let mut told: BTreeSet<&str> = BTreeSet::new();
    for reason in reasons {
        lines.push(text::shown(&reason.message, text::MESSAGE_MAX));
        lines.extend(reason.part.as_ref().map(|part| text::shown(part, text::MESSAGE_MAX)));
        let Some(net) = reason.net.as_deref().filter(|net| told.insert(net)) else { continue };
        lines.extend(standing(player, net, &[], style));
    }
    for net in played.moved.iter().map(|moved| moved.net.as_str()) {
        if told.insert(net) {
            let fired = played.moved.iter().filter(|moved| moved.net == net);
            let fired: Vec<&str> = fired.map(|moved| moved.transition.as_str()).collect();
            lines.extend(standing(player, net, &fired, style));
        }
    }
    let mut out = String::new();
    for (at, line) in lines.iter().enumerate() {
        let before = if at == 0 { word.as_str() } else { "       " };
        out.push_str(&format!("  {before}  {line}\n"));
    }
    out
}

/// A rule's place and text, which of its transitions fired, and where it stands now.
fn standing(player: &Player, net: &str, fired: &[&str], style: Style) -> Option<String> {
    let marking = player.session().marking(net)?;
    let net = player.session().policy().nets().iter().find(|candidate| candidate.name() == net)?;
    let source = net.rule().and_then(|rule| rule.source.as_ref());
    let rule = match source {
        Some(source) => format!("{}:{}: {}", source.file, source.line, source.text),
        None => net.name().to_owned(),
    };
    let fired =
        if fired.is_empty() { String::new() } else { format!("`{}` fired, ", fired.join("`, `")) };
    Some(style.faint(&format!("{rule} [{fired}{}]", describe(net, &marking))))
}

fn ended(step: &Step) -> &'static str {
    match step {
        Step::End { fails: true, .. } => "it failed",
        Step::End { .. } | Step::Call(_) => "it succeeded",
    }
}

fn how(step: &Step, was_asked: bool) -> String {
    let Step::Call(call) = step else { return String::new() };
    let approved = if was_asked { "a person approved; " } else { "" };
    let result = match (&call.begun_as, call.fails) {
        (Some(id), _) => format!("it goes on until `end {id}`"),
        (None, true) => "it failed".into(),
        (None, false) => "it succeeded".into(),
    };
    format!("{approved}{result}")
}
