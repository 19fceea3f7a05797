//! The nets of rules. Rules of one kind differ in names only, so each kind is built and verified once.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use petriflow_gate::{Rule, RuleKind, SkillNet, SkillNetError, Transition};

use crate::syntax::{Scope, StatementKind};
use crate::verify::{Verified, verify};

/// What decides how the net of a rule is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Shape {
    Require,
    Approval,
    Block,
    Limit { count: u32, refilled: bool },
}

/// Nets about the tools [`FIRST`] and [`SECOND`], and what was proved of them.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    known: HashMap<Shape, (SkillNet, Verified)>,
}

/// Stand for the tools that a rule names.
const FIRST: &str = "first tool";
const SECOND: &str = "second tool";

impl Shapes {
    /// The net of a rule under a name, and what was proved of it.
    pub(crate) fn net(
        &mut self,
        kind: &StatementKind,
        name: String,
        rule: Rule,
    ) -> Result<(SkillNet, Verified), String> {
        let shape = shape(kind).ok_or("this is not a rule")?;
        let (template, verified) = match self.known.entry(shape) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let template = template(shape).map_err(|error| error.to_string())?;
                let verified = verify(&template).map_err(|error| error.to_string())?;
                unknown.insert((template, verified))
            }
        };
        let mut names = kind.rule_names();
        let first = names.next().ok_or("this is not a rule")?;
        let second = names.next().unwrap_or(first);
        let real = |tool: &str| if tool == FIRST { &first.text } else { &second.text }.clone();
        let net = template.renamed(name, real, Some(rule)).map_err(|error| error.to_string())?;
        Ok((net, *verified))
    }
}

fn shape(kind: &StatementKind) -> Option<Shape> {
    Some(match kind {
        StatementKind::Require { .. } => Shape::Require,
        StatementKind::RequireApproval { .. } => Shape::Approval,
        StatementKind::Block { .. } => Shape::Block,
        StatementKind::Limit { count, scope, .. } => {
            Shape::Limit { count: *count, refilled: *scope != Scope::Session }
        }
        StatementKind::Map { .. } | StatementKind::Shell { .. } | StatementKind::Plain { .. } => {
            return None;
        }
    })
}

/// The rule as the gate words it.
pub(crate) fn rule_kind(kind: &StatementKind) -> Option<RuleKind> {
    Some(match kind {
        StatementKind::Require { prerequisite, dependent } => RuleKind::Sequence {
            prerequisite: prerequisite.text.clone(),
            dependent: dependent.text.clone(),
        },
        StatementKind::RequireApproval { tool } => RuleKind::Approval { tool: tool.text.clone() },
        StatementKind::Block { tool } => RuleKind::Block { tool: tool.text.clone() },
        StatementKind::Limit { tool, count, scope } => RuleKind::Limit {
            tool: tool.text.clone(),
            limit: u64::from(*count),
            scope: scope.to_string(),
        },
        StatementKind::Map { .. } | StatementKind::Shell { .. } | StatementKind::Plain { .. } => {
            return None;
        }
    })
}

/// The name of a rule's net.
pub(crate) fn net_name(kind: &StatementKind) -> String {
    match kind {
        StatementKind::Require { prerequisite, dependent } => {
            format!("require-{prerequisite}-before-{dependent}")
        }
        StatementKind::RequireApproval { tool } => format!("approve-before-{tool}"),
        StatementKind::Block { tool } => format!("block-{tool}"),
        StatementKind::Limit { tool, count, scope: Scope::Session } => {
            format!("limit-{tool}-{count}")
        }
        StatementKind::Limit { tool, count, scope } => format!("limit-{tool}-{count}-per-{scope}"),
        StatementKind::Map { .. } | StatementKind::Shell { .. } | StatementKind::Plain { .. } => {
            kind.to_string()
        }
    }
}

/// A net of a shape. It begins in `idle`, as nothing has happened yet, and `start` fires by itself.
fn template(shape: Shape) -> Result<SkillNet, SkillNetError> {
    let start = Transition::auto("start").from(["idle"]);
    let builder = SkillNet::builder("template").places(["idle"]).initial("idle", 1);
    match shape {
        Shape::Require => builder
            .places(["waiting", "done"])
            .transition(start.to(["waiting"]))
            .transition(auto("first", "waiting", "done", FIRST).deferred())
            // It is never blocked, however often it is called.
            .transition(auto("again", "done", "done", FIRST).deferred())
            .transition(auto("then", "done", "waiting", SECOND)),
        Shape::Approval => {
            let approve = Transition::manual("approve").from(["ready"]).to(["ready"]);
            builder
                .places(["ready"])
                .transition(start.to(["ready"]))
                .transition(approve.tools([FIRST]))
        }
        Shape::Block => builder
            .places(["closed", "open"])
            .transition(start.to(["closed"]))
            // Nothing ever puts a token into `open`.
            .transition(auto("never", "open", "open", FIRST)),
        Shape::Limit { count, refilled } => {
            let start = match count {
                0 => start,
                count => start.puts("budget", count.into()),
            };
            let mut builder = builder
                .places(["budget", "spent"])
                .transition(start)
                .transition(auto("use", "budget", "spent", FIRST));
            if refilled {
                let refill = Transition::auto("refill").drains("spent", "budget");
                builder = builder.transition(refill.tools([SECOND]).deferred());
            }
            builder
        }
    }
    .build()
}

fn auto(name: &str, from: &str, to: &str, tool: &str) -> Transition {
    Transition::auto(name).from([from]).to([to]).tools([tool])
}
