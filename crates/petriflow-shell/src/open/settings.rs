//! Variables whose value is code, or decides which code runs.

use crate::command::Word;

const CODE: [&str; 50] = [
    "PATH",
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS2",
    "PS4",
    "SHELLOPTS",
    "BASHOPTS",
    "SHELL",
    "ZDOTDIR",
    "BASH_LOADABLES_PATH",
    "EXECIGNORE",
    "FPATH",
    "fpath",
    "path",
    "PAGER",
    "MANPAGER",
    "EDITOR",
    "VISUAL",
    "BROWSER",
    "FCEDIT",
    "LESSOPEN",
    "LESSCLOSE",
    "PERL5OPT",
    "PERL5DB",
    "PYTHONSTARTUP",
    "PYTHONINSPECT",
    "RUBYOPT",
    "NODE_OPTIONS",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "MAKEFLAGS",
    "MAKEFILES",
    "GNUMAKEFLAGS",
    "RSYNC_RSH",
    "CVS_RSH",
    "SUDO_ASKPASS",
    "SSH_ASKPASS",
    "SUDO_EDITOR",
    "SYSTEMD_EDITOR",
    "TAR_OPTIONS",
    "RUSTC_WRAPPER",
    "DOCKER_HOST",
    "MANROFFOPT",
    "VIMINIT",
    "GVIMINIT",
    "EXINIT",
];

/// Variables of git that hold nothing but text.
const GIT_TEXT: [&str; 7] = [
    "GIT_TERMINAL_PROMPT",
    "GIT_OPTIONAL_LOCKS",
    "GIT_PS1_SHOWDIRTYSTATE",
    "GIT_MERGE_AUTOEDIT",
    "GIT_LFS_SKIP_SMUDGE",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
];

/// The name of a variable that carries code, unless its value is known to carry none.
pub(crate) fn code(name: &str, value: &Word) -> Option<String> {
    let carries = CODE.contains(&name)
        || ["LD_", "DYLD_", "BASH_"].iter().any(|prefix| name.starts_with(prefix))
        || (name.starts_with("GIT_") && !is_git_text(name));
    let harmless = match value.known() {
        Some("" | "cat" | "less" | "more" | "true" | ":") => !matches!(name, "PATH" | "path"),
        Some(text) if name == "NODE_OPTIONS" => {
            text.starts_with("--max-old-space-size=") && !text.contains(' ')
        }
        Some(text) if name == "MAKEFLAGS" => text.starts_with("-j") && !text.contains(' '),
        _ => false,
    };
    (carries && !harmless).then(|| name.to_owned())
}

/// Tables of a shell whose elements are code or decide which code runs.
pub(crate) fn is_table(name: &str) -> bool {
    matches!(
        name,
        "commands"
            | "aliases"
            | "galiases"
            | "saliases"
            | "functions"
            | "dis_aliases"
            | "nameddirs"
    )
}

fn is_git_text(name: &str) -> bool {
    name.starts_with("GIT_AUTHOR_")
        || name.starts_with("GIT_COMMITTER_")
        || GIT_TEXT.contains(&name)
}
