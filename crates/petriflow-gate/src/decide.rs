//! The four phases: structure, approval, validation, commit.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::action::Resolution;
use crate::call::{CallDigest, NESTING_MAX, Timestamp, ToolCall};
use crate::decision::{Answer, Approval, Cause, Decision, Reason, Refusal, Ticket};
use crate::hooks::Meta;
use crate::notes::{self, Notes};
use crate::open_calls::{KeptCall, Pending, Returnable};
use crate::parts::{Parts, Several};
use crate::plan::{Fires, Plan, Step};
use crate::policy::{Mode, Policy};
use crate::replay::REPLAY_ID;
use crate::session::{Asked, Question, Session};
use crate::text;

impl Session {
    /// Decides a call. Blocked calls leave the session exactly as it was.
    ///
    /// Deciding a call that is in flight again gives the same answer and consumes nothing; another
    /// call under its id is refused. `now` only matters for how long an approval can be answered.
    pub fn decide(&mut self, call: &ToolCall, now: Timestamp) -> Decision {
        let decision = self.guarded(|session| {
            if call.id.starts_with(REPLAY_ID) {
                let message = "this call id is reserved for replay";
                return Decision::blocked(Reason::of_call(Cause::IdInUse, message));
            }
            session.decide_call(call, now, &Granted::Nothing)
        });
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
        self.fired.clear();
        let decided = catch_unwind(AssertUnwindSafe(|| decide(&mut *self)));
        self.plan.clear();
        decided.unwrap_or_else(|panic| Decision::blocked(gate_failed(&*panic)))
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
        if self.open.is_forgotten(&call.id) {
            // Its result may still come, and would be taken for that of this call.
            return Some(id_in_use());
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
        let notes = match self.validate(policy, plan, call, parts) {
            Ok(notes) => notes,
            Err(reasons) => return Decision::Blocked(Refusal { reasons }),
        };
        if !self.has_room_for(policy, plan) {
            if plan.steps.is_empty() {
                // No net has a say about it and nothing will wait for its result.
                return Decision::Allowed;
            }
            let message = "too many calls wait for their results; report results or expire them";
            return Decision::blocked(Reason::of_call(Cause::TooManyOpen, message));
        }
        if let Some(asking) = unapproved(policy, plan, granted) {
            let asked = self.ask(policy, call, digest, &asking, now);
            if policy.mode == Mode::Shadow && asked.approval().is_some() {
                // Nobody is asked; the call goes ahead as if it had been approved.
                self.questions.retain(|question| question.call_id != call.id);
                self.commit(policy, plan, notes, call, digest, parts, now);
            }
            return asked;
        }
        self.commit(policy, plan, notes, call, digest, parts, now);
        Decision::Allowed
    }

    fn has_room_for(&self, policy: &Policy, plan: &Plan) -> bool {
        let waiting = plan.steps.iter().filter(|step| step.fires.on_success()).count();
        // Counting what waits is only worth it for calls that add to it.
        let pending_fits = waiting == 0
            || waiting.saturating_add(self.open.pending_count()) <= Policy::PENDING_FIRINGS_MAX;
        pending_fits && self.open.has_room(policy.limits.open_calls_max)
    }

    /// Phase 3 on copies: what every net concerned will remember, or the reasons against the call.
    fn validate(
        &self,
        policy: &Policy,
        plan: &Plan,
        call: &ToolCall,
        parts: &Parts<'_>,
    ) -> Result<Vec<Notes>, Vec<Reason>> {
        let mut notes = Vec::new();
        let mut reasons = Vec::new();
        let mut at: usize = 0;
        for steps in plan.steps.chunk_by(|a, b| a.net == b.net) {
            let number = at;
            at = at.saturating_add(steps.len());
            let Some(first) = steps.first() else { continue };
            let Some(net) = policy.nets.get(first.net as usize) else {
                return Err(vec![Reason::broken_index()]);
            };
            if net.validator.is_none() {
                continue;
            }
            let meta = self.meta.get(&first.net).cloned().unwrap_or_default();
            match notes::take(policy, (number, steps), call, parts, meta) {
                Ok(taken) => notes.push(taken),
                Err(reason) => reasons.push(*reason),
            }
        }
        if reasons.is_empty() { Ok(notes) } else { Err(reasons) }
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
        let Some(next_ticket) = self.next_ticket.checked_add(1) else {
            let message = "no more approvals can be asked for in this session";
            return Decision::blocked(Reason::of_call(Cause::TooManyOpen, message));
        };
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
        self.next_ticket = next_ticket;
        let approval = self.approval(&question);
        self.questions.push(question);
        Decision::NeedsApproval(approval)
    }

    fn approval(&self, question: &Question) -> Approval {
        let name =
            |asked: &Asked| self.policy.nets.get(asked.net as usize).map(|n| n.name().into());
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
        let reason = |asked: &Asked| {
            let net = self.policy.nets.get(asked.net as usize)?;
            let tool = self.policy.sites.get(asked.site as usize).map_or("", |site| &site.tool);
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
        notes: Vec<Notes>,
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
        let late = |step: usize| notes.iter().any(|notes| notes.late.contains(&step));
        // There is room: that was checked before.
        let _room = self.open.make_room(policy.limits.open_calls_max);
        let open = self.open.add(call, digest, now);
        open.held.extend_from_slice(&plan.held);
        for (at, step) in plan.steps.iter().enumerate() {
            if step.fires != Fires::OnSuccess {
                self.fired.push((step.net, step.at_once));
            }
            let pending = Pending {
                net: step.net,
                site: step.site,
                transition: step.transition,
                part: step.part,
                fires: step.fires.on_success(),
                revalidate: late(at),
            };
            if (pending.fires || pending.revalidate) && fires_on_success(policy, plan, at, parts) {
                open.pending.push(pending);
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
        let sequence = open.sequence;
        self.note_returnable(policy, plan, sequence);
        for Notes { net, meta, .. } in notes {
            self.remember(net, meta);
        }
    }

    /// Notes what could be taken back if the call turned out never to have run: in nets where it
    /// did nothing but fire one transition at once.
    fn note_returnable(&mut self, policy: &Policy, plan: &Plan, sequence: u64) {
        for steps in plan.steps.chunk_by(|a, b| a.net == b.net) {
            for step in steps {
                let at_once = step.fires == Fires::AtOnce;
                self.open.moves(step.net, step.at_once, at_once);
            }
            let Some(first) = steps.first() else { continue };
            let is_plain =
                |step: &Step| step.fires == Fires::AtOnce && step.at_once == first.at_once;
            let can_return = steps.iter().all(is_plain)
                && plan.held.iter().all(|held| held.net != first.net)
                && policy
                    .nets
                    .get(first.net as usize)
                    .is_some_and(|n| n.can_take_back(first.at_once));
            if can_return {
                let firing = Returnable { sequence, net: first.net, transition: first.at_once };
                steps.iter().for_each(|_| self.open.add_returnable(firing));
            }
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
const ACTIONS_MAX: usize = 2_048;
/// Further names that the actions of one call may have together.
const NAMES_MAX: usize = 1_024;

fn too_deep() -> Decision {
    let message = format!("the input is nested more than {NESTING_MAX} levels deep");
    Decision::blocked(Reason::of_call(Cause::Unresolved, message))
}

/// What a person has approved.
enum Granted<'a> {
    Nothing,
    /// These transitions for these tools.
    Asked(&'a [Asked]),
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
        Resolution::Actions(actions)
            if actions.iter().map(|action| action.also.len()).sum::<usize>() > NAMES_MAX =>
        {
            let message = "the call could be too many things at once; split it up";
            Err(Box::new(Reason::of_call(Cause::Unresolved, message)))
        }
        Resolution::Actions(actions) => Ok(Parts::Several(Several::new(actions))),
        Resolution::Refused(message) => Err(Box::new(Reason::of_call(Cause::Unresolved, message))),
    }
}

fn asked_by(step: &Step) -> Asked {
    Asked { net: step.net, site: step.site, transition: step.transition }
}

/// Whether a successful result shows that a step's part has run, with success if it is deferred.
///
/// An immediate firing behind deferred ones belongs to them: if they fire, it uses up what they put,
/// even where its own success is not shown, as in the background.
fn fires_on_success(policy: &Policy, plan: &Plan, at: usize, parts: &Parts<'_>) -> bool {
    let Some(step) = plan.steps.get(at) else { return false };
    if step.part.is_shown(parts) {
        return true;
    }
    let is_deferred = |step: &Step| {
        policy.nets.get(step.net as usize).is_some_and(|net| net.is_deferred(step.transition))
    };
    let before = plan.steps.iter().take(at);
    let mut chain = before.filter(|other| other.net == step.net && other.segment == step.segment);
    !is_deferred(step) && chain.any(|other| is_deferred(other) && other.part.is_shown(parts))
}

/// The manual steps that nobody has approved, if there are any.
fn unapproved(policy: &Policy, plan: &Plan, granted: &Granted<'_>) -> Option<Vec<Step>> {
    let is_manual = |step: &&Step| {
        policy.nets.get(step.net as usize).is_none_or(|net| net.is_manual(step.transition))
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
        if !asking.iter().any(|asked| asked_by(asked) == asked_by(step)) {
            asking.push(*step);
        }
    }
    Some(asking)
}

pub(crate) fn gate_failed(panic: &(dyn std::any::Any + Send)) -> Reason {
    let message = format!("the gate failed and refuses the call: {}", panic_text(panic));
    Reason::of_call(Cause::Internal, message)
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (None, Some(text)) => text,
        (None, None) => "panic",
    }
}
