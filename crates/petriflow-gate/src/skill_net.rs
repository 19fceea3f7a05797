//! Skill nets: Petri nets whose transitions cover tools.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::sync::Arc;

use petriflow_net::{BuildError, FireError, Net, PlaceId, TransitionId};

use crate::advance::{self, Unsettled};
use crate::hooks::{Mapper, OnDeferredResult, Validator};
use crate::rule::Rule;

/// A net that has a say about some tools.
///
/// ```
/// use petriflow_gate::{SkillNet, Transition};
///
/// let net = SkillNet::builder("tool-approval")
///     .places(["idle", "ready"])
///     .initial("idle", 1)
///     .free_tools(["ls", "read", "grep", "find"])
///     .transition(Transition::auto("start").from(["idle"]).to(["ready"]))
///     .transition(Transition::manual("execShell").from(["ready"]).to(["ready"]).tools(["bash"]))
///     .build()?;
/// assert_eq!(net.name(), "tool-approval");
/// # Ok::<(), petriflow_gate::SkillNetError>(())
/// ```
#[derive(Clone)]
pub struct SkillNet {
    pub(crate) net: Net,
    // INVARIANT: one entry for every transition of `net`.
    pub(crate) gates: Box<[Gate]>,
    pub(crate) free_tools: Vec<String>,
    pub(crate) terminal_places: Vec<PlaceId>,
    /// Structural transitions, in declared order.
    pub(crate) structural: Arc<[TransitionId]>,
    pub(crate) mapper: Option<Arc<dyn Mapper>>,
    pub(crate) validator: Option<Arc<dyn Validator>>,
    pub(crate) on_deferred_result: Option<Arc<dyn OnDeferredResult>>,
    pub(crate) rule: Option<Rule>,
    pub(crate) label: String,
}

/// What a transition covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gate {
    pub(crate) manual: bool,
    pub(crate) deferred: bool,
    pub(crate) tools: Vec<String>,
    /// Pairs of places: all tokens of the first move to the second.
    pub(crate) drains: Vec<(PlaceId, PlaceId)>,
}

impl SkillNet {
    /// Starts a net of this name.
    pub fn builder(name: impl Into<String>) -> SkillNetBuilder {
        SkillNetBuilder {
            name: name.into(),
            places: Vec::new(),
            initial: Vec::new(),
            transitions: Vec::new(),
            free_tools: Vec::new(),
            terminal_places: Vec::new(),
            mapper: None,
            validator: None,
            on_deferred_result: None,
            rule: None,
            label: String::new(),
        }
    }

    /// The same net under another name, about other tools and with another rule.
    ///
    /// Rules of one kind differ in nothing else, and this takes a fraction of the time of building
    /// a net anew.
    ///
    /// # Errors
    /// If a tool's new name is empty.
    pub fn renamed(
        &self,
        name: impl Into<Box<str>>,
        tool: impl Fn(&str) -> String,
        rule: Option<Rule>,
    ) -> Result<Self, SkillNetError> {
        let mut net = self.clone();
        net.net = self.net.renamed(name);
        net.rule = rule;
        for (transition, gate) in self.net.transitions().zip(&mut net.gates) {
            for name in &mut gate.tools {
                *name = tool(name);
                if name.is_empty() {
                    let transition = self.net.transition_name(transition).into();
                    return Err(SkillNetError::EmptyTool { transition });
                }
            }
        }
        net.free_tools.iter_mut().for_each(|name| *name = tool(name));
        Ok(net)
    }

    /// The net's name.
    pub fn name(&self) -> &str {
        self.net.name()
    }

    /// Its places, transitions and arcs.
    pub fn net(&self) -> &Net {
        &self.net
    }

    /// The rule it was compiled from.
    pub fn rule(&self) -> Option<&Rule> {
        self.rule.as_ref()
    }

    /// Tools that this net always allows.
    pub fn free_tools(&self) -> &[String] {
        &self.free_tools
    }

    /// The places that mark a proper end.
    pub fn terminal_places(&self) -> &[PlaceId] {
        &self.terminal_places
    }

    /// The tools a transition covers; none for a structural one.
    ///
    /// # Panics
    /// If the transition belongs to a larger net.
    pub fn tools(&self, transition: TransitionId) -> &[String] {
        &self.gate(transition).tools
    }

    /// Whether a person must approve before the transition fires.
    ///
    /// # Panics
    /// If the transition belongs to a larger net.
    pub fn is_manual(&self, transition: TransitionId) -> bool {
        self.gate(transition).manual
    }

    /// Whether the transition fires on a successful result only.
    ///
    /// # Panics
    /// If the transition belongs to a larger net.
    pub fn is_deferred(&self, transition: TransitionId) -> bool {
        self.gate(transition).deferred
    }

    /// The places it empties, each with the place that gets all of its tokens. [`net`](Self::net)
    /// does not show them: they are no arcs of a Petri net.
    ///
    /// # Panics
    /// If the transition belongs to a larger net.
    pub fn drains(&self, transition: TransitionId) -> &[(PlaceId, PlaceId)] {
        &self.gate(transition).drains
    }

    /// Whether a firing can be undone: it moved tokens and nothing else.
    pub(crate) fn can_take_back(&self, transition: TransitionId) -> bool {
        let moves = |place: PlaceId| {
            let mut arcs = self.net.inputs(transition).iter().chain(self.net.outputs(transition));
            arcs.any(|arc| arc.place == place)
        };
        // No structural transition may follow it, nor its being undone.
        let sets_off = |&structural: &TransitionId| {
            self.net.inputs(structural).iter().any(|arc| moves(arc.place))
        };
        self.validator.is_none()
            && self.drains(transition).is_empty()
            && !self.structural.iter().any(sets_off)
    }

    /// The tokens without one firing of a transition; `None` if what it put is not there any more.
    pub(crate) fn unfired(&self, transition: TransitionId, tokens: &[u32]) -> Option<Vec<u32>> {
        let mut tokens = tokens.to_vec();
        for arc in self.net.outputs(transition) {
            let token = tokens.get_mut(arc.place.index())?;
            *token = token.checked_sub(arc.weight)?;
        }
        for arc in self.net.inputs(transition) {
            let token = tokens.get_mut(arc.place.index())?;
            *token = token.checked_add(arc.weight)?;
        }
        Some(tokens)
    }

    #[expect(clippy::indexing_slicing, reason = "documented panic for an id of another net")]
    pub(crate) fn gate(&self, transition: TransitionId) -> &Gate {
        &self.gates[transition.index()]
    }

    /// Fires one transition: arcs, then drains. Structural transitions do not follow.
    ///
    /// # Errors
    /// If it is not enabled or a place would overflow; the tokens may have changed then.
    pub fn fire_in_place(
        &self,
        tokens: &mut [u32],
        transition: TransitionId,
    ) -> Result<(), FireError> {
        self.net.fire_in_place(tokens, transition)?;
        for &(from, to) in self.drains(transition) {
            let moved = tokens.get_mut(from.index()).map_or(0, std::mem::take);
            let sum = tokens.get(to.index()).and_then(|present| present.checked_add(moved));
            let Some((target, sum)) = tokens.get_mut(to.index()).zip(sum) else {
                let transition = self.net.transition_name(transition).into();
                let place = self.net.place_name(to).into();
                return Err(FireError::Overflow { transition, place });
            };
            *target = sum;
        }
        Ok(())
    }

    /// The transitions that cover a tool and are enabled, in declared order.
    pub fn enabled_tool_transitions(&self, tokens: &[u32]) -> Vec<TransitionId> {
        let covers = |&t: &TransitionId| !self.tools(t).is_empty();
        self.net.enabled(tokens).filter(covers).collect()
    }

    /// Whether state of one means the same in the other.
    pub(crate) fn is_same_as(&self, other: &SkillNet) -> bool {
        let hooks = |net: &SkillNet| {
            [net.mapper.is_some(), net.validator.is_some(), net.on_deferred_result.is_some()]
        };
        self.net == other.net
            && self.gates == other.gates
            && self.free_tools == other.free_tools
            && self.label == other.label
            && hooks(self) == hooks(other)
    }

    /// The marking a session starts in: the initial one, after structural transitions fired.
    pub(crate) fn start(&self) -> Result<Vec<u32>, Unsettled> {
        let mut tokens = self.net.initial().to_vec();
        advance::settle(self, &mut tokens)?;
        Ok(tokens)
    }
}

impl fmt::Debug for SkillNet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SkillNet")
            .field("net", &self.net)
            .field("gates", &self.gates)
            .field("free_tools", &self.free_tools)
            .field("rule", &self.rule)
            .finish_non_exhaustive()
    }
}

/// A transition to be added to a [`SkillNetBuilder`].
#[derive(Debug, Clone)]
#[must_use]
pub struct Transition {
    name: String,
    inputs: Vec<(String, u64)>,
    outputs: Vec<(String, u64)>,
    drains: Vec<(String, String)>,
    gate: Gate,
}

impl Transition {
    fn new(name: impl Into<String>, manual: bool) -> Self {
        let gate = Gate { manual, deferred: false, tools: Vec::new(), drains: Vec::new() };
        Self {
            name: name.into(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            drains: Vec::new(),
            gate,
        }
    }

    /// One that fires by itself; without tools it is structural and fires as soon as it can.
    pub fn auto(name: impl Into<String>) -> Self {
        Self::new(name, false)
    }

    /// One that a person must approve each time.
    pub fn manual(name: impl Into<String>) -> Self {
        Self::new(name, true)
    }

    /// What it takes; a place named several times is a weight.
    pub fn from<P: Into<String>>(mut self, places: impl IntoIterator<Item = P>) -> Self {
        self.inputs.extend(places.into_iter().map(|place| (place.into(), 1)));
        self
    }

    /// What it puts; a place named several times is a weight.
    pub fn to<P: Into<String>>(mut self, places: impl IntoIterator<Item = P>) -> Self {
        self.outputs.extend(places.into_iter().map(|place| (place.into(), 1)));
        self
    }

    /// Takes this many tokens of a place.
    pub fn takes(mut self, place: impl Into<String>, tokens: u64) -> Self {
        self.inputs.push((place.into(), tokens));
        self
    }

    /// Puts this many tokens into a place.
    pub fn puts(mut self, place: impl Into<String>, tokens: u64) -> Self {
        self.outputs.push((place.into(), tokens));
        self
    }

    /// Moves all tokens of one place to another, however many there are, as a refill does.
    ///
    /// It can always do so. The transition must cover a tool, and must not take from or put into the
    /// place it empties.
    pub fn drains(mut self, from: impl Into<String>, to: impl Into<String>) -> Self {
        self.drains.push((from.into(), to.into()));
        self
    }

    /// The tools it covers.
    pub fn tools<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.gate.tools.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Fires when the tool has succeeded, not when it is called.
    pub fn deferred(mut self) -> Self {
        self.gate.deferred = true;
        self
    }
}

/// Collects a skill net; [`build`](SkillNetBuilder::build) checks it.
#[must_use]
pub struct SkillNetBuilder {
    name: String,
    places: Vec<String>,
    initial: Vec<(String, u64)>,
    transitions: Vec<Transition>,
    free_tools: Vec<String>,
    terminal_places: Vec<String>,
    mapper: Option<Arc<dyn Mapper>>,
    validator: Option<Arc<dyn Validator>>,
    on_deferred_result: Option<Arc<dyn OnDeferredResult>>,
    rule: Option<Rule>,
    label: String,
}

impl SkillNetBuilder {
    /// Adds places.
    pub fn places<P: Into<String>>(mut self, places: impl IntoIterator<Item = P>) -> Self {
        self.places.extend(places.into_iter().map(Into::into));
        self
    }

    /// Puts tokens into a place at the start; places never named hold 0.
    pub fn initial(mut self, place: impl Into<String>, tokens: u64) -> Self {
        self.initial.push((place.into(), tokens));
        self
    }

    /// Adds a transition. Where several cover a tool, the first enabled one is taken.
    pub fn transition(mut self, transition: Transition) -> Self {
        self.transitions.push(transition);
        self
    }

    /// Tools that this net always allows, whatever its marking.
    pub fn free_tools<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.free_tools.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Places that mark a proper end; only analysis looks at them.
    pub fn terminal_places<P: Into<String>>(mut self, places: impl IntoIterator<Item = P>) -> Self {
        self.terminal_places.extend(places.into_iter().map(Into::into));
        self
    }

    /// Maps calls to virtual tools, for this net alone or, shared, for several.
    pub fn mapper(mut self, mapper: Arc<dyn Mapper>) -> Self {
        self.mapper = Some(mapper);
        self
    }

    /// Checks calls beyond what the net's structure says.
    pub fn validator(mut self, validator: impl Validator + 'static) -> Self {
        self.validator = Some(Arc::new(validator));
        self
    }

    /// Takes note when a deferred transition fires.
    pub fn on_deferred_result(mut self, hook: impl OnDeferredResult + 'static) -> Self {
        self.on_deferred_result = Some(Arc::new(hook));
        self
    }

    /// The rule that the net enforces; refusals are worded after it.
    pub fn rule(mut self, rule: impl Into<Rule>) -> Self {
        self.rule = Some(rule.into());
        self
    }

    /// Names the version of the hooks, whose code the policy's fingerprint cannot see.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Checks everything and hands out the net.
    ///
    /// # Errors
    /// If the underlying net is not valid, a transition could never be used, or structural
    /// transitions could go on firing for ever.
    pub fn build(self) -> Result<SkillNet, SkillNetError> {
        let mut builder = Net::builder(&self.name).places(&self.places);
        for (place, tokens) in &self.initial {
            builder = builder.initial(place, *tokens);
        }
        for transition in &self.transitions {
            let (inputs, outputs) = (transition.inputs.clone(), transition.outputs.clone());
            builder = builder.weighted_transition(&transition.name, inputs, outputs);
        }
        let net = builder.build().map_err(SkillNetError::Net)?;
        let terminal_places = terminal_places(&net, &self.terminal_places)?;
        check_transitions(&self.transitions)?;
        let gates: Box<[Gate]> = net
            .transitions()
            .zip(self.transitions)
            .map(|(id, transition)| gate(&net, id, transition))
            .collect::<Result<_, _>>()?;
        let structural: Arc<[TransitionId]> = net
            .transitions()
            .zip(&gates)
            .filter(|(_, g)| g.tools.is_empty())
            .map(|(t, _)| t)
            .collect();
        check_settles(&net, &structural)?;
        let skill_net = SkillNet {
            net,
            gates,
            free_tools: self.free_tools,
            terminal_places,
            structural,
            mapper: self.mapper,
            validator: self.validator,
            on_deferred_result: self.on_deferred_result,
            rule: self.rule,
            label: self.label,
        };
        skill_net.start().map_err(SkillNetError::Unsettled)?;
        Ok(skill_net)
    }
}

fn terminal_places(net: &Net, names: &[String]) -> Result<Vec<PlaceId>, SkillNetError> {
    let unknown = |name: &String| SkillNetError::UnknownTerminal { place: name.clone() };
    names.iter().map(|name| net.place_named(name).ok_or_else(|| unknown(name))).collect()
}

/// The gate of a transition, with the places that it drains.
fn gate(net: &Net, id: TransitionId, transition: Transition) -> Result<Gate, SkillNetError> {
    let Transition { name, drains, mut gate, .. } = transition;
    for (from, to) in &drains {
        let wrong = || SkillNetError::Drain { transition: name.clone(), place: from.clone() };
        let (from, to) = net.place_named(from).zip(net.place_named(to)).ok_or_else(wrong)?;
        let mut arcs = net.inputs(id).iter().chain(net.outputs(id));
        let moved = gate.drains.iter().any(|&(a, b)| a == from || b == from || a == to);
        if from == to || moved || gate.tools.is_empty() || arcs.any(|arc| arc.place == from) {
            return Err(wrong());
        }
        gate.drains.push((from, to));
    }
    Ok(gate)
}

fn check_transitions(transitions: &[Transition]) -> Result<(), SkillNetError> {
    for Transition { name, gate, .. } in transitions {
        if gate.tools.iter().any(String::is_empty) {
            return Err(SkillNetError::EmptyTool { transition: name.clone() });
        }
        if gate.tools.is_empty() && (gate.manual || gate.deferred) {
            return Err(SkillNetError::NeverFires { transition: name.clone() });
        }
    }
    Ok(())
}

/// Structural transitions must not feed each other in a circle, and none may fire from nothing.
fn check_settles(net: &Net, structural: &[TransitionId]) -> Result<(), SkillNetError> {
    let endless = |&transition: &TransitionId| SkillNetError::Endless {
        transition: net.transition_name(transition).into(),
    };
    if let Some(source) = structural.iter().find(|&&t| net.inputs(t).is_empty()) {
        return Err(endless(source));
    }
    // Depth-first over transitions: one leads to another if it puts what the other takes.
    // `true` while a transition is on the path, `false` once all behind it was looked at.
    let mut state: HashMap<TransitionId, bool> = HashMap::new();
    for &root in structural {
        let mut path: Vec<(TransitionId, usize)> = Vec::new();
        if let Entry::Vacant(unvisited) = state.entry(root) {
            unvisited.insert(true);
            path.push((root, 0));
        }
        while let Some((transition, next)) = path.last_mut() {
            let Some(&following) = structural.get(*next) else {
                state.insert(*transition, false);
                path.pop();
                continue;
            };
            *next = next.saturating_add(1);
            let feeds = net
                .outputs(*transition)
                .iter()
                .any(|put| net.inputs(following).iter().any(|taken| taken.place == put.place));
            match state.get(&following) {
                _ if !feeds => {}
                Some(true) => return Err(endless(&following)),
                Some(false) => {}
                None => {
                    state.insert(following, true);
                    path.push((following, 0));
                }
            }
        }
    }
    Ok(())
}

/// Why a skill net could not be built.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkillNetError {
    /// Places, transitions or arcs are wrong.
    Net(BuildError),
    /// A terminal place that is no place.
    UnknownTerminal {
        /// The name.
        place: String,
    },
    /// A tool without a name.
    EmptyTool {
        /// The transition that covers it.
        transition: String,
    },
    /// A manual or deferred transition without tools.
    NeverFires {
        /// The transition.
        transition: String,
    },
    /// A drain of a place that is not there, to the same place, of a place that the transition
    /// moves otherwise, or by a transition without tools.
    Drain {
        /// The transition.
        transition: String,
        /// The place to be emptied.
        place: String,
    },
    /// Structural transitions that would go on for ever.
    Endless {
        /// One of them.
        transition: String,
    },
    /// Structural transitions do not come to rest from the initial marking within the limit.
    Unsettled(Unsettled),
}

impl fmt::Display for SkillNetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Net(error) => error.fmt(f),
            Self::UnknownTerminal { place } => write!(f, "terminal place `{place}` is not a place"),
            Self::EmptyTool { transition } => {
                write!(f, "transition `{transition}` covers a tool without a name")
            }
            Self::NeverFires { transition } => {
                write!(
                    f,
                    "transition `{transition}` is manual or deferred but covers no tool, so it could never fire"
                )
            }
            Self::Drain { transition, place } => {
                write!(
                    f,
                    "transition `{transition}` cannot drain `{place}`; it needs a tool and two places that it does not move otherwise"
                )
            }
            Self::Endless { transition } => {
                write!(
                    f,
                    "structural transition `{transition}` could fire for ever; give it tools or break the circle"
                )
            }
            Self::Unsettled(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SkillNetError {}
