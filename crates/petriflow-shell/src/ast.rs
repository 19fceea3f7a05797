//! The syntax tree: what the text says, before anything is expanded.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use crate::command::RedirectionKind;

/// Chains in the order of the text.
#[derive(Debug, Default)]
pub(crate) struct List {
    pub(crate) chains: Vec<Chain>,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug)]
pub(crate) struct Chain {
    pub(crate) links: Vec<Link>,
    pub(crate) background: bool,
}

#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) joint: Joint,
    pub(crate) pipeline: Pipeline,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joint {
    Start,
    And,
    Or,
}

#[derive(Debug)]
pub(crate) struct Pipeline {
    pub(crate) negated: bool,
    pub(crate) timed: bool,
    pub(crate) stages: Vec<Stage>,
}

/// One command of a pipeline with the redirections that belong to all of it.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) node: Node,
    pub(crate) redirects: Vec<Redirect>,
    pub(crate) span: Range<usize>,
}

#[derive(Debug)]
pub(crate) enum Node {
    Simple(Simple),
    Subshell(List),
    Group(List),
    If {
        branches: Vec<(List, List)>,
        otherwise: Option<List>,
    },
    While {
        condition: List,
        body: List,
    },
    For {
        name: String,
        words: Vec<Word>,
        body: List,
    },
    ForArithmetic {
        head: Part,
        body: List,
    },
    Case {
        subject: Word,
        arms: Vec<(Vec<Word>, List)>,
    },
    Function {
        name: String,
        body: Rc<Stage>,
    },
    Arithmetic(Part),
    /// The operands of `[[ … ]]`, cut at `||`.
    Test(Vec<Vec<Word>>),
    Coproc(Box<Stage>),
}

/// Assignments and words.
#[derive(Debug, Default)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<Assign>,
    pub(crate) words: Vec<Word>,
    /// Elements of arrays given to `declare` and its like.
    pub(crate) elements: Vec<Word>,
}

#[derive(Debug)]
pub(crate) struct Assign {
    pub(crate) name: String,
    pub(crate) append: bool,
    /// What stands between brackets, with them; its expansions run too.
    pub(crate) subscript: Option<Word>,
    pub(crate) value: Value,
}

#[derive(Debug)]
pub(crate) enum Value {
    Scalar(Word),
    Array(Vec<Word>),
}

#[derive(Debug)]
pub(crate) struct Redirect {
    pub(crate) fd: Option<u32>,
    pub(crate) kind: RedirectionKind,
    pub(crate) target: Target,
}

#[derive(Debug)]
pub(crate) enum Target {
    Word(Word),
    /// Filled when the line that mentions the here-document ends.
    Document(Rc<OnceCell<Word>>),
}

/// A word as it is written.
#[derive(Debug, Default)]
pub(crate) struct Word {
    pub(crate) parts: Vec<Part>,
    pub(crate) span: Range<usize>,
}

#[derive(Debug)]
pub(crate) enum Part {
    /// Outside quotes: braces, tildes and patterns are still active.
    Plain(String),
    /// Inside quotes or escaped. May be empty, and then it still makes a word.
    Quoted(String),
    /// A `$` before something that some shells expand.
    Odd(String),
    Parameter {
        parameter: Parameter,
        quoted: bool,
    },
    Substitution {
        list: List,
        quoted: bool,
        raw: String,
    },
    /// `<(…)` and `>(…)`.
    Process {
        list: List,
        raw: String,
    },
    Arithmetic {
        parts: Vec<Part>,
        /// A variable's value is evaluated, and so are subscripts inside that value.
        names: bool,
        /// A variable may be assigned.
        assigns: bool,
        /// Everything between the parentheses; `raw` may be shortened.
        inner: String,
        raw: String,
    },
}

#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) operator: Operator,
    pub(crate) raw: String,
}

#[derive(Debug)]
pub(crate) enum Operator {
    /// `$x`, `${x}`
    None,
    /// `${x-w}`, `${x:-w}` (`colon`)
    Default { colon: bool, parts: Vec<Part> },
    /// `${x+w}`, `${x:+w}`
    Alternative { colon: bool, parts: Vec<Part> },
    /// Everything else. `evaluates`: a value is evaluated as arithmetic or as a name; `assigns`:
    /// `${x=w}`; `prompts`: `${x@P}`, which runs the substitutions inside the value.
    Other { parts: Vec<Part>, evaluates: bool, assigns: bool, prompts: bool },
}

impl Word {
    /// The word's text if it is written without quotes and expansions.
    pub(crate) fn plain(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Plain(text)] => Some(text),
            _ => None,
        }
    }
}
