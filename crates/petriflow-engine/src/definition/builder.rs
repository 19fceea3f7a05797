//! Definitions made in Rust, checked like those read from files.

use serde_json::Value as Json;

use super::nodes::NodeTypes;
use super::problem::Problems;
use super::tree::Node;
use super::{Definition, Quantifier};

/// Collects a definition; [`build`](Self::build) checks it.
#[derive(Debug, Clone)]
#[must_use]
pub struct DefinitionBuilder {
    name: String,
    version: u32,
    places: Vec<Node>,
    transitions: Vec<TransitionDraft>,
    marking: Vec<(String, Node)>,
    context: Option<Node>,
    terminal: Vec<Node>,
    external: Vec<Node>,
    invariants: Vec<Node>,
    properties: Vec<Node>,
    types: NodeTypes,
}

impl DefinitionBuilder {
    pub(super) fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: 1,
            places: Vec::new(),
            transitions: Vec::new(),
            marking: Vec::new(),
            context: None,
            terminal: Vec::new(),
            external: Vec::new(),
            invariants: Vec::new(),
            properties: Vec::new(),
            types: NodeTypes::built_in(),
        }
    }

    /// Sets the version, 1 by default.
    pub fn version(mut self, version: u32) -> Self {
        self.version = version;
        self
    }

    /// Adds places.
    pub fn places<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.places.extend(names.into_iter().map(Node::text));
        self
    }

    /// Adds a transition.
    pub fn transition(mut self, transition: TransitionDraft) -> Self {
        self.transitions.push(transition);
        self
    }

    /// Puts tokens into a place at the start.
    pub fn initial(mut self, place: impl Into<String>, tokens: u64) -> Self {
        self.marking.push((place.into(), Node::number(tokens)));
        self
    }

    /// Sets the initial context, which is an object.
    pub fn context(mut self, context: &Json) -> Self {
        self.context = Some(Node::from_json(context));
        self
    }

    /// Adds terminal places.
    pub fn terminal_places<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.terminal.extend(names.into_iter().map(Node::text));
        self
    }

    /// Adds places that outside events may put tokens into.
    pub fn external_places<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.external.extend(names.into_iter().map(Node::text));
        self
    }

    /// Adds an invariant: the weighted sum of tokens that no firing is to change.
    pub fn invariant<N: Into<String>>(
        mut self,
        weights: impl IntoIterator<Item = (N, i64)>,
    ) -> Self {
        let weights = weights.into_iter().map(|(place, weight)| (place, Node::number(weight)));
        self.invariants.push(Node::object([("weights", Node::object(weights))]));
        self
    }

    /// Adds a named claim about the reachable markings.
    pub fn property(
        mut self,
        name: impl Into<String>,
        quantifier: Quantifier,
        condition: impl Into<String>,
    ) -> Self {
        let fields = [("name", Node::text(name)), (quantifier.word(), Node::text(condition))];
        self.properties.push(Node::object(fields));
        self
    }

    /// Knows these node types besides those built in.
    pub fn node_types(mut self, types: NodeTypes) -> Self {
        self.types = types;
        self
    }

    /// Checks everything.
    ///
    /// # Errors
    /// Every problem, not only the first.
    pub fn build(self) -> Result<Definition, Problems> {
        let mut fields = vec![
            ("name", Node::text(self.name.clone())),
            ("version", Node::number(self.version)),
            ("places", Node::list(self.places)),
            (
                "transitions",
                Node::list(self.transitions.into_iter().map(TransitionDraft::into_tree)),
            ),
            ("initialMarking", Node::object(self.marking)),
            ("terminalPlaces", Node::list(self.terminal)),
            ("externalPlaces", Node::list(self.external)),
            ("invariants", Node::list(self.invariants)),
            ("properties", Node::list(self.properties)),
        ];
        fields.extend(self.context.map(|context| ("initialContext", context)));
        Definition::from_tree(&self.name, &Node::object(fields), &self.types)
    }
}

/// A transition that is not checked yet.
#[derive(Debug, Clone)]
#[must_use]
pub struct TransitionDraft {
    fields: Vec<(&'static str, Node)>,
    kind: String,
    inputs: Vec<Node>,
    outputs: Vec<Node>,
}

impl TransitionDraft {
    /// An `auto` transition without arcs.
    pub fn new(name: impl Into<String>) -> Self {
        let fields = vec![("name", Node::text(name))];
        Self { fields, kind: "auto".into(), inputs: Vec::new(), outputs: Vec::new() }
    }

    /// Sets the type, `auto` by default.
    pub fn kind(mut self, kind: impl Into<String>) -> Self {
        self.kind = kind.into();
        self
    }

    /// Sets the type and its configuration.
    pub fn node(self, kind: impl Into<String>, config: &Json) -> Self {
        self.kind(kind).with("config", Node::from_json(config))
    }

    /// Takes tokens from these places; a repeated one is a weight.
    pub fn inputs<N: Into<String>>(mut self, places: impl IntoIterator<Item = N>) -> Self {
        self.inputs.extend(places.into_iter().map(Node::text));
        self
    }

    /// Puts tokens into these places; a repeated one is a weight.
    pub fn outputs<N: Into<String>>(mut self, places: impl IntoIterator<Item = N>) -> Self {
        self.outputs.extend(places.into_iter().map(Node::text));
        self
    }

    /// Fires only if this guard holds.
    pub fn guard(self, guard: impl Into<String>) -> Self {
        self.with("guard", Node::text(guard))
    }

    /// Adds a token to `place` once it could fire for this long; again and again with `repeat`.
    pub fn timeout(self, place: impl Into<String>, ms: u64, repeat: bool) -> Self {
        let repeat = Node::from_json(&Json::Bool(repeat));
        let fields = [("place", Node::text(place)), ("ms", Node::number(ms)), ("repeat", repeat)];
        self.with("timeout", Node::object(fields))
    }

    /// Tries a failing effect again.
    pub fn retry(self, max_attempts: u32, backoff_ms: u64, max_backoff_ms: u64) -> Self {
        let fields = [
            ("maxAttempts", Node::number(max_attempts)),
            ("backoffMs", Node::number(backoff_ms)),
            ("maxBackoffMs", Node::number(max_backoff_ms)),
        ];
        self.with("retry", Node::object(fields))
    }

    /// What was set last counts.
    fn with(mut self, field: &'static str, node: Node) -> Self {
        self.fields.retain(|&(name, _)| name != field);
        self.fields.push((field, node));
        self
    }

    pub(super) fn into_tree(self) -> Node {
        let own = [
            ("type", Node::text(self.kind)),
            ("inputs", Node::list(self.inputs)),
            ("outputs", Node::list(self.outputs)),
        ];
        Node::object(self.fields.into_iter().chain(own))
    }
}
