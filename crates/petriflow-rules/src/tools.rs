//! The tools that are there, where a list of them is known.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

/// The tools of an agent: names, and beginnings of names that are made up at run time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownTools {
    source: String,
    names: BTreeSet<String>,
    prefixes: Vec<&'static str>,
    /// Whether some of the tools may take an `action`.
    has_actions: bool,
}

impl KnownTools {
    /// The hosts whose tools are known.
    pub const HOSTS: [&'static str; 4] = ["claude-code", "codex", "gemini", "cursor"];

    /// The tools of an agent host.
    pub fn of_host(host: &str) -> Option<Self> {
        let (names, prefixes): (&[&str], &[&'static str]) = match host {
            "claude-code" => (CLAUDE_CODE, &["mcp__"]),
            "codex" => (CODEX, &["mcp__"]),
            "gemini" => (GEMINI, &["mcp_"]),
            "cursor" => (CURSOR, &["MCP:"]),
            _ => return None,
        };
        Some(Self {
            source: host.into(),
            names: names.iter().map(|&name| name.to_owned()).collect(),
            prefixes: prefixes.to_vec(),
            has_actions: false,
        })
    }

    /// A list of tools: one name per line with `#` comments, or JSON: a list of names or of objects
    /// with a `name`, perhaps in an object under `tools`.
    ///
    /// # Errors
    /// What is wrong with the list.
    pub fn from_text(source: impl Into<String>, text: &str) -> Result<Self, String> {
        let names = match text.trim_start().starts_with(['[', '{']) {
            true => names_of_json(text)?,
            false => text
                .lines()
                .map(|line| line.split('#').next().unwrap_or_default().trim().to_owned())
                .filter(|name| !name.is_empty())
                .collect(),
        };
        if names.is_empty() {
            return Err("the list names no tool".into());
        }
        Ok(Self { source: source.into(), names, prefixes: Vec::new(), has_actions: true })
    }

    /// These tools and those of another list.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.source = format!("{} or {}", self.source, other.source);
        self.names.extend(other.names);
        self.prefixes.extend(other.prefixes);
        self.has_actions |= other.has_actions;
        self
    }

    pub(crate) fn knows(&self, name: &str) -> bool {
        let is_tool = |name: &str| {
            self.names.contains(name) || self.prefixes.iter().any(|prefix| name.starts_with(prefix))
        };
        // A dotted name is an action of the tool before the dot; the tools of hosts have none.
        is_tool(name)
            || self.has_actions
                && name.match_indices('.').any(|(dot, _)| name.get(..dot).is_some_and(is_tool))
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}

impl fmt::Display for KnownTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

fn names_of_json(text: &str) -> Result<BTreeSet<String>, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let list = value.get("tools").unwrap_or(&value);
    let items = list.as_array().ok_or("expected a list of tools")?;
    let name = |item: &Value| {
        let name = item.get("name").unwrap_or(item);
        name.as_str().map(str::to_owned).ok_or("expected a tool's name or an object with a `name`")
    };
    Ok(items.iter().map(name).collect::<Result<_, _>>()?)
}

// Names that hosts give their tools today; rules on others get a warning, not an error.
const CLAUDE_CODE: &[&str] = &[
    "Agent",
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "Edit",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "Glob",
    "Grep",
    "KillShell",
    "LSP",
    "ListMcpResourcesTool",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "PowerShell",
    "Read",
    "ReadMcpResourceTool",
    "SendMessage",
    "Skill",
    "SlashCommand",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "Write",
];
const CODEX: &[&str] =
    &["Bash", "apply_patch", "spawn_agent", "update_plan", "view_image", "web_search"];
const GEMINI: &[&str] = &[
    "activate_skill",
    "ask_user",
    "glob",
    "google_web_search",
    "grep_search",
    "list_directory",
    "read_file",
    "read_many_files",
    "replace",
    "run_shell_command",
    "save_memory",
    "search_file_content",
    "web_fetch",
    "write_file",
    "write_todos",
];
const CURSOR: &[&str] = &["Delete", "Grep", "MCP", "Read", "Shell", "Task", "Write"];
