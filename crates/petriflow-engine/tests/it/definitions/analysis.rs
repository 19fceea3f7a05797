//! What analysis says of small definitions, and that it agrees with an obvious model of timeouts.

use std::collections::BTreeSet;

use petriflow_engine::Definition;
use petriflow_engine::analysis::{Bound, Limits, Outcome, Report, Verdict, analyse};
use petriflow_engine::definition::{DefinitionBuilder, Quantifier, TransitionDraft};
use petriflow_net::Net;
use petriflow_testkit::cases::{self, Result, Unstructured};
use petriflow_testkit::nets;

fn report(builder: DefinitionBuilder) -> Report {
    analyse(&builder.build().unwrap_or_else(|error| panic!("{error}")), &Limits::default())
}

fn moves(name: &str, from: &str, to: &str) -> TransitionDraft {
    TransitionDraft::new(name).inputs([from]).outputs([to])
}

/// A question that `answer` answers, with a reminder in `late`.
fn reminder(repeat: bool) -> DefinitionBuilder {
    Definition::builder("reminder")
        .places(["asked", "answered", "late"])
        .transition(moves("answer", "asked", "answered").timeout("late", 1_000, repeat))
        .initial("asked", 1)
        .terminal_places(["answered"])
}

fn bound(report: &Report, place: &str) -> Bound {
    report.bounds.iter().find(|(name, _)| name == place).unwrap().1
}

#[test]
fn a_timeout_adds_one_token_once() {
    let late_twice = ("late twice", Quantifier::Never, "late >= 2");
    let report = report(reminder(false).property(late_twice.0, late_twice.1, late_twice.2));
    assert_eq!((report.states, report.completed.count, report.stuck.count), (4, 2, 0));
    assert_eq!(bound(&report, "late"), Bound::AtMost(1));
    assert!(report.properties[0].verdict.is_proved());
    assert!(report.loose_timeouts.is_empty());
}

#[test]
fn a_repeating_timeout_has_no_end_and_the_pump_shows_it() {
    let report = report(reminder(true).property("p", Quantifier::Never, "late >= 2"));
    assert_eq!(report.outcome, Outcome::Unbounded);
    let pump = report.pump.unwrap();
    assert_eq!(
        pump.cycle.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["timeout of answer"]
    );
    assert_eq!(pump.places, ["late"]);
    let Verdict::Refuted { trace: Some(trace) } = &report.properties[0].verdict else { panic!() };
    assert_eq!(trace.to_string(), "timeout of answer → timeout of answer");
}

#[test]
fn a_timeout_is_armed_again_when_its_transition_was_disabled() {
    // Put aside and taken up again, the question is a new one to its timeout.
    let aside =
        || reminder(false).places(["aside"]).transition(moves("put aside", "asked", "aside"));
    let once = report(aside());
    assert_eq!(bound(&once, "late"), Bound::AtMost(1));
    let again = report(aside().transition(moves("take up", "aside", "asked")));
    assert_eq!(again.outcome, Outcome::Unbounded);
    let pump: Vec<String> = again.pump.unwrap().cycle.iter().map(ToString::to_string).collect();
    assert_eq!(
        BTreeSet::from_iter(pump.iter().map(String::as_str)),
        BTreeSet::from(["timeout of answer", "put aside", "take up"])
    );
}

#[test]
fn a_timeout_that_cannot_be_modelled_exactly_is_named() {
    let aside = reminder(false).places(["aside"]).transition(moves("put aside", "asked", "aside"));
    let report = report(aside.initial("aside", 1).transition(moves("take up", "aside", "asked")));
    assert_eq!(report.loose_timeouts, ["answer"]);
}

#[test]
fn outside_events_are_part_of_the_model_and_never_called_proved() {
    let report = report(
        Definition::builder("hook")
            .places(["waiting", "event", "done"])
            .transition(
                TransitionDraft::new("handle").inputs(["waiting", "event"]).outputs(["done"]),
            )
            .initial("waiting", 1)
            .terminal_places(["done"])
            .external_places(["event"])
            .property("few", Quantifier::Never, "event >= 2")
            .property("one", Quantifier::Always, "waiting + done == 1")
            .property("done", Quantifier::Reachable, "done"),
    );
    assert_eq!(report.injections_max, Some(2));
    assert_eq!(report.outcome, Outcome::Unbounded);
    assert_eq!(
        (bound(&report, "event"), bound(&report, "done")),
        (Bound::Unbounded, Bound::AtMost(1))
    );
    assert_eq!(report.dead.as_deref(), Some(&[][..]));
    assert_eq!((report.stuck.count, report.waiting.count), (0, 1));
    let verdicts: Vec<&Verdict> = report.properties.iter().map(|p| &p.verdict).collect();
    assert_eq!(verdicts[0].trace().unwrap().to_string(), "inject into event → inject into event");
    let Verdict::Undecided { reason } = verdicts[1] else { panic!("{:?}", verdicts[1]) };
    assert_eq!(reason, "decided only for up to 2 tokens injected into each external place");
    assert_eq!(verdicts[2].trace().unwrap().to_string(), "inject into event → handle");
}

#[test]
fn stuck_instances_livelocks_and_evasions_come_with_traces() {
    let report = report(
        Definition::builder("traps")
            .places(["start", "end", "pit", "a", "b"])
            .transition(moves("finish", "start", "end"))
            .transition(moves("fall", "start", "pit"))
            .transition(moves("enter", "start", "a"))
            .transition(moves("round", "a", "b"))
            .transition(moves("back", "b", "a"))
            .initial("start", 1)
            .terminal_places(["end"])
            .property("no pit", Quantifier::Never, "pit")
            .property("an end or a pit", Quantifier::Eventually, "end + pit == 1")
            .property("an end or a circle", Quantifier::Eventually, "end or a"),
    );
    assert_eq!((report.completed.count, report.stuck.count), (1, 1));
    assert_eq!(report.stuck.nearest.as_ref().unwrap().to_string(), "fall");
    assert_eq!(report.no_livelock.trace().unwrap().to_string(), "enter");
    assert_eq!(report.soundness.can_complete.trace().unwrap().steps.len(), 1);
    let traces: Vec<String> =
        report.properties.iter().map(|p| p.verdict.trace().unwrap().to_string()).collect();
    assert_eq!(traces, ["fall", "enter, then for ever round → back", "fall"]);
    assert_eq!(report.findings().len(), 5);
}

#[test]
fn a_broken_invariant_is_refuted_by_a_shortest_sequence() {
    let report = report(
        Definition::builder("leak")
            .places(["a", "b", "c"])
            .transition(moves("move", "a", "b"))
            .transition(TransitionDraft::new("lose").inputs(["b"]))
            .transition(TransitionDraft::new("never").inputs(["c"]))
            .initial("a", 1)
            .invariant([("a", 1), ("b", 1)])
            .invariant([("a", 1), ("c", 1)])
            .invariant([("c", 1)]),
    );
    let traces: Vec<Option<String>> =
        report.invariants.iter().map(|i| i.verdict.trace().map(ToString::to_string)).collect();
    // The last is kept because what would break it is dead.
    assert_eq!(traces, [Some("move → lose".into()), Some("move".into()), None]);
    assert!(report.invariants[2].verdict.is_proved());
}

#[test]
fn a_limit_makes_it_undecided_and_never_fine() {
    let definition = reminder(false).property("p", Quantifier::Never, "late >= 2").build().unwrap();
    let report = analyse(&definition, &Limits { states_max: 2, ..Limits::default() });
    assert_eq!(report.outcome, Outcome::Undecided { limit: "the limit of 2 states".into() });
    assert!(matches!(report.properties[0].verdict, Verdict::Undecided { .. }));
    assert!(matches!(report.no_livelock, Verdict::Undecided { .. }));
    assert!(matches!(report.soundness.completes_properly, Verdict::Undecided { .. }));
    assert_eq!(bound(&report, "late"), Bound::Undecided);
}

/// A generated net with timeouts on some transitions.
fn with_timeouts(u: &mut Unstructured<'_>) -> Result<Definition> {
    let net = nets::net(u)?;
    let mut builder = Definition::builder("generated");
    builder = builder.places(net.places().map(|place| net.place_name(place)));
    for (place, &tokens) in net.places().zip(net.initial().iter()) {
        builder = builder.initial(net.place_name(place), u64::from(tokens.min(2)));
    }
    for id in net.transitions() {
        let repeated = |arcs: &[petriflow_net::WeightedArc]| -> Vec<String> {
            let names = arcs.iter().map(|arc| (net.place_name(arc.place).to_owned(), arc.weight));
            names.flat_map(|(name, weight)| std::iter::repeat_n(name, weight as usize)).collect()
        };
        let mut draft = TransitionDraft::new(net.transition_name(id))
            .inputs(repeated(net.inputs(id)))
            .outputs(repeated(net.outputs(id)));
        if u.ratio(1, 3)? {
            let place = net.places().nth(u.choose_index(net.place_count())?).unwrap();
            draft = draft.timeout(net.place_name(place), 5, false);
        }
        builder = builder.transition(draft);
    }
    Ok(builder.build().unwrap_or_else(|error| panic!("{error}")))
}

/// The markings met by following the rule for timeouts to the letter, unless there are too many.
fn obvious_markings(definition: &Definition, max: usize) -> Option<BTreeSet<Vec<u32>>> {
    type State = (Vec<u32>, Vec<bool>);
    let net: &Net = definition.net();
    let timeout = |at: usize| definition.transitions()[at].timeout();
    let start: State = (net.initial().to_vec(), vec![false; net.transition_count()]);
    let mut seen: BTreeSet<State> = BTreeSet::from([start.clone()]);
    let mut open = vec![start];
    while let Some((marking, spent)) = open.pop() {
        for id in net.transitions().filter(|&id| net.is_enabled(&marking, id)) {
            let at = id.index();
            let mut fired = (marking.clone(), spent.clone());
            net.fire_in_place(&mut fired.0, id).ok()?;
            fired.1[at] = false;
            let late = timeout(at).filter(|_| !spent[at]).map(|timeout| {
                let mut late = (marking.clone(), spent.clone());
                late.0[timeout.place.index()] += 1;
                late.1[at] = true;
                late
            });
            for mut next in std::iter::once(fired).chain(late) {
                for id in net.transitions().filter(|&id| !net.is_enabled(&next.0, id)) {
                    next.1[id.index()] = false;
                }
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        if seen.len() > max {
            return None;
        }
    }
    Some(seen.into_iter().map(|(marking, _)| marking).collect())
}

#[test]
fn the_model_of_timeouts_agrees_with_the_rule() {
    let (mut exact, mut loose) = (0, 0);
    let limits = Limits { states_max: 3_000, coverability_nodes_max: 50, ..Limits::default() };
    cases::check(600, |u| {
        let definition = with_timeouts(u)?;
        let report = analyse(&definition, &limits);
        let Some(markings) = obvious_markings(&definition, 3_000) else {
            assert_ne!(report.outcome, Outcome::Complete);
            return Ok(());
        };
        if report.outcome != Outcome::Complete {
            // More freedom than there is can have no end; exactness cannot.
            assert!(!report.loose_timeouts.is_empty());
        } else if report.loose_timeouts.is_empty() {
            exact += usize::from(definition.transitions().iter().any(|t| t.timeout().is_some()));
            assert_eq!(report.states, markings.len(), "{}", definition.to_json());
        } else {
            loose += 1;
            assert!(report.states >= markings.len(), "{}", definition.to_json());
        }
        Ok(())
    });
    assert!(exact > 30 && loose > 10, "{exact} exact, {loose} loose");
}

#[test]
fn a_guard_can_end_the_time_that_a_timeout_counts() {
    // Whatever fires may turn the guard off and on again, so that the timeout comes once more.
    let report = report(
        Definition::builder("guarded")
            .places(["a", "b", "c", "late"])
            .transition(moves("t", "a", "b").guard("x > 1").timeout("late", 5, false))
            .transition(moves("other", "c", "c"))
            .initial("a", 1)
            .initial("c", 1)
            .context(&serde_json::json!({"x": 2})),
    );
    assert_eq!(report.loose_timeouts, ["t"]);
    assert_eq!(bound(&report, "late"), Bound::Unbounded);
}
