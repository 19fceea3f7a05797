//! Lines that a program writes, and answers for a program.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::sync::Arc;

use petriflow::gate::{
    Answer, Decision, Outcome, Policy, Reason, Session, Timestamp, ToolCall, ToolResult,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::next_line;

/// Answers every line with one line, until the input ends.
pub(crate) fn play(
    policy: &Arc<Policy>,
    mut input: impl BufRead,
    output: &mut impl Write,
) -> io::Result<()> {
    let mut simulation =
        Simulation { session: Session::new(policy), tools: HashMap::new(), clock: 0 };
    while let Some(line) = next_line(&mut input)? {
        let answer = match line {
            Ok(line) if line.trim().is_empty() => continue,
            Ok(line) => simulation.answer(&line),
            Err(problem) => Reply::Error { error: problem.into() },
        };
        serde_json::to_writer(&mut *output, &answer)?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    call: Option<CallLine>,
    result: Option<ResultLine>,
    approve: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallLine {
    id: String,
    tool: String,
    #[serde(default = "no_input")]
    input: Value,
}

fn no_input() -> Value {
    Value::Object(serde_json::Map::new())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultLine {
    id: String,
    ok: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Reply {
    Decided { id: String, decision: &'static str, reasons: Vec<JsonReason> },
    Taken { id: String, ok: bool },
    Error { error: String },
}

#[derive(Serialize)]
struct JsonReason {
    rule: Option<String>,
    file: Option<String>,
    line: Option<u32>,
    message: String,
}

struct Simulation {
    session: Session,
    /// The tools of calls in flight, which results do not name.
    tools: HashMap<String, String>,
    clock: u64,
}

impl Simulation {
    fn answer(&mut self, line: &str) -> Reply {
        let error = |error: String| Reply::Error { error };
        let value: Value = match serde_json::from_str(line) {
            Ok(value) => value,
            Err(problem) => return error(format!("the line is no JSON: {problem}")),
        };
        // Lists would be taken for objects.
        let is_object = |name: &str| value.get(name).is_none_or(|v| v.is_object() || v.is_null());
        if !value.is_object() || !is_object("call") || !is_object("result") {
            return error(
                "a line is an object with a `call` or a `result`, which are objects".into(),
            );
        }
        let line: Line = match serde_json::from_str(line) {
            Ok(line) => line,
            Err(problem) => return error(format!("the line cannot be read: {problem}")),
        };
        match line {
            Line { call: Some(call), result: None, approve } => self.decide(call, approve),
            Line { call: None, result: Some(result), approve: None } => self.result(result),
            Line { call: None, result: Some(_), approve: Some(_) } => {
                error("`approve` belongs to a call, not to a result".into())
            }
            Line { call: Some(_), result: Some(_), .. } => {
                error("a line has a `call` or a `result`, not both".into())
            }
            Line { call: None, result: None, .. } => {
                error("a line has a `call` or a `result`; this one has neither".into())
            }
        }
    }

    fn decide(&mut self, call: CallLine, approve: Option<bool>) -> Reply {
        self.clock = self.clock.saturating_add(1);
        let now = Timestamp(self.clock);
        let call = ToolCall::new(call.id, call.tool, call.input);
        let mut decision = self.session.decide(&call, now);
        if let Decision::NeedsApproval(question) = &decision {
            let answer = match approve {
                Some(true) => Answer::Approved,
                Some(false) => Answer::Rejected,
                None => Answer::Unavailable,
            };
            decision = self.session.answer(&call, question.ticket, answer, now);
        }
        let (word, reasons) = match &decision {
            Decision::Allowed => {
                self.tools.insert(call.id.clone(), call.tool.clone());
                ("allow", Vec::new())
            }
            Decision::Blocked(refusal) => ("block", refusal.reasons.iter().map(reason).collect()),
            Decision::NeedsApproval(question) => {
                let message = question.title.clone();
                ("block", vec![JsonReason { rule: None, file: None, line: None, message }])
            }
        };
        Reply::Decided { id: call.id, decision: word, reasons }
    }

    fn result(&mut self, result: ResultLine) -> Reply {
        let ResultLine { id, ok } = result;
        let Some(tool) = self.tools.remove(&id) else {
            return Reply::Error { error: format!("no call `{id}` is in flight") };
        };
        match self.session.result(&ToolResult { id: id.clone(), tool, is_error: !ok }) {
            Outcome::Settled { .. } => Reply::Taken { id, ok },
            outcome => Reply::Error { error: format!("the result was not taken: {outcome:?}") },
        }
    }
}

fn reason(reason: &Reason) -> JsonReason {
    let source = reason.rule.as_ref().and_then(|rule| rule.source.as_ref());
    JsonReason {
        rule: source.map(|source| source.text.clone()),
        file: source.map(|source| source.file.clone()),
        line: source.map(|source| source.line),
        message: reason.with_part(),
    }
}
