//! Results: what succeeded unlocks what waited for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::call::ToolResult;
use crate::decision::Outcome;
use crate::hooks::{Attempt, Meta};
use crate::open_calls::{KeptCall, Pending};
use crate::plan::settle_pending;
use crate::policy::Policy;
use crate::session::Session;

impl Session {
    /// Takes the result of a call in flight: on success what waited for it fires, in order; on
    /// failure nothing does. Nets that were deactivated in the meantime are reached too.
    pub fn result(&mut self, result: &ToolResult) -> Outcome {
        let Some(open) = self.open.get(&result.id) else { return Outcome::UnknownCall };
        if open.tool != result.tool {
            return Outcome::OtherTool { called: open.tool.clone() };
        }
        let Some(slot) = self.open.remove(&result.id) else { return Outcome::UnknownCall };
        let outcome =
            if result.is_error { Outcome::Settled { fired: 0 } } else { self.settle(slot) };
        self.open.recycle(slot);
        outcome
    }

    fn settle(&mut self, slot: u32) -> Outcome {
        let policy = Arc::clone(&self.policy);
        let mut fired: usize = 0;
        let mut failed: Vec<String> = Vec::new();
        let count = self.open.slot(slot).map_or(0, |open| open.pending.len());
        for at in 0..count {
            let Some(open) = self.open.slot(slot) else { break };
            let Some(&pending) = open.pending.get(at) else { break };
            let name = policy.nets.get(pending.net as usize).map_or("", |net| net.name());
            if failed.iter().any(|failed| failed == name) {
                continue;
            }
            match self.fire_pending(&policy, slot, pending) {
                Ok(moved) => fired = fired.saturating_add(usize::from(moved)),
                Err(HookFailed) => failed.push(name.into()),
            }
        }
        if failed.is_empty() {
            Outcome::Settled { fired }
        } else {
            Outcome::HookFailed { nets: failed }
        }
    }

    /// Fires one pending step on a copy and keeps it if the hooks went well.
    fn fire_pending(
        &mut self,
        policy: &Policy,
        slot: u32,
        pending: Pending,
    ) -> Result<bool, HookFailed> {
        let Some(net) = policy.nets.get(pending.net as usize) else { return Ok(false) };
        let places = policy.places(pending.net as usize);
        let before = &mut self.plan.tokens;
        before.clear();
        before.extend_from_slice(self.tokens.get(places.clone()).unwrap_or_default());
        let fired = settle_pending(policy, net, pending.site, pending.transition, before);
        // A net that does not come to rest stays where it was: what it would unlock stays locked.
        let Ok(Some(transition)) = fired else {
            return fired.map(|_| false).map_err(|_| HookFailed);
        };
        let kept = self.open.slot(slot).and_then(|open| open.kept.as_deref());
        if let Some(kept) = kept {
            let meta = self.meta.get(&pending.net).cloned().unwrap_or_default();
            let transition = net.net.transition_name(transition);
            let meta = run_hooks(policy, pending, kept, transition, meta)?;
            self.remember(pending.net, meta);
        }
        self.tokens.get_mut(places).unwrap_or_default().copy_from_slice(&self.plan.tokens);
        Ok(true)
    }
}

struct HookFailed;

fn run_hooks(
    policy: &Policy,
    pending: Pending,
    kept: &KeptCall,
    transition: &str,
    mut meta: Meta,
) -> Result<Meta, HookFailed> {
    let (Some(net), Some(site)) =
        (policy.nets.get(pending.net as usize), policy.sites.get(pending.site as usize))
    else {
        return Ok(meta);
    };
    let action = kept.action(pending.part);
    let attempt = Attempt { call: &kept.call, action: &action, tool: &site.tool, transition };
    let ran = catch_unwind(AssertUnwindSafe(|| {
        if let (true, Some(validator)) = (pending.revalidate, &net.validator) {
            // It was accepted when the call was allowed; now it only takes its notes.
            let mut noted = meta.clone();
            if validator.validate(&attempt, &mut noted).is_ok() {
                meta = noted;
            }
        }
        if let (true, Some(hook)) = (net.is_deferred(pending.transition), &net.on_deferred_result) {
            hook.resolved(&attempt, &mut meta);
        }
        meta
    }));
    ran.map_err(|_panic| HookFailed)
}
