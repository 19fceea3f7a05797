//! Reading is free, everything else is approved.

use super::command::SHELL_TOOLS;
use crate::{SkillNet, SkillNetError, Transition};

/// Tools that only read, as common agents name them.
pub(super) const READING_TOOLS: [&str; 10] =
    ["ls", "LS", "read", "Read", "grep", "Grep", "find", "glob", "Glob", "NotebookRead"];

/// Tools that write files, as common agents name them.
pub(super) const WRITING_TOOLS: [&str; 9] = [
    "write",
    "Write",
    "edit",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "apply_patch",
    "write_file",
    "replace",
];

/// Lets reading tools run freely and asks a person before every shell command and every write.
///
/// Free: `ls`, `read`, `grep`, `find`, `glob` (also capitalised). Approved each time: `bash`,
/// `shell`, `sh`, `exec`, and `write`, `edit`, `MultiEdit`, `NotebookEdit`, `apply_patch`,
/// `write_file`, `replace`. It has no say about other tools.
///
/// ```
/// use petriflow_gate::{Decision, Policy, Session, Timestamp, ToolCall, nets};
/// use serde_json::json;
///
/// let mut session = Session::new(&Policy::new([nets::tool_approval()?])?);
/// let read = ToolCall::new("1", "read", json!({"path": "README.md"}));
/// assert!(session.decide(&read, Timestamp(0)).is_allowed());
/// let bash = ToolCall::new("2", "bash", json!({"command": "make"}));
/// assert!(matches!(session.decide(&bash, Timestamp(0)), Decision::NeedsApproval(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// None in practice: the net is fixed.
pub fn tool_approval() -> Result<SkillNet, SkillNetError> {
    SkillNet::builder("tool-approval")
        .places(["idle", "ready"])
        .initial("idle", 1)
        .free_tools(READING_TOOLS)
        .transition(Transition::auto("start").from(["idle"]).to(["ready"]))
        .transition(
            Transition::manual("execShell").from(["ready"]).to(["ready"]).tools(SHELL_TOOLS),
        )
        .transition(
            Transition::manual("execWrite").from(["ready"]).to(["ready"]).tools(WRITING_TOOLS),
        )
        .build()
}
