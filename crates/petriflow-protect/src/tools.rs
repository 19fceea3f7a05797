//! Tools by name: readers, writers of files, shells, and all others.

use std::path::Path;

use petriflow_shell::Word;
use serde_json::Value;

use crate::bases::{Bases, Found};
use crate::paths::unescaped;
use crate::{Objection, Protected, WORDS_MAX, hosts, looks, own, patch, script};

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

/// Fields with shell text if they are not those of a shell tool.
const LINES: [&str; 5] = ["cmdline", "command_line", "commandLine", "shell", "argv"];

/// Fields with code or with words of a command: a protected name in them is refused.
const CODE: [&str; 13] = [
    "code",
    "input",
    "source",
    "args",
    "arguments",
    "program",
    "query",
    "expression",
    "statement",
    "sql",
    "python",
    "javascript",
    "eval",
];

/// Fields with a program, and those with its arguments.
const PROGRAMS: [&str; 6] = ["command", "cmd", "program", "executable", "binary", "tool"];
const ARGUMENTS: [&str; 4] = ["args", "argv", "arguments", "params"];

/// Fields with the directory of a command, or of the names beside it.
const DIRECTORIES: [&str; 16] = [
    "workdir",
    "cwd",
    "directory",
    "dir_path",
    "working_directory",
    "workingDirectory",
    "dir",
    "base",
    "base_dir",
    "base_path",
    "basePath",
    "root",
    "folder",
    "parent",
    "target_dir",
    "destination_dir",
];

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
    if reads || looks::only_looks(name, input) {
        return None;
    }
    let mut bases = Bases::new(protected, cwd);
    let mut budget = WORDS_MAX;
    let what = format!("`{}`", crate::paths::cut(name));
    if WRITERS.iter().any(|writer| writer.eq_ignore_ascii_case(name)) {
        let patches = name.eq_ignore_ascii_case("apply_patch");
        return written(protected, &what, input, &bases, patches, &mut budget)
            .or_else(|| bases.is_spent().then(too_much));
    }
    for field in DIRECTORIES {
        if let Some(directory) = input.get(field).and_then(Value::as_str) {
            bases.enter(&Word { text: directory.to_owned(), dynamic: None });
        }
    }
    let shell = SHELLS.iter().any(|own| own.eq_ignore_ascii_case(name));
    for field in COMMANDS {
        let found = input.get(field).filter(|_| shell || field != "chars");
        if let Some(objection) = found.and_then(|value| command(protected, value, &bases, name)) {
            return Some(objection);
        }
    }
    if shell {
        return bases.is_spent().then(too_much);
    }
    if let Some(objection) = told(protected, &what, input, &bases, name) {
        return Some(objection);
    }
    let sounds = ["delet", "move", "remov", "renam", "trash", "clean", "rmdir"];
    let lower = name.to_ascii_lowercase();
    let trees = sounds.iter().any(|sound| lower.contains(sound));
    let found = match input {
        Value::Object(fields) => {
            let mut others = fields.iter().filter(|(name, _)| {
                !COMMANDS.contains(&name.as_str())
                    && !LINES.contains(&name.as_str())
                    && !matches!(name.as_str(), "cwd" | "workdir")
                    && !is_understood(input, name)
            });
            others.find_map(|(_, value)| {
                anything(protected, &what, value, &bases, trees, &mut budget)
            })
        }
        other => anything(protected, &what, other, &bases, trees, &mut budget),
    };
    found.or_else(|| bases.is_spent().then(too_much))
}

/// What a tool that is not known is told to run: code, lines for a shell, a program and its words.
fn told(
    protected: &Protected,
    what: &str,
    input: &Value,
    bases: &Bases<'_>,
    tool: &str,
) -> Option<Objection> {
    for line in LINES.iter().filter_map(|field| input.get(*field)) {
        if let Some(objection) = command(protected, line, bases, tool) {
            return Some(objection);
        }
    }
    let program = PROGRAMS.iter().find_map(|field| input.get(*field)?.as_str());
    let arguments = ARGUMENTS.iter().find_map(|field| input.get(*field));
    if let (Some(program), Some(arguments)) = (program, arguments) {
        let mut line = vec![Value::from(program)];
        match arguments {
            Value::Array(words) => line.extend(words.iter().cloned()),
            Value::String(words) => line.extend(words.split_whitespace().map(Value::from)),
            _ => {}
        }
        if let Some(objection) = command(protected, &Value::from(line), bases, tool) {
            return Some(objection);
        }
    }
    let code = CODE.iter().filter(|field| !is_understood(input, field));
    code.filter_map(|field| input.get(*field)).find_map(|value| {
        let code = texts(value).join(" ");
        let named = protected.roots.named_in_code(&code);
        named.map(|name| Objection::mentions(what, name)).or_else(|| own::in_code(&code))
    })
}

/// Whether a field holds words of a command that was looked at as a whole.
fn is_understood(input: &Value, field: &str) -> bool {
    let has = |fields: &[&str]| fields.iter().any(|field| input.get(*field).is_some());
    has(&PROGRAMS)
        && has(&ARGUMENTS)
        && (PROGRAMS.contains(&field) || ARGUMENTS.contains(&field))
        && PROGRAMS.iter().any(|field| input.get(*field).is_some_and(Value::is_string))
}

/// All texts of a value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text.as_str()],
        Value::Array(values) => values.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
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
    for (_, value) in input.as_object().into_iter().flatten().filter(|(name, _)| is_path(name)) {
        if let Some(objection) = anything(protected, what, value, bases, true, budget) {
            return Some(objection);
        }
    }
    if let Value::String(text) = input {
        return patched(protected, what, text, bases, budget);
    }
    // Lists of edits name files as well.
    for list in ["edits", "files", "operations", "changes"] {
        // Or they are keyed by them.
        let keys = input.get(list).and_then(Value::as_object).into_iter().flatten();
        for (key, _) in keys {
            if let Some(Found::Inside(root)) = bases.look_at(key) {
                return Some(protected.touches(what, root));
            }
        }
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

/// Whether a field of a writer holds a path.
fn is_path(field: &str) -> bool {
    const PARTS: [&str; 5] = ["path", "dest", "target", "uri", "filename"];
    let lower = field.to_ascii_lowercase();
    PATHS.iter().any(|own| own.eq_ignore_ascii_case(field))
        || matches!(lower.as_str(), "file" | "to" | "from" | "source")
        || PARTS.iter().any(|part| lower.contains(part))
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
            let text = text.trim();
            if hosts::is_setting(text) {
                return Some(Objection::mentions(what, text));
            }
            let coded = text.contains('%').then(|| bases.look_at(&unescaped(text))).flatten();
            match coded.or_else(|| bases.look_at(text)) {
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
            let key = |key: &String| match bases.look_at(key) {
                Some(Found::Inside(root)) => Some(protected.touches(what, root)),
                _ => None,
            };
            fields.iter().find_map(|(name, value)| {
                key(name).or_else(|| anything(protected, what, value, bases, trees, budget))
            })
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
        "the call has more than {WORDS_MAX} words and alternatives, which is more than is looked at; split it up"
    ))
}

/// A text that no shell reader understands.
pub(crate) fn unreadable(protected: &Protected, text: &str) -> Option<Objection> {
    let named = protected.roots.named_in_code(text);
    named
        .map(|name| Objection::mentions("a command that cannot be read", name))
        .or_else(|| own::in_code(text))
}
