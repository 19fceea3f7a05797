//! The analysis itself: explores, then reads off what the outcome allows.

use std::collections::HashSet;

use petriflow_net::analysis::{
    self, Coverability, Exploration, Explorer, Graph, Limit, StateId, StateSpace, coverability,
};
use petriflow_net::invariants::{self, PlaceWeights, SemiflowLimit};
use petriflow_net::{PlaceId, TransitionId};

use super::Limits;
use super::claims::{Asked, property_reports};
use super::model::{Model, Shape};
use super::report::{
    Bound, Ends, Equation, Guards, Invariant, Outcome, Pump, Report, Soundness, Trace, Verdict,
};
use crate::definition::Definition;

/// The token counts in a coverability tree, each held twice in 8 bytes.
const COVERABILITY_COUNTS_MAX: usize = 1 << 24;

pub(super) fn study(definition: &Definition, limits: &Limits) -> Report {
    let model = settled(definition, &[], limits);
    let whole = Model::new(definition, &Shape::default());
    let broken = structurally_broken(definition, &whole);
    let posed: Vec<_> = definition.properties().iter().filter(|p| p.without.is_empty()).collect();
    let asked = Asked { properties: posed, invariants: broken.clone() };
    let exploration = explore(&model, limits, &asked);
    let view = View { model: &model, exploration: &exploration, limits };
    let is_open = !definition.external_places().is_empty();
    let is_complete = matches!(exploration, Exploration::Complete(_));
    let growth = (is_open || matches!(exploration, Exploration::Unbounded { .. }))
        .then(|| coverability(&whole.net, nodes_max(&whole, limits)));
    let (completed, stuck, waiting, may_strand) = view.ends();
    let dead = view.dead(growth.as_ref(), &whole);
    let guarded = definition.transitions().iter().filter(|t| t.guard().is_some());
    let guarded = guarded.map(|transition| transition.name().to_owned()).collect();
    let verdicts = view.claims(&asked);
    Report {
        name: definition.name().into(),
        places: definition.net().place_count(),
        transitions: definition.net().transition_count(),
        outcome: view.outcome(growth.as_ref()),
        states: view.markings(),
        edges: exploration.explored().edges(),
        bounds: view.bounds(growth.as_ref(), &whole, is_complete && !is_open),
        pump: pump(&exploration, &model, growth.as_ref(), &whole),
        soundness: view.soundness(dead.as_deref()),
        no_livelock: view.all_can_reach(|state| view.is_terminal(state)),
        invariants: given_invariants(definition, &broken, &verdicts),
        computed_invariants: computed_invariants(&whole),
        properties: property_reports(definition, &view, &asked, &verdicts),
        completed,
        stuck,
        waiting,
        dead: dead.map(|dead| names(definition, &dead)),
        guards: Guards { guarded, may_strand },
        loose_timeouts: names(definition, &model.loose),
        injections_max: is_open.then_some(limits.injections_max),
    }
}

fn nodes_max(model: &Model<'_>, limits: &Limits) -> usize {
    let in_memory = COVERABILITY_COUNTS_MAX.checked_div(model.net.place_count());
    limits.coverability_nodes_max.min(in_memory.unwrap_or(usize::MAX))
}

/// The most exact model that can be had: a first exploration may tell the bounds it needs.
pub(super) fn settled<'d>(
    definition: &'d Definition,
    without: &[TransitionId],
    limits: &Limits,
) -> Model<'d> {
    let is_open = !definition.external_places().is_empty();
    let injections_max = is_open.then_some(limits.injections_max);
    let shape = Shape { without, injections_max, bounds: None };
    let rough = Model::new(definition, &shape);
    if !rough.can_be_refined {
        return rough;
    }
    let exploration = explore(&rough, limits, &Asked::default());
    match exploration {
        Exploration::Complete(space) => {
            Model::new(definition, &Shape { bounds: Some(space.bounds()), ..shape })
        }
        _ => Model::new(definition, &shape),
    }
}

pub(super) fn explore<'m>(
    model: &'m Model<'_>,
    limits: &Limits,
    asked: &Asked<'_>,
) -> Exploration<'m> {
    let explorer = Explorer::new(&model.net)
        .markings_max(limits.states_max)
        .memory_max_bytes(limits.memory_max_bytes)
        .threads(limits.threads);
    asked.pose(explorer, model).explore()
}

/// An exploration and what it is of.
pub(super) struct View<'v, 'd> {
    pub(super) model: &'v Model<'d>,
    pub(super) exploration: &'v Exploration<'v>,
    pub(super) limits: &'v Limits,
}

impl View<'_, '_> {
    pub(super) fn space(&self) -> &StateSpace<'_> {
        self.exploration.explored()
    }

    pub(super) fn is_terminal(&self, state: StateId) -> bool {
        let view = self.space().view(state);
        self.model.is_terminal(|place| view.tokens(place))
    }

    /// Whether an instance is completed here.
    fn is_completed(&self, state: StateId) -> bool {
        let view = self.space().view(state);
        self.model.marks_terminal_place(|place| view.tokens(place)) && self.is_terminal(state)
    }

    /// Whether guards alone decide if an instance goes on from here. One that has marked a
    /// terminal place would be completed.
    pub(super) fn may_strand(&self, state: StateId) -> bool {
        let view = self.space().view(state);
        let tokens = |place: PlaceId| view.tokens(place);
        let has_guard =
            |id| self.model.definition.transition(id).is_some_and(|t| t.guard().is_some());
        let mut enabled = self.model.enabled(&tokens).peekable();
        enabled.peek().is_some()
            && enabled.all(has_guard)
            && !self.model.marks_terminal_place(tokens)
    }

    pub(super) fn trace_to(&self, trace: &analysis::Trace) -> Trace {
        self.model.trace(&trace.transitions, &trace.marking)
    }

    /// Why what was not met may exist all the same, if it may.
    pub(super) fn gap(&self) -> Option<String> {
        let most = self.limits.injections_max;
        match self.exploration {
            Exploration::Complete(_) if self.model.definition.external_places().is_empty() => None,
            Exploration::Complete(_) => Some(format!(
                "decided only for up to {most} tokens injected into each external place"
            )),
            Exploration::Unbounded { .. } => Some("there is no end to the markings".into()),
            Exploration::Undecided { limit, .. } => {
                Some(format!("stopped at {}", limit_text(self.model, limit)))
            }
        }
    }

    fn outcome(&self, growth: Option<&Coverability>) -> Outcome {
        match self.exploration {
            Exploration::Undecided { limit, .. } if growth.is_none_or(|g| g.pump.is_none()) => {
                Outcome::Undecided { limit: limit_text(self.model, limit) }
            }
            Exploration::Complete(_) if growth.is_none_or(|g| g.pump.is_none()) => {
                Outcome::Complete
            }
            _ => Outcome::Unbounded,
        }
    }

    /// Different markings of the definition's places.
    fn markings(&self) -> usize {
        let states: Vec<StateId> = self.space().states().collect();
        self.distinct(states)
    }

    fn distinct(&self, states: Vec<StateId>) -> usize {
        let places = self.model.definition.net().place_count();
        if places == self.model.net.place_count() {
            return states.len();
        }
        let marking = |state| self.space().marking(state).iter().take(places).copied().collect();
        states.into_iter().map(marking).collect::<HashSet<Vec<u32>>>().len()
    }

    fn ends_of(&self, states: Vec<StateId>) -> Ends {
        let nearest = self.space().nearest(states.iter().copied());
        let nearest = nearest.map(|trace| self.trace_to(&trace));
        Ends { count: self.distinct(states), nearest }
    }

    /// Completed, stuck and waiting markings, and those that guards may strand.
    fn ends(&self) -> (Ends, Ends, Ends, Ends) {
        let (mut completed, mut open, mut strand) = (Vec::new(), Vec::new(), Vec::new());
        for state in self.space().states() {
            match (self.is_terminal(state), self.is_completed(state)) {
                (true, true) => completed.push(state),
                (true, false) => open.push(state),
                _ if self.may_strand(state) => strand.push(state),
                _ => {}
            }
        }
        let open = self.ends_of(open);
        let (stuck, waiting) = match self.model.definition.external_places().is_empty() {
            true => (open, Ends::default()),
            false => (Ends::default(), open),
        };
        (self.ends_of(completed), stuck, waiting, self.ends_of(strand))
    }

    fn dead(&self, growth: Option<&Coverability>, whole: &Model<'_>) -> Option<Vec<TransitionId>> {
        let unfired = self.model.all_unfired(&self.space().unfired());
        match growth.filter(|growth| growth.complete) {
            Some(growth) => Some(whole.all_unfired(&growth.unfired)),
            None => (unfired.is_empty() || self.gap().is_none()).then_some(unfired),
        }
    }

    fn bounds(
        &self,
        growth: Option<&Coverability>,
        whole: &Model<'_>,
        is_exact: bool,
    ) -> Vec<(String, Bound)> {
        if is_exact {
            let bounds = self.space().bounds().iter();
            return self.model.named(bounds, |&bound| Bound::AtMost(bound.into()));
        }
        let Some(growth) = growth else {
            let places = self.model.definition.net().places();
            return self.model.named(places, |_| Bound::Undecided);
        };
        // Growth that an unfinished tree met is proved, its counts are not.
        whole.named(&growth.bounds, |bound| match bound {
            None => Bound::Unbounded,
            Some(bound) if growth.complete => Bound::AtMost(*bound),
            Some(_) => Bound::Undecided,
        })
    }

    fn soundness(&self, dead: Option<&[TransitionId]>) -> Soundness {
        let no_dead_transition = match dead {
            Some([]) => Verdict::Proved { witness: None },
            Some(_) => Verdict::Refuted { trace: None },
            None => self.undecided(),
        };
        Soundness {
            can_complete: self.all_can_reach(|state| self.is_completed(state)),
            completes_properly: self.completes_properly(),
            no_dead_transition,
        }
    }

    fn completes_properly(&self) -> Verdict {
        let terminal = self.model.definition.terminal_places();
        let leaves_something = |&state: &StateId| {
            let marking = self.space().marking(state);
            let mut places = self.model.definition.net().places();
            self.is_completed(state)
                && places.any(|place| marking.tokens(place) > 0 && !terminal.contains(&place))
        };
        let states = self.space().states().filter(leaves_something);
        match self.space().nearest(states) {
            Some(trace) => Verdict::Refuted { trace: Some(self.trace_to(&trace)) },
            None if self.gap().is_none() => Verdict::Proved { witness: None },
            None => self.undecided(),
        }
    }

    /// Whether from every marking one of these can be reached.
    fn all_can_reach(&self, target: impl Fn(StateId) -> bool) -> Verdict {
        // With more outside events, what looks final may go on; so a gap decides nothing here.
        let (Exploration::Complete(space), None) = (self.exploration, self.gap()) else {
            return self.undecided();
        };
        let graph = match Graph::new(space) {
            Ok(graph) => graph,
            Err(error) => return Verdict::Undecided { reason: error.to_string() },
        };
        let targets: HashSet<StateId> = space.states().filter(|&state| target(state)).collect();
        let is_target = |view: &analysis::MarkingView<'_>| {
            space.find(&view.to_marking()).is_some_and(|state| targets.contains(&state))
        };
        match space.nearest(graph.cannot_reach(is_target)) {
            Some(trace) => Verdict::Refuted { trace: Some(self.trace_to(&trace)) },
            None => Verdict::Proved { witness: None },
        }
    }

    fn undecided(&self) -> Verdict {
        Verdict::Undecided { reason: self.gap().unwrap_or_default() }
    }
}

fn limit_text(model: &Model<'_>, limit: &Limit) -> String {
    match limit {
        Limit::Markings { markings_max } => format!("the limit of {markings_max} states"),
        Limit::Tokens { place } => {
            let name = model.net.place_name(*place);
            format!("more than {} tokens in `{name}`", u32::MAX)
        }
        other => other.to_string(),
    }
}

fn pump(
    exploration: &Exploration<'_>,
    model: &Model<'_>,
    growth: Option<&Coverability>,
    whole: &Model<'_>,
) -> Option<Pump> {
    let (pump, model) = match (exploration, growth) {
        (Exploration::Unbounded { pump, .. }, _) => (pump, model),
        (_, Some(Coverability { pump: Some(pump), .. })) => (pump, whole),
        _ => return None,
    };
    let net = model.definition.net();
    let places = pump.places.iter().filter(|place| place.index() < net.place_count());
    Some(Pump {
        prefix: model.steps(&pump.prefix),
        cycle: model.steps(&pump.cycle),
        places: places.map(|&place| net.place_name(place).to_owned()).collect(),
    })
}

/// The invariants that the arcs alone do not prove, by number.
fn structurally_broken(definition: &Definition, whole: &Model<'_>) -> Vec<usize> {
    let invariants = definition.invariants().iter().enumerate();
    invariants
        .filter(|(_, weights)| invariants::check_place_weights(&whole.net, weights).is_err())
        .map(|(number, _)| number)
        .collect()
}

fn given_invariants(
    definition: &Definition,
    broken: &[usize],
    verdicts: &super::claims::Verdicts,
) -> Vec<Invariant> {
    let verdict = |number: usize| {
        let at = broken.iter().position(|&broken| broken == number);
        let asked = at.and_then(|at| verdicts.invariants.get(at));
        asked.cloned().unwrap_or(Verdict::Proved { witness: None })
    };
    let invariants = definition.invariants().iter().enumerate();
    invariants
        .map(|(number, weights)| Invariant {
            equation: equation(definition, weights),
            verdict: verdict(number),
        })
        .collect()
}

/// Weights are below 2^32 and so are counts, so that no sum overflows.
fn equation(definition: &Definition, weights: &PlaceWeights) -> Equation {
    let net = definition.net();
    Equation {
        weights: weights.iter().map(|(place, w)| (net.place_name(place).to_owned(), w)).collect(),
        value: weights.value(net.initial()).unwrap_or_default(),
    }
}

fn computed_invariants(whole: &Model<'_>) -> Result<Vec<Equation>, String> {
    let semiflows = invariants::place_semiflows(&whole.net, SemiflowLimit::default())
        .map_err(|gave_up| gave_up.to_string())?;
    let net = whole.definition.net();
    // What the model adds is nothing the definition speaks of.
    let own = |weights: &PlaceWeights| weights.support().all(|p| p.index() < net.place_count());
    Ok(semiflows.iter().filter(|y| own(y)).map(|y| equation(whole.definition, y)).collect())
}

pub(super) fn names(definition: &Definition, transitions: &[TransitionId]) -> Vec<String> {
    let net = definition.net();
    transitions.iter().map(|&id| net.transition_name(id).to_owned()).collect()
}
