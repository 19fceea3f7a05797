//! Setting hosts up, and the proof that it worked.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::{Host, Scratch, Value, json};

fn config(host: Host) -> &'static str {
    match host {
        Host::ClaudeCode => ".claude/settings.json",
        Host::Codex => ".codex/hooks.json",
        Host::Gemini => ".gemini/settings.json",
        Host::Cursor => ".cursor/hooks.json",
    }
}

/// A project in which the host is set up, with programs of all hosts on the path.
fn set_up(host: Host) -> Scratch {
    let scratch = Scratch::empty();
    scratch.program("claude", "2.1.325 (Claude Code)");
    scratch.program("codex", "codex-cli 0.166.0");
    scratch.program("gemini", "0.61.0");
    scratch.program("cursor-agent", "2026.09.03");
    scratch.program("cursor", "3.7.1");
    let ran = scratch.run(&["init", host.name()]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    scratch
}

fn backup(path: PathBuf) -> PathBuf {
    let mut name = path.into_os_string();
    name.push(".before-petriflow");
    name.into()
}

#[test]
fn init_writes_the_hook_and_first_rules() {
    let scratch = Scratch::empty();
    let ran = scratch.run(&["init", "claude-code"]);
    insta::assert_snapshot!(scratch.masked(&ran.shown()), @"
    exit 0
    --- stdout
    wrote DIR/shop/.claude/settings.json
    wrote DIR/shop/.petriflow/safety.rules
    next: start a new session of claude; /hooks shows the hook
    then: petriflow doctor claude-code
    ");
    let written = fs::read_to_string(scratch.root().join(".claude/settings.json")).unwrap();
    let (first, _) = written.split_once("\"PostToolUse\"").unwrap();
    insta::assert_snapshot!(scratch.masked(first.trim_end()), @r#"
    {
      "hooks": {
        "PreToolUse": [
          {
            "matcher": "*",
            "hooks": [
              {
                "type": "command",
                "command": "PETRIFLOW",
                "args": [
                  "hook",
                  "claude-code"
                ],
                "timeout": 60,
                "onFailure": "block"
              }
            ]
          }
        ],
    "#);
    let rules = scratch.run(&["check", ".petriflow/safety.rules"]);
    assert_eq!(rules.exit, 0, "{rules:?}");
}

#[test]
fn init_keeps_what_is_there_and_changes_nothing_twice() {
    for host in Host::ALL {
        let scratch = Scratch::new("block forbidden\n");
        let mine = json!({ "version": 1, "mine": { "a": [1, 2] }, "hooks": { "Stop": [] } });
        let before = format!("{mine:#}\n");
        let path = scratch.write(config(host), &before);
        let first = scratch.run(&["init", host.name()]);
        assert_eq!(first.exit, 0, "{first:?}");
        let written = fs::read_to_string(&path).unwrap();
        let settings: Value = serde_json::from_str(&written).unwrap();
        assert_eq!(settings["mine"], mine["mine"], "{host}");
        assert_eq!(fs::read_to_string(backup(path.clone())).unwrap(), before);
        let rules = fs::read_dir(scratch.root().join(".petriflow")).unwrap().count();
        assert_eq!(rules, 1, "rules that are there are enough");
        let second = scratch.run(&["init", host.name()]);
        assert!(second.stdout.contains("is set up already; nothing was changed"), "{second:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), written);
        assert_eq!(fs::read_to_string(backup(path)).unwrap(), before);
    }
}

#[test]
fn init_shows_what_it_would_write() {
    for host in Host::ALL {
        let scratch = Scratch::empty();
        let ran = scratch.run(&["init", host.name(), "--dry-run"]);
        assert_eq!(ran.exit, 0);
        assert_eq!(ran.stdout.matches("would write ").count(), 2, "{ran:?}");
        assert!(ran.stdout.contains(config(host)) && ran.stdout.contains("safety.rules"));
        assert_eq!(fs::read_dir(scratch.root()).unwrap().count(), 0);
        assert_eq!(fs::read_dir(scratch.home()).unwrap().count(), 0);
    }
}

#[test]
fn init_for_the_user_leaves_the_project_alone() {
    for host in Host::ALL {
        let scratch = Scratch::empty();
        assert_eq!(scratch.run(&["init", host.name(), "--user"]).exit, 0);
        assert!(scratch.home().join(config(host)).exists());
        assert!(scratch.home().join(".config/petriflow/safety.rules").exists());
        assert_eq!(fs::read_dir(scratch.root()).unwrap().count(), 0);
        let refused = scratch.agent(host, "s").shell("1", "rm -rf ~/.config/petriflow");
        refused.is_refused("");
    }
}

#[test]
fn init_changes_the_mode_of_a_hook_that_is_there() {
    for host in Host::ALL {
        let scratch = set_up(host);
        let read = || fs::read_to_string(scratch.root().join(config(host))).unwrap();
        assert!(!read().contains("shadow"));
        scratch.run(&["init", host.name(), "--mode", "shadow"]);
        let shadow = read();
        assert!(shadow.contains("shadow"));
        let warned = scratch.run(&["doctor", host.name()]);
        assert!(
            warned.stdout.contains("warning  mode is shadow: nothing is refused"),
            "{warned:?}"
        );
        scratch.run(&["init", host.name()]);
        assert!(!read().contains("shadow"));
        assert_eq!(
            read().matches("hook ").count() + read().matches("\"hook\"").count(),
            shadow.matches("hook ").count() + shadow.matches("\"hook\"").count()
        );
    }
}

#[test]
fn init_changes_no_file_that_it_cannot_read() {
    for host in Host::ALL {
        let scratch = Scratch::empty();
        let path = scratch.write(config(host), "{ \"hooks\": ");
        let ran = scratch.run(&["init", host.name()]);
        assert_eq!(ran.exit, 2);
        assert!(ran.stderr.contains("nothing was changed"), "{ran:?}");
        assert_eq!(fs::read_to_string(path).unwrap(), "{ \"hooks\": ");
        assert!(!scratch.root().join(".petriflow").exists());
    }
}

#[test]
fn uninstall_takes_out_the_hook_and_nothing_else() {
    for host in Host::ALL {
        let scratch = Scratch::empty();
        let mine = format!("{:#}\n", json!({ "mine": true }));
        let path = scratch.write(config(host), &mine);
        scratch.run(&["init", host.name()]);
        let with_hook = fs::read_to_string(&path).unwrap();
        let dry = scratch.run(&["uninstall", host.name(), "--dry-run"]);
        assert!(dry.stdout.starts_with("would write "), "{dry:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), with_hook);
        let ran = scratch.run(&["uninstall", host.name()]);
        assert!(ran.stdout.contains("no longer asks petriflow"), "{ran:?}");
        let left = fs::read_to_string(&path).unwrap();
        assert!(!left.contains("petriflow"), "{left}");
        assert_eq!(serde_json::from_str::<Value>(&left).unwrap()["mine"], true);
        assert!(scratch.root().join(".petriflow/safety.rules").exists());
        let again = scratch.run(&["uninstall", host.name()]);
        assert!(again.stdout.contains("has no hook of petriflow"), "{again:?}");
        assert_eq!(scratch.run(&["doctor", host.name()]).exit, 1);
    }
}

#[test]
fn doctor_finds_a_host_that_was_set_up_in_good_health() {
    for host in Host::ALL {
        let scratch = set_up(host);
        for args in [&["doctor"][..], &["doctor", host.name()]] {
            let ran = scratch.run(args);
            assert_eq!(ran.exit, 0, "{ran:?}");
            assert!(ran.stdout.contains("a forbidden call comes back refused"), "{ran:?}");
            assert!(!ran.stdout.contains("bad "), "{ran:?}");
        }
        // The trial is in the audit, and is no session.
        assert_eq!(scratch.run(&["sessions"]).stdout, "no sessions yet\n");
        assert_eq!(scratch.run(&["audit", "export"]).stdout.lines().count(), 2);
    }
}

#[test]
fn doctor_reports_as_text_and_as_json() {
    let scratch = set_up(Host::ClaudeCode);
    insta::assert_snapshot!(scratch.masked(&scratch.run(&["doctor"]).shown()), @"
    exit 0
    --- stdout
    ok       5 rules in 1 file compile and are verified
    ok       Claude Code: DIR/shop/.claude/settings.json has the hook for every event
    ok       Claude Code: a forbidden call comes back refused (N ms)
    ok       Claude Code is 2.1.325 (Claude Code)
    ok       the audit is whole: 1 record
    ");
    let scratch = set_up(Host::Codex);
    let report = scratch.run(&["doctor", "--format", "json"]);
    insta::assert_snapshot!(scratch.masked(&report.shown()), @r#"
    exit 0
    --- stdout
    {
      "version": 1,
      "petriflow": "0.1.0",
      "ok": true,
      "checks": [
        {
          "health": "good",
          "what": "5 rules in 1 file compile and are verified"
        },
        {
          "health": "good",
          "what": "Codex: DIR/shop/.codex/hooks.json has the hook for every event"
        },
        {
          "health": "warning",
          "what": "Codex lets calls run if a hook cannot be started",
          "hint": "keep the program where it is; run petriflow doctor after updates"
        },
        {
          "health": "good",
          "what": "Codex: a forbidden call comes back refused (N ms)"
        },
        {
          "health": "good",
          "what": "Codex is codex-cli 0.166.0"
        },
        {
          "health": "good",
          "what": "the audit is whole: 1 record"
        }
      ]
    }
    "#);
}

/// Breaks something of a healthy project and expects a red line about it.
#[track_caller]
fn red(host: Host, break_it: impl Fn(&Scratch), because: &str) {
    let scratch = set_up(host);
    break_it(&scratch);
    let ran = scratch.run(&["doctor", host.name()]);
    assert_eq!(ran.exit, 1, "{host} {because}: {ran:?}");
    let is_it = |line: &str| line.starts_with("bad ") && line.contains(because);
    assert!(ran.stdout.lines().any(is_it), "{host} {because}: {ran:?}");
    let json = scratch.run(&["doctor", host.name(), "--format", "json"]);
    assert_eq!(json.exit, 1);
    assert_eq!(serde_json::from_str::<Value>(&json.stdout).unwrap()["ok"], false);
}

#[test]
fn doctor_finds_what_is_broken() {
    for host in Host::ALL {
        let path = |scratch: &Scratch| scratch.root().join(config(host));
        let edit = |scratch: &Scratch, from: &str, to: &str| {
            let text = fs::read_to_string(path(scratch)).unwrap();
            assert!(text.contains(from), "{from} {text}");
            fs::write(path(scratch), text.replace(from, to)).unwrap();
        };
        red(host, |scratch| fs::remove_file(path(scratch)).unwrap(), "is not set up");
        red(host, |scratch| fs::write(path(scratch), "{").unwrap(), config(host));
        red(
            host,
            |scratch| edit(scratch, env!("CARGO_BIN_EXE_petriflow"), "/nowhere/petriflow"),
            "does not start",
        );
        red(
            host,
            |scratch| {
                fs::set_permissions(path(scratch), fs::Permissions::from_mode(0o666)).unwrap();
            },
            "can be written by other users",
        );
        red(
            host,
            |scratch| drop(scratch.write(".petriflow/safety.rules", "blok\n")),
            "the rules are not valid",
        );
        red(
            host,
            |scratch| fs::remove_dir_all(scratch.root().join(".petriflow")).unwrap(),
            "no rules were found",
        );
        red(
            host,
            |scratch| scratch.settings("self-protection = false\n"),
            "a forbidden call is let through",
        );
        red(
            host,
            |scratch| {
                scratch.agent(host, "s").shell("1", "ls");
                scratch.agent(host, "s").shell("2", "ls");
                let change = "UPDATE audit SET decision = 'blocked' WHERE seq = 1";
                scratch.database().execute(change, []).unwrap();
            },
            "the audit was tampered with at record 1",
        );
    }
}

#[test]
fn doctor_finds_a_hook_that_does_not_see_or_hold_every_call() {
    let edit = |host: Host, from: &'static str, to: &'static str| {
        move |scratch: &Scratch| {
            let path = scratch.root().join(config(host));
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.contains(from), "{from} {text}");
            fs::write(&path, text.replacen(from, to, 1)).unwrap();
        }
    };
    let claude = Host::ClaudeCode;
    red(claude, edit(claude, "\"*\"", "\"Bash\""), "does not see all tools");
    red(claude, edit(claude, "\"block\"", "\"continue\""), "breaks, calls run");
    red(claude, edit(claude, "PreToolUse", "Before"), "has no hook for PreToolUse");
    red(claude, |scratch| scratch.program("claude", "2.1.200 (Claude Code)"), "2.1.200");
    red(Host::Cursor, edit(Host::Cursor, "true", "false"), "breaks, calls run");
}

#[test]
fn doctor_warns_of_what_a_host_cannot_enforce() {
    let scratch = set_up(Host::Codex);
    scratch.write(
        ".petriflow/safety.rules",
        "map Bash.command /^cp / as backup\nmap Bash.command /^rm / as delete\n\
         require backup before delete\nrequire human-approval before delete\nblock bash\n",
    );
    let ran = scratch.run(&["doctor", "codex"]);
    for warning in ["Codex cannot ask", "Codex does not tell whether a command succeeded"] {
        assert!(ran.stdout.contains(warning), "{ran:?}");
    }
    assert_eq!(ran.exit, 0, "{ran:?}");
}

#[test]
fn doctor_finds_a_setting_that_turns_hooks_off() {
    let scratch = set_up(Host::ClaudeCode);
    scratch.write(".claude/settings.local.json", "{\"disableAllHooks\": true}\n");
    let ran = scratch.run(&["doctor", "claude-code"]);
    assert_eq!(ran.exit, 1, "{ran:?}");
    assert!(ran.stdout.contains("`disableAllHooks` turns hooks off"), "{ran:?}");
}
