//! The named properties and the invariants that must be asked of every marking.

use petriflow_net::analysis::{self, Exploration, Explorer, MarkingView, StateId};

use super::eventually::{Evasion, evasion};
use super::model::Model;
use super::report::{Caveat, PropertyReport, Step, Verdict};
use super::study::{View, explore, settled};
use crate::definition::{Definition, Property, Quantifier};

/// What one exploration is asked.
#[derive(Default)]
pub(super) struct Asked<'p> {
    pub(super) properties: Vec<&'p Property>,
    /// Invariants by number.
    pub(super) invariants: Vec<usize>,
}

/// The answers, in the order they were asked.
pub(super) struct Verdicts {
    pub(super) properties: Vec<Verdict>,
    pub(super) invariants: Vec<Verdict>,
}

impl<'p> Asked<'p> {
    /// Poses all but "eventually", which is not about single markings.
    pub(super) fn pose<'n, 'c>(
        &self,
        mut explorer: Explorer<'n, 'c>,
        model: &'c Model<'_>,
    ) -> Explorer<'n, 'c>
    where
        'p: 'c,
    {
        for &property in &self.properties {
            let predicate = move |view: &MarkingView<'_>| fulfils(property, model, view);
            explorer = match property.quantifier {
                Quantifier::Always => explorer.always("", predicate),
                Quantifier::Never => explorer.never("", predicate),
                Quantifier::Reachable | Quantifier::Eventually => explorer.reachable("", predicate),
            };
        }
        let invariants = model.definition.invariants();
        for weights in self.invariants.iter().filter_map(|&number| invariants.get(number)) {
            let value = weights.value(model.net.initial());
            let places = model.definition.net().place_count();
            explorer = explorer.always("", move |view| {
                let marking = view.to_marking();
                weights.value(marking.get(..places).unwrap_or_default()) == value
            });
        }
        explorer
    }
}

fn fulfils(property: &Property, model: &Model<'_>, view: &MarkingView<'_>) -> bool {
    let tokens = |place| view.tokens(place);
    property.condition.holds(tokens, || model.is_terminal(tokens))
}

impl View<'_, '_> {
    /// The verdicts of what was asked of this exploration.
    pub(super) fn claims(&self, asked: &Asked<'_>) -> Verdicts {
        let claims = self.exploration.claims();
        let mut verdicts = claims.into_iter().map(|claim| self.verdict(claim.verdict));
        let properties = asked.properties.iter().zip(verdicts.by_ref());
        let properties = properties.map(|(property, verdict)| match property.quantifier {
            Quantifier::Eventually => self.eventually(property),
            _ => verdict,
        });
        let properties = properties.collect();
        Verdicts { properties, invariants: verdicts.collect() }
    }

    /// A verdict that rests on what was not met is none while there is a gap.
    fn verdict(&self, verdict: analysis::Verdict) -> Verdict {
        let gap = |otherwise: Verdict| match self.gap() {
            Some(reason) => Verdict::Undecided { reason },
            None => otherwise,
        };
        match verdict {
            analysis::Verdict::Proved { witness: Some(trace) } => {
                Verdict::Proved { witness: Some(self.trace_to(&trace)) }
            }
            analysis::Verdict::Refuted { witness: Some(trace) } => {
                Verdict::Refuted { trace: Some(self.trace_to(&trace)) }
            }
            analysis::Verdict::Proved { witness: None } => gap(Verdict::Proved { witness: None }),
            analysis::Verdict::Refuted { witness: None } => gap(Verdict::Refuted { trace: None }),
            analysis::Verdict::Undecided => {
                Verdict::Undecided { reason: self.gap().unwrap_or_default() }
            }
        }
    }

    fn eventually(&self, property: &Property) -> Verdict {
        let Exploration::Complete(space) = self.exploration else {
            return Verdict::Undecided { reason: self.gap().unwrap_or_default() };
        };
        let fulfilled = |state: StateId| fulfils(property, self.model, &space.view(state));
        match evasion(space, fulfilled, |state| self.is_terminal(state)) {
            Some(Evasion { steps, state, cycle }) => {
                let mut trace = self.model.trace(&steps, &space.marking(state));
                trace.cycle = self.model.steps(&cycle);
                Verdict::Refuted { trace: Some(trace) }
            }
            None => match self.gap() {
                Some(reason) => Verdict::Undecided { reason },
                None => Verdict::Proved { witness: None },
            },
        }
    }

    fn report(&self, property: &Property, verdict: Verdict) -> PropertyReport {
        let caveat = self.caveat(property, &verdict);
        PropertyReport { name: property.name.clone(), verdict, caveat }
    }

    fn caveat(&self, property: &Property, verdict: &Verdict) -> Option<Caveat> {
        let guarded = |name: &String| {
            let id = self.model.definition.net().transition_named(name);
            let transition = id.and_then(|id| self.model.definition.transition(id));
            transition.is_some_and(|transition| transition.guard().is_some())
        };
        if let Some(trace) = verdict.trace() {
            let fired = trace.steps.iter().chain(&trace.cycle).filter_map(|step| match step {
                Step::Fire(name) | Step::Timeout(name) => Some(name),
                Step::Inject(_) => None,
            });
            let mut passed: Vec<String> = fired.filter(|name| guarded(name)).cloned().collect();
            passed.sort();
            passed.dedup();
            return (!passed.is_empty()).then_some(Caveat::TracePassesGuards(passed));
        }
        // A stranded instance ends where the net would go on.
        let depends_on_ends = property.quantifier == Quantifier::Eventually
            || property.condition.speaks_of_terminal();
        if !verdict.is_proved() || !depends_on_ends {
            return None;
        }
        let space = self.space();
        let open = |state: &StateId| {
            let tokens = space.view(*state);
            // Stranded, the marking is terminal; is the claim kept there?
            let stranded = property.condition.holds(|place| tokens.tokens(place), || true);
            let kept = match property.quantifier {
                Quantifier::Never => !stranded,
                _ => stranded,
            };
            self.may_strand(*state) && !kept
        };
        let trace = space.nearest(space.states().filter(open))?;
        Some(Caveat::GuardsMayStrand(self.trace_to(&trace)))
    }
}

/// All properties, in declared order: those asked of the main exploration, and those about the
/// workflow without some transitions, each with an exploration of its own.
pub(super) fn property_reports(
    definition: &Definition,
    view: &View<'_, '_>,
    asked: &Asked<'_>,
    verdicts: &Verdicts,
) -> Vec<PropertyReport> {
    let mut answered = asked.properties.iter().zip(&verdicts.properties);
    let mut reports = Vec::new();
    for property in definition.properties() {
        if !property.without.is_empty() {
            reports.push(apart(definition, property, view));
        } else if let Some((_, verdict)) = answered.next() {
            reports.push(view.report(property, verdict.clone()));
        }
    }
    reports
}

fn apart(definition: &Definition, property: &Property, main: &View<'_, '_>) -> PropertyReport {
    let model = settled(definition, &property.without, main.limits);
    let asked = Asked { properties: vec![property], invariants: Vec::new() };
    let exploration = explore(&model, main.limits, &asked);
    let view = View { model: &model, exploration: &exploration, limits: main.limits };
    let verdict = view.claims(&asked).properties.pop();
    let verdict = verdict.unwrap_or(Verdict::Undecided { reason: String::new() });
    view.report(property, verdict)
}
