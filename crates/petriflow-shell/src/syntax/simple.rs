//! Simple commands: assignments, words and redirections. Function definitions begin like one.

use std::rc::Rc;

use super::dollar::is_name;
use super::word::is_meta;
use super::{Parsed, Parser};
use crate::ast::{Assign, Node, Part, Redirect, Simple, Stage, Target, Value, Word};
use crate::command::RedirectionKind;
use crate::error::ErrorKind;

/// Words that mean something else at the place of a program.
const RESERVED: [&str; 22] = [
    "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "select", "function", "{", "}", "!", "[[", "]]", "coproc", "in", "foreach",
];

/// Builtins that take arrays as arguments.
const DECLARERS: [&str; 5] = ["declare", "typeset", "local", "export", "readonly"];

impl Parser<'_> {
    pub(super) fn simple(&mut self) -> Parsed<Stage> {
        let start = self.position;
        let mut simple = Simple::default();
        let mut redirects = Vec::new();
        let mut both = false;
        loop {
            self.skip_blanks()?;
            let ampersand = self.peek() == Some(b'&');
            if let Some(redirect) = self.redirect()? {
                both |= ampersand && !(simple.words.is_empty() && simple.assignments.is_empty());
                redirects.push(redirect);
                continue;
            }
            let word = self.word()?;
            if word.parts.is_empty() {
                break;
            }
            // A shell that does not know `&>` runs the words behind it as a command of their own.
            if both {
                return Err(self.unsupported("a word behind `&>`"));
            }
            // A descriptor that a continued line hides.
            let digits =
                word.plain().is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
            if digits && matches!(self.peek(), Some(b'<' | b'>')) {
                return Err(self.unsupported("a descriptor on a continued line"));
            }
            // `{fd}>file` sets a variable; a program would follow it, not be it.
            let braced =
                word.plain().is_some_and(|text| text.starts_with('{') && text.ends_with('}'));
            if braced && matches!(self.peek(), Some(b'<' | b'>')) {
                return Err(self.unsupported("a redirection with a variable"));
            }
            if simple.words.is_empty() {
                let name = word.plain().filter(|name| !name.contains('='));
                match name {
                    Some(name)
                        if self.peek() == Some(b'(')
                            && simple.assignments.is_empty()
                            && redirects.is_empty() =>
                    {
                        return self.function(name.to_owned(), start);
                    }
                    _ => {}
                }
                match self.assignment(word)? {
                    Ok(assign) => simple.assignments.push(assign),
                    Err(word) => {
                        self.check_program(&word)?;
                        simple.words.push(word);
                        if let Some(stage) = self.late_function(&simple, &redirects, start)? {
                            return Ok(stage);
                        }
                    }
                }
            } else {
                self.argument(&mut simple, word)?;
            }
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && redirects.is_empty() {
            return Err(self.unexpected());
        }
        let span = self.place(start)..self.place(self.position);
        Ok(Stage { node: Node::Simple(simple), redirects, span })
    }

    /// `name () …` with blanks before the parenthesis.
    fn late_function(
        &mut self,
        simple: &Simple,
        redirects: &[Redirect],
        start: usize,
    ) -> Parsed<Option<Stage>> {
        self.skip_blanks()?;
        if self.peek() != Some(b'(') {
            return Ok(None);
        }
        match simple.words.as_slice() {
            [word] if simple.assignments.is_empty() && redirects.is_empty() => match word.plain() {
                Some(name) => self.function(name.to_owned(), start).map(Some),
                None => Err(self.unexpected()),
            },
            _ => Err(self.unexpected()),
        }
    }

    fn argument(&mut self, simple: &mut Simple, word: Word) -> Parsed<()> {
        // Behind `time` and its options a command of the shell may begin.
        let timed = simple.words.first().and_then(Word::plain) == Some("time")
            && simple.words.iter().skip(1).all(|word| {
                word.plain().is_some_and(|text| text == "time" || text.starts_with('-'))
            });
        if timed {
            self.check_program(&word)?;
        }
        let declares = simple
            .words
            .first()
            .and_then(Word::plain)
            .is_some_and(|name| DECLARERS.contains(&name));
        let is_array =
            self.peek() == Some(b'(') && word.plain().is_some_and(|text| text.ends_with('='));
        if declares && is_array {
            simple.elements.append(&mut self.array()?);
        }
        simple.words.push(word);
        Ok(())
    }

    /// A reserved word that was not seen as one, because a continued line runs through it.
    fn check_program(&self, word: &Word) -> Parsed<()> {
        match word.plain() {
            Some(text) if RESERVED.contains(&text) => {
                Err(self.error(ErrorKind::Unexpected(text.to_owned())))
            }
            _ => Ok(()),
        }
    }

    /// Splits `name=value`; gives the word back if it is none.
    fn assignment(&mut self, word: Word) -> Parsed<Result<Assign, Word>> {
        let Some(Part::Plain(first)) = word.parts.first() else { return Ok(Err(word)) };
        let name_end = first.bytes().position(|byte| !is_name(byte)).unwrap_or(first.len());
        let (name, rest) = first.split_at_checked(name_end).unwrap_or_default();
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(Err(word));
        }
        if rest.starts_with('[') {
            return self.element(word);
        }
        if self.strict && rest.starts_with("+=") {
            return Err(self.unsupported("`+=` for a shell that may not know it"));
        }
        let (append, value) = match (rest.strip_prefix("+="), rest.strip_prefix('=')) {
            (Some(value), _) => (true, value.to_owned()),
            (None, Some(value)) => (false, value.to_owned()),
            (None, None) => return Ok(Err(word)),
        };
        let name = name.to_owned();
        if value.is_empty() && word.parts.len() == 1 && self.peek() == Some(b'(') {
            let value = Value::Array(self.array()?);
            return Ok(Ok(Assign { name, append, subscript: None, value }));
        }
        let mut parts = word.parts;
        if let Some(Part::Plain(first)) = parts.first_mut() {
            *first = value;
        }
        let value = Value::Scalar(Word { parts, span: word.span });
        Ok(Ok(Assign { name, append, subscript: None, value }))
    }

    /// `name[subscript]=value`. The whole word is kept as subscript: only its expansions matter,
    /// and an element is never followed.
    fn element(&mut self, word: Word) -> Parsed<Result<Assign, Word>> {
        let closes = word.parts.iter().any(|part| match part {
            Part::Plain(text) => text.contains("]=") || text.contains("]+="),
            _ => false,
        });
        // A shell reads on to the bracket, blanks included, and a program may follow.
        if !closes {
            return Err(self.unsupported("a subscript in the place of a program"));
        }
        let first = match word.parts.first() {
            Some(Part::Plain(text)) => text.as_str(),
            _ => "",
        };
        let name = first.split('[').next().unwrap_or_default().to_owned();
        let value = Value::Array(Vec::new());
        Ok(Ok(Assign { name, append: true, subscript: Some(word), value }))
    }

    /// `( word … )`
    fn array(&mut self) -> Parsed<Vec<Word>> {
        self.advance(1);
        let mut words = Vec::new();
        loop {
            self.skip_lines_without_comments()?;
            if self.eat(")") {
                // The word goes on behind the parenthesis, and what follows is no comment.
                if continues(self.peek()) || self.peek() == Some(b'(') {
                    return Err(self.unsupported("a word that goes on behind an array"));
                }
                return Ok(words);
            }
            let word = self.word()?;
            if word.parts.is_empty() {
                return Err(self.unexpected());
            }
            words.push(word);
        }
    }

    /// The rest of a function definition, from the parenthesis on.
    pub(super) fn function(&mut self, name: String, start: usize) -> Parsed<Stage> {
        self.expect("(")?;
        self.skip_blanks()?;
        self.expect(")")?;
        self.skip_lines()?;
        self.function_body(name, start)
    }

    pub(super) fn function_body(&mut self, name: String, start: usize) -> Parsed<Stage> {
        let body = self.stage()?;
        // Only zsh takes a simple command, with rules of its own for where it ends.
        if matches!(body.node, Node::Simple(_) | Node::Function { .. } | Node::Coproc(_)) {
            return Err(self.unexpected());
        }
        let span = self.place(start)..self.place(self.position);
        Ok(Stage {
            node: Node::Function { name, body: Rc::new(body) },
            redirects: Vec::new(),
            span,
        })
    }

    /// A redirection, if one begins here.
    pub(super) fn redirect(&mut self) -> Parsed<Option<Redirect>> {
        let digits = self.bytes.get(self.position..).unwrap_or_default();
        let digits = digits.iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
        let operator = self.peek_at(digits);
        let both = digits == 0 && operator == Some(b'&') && self.peek_at(1) == Some(b'>');
        if !both && !matches!(operator, Some(b'<' | b'>')) {
            return Ok(None);
        }
        // A process substitution.
        if digits == 0 && !both && self.peek_at(1) == Some(b'(') {
            return Ok(None);
        }
        let from = self.position;
        self.advance(digits);
        let fd = self.slice(from).parse().ok();
        let (kind, document) = self.redirect_operator(both);
        let duplicates = kind == RedirectionKind::Duplicate;
        if let Some(strip_tabs) = document {
            let target = self.document(strip_tabs)?;
            return Ok(Some(Redirect { fd, kind, target }));
        }
        self.skip_blanks()?;
        let word = self.word()?;
        if word.parts.is_empty() {
            return Err(self.unexpected());
        }
        if duplicates && !is_certain(&word) {
            return Err(self.unsupported("a duplication's target, which is expanded twice,"));
        }
        let kind = match kind {
            RedirectionKind::Duplicate if !is_descriptor(&word) => RedirectionKind::Write,
            kind => kind,
        };
        Ok(Some(Redirect { fd, kind, target: Target::Word(word) }))
    }

    /// Eats the operator. For a here-document, says whether tabs are stripped.
    fn redirect_operator(&mut self, both: bool) -> (RedirectionKind, Option<bool>) {
        use RedirectionKind as Kind;
        const OPERATORS: [(&str, Kind); 10] = [
            ("<<<", Kind::HereString),
            ("<<", Kind::HereDocument),
            ("<&", Kind::Duplicate),
            ("<>", Kind::ReadWrite),
            ("<", Kind::Read),
            (">>", Kind::Append),
            (">|", Kind::Clobber),
            (">&", Kind::Duplicate),
            (">", Kind::Write),
            ("", Kind::Write),
        ];
        if both {
            self.advance(1);
        }
        for (operator, kind) in OPERATORS {
            if self.eat(operator) {
                let document = (kind == Kind::HereDocument).then(|| self.eat("-"));
                return (kind, document);
            }
        }
        (Kind::Write, None)
    }
}

/// Whether a duplication's target is certainly a descriptor and not a file.
fn is_descriptor(word: &Word) -> bool {
    word.plain().is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'))
}

/// Whether a word is the same after a second expansion.
fn is_certain(word: &Word) -> bool {
    word.parts.iter().all(|part| match part {
        Part::Plain(text) | Part::Quoted(text) => !text.contains(['$', '`', '\\', '*', '?', '[']),
        _ => false,
    })
}

/// Whether a word could go on here.
pub(super) fn continues(byte: Option<u8>) -> bool {
    byte.is_some_and(|byte| !is_meta(byte))
}
