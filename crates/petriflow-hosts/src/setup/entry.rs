//! What an entry for a host's event looks like.

use crate::host::Host;
use crate::json::{Json, Object};
use crate::setup::{HookCommand, InstalledHook, is_true};

/// The events that we want to hear of, and whether a call waits for the answer.
pub(super) fn events(host: Host) -> &'static [(&'static str, bool)] {
    match host {
        Host::ClaudeCode => &[
            ("PreToolUse", true),
            ("PostToolUse", false),
            ("PostToolUseFailure", false),
            // A call that a person refused gets no event of its own, but its batch ends.
            ("PostToolBatch", false),
            ("PermissionDenied", false),
            ("SessionStart", false),
            ("SessionEnd", false),
            ("Stop", false),
        ],
        Host::Codex => &[
            ("PreToolUse", true),
            ("PostToolUse", false),
            ("SessionStart", false),
            ("SessionEnd", false),
            ("Stop", false),
        ],
        Host::Gemini => &[
            ("BeforeTool", true),
            ("AfterTool", false),
            ("SessionStart", false),
            ("SessionEnd", false),
            ("AfterAgent", false),
        ],
        Host::Cursor => &[
            ("preToolUse", true),
            ("beforeShellExecution", true),
            ("beforeMCPExecution", true),
            ("beforeReadFile", true),
            ("postToolUse", false),
            ("postToolUseFailure", false),
            ("sessionStart", false),
            ("sessionEnd", false),
            ("stop", false),
        ],
    }
}

/// Events whose entries have a matcher. Where an event has none, a matcher would be ignored.
fn has_matcher(event: &str) -> bool {
    !matches!(event, "PostToolBatch" | "Stop")
}

/// The item in the list of an event: for most hosts a group of handlers, which has one here.
pub(super) fn item(host: Host, event: &str, waits: bool, command: &HookCommand) -> Json {
    const TIMEOUT_S: u64 = 60;
    const TIMEOUT_MS: u64 = 60_000;
    match host {
        Host::ClaudeCode => {
            let args = command.args.iter().map(|arg| Json::from(arg.as_str())).collect();
            let mut handler = object([
                ("type", "command".into()),
                ("command", command.program.as_str().into()),
                ("args", Json::List(args)),
                ("timeout", TIMEOUT_S.into()),
            ]);
            if waits {
                handler.set("onFailure", "block".into());
            }
            let handlers = ("hooks", Json::List(vec![Json::Object(handler)]));
            if has_matcher(event) {
                Json::from([("matcher", "*".into()), handlers])
            } else {
                Json::from([handlers])
            }
        }
        Host::Codex => group([
            ("type", "command".into()),
            ("command", command.line().as_str().into()),
            ("timeout", TIMEOUT_S.into()),
        ]),
        Host::Gemini => group([
            ("name", NAME.into()),
            ("type", "command".into()),
            ("command", command.line().as_str().into()),
            ("timeout", TIMEOUT_MS.into()),
        ]),
        Host::Cursor => {
            let mut entry = object([
                ("command", command.line().as_str().into()),
                ("timeout", TIMEOUT_S.into()),
            ]);
            if waits {
                entry.set("failClosed", Json::Bool(true));
            }
            Json::Object(entry)
        }
    }
}

/// The name under which a user can turn the hook off.
pub(super) const NAME: &str = "petriflow";

fn group<const N: usize>(handler: [(&str, Json); N]) -> Json {
    Json::from([("hooks", Json::List(vec![Json::from(handler)]))])
}

fn object<const N: usize>(members: [(&str, Json); N]) -> Object {
    match Json::from(members) {
        Json::Object(object) => object,
        _ => Object::default(),
    }
}

/// Whether entries are in groups of handlers, which share a matcher.
pub(super) fn has_groups(host: Host) -> bool {
    host != Host::Cursor
}

/// The command of a handler, if it is ours.
pub(super) fn command_of(handler: &Json) -> Option<HookCommand> {
    let handler = handler.as_object()?;
    let program = handler.get("command")?.as_text()?;
    let command = match handler.get("args").and_then(Json::as_list) {
        Some(args) => {
            let args = args.iter().map(|arg| arg.as_text().map(str::to_owned));
            HookCommand { program: program.to_owned(), args: args.collect::<Option<_>>()? }
        }
        None => HookCommand::of_line(program)?,
    };
    command.is_ours().then_some(command)
}

/// What a handler of ours does, in the item that it stands in.
pub(super) fn describe(
    host: Host,
    event: &str,
    item: &Json,
    handler: &Json,
) -> Option<InstalledHook> {
    let command = command_of(handler)?;
    let item = item.as_object()?;
    let handler = handler.as_object()?;
    let is_command = match handler.get("type").and_then(Json::as_text) {
        Some(kind) => kind == "command",
        None => host == Host::Cursor,
    };
    let waits = !["async", "asyncRewake", "once", "if"]
        .iter()
        .any(|name| handler.get(name).is_some_and(Json::is_set));
    let blocks_on_failure = match host {
        Host::ClaudeCode => handler.get("onFailure").and_then(Json::as_text) == Some("block"),
        Host::Cursor => is_true(handler.get("failClosed")),
        Host::Codex | Host::Gemini => false,
    };
    Some(InstalledHook {
        event: event.to_owned(),
        program: command.program,
        args: command.args,
        blocks_on_failure,
        matches_all: is_command && waits && matches_everything(host, item.get("matcher")),
    })
}

fn matches_everything(host: Host, matcher: Option<&Json>) -> bool {
    match matcher {
        None | Some(Json::Null) => true,
        Some(Json::Text(text)) => match text.as_str() {
            "" | ".*" => true,
            // Only a regex there, and not a valid one.
            "*" => host != Host::Cursor,
            _ => false,
        },
        Some(_) => false,
    }
}
