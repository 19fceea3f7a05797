//! From a draft to a net: arcs connected, weights added up, nodes named.

use std::collections::HashMap;

use super::PnmlProblemKind;
use super::draft::{ArcDraft, Draft};
use super::error::Problems;
use super::names::unique_names;
use super::references::{End, References};
use crate::{BuildError, Net};

/// The weights of all arcs by source and target; arcs between the same two are added up.
pub(super) struct Weights(HashMap<(End, End), u64>);

/// Follows all references and connects all arcs.
pub(super) fn connect(draft: &Draft<'_>, problems: &mut Problems) -> Weights {
    let references = References::follow_all(draft, problems);
    let mut weights = HashMap::new();
    for arc in &draft.arcs {
        let source = references.arc_end(arc, "source", arc.source, problems);
        let target = references.arc_end(arc, "target", arc.target, problems);
        let Some(ends) = source.zip(target) else { continue };
        if let Err(kind) = add_arc(arc, ends, &mut weights) {
            problems.push(arc.at, kind);
        }
    }
    Weights(weights)
}

fn add_arc(
    arc: &ArcDraft<'_>,
    (source, target): (End, End),
    weights: &mut HashMap<(End, End), u64>,
) -> Result<(), PnmlProblemKind> {
    if source.kind() == target.kind() {
        return Err(PnmlProblemKind::SameKindArc { arc: arc.id.to_owned(), kind: source.kind() });
    }
    let sum = weights.entry((source, target)).or_insert(0_u64);
    let was_too_large = u32::try_from(*sum).is_err();
    *sum = sum.saturating_add(arc.weight);
    if u32::try_from(*sum).is_err() && !was_too_large {
        return Err(PnmlProblemKind::WeightOverflow { arc: arc.id.to_owned() });
    }
    Ok(())
}

/// The arcs of each transition, by place names.
struct Sides<'a> {
    inputs: Vec<Vec<(&'a str, u64)>>,
    outputs: Vec<Vec<(&'a str, u64)>>,
}

impl<'a> Sides<'a> {
    fn sort(weights: &Weights, places: &'a [String], transition_count: usize) -> Self {
        let mut sides = Self {
            inputs: vec![Vec::new(); transition_count],
            outputs: vec![Vec::new(); transition_count],
        };
        for (&ends, &weight) in &weights.0 {
            let (side, place) = match ends {
                (End::Place(place), End::Transition(transition)) => {
                    (sides.inputs.get_mut(transition), place)
                }
                (End::Transition(transition), End::Place(place)) => {
                    (sides.outputs.get_mut(transition), place)
                }
                // Arcs between two of a kind have been refused.
                _ => continue,
            };
            let place = places.get(place).map(String::as_str);
            if let Some((side, place)) = side.zip(place) {
                side.push((place, weight));
            }
        }
        sides
    }
}

/// Names the nodes and builds the net.
pub(super) fn build(name: String, draft: &Draft<'_>, weights: &Weights) -> Result<Net, BuildError> {
    let places = unique_names(draft.places.iter().map(|place| &place.node));
    let transitions = unique_names(draft.transitions.iter());
    let sides = Sides::sort(weights, &places, transitions.len());
    let mut builder = Net::builder(name).places(places.iter().cloned());
    for (place, name) in draft.places.iter().zip(&places) {
        builder = builder.initial(name, place.tokens);
    }
    for ((name, inputs), outputs) in transitions.into_iter().zip(sides.inputs).zip(sides.outputs) {
        builder = builder.weighted_transition(name, inputs, outputs);
    }
    builder.build()
}
