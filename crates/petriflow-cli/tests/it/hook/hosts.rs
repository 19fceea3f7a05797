//! What is particular to Gemini CLI, Cursor and Codex.

use super::{Agent, Host, Ran, Scratch, json, shell_tool};

fn rules(host: Host) -> String {
    let tool = shell_tool(host);
    format!(
        "map {tool}.command /^cp / as backup\n\
         map {tool}.command /^rm / as delete\n\
         map {tool}.command /^git push/ as push\n\
         map {tool}.command /^npm publish/ as publish\n\
         require backup before delete\n\
         require human-approval before publish\n\
         limit push to 2 per session\n"
    )
}

fn project(host: Host) -> Scratch {
    Scratch::new(&rules(host))
}

/// Hosts that cannot ask a person.
const SILENT: [Host; 3] = [Host::Codex, Host::Gemini, Host::Cursor];

#[test]
fn gemini_equal_calls_are_two_calls_and_have_two_results() {
    let scratch = project(Host::Gemini);
    let agent = scratch.agent(Host::Gemini, "s");
    assert!(agent.shell("", "cp a b").runs());
    assert!(agent.shell("", "cp a b").runs());
    agent.failed("", "cp a b");
    agent.shell("", "rm a").is_refused("requires a successful call to backup");
    agent.succeeded("", "cp a b");
    assert!(agent.shell("", "rm a").runs());
    // There is no third.
    agent.succeeded("", "cp a b");
    agent.shell("", "rm a").is_refused("requires a successful call to backup");
}

#[test]
fn gemini_a_failing_cp_and_a_succeeding_ls_do_not_unlock_rm() {
    for ls_first in [false, true] {
        let scratch = project(Host::Gemini);
        let agent = scratch.agent(Host::Gemini, "s");
        assert!(agent.shell("", "cp a b").runs());
        assert!(agent.shell("", "ls").runs());
        if ls_first {
            agent.succeeded("", "ls");
            agent.failed("", "cp a b");
        } else {
            agent.failed("", "cp a b");
            agent.succeeded("", "ls");
        }
        agent.shell("", "rm a").is_refused("requires a successful call to backup");
    }
}

/// The event of Cursor right before a command runs, which has no id.
fn before_shell(agent: &Agent<'_>, command: &str) -> super::Heard {
    agent.send(&agent.event("beforeShellExecution", json!({ "command": command })))
}

#[test]
fn cursor_a_command_under_two_events_counts_once() {
    let scratch = project(Host::Cursor);
    let agent = scratch.agent(Host::Cursor, "s");
    for id in ["1", "2"] {
        assert!(agent.shell(id, "git push").runs());
        assert!(before_shell(&agent, "git push").runs());
    }
    agent.shell("3", "git push").is_refused("limit");
    before_shell(&agent, "git push").is_refused("limit");
}

#[test]
fn cursor_a_command_under_the_second_event_alone_is_decided() {
    let scratch = project(Host::Cursor);
    let agent = scratch.agent(Host::Cursor, "s");
    before_shell(&agent, "rm a").is_refused("requires a successful call to backup");
    assert!(before_shell(&agent, "git push").runs());
    assert!(before_shell(&agent, "git push").runs());
    before_shell(&agent, "git push").is_refused("limit");
}

#[test]
fn cursor_a_call_confirms_only_itself() {
    let scratch = project(Host::Cursor);
    scratch.write(
        ".petriflow/more.rules",
        "block MCP:delete_file\nlimit MCP:write to 1 per session\n",
    );
    let agent = scratch.agent(Host::Cursor, "s");
    // A file may be named like a command, and tools have paths in common.
    assert!(agent.call("1", "Read", &json!({ "file_path": "rm a" })).runs());
    before_shell(&agent, "rm a").is_refused("requires a successful call to backup");
    assert!(agent.call("2", "MCP:read_file", &json!({ "path": "/a" })).runs());
    let server = |tool: &str, input: &str| {
        let members = json!({ "tool_name": tool, "tool_input": input });
        agent.send(&agent.event("beforeMCPExecution", members))
    };
    server("delete_file", r#"{"path": "/a"}"#).is_refused("MCP:delete_file is blocked");
    assert!(agent.call("3", "MCP:write", &json!({ "path": "/a", "text": "x" })).runs());
    server("write", r#"{"path": "/a", "text": "y"}"#).is_refused("limit");
}

#[test]
fn cursor_a_file_is_confirmed_only_in_the_field_that_was_decided() {
    let scratch = Scratch::new("map Read.file_path /secret/ as read-secret\nblock read-secret\n");
    let agent = scratch.agent(Host::Cursor, "s");
    let before_read =
        |path: &str| agent.send(&agent.event("beforeReadFile", json!({ "file_path": path })));
    assert!(agent.call("1", "Read", &json!({ "path": "/x/secret" })).runs());
    before_read("/x/secret").is_refused("read-secret is blocked");
    assert!(agent.call("2", "Read", &json!({ "file_path": "/x/plain" })).runs());
    assert!(before_read("/x/plain").runs());
}

#[test]
fn cursor_results_count_by_the_exit_code() {
    let scratch = project(Host::Cursor);
    let agent = scratch.agent(Host::Cursor, "s");
    agent.shell("1", "cp a b");
    agent.failed("1", "cp a b");
    agent.shell("2", "rm a").is_refused("requires a successful call to backup");
    agent.shell("3", "cp a b");
    agent.succeeded("3", "cp a b");
    assert!(agent.shell("4", "rm a").runs());
}

#[test]
fn cursor_a_call_that_may_have_run_counts_as_used() {
    let scratch = project(Host::Cursor);
    let agent = scratch.agent(Host::Cursor, "s");
    for id in ["1", "2"] {
        assert!(agent.shell(id, "git push").runs());
    }
    agent.ended("postToolUseFailure-denied", "1", "git push");
    agent.shell("3", "git push").is_refused("limit");
    agent.ended("postToolUseFailure-timeout", "2", "git push");
    agent.shell("4", "git push").is_refused("limit");
}

#[test]
fn codex_results_of_commands_unlock_only_if_the_settings_say_so() {
    for (settings, unlocks) in [
        ("", false),
        ("unreported-results = \"failed\"\n", false),
        ("unreported-results = \"succeeded\"\n", true),
    ] {
        let scratch = project(Host::Codex);
        scratch.settings(settings);
        let agent = scratch.agent(Host::Codex, "s");
        agent.shell("1", "cp a b");
        agent.succeeded("1", "cp a b");
        assert_eq!(agent.shell("2", "rm a").runs(), unlocks, "{settings}");
    }
}

/// The number in a refusal.
fn number(reason: &str) -> String {
    let (_, behind) = reason.split_once("petriflow approve ").expect("a way to approve");
    behind.chars().take_while(char::is_ascii_digit).collect()
}

fn answered(scratch: &Scratch, command: &str, number: &str) -> Ran {
    scratch.in_terminal(&[command, number], "y\n")
}

#[test]
fn a_person_approves_exactly_one_call() {
    for host in SILENT {
        let scratch = project(host);
        let agent = scratch.agent(host, "s");
        let refused = agent.shell("1", "npm publish");
        refused.is_refused("within ten minutes");
        let number = number(&refused.reason);
        // Asked again before the answer, it is the same question.
        agent.shell("2", "npm publish").is_refused(&format!("petriflow approve {number}`"));
        let granted = answered(&scratch, "approve", &number);
        assert_eq!(granted.exit, 0, "{granted:?}");
        assert!(granted.stdout.contains("npm publish"), "{granted:?}");
        agent.shell("3", "npm publish --tag next").is_refused("petriflow approve");
        let elsewhere = scratch.agent(host, "t").shell("4", "npm publish");
        elsewhere.is_refused("petriflow approve");
        assert!(agent.shell("5", "npm publish").runs(), "{host}");
        agent.shell("6", "npm publish").is_refused("petriflow approve");
    }
}

#[test]
fn a_person_denies_a_call() {
    for host in SILENT {
        let scratch = project(host);
        let agent = scratch.agent(host, "s");
        let first = number(&agent.shell("1", "npm publish").reason);
        assert_eq!(answered(&scratch, "deny", &first).exit, 0);
        let again = agent.shell("2", "npm publish");
        again.is_refused("petriflow approve");
        assert_ne!(number(&again.reason), first);
        let late = answered(&scratch, "approve", &first);
        assert_eq!(late.exit, 2, "{late:?}");
        assert!(late.stdout.contains("was answered already"), "{late:?}");
        agent.shell("3", "npm publish").is_refused("petriflow approve");
    }
}

#[test]
fn an_approval_needs_a_terminal_and_a_number_that_waits() {
    let scratch = project(Host::Codex);
    let agent = scratch.agent(Host::Codex, "s");
    assert_eq!(scratch.run(&["approve"]).stdout, "nothing waits for approval\n");
    agent.shell("1", "npm publish").is_refused("petriflow approve 1`");
    for command in ["approve", "deny"] {
        let piped = scratch.run(&[command, "1"]);
        assert_eq!(piped.exit, 2);
        assert!(piped.stderr.contains("is for a person and needs a terminal"), "{piped:?}");
    }
    agent.shell("2", "npm publish").is_refused("petriflow approve 1`");
    let unknown = answered(&scratch, "approve", "7");
    assert_eq!(unknown.exit, 2);
    assert!(unknown.stdout.contains("nothing waits under number 7"), "{unknown:?}");
    insta::assert_snapshot!(scratch.masked(&scratch.run(&["approve"]).stdout), @"1  N s ago  Bash  npm publish");
}
