//! A policy: an immutable set of nets, indexed by the tools they cover.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use petriflow_net::TransitionId;
use sha2::{Digest, Sha256};

use crate::action::Resolver;
use crate::call::{ToolCall, hash_text, hex};
use crate::decision::Decision;
use crate::hooks::Mapper;
use crate::skill_net::SkillNet;

/// Nets that decide together. Share it between sessions and threads in an [`Arc`].
///
/// ```
/// use petriflow_gate::{Policy, Session, Timestamp, ToolCall, SkillNet, Transition};
/// use serde_json::json;
///
/// let block_rm = SkillNet::builder("block-rm")
///     .places(["locked"])
///     .transition(Transition::auto("never").from(["locked"]).to(["locked"]).tools(["rm"]))
///     .build()?;
/// let mut session = Session::new(&Policy::new([block_rm])?);
///
/// let now = Timestamp(0);
/// assert!(session.decide(&ToolCall::new("1", "ls", json!({})), now).is_allowed());
/// assert!(!session.decide(&ToolCall::new("2", "rm", json!({})), now).is_allowed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Policy {
    pub(crate) nets: Box<[SkillNet]>,
    /// The names the nets are registered under.
    pub(crate) names: Box<[String]>,
    /// `start[offsets[n]..offsets[n + 1]]` are the tokens of net `n`.
    offsets: Box<[u32]>,
    pub(crate) start: Box<[u32]>,
    pub(crate) sites: Box<[Site]>,
    pub(crate) groups: Box<[Group]>,
    pub(crate) resolver: Option<Arc<dyn Resolver>>,
    pub(crate) mode: Mode,
    pub(crate) on_decision: Option<DecisionCallback>,
    pub(crate) limits: Limits,
    /// Whether nets can be activated and deactivated, and which are active at the start.
    pub(crate) dynamic: bool,
    pub(crate) active: Box<[bool]>,
    fingerprint: Fingerprint,
}

type DecisionCallback = Arc<dyn Fn(&ToolCall, &Decision) + Send + Sync>;

/// What a net has to say about one tool.
pub(crate) struct Site {
    pub(crate) net: u32,
    pub(crate) tool: Box<str>,
    /// The transitions that cover the tool, in declared order.
    pub(crate) transitions: Box<[TransitionId]>,
}

/// Nets that see calls through the same mapper, or through none.
pub(crate) struct Group {
    pub(crate) mapper: Option<Arc<dyn Mapper>>,
    /// By tool, a range of sites in the order of their nets.
    index: HashMap<Box<str>, Range<u32>>,
}

impl Group {
    pub(crate) fn sites(&self, tool: &str) -> Range<usize> {
        self.index.get(tool).map_or(0..0, |range| range.start as usize..range.end as usize)
    }
}

/// Whether decisions are obeyed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// Blocked calls are blocked.
    #[default]
    Enforce,
    /// Every decision is reported, nothing is blocked and nobody is asked.
    Shadow,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) open_calls_max: usize,
    pub(crate) approvals_max: usize,
    pub(crate) approval_ms: u64,
}

impl Policy {
    /// Most calls in flight unless [`PolicyBuilder::open_calls_max`] says otherwise.
    pub const DEFAULT_OPEN_CALLS_MAX: usize = 1_024;
    /// Most open questions unless [`PolicyBuilder::approvals_max`] says otherwise.
    pub const DEFAULT_APPROVALS_MAX: usize = 64;
    /// How long an approval can be answered unless [`PolicyBuilder::approval_ms`] says otherwise.
    pub const DEFAULT_APPROVAL_MS: u64 = 10 * 60 * 1_000;

    /// Most firings that wait for results, of all calls together.
    pub const PENDING_FIRINGS_MAX: usize = 16_384;

    /// A policy of nets that are always active.
    ///
    /// # Errors
    /// If two nets have one name.
    pub fn new(nets: impl IntoIterator<Item = SkillNet>) -> Result<Arc<Self>, PolicyError> {
        Self::builder().nets(nets).build()
    }

    /// A policy with options.
    pub fn builder() -> PolicyBuilder {
        PolicyBuilder::default()
    }

    /// The nets, in order.
    pub fn nets(&self) -> &[SkillNet] {
        &self.nets
    }

    /// Whether nets can be activated and deactivated at run time.
    pub fn is_dynamic(&self) -> bool {
        self.dynamic
    }

    /// What the nets say, as a digest: sessions are bound to it.
    ///
    /// It covers structure, rules, labels and the resolver's own fingerprint. It cannot see the code
    /// of closures: give nets with hooks a [`label`](crate::SkillNetBuilder::label).
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    pub(crate) fn net_named(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|candidate| candidate == name)
    }

    /// Where a net's tokens are in a session's.
    pub(crate) fn places(&self, net: usize) -> Range<usize> {
        let at = |net: usize| self.offsets.get(net).map_or(0, |&offset| offset as usize);
        at(net)..at(net.saturating_add(1))
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy")
            .field("nets", &self.names)
            .field("mode", &self.mode)
            .field("fingerprint", &self.fingerprint)
            .finish_non_exhaustive()
    }
}

/// The digest of a policy, shown in hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Collects a policy; [`build`](PolicyBuilder::build) checks and indexes it.
#[must_use]
pub struct PolicyBuilder {
    nets: Vec<(String, SkillNet)>,
    active: Option<Vec<String>>,
    resolver: Option<Arc<dyn Resolver>>,
    mode: Mode,
    on_decision: Option<DecisionCallback>,
    limits: Limits,
}

impl Default for PolicyBuilder {
    fn default() -> Self {
        Self {
            nets: Vec::new(),
            active: None,
            resolver: None,
            mode: Mode::Enforce,
            on_decision: None,
            limits: Limits {
                open_calls_max: Policy::DEFAULT_OPEN_CALLS_MAX,
                approvals_max: Policy::DEFAULT_APPROVALS_MAX,
                approval_ms: Policy::DEFAULT_APPROVAL_MS,
            },
        }
    }
}

impl PolicyBuilder {
    /// Adds nets under their own names.
    pub fn nets(mut self, nets: impl IntoIterator<Item = SkillNet>) -> Self {
        self.nets.extend(nets.into_iter().map(|net| (net.name().to_owned(), net)));
        self
    }

    /// Adds a net under another name.
    pub fn register(mut self, name: impl Into<String>, net: SkillNet) -> Self {
        self.nets.push((name.into(), net));
        self
    }

    /// Makes the policy a registry of which these are active at the start; others can be activated
    /// and deactivated at run time. Without this, all nets are always active.
    pub fn active<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.active = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Tells what calls stand for, for all nets that have no mapper of their own.
    pub fn resolver(mut self, resolver: Arc<dyn Resolver>) -> Self {
        self.resolver = Some(resolver);
        self
    }

    /// Whether decisions are obeyed.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Is told of every decision, in shadow mode of the one that enforcing would have made.
    ///
    /// It runs inside the decision: it must not use the session, nor wait for anybody who does.
    pub fn on_decision(
        mut self,
        callback: impl Fn(&ToolCall, &Decision) + Send + Sync + 'static,
    ) -> Self {
        self.on_decision = Some(Arc::new(callback));
        self
    }

    /// How many calls may be in flight. When they are, the oldest that nothing waits for is
    /// forgotten, and if something waits for all of them, further calls are refused.
    pub fn open_calls_max(mut self, open_calls_max: usize) -> Self {
        self.limits.open_calls_max = open_calls_max;
        self
    }

    /// How many questions may be open. When they are, further calls that need one are refused.
    pub fn approvals_max(mut self, approvals_max: usize) -> Self {
        self.limits.approvals_max = approvals_max;
        self
    }

    /// How long a question can be answered, in milliseconds.
    pub fn approval_ms(mut self, approval_ms: u64) -> Self {
        self.limits.approval_ms = approval_ms;
        self
    }

    /// Checks and indexes the policy.
    ///
    /// # Errors
    /// If two nets have one name, or a net to be active is not there.
    pub fn build(self) -> Result<Arc<Policy>, PolicyError> {
        let (names, nets): (Vec<String>, Vec<SkillNet>) = self.nets.into_iter().unzip();
        let mut seen = HashSet::new();
        if let Some(name) = names.iter().find(|&name| !seen.insert(name)) {
            return Err(PolicyError::DuplicateName { name: name.clone() });
        }
        let dynamic = self.active.is_some();
        let active = activation(&names, self.active)?;
        let (offsets, start) = lay_out(&nets)?;
        let (sites, groups) = index(&nets);
        let fingerprint = fingerprint(&names, &nets, self.resolver.as_deref());
        Ok(Arc::new(Policy {
            nets: nets.into(),
            names: names.into(),
            offsets,
            start,
            sites,
            groups,
            resolver: self.resolver,
            mode: self.mode,
            on_decision: self.on_decision,
            limits: self.limits,
            dynamic,
            active,
            fingerprint,
        }))
    }
}

fn activation(names: &[String], active: Option<Vec<String>>) -> Result<Box<[bool]>, PolicyError> {
    let Some(active) = active else { return Ok(vec![true; names.len()].into()) };
    if let Some(unknown) = active.iter().find(|&name| !names.contains(name)) {
        return Err(PolicyError::UnknownName { name: unknown.clone() });
    }
    let active: HashSet<&String> = active.iter().collect();
    Ok(names.iter().map(|name| active.contains(name)).collect())
}

/// Offsets and start tokens of all nets in one list.
type LaidOut = (Box<[u32]>, Box<[u32]>);

fn lay_out(nets: &[SkillNet]) -> Result<LaidOut, PolicyError> {
    let mut offsets = vec![0];
    let mut start = Vec::new();
    for net in nets {
        let tokens =
            net.start().map_err(|error| PolicyError::Net { message: error.to_string() })?;
        start.extend(tokens);
        offsets.push(u32::try_from(start.len()).map_err(|_| PolicyError::TooLarge)?);
    }
    Ok((offsets.into(), start.into()))
}

fn index(nets: &[SkillNet]) -> (Box<[Site]>, Box<[Group]>) {
    let mut mappers: Vec<Option<Arc<dyn Mapper>>> = vec![None];
    for mapper in nets.iter().filter_map(|net| net.mapper.as_ref()) {
        let is_same = |known: &Option<Arc<dyn Mapper>>| {
            known.as_ref().is_some_and(|known| Arc::ptr_eq(known, mapper))
        };
        if !mappers.iter().any(is_same) {
            mappers.push(Some(Arc::clone(mapper)));
        }
    }
    let mut sites = Vec::new();
    let groups = mappers.into_iter().map(|mapper| {
        let same = |other: &Option<Arc<dyn Mapper>>| match (&mapper, other) {
            (None, None) => true,
            (Some(ours), Some(theirs)) => Arc::ptr_eq(ours, theirs),
            (None, Some(_)) | (Some(_), None) => false,
        };
        let members = nets.iter().enumerate().filter(|(_, net)| same(&net.mapper));
        let index = index_group(members, &mut sites);
        Group { mapper, index }
    });
    let groups: Box<[Group]> = groups.collect();
    (sites.into(), groups)
}

/// Appends the group's sites, those of one tool next to each other, and returns their ranges.
fn index_group<'n>(
    members: impl Iterator<Item = (usize, &'n SkillNet)>,
    sites: &mut Vec<Site>,
) -> HashMap<Box<str>, Range<u32>> {
    let mut by_tool: HashMap<&str, Vec<Site>> = HashMap::new();
    for (number, net) in members {
        let mut covered: HashMap<&str, Vec<TransitionId>> = HashMap::new();
        for transition in net.net.transitions() {
            for tool in net.tools(transition) {
                let transitions = covered.entry(tool).or_default();
                if transitions.last() != Some(&transition) {
                    transitions.push(transition);
                }
            }
        }
        for (tool, transitions) in covered {
            // A free tool bypasses the net's transitions.
            if !net.free_tools.iter().any(|free| free == tool) {
                by_tool.entry(tool).or_default().push(Site {
                    net: number as u32,
                    tool: tool.into(),
                    transitions: transitions.into(),
                });
            }
        }
    }
    let mut tools: Vec<_> = by_tool.into_iter().collect();
    tools.sort_unstable_by_key(|&(tool, _)| tool);
    let mut index = HashMap::with_capacity(tools.len());
    for (tool, of_tool) in tools {
        let from = sites.len() as u32;
        sites.extend(of_tool);
        index.insert(tool.into(), from..sites.len() as u32);
    }
    index
}

fn fingerprint(
    names: &[String],
    nets: &[SkillNet],
    resolver: Option<&dyn Resolver>,
) -> Fingerprint {
    let mut hasher = Sha256::new();
    hash_text(&mut hasher, "petriflow policy 1");
    for (name, net) in names.iter().zip(nets) {
        hash_text(&mut hasher, name);
        hash_net(&mut hasher, net);
    }
    hasher.update([u8::from(resolver.is_some())]);
    hash_text(&mut hasher, &resolver.map(|r| r.fingerprint()).unwrap_or_default());
    Fingerprint(hasher.finalize().into())
}

/// All that decides, and nothing that does not: a rule may move to another line.
fn hash_net(hasher: &mut Sha256, net: &SkillNet) {
    let count = |hasher: &mut Sha256, count: usize| hasher.update((count as u64).to_le_bytes());
    hash_text(hasher, net.name());
    hash_text(hasher, &net.label);
    count(hasher, net.net.place_count());
    for (place, tokens) in net.net.places().zip(net.net.initial().iter()) {
        hash_text(hasher, net.net.place_name(place));
        hasher.update(tokens.to_le_bytes());
    }
    count(hasher, net.gates.len());
    for (transition, gate) in net.net.transitions().zip(&net.gates) {
        hash_text(hasher, net.net.transition_name(transition));
        for arcs in [net.net.inputs(transition), net.net.outputs(transition)] {
            count(hasher, arcs.len());
            for arc in arcs {
                count(hasher, arc.place.index());
                hasher.update(arc.weight.to_le_bytes());
            }
        }
        hasher.update([gate.manual, gate.deferred].map(u8::from));
        count(hasher, gate.tools.len());
        gate.tools.iter().for_each(|tool| hash_text(hasher, tool));
        count(hasher, gate.drains.len());
        for &(from, to) in &gate.drains {
            count(hasher, from.index());
            count(hasher, to.index());
        }
    }
    count(hasher, net.free_tools.len());
    net.free_tools.iter().for_each(|tool| hash_text(hasher, tool));
    let hooks = [net.mapper.is_some(), net.validator.is_some(), net.on_deferred_result.is_some()];
    hasher.update(hooks.map(u8::from));
    hash_text(hasher, &net.rule.as_ref().map(|rule| rule.kind.to_string()).unwrap_or_default());
}

/// Why a policy could not be built.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolicyError {
    /// Two nets of one name.
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A net that is to be active but is not there.
    UnknownName {
        /// The name.
        name: String,
    },
    /// A net does not come to rest.
    Net {
        /// What happens.
        message: String,
    },
    /// More places than can be numbered.
    TooLarge,
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateName { name } => write!(f, "two nets are named `{name}`"),
            Self::UnknownName { name } => {
                write!(f, "`{name}` is to be active but is not registered")
            }
            Self::Net { message } => f.write_str(message),
            Self::TooLarge => f.write_str("the nets have too many places"),
        }
    }
}

impl std::error::Error for PolicyError {}
