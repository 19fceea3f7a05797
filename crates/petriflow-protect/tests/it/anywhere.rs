//! Names that are protected in any directory.

use std::path::Path;

use petriflow_protect::Objection;
use serde_json::{Value, json};

use crate::corpus::{commands, groups};
use crate::{NAMES, place};

fn shell(command: &str, cwd: &Path) -> Option<Objection> {
    place().named.objection("Bash", &json!({ "command": command }), cwd)
}

#[test]
fn what_a_host_reads_elsewhere_is_protected_there() {
    let (refused, ordinary) =
        (&groups("anywhere.toml")["refused"], &groups("anywhere.toml")["ordinary"]);
    let pkg = place().proj.join("pkg");
    let passed: Vec<&String> =
        refused.iter().filter(|command| shell(command, &pkg).is_none()).collect();
    assert!(passed.is_empty(), "{} of {}: {passed:#?}", passed.len(), refused.len());
    let stopped: Vec<(&String, String)> = ordinary
        .iter()
        .filter_map(|command| Some((command, shell(command, &pkg)?.to_string())))
        .collect();
    assert!(stopped.is_empty(), "{} of {}: {stopped:#?}", stopped.len(), ordinary.len());
}

#[test]
fn names_make_no_difference_for_other_commands() {
    let proj = &place().proj;
    for command in commands("refused.toml") {
        assert!(shell(&command, proj).is_some(), "{command}");
    }
    for command in commands("ordinary.toml") {
        assert_eq!(shell(&command, proj), None, "{command}");
    }
}

#[test]
fn file_tools_may_not_make_them_in_any_directory() {
    let call = |tool: &str, input: Value| {
        place().named.objection(tool, &input, &place().proj.join("pkg")).is_some()
    };
    for folder in ["", "/tmp/elsewhere/", "../", "deep/er/", "file:///tmp/", "~/other/"] {
        for name in NAMES {
            for path in [format!("{folder}{name}"), format!("{folder}{}", name.to_uppercase())] {
                for tool in ["Write", "Edit", "write_file", "delete_file", "mcp__fs__write_file"] {
                    assert!(
                        call(tool, json!({ "file_path": path, "content": "" })),
                        "{tool} {path}"
                    );
                }
                assert!(!call("Read", json!({ "file_path": path })), "{path}");
            }
        }
    }
    assert!(call("Write", json!({ "file_path": "link/x" })));
    for path in
        ["settings.json", ".claude/x.json", "x.petriflow", ".petriflow2", "claude/settings.json"]
    {
        assert!(!call("Write", json!({ "file_path": path, "content": ".petriflow" })), "{path}");
    }
    assert!(!call(
        "mcp__web__fetch",
        json!({ "url": "https://example.org/.claude/settings.json" })
    ));
}

#[test]
fn a_refusal_names_what_is_meant() {
    let objection = shell("rm -r /tmp/x/.petriflow", &place().proj).unwrap();
    assert_eq!(objection.path.as_deref(), Some(Path::new(".petriflow")));
    assert!(objection.message.contains("`.petriflow`"), "{objection}");
}
