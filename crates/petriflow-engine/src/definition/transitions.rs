//! The transitions of a definition.

use std::collections::{BTreeMap, HashMap};

use petriflow_net::PlaceId;

use super::fields::{self, Fields, shown};
use super::nodes::{Node as Effect, NodeTypes};
use super::places::Places;
use super::problem::{Collector, Position};
use super::read::{Uses, place};
use super::tree::Node;
use super::{Definition, MS_MAX, Retry, Timeout, configs};
use crate::guard::{Guard, Purpose};

const FIELDS: [&str; 8] =
    ["name", "type", "inputs", "outputs", "guard", "timeout", "config", "retry"];

/// A transition as it was read.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) name: String,
    pub(super) node: Effect,
    pub(super) inputs: BTreeMap<PlaceId, u64>,
    pub(super) outputs: BTreeMap<PlaceId, u64>,
    pub(super) guard: Option<Guard>,
    pub(super) timeout: Option<Timeout>,
    pub(super) retry: Option<Retry>,
}

impl Draft {
    /// The fields of the context that firing may set.
    pub(super) fn writes(&self) -> Vec<&str> {
        match &self.node {
            Effect::Set(writes) => writes.iter().map(|(field, _)| field.as_str()).collect(),
            Effect::Http(_) | Effect::Command(_) => vec![&self.name],
            _ => Vec::new(),
        }
    }
}

/// All transitions that have a name, in declared order.
pub(super) fn read(
    fields: &Fields<'_>,
    places: &Places,
    types: &NodeTypes,
    uses: &mut Uses,
    problems: &mut Collector,
) -> Vec<Draft> {
    let list = fields.required("transitions", problems);
    let list = list.and_then(|node| fields::list(node, "`transitions`", problems));
    let list = list.unwrap_or_default();
    if list.len() > Definition::TRANSITIONS_MAX {
        let at = fields.get("transitions").and_then(|node| node.at);
        problems.add(at, format!("more than {} transitions", Definition::TRANSITIONS_MAX));
        return Vec::new();
    }
    let mut reader = Reader { places, types, uses, problems };
    let mut first: HashMap<&str, Option<Position>> = HashMap::new();
    let mut drafts = Vec::with_capacity(list.len());
    for node in list {
        let Some((name, at, draft)) = reader.transition(node) else { continue };
        if let Some(first) = first.get(name) {
            let message = format!("the transition `{}` is defined twice", shown(name));
            reader.problems.add_with(at, message, || fields::first_at(*first));
        } else {
            first.insert(name, at);
        }
        drafts.push(draft);
    }
    drafts
}

struct Reader<'r> {
    places: &'r Places,
    types: &'r NodeTypes,
    uses: &'r mut Uses,
    problems: &'r mut Collector,
}

impl Reader<'_> {
    /// A transition with its name and where that is. One whose type cannot be read stands in as
    /// `auto`, so that what refers to it is not a problem too.
    fn transition<'t>(&mut self, node: &'t Node) -> Option<(&'t str, Option<Position>, Draft)> {
        let fields = Fields::read(node, "a transition", &FIELDS, self.problems)?;
        let named = fields.required("name", self.problems)?;
        let name = fields::name(named, "the name of a transition", self.problems)?;
        let owner = format!("the transition `{}`", shown(name));
        let fields = fields.renamed(&owner);
        let kind = fields.required("type", self.problems);
        let effect = kind.and_then(|kind| {
            let config = fields.get("config");
            configs::read(kind, config, &owner, self.types, self.uses, self.problems)
        });
        let guard = fields.get("guard").and_then(|node| {
            self.uses.guard(
                node,
                &format!("the guard of {owner}"),
                Purpose::Condition,
                self.problems,
            )
        });
        let timeout = fields.get("timeout").and_then(|node| self.timeout(node, &owner));
        let retry = fields.get("retry").and_then(|node| self.retry(node, &owner));
        let draft = Draft {
            name: name.into(),
            node: effect.unwrap_or(Effect::Auto),
            inputs: self.arcs(&fields, "inputs", &owner),
            outputs: self.arcs(&fields, "outputs", &owner),
            guard,
            timeout,
            retry,
        };
        Some((name, named.at, draft))
    }

    fn arcs(&mut self, fields: &Fields<'_>, side: &str, owner: &str) -> BTreeMap<PlaceId, u64> {
        let what = format!("the {side} of {owner}");
        let list = fields.required(side, self.problems);
        let list = list.and_then(|node| fields::list(node, &what, self.problems));
        let mut arcs: BTreeMap<PlaceId, u64> = BTreeMap::new();
        for node in list.unwrap_or_default() {
            let name = fields::text(node, &format!("a place in {what}"), self.problems);
            let Some(name) = name else { continue };
            if let Some(place) = place(name, node.at, owner, self.places, self.problems) {
                let weight = arcs.entry(place).or_default();
                *weight = weight.saturating_add(1);
            }
        }
        arcs
    }

    fn timeout(&mut self, node: &Node, owner: &str) -> Option<Timeout> {
        let what = format!("the timeout of {owner}");
        let fields = Fields::read(node, what.clone(), &["place", "ms", "repeat"], self.problems)?;
        let named = fields.required("place", self.problems);
        let ms = fields.required("ms", self.problems);
        let ms = ms.and_then(|node| fields::count(node, "`ms`", 1..=MS_MAX, self.problems));
        let repeat = match fields.get("repeat") {
            Some(node) => fields::boolean(node, "`repeat`", self.problems)?,
            None => false,
        };
        let name = fields::text(named?, "`place`", self.problems)?;
        let place = place(name, named?.at, &what, self.places, self.problems)?;
        Some(Timeout { place, ms: ms?, repeat })
    }

    fn retry(&mut self, node: &Node, owner: &str) -> Option<Retry> {
        let known = ["maxAttempts", "backoffMs", "maxBackoffMs"];
        let fields = Fields::read(node, format!("the retry of {owner}"), &known, self.problems)?;
        let attempts = fields.required("maxAttempts", self.problems)?;
        let attempts =
            fields::count(attempts, "`maxAttempts`", 1..=u32::MAX.into(), self.problems)?;
        let mut ms = |name: &str, default: u64| match fields.get(name) {
            Some(node) => fields::count(node, &format!("`{name}`"), 0..=MS_MAX, self.problems),
            None => Some(default),
        };
        let backoff_ms = ms("backoffMs", Retry::BACKOFF_MS)?;
        let max_backoff_ms = ms("maxBackoffMs", Retry::MAX_BACKOFF_MS.max(backoff_ms))?;
        if max_backoff_ms < backoff_ms {
            let at = fields.get("maxBackoffMs").and_then(|node| node.at);
            self.problems.add(at, "`maxBackoffMs` is less than `backoffMs`");
        }
        let max_attempts = u32::try_from(attempts).ok()?;
        Some(Retry { max_attempts, backoff_ms, max_backoff_ms })
    }
}
