//! Tools by name: readers, writers of files, shells, and all others.

use std::path::Path;

use petriflow_shell::Word;
use serde_json::Value;

use crate::bases::{Bases, Found};
use crate::{Objection, Protected, WORDS_MAX, own, patch, script};

/// They only look, or only talk.
const READERS: [&str; 33] = [
    "Read",
    "Grep",
    "Glob",
    "LS",
    "NotebookRead",
    "WebFetch",
    "WebSearch",
    "TodoWrite",
    "TodoRead",
    "Task",
    "Agent",
    "Skill",
    "BashOutput",
    "KillShell",
    "KillBash",
    "ExitPlanMode",
    "AskUserQuestion",
    "read_file",
    "read_many_files",
    "list_directory",
    "list_dir",
    "glob",
    "grep",
    "grep_search",
    "search_file_content",
    "codebase_search",
    "file_search",
    "web_fetch",
    "web_search",
    "google_web_search",
    "update_plan",
    "view_image",
    "save_memory",
];

/// They write the file they name.
const WRITERS: [&str; 14] = [
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "write_file",
    "replace",
    "edit_file",
    "search_replace",
    "delete_file",
    "Delete",
    "apply_patch",
    "create_file",
    "edit_notebook",
    "reapply",
];

const SHELLS: [&str; 14] = [
    "Bash",
    "bash",
    "Shell",
    "shell",
    "run_shell_command",
    "PowerShell",
    "powershell",
    "local_shell",
    "exec_command",
    "unified_exec",
    "run_terminal_cmd",
    "run_terminal_command",
    "write_stdin",
    "container.exec",
];

/// Fields with shell text; `chars` is typed into a shell that already runs.
const COMMANDS: [&str; 4] = ["command", "cmd", "script", "chars"];

/// Fields with the directory of a command.
const DIRECTORIES: [&str; 7] =
    ["workdir", "cwd", "directory", "dir_path", "working_directory", "workingDirectory", "dir"];

/// Fields with the path or the patch of a writer; what else it is given is content.
const PATHS: [&str; 11] = [
    "file_path",
    "notebook_path",
    "path",
    "target_file",
    "filePath",
    "absolute_path",
    "target_notebook",
    "uri",
    "filename",
    "old_path",
    "new_path",
];
const PATCHES: [&str; 7] = ["input", "patch", "command", "text", "diff", "content", "cmd"];

pub(crate) fn objection(
    protected: &Protected,
    tool: &str,
    input: &Value,
    cwd: &Path,
) -> Option<Objection> {
    let name = tool.trim();
    let reads = READERS.iter().any(|reader| reader.eq_ignore_ascii_case(name));
    if reads || only_looks(name, input) {
        return None;
    }
    let mut bases = Bases::new(protected, cwd);
    let mut budget = WORDS_MAX;
    let what = format!("`{}`", crate::paths::cut(name));
    if WRITERS.iter().any(|writer| writer.eq_ignore_ascii_case(name)) {
        return written(protected, &what, input, &bases, name == "apply_patch", &mut budget);
    }
    for field in DIRECTORIES {
        if let Some(directory) = input.get(field).and_then(Value::as_str) {
            bases.enter(&Word { text: directory.to_owned(), dynamic: None });
        }
    }
    let shell = SHELLS.contains(&name);
    for field in COMMANDS {
        let found = input.get(field).filter(|_| shell || field != "chars");
        if let Some(objection) = found.and_then(|value| command(protected, value, &bases, name)) {
            return Some(objection);
        }
    }
    if shell {
        return None;
    }
    let sounds = ["delet", "move", "remov", "renam", "trash", "clean", "rmdir"];
    let lower = name.to_ascii_lowercase();
    let trees = sounds.iter().any(|sound| lower.contains(sound));
    match input {
        Value::Object(fields) => {
            let mut others = fields.iter().filter(|(name, _)| {
                !COMMANDS.contains(&name.as_str()) && !matches!(name.as_str(), "cwd" | "workdir")
            });
            others.find_map(|(_, value)| {
                anything(protected, &what, value, &bases, trees, &mut budget)
            })
        }
        other => anything(protected, &what, other, &bases, trees, &mut budget),
    }
}

/// Tools of servers whose names say that they look, and editors that are told to.
fn only_looks(name: &str, input: &Value) -> bool {
    let action = name.rsplit("__").next().unwrap_or(name);
    let server = name.starts_with("mcp__") && name.contains("__");
    let looks = ["read", "list", "search", "view", "get_file_info", "directory_tree"]
        .iter()
        .any(|verb| action.starts_with(verb));
    let changes =
        ["write", "edit", "delete", "move", "remove", "create", "replace", "update", "exec", "run"]
            .iter()
            .any(|verb| action.contains(verb));
    let views =
        name.contains("edit") && input.get("command").and_then(Value::as_str) == Some("view");
    views || (server && looks && !changes)
}

/// A text for a shell, or the words of one command.
fn command(
    protected: &Protected,
    value: &Value,
    bases: &Bases<'_>,
    tool: &str,
) -> Option<Objection> {
    match value {
        Value::String(text) if tool.eq_ignore_ascii_case("powershell") => {
            script::objection(protected, &text.replace('\\', "/"), bases)
        }
        Value::String(text) => script::objection(protected, text, bases),
        Value::Array(words) => {
            let quoted: Vec<String> = words
                .iter()
                .filter_map(Value::as_str)
                .map(|word| format!("'{}'", word.replace('\'', "'\\''")))
                .collect();
            script::objection(protected, &quoted.join(" "), bases)
        }
        Value::Object(fields) => {
            fields.values().find_map(|value| command(protected, value, bases, tool))
        }
        _ => None,
    }
}

/// The paths and patches of a tool that writes.
fn written(
    protected: &Protected,
    what: &str,
    input: &Value,
    bases: &Bases<'_>,
    patches: bool,
    budget: &mut usize,
) -> Option<Objection> {
    for field in PATHS {
        if let Some(value) = input.get(field)
            && let Some(objection) = anything(protected, what, value, bases, true, budget)
        {
            return Some(objection);
        }
    }
    if let Value::String(text) = input {
        return patched(protected, what, text, bases, budget);
    }
    // Lists of edits name files as well.
    for list in ["edits", "files", "operations", "changes"] {
        let entries = input.get(list).and_then(Value::as_array).into_iter().flatten();
        for entry in entries {
            if let Some(objection) = written(protected, what, entry, bases, patches, budget) {
                return Some(objection);
            }
        }
    }
    let texts = PATCHES.iter().filter(|_| patches).filter_map(|field| input.get(*field));
    let mut texts = texts.flat_map(|value| match value {
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect::<Vec<&str>>(),
    });
    texts.find_map(|text| patched(protected, what, text, bases, budget))
}

/// A patch that names something protected.
pub(crate) fn patched(
    protected: &Protected,
    what: &str,
    text: &str,
    bases: &Bases<'_>,
    budget: &mut usize,
) -> Option<Objection> {
    for path in patch::paths(text) {
        if let Some(objection) = spend(budget) {
            return Some(objection);
        }
        if let Some(Found::Inside(root)) = bases.look_at(path) {
            return Some(protected.touches(what, root));
        }
    }
    None
}

/// Any text in a value that is a path to something protected.
fn anything(
    protected: &Protected,
    what: &str,
    value: &Value,
    bases: &Bases<'_>,
    trees: bool,
    budget: &mut usize,
) -> Option<Objection> {
    match value {
        Value::String(text) => {
            if let Some(objection) = spend(budget) {
                return Some(objection);
            }
            match bases.look_at(text.trim()) {
                Some(Found::Inside(root)) => Some(protected.touches(what, root)),
                Some(Found::Above(root)) if trees => Some(protected.contains(what, root)),
                _ if patch::is_patch(text) => patched(protected, what, text, bases, budget),
                _ => None,
            }
        }
        Value::Array(values) => {
            values.iter().find_map(|value| anything(protected, what, value, bases, trees, budget))
        }
        Value::Object(fields) => {
            fields.values().find_map(|value| anything(protected, what, value, bases, trees, budget))
        }
        _ => None,
    }
}

fn spend(budget: &mut usize) -> Option<Objection> {
    match budget.checked_sub(1) {
        Some(left) => {
            *budget = left;
            None
        }
        None => Some(too_much()),
    }
}

/// More words than are looked at.
pub(crate) fn too_much() -> Objection {
    Objection::new(format!(
        "the call has more than {WORDS_MAX} words, which is more than is looked at; split it up"
    ))
}

/// A text that no shell reader understands.
pub(crate) fn unreadable(protected: &Protected, text: &str) -> Option<Objection> {
    let named = protected.roots.named_in_code(text);
    named
        .map(|name| Objection::mentions("a command that cannot be read", name))
        .or_else(|| own::in_code(text))
}
