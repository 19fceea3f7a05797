//! Gemini CLI.

use crate::event::{Ended, Kind};
use crate::fields::Fields;
use crate::json::Json;

pub(super) const ASKS: &[&str] = &["BeforeTool"];

pub(super) const TELLS: &[&str] = &[
    "AfterTool",
    "BeforeAgent",
    "AfterAgent",
    "BeforeModel",
    "AfterModel",
    "BeforeToolSelection",
    "SessionStart",
    "SessionEnd",
    "Notification",
    "PreCompress",
];

pub(super) fn kind(name: &str, session: &str, fields: &Fields<'_>) -> Result<Kind, String> {
    Ok(match name {
        "BeforeTool" => Kind::Call(fields.call_without_id()?),
        "AfterTool" => Kind::Result { call: fields.call_without_id()?, outcome: outcome(fields)? },
        "SessionStart" => Kind::SessionStarted(fields.start(session)?),
        "SessionEnd" => Kind::SessionEnded,
        "AfterAgent" => Kind::TurnEnded,
        _ => Kind::Nothing,
    })
}

fn outcome(fields: &Fields<'_>) -> Result<Ended, String> {
    /// Tools that report every failure of theirs in `error`. Others, such as the search and the
    /// plan mode, also tell in words that they did not do it.
    const HONEST: &[&str] =
        &["activate_skill", "glob", "list_directory", "read_file", "replace", "write_file"];
    let tool = fields.text("tool_name")?;
    let Some(response) = fields.get("tool_response").and_then(Json::as_object) else {
        return Ok(Ended::Unknown);
    };
    let response = Fields::new(response);
    if response.is_set("error") {
        return Ok(Ended::Failed);
    }
    Ok(match (tool, response.get("llmContent")) {
        ("run_shell_command", Some(Json::Text(text))) => {
            let input = Fields::new(fields.object("tool_input")?);
            if input.is_set("is_background") { Ended::Unknown } else { of_shell(text) }
        }
        ("run_shell_command", _) | (_, None | Some(Json::Null)) => Ended::Unknown,
        (tool, _) if tool.starts_with("mcp_") || HONEST.contains(&tool) => Ended::Succeeded,
        _ => Ended::Unknown,
    })
}

/// How a shell command ended, by the text that the host made of it.
///
/// The host begins the text and ends it; what the command printed stands between. So only the
/// beginning tells which layout it is, and only the last lines tell how the command ended: a line that
/// the command printed is never behind them.
fn of_shell(text: &str) -> Ended {
    let Some(text) = unwrapped(text) else { return Ended::Unknown };
    if text.starts_with("Output: ") {
        of_short_layout(text)
    } else if text.starts_with("Command: ") {
        of_long_layout(text)
    } else {
        // In the background, cancelled, timed out, or refused before it began.
        Ended::Unknown
    }
}

/// Newer versions put the text into a tag, and escape the tag's end inside.
fn unwrapped(text: &str) -> Option<&str> {
    let Some(inner) = text.strip_prefix("<untrusted_context>\n") else { return Some(text) };
    let inner = inner.strip_suffix("\n</untrusted_context>")?;
    (!inner.contains("</untrusted_context>")).then_some(inner)
}

/// Lines that have nothing to say are left out, so a success is the absence of a line: the one right
/// before the process group must be the command's own.
fn of_short_layout(text: &str) -> Ended {
    let Some((rest, group)) = text.rsplit_once('\n') else { return Ended::Unknown };
    if !is_process_group(group) {
        return Ended::Unknown;
    }
    let last = rest.rsplit_once('\n').map_or(rest, |(_, last)| last);
    if last.starts_with("Background PIDs: ") {
        // What the command left running may be what was asked for.
        Ended::Unknown
    } else if ["Exit Code: ", "Signal: ", "Error: "].iter().any(|line| last.starts_with(line)) {
        Ended::Failed
    } else {
        Ended::Succeeded
    }
}

/// Older versions write every line, with `(none)` where there is nothing to say.
fn of_long_layout(text: &str) -> Ended {
    let mut lines = text.rsplit('\n');
    let group = lines
        .next()
        .is_some_and(|line| is_process_group(line) || line == "Process Group PGID: (none)");
    let background = lines.next() == Some("Background PIDs: (none)");
    let signal = lines.next() == Some("Signal: (none)");
    let code = lines.next();
    let error = lines.next() == Some("Error: (none)");
    match code {
        Some("Exit Code: 0") if group && background && signal && error => Ended::Succeeded,
        Some(code) if group && code.starts_with("Exit Code: ") && code != "Exit Code: 0" => {
            Ended::Failed
        }
        _ => Ended::Unknown,
    }
}

fn is_process_group(line: &str) -> bool {
    line.strip_prefix("Process Group PGID: ")
        .is_some_and(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()))
}
