//! Results: what succeeded unlocks what waited for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use petriflow_net::TransitionId;

use crate::call::ToolResult;
use crate::decision::Outcome;
use crate::hooks::{Attempt, Meta};
use crate::open_calls::{KeptCall, Pending};
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
