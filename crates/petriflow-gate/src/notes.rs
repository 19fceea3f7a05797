//! Phase 3: what validators note, worked out on copies of what a net remembers.
//!
//! As with tokens, *now* and *then* are kept apart. A validator decides on *then*: behind a deferred
//! part of its segment it sees what that part's success would note. What it notes itself is noted at
//! once where it accepts *now* too, so that budgets are spent when the call is allowed, and again with
//! the result where only that leads to what the parts one by one would have led to. Where it accepts
//! only *then*, nothing can be noted yet, and nothing ever will be if the call fails; that is fine if
//! the segment leaves no trace (a backup is noted and used up), and otherwise the call is refused.

use std::borrow::Cow;

use crate::action::Action;
use crate::call::ToolCall;
use crate::decision::{Cause, Reason};
use crate::hooks::{Attempt, Meta};
use crate::parts::Parts;
use crate::plan::{Part, Step};
use crate::policy::Policy;
use crate::{SkillNet, text};

/// What a net will remember once the call is allowed.
pub(crate) struct Notes {
    pub(crate) net: u32,
    pub(crate) meta: Meta,
    /// The steps, by number in the plan, whose validator runs again with the result.
    pub(crate) late: Vec<usize>,
}

/// Runs a net's validator along its steps: the net's part of the plan's list, which begins at `first`.
pub(crate) fn take(
    policy: &Policy,
    (first, steps): (usize, &[Step]),
    call: &ToolCall,
    parts: &Parts<'_>,
    meta: Meta,
) -> Result<Notes, Box<Reason>> {
    let net = steps.first().map_or(0, |step| step.net);
    let mut taker = Taker {
        now: meta,
        then: None,
        awaited: Vec::new(),
        segment: None,
        relied: false,
        late: Vec::new(),
    };
    for (at, step) in steps.iter().enumerate() {
        let Some((skill_net, tool)) = text::net_and_tool(policy, step) else {
            return Err(Box::new(Reason::broken_index()));
        };
        let action = match step.part {
            Part::Whole => Cow::Owned(Action::new(tool)),
            Part::Number(part) => parts.action(part as usize),
        };
        let transition = skill_net.net.transition_name(step.transition);
        let attempt = Attempt { call, action: &action, tool, transition };
        let is_last =
            steps.get(at.saturating_add(1)).is_none_or(|next| next.segment != step.segment);
        let number = first.saturating_add(at);
        taker.step(skill_net, step, number, is_last, &attempt).map_err(|(cause, message)| {
            Box::new(Reason {
                cause,
                net: Some(skill_net.name().into()),
                rule: skill_net.rule.clone(),
                part: step.part.text(parts),
                message,
            })
        })?;
    }
    Ok(Notes { net, meta: taker.now, late: taker.late })
}

struct Taker {
    now: Meta,
    /// What would be remembered if the parts before in the segment had succeeded, if that differs.
    then: Option<Meta>,
    /// What the result would note, in order, for the segment so far.
    awaited: Vec<Event>,
    segment: Option<u32>,
    /// A validator of the segment accepted only `then`.
    relied: bool,
    late: Vec<usize>,
}

impl Taker {
    fn step(
        &mut self,
        net: &SkillNet,
        step: &Step,
        number: usize,
        is_last: bool,
        attempt: &Attempt<'_>,
    ) -> Result<(), (Cause, String)> {
        if self.segment != Some(step.segment) {
            self.segment = Some(step.segment);
            self.then = None;
            self.relied = false;
            self.awaited.clear();
        }
        self.validate(net, number, attempt).map_err(|message| (Cause::Invalid, message))?;
        if is_last && self.relied && self.then.as_ref() != Some(&self.now) {
            return Err((Cause::Entangled, text::entangled(net, attempt.tool)));
        }
        // The hook is tried only if something behind it looks at `then`.
        if net.is_deferred(step.transition) && !is_last && net.on_deferred_result.is_some() {
            let event = Event::new(attempt, EventKind::Resolved);
            let mut then = self.then.take().unwrap_or_else(|| self.now.clone());
            event.apply(net, attempt.call, &mut then);
            self.then = Some(then);
            self.awaited.push(event);
        }
        Ok(())
    }

    fn validate(
        &mut self,
        net: &SkillNet,
        number: usize,
        attempt: &Attempt<'_>,
    ) -> Result<(), String> {
        let Some(validator) = &net.validator else { return Ok(()) };
        let Some(then) = &mut self.then else { return validator.validate(attempt, &mut self.now) };
        validator.validate(attempt, then)?;
        let mut early = self.now.clone();
        if validator.validate(attempt, &mut early).is_ok() {
            let mut success = early.clone();
            self.awaited.iter().for_each(|event| event.apply(net, attempt.call, &mut success));
            self.now = early;
            // Noting it early is enough if the result leads to the same.
            if success == *then {
                return Ok(());
            }
        } else {
            self.relied = true;
        }
        self.late.push(number);
        self.awaited.push(Event::new(attempt, EventKind::Validated));
        Ok(())
    }
}

/// Something noted with the result, kept by value since it outlives its step.
struct Event {
    action: Action,
    tool: String,
    transition: String,
    kind: EventKind,
}

enum EventKind {
    Resolved,
    Validated,
}

impl Event {
    fn new(attempt: &Attempt<'_>, kind: EventKind) -> Self {
        Self {
            action: attempt.action.clone(),
            tool: attempt.tool.to_owned(),
            transition: attempt.transition.to_owned(),
            kind,
        }
    }

    fn apply(&self, net: &SkillNet, call: &ToolCall, meta: &mut Meta) {
        let attempt =
            Attempt { call, action: &self.action, tool: &self.tool, transition: &self.transition };
        match (&self.kind, &net.on_deferred_result) {
            (EventKind::Resolved, Some(hook)) => hook.resolved(&attempt, meta),
            (EventKind::Resolved, None) => {}
            (EventKind::Validated, _) => revalidate(net, &attempt, meta),
        }
    }
}

/// Lets a validator that has accepted take its notes once more; what it says now does not count.
pub(crate) fn revalidate(net: &SkillNet, attempt: &Attempt<'_>, meta: &mut Meta) {
    let Some(validator) = &net.validator else { return };
    let mut noted = meta.clone();
    if validator.validate(attempt, &mut noted).is_ok() {
        *meta = noted;
    }
}
