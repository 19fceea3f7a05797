//! Named net families with known state counts.
//!
//! The counts in the docs are checked by the tests below as far as the naive explorer gets in
//! reasonable time; larger ones are from the literature or the formula beside them.

use petriflow_net::{Net, NetBuilder};

/// Dining philosophers who take the left fork, then the right one, then release both.
///
/// Four places each (`thinking`, `has_left`, `eating`, `fork`), three transitions each. The one
/// deadlock is that everyone holds a left fork. State counts are the Pell–Lucas numbers
/// (1+√2)ⁿ + (1−√2)ⁿ: 2: 6, 3: 14, 4: 34, 5: 82, 10: 6 726, 12: 39 202, 14: 228 486,
/// 16: 1 331 714.
///
/// # Panics
/// If `n` is below 2: a lone philosopher would need the same fork twice.
pub fn philosophers(n: usize) -> Net {
    assert!(n >= 2, "philosophers need a neighbour");
    let mut builder = Net::builder(format!("philosophers-{n}"));
    for i in 0..n {
        let (thinking, has_left) = (format!("thinking_{i}"), format!("has_left_{i}"));
        let (eating, left) = (format!("eating_{i}"), format!("fork_{i}"));
        let right = format!("fork_{}", (i + 1) % n);
        builder = builder
            .places([&thinking, &has_left, &eating, &left])
            .transition(format!("take_left_{i}"), [&thinking, &left], [&has_left])
            .transition(format!("take_right_{i}"), [&has_left, &right], [&eating])
            .transition(format!("release_{i}"), [&eating], [&thinking, &left, &right])
            .initial(thinking, 1)
            .initial(left, 1);
    }
    built(builder)
}

/// A ring of stations that pass one token; only its holder may enter the critical section.
///
/// Each station is `idle`, `wants` or `critical` beside its `token` place. There are 3·n·2ⁿ⁻¹
/// states: 3: 36, 10: 15 360, 13: 159 744, 14: 344 064, 16: 1 572 864, 17: 3 342 336.
/// No deadlock, live, reversible.
pub fn token_ring(n: usize) -> Net {
    let mut builder = Net::builder(format!("token-ring-{n}"));
    for i in 0..n {
        let (idle, wants) = (format!("idle_{i}"), format!("wants_{i}"));
        let (critical, token) = (format!("critical_{i}"), format!("token_{i}"));
        let next = format!("token_{}", (i + 1) % n);
        builder = builder
            .places([&idle, &wants, &critical, &token])
            .transition(format!("ask_{i}"), [&idle], [&wants])
            .transition(format!("enter_{i}"), [&wants, &token], [&critical])
            .transition(format!("leave_{i}"), [&critical], [&idle, &next])
            .transition(format!("pass_{i}"), [&token], [&next])
            .initial(idle, 1)
            .initial(token, u64::from(i == 0));
    }
    built(builder)
}

/// The four-cell Kanban system of Ciardo and Tilgner with `k` cards in each cell.
///
/// 16 places, 16 transitions, live and reversible. States 1: 160, 2: 4 600, 3: 58 400,
/// 4: 454 475, 5: 2 546 432, 6: 11 261 376.
pub fn kanban(k: u64) -> Net {
    let mut builder = Net::builder(format!("kanban-{k}"));
    for cell in 1..=4 {
        let (cards, machine) = (format!("kan_{cell}"), format!("m_{cell}"));
        let (back, out) = (format!("back_{cell}"), format!("out_{cell}"));
        builder = builder
            .places([&machine, &back, &cards, &out])
            .transition(format!("redo_{cell}"), [&machine], [&back])
            .transition(format!("ok_{cell}"), [&machine], [&out])
            .transition(format!("return_{cell}"), [&back], [&machine])
            .initial(cards, k);
    }
    let builder = builder
        .transition("in_1", ["kan_1"], ["m_1"])
        .transition("split_1_23", ["out_1", "kan_2", "kan_3"], ["kan_1", "m_2", "m_3"])
        .transition("join_23_4", ["out_2", "out_3", "kan_4"], ["kan_2", "kan_3", "m_4"])
        .transition("out_of_4", ["out_4"], ["kan_4"]);
    built(builder)
}

/// The flexible manufacturing system of Ciardo and Trivedi with `k` pallets of each part.
///
/// 22 places, 20 transitions, every transition of one priority. States 1: 120, 2: 3 444,
/// 3: 48 590, 4: 438 600, 5: 2 895 018. The smaller counts found elsewhere (54, 810, 6 520,
/// 35 910, …) are those of the timed net, which leaves out markings that enable one of
/// [`MANUFACTURING_IMMEDIATE`].
pub fn flexible_manufacturing(k: u64) -> Net {
    let builder = Net::builder(format!("flexible-manufacturing-{k}"))
        .places(["P1", "P1wM1", "P1M1", "P1d", "P1s", "P1wP2", "M1"])
        .places(["P2", "P2wM2", "P2M2", "P2d", "P2s", "P2wP1", "M2"])
        .places(["P12", "P12wM3", "P12M3", "P12s", "M3", "P3", "P3M2", "P3s"])
        .transition("tP1", ["P1"], ["P1wM1"])
        .transition("tM1", ["P1wM1", "M1"], ["P1M1"])
        .transition("tP1M1", ["P1M1"], ["P1d", "M1"])
        .transition("tP1e", ["P1d"], ["P1s"])
        .transition("tP1j", ["P1d"], ["P1wP2"])
        .transition("tP1s", ["P1s"], ["P1"])
        .transition("tP2", ["P2"], ["P2wM2"])
        .transition("tM2", ["P2wM2", "M2"], ["P2M2"])
        .transition("tP2M2", ["P2M2"], ["P2d", "M2"])
        .transition("tP2e", ["P2d"], ["P2s"])
        .transition("tP2j", ["P2d"], ["P2wP1"])
        .transition("tP2s", ["P2s"], ["P2"])
        .transition("tx", ["P1wP2", "P2wP1"], ["P12"])
        .transition("tP12", ["P12"], ["P12wM3"])
        .transition("tM3", ["P12wM3", "M3"], ["P12M3"])
        .transition("tP12M3", ["P12M3"], ["P12s", "M3"])
        .transition("tP12s", ["P12s"], ["P1", "P2"])
        .transition("tP3", ["P3"], ["P3M2"])
        .transition("tP3M2", ["P3M2", "M2"], ["P3s", "M2"])
        .transition("tP3s", ["P3s"], ["P3"])
        .initial("P1", k)
        .initial("P2", k)
        .initial("P3", k)
        .initial("M1", 3)
        .initial("M2", 1)
        .initial("M3", 2);
    built(builder)
}

/// The transitions of [`flexible_manufacturing`] that take no time in the timed net.
pub const MANUFACTURING_IMMEDIATE: [&str; 8] =
    ["tM1", "tM2", "tM3", "tP1e", "tP1j", "tP2e", "tP2j", "tx"];

/// `n` switches, each on or off, independent of each other: 2ⁿ states, n·2ⁿ edges, depth n.
pub fn independent_toggles(n: usize) -> Net {
    built(with_toggles(Net::builder(format!("independent-toggles-{n}")), n))
}

/// A binary counter of `n` bits that counts from 0 and stops at all ones.
///
/// 2ⁿ states in one line: every marking has one successor, so the state space is as deep and as
/// narrow as can be.
pub fn counter(n: usize) -> Net {
    let mut builder = Net::builder(format!("counter-{n}"));
    for bit in 0..n {
        let mut inputs: Vec<String> = (0..bit).map(|lower| format!("one_{lower}")).collect();
        let mut outputs: Vec<String> = (0..bit).map(|lower| format!("zero_{lower}")).collect();
        inputs.push(format!("zero_{bit}"));
        outputs.push(format!("one_{bit}"));
        builder = builder
            .places([format!("zero_{bit}"), format!("one_{bit}")])
            .transition(format!("carry_{bit}"), inputs, outputs)
            .initial(format!("zero_{bit}"), 1);
    }
    built(builder)
}

/// A producer that fills a buffer without end, and a consumer that empties it.
pub fn unbounded_producer() -> Net {
    let builder = Net::builder("unbounded-producer")
        .places(["ready", "buffer", "hungry", "eating"])
        .transition("produce", ["ready"], ["ready", "buffer"])
        .transition("consume", ["buffer", "hungry"], ["eating"])
        .transition("digest", ["eating"], ["hungry"])
        .initial("ready", 1)
        .initial("hungry", 1);
    built(builder)
}

/// A net whose only unbounded place, `heap`, grows after `n` steps, beside `n` toggles.
///
/// The least number of firings to a marking that strictly covers one on its path is n + 1. At that
/// depth a breadth-first search has met some 2ⁿ markings of the toggles for every step.
pub fn unbounded_late(n: usize) -> Net {
    let mut builder = Net::builder(format!("unbounded-late-{n}")).place("heap").place("step_0");
    for step in 0..n {
        let (from, to) = (format!("step_{step}"), format!("step_{}", step + 1));
        builder = builder.place(&to).transition(format!("advance_{step}"), [from], [to]);
    }
    let last = format!("step_{n}");
    let builder = builder.transition("pump", [&last], [&last, "heap"]).initial("step_0", 1);
    built(with_toggles(builder, n))
}

fn with_toggles(mut builder: NetBuilder, n: usize) -> NetBuilder {
    for i in 0..n {
        let (off, on) = (format!("off_{i}"), format!("on_{i}"));
        builder = builder
            .places([&off, &on])
            .transition(format!("switch_on_{i}"), [&off], [&on])
            .transition(format!("switch_off_{i}"), [&on], [&off])
            .initial(off, 1);
    }
    builder
}

fn built(builder: NetBuilder) -> Net {
    builder.build().expect("workloads are valid nets")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive::{self, Boundedness};

    fn states(net: &Net) -> usize {
        naive::explore(net, 100_000).complete().expect("small enough").depths.len()
    }

    #[test]
    fn philosophers_have_pell_lucas_many_states_and_one_deadlock() {
        let counts: Vec<usize> = (2..=8).map(|n| states(&philosophers(n))).collect();
        assert_eq!(counts, [6, 14, 34, 82, 198, 478, 1154]);
        assert_eq!(states(&philosophers(10)), 6726);
        let space = naive::explore(&philosophers(5), 1000).complete().unwrap();
        assert_eq!(space.terminal.len(), 1);
    }

    #[test]
    fn token_ring_follows_its_formula_and_is_live_and_reversible() {
        for n in 1..=8 {
            assert_eq!(states(&token_ring(n)), (3 * n) << (n - 1));
        }
        let net = token_ring(3);
        let space = naive::explore(&net, 1000).complete().unwrap();
        assert!(space.reversible());
        assert_eq!(space.live_transitions(&net).len(), net.transition_count());
    }

    #[test]
    fn kanban_counts_are_those_of_the_literature() {
        let net = kanban(1);
        assert_eq!((net.place_count(), net.transition_count()), (16, 16));
        assert_eq!([1, 2, 3].map(|k| states(&kanban(k))), [160, 4600, 58400]);
        assert!(naive::explore(&net, 1000).complete().unwrap().reversible());
    }

    #[test]
    fn manufacturing_counts_are_those_of_the_literature() {
        let net = flexible_manufacturing(1);
        assert_eq!((net.place_count(), net.transition_count()), (22, 20));
        assert_eq!([1, 2, 3].map(|k| states(&flexible_manufacturing(k))), [120, 3444, 48590]);
        assert_eq!([1, 2, 3].map(|k| tangible(&flexible_manufacturing(k))), [54, 810, 6520]);
    }

    fn tangible(net: &Net) -> usize {
        let immediate = MANUFACTURING_IMMEDIATE.map(|name| net.transition_named(name).unwrap());
        let space = naive::explore(net, 100_000).complete().unwrap();
        let is_tangible = |m: &&Vec<u32>| !immediate.iter().any(|&t| net.is_enabled(m, t));
        space.depths.keys().filter(is_tangible).count()
    }

    #[test]
    fn toggles_are_wide_and_the_counter_is_deep() {
        let toggles = naive::explore(&independent_toggles(6), 100).complete().unwrap();
        assert_eq!((toggles.depths.len(), toggles.edges, toggles.depth()), (64, 6 * 64, 6));
        let counter = naive::explore(&counter(6), 100).complete().unwrap();
        assert_eq!((counter.depths.len(), counter.edges, counter.depth()), (64, 63, 63));
    }

    #[test]
    fn unbounded_nets_are_unbounded() {
        for net in [unbounded_producer(), unbounded_late(0), unbounded_late(2)] {
            assert_eq!(naive::boundedness(&net, 2000), Boundedness::Unbounded, "{}", net.name());
        }
    }
}
