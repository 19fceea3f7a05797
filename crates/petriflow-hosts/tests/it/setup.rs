//! Configuration files.

use std::collections::BTreeSet;
use std::fmt::Write;

use petriflow_hosts::Host;
use petriflow_hosts::setup::{
    HookCommand, Scope, SetupError, config_file, config_files, install, installed, turned_off,
    uninstall,
};
use serde_json::{Value, json};

fn command(program: &str) -> HookCommand {
    HookCommand { program: program.into(), args: vec!["hook".into(), "x".into()] }
}

/// Files with hooks and settings of others.
fn foreign(host: Host) -> Vec<String> {
    let list = match host {
        Host::ClaudeCode => vec![json!({
            "permissions": {"allow": ["Bash(ls:*)"]},
            "hooks": {
                "PreToolUse": [{"matcher": "Bash", "hooks": [
                    {"type": "command", "command": "./petriflow-like hook"},
                    {"type": "command", "command": "petriflow lint", "timeout": 5},
                ]}],
                "Notification": [{"hooks": [{"type": "command", "command": "say done"}]}],
            },
            "zz": [1, 2.5, null, "ä\n"],
            "aa": {"b": {}, "a": []},
        })],
        Host::Codex => vec![json!({
            "description": "x",
            "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo petriflow hook"}]}]},
        })],
        Host::Gemini => vec![json!({
            "ui": {"theme": "x"},
            "hooksConfig": {"enabled": true, "disabled": ["other"]},
            "hooks": {
                "BeforeTool": [{"matcher": "write_.*", "sequential": true, "hooks": [
                    {"type": "command", "command": "x; petriflow hook gemini", "name": "x"},
                ]}],
                "enabled": true,
            },
        })],
        Host::Cursor => vec![json!({
            "version": 1,
            "hooks": {
                "afterFileEdit": [{"command": "./format.sh"}],
                "preToolUse": [{"command": "./guard.sh", "matcher": "Shell"}],
            },
        })],
    };
    // The format of one host needs a version.
    let unsorted = "{\n    \"z\": 1,\n    \"a\": {\n        \"y\": 1,\n        \"b\": []\n    },\n    \"version\": 1\n}\n";
    list.into_iter().map(|value| format!("{value:#}\n")).chain([unsorted.to_owned()]).collect()
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn the_files_as_they_are_written() {
    let mut log = String::new();
    for host in Host::ALL {
        let file = config_file(host, Scope::Project).path;
        let text = install(host, None, &command("/opt/my tools/petriflow")).unwrap();
        let is_event = |line: &&str| line.starts_with("    \"");
        let events: Vec<&str> = text.lines().filter(is_event).map(str::trim).collect();
        writeln!(log, "{file}: {}", events.join(" ").replace(": [", "")).unwrap();
        // The first event waits for an answer, and the last does not.
        let lines: Vec<&str> = text.lines().collect();
        let second = lines.iter().enumerate().filter(|(_, line)| is_event(line)).nth(1).unwrap().0;
        let last = lines.iter().rposition(is_event).unwrap();
        for line in lines[..second].iter().chain(&lines[last..]) {
            writeln!(log, "{line}").unwrap();
        }
    }
    insta::assert_snapshot!(log, @r#"
    .claude/settings.json: "PreToolUse" "PostToolUse" "PostToolUseFailure" "PostToolBatch" "PermissionDenied" "SessionStart" "SessionEnd" "Stop"
    {
      "hooks": {
        "PreToolUse": [
          {
            "matcher": "*",
            "hooks": [
              {
                "type": "command",
                "command": "/opt/my tools/petriflow",
                "args": [
                  "hook",
                  "x"
                ],
                "timeout": 60,
                "onFailure": "block"
              }
            ]
          }
        ],
        "Stop": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "/opt/my tools/petriflow",
                "args": [
                  "hook",
                  "x"
                ],
                "timeout": 60
              }
            ]
          }
        ]
      }
    }
    .codex/hooks.json: "PreToolUse" "PostToolUse" "SessionStart" "SessionEnd" "Stop"
    {
      "hooks": {
        "PreToolUse": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "'/opt/my tools/petriflow' hook x",
                "timeout": 60
              }
            ]
          }
        ],
        "Stop": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "'/opt/my tools/petriflow' hook x",
                "timeout": 60
              }
            ]
          }
        ]
      }
    }
    .gemini/settings.json: "BeforeTool" "AfterTool" "SessionStart" "SessionEnd" "AfterAgent"
    {
      "hooks": {
        "BeforeTool": [
          {
            "hooks": [
              {
                "name": "petriflow",
                "type": "command",
                "command": "'/opt/my tools/petriflow' hook x",
                "timeout": 60000
              }
            ]
          }
        ],
        "AfterAgent": [
          {
            "hooks": [
              {
                "name": "petriflow",
                "type": "command",
                "command": "'/opt/my tools/petriflow' hook x",
                "timeout": 60000
              }
            ]
          }
        ]
      }
    }
    .cursor/hooks.json: "preToolUse" "beforeShellExecution" "beforeMCPExecution" "beforeReadFile" "postToolUse" "postToolUseFailure" "sessionStart" "sessionEnd" "stop"
    {
      "version": 1,
      "hooks": {
        "preToolUse": [
          {
            "command": "'/opt/my tools/petriflow' hook x",
            "timeout": 60,
            "failClosed": true
          }
        ],
        "stop": [
          {
            "command": "'/opt/my tools/petriflow' hook x",
            "timeout": 60
          }
        ]
      }
    }
    "#);
}

#[test]
fn all_else_is_kept_and_comes_back() {
    for host in Host::ALL {
        for before in foreign(host) {
            let with = install(host, Some(&before), &command("/usr/bin/petriflow")).unwrap();
            let without = uninstall(host, &with).unwrap().unwrap();
            // Byte for byte, and so in the same order.
            assert_eq!(without, before, "{host}");
            assert!(installed(host, &before).unwrap().is_empty(), "{host}");
            assert_eq!(uninstall(host, &before), Ok(None));
        }
        for nothing in [None, Some(""), Some(" \n"), Some("{}"), Some("\u{feff}{}")] {
            let with = install(host, nothing, &command("/usr/bin/petriflow")).unwrap();
            assert_eq!(uninstall(host, &with).unwrap().unwrap(), "{}\n", "{host}");
        }
    }
}

#[test]
fn installing_again_changes_nothing_and_a_new_command_takes_the_old_ones_place() {
    for host in Host::ALL {
        let texts = foreign(host).into_iter().map(Some).chain([None]);
        for before in texts {
            let old = command("/usr/bin/petriflow");
            let new = HookCommand {
                program: "/opt/it's mine/petriflow".into(),
                args: vec!["hook".into(), "--rules".into(), "a b.rules".into(), String::new()],
            };
            let once = install(host, before.as_deref(), &old).unwrap();
            assert_eq!(install(host, Some(&once), &old).unwrap(), once);
            // Others that come later do not move ours, whose place a host may have noted.
            let mut appended = value(&once);
            for items in appended["hooks"].as_object_mut().unwrap().values_mut() {
                if let Some(items) = items.as_array_mut() {
                    items.push(json!({"hooks": [], "command": "later"}));
                }
            }
            let appended = format!("{appended:#}\n");
            let again = install(host, Some(&appended), &old).unwrap();
            assert_eq!(value(&again), value(&appended), "{host}");

            let replaced = install(host, Some(&once), &new).unwrap();
            let hooks = installed(host, &replaced).unwrap();
            assert_eq!(hooks.len(), installed(host, &once).unwrap().len());
            for hook in &hooks {
                assert_eq!((&hook.program, &hook.args), (&new.program, &new.args), "{host}");
            }
            let back = uninstall(host, &replaced).unwrap().unwrap();
            assert_eq!(back, before.unwrap_or_else(|| "{}\n".into()));
        }
    }
}

#[test]
fn every_call_is_asked_about_and_a_crash_refuses_where_the_host_can() {
    for host in Host::ALL {
        let text = install(host, None, &command("/usr/bin/petriflow")).unwrap();
        let hooks = installed(host, &text).unwrap();
        let events: BTreeSet<&str> = hooks.iter().map(|hook| hook.event.as_str()).collect();
        assert_eq!(events.len(), hooks.len());
        for hook in &hooks {
            assert!(hook.matches_all, "{host} {}", hook.event);
            let asks = ["PreToolUse", "BeforeTool", "preToolUse"].contains(&hook.event.as_str())
                || hook.event.starts_with("before");
            let blocks = asks && host.capabilities().blocks_on_failure;
            assert_eq!(hook.blocks_on_failure, blocks, "{host} {}", hook.event);
        }
    }
}

#[test]
fn an_entry_that_was_weakened_does_not_pass_for_a_whole_one() {
    let text = install(Host::ClaudeCode, None, &command("/usr/bin/petriflow")).unwrap();
    let weakened = |change: &dyn Fn(&mut Value)| {
        let mut root = value(&text);
        change(&mut root["hooks"]["PreToolUse"][0]);
        let hooks = installed(Host::ClaudeCode, &root.to_string()).unwrap();
        let hook = hooks.into_iter().find(|hook| hook.event == "PreToolUse").unwrap();
        (hook.matches_all, hook.blocks_on_failure)
    };
    assert_eq!(weakened(&|_| ()), (true, true));
    assert_eq!(weakened(&|group| group["matcher"] = "Read".into()), (false, true));
    assert_eq!(weakened(&|group| group["matcher"] = json!(7)), (false, true));
    assert_eq!(weakened(&|group| group["hooks"][0]["if"] = "Bash(git *)".into()), (false, true));
    assert_eq!(weakened(&|group| group["hooks"][0]["async"] = true.into()), (false, true));
    assert_eq!(weakened(&|group| group["hooks"][0]["type"] = "http".into()), (false, true));
    assert_eq!(
        weakened(&|group| group["hooks"][0]["onFailure"] = "continue".into()),
        (true, false)
    );
}

#[test]
fn an_older_entry_of_any_form_is_found_and_replaced() {
    let old = json!({"hooks": {"PreToolUse": [
        {"hooks": [{"type": "command", "command": "say"}, {"type": "command", "command": "petriflow hook claude-code"}]},
        {"hooks": [{"type": "command", "command": "\"C:\\\\bin\\\\PetriFlow.exe\" hook"}]},
        {"matcher": "X", "hooks": [{"type": "command", "command": "/a/petriflow", "args": ["hook"]}]},
    ], "SubagentStop": [{"hooks": [{"type": "command", "command": "/a/petriflow hook"}]}]}});
    let new = install(Host::ClaudeCode, Some(&old.to_string()), &command("/b/petriflow")).unwrap();
    let hooks = &value(&new)["hooks"];
    assert_eq!(hooks["PreToolUse"].as_array().unwrap().len(), 2);
    assert_eq!(hooks["PreToolUse"][0]["hooks"], json!([{"type": "command", "command": "say"}]));
    assert_eq!(hooks["PreToolUse"][1]["hooks"][0]["command"], "/b/petriflow");
    assert_eq!(hooks.get("SubagentStop"), None);
}

#[test]
fn what_cannot_be_changed_safely_is_left_alone() {
    let mut log = String::new();
    let ours = command("/usr/bin/petriflow");
    for (host, text) in [
        (Host::Gemini, "{\n  // my theme\n  \"ui\": {}\n}"),
        (Host::Gemini, "{\"url\": \"https://x\", /* y */ }"),
        (Host::ClaudeCode, "{\"url\": \"https://x\","),
        (Host::ClaudeCode, "[]"),
        (Host::ClaudeCode, "{\"hooks\": []}"),
        (Host::ClaudeCode, "{\"hooks\": {\"Stop\": {}}}"),
        (Host::ClaudeCode, "{\"hooks\": {}, \"hooks\": {}}"),
        (Host::ClaudeCode, "{\"disableAllHooks\": true}"),
        (Host::Gemini, "{\"hooksConfig\": {\"enabled\": false}}"),
        (Host::Gemini, "{\"hooksConfig\": {\"disabled\": [\"petriflow\"]}}"),
        (Host::Cursor, "{\"version\": 2}"),
    ] {
        let error = install(host, Some(text), &ours).unwrap_err();
        writeln!(log, "{text:?}: {error}").unwrap();
    }
    for (host, program) in [
        (Host::Codex, "petriflow"),
        (Host::Codex, "./petriflow"),
        (Host::Codex, "/usr/bin/other"),
        (Host::Codex, "/usr/\nbin/petriflow"),
        (Host::Codex, "C:\\Program Files\\petriflow.exe"),
    ] {
        let error = install(host, None, &command(program)).unwrap_err();
        assert!(matches!(error, SetupError::Command { .. }));
        writeln!(log, "{program:?}: {error}").unwrap();
    }
    insta::assert_snapshot!(log, @r#"
    "{\n  // my theme\n  \"ui\": {}\n}": it has comments (line 2), which would be lost; remove them, or add the hooks by hand
    "{\"url\": \"https://x\", /* y */ }": it has comments (line 1), which would be lost; remove them, or add the hooks by hand
    "{\"url\": \"https://x\",": it is not JSON: EOF while parsing a value at line 1 column 20
    "[]": it is not a JSON object
    "{\"hooks\": []}": `hooks` is not an object; correct it first
    "{\"hooks\": {\"Stop\": {}}}": `hooks.Stop` is not a list; correct it first
    "{\"hooks\": {}, \"hooks\": {}}": it is not JSON: `hooks` is there twice at line 1 column 21
    "{\"disableAllHooks\": true}": `disableAllHooks` keeps the hooks from running; remove it first
    "{\"hooksConfig\": {\"enabled\": false}}": `hooksConfig.enabled` keeps the hooks from running; remove it first
    "{\"hooksConfig\": {\"disabled\": [\"petriflow\"]}}": `hooksConfig.disabled` keeps the hooks from running; remove it first
    "{\"version\": 2}": `version` is not 1; correct it first
    "petriflow": `petriflow` is not an absolute path
    "./petriflow": `./petriflow` is not an absolute path
    "/usr/bin/other": `/usr/bin/other` is not `petriflow hook`
    "/usr/\nbin/petriflow": `/usr/\nbin/petriflow` has control characters
    "C:\\Program Files\\petriflow.exe": `C:\Program Files\petriflow.exe` or an argument needs quotes, which Codex passes to a shell that reads them in its own way; move the program to a path without blanks
    "#);
}

#[test]
fn a_path_of_windows_is_written_where_it_needs_no_quotes() {
    let program = "C:\\bin\\petriflow.exe";
    for host in Host::ALL {
        let text = install(host, None, &command(program)).unwrap();
        assert!(installed(host, &text).unwrap().iter().all(|hook| hook.program == program));
    }
    let spaced = command("C:\\Program Files\\petriflow.exe");
    assert!(install(Host::ClaudeCode, None, &spaced).is_ok());
}

#[test]
fn what_turns_hooks_off_is_named() {
    let off = |host, text| turned_off(host, text).unwrap();
    assert_eq!(off(Host::ClaudeCode, "{\"disableAllHooks\": true}"), Some("disableAllHooks"));
    assert_eq!(off(Host::ClaudeCode, "{\"disableAllHooks\": false}"), None);
    assert_eq!(
        off(Host::Gemini, "{\"hooksConfig\": {\"enabled\": false}}"),
        Some("hooksConfig.enabled")
    );
    assert_eq!(off(Host::Codex, ""), None);
}

#[test]
fn the_indentation_of_a_file_stays() {
    let text =
        install(Host::ClaudeCode, Some("{\n\t\"a\": 1\n}"), &command("/x/petriflow")).unwrap();
    assert!(text.starts_with("{\n\t\"a\": 1,\n\t\"hooks\": {\n\t\t\"PreToolUse\": ["), "{text}");
}

#[test]
fn the_file_that_is_written_is_among_those_to_protect() {
    for host in Host::ALL {
        for scope in [Scope::Project, Scope::User] {
            assert!(config_files(host).contains(&config_file(host, scope)), "{host}");
        }
    }
}
