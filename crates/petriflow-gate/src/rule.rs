//! Where a net came from: the rule it was compiled from and the rule's place in a file.

use std::fmt;

/// The rule that a net enforces. Refusals are worded after it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RuleKind {
    /// `require PREREQUISITE before DEPENDENT`
    Sequence {
        /// What must succeed first.
        prerequisite: String,
        /// What waits for it.
        dependent: String,
    },
    /// `require human-approval before TOOL`
    Approval {
        /// What a person must approve.
        tool: String,
    },
    /// `block TOOL`
    Block {
        /// What never runs.
        tool: String,
    },
    /// `limit TOOL to LIMIT per SCOPE`
    Limit {
        /// What is counted.
        tool: String,
        /// How many calls.
        limit: u64,
        /// `session`, or the tool whose success refills the budget.
        scope: String,
    },
}

impl fmt::Display for RuleKind {
    /// The constraint, as it is told to an agent that ran into it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sequence { prerequisite, dependent } => {
                write!(f, "{dependent} requires a successful call to {prerequisite} first.")
            }
            Self::Approval { tool } => write!(f, "{tool} requires human approval."),
            Self::Block { tool } => write!(f, "{tool} is blocked and cannot be called."),
            Self::Limit { tool, limit, scope } => {
                write!(f, "{tool} has reached its limit of {limit} calls per {scope}.")
            }
        }
    }
}

/// A rule and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Rule {
    /// What it says.
    pub kind: RuleKind,
    /// Where it was written, if it was.
    pub source: Option<Source>,
}

impl From<RuleKind> for Rule {
    fn from(kind: RuleKind) -> Self {
        Self { kind, source: None }
    }
}

/// A line of a rules file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Source {
    /// The file's name, as it was given.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The rule as written.
    pub text: String,
}
