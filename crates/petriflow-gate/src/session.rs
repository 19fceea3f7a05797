//! A session: the mutable state of one agent under a policy.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use petriflow_net::TransitionId;

use crate::call::{CallDigest, Timestamp};
use crate::hooks::Meta;
use crate::open_calls::OpenCalls;
use crate::plan::Plan;
use crate::policy::Policy;
use crate::{Ticket, Verdict};

/// What one agent has done so far, as far as its policy cares.
///
/// Values in, values out: it reads no clock and waits for nobody. One lock around it makes it safe
/// to share ([`SharedSession`](crate::SharedSession) is that).
#[derive(Debug)]
pub struct Session {
    pub(crate) policy: Arc<Policy>,
    /// All nets' tokens in one list, as the policy lays them out.
    pub(crate) tokens: Vec<u32>,
    pub(crate) active: Vec<bool>,
    /// Only nets that remember something have an entry.
    pub(crate) meta: BTreeMap<u32, Meta>,
    pub(crate) open: OpenCalls,
    pub(crate) questions: Vec<Question>,
    pub(crate) next_ticket: u64,
    /// What the last call or result fired.
    pub(crate) fired: Vec<(u32, TransitionId)>,
    /// Buffers, empty between calls.
    pub(crate) plan: Plan,
}

/// A question that a person has not answered yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) ticket: Ticket,
    pub(crate) call_id: String,
    pub(crate) digest: CallDigest,
    pub(crate) expires_at: Timestamp,
    pub(crate) asked: Vec<Asked>,
    pub(crate) title: String,
    pub(crate) message: String,
}

/// What a person is asked to let fire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) net: u32,
    pub(crate) site: u32,
    pub(crate) transition: TransitionId,
}

impl Session {
    /// A fresh session.
    pub fn new(policy: &Arc<Policy>) -> Self {
        Self {
            policy: Arc::clone(policy),
            tokens: policy.start.to_vec(),
            active: policy.active.to_vec(),
            meta: BTreeMap::new(),
            open: OpenCalls::default(),
            questions: Vec::new(),
            next_ticket: 1,
            fired: Vec::new(),
            plan: Plan::default(),
        }
    }

    /// The policy it is bound to.
    pub fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }

    /// How many calls are in flight.
    pub fn open_calls(&self) -> usize {
        self.open.len()
    }

    /// The oldest call in flight of the same tool and input, for hosts that give calls no id.
    pub fn in_flight_like(&self, call: &crate::ToolCall) -> Option<&str> {
        let digest = call.digest()?;
        let calls = self.open.in_order().into_iter();
        calls.into_iter().find(|open| open.digest == digest).map(|open| open.id.as_str())
    }

    /// Whether exactly this call is in flight: id, tool and input.
    pub fn is_in_flight(&self, call: &crate::ToolCall) -> bool {
        let open = self.open.get(&call.id);
        open.is_some_and(|open| call.digest() == Some(open.digest))
    }

    /// The ids of the calls in flight, in the order of being allowed.
    pub fn in_flight(&self) -> Vec<&str> {
        self.open.in_order().into_iter().map(|open| open.id.as_str()).collect()
    }

    /// How many firings wait for results.
    pub fn pending_firings(&self) -> usize {
        self.open.pending_count()
    }

    /// The transitions that the last decision, answer or result fired, structural ones aside.
    ///
    /// ```
    /// use petriflow_gate::{Policy, Session, SkillNet, Timestamp, ToolCall, Transition};
    /// # use serde_json::json;
    /// let limit = SkillNet::builder("limit-push-1")
    ///     .places(["budget", "spent"])
    ///     .initial("budget", 1)
    ///     .transition(Transition::auto("use").from(["budget"]).to(["spent"]).tools(["push"]))
    ///     .build()?;
    /// let mut session = Session::new(&Policy::new([limit])?);
    /// assert!(session.decide(&ToolCall::new("1", "push", json!({})), Timestamp(0)).is_allowed());
    /// let names: Vec<&str> = session.fired().map(|(net, t)| net.net().transition_name(t)).collect();
    /// assert_eq!(names, ["use"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fired(&self) -> impl Iterator<Item = (&crate::SkillNet, TransitionId)> {
        let net = |net: u32| self.policy.nets.get(net as usize);
        self.fired.iter().filter_map(move |&(number, transition)| Some((net(number)?, transition)))
    }

    /// The tokens of the net registered under this name.
    pub fn marking(&self, net: &str) -> Option<petriflow_net::Marking> {
        let net = self.policy.net_named(net)?;
        Some(petriflow_net::Marking::from(self.net_tokens(net).to_vec()))
    }

    /// What the net registered under this name remembers.
    pub fn meta(&self, net: &str) -> Option<&Meta> {
        self.meta.get(&(self.policy.net_named(net)? as u32))
    }

    /// Whether the net registered under this name takes part in decisions.
    pub fn is_active(&self, net: &str) -> bool {
        self.policy.net_named(net).is_some_and(|net| self.is_active_at(net))
    }

    /// Brings a net of a registry into play, in the state it was left in.
    pub fn activate(&mut self, net: &str) -> NetChange {
        self.switch(net, true)
    }

    /// Takes a net of a registry out of play. Its state is kept.
    pub fn deactivate(&mut self, net: &str) -> NetChange {
        self.switch(net, false)
    }

    fn switch(&mut self, net: &str, on: bool) -> NetChange {
        let refused = |message: String| NetChange { ok: false, message };
        if !self.policy.dynamic {
            return refused("The nets of this policy are always active".into());
        }
        let slot = self.policy.net_named(net).and_then(|net| self.active.get_mut(net));
        let Some(active) = slot else { return refused(format!("Unknown net '{net}'")) };
        match (*active, on) {
            (true, true) => refused(format!("'{net}' is already active")),
            (false, false) => refused(format!("'{net}' is not active")),
            (false, true) => {
                *active = true;
                NetChange { ok: true, message: format!("Activated '{net}'") }
            }
            (true, false) => {
                *active = false;
                NetChange { ok: true, message: format!("Deactivated '{net}' (state preserved)") }
            }
        }
    }

    /// What every active net says about a call, without changing anything: phase 1 by itself.
    ///
    /// A call that stands for several actions is blocked by a net that blocks one of them.
    ///
    /// # Errors
    /// The refusal, if it cannot be told what the call stands for or a hook panics.
    pub fn classify(&self, call: &crate::ToolCall) -> Result<Vec<(&str, Verdict)>, crate::Refusal> {
        let classified = catch_unwind(AssertUnwindSafe(|| self.classify_call(call)));
        classified.unwrap_or_else(|panic| {
            Err(crate::Refusal { reasons: vec![crate::decide::gate_failed(&*panic)] })
        })
    }

    fn classify_call(
        &self,
        call: &crate::ToolCall,
    ) -> Result<Vec<(&str, Verdict)>, crate::Refusal> {
        let refused = |reason: Box<crate::Reason>| crate::Refusal { reasons: vec![*reason] };
        let parts = crate::decide::resolve(&self.policy, call).map_err(refused)?;
        let mut plan = Plan::default();
        plan.make(&self.policy, &self.tokens, &self.active, &parts, call);
        let nets = self.policy.nets.iter().enumerate();
        let active = nets.filter(|&(net, _)| self.is_active_at(net));
        let verdicts = active.map(|(number, net)| {
            let name = self.policy.names.get(number).map_or("", String::as_str);
            (name, plan.verdict(number as u32, net, &parts, call))
        });
        Ok(verdicts.collect())
    }

    /// Forgets calls that were allowed before `before` and whose result never came: what they would
    /// have unlocked stays locked. Returns how many.
    pub fn expire_open_calls(&mut self, before: Timestamp) -> usize {
        let old = self.open.in_order().into_iter().filter(|open| open.decided_at < before);
        let ids: Vec<String> = old.map(|open| open.id.clone()).collect();
        for id in &ids {
            if let Some(slot) = self.open.forget(id, self.policy.limits.open_calls_max) {
                self.give_back(slot);
                self.open.recycle(slot);
            }
        }
        ids.len()
    }

    /// Ends all calls in flight as if they had failed: no result of theirs will come any more. Returns
    /// how many. Unlike after [`expire_open_calls`](Self::expire_open_calls), their ids are free.
    pub fn end_open_calls(&mut self) -> usize {
        let calls = self.open.in_order().into_iter();
        let results: Vec<crate::ToolResult> = calls
            .map(|open| crate::ToolResult {
                id: open.id.clone(),
                tool: open.tool.clone(),
                is_error: true,
            })
            .collect();
        results.iter().for_each(|result| drop(self.result(result)));
        results.len()
    }

    pub(crate) fn is_active_at(&self, net: usize) -> bool {
        self.active.get(net) == Some(&true)
    }

    pub(crate) fn net_tokens(&self, net: usize) -> &[u32] {
        self.tokens.get(self.policy.places(net)).unwrap_or_default()
    }
}

/// What came of activating or deactivating a net.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetChange {
    /// Whether anything changed.
    pub ok: bool,
    /// What, or why not.
    pub message: String,
}
