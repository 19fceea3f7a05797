//! The gate and the model side by side.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use arbitrary::Unstructured;
use petriflow_gate::ToolCall;

use super::event::{Event, Player, Seen};
use super::histories::{EVENTS_MAX, next_event};
use super::model::Model;
use super::policies::policy;
use super::spec::PolicySpec;

/// How often what occurred, so that a test can tell that it tested something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Histories.
    pub histories: usize,
    /// Events of all kinds.
    pub events: usize,
    /// Calls that were allowed.
    pub allowed: usize,
    /// Calls that were blocked.
    pub blocked: usize,
    /// Calls a person was asked about.
    pub asked: usize,
    /// Calls of several parts that were allowed.
    pub compound_allowed: usize,
    /// Calls of several parts that were blocked by a net.
    pub compound_blocked: usize,
    /// Calls that the gate could not decide ahead.
    pub entangled: usize,
    /// Deferred transitions that fired.
    pub fired: usize,
    /// Times the session was saved and restored.
    pub restored: usize,
}

impl Tally {
    /// Adds another one to it.
    pub fn add(&mut self, other: Self) {
        self.histories += other.histories;
        self.events += other.events;
        self.allowed += other.allowed;
        self.blocked += other.blocked;
        self.asked += other.asked;
        self.compound_allowed += other.compound_allowed;
        self.compound_blocked += other.compound_blocked;
        self.entangled += other.entangled;
        self.fired += other.fired;
        self.restored += other.restored;
    }

    fn count(&mut self, event: &Event, seen: &Seen) {
        self.events += 1;
        let compound = call_of(event).is_some_and(|call| call.text("command").is_some());
        match seen {
            Seen::Allowed => {
                self.allowed += 1;
                self.compound_allowed += usize::from(compound);
            }
            Seen::Blocked(reasons) => {
                self.blocked += 1;
                let by_net = reasons.iter().any(|(net, _)| !net.is_empty());
                self.compound_blocked += usize::from(compound && by_net);
                self.entangled += usize::from(!entangled(seen).is_empty());
            }
            Seen::Asked { .. } => self.asked += 1,
            Seen::Fired(fired) => self.fired += fired,
            _ => self.restored += usize::from(matches!(event, Event::SaveAndRestore)),
        }
    }
}

/// Plays the history that the bytes stand for on the gate and on the model.
///
/// # Panics
/// If they disagree, with a history that is as short as leaving out events and nets can make it.
pub fn agree(bytes: &[u8]) -> Tally {
    let u = &mut Unstructured::new(bytes);
    // Running out of bytes gives the smallest choice, never an error.
    let Ok(policy) = policy(u) else { return Tally::default() };
    let mut pair = Pair::new(&policy);
    let mut events = Vec::new();
    let mut tally = Tally { histories: 1, ..Tally::default() };
    while !u.is_empty() && events.len() < EVENTS_MAX {
        let Ok(event) = next_event(u, &pair.model, events.len()) else { break };
        let agreed = pair.play(&event);
        if let Ok(seen) = &agreed {
            tally.count(&event, seen);
        }
        events.push(event);
        let shown = agreed.err().map(|_| shortest(policy.clone(), events.clone()));
        assert!(shown.is_none(), "the gate and the model disagree\n{}", shown.unwrap_or_default());
    }
    tally
}

/// The same for a history that is given; what they disagree about comes back as text.
///
/// # Errors
/// The disagreement.
pub fn agree_on(policy: &PolicySpec, events: &[Event]) -> Result<(), String> {
    let mut pair = Pair::new(policy);
    events.iter().try_for_each(|event| pair.play(event).map(|_| ()))
}

struct Pair {
    gate: Player,
    model: Model,
}

impl Pair {
    fn new(policy: &PolicySpec) -> Self {
        Self { gate: Player::new(&policy.policy()), model: Model::new(policy) }
    }

    fn play(&mut self, event: &Event) -> Result<Seen, String> {
        let seen = self.gate.play(event);
        let entangled = entangled(&seen);
        self.excusable(event, &entangled)?;
        let expected = self.model.play(event, &entangled);
        same(
            "what is seen",
            &seen_without(&seen, &entangled),
            &seen_without(&expected, &entangled),
        )?;
        self.compare_states()?;
        Ok(seen)
    }

    /// The gate may give up on several parts of a call for an arbitrary net, never for a rule.
    fn excusable(&self, event: &Event, entangled: &BTreeSet<String>) -> Result<(), String> {
        let specs = self.model.specs();
        for net in specs.filter(|net| entangled.contains(&net.name)) {
            let parts = call_of(event).map_or(0, |call| self.model.parts_covered(&net.name, call));
            if net.rule.is_some() || parts < 2 {
                return Err(format!("`{}` is entangled, which is no excuse here", net.name));
            }
        }
        Ok(())
    }

    fn compare_states(&self) -> Result<(), String> {
        let Self { gate: Player { session, .. }, model } = self;
        same("calls in flight", &session.open_calls(), &model.open_calls().len())?;
        same("pending firings", &session.pending_firings(), &model.pending_firings())?;
        let names = model.names();
        let marking = |name: &String| session.marking(name).map(|m| m.to_vec()).unwrap_or_default();
        let markings: Vec<Vec<u32>> = names.iter().map(marking).collect();
        same("markings", &markings, &model.markings())?;
        let active: Vec<bool> = names.iter().map(|name| session.is_active(name)).collect();
        same("active nets", &active, &model.active())
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, gate: &T, model: &T) -> Result<(), String> {
    if gate == model {
        return Ok(());
    }
    Err(format!("{what}\n  gate:  {gate:?}\n  model: {model:?}"))
}

fn call_of(event: &Event) -> Option<&ToolCall> {
    match event {
        Event::Decide(call) | Event::Answer { call, .. } => Some(call),
        _ => None,
    }
}

fn entangled(seen: &Seen) -> BTreeSet<String> {
    let Seen::Blocked(reasons) = seen else { return BTreeSet::new() };
    let is_entangled = |(_, cause): &&(String, String)| cause == "Entangled";
    reasons.iter().filter(is_entangled).map(|(net, _)| net.clone()).collect()
}

/// Leaves out what entangled nets say: the gate stops at the first part, the model may see another
/// objection of the same net.
fn seen_without(seen: &Seen, entangled: &BTreeSet<String>) -> Seen {
    match seen {
        Seen::Blocked(reasons) => Seen::Blocked(
            reasons.iter().filter(|(net, _)| !entangled.contains(net)).cloned().collect(),
        ),
        other => other.clone(),
    }
}

/// Leaves out events, then nets, as long as the rest still shows a disagreement.
fn shortest(mut policy: PolicySpec, mut events: Vec<Event>) -> String {
    loop {
        let (nets, count) = (policy.nets.len(), events.len());
        for at in (0..events.len()).rev() {
            let mut fewer = events.clone();
            fewer.remove(at);
            if agree_on(&policy, &fewer).is_err() {
                events = fewer;
            }
        }
        for at in (0..policy.nets.len()).rev() {
            let mut fewer = policy.clone();
            let left_out = fewer.nets.remove(at).name;
            if let Some(active) = &mut fewer.active {
                active.retain(|name| *name != left_out);
            }
            if agree_on(&fewer, &events).is_err() {
                policy = fewer;
            }
        }
        if (nets, count) == (policy.nets.len(), events.len()) {
            return describe(&policy, &events);
        }
    }
}

fn describe(policy: &PolicySpec, events: &[Event]) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for net in &policy.nets {
        let _ = writeln!(
            text,
            "{} {:?} free {:?} mapper {:?}",
            net.name, net.places, net.free_tools, net.mapper
        );
        for t in net.transitions.iter().filter(|_| net.rule.is_none()) {
            let kind = format!(
                "{}{}",
                if t.manual { "manual " } else { "" },
                if t.deferred { "deferred " } else { "" }
            );
            let _ = writeln!(
                text,
                "  {} {kind}{:?} {:?} -> {:?}",
                t.name, t.tools, t.inputs, t.outputs
            );
        }
    }
    let _ = writeln!(
        text,
        "active {:?} words {} open_calls_max {} approvals_max {}",
        policy.active, policy.words, policy.open_calls_max, policy.approvals_max
    );
    for event in events {
        let _ = writeln!(text, "{event:?}");
    }
    let disagreement = agree_on(policy, events).err().unwrap_or_else(|| "none any more".into());
    let _ = writeln!(text, "=> {disagreement}");
    text
}
