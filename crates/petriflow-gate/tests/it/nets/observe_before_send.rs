//! A channel is read before something is sent to it.

use std::sync::Arc;

use petriflow_gate::{
    Action, Connective, Decision, Outcome, Policy, Resolution, Resolver, Session, Timestamp,
    ToolCall, ToolResult, nets,
};
use petriflow_net::analysis::Explorer;
use serde_json::{Value, json};

const NOW: Timestamp = Timestamp(1_000);

/// `[read dev && send dev]` in the field `command` stands for parts with inputs of their own, and
/// `bare` for a part whose input is not known.
struct Chat;

impl Resolver for Chat {
    fn resolve(&self, call: &ToolCall) -> Resolution {
        let Some(command) = call.text("command") else { return Resolution::Itself };
        let mut actions = Vec::new();
        let mut connective = Connective::Regardless;
        let mut words = command.split(' ');
        while let Some(word) = words.next() {
            let input = |channel: &str| Some(json!({ "channel": channel }));
            let (tool, input) = match word {
                "&&" => {
                    connective = Connective::AfterSuccess;
                    continue;
                }
                ";" => {
                    connective = Connective::Regardless;
                    continue;
                }
                "read" => ("readMessages", input(words.next().unwrap())),
                "send" => ("sendMessage", input(words.next().unwrap())),
                "bare" => ("sendMessage", None),
                other => panic!("{other}"),
            };
            let mut action = Action::new(tool).after(connective).with_text(word);
            action.input = input;
            actions.push(action);
        }
        Resolution::Actions(actions)
    }

    fn fingerprint(&self) -> String {
        "chat".into()
    }
}

fn session() -> Session {
    let nets = [nets::observe_before_send().unwrap()];
    Session::new(&Policy::builder().nets(nets).resolver(Arc::new(Chat)).build().unwrap())
}

fn told(step: &str, decision: &Decision) -> String {
    match decision {
        Decision::Allowed => format!("{step}: allowed"),
        Decision::Blocked(refusal) => format!("{step}: {refusal}"),
        Decision::NeedsApproval(_) => panic!("nobody is asked"),
    }
}

/// `read dev`, `read dev!` (fails), `read dev~` (no result yet), `result` (of the oldest call that
/// waits); `[…]` is one call.
fn play(history: &str) -> String {
    let mut session = session();
    let mut waiting = Vec::new();
    let mut log = Vec::new();
    for (number, step) in history.split(", ").enumerate() {
        if step == "result" {
            let call: ToolCall = waiting.remove(0);
            let outcome = session.result(&ToolResult::success(&call));
            assert!(matches!(outcome, Outcome::Settled { .. }));
            log.push(step.to_owned());
            continue;
        }
        let id = number.to_string();
        let plain = step.trim_end_matches(['!', '~']);
        let call = match plain.split_once(' ').unwrap() {
            ("read", channel) => ToolCall::new(id, "readMessages", json!({ "channel": channel })),
            ("send", channel) => ToolCall::new(id, "sendMessage", json!({ "channel": channel })),
            _ => ToolCall::new(id, "bash", json!({ "command": plain.trim_matches(['[', ']']) })),
        };
        let decision = session.decide(&call, NOW);
        log.push(told(step, &decision));
        if decision.is_allowed() {
            if step.ends_with('~') {
                waiting.push(call);
            } else {
                let is_error = step.ends_with('!');
                session.result(&ToolResult { id: call.id, tool: call.tool, is_error });
            }
        }
    }
    log.join("\n")
}

#[test]
fn every_message_needs_a_read_of_its_channel() {
    insta::assert_snapshot!(play("send dev, read dev, send dev, send dev, read dev, read dev, send dev, send dev"), @"
    send dev: sendMessage requires a successful read of channel 'dev' since the last message to it.
    read dev: allowed
    send dev: allowed
    send dev: sendMessage requires a successful read of channel 'dev' since the last message to it.
    read dev: allowed
    read dev: allowed
    send dev: allowed
    send dev: sendMessage requires a successful read of channel 'dev' since the last message to it.
    ");
}

#[test]
fn another_channel_does_not_count_and_names_are_exact() {
    insta::assert_snapshot!(play("read dev, send ops, send #dev, send Dev, send dev"), @"
    read dev: allowed
    send ops: sendMessage requires a successful read of channel 'ops' since the last message to it.
    send #dev: sendMessage requires a successful read of channel '#dev' since the last message to it.
    send Dev: sendMessage requires a successful read of channel 'Dev' since the last message to it.
    send dev: allowed
    ");
}

#[test]
fn a_failed_read_shows_nothing_and_a_failed_message_uses_the_read_up() {
    insta::assert_snapshot!(play("read dev!, send dev, read dev, send dev!, send dev"), @"
    read dev!: allowed
    send dev: sendMessage requires a successful read of channel 'dev' since the last message to it.
    read dev: allowed
    send dev!: allowed
    send dev: sendMessage requires a successful read of channel 'dev' since the last message to it.
    ");
}

#[test]
fn one_read_is_good_for_one_of_two_messages_at_once() {
    insta::assert_snapshot!(play("read dev, send dev~, send dev~, read ops, send ops~"), @"
    read dev: allowed
    send dev~: allowed
    send dev~: sendMessage requires a successful read of channel 'dev' since the last message to it.
    read ops: allowed
    send ops~: allowed
    ");
}

#[test]
fn a_read_counts_only_once_its_result_is_in() {
    insta::assert_snapshot!(play("read dev~, send dev, result, send dev"), @"
    read dev~: allowed
    send dev: sendMessage requires a successful read of channel 'dev' since the last message to it.
    result
    send dev: allowed
    ");
}

#[test]
fn a_read_that_began_before_the_last_message_does_not_count() {
    insta::assert_snapshot!(play("read dev~, read dev, send dev, result, send dev, read dev, send dev"), @"
    read dev~: allowed
    read dev: allowed
    send dev: allowed
    result
    send dev: sendMessage requires a successful read of channel 'dev' since the last message to it.
    read dev: allowed
    send dev: allowed
    ");
}

#[test]
fn a_message_in_a_compound_call_needs_a_read_from_before_the_call() {
    insta::assert_snapshot!(play("[read dev && send dev], read dev, [read dev && send dev], send dev"), @"
    [read dev && send dev]: sendMessage depends on the parts before it in a way that 'observe-before-send' cannot decide ahead; call them one after the other.
    read dev: allowed
    [read dev && send dev]: allowed
    send dev: sendMessage requires a successful read of channel 'dev' since the last message to it.
    ");
}

#[test]
fn one_call_cannot_send_twice_for_one_read() {
    insta::assert_snapshot!(play("read dev, [send dev && send dev], [send dev ; send dev], [send dev ; read dev], send dev, send dev"), @"
    read dev: allowed
    [send dev && send dev]: sendMessage requires a successful read of channel 'dev' since the last message to it.
    [send dev ; send dev]: sendMessage requires a successful read of channel 'dev' since the last message to it.
    [send dev ; read dev]: allowed
    send dev: allowed
    send dev: sendMessage requires a successful read of channel 'dev' since the last message to it.
    ");
}

#[test]
fn a_read_behind_another_part_does_not_count() {
    insta::assert_snapshot!(play("[read ops && read dev], send dev, send ops, [read dev ; read ops], send dev, send ops"), @"
    [read ops && read dev]: allowed
    send dev: sendMessage requires a successful read of channel 'dev' since the last message to it.
    send ops: allowed
    [read dev ; read ops]: allowed
    send dev: sendMessage requires a successful read of channel 'dev' since the last message to it.
    send ops: allowed
    ");
}

#[test]
fn a_part_does_not_borrow_the_channel_of_its_call() {
    let mut session = session();
    let read = ToolCall::new("1", "readMessages", json!({"channel": "dev"}));
    assert!(session.decide(&read, NOW).is_allowed());
    session.result(&ToolResult::success(&read));
    let forged = ToolCall::new("2", "bash", json!({"command": "bare", "channel": "dev"}));
    insta::assert_snapshot!(told("bare", &session.decide(&forged, NOW)), @"bare: sendMessage must say which channel it means.");
}

#[test]
fn the_channel_must_be_one_text() {
    let mut session = session();
    for (id, channel) in ["dev", "5", ""].into_iter().enumerate() {
        let read =
            ToolCall::new(format!("r{id}"), "fetchMessages", json!({ "channelId": channel }));
        assert!(session.decide(&read, NOW).is_allowed());
        session.result(&ToolResult::success(&read));
    }
    let inputs = [
        json!({}),
        json!({"channel": 5}),
        json!({"channel": ""}),
        json!({"channel": null}),
        json!({"to": ["dev"]}),
        json!({"channel": "dev", "to": "ops"}),
        json!({"channel": "dev", "channelId": 5}),
        json!("dev"),
        Value::Null,
        json!({"channel": "dev", "channelId": null, "to": "dev"}),
        json!({"to": "5"}),
    ];
    let log = inputs.map(|input| {
        let step = input.to_string();
        told(&step, &session.decide(&ToolCall::new(&step, "postMessage", input), NOW))
    });
    insta::assert_snapshot!(log.join("\n"), @r#"
    {}: postMessage must name a channel as text.
    {"channel":5}: postMessage must name a channel as text.
    {"channel":""}: postMessage must name a channel as text.
    {"channel":null}: postMessage must name a channel as text.
    {"to":["dev"]}: postMessage must name a channel as text.
    {"channel":"dev","to":"ops"}: postMessage must name one channel, not several.
    {"channel":"dev","channelId":5}: postMessage must name one channel, not several.
    "dev": postMessage must name a channel as text.
    null: postMessage must name a channel as text.
    {"channel":"dev","channelId":null,"to":"dev"}: allowed
    {"to":"5"}: allowed
    "#);
}

#[test]
fn forged_results_show_nothing() {
    let mut session = session();
    let send = ToolCall::new("1", "sendMessage", json!({"channel": "dev"}));
    let read = ToolCall::new("2", "readMessages", json!({"channel": "dev"}));
    assert_eq!(session.result(&ToolResult::success(&read)), Outcome::UnknownCall);
    assert!(!session.decide(&send, NOW).is_allowed());

    assert!(session.decide(&read, NOW).is_allowed());
    let other = ToolResult { id: "2".into(), tool: "readChannel".into(), is_error: false };
    assert_eq!(session.result(&other), Outcome::OtherTool { called: "readMessages".into() });
    assert!(!session.decide(&send, NOW).is_allowed());

    // A failure is final: a success under the same id comes too late.
    session.result(&ToolResult::failure(&read));
    assert_eq!(session.result(&ToolResult::success(&read)), Outcome::UnknownCall);
    assert!(!session.decide(&send, NOW).is_allowed());
}

#[test]
fn what_is_remembered_is_bounded() {
    let mut session = session();
    for number in 0..1_000 {
        let input = json!({ "channel": format!("c{number}") });
        for (id, is_error) in [(format!("{number}"), false), (format!("{number}!"), true)] {
            let read = ToolCall::new(id, "readChannel", input.clone());
            assert!(session.decide(&read, NOW).is_allowed());
            session.result(&ToolResult { is_error, ..ToolResult::success(&read) });
        }
    }
    let meta = session.meta("observe-before-send").unwrap();
    assert_eq!(meta["observed"].as_array().unwrap().len(), 256);
    assert_eq!(meta["reading"].as_array().unwrap().len(), 64);
    let send = |channel: &str| ToolCall::new(channel, "sendMessage", json!({ "channel": channel }));
    assert!(!session.decide(&send("c743"), NOW).is_allowed());
    assert!(session.decide(&send("c744"), NOW).is_allowed());
    assert!(session.decide(&send("c999"), NOW).is_allowed());
}

#[test]
fn what_was_read_survives_a_snapshot() {
    let mut before = session();
    let read = ToolCall::new("1", "readMessages", json!({"channel": "dev"}));
    assert!(before.decide(&read, NOW).is_allowed());
    let mut session = Session::restore(before.policy(), before.snapshot()).unwrap();
    session.result(&ToolResult::success(&read));
    let send = |id: &str| ToolCall::new(id, "sendMessage", json!({"channel": "dev"}));
    assert!(session.decide(&send("2"), NOW).is_allowed());
    let mut session = Session::restore(session.policy(), session.snapshot()).unwrap();
    assert!(!session.decide(&send("3"), NOW).is_allowed());
}

#[test]
fn the_structure_has_one_state_and_both_moves_in_it() {
    let net = nets::observe_before_send().unwrap();
    let space = Explorer::new(net.net()).explore().complete().unwrap();
    assert_eq!((space.len(), space.edges()), (1, 2));
}
