//! What the events say.

use std::fmt::Write;

use petriflow_hosts::{Call, Host, Kind, read, setup};

use crate::fixtures;

#[test]
fn every_event_says_what_it_says() {
    let mut log = String::new();
    for fixture in fixtures::all() {
        let event = read(fixture.host, &fixture.bytes).unwrap();
        assert_eq!(event.name, fixture.event());
        writeln!(log, "{:12} {:27} {}", fixture.host, fixture.name, shown(&event.kind)).unwrap();
    }
    insta::assert_snapshot!(log, @r#"
    claude-code  PermissionDenied            denied toolu_01 Bash {"command":"npm test","description":"Runs the tests"}
    claude-code  PostToolBatch               batch toolu_01 Bash {"command":"npm test","description":"Runs the tests"}, toolu_03 Read {"file_path":"/work/shop/a.ts"}
    claude-code  PostToolUse                 Succeeded toolu_01 Bash {"command":"npm test","description":"Runs the tests"}
    claude-code  PostToolUseFailure          Failed toolu_01 Bash {"command":"npm test","description":"Runs the tests"}
    claude-code  PreToolUse                  call toolu_01 Bash {"command":"npm test","description":"Runs the tests"}
    claude-code  PreToolUse-server           call toolu_02 mcp__github__create_issue {"title":"Broken"}
    claude-code  SessionEnd                  SessionEnded
    claude-code  SessionStart-clear          SessionStarted(Cleared)
    claude-code  SessionStart-compact        SessionStarted(Compacted)
    claude-code  SessionStart-fork           SessionStarted(Forked { parent: Some("9c1d7e52-3b60-4a8f-8f17-2f5a4f0b7e90") })
    claude-code  SessionStart-resume         SessionStarted(Resumed)
    claude-code  SessionStart-startup        SessionStarted(New)
    claude-code  Stop                        TurnEnded
    claude-code  StopFailure                 TurnEnded
    claude-code  SubagentStop                Nothing
    claude-code  UserPromptSubmit            Nothing
    codex        Interrupt                   TurnEnded
    codex        PermissionRequest           Nothing
    codex        PostToolUse                 Untold call_1 Bash {"command":"npm test"}
    codex        PostToolUse-patch           Succeeded call_2 apply_patch {"command":"*** Begin Patch\n*** End Patch"}
    codex        PostToolUse-server          Succeeded call_3 mcp__github__create_issue {"title":"Broken"}
    codex        PreToolUse                  call call_1 Bash {"command":"npm test"}
    codex        PreToolUse-subagent         call call_2 apply_patch {"command":"*** Begin Patch\n*** End Patch"}
    codex        SessionEnd                  SessionEnded
    codex        SessionStart-clear          SessionStarted(Cleared)
    codex        SessionStart-compact        SessionStarted(Compacted)
    codex        SessionStart-fork           SessionStarted(Forked { parent: None })
    codex        SessionStart-resume         SessionStarted(Resumed)
    codex        SessionStart-startup        SessionStarted(New)
    codex        Stop                        TurnEnded
    gemini       AfterAgent                  TurnEnded
    gemini       AfterTool                   Succeeded - run_shell_command {"command":"npm test"}
    gemini       AfterTool-error             Failed - write_file {"content":"1","file_path":"/etc/x"}
    gemini       AfterTool-failed            Failed - run_shell_command {"command":"npm test"}
    gemini       AfterTool-file              Succeeded - write_file {"content":"1","file_path":"/work/shop/a.ts"}
    gemini       BeforeTool                  call - run_shell_command {"command":"npm test"}
    gemini       BeforeTool-server           call - mcp_github_create_issue {"title":"Broken"}
    gemini       Notification                Nothing
    gemini       SessionEnd                  SessionEnded
    gemini       SessionStart-clear          SessionStarted(Cleared)
    gemini       SessionStart-resume         SessionStarted(Resumed)
    gemini       SessionStart-startup        SessionStarted(New)
    cursor       beforeMCPExecution          confirm - MCP:create_issue {"title":"Broken"}
    cursor       beforeReadFile              confirm - Read {"file_path":"/work/shop/a.ts"}
    cursor       beforeShellExecution        confirm - Shell {"command":"npm test"}
    cursor       postToolUse                 Succeeded tool_1 Shell {"command":"npm test","working_directory":"/work/shop"}
    cursor       postToolUse-failed          Failed tool_1 Shell {"command":"npm test","working_directory":"/work/shop"}
    cursor       postToolUseFailure          Failed tool_1 Shell {"command":"npm test","working_directory":"/work/shop"}
    cursor       postToolUseFailure-denied   Unknown tool_1 Shell {"command":"npm test","working_directory":"/work/shop"}
    cursor       postToolUseFailure-timeout  Unknown tool_1 Shell {"command":"npm test","working_directory":"/work/shop"}
    cursor       preToolUse                  call tool_1 Shell {"command":"npm test","working_directory":"/work/shop"}
    cursor       preToolUse-server           call tool_2 MCP:create_issue {"title":"Broken"}
    cursor       sessionEnd                  SessionEnded
    cursor       sessionStart                SessionStarted(Resumed)
    cursor       stop                        TurnEnded
    cursor       subagentStart               Nothing
    cursor       workspaceOpen               Nothing
    "#);
}

#[test]
fn an_event_knows_its_session_its_agent_and_its_folder() {
    for fixture in fixtures::all() {
        let event = read(fixture.host, &fixture.bytes).unwrap();
        let is_of_a_session = fixture.name != "workspaceOpen";
        assert_eq!(event.session.is_empty(), !is_of_a_session, "{}", fixture.name);
        assert_eq!(event.cwd.as_deref(), Some("/work/shop"), "{}", fixture.name);
        let in_agent = ["PreToolUse-server", "PreToolUse-subagent", "SubagentStop"];
        let in_agent = in_agent.contains(&fixture.name.as_str());
        assert_eq!(event.agent.is_some(), in_agent, "{} {}", fixture.host, fixture.name);
    }
}

#[test]
fn every_event_that_is_installed_has_a_fixture_and_is_used() {
    let command = setup::HookCommand {
        program: "/usr/bin/petriflow".into(),
        args: vec!["hook".into(), "x".into()],
    };
    for host in Host::ALL {
        let text = setup::install(host, None, &command).unwrap();
        for hook in setup::installed(host, &text).unwrap() {
            let mut of_event = fixtures::of(host).into_iter().filter(|f| f.event() == hook.event);
            let kind = read(host, &of_event.next().expect(&hook.event).bytes).unwrap().kind;
            assert_ne!(kind, Kind::Nothing, "{host} {}", hook.event);
        }
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_text() {
    for host in Host::ALL {
        let text = fixtures::call(host);
        let marked = format!("\u{feff}{text}");
        assert_eq!(read(host, marked.as_bytes()), read(host, text.as_bytes()));
    }
}

#[test]
fn a_fork_names_its_parent_only_if_the_transcript_is_another_sessions() {
    let id = "0b5f2c1e-7a44-4f0e-9d3b-6a1f0c2e8d11";
    let mut log = String::new();
    for transcript in [
        "\"/x/9c1d7e52-3b60-4a8f-8f17-2f5a4f0b7e90.jsonl\"",
        r#""C:\\x\\rollout-2026-11-16T03-00-00-9c1d7e52-3b60-4a8f-8f17-2f5a4f0b7e90.jsonl.zst""#,
        &format!("\"/x/{id}.jsonl\""),
        "\"/x/9c1d7e52-3b60-4a8f-8f17-2f5a4f0b7e90/chat.jsonl\"",
        "\"/x/ä9c1d7e52-3b60-4a8f-8f17-2f5a4f0b7eä.jsonl\"",
        "\"\"",
        "null",
    ] {
        let text = format!(
            r#"{{"session_id": "{id}", "hook_event_name": "SessionStart", "source": "fork",
                "transcript_path": {transcript}}}"#
        );
        let event = read(Host::ClaudeCode, text.as_bytes()).unwrap();
        writeln!(log, "{}", shown(&event.kind)).unwrap();
    }
    insta::assert_snapshot!(log, @r#"
    SessionStarted(Forked { parent: Some("9c1d7e52-3b60-4a8f-8f17-2f5a4f0b7e90") })
    SessionStarted(Forked { parent: Some("9c1d7e52-3b60-4a8f-8f17-2f5a4f0b7e90") })
    SessionStarted(Forked { parent: None })
    SessionStarted(Forked { parent: None })
    SessionStarted(Forked { parent: None })
    SessionStarted(Forked { parent: None })
    SessionStarted(Forked { parent: None })
    "#);
}

/// A kind in one line.
pub(crate) fn shown(kind: &Kind) -> String {
    let call = |call: &Call| {
        let id = call.id.as_deref().unwrap_or("-");
        format!("{id} {} {}", call.tool, fixtures::sorted(&call.input))
    };
    match kind {
        Kind::Call(it) => format!("call {}", call(it)),
        Kind::Confirm(it) => format!("confirm {}", call(it)),
        Kind::Result { call: it, outcome } => format!("{outcome:?} {}", call(it)),
        Kind::Denied(it) => format!("denied {}", call(it)),
        Kind::BatchEnded { calls } => {
            format!("batch {}", calls.iter().map(call).collect::<Vec<_>>().join(", "))
        }
        other => format!("{other:?}"),
    }
}
