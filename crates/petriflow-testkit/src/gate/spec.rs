//! Nets and policies as plain data, read by the naive model and turned into the real thing.

use std::sync::Arc;

use petriflow_gate::{Mapper, Policy, RuleKind, SkillNet, SkillNetError, Transition};

use super::words::{Words, stands_for};

/// A skill net as data.
#[derive(Debug, Clone)]
pub struct NetSpec {
    /// Its name, unique within a policy.
    pub name: String,
    /// Its places with their tokens at the start.
    pub places: Vec<(String, u32)>,
    /// Its transitions in declared order.
    pub transitions: Vec<TransitionSpec>,
    /// Tools it always allows.
    pub free_tools: Vec<String>,
    /// Which of the policy's mappers it sees calls through, if any.
    pub mapper: Option<usize>,
    /// The rule it stands for. Nets without one are arbitrary.
    pub rule: Option<RuleKind>,
}

/// A transition as data. A place named twice is a weight.
#[derive(Debug, Clone, Default)]
pub struct TransitionSpec {
    /// Its name, unique within the net.
    pub name: String,
    /// What it takes.
    pub inputs: Vec<(String, u32)>,
    /// What it puts.
    pub outputs: Vec<(String, u32)>,
    /// The tools it covers; none if it is structural.
    pub tools: Vec<String>,
    /// Whether a person must approve.
    pub manual: bool,
    /// Whether it fires on a successful result only.
    pub deferred: bool,
}

impl NetSpec {
    /// The real net, without a mapper.
    ///
    /// # Errors
    /// If the builder refuses it, as it does structural transitions that go in a circle.
    pub fn try_skill_net(&self) -> Result<SkillNet, SkillNetError> {
        self.build(None)
    }

    /// The real net, without a mapper.
    ///
    /// # Panics
    /// If the builder refuses it.
    pub fn skill_net(&self) -> SkillNet {
        self.try_skill_net().expect("a valid net")
    }

    /// The real net, seen through a mapper or not.
    ///
    /// # Errors
    /// If it is no valid net.
    pub fn build(&self, mapper: Option<&Arc<dyn Mapper>>) -> Result<SkillNet, SkillNetError> {
        let names = self.places.iter().map(|(name, _)| name);
        let mut builder =
            SkillNet::builder(&self.name).places(names).free_tools(self.free_tools.clone());
        for (place, tokens) in &self.places {
            builder = builder.initial(place, u64::from(*tokens));
        }
        for transition in &self.transitions {
            builder = builder.transition(transition.transition());
        }
        if let Some(rule) = &self.rule {
            builder = builder.rule(rule.clone());
        }
        if let Some(mapper) = mapper {
            builder = builder.mapper(Arc::clone(mapper));
        }
        builder.build()
    }
}

impl TransitionSpec {
    fn transition(&self) -> Transition {
        let kind = if self.manual { Transition::manual } else { Transition::auto };
        let mut transition = kind(self.name.clone()).tools(self.tools.clone());
        for (place, weight) in &self.inputs {
            transition = transition.takes(place, u64::from(*weight));
        }
        for (place, weight) in &self.outputs {
            transition = transition.puts(place, u64::from(*weight));
        }
        if self.deferred { transition.deferred() } else { transition }
    }
}

/// A policy as data.
#[derive(Debug, Clone)]
pub struct PolicySpec {
    /// Its nets in order.
    pub nets: Vec<NetSpec>,
    /// The nets active at the start, if it is a registry.
    pub active: Option<Vec<String>>,
    /// Whether [`Words`] tells what its calls stand for.
    pub words: bool,
    /// Most calls in flight.
    pub open_calls_max: usize,
    /// Most open questions.
    pub approvals_max: usize,
    /// How long a question can be answered.
    pub approval_ms: u64,
}

impl PolicySpec {
    /// Nets that are always active, with [`Words`] and the default limits.
    pub fn of(nets: impl IntoIterator<Item = NetSpec>) -> Self {
        Self {
            nets: nets.into_iter().collect(),
            active: None,
            words: true,
            open_calls_max: Policy::DEFAULT_OPEN_CALLS_MAX,
            approvals_max: Policy::DEFAULT_APPROVALS_MAX,
            approval_ms: Policy::DEFAULT_APPROVAL_MS,
        }
    }

    /// The real policy.
    ///
    /// # Panics
    /// If a net is not valid or two have one name.
    pub fn policy(&self) -> Arc<Policy> {
        // Nets of one number share a mapper. The numbers differ in nothing else.
        let mappers: [Arc<dyn Mapper>; 2] = [Arc::new(stands_for), Arc::new(stands_for)];
        let built = |net: &NetSpec| net.build(net.mapper.map(|number| &mappers[number]));
        let nets: Result<Vec<SkillNet>, _> = self.nets.iter().map(built).collect();
        let mut builder = Policy::builder()
            .nets(nets.expect("valid nets"))
            .open_calls_max(self.open_calls_max)
            .approvals_max(self.approvals_max)
            .approval_ms(self.approval_ms);
        if self.words {
            builder = builder.resolver(Arc::new(Words));
        }
        if let Some(active) = &self.active {
            builder = builder.active(active.clone());
        }
        builder.build().expect("a valid policy")
    }

    /// The names of the nets in order.
    pub fn names(&self) -> Vec<String> {
        self.nets.iter().map(|net| net.name.clone()).collect()
    }
}
