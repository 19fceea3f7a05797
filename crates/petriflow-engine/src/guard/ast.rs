//! What a guard's text means: a tree whose paths are split and whose patterns are compiled.
//!
//! Operators of one level stand in one node with all their operands, so that `a + b + c + …` is as
//! deep as `a + b`. The depth of a tree is therefore bounded by the nesting that the parser allows,
//! and everything that walks a tree may recurse.

use std::ops::Range;

use regex::Regex;
use serde_json::Value;

/// An expression and where it stands in the text.
#[derive(Debug, Clone)]
pub(super) struct Expr {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// A range of bytes; texts are short enough for 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Span {
    pub(super) fn to(self, end: Span) -> Span {
        Span { start: self.start, end: end.end }
    }

    pub(super) fn range(self) -> Range<usize> {
        let wide = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
        wide(self.start)..wide(self.end)
    }
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Null,
    Bool(bool),
    Number(f64),
    Text(Box<str>),
    /// A list of literals, made once.
    Constant(Box<Value>),
    Field(Path),
    Place {
        name: Box<str>,
        /// Set by binding.
        index: Option<usize>,
    },
    /// A field of something that is not itself a field: those are joined into one path.
    Of {
        path: Path,
        object: Box<Expr>,
    },
    Not(Box<Expr>),
    Minus(Box<Expr>),
    And(Box<[Expr]>),
    Or(Box<[Expr]>),
    /// `if` with every `else if`.
    If {
        arms: Box<[Arm]>,
        otherwise: Box<Expr>,
    },
    Compare {
        first: Box<Expr>,
        rest: Box<[(Comparison, Expr)]>,
    },
    In {
        item: Box<Expr>,
        list: Box<Expr>,
        negated: bool,
    },
    Matches {
        text: Box<Expr>,
        pattern: Box<Regex>,
    },
    List(Box<[Expr]>),
    /// Operators of one level, from left to right.
    Arithmetic {
        first: Box<Expr>,
        rest: Box<[(Operator, Expr)]>,
    },
    Power(Box<(Expr, Expr)>),
    Call {
        function: Function,
        arguments: Box<[Expr]>,
    },
    Exists(Path),
    Empty(Box<Expr>),
}

/// `if when then value`.
#[derive(Debug, Clone)]
pub(super) struct Arm {
    pub(super) when: Expr,
    pub(super) value: Expr,
}

/// The names that lead to a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path(pub(super) Box<[Segment]>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) name: Box<str>,
    /// If the name is a number, written without quotes: the element of a list.
    pub(super) index: Option<usize>,
}

impl Path {
    /// The path to what `inner` is in what this leads to.
    pub(super) fn join(self, inner: Path) -> Path {
        Path(self.0.into_iter().chain(inner.0).collect())
    }

    /// As one would write it.
    pub(super) fn text(&self) -> String {
        self.leading_text(self.0.len())
    }

    /// The first names of it, as one would write them.
    pub(super) fn leading_text(&self, count: usize) -> String {
        let names = self.0.iter().take(count).map(|segment| quoted(&segment.name));
        names.collect::<Vec<_>>().join(".")
    }
}

/// A name as it must be written behind a dot.
pub(super) fn quoted(name: &str) -> String {
    let plain = !name.is_empty() && name.chars().all(is_name_char);
    if plain {
        return name.to_owned();
    }
    format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"))
}

/// Whether a character may stand in a name that is not quoted.
pub(super) fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    pub(super) fn is_order(self) -> bool {
        !matches!(self, Self::Equal | Self::Unequal)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
}

/// Functions from numbers to a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Abs,
    Ceil,
    Floor,
    Round,
    Min,
    Max,
    Sqrt,
    Log,
    Log2,
    Log10,
}

impl Expr {
    /// Calls `visit` for every part, the outer ones first.
    pub(super) fn walk<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr)) {
        visit(self);
        match &self.kind {
            Kind::Of { object: inner, .. }
            | Kind::Not(inner)
            | Kind::Minus(inner)
            | Kind::Empty(inner)
            | Kind::Matches { text: inner, .. } => inner.walk(visit),
            Kind::And(parts)
            | Kind::Or(parts)
            | Kind::List(parts)
            | Kind::Call { arguments: parts, .. } => {
                parts.iter().for_each(|part| part.walk(visit));
            }
            Kind::If { arms, otherwise } => {
                for arm in arms {
                    arm.when.walk(visit);
                    arm.value.walk(visit);
                }
                otherwise.walk(visit);
            }
            Kind::Compare { first, rest } => {
                first.walk(visit);
                rest.iter().for_each(|(_, part)| part.walk(visit));
            }
            Kind::Arithmetic { first, rest } => {
                first.walk(visit);
                rest.iter().for_each(|(_, part)| part.walk(visit));
            }
            Kind::In { item, list, .. } => {
                item.walk(visit);
                list.walk(visit);
            }
            Kind::Power(pair) => {
                pair.0.walk(visit);
                pair.1.walk(visit);
            }
            Kind::Null
            | Kind::Bool(_)
            | Kind::Number(_)
            | Kind::Text(_)
            | Kind::Constant(_)
            | Kind::Field(_)
            | Kind::Place { .. }
            | Kind::Exists(_) => {}
        }
    }

    /// The expressions directly inside, to be changed.
    pub(super) fn children_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            Kind::Of { object: inner, .. }
            | Kind::Not(inner)
            | Kind::Minus(inner)
            | Kind::Empty(inner)
            | Kind::Matches { text: inner, .. } => vec![inner],
            Kind::And(parts)
            | Kind::Or(parts)
            | Kind::List(parts)
            | Kind::Call { arguments: parts, .. } => parts.iter_mut().collect(),
            Kind::If { arms, otherwise } => {
                let arms = arms.iter_mut().flat_map(|arm| [&mut arm.when, &mut arm.value]);
                arms.chain([&mut **otherwise]).collect()
            }
            Kind::Compare { first, rest } => {
                [&mut **first].into_iter().chain(rest.iter_mut().map(|(_, part)| part)).collect()
            }
            Kind::Arithmetic { first, rest } => {
                [&mut **first].into_iter().chain(rest.iter_mut().map(|(_, part)| part)).collect()
            }
            Kind::In { item, list, .. } => vec![item, list],
            Kind::Power(pair) => {
                let (base, exponent) = &mut **pair;
                vec![base, exponent]
            }
            Kind::Null
            | Kind::Bool(_)
            | Kind::Number(_)
            | Kind::Text(_)
            | Kind::Constant(_)
            | Kind::Field(_)
            | Kind::Place { .. }
            | Kind::Exists(_) => Vec::new(),
        }
    }
}
