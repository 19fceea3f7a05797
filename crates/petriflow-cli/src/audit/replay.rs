//! `petriflow audit replay`: what would have been decided under other rules.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use petriflow::gate::{Answer, Decision, Policy, Session, Timestamp, ToolCall, ToolResult};

use super::{Entry, each};
use crate::args::AuditReplayArgs;
use crate::audit::filter::Filter;
use crate::hook::record::{Because, in_lines};
use crate::outcome::{Exit, Failure, Outcome};
use crate::{rules, sessions, text, when};

/// Decides every logged call again and shows the differences.
pub(super) fn run(args: &AuditReplayArgs) -> Result<Outcome, Failure> {
    let filter = Filter::new(&args.filter)?;
    let rules = match rules::load(&args.rules) {
        Ok(rules) => rules,
        Err(outcome) => return Ok(outcome),
    };
    let policy = rules.policy().map_err(|error| Failure::new(error.to_string()))?;
    let store = sessions::open_some(&args.state)?;
    let mut replay = Replay { policy, sessions: HashMap::new(), tally: Tally::default() };
    let mut out = String::new();
    each(&store, &mut |entry| {
        let matches = filter.matches(&entry);
        if let Some(difference) = replay.entry(&entry, matches) {
            out.push_str(&difference);
        }
        ControlFlow::Continue(())
    })?;
    let Tally { decided, refused, allowed, asked, unknown } = replay.tally;
    let differ = refused.saturating_add(allowed).saturating_add(asked);
    out.push_str(&format!(
        "{} decided again: {differ} would differ ({refused} refused, {allowed} allowed, {asked} asked)\n",
        text::counted(decided, "call"),
    ));
    if unknown > 0 {
        out.push_str(&format!(
            "{} without a kept input could not be\n",
            text::counted(unknown, "call")
        ));
    }
    Ok(Outcome::output(out, if differ == 0 { Exit::Clean } else { Exit::Findings }))
}

#[derive(Default)]
struct Tally {
    decided: u64,
    refused: u64,
    allowed: u64,
    asked: u64,
    unknown: u64,
}

/// The sessions of the log, lived again.
struct Replay {
    policy: Arc<Policy>,
    sessions: HashMap<(String, String), Session>,
    tally: Tally,
}

impl Replay {
    /// Takes the next record, and tells how its decision would differ. Records that are not asked
    /// for still happen: what comes later stands on them.
    fn entry(&mut self, entry: &Entry, is_asked_for: bool) -> Option<String> {
        let record = &entry.row.record;
        let key = (record.host.clone(), record.session.clone());
        match record.kind.as_str() {
            "call" => self.call(key, entry, is_asked_for),
            "result" => {
                let session = self.sessions.get_mut(&key)?;
                let id = entry.body.call.as_ref()?;
                if record.decision == "released" {
                    session.release(id);
                } else {
                    let tool = entry.body.tool.clone()?;
                    let is_error = record.decision != "succeeded";
                    session.result(&ToolResult { id: id.clone(), tool, is_error });
                }
                None
            }
            "session" => {
                self.start(key, entry);
                None
            }
            _ => None,
        }
    }

    fn start(&mut self, key: (String, String), entry: &Entry) {
        let parent = entry.body.note.as_deref().and_then(|note| note.strip_prefix("from "));
        match (entry.row.record.decision.as_str(), parent) {
            ("started", _) => {
                self.sessions.remove(&key);
            }
            ("forked", Some(parent)) => {
                let parent = self.sessions.get(&(key.0.clone(), parent.to_owned()));
                let copy = parent.map(Session::snapshot);
                let copy = copy.and_then(|copy| Session::restore(&self.policy, copy).ok());
                if let Some(mut copy) = copy {
                    copy.expire_open_calls(Timestamp(u64::MAX));
                    self.sessions.insert(key, copy);
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, key: (String, String), entry: &Entry, counts: bool) -> Option<String> {
        let body = &entry.body;
        let logged = entry.row.record.decision.as_str();
        let repeats = body.note.as_deref() == Some("decided before");
        let by_rules = body.note.as_deref() != Some("self-protection");
        if repeats || !by_rules {
            return None;
        }
        let Some(input) = body.input.clone() else {
            self.tally.unknown = self.tally.unknown.saturating_add(u64::from(counts));
            return None;
        };
        let id = body.call.clone().unwrap_or_else(|| format!("record {}", entry.row.seq));
        let call = ToolCall::new(id, body.tool.clone()?, input);
        let now = Timestamp(entry.row.record.at_ms);
        let policy = &self.policy;
        let session = self.sessions.entry(key).or_insert_with(|| Session::new(policy));
        let mut decision = session.decide(&call, now);
        let asks = decision.approval().is_some();
        if let Some(ticket) = decision.approval().map(|approval| approval.ticket) {
            // What was let through after a question would be again.
            let answer = match logged {
                "blocked" | "would-block" => Answer::Unavailable,
                _ => Answer::Approved,
            };
            decision = session.answer(&call, ticket, answer, now);
        }
        if !counts {
            return None;
        }
        let tally = &mut self.tally;
        tally.decided = tally.decided.saturating_add(1);
        let was_refused = matches!(logged, "blocked" | "would-block");
        let was_asked = matches!(logged, "asked" | "approved" | "would-ask")
            || body.note.as_deref().is_some_and(|note| note.starts_with("approval "));
        let (count, would) = match (&decision, asks) {
            (_, true) if was_asked => return None,
            (_, true) => (&mut tally.asked, "would be asked about".to_owned()),
            (Decision::Blocked(_), _) if was_refused && !was_asked => return None,
            (Decision::Blocked(refusal), _) => {
                let reasons = in_lines(&Because::of_refusal(refusal));
                (&mut tally.refused, format!("would be refused: {reasons}"))
            }
            (_, false) if !was_refused && !was_asked => return None,
            (_, false) => (&mut tally.allowed, "would be allowed".to_owned()),
        };
        *count = count.saturating_add(1);
        Some(difference(entry, logged, &would))
    }
}

fn difference(entry: &Entry, logged: &str, would: &str) -> String {
    let command = entry.body.input.as_ref().and_then(|input| input.get("command")?.as_str());
    let tool = text::shown(entry.body.tool.as_deref().unwrap_or_default(), text::NAME_MAX);
    let command = command.map(|command| format!(" {}", text::shown(command, text::NAME_MAX)));
    format!(
        "{:>6}  {}  {tool}{}: was {logged}, {}\n",
        entry.row.seq,
        when::stamp(entry.row.record.at_ms),
        command.unwrap_or_default(),
        text::shown(would, text::MESSAGE_MAX),
    )
}
