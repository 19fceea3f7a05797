//! What the hook does with its state: open, read a session, write it and a record, exit.
//!
//! `cold DIR` does it once. `cold DIR fill ROWS` appends that many records in one transaction.
//! `cold DIR time RUNS` starts itself that many times, in turn with a process that does nothing, and
//! says how long they took.

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use petriflow_sqlite::{GateStore, Record, SessionKey, StoredSession};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["nothing"] => Ok(()),
        [dir] => call(Path::new(dir), 1),
        [dir, "fill", rows] => call(Path::new(dir), rows.parse()?),
        [dir, "time", runs] => time(dir, runs.parse()?),
        _ => Err("usage: cold DIR [fill ROWS | time RUNS]".into()),
    }
}

fn call(dir: &Path, records: u32) -> Result<(), Box<dyn Error>> {
    let mut store = GateStore::open(dir, Duration::from_secs(2))?;
    let key = SessionKey { host: "claude".into(), id: "0e6f7a52-5d54-4b7b".into() };
    let transaction = store.begin()?;
    let session = transaction.session(&key)?.unwrap_or_default();
    let session = StoredSession {
        project: "/home/ann/project".into(),
        rules: "r".repeat(64),
        state: "s".repeat(2000),
        seen_at_ms: session.seen_at_ms.saturating_add(1),
        ..session
    };
    transaction.put_session(&key, &session)?;
    let record = Record {
        at_ms: session.seen_at_ms,
        host: key.host,
        session: key.id,
        kind: "call".into(),
        decision: "allow".into(),
        body: "b".repeat(600),
    };
    for _ in 0..records {
        transaction.append(&record)?;
    }
    transaction.commit()?;
    Ok(())
}

fn time(dir: &str, runs: usize) -> Result<(), Box<dyn Error>> {
    let program = std::env::current_exe()?;
    let run = |argument| -> Result<Duration, Box<dyn Error>> {
        let since = Instant::now();
        let status = Command::new(&program).arg(argument).status()?;
        if status.success() { Ok(since.elapsed()) } else { Err(status.to_string().into()) }
    };
    let mut calls = Vec::new();
    let mut nothings = Vec::new();
    for _ in 0..runs {
        nothings.push(run("nothing")?);
        calls.push(run(dir)?);
    }
    for (name, mut times) in [("nothing", nothings), ("call", calls)] {
        times.sort();
        let part = |of_100: usize| {
            let rank = times.len().saturating_mul(of_100) / 100;
            times.get(rank).or(times.last()).map_or(0, Duration::as_micros)
        };
        let (min, median, p90, p99) = (part(0), part(50), part(90), part(99));
        writeln!(std::io::stdout(), "{name:8} min {min} median {median} p90 {p90} p99 {p99} µs")?;
    }
    Ok(())
}
