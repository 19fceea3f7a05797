//! What one net says about one tool.

use petriflow_net::TransitionId;

use crate::parts::Parts;
use crate::plan::Plan;
use crate::{SkillNet, ToolCall};

/// A net's opinion of a tool in its present marking. One *blocked* blocks the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Always allowed by this net.
    Free,
    /// None of the net's transitions covers it.
    Abstain,
    /// This transition covers it and is enabled: the first such one in declared order.
    Gated(TransitionId),
    /// Transitions cover it, and none is enabled.
    Blocked,
}

impl Plan {
    /// What a net says, read off the plan that was made.
    pub(crate) fn verdict(
        &self,
        number: u32,
        net: &SkillNet,
        parts: &Parts<'_>,
        call: &ToolCall,
    ) -> Verdict {
        if self.objectors.contains(&number) {
            return Verdict::Blocked;
        }
        if let Some(step) = self.steps.iter().find(|step| step.net == number) {
            return Verdict::Gated(step.transition);
        }
        let is_free = |tool: &str| net.free_tools.iter().any(|free| free == tool);
        let free = match &net.mapper {
            Some(mapper) => is_free(&mapper.map(call)),
            None => (0..parts.len()).any(|part| parts.names(part).any(is_free)),
        };
        if free { Verdict::Free } else { Verdict::Abstain }
    }
}
