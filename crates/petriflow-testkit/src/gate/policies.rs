//! Arbitrary policies from bytes.

use arbitrary::{Result, Unstructured};
use petriflow_gate::Policy;

use super::rules;
use super::spec::{NetSpec, PolicySpec, TransitionSpec};

/// The tools of generated nets and calls: few, so that nets have to do with each other.
pub const TOOLS: [&str; 5] = ["a", "b", "c", "d", "e"];

/// The tool of calls that carry a command.
pub const SHELL: &str = "sh";

/// A policy of 1–5 nets, rules and arbitrary ones, sometimes a registry, sometimes with a resolver.
///
/// # Errors
/// If the bytes cannot be read, which [`Unstructured`] reports for no input used here.
pub fn policy(u: &mut Unstructured<'_>) -> Result<PolicySpec> {
    let count = u.int_in_range(1..=5)?;
    let rules_only = u.ratio(1, 3)?;
    let mut nets = Vec::new();
    for number in 0..count {
        let mut net = if rules_only || u.ratio(1, 2)? { rule(u, &TOOLS)? } else { random_net(u)? };
        net.name = format!("{number}:{}", net.name);
        if u.ratio(1, 6)? {
            net.mapper = Some(u.int_in_range(0..=1)?);
        }
        nets.push(net);
    }
    let mut policy = PolicySpec { words: u.ratio(3, 4)?, ..PolicySpec::of(nets) };
    policy.approval_ms = 100;
    if u.ratio(1, 3)? {
        let mut active = Vec::new();
        for net in &policy.nets {
            if u.ratio(2, 3)? {
                active.push(net.name.clone());
            }
        }
        policy.active = Some(active);
    }
    if u.ratio(1, 6)? {
        policy.open_calls_max = u.int_in_range(1..=4)?;
    }
    if u.ratio(1, 6)? {
        policy.approvals_max = u.int_in_range(1..=2)?;
    }
    Ok(policy)
}

/// A policy of 1–5 rules, all active, with a resolver and the default limits.
///
/// # Errors
/// As [`policy`].
pub fn rules_policy(u: &mut Unstructured<'_>) -> Result<PolicySpec> {
    let count = u.int_in_range(1..=5)?;
    let mut nets = Vec::new();
    for number in 0..count {
        let mut net = rule(u, &TOOLS)?;
        net.name = format!("{number}:{}", net.name);
        nets.push(net);
    }
    Ok(PolicySpec::of(nets))
}

/// The policy without what makes a session depend on more than its nets: every net active, and no
/// small limits.
pub fn unbounded(mut policy: PolicySpec) -> PolicySpec {
    policy.active = None;
    policy.open_calls_max = Policy::DEFAULT_OPEN_CALLS_MAX;
    policy.approvals_max = Policy::DEFAULT_APPROVALS_MAX;
    policy
}

/// A net of a rule about some of these tools, of which there must be two.
///
/// # Errors
/// As [`policy`].
pub fn rule(u: &mut Unstructured<'_>, tools: &[&str]) -> Result<NetSpec> {
    let at = u.choose_index(tools.len())?;
    let (tool, other) =
        (tools[at], tools[(at + 1 + u.choose_index(tools.len() - 1)?) % tools.len()]);
    Ok(match u.int_in_range(0..=9)? {
        0..=3 => rules::require(tool, other),
        4..=5 => rules::limit(tool, u.int_in_range(1..=9)?),
        6..=7 => rules::limit_per(tool, u.int_in_range(1..=3)?, other),
        8 => rules::approve(tool),
        _ => rules::block(tool),
    })
}

/// Any net: 1–5 places, 1–6 transitions, no rule.
fn random_net(u: &mut Unstructured<'_>) -> Result<NetSpec> {
    let mut net = NetSpec {
        name: "random".into(),
        places: Vec::new(),
        transitions: Vec::new(),
        free_tools: Vec::new(),
        mapper: None,
        rule: None,
    };
    for place in 0..u.int_in_range(1..=5)? {
        net.places.push((format!("p{place}"), *u.choose(&[1, 0, 1, 0, 2, 3])?));
    }
    if u.ratio(1, 4)? {
        net.free_tools.push((*u.choose(&TOOLS)?).into());
    }
    let transitions = u.int_in_range(1..=6)?;
    // The builder refuses structural transitions that go in a circle.
    for _ in 0..4 {
        net.transitions = Vec::new();
        for number in 0..transitions {
            net.transitions.push(random_transition(u, number, net.places.len())?);
        }
        if net.try_skill_net().is_ok() {
            return Ok(net);
        }
    }
    net.transitions.retain(|transition| !transition.tools.is_empty());
    Ok(net)
}

fn random_transition(
    u: &mut Unstructured<'_>,
    number: usize,
    places: usize,
) -> Result<TransitionSpec> {
    let mut transition = TransitionSpec { name: format!("t{number}"), ..Default::default() };
    for _ in 0..*u.choose(&[1, 1, 1, 1, 2, 2, 0])? {
        transition.inputs.push(random_arc(u, places)?);
    }
    for _ in 0..*u.choose(&[1, 1, 1, 2, 2, 0])? {
        transition.outputs.push(random_arc(u, places)?);
    }
    if u.ratio(1, 6)? {
        return Ok(transition);
    }
    for _ in 0..*u.choose(&[1, 1, 2])? {
        let tool = if u.ratio(1, 16)? { SHELL } else { u.choose(&TOOLS)? };
        transition.tools.push(tool.into());
    }
    transition.manual = u.ratio(1, 8)?;
    transition.deferred = u.ratio(2, 5)?;
    Ok(transition)
}

fn random_arc(u: &mut Unstructured<'_>, places: usize) -> Result<(String, u32)> {
    let place = u.choose_index(places)?;
    Ok((format!("p{place}"), *u.choose(&[1, 1, 1, 1, 1, 2])?))
}
