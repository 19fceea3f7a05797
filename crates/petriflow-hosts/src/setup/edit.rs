//! Finds, adds and removes our entries in a configuration.

use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};

use crate::host::Host;
use crate::json::{self, Json, Object};
use crate::setup::entry::{self, NAME};
use crate::setup::{HookCommand, InstalledHook, SetupError, is_true};

pub(super) fn parse(text: &str) -> Result<Object, SetupError> {
    match json::parse(text) {
        Ok(Json::Object(object)) => Ok(object),
        Ok(_) => Err(SetupError::NotAnObject),
        Err(error) => Err(match comment_line(text) {
            Some(line) => SetupError::Comments { line },
            None => SetupError::NotJson { message: error.to_string() },
        }),
    }
}

/// Prints with the indentation that the text had before.
pub(super) fn print(root: &Object, before: &str) -> String {
    let indented = before.lines().skip(1).find(|line| line.starts_with([' ', '\t']));
    let indent: String = indented.map_or_else(
        || "  ".to_owned(),
        |line| line.chars().take_while(|char| matches!(char, ' ' | '\t')).collect(),
    );
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(indent.as_bytes());
    let printed = root.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
    debug_assert!(printed.is_ok(), "names are texts, and a vector takes all bytes");
    let mut text = String::from_utf8(bytes).unwrap_or_default();
    text.push('\n');
    text
}

/// The setting that keeps hooks from running.
pub(super) fn turned_off(host: Host, root: &Object) -> Option<&'static str> {
    match host {
        Host::ClaudeCode => is_true(root.get("disableAllHooks")).then_some("disableAllHooks"),
        Host::Gemini => {
            let config = root.get("hooksConfig")?.as_object()?;
            let names_us = |list: &Json| {
                list.as_list()
                    .is_some_and(|names| names.iter().any(|name| name.as_text() == Some(NAME)))
            };
            if matches!(config.get("enabled"), Some(Json::Bool(false))) {
                Some("hooksConfig.enabled")
            } else if config.get("disabled").is_some_and(names_us) {
                Some("hooksConfig.disabled")
            } else {
                None
            }
        }
        Host::Codex | Host::Cursor => None,
    }
}

/// Our entries, in the order of the file.
pub(super) fn list(host: Host, root: &Object) -> Result<Vec<InstalledHook>, SetupError> {
    let mut found = Vec::new();
    let Some(hooks) = root.get("hooks") else { return Ok(found) };
    for (event, items) in hooks.as_object().ok_or_else(hooks_expected)?.iter() {
        // Some hosts have settings of another kind among the events.
        for item in items.as_list().unwrap_or_default() {
            let handlers = handlers(host, item);
            found
                .extend(handlers.filter_map(|handler| entry::describe(host, event, item, handler)));
        }
    }
    Ok(found)
}

/// Puts the entries for a command in the place of ours, or removes ours if there is no command.
pub(super) fn replace(
    host: Host,
    root: &mut Object,
    command: Option<&HookCommand>,
) -> Result<(), SetupError> {
    if host == Host::Cursor && command.is_some() {
        match root.get("version") {
            None => root.set("version", 1.into()),
            Some(Json::Number(version)) if version.as_u64() == Some(1) => {}
            Some(_) => {
                return Err(SetupError::Unexpected { place: "version".into(), expected: "1" });
            }
        }
    }
    if root.get("hooks").is_none() {
        root.set("hooks", Json::Object(Object::default()));
    }
    let Some(Json::Object(hooks)) = root.get_mut("hooks") else { return Err(hooks_expected()) };
    replace_in_events(host, hooks, command)?;
    if hooks.is_empty() {
        root.remove("hooks");
    }
    if host == Host::Cursor && root.names().eq(["version"]) {
        root.remove("version");
    }
    Ok(())
}

fn replace_in_events(
    host: Host,
    hooks: &mut Object,
    command: Option<&HookCommand>,
) -> Result<(), SetupError> {
    let wanted = entry::events(host);
    let mut names: Vec<String> = hooks.names().map(str::to_owned).collect();
    let missing = wanted.iter().filter(|(event, _)| !names.iter().any(|name| name == event));
    let missing: Vec<String> = missing.map(|(event, _)| (*event).to_owned()).collect();
    names.extend(missing);
    for event in names {
        let new = command.and_then(|command| {
            let (_, waits) = wanted.iter().find(|(name, _)| *name == event)?;
            Some(entry::item(host, &event, *waits, command))
        });
        let items = match hooks.get_mut(&event) {
            Some(Json::List(items)) => std::mem::take(items),
            Some(_) if new.is_some() => {
                let place = format!("hooks.{event}");
                return Err(SetupError::Unexpected { place, expected: "a list" });
            }
            Some(_) => continue,
            None if new.is_none() => continue,
            None => Vec::new(),
        };
        let had_items = !items.is_empty();
        let items = replaced(host, items, new);
        // An empty list that was there before stays.
        if items.is_empty() && had_items {
            hooks.remove(&event);
        } else {
            hooks.set(&event, Json::List(items));
        }
    }
    Ok(())
}

/// The items of an event with `new` in the place of our first one, or at the end.
fn replaced(host: Host, items: Vec<Json>, mut new: Option<Json>) -> Vec<Json> {
    let mut kept = Vec::new();
    for mut item in items {
        let ours = handlers(host, &item).filter(|handler| is_ours(handler)).count();
        let all = handlers(host, &item).count();
        if ours == 0 {
            kept.push(item);
        } else if ours == all {
            kept.extend(new.take());
        } else {
            // A group that we share with others.
            if let Json::Object(group) = &mut item
                && let Some(Json::List(handlers)) = group.get_mut("hooks")
            {
                handlers.retain(|handler| !is_ours(handler));
            }
            kept.push(item);
        }
    }
    kept.extend(new);
    kept
}

fn is_ours(handler: &Json) -> bool {
    entry::command_of(handler).is_some()
}

/// The handlers of an item: those of its group, or itself.
fn handlers(host: Host, item: &Json) -> impl Iterator<Item = &Json> {
    let grouped = if entry::has_groups(host) {
        item.as_object().and_then(|group| group.get("hooks")).and_then(Json::as_list)
    } else {
        Some(std::slice::from_ref(item))
    };
    grouped.unwrap_or_default().iter()
}

fn hooks_expected() -> SetupError {
    SetupError::Unexpected { place: "hooks".into(), expected: "an object" }
}

/// The line of the first comment, as some hosts allow them in their JSON.
fn comment_line(text: &str) -> Option<usize> {
    let mut line: usize = 1;
    let mut in_text = false;
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\n' => line = line.saturating_add(1),
            '"' => in_text = !in_text,
            '\\' if in_text => {
                chars.next();
            }
            '/' if !in_text && matches!(chars.peek(), Some('/' | '*')) => return Some(line),
            _ => {}
        }
    }
    None
}
