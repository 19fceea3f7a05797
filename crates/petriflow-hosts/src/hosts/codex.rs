//! OpenAI Codex.

use crate::event::{Ended, Kind};
use crate::fields::Fields;
use crate::hosts::server_result;
use crate::json::Json;

pub(super) const ASKS: &[&str] = &["PreToolUse"];

pub(super) const TELLS: &[&str] = &[
    "PermissionRequest",
    "PostToolUse",
    "PreCompact",
    "PostCompact",
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "Interrupt",
    "PreModelRequest",
    "PostModelRequest",
];

pub(super) fn kind(name: &str, session: &str, fields: &Fields<'_>) -> Result<Kind, String> {
    Ok(match name {
        "PreToolUse" => Kind::Call(fields.call()?),
        "PostToolUse" => Kind::Result { call: fields.call()?, outcome: outcome(fields)? },
        "SessionStart" => Kind::SessionStarted(fields.start(session)?),
        "SessionEnd" => Kind::SessionEnded,
        "Stop" | "Interrupt" => Kind::TurnEnded,
        _ => Kind::Nothing,
    })
}

/// The result of a shell command is what it printed, whatever its exit code was. Patches that fail and
/// servers' tools that report an error get no event at all.
fn outcome(fields: &Fields<'_>) -> Result<Ended, String> {
    let tool = fields.text("tool_name")?;
    Ok(match fields.get("tool_response") {
        Some(Json::Object(response)) if tool.starts_with("mcp__") => server_result(response),
        // The host writes this text. File names come behind it.
        Some(Json::Text(text)) if tool == "apply_patch" => {
            let is_success = text.starts_with("Success. Updated the following files:")
                || text.starts_with("Exit code: 0\n");
            if is_success { Ended::Succeeded } else { Ended::Unknown }
        }
        Some(_) if tool == "Bash" => Ended::Untold,
        _ => Ended::Unknown,
    })
}
