//! Results: what succeeded unlocks what waited for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use petriflow_net::TransitionId;

use crate::call::ToolResult;
use crate::decision::{Outcome, Release};
use crate::hooks::{Attempt, Meta};
use crate::open_calls::{KeptCall, Pending, Returnable};
use crate::plan::settle_pending;
use crate::policy::Policy;
use crate::session::Session;
use crate::{SkillNet, notes};

impl Session {
    /// Takes the result of a call in flight: on success what waited for it fires, in order; on
    /// failure nothing does. Nets that were deactivated in the meantime are reached too.
    pub fn result(&mut self, result: &ToolResult) -> Outcome {
        self.fired.clear();
        let Some(open) = self.open.get(&result.id) else { return Outcome::UnknownCall };
        if open.tool != result.tool {
            return Outcome::OtherTool { called: open.tool.clone() };
        }
        let Some(slot) = self.open.remove(&result.id) else { return Outcome::UnknownCall };
        self.give_back(slot);
        let outcome =
            if result.is_error { Outcome::Settled { fired: 0 } } else { self.settle(slot) };
        self.open.recycle(slot);
        outcome
    }

    /// Takes back a call that was allowed and never ran: somebody else refused it.
    ///
    /// What it used is given back in every net that only the same transition has moved since, so that
    /// the session is as if the call had never been decided. In other nets, where later calls may rely
    /// on it, it counts as used. What waited for its result is dropped.
    ///
    /// ```
    /// use petriflow_gate::{Policy, Release, Session, SkillNet, Timestamp, ToolCall, Transition};
    /// # use serde_json::json;
    /// let limit = SkillNet::builder("limit-push-1")
    ///     .places(["budget", "spent"])
    ///     .initial("budget", 1)
    ///     .transition(Transition::auto("use").from(["budget"]).to(["spent"]).tools(["push"]))
    ///     .build()?;
    /// let mut session = Session::new(&Policy::new([limit])?);
    /// let push = |id: &str| ToolCall::new(id, "push", json!({}));
    /// assert!(session.decide(&push("1"), Timestamp(0)).is_allowed());
    /// assert!(!session.decide(&push("2"), Timestamp(0)).is_allowed());
    ///
    /// assert_eq!(session.release("1"), Release::Done { returned: 1 });
    /// assert!(session.decide(&push("3"), Timestamp(0)).is_allowed());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn release(&mut self, id: &str) -> Release {
        self.fired.clear();
        let Some(open) = self.open.get(id) else { return Release::UnknownCall };
        let firings: Vec<Returnable> = self.open.returnable(open.sequence).collect();
        let policy = Arc::clone(&self.policy);
        let taken_back = firings.into_iter().filter(|&firing| self.take_back(&policy, firing));
        let returned = taken_back.count();
        // Its id stays taken: a result that comes all the same must not be that of another call.
        if let Some(slot) = self.open.forget(id, policy.limits.open_calls_max) {
            self.give_back(slot);
            self.open.recycle(slot);
        }
        Release::Done { returned }
    }

    /// Undoes one firing, if what it put is still there.
    fn take_back(&mut self, policy: &Policy, firing: Returnable) -> bool {
        let places = policy.places(firing.net as usize);
        let (Some(net), Some(tokens)) =
            (policy.nets.get(firing.net as usize), self.tokens.get_mut(places))
        else {
            return false;
        };
        let undone = net.unfired(firing.transition, tokens);
        let Some(undone) = undone else { return false };
        tokens.copy_from_slice(&undone);
        true
    }

    /// Puts the tokens that a call holds back into play.
    pub(crate) fn give_back(&mut self, slot: u32) {
        let Some(open) = self.open.slot(slot) else { return };
        for held in &open.held {
            let tokens = self.tokens.get_mut(self.policy.places(held.net as usize));
            if let Some(token) = tokens.unwrap_or_default().get_mut(held.place as usize) {
                *token = token.saturating_add(held.tokens);
            }
        }
    }

    fn settle(&mut self, slot: u32) -> Outcome {
        let policy = Arc::clone(&self.policy);
        let mut fired: usize = 0;
        let mut failed: Vec<String> = Vec::new();
        let mut at: usize = 0;
        // A call's firings are listed net by net, as its plan was made.
        while let Some(net) =
            self.open.slot(slot).and_then(|open| open.pending.get(at)).map(|p| p.net)
        {
            match self.settle_net(&policy, slot, net) {
                Ok(moved) => fired = fired.saturating_add(moved),
                Err(HookFailed) => {
                    let name = policy.names.get(net as usize).map_or("", String::as_str);
                    failed.push(name.into());
                }
            }
            let pending =
                self.open.slot(slot).map(|open| open.pending.as_slice()).unwrap_or_default();
            let of_net = pending.iter().skip(at).take_while(|pending| pending.net == net).count();
            at = at.saturating_add(of_net.max(1));
        }
        if failed.is_empty() {
            Outcome::Settled { fired }
        } else {
            Outcome::HookFailed { nets: failed }
        }
    }

    /// Fires what waits for a net on copies, and keeps them if all went well. A net whose hook fails
    /// stays where it was: what it would unlock stays locked.
    fn settle_net(&mut self, policy: &Policy, slot: u32, net: u32) -> Result<usize, HookFailed> {
        let Some(skill_net) = policy.nets.get(net as usize) else { return Ok(0) };
        let Some(open) = self.open.slot(slot) else { return Ok(0) };
        let places = policy.places(net as usize);
        let tokens = &mut self.plan.tokens;
        tokens.clear();
        tokens.extend_from_slice(self.tokens.get(places.clone()).unwrap_or_default());
        let mut meta = open.kept.as_ref().map(|_| self.meta.get(&net).cloned().unwrap_or_default());
        let mut fired: Vec<(u32, TransitionId)> = Vec::new();
        for pending in open.pending.iter().filter(|pending| pending.net == net) {
            let mut transition = Some(pending.transition);
            if pending.fires {
                let settled =
                    settle_pending(policy, skill_net, pending.site, pending.transition, tokens);
                transition = settled.map_err(|_unsettled| HookFailed)?;
                fired.extend(transition.map(|transition| (net, transition)));
            }
            if let (Some(meta), Some(kept), Some(transition)) =
                (&mut meta, open.kept.as_deref(), transition)
            {
                run_hooks(policy, skill_net, *pending, kept, transition, meta)?;
            }
        }
        self.tokens.get_mut(places).unwrap_or_default().copy_from_slice(&self.plan.tokens);
        if let Some(meta) = meta {
            self.remember(net, meta);
        }
        fired.iter().for_each(|&(net, transition)| self.open.moves(net, transition, true));
        self.fired.extend_from_slice(&fired);
        Ok(fired.len())
    }
}

struct HookFailed;

fn run_hooks(
    policy: &Policy,
    net: &SkillNet,
    pending: Pending,
    kept: &KeptCall,
    transition: TransitionId,
    meta: &mut Meta,
) -> Result<(), HookFailed> {
    let Some(site) = policy.sites.get(pending.site as usize) else { return Ok(()) };
    let action = kept.action(pending.part);
    let transition = net.net.transition_name(transition);
    let attempt = Attempt { call: &kept.call, action: &action, tool: &site.tool, transition };
    let ran = catch_unwind(AssertUnwindSafe(|| {
        if pending.revalidate {
            notes::revalidate(net, &attempt, meta);
        }
        if let (true, Some(hook)) = (net.is_deferred(pending.transition), &net.on_deferred_result) {
            hook.resolved(&attempt, meta);
        }
    }));
    ran.map_err(|_panic| HookFailed)
}
