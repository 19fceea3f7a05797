//! Exhaustive exploration compared with `stateright`, in one run.
//!
//! `cargo bench -p petriflow-bench --bench exploration` prints the table in `docs/performance.md`.
//! Every figure is the best of several runs; ratios are between engines of the same run, so that
//! they mean the same on a faster machine. Arguments choose workloads by name.
#![allow(
    clippy::print_stdout,
    clippy::arithmetic_side_effects,
    clippy::panic,
    reason = "a benchmark prints, computes ratios and stops when engines disagree"
)]

use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;
use petriflow_net::analysis::{Exploration, Explorer};
use petriflow_net::{Marking, Net, TransitionId};
use petriflow_testkit::workloads;
use stateright::{Checker, Model, Property};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    println!(
        "{:<28} {:>9} {:>10} {:>10} {:>10} {:>11} {:>8} {:>8} {:>7}",
        "workload",
        "states",
        "edges",
        "1 thread",
        "2 threads",
        "stateright",
        "faster",
        "speedup",
        "B/state"
    );
    for (name, net) in workloads() {
        if chosen.is_empty() || chosen.iter().any(|part| name.contains(part.as_str())) {
            println!("{}", row(name, &net));
        }
    }
}

fn workloads() -> Vec<(&'static str, Net)> {
    vec![
        ("philosophers-10 (small)", workloads::philosophers(10)),
        ("token-ring-10 (small)", workloads::token_ring(10)),
        ("philosophers-14", workloads::philosophers(14)),
        ("philosophers-16", workloads::philosophers(16)),
        ("token-ring-16", workloads::token_ring(16)),
        ("kanban-4", workloads::kanban(4)),
        ("kanban-5", workloads::kanban(5)),
        ("flexible-manufacturing-5", workloads::flexible_manufacturing(5)),
    ]
}

fn row(name: &str, net: &Net) -> String {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let (states, edges) = explore(net, 1);
    let peak = ALLOCATOR.peak_usage().saturating_sub(before);
    // Turn by turn, so that a busy moment of the machine does not hit one of them alone.
    let (mut one, mut two, mut other) = (Duration::MAX, Duration::MAX, Duration::MAX);
    for turn in 0..10 {
        one = one.min(time(|| assert_eq!(explore(net, 1), (states, edges))));
        two = two.min(time(|| assert_eq!(explore(net, 2), (states, edges))));
        if turn % 3 == 0 {
            other = other.min(time(|| assert_eq!(explore_with_stateright(net), states)));
        }
    }
    format!(
        "{name:<28} {states:>9} {edges:>10} {:>10} {:>10} {:>11} {:>7.1}x {:>7.2}x {:>7.1}",
        milliseconds(one),
        milliseconds(two),
        milliseconds(other),
        other.as_secs_f64() / one.as_secs_f64(),
        one.as_secs_f64() / two.as_secs_f64(),
        peak as f64 / states as f64,
    )
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn milliseconds(duration: Duration) -> String {
    format!("{:.1} ms", duration.as_secs_f64() * 1e3)
}

fn explore(net: &Net, threads: usize) -> (usize, u64) {
    match Explorer::new(net).threads(threads).explore() {
        Exploration::Complete(space) => (space.len(), space.edges()),
        other => panic!("{} was not explored: {other:?}", net.name()),
    }
}

/// The same net as a `stateright` model, on the same markings and the same firing rule.
#[derive(Clone)]
struct NetModel {
    net: Net,
}

impl Model for NetModel {
    type State = Marking;
    type Action = TransitionId;

    fn init_states(&self) -> Vec<Marking> {
        vec![self.net.initial().clone()]
    }

    fn actions(&self, state: &Marking, actions: &mut Vec<TransitionId>) {
        actions.extend(self.net.enabled(state));
    }

    fn next_state(&self, state: &Marking, action: TransitionId) -> Option<Marking> {
        self.net.fire(state, action).ok()
    }

    fn properties(&self) -> Vec<Property<Self>> {
        // Without a property that holds everywhere the checker would stop at once.
        vec![Property::always("explored", |_, _| true)]
    }
}

fn explore_with_stateright(net: &Net) -> usize {
    NetModel { net: net.clone() }.checker().threads(1).spawn_bfs().join().unique_state_count()
}
