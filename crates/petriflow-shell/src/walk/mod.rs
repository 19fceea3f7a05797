//! Follows the tree in the order of execution and lists the commands.

mod brace;
mod builtin;
mod expand;
mod files;
mod node;
mod resolve;
mod taint;
mod variables;

use std::collections::HashMap;
use std::mem;
use std::ops::Range;
use std::rc::Rc;

use crate::ast::{Chain, Joint, List, Pipeline, Stage};
use crate::command::{
    Assignment, Command, Connective, Context, Nature, Redirection, Script, Word, Wrapper,
};
use crate::error::{ErrorKind, ParseError};
use crate::syntax;
use files::Files;
use taint::Taint;
use variables::Variables;

pub(crate) use builtin::join;

type Walked<T> = Result<T, ParseError>;

/// Whether the success of something shows the success of the last command listed for it.
type Shows = bool;

/// Lists the commands of a parsed text of `length` bytes.
pub(crate) fn run(length: usize, list: &List) -> Walked<Script> {
    let mut walker = Walker {
        fuel: length.saturating_add(1024).saturating_mul(crate::EXPANSION_MAX),
        ..Walker::default()
    };
    walker.list(list)?;
    walker.uncalled_functions()?;
    walker.finish()
}

#[derive(Default)]
struct Walker {
    commands: Vec<Command>,
    /// How the next command hangs on the last one.
    next: Option<Connective>,
    context: Context,
    wrappers: Vec<Wrapper>,
    /// What is left of the expansion budget.
    fuel: usize,
    depth: usize,
    /// Where the text that is being followed stands in the outermost one, if it is nested.
    nested_in: Option<Range<usize>>,
    /// The text may be run by a shell without bash's extensions.
    strict: bool,
    variables: Variables,
    functions: HashMap<String, Vec<usize>>,
    definitions: Vec<Definition>,
    aliases: HashMap<String, Vec<String>>,
    files: Files,
    /// The home directory was changed.
    home_set: bool,
    /// A trap is set: it may decide with which status the shell ends.
    trapped: bool,
    /// The command that is being expanded evaluates variables as arithmetic.
    evaluates: bool,
    /// The command that is being expanded expands a value as a prompt.
    prompts: bool,
    /// Commands that evaluate variables as arithmetic.
    evaluating: Vec<usize>,
    /// A literal substitution was seen, which such an evaluation could run.
    code_seen: bool,
    taint: Taint,
}

/// A function, where it was defined.
struct Definition {
    body: Rc<Stage>,
    called: bool,
    active: bool,
}

/// A simple command with its words expanded.
#[derive(Default, Clone)]
pub(crate) struct Invocation {
    pub(crate) words: Vec<Word>,
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) redirections: Vec<Redirection>,
    /// A variable among those set for it carries code.
    pub(crate) setting: Option<String>,
    pub(crate) span: Range<usize>,
}

impl Walker {
    fn list(&mut self, list: &List) -> Walked<Shows> {
        self.deeper(|walker| {
            let mut shows = false;
            for (position, chain) in list.chains.iter().enumerate() {
                if position > 0 && walker.next != Some(Connective::Background) {
                    walker.next = Some(Connective::Sequence);
                }
                shows = walker.chain(chain)?;
            }
            Ok(shows)
        })
    }

    fn chain(&mut self, chain: &Chain) -> Walked<Shows> {
        if !chain.background {
            return self.links(chain);
        }
        let mark = self.variables.mark();
        self.within(|context| context.background = true, |walker| walker.links(chain))?;
        self.variables.restore(&mark);
        self.next = Some(Connective::Background);
        Ok(false)
    }

    fn links(&mut self, chain: &Chain) -> Walked<Shows> {
        let mut shows = false;
        for link in &chain.links {
            match link.joint {
                Joint::Start => shows = self.pipeline(&link.pipeline)?,
                Joint::And => {
                    // If the left side's success does not show the last command's, neither may
                    // this one rely on it: `a || b && c` runs c after a alone.
                    self.next =
                        Some(if shows { Connective::AfterSuccess } else { Connective::Sequence });
                    shows = self.uncertainly(|walker| walker.pipeline(&link.pipeline))?;
                }
                Joint::Or => {
                    self.next = Some(Connective::AfterFailure);
                    self.within(
                        |context| context.condition = true,
                        |walker| walker.uncertainly(|walker| walker.pipeline(&link.pipeline)),
                    )?;
                    shows = false;
                }
            }
        }
        Ok(shows)
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Walked<Shows> {
        let negated = pipeline.negated;
        if pipeline.timed {
            self.wrappers.push(Wrapper { words: vec![Word::literal("time")] });
        }
        let shows = self.within(
            |context| context.negated |= negated,
            |walker| walker.stages(&pipeline.stages),
        )?;
        if pipeline.timed {
            self.wrappers.pop();
        }
        Ok(shows && !negated)
    }

    fn stages(&mut self, stages: &[Stage]) -> Walked<Shows> {
        let (last, others) = match stages {
            [only] => return self.stage(only),
            [others @ .., last] => (last, others),
            [] => return Ok(false),
        };
        for (position, stage) in others.iter().enumerate() {
            if position > 0 {
                self.next = Some(Connective::Pipe);
            }
            self.subshell(|context| context.pipeline = true, |walker| walker.stage(stage))?;
        }
        self.next = Some(Connective::Pipe);
        // The last one is a subshell in bash and none in zsh.
        let mark = self.variables.mark();
        let shows = self.stage(last)?;
        self.variables.blur(&mark);
        Ok(shows)
    }

    /// Commands of a substitution; they come before the command that uses it.
    fn substitution(&mut self, list: &List) -> Walked<()> {
        let evaluates = mem::take(&mut self.evaluates);
        let prompts = mem::take(&mut self.prompts);
        let looking = self.taint.enter();
        self.subshell(|context| context.substitution = true, |walker| walker.list(list))?;
        self.evaluates |= evaluates;
        self.prompts |= prompts;
        self.taint.leave(looking);
        self.next = Some(Connective::Sequence);
        Ok(())
    }

    /// Parses and follows a text that a command runs.
    fn nested(&mut self, text: &str, span: &Range<usize>) -> Walked<Shows> {
        self.spend(text.len())?;
        let list = syntax::parse(text, span.start, self.depth.saturating_add(1), self.strict)?;
        let outer = self.nested_in.replace(span.clone());
        let shows = self.list(&list)?;
        self.nested_in = outer;
        Ok(shows)
    }

    fn within<T>(
        &mut self,
        change: impl FnOnce(&mut Context),
        inner: impl FnOnce(&mut Self) -> Walked<T>,
    ) -> Walked<T> {
        let outer = self.context;
        change(&mut self.context);
        let result = inner(self);
        // What may have ended the shell has done so outside too, as far as we know.
        self.context = Context { condition: outer.condition || self.files.ended, ..outer };
        result
    }

    /// Something whose assignments are not seen outside.
    fn subshell<T>(
        &mut self,
        change: impl FnOnce(&mut Context),
        inner: impl FnOnce(&mut Self) -> Walked<T>,
    ) -> Walked<T> {
        let mark = self.variables.mark();
        let result = self.within(change, inner);
        self.variables.restore(&mark);
        result
    }

    /// Something that may not run: what it assigns is not known afterwards.
    fn uncertainly<T>(&mut self, inner: impl FnOnce(&mut Self) -> Walked<T>) -> Walked<T> {
        self.variables.uncertain = self.variables.uncertain.saturating_add(1);
        let result = inner(self);
        self.variables.uncertain = self.variables.uncertain.saturating_sub(1);
        result
    }

    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Walked<T>) -> Walked<T> {
        if self.depth >= crate::DEPTH_MAX {
            return Err(self.error(ErrorKind::TooDeep));
        }
        self.depth = self.depth.saturating_add(1);
        let result = inner(self);
        self.depth = self.depth.saturating_sub(1);
        result
    }

    fn error(&self, kind: ErrorKind) -> ParseError {
        let place = self.nested_in.as_ref().map(|span| span.start);
        let last = || self.commands.last().map_or(0, |command| command.span.end);
        ParseError::new(kind, place.unwrap_or_else(last))
    }

    /// Pays for expanded text.
    fn spend(&mut self, bytes: usize) -> Walked<()> {
        match self.fuel.checked_sub(bytes.saturating_add(1)) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => Err(self.error(ErrorKind::TooMuch)),
        }
    }

    /// Lists a command.
    fn emit(&mut self, invocation: Invocation, nature: Nature) -> Walked<Shows> {
        let words =
            invocation.words.iter().chain(self.wrappers.iter().flat_map(|wrapper| &wrapper.words));
        let bytes: usize = words.map(|word| word.text.len().saturating_add(8)).sum();
        self.spend(bytes)?;
        self.files.note(&invocation);
        if mem::take(&mut self.evaluates) {
            self.evaluating.push(self.commands.len());
        }
        self.taint.listed(self.commands.len());
        let nature = match (nature, invocation.setting) {
            (nature @ Nature::Dynamic { .. }, _) | (nature, None) => nature,
            (_, Some(setting)) => Nature::Opaque { language: setting },
        };
        let nature = if mem::take(&mut self.prompts) {
            Nature::Dynamic { what: "${…@P}".to_owned() }
        } else {
            nature
        };
        let connective = if self.commands.is_empty() {
            Connective::First
        } else {
            self.next.unwrap_or(Connective::Sequence)
        };
        self.next = Some(Connective::Sequence);
        self.commands.push(Command {
            words: invocation.words,
            assignments: invocation.assignments,
            redirections: invocation.redirections,
            connective,
            context: self.context,
            wrappers: self.wrappers.clone(),
            nature,
            span: self.nested_in.clone().unwrap_or(invocation.span),
        });
        Ok(true)
    }

    /// What is only known at the end.
    fn finish(mut self) -> Walked<Script> {
        // No command followed the evaluation: it is marked at the last one, or at one of its own.
        let rest = self.commands.len().saturating_sub(1);
        let evaluates = mem::take(&mut self.evaluates);
        if self.commands.is_empty() && (self.prompts || evaluates) {
            self.emit(Invocation::default(), Nature::Plain)?;
        }
        if evaluates {
            self.evaluating.push(rest);
        }
        self.taint.listed(rest);
        let mut dynamic = self.taint.finish();
        if self.code_seen {
            dynamic.append(&mut self.evaluating);
        }
        if mem::take(&mut self.prompts) {
            dynamic.push(rest);
        }
        for index in dynamic {
            if let Some(command) = self.commands.get_mut(index) {
                command.nature =
                    Nature::Dynamic { what: "arithmetic that may run a substitution".to_owned() };
            }
        }
        if self.trapped {
            self.commands.iter_mut().for_each(|command| command.context.condition = true);
        }
        Ok(Script { commands: self.commands })
    }
}
