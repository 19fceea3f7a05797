//! What a rules file says, as values.

use std::fmt;

use crate::diagnostic::Span;

/// The lines of one or more files that say something, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// Statements, comments and blank lines.
    pub lines: Vec<Line>,
}

impl Document {
    /// The statements alone.
    pub fn statements(&self) -> impl Iterator<Item = &Statement> {
        self.lines.iter().filter_map(|line| line.statement.as_ref())
    }
}

/// One line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// What it says, if it says something.
    pub statement: Option<Statement>,
    /// The comment, without `#`, if there is one.
    pub comment: Option<String>,
}

/// One statement and where it stands.
#[derive(Debug, Clone)]
pub struct Statement {
    /// What it says.
    pub kind: StatementKind,
    /// Where it stands, without the comment.
    pub span: Span,
}

/// What it says counts, not where it stands.
impl PartialEq for Statement {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Statement {}

/// The kinds of statements.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum StatementKind {
    /// `require PREREQUISITE before DEPENDENT`
    Require {
        /// What must succeed first.
        prerequisite: Name,
        /// What waits for it.
        dependent: Name,
    },
    /// `require human-approval before TOOL`
    RequireApproval {
        /// What a person must approve.
        tool: Name,
    },
    /// `block TOOL`
    Block {
        /// What never runs.
        tool: Name,
    },
    /// `limit TOOL to COUNT per SCOPE`
    Limit {
        /// What is counted.
        tool: Name,
        /// How many calls.
        count: u32,
        /// Until when.
        scope: Scope,
    },
    /// `map TOOL.FIELD PATTERN as NAME`
    Map {
        /// What is looked at.
        field: Field,
        /// What it must match.
        pattern: Pattern,
        /// What the call is then.
        name: Name,
    },
    /// `shell TOOL.FIELD`
    Shell {
        /// The field that holds shell commands.
        field: Field,
    },
    /// `plain TOOL.FIELD`
    Plain {
        /// The field that does not.
        field: Field,
    },
}

/// What ends the counting of a limit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Nothing: the limit is for the whole session.
    Session,
    /// A successful call of this tool.
    Tool(Name),
}

/// The name of a tool or virtual tool.
#[derive(Debug, Clone)]
pub struct Name {
    /// As written.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A field of a tool's input.
#[derive(Debug, Clone)]
pub struct Field {
    /// The tool.
    pub tool: String,
    /// The field.
    pub field: String,
    /// Where both stand.
    pub span: Span,
}

/// What a field must match.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// The kind and the text.
    pub kind: PatternKind,
    /// Where.
    pub span: Span,
}

/// The kinds of patterns.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PatternKind {
    /// A word, found where no letter, digit or `_` is right before or after it.
    Word(String),
    /// A regular expression as it stands between the slashes.
    Regex(String),
}

macro_rules! compared_by_content {
    ($type:ident: $($field:ident),*) => {
        impl PartialEq for $type {
            fn eq(&self, other: &Self) -> bool {
                $(self.$field == other.$field)&&*
            }
        }

        impl Eq for $type {}

        impl std::hash::Hash for $type {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                $(self.$field.hash(state);)*
            }
        }
    };
}

// Where something stands is not part of what it is.
compared_by_content!(Name: text);
compared_by_content!(Field: tool, field);
compared_by_content!(Pattern: kind);

impl StatementKind {
    /// Whether it is a rule, which becomes a net.
    pub fn is_rule(&self) -> bool {
        match self {
            Self::Require { .. }
            | Self::RequireApproval { .. }
            | Self::Block { .. }
            | Self::Limit { .. } => true,
            Self::Map { .. } | Self::Shell { .. } | Self::Plain { .. } => false,
        }
    }

    /// The tools a rule names; none for other statements.
    pub fn rule_names(&self) -> impl Iterator<Item = &Name> {
        let names = match self {
            Self::Require { prerequisite, dependent } => [Some(prerequisite), Some(dependent)],
            Self::RequireApproval { tool } | Self::Block { tool } => [Some(tool), None],
            Self::Limit { tool, scope: Scope::Session, .. } => [Some(tool), None],
            Self::Limit { tool, scope: Scope::Tool(scope), .. } => [Some(tool), Some(scope)],
            Self::Map { .. } | Self::Shell { .. } | Self::Plain { .. } => [None, None],
        };
        names.into_iter().flatten()
    }
}

impl fmt::Display for StatementKind {
    /// The statement as it is written, one space between words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Require { prerequisite, dependent } => {
                write!(f, "require {prerequisite} before {dependent}")
            }
            Self::RequireApproval { tool } => write!(f, "require human-approval before {tool}"),
            Self::Block { tool } => write!(f, "block {tool}"),
            Self::Limit { tool, count, scope } => write!(f, "limit {tool} to {count} per {scope}"),
            Self::Map { field, pattern, name } => write!(f, "map {field} {pattern} as {name}"),
            Self::Shell { field } => write!(f, "shell {field}"),
            Self::Plain { field } => write!(f, "plain {field}"),
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Session => f.write_str("session"),
            Self::Tool(name) => name.fmt(f),
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.tool, self.field)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            PatternKind::Word(word) => f.write_str(word),
            PatternKind::Regex(regex) => write!(f, "/{regex}/"),
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.statement, &self.comment) {
            (None, None) => Ok(()),
            (Some(statement), None) => statement.kind.fmt(f),
            (None, Some(comment)) => write!(f, "#{comment}"),
            (Some(statement), Some(comment)) => write!(f, "{}  #{comment}", statement.kind),
        }
    }
}

impl fmt::Display for Document {
    /// The file in its one form; reading it again gives the same document.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}
