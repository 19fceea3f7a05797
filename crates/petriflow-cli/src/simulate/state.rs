//! Where a rule stands, in words.

use petriflow::gate::{RuleKind, SkillNet};
use petriflow::net::Marking;

/// What a net's marking means for the tools of its rule.
pub(crate) fn describe(net: &SkillNet, marking: &Marking) -> String {
    let tokens =
        |place: &str| net.net().place_named(place).map_or(0, |place| marking.tokens(place));
    match net.rule().map(|rule| &rule.kind) {
        Some(RuleKind::Sequence { prerequisite, dependent }) => match tokens("done") {
            0 => format!("{dependent} waits for {prerequisite}"),
            _ => format!("{dependent} is unlocked"),
        },
        Some(RuleKind::Approval { tool }) => format!("{tool} asks a person each time"),
        Some(RuleKind::Block { tool }) => format!("{tool} is blocked"),
        Some(RuleKind::Limit { tool, limit, .. }) => {
            format!("{tool} has {} of {limit} left", tokens("budget"))
        }
        None => marking.display_marked(net.net()).to_string(),
    }
}
