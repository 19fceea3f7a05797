//! Compiling rules and telling what a call stands for.
//!
//! `cargo bench -p petriflow-bench --bench rules` prints the tables in `docs/performance.md`.
#![allow(
    clippy::print_stdout,
    clippy::arithmetic_side_effects,
    clippy::unwrap_used,
    reason = "a benchmark prints, computes ratios and stops when something is off"
)]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use petriflow_gate::{Resolver, ToolCall};
use petriflow_rules::{RuleSet, SourceFile, compile};
use serde_json::json;

fn main() {
    println!("{:<52} {:>10}", "reading, compiling and verifying", "time");
    let large = include_str!("../../../examples/operations/operations.rules");
    let rules = compiled(large);
    let counts = format!("{} rules, {} lines", rules.nets.len(), large.lines().count());
    time(&format!("the operations example ({counts})"), 200, || drop(compiled(large)));
    let many = many_rules(10_000);
    let rules = compiled(&many);
    assert_eq!(rules.nets.len(), 10_000);
    time("10 000 rules", 10, || drop(compiled(&many)));
    time("10 000 rules: the policy of the nets", 10, || drop(rules.policy().unwrap()));
    time("limit x to 1000000 per y", 1_000, || drop(compiled("limit x to 1000000 per y")));
    println!();

    println!("{:<52} {:>10} {:>10}", "a plain field, 80 maps on it", "time", "per byte");
    let plain = compiled(&format!("plain bash.command\n{}", eighty_maps()));
    let command = "cd /srv/app && ./configure --prefix=/usr --with-openssl=/opt/ssl && make -j8 install && ls -la out";
    resolve(&plain, "100 bytes, nothing matches", command);
    resolve(&plain, "100 bytes, the last map matches", &format!("{} tool-79", &command[..92]));
    for kilobytes in [10, 100, 1_000] {
        let text = "make -j8 install; ".repeat(kilobytes * 1_000 / 18 + 1);
        resolve(&plain, &format!("{kilobytes} KB"), &text);
    }
    // Every position begins a word that is almost one of the maps'.
    let almost = "tool-7 command7 sub".repeat(1_000_000 / 19);
    resolve(&plain, "1000 KB of almost matches", &almost);
    // Ends of words outside ASCII are looked for more slowly, and in linear time all the same.
    for kilobytes in [100, 1_000] {
        let text = "tööl-7 command7 s".repeat(kilobytes * 1_000 / 19);
        resolve(&plain, &format!("{kilobytes} KB of almost matches, not ASCII"), &text);
    }
    println!();

    println!("{:<52} {:>10} {:>10}", "a shell command, 80 maps on the field", "time", "per byte");
    let shell = compiled(&eighty_maps());
    resolve(&shell, "ls -la", "ls -la");
    let three = "cd /srv/app && git commit -m 'a message of some words' && git push origin main --follow-tags --quiet x";
    resolve(&shell, &format!("{} bytes, three commands", three.len()), three);
    resolve(&shell, "the same, one mapped", &three.replace("origin", "tool-79"));
    for kilobytes in [10, 100] {
        let text = format!("ls {}", "--option=value ".repeat(kilobytes * 1_000 / 15));
        resolve(&shell, &format!("{kilobytes} KB, one command"), &text);
    }
}

fn compiled(text: &str) -> RuleSet {
    compile(&[SourceFile::new("bench.rules", text)]).unwrap()
}

fn resolve(rules: &RuleSet, name: &str, command: &str) {
    let call = ToolCall::new("1", "bash", json!({ "command": command }));
    let runs = if command.len() > 1_000 { 20 } else { 20_000 };
    let maps = rules.maps();
    let best = best(runs, || {
        black_box(maps.resolve(black_box(&call)));
    });
    let per_byte = best / command.len() as f64;
    println!("{name:<52} {:>10} {:>7.2} ns", shown(best), per_byte);
}

fn time(name: &str, runs: u32, work: impl FnMut()) {
    println!("{name:<52} {:>10}", shown(best(runs, work)));
}

/// Nanoseconds of one run, the best of several rounds.
fn best(runs: u32, mut work: impl FnMut()) -> f64 {
    let round = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        (0..runs).for_each(|_| work());
        start.elapsed().as_secs_f64() * 1e9 / f64::from(runs)
    };
    (0..7).map(|_| round(&mut work)).fold(f64::INFINITY, f64::min)
}

fn shown(nanoseconds: f64) -> String {
    match nanoseconds {
        small if small < 10_000.0 => format!("{small:.0} ns"),
        middle if middle < 10_000_000.0 => format!("{:.0} µs", middle / 1e3),
        large => format!("{:.1} ms", large / 1e6),
    }
}

/// All kinds of rules in turn, on tools of their own.
fn many_rules(count: usize) -> String {
    let mut text = String::new();
    for n in 0..count {
        let _ = match n % 5 {
            0 => writeln!(text, "require backup-{n} before delete-{n}"),
            1 => writeln!(text, "require human-approval before deploy-{n}"),
            2 => writeln!(text, "block rm-{n}"),
            3 => writeln!(text, "limit push-{n} to 3 per session"),
            _ => writeln!(text, "limit send-{n} to {} per test-{n}", n % 50 + 1),
        };
    }
    text
}

/// Words and regexes in turn.
fn eighty_maps() -> String {
    let mut text = String::new();
    for n in 0..80 {
        let _ = match n % 4 {
            0 => writeln!(text, "map bash.command command{n} as virtual-{n}"),
            1 => writeln!(text, r"map bash.command /git{n} (push|fetch)\s+--force/ as virtual-{n}"),
            2 => writeln!(text, r"map bash.command /\bdocker{n}\b.*\brm/ as virtual-{n}"),
            _ => writeln!(text, "map bash.command tool-{n} as virtual-{n}"),
        };
        let _ = writeln!(text, "block virtual-{n}");
    }
    text
}
