//! Wording: reasons, questions, status lines, the system prompt.

use std::fmt::Write as _;

use crate::SkillNet;
use crate::plan::Step;
use crate::policy::Policy;
use crate::session::Session;

pub(crate) fn not_enabled(net: &SkillNet, tool: &str) -> String {
    match net.rule() {
        Some(rule) => rule.kind.to_string(),
        None => format!("{tool} is not allowed by '{}' in its current state.", net.name()),
    }
}

pub(crate) fn entangled(net: &SkillNet, tool: &str) -> String {
    format!(
        "{tool} depends on the parts before it in a way that '{}' cannot decide ahead; call them one after the other.",
        net.name()
    )
}

pub(crate) fn requires_approval(net: &SkillNet, tool: &str) -> String {
    match net.rule() {
        Some(rule @ crate::rule::Rule { kind: crate::rule::RuleKind::Approval { .. }, .. }) => {
            rule.kind.to_string()
        }
        _ => format!("{tool} requires human approval."),
    }
}

pub(crate) fn approval_title(policy: &Policy, steps: &[Step]) -> String {
    let mut tools: Vec<&str> = Vec::new();
    for (_, tool) in steps.iter().filter_map(|step| net_and_tool(policy, step)) {
        if !tools.contains(&tool) {
            tools.push(tool);
        }
    }
    format!("Approve: {}", tools.join(", "))
}

pub(crate) fn approval_message(policy: &Policy, steps: &[Step]) -> String {
    let line = |step: &Step| {
        let (net, tool) = net_and_tool(policy, step)?;
        let transition = net.net.transition_name(step.transition);
        Some(format!("Allow '{tool}' via transition '{transition}' in net '{}'?", net.name()))
    };
    steps.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

pub(crate) fn net_and_tool<'p>(policy: &'p Policy, step: &Step) -> Option<(&'p SkillNet, &'p str)> {
    let net = policy.nets.get(step.net as usize)?;
    let site = policy.sites.get(step.site as usize)?;
    Some((net, &site.tool))
}

impl Session {
    /// The marking of every net, one line each: `safety (active): ready:1`.
    pub fn status(&self) -> String {
        let lines = (0..self.policy().nets.len()).map(|net| {
            let state = if self.is_active_at(net) { "active" } else { "inactive" };
            let name = self.policy().names.get(net).map_or("", String::as_str);
            format!("{name} ({state}): {}", self.marked_places(net))
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Markdown for the agent: which nets are active, what they cover, what may be called now.
    pub fn system_prompt(&self) -> String {
        let mut prompt = String::from(
            "## Tool rules\n\nEvery tool call is checked against the rules below before it runs. \
             A call runs only if all of them allow it. A refusal says what is missing.\n",
        );
        for (number, net) in self.policy().nets.iter().enumerate() {
            if self.is_active_at(number) {
                self.describe(&mut prompt, number, net);
            }
        }
        prompt
    }

    fn describe(&self, prompt: &mut String, number: usize, net: &SkillNet) {
        // Writing to a string cannot fail.
        let name = self.policy().names.get(number).map_or("", String::as_str);
        let _ = write!(prompt, "\n### {name}\n\n");
        if let Some(source) = net.rule().and_then(|rule| rule.source.as_ref()) {
            let _ = writeln!(prompt, "- rule: `{}`", source.text);
        }
        if !net.free_tools().is_empty() {
            let _ = writeln!(prompt, "- always allowed: {}", net.free_tools().join(", "));
        }
        let mut covered: Vec<&str> =
            net.gates.iter().flat_map(|gate| &gate.tools).map(String::as_str).collect();
        covered.sort_unstable();
        covered.dedup();
        let tokens = self.net_tokens(number);
        let enabled = net.enabled_tool_transitions(tokens);
        let first = |tool: &&str| {
            enabled.iter().copied().find(|&t| net.tools(t).iter().any(|covers| covers == tool))
        };
        for tool in covered {
            let now = match first(&tool) {
                None => "not now",
                Some(t) if net.is_manual(t) => "needs human approval",
                Some(t) if net.is_deferred(t) => "allowed, counts once it has succeeded",
                Some(_) => "allowed",
            };
            let _ = writeln!(prompt, "- {tool}: {now}");
        }
        let _ = writeln!(prompt, "- state: {}", self.marked_places(number));
    }

    fn marked_places(&self, net: usize) -> String {
        let Some(skill_net) = self.policy().nets.get(net) else { return String::new() };
        let marking = petriflow_net::Marking::from(self.net_tokens(net).to_vec());
        marking.display_marked(&skill_net.net).to_string()
    }
}
