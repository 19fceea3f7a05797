//! Answers, read as the hosts would read them.

use std::fmt::Write;

use petriflow_hosts::{Answer, Host, Kind, Verdict, answer, failure, read};
use serde_json::{Map, Value};

use crate::fixtures;

/// What a host does with a call after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Runs,
    Refused,
    AsksUser,
}

/// A model of each host: what it does with a call for which a hook gave this answer. With
/// `fail_closed`, the setting is on that refuses where a hook fails, if the host has one.
pub(crate) fn effect(host: Host, answer: &Answer, fail_closed: bool) -> Effect {
    let failed = match fail_closed && host.capabilities().blocks_on_failure {
        true => Effect::Refused,
        false => Effect::Runs,
    };
    match host {
        Host::ClaudeCode => claude_code(answer, failed),
        Host::Codex => codex(answer),
        Host::Gemini => gemini(answer),
        Host::Cursor => cursor(answer, failed),
    }
}

fn object(text: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(text).ok()
}

fn claude_code(answer: &Answer, failed: Effect) -> Effect {
    if answer.exit == 2 {
        return Effect::Refused;
    }
    match object(&answer.stdout) {
        Some(output) => match output["hookSpecificOutput"]["permissionDecision"].as_str() {
            Some("deny") => Effect::Refused,
            Some("ask") => Effect::AsksUser,
            _ => Effect::Runs,
        },
        None if answer.exit == 0 && answer.stdout.is_empty() => Effect::Runs,
        None => failed,
    }
}

fn codex(answer: &Answer) -> Effect {
    let is_blank = |text: &str| text.trim().is_empty();
    if answer.exit == 2 && !is_blank(&answer.stderr) {
        return Effect::Refused;
    }
    let output = object(&answer.stdout).filter(|_| answer.exit == 0).unwrap_or_default();
    let Some(Value::Object(specific)) = output.get("hookSpecificOutput") else {
        return Effect::Runs;
    };
    let names: Vec<&str> = specific.keys().map(String::as_str).collect();
    let known = ["hookEventName", "permissionDecision", "permissionDecisionReason"];
    let is_valid = output.len() == 1 && names.iter().all(|name| known.contains(name));
    let is_deny = specific["hookEventName"] == "PreToolUse"
        && specific["permissionDecision"] == "deny"
        && specific["permissionDecisionReason"].as_str().is_some_and(|reason| !is_blank(reason));
    if is_valid && is_deny { Effect::Refused } else { Effect::Runs }
}

fn gemini(answer: &Answer) -> Effect {
    let text = match answer.stdout.trim() {
        "" => answer.stderr.trim(),
        stdout => stdout,
    };
    match object(text) {
        Some(output) => match output.get("decision").and_then(Value::as_str) {
            Some("deny" | "block") => Effect::Refused,
            // Some tools then run without a question.
            _ => Effect::Runs,
        },
        None if text.is_empty() || answer.exit < 2 => Effect::Runs,
        None => Effect::Refused,
    }
}

fn cursor(answer: &Answer, failed: Effect) -> Effect {
    if answer.exit == 2 {
        return Effect::Refused;
    }
    match object(&answer.stdout).filter(|_| answer.exit == 0) {
        Some(output) => match output.get("permission").and_then(Value::as_str) {
            Some("deny") => Effect::Refused,
            Some("allow" | "ask") => Effect::Runs,
            _ => failed,
        },
        None => failed,
    }
}

/// The events of a host that ask about a call.
fn asking(host: Host) -> &'static [&'static str] {
    match host {
        Host::ClaudeCode | Host::Codex => &["PreToolUse"],
        Host::Gemini => &["BeforeTool"],
        Host::Cursor => &[
            "preToolUse",
            "beforeShellExecution",
            "beforeMCPExecution",
            "beforeReadFile",
            "beforeTabFileRead",
            "subagentStart",
        ],
    }
}

/// Reasons that a careless answer would let pass.
fn reasons() -> Vec<String> {
    let texts = [
        "push has reached its limit",
        "",
        " \n\t",
        "{}",
        "{\"decision\":\"allow\"}",
        "\"allow\"",
        "quotes \" and \\ and \u{0} and \u{feff} and 🙂",
    ];
    texts.map(str::to_owned).into_iter().chain(["🙂".repeat(60_000)]).collect()
}

#[test]
fn every_failure_is_a_refusal_that_the_host_understands() {
    for host in Host::ALL {
        let events = asking(host).iter().map(|event| Some(*event));
        for event in events.chain([None, Some("NoSuchEvent"), Some("")]) {
            for reason in reasons() {
                let answer = failure(host, event, &reason);
                for fail_closed in [false, true] {
                    let found = effect(host, &answer, fail_closed);
                    assert_eq!(found, Effect::Refused, "{host} {event:?} {answer:?}");
                }
                assert!(!answer.stderr.trim().is_empty());
            }
        }
    }
}

#[test]
fn every_refusal_refuses_and_only_claude_code_asks() {
    for host in Host::ALL {
        for event in asking(host) {
            for reason in reasons() {
                let refused = answer(host, event, &Verdict::Refused { reason: reason.clone() });
                let asked = answer(host, event, &Verdict::Ask { reason });
                let expected = match host.capabilities().asks {
                    true => Effect::AsksUser,
                    false => Effect::Refused,
                };
                for fail_closed in [false, true] {
                    let found = effect(host, &refused, fail_closed);
                    assert_eq!(found, Effect::Refused, "{host} {event} {refused:?}");
                    let found = effect(host, &asked, fail_closed);
                    assert_eq!(found, expected, "{host} {event} {asked:?}");
                }
            }
        }
    }
}

#[test]
fn silence_lets_the_host_decide() {
    for host in Host::ALL {
        for event in asking(host) {
            let silent = answer(host, event, &Verdict::Silent);
            for fail_closed in [false, true] {
                assert_eq!(effect(host, &silent, fail_closed), Effect::Runs, "{host} {event}");
            }
            assert_eq!(silent.stdout.contains("allow"), host == Host::Cursor);
        }
    }
}

#[test]
fn an_event_that_the_host_does_not_have_is_refused_whatever_the_verdict() {
    for host in Host::ALL {
        for verdict in [
            Verdict::Silent,
            Verdict::Refused { reason: "x".into() },
            Verdict::Ask { reason: "x".into() },
        ] {
            let answer = answer(host, "NoSuchEvent", &verdict);
            assert_eq!(effect(host, &answer, false), Effect::Refused, "{host} {verdict:?}");
        }
    }
}

#[test]
fn an_event_that_only_tells_something_is_never_held_up() {
    for fixture in fixtures::all() {
        let (host, event) = (fixture.host, fixture.event());
        let kind = read(host, &fixture.bytes).unwrap().kind;
        if asking(host).contains(&event) {
            assert!(matches!(kind, Kind::Call(_) | Kind::Confirm(_)) || event == "subagentStart");
            continue;
        }
        assert!(!matches!(kind, Kind::Call(_) | Kind::Confirm(_)));
        let refused = answer(host, event, &Verdict::Refused { reason: "x".into() });
        let broken = failure(host, Some(event), "x");
        for warned in [refused, broken] {
            assert_eq!((warned.exit, warned.stdout.as_str()), (1, ""), "{host} {event}");
            assert_eq!(warned.stderr, "petriflow: x\n");
        }
        let silent = answer(host, event, &Verdict::Silent);
        let expected = if host == Host::Cursor { "{}\n" } else { "" };
        assert_eq!(
            (silent.stdout.as_str(), silent.stderr.as_str(), silent.exit),
            (expected, "", 0)
        );
    }
}

#[test]
fn a_long_reason_is_cut_and_a_blank_one_replaced() {
    for host in Host::ALL {
        let event = asking(host)[0];
        let long = answer(host, event, &Verdict::Refused { reason: "é".repeat(50_000) });
        assert!(long.stdout.chars().count() < 25_000, "{host}");
        let blank = answer(host, event, &Verdict::Refused { reason: "\n".into() });
        assert!(blank.stdout.contains("refused without a reason"), "{host}");
    }
}

#[test]
fn the_answers_as_they_are_printed() {
    let mut log = String::new();
    for host in Host::ALL {
        for event in asking(host).iter().take(4) {
            let reason = "delete is blocked and cannot be called.".to_owned();
            for (name, given) in [
                ("silent", answer(host, event, &Verdict::Silent)),
                ("refused", answer(host, event, &Verdict::Refused { reason: reason.clone() })),
                ("ask", answer(host, event, &Verdict::Ask { reason: reason.clone() })),
                ("failure", failure(host, Some(event), &reason)),
            ] {
                writeln!(log, "{host} {event} {name}: exit {}", given.exit).unwrap();
                for (stream, text) in [("1", &given.stdout), ("2", &given.stderr)] {
                    for line in text.lines() {
                        writeln!(log, "  {stream}> {line}").unwrap();
                    }
                }
            }
        }
    }
    insta::assert_snapshot!(log, @r#"
    claude-code PreToolUse silent: exit 0
    claude-code PreToolUse refused: exit 0
      1> {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"delete is blocked and cannot be called."}}
    claude-code PreToolUse ask: exit 0
      1> {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"delete is blocked and cannot be called."}}
    claude-code PreToolUse failure: exit 2
      2> petriflow: delete is blocked and cannot be called.
    codex PreToolUse silent: exit 0
    codex PreToolUse refused: exit 0
      1> {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"delete is blocked and cannot be called."}}
    codex PreToolUse ask: exit 0
      1> {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"delete is blocked and cannot be called.\na hook of Codex cannot ask a person, so it is refused"}}
    codex PreToolUse failure: exit 2
      2> petriflow: delete is blocked and cannot be called.
    gemini BeforeTool silent: exit 0
    gemini BeforeTool refused: exit 0
      1> {"decision":"deny","reason":"delete is blocked and cannot be called."}
    gemini BeforeTool ask: exit 0
      1> {"decision":"deny","reason":"delete is blocked and cannot be called.\na hook of Gemini CLI cannot ask a person, so it is refused"}
    gemini BeforeTool failure: exit 2
      1> {"decision":"deny","reason":"delete is blocked and cannot be called."}
      2> petriflow: delete is blocked and cannot be called.
    cursor preToolUse silent: exit 0
      1> {"permission":"allow"}
    cursor preToolUse refused: exit 2
      1> {"permission":"deny","user_message":"delete is blocked and cannot be called.","agent_message":"delete is blocked and cannot be called."}
      2> petriflow: delete is blocked and cannot be called.
    cursor preToolUse ask: exit 2
      1> {"permission":"deny","user_message":"delete is blocked and cannot be called.\na hook of Cursor cannot ask a person, so it is refused","agent_message":"delete is blocked and cannot be called.\na hook of Cursor cannot ask a person, so it is refused"}
      2> petriflow: delete is blocked and cannot be called.
      2> a hook of Cursor cannot ask a person, so it is refused
    cursor preToolUse failure: exit 2
      1> {"permission":"deny","user_message":"delete is blocked and cannot be called.","agent_message":"delete is blocked and cannot be called."}
      2> petriflow: delete is blocked and cannot be called.
    cursor beforeShellExecution silent: exit 0
      1> {"permission":"allow"}
    cursor beforeShellExecution refused: exit 2
      1> {"permission":"deny","user_message":"delete is blocked and cannot be called.","agent_message":"delete is blocked and cannot be called."}
      2> petriflow: delete is blocked and cannot be called.
    cursor beforeShellExecution ask: exit 2
      1> {"permission":"deny","user_message":"delete is blocked and cannot be called.\na hook of Cursor cannot ask a person, so it is refused","agent_message":"delete is blocked and cannot be called.\na hook of Cursor cannot ask a person, so it is refused"}
      2> petriflow: delete is blocked and cannot be called.
      2> a hook of Cursor cannot ask a person, so it is refused
    cursor beforeShellExecution failure: exit 2
      1> {"permission":"deny","user_message":"delete is blocked and cannot be called.","agent_message":"delete is blocked and cannot be called."}
      2> petriflow: delete is blocked and cannot be called.
    cursor beforeMCPExecution silent: exit 0
      1> {"permission":"allow"}
    cursor beforeMCPExecution refused: exit 2
      1> {"permission":"deny","user_message":"delete is blocked and cannot be called.","agent_message":"delete is blocked and cannot be called."}
      2> petriflow: delete is blocked and cannot be called.
    cursor beforeMCPExecution ask: exit 2
      1> {"permission":"deny","user_message":"delete is blocked and cannot be called.\na hook of Cursor cannot ask a person, so it is refused","agent_message":"delete is blocked and cannot be called.\na hook of Cursor cannot ask a person, so it is refused"}
      2> petriflow: delete is blocked and cannot be called.
      2> a hook of Cursor cannot ask a person, so it is refused
    cursor beforeMCPExecution failure: exit 2
      1> {"permission":"deny","user_message":"delete is blocked and cannot be called.","agent_message":"delete is blocked and cannot be called."}
      2> petriflow: delete is blocked and cannot be called.
    cursor beforeReadFile silent: exit 0
      1> {"permission":"allow"}
    cursor beforeReadFile refused: exit 2
      1> {"permission":"deny","user_message":"delete is blocked and cannot be called."}
      2> petriflow: delete is blocked and cannot be called.
    cursor beforeReadFile ask: exit 2
      1> {"permission":"deny","user_message":"delete is blocked and cannot be called.\na hook of Cursor cannot ask a person, so it is refused"}
      2> petriflow: delete is blocked and cannot be called.
      2> a hook of Cursor cannot ask a person, so it is refused
    cursor beforeReadFile failure: exit 2
      1> {"permission":"deny","user_message":"delete is blocked and cannot be called."}
      2> petriflow: delete is blocked and cannot be called.
    "#);
}
