//! What operators stand between: literals, paths, parentheses, lists and calls.

use super::super::ast::{Expr, Function, Kind, Path, Span};
use super::super::error::ParseError;
use super::super::lexer::TokenKind;
use super::super::value::constant;
use super::{Parsed, Parser};
use crate::suggest::closest;

impl Parser<'_> {
    pub(super) fn of(&mut self) -> Parsed {
        let start = self.span();
        let (Some(TokenKind::Path { path, quoted }), Some(TokenKind::Word("of"))) =
            (self.peek(), self.peek_second())
        else {
            return self.primary();
        };
        let path = path.clone();
        if is_marking(&path, *quoted) {
            return Err(ParseError::new("places have no fields", start.range())
                .help("write `marking.<place>`"));
        }
        self.advance();
        self.advance();
        let object = self.nested(Self::of)?;
        let span = start.to(object.span);
        let kind = match object.kind {
            Kind::Field(outer) => Kind::Field(outer.join(path)),
            _ => Kind::Of { path, object: object.into() },
        };
        Ok(Expr { kind, span })
    }

    fn primary(&mut self) -> Parsed {
        let span = self.span();
        let kind = match self.peek() {
            Some(TokenKind::Number(number)) => Kind::Number(*number),
            Some(TokenKind::Text(text)) => Kind::Text(text.clone()),
            Some(TokenKind::Word("true")) => Kind::Bool(true),
            Some(TokenKind::Word("false")) => Kind::Bool(false),
            Some(TokenKind::Word("null")) => Kind::Null,
            Some(TokenKind::Sign("(")) => return self.parenthesised(),
            Some(TokenKind::Path { path, quoted }) => {
                let (path, quoted) = (path.clone(), *quoted);
                return self.path(path, quoted);
            }
            _ => return Err(self.unexpected("a value")),
        };
        self.advance();
        Ok(Expr { kind, span })
    }

    fn path(&mut self, path: Path, quoted: bool) -> Parsed {
        let span = self.advance();
        if self.peek() == Some(&TokenKind::Sign("(")) {
            return self.call(&path, quoted, span);
        }
        if !is_marking(&path, quoted) {
            return Ok(Expr { kind: Kind::Field(path), span });
        }
        match path.0.as_ref() {
            [_, place] => {
                let kind = Kind::Place { name: place.name.clone(), index: None };
                Ok(Expr { kind, span })
            }
            _ => Err(ParseError::new("`marking` needs the name of one place", span.range()).help(
                "write `marking.<place>`, or `` `marking` `` in backticks for a field of that name",
            )),
        }
    }

    fn parenthesised(&mut self) -> Parsed {
        let start = self.advance();
        if self.eat_sign(")") {
            return Err(ParseError::new(
                "there is nothing in these parentheses",
                start.to(self.last()).range(),
            )
            .help("a list has at least one element: `(a,)`"));
        }
        let (mut parts, is_list) = self.parts()?;
        let span = start.to(self.expect_closing(start)?);
        if !is_list && let Some(inner) = parts.pop() {
            // An error about it shows it with its parentheses.
            return Ok(Expr { kind: inner.kind, span });
        }
        let kind = match parts.iter().map(|part| constant(&part.kind)).collect::<Option<Vec<_>>>() {
            Some(values) => Kind::Constant(Box::new(values.into())),
            None => Kind::List(parts.into()),
        };
        Ok(Expr { kind, span })
    }

    /// Expressions with commas between them, and whether there is any comma.
    fn parts(&mut self) -> Result<(Vec<Expr>, bool), ParseError> {
        let mut parts = vec![self.nested(Self::expression)?];
        let mut commas = false;
        while self.eat_sign(",") {
            commas = true;
            if self.peek() == Some(&TokenKind::Sign(")")) {
                break;
            }
            parts.push(self.nested(Self::expression)?);
        }
        Ok((parts, commas))
    }

    fn last(&self) -> Span {
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        last.map_or(Span { start: 0, end: 0 }, |token| token.span)
    }

    fn call(&mut self, path: &Path, quoted: bool, name_span: Span) -> Parsed {
        let name = path.text();
        if quoted || !FUNCTIONS.contains(&name.as_str()) {
            let error =
                ParseError::new(format!("there is no function `{name}`"), name_span.range());
            return Err(match closest(&name, FUNCTIONS) {
                Some(meant) => error.help(format!("did you mean `{meant}`?")),
                None => error.help(format!("there are {}", FUNCTIONS.join(", "))),
            });
        }
        let opening = self.advance();
        let empty = self.peek() == Some(&TokenKind::Sign(")"));
        let arguments = if empty { Vec::new() } else { self.parts()?.0 };
        let span = name_span.to(self.expect_closing(opening)?);
        let variadic = name == "min" || name == "max";
        if arguments.is_empty() || (!variadic && arguments.len() > 1) {
            let wanted = if variadic { "at least one argument" } else { "one argument" };
            let message = format!("`{name}` takes {wanted}, not {}", arguments.len());
            return Err(ParseError::new(message, span.range()));
        }
        Ok(Expr { kind: applied(&name, arguments)?, span })
    }
}

const FUNCTIONS: [&str; 12] = [
    "abs", "ceil", "floor", "round", "min", "max", "sqrt", "log", "log2", "log10", "exists",
    "empty",
];

fn applied(name: &str, mut arguments: Vec<Expr>) -> Result<Kind, ParseError> {
    let function = match name {
        "abs" => Function::Abs,
        "ceil" => Function::Ceil,
        "floor" => Function::Floor,
        "round" => Function::Round,
        "min" => Function::Min,
        "max" => Function::Max,
        "sqrt" => Function::Sqrt,
        "log" => Function::Log,
        "log2" => Function::Log2,
        "log10" => Function::Log10,
        _ => {
            let argument = arguments.pop();
            return match argument {
                Some(Expr { kind: Kind::Field(path), .. }) if name == "exists" => {
                    Ok(Kind::Exists(path))
                }
                Some(argument) if name == "exists" => {
                    let message = "`exists` asks about a field of the context";
                    Err(ParseError::new(message, argument.span.range())
                        .help("write the path of the field, such as `exists(order.total)`"))
                }
                Some(argument) => Ok(Kind::Empty(argument.into())),
                None => Err(ParseError::new("an argument is missing", 0..0)),
            };
        }
    };
    Ok(Kind::Call { function, arguments: arguments.into() })
}

fn is_marking(path: &Path, quoted: bool) -> bool {
    !quoted && path.0.first().is_some_and(|first| &*first.name == "marking")
}
