//! What is proved of a rule's net is what counting its markings one by one gives.

use std::collections::BTreeSet;

use petriflow_gate::{SkillNet, Transition};
use petriflow_rules::verify;

use super::compiled;

/// All markings of a net and whether every transition fired, breadth first and without a shortcut.
fn counted(net: &SkillNet) -> (u64, bool) {
    let start = net.net().initial().to_vec();
    let mut seen = BTreeSet::from([start.clone()]);
    let mut fired = BTreeSet::new();
    let mut level = vec![start];
    while !level.is_empty() {
        let mut next = Vec::new();
        for marking in &level {
            for transition in net.net().transitions() {
                let mut after = marking.clone();
                if net.net().fire_in_place(&mut after, transition).is_err() {
                    continue;
                }
                for &(from, to) in net.drains(transition) {
                    after[to.index()] += std::mem::take(&mut after[from.index()]);
                }
                fired.insert(transition);
                if seen.insert(after.clone()) {
                    next.push(after);
                }
            }
        }
        level = next;
    }
    (seen.len() as u64, fired.len() == net.net().transitions().count())
}

fn agrees(net: &SkillNet) -> (u64, bool) {
    let verified = verify(net).unwrap();
    let found = (verified.states, verified.all_fire);
    assert_eq!(found, counted(net), "{}", net.name());
    found
}

#[test]
fn limits_have_two_states_more_than_they_count_to() {
    for count in 0..50 {
        for scope in ["session", "test", "push"] {
            let rules = compiled(&format!("limit push to {count} per {scope}"));
            let found = agrees(&rules.nets[0].net);
            assert_eq!(found, (count + 2, count > 0), "{count} per {scope}");
            assert_eq!(rules.nets[0].verified.states, count + 2);
        }
    }
}

#[test]
fn every_kind_of_rule_is_counted_right() {
    for (text, expected) in [
        ("require a before b", (3, true)),
        ("require a before a", (3, true)),
        ("require human-approval before a", (2, true)),
        ("block a", (2, false)),
        ("limit a to 7 per session", (9, true)),
        ("limit a to 7 per b", (9, true)),
    ] {
        let rules = compiled(text);
        assert_eq!(agrees(&rules.nets[0].net), expected, "{text}");
        let verified = rules.nets[0].verified;
        assert_eq!((verified.states, verified.all_fire), expected, "{text}");
    }
}

#[test]
fn the_shortcut_for_counters_is_not_taken_where_it_would_be_wrong() {
    let step = |name: &str, from: &str, to: &str| {
        Transition::auto(name).from([from]).to([to]).tools([name])
    };
    let net = || SkillNet::builder("net").places(["a", "b", "c"]).initial("a", 4).initial("c", 2);
    let nets = [
        net().transition(step("go", "a", "b")).transition(step("back", "b", "a")),
        net().transition(step("go", "a", "b")).transition(step("on", "b", "c")),
        net().transition(step("go", "a", "b")).transition(step("apart", "c", "c")),
        net().transition(step("go", "a", "b")).transition(step("more", "c", "a")),
        net().transition(step("go", "a", "b")).transition(step("late", "c", "b")),
        net().transition(Transition::auto("two").from(["a", "a"]).to(["b"]).tools(["two"])),
        net()
            .transition(step("go", "a", "b"))
            .transition(Transition::auto("all").from(["c"]).drains("b", "a").tools(["all"])),
        net()
            .transition(step("go", "a", "b"))
            .transition(Transition::auto("all").from(["c"]).drains("a", "b").tools(["all"])),
        net()
            .transition(step("go", "a", "b"))
            .transition(Transition::auto("all").from(["c"]).drains("b", "c").tools(["all"])),
        net()
            .transition(step("go", "a", "b"))
            .transition(Transition::auto("needs").from(["b", "c"]).to(["b"]).tools(["needs"])),
    ];
    let states: Vec<u64> = nets.map(|net| agrees(&net.build().unwrap()).0).to_vec();
    insta::assert_compact_debug_snapshot!(states, @"[5, 15, 5, 18, 15, 3, 15, 7, 55, 13]");
}
