//! From a tree to a definition, with all problems at once.

use std::collections::{BTreeMap, HashMap, HashSet};

use petriflow_net::invariants::PlaceWeights;
use petriflow_net::{Net, PlaceId, TransitionId};
use serde_json::{Map, Value as Json};

use super::condition::Condition;
use super::fields::{self, Fields, entries, shown};
use super::nodes::{Node as Effect, NodeTypes};
use super::places::Places;
use super::problem::{Collector, Position, Problem};
use super::transitions::{self, Draft};
use super::tree::Node;
use super::{Definition, Property, Quantifier};
use crate::guard::{self, Guard, Known, Purpose};
use crate::suggest::did_you_mean;

/// Weights beyond this help nobody, and their sums stay exact below it.
const WEIGHT_MAX: i128 = u32::MAX as i128;

const FIELDS: [&str; 10] = [
    "name",
    "version",
    "places",
    "transitions",
    "initialMarking",
    "initialContext",
    "terminalPlaces",
    "externalPlaces",
    "invariants",
    "properties",
];

/// What was read; complete if no problem was collected.
pub(super) struct Parts {
    pub(super) name: String,
    pub(super) version: u32,
    pub(super) net: Net,
    pub(super) transitions: Vec<Draft>,
    pub(super) initial_context: Map<String, Json>,
    pub(super) terminal_places: Vec<PlaceId>,
    pub(super) external_places: Vec<PlaceId>,
    pub(super) invariants: Vec<PlaceWeights>,
    pub(super) properties: Vec<Property>,
    pub(super) warnings: Vec<Problem>,
}

/// Reads a whole definition; `None` only if there are problems.
pub(super) fn read(root: &Node, types: &NodeTypes, problems: &mut Collector) -> Option<Parts> {
    let fields = Fields::read(root, "the definition", &FIELDS, problems)?;
    let name = fields.required("name", problems);
    let name = name.and_then(|node| fields::name(node, "the name of the definition", problems));
    let version = fields
        .get("version")
        .map_or(Some(1), |node| fields::count(node, "`version`", 1..=u32::MAX.into(), problems));
    let places = places(&fields, problems);
    let mut uses = Uses::default();
    let drafts = transitions::read(&fields, &places, types, &mut uses, problems);
    let marking = initial_marking(&fields, &places, problems);
    let context = match fields.get("initialContext") {
        Some(node) => {
            entries(node, "`initialContext`", problems);
            fields::json(node, "`initialContext`", problems)
        }
        None => None,
    };
    let terminal_places = place_list(&fields, "terminalPlaces", &places, problems);
    let external_places = place_list(&fields, "externalPlaces", &places, problems);
    let invariants = invariants(&fields, &places, problems);
    let properties = properties(&fields, &places, &drafts, problems);
    let initial_context = match context {
        Some(Json::Object(context)) => context,
        _ => Map::new(),
    };
    let warnings = uses.warnings(&places, &drafts, &initial_context);
    if !problems.is_empty() {
        return None;
    }
    Some(Parts {
        net: net(name?, &places, &drafts, &marking, problems)?,
        name: name?.into(),
        version: u32::try_from(version?).ok()?,
        transitions: drafts,
        initial_context,
        terminal_places,
        external_places,
        invariants,
        properties,
        warnings,
    })
}

fn places(fields: &Fields<'_>, problems: &mut Collector) -> Places {
    let mut places = Places::default();
    let list = fields.required("places", problems);
    let Some(list) = list.and_then(|node| fields::list(node, "`places`", problems)) else {
        return places;
    };
    if list.len() > Definition::PLACES_MAX {
        let at = fields.get("places").and_then(|node| node.at);
        problems.add(at, format!("more than {} places", Definition::PLACES_MAX));
        return places;
    }
    let mut first: HashMap<&str, Option<Position>> = HashMap::new();
    for node in list {
        let Some(name) = fields::name(node, "the name of a place", problems) else { continue };
        if places.add(name) {
            first.insert(name, node.at);
        } else {
            let message = format!("the place `{}` is defined twice", shown(name));
            let first = first.get(name).copied().flatten();
            problems.add_with(node.at, message, || fields::first_at(first));
        }
    }
    places.complete = true;
    places
}

/// The place of this name, or a problem.
pub(super) fn place(
    name: &str,
    at: Option<Position>,
    used_by: &str,
    places: &Places,
    problems: &mut Collector,
) -> Option<PlaceId> {
    let found = places.find(name);
    if found.is_none() && places.complete {
        let message = format!("{used_by} names `{}`, which is not a place", shown(name));
        problems.add_with(at, message, || did_you_mean(name, places.names()));
    }
    found
}

fn initial_marking(
    fields: &Fields<'_>,
    places: &Places,
    problems: &mut Collector,
) -> Vec<(PlaceId, u64)> {
    const WHAT: &str = "`initialMarking`";
    let Some(node) = fields.get("initialMarking") else { return Vec::new() };
    let mut marking = Vec::new();
    for (key, node) in entries(node, WHAT, problems).unwrap_or_default() {
        let place = place(&key.name, key.at, WHAT, places, problems);
        let what = format!("the initial count of `{}`", shown(&key.name));
        let count = fields::count(node, &what, 0..=u32::MAX.into(), problems);
        marking.extend(place.zip(count));
    }
    marking
}

fn place_list(
    fields: &Fields<'_>,
    field: &str,
    places: &Places,
    problems: &mut Collector,
) -> Vec<PlaceId> {
    let what = format!("`{field}`");
    let list = fields.get(field).and_then(|node| fields::list(node, &what, problems));
    let mut found: Vec<PlaceId> = Vec::new();
    let mut seen = HashSet::new();
    for node in list.unwrap_or_default() {
        let Some(name) = fields::text(node, &format!("a place in {what}"), problems) else {
            continue;
        };
        let Some(place) = place(name, node.at, &what, places, problems) else { continue };
        if !seen.insert(place) {
            problems.add(node.at, format!("{what} names `{}` twice", shown(name)));
        }
        found.push(place);
    }
    found.sort_unstable();
    found
}

fn invariants(fields: &Fields<'_>, places: &Places, problems: &mut Collector) -> Vec<PlaceWeights> {
    let list = fields.get("invariants");
    let list = list.and_then(|node| fields::list(node, "`invariants`", problems));
    let read = |node| invariant(node, places, problems);
    list.unwrap_or_default().iter().filter_map(read).collect()
}

fn invariant(node: &Node, places: &Places, problems: &mut Collector) -> Option<PlaceWeights> {
    let fields = Fields::read(node, "an invariant", &["weights"], problems)?;
    let mut weights = Vec::new();
    let node = fields.required("weights", problems)?;
    for (key, node) in entries(node, "`weights`", problems)? {
        let place = place(&key.name, key.at, "an invariant", places, problems);
        let what = format!("the weight of `{}`", shown(&key.name));
        let weight = fields::integer(node, &what, problems);
        if weight.is_some_and(|weight| weight.abs() > WEIGHT_MAX) {
            problems.add(node.at, format!("{what} is beyond {WEIGHT_MAX}"));
        }
        weights.extend(place.zip(weight));
    }
    // Each place is named once and no weight is large, so nothing is added up.
    PlaceWeights::new(weights).ok()
}

fn properties(
    fields: &Fields<'_>,
    places: &Places,
    drafts: &[Draft],
    problems: &mut Collector,
) -> Vec<Property> {
    let list = fields.get("properties");
    let list = list.and_then(|node| fields::list(node, "`properties`", problems));
    let mut names = HashSet::new();
    let mut properties = Vec::new();
    for node in list.unwrap_or_default() {
        let Some(property) = property(node, places, drafts, problems) else { continue };
        if !names.insert(property.name.clone()) {
            let message = format!("the property `{}` is defined twice", shown(&property.name));
            problems.add(node.at, message);
        }
        properties.push(property);
    }
    properties
}

fn property(
    node: &Node,
    places: &Places,
    drafts: &[Draft],
    problems: &mut Collector,
) -> Option<Property> {
    let words = Quantifier::ALL.map(Quantifier::word);
    let known: Vec<&str> = ["name", "without"].into_iter().chain(words).collect();
    let fields = Fields::read(node, "a property", &known, problems)?;
    let name = fields.required("name", problems);
    let name = name.and_then(|node| fields::name(node, "the name of a property", problems));
    let given = Quantifier::ALL.into_iter().filter_map(|q| Some((q, fields.get(q.word())?)));
    let given: Vec<(Quantifier, &Node)> = given.collect();
    let without = without(&fields, drafts, problems);
    let [(quantifier, claim)] = given.as_slice() else {
        let message = format!("a property needs exactly one of {}", fields::listed(&words));
        problems.add(node.at, message);
        return None;
    };
    let what = format!("`{}`", quantifier.word());
    let condition = condition(claim, &what, places, problems);
    let (quantifier, condition) = (*quantifier, condition?);
    Some(Property { name: name?.into(), quantifier, condition, without })
}

fn without(fields: &Fields<'_>, drafts: &[Draft], problems: &mut Collector) -> Vec<TransitionId> {
    let list = fields.get("without");
    let list = list.and_then(|node| fields::list(node, "`without`", problems));
    let mut found = Vec::new();
    for node in list.unwrap_or_default() {
        let Some(name) = fields::text(node, "a transition in `without`", problems) else {
            continue;
        };
        let position = drafts.iter().position(|draft| draft.name == name);
        let Some(id) = position.and_then(TransitionId::new) else {
            let message = format!("`without` names `{}`, which is not a transition", shown(name));
            let names = drafts.iter().map(|draft| draft.name.as_str());
            problems.add_with(node.at, message, || did_you_mean(name, names));
            continue;
        };
        found.push(id);
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn condition(
    node: &Node,
    what: &str,
    places: &Places,
    problems: &mut Collector,
) -> Option<Condition> {
    let text = fields::text(node, what, problems)?;
    // Without places every name would be unknown.
    if !places.complete {
        return None;
    }
    match Condition::parse(text, places) {
        Ok(condition) => Some(condition),
        Err(error) => {
            let at = node.position_within(error.range.start);
            problems.add_with(at, format!("{what}: {}", error.message), || error.help);
            None
        }
    }
}

fn net(
    name: &str,
    places: &Places,
    drafts: &[Draft],
    marking: &[(PlaceId, u64)],
    problems: &mut Collector,
) -> Option<Net> {
    let mut builder = Net::builder(name).places(places.names());
    for draft in drafts {
        let side = |arcs: &BTreeMap<PlaceId, u64>| {
            let arc = |(&place, &weight)| (places.name(place).to_owned(), weight);
            arcs.iter().map(arc).collect::<Vec<_>>()
        };
        builder =
            builder.weighted_transition(&draft.name, side(&draft.inputs), side(&draft.outputs));
    }
    for &(place, count) in marking {
        builder = builder.initial(places.name(place), count);
    }
    // Everything the net checks was checked with its position before; this is a second look.
    builder.build().map_err(|error| problems.add(None, error.to_string())).ok()
}

/// Guards and expressions, to be compared with what there is.
#[derive(Debug, Default)]
pub(super) struct Uses {
    guards: Vec<(Guard, Node, Purpose)>,
}

impl Uses {
    /// Reads a guard or an expression and notes it.
    pub(super) fn guard(
        &mut self,
        node: &Node,
        what: &str,
        purpose: Purpose,
        problems: &mut Collector,
    ) -> Option<Guard> {
        let text = fields::text(node, what, problems)?;
        let guard = match Guard::parse(text) {
            Ok(guard) => guard,
            Err(error) => {
                let at = node.position_within(error.range.start);
                problems.add_with(at, format!("{what}: {}", error.message), || error.help);
                return None;
            }
        };
        self.guards.push((guard.clone(), node.clone(), purpose));
        Some(guard)
    }

    /// What can be said against them before they run. Fields that nothing provides may still be
    /// given to an instance at its start.
    fn warnings(
        self,
        places: &Places,
        drafts: &[Draft],
        context: &Map<String, Json>,
    ) -> Vec<Problem> {
        // What transitions write may hold anything.
        let mut example = context.clone();
        for field in drafts.iter().flat_map(Draft::writes) {
            example.insert(field.to_owned(), Json::Null);
        }
        let example = Json::Object(example);
        // A registered type may write any field.
        let is_foreign = drafts.iter().any(|draft| matches!(draft.node, Effect::Custom { .. }));
        let places: Vec<String> = places.names().map(str::to_owned).collect();
        let mut warnings = Collector::default();
        for (guard, node, purpose) in self.guards {
            let known = Known { context: &example, places: &places, purpose };
            for finding in guard::check(&guard, &known) {
                if !(is_foreign && finding.problem == guard::Problem::UnknownField) {
                    let at = node.position_within(finding.range.start);
                    warnings.add_with(at, finding.message, || finding.help);
                }
            }
        }
        warnings.into_list()
    }
}
