//! The four phases: structure, approval, validation, commit.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::action::Resolution;
use crate::call::{CallDigest, NESTING_MAX, Timestamp, ToolCall};
use crate::decision::{Answer, Approval, Cause, Decision, Reason, Refusal, Ticket};
use crate::hooks::{Attempt, Meta};
use crate::open_calls::{KeptCall, Pending};
use crate::parts::{Parts, Several};
use crate::plan::{Part, Plan, Step};
use crate::policy::{Mode, Policy};
use crate::session::{Question, Session};
use crate::text;

impl Session {
    /// Decides a call. Blocked calls leave the session exactly as it was.
    ///
    /// Deciding a call that is in flight again gives the same answer and consumes nothing; another
    /// call under its id is refused. `now` only matters for how long an approval can be answered.
    pub fn decide(&mut self, call: &ToolCall, now: Timestamp) -> Decision {
        let decision = self.guarded(|session| session.decide_call(call, now, &Granted::Nothing));
        self.report(call, decision)
    }

    /// Answers a question. The call must be the one that was asked about.
    ///
    /// The decision is made anew on the present state, so an approval never lets through what has
    /// become forbidden in the meantime.
    pub fn answer(
        &mut self,
        call: &ToolCall,
        ticket: Ticket,
        answer: Answer,
        now: Timestamp,
    ) -> Decision {
        let decision = self.guarded(|session| session.answer_question(call, ticket, answer, now));
        self.report(call, decision)
    }

    /// Decides a call as if a person had approved whatever needs it, for replay.
    pub(crate) fn decide_approved(&mut self, call: &ToolCall, now: Timestamp) -> Decision {
        self.guarded(|session| session.decide_call(call, now, &Granted::Everything))
    }

    /// Runs a decision so that a panic in a hook becomes a refusal. Nothing is written before the
    /// last step of a decision, which calls no hook, so the session is whole in either case.
    fn guarded(&mut self, decide: impl FnOnce(&mut Self) -> Decision) -> Decision {
        let decided = catch_unwind(AssertUnwindSafe(|| decide(&mut *self)));
        self.plan.clear();
        decided.unwrap_or_else(|panic| {
            let message = format!("the gate failed and refuses the call: {}", panic_text(&*panic));
            Decision::blocked(Reason::of_call(Cause::Internal, message))
        })
    }

    /// Tells the callback, and in shadow mode lets everything pass.
    fn report(&self, call: &ToolCall, decision: Decision) -> Decision {
        if let Some(callback) = &self.policy.on_decision {
            // A callback that fails must not change what was decided.
            let _told = catch_unwind(AssertUnwindSafe(|| callback(call, &decision)));
        }
        match self.policy.mode {
            Mode::Enforce => decision,
            Mode::Shadow => Decision::Allowed,
        }
    }

    fn decide_call(&mut self, call: &ToolCall, now: Timestamp, granted: &Granted<'_>) -> Decision {
        let Some(digest) = call.digest() else { return too_deep() };
        if let Some(known) = self.known_call(call, digest, now) {
            return known;
        }
        let policy = Arc::clone(&self.policy);
        let parts = match resolve(&policy, call) {
            Ok(parts) => parts,
            Err(reason) => return Decision::blocked(*reason),
        };
        // The plan is taken out so that it and the session can be used side by side.
        let mut plan = std::mem::take(&mut self.plan);
        let decision = self.decide_parts(&policy, &mut plan, call, digest, &parts, now, granted);
        self.plan = plan;
        decision
    }

    /// The answer for a call that is in flight or asked about already.
    fn known_call(&self, call: &ToolCall, digest: CallDigest, now: Timestamp) -> Option<Decision> {
        let id_in_use = || {
            let message = format!("call id '{}' is in use by another call", call.id);
            Decision::blocked(Reason::of_call(Cause::IdInUse, message))
        };
        if let Some(open) = self.open.get(&call.id) {
            return Some(if open.digest == digest { Decision::Allowed } else { id_in_use() });
        }
        let asked =
            |question: &&Question| question.call_id == call.id && now <= question.expires_at;
        let question = self.questions.iter().find(asked)?;
        if question.digest != digest {
            return Some(id_in_use());
        }
        Some(Decision::NeedsApproval(self.approval(question)))
    }

    #[expect(clippy::too_many_arguments, reason = "the phases share all of it")]
    fn decide_parts(
        &mut self,
        policy: &Policy,
        plan: &mut Plan,
        call: &ToolCall,
        digest: CallDigest,
        parts: &Parts<'_>,
        now: Timestamp,
        granted: &Granted<'_>,
    ) -> Decision {
        plan.make(policy, &self.tokens, &self.active, parts, call);
        if !plan.reasons.is_empty() {
            return Decision::Blocked(Refusal { reasons: std::mem::take(&mut plan.reasons) });
        }
        // Validators are tried before anybody is asked: nobody should be asked about a call that
        // would be rejected anyway. They work on copies, so this is the validation itself too.
        let metas = match self.validate(policy, plan, call, parts) {
            Ok(metas) => metas,
            Err(reasons) => return Decision::Blocked(Refusal { reasons }),
        };
        if !self.open.has_room(policy.limits.open_calls_max) {
            let message = "too many calls wait for their results; report results or expire them";
            return Decision::blocked(Reason::of_call(Cause::TooManyOpen, message));
        }
        if let Some(asking) = unapproved(policy, plan, granted) {
            let asked = self.ask(policy, call, digest, &asking, now);
            if policy.mode == Mode::Shadow {
                // Nobody is asked; the call goes ahead as if it had been approved.
                self.questions.retain(|question| question.call_id != call.id);
                self.commit(policy, plan, metas, call, digest, parts, now);
            }
            return asked;
        }
        self.commit(policy, plan, metas, call, digest, parts, now);
        Decision::Allowed
    }

    /// Phase 3 on copies: what every net concerned will remember, or the reasons against the call.
    fn validate(
        &self,
        policy: &Policy,
        plan: &Plan,
        call: &ToolCall,
        parts: &Parts<'_>,
    ) -> Result<Vec<(u32, Meta)>, Vec<Reason>> {
        let mut metas = Vec::new();
        let mut reasons = Vec::new();
        for steps in plan.steps.chunk_by(|a, b| a.net == b.net) {
            let Some(first) = steps.first() else { continue };
            let Some(net) = policy.nets.get(first.net as usize) else { continue };
            if net.validator.is_none() {
                continue;
            }
            let meta = self.meta.get(&first.net).cloned().unwrap_or_default();
            match validate_net(policy, steps, call, parts, meta) {
                Ok(meta) => metas.push((first.net, meta)),
                Err(reason) => reasons.push(*reason),
            }
        }
        if reasons.is_empty() { Ok(metas) } else { Err(reasons) }
    }

    /// Phase 2: one question that names every net that wants the call approved.
    fn ask(
        &mut self,
        policy: &Policy,
        call: &ToolCall,
        digest: CallDigest,
        asking: &[Step],
        now: Timestamp,
    ) -> Decision {
        let is_open = |question: &Question| now <= question.expires_at;
        if self.questions.iter().filter(|q| is_open(q)).count() >= policy.limits.approvals_max {
            let message = "too many approvals are open; answer some of them first";
            return Decision::blocked(Reason::of_call(Cause::TooManyOpen, message));
        }
        let question = Question {
            ticket: Ticket(self.next_ticket),
            call_id: call.id.clone(),
            digest,
            expires_at: now.after_ms(policy.limits.approval_ms),
            asked: asking.iter().map(asked_by).collect(),
            title: text::approval_title(policy, asking),
            message: text::approval_message(policy, asking),
        };
        self.questions.retain(is_open);
        self.next_ticket = self.next_ticket.saturating_add(1);
        let approval = self.approval(&question);
        self.questions.push(question);
        Decision::NeedsApproval(approval)
    }

    fn approval(&self, question: &Question) -> Approval {
        let name =
            |&(net, _): &(u32, u32)| self.policy.nets.get(net as usize).map(|n| n.name().into());
        Approval {
            ticket: question.ticket,
            title: question.title.clone(),
            message: question.message.clone(),
            nets: question.asked.iter().filter_map(name).collect(),
            expires_at: question.expires_at,
        }
    }

    fn answer_question(
        &mut self,
        call: &ToolCall,
        ticket: Ticket,
        answer: Answer,
        now: Timestamp,
    ) -> Decision {
        let stale =
            |message: &str| Decision::blocked(Reason::of_call(Cause::StaleApproval, message));
        let Some(at) = self.questions.iter().position(|question| question.ticket == ticket) else {
            return stale("this approval was not asked for or was answered already");
        };
        let Some(digest) = call.digest() else { return too_deep() };
        let fits = |q: &Question| q.call_id == call.id && q.digest == digest;
        if !self.questions.get(at).is_some_and(fits) {
            return stale("the approval is for another call");
        }
        // A ticket is good for one answer, whatever the answer is.
        let question = self.questions.swap_remove(at);
        if now > question.expires_at {
            return stale("the approval came too late; call again to be asked again");
        }
        match answer {
            Answer::Approved => self.decide_call(call, now, &Granted::Asked(&question.asked)),
            Answer::Rejected => self.not_approved(&question, Cause::Rejected),
            Answer::Unavailable => self.not_approved(&question, Cause::NobodyToAsk),
        }
    }

    fn not_approved(&self, question: &Question, cause: Cause) -> Decision {
        let reason = |&(net, _): &(u32, u32)| {
            let net = self.policy.nets.get(net as usize)?;
            let tool = question.title.trim_start_matches("Approve: ");
            Some(Reason {
                cause,
                net: Some(net.name().into()),
                rule: net.rule.clone(),
                part: None,
                message: text::requires_approval(net, tool),
            })
        };
        Decision::Blocked(Refusal { reasons: question.asked.iter().filter_map(reason).collect() })
    }

    /// Phase 4. Everything was worked out on the state that is still there: nothing can fail now.
    #[expect(clippy::too_many_arguments, reason = "the phases share all of it")]
    fn commit(
        &mut self,
        policy: &Policy,
        plan: &Plan,
        metas: Vec<(u32, Meta)>,
        call: &ToolCall,
        digest: CallDigest,
        parts: &Parts<'_>,
        now: Timestamp,
    ) {
        for touched in &plan.touched {
            let places = policy.places(touched.net as usize);
            let planned = plan.tokens.iter().skip(touched.from as usize);
            let tokens = self.tokens.get_mut(places).unwrap_or_default();
            tokens.iter_mut().zip(planned).for_each(|(token, &planned)| *token = planned);
        }
        for (net, meta) in metas {
            self.remember(net, meta);
        }
        // There is room: that was checked before.
        let _room = self.open.make_room(policy.limits.open_calls_max);
        let open = self.open.add(call, digest, now);
        for step in &plan.steps {
            if step.fires.on_success() && step.part.is_shown(parts) {
                open.pending.push(Pending {
                    net: step.net,
                    site: step.site,
                    transition: step.transition,
                    part: step.part,
                    revalidate: step.relies,
                });
            }
        }
        let has_hook = |pending: &Pending| {
            policy.nets.get(pending.net as usize).is_some_and(|net| {
                net.on_deferred_result.is_some() || (pending.revalidate && net.validator.is_some())
            })
        };
        if open.pending.iter().any(has_hook) {
            open.kept = Some(Box::new(KeptCall::new(call, parts)));
        }
    }

    pub(crate) fn remember(&mut self, net: u32, meta: Meta) {
        if meta.is_empty() {
            self.meta.remove(&net);
        } else {
            self.meta.insert(net, meta);
        }
    }
}

/// Actions that one call may stand for.
const ACTIONS_MAX: usize = 1_000;

fn too_deep() -> Decision {
    let message = format!("the input is nested more than {NESTING_MAX} levels deep");
    Decision::blocked(Reason::of_call(Cause::Unresolved, message))
}

/// What a person has approved.
enum Granted<'a> {
    Nothing,
    /// These transitions of these nets.
    Asked(&'a [(u32, u32)]),
    Everything,
}

pub(crate) fn resolve<'c>(policy: &Policy, call: &'c ToolCall) -> Result<Parts<'c>, Box<Reason>> {
    let Some(resolver) = &policy.resolver else { return Ok(Parts::Plain(call)) };
    match resolver.resolve(call) {
        Resolution::Itself => Ok(Parts::Plain(call)),
        Resolution::Actions(actions) if actions.len() > ACTIONS_MAX => {
            let message = format!("the call does more than {ACTIONS_MAX} things; split it up");
            Err(Box::new(Reason::of_call(Cause::Unresolved, message)))
        }
        Resolution::Actions(actions) => Ok(Parts::Several(Several::new(actions))),
        Resolution::Refused(message) => Err(Box::new(Reason::of_call(Cause::Unresolved, message))),
    }
}

fn asked_by(step: &Step) -> (u32, u32) {
    (step.net, step.transition.index() as u32)
}

/// The manual steps that nobody has approved, if there are any.
fn unapproved(policy: &Policy, plan: &Plan, granted: &Granted<'_>) -> Option<Vec<Step>> {
    let is_manual = |step: &&Step| {
        policy.nets.get(step.net as usize).is_some_and(|net| net.is_manual(step.transition))
    };
    let is_granted = |step: &Step| match granted {
        Granted::Nothing => false,
        Granted::Asked(asked) => asked.contains(&asked_by(step)),
        Granted::Everything => true,
    };
    let mut manual = plan.steps.iter().filter(is_manual);
    // One step without approval asks about the whole call again.
    if manual.clone().all(is_granted) {
        return None;
    }
    let mut asking: Vec<Step> = Vec::new();
    for step in manual.by_ref() {
        if !asking.iter().any(|asked| asked_by(asked) == asked_by(step) && asked.site == step.site)
        {
            asking.push(*step);
        }
    }
    Some(asking)
}

/// Runs a net's validator along its steps. Behind a deferred step of the same segment it sees what
/// the net would remember if that had succeeded.
fn validate_net(
    policy: &Policy,
    steps: &[Step],
    call: &ToolCall,
    parts: &Parts<'_>,
    mut now: Meta,
) -> Result<Meta, Box<Reason>> {
    let mut then: Option<Meta> = None;
    let mut segment = None;
    for step in steps {
        let Some((net, tool)) = text::net_and_tool(policy, step) else { continue };
        let Some(validator) = &net.validator else { continue };
        if segment != Some(step.segment) {
            segment = Some(step.segment);
            then = None;
        }
        let action = match step.part {
            Part::Whole => std::borrow::Cow::Owned(crate::Action::new(tool)),
            Part::Number(part) => parts.action(part as usize),
        };
        let transition = net.net.transition_name(step.transition);
        let attempt = Attempt { call, action: &action, tool, transition };
        let refused = |message: String| {
            Box::new(Reason {
                cause: Cause::Invalid,
                net: Some(net.name().into()),
                rule: net.rule.clone(),
                part: step.part.text(parts),
                message,
            })
        };
        validator.validate(&attempt, then.as_mut().unwrap_or(&mut now)).map_err(refused)?;
        if then.is_some() && !step.fires.on_success() {
            // Nothing will run it again, so what it notes must be noted now.
            validator.validate(&attempt, &mut now).map_err(refused)?;
        }
        if net.is_deferred(step.transition) {
            let seen = then.get_or_insert_with(|| now.clone());
            if let Some(hook) = &net.on_deferred_result {
                hook.resolved(&attempt, seen);
            }
        }
    }
    Ok(now)
}

pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (None, Some(text)) => text,
        (None, None) => "panic",
    }
}
