//! Variables whose value comes from outside the text, and where one is evaluated.
//!
//! Arithmetic runs the substitutions inside the subscripts of a value, so evaluating what a program
//! printed or what was read may run anything.

use std::collections::{HashMap, HashSet};
use std::mem;

use crate::ast::{List, Node, Operator, Part, Word};

/// Stands for what a substitution prints; no variable has this name.
const OUTPUT: &str = "$(…)";

/// Variables that are followed to find out what a value holds, so that reading stays linear.
const STEPS_MAX: usize = 64;

#[derive(Default)]
pub(super) struct Taint {
    /// Variables with a value from outside.
    foreign: HashSet<String>,
    /// Variables with something that a command printed, be it known or not.
    printed: HashSet<String>,
    /// Variables whose value goes into others.
    flows: HashMap<String, Vec<String>>,
    /// What the command that is being expanded evaluates.
    looking: Vec<String>,
    /// What the listed commands evaluate.
    looked: Vec<(usize, Vec<String>)>,
    /// The text defines something with the name of a program whose output is trusted.
    distrusts: bool,
}

impl Taint {
    /// A function or an alias is defined.
    pub(super) fn defines(&mut self, name: &str) {
        const TRUSTED: [&str; 9] =
            ["wc", "seq", "nproc", "expr", "date", "echo", "rm", "true", ":"];
        self.distrusts |= TRUSTED.contains(&name);
    }

    /// A variable is given a value from outside.
    pub(super) fn foreign(&mut self, name: &str) {
        self.foreign.insert(name.to_owned());
    }

    /// Whether a variable holds what a command of this text printed or read, perhaps through others.
    pub(super) fn is_printed(&self, name: &str) -> bool {
        let mut reached: HashSet<&str> = HashSet::new();
        let mut waiting: Vec<&str> =
            self.foreign.iter().chain(&self.printed).map(String::as_str).collect();
        while let Some(from) = waiting.pop() {
            // Few texts have as many variables; for those that do, every one counts.
            if reached.len() > STEPS_MAX || waiting.len() > STEPS_MAX {
                return true;
            }
            if reached.insert(from) {
                waiting.extend(self.flows.get(from).into_iter().flatten().map(String::as_str));
            }
        }
        reached.contains(name)
    }

    /// A variable is given a value that these parts become.
    pub(super) fn assigned(&mut self, name: &str, parts: &[Part]) {
        if has_foreign(parts) {
            self.foreign(name);
        }
        if has_substitution(parts) {
            self.printed.insert(name.to_owned());
        }
        let mut names = Vec::new();
        variables_of(parts, &mut names);
        for from in names {
            self.flows.entry(from).or_default().push(name.to_owned());
        }
    }

    /// Every name in the text is evaluated.
    pub(super) fn looks_at(&mut self, text: &str) {
        names_of(text, &mut self.looking);
    }

    pub(super) fn looks_at_parts(&mut self, parts: &[Part]) {
        for part in parts {
            if let Part::Plain(text) | Part::Quoted(text) = part {
                names_of(text, &mut self.looking);
            }
        }
        variables_of(parts, &mut self.looking);
    }

    /// What the substitutions among the parts print is evaluated itself.
    pub(super) fn looks_at_output(&mut self, parts: &[Part]) {
        if has_foreign(parts) {
            self.foreign(OUTPUT);
            self.looking.push(OUTPUT.to_owned());
        }
    }

    /// The command that was expanded is listed.
    pub(super) fn listed(&mut self, index: usize) {
        if !self.looking.is_empty() {
            self.looked.push((index, mem::take(&mut self.looking)));
        }
    }

    /// What a substitution looks at is its own.
    pub(super) fn enter(&mut self) -> Vec<String> {
        mem::take(&mut self.looking)
    }

    pub(super) fn leave(&mut self, mut outer: Vec<String>) {
        self.looking.append(&mut outer);
    }

    /// The commands that evaluate a value from outside.
    pub(super) fn finish(&mut self) -> Vec<usize> {
        let mut open: Vec<String> = self.foreign.iter().cloned().collect();
        while let Some(name) = open.pop() {
            for to in self.flows.remove(&name).unwrap_or_default() {
                if self.foreign.insert(to.clone()) {
                    open.push(to);
                }
            }
        }
        let foreign = &self.foreign;
        self.looked
            .iter()
            .filter(|(_, names)| self.distrusts || names.iter().any(|name| foreign.contains(name)))
            .map(|(index, _)| *index)
            .collect()
    }
}

fn names_of(text: &str, into: &mut Vec<String>) {
    let names = text
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
    into.extend(names.map(str::to_owned));
}

/// The variables whose values become part of the value. That of arithmetic is a number.
fn variables_of(parts: &[Part], into: &mut Vec<String>) {
    for part in parts {
        if let Part::Parameter { parameter, .. } = part {
            // The length of a value is a number.
            if !parameter.raw.starts_with("${#") {
                into.push(parameter.name.clone());
            }
            variables_of(operands(&parameter.operator), into);
        }
    }
}

fn operands(operator: &Operator) -> &[Part] {
    match operator {
        Operator::None => &[],
        Operator::Default { parts, .. }
        | Operator::Alternative { parts, .. }
        | Operator::Other { parts, .. } => parts,
    }
}

fn has_foreign(parts: &[Part]) -> bool {
    parts.iter().any(|part| match part {
        Part::Substitution { list, .. } => !prints_known(list),
        Part::Parameter { parameter, .. } => has_foreign(operands(&parameter.operator)),
        _ => false,
    })
}

fn has_substitution(parts: &[Part]) -> bool {
    parts.iter().any(|part| match part {
        Part::Substitution { .. } => true,
        Part::Parameter { parameter, .. } => has_substitution(operands(&parameter.operator)),
        _ => false,
    })
}

/// Whether all that a list prints is numbers, or words that stand in the text and hold no code.
fn prints_known(list: &List) -> bool {
    list.chains.iter().flat_map(|chain| &chain.links).all(|link| {
        let last = link.pipeline.stages.last().map(|stage| &stage.node);
        let Some(Node::Simple(simple)) = last else { return false };
        let program = simple.words.first().and_then(Word::plain);
        simple.assignments.is_empty()
            && match program {
                Some("nproc") => true,
                // With other operators it prints a part of its operands.
                Some("expr") => {
                    let operator = simple.words.get(2).and_then(|word| match &*word.parts {
                        [Part::Plain(text) | Part::Quoted(text)] => Some(text.as_str()),
                        _ => None,
                    });
                    simple.words.len() == 4 && matches!(operator, Some("+" | "-" | "*" | "/" | "%"))
                }
                // An option may print any text between the numbers.
                Some("seq") => !simple.words.iter().any(|word| {
                    matches!(word.parts.first(),
                        Some(Part::Plain(text) | Part::Quoted(text)) if text.starts_with('-'))
                }),
                Some("date") => {
                    simple.words.len() == 2
                        && simple.words.get(1).and_then(Word::plain) == Some("+%s")
                }
                Some("wc" | "echo" | "rm" | "true" | ":") => simple.words.iter().all(is_tame),
                _ => false,
            }
    })
}

/// Whether a word is text that no shell and no program would make anything else of.
fn is_tame(word: &Word) -> bool {
    word.parts.iter().all(|part| match part {
        Part::Plain(text) | Part::Quoted(text) => {
            text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" _-./,:".contains(&byte))
        }
        _ => false,
    })
}
