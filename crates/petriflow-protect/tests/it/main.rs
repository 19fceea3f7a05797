//! Tests of the protection at its public boundary, with real files and links.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that panics is a test that fails, helpers included"
)]

mod anywhere;
mod corpus;
mod places;
mod spellings;
mod tools;

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use petriflow_protect::{Objection, Protected};
use serde_json::{Value, json};

/// A home directory with a project in it.
struct Place {
    home: PathBuf,
    proj: PathBuf,
    bin: PathBuf,
    protected: Protected,
    /// The same with names that are protected in any directory.
    named: Protected,
}

/// What the hosts read where they run.
const NAMES: [&str; 6] = [
    ".petriflow",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex/hooks.json",
    ".gemini/settings.json",
    ".cursor/hooks.json",
];

/// The same for all tests, which only look at it.
fn place() -> &'static Place {
    static PLACE: OnceLock<Place> = OnceLock::new();
    PLACE.get_or_init(made)
}

fn made() -> Place {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("protect");
    // What an earlier run left.
    let _ = fs::remove_dir_all(&folder);
    let (home, bin) = (folder.join("home"), folder.join("bin"));
    let proj = home.join("proj");
    for directory in [
        "proj/.petriflow",
        "proj/.claude/commands",
        "proj/src",
        "proj/backup/.claude",
        "proj/template",
        "proj/pkg/.petriflow",
        "proj/pkg/.claude",
        ".claude",
        ".local/state/petriflow",
    ] {
        fs::create_dir_all(home.join(directory)).unwrap();
    }
    fs::create_dir_all(&bin).unwrap();
    for file in [
        ".petriflow/a.rules",
        "safety.rules",
        ".claude/settings.json",
        ".claude/commands/x.md",
        "src/main.rs",
        "list",
        "backup/.claude/settings.json",
        "pkg/.petriflow/x.rules",
        "pkg/.claude/settings.json",
        "../.claude/settings.json",
    ] {
        fs::write(proj.join(file), "x\n").unwrap();
    }
    fs::write(bin.join("petriflow"), "x").unwrap();
    links(&proj, &bin);
    let own = [
        ".petriflow",
        ".petriflow/a.rules",
        "safety.rules",
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".codex/hooks.json",
        ".gemini/settings.json",
        ".cursor/hooks.json",
        "../.claude/settings.json",
        "../.local/state/petriflow",
    ];
    let protected =
        Protected::new(own.map(|path| proj.join(path)), &bin.join("petriflow")).with_home(&home);
    let named = protected.clone().with_names(NAMES.map(PathBuf::from));
    Place { home, proj, bin, protected, named }
}

#[cfg(unix)]
fn links(proj: &std::path::Path, bin: &std::path::Path) {
    use std::os::unix::fs::symlink;
    symlink(".petriflow", proj.join("link")).unwrap();
    symlink(".petriflow", proj.join("pkg/link")).unwrap();
    symlink(".petriflow/a.rules", proj.join("rulelink")).unwrap();
    symlink(".claude/settings.local.json", proj.join("dangling")).unwrap();
    symlink(bin.join("petriflow"), proj.join("pf")).unwrap();
    fs::hard_link(proj.join("safety.rules"), proj.join("hard")).unwrap();
}

impl Place {
    fn call(&self, tool: &str, input: Value) -> Option<Objection> {
        self.protected.objection(tool, &input, &self.proj)
    }

    fn shell(&self, command: &str) -> Option<Objection> {
        self.call("Bash", json!({ "command": command }))
    }

    fn filled(&self, text: &str) -> String {
        text.replace("@PROJ@", self.proj.to_str().unwrap())
            .replace("@HOME@", self.home.to_str().unwrap())
            .replace("@BIN@", self.bin.to_str().unwrap())
    }
}
