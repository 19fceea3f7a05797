//! Commands and settings with which a host's hooks are turned off.

use petriflow_shell::{Command, Word};

use crate::Objection;
use crate::look::base_name;

/// Programs that run an agent, and the packages they come in.
const HOSTS: [&str; 5] = ["claude", "codex", "gemini", "cursor-agent", "cursor"];
const PACKAGES: [&str; 4] = ["claude-code", "@openai/codex", "gemini-cli", "cursor-agent"];

/// Runners of packages.
const RUNNERS: [&str; 8] = ["npx", "bunx", "pnpx", "pnpm", "yarn", "npm", "bun", "deno"];

/// Options that start a host with other settings than those that hold the hook.
const OPTIONS: [&str; 6] = [
    "--settings",
    "--setting-sources",
    "--bare",
    "--safe-mode",
    "--ignore-user-config",
    "--simple",
];

/// Variables that give it other settings.
const VARIABLES: [&str; 8] = [
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_SIMPLE",
    "CLAUDE_CODE_SAFE_MODE",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
    "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
    "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
    "HOME",
];

/// Words that ask and change nothing.
const ASKS: [&str; 7] = ["list", "get", "show", "help", "--help", "-h", "status"];

/// Whether a command starts a host without its hooks or turns them off.
pub(crate) fn objection(command: &Command) -> Option<Objection> {
    let (host, arguments) = host(command)?;
    let asks = arguments.iter().take(3).any(|word| ASKS.contains(&word.text.as_str()));
    let option = |word: &&Word| {
        let name = word.text.split('=').next().unwrap_or_default();
        OPTIONS.contains(&name) || (is_hooks(&word.text) && !asks)
    };
    let word = arguments.iter().find(option).map(|word| word.text.clone());
    let wrapped = command.wrappers.iter().flat_map(|wrapper| &wrapper.words);
    let wrapped = wrapped.filter_map(|word| Some(word.text.split_once('=')?.0));
    let set = command.assignments.iter().map(|assignment| assignment.name.as_str());
    let variable = || set.chain(wrapped).find(|name| VARIABLES.contains(name)).map(str::to_owned);
    word.or_else(variable).map(|word| {
        Objection::new(format!(
            "`{host}` with `{}` may run without the hook that guards this session; only a person may do that",
            crate::paths::cut(&word)
        ))
    })
}

/// Whether a short text is the name of a setting for hooks.
pub(crate) fn is_setting(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    text.len() < 100 && (lower.contains("disableallhooks") || lower.contains("disable_all_hooks"))
}

/// The host that a command runs, and what it is told.
fn host(command: &Command) -> Option<(String, &[Word])> {
    let (first, rest) = command.words.split_first()?;
    let program = base_name(&first.text);
    if HOSTS.contains(&program) {
        return Some((program.to_owned(), rest));
    }
    if !RUNNERS.contains(&program) {
        return None;
    }
    let is_host = |word: &Word| {
        HOSTS.contains(&word.text.as_str()) || PACKAGES.iter().any(|own| word.text.contains(own))
    };
    let at = rest.iter().position(is_host)?;
    let name = rest.get(at).map(|word| crate::paths::cut(&word.text))?;
    Some((name, rest.get(at.saturating_add(1)..).unwrap_or_default()))
}

/// A word about hooks, which is no sentence.
fn is_hooks(text: &str) -> bool {
    let setting = text.starts_with(['{', '-']) || !text.contains(char::is_whitespace);
    setting && text.to_ascii_lowercase().contains("hooks")
}
