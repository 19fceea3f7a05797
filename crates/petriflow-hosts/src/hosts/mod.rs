//! The events of each host, and what they say.

mod claude_code;
mod codex;
mod cursor;
mod gemini;

use crate::event::{Ended, Event};
use crate::fields::Fields;
use crate::host::Host;
use crate::json::{Json, Object};

/// What a host does with the answer to an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It waits for a permission: a refusal keeps something from happening.
    Asks,
    /// It tells what happened. A "refusal" would do something else, such as make the agent go on.
    Tells,
}

/// The role of an event, if the host has such an event.
pub(crate) fn role(host: Host, event: &str) -> Option<Role> {
    let (asks, tells) = match host {
        Host::ClaudeCode => (claude_code::ASKS, claude_code::TELLS),
        Host::Codex => (codex::ASKS, codex::TELLS),
        Host::Gemini => (gemini::ASKS, gemini::TELLS),
        Host::Cursor => (cursor::ASKS, cursor::TELLS),
    };
    if asks.contains(&event) {
        Some(Role::Asks)
    } else if tells.contains(&event) {
        Some(Role::Tells)
    } else {
        None
    }
}

/// Reads an event by its name. An error is a sentence about what is wrong.
pub(crate) fn read(host: Host, name: &str, fields: &Fields<'_>) -> Result<Event, String> {
    if role(host, name).is_none() {
        return Err(format!("{} has no such event", host.title()));
    }
    let session = match host {
        Host::Cursor => cursor::session(name, fields)?,
        Host::ClaudeCode | Host::Codex | Host::Gemini => fields.text("session_id")?,
    };
    let cwd = match host {
        Host::Cursor => cursor::cwd(fields)?,
        Host::ClaudeCode | Host::Codex | Host::Gemini => fields.filled_text("cwd")?,
    };
    let kind = match host {
        Host::ClaudeCode => claude_code::kind(name, session, fields)?,
        Host::Codex => codex::kind(name, session, fields)?,
        Host::Gemini => gemini::kind(name, session, fields)?,
        Host::Cursor => cursor::kind(name, fields)?,
    };
    Ok(Event {
        session: session.to_owned(),
        agent: fields.filled_text("agent_id")?.map(str::to_owned),
        cwd: cwd.map(str::to_owned),
        name: name.to_owned(),
        can_ask: host.capabilities().asks && asks_in_mode(fields.optional_text("permission_mode")?),
        kind,
    })
}

/// Whether a person is asked in a permission mode. In others the host may answer for the person, and
/// some versions do.
fn asks_in_mode(mode: Option<&str>) -> bool {
    matches!(mode, None | Some("default" | "acceptEdits" | "plan"))
}

/// How a call of a server's tool ended, by the result that the protocol (MCP) describes.
fn server_result(result: &Object) -> Ended {
    let is_error = |name| result.get(name).is_some_and(Json::is_set);
    if is_error("isError") || is_error("is_error") {
        Ended::Failed
    } else if result.get("content").and_then(Json::as_list).is_some() {
        Ended::Succeeded
    } else {
        Ended::Unknown
    }
}
