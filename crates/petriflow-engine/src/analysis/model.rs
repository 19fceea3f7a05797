//! The net that is explored: a definition's net, its timeouts and what comes from outside.
//!
//! A timeout that happens once is a transition of its own. It needs and keeps the tokens of the
//! transition T it belongs to, and a token that says that it has not happened yet (*armed*), which
//! it turns into one that says that it has (*spent*). Whatever ends T's being enabled arms it
//! again: firing T, or another transition that takes T's tokens. Whether T lost its tokens by that
//! can depend on how many there were; a net cannot ask for too few tokens, so where the most tokens
//! of the place do not tell, both are possible in the model. It can then do more than a workflow,
//! never less. The same holds if T has a guard, since what a guard says can change with every step.
//!
//! A timeout that repeats needs no such tokens. An outside event is a transition without inputs,
//! or, to be explored, with a budget.

use std::collections::BTreeSet;

use petriflow_net::{Marking, Net, PlaceId, TransitionId};

use super::report::{Bound, Step, Trace};
use crate::definition::{Definition, Timeout};

/// A transition that could re-arm more timeouts than this has too many variants; the timeouts
/// beyond are modelled as repeating.
const REARMED_MAX: usize = 6;

/// A transition of the model, by what it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Fire(TransitionId),
    Timeout(TransitionId),
    Inject(PlaceId),
}

/// The net to be explored. Its first places are those of the definition.
#[derive(Debug)]
pub(super) struct Model<'d> {
    pub(super) definition: &'d Definition,
    pub(super) net: Net,
    /// What each transition of `net` stands for.
    pub(super) origins: Vec<Origin>,
    /// Transitions whose timeout can come too early in the model.
    pub(super) loose: Vec<TransitionId>,
    /// Whether knowing the bounds of places could make it more exact.
    pub(super) can_be_refined: bool,
}

/// What a model leaves out or limits.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shape<'s> {
    /// Transitions that never fire. Their timeouts still happen.
    pub(super) without: &'s [TransitionId],
    /// How many tokens are injected into each external place; `None` is without end.
    pub(super) injections_max: Option<u32>,
    /// The most tokens of the definition's places, if known.
    pub(super) bounds: Option<&'s Marking>,
}

/// What one transition does to the being enabled of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    Never,
    Maybe,
    Surely,
}

/// A timeout that happens once, with its two places.
struct Once {
    of: TransitionId,
    armed: String,
    spent: String,
}

impl<'d> Model<'d> {
    /// The model of this shape.
    pub(super) fn new(definition: &'d Definition, shape: &Shape<'_>) -> Self {
        Maker::new(definition, shape).make()
    }

    /// Whether nothing of the workflow can happen in a marking of the model.
    pub(super) fn is_terminal(&self, tokens: impl Fn(PlaceId) -> u32) -> bool {
        self.net.transitions().zip(&self.origins).all(|(transition, origin)| {
            matches!(origin, Origin::Inject(_)) || !self.is_enabled(transition, &tokens)
        })
    }

    /// The definition's transitions that have their tokens.
    pub(super) fn enabled(
        &self,
        tokens: &impl Fn(PlaceId) -> u32,
    ) -> impl Iterator<Item = TransitionId> {
        let enabled = self.net.transitions().zip(&self.origins);
        enabled.filter_map(move |(transition, origin)| match origin {
            Origin::Fire(of) if self.is_enabled(transition, tokens) => Some(*of),
            _ => None,
        })
    }

    fn is_enabled(&self, transition: TransitionId, tokens: &impl Fn(PlaceId) -> u32) -> bool {
        self.net.inputs(transition).iter().all(|arc| tokens(arc.place) >= arc.weight)
    }

    pub(super) fn marks_terminal_place(&self, tokens: impl Fn(PlaceId) -> u32) -> bool {
        self.definition.terminal_places().iter().any(|&place| tokens(place) > 0)
    }

    pub(super) fn step(&self, transition: TransitionId) -> Option<Step> {
        let net = self.definition.net();
        Some(match *self.origins.get(transition.index())? {
            Origin::Fire(of) => Step::Fire(net.transition_name(of).into()),
            Origin::Timeout(of) => Step::Timeout(net.transition_name(of).into()),
            Origin::Inject(place) => Step::Inject(net.place_name(place).into()),
        })
    }

    pub(super) fn steps(&self, transitions: &[TransitionId]) -> Vec<Step> {
        transitions.iter().filter_map(|&transition| self.step(transition)).collect()
    }

    pub(super) fn trace(&self, transitions: &[TransitionId], marking: &[u32]) -> Trace {
        let net = self.definition.net();
        let marked = net.places().zip(marking).filter(|&(_, &tokens)| tokens > 0);
        let marked = marked.map(|(place, &tokens)| (net.place_name(place).to_owned(), tokens));
        Trace { steps: self.steps(transitions), marking: marked.collect(), cycle: Vec::new() }
    }

    /// The definition's transitions of which none of these model transitions is left out.
    pub(super) fn all_unfired(&self, unfired: &[TransitionId]) -> Vec<TransitionId> {
        let unfired: BTreeSet<TransitionId> = unfired.iter().copied().collect();
        let fires = self.net.transitions().zip(&self.origins).filter_map(|(id, origin)| {
            let Origin::Fire(of) = origin else { return None };
            (!unfired.contains(&id)).then_some(*of)
        });
        let fires: BTreeSet<TransitionId> = fires.collect();
        self.definition.net().transitions().filter(|id| !fires.contains(id)).collect()
    }

    /// By place of the definition.
    pub(super) fn named<B>(
        &self,
        bounds: impl IntoIterator<Item = B>,
        read: impl Fn(B) -> Bound,
    ) -> Vec<(String, Bound)> {
        let net = self.definition.net();
        let places = net.places().map(|place| net.place_name(place).to_owned());
        places.zip(bounds.into_iter().map(read)).collect()
    }
}

struct Maker<'d, 's> {
    definition: &'d Definition,
    shape: &'s Shape<'s>,
    once: Vec<Once>,
    /// Timeouts modelled as repeating although they are not.
    as_repeating: BTreeSet<TransitionId>,
    origins: Vec<Origin>,
    inexact: BTreeSet<TransitionId>,
    can_be_refined: bool,
}

/// Arcs by the name of their place.
type Arcs = Vec<(String, u64)>;

impl<'d, 's> Maker<'d, 's> {
    fn new(definition: &'d Definition, shape: &'s Shape<'s>) -> Self {
        let once = definition.net().transitions().zip(definition.transitions());
        let once = once.filter_map(|(of, transition)| {
            transition.timeout().filter(|timeout| !timeout.repeat)?;
            // No place of a definition has a control character in its name.
            let number = of.index();
            let (armed, spent) = (format!("\u{1}armed {number}"), format!("\u{1}spent {number}"));
            Some(Once { of, armed, spent })
        });
        let mut maker = Self {
            definition,
            shape,
            once: once.collect(),
            as_repeating: BTreeSet::new(),
            origins: Vec::new(),
            inexact: BTreeSet::new(),
            can_be_refined: false,
        };
        maker.limit_variants();
        maker
    }

    /// Gives up exactness where transitions would have too many variants.
    fn limit_variants(&mut self) {
        let injects = self.definition.external_places().iter().map(|&p| Origin::Inject(p));
        let fires = self.definition.net().transitions().map(Origin::Fire);
        let timeouts = self.definition.net().transitions().map(Origin::Timeout);
        for by in fires.chain(timeouts).chain(injects) {
            let rearmed = self.once.iter().filter(|once| self.ends(by, once.of) != Ends::Never);
            let beyond: Vec<TransitionId> = rearmed.skip(REARMED_MAX).map(|once| once.of).collect();
            self.as_repeating.extend(&beyond);
            self.once.retain(|once| !beyond.contains(&once.of));
        }
    }

    /// What `by` does to the being enabled of `of`.
    fn ends(&self, by: Origin, of: TransitionId) -> Ends {
        if by == Origin::Fire(of) {
            return Ends::Surely;
        }
        if by == Origin::Timeout(of) {
            return Ends::Never;
        }
        let net = self.definition.net();
        let effect = match by {
            Origin::Fire(by) => net.effect(by),
            Origin::Timeout(_) | Origin::Inject(_) => Vec::new(),
        };
        let mut ends = Ends::Never;
        for arc in net.inputs(of) {
            let change = effect.iter().find(|(place, _)| *place == arc.place);
            let Some(&(_, change)) = change.filter(|(_, change)| *change < 0) else { continue };
            let most = self.shape.bounds.map(|bounds| i64::from(bounds.tokens(arc.place)));
            let left = most.map(|most| most.saturating_add(change));
            match left.is_some_and(|left| left < i64::from(arc.weight)) {
                true => return Ends::Surely,
                false => ends = Ends::Maybe,
            }
        }
        let guarded = self.definition.transition(of).is_some_and(|t| t.guard().is_some());
        if guarded { Ends::Maybe } else { ends }
    }

    #[expect(
        clippy::expect_used,
        reason = "names differ (a prefix no definition has, numbers), arcs are of places added \
                  above, and weights are lengths of lists of a definition plus 1"
    )]
    fn make(mut self) -> Model<'d> {
        let net = self.definition.net();
        let mut builder = Net::builder(net.name());
        builder = builder.places(net.places().map(|place| net.place_name(place)));
        for (place, &tokens) in net.places().zip(net.initial().iter()) {
            builder = builder.initial(net.place_name(place), tokens.into());
        }
        for once in &self.once {
            builder = builder.places([&once.armed, &once.spent]).initial(&once.armed, 1);
        }
        let mut parts = Vec::new();
        for id in net.transitions().filter(|id| !self.shape.without.contains(id)) {
            let (inputs, outputs) = (arcs(net, net.inputs(id)), arcs(net, net.outputs(id)));
            self.add(Origin::Fire(id), inputs, outputs, &mut parts);
        }
        self.add_timeouts(&mut parts);
        for &place in self.definition.external_places() {
            let name = net.place_name(place);
            let budget = format!("\u{1}budget {}", place.index());
            let mut inputs = Vec::new();
            if let Some(most) = self.shape.injections_max {
                builder = builder.place(&budget).initial(&budget, most.into());
                inputs.push((budget, 1));
            }
            self.add(Origin::Inject(place), inputs, vec![(name.into(), 1)], &mut parts);
        }
        for (number, (inputs, outputs)) in parts.into_iter().enumerate() {
            builder = builder.weighted_transition(format!("{number}"), inputs, outputs);
        }
        self.inexact.extend(&self.as_repeating);
        Model {
            definition: self.definition,
            net: builder.build().expect("a valid net"),
            origins: self.origins,
            loose: self.inexact.into_iter().collect(),
            can_be_refined: self.can_be_refined,
        }
    }

    fn add_timeouts(&mut self, parts: &mut Vec<(Arcs, Arcs)>) {
        let net = self.definition.net();
        for (id, transition) in net.transitions().zip(self.definition.transitions()) {
            let Some(timeout) = transition.timeout() else { continue };
            let (mut inputs, mut outputs) = timeout_arcs(net, id, timeout);
            if let Some(once) = self.once.iter().find(|once| once.of == id) {
                inputs.push((once.armed.clone(), 1));
                outputs.push((once.spent.clone(), 1));
            }
            self.add(Origin::Timeout(id), inputs, outputs, parts);
        }
    }

    /// Adds a transition in all the variants that differ in what they re-arm.
    fn add(&mut self, origin: Origin, inputs: Arcs, outputs: Arcs, parts: &mut Vec<(Arcs, Arcs)>) {
        let mut variants = vec![(inputs, outputs)];
        let mut inexact = Vec::new();
        for once in &self.once {
            let ends = self.ends(origin, once.of);
            if ends == Ends::Never {
                continue;
            }
            let mut next = Vec::new();
            for (inputs, outputs) in variants {
                let with = |place: &String| {
                    let (mut inputs, mut outputs) = (inputs.clone(), outputs.clone());
                    inputs.push((place.clone(), 1));
                    outputs.push((once.armed.clone(), 1));
                    (inputs, outputs)
                };
                next.push(with(&once.spent));
                // A timeout that may be over stays as it is, one that surely is was armed already.
                next.push(if ends == Ends::Surely { with(&once.armed) } else { (inputs, outputs) });
            }
            variants = next;
            if ends == Ends::Maybe {
                inexact.push(once.of);
            }
        }
        self.can_be_refined |= !inexact.is_empty() && self.shape.bounds.is_none();
        self.inexact.extend(inexact);
        self.origins.extend(variants.iter().map(|_| origin));
        parts.extend(variants);
    }
}

fn arcs(net: &Net, arcs: &[petriflow_net::WeightedArc]) -> Arcs {
    arcs.iter().map(|arc| (net.place_name(arc.place).to_owned(), arc.weight.into())).collect()
}

/// What a timeout needs and keeps, and its token.
fn timeout_arcs(net: &Net, of: TransitionId, timeout: &Timeout) -> (Arcs, Arcs) {
    let inputs = arcs(net, net.inputs(of));
    let mut outputs = inputs.clone();
    outputs.push((net.place_name(timeout.place).to_owned(), 1));
    (inputs, outputs)
}
