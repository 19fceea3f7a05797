//! The hook looks after itself.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::{Host, Scratch, Value, json};

/// What each host's tools for files and commands are called, and what they are given.
fn attempts(host: Host, scratch: &Scratch) -> Vec<(&'static str, Value)> {
    let rules = scratch.root().join(".petriflow/safety.rules");
    let rules = rules.to_str().unwrap();
    let shell = super::shell_tool(host);
    let state = scratch.state_file("gate.db");
    let config = match host {
        Host::ClaudeCode => ".claude/settings.json",
        Host::Codex => ".codex/hooks.json",
        Host::Gemini => ".gemini/settings.json",
        Host::Cursor => ".cursor/hooks.json",
    };
    let mut attempts = match host {
        Host::ClaudeCode => vec![
            ("Write", json!({ "file_path": rules, "content": "" })),
            ("Edit", json!({ "file_path": rules, "old_string": "block", "new_string": "" })),
            ("MultiEdit", json!({ "file_path": config, "edits": [] })),
            ("NotebookEdit", json!({ "notebook_path": rules, "new_source": "" })),
            ("mcp__files__write", json!({ "target": { "path": rules } })),
        ],
        Host::Codex => {
            let patch = "*** Begin Patch\n*** Update File: .petriflow/safety.rules\n@@\n-block forbidden\n*** End Patch";
            vec![("apply_patch", json!({ "command": patch }))]
        }
        Host::Gemini => vec![
            ("write_file", json!({ "file_path": rules, "content": "" })),
            ("replace", json!({ "file_path": config, "old_string": "a", "new_string": "b" })),
        ],
        Host::Cursor => vec![
            ("Write", json!({ "file_path": rules, "contents": "" })),
            ("Delete", json!({ "path": rules })),
            ("MCP:write", json!({ "path": config })),
        ],
    };
    attempts.push(("some_tool", json!({ "where": rules })));
    let commands = [
        format!("sed -i s/block/limit/ {config}"),
        "rm -rf .petriflow".to_owned(),
        "rm -rf .".to_owned(),
        "echo > .petriflow/petriflow.toml".to_owned(),
        format!("echo x > {}", state.display()),
        "cat /dev/null | tee ~/.local/state/petriflow/gate/gate.mark".to_owned(),
        "petriflow trust".to_owned(),
        "petriflow approve 1".to_owned(),
        format!("echo y | {} trust", env!("CARGO_BIN_EXE_petriflow")),
        format!("petriflow uninstall {host}"),
        format!("petriflow init {host} --mode shadow"),
        format!("echo '{{}}' | petriflow hook {host}"),
        "script -qec 'petriflow approve 1' /dev/null".to_owned(),
        "python3 -c 'import pty; pty.spawn([\"petriflow\", \"trust\"])'".to_owned(),
        "cp x .petriflow/safety.rules".to_owned(),
        "ln -s /tmp/x .petriflow/y.rules".to_owned(),
        "chmod 777 ~/.local/state/petriflow".to_owned(),
    ];
    attempts.extend(commands.map(|command| (shell, json!({ "command": command }))));
    attempts
}

#[test]
fn what_would_disarm_it_is_refused() {
    for host in Host::ALL {
        let scratch = Scratch::new("block forbidden\n");
        let agent = scratch.agent(host, "s");
        let mut passed = Vec::new();
        for (number, (tool, input)) in attempts(host, &scratch).into_iter().enumerate() {
            if agent.call(&number.to_string(), tool, &input).runs() {
                passed.push(format!("{host} {tool} {input}"));
            }
        }
        assert_eq!(passed, [""; 0]);
        let refused = scratch.run(&["audit", "export", "--decision", "blocked"]).stdout;
        assert_eq!(refused.lines().count(), attempts(host, &scratch).len());
        assert!(refused.lines().all(|line| line.contains("\"note\":\"self-protection\"")));
    }
}

#[test]
fn it_is_the_file_that_counts_and_not_its_name() {
    for host in Host::ALL {
        let scratch = Scratch::empty();
        let real = scratch.write("shared/rules.txt", "block forbidden\n");
        let rules = scratch.root().join(".petriflow");
        fs::create_dir(&rules).unwrap();
        symlink(&real, rules.join("safety.rules")).unwrap();
        let link = scratch.path("link");
        symlink(scratch.root(), &link).unwrap();
        let here = scratch.agent(host, "s");
        let write = |path: &Path| json!({ "file_path": path, "content": "" });
        here.call("1", "Write", &write(&real)).is_refused("");
        here.call("2", "Write", &write(&link.join(".petriflow/x.rules"))).is_refused("");
        here.shell("3", "cd .. && rm -r link/.petriflow").is_refused("");
        let elsewhere = here.clone().at(&scratch.home());
        elsewhere.shell("4", "rm -r ../shop/.petriflow").is_refused("");
        elsewhere.call("5", "Write", &write(Path::new("../shop/shared/rules.txt"))).is_refused("");
        let through = scratch.agent(host, "t").at(&link);
        assert!(through.shell("1", "ls").runs());
        through.call("2", "Write", &write(&rules.join("safety.rules"))).is_refused("");
        through.call("3", "Write", &write(Path::new(".petriflow/x.rules"))).is_refused("");
    }
}

#[test]
fn an_agent_does_not_write_rules_for_the_next_session() {
    for host in Host::ALL {
        let scratch = Scratch::new("block forbidden\n");
        let agent = scratch.agent(host, "s");
        let inner = scratch.root().join("packages/tool/.petriflow/none.rules");
        let command =
            "mkdir -p packages/tool/.petriflow && echo '#' > packages/tool/.petriflow/none.rules";
        agent.shell("1", command).is_refused(".petriflow");
        let input = json!({ "file_path": inner, "content": "block nothing-at-all" });
        agent.call("2", "Write", &input).is_refused(".petriflow");
    }
}

#[test]
fn ordinary_work_goes_on() {
    for host in Host::ALL {
        let scratch = Scratch::new("block forbidden\n");
        let agent = scratch.agent(host, "s");
        for command in [
            "cat .petriflow/safety.rules",
            "petriflow check .petriflow/safety.rules",
            "petriflow status",
            "rm -rf target",
            "echo x > notes.txt",
            "git status",
        ] {
            let heard = agent.shell(command, command);
            assert!(heard.runs(), "{host} {command}: {heard:?}");
        }
        let file = scratch.root().join("src/main.rs");
        assert!(agent.call("w", "Write", &json!({ "file_path": file })).runs());
    }
}

#[test]
fn it_can_be_turned_off() {
    for host in Host::ALL {
        let scratch = Scratch::new("block forbidden\n");
        scratch.settings("self-protection = false\n");
        let agent = scratch.agent(host, "s");
        for (number, (tool, input)) in attempts(host, &scratch).into_iter().enumerate() {
            let heard = agent.call(&number.to_string(), tool, &input);
            assert!(heard.runs(), "{host} {tool} {input}: {heard:?}");
        }
        agent.call("f", "forbidden", &json!({})).is_refused("is blocked");
    }
}

#[test]
fn a_repository_does_not_turn_off_what_the_user_turned_on() {
    let scratch = Scratch::new("block forbidden\n");
    scratch.settings("mode = \"shadow\"\nself-protection = false\n");
    let user = "mode = \"enforce\"\nself-protection = true\n";
    scratch.write(scratch.home().join(".config/petriflow/petriflow.toml"), user);
    let agent = scratch.agent(Host::ClaudeCode, "s");
    agent.call("1", "forbidden", &json!({})).is_refused("is blocked");
    agent.shell("2", "rm -rf .petriflow").is_refused("");
}

#[test]
fn in_shadow_mode_nothing_is_refused_and_all_is_written_down() {
    const RULES: &str =
        "block forbidden\nrequire human-approval before deploy\nlimit push to 1 per session\n";
    for host in Host::ALL {
        for by_flag in [false, true] {
            let scratch = Scratch::new(RULES);
            let agent = scratch.agent(host, "s");
            let agent = if by_flag {
                agent.flags(&["--mode", "shadow"])
            } else {
                scratch.settings("mode = \"shadow\"\n");
                agent
            };
            for (id, tool) in
                [("1", "forbidden"), ("2", "deploy"), ("3", "push"), ("4", "push"), ("5", "ls")]
            {
                let heard = agent.call(id, tool, &json!({}));
                assert!(heard.runs() && heard.ran.exit == 0, "{host} {tool}: {heard:?}");
            }
            assert!(agent.shell("6", "rm -rf .petriflow").runs());
            let log = scratch.run(&["audit", "export"]).stdout;
            let decisions: Vec<String> = log
                .lines()
                .map(|line| serde_json::from_str::<Value>(line).unwrap()["decision"].to_string())
                .collect();
            let expected =
                ["would-block", "would-ask", "allowed", "would-block", "allowed", "would-block"];
            assert_eq!(decisions, expected.map(|decision| format!("\"{decision}\"")), "{host}");
        }
    }
}

#[test]
fn in_shadow_mode_a_call_of_cursor_under_two_events_counts_once() {
    let scratch = Scratch::new(
        "map Shell.command /^npm publish/ as publish\n\
         require human-approval before publish\nlimit publish to 1 per session\n",
    );
    let agent = scratch.agent(Host::Cursor, "s").flags(&["--mode", "shadow"]);
    assert!(agent.shell("1", "npm publish").runs());
    let again = json!({ "command": "npm publish" });
    assert!(agent.send(&agent.event("beforeShellExecution", again)).runs());
    let refused = scratch.run(&["audit", "export", "--decision", "would-block"]).stdout;
    assert_eq!(refused, "");
}
