//! The rules to begin with.

use std::fmt::Write;

use petriflow_gate::{Decision, Session, Timestamp, ToolCall};
use petriflow_hosts::{Host, setup};
use petriflow_rules::{KnownTools, RuleSet, SourceFile, compile};
use serde_json::{Value, json};

fn rules(host: Host) -> RuleSet {
    compile(&[SourceFile::new(format!("{host}.rules"), setup::starter_rules(host))]).unwrap()
}

#[test]
fn the_starter_rules_have_no_findings() {
    for host in Host::ALL {
        let known = KnownTools::of_host(host.name()).unwrap();
        let lints = rules(host).lints(Some(&known));
        let lints: Vec<String> = lints.iter().map(|lint| format!("{lint:?}")).collect();
        assert!(lints.is_empty(), "{host}: {}", lints.join("\n"));
        // A host that cannot ask would refuse each of these calls.
        let asks = setup::starter_rules(host).contains("\nrequire human-approval");
        assert_eq!(asks, host.capabilities().asks, "{host}");
    }
}

#[test]
fn the_starter_rules_see_what_they_are_for_and_let_the_rest_pass() {
    let commands = [
        "ls -la",
        "git status",
        "git push",
        "git push --force",
        "git -C /x push origin +main",
        "git reset --hard HEAD~1",
        "cd /tmp && rm -rf build",
        "rm a.txt",
        "cat .env",
        "cat ~/.aws/credentials",
        "echo 'git push --force'",
        "npm test",
    ];
    let mut log = String::new();
    for command in commands {
        write!(log, "{command:28}").unwrap();
        for host in Host::ALL {
            let shell = match host {
                Host::ClaudeCode | Host::Codex => "Bash",
                Host::Gemini => "run_shell_command",
                Host::Cursor => "Shell",
            };
            let decided = decided(host, shell, json!({ "command": command }));
            write!(log, " {host}: {decided:8}").unwrap();
        }
        log.truncate(log.trim_end().len());
        writeln!(log).unwrap();
    }
    for (host, tool, field) in [
        (Host::ClaudeCode, "Read", "file_path"),
        (Host::ClaudeCode, "Write", "file_path"),
        (Host::Gemini, "read_file", "file_path"),
        (Host::Cursor, "Read", "file_path"),
        (Host::Cursor, "Read", "path"),
    ] {
        assert_eq!(decided(host, tool, json!({ field: "/work/shop/.env" })), "blocked");
        assert_eq!(decided(host, tool, json!({ field: "/work/shop/a.ts" })), "allowed");
    }
    insta::assert_snapshot!(log, @r#"
    ls -la                       claude-code: allowed  codex: allowed  gemini: allowed  cursor: allowed
    git status                   claude-code: allowed  codex: allowed  gemini: allowed  cursor: allowed
    git push                     claude-code: blocked  codex: allowed  gemini: blocked  cursor: blocked
    git push --force             claude-code: blocked  codex: blocked  gemini: blocked  cursor: blocked
    git -C /x push origin +main  claude-code: blocked  codex: blocked  gemini: blocked  cursor: blocked
    git reset --hard HEAD~1      claude-code: asks     codex: blocked  gemini: blocked  cursor: blocked
    cd /tmp && rm -rf build      claude-code: asks     codex: allowed  gemini: allowed  cursor: allowed
    rm a.txt                     claude-code: allowed  codex: allowed  gemini: allowed  cursor: allowed
    cat .env                     claude-code: blocked  codex: blocked  gemini: blocked  cursor: blocked
    cat ~/.aws/credentials       claude-code: blocked  codex: blocked  gemini: blocked  cursor: blocked
    echo 'git push --force'      claude-code: allowed  codex: allowed  gemini: allowed  cursor: allowed
    npm test                     claude-code: allowed  codex: allowed  gemini: allowed  cursor: allowed
    "#);
}

fn decided(host: Host, tool: &str, input: Value) -> &'static str {
    let mut session = Session::new(&rules(host).policy().unwrap());
    match session.decide(&ToolCall::new("1", tool, input), Timestamp(0)) {
        decision if decision.is_allowed() => "allowed",
        Decision::NeedsApproval(_) => "asks",
        _ => "blocked",
    }
}
