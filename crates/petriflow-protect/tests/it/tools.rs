//! Calls of tools that are no shells, and limits.

use serde_json::{Value, json};

use crate::place;

fn refused(tool: &str, input: Value) {
    let text = place().filled(&input.to_string());
    let input: Value = serde_json::from_str(&text).unwrap();
    assert!(place().call(tool, input).is_some(), "{tool} {text}");
}

fn allowed(tool: &str, input: Value) {
    let text = place().filled(&input.to_string());
    let input: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(place().call(tool, input), None, "{tool} {text}");
}

#[test]
fn tools_that_write_a_protected_file_are_refused() {
    for path in [
        ".petriflow/a.rules",
        "@PROJ@/.petriflow/new.rules",
        "link/a.rules",
        "rulelink",
        "dangling",
        "hard",
        "src/../.claude/settings.json",
        "~/.claude/settings.json",
        "file://@PROJ@/.claude/settings.json",
        "file://@PROJ@/%2epetriflow/a.rules",
        "@BIN@/petriflow",
        "safety.rules",
    ] {
        for tool in [
            "Write",
            "Edit",
            "MultiEdit",
            "write_file",
            "replace",
            "edit_file",
            "search_replace",
            "delete_file",
            "Delete",
        ] {
            refused(tool, json!({ "file_path": path, "content": "x" }));
            refused(tool, json!({ "path": path }));
        }
        refused("NotebookEdit", json!({ "notebook_path": path }));
        refused("mcp__fs__write_file", json!({ "path": path, "content": "x" }));
        refused("mcp__fs__edit", json!({ "files": [{ "where": path }] }));
        refused("SomethingNew", json!({ "anything": path }));
        refused(
            "apply_patch",
            json!({ "input": format!("*** Begin Patch\n*** Update File: {path}\n*** End Patch") }),
        );
    }
}

#[test]
fn patches_are_refused_for_any_file_they_name() {
    for header in [
        "*** Add File: ",
        "*** Update File: ",
        "*** Delete File: ",
        "*** Move to: ",
        "+++ b/",
        "--- a/",
        "rename to ",
    ] {
        for field in ["input", "patch", "command", "text"] {
            refused(
                "apply_patch",
                json!({ field: format!("*** Update File: src/x\n{header}.petriflow/a.rules\n") }),
            );
        }
    }
    refused(
        "apply_patch",
        json!({ "command": ["apply_patch", "*** Begin Patch\n*** Delete File: safety.rules\n"] }),
    );
    refused(
        "shell",
        json!({ "command": ["apply_patch", "*** Begin Patch\n*** Delete File: safety.rules\n*** End Patch"] }),
    );
    refused(
        "shell",
        json!({ "command": ["bash", "-lc", "apply_patch <<'E'\n*** Begin Patch\n*** Delete File: safety.rules\n*** End Patch\nE"] }),
    );
    refused(
        "Bash",
        json!({ "command": "printf '*** Begin Patch\\n*** Delete File: safety.rules\\n*** End Patch' | apply_patch" }),
    );
    allowed(
        "apply_patch",
        json!({ "input": "*** Begin Patch\n*** Update File: src/main.rs\n+see .petriflow/a.rules\n*** End Patch" }),
    );
}

#[test]
fn trees_with_something_protected_are_refused_for_tools_that_sound_destructive() {
    for tool in ["mcp__fs__delete_directory", "mcp__fs__move_file", "remove", "rename_path"] {
        refused(tool, json!({ "path": "." }));
        refused(tool, json!({ "source": "@PROJ@", "destination": "/tmp/x" }));
        refused(tool, json!({ "path": ".claude" }));
        allowed(tool, json!({ "path": "src" }));
    }
    allowed("mcp__x__build", json!({ "directory": "." }));
}

#[test]
fn reading_and_talking_is_free() {
    let path = json!({ "file_path": ".petriflow/a.rules", "path": ".claude/settings.json", "prompt": ".petriflow/a.rules" });
    for tool in [
        "Read",
        "Grep",
        "Glob",
        "LS",
        "read_file",
        "read_many_files",
        "list_directory",
        "glob",
        "grep_search",
        "search_file_content",
        "NotebookRead",
        "WebFetch",
        "WebSearch",
        "TodoWrite",
        "Task",
        "Agent",
        "BashOutput",
        "KillShell",
        "mcp__filesystem__read_text_file",
        "mcp__filesystem__list_directory",
    ] {
        allowed(tool, path.clone());
    }
    allowed(
        "str_replace_based_edit_tool",
        json!({ "command": "view", "path": ".petriflow/a.rules" }),
    );
    refused(
        "str_replace_based_edit_tool",
        json!({ "command": "create", "path": ".petriflow/a.rules" }),
    );
}

#[test]
fn ordinary_writing_is_free() {
    for path in [
        "src/main.rs",
        ".claude/commands/x.md",
        ".claude/agents/y.md",
        "/tmp/settings.json",
        ".petriflow.md",
    ] {
        allowed(
            "Write",
            json!({ "file_path": path, "content": "see .petriflow/a.rules, run petriflow trust" }),
        );
        allowed(
            "mcp__fs__write_file",
            json!({ "path": path, "content": "see .petriflow/a.rules" }),
        );
    }
    allowed(
        "mcp__github__create_issue",
        json!({ "title": "x", "body": "the file .petriflow/a.rules is old" }),
    );
}

#[test]
fn any_tool_with_a_command_is_a_shell() {
    for tool in [
        "Bash",
        "shell",
        "run_shell_command",
        "exec_command",
        "local_shell",
        "mcp__x__terminal",
        "Whatever",
    ] {
        for field in ["command", "cmd", "script"] {
            refused(tool, json!({ field: "rm -rf .petriflow" }));
            refused(tool, json!({ field: ["rm", "-rf", ".petriflow"] }));
            refused(tool, json!({ field: ["bash", "-lc", "petriflow trust"] }));
            allowed(tool, json!({ field: "rm -rf target" }));
            allowed(tool, json!({ field: ["cat", ".petriflow/a.rules"] }));
        }
    }
    refused("write_stdin", json!({ "chars": "petriflow trust\n" }));
    refused("exec_command", json!({ "cmd": "rm a.rules", "workdir": "@PROJ@/.petriflow" }));
    refused("PowerShell", json!({ "command": "Remove-Item -Recurse .petriflow\\a.rules" }));
    allowed("PowerShell", json!({ "command": "Get-Content .petriflow\\a.rules" }));
    allowed("Bash", json!({ "command": "ls", "description": ".petriflow/a.rules" }));
}

#[test]
fn code_for_tools_that_are_not_known_is_read() {
    for input in [
        json!({ "cmdline": "rm -r .petriflow" }),
        json!({ "cmdline": "rm -rf ." }),
        json!({ "command": "rm", "args": ["-r", ".petriflow"] }),
        json!({ "command": "rm", "args": ["-rf", "."] }),
        json!({ "command": "rm", "args": "-rf ." }),
        json!({ "program": "petriflow", "args": ["trust"] }),
        json!({ "argv": ["bash", "-c", "rm -r .petriflow"] }),
        json!({ "argv": ["bash", "-c", "rm -rf ."] }),
        json!({ "code": "import os; os.remove('.petriflow/a.rules')" }),
        json!({ "code": "os.remove('.pet' + 'riflow/a.rules')" }),
        json!({ "code": "subprocess.run(['petriflow','trust'])" }),
        json!({ "input": "await tools.exec_command({cmd:'petriflow trust'})" }),
        json!({ "input": "await tools.exec_command({cmd:'rm -r .petri'+'flow'})" }),
        json!({ "source": "unlink('.petriflow/a.rules')" }),
        json!({ "shell": "petriflow trust" }),
        json!({ "query": "COPY x TO '.petriflow/a.rules'" }),
        json!({ "setting": "disableAllHooks", "value": true }),
        json!({ "changes": { ".petriflow/a.rules": {} } }),
        json!({ "base": "@PROJ@/.claude", "name": "settings.json" }),
        json!({ "path": "FILE://@PROJ@/.petriflow/a.rules" }),
        json!({ "path": "File:@PROJ@/.petriflow/a.rules" }),
        json!({ "path": "@PROJ@/%2Epetriflow/a.rules" }),
    ] {
        for tool in ["mcp__x__call", "REPL", "exec", "SomethingNew"] {
            refused(tool, input.clone());
        }
    }
    for input in [
        json!({ "code": "print(1)" }),
        json!({ "code": "subprocess.run(['petriflow','check','x.rules'])" }),
        json!({ "command": "ls", "args": ["-la", ".petriflow"] }),
        json!({ "program": "petriflow", "args": ["check", "x"] }),
        json!({ "argv": ["cargo", "test"] }),
        json!({ "cmdline": "cargo build" }),
        json!({ "query": "how to write rules" }),
        json!({ "input": "hello", "args": { "a": 1 } }),
        json!({ "shell": true, "source": "main" }),
    ] {
        for tool in ["mcp__x__call", "REPL", "exec", "SomethingNew"] {
            allowed(tool, input.clone());
        }
    }
}

#[test]
fn only_whole_words_say_that_a_tool_looks() {
    let path = ".petriflow/a.rules";
    for tool in [
        "mcp__x__readlink_rm",
        "mcp__fs__listen",
        "mcp__x__view_edit",
        "mcp__e__search_and_replace",
        "mcp__x__read_write",
        "mcp__x__readAndSet",
        "mcp__read__write",
        "mcp__x__reader",
        "mcp__x__viewer_put",
    ] {
        refused(tool, json!({ "path": path }));
    }
    for tool in ["mcp__x__read", "mcp__x__readFile", "mcp__x__list-files", "mcp__x__y__view_file"] {
        allowed(tool, json!({ "path": path }));
    }
    for field in ["command", "action", "operation"] {
        for verb in ["create", "write", "delete", "str_replace", "undo"] {
            refused("mcp__x__view", json!({ field: verb, "path": path }));
        }
        allowed("mcp__x__view", json!({ field: "view", "path": path }));
    }
}

#[test]
fn writers_are_read_whatever_their_fields_are_called() {
    for field in ["FILE_PATH", "destination", "targetPath", "file", "Uri"] {
        refused("Write", json!({ field: ".petriflow/a.rules" }));
        allowed("Write", json!({ field: "src/x", "content": ".petriflow/a.rules" }));
    }
    refused("apply_patch", json!({ "changes": { ".petriflow/a.rules": {} } }));
    refused("BASH", json!({ "command": "rm -r .petriflow" }));
}

#[test]
fn too_many_words_are_refused_and_long_texts_are_not() {
    let many = format!("rm {}", "a ".repeat(30_000));
    assert!(place().shell(&many).unwrap().message.contains("20000"));
    let long = format!("cat > x <<'E'\n{}\nE", "text\n".repeat(100_000));
    assert_eq!(place().shell(&long), None);
    let list: Vec<String> = (0..30_000).map(|at| format!("x{at}")).collect();
    assert!(place().call("mcp__x__y", json!({ "list": list })).is_some());
}

#[test]
fn no_input_is_too_odd() {
    for input in [
        json!(null),
        json!(1),
        json!([]),
        json!({}),
        json!({ "command": 1 }),
        json!({ "command": null }),
        json!("x"),
    ] {
        for tool in ["Bash", "Write", "apply_patch", "x", ""] {
            assert_eq!(place().call(tool, input.clone()), None);
        }
    }
    for text in [
        "", " ", "~", "~/", "$", "${", "$(", "[", "[!", "[]", "{", "/", "//", "..", "rm [",
        "rm [!]", "rm ~x", "rm \u{0}", "rm 'é*'", "rm [é-", "rm $é*",
    ] {
        let _ = place().shell(text);
        let _ = place().call("Write", json!({ "path": text }));
    }
}

#[test]
fn alternatives_are_counted_as_words_are() {
    let items: Vec<String> = (0..150).map(|at| format!("a{at}")).collect();
    let group = format!("{{{}}}", items.join(","));
    // Any of them could be protected, or none.
    assert!(place().shell(&format!("touch {}", group.repeat(4))).is_some());
    assert_eq!(place().shell(&format!("touch src/{}", group.repeat(4))), None);
}

#[test]
fn what_stands_behind_many_alternatives_is_seen_or_refused() {
    for pairs in
        ["src/{a,b}{a,b}{a,b} ", "src/{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b} ", "*{a,b} ", "$A/x "]
    {
        for count in [3, 30, 300, 3_000] {
            for last in [".petri*/a.rules", "\"$X\"/.petriflow", ".p{e,x}triflow/a.rules"] {
                let command = format!("touch {}{last}", pairs.repeat(count));
                assert!(place().shell(&command).is_some(), "{count} {pairs} {last}");
            }
        }
    }
}

/// Work is bounded, whatever the text is made of.
#[test]
fn no_text_takes_long() {
    let texts = [
        format!("rm {}", "*a*b*c* ".repeat(19_000)),
        format!("rm {}", "$A/x/$B ".repeat(19_000)),
        format!("{} rm {}", "cd a; cd ..; cd b/c;".repeat(20), "x ".repeat(10_000)),
        format!("rm {}", "*".repeat(100_000)),
        format!("rm {}", "$A".repeat(50_000)),
        format!("rm {}", "{a,b}".repeat(1_000)),
        format!("rm '{}'", "../".repeat(100_000)),
        format!("rm \"$x\"; echo {}", "a.b ".repeat(19_000)),
        format!("python3 -c '{}'", "open(\".x\")".repeat(20_000)),
        "rm $x;".repeat(3_000),
        format!("touch {}", "**/".repeat(100_000)),
        format!("touch {}", "$A/".repeat(100_000)),
        format!("x {}", "a,".repeat(200_000)),
    ];
    for text in texts {
        let begin = std::time::Instant::now();
        let _ = place().shell(&text);
        let taken = begin.elapsed();
        eprintln!("{taken:?} for {}", &text[..40]);
        assert!(taken.as_secs() < 5, "{taken:?} for {}", &text[..40]);
    }
}
