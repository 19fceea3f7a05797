//! Rebuilding a session from a history.

use serde_json::{Value, json};

use crate::call::{Timestamp, ToolCall, ToolResult};
use crate::session::Session;

/// One call of a history and how it ended.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayEntry {
    /// The tool.
    pub tool: String,
    /// Its arguments, where mappers, resolvers or validators look at them.
    pub input: Value,
    /// Whether it failed.
    pub is_error: bool,
}

impl ReplayEntry {
    /// A call that succeeded.
    pub fn success(tool: impl Into<String>, input: Value) -> Self {
        Self { tool: tool.into(), input, is_error: false }
    }

    /// A call that failed.
    pub fn failure(tool: impl Into<String>, input: Value) -> Self {
        Self { tool: tool.into(), input, is_error: true }
    }
}

impl From<&str> for ReplayEntry {
    fn from(tool: &str) -> Self {
        Self::success(tool, json!({}))
    }
}

/// How the ids of replayed calls begin.
pub(crate) const REPLAY_ID: &str = "\u{0}replay ";

impl Session {
    /// Brings the session to where a history of calls leads, and returns how many of them counted.
    ///
    /// What a person had to approve counts as approved, since it ran. A failed call unlocks nothing
    /// but spends what it spent when it was allowed. Calls that the rules make impossible are
    /// skipped. The history is believed: keep it where the agent cannot write.
    pub fn replay<E: Into<ReplayEntry>>(&mut self, history: impl IntoIterator<Item = E>) -> usize {
        let mut counted: usize = 0;
        for (at, entry) in history.into_iter().enumerate() {
            let ReplayEntry { tool, input, is_error } = entry.into();
            // An id that `decide` accepts from nobody else, free again as soon as the result is in.
            let call = ToolCall::new(format!("{REPLAY_ID}{at}"), tool, input);
            if self.decide_approved(&call, Timestamp(0)).is_allowed() {
                self.result(&ToolResult { id: call.id, tool: call.tool, is_error });
                counted = counted.saturating_add(1);
            }
        }
        counted
    }
}
