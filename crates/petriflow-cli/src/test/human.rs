//! The report for a person.

use petriflow::rules::SourceFile;
use petriflow::rules::scenarios::{Coverage, Failure, Run};

use super::Tested;
use crate::style::Style;
use crate::text;

pub(crate) fn render(tested: &[Tested], coverage: bool, style: Style) -> String {
    let mut out = String::new();
    for Tested { file, report } in tested {
        out.push_str(&format!("{}\n", file.name));
        for run in &report.runs {
            out.push_str(&render_run(file, run, style));
        }
        if coverage {
            out.push_str(&render_coverage(&report.coverage, style));
        }
    }
    let runs = || tested.iter().flat_map(|one| &one.report.runs);
    let failed = runs().filter(|run| run.failure.is_some()).count() as u64;
    let scenarios = text::counted(runs().count() as u64, "scenario");
    let verdict = match failed {
        0 => style.good("all passed"),
        failed => style.bad(&format!("{failed} failed")),
    };
    out.push_str(&format!("{scenarios}, {verdict}\n"));
    out
}

fn render_run(file: &SourceFile, run: &Run, style: Style) -> String {
    let name = text::shown(&run.name, text::MESSAGE_MAX);
    let Some(failure) = &run.failure else { return format!("  {}    {name}\n", style.good("ok")) };
    let mut out =
        format!("  {}  {name} {}\n", style.bad("FAIL"), style.faint(&place(file, failure.line)));
    let shown = |line: u32| text::shown(file.line(line).trim(), text::MESSAGE_MAX);
    for step in &run.trace {
        let (line, outcome) = (step.line, text::shown(&step.outcome, text::MESSAGE_MAX));
        out.push_str(&format!("    {line:>4} | {}\n", shown(line)));
        if step.line == failure.line {
            out.push_str(&render_failure(failure, style));
        } else {
            out.push_str(&style.faint(&format!("         {outcome}")));
            out.push('\n');
        }
    }
    out
}

fn render_failure(failure: &Failure, style: Style) -> String {
    let mut out = format!("         {} {}\n", style.bad("expected"), failure.expected);
    let got = text::shown(&failure.got, text::MESSAGE_MAX);
    out.push_str(&format!("         {}      {got}\n", style.bad("got")));
    for (message, source) in &failure.reasons {
        let source = source.as_ref().map(|s| format!(" ({}:{}: {})", s.file, s.line, s.text));
        let message = text::shown(message, text::MESSAGE_MAX);
        out.push_str(&format!("         because  {message}{}\n", source.unwrap_or_default()));
    }
    out
}

fn place(file: &SourceFile, line: u32) -> String {
    format!("({}:{line})", file.name)
}

fn render_coverage(coverage: &Coverage, style: Style) -> String {
    let rules = coverage.rules.len();
    let refusing = coverage.rules.iter().filter(|rule| rule.refused > 0).count();
    let transitions: usize = coverage.rules.iter().map(|rule| rule.fired.len()).sum();
    let unfired: usize = coverage.rules.iter().map(|rule| rule.unfired().count()).sum();
    let fired = transitions.saturating_sub(unfired);
    let mut out = format!(
        "  coverage: {refusing} of {rules} rules refused or asked, {fired} of {transitions} transitions fired\n"
    );
    for rule in &coverage.rules {
        let place = format!("{}:{}", rule.file, rule.line);
        if rule.is_untouched() {
            out.push_str(&format!(
                "    {} `{}` ({place})\n",
                style.bad("never exercised"),
                rule.rule
            ));
            continue;
        }
        if rule.refused == 0 {
            out.push_str(&format!(
                "    {}   `{}` ({place})\n",
                style.ask("never refused"),
                rule.rule
            ));
        }
        let unfired: Vec<&str> = rule.unfired().collect();
        if !unfired.is_empty() {
            let unfired = unfired.join(", ");
            out.push_str(&format!(
                "    {}     {unfired} of `{}` ({place})\n",
                style.ask("never fired"),
                rule.rule
            ));
        }
    }
    out
}
