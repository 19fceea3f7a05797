//! What the hook costs an agent: cold processes, each decision stored durably.
//!
//! `cargo bench -p petriflow-cli --bench hook` prints the table in `docs/performance.md`.
#![allow(
    clippy::print_stdout,
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a benchmark prints, computes medians and stops when something is off"
)]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use petriflow_sqlite::{GateStore, Record};
use serde_json::{Value, json};

const RUNS: usize = 400;
const RECORDS: usize = 100_000;

fn main() {
    let scratch = Scratch::new();
    println!("{:<44} {:>9} {:>9} {:>9}", "one process, milliseconds", "median", "best", "above");
    let empty = scratch.measure("the operations example, 88 rules");
    scratch.fill();
    let full = scratch.measure(&format!("the same, {RECORDS} records in the audit"));
    println!();
    println!("with and without the records: {:.2} times", full.as_secs_f64() / empty.as_secs_f64());
    println!("largest resident memory: {:.1} MB", largest_child_mb());
    println!("the decision until its record is written: {:.2} ms", scratch.inside_ms());
}

/// A project with the large example policy, and a home of its own.
struct Scratch {
    directory: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let rules = directory.path().join("project/.petriflow");
        fs::create_dir_all(&rules).expect("writable");
        fs::create_dir_all(directory.path().join("home")).expect("writable");
        let example = include_str!("../../../examples/operations/operations.rules");
        fs::write(rules.join("operations.rules"), example).expect("writable");
        Self { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Runs `true`, an allowed call and its result in turns, and prints what they take.
    fn measure(&self, what: &str) -> Duration {
        let mut times = [const { Vec::new() }; 4];
        for run in 0..RUNS + 20 {
            let id = format!("{what} {run}");
            let call = self.event("PreToolUse", &id, None);
            let result = self.event("PostToolUse", &id, Some(json!({ "interrupted": false })));
            let taken = [
                timed(&mut Command::new("true"), None),
                timed(Command::new(petriflow()).arg("--version"), None),
                timed(&mut self.hook(), Some(&call)),
                timed(&mut self.hook(), Some(&result)),
            ];
            // The first runs fill caches.
            if run >= 20 {
                times.iter_mut().zip(taken).for_each(|(times, taken)| times.push(taken));
            }
        }
        times.iter_mut().for_each(|times| times.sort_unstable());
        let median = |at: usize| times[at][RUNS / 2];
        let floor = median(0);
        let names = ["true", "petriflow --version", "hook: an allowed call", "hook: its result"];
        println!("{what}");
        for (at, name) in names.iter().enumerate() {
            let ms = |duration: Duration| duration.as_secs_f64() * 1_000.0;
            let above = ms(median(at)) - ms(floor);
            let (median, best) = (ms(median(at)), ms(times[at][0]));
            println!("  {name:<42} {median:>9.2} {best:>9.2} {above:>9.2}");
        }
        median(2)
    }

    fn hook(&self) -> Command {
        let mut command = Command::new(petriflow());
        command.args(["hook", "claude-code"]).env("HOME", self.path("home"));
        command.env_remove("XDG_STATE_HOME").env_remove("XDG_CONFIG_HOME");
        command
    }

    /// An event of Claude Code in a file, which the hook reads as its standard input.
    fn event(&self, name: &str, id: &str, response: Option<Value>) -> PathBuf {
        let event = json!({
            "session_id": "a session",
            "cwd": self.path("project"),
            "hook_event_name": name,
            "tool_name": "bash",
            "tool_input": { "command": "git status && cargo build --release | tail -3" },
            "tool_use_id": id,
            "tool_response": response,
        });
        let path = self.path(&format!("{name}.json"));
        fs::write(&path, event.to_string()).expect("writable");
        path
    }

    fn state(&self) -> PathBuf {
        self.path("home/.local/state/petriflow")
    }

    /// Adds records like those of the hook.
    fn fill(&self) {
        let mut store = GateStore::open(&self.state(), Duration::from_secs(5)).expect("opens");
        let body = json!({ "event": "PreToolUse", "tool": "bash", "project": "/project",
            "input": { "command": "x".repeat(400) }, "rules": "0".repeat(64) });
        let tx = store.begin().expect("begins");
        for at_ms in 0..RECORDS as u64 {
            let text = |text: &str| text.to_owned();
            let (host, session) = (text("claude-code"), format!("session {}", at_ms % 97));
            let (kind, decision, body) = (text("call"), text("allowed"), body.to_string());
            tx.append(&Record { at_ms, host, session, kind, decision, body }).expect("appends");
        }
        tx.commit().expect("commits");
    }

    /// The median of what the hook itself has measured.
    fn inside_ms(&self) -> f64 {
        let store = GateStore::open(&self.state(), Duration::from_secs(5)).expect("opens");
        let mut times: Vec<u64> = Vec::new();
        let read = store.audit(0, &mut |row| {
            let body: Value = serde_json::from_str(&row.record.body).unwrap_or_default();
            let is_call = row.record.kind == "call";
            times.extend(body["duration_us"].as_u64().filter(|_| is_call));
            std::ops::ControlFlow::Continue(())
        });
        read.expect("readable");
        times.sort_unstable();
        times[times.len() / 2] as f64 / 1_000.0
    }
}

fn petriflow() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_petriflow"))
}

/// Runs a process to its end. The hook's silence and exit 0 mean that the call was allowed.
fn timed(command: &mut Command, stdin: Option<&Path>) -> Duration {
    match stdin {
        Some(path) => command.stdin(File::open(path).expect("readable")),
        None => command.stdin(Stdio::null()),
    };
    command.stdout(Stdio::null()).stderr(Stdio::inherit());
    let started = Instant::now();
    let status = command.status().expect("starts");
    let taken = started.elapsed();
    assert!(status.success(), "{command:?}: {status}");
    taken
}

fn largest_child_mb() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("known");
    usage.max_rss() as f64 / 1_024.0
}
