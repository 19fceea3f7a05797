//! Calls played through a real gate.

use std::collections::HashMap;
use std::sync::Arc;

use petriflow_gate::{
    Answer, Approval, Decision, Outcome, Policy, Session, Timestamp, ToolCall, ToolResult,
};

use super::step::{Call, Expectation, Step};

/// A session that steps are played in.
#[derive(Debug)]
pub struct Player {
    session: Session,
    begun: HashMap<String, ToolCall>,
    played: u64,
}

/// What came of a step.
#[derive(Debug, Clone)]
pub struct Played {
    /// The question, if a person had to be asked.
    pub asked: Option<Approval>,
    /// The decision after the answer; nobody being there is an answer too. `None` for the end of a
    /// call.
    pub decision: Option<Decision>,
    /// What fired.
    pub moved: Vec<Moved>,
    /// What is wrong with the step itself, such as the end of a call that never began.
    pub mistake: Option<String>,
}

/// A transition that fired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// The net.
    pub net: String,
    /// The transition.
    pub transition: String,
}

impl Player {
    /// A fresh session.
    pub fn new(policy: &Arc<Policy>) -> Self {
        Self { session: Session::new(policy), begun: HashMap::new(), played: 0 }
    }

    /// The session as it is now.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Plays a step.
    pub fn play(&mut self, step: &Step) -> Played {
        match step {
            Step::Call(call) => self.call(call),
            Step::End { id, fails } => self.end(id, *fails),
        }
    }

    fn call(&mut self, call: &Call) -> Played {
        self.played = self.played.saturating_add(1);
        let id = format!("call-{}", self.played);
        let tool_call = ToolCall::new(id, &call.tool, call.input.clone());
        let mut played = Played::nothing();
        if call.begun_as.as_ref().is_some_and(|id| self.begun.contains_key(id)) {
            played.mistake = Some("a call of this name has begun already".into());
            return played;
        }
        let now = Timestamp(self.played);
        let mut decision = self.session.decide(&tool_call, now);
        if let Decision::NeedsApproval(question) = &decision {
            let question = question.clone();
            let answer = call.answer.unwrap_or(Answer::Unavailable);
            decision = self.session.answer(&tool_call, question.ticket, answer, now);
            played.asked = Some(question);
        }
        self.note_moves(&mut played);
        if decision.is_allowed() {
            match &call.begun_as {
                Some(id) => {
                    self.begun.insert(id.clone(), tool_call);
                }
                None => {
                    let result =
                        ToolResult { is_error: call.fails, ..ToolResult::success(&tool_call) };
                    self.session.result(&result);
                    self.note_moves(&mut played);
                }
            }
        }
        played.decision = Some(decision);
        played
    }

    fn end(&mut self, id: &str, fails: bool) -> Played {
        let mut played = Played::nothing();
        let Some(call) = self.begun.remove(id) else {
            played.mistake = Some(format!("no call `{id}` is in flight"));
            return played;
        };
        let result = ToolResult { is_error: fails, ..ToolResult::success(&call) };
        match self.session.result(&result) {
            Outcome::Settled { .. } => {}
            outcome => played.mistake = Some(format!("the result was not taken: {outcome:?}")),
        }
        self.note_moves(&mut played);
        played
    }

    fn note_moves(&self, played: &mut Played) {
        let moves = self.session.fired().map(|(net, transition)| Moved {
            net: net.name().into(),
            transition: net.net().transition_name(transition).into(),
        });
        played.moved.extend(moves);
    }
}

impl Played {
    fn nothing() -> Self {
        Self { asked: None, decision: None, moved: Vec::new(), mistake: None }
    }

    /// Whether it is what was expected.
    pub fn fits(&self, expected: &Expectation) -> bool {
        let Some(decision) = &self.decision else { return false };
        match expected {
            Expectation::Allowed => decision.is_allowed(),
            Expectation::Asks => self.asked.is_some(),
            Expectation::Blocked { by } => {
                // A question without an answer is not a refusal.
                let unanswered = self.asked.is_some() && self.was_unanswered();
                let Some(refusal) = decision.refusal().filter(|_| !unanswered) else {
                    return false;
                };
                by.iter().all(|name| {
                    refusal.reasons.iter().any(|reason| {
                        let source = reason.rule.as_ref().and_then(|rule| rule.source.as_ref());
                        reason.net.as_ref() == Some(name)
                            || source.is_some_and(|source| source.text == *name)
                    })
                })
            }
        }
    }

    fn was_unanswered(&self) -> bool {
        use petriflow_gate::Cause::NobodyToAsk;
        let refusal = self.decision.as_ref().and_then(Decision::refusal);
        refusal.is_some_and(|refusal| refusal.reasons.iter().all(|r| r.cause == NobodyToAsk))
    }

    /// What came of the call, in the words of an expectation.
    pub fn outcome(&self) -> String {
        match &self.decision {
            None => self.mistake.clone().unwrap_or_else(|| "ended".into()),
            Some(Decision::Allowed) => "allowed".into(),
            Some(_) if self.was_unanswered() => "asks".into(),
            Some(Decision::Blocked(refusal)) => {
                let names: Vec<&str> =
                    refusal.reasons.iter().filter_map(|reason| reason.net.as_deref()).collect();
                match names.is_empty() {
                    true => "blocked".into(),
                    false => format!("blocked by {}", names.join(", ")),
                }
            }
            Some(Decision::NeedsApproval(_)) => "asks".into(),
        }
    }
}
