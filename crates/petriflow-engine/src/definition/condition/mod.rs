//! Conditions on markings, which the properties of a definition are made of.
//!
//! The part of the guard language that speaks of tokens only, so that a claim about all markings
//! can be decided without a context:
//!
//! ```text
//! condition   a or b · a and b · not a · (a) · true · false · terminal · comparison · sum
//! comparison  sum < sum <= sum ...        (== != < <= > >=, chains allowed)
//! sum         tokens + 2 * tokens - 3
//! tokens      name · marking.name · `any name`
//! ```
//!
//! A name is a place and stands for its tokens; where a condition is wanted, a sum means "at least
//! one". `terminal` is true where no transition has the tokens to fire and no timeout is pending
//! (a place of that name is `marking.terminal`). `not` applies to what directly follows it; a
//! comparison behind it needs brackets.

mod lexer;

use std::ops::Range;

use petriflow_net::PlaceId;

use lexer::{Token, tokens};

use super::places::Places;
use crate::suggest::did_you_mean;

/// A condition on a marking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    text: String,
    expression: Expression,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Expression {
    Constant(bool),
    Terminal,
    Not(Box<Expression>),
    All(Vec<Expression>),
    Any(Vec<Expression>),
    /// Each sum compared with the next.
    Chain(Sum, Vec<(Comparison, Sum)>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// Weighted tokens and a constant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Sum {
    weights: Vec<(PlaceId, i64)>,
    constant: i64,
}

/// Why a text is no condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConditionError {
    pub(super) message: String,
    pub(super) range: Range<usize>,
    pub(super) help: Option<String>,
}

impl Condition {
    pub(super) fn parse(text: &str, places: &Places) -> Result<Self, ConditionError> {
        let mut parser = Parser { text, places, tokens: tokens(text)?, next: 0, depth: 0 };
        let value = parser.either()?;
        let expression = parser.condition(value)?;
        match parser.peek() {
            Token::End => Ok(Self { text: text.into(), expression }),
            _ => Err(parser.unexpected("the end")),
        }
    }

    /// The text it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it holds for these tokens; `terminal` is asked only where the word is used.
    pub fn holds(&self, tokens: impl Fn(PlaceId) -> u32, terminal: impl Fn() -> bool) -> bool {
        self.expression.holds(&tokens, &terminal)
    }

    /// Whether it says `terminal` somewhere.
    pub fn speaks_of_terminal(&self) -> bool {
        self.expression.speaks_of_terminal()
    }
}

impl Expression {
    fn holds(&self, tokens: &dyn Fn(PlaceId) -> u32, terminal: &dyn Fn() -> bool) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::Terminal => terminal(),
            Self::Not(inner) => !inner.holds(tokens, terminal),
            Self::All(parts) => parts.iter().all(|part| part.holds(tokens, terminal)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(tokens, terminal)),
            Self::Chain(first, rest) => {
                let mut left = first.value(tokens);
                rest.iter().all(|(comparison, sum)| {
                    let right = sum.value(tokens);
                    comparison.holds(std::mem::replace(&mut left, right), right)
                })
            }
        }
    }

    fn speaks_of_terminal(&self) -> bool {
        match self {
            Self::Terminal => true,
            Self::Constant(_) | Self::Chain(..) => false,
            Self::Not(inner) => inner.speaks_of_terminal(),
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::speaks_of_terminal),
        }
    }
}

impl Comparison {
    fn holds(self, left: i128, right: i128) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterOrEqual => left >= right,
        }
    }
}

impl Sum {
    /// Never saturates: fewer than 2^31 weights below 2^63, each times a count below 2^32.
    fn value(&self, tokens: &dyn Fn(PlaceId) -> u32) -> i128 {
        self.weights.iter().fold(i128::from(self.constant), |sum, &(place, weight)| {
            sum.saturating_add(i128::from(weight).saturating_mul(tokens(place).into()))
        })
    }

    fn scaled(mut self, factor: i64) -> Option<Self> {
        for (_, weight) in &mut self.weights {
            *weight = weight.checked_mul(factor)?;
        }
        self.constant = self.constant.checked_mul(factor)?;
        Some(self)
    }

    fn plus(mut self, other: Self) -> Option<Self> {
        self.weights.extend(other.weights);
        self.constant = self.constant.checked_add(other.constant)?;
        Some(self)
    }
}

/// Deeper brackets are refused, because conditions are read recursively.
const DEPTH_MAX: usize = 64;

/// What a part of the text means by itself.
enum Value {
    Condition(Expression),
    Sum(Sum),
}

struct Parser<'t, 'n> {
    text: &'t str,
    places: &'n Places,
    tokens: Vec<(Token<'t>, Range<usize>)>,
    next: usize,
    depth: usize,
}

impl<'t> Parser<'t, '_> {
    fn peek(&self) -> Token<'t> {
        self.tokens.get(self.next).map_or(Token::End, |(token, _)| *token)
    }

    fn range(&self) -> Range<usize> {
        let end = self.text.len();
        self.tokens.get(self.next).map_or(end..end, |(_, range)| range.clone())
    }

    fn step(&mut self) {
        self.next = self.next.saturating_add(1);
    }

    fn takes(&mut self, token: Token<'_>) -> bool {
        let takes = self.peek() == token;
        if takes {
            self.step();
        }
        takes
    }

    fn either(&mut self) -> Result<Value, ConditionError> {
        self.joined(Token::Or, Self::both, Expression::Any)
    }

    fn both(&mut self) -> Result<Value, ConditionError> {
        self.joined(Token::And, Self::chain, Expression::All)
    }

    fn joined(
        &mut self,
        by: Token<'static>,
        part: impl Fn(&mut Self) -> Result<Value, ConditionError>,
        join: impl Fn(Vec<Expression>) -> Expression,
    ) -> Result<Value, ConditionError> {
        let first = part(self)?;
        if self.peek() != by {
            return Ok(first);
        }
        let mut parts = vec![self.condition(first)?];
        while self.takes(by) {
            let value = part(self)?;
            parts.push(self.condition(value)?);
        }
        Ok(Value::Condition(join(parts)))
    }

    fn chain(&mut self) -> Result<Value, ConditionError> {
        let start = self.range();
        let first = self.sum()?;
        let Token::Comparison(_) = self.peek() else { return Ok(first) };
        let first = self.tokens_of(first, &start)?;
        let mut rest = Vec::new();
        while let Token::Comparison(comparison) = self.peek() {
            self.step();
            let start = self.range();
            let value = self.sum()?;
            rest.push((comparison, self.tokens_of(value, &start)?));
        }
        Ok(Value::Condition(Expression::Chain(first, rest)))
    }

    fn sum(&mut self) -> Result<Value, ConditionError> {
        let start = self.range();
        let mut value = self.product()?;
        while let Token::Sign(sign @ ('+' | '-')) = self.peek() {
            self.step();
            let at = self.range();
            let left = self.tokens_of(value, &start)?;
            let right = self.product()?;
            let right = self.tokens_of(right, &at)?;
            let factor = if sign == '-' { -1 } else { 1 };
            let sum = right.scaled(factor).and_then(|right| left.plus(right));
            value = Value::Sum(sum.ok_or_else(|| too_large(&at))?);
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<Value, ConditionError> {
        let start = self.range();
        let mut value = self.atom()?;
        while self.takes(Token::Sign('*')) {
            let at = self.range();
            let left = self.tokens_of(value, &start)?;
            let right = self.atom()?;
            let right = self.tokens_of(right, &at)?;
            let product = match (left.weights.is_empty(), right.weights.is_empty()) {
                (true, _) => right.scaled(left.constant),
                (_, true) => left.scaled(right.constant),
                _ => return Err(error("tokens can be multiplied by a number only", &at)),
            };
            value = Value::Sum(product.ok_or_else(|| too_large(&at))?);
        }
        Ok(value)
    }

    fn atom(&mut self) -> Result<Value, ConditionError> {
        let range = self.range();
        if self.depth > DEPTH_MAX {
            return Err(error("nested too deeply", &range));
        }
        let token = self.peek();
        if let Token::End | Token::Comparison(_) | Token::And | Token::Or = token {
            return Err(self.unexpected("a place, a number or a condition"));
        }
        self.step();
        match token {
            Token::Number(number) => {
                Ok(Value::Sum(Sum { weights: Vec::new(), constant: number.into() }))
            }
            Token::Name(name) | Token::Place(name) => self.place(name, &range).map(Value::Sum),
            Token::Constant(value) => Ok(Value::Condition(Expression::Constant(value))),
            Token::Terminal => Ok(Value::Condition(Expression::Terminal)),
            Token::Not => self.negation(),
            Token::Sign('(') => self.bracket(&range),
            Token::Sign('-') => {
                let value = self.deeper(Self::atom)?;
                let sum = self.tokens_of(value, &range)?;
                sum.scaled(-1).map(Value::Sum).ok_or_else(|| too_large(&range))
            }
            _ => Err(error(
                format!("`{}` is not expected here", self.text.get(range.clone()).unwrap_or("")),
                &range,
            )),
        }
    }

    fn negation(&mut self) -> Result<Value, ConditionError> {
        let value = self.deeper(Self::atom)?;
        let inner = self.condition(value)?;
        if let Token::Comparison(_) | Token::Sign('+' | '-' | '*') = self.peek() {
            return Err(ConditionError {
                help: Some("write `not (a > b)`".into()),
                ..error("`not` applies to what directly follows it", &self.range())
            });
        }
        Ok(Value::Condition(Expression::Not(Box::new(inner))))
    }

    fn bracket(&mut self, open: &Range<usize>) -> Result<Value, ConditionError> {
        let value = self.deeper(Self::either)?;
        match self.takes(Token::Sign(')')) {
            true => Ok(value),
            false => Err(error("this bracket is not closed", open)),
        }
    }

    fn deeper(
        &mut self,
        part: impl Fn(&mut Self) -> Result<Value, ConditionError>,
    ) -> Result<Value, ConditionError> {
        self.depth = self.depth.saturating_add(1);
        let value = part(self);
        self.depth = self.depth.saturating_sub(1);
        value
    }

    fn place(&self, name: &str, range: &Range<usize>) -> Result<Sum, ConditionError> {
        let Some(place) = self.places.find(name) else {
            return Err(ConditionError {
                help: did_you_mean(name, self.places.names()),
                ..error(format!("`{name}` is not a place"), range)
            });
        };
        Ok(Sum { weights: vec![(place, 1)], constant: 0 })
    }

    fn condition(&self, value: Value) -> Result<Expression, ConditionError> {
        match value {
            Value::Condition(expression) => Ok(expression),
            Value::Sum(sum) if sum.weights.is_empty() => {
                let at = self.next.saturating_sub(1);
                let range = self.tokens.get(at).map_or(0..0, |(_, range)| range.clone());
                Err(error("a number is not a condition", &range))
            }
            Value::Sum(sum) => {
                let one = Sum { weights: Vec::new(), constant: 1 };
                Ok(Expression::Chain(sum, vec![(Comparison::GreaterOrEqual, one)]))
            }
        }
    }

    fn tokens_of(&self, value: Value, at: &Range<usize>) -> Result<Sum, ConditionError> {
        match value {
            Value::Sum(sum) => Ok(sum),
            Value::Condition(_) => Err(error("a condition is not a number of tokens", at)),
        }
    }

    fn unexpected(&self, wanted: &str) -> ConditionError {
        let range = self.range();
        let message = match self.text.get(range.clone()) {
            None | Some("") => format!("{wanted} is missing at the end"),
            Some(found) => format!("`{found}` stands where {wanted} is expected"),
        };
        error(message, &range)
    }
}

fn error(message: impl Into<String>, range: &Range<usize>) -> ConditionError {
    ConditionError { message: message.into(), range: range.clone(), help: None }
}

fn too_large(range: &Range<usize>) -> ConditionError {
    error("a number is too large", range)
}
