//! The builder: collects a net by name, then reports every problem at once.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use crate::net::{Arcs, Names, WeightedArc, place_id};
use crate::{Marking, Net, PlaceId};

/// Collects places, transitions and tokens; [`build`](NetBuilder::build) checks them all.
///
/// Order is free: a transition may name a place that is declared later.
#[derive(Debug, Clone)]
#[must_use]
pub struct NetBuilder {
    name: String,
    places: Vec<String>,
    transitions: Vec<DraftTransition>,
    initial: Vec<(String, u64)>,
}

#[derive(Debug, Clone)]
struct DraftTransition {
    name: String,
    inputs: Vec<(String, u64)>,
    outputs: Vec<(String, u64)>,
}

impl NetBuilder {
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), places: Vec::new(), transitions: Vec::new(), initial: Vec::new() }
    }

    /// Adds a place.
    pub fn place(mut self, name: impl Into<String>) -> Self {
        self.places.push(name.into());
        self
    }

    /// Adds several places.
    pub fn places<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.places.extend(names.into_iter().map(Into::into));
        self
    }

    /// Adds a transition; a place listed several times is an arc of that weight.
    pub fn transition<I: Into<String>, O: Into<String>>(
        self,
        name: impl Into<String>,
        inputs: impl IntoIterator<Item = I>,
        outputs: impl IntoIterator<Item = O>,
    ) -> Self {
        let inputs = inputs.into_iter().map(|place| (place, 1));
        let outputs = outputs.into_iter().map(|place| (place, 1));
        self.weighted_transition(name, inputs, outputs)
    }

    /// Adds a transition with explicit weights; weights of a place listed several times add up.
    pub fn weighted_transition<I: Into<String>, O: Into<String>>(
        mut self,
        name: impl Into<String>,
        inputs: impl IntoIterator<Item = (I, u64)>,
        outputs: impl IntoIterator<Item = (O, u64)>,
    ) -> Self {
        self.transitions.push(DraftTransition {
            name: name.into(),
            inputs: inputs.into_iter().map(|(place, weight)| (place.into(), weight)).collect(),
            outputs: outputs.into_iter().map(|(place, weight)| (place.into(), weight)).collect(),
        });
        self
    }

    /// Puts tokens into a place at the start; places never named hold 0.
    pub fn initial(mut self, place: impl Into<String>, tokens: u64) -> Self {
        self.initial.push((place.into(), tokens));
        self
    }

    /// Checks everything and hands out the net.
    ///
    /// # Errors
    /// Every [`Problem`] of the net, not only the first.
    pub fn build(self) -> Result<Net, BuildError> {
        let mut problems = Vec::new();
        check_names("place", self.places.iter(), &mut problems);
        check_names("transition", self.transitions.iter().map(|draft| &draft.name), &mut problems);
        let known: HashMap<&str, PlaceId> = (0..self.places.len().min(u32::MAX as usize))
            .zip(&self.places)
            .map(|(position, name)| (name.as_str(), place_id(position)))
            .collect();
        let lookup = PlaceLookup { known: &known };
        let arcs: Arc<[Arcs]> =
            self.transitions.iter().map(|draft| lookup.arcs(draft, &mut problems)).collect();
        let initial = lookup.initial(self.places.len(), &self.initial, &mut problems);
        if !problems.is_empty() {
            return Err(BuildError { net: self.name, problems });
        }
        Ok(Net {
            name: self.name.into(),
            transitions: Names::new(self.transitions.into_iter().map(|t| t.name.into()).collect())
                .into(),
            places: Names::new(self.places.into_iter().map(Into::into).collect()).into(),
            arcs,
            initial,
        })
    }
}

fn check_names<'a>(
    kind: &'static str,
    names: impl ExactSizeIterator<Item = &'a String>,
    problems: &mut Vec<Problem>,
) {
    if u32::try_from(names.len()).is_err() {
        problems.push(Problem::TooMany { kind, count: names.len() });
    }
    let mut seen: HashMap<&str, u32> = HashMap::new();
    for (position, name) in names.enumerate() {
        if name.is_empty() {
            problems.push(Problem::EmptyName { kind, position });
            continue;
        }
        let times = seen.entry(name).or_default();
        *times = times.saturating_add(1);
        // Reported at the second occurrence, and only there.
        if *times == 2 {
            problems.push(Problem::DuplicateName { kind, name: name.clone() });
        }
    }
}

struct PlaceLookup<'a> {
    known: &'a HashMap<&'a str, PlaceId>,
}

impl PlaceLookup<'_> {
    fn find(&self, name: &str, used_by: &str, problems: &mut Vec<Problem>) -> Option<PlaceId> {
        let found = self.known.get(name).copied();
        if found.is_none() {
            problems.push(Problem::UnknownPlace { place: name.into(), used_by: used_by.into() });
        }
        found
    }

    fn arcs(&self, draft: &DraftTransition, problems: &mut Vec<Problem>) -> Arcs {
        let used_by = format!("transition `{}`", draft.name);
        Arcs {
            inputs: self.side(&draft.inputs, &used_by, problems),
            outputs: self.side(&draft.outputs, &used_by, problems),
        }
    }

    /// One side of a transition: weights of the same place added, sorted by place.
    fn side(
        &self,
        arcs: &[(String, u64)],
        used_by: &str,
        problems: &mut Vec<Problem>,
    ) -> Box<[WeightedArc]> {
        let mut weights: BTreeMap<PlaceId, (&str, u64)> = BTreeMap::new();
        for (name, weight) in arcs {
            let Some(place) = self.find(name, used_by, problems) else { continue };
            if *weight == 0 {
                problems.push(Problem::ZeroWeight { place: name.clone(), used_by: used_by.into() });
            }
            let (_, sum) = weights.entry(place).or_insert((name, 0));
            *sum = sum.saturating_add(*weight);
        }
        let checked = weights.into_iter().filter_map(|(place, (name, sum))| {
            let weight = checked_tokens(sum, name, used_by, problems)?;
            Some(WeightedArc { place, weight })
        });
        checked.collect()
    }

    fn initial(
        &self,
        place_count: usize,
        initial: &[(String, u64)],
        problems: &mut Vec<Problem>,
    ) -> Marking {
        const USED_BY: &str = "the initial marking";
        let mut tokens = vec![0_u32; place_count];
        let mut given = vec![false; place_count];
        for (name, count) in initial {
            let Some(place) = self.find(name, USED_BY, problems) else { continue };
            let Some(count) = checked_tokens(*count, name, USED_BY, problems) else { continue };
            let slot = tokens.get_mut(place.index()).zip(given.get_mut(place.index()));
            let Some((tokens, given)) = slot else { continue };
            if std::mem::replace(given, true) {
                problems.push(Problem::InitialTwice { place: name.clone() });
            }
            *tokens = count;
        }
        Marking::from(tokens)
    }
}

fn checked_tokens(
    count: u64,
    place: &str,
    used_by: &str,
    problems: &mut Vec<Problem>,
) -> Option<u32> {
    let checked = u32::try_from(count).ok();
    if checked.is_none() {
        problems.push(Problem::Overflow { place: place.into(), used_by: used_by.into(), count });
    }
    checked
}

/// One thing that is wrong with a net.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// A place or transition without a name.
    EmptyName {
        /// `place` or `transition`.
        kind: &'static str,
        /// Where in the declared order, from 0.
        position: usize,
    },
    /// Two places, or two transitions, of one name.
    DuplicateName {
        /// `place` or `transition`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A name that no place has.
    UnknownPlace {
        /// The name.
        place: String,
        /// The transition, or the initial marking.
        used_by: String,
    },
    /// An arc that would move nothing.
    ZeroWeight {
        /// The arc's place.
        place: String,
        /// The arc's transition.
        used_by: String,
    },
    /// A weight or token count beyond `u32::MAX`.
    Overflow {
        /// The place it belongs to.
        place: String,
        /// The transition, or the initial marking.
        used_by: String,
        /// The count.
        count: u64,
    },
    /// The initial marking names a place twice.
    InitialTwice {
        /// The place.
        place: String,
    },
    /// More places or transitions than can be numbered.
    TooMany {
        /// `place` or `transition`.
        kind: &'static str,
        /// How many.
        count: usize,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyName { kind, position } => {
                write!(f, "{kind} number {} has an empty name", position.saturating_add(1))
            }
            Self::DuplicateName { kind, name } => write!(f, "{kind} `{name}` is defined twice"),
            Self::UnknownPlace { place, used_by } => {
                write!(f, "{used_by} names `{place}`, which is not a place")
            }
            Self::ZeroWeight { place, used_by } => {
                write!(f, "{used_by} has an arc of weight 0 at `{place}`")
            }
            Self::Overflow { place, used_by, count } => {
                write!(f, "{used_by} has {count} at `{place}`, more than {}", u32::MAX)
            }
            Self::InitialTwice { place } => {
                write!(f, "the initial marking names `{place}` twice")
            }
            Self::TooMany { kind, count } => {
                write!(f, "{count} {kind}s, more than {}", u32::MAX)
            }
        }
    }
}

/// All problems of a net that could not be built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildError {
    net: String,
    problems: Vec<Problem>,
}

impl BuildError {
    /// The problems, at least one, in the order of the net's parts.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "net `{}` is not valid: ", self.net)?;
        let mut separator = "";
        for problem in &self.problems {
            write!(f, "{separator}{problem}")?;
            separator = "; ";
        }
        Ok(())
    }
}

impl std::error::Error for BuildError {}
