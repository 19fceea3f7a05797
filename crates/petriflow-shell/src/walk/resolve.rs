//! What an invocation runs: functions and aliases of the text, builtins, wrappers.

use super::{Invocation, Shows, Walked, Walker};
use crate::command::{Connective, Context, Nature, RedirectionKind, Word, Wrapper};
use crate::error::{ErrorKind, ParseError};
use crate::open::{self, Opened, Scope, Text};

impl Walker {
    /// Lists what an invocation runs.
    pub(super) fn resolve(&mut self, invocation: Invocation) -> Walked<Shows> {
        let Some(first) = invocation.words.first() else {
            return self.emit(invocation, Nature::Plain);
        };
        if let Some(dynamic) = &first.dynamic {
            let what = dynamic.what.clone();
            return self.emit(invocation, Nature::Dynamic { what });
        }
        check_visible(&first.text, &invocation)?;
        // An assignment for a shell that takes other names for variables: the program would follow.
        if first.text.split('/').next().is_some_and(|name| name.contains('=')) {
            let what = first.text.clone();
            return self.emit(invocation, Nature::Dynamic { what });
        }
        let name = first.text.clone();
        self.deeper(|walker| {
            if walker.functions.contains_key(&name) || walker.aliases.contains_key(&name) {
                walker.shadowed(&name, invocation)
            } else {
                walker.program(invocation)
            }
        })
    }

    /// A name that a function or an alias may have taken: both readings are listed, and the
    /// success of neither shows that the program ran.
    fn shadowed(&mut self, name: &str, invocation: Invocation) -> Walked<Shows> {
        let definitions = self.functions.get(name).cloned().unwrap_or_default();
        let aliases = self.aliases.remove(name);
        let arguments: String = invocation.words.iter().skip(1).map(quote).collect();
        let span = invocation.span.clone();
        self.within(|context| context.function = true, |walker| walker.program(invocation))?;
        for index in definitions {
            self.call(index)?;
        }
        for value in aliases.iter().flatten() {
            self.next = Some(Connective::Sequence);
            let text = format!("{value}{arguments}");
            self.within(
                |context| context.function = true,
                |walker| walker.uncertainly(|walker| walker.nested(&text, &span)),
            )?;
        }
        if let Some(aliases) = aliases {
            self.aliases.insert(name.to_owned(), aliases);
        }
        self.next = Some(Connective::Sequence);
        Ok(false)
    }

    /// A builtin, a wrapper or a program.
    fn program(&mut self, invocation: Invocation) -> Walked<Shows> {
        let Some(first) = invocation.words.first() else {
            return self.emit(invocation, Nature::Plain);
        };
        if self.files.may_be_written_program(first) {
            let what = first.text.clone();
            return self.emit(invocation, Nature::Dynamic { what });
        }
        if self.runs_written(&invocation.words) {
            return self.emit(
                invocation,
                Nature::Dynamic { what: "a file that this text writes".to_owned() },
            );
        }
        let invocation = match self.builtin(invocation)? {
            Ok(shows) => return Ok(shows),
            Err(invocation) => invocation,
        };
        let is_builtin = invocation.words.first().is_some_and(|word| word.text == "builtin");
        let is_exec = invocation.words.first().is_some_and(|word| word.text == "exec");
        let opened = open::open(&invocation);
        let ends = is_exec && matches!(opened, Opened::Command { .. });
        let shows = self.opened(invocation, opened)?;
        if is_builtin {
            // Not every shell knows `builtin`: what it was to assign may not have been.
            self.variables.forget_all();
        }
        if ends {
            self.end();
        }
        Ok(shows)
    }

    /// Whether a program that runs files is given one that the text has written.
    fn runs_written(&self, words: &[Word]) -> bool {
        if self.files.nothing_written() {
            return false;
        }
        let Some((program, arguments)) = words.split_first() else { return false };
        let program = crate::command::base_name(&program.text);
        match program {
            "make" | "gmake"
                if self.files.any_written(&["Makefile", "makefile", "GNUmakefile"]) =>
            {
                true
            }
            "npm" | "yarn" | "pnpm" | "bun" if self.files.any_written(&["package.json"]) => true,
            "just" if self.files.any_written(&["justfile", "Justfile", ".justfile"]) => true,
            "cargo" if self.files.any_written(&["build.rs", "config.toml"]) => true,
            _ => {
                open::runs_files(program)
                    && arguments.iter().any(|word| self.files.may_be_written(word))
            }
        }
    }

    fn opened(&mut self, invocation: Invocation, opened: Opened) -> Walked<Shows> {
        match opened {
            Opened::Plain => self.emit(invocation, Nature::Plain),
            Opened::Nature(nature) => self.emit(invocation, nature),
            Opened::Command { wrapper, words, effects, setting } => {
                let setting = invocation.setting.clone().or(setting);
                let inner = Invocation { words, setting, ..invocation };
                self.wrapped(wrapper, effects, |walker| walker.resolve(inner))
            }
            Opened::Text(text) => self.text_of(invocation, text),
            Opened::Several(several) => {
                for opened in several {
                    self.opened(invocation.clone(), opened)?;
                }
                Ok(false)
            }
        }
    }

    fn wrapped(
        &mut self,
        words: Vec<Word>,
        effects: Context,
        inner: impl FnOnce(&mut Self) -> Walked<Shows>,
    ) -> Walked<Shows> {
        self.wrappers.push(Wrapper { words });
        let shows = self.within(|context| context.add(effects), inner)?;
        self.wrappers.pop();
        Ok(shows && !effects.may_be_skipped_or_lost())
    }

    /// A text that is run as commands.
    pub(super) fn text_of(&mut self, mut invocation: Invocation, text: Text) -> Walked<Shows> {
        let Text { wrapper, text, scope, effects } = text;
        let strict = self.strict || scope == Scope::Strict;
        let Some(known) = text.known() else {
            let what = text.dynamic.map_or(text.text, |dynamic| dynamic.what);
            return self.emit(invocation, Nature::Dynamic { what });
        };
        invocation.redirections.retain(|redirection| {
            !matches!(
                redirection.kind,
                RedirectionKind::HereDocument
                    | RedirectionKind::HereString
                    | RedirectionKind::Duplicate
            )
        });
        // What surrounds the text is listed in front of it: a setting that carries code, or files
        // that are written.
        let span = invocation.span.clone();
        let before = self.commands.len();
        let itself = Invocation { span: span.clone(), ..Invocation::default() };
        if invocation.setting.is_some() {
            self.emit(invocation, Nature::Plain)?;
        } else if !invocation.redirections.is_empty() {
            invocation.words.clear();
            invocation.assignments.clear();
            self.emit(invocation, Nature::Plain)?;
            self.next = Some(Connective::AfterSuccess);
        }
        let mark = self.variables.mark();
        if scope != Scope::Same {
            // A child knows exported variables only, and its environment may hold others.
            self.variables.forget_all();
        }
        let outer = std::mem::replace(&mut self.strict, strict && scope != Scope::Child);
        let shows = self.wrapped(wrapper, effects, |walker| {
            let shows = walker.nested(known, &span)?;
            // Listed even if it runs nothing: its success shows nothing about what stands before it.
            if walker.commands.len() == before {
                walker.emit(itself, Nature::Plain)
            } else {
                Ok(shows)
            }
        })?;
        self.strict = outer;
        if scope != Scope::Same {
            self.variables.restore(&mark);
        }
        Ok(shows)
    }

    /// Something may have ended the shell: what follows may never run.
    pub(super) fn end(&mut self) {
        self.files.ended = true;
        self.context.condition = true;
    }
}

/// A word of an alias's call, in front of a blank, for parsing again.
fn quote(word: &Word) -> String {
    match word.known() {
        Some(text) => format!(" '{}'", text.replace('\'', "'\\''")),
        None => " $_".to_owned(),
    }
}

/// Characters that make a name look like another one are refused: zero width, bidirectional
/// controls, and other format characters.
fn check_visible(program: &str, invocation: &Invocation) -> Result<(), ParseError> {
    let invisible = |c: &char| {
        matches!(*c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
    };
    match program.chars().find(invisible) {
        Some(character) => {
            Err(ParseError::new(ErrorKind::InvisibleCharacter(character), invocation.span.start))
        }
        None => Ok(()),
    }
}
