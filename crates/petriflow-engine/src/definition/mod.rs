//! What a workflow is: places, transitions and what they do, where it begins and may end.
//!
//! A [`Definition`] is read from JSON ([`Definition::from_json`]) or YAML
//! ([`Definition::from_yaml`]) or built in Rust ([`Definition::builder`]). All three are checked
//! alike and whole; afterwards every name in it is known and nothing in it changes.

mod builder;
mod canonical;
mod condition;
mod configs;
mod fields;
mod json;
mod nodes;
mod places;
mod problem;
mod read;
mod transitions;
mod tree;
mod yaml;

use std::fmt;
use std::sync::Arc;

use petriflow_net::invariants::PlaceWeights;
use petriflow_net::{Net, PlaceId, TransitionId};
use serde_json::{Map, Value as Json};

pub use builder::{DefinitionBuilder, TransitionDraft};
pub use condition::Condition;
pub use nodes::{Command, Http, Node, NodeTypes};
pub use problem::{Position, Problem, Problems};

use crate::guard::Guard;
use problem::Collector;

/// The longest time, in milliseconds; whole numbers beyond it do not survive every reader of JSON.
const MS_MAX: u64 = (1 << 53) - 1;

/// How deep values may be nested within a definition.
const DEFINITION_VALUE_DEPTH_MAX: usize = 64;

/// A workflow, checked and immutable. Clones share it.
#[derive(Clone)]
pub struct Definition {
    inner: Arc<Inner>,
}

struct Inner {
    name: String,
    version: u32,
    net: Net,
    // INVARIANT: as many as the net has transitions, in the same order.
    transitions: Vec<Transition>,
    initial_context: Map<String, Json>,
    // INVARIANT: both sorted, each place once.
    terminal_places: Vec<PlaceId>,
    external_places: Vec<PlaceId>,
    invariants: Vec<PlaceWeights>,
    properties: Vec<Property>,
    warnings: Vec<Problem>,
    types: NodeTypes,
    content_hash: ContentHash,
}

impl Definition {
    /// The most places.
    pub const PLACES_MAX: usize = 10_000;
    /// The most transitions.
    pub const TRANSITIONS_MAX: usize = 10_000;
    /// The longest name of anything.
    pub const NAME_CHARS_MAX: usize = 200;

    /// Reads a definition that uses no registered node types; `file` is named in problems.
    ///
    /// ```
    /// use petriflow_engine::Definition;
    ///
    /// let problems = Definition::from_json("door.json", r#"{
    ///   "name": "door",
    ///   "places": ["closed", "open"],
    ///   "transitions": [
    ///     {"name": "push", "type": "manual", "inputs": ["close"], "outputs": ["open"]}
    ///   ]
    /// }"#).unwrap_err();
    /// assert_eq!(
    ///     problems.to_string(),
    ///     "door.json:5:51: the transition `push` names `close`, which is not a place; \
    ///      did you mean `closed`?"
    /// );
    /// ```
    ///
    /// # Errors
    /// Every problem, not only the first.
    pub fn from_json(file: &str, text: &str) -> Result<Self, Problems> {
        Self::from_json_with(file, text, &NodeTypes::built_in())
    }

    /// As [`from_json`](Self::from_json), with registered node types.
    ///
    /// # Errors
    /// As [`from_json`](Self::from_json).
    pub fn from_json_with(file: &str, text: &str, types: &NodeTypes) -> Result<Self, Problems> {
        let mut problems = Collector::default();
        let tree = json::read(text, &mut problems);
        Self::from_read(file, tree, types, problems)
    }

    /// Reads a definition in YAML: one document, without anchors, aliases and tags.
    ///
    /// # Errors
    /// As [`from_json`](Self::from_json).
    pub fn from_yaml(file: &str, text: &str) -> Result<Self, Problems> {
        Self::from_yaml_with(file, text, &NodeTypes::built_in())
    }

    /// As [`from_yaml`](Self::from_yaml), with registered node types.
    ///
    /// # Errors
    /// As [`from_json`](Self::from_json).
    pub fn from_yaml_with(file: &str, text: &str, types: &NodeTypes) -> Result<Self, Problems> {
        let mut problems = Collector::default();
        let tree = yaml::read(text, &mut problems);
        Self::from_read(file, tree, types, problems)
    }

    /// Starts a definition of this name.
    pub fn builder(name: impl Into<String>) -> DefinitionBuilder {
        DefinitionBuilder::new(name)
    }

    fn from_tree(source: &str, tree: &tree::Node, types: &NodeTypes) -> Result<Self, Problems> {
        Self::from_read(source, Some(tree.clone()), types, Collector::default())
    }

    fn from_read(
        source: &str,
        tree: Option<tree::Node>,
        types: &NodeTypes,
        mut problems: Collector,
    ) -> Result<Self, Problems> {
        let parts = tree.and_then(|tree| read::read(&tree, types, &mut problems));
        let Some(parts) = parts.filter(|_| problems.is_empty()) else {
            return Err(problems.into_problems(source));
        };
        let mut inner = Inner {
            name: parts.name,
            version: parts.version,
            net: parts.net,
            transitions: parts.transitions.into_iter().map(Transition).collect(),
            initial_context: parts.initial_context,
            terminal_places: parts.terminal_places,
            external_places: parts.external_places,
            invariants: parts.invariants,
            properties: parts.properties,
            warnings: parts.warnings,
            types: types.clone(),
            content_hash: ContentHash([0; 32]),
        };
        inner.content_hash =
            ContentHash(canonical::hash(&canonical::print(&canonical::tree(&inner))));
        Ok(Self { inner: Arc::new(inner) })
    }

    /// A larger definition of the next version: with these places, empty at the start, and these
    /// transitions behind those that are there.
    ///
    /// # Errors
    /// As [`from_json`](Self::from_json); a name that is taken is a problem.
    pub fn expand<N: Into<String>>(
        &self,
        transitions: impl IntoIterator<Item = TransitionDraft>,
        places: impl IntoIterator<Item = N>,
    ) -> Result<Self, Problems> {
        let transitions = transitions.into_iter().map(TransitionDraft::into_tree);
        let places = places.into_iter().map(tree::Node::text);
        let mut tree = canonical::tree(&self.inner);
        tree.extend_list("transitions", transitions);
        tree.extend_list("places", places);
        tree.replace("version", tree::Node::number(self.version().saturating_add(1)));
        Self::from_tree(self.name(), &tree, &self.inner.types)
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The version, 1 unless the definition says otherwise.
    pub fn version(&self) -> u32 {
        self.inner.version
    }

    /// A hash of the canonical form: equal if and only if the definitions mean the same.
    pub fn content_hash(&self) -> ContentHash {
        self.inner.content_hash
    }

    /// The canonical form as JSON.
    ///
    /// Reading it gives the same definition; the order of fields in the original, its defaults and
    /// its spaces are gone.
    pub fn to_json(&self) -> String {
        canonical::print(&canonical::tree(&self.inner))
    }

    /// Places, transitions, arcs and the initial marking: what moves tokens. Guards and timeouts
    /// are not part of it.
    pub fn net(&self) -> &Net {
        &self.inner.net
    }

    /// The transitions, in declared order, which is that of the net.
    pub fn transitions(&self) -> &[Transition] {
        &self.inner.transitions
    }

    /// One transition; `None` for an id of a larger net.
    pub fn transition(&self, id: TransitionId) -> Option<&Transition> {
        self.inner.transitions.get(id.index())
    }

    /// The context that an instance begins with.
    pub fn initial_context(&self) -> &Map<String, Json> {
        &self.inner.initial_context
    }

    /// The places that mark a proper end, in declared order.
    pub fn terminal_places(&self) -> &[PlaceId] {
        &self.inner.terminal_places
    }

    /// The places that outside events may put tokens into, in declared order.
    pub fn external_places(&self) -> &[PlaceId] {
        &self.inner.external_places
    }

    /// The invariants it claims. Whether they hold is for [`analysis`](crate::analysis) to say.
    pub fn invariants(&self) -> &[PlaceWeights] {
        &self.inner.invariants
    }

    /// The named claims. Whether they hold is for [`analysis`](crate::analysis) to say.
    pub fn properties(&self) -> &[Property] {
        &self.inner.properties
    }

    /// What is questionable: guards that read what nothing sets.
    pub fn warnings(&self) -> &[Problem] {
        &self.inner.warnings
    }
}

impl PartialEq for Definition {
    fn eq(&self, other: &Self) -> bool {
        self.inner.content_hash == other.inner.content_hash
    }
}

impl Eq for Definition {}

impl fmt::Debug for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Definition")
            .field("name", &self.inner.name)
            .field("version", &self.inner.version)
            .field("content_hash", &self.inner.content_hash)
            .finish_non_exhaustive()
    }
}

/// The SHA-256 of a definition's canonical form, shown in hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A transition. Its arcs are in the definition's [net](Definition::net).
#[derive(Debug)]
pub struct Transition(transitions::Draft);

impl Transition {
    /// The name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// What it does when it fires.
    pub fn node(&self) -> &Node {
        &self.0.node
    }

    /// The condition under which it may fire.
    pub fn guard(&self) -> Option<&Guard> {
        self.0.guard.as_ref()
    }

    /// What happens if it could fire for long but did not.
    pub fn timeout(&self) -> Option<&Timeout> {
        self.0.timeout.as_ref()
    }

    /// What happens if its effect fails.
    pub fn retry(&self) -> Option<&Retry> {
        self.0.retry.as_ref()
    }
}

/// A token that is added if a transition stays enabled for too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeout {
    /// Where the token goes.
    pub place: PlaceId,
    /// How long the transition must have been enabled.
    pub ms: u64,
    /// Whether it happens again after each such time, or once.
    pub repeat: bool,
}

/// How often a failing effect is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// How often in all, at least once.
    pub max_attempts: u32,
    /// The wait before the second attempt; it doubles from one to the next.
    pub backoff_ms: u64,
    /// The longest wait.
    pub max_backoff_ms: u64,
}

impl Retry {
    const BACKOFF_MS: u64 = 1_000;
    const MAX_BACKOFF_MS: u64 = 60_000;
}

/// A named claim about the markings that an instance can reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// The name.
    pub name: String,
    /// What is claimed of the condition.
    pub quantifier: Quantifier,
    /// The condition.
    pub condition: Condition,
    /// The claim is about the workflow in which these never fire.
    pub without: Vec<TransitionId>,
}

/// What a property claims of its condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantifier {
    /// Every reachable marking satisfies it.
    Always,
    /// No reachable marking satisfies it.
    Never,
    /// Some reachable marking satisfies it.
    Reachable,
    /// Whatever fires, sooner or later a marking satisfies it.
    Eventually,
}

impl Quantifier {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Always, Self::Never, Self::Reachable, Self::Eventually];

    /// The field of a property that it is written as.
    pub fn word(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Never => "never",
            Self::Reachable => "reachable",
            Self::Eventually => "eventually",
        }
    }
}
