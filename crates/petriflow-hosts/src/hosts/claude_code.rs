//! Claude Code.

use crate::event::{Ended, Kind};
use crate::fields::Fields;
use crate::json::{Json, Object};

pub(super) const ASKS: &[&str] = &["PreToolUse"];

pub(super) const TELLS: &[&str] = &[
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Notification",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "PermissionRequest",
    "PermissionDenied",
    "Setup",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "Elicitation",
    "ElicitationResult",
    "ConfigChange",
    "WorktreeCreate",
    "WorktreeRemove",
    "InstructionsLoaded",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
    "MessageDisplay",
];

pub(super) fn kind(name: &str, session: &str, fields: &Fields<'_>) -> Result<Kind, String> {
    Ok(match name {
        "PreToolUse" => Kind::Call(fields.call()?),
        "PostToolUse" => Kind::Result { call: fields.call()?, outcome: outcome(fields)? },
        "PostToolUseFailure" => {
            let interrupted = fields.is_set("is_interrupt");
            let outcome = if interrupted { Ended::Unknown } else { Ended::Failed };
            Kind::Result { call: fields.call()?, outcome }
        }
        "PermissionDenied" => Kind::Denied(fields.call()?),
        "PostToolBatch" => batch(fields)?,
        "SessionStart" => Kind::SessionStarted(fields.start(session)?),
        "SessionEnd" => Kind::SessionEnded,
        "Stop" | "StopFailure" => Kind::TurnEnded,
        _ => Kind::Nothing,
    })
}

fn batch(fields: &Fields<'_>) -> Result<Kind, String> {
    let calls = fields.get("tool_calls").and_then(Json::as_list);
    let calls = calls.ok_or("`tool_calls` is not a list")?.iter().map(|call| {
        let call = call.as_object().ok_or("an item of `tool_calls` is not an object")?;
        Fields::new(call).call()
    });
    Ok(Kind::BatchEnded { calls: calls.collect::<Result<_, String>>()? })
}

/// `PostToolUse` comes when a tool returns without an error. That is no success yet if the work goes
/// on elsewhere, or if it was cut short.
fn outcome(fields: &Fields<'_>) -> Result<Ended, String> {
    let input = Fields::new(fields.object("tool_input")?);
    if input.is_set("run_in_background") {
        return Ok(Ended::Unknown);
    }
    Ok(match (fields.text("tool_name")?, fields.get("tool_response")) {
        // It only watches something in the background.
        ("Monitor", _) | (_, None | Some(Json::Null)) => Ended::Unknown,
        (tool, Some(Json::Object(response))) => of_response(tool, response),
        // Always an object that tells whether the command is over.
        ("Bash" | "PowerShell", _) => Ended::Unknown,
        (_, Some(_)) => Ended::Succeeded,
    })
}

fn of_response(tool: &str, response: &Object) -> Ended {
    const NOT_OVER: &[&str] = &[
        "backgroundTaskId",
        "backgroundedByUser",
        "timedOutAfterMs",
        "interrupted",
        "isAsync",
        // A command that ended with another code than 0, which the host does not take for an error.
        "returnCodeInterpretation",
    ];
    let is_set = |name: &&str| response.get(name).is_some_and(Json::is_set);
    if is_set(&"isError") || is_set(&"is_error") {
        return Ended::Failed;
    }
    if NOT_OVER.iter().any(is_set) {
        return Ended::Unknown;
    }
    match (tool, response.get("status").and_then(Json::as_text)) {
        (_, Some("async_launched" | "remote_launched")) => Ended::Unknown,
        // A sub-agent's work is done if the host says so.
        ("Agent" | "Task" | "Workflow", Some("completed")) => Ended::Succeeded,
        ("Agent" | "Task" | "Workflow", _) => Ended::Unknown,
        _ => Ended::Succeeded,
    }
}
