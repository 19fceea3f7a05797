//! Where hosts look for hooks, and for what turns them off.

use crate::host::Host;

/// A configuration file of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfigFile {
    /// Whose file it is.
    pub scope: Scope,
    /// Where it is, from the project's root or the user's home. Names are separated by `/`.
    pub path: &'static str,
}

/// Whose configuration it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// One project's.
    Project,
    /// The user's, for all projects.
    User,
}

/// The file in which hooks are declared for a scope.
pub fn config_file(host: Host, scope: Scope) -> ConfigFile {
    let path = match host {
        Host::ClaudeCode => ".claude/settings.json",
        Host::Codex => ".codex/hooks.json",
        Host::Gemini => ".gemini/settings.json",
        Host::Cursor => ".cursor/hooks.json",
    };
    ConfigFile { scope, path }
}

/// Every file from which a host reads hooks, or settings that turn them off: who can write them can
/// remove the gate. Files of administrators, which need other rights, are not among them.
pub fn config_files(host: Host) -> Vec<ConfigFile> {
    use Scope::{Project, User};
    let files: &[(Scope, &'static str)] = match host {
        Host::ClaudeCode => &[
            (Project, ".claude/settings.json"),
            (Project, ".claude/settings.local.json"),
            (User, ".claude/settings.json"),
            (User, ".claude/settings.local.json"),
            // Which folders are trusted: hooks of others do not run.
            (User, ".claude.json"),
        ],
        Host::Codex => &[
            (Project, ".codex/hooks.json"),
            (Project, ".codex/config.toml"),
            (User, ".codex/hooks.json"),
            // Also which hooks are trusted, by their hash.
            (User, ".codex/config.toml"),
        ],
        Host::Gemini => &[
            (Project, ".gemini/settings.json"),
            // Can name another file of settings.
            (Project, ".gemini/.env"),
            (User, ".gemini/settings.json"),
            (User, ".gemini/.env"),
            (User, ".gemini/trustedFolders.json"),
            (User, ".gemini/trusted_hooks.json"),
        ],
        Host::Cursor => &[
            (Project, ".cursor/hooks.json"),
            (Project, ".cursor/cli.json"),
            (User, ".cursor/hooks.json"),
            (User, ".cursor/cli-config.json"),
            // Read too if hooks of other hosts are turned on.
            (Project, ".claude/settings.json"),
            (Project, ".claude/settings.local.json"),
            (User, ".claude/settings.json"),
        ],
    };
    files.iter().map(|&(scope, path)| ConfigFile { scope, path }).collect()
}
