//! Deciding a call and taking its result, compared with stateless policy engines in one run.
//!
//! `cargo bench -p petriflow-bench --bench gate` prints the tables in `docs/performance.md`. Times
//! are the best of several rounds on a warm session; allocations are those of one decision and its
//! result, counted.
#![allow(
    clippy::print_stdout,
    clippy::arithmetic_side_effects,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a benchmark prints, computes ratios and stops when something is off"
)]

use std::alloc::System;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use petriflow_gate::{
    Action, Policy, Resolution, Resolver, Session, SkillNet, Timestamp, ToolCall, ToolResult,
};
use petriflow_testkit::gate::rules;
use serde_json::json;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const NOW: Timestamp = Timestamp(0);

fn main() {
    println!("{:<44} {:>12} {:>12}", "decision and its result, warm", "time", "allocations");
    let block = session([rules::block("rm").skill_net()], None);
    let ours = show("block rm: an abstained call (ls)", block, "ls");
    let denied = {
        let mut session = session([rules::block("rm").skill_net()], None);
        let call = call("rm");
        measure("block rm: a refused call (rm)", || {
            assert!(!session.decide(black_box(&call), NOW).is_allowed());
        })
    };
    println!();
    println!("{:<44} {:>12} {:>12}", "the equivalent of `block rm`", "time", "times ours");
    compare("petriflow: allowed", ours, ours);
    compare("cedar-policy: allowed, request prepared", cedar("ls", true), ours);
    compare("regorus: allowed, input prepared", regorus("ls", true), ours);
    compare("petriflow: refused", denied, denied);
    compare("cedar-policy: refused, request prepared", cedar("rm", false), denied);
    compare("regorus: refused, input prepared", regorus("rm", false), denied);
    println!();
    println!("{:<44} {:>12} {:>12}", "decision and its result, warm", "time", "allocations");
    let four = show("4 rules: an immediate call", session(many_rules(4), None), "tool-3");
    show("4 rules: a deferred call", session(many_rules(4), None), "tool-0");
    show("4 rules: an abstained call", session(many_rules(4), None), "other");
    show("56 nets, 80 maps: a mapped call", session(many_rules(56), Some(80)), "bash");
    let many = show("10 000 rules: an immediate call", session(many_rules(10_000), None), "tool-3");
    println!("{:<44} {:>11.2}x", "10 000 rules compared with 4", many / four);
    println!();
    snapshots();
}

/// One session of 1 000 nets: its size, and saving and restoring it.
fn snapshots() {
    let policy = policy(many_rules(1_000), None);
    let region = Region::new(ALLOCATOR);
    let session = Session::new(&policy);
    let change = region.change();
    let bytes = change.bytes_allocated - change.bytes_deallocated;
    println!("{:<44} {:>9.1} KiB", "1 000 nets: size of a session", bytes as f64 / 1024.0);
    let text = serde_json::to_string(&session.snapshot()).unwrap();
    measure("1 000 nets: snapshot to text", || {
        black_box(serde_json::to_string(&session.snapshot()).unwrap());
    });
    measure("1 000 nets: restore from text", || {
        let snapshot = serde_json::from_str(black_box(&text)).unwrap();
        black_box(Session::restore(&policy, snapshot).unwrap());
    });
}

fn show(name: &str, mut session: Session, tool: &str) -> f64 {
    let call = call(tool);
    let result = ToolResult::success(&call);
    measure(name, || {
        assert!(session.decide(black_box(&call), NOW).is_allowed());
        black_box(session.result(black_box(&result)));
    })
}

fn compare(name: &str, time: f64, ours: f64) {
    println!("{name:<44} {:>9.0} ns {:>11.1}x", time, time / ours);
}

/// Nanoseconds of one run, the best of several rounds, printed with the allocations of one run.
fn measure(name: &str, mut work: impl FnMut()) -> f64 {
    let time = best(&mut work);
    let region = Region::new(ALLOCATOR);
    work();
    let allocations = region.change().allocations;
    println!("{name:<44} {time:>9.0} ns {allocations:>12}");
    time
}

fn best(work: &mut impl FnMut()) -> f64 {
    const RUNS: u32 = 2_000;
    let round = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        for _ in 0..RUNS {
            work();
        }
        start.elapsed().as_secs_f64() * 1e9 / f64::from(RUNS)
    };
    (0..30).map(|_| round(work)).fold(f64::INFINITY, f64::min)
}

fn call(tool: &str) -> ToolCall {
    let input = json!({"command": "frobnicate --quiet map-41 target/", "timeout": 30});
    ToolCall::new("toolu_01A09q90qw90lq917835lq9", tool, input)
}

fn session(nets: impl IntoIterator<Item = SkillNet>, maps: Option<usize>) -> Session {
    Session::new(&policy(nets, maps))
}

fn policy(nets: impl IntoIterator<Item = SkillNet>, maps: Option<usize>) -> Arc<Policy> {
    let builder = Policy::builder().nets(nets);
    let builder = match maps {
        Some(count) => builder.resolver(Arc::new(Maps::new(count))),
        None => builder,
    };
    builder.build().unwrap()
}

/// Maps as a rules file has them: the first word found in the command decides.
struct Maps(Vec<(String, String)>);

impl Maps {
    fn new(count: usize) -> Self {
        Self((0..count).map(|n| (format!("map-{n}"), format!("tool-{}", n % 56))).collect())
    }
}

impl Resolver for Maps {
    fn resolve(&self, call: &ToolCall) -> Resolution {
        let Some(command) = call.text("command") else { return Resolution::Itself };
        let found = self.0.iter().find(|(word, _)| command.contains(word.as_str()));
        match found {
            Some((_, tool)) => Resolution::Actions(vec![Action::new(tool)]),
            None => Resolution::Itself,
        }
    }

    fn fingerprint(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// Every rule on a tool of its own, kinds in turn: require, limit, block, limit.
fn many_rules(count: usize) -> Vec<SkillNet> {
    let rule = |n: usize| match n % 4 {
        0 => rules::require(&format!("tool-{n}"), &format!("after-{n}")),
        2 => rules::block(&format!("blocked-{n}")),
        _ => rules::limit(&format!("tool-{n}"), 1_000_000_000),
    };
    (0..count).map(|n| rule(n).skill_net()).collect()
}

fn cedar(tool: &str, allowed: bool) -> f64 {
    use cedar_policy::{Authorizer, Context, Decision, Entities, PolicySet, Request};
    let policies: PolicySet = r#"permit(principal, action, resource);
           forbid(principal, action == Action::"rm", resource);"#
        .parse()
        .unwrap();
    let uid = |kind: &str, id: &str| format!("{kind}::\"{id}\"").parse().unwrap();
    let request = Request::new(
        uid("Agent", "coder"),
        uid("Action", tool),
        uid("Session", "one"),
        Context::empty(),
        None,
    )
    .unwrap();
    let (authorizer, entities) = (Authorizer::new(), Entities::empty());
    best(&mut || {
        let response = authorizer.is_authorized(black_box(&request), &policies, &entities);
        assert_eq!(response.decision() == Decision::Allow, allowed);
    })
}

fn regorus(tool: &str, allowed: bool) -> f64 {
    let mut engine = regorus::Engine::new();
    let policy = "package gate\nimport rego.v1\ndefault allow := true\nallow := false if input.tool == \"rm\"";
    engine.add_policy("gate.rego".into(), policy.into()).unwrap();
    let input = regorus::Value::from_json_str(&json!({"tool": tool}).to_string()).unwrap();
    best(&mut || {
        engine.set_input(black_box(&input).clone());
        let value = engine.eval_rule("data.gate.allow".into()).unwrap();
        assert_eq!(value, regorus::Value::from(allowed));
    })
}
