//! What cannot be read, and must not be taken for something else.

use std::fmt::Write;

use petriflow_hosts::{Answer, Host, Kind, read};
use serde_json::{Value, json};

use crate::answers::{Effect, effect};
use crate::fixtures;

/// The event of a call with some members replaced, or removed if they are `null`.
fn with(host: Host, members: Value) -> String {
    let mut event: Value = serde_json::from_str(&fixtures::call(host)).unwrap();
    for (name, value) in members.as_object().unwrap() {
        if value.is_null() {
            event.as_object_mut().unwrap().remove(name);
        } else {
            event[name] = value.clone();
        }
    }
    event.to_string()
}

#[test]
fn what_is_not_one_object_with_the_right_members_is_unreadable() {
    let call = fixtures::call(Host::ClaudeCode);
    let replaced = |from: &str, to: &str| {
        assert!(call.contains(from), "{from}");
        call.replace(from, to)
    };
    let table: Vec<(&str, Vec<u8>)> = vec![
        ("nothing", vec![]),
        ("not UTF-8", b"{\"hook_event_name\": \"\xff\"}".to_vec()),
        ("not JSON", b"PreToolUse".to_vec()),
        ("cut off", call.as_bytes()[..call.len() - 3].to_vec()),
        ("two objects", format!("{call}{call}").into()),
        ("a list", format!("[{call}]").into()),
        ("two marks", format!("\u{feff}\u{feff}{call}").into()),
        ("half a character", replaced("npm test", "\\ud800").into()),
        ("no event", with(Host::ClaudeCode, json!({"hook_event_name": null})).into()),
        ("event as a number", with(Host::ClaudeCode, json!({"hook_event_name": 1})).into()),
        ("unknown event", with(Host::ClaudeCode, json!({"hook_event_name": "preToolUse"})).into()),
        ("no session", with(Host::ClaudeCode, json!({"session_id": null})).into()),
        ("session as a number", with(Host::ClaudeCode, json!({"session_id": 1})).into()),
        ("blank session", with(Host::ClaudeCode, json!({"session_id": " "})).into()),
        ("no tool", with(Host::ClaudeCode, json!({"tool_name": null})).into()),
        ("tool as a list", with(Host::ClaudeCode, json!({"tool_name": ["Bash"]})).into()),
        ("no id", with(Host::ClaudeCode, json!({"tool_use_id": null})).into()),
        ("empty id", with(Host::ClaudeCode, json!({"tool_use_id": ""})).into()),
        ("no input", with(Host::ClaudeCode, json!({"tool_input": null})).into()),
        ("input as a text", with(Host::ClaudeCode, json!({"tool_input": "{}"})).into()),
        ("agent as a number", with(Host::ClaudeCode, json!({"agent_id": 1})).into()),
        ("tool twice", replaced("\"tool_name\"", "\"tool_name\": \"Read\", \"tool_name\"").into()),
        (
            "tool twice, escaped",
            replaced("\"tool_name\"", r#""tool_n\u0061me": "Read", "tool_name""#).into(),
        ),
        ("field twice", replaced("\"command\"", "\"command\": \"ls\", \"command\"").into()),
        (
            "field twice, deep",
            replaced("\"command\"", r#""x": [{"a": 1, "a": 2}], "command""#).into(),
        ),
        (
            "event twice",
            replaced("\"tool_name\"", "\"hook_event_name\": \"Stop\", \"tool_name\"").into(),
        ),
        (
            "reserved name",
            replaced("\"command\"", r#""$serde_json::private::Number": "1", "command""#).into(),
        ),
        (
            "too deep",
            replaced("\"npm test\"", &format!("{}{}", "[".repeat(200), "]".repeat(200))).into(),
        ),
        (
            "unknown start",
            br#"{"session_id": "s", "hook_event_name": "SessionStart", "source": "x"}"#.to_vec(),
        ),
    ];
    let mut log = String::new();
    for (name, bytes) in table {
        let error = read(Host::ClaudeCode, &bytes).expect_err(name);
        writeln!(log, "{name}: {error}").unwrap();
        let answer = error.answer(Host::ClaudeCode);
        let expected = if name == "unknown start" { Effect::Runs } else { Effect::Refused };
        assert_eq!(effect(Host::ClaudeCode, &answer, false), expected, "{name}");
    }
    insta::assert_snapshot!(log, @r#"
    nothing: the event could not be read: it is not the JSON that was expected: EOF while parsing a value at line 1 column 0
    not UTF-8: the event could not be read: it is not UTF-8: invalid utf-8 sequence of 1 bytes from index 21
    not JSON: the event could not be read: it is not the JSON that was expected: expected value at line 1 column 1
    cut off: the event could not be read: it is not the JSON that was expected: EOF while parsing an object at line 16 column 27
    two objects: the event could not be read: it is not the JSON that was expected: trailing characters at line 18 column 1
    a list: the event could not be read: it is not a JSON object
    two marks: the event could not be read: it is not the JSON that was expected: expected value at line 1 column 1
    half a character: the event `PreToolUse` could not be read: it is not the JSON that was expected: unexpected end of hex escape at line 13 column 23
    no event: the event could not be read: `hook_event_name` is missing
    event as a number: the event could not be read: `hook_event_name` is not a text
    unknown event: the event `preToolUse` could not be read: Claude Code has no such event
    no session: the event `PreToolUse` could not be read: `session_id` is missing
    session as a number: the event `PreToolUse` could not be read: `session_id` is not a text
    blank session: the event `PreToolUse` could not be read: `session_id` is blank
    no tool: the event `PreToolUse` could not be read: `tool_name` is missing
    tool as a list: the event `PreToolUse` could not be read: `tool_name` is not a text
    no id: the event `PreToolUse` could not be read: `tool_use_id` is missing
    empty id: the event `PreToolUse` could not be read: `tool_use_id` is blank
    no input: the event `PreToolUse` could not be read: `tool_input` is missing
    input as a text: the event `PreToolUse` could not be read: `tool_input` is not an object
    agent as a number: the event `PreToolUse` could not be read: `agent_id` is not a text
    tool twice: the event `PreToolUse` could not be read: it is not the JSON that was expected: `tool_name` is there twice at line 11 column 34
    tool twice, escaped: the event `PreToolUse` could not be read: it is not the JSON that was expected: `tool_name` is there twice at line 11 column 39
    field twice: the event `PreToolUse` could not be read: it is not the JSON that was expected: `command` is there twice at line 13 column 30
    field twice, deep: the event `PreToolUse` could not be read: it is not the JSON that was expected: `a` is there twice at line 13 column 22
    event twice: the event could not be read: it is not the JSON that was expected: `hook_event_name` is there twice at line 11 column 19
    reserved name: the event `PreToolUse` could not be read: it is not the JSON that was expected: a name is reserved for the JSON parser at line 13 column 34
    too deep: the event `PreToolUse` could not be read: it is not the JSON that was expected: recursion limit exceeded at line 13 column 141
    unknown start: the event `SessionStart` could not be read: `source` is `x`, which is not known
    "#);
}

#[test]
fn every_host_refuses_what_it_cannot_read() {
    for host in Host::ALL {
        let call = fixtures::call(host);
        let session = if host == Host::Cursor { "conversation_id" } else { "session_id" };
        let mut table: Vec<Vec<u8>> = vec![
            vec![],
            b"\xff".to_vec(),
            b"[]".to_vec(),
            with(host, json!({ session: null })).into(),
            with(host, json!({"tool_name": 3})).into(),
            with(host, json!({"tool_input": "no object"})).into(),
            with(host, json!({"tool_input": "[]"})).into(),
            with(host, json!({"tool_input": ["x"]})).into(),
            with(host, json!({"hook_event_name": "Other"})).into(),
            call.replace("\"command\"", "\"command\": \"ls\", \"command\"").into(),
            call.replace("\"tool_name\"", "\"tool_name\": \"Read\", \"tool_name\"").into(),
        ];
        if host.capabilities().call_ids {
            table.push(with(host, json!({"tool_use_id": null})).into());
            table.push(with(host, json!({"tool_use_id": 7})).into());
        }
        for bytes in table {
            let shown = String::from_utf8_lossy(&bytes).into_owned();
            let error = read(host, &bytes).expect_err(&shown);
            for fail_closed in [false, true] {
                let effect = effect(host, &error.answer(host), fail_closed);
                assert_eq!(effect, Effect::Refused, "{host}: {shown}");
            }
        }
    }
}

#[test]
fn an_input_inside_a_text_is_read_as_strictly() {
    for input in [r#"{"a": 1, "a": 2}"#, "[]", "", "null", "{}{}", "\u{feff}{}"] {
        let text = json!({
            "conversation_id": "c", "hook_event_name": "beforeMCPExecution", "tool_name": "t",
            "tool_input": input,
        });
        let error = read(Host::Cursor, text.to_string().as_bytes()).unwrap_err();
        assert_eq!(error.event_name(), Some("beforeMCPExecution"));
        assert_eq!(effect(Host::Cursor, &error.answer(Host::Cursor), false), Effect::Refused);
    }
}

#[test]
fn a_name_inside_the_input_does_not_pass_for_the_events() {
    // A warning instead of a refusal would let the call run.
    let texts = [
        r#"{"tool_input": {"hook_event_name": "Stop", "x": 1, "x": 2}, "hook_event_name": "PreToolUse"}"#,
        r#"{"tool_input": {"x": 1, "x": 2}, "hook_event_name": "Stop", "hook_event_name": "PreToolUse"}"#,
        r#"{"hook_event_name": "Stop", "x": 1, "x": 2, "tool_input": {"#,
        r#"{"hook_event_name": "Stop", "x": 1, "x": 2} {"hook_event_name": "PreToolUse"}"#,
    ];
    for text in texts {
        let error = read(Host::ClaudeCode, text.as_bytes()).unwrap_err();
        assert_ne!(error.event_name(), Some("Stop"), "{text}");
        let answer: Answer = error.answer(Host::ClaudeCode);
        assert_eq!(effect(Host::ClaudeCode, &answer, false), Effect::Refused, "{text}");
    }
}

/// Whatever happens to the bytes, a call that is read is the one that every JSON parser reads.
#[test]
fn damaged_events_are_refused_or_mean_what_they_say() {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random % below as u64).unwrap()
    };
    let (mut read_some, mut refused_some) = (0, 0);
    for fixture in fixtures::all() {
        for _ in 0..400 {
            let mut bytes = fixture.bytes.clone();
            for _ in 0..=next(3) {
                let at = next(bytes.len());
                let piece =
                    [&b"\""[..], b"{", b"}", b"\\", b",", b":", b"\xe9", b"null", b"0", b"[]"];
                match next(3) {
                    0 => bytes[at] = u8::try_from(next(256)).unwrap(),
                    1 => drop(bytes.remove(at)),
                    _ => drop(bytes.splice(at..at, piece[next(piece.len())].iter().copied())),
                }
            }
            match read(fixture.host, &bytes) {
                Err(_) => refused_some += 1,
                Ok(event) => {
                    read_some += 1;
                    let value: Value = serde_json::from_slice(&bytes).unwrap();
                    assert_eq!(value["hook_event_name"], event.name);
                    if let Kind::Call(call) = event.kind {
                        assert_eq!(value["tool_name"], call.tool);
                        if value["tool_input"].is_object() {
                            assert_eq!(value["tool_input"], call.input);
                        }
                    }
                }
            }
        }
    }
    assert!(read_some > 1000 && refused_some > 1000, "{read_some} {refused_some}");
}
