//! The files in which hosts look for hooks: text in, text out.
//!
//! [`install`] adds the entries that a host needs to ask us about every call, [`uninstall`] takes them
//! out, [`installed`] lists them. All else in a file stays as it is and where it is.

mod command;
mod edit;
mod entry;
mod error;
mod files;

pub use command::HookCommand;
pub use error::SetupError;
pub use files::{ConfigFile, Scope, config_file, config_files};

use crate::host::Host;
use crate::json::Json;

/// An entry of ours in a host's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledHook {
    /// The event that it is for.
    pub event: String,
    /// The program that the host runs.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Whether the host refuses the call if the program crashes.
    pub blocks_on_failure: bool,
    /// Whether the host runs it on every event of this name, and waits for its answer.
    pub matches_all: bool,
}

/// The text of a configuration file with our hooks in it, given what was there before.
///
/// Entries of ours are replaced where they are, so that nothing changes if nothing is new.
///
/// # Errors
/// If the text is not a JSON object, if hooks stand there in a form that is not known or are turned
/// off, or if the command cannot be written down.
pub fn install(
    host: Host,
    existing: Option<&str>,
    command: &HookCommand,
) -> Result<String, SetupError> {
    command.check(host)?;
    let existing = existing.map(without_bom).filter(|text| !text.trim().is_empty());
    let mut root = edit::parse(existing.unwrap_or("{}"))?;
    if let Some(setting) = edit::turned_off(host, &root) {
        return Err(SetupError::TurnedOff { setting });
    }
    edit::replace(host, &mut root, Some(command))?;
    Ok(edit::print(&root, existing.unwrap_or_default()))
}

/// The text of a configuration file without our hooks; `None` if there are none.
///
/// # Errors
/// As [`install`].
pub fn uninstall(host: Host, existing: &str) -> Result<Option<String>, SetupError> {
    if installed(host, existing)?.is_empty() {
        return Ok(None);
    }
    let existing = without_bom(existing);
    let mut root = edit::parse(existing)?;
    edit::replace(host, &mut root, None)?;
    Ok(Some(edit::print(&root, existing)))
}

/// Our hooks in the text of a configuration file.
///
/// An entry is ours if its program's name is `petriflow` and its first argument `hook`.
///
/// # Errors
/// As [`install`].
pub fn installed(host: Host, text: &str) -> Result<Vec<InstalledHook>, SetupError> {
    let text = without_bom(text);
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    edit::list(host, &edit::parse(text)?)
}

/// The setting in a configuration file that keeps the host from running our hooks, if there is one.
///
/// # Errors
/// If the text is not a JSON object.
pub fn turned_off(host: Host, text: &str) -> Result<Option<&'static str>, SetupError> {
    let text = without_bom(text);
    if text.trim().is_empty() {
        return Ok(None);
    }
    Ok(edit::turned_off(host, &edit::parse(text)?))
}

/// The events that [`install`] writes hooks for.
pub fn events(host: Host) -> impl Iterator<Item = &'static str> {
    entry::events(host).iter().map(|&(event, _)| event)
}

/// The event before every call.
pub fn call_event(host: Host) -> &'static str {
    match host {
        Host::ClaudeCode | Host::Codex => "PreToolUse",
        Host::Gemini => "BeforeTool",
        Host::Cursor => "preToolUse",
    }
}

/// Whether a call waits for the answer to this event.
pub fn waits(host: Host, event: &str) -> bool {
    entry::events(host).iter().any(|&(name, waits)| waits && name == event)
}

/// The tool with which the host runs shell commands.
pub fn shell_tool(host: Host) -> &'static str {
    match host {
        Host::ClaudeCode | Host::Codex => "Bash",
        Host::Gemini => "run_shell_command",
        Host::Cursor => "Shell",
    }
}

/// The host's own program, and the first version that refuses calls if a hook breaks.
pub fn program(host: Host) -> (&'static str, Option<&'static str>) {
    match host {
        Host::ClaudeCode => ("claude", Some("2.1.295")),
        Host::Codex => ("codex", None),
        Host::Gemini => ("gemini", None),
        Host::Cursor => ("cursor-agent", None),
    }
}

/// Whether what a program says of its version is at least another version: `2.1.300 (Claude Code)`.
pub fn is_at_least(said: &str, version: &str) -> bool {
    let numbers = |text: &str| -> Vec<u64> {
        let word =
            text.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        word.unwrap_or_default().split('.').map(|part| part.parse().unwrap_or(0)).collect()
    };
    numbers(said) >= numbers(version)
}

/// What a person has to do before the host runs the hook.
pub fn after_install(host: Host) -> &'static str {
    match host {
        Host::ClaudeCode => "start a new session of claude; /hooks shows the hook",
        Host::Codex => "start codex and confirm the hook under /hooks: until then it is skipped",
        Host::Gemini => "start a new session of gemini in this folder, and trust the folder",
        Host::Cursor => "restart cursor; its settings list the hook",
    }
}

/// Rules to begin with, for the tools of a host.
pub fn starter_rules(host: Host) -> &'static str {
    match host {
        Host::ClaudeCode => include_str!("rules/claude-code.rules"),
        Host::Codex => include_str!("rules/codex.rules"),
        Host::Gemini => include_str!("rules/gemini.rules"),
        Host::Cursor => include_str!("rules/cursor.rules"),
    }
}

fn without_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// A member that is `true`.
fn is_true(value: Option<&Json>) -> bool {
    matches!(value, Some(Json::Bool(true)))
}
