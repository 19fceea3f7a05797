//! Building nets and firing transitions.

use petriflow_net::{FireError, Marking, Net, NotEnabled, Problem, SequenceError};

#[test]
fn every_problem_is_reported_at_once() {
    let error = Net::builder("broken")
        .places(["a", "b", "a", "", "a"])
        .transition("t", ["a", "nowhere"], ["b"])
        .transition("t", ["b"], ["b"])
        .transition("", ["a"], ["a"])
        .weighted_transition("zero", [("a", 0)], [("b", 1)])
        .weighted_transition("huge", [("a", u64::from(u32::MAX) + 1)], [("b", 1)])
        .weighted_transition("sum", [("b", u64::from(u32::MAX)), ("b", 1)], [("b", 1)])
        .initial("a", 1)
        .initial("a", 2)
        .initial("elsewhere", 1)
        .initial("b", u64::MAX)
        .build()
        .unwrap_err();
    insta::assert_snapshot!(error.to_string().replace("; ", "\n"), @"
    net `broken` is not valid: place `a` is defined twice
    place number 4 has an empty name
    transition `t` is defined twice
    transition number 3 has an empty name
    transition `t` names `nowhere`, which is not a place
    transition `zero` has an arc of weight 0 at `a`
    transition `huge` has 4294967296 at `a`, more than 4294967295
    transition `sum` has 4294967296 at `b`, more than 4294967295
    the initial marking names `a` twice
    the initial marking names `elsewhere`, which is not a place
    the initial marking has 18446744073709551615 at `b`, more than 4294967295
    ");
    assert_eq!(error.problems().len(), 11);
    assert!(error.problems().contains(&Problem::DuplicateName { kind: "place", name: "a".into() }));
}

fn door() -> Net {
    Net::builder("door")
        .places(["closed", "open", "count"])
        .transition("push", ["closed"], ["open", "count", "count"])
        .transition("pull", ["open", "count", "count", "count"], ["closed"])
        .initial("closed", 1)
        .build()
        .unwrap()
}

#[test]
fn a_repeated_place_is_a_weight() {
    let net = door();
    let push = net.transition_named("push").unwrap();
    let count = net.place_named("count").unwrap();
    let arc = net.outputs(push).iter().find(|arc| arc.place == count).unwrap();
    assert_eq!(arc.weight, 2);
    assert_eq!(net.initial(), &Marking::from(vec![1, 0, 0]), "places not named hold 0");
    assert_eq!(net.place_named("nowhere"), None);
}

#[test]
fn firing_says_which_place_lacks_how_many_tokens() {
    let net = door();
    let (push, pull) =
        (net.transition_named("push").unwrap(), net.transition_named("pull").unwrap());
    let open = net.fire(net.initial(), push).unwrap();
    assert_eq!(open.display(&net).to_string(), "closed:0, open:1, count:2");
    assert_eq!(open.display_marked(&net).to_string(), "open:1, count:2");
    assert_eq!(net.enabled(&open).collect::<Vec<_>>(), []);
    let missing =
        NotEnabled { transition: "pull".into(), place: "count".into(), present: 2, needed: 3 };
    assert_eq!(missing.lacking(), 1);
    let error = FireError::NotEnabled(missing);
    assert_eq!(net.fire(&open, pull), Err(error.clone()));
    let sequence = net.fire_sequence(net.initial(), &[push, pull]).unwrap_err();
    assert_eq!(sequence, SequenceError { step: 1, error });
    assert_eq!(
        sequence.to_string(),
        "step 2: `pull` cannot fire: place `count` holds 2 of the 3 tokens it takes, 1 too few"
    );
}

#[test]
fn token_counts_never_wrap() {
    let net = Net::builder("full")
        .place("p")
        .weighted_transition("more", [("p", 1)], [("p", 2)])
        .weighted_transition("same", [("p", 2)], [("p", 2)])
        .initial("p", u32::MAX.into())
        .build()
        .unwrap();
    let (more, same) =
        (net.transition_named("more").unwrap(), net.transition_named("same").unwrap());
    assert!(matches!(net.fire(net.initial(), more), Err(FireError::Overflow { .. })));
    assert_eq!(net.fire(net.initial(), same).as_ref(), Ok(net.initial()));
}

#[test]
fn a_marking_of_another_net_is_refused() {
    let net = door();
    let push = net.transition_named("push").unwrap();
    let foreign = Marking::from(vec![1, 1]);
    assert!(!net.is_enabled(&foreign, push));
    assert!(matches!(net.fire(&foreign, push), Err(FireError::WrongMarking(_))));
    assert!(net.with_initial(foreign).is_err());
}
