//! Compound and simple commands.

use std::mem;
use std::rc::Rc;

use super::{Definition, Invocation, Shows, Walked, Walker};
use crate::ast::{self, List, Node, Part, Simple, Stage, Target, Value};
use crate::command::{Assignment, Connective, Nature, Redirection, Word};
use crate::error::ErrorKind;
use crate::open::settings;

impl Walker {
    pub(super) fn stage(&mut self, stage: &Stage) -> Walked<Shows> {
        if let Node::Simple(simple) = &stage.node {
            return self.simple(simple, stage);
        }
        if !stage.redirects.is_empty() {
            let redirections = self.redirections(&stage.redirects)?;
            self.emit(
                Invocation { redirections, span: stage.span.clone(), ..Invocation::default() },
                Nature::Plain,
            )?;
            // A compound command runs only if its redirections succeeded.
            self.next = Some(Connective::AfterSuccess);
        }
        self.deeper(|walker| walker.compound(stage))
    }

    fn compound(&mut self, stage: &Stage) -> Walked<Shows> {
        match &stage.node {
            Node::Simple(simple) => self.simple(simple, stage),
            Node::Group(list) => self.list(list),
            Node::Subshell(list) => {
                self.subshell(|context| context.subshell = true, |walker| walker.list(list))
            }
            Node::If { branches, otherwise } => {
                let lists = branches
                    .iter()
                    .flat_map(|(condition, body)| [condition, body])
                    .chain(otherwise);
                self.branches(lists)
            }
            Node::While { condition, body } => self.repeated(&[condition, body]),
            Node::For { name, words, body } => {
                let mut fields = Vec::new();
                for word in words {
                    self.fields(word, &mut fields)?;
                    self.taint.assigned(name, &word.parts);
                }
                if settings::code(name, &Word::unknown("", false)).is_some() {
                    return Err(self.error(ErrorKind::Unsupported(
                        "a loop over a variable that carries code",
                    )));
                }
                self.assign(name, None);
                self.repeated(&[body])
            }
            Node::ForArithmetic { head, body } => {
                self.scan(std::slice::from_ref(head))?;
                self.repeated(&[body])
            }
            Node::Case { subject, arms } => {
                let subject = self.scalar(subject)?;
                // Listed in any case: its success shows nothing about what stands before it.
                let words = vec![Word::literal("case"), subject];
                self.emit(
                    Invocation { words, span: stage.span.clone(), ..Invocation::default() },
                    Nature::Plain,
                )?;
                for (patterns, body) in arms {
                    for pattern in patterns {
                        self.within(
                            |context| context.condition = true,
                            |walker| walker.scalar(pattern),
                        )?;
                    }
                    self.branches([body].into_iter())?;
                }
                Ok(false)
            }
            Node::Function { name, body } => {
                self.define(name, body);
                Ok(false)
            }
            Node::Arithmetic(part) => self.arithmetic(part, stage),
            Node::Test(words) => self.test(words, stage),
            Node::Coproc(inner) => {
                self.subshell(|context| context.background = true, |walker| walker.stage(inner))?;
                self.variables.forget_all();
                Ok(false)
            }
        }
    }

    /// Lists of which each may run or not.
    fn branches<'l>(&mut self, lists: impl Iterator<Item = &'l List>) -> Walked<Shows> {
        for list in lists {
            self.within(
                |context| context.condition = true,
                |walker| walker.uncertainly(|walker| walker.list(list)),
            )?;
            self.next = Some(Connective::Sequence);
        }
        Ok(false)
    }

    /// Lists that run any number of times.
    fn repeated(&mut self, lists: &[&List]) -> Walked<Shows> {
        // What the end of the body assigns is seen by its beginning.
        self.variables.forget_all();
        for list in lists {
            self.within(
                |context| context.repeated = true,
                |walker| walker.uncertainly(|walker| walker.list(list)),
            )?;
            self.next = Some(Connective::Sequence);
        }
        Ok(false)
    }

    fn define(&mut self, name: &str, body: &Rc<Stage>) {
        self.taint.defines(name);
        let index = self.definitions.len();
        self.definitions.push(Definition { body: Rc::clone(body), called: false, active: false });
        self.functions.entry(name.to_owned()).or_default().push(index);
    }

    /// Lists the body of a definition; a call of it inside itself is listed by name only.
    pub(super) fn call(&mut self, index: usize) -> Walked<()> {
        let Some(definition) = self.definitions.get_mut(index) else { return Ok(()) };
        definition.called = true;
        if mem::replace(&mut definition.active, true) {
            return Ok(());
        }
        let body = Rc::clone(&definition.body);
        // A call of itself inside the body may see what the end of the body assigns.
        let before = self.variables.floor();
        self.variables.forget_all();
        let forgotten = self.variables.floor();
        self.next = Some(Connective::Sequence);
        self.within(
            |context| context.function = true,
            |walker| walker.uncertainly(|walker| walker.deeper(|walker| walker.stage(&body))),
        )?;
        self.next = Some(Connective::Sequence);
        self.variables.recall(forgotten, before);
        if let Some(definition) = self.definitions.get_mut(index) {
            definition.active = false;
        }
        Ok(())
    }

    /// Bodies of functions that nothing in the text calls: a trap, an export or the shell may.
    pub(super) fn uncalled_functions(&mut self) -> Walked<()> {
        self.variables.forget_all();
        let mut index = 0;
        // A body may define further functions.
        while let Some(definition) = self.definitions.get(index) {
            if !definition.called {
                self.call(index)?;
            }
            index = index.saturating_add(1);
        }
        Ok(())
    }

    fn arithmetic(&mut self, part: &Part, stage: &Stage) -> Walked<Shows> {
        self.scan(std::slice::from_ref(part))?;
        let inner = match part {
            Part::Arithmetic { inner, .. } => inner.as_str(),
            _ => "",
        };
        let words = ["((", inner.trim(), "))"].map(Word::literal).to_vec();
        let span = stage.span.clone();
        self.emit(Invocation { words, span, ..Invocation::default() }, Nature::Plain)?;
        for segment in inner.split(['(', ')', ';', '&', '|', '<', '>']) {
            let word = |text: &str| match text.contains(['$', '`']) {
                true => Word::unknown(text, true),
                false => Word::literal(text),
            };
            self.other_reading(segment.split_whitespace().map(word).collect(), stage)?;
        }
        Ok(false)
    }

    fn test(&mut self, groups: &[Vec<ast::Word>], stage: &Stage) -> Walked<Shows> {
        let mut words = vec![Word::literal("[[")];
        let mut alternatives = Vec::new();
        for (position, group) in groups.iter().enumerate() {
            let mut operands = Vec::new();
            for operand in group {
                operands.push(self.scalar(operand)?);
            }
            words.extend_from_slice(&operands);
            if position > 0 {
                alternatives.push(operands);
            }
        }
        // These look at their operands as arithmetic or as names.
        let evaluates = words.iter().any(|word| {
            matches!(
                word.text.as_str(),
                "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" | "-v" | "-R"
            )
        });
        self.evaluates |= evaluates;
        for operand in groups.iter().flatten().filter(|_| evaluates) {
            self.taint.looks_at_parts(&operand.parts);
            self.taint.looks_at_output(&operand.parts);
        }
        words.push(Word::literal("]]"));
        let span = stage.span.clone();
        let shows =
            self.emit(Invocation { words, span, ..Invocation::default() }, Nature::Plain)?;
        let certain = alternatives.is_empty();
        for alternative in alternatives {
            self.other_reading(alternative, stage)?;
        }
        Ok(shows && certain)
    }

    /// Words that a shell without `((` and `[[` would run: such a shell reads `((rm x))` as two
    /// subshells, and `[[ a || rm x ]]` as two commands. Only what looks like a program's name is
    /// listed, or every test of a variable would be unclear.
    fn other_reading(&mut self, words: Vec<Word>, stage: &Stage) -> Walked<()> {
        let before = |word: &Word| word.text == "!" || word.text.contains('=');
        let words: Vec<Word> = words.into_iter().skip_while(before).collect();
        let first = words.first().and_then(Word::known).unwrap_or_default();
        let is_program = first.starts_with(|c: char| c.is_ascii_alphabetic())
            && first.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
        if is_program {
            self.next = Some(Connective::Sequence);
            let span = stage.span.clone();
            let invocation = Invocation { words, span, ..Invocation::default() };
            self.within(|context| context.condition = true, |walker| walker.resolve(invocation))?;
        }
        Ok(())
    }

    fn simple(&mut self, simple: &Simple, stage: &Stage) -> Walked<Shows> {
        let mut words = Vec::new();
        let declares = matches!(
            simple.words.first().and_then(ast::Word::plain),
            Some("declare" | "typeset" | "local" | "export" | "readonly")
        );
        for word in &simple.words {
            if declares && is_assignment(word) {
                words.push(self.scalar(word)?);
                if let Some(Part::Plain(text)) = word.parts.first() {
                    let name = text.split(['=', '+']).next().unwrap_or_default();
                    self.taint.assigned(name, &word.parts);
                }
            } else {
                self.fields(word, &mut words)?;
            }
        }
        // Which of them has which elements is not kept.
        let arrays: Vec<String> = simple
            .words
            .iter()
            .filter(|_| declares && !simple.elements.is_empty())
            .filter_map(|word| word.plain()?.strip_suffix('='))
            .map(|name| name.trim_end_matches('+').to_owned())
            .collect();
        for element in &simple.elements {
            self.element(element)?;
            for name in &arrays {
                self.taint.assigned(name, &element.parts);
            }
        }
        let mut assignments = Vec::new();
        for assign in &simple.assignments {
            let assignment = self.assignment(assign)?;
            if words.is_empty() {
                // Not every shell knows `+=`: the old value may remain.
                let value = assignment.value.known().filter(|_| !assign.append).map(str::to_owned);
                self.assign(&assignment.name, value);
            }
            assignments.push(assignment);
        }
        let redirections = self.redirections(&stage.redirects)?;
        for assignment in assignments.iter().filter(|_| !words.is_empty()) {
            self.assign_for(&words, &assignment.name);
        }
        let elements = simple.assignments.iter().filter(|assign| assign.subscript.is_some());
        let setting = assignments
            .iter()
            .find_map(|assignment| settings::code(&assignment.name, &assignment.value))
            .or_else(|| {
                elements.map(|assign| &assign.name).find(|name| settings::is_table(name)).cloned()
            });
        let of_array =
            |name: &String| settings::code(name, &Word::unknown("(…)", true)).map(|_| name.clone());
        let setting = setting.or_else(|| arrays.iter().find_map(of_array));
        let span = stage.span.clone();
        let shows = self.resolve(Invocation { words, assignments, redirections, setting, span })?;
        for name in arrays {
            self.assign(&name, None);
            self.variables.pin(&name);
        }
        Ok(shows)
    }

    /// An element of an array. A subscript is evaluated, and may assign.
    fn element(&mut self, word: &ast::Word) -> Walked<()> {
        self.scalar(word)?;
        if matches!(word.parts.first(), Some(Part::Plain(text)) if text.starts_with('[')) {
            self.evaluates = true;
            self.variables.forget_all();
            self.look_at_subscript(word);
        }
        Ok(())
    }

    /// The names between the brackets of `name[…]=value` are evaluated.
    fn look_at_subscript(&mut self, word: &ast::Word) {
        for (position, part) in word.parts.iter().enumerate() {
            let Part::Plain(text) = part else {
                self.taint.looks_at_parts(std::slice::from_ref(part));
                continue;
            };
            let text = match text.split_once('[') {
                Some((_, rest)) if position == 0 => rest,
                _ => text.as_str(),
            };
            let end = text.find("]=").or_else(|| text.find("]+="));
            self.taint.looks_at(end.and_then(|end| text.get(..end)).unwrap_or(text));
            if end.is_some() {
                break;
            }
        }
    }

    fn assignment(&mut self, assign: &ast::Assign) -> Walked<Assignment> {
        if let Some(subscript) = &assign.subscript {
            self.scalar(subscript)?;
            self.look_at_subscript(subscript);
            self.taint.assigned(&assign.name, &subscript.parts);
            self.evaluates = true;
            self.variables.set(&assign.name, None);
            self.variables.forget_all();
        }
        let value = match &assign.value {
            Value::Scalar(word) => {
                self.taint.assigned(&assign.name, &word.parts);
                self.scalar(word)?
            }
            Value::Array(words) => {
                for word in words {
                    self.taint.assigned(&assign.name, &word.parts);
                    self.element(word)?;
                }
                Word::unknown("(…)", true)
            }
        };
        let scalar = matches!(assign.value, Value::Scalar(_));
        let value =
            if assign.append && scalar { self.appended(&assign.name, value)? } else { value };
        if value.known().is_some_and(|text| text.contains("$(") || text.contains('`')) {
            self.code_seen = true;
        }
        Ok(Assignment { name: assign.name.clone(), value })
    }

    fn appended(&mut self, name: &str, value: Word) -> Walked<Word> {
        match (self.variables.get(name), value.known()) {
            (Some(old), Some(new)) => {
                self.spend(old.len())?;
                Ok(Word::literal(format!("{old}{new}")))
            }
            _ => {
                self.taint.foreign(name);
                Ok(Word::unknown(value.text, false))
            }
        }
    }

    pub(super) fn assign(&mut self, name: &str, value: Option<String>) {
        self.home_set |= name == "HOME";
        self.variables.set(name, value);
    }

    /// A variable set for one command: a builtin such as `eval` sees it, and may keep it.
    fn assign_for(&mut self, words: &[Word], name: &str) {
        let reads =
            matches!(words.first().and_then(Word::known), Some("read" | "mapfile" | "readarray"));
        if name != "IFS" || !reads {
            self.assign(name, None);
        }
    }

    fn redirections(&mut self, redirects: &[ast::Redirect]) -> Walked<Vec<Redirection>> {
        let mut redirections = Vec::new();
        for redirect in redirects {
            let target = match &redirect.target {
                Target::Word(word) => {
                    let target = self.scalar(word)?;
                    let pattern = word.parts.iter().any(
                        |part| matches!(part, Part::Plain(text) if text.contains(['*', '?', '['])),
                    );
                    if pattern && target.dynamic.is_none() {
                        Word::unknown(target.text, false)
                    } else {
                        target
                    }
                }
                Target::Document(body) => match body.get() {
                    Some(word) => self.scalar(word)?,
                    None => Word::unknown("<<", false),
                },
            };
            redirections.push(Redirection { fd: redirect.fd, kind: redirect.kind, target });
        }
        Ok(redirections)
    }
}

/// Whether an argument of `declare` and its like is an assignment, whose value is not split.
fn is_assignment(word: &ast::Word) -> bool {
    let Some(Part::Plain(text)) = word.parts.first() else { return false };
    let name = text.split('=').next().unwrap_or_default();
    text.contains('=')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'+')
}
