//! Words to fields: what is certain is expanded, the rest is marked dynamic.

use std::mem;

use super::brace::{self, Braces};
use super::{Walked, Walker};
use crate::ast::{self, Operator, Parameter, Part};
use crate::command::{Dynamic, Word};
use crate::open::settings;

/// A field that is being put together.
#[derive(Default)]
struct Field {
    word: Word,
    /// Whether it is a word even if empty.
    exists: bool,
    /// An unquoted `[` waits for its `]`.
    bracket: bool,
    /// The last certain character is a `$`.
    dollar: bool,
}

impl Field {
    fn unknown(&mut self, raw: &str, many: bool) {
        self.word.text.push_str(raw);
        self.mark(raw, many);
    }

    /// What is not known holds what a command of this text printed or read.
    fn printed(&mut self) {
        if let Some(dynamic) = &mut self.word.dynamic {
            dynamic.printed = true;
        }
    }

    fn mark(&mut self, what: &str, many: bool) {
        self.exists = true;
        self.dollar = false;
        match &mut self.word.dynamic {
            Some(dynamic) => dynamic.many |= many,
            none => *none = Some(Dynamic { what: what.to_owned(), many, printed: false }),
        }
    }

    /// Text in which patterns are active.
    fn pattern(&mut self, text: &str) {
        let joined = text.starts_with('(') && self.word.text.ends_with(['@', '+', '!']);
        let mut active = text.contains(['*', '?'])
            || joined
            || (text.contains('(') && ["@(", "+(", "!("].iter().any(|mark| text.contains(mark)));
        for character in text.chars() {
            match character {
                '[' => self.bracket = true,
                ']' if self.bracket => active = true,
                _ => {}
            }
        }
        self.word.text.push_str(text);
        if active {
            self.mark(text, true);
        }
    }
}

impl Walker {
    /// The words that a word becomes.
    pub(super) fn fields(&mut self, word: &ast::Word, into: &mut Vec<Word>) -> Walked<()> {
        match brace::expand(&word.parts) {
            Braces::None => self.split(&word.parts, into),
            Braces::Words(words) => {
                for parts in words {
                    self.split(&parts, into)?;
                }
                Ok(())
            }
            Braces::Unknown => {
                let scalar = self.scalar(word)?;
                into.push(Word::unknown(scalar.text, true));
                Ok(())
            }
        }
    }

    /// The one word that a word becomes where it is not split: values, targets, here-documents.
    pub(super) fn scalar(&mut self, word: &ast::Word) -> Walked<Word> {
        let mut field = Field::default();
        for (position, part) in word.parts.iter().enumerate() {
            match part {
                Part::Plain(text) => {
                    self.text(&mut field, text)?;
                    if field.word.text.starts_with('~') {
                        self.tilde(&mut field, text);
                    }
                }
                Part::Parameter { parameter, .. } => match self.parameter(parameter)? {
                    Some(value)
                        if !is_modified(parameter, word.parts.get(position.saturating_add(1))) =>
                    {
                        self.text(&mut field, &value)?;
                    }
                    _ => field.unknown(&parameter.raw, false),
                },
                other => self.expansion(&mut field, other, true)?,
            }
        }
        self.note_splitting(&field.word.text);
        Ok(field.word)
    }

    fn split(&mut self, parts: &[Part], into: &mut Vec<Word>) -> Walked<()> {
        let mut field = Field::default();
        for (position, part) in parts.iter().enumerate() {
            match part {
                Part::Plain(text) => {
                    let first = !field.exists && field.word.text.is_empty();
                    field.exists = true;
                    self.spend(text.len())?;
                    field.pattern(text);
                    self.note_code(&mut field, text);
                    if first && text.starts_with('~') {
                        self.tilde(&mut field, text);
                    }
                    // zsh replaces `=rm` by the path of `rm`.
                    if first && text.starts_with('=') && text.len() > 1 {
                        field.mark(text, false);
                    }
                }
                Part::Parameter { parameter, quoted } => match self
                    .parameter(parameter)?
                    .filter(|_| !is_modified(parameter, parts.get(position.saturating_add(1))))
                {
                    Some(value) if *quoted => {
                        field.exists = true;
                        self.text(&mut field, &value)?;
                    }
                    Some(value) if !self.variables.splitting_unknown => {
                        self.split_value(&mut field, &value, into)?
                    }
                    _ => {
                        let many = !quoted
                            || parameter.name == "@"
                            || parameter.raw.contains("[@]")
                            || parameter.raw.contains("@}");
                        field.unknown(&parameter.raw, many);
                        if self.taint.is_printed(&parameter.name) {
                            field.printed();
                        }
                    }
                },
                other => self.expansion(&mut field, other, false)?,
            }
        }
        if field.exists {
            self.note_splitting(&field.word.text);
            into.push(field.word);
        }
        Ok(())
    }

    /// Arithmetic and builtins assign variables whose names they are given as text: after this one
    /// was mentioned, how values are split is not known.
    fn note_splitting(&mut self, text: &str) {
        self.variables.splitting_unknown |= text.contains("IFS");
    }

    /// Field splitting of an unquoted value.
    fn split_value(&mut self, field: &mut Field, value: &str, into: &mut Vec<Word>) -> Walked<()> {
        self.spend(value.len())?;
        let blank = [' ', '\t', '\n'];
        let mut first = true;
        for piece in value.split(blank) {
            if !first && field.exists {
                into.push(mem::take(field).word);
            }
            first = false;
            if !piece.is_empty() {
                field.exists = true;
                field.pattern(piece);
                self.note_code(field, piece);
            }
        }
        Ok(())
    }

    /// Every part but plain text and parameters.
    fn expansion(&mut self, field: &mut Field, part: &Part, scalar: bool) -> Walked<()> {
        match part {
            Part::Plain(text) => self.text(field, text)?,
            Part::Quoted(text) => {
                field.exists = true;
                self.text(field, text)?;
            }
            Part::Odd(text) => field.unknown(text, true),
            Part::Parameter { parameter, .. } => field.unknown(&parameter.raw, true),
            Part::Substitution { list, quoted, raw } => {
                self.substitution(list)?;
                field.unknown(raw, !quoted && !scalar);
            }
            Part::Process { list, raw } => {
                self.substitution(list)?;
                field.unknown(raw, false);
            }
            Part::Arithmetic { parts, names, assigns, inner, raw } => {
                self.note_splitting(inner);
                self.scan(parts)?;
                self.evaluates |= names;
                self.taint.looks_at(inner);
                self.taint.looks_at_output(parts);
                if *assigns {
                    self.variables.forget_all();
                }
                field.unknown(raw, false);
            }
        }
        Ok(())
    }

    fn text(&mut self, field: &mut Field, text: &str) -> Walked<()> {
        self.spend(text.len())?;
        self.note_code(field, text);
        field.word.text.push_str(text);
        Ok(())
    }

    /// Remembers text that a later evaluation could run: arithmetic runs substitutions inside the
    /// values it looks at.
    fn note_code(&mut self, field: &mut Field, text: &str) {
        const CODE: [&str; 8] =
            ["$(", "`", "\\044", "\\x24", "\\140", "\\x60", "\\u0024", "\\u0060"];
        let joined = field.dollar && text.starts_with('(');
        // Nearly every text has none of the characters that all of these have one of.
        let may = text.bytes().any(|byte| matches!(byte, b'$' | b'`' | b'\\'));
        self.code_seen |= joined || (may && CODE.iter().any(|code| text.contains(code)));
        if let Some(last) = text.bytes().last() {
            field.dollar = last == b'$';
        }
    }

    /// `~/x` is a path below the home directory and keeps its base name; everything else that a
    /// tilde begins could be any word.
    fn tilde(&mut self, field: &mut Field, text: &str) {
        if !text.starts_with("~/") || self.home_set {
            field.mark(text, false);
        }
    }

    /// A parameter's value, if it is certain. Substitutions inside run in any case.
    fn parameter(&mut self, parameter: &Parameter) -> Walked<Option<String>> {
        let value = self.variables.get(&parameter.name);
        match &parameter.operator {
            Operator::None => Ok(value.map(|value| value.to_string())),
            Operator::Default { colon, parts } => {
                let other = self.operand(parts)?;
                Ok(match value {
                    Some(value) if *colon && value.is_empty() => other,
                    Some(value) => Some(value.to_string()),
                    None => None,
                })
            }
            Operator::Alternative { colon, parts } => {
                let other = self.operand(parts)?;
                Ok(match value {
                    Some(value) if *colon && value.is_empty() => Some(String::new()),
                    Some(_) => other,
                    None => None,
                })
            }
            Operator::Other { parts, evaluates, assigns, prompts } => {
                self.scan(parts)?;
                self.evaluates |= evaluates;
                self.prompts |= prompts;
                let indirect = parameter.raw.starts_with("${!");
                if *evaluates {
                    self.taint.looks_at_parts(parts);
                    self.taint.looks_at_output(parts);
                }
                if *evaluates && indirect {
                    self.taint.looks_at(&parameter.name);
                }
                if *assigns && indirect {
                    // Any variable may be assigned.
                    self.variables.forget_all();
                    self.variables.splitting_unknown = true;
                    self.prompts |= !matches!(
                        parts.first(),
                        Some(Part::Plain(text) | Part::Quoted(text))
                            if text.starts_with(['%', '#', '/', '^', ',', '@'])
                    );
                }
                if *assigns {
                    self.taint.assigned(&parameter.name, parts);
                    self.assign(&parameter.name, None);
                    self.prompts |=
                        settings::code(&parameter.name, &Word::unknown("", false)).is_some();
                }
                Ok(None)
            }
        }
    }

    /// The word of `${x:-word}`, if it is certain and would not be split in a way of its own.
    fn operand(&mut self, parts: &[Part]) -> Walked<Option<String>> {
        self.scan(parts)?;
        match parts {
            [] => Ok(Some(String::new())),
            [Part::Plain(text)] if !text.contains(['~', '{']) => Ok(Some(text.clone())),
            _ => Ok(None),
        }
    }

    /// Runs the substitutions inside parts whose value does not matter.
    pub(super) fn scan(&mut self, parts: &[Part]) -> Walked<()> {
        let mut field = Field::default();
        for part in parts {
            match part {
                Part::Parameter { parameter, .. } => {
                    self.parameter(parameter)?;
                }
                part => self.expansion(&mut field, part, true)?,
            }
        }
        Ok(())
    }
}

/// Whether zsh would see a modifier or a subscript behind a parameter without braces.
fn is_modified(parameter: &Parameter, next: Option<&Part>) -> bool {
    let text = match next {
        Some(Part::Plain(text) | Part::Quoted(text)) => text.as_str(),
        _ => "",
    };
    !parameter.raw.starts_with("${") && text.starts_with([':', '['])
}
