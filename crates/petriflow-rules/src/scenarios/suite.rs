//! A file of scenarios.

use std::collections::HashSet;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, SourceFile, Span, lines};
use crate::suggest;

use super::step::{Expectation, Step, StepError};

/// The scenarios of one file.
#[derive(Debug, Clone, Default)]
pub struct Suite {
    /// The rules files that are named in it, as written; the one beside it if there are none.
    pub rules: Vec<String>,
    /// In the order of the file.
    pub scenarios: Vec<Scenario>,
    /// What is wrong with the file.
    pub problems: Vec<Diagnostic>,
}

/// A named list of steps.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// What it shows.
    pub name: String,
    /// Its first line.
    pub line: u32,
    /// Its steps and their lines.
    pub steps: Vec<(u32, Step)>,
}

impl Suite {
    /// Reads a file of scenarios; what is wrong with it is in `problems`.
    pub fn parse(file: &SourceFile) -> Self {
        let mut suite = Self::default();
        for (number, line) in (1_u32..).zip(lines(&file.text)) {
            let text = line.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            if let Err(error) = suite.add_line(number, line) {
                suite.problems.push(diagnostic(number, line, &error));
            }
        }
        suite
    }

    fn add_line(&mut self, number: u32, line: &str) -> Result<(), StepError> {
        let is_indented = line.starts_with(char::is_whitespace);
        let error = |message: &str, help: &str| StepError {
            at: line.len().saturating_sub(line.trim_start().len()),
            message: message.into(),
            help: help.into(),
        };
        let (word, rest) = line.trim().split_once([' ', '\t']).unwrap_or((line.trim(), ""));
        let rest = rest.trim();
        if !is_indented && word == "scenario" {
            if rest.is_empty() {
                return Err(error("this scenario has no name", "write `scenario WHAT IT SHOWS`"));
            }
            let (name, steps) = (rest.to_owned(), Vec::new());
            self.scenarios.push(Scenario { name, line: number, steps });
            return Ok(());
        }
        if !is_indented && word == "rules" {
            if !self.scenarios.is_empty() {
                let help = "move the line to the beginning of the file";
                return Err(error("`rules` stands before the first scenario", help));
            }
            let name = rest.split(" #").next().unwrap_or_default().trim();
            if name.is_empty() {
                return Err(error("`rules` names no file", "write `rules FILE.rules`"));
            }
            self.rules.push(name.to_owned());
            return Ok(());
        }
        if !is_indented {
            let help = match suggest::closest(word, ["scenario", "rules"]) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "a line begins with `scenario`, or is a step and indented".to_owned(),
            };
            return Err(error(&format!("`{word}` is neither `scenario` nor `rules`"), &help));
        }
        let step = Step::parse(line)?;
        if let Step::Call(call) = &step
            && call.expected.is_none()
        {
            let help = "write `-> allowed`, `-> blocked by RULE` or `-> asks` after the call";
            return Err(error("nothing is expected of this call", help));
        }
        let Some(scenario) = self.scenarios.last_mut() else {
            let help = "write `scenario WHAT IT SHOWS` before it";
            return Err(error("this step belongs to no scenario", help));
        };
        scenario.steps.push((number, step));
        Ok(())
    }

    /// Expectations that name rules which are not there, and calls that end without having begun.
    pub fn check(&self, file: &SourceFile, rules: &crate::RuleSet) -> Vec<Diagnostic> {
        let names: HashSet<&str> =
            rules.nets.iter().flat_map(|rule| [rule.net.name(), rule.text()]).collect();
        let mut problems = Vec::new();
        for scenario in &self.scenarios {
            if scenario.steps.is_empty() {
                let message = "this scenario has no steps".to_owned();
                let help = "write calls under it, indented".to_owned();
                let error = StepError { at: 0, message, help };
                problems.push(diagnostic(scenario.line, file.line(scenario.line), &error));
            }
            let mut begun: HashSet<&str> = HashSet::new();
            for (line, step) in &scenario.steps {
                let text = file.line(*line);
                let mut report = |at: usize, message: String, help: String| {
                    problems.push(diagnostic(*line, text, &StepError { at, message, help }));
                };
                match step {
                    Step::Call(call) => {
                        let runs = !matches!(call.expected, Some(Expectation::Blocked { .. }));
                        if let Some(id) = call.begun_as.as_ref().filter(|_| runs)
                            && !begun.insert(id)
                        {
                            let message = format!("`{id}` has begun already");
                            report(
                                0,
                                message,
                                "give every call in flight a name of its own".into(),
                            );
                        }
                        let Some(Expectation::Blocked { by }) = &call.expected else { continue };
                        for name in by.iter().filter(|name| !names.contains(name.as_str())) {
                            let at = text.rfind(name.as_str()).unwrap_or(0);
                            let help = match suggest::closest(name, sorted(&names)) {
                                Some(meant) => format!("did you mean `{meant}`?"),
                                None => {
                                    "name a net as `petriflow check` lists it, or a rule as written"
                                        .into()
                                }
                            };
                            report(at, format!("no rule is called `{name}`"), help);
                        }
                    }
                    Step::End { id, .. } => {
                        if !begun.remove(id.as_str()) {
                            let help = format!("write `begin {id} TOOL -> allowed` before it");
                            report(0, format!("no call `{id}` has begun"), help);
                        }
                    }
                }
            }
        }
        problems
    }
}

fn sorted<'n>(names: &HashSet<&'n str>) -> Vec<&'n str> {
    let mut names: Vec<&str> = names.iter().copied().collect();
    names.sort_unstable();
    names
}

fn diagnostic(line: u32, text: &str, error: &StepError) -> Diagnostic {
    let characters = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    let at =
        if error.at == 0 { text.len().saturating_sub(text.trim_start().len()) } else { error.at };
    let before = text.get(..at).unwrap_or_default();
    let word = text.get(at..).unwrap_or_default().split_whitespace().next().unwrap_or_default();
    let column = characters(before).saturating_add(1);
    let span = Span { file: 0, line, column, length: characters(word) };
    let help = error.help.clone();
    Diagnostic::new(Code::BadScenario, span, error.message.clone()).help(help)
}
