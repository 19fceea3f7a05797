//! The nets that rules stand for.

use petriflow_gate::RuleKind;

use super::spec::{NetSpec, TransitionSpec};

/// `require FIRST before THEN`: each THEN needs a successful FIRST since the last THEN.
pub fn require(first: &str, then: &str) -> NetSpec {
    rule(
        format!("require-{first}-before-{then}"),
        [("waiting", 1), ("done", 0)],
        [
            deferred(arcs("first", [("waiting", 1)], [("done", 1)], first)),
            deferred(arcs("again", [("done", 1)], [("done", 1)], first)),
            arcs("then", [("done", 1)], [("waiting", 1)], then),
        ],
        RuleKind::Sequence { prerequisite: first.into(), dependent: then.into() },
    )
}

/// `limit TOOL to LIMIT per session`.
pub fn limit(tool: &str, limit: u32) -> NetSpec {
    rule(
        format!("limit-{tool}-{limit}"),
        [("budget", limit), ("spent", 0)],
        [arcs("use", [("budget", 1)], [("spent", 1)], tool)],
        RuleKind::Limit { tool: tool.into(), limit: limit.into(), scope: "session".into() },
    )
}

/// `limit TOOL to LIMIT per SCOPE`: a successful SCOPE refills the whole budget.
pub fn limit_per(tool: &str, limit: u32, scope: &str) -> NetSpec {
    let mut transitions = vec![arcs("use", [("budget", 1)], [("spent", 1)], tool)];
    for spent in (1..=limit).rev() {
        let name = format!("refill-{spent}");
        transitions.push(deferred(arcs(&name, [("spent", spent)], [("budget", spent)], scope)));
    }
    // With nothing spent there is nothing to put back. It must be possible all the same, also while
    // a call holds a part of the budget, or the rule would block SCOPE.
    transitions.push(deferred(arcs("refill-0", [], [], scope)));
    rule(
        format!("limit-{tool}-{limit}-per-{scope}"),
        [("budget", limit), ("spent", 0)],
        transitions,
        RuleKind::Limit { tool: tool.into(), limit: limit.into(), scope: scope.into() },
    )
}

/// `require human-approval before TOOL`.
pub fn approve(tool: &str) -> NetSpec {
    let mut approve = arcs("approve", [("ready", 1)], [("ready", 1)], tool);
    approve.manual = true;
    rule(
        format!("approve-before-{tool}"),
        [("ready", 1)],
        [approve],
        RuleKind::Approval { tool: tool.into() },
    )
}

/// `block TOOL`.
pub fn block(tool: &str) -> NetSpec {
    rule(
        format!("block-{tool}"),
        [("locked", 0)],
        [arcs("never", [("locked", 1)], [("locked", 1)], tool)],
        RuleKind::Block { tool: tool.into() },
    )
}

fn rule<const N: usize>(
    name: String,
    places: [(&str, u32); N],
    transitions: impl IntoIterator<Item = TransitionSpec>,
    kind: RuleKind,
) -> NetSpec {
    NetSpec {
        name,
        places: owned(places),
        transitions: transitions.into_iter().collect(),
        free_tools: Vec::new(),
        mapper: None,
        rule: Some(kind),
    }
}

fn arcs<const I: usize, const O: usize>(
    name: &str,
    inputs: [(&str, u32); I],
    outputs: [(&str, u32); O],
    tool: &str,
) -> TransitionSpec {
    TransitionSpec {
        name: name.into(),
        inputs: owned(inputs),
        outputs: owned(outputs),
        tools: vec![tool.into()],
        manual: false,
        deferred: false,
    }
}

fn deferred(mut transition: TransitionSpec) -> TransitionSpec {
    transition.deferred = true;
    transition
}

fn owned<const N: usize>(places: [(&str, u32); N]) -> Vec<(String, u32)> {
    places.map(|(place, tokens)| (place.to_owned(), tokens)).into()
}
