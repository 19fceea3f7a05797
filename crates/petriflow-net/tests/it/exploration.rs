//! Exploration: counts, verdicts and witnesses, compared with the naive explorer.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use petriflow_net::analysis::{
    Exploration, Explorer, Graph, Limit, Pump, StateSpace, Trace, Verdict, coverability,
};
use petriflow_net::{Marking, Net, PlaceId, TransitionId};
use petriflow_testkit::naive::{self, Boundedness, NaiveOutcome, NaiveSpace};
use petriflow_testkit::{cases, nets, workloads};

/// Markings up to which generated nets are compared.
const MARKINGS_MAX: usize = 1_000;

#[test]
fn known_nets_have_their_known_state_counts() {
    let expected = [
        (workloads::philosophers(10), 6_726),
        (workloads::token_ring(10), 15_360),
        (workloads::kanban(2), 4_600),
        (workloads::kanban(3), 58_400),
        (workloads::flexible_manufacturing(3), 48_590),
        (workloads::independent_toggles(12), 4_096),
        (workloads::counter(12), 4_096),
    ];
    for (net, states) in expected {
        for threads in [1, 2, 3] {
            let exploration = Explorer::new(&net).threads(threads).explore();
            let space = exploration.complete().expect("bounded");
            assert_eq!(space.len(), states, "{} with {threads} threads", net.name());
        }
    }
}

#[test]
fn generated_nets_agree_with_the_naive_explorer() {
    let mut complete = 0;
    let mut unbounded = 0;
    cases::check(4_000, |u| {
        let net = nets::net(u)?;
        match compare(&net, 1) {
            Compared::Complete => complete += 1,
            Compared::Unbounded => unbounded += 1,
            Compared::Undecided => {}
        }
        Ok(())
    });
    assert!(complete > 1_000 && unbounded > 1_000, "{complete} complete, {unbounded} unbounded");
}

#[test]
fn generated_wide_nets_agree_with_the_naive_explorer() {
    let mut complete = 0;
    cases::check(60, |u| {
        let net = nets::wide_net(u)?;
        complete += usize::from(matches!(compare(&net, 1), Compared::Complete));
        Ok(())
    });
    assert!(complete > 20, "{complete} complete");
}

enum Compared {
    Complete,
    Unbounded,
    Undecided,
}

/// Explores with both engines and compares everything they say.
fn compare(net: &Net, threads: usize) -> Compared {
    let exploration = Explorer::new(net).threads(threads).markings_max(MARKINGS_MAX).explore();
    match exploration {
        Exploration::Complete(space) => {
            let NaiveOutcome::Complete(naive) = naive::explore(net, MARKINGS_MAX) else {
                panic!("only the fast explorer finished {net:?}");
            };
            same_space(net, &space, &naive);
            same_graph(net, &space, &naive);
            Compared::Complete
        }
        Exploration::Unbounded { pump, .. } => {
            assert_ne!(naive::boundedness(net, 20_000), Boundedness::Bounded, "{net:?}");
            pump_replays(net, &pump);
            Compared::Unbounded
        }
        Exploration::Undecided { limit, explored } => {
            assert!(!matches!(naive::explore(net, MARKINGS_MAX), NaiveOutcome::Complete(_)));
            assert_eq!(limit, Limit::Markings { markings_max: MARKINGS_MAX });
            assert_eq!(explored.len(), MARKINGS_MAX);
            Compared::Undecided
        }
    }
}

fn same_space(net: &Net, space: &StateSpace<'_>, naive: &NaiveSpace) {
    let markings: BTreeSet<Vec<u32>> =
        space.states().map(|state| space.marking(state).to_vec()).collect();
    assert_eq!(markings.len(), space.len(), "every marking is stored once");
    assert!(markings.iter().eq(naive.depths.keys()), "the same markings");
    assert_eq!(space.edges(), naive.edges as u64);
    assert_eq!(space.terminal_count(), naive.terminal.len() as u64);
    assert_eq!(space.deadlock_count(), naive.terminal.len() as u64);
    assert_eq!(&**space.bounds(), naive.bounds);
    assert_eq!(space.tokens_max(), naive.tokens_max);
    let fired: BTreeSet<TransitionId> =
        net.transitions().filter(|t| !space.unfired().contains(t)).collect();
    assert_eq!(fired, naive.fired);
    let terminal: BTreeSet<Vec<u32>> =
        space.terminal_states().map(|state| space.marking(state).to_vec()).collect();
    assert_eq!(terminal, naive.terminal);
    for state in space.states() {
        let marking = space.marking(state);
        assert_eq!(space.find(&marking), Some(state));
        let trace = space.trace_to(state);
        assert_eq!(net.fire_sequence(net.initial(), &trace.transitions), Ok(marking.clone()));
        assert_eq!(trace.transitions.len(), naive.depths[&marking.to_vec()], "shortest");
    }
    let deadlock_depth = naive.terminal.iter().map(|marking| naive.depths[marking]).min();
    assert_eq!(space.deadlock().map(|trace| trace.transitions.len()), deadlock_depth);
}

fn same_graph(net: &Net, space: &StateSpace<'_>, naive: &NaiveSpace) {
    // The naive graph functions are quadratic and worse.
    if space.len() > 150 {
        return;
    }
    let graph = Graph::new(space).expect("small");
    assert_eq!(graph.is_reversible(), naive.reversible());
    assert_eq!(graph.component_count(), naive.components().len());
    let live: BTreeSet<TransitionId> = net
        .transitions()
        .zip(graph.live_transitions())
        .filter(|(_, l)| *l)
        .map(|(t, _)| t)
        .collect();
    assert_eq!(live, naive.live_transitions(net));
    if let Some(place) = net.places().next() {
        let most = space.bounds().tokens(place);
        let cannot = graph.cannot_reach(|view| view.tokens(place) == most);
        let markings = cannot.iter().map(|&state| space.marking(state).to_vec());
        let expected = naive.cannot_reach(|marking| marking[place.index()] == most);
        assert_eq!(markings.collect::<BTreeSet<_>>(), expected);
        let nearest = space.nearest(cannot).map(|trace| trace.transitions.len());
        assert_eq!(nearest, expected.iter().map(|marking| naive.depths[marking]).min());
    }
}

/// The prefix fires, and the cycle fires again and again with the named places growing.
fn pump_replays(net: &Net, pump: &Pump) {
    let mut before = net.fire_sequence(net.initial(), &pump.prefix).expect("the prefix fires");
    assert!(!pump.places.is_empty());
    for _ in 0..3 {
        let after = net.fire_sequence(&before, &pump.cycle).expect("the cycle fires");
        assert!(after.covers(&before));
        let grown: Vec<PlaceId> =
            net.places().filter(|&place| after.tokens(place) > before.tokens(place)).collect();
        assert_eq!(grown, pump.places);
        before = after;
    }
}

#[test]
fn several_threads_find_the_same_space() {
    let nets = [workloads::kanban(2), workloads::philosophers(11), workloads::token_ring(9)];
    for net in nets {
        let NaiveOutcome::Complete(naive) = naive::explore(&net, usize::MAX) else { panic!() };
        for threads in [2, 3, 16] {
            let space = Explorer::new(&net).threads(threads).explore().complete().expect("bounded");
            same_space(&net, &space, &naive);
        }
    }
}

#[test]
fn unbounded_nets_are_recognised_with_a_sequence_that_pumps() {
    let deep = |n| workloads::unbounded_late(n);
    for net in [workloads::unbounded_producer(), deep(3), deep(12), deep(40)] {
        let exploration = Explorer::new(&net).explore();
        let Exploration::Unbounded { pump, .. } = exploration else {
            panic!("{}: {exploration:?}", net.name());
        };
        pump_replays(&net, &pump);
    }
}

/// The depth-first probe turns the wrong way first here, so that the search itself must notice.
#[test]
fn growth_behind_a_large_bounded_part_is_recognised_by_the_search() {
    let mut builder = Net::builder("detour").places(["start", "pump", "heap"]);
    for bit in 0..13 {
        let (off, on) = (format!("off_{bit}"), format!("on_{bit}"));
        builder = builder
            .places([&off, &on])
            .transition(format!("set_{bit}"), [&off], [&on])
            .transition(format!("clear_{bit}"), [&on], [&off])
            .initial(&off, 1);
    }
    let net = builder
        .transition("begin", ["start"], ["pump"])
        .transition("grow", ["pump"], ["pump", "heap"])
        .initial("start", 1)
        .build()
        .unwrap();
    let Exploration::Unbounded { pump, explored } = Explorer::new(&net).explore() else { panic!() };
    pump_replays(&net, &pump);
    assert!(explored.len() > 1, "found by the search, not by the probe");
    assert_eq!(pump.places, [net.place_named("heap").unwrap()]);
}

#[test]
fn coverability_agrees_with_exploration_where_both_end() {
    let mut complete = 0;
    cases::check(1_000, |u| {
        let net = nets::net(u)?;
        let tree = coverability(&net, 2_000);
        if !tree.complete {
            return Ok(());
        }
        complete += 1;
        match Explorer::new(&net).markings_max(MARKINGS_MAX).explore() {
            Exploration::Complete(space) => {
                let bounds: Vec<Option<u64>> =
                    space.bounds().iter().map(|&bound| Some(bound.into())).collect();
                assert_eq!(tree.bounds, bounds);
                assert_eq!(tree.unfired, space.unfired());
                assert_eq!(tree.pump, None);
            }
            Exploration::Unbounded { .. } => {
                assert!(!tree.unbounded_places(&net).is_empty());
                pump_replays(&net, &tree.pump.expect("a place grows"));
            }
            Exploration::Undecided { .. } => {
                assert!(tree.nodes >= MARKINGS_MAX, "a bounded tree has a node for every marking");
            }
        }
        Ok(())
    });
    assert!(complete > 500, "{complete} complete");
}

#[test]
fn claims_come_with_shortest_witnesses() {
    let net = workloads::philosophers(4);
    let eating: Vec<PlaceId> =
        net.places().filter(|&place| net.place_name(place).contains("eating")).collect();
    assert_eq!(eating.len(), 4);
    let (first, second, third) = (eating[0], eating[1], eating[2]);
    let exploration = Explorer::new(&net)
        .never("neighbours eat", move |m| m.tokens(first) > 0 && m.tokens(second) > 0)
        .never("opposites eat", move |m| m.tokens(first) > 0 && m.tokens(third) > 0)
        .always("at most two eat", {
            let eating = eating.clone();
            move |m| eating.iter().map(|&place| m.tokens(place)).sum::<u32>() <= 2
        })
        .reachable("someone eats", move |m| m.tokens(first) > 0)
        .reachable("nine tokens", |m| m.total() == 9)
        .explore();
    let claims = exploration.claims();
    let verdicts: Vec<String> = claims.iter().map(|claim| describe(&net, &claim.verdict)).collect();
    assert_eq!(verdicts[0], "proved");
    assert!(verdicts[1].starts_with("refuted after 4: "), "{}", verdicts[1]);
    assert_eq!(verdicts[2], "proved");
    assert!(verdicts[3].starts_with("proved after 2: "), "{}", verdicts[3]);
    assert_eq!(verdicts[4], "refuted");
}

fn describe(net: &Net, verdict: &Verdict) -> String {
    let witness = |trace: &Option<Trace>| match trace {
        Some(trace) => {
            let replayed = net.fire_sequence(net.initial(), &trace.transitions);
            assert_eq!(replayed.as_ref(), Ok(&trace.marking));
            format!(" after {}: {}", trace.transitions.len(), trace.display(net))
        }
        None => String::new(),
    };
    match verdict {
        Verdict::Proved { witness: trace } => format!("proved{}", witness(trace)),
        Verdict::Refuted { witness: trace } => format!("refuted{}", witness(trace)),
        Verdict::Undecided => "undecided".into(),
    }
}

#[test]
fn a_limit_is_undecided_and_keeps_what_was_explored() {
    let net = workloads::kanban(3);
    let all = 58_400;
    for threads in [1, 2] {
        for markings_max in [1, 2, 1_000, 30_000, all - 1] {
            let exploration = Explorer::new(&net)
                .threads(threads)
                .markings_max(markings_max)
                .never("more tokens than there are", |m| m.total() > 1_000)
                .explore();
            assert_eq!(exploration.claims()[0].verdict, Verdict::Undecided);
            let Exploration::Undecided { limit, explored } = exploration else { panic!() };
            assert_eq!(limit, Limit::Markings { markings_max });
            assert_eq!(explored.len(), markings_max);
        }
        // Just enough is enough.
        let exploration = Explorer::new(&net).threads(threads).markings_max(all).explore();
        assert_eq!(exploration.complete().expect("complete").len(), all);
    }
}

#[test]
fn memory_is_limited_and_reported() {
    let net = workloads::kanban(3);
    for threads in [1, 2] {
        let memory_max_bytes = 400_000;
        let exploration =
            Explorer::new(&net).threads(threads).memory_max_bytes(memory_max_bytes).explore();
        let Exploration::Undecided { limit, explored } = exploration else { panic!() };
        assert_eq!(limit, Limit::Memory { memory_max_bytes });
        assert!(explored.len() > 5_000, "{} markings", explored.len());
    }
    let space = Explorer::new(&net).explore().complete().expect("fits");
    assert!(space.memory_bytes() < 32 * space.len(), "{} bytes", space.memory_bytes());
}

#[test]
fn progress_is_reported_and_can_cancel() {
    let net = workloads::kanban(3);
    let mut seen = Vec::new();
    let exploration = Explorer::new(&net)
        .on_progress(|progress| {
            seen.push(*progress);
            if progress.markings > 10_000 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
        .explore();
    let Exploration::Undecided { limit, .. } = exploration else { panic!() };
    assert_eq!(limit, Limit::Cancelled);
    assert!(seen.is_sorted_by_key(|progress| progress.markings));
    assert!(seen.last().is_some_and(|progress| progress.edges > 0 && progress.memory_bytes > 0));
}

#[test]
fn counts_grow_past_every_field_width() {
    // One place fills while another empties, so that fields widen again and again.
    let net = Net::builder("pour")
        .places(["full", "empty", "spare"])
        .transition("pour", ["full"], ["empty"])
        .weighted_transition("pour back", [("empty", 7)], [("full", 7)])
        .initial("full", 70_000)
        .build()
        .unwrap();
    let space = Explorer::new(&net).explore().complete().expect("bounded");
    assert_eq!(space.len(), 70_001);
    assert_eq!(space.bounds(), &Marking::from(vec![70_000, 70_000, 0]));
    assert_eq!(space.tokens_max(), 70_000);
}

/// The first count that does not fit is reached before anything else is looked at.
#[test]
fn growth_in_huge_steps_is_recognised() {
    let net = Net::builder("leap")
        .place("p")
        .weighted_transition("leap", [("p", 1)], [("p", 4_000_000_001)])
        .initial("p", 1)
        .build()
        .unwrap();
    let Exploration::Unbounded { pump, .. } = Explorer::new(&net).explore() else { panic!() };
    assert_eq!(pump.places, [net.place_named("p").unwrap()]);
}

/// A probe must not take longer than the exploration it is to spare.
#[test]
fn large_nets_meet_their_limit_soon() {
    let mut builder = Net::builder("large ring");
    for n in 0..20_000 {
        builder = builder.place(format!("p{n}")).initial(format!("p{n}"), u64::from(n % 7 == 0));
        let next = format!("p{}", (n + 1) % 20_000);
        builder = builder.transition(format!("t{n}"), [format!("p{n}")], [next]);
    }
    let net = builder.build().unwrap();
    let exploration = Explorer::new(&net).markings_max(10).explore();
    assert_eq!(exploration.explored().len(), 10);
    let tree = petriflow_net::analysis::coverability_within(&net, 1_000, 1_000_000);
    assert!(!tree.complete && tree.nodes < 60, "{} nodes", tree.nodes);
}

#[test]
fn a_place_that_cannot_hold_more_is_undecided() {
    let net = Net::builder("brim")
        .places(["a", "b", "go"])
        .weighted_transition("fill", [("go", 1)], [("a", u32::MAX.into())])
        .initial("a", 1)
        .initial("go", 1)
        .build()
        .unwrap();
    let Exploration::Undecided { limit, .. } = Explorer::new(&net).explore() else { panic!() };
    assert_eq!(limit, Limit::Tokens { place: net.place_named("a").unwrap() });
}

#[test]
fn terminal_places_tell_a_proper_end_from_a_deadlock() {
    let net = Net::builder("fork")
        .places(["start", "good", "bad"])
        .transition("right", ["start"], ["good"])
        .transition("wrong", ["start"], ["bad"])
        .initial("start", 1)
        .build()
        .unwrap();
    let good = net.place_named("good").unwrap();
    let space = Explorer::new(&net).terminal_places([good]).explore().complete().unwrap();
    assert_eq!((space.terminal_count(), space.deadlock_count()), (2, 1));
    assert_eq!(space.deadlock().unwrap().display(&net).to_string(), "wrong");
}

#[test]
fn nets_without_places_or_transitions_have_one_marking() {
    let empty = Net::builder("empty").build().unwrap();
    let space = Explorer::new(&empty).explore().complete().unwrap();
    assert_eq!((space.len(), space.edges(), space.terminal_count()), (1, 0, 1));
    let spinning = Net::builder("spin").transition("t", [""; 0], [""; 0]).build().unwrap();
    let space = Explorer::new(&spinning).explore().complete().unwrap();
    assert_eq!((space.len(), space.edges(), space.terminal_count()), (1, 1, 0));
}
