//! Tools of which their names say that they only look.

use serde_json::Value;

/// Verbs that look, as the first word of a tool's name or as what it is told to do.
const LOOKS: [&str; 10] =
    ["read", "list", "search", "view", "show", "get", "find", "stat", "cat", "ls"];

/// Parts of names that change something, and whole words that do.
const CHANGES: [&str; 17] = [
    "write", "edit", "delet", "move", "remov", "creat", "replac", "updat", "exec", "run", "renam",
    "insert", "append", "patch", "truncat", "trash", "modif",
];
const CHANGE_WORDS: [&str; 12] =
    ["rm", "mv", "cp", "put", "set", "save", "apply", "copy", "link", "clear", "eval", "sync"];

/// Tools of servers whose names say that they look, and editors that are told to.
pub(crate) fn only_looks(name: &str, input: &Value) -> bool {
    let told = |field: &str| input.get(field).and_then(Value::as_str);
    if name.contains("edit") && told("command") == Some("view") {
        return true;
    }
    let action = name.rsplit("__").next().unwrap_or(name);
    let words = words(action);
    let looks = matches!(action, "get_file_info" | "directory_tree")
        || words.first().is_some_and(|word| LOOKS.iter().take(4).any(|verb| word == verb));
    let changes = |word: &String| {
        CHANGES.iter().any(|part| word.contains(part)) || CHANGE_WORDS.iter().any(|own| word == own)
    };
    let others = ["command", "cmd", "action", "operation", "op", "mode", "method", "script"];
    let does = others.iter().filter_map(|field| told(field)).any(|value| {
        let own = self::words(value);
        !own.first().is_some_and(|word| LOOKS.iter().any(|verb| word == verb))
            || own.iter().any(changes)
    });
    name.starts_with("mcp__") && looks && !words.iter().any(changes) && !does
}

/// The words of a name: `readFile`, `read_file`, `read-file`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for character in name.chars().take(200) {
        if !character.is_alphanumeric() || (small && character.is_uppercase()) {
            words.push(String::new());
        }
        small = character.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
