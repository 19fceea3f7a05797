//! One history under compiled rules and under the interpreter.

use arbitrary::{Result, Unstructured};
use petriflow_gate::{Answer, Decision, Session, Timestamp, ToolCall, ToolResult};
use petriflow_rules::{SourceFile, compile, parse};
use serde_json::{Value, json};

use super::generate::document;
use super::interpreter::{Interpreter, Names, Ruling};

/// Compiles the rules that the bytes stand for, plays the history that they stand for, and compares
/// every decision with the interpreter's, rule by rule.
///
/// # Errors
/// If the bytes run out.
pub fn agree(u: &mut Unstructured<'_>) -> Result<()> {
    let text = document(u)?.to_string();
    let files = [SourceFile::new("agree.rules", text.as_str())];
    let Ok(rules) = compile(&files) else { return Ok(()) };
    let document = &parse(&files).documents[0];
    let policy = rules.policy().expect("few places");
    // The numbers of the statements that nets stand for.
    let numbers: Vec<usize> = document
        .statements()
        .enumerate()
        .filter(|(_, statement)| statement.kind.is_rule())
        .map(|(number, _)| number)
        .collect();
    let number_of = |net: &str| {
        let at = rules.nets.iter().position(|rule| rule.net.name() == net).expect("a rule's net");
        numbers[at]
    };
    let mut session = Session::new(&policy);
    let mut interpreter = Interpreter::new(document);
    let mut open: Vec<(ToolCall, Names)> = Vec::new();
    for step in 0..u.int_in_range(1..=50)? {
        if !open.is_empty() && u.ratio(1, 2)? {
            let (call, names) = open.swap_remove(u.choose_index(open.len())?);
            let fails = u.ratio(1, 3)?;
            session.result(&ToolResult { is_error: fails, ..ToolResult::success(&call) });
            if !fails {
                interpreter.succeeded(&names);
            }
            continue;
        }
        let call = ToolCall::new(step.to_string(), *u.choose(&TOOLS)?, input(u)?);
        let names = interpreter.names(&call.tool, &call.input);
        let approved = u.arbitrary()?;
        let before = interpreter.clone();
        let expected = interpreter.decide(&names, approved);
        let now = Timestamp(step);
        let status = session.status();
        let context = || format!("{text}\n{call:?} as {names:?}\n{before:?}\n{status}");
        let got = match session.decide(&call, now) {
            Decision::Allowed => Ruling::Allowed,
            Decision::Blocked(refusal) => {
                let nets = refusal.reasons.iter().filter_map(|reason| reason.net.as_deref());
                Ruling::Blocked(nets.map(number_of).collect())
            }
            Decision::NeedsApproval(question) => {
                let answer = if approved { Answer::Approved } else { Answer::Rejected };
                let answered = session.answer(&call, question.ticket, answer, now);
                assert_eq!(answered.is_allowed(), approved, "{}", context());
                Ruling::Asks(question.nets.iter().map(|net| number_of(net)).collect())
            }
        };
        assert_eq!(got, expected, "{}", context());
        let runs = got == Ruling::Allowed || (matches!(got, Ruling::Asks(_)) && approved);
        if runs {
            open.push((call, names));
        }
    }
    Ok(())
}

const TOOLS: [&str; 7] = ["a", "b", "c", "bash", "virtual", "löschen", "chat"];

fn input(u: &mut Unstructured<'_>) -> Result<Value> {
    const TEXTS: [&str; 10] = [
        "rm",
        "xrm",
        "rm -rf /",
        "please\nrm x",
        "git-push",
        "git push #1",
        "a/b",
        "a.b",
        "löschen",
        "",
    ];
    Ok(match u.int_in_range(0..=3)? {
        0 => json!({}),
        1 => json!({ "text": u.choose(&TEXTS)? }),
        2 => json!({ "action": u.choose(&["post", "read", "rm", "other"])? }),
        _ => json!({ "more": u.choose(&TEXTS)?, "text": u.choose(&TEXTS)?, "action": "post" }),
    })
}
