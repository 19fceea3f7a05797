//! `petriflow draw`.

use petriflow::rules::RuleSet;
use petriflow_gate::SkillNet;

use crate::args::{DrawArgs, DrawFormat};
use crate::draw::{Format, draw};
use crate::outcome::{Exit, Failure, Outcome};
use crate::rules;
use crate::text;

/// The command.
pub(crate) fn run(args: &DrawArgs) -> Outcome {
    let rules = match rules::load(&args.files) {
        Ok(rules) => rules,
        Err(outcome) => return outcome,
    };
    match chosen(&rules, &args.rule) {
        Ok(nets) => Outcome::output(draw(&nets, format(args.format)), Exit::Clean),
        Err(failure) => failure.into(),
    }
}

fn format(format: DrawFormat) -> Format {
    match format {
        DrawFormat::Svg => Format::Svg,
        DrawFormat::Dot => Format::Dot,
        DrawFormat::Mermaid => Format::Mermaid,
    }
}

/// The nets of these names or rules, or all of them.
fn chosen<'r>(rules: &'r RuleSet, names: &[String]) -> Result<Vec<&'r SkillNet>, Failure> {
    if rules.nets.is_empty() {
        return Err(Failure::new("there are no rules to draw".into()));
    }
    if names.is_empty() {
        return Ok(rules.nets.iter().map(|rule| &rule.net).collect());
    }
    let mut nets = Vec::new();
    for name in names {
        let before = nets.len();
        let words: Vec<&str> = name.split_whitespace().collect();
        let text = words.join(" ");
        let is_it = |rule: &&petriflow::rules::RuleNet| {
            rule.net.name() == name.as_str() || rule.text() == text
        };
        nets.extend(rules.nets.iter().filter(is_it).map(|rule| &rule.net));
        if nets.len() == before {
            let shown = text::shown(name, text::NAME_MAX);
            return Err(Failure::new(format!("no rule is called `{shown}`"))
                .hint("`petriflow check` lists the nets; a rule's text can be given too"));
        }
    }
    Ok(nets)
}
