//! Phase 1: what a call would do to every net it concerns, worked out on copies.
//!
//! A net that covers several parts of a call is followed along them. Two markings are kept apart:
//! *now*, what the session will hold once the call is allowed, and *then*, what it would hold if the
//! parts before had succeeded, which a part behind `&&` may rely on. A part that fires at once fires
//! in both. One that comes behind a deferred part of the same segment is planned so that a
//! successful result leads to exactly the marking that the parts one by one would have led to, and
//! so that nobody else can use the same tokens in the meantime: it fires early where it can, and
//! where it relies on a success that is yet to come, tokens that this success will use up are *held*
//! until the result. Since a failed call may have run all the same, that is only done where a net
//! allows the same parts again and again; elsewhere the call is refused as entangled.

use petriflow_net::TransitionId;

use crate::SkillNet;
use crate::advance::{self, Unsettled};
use crate::decision::{Cause, Reason};
use crate::parts::Parts;
use crate::policy::{Policy, Site};

/// Buffers of the plan, kept by the session so that a plain call allocates nothing.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    visits: Vec<Visit>,
    /// The nets that the call moves, and where their tokens are in `tokens`.
    pub(crate) touched: Vec<Touched>,
    pub(crate) tokens: Vec<u32>,
    pub(crate) steps: Vec<Step>,
    pub(crate) held: Vec<Held>,
    pub(crate) reasons: Vec<Reason>,
    /// The nets behind `reasons`.
    pub(crate) objectors: Vec<u32>,
    then: Vec<u32>,
    /// `then` after the last step that relies on a success that is yet to come.
    relied: Vec<u32>,
    probe: Vec<u32>,
    goal: Vec<u32>,
}

/// A part of the call that a net has a say about.
#[derive(Debug, Clone, Copy)]
struct Visit {
    net: u32,
    part: Part,
    site: u32,
}

/// Which part of a call: nets with a mapper of their own see the call as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Whole,
    Number(u32),
}

impl Part {
    fn segment(self, parts: &Parts<'_>) -> u32 {
        match self {
            Self::Whole => 0,
            Self::Number(part) => parts.segment(part as usize),
        }
    }

    pub(crate) fn is_shown(self, parts: &Parts<'_>) -> bool {
        match self {
            Self::Whole => true,
            Self::Number(part) => parts.is_shown(part as usize),
        }
    }

    pub(crate) fn text(self, parts: &Parts<'_>) -> Option<String> {
        match self {
            Self::Whole => None,
            Self::Number(part) => parts.text(part as usize).map(str::to_owned),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Touched {
    pub(crate) net: u32,
    pub(crate) from: u32,
}

/// One firing that a call asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub(crate) net: u32,
    pub(crate) part: Part,
    pub(crate) segment: u32,
    pub(crate) site: u32,
    pub(crate) transition: TransitionId,
    /// What fires at once, if something does. It may be an alternative of `transition`.
    pub(crate) at_once: TransitionId,
    pub(crate) fires: Fires,
}

/// Tokens of a place that are out of play until the call's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) net: u32,
    pub(crate) place: u32,
    pub(crate) tokens: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fires {
    AtOnce,
    OnSuccess,
    /// At once, so that nobody else can use the tokens; and again on success, because a deferred
    /// firing before it puts them back.
    AtOnceAndOnSuccess,
}

impl Fires {
    pub(crate) fn on_success(self) -> bool {
        self != Self::AtOnce
    }
}

/// A net does not let a part of the call pass.
enum Objection {
    NotEnabled,
    Entangled,
    Unsettled(Unsettled),
}

impl From<Unsettled> for Objection {
    fn from(unsettled: Unsettled) -> Self {
        Self::Unsettled(unsettled)
    }
}

impl Plan {
    /// Works out what the call does; the reasons against it are in `reasons` afterwards.
    pub(crate) fn make(
        &mut self,
        policy: &Policy,
        tokens: &[u32],
        active: &[bool],
        parts: &Parts<'_>,
        call: &crate::ToolCall,
    ) {
        self.clear();
        self.list_visits(policy, active, parts, call);
        let mut at = 0;
        while let Some(&Visit { net, .. }) = self.visits.get(at) {
            let end = at.saturating_add(
                self.visits.iter().skip(at).take_while(|visit| visit.net == net).count(),
            );
            self.follow(policy, tokens, parts, at..end);
            at = end;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.visits.clear();
        self.touched.clear();
        self.tokens.clear();
        self.steps.clear();
        self.held.clear();
        self.reasons.clear();
        self.objectors.clear();
    }

    /// The sites of all parts, by net and within a net in the order of the parts.
    fn list_visits(
        &mut self,
        policy: &Policy,
        active: &[bool],
        parts: &Parts<'_>,
        call: &crate::ToolCall,
    ) {
        let mut list = |part: Part, sites: std::ops::Range<usize>| {
            let first = sites.start;
            for (at, site) in policy.sites.get(sites).unwrap_or_default().iter().enumerate() {
                if active.get(site.net as usize) == Some(&true) {
                    let number = first.saturating_add(at) as u32;
                    self.visits.push(Visit { net: site.net, part, site: number });
                }
            }
        };
        let mut sorted = parts.is_one_name();
        for group in &policy.groups {
            match &group.mapper {
                None => {
                    for part in 0..parts.len() {
                        for name in parts.names(part) {
                            list(Part::Number(part as u32), group.sites(name));
                        }
                    }
                }
                Some(mapper) => {
                    sorted = false;
                    list(Part::Whole, group.sites(&mapper.map(call)));
                }
            }
        }
        if !sorted {
            // Of one action's names, those that fire at once come first: a deferred one fires later.
            let is_deferred = |visit: &Visit| site_is_deferred(policy, visit);
            self.visits.sort_unstable_by_key(|v| (v.net, v.part, is_deferred(v), v.site));
            self.visits.dedup_by_key(|visit| (visit.net, visit.part, visit.site));
            self.keep_special_names(policy, parts);
        }
    }

    /// A net that has a say about a tool and about its special case sees the special case alone.
    fn keep_special_names(&mut self, policy: &Policy, parts: &Parts<'_>) {
        let name = |visit: &Visit| policy.sites.get(visit.site as usize).map(|site| &*site.tool);
        let special = |visit: &Visit| match visit.part {
            Part::Whole => None,
            Part::Number(part) => parts.special(part as usize),
        };
        let is_special = |visit: &Visit| special(visit).is_some() && name(visit) == special(visit);
        let seen: Vec<(u32, Part)> =
            self.visits.iter().filter(|v| is_special(v)).map(|v| (v.net, v.part)).collect();
        self.visits.retain(|visit| {
            let is_general = special(visit)
                .zip(name(visit))
                .and_then(|(special, name)| special.strip_prefix(name))
                .is_some_and(|rest| rest.starts_with('.'));
            // In order, as the visits are.
            !(is_general && seen.binary_search(&(visit.net, visit.part)).is_ok())
        });
    }

    /// Follows one net along the parts it has a say about.
    fn follow(
        &mut self,
        policy: &Policy,
        tokens: &[u32],
        parts: &Parts<'_>,
        visits: std::ops::Range<usize>,
    ) {
        let Some(&first) = self.visits.get(visits.start) else { return };
        let Some(net) = policy.nets.get(first.net as usize) else {
            return self.reasons.push(Reason::broken_index());
        };
        let from = self.tokens.len();
        let places = policy.places(first.net as usize);
        self.tokens.extend_from_slice(tokens.get(places).unwrap_or_default());
        self.touched.push(Touched { net: first.net, from: from as u32 });
        let mut chain = Chain::new(None);
        for at in visits {
            let Some(&visit) = self.visits.get(at) else { continue };
            let Some(site) = policy.sites.get(visit.site as usize) else {
                return self.reasons.push(Reason::broken_index());
            };
            let segment = visit.part.segment(parts);
            let ends = self
                .visits
                .get(at.saturating_add(1))
                .is_none_or(|next| next.net != visit.net || next.part.segment(parts) != segment);
            if chain.segment != Some(segment) {
                chain = Chain::new(Some(segment));
            }
            // Of two names of one action, the one that fires at once counts: in which order the action
            // did both is not known, so that the other must not make up for it.
            let is_repeated = at
                .checked_sub(1)
                .and_then(|before| self.visits.get(before))
                .is_some_and(|before| before.net == visit.net && before.part == visit.part);
            let mut planned = self.check_names(policy, net, at, from, &chain).and_then(|()| {
                if is_repeated {
                    return Ok(());
                }
                self.plan_step(policy, net, site, visit, from, &mut chain)
            });
            if ends {
                planned = planned.and_then(|()| self.hold(policy, net, visit.net, from, &chain));
            }
            if let Err(objection) = planned {
                let reason = objection_reason(net, site, visit.part.text(parts), objection);
                self.reasons.push(reason);
                self.objectors.push(visit.net);
                return;
            }
        }
    }

    /// Where a net has a say about several names of one action, none may rely on another: each must
    /// be enabled as things are, and at most one may fire at once, with one that waits behind it.
    fn check_names(
        &self,
        policy: &Policy,
        net: &SkillNet,
        at: usize,
        from: usize,
        chain: &Chain,
    ) -> Result<(), Objection> {
        let is_same = |a: &Visit, b: &Visit| a.net == b.net && a.part == b.part;
        let Some((first, behind)) = self.visits.get(at..).and_then(<[Visit]>::split_first) else {
            return Ok(());
        };
        let before = at.checked_sub(1).and_then(|at| self.visits.get(at));
        let others = behind.iter().take_while(|other| is_same(other, first)).count();
        if others == 0 || before.is_some_and(|before| is_same(before, first)) {
            return Ok(());
        }
        let now = self.tokens.get(from..).unwrap_or_default();
        let seen: &[u32] = if chain.diverged { &self.then } else { now };
        let mut deferred = [false; 2];
        for (visit, deferred) in [first].into_iter().chain(behind.first()).zip(&mut deferred) {
            let site = policy.sites.get(visit.site as usize).ok_or(Objection::Entangled)?;
            let enabled = first_enabled(net, site, seen).ok_or(Objection::NotEnabled)?;
            *deferred = net.is_deferred(enabled);
        }
        if others == 1 && deferred == [false, true] { Ok(()) } else { Err(Objection::Entangled) }
    }

    fn plan_step(
        &mut self,
        policy: &Policy,
        net: &SkillNet,
        site: &Site,
        visit: Visit,
        from: usize,
        chain: &mut Chain,
    ) -> Result<(), Objection> {
        let now = self.tokens.get_mut(from..).unwrap_or_default();
        let seen: &[u32] = if chain.diverged { &self.then } else { now };
        let enabled = first_enabled(net, site, seen).ok_or(Objection::NotEnabled)?;
        let mut step = Step {
            net: visit.net,
            part: visit.part,
            segment: chain.segment.unwrap_or(0),
            site: visit.site,
            transition: enabled,
            at_once: enabled,
            fires: Fires::AtOnce,
        };
        if net.is_deferred(enabled) {
            step.fires = Fires::OnSuccess;
            if !chain.diverged {
                self.then.clear();
                self.then.extend_from_slice(now);
                chain.diverged = true;
                chain.first_step = self.steps.len();
            }
            // Only a part behind this one in the segment looks at `then`.
            advance::fire(net, &mut self.then, enabled)?;
        } else if chain.diverged {
            let own = self.needs_own_tokens_alone(net, enabled, from);
            advance::fire(net, &mut self.then, enabled)?;
            step.fires = match self.fires_early(policy, net, site, step, from, chain)? {
                Some((fires, early)) => {
                    step.at_once = early;
                    fires
                }
                None if own => {
                    chain.relied = Some(self.steps.len());
                    self.relied.clear();
                    self.relied.extend_from_slice(&self.then);
                    Fires::OnSuccess
                }
                None => return Err(Objection::Entangled),
            };
        } else {
            advance::fire(net, now, enabled)?;
        }
        self.steps.push(step);
        Ok(())
    }

    /// Plans an immediate firing behind a deferred one; `then` is already where it leads to.
    ///
    /// If it can fire now it does, so that nobody else uses the tokens, in whichever way makes a
    /// successful result lead to `then`. `None` if it cannot fire yet.
    fn fires_early(
        &mut self,
        policy: &Policy,
        net: &SkillNet,
        site: &Site,
        step: Step,
        from: usize,
        chain: &Chain,
    ) -> Result<Option<(Fires, TransitionId)>, Objection> {
        let now = self.tokens.get(from..).unwrap_or_default();
        let early = first_enabled(net, site, now).filter(|&early| !net.is_deferred(early));
        let Some(early) = early else { return Ok(None) };
        // What relies on a success leaves tokens to be held, which an early firing could take.
        if chain.relied.is_some() {
            return Err(Objection::Entangled);
        }
        // Only what a person was asked about may fire.
        let manual = net.is_manual(early) || net.is_manual(step.transition);
        if manual && early != step.transition {
            return Err(Objection::Entangled);
        }
        self.probe.clear();
        self.probe.extend_from_slice(now);
        advance::fire(net, &mut self.probe, early)?;
        let pending = self.steps.get(chain.first_step..).unwrap_or_default();
        for fires in [Fires::AtOnce, Fires::AtOnceAndOnSuccess] {
            self.goal.clear();
            self.goal.extend_from_slice(&self.probe);
            let last = Step { fires, ..step };
            let mut all_fire = true;
            for step in pending.iter().chain([&last]).filter(|step| step.fires.on_success()) {
                let settled =
                    settle_pending(policy, net, step.site, step.transition, &mut self.goal)?;
                all_fire &= settled.is_some();
            }
            // The same marking by chance is not the same: what waits must still be able to fire.
            if all_fire && self.goal == self.then {
                let now = self.tokens.get_mut(from..).unwrap_or_default();
                now.copy_from_slice(&self.probe);
                return Ok(Some((fires, early)));
            }
        }
        Err(Objection::Entangled)
    }

    /// Ends a segment in which something relies on a success that is yet to come.
    ///
    /// Whether the parts have run is not known before the result, and after a failure never will be.
    /// What both markings have stays in play; what only `now` has is held until the result. That the
    /// tokens come back after a failure is right only if the net would let the same parts run again
    /// after they have run, and if nothing is possible with them that would not be possible then.
    fn hold(
        &mut self,
        policy: &Policy,
        net: &SkillNet,
        number: u32,
        from: usize,
        chain: &Chain,
    ) -> Result<(), Objection> {
        // Deferred parts behind the last that relies on something wait like any others.
        let Some(last) = chain.relied else { return Ok(()) };
        let steps = self.steps.get(chain.first_step..=last).unwrap_or_default();
        let now = self.tokens.get_mut(from..).unwrap_or_default();
        if *now == *self.relied {
            return Ok(());
        }
        self.goal.clear();
        self.goal.extend_from_slice(&self.relied);
        for step in steps {
            let site = policy.sites.get(step.site as usize).ok_or(Objection::Entangled)?;
            let again = first_enabled(net, site, &self.goal).ok_or(Objection::Entangled)?;
            advance::fire(net, &mut self.goal, again)?;
        }
        if self.goal != self.relied || !allows_as_much(net, &self.relied, now) {
            return Err(Objection::Entangled);
        }
        for (place, (now, &then)) in (0_u32..).zip(now.iter_mut().zip(&self.relied)) {
            let tokens = now.saturating_sub(then);
            if tokens > 0 {
                *now = then;
                self.held.push(Held { net: number, place, tokens });
            }
        }
        Ok(())
    }

    /// Whether a firing in `then` needs only what the deferred ones before it will put. Tokens that
    /// are there already could be used by somebody else until the result arrives.
    fn needs_own_tokens_alone(
        &self,
        net: &SkillNet,
        transition: TransitionId,
        from: usize,
    ) -> bool {
        let tokens = |list: &[u32], place: usize| list.get(place).copied().unwrap_or(0);
        let now = self.tokens.get(from..).unwrap_or_default();
        net.net.inputs(transition).iter().all(|arc| {
            let place = arc.place.index();
            tokens(&self.then, place).saturating_sub(tokens(now, place)) >= arc.weight
        })
    }
}

/// Where a net is in a segment of the call.
struct Chain {
    /// The first deferred step.
    first_step: usize,
    segment: Option<u32>,
    /// A deferred part came before, so that `then` differs from `now`.
    diverged: bool,
    /// The last step that relies on a success that is yet to come.
    relied: Option<usize>,
}

impl Chain {
    fn new(segment: Option<u32>) -> Self {
        Self { first_step: 0, segment, diverged: false, relied: None }
    }
}

/// Whether every tool that some transition allows in `less` is allowed in `tokens` too.
fn allows_as_much(net: &SkillNet, tokens: &[u32], less: &[u32]) -> bool {
    let allowed = |tool: &String| {
        net.net.enabled(tokens).any(|t| net.tools(t).iter().any(|covered| covered == tool))
    };
    net.net.enabled(less).all(|t| net.tools(t).iter().all(allowed))
}

/// Whether what a net says about a name fires later; the first alternative tells.
fn site_is_deferred(policy: &Policy, visit: &Visit) -> bool {
    let net = policy.nets.get(visit.net as usize);
    let first = policy.sites.get(visit.site as usize).and_then(|site| site.transitions.first());
    net.zip(first).is_some_and(|(net, &first)| net.is_deferred(first))
}

fn first_enabled(net: &SkillNet, site: &Site, tokens: &[u32]) -> Option<TransitionId> {
    site.transitions.iter().copied().find(|&t| net.net.is_enabled(tokens, t))
}

/// Fires what a pending step stands for: where the net offers the action in several states, the one
/// that is enabled now, otherwise the transition that was recorded; `None` if it cannot fire.
pub(crate) fn settle_pending(
    policy: &Policy,
    net: &SkillNet,
    site: u32,
    recorded: TransitionId,
    tokens: &mut [u32],
) -> Result<Option<TransitionId>, Unsettled> {
    let Some(site) = policy.sites.get(site as usize) else { return Ok(None) };
    // Nobody was asked about other manual transitions, so they do not fire in place of this one.
    let alike =
        |t: TransitionId| net.is_deferred(t) == net.is_deferred(recorded) && !net.is_manual(t);
    let mut alternatives = site.transitions.iter().copied().filter(|&t| alike(t));
    let chosen = if !net.is_manual(recorded) && alternatives.clone().nth(1).is_some() {
        alternatives.find(|&t| net.net.is_enabled(tokens, t))
    } else {
        Some(recorded).filter(|&t| net.net.is_enabled(tokens, t))
    };
    if let Some(transition) = chosen {
        advance::fire(net, tokens, transition)?;
    }
    Ok(chosen)
}

fn objection_reason(
    net: &SkillNet,
    site: &Site,
    part: Option<String>,
    objection: Objection,
) -> Reason {
    let (cause, message) = match objection {
        Objection::NotEnabled => (Cause::NotEnabled, crate::text::not_enabled(net, &site.tool)),
        Objection::Entangled => (Cause::Entangled, crate::text::entangled(net, &site.tool)),
        Objection::Unsettled(unsettled) => (Cause::Internal, unsettled.to_string()),
    };
    Reason { cause, net: Some(net.name().into()), rule: net.rule.clone(), part, message }
}
