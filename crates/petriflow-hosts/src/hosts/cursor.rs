//! Cursor.

use serde_json::{Value, json};

use crate::event::{Call, Ended, Kind, Start};
use crate::fields::Fields;
use crate::hosts::server_result;
use crate::json::{self, Json, Object};

pub(super) const ASKS: &[&str] = &[
    "preToolUse",
    "beforeShellExecution",
    "beforeMCPExecution",
    "beforeReadFile",
    "beforeTabFileRead",
    "subagentStart",
];

pub(super) const TELLS: &[&str] = &[
    "postToolUse",
    "postToolUseFailure",
    "afterShellExecution",
    "afterMCPExecution",
    "afterFileEdit",
    "afterTabFileEdit",
    "afterAgentResponse",
    "afterAgentThought",
    "beforeSubmitPrompt",
    "sessionStart",
    "sessionEnd",
    "subagentStop",
    "preCompact",
    "stop",
    "workspaceOpen",
];

/// The conversation. A workspace that opens belongs to none.
pub(super) fn session<'a>(name: &str, fields: &Fields<'a>) -> Result<&'a str, String> {
    if name == "workspaceOpen" {
        return Ok("");
    }
    match fields.filled_text("session_id")? {
        Some(session) if fields.get("conversation_id").is_none() => Ok(session),
        _ => fields.text("conversation_id"),
    }
}

/// The working folder, which may be empty, or else the first folder of the workspace.
pub(super) fn cwd<'a>(fields: &Fields<'a>) -> Result<Option<&'a str>, String> {
    if let Some(cwd) = fields.filled_text("cwd")? {
        return Ok(Some(cwd));
    }
    let roots = fields.get("workspace_roots").and_then(Json::as_list);
    Ok(roots.and_then(|roots| roots.first()).and_then(Json::as_text))
}

pub(super) fn kind(name: &str, fields: &Fields<'_>) -> Result<Kind, String> {
    Ok(match name {
        "preToolUse" => Kind::Call(call(fields)?),
        "beforeShellExecution" => confirm("Shell", json!({ "command": fields.text("command")? })),
        "beforeReadFile" => confirm("Read", json!({ "file_path": fields.text("file_path")? })),
        "beforeMCPExecution" => {
            let tool = fields.text("tool_name")?;
            // As `preToolUse` names it, so that both are the same call.
            let tool = tool.strip_prefix(SERVER_TOOL).unwrap_or(tool);
            let input = fields.object_or_text("tool_input")?.to_value();
            confirm(&format!("{SERVER_TOOL}{tool}"), input)
        }
        "postToolUse" => Kind::Result { call: call(fields)?, outcome: outcome(fields)? },
        "postToolUseFailure" => failed(fields)?,
        // It does not tell whether the conversation is new. One whose id is known goes on.
        "sessionStart" => Kind::SessionStarted(Start::Resumed),
        "sessionEnd" => Kind::SessionEnded,
        "stop" => Kind::TurnEnded,
        _ => Kind::Nothing,
    })
}

/// What the names of servers' tools begin with.
const SERVER_TOOL: &str = "MCP:";

fn confirm(tool: &str, input: Value) -> Kind {
    Kind::Confirm(Call { id: None, tool: tool.to_owned(), input })
}

fn call(fields: &Fields<'_>) -> Result<Call, String> {
    Ok(Call {
        id: Some(fields.text("tool_use_id")?.to_owned()),
        tool: fields.text("tool_name")?.to_owned(),
        input: fields.object_or_text("tool_input")?.to_value(),
    })
}

fn failed(fields: &Fields<'_>) -> Result<Kind, String> {
    let call = call(fields)?;
    Ok(match fields.optional_text("failure_type")? {
        // Whether a person refused it or the system did while it ran is not told.
        Some("error") if !fields.is_set("is_interrupt") => {
            Kind::Result { call, outcome: Ended::Failed }
        }
        // A command that timed out may still run.
        _ => Kind::Result { call, outcome: Ended::Unknown },
    })
}

/// The event comes after a tool that worked, but a shell command that failed has worked too.
fn outcome(fields: &Fields<'_>) -> Result<Ended, String> {
    const FILES: &[&str] = &["Delete", "Grep", "Read", "Write"];
    let input = fields.object_or_text("tool_input")?;
    let in_background = ["is_background", "run_in_background"]
        .iter()
        .any(|name| input.get(name).is_some_and(Json::is_set));
    let tool = fields.text("tool_name")?;
    let output = output(fields);
    Ok(match (tool, output) {
        _ if in_background => Ended::Unknown,
        ("Shell", Some(output)) => of_shell(&output),
        (tool, Some(output)) if tool.starts_with(SERVER_TOOL) || tool == "MCP" => {
            server_result(&output)
        }
        (tool, output) if FILES.contains(&tool) => {
            let is_error =
                output.is_some_and(|output| output.get("error").is_some_and(Json::is_set));
            if is_error { Ended::Failed } else { Ended::Succeeded }
        }
        _ => Ended::Unknown,
    })
}

/// What a tool gave back, which comes as a text that holds an object.
fn output(fields: &Fields<'_>) -> Option<Object> {
    let text = fields.get("tool_output")?;
    match text {
        Json::Text(text) => json::parse(text).ok()?.as_object().cloned(),
        other => other.as_object().cloned(),
    }
}

/// What the command printed is a text inside the object, so it cannot make up a code.
fn of_shell(output: &Object) -> Ended {
    const NOT_OVER: &[&str] =
        &["aborted", "backgrounded", "backgroundTaskId", "isBackground", "timedOut", "signal"];
    if NOT_OVER.iter().any(|name| output.get(name).is_some_and(Json::is_set)) {
        return Ended::Unknown;
    }
    match output.get("exitCode") {
        Some(Json::Number(code)) if code.as_i64() == Some(0) => Ended::Succeeded,
        Some(Json::Number(_)) => Ended::Failed,
        _ => Ended::Unknown,
    }
}
