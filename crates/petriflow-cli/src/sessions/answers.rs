//! `petriflow approve` and `deny`: what a person says about a call that waits.

use petriflow_sqlite::{ApprovalAnswer, ApprovalRow, GateStore, Record};

use crate::args::{ApproveArgs, DenyArgs};
use crate::hook::places;
use crate::hook::record::Body;
use crate::outcome::{Exit, Failure, Outcome};
use crate::{text, when};

/// Allows a call, or lists what waits.
pub(crate) fn approve(args: &ApproveArgs) -> Outcome {
    let answered = match args.number {
        Some(number) => {
            super::require_terminal("approve").and_then(|()| answer(&args.state, number, true))
        }
        None => list(args),
    };
    answered.unwrap_or_else(Outcome::from)
}

/// Refuses a call.
pub(crate) fn deny(args: &DenyArgs) -> Outcome {
    let denied =
        super::require_terminal("deny").and_then(|()| answer(&args.state, args.number, false));
    denied.unwrap_or_else(Outcome::from)
}

/// Characters of a call that are shown before it is allowed; the middle of a longer one is left out,
/// with its length.
const CALL_MAX: usize = 8_000;

fn list(args: &ApproveArgs) -> Result<Outcome, Failure> {
    let now_ms = places::now_ms();
    let waiting = match super::open(&args.state)? {
        Some(store) => store.pending_approvals(now_ms)?,
        None => Vec::new(),
    };
    if waiting.is_empty() {
        return Ok(Outcome::output("nothing waits for approval\n".to_owned(), Exit::Clean));
    }
    let lines = waiting.iter().map(|row| line(row, now_ms) + "\n");
    Ok(Outcome::output(lines.collect(), Exit::Clean))
}

fn line(row: &ApprovalRow, now_ms: u64) -> String {
    let tool = text::shown(&row.approval.tool, text::NAME_MAX);
    let call = text::ends_of(&row.approval.message, text::MESSAGE_MAX);
    format!("{}  {}  {tool}  {call}", row.id, when::ago(row.approval.asked_at_ms, now_ms))
}

fn answer(state: &crate::args::StateArgs, number: u64, granted: bool) -> Result<Outcome, Failure> {
    let mut store: GateStore = super::open_some(state)?;
    let now_ms = places::now_ms();
    let waiting = store.pending_approvals(now_ms)?;
    if let (true, Some(row)) = (granted, waiting.iter().find(|row| row.id == number)) {
        let call = text::ends_of(&row.approval.message, CALL_MAX);
        let title = text::shown(&row.approval.title, text::MESSAGE_MAX);
        let tool = text::shown(&row.approval.tool, text::NAME_MAX);
        let session = text::shown(&row.approval.session, text::NAME_MAX);
        let whose = format!("{} session {session}", row.approval.host);
        if !super::confirmed(&format!(
            "{title} ({whose})\n{tool}  {call}\nallow exactly this call once?"
        )) {
            return Ok(Outcome::output("nothing was changed\n".to_owned(), Exit::Findings));
        }
    }
    let tx = store.begin()?;
    match tx.answer_approval(number, granted, now_ms)? {
        ApprovalAnswer::Done => {}
        ApprovalAnswer::Unknown => {
            return Err(Failure::new(format!("nothing waits under number {number}"))
                .hint("`petriflow approve` lists what waits"));
        }
        ApprovalAnswer::Expired => {
            return Err(Failure::new(format!("number {number} has waited too long"))
                .hint("let the agent make the call again; it gets a new number"));
        }
        ApprovalAnswer::AlreadyAnswered => {
            return Err(Failure::new(format!("number {number} was answered already")));
        }
    }
    let row = waiting.into_iter().find(|row| row.id == number);
    let decision = if granted { "granted" } else { "denied" };
    if let Some(row) = &row {
        let body = Body {
            event: "approval".to_owned(),
            tool: Some(row.approval.tool.clone()),
            note: Some(format!("approval {number}")),
            ..Body::default()
        };
        tx.append(&Record {
            at_ms: now_ms,
            host: row.approval.host.clone(),
            session: row.approval.session.clone(),
            kind: "approval".to_owned(),
            decision: decision.to_owned(),
            body: body.to_text().map_err(Failure::new)?,
        })?;
    }
    tx.commit()?;
    let shown = row.map_or_else(|| number.to_string(), |row| line(&row, now_ms));
    let next = if granted {
        "the agent may make exactly this call once"
    } else {
        "the call stays refused"
    };
    Ok(Outcome::output(format!("{decision}: {shown}\n{next}\n"), Exit::Clean))
}
