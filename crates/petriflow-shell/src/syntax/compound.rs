//! Compound commands.

use super::simple::continues;
use super::{Parsed, Parser};
use crate::ast::{List, Node, Stage, Word};

impl Parser<'_> {
    /// One command of a pipeline.
    pub(super) fn stage(&mut self) -> Parsed<Stage> {
        let start = self.position;
        let node = match self.compound()? {
            Some(Node::Function { name, body }) => {
                let span = self.place(start)..self.place(self.position);
                return Ok(Stage {
                    node: Node::Function { name, body },
                    redirects: Vec::new(),
                    span,
                });
            }
            Some(Node::Coproc(inner)) => {
                let span = inner.span.clone();
                return Ok(Stage { node: Node::Coproc(inner), redirects: Vec::new(), span });
            }
            Some(node) => node,
            None => return self.simple(),
        };
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks()?;
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => break,
            }
        }
        // `{ …; } word` is an error in bash and something else in zsh.
        if continues(self.peek()) {
            return Err(self.unexpected());
        }
        let span = self.place(start)..self.place(self.position);
        Ok(Stage { node, redirects, span })
    }

    /// A compound command, if one begins here.
    fn compound(&mut self) -> Parsed<Option<Node>> {
        if self.peek() == Some(b'(') {
            return self.parenthesis().map(Some);
        }
        let Some(word) = self.reserved() else { return Ok(None) };
        let length = word.len();
        let parse: fn(&mut Self) -> Parsed<Node> = match word {
            "{" => Self::group,
            "if" => Self::conditional,
            "while" | "until" => Self::while_loop,
            "for" | "select" => Self::for_loop,
            "case" => Self::case,
            "function" => Self::function_keyword,
            "[[" => Self::test,
            "coproc" => Self::coproc,
            _ => return Ok(None),
        };
        self.nest(|parser| {
            parser.advance(length);
            parse(parser).map(Some)
        })
    }

    fn parenthesis(&mut self) -> Parsed<Node> {
        let start = self.position;
        self.advance(1);
        if self.eat("(") {
            if self.strict {
                return Err(self.unsupported("`((` for a shell that may not know it"));
            }
            return Ok(Node::Arithmetic(self.nest(|parser| parser.arithmetic(start, false))?));
        }
        let list = self.body()?;
        self.expect(")")?;
        Ok(Node::Subshell(list))
    }

    fn group(&mut self) -> Parsed<Node> {
        let list = self.body()?;
        self.expect_word("}")?;
        Ok(Node::Group(list))
    }

    fn conditional(&mut self) -> Parsed<Node> {
        let mut branches = Vec::new();
        loop {
            let condition = self.body()?;
            self.expect_word("then")?;
            branches.push((condition, self.body()?));
            match self.reserved() {
                Some("elif") => self.advance(4),
                Some("else") => {
                    self.advance(4);
                    let otherwise = Some(self.body()?);
                    self.expect_word("fi")?;
                    return Ok(Node::If { branches, otherwise });
                }
                _ => {
                    self.expect_word("fi")?;
                    return Ok(Node::If { branches, otherwise: None });
                }
            }
        }
    }

    fn while_loop(&mut self) -> Parsed<Node> {
        let condition = self.body()?;
        let body = self.do_done()?;
        Ok(Node::While { condition, body })
    }

    fn do_done(&mut self) -> Parsed<List> {
        self.expect_word("do")?;
        let body = self.body()?;
        self.expect_word("done")?;
        Ok(body)
    }

    fn for_loop(&mut self) -> Parsed<Node> {
        self.skip_blanks()?;
        if self.peek() == Some(b'(') {
            let start = self.position;
            self.expect("((")?;
            let head = self.arithmetic(start, true)?;
            self.skip_blanks()?;
            self.eat(";");
            self.skip_lines()?;
            return Ok(Node::ForArithmetic { head, body: self.do_done()? });
        }
        let name = self.word()?;
        let Some(name) = name.plain().map(str::to_owned) else { return Err(self.unexpected()) };
        self.skip_lines()?;
        let mut words = Vec::new();
        if self.reserved() == Some("in") {
            self.advance(2);
            words = self.words()?;
        }
        self.skip_blanks()?;
        self.eat(";");
        self.skip_lines()?;
        Ok(Node::For { name, words, body: self.do_done()? })
    }

    fn words(&mut self) -> Parsed<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks()?;
            let word = self.word()?;
            if word.parts.is_empty() {
                return Ok(words);
            }
            words.push(word);
        }
    }

    fn case(&mut self) -> Parsed<Node> {
        self.skip_blanks()?;
        let subject = self.word()?;
        if subject.parts.is_empty() {
            return Err(self.unexpected());
        }
        self.skip_lines()?;
        self.expect_word("in")?;
        let mut arms = Vec::new();
        loop {
            self.skip_lines()?;
            if self.reserved() == Some("esac") {
                self.advance(4);
                return Ok(Node::Case { subject, arms });
            }
            let patterns = self.patterns()?;
            let body = self.list()?;
            arms.push((patterns, body));
            if self.eat(";;") {
                self.eat("&");
            } else if !self.eat(";&") && self.reserved() != Some("esac") {
                return Err(self.unexpected());
            }
        }
    }

    /// `(a|b)` with an optional opening parenthesis.
    fn patterns(&mut self) -> Parsed<Vec<Word>> {
        self.eat("(");
        let mut patterns = Vec::new();
        loop {
            self.skip_blanks()?;
            let word = self.word()?;
            if word.parts.is_empty() {
                return Err(self.unexpected());
            }
            patterns.push(word);
            self.skip_blanks()?;
            if self.eat(")") {
                return Ok(patterns);
            }
            self.expect("|")?;
        }
    }

    fn function_keyword(&mut self) -> Parsed<Node> {
        self.skip_blanks()?;
        let start = self.position;
        let word = self.word()?;
        let Some(name) = word.plain().map(str::to_owned) else { return Err(self.unexpected()) };
        self.skip_blanks()?;
        let stage = if self.peek() == Some(b'(') && self.peek_at(1) == Some(b')') {
            self.function(name, start)?
        } else {
            self.skip_lines()?;
            self.function_body(name, start)?
        };
        Ok(stage.node)
    }

    /// `[[ … ]]`: the operators do not matter, the words do.
    fn test(&mut self) -> Parsed<Node> {
        if self.strict {
            return Err(self.unsupported("`[[` for a shell that may not know it"));
        }
        let mut groups = Vec::new();
        let mut words = Vec::new();
        loop {
            let from = self.position;
            self.skip_lines_without_comments()?;
            // A shell that does not know `[[` runs the next line.
            if self.slice(from).replace("\\\n", "").contains('\n') {
                return Err(self.unsupported("a line's end inside `[[`"));
            }
            if self.reserved() == Some("]]") {
                self.advance(2);
                groups.push(words);
                return Ok(Node::Test(groups));
            }
            match self.peek() {
                Some(b'<' | b'>') if self.peek_at(1) == Some(b'(') => words.push(self.word()?),
                Some(b'|') => {
                    self.advance(1);
                    groups.push(std::mem::take(&mut words));
                }
                Some(b'(' | b')' | b'<' | b'>') => self.advance(1),
                Some(b'&') if self.peek_at(1) == Some(b'&') => self.advance(2),
                Some(b'&' | b';' | b'#') | None => return Err(self.unexpected()),
                Some(_) => words.push(self.word()?),
            }
        }
    }

    fn coproc(&mut self) -> Parsed<Node> {
        self.skip_blanks()?;
        // `coproc NAME { …; }`: a name only before a compound command.
        let named = self.reserved().is_some_and(|word| word.bytes().all(super::dollar::is_name));
        let here = self.position;
        if named && !self.begins_compound() {
            let word = self.word()?;
            self.skip_blanks()?;
            if word.plain().is_none() || !self.begins_compound() {
                self.position = here;
            }
        }
        Ok(Node::Coproc(Box::new(self.stage()?)))
    }

    fn begins_compound(&self) -> bool {
        const WORDS: [&str; 8] = ["{", "if", "while", "until", "for", "select", "case", "[["];
        self.peek() == Some(b'(') || self.reserved().is_some_and(|word| WORDS.contains(&word))
    }
}
