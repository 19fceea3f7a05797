//! A trial: an event that must be refused, and whether an answer refuses it.

use std::path::Path;

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::host::Host;

/// The event that a host sends before a call that overwrites a file.
pub fn probe(host: Host, session: &str, cwd: &Path, file: &Path) -> String {
    let (cwd, file) = (cwd.to_string_lossy(), file.to_string_lossy());
    let input = json!({ "file_path": file, "content": "" });
    let event = match host {
        Host::ClaudeCode | Host::Codex => json!({
            "session_id": session,
            "cwd": cwd,
            "hook_event_name": "PreToolUse",
            "tool_name": "Write",
            "tool_input": input,
            "tool_use_id": session,
        }),
        Host::Gemini => json!({
            "session_id": session,
            "cwd": cwd,
            "hook_event_name": "BeforeTool",
            "tool_name": "write_file",
            "tool_input": input,
        }),
        Host::Cursor => json!({
            "conversation_id": session,
            "workspace_roots": [cwd],
            "hook_event_name": "preToolUse",
            "tool_name": "Write",
            "tool_input": input,
            "tool_use_id": session,
        }),
    };
    event.to_string()
}

/// Whether a host would take an answer to a call for a refusal. In doubt it would not.
pub fn is_refusal(host: Host, answer: &Answer) -> bool {
    let output: Value = serde_json::from_str(&answer.stdout).unwrap_or_default();
    let is =
        |pointer: &str, value: &str| output.pointer(pointer).and_then(Value::as_str) == Some(value);
    let has_text = |pointer: &str| {
        let text = output.pointer(pointer).and_then(Value::as_str);
        text.is_some_and(|text| !text.trim().is_empty())
    };
    let by_exit = answer.exit == 2 && !answer.stderr.trim().is_empty();
    let specific = "/hookSpecificOutput/permissionDecision";
    by_exit
        || answer.exit == 0
            && match host {
                Host::ClaudeCode => is(specific, "deny"),
                Host::Codex => is(specific, "deny") && has_text(&format!("{specific}Reason")),
                Host::Gemini => is("/decision", "deny"),
                Host::Cursor => is("/permission", "deny"),
            }
}
