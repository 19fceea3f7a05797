//! A process that is killed at any moment.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use petriflow_sqlite::GateStore;

use crate::{Home, WAIT, call, key};

/// Not a test: the process that is killed. It tells each commit that has returned.
#[test]
fn writer() {
    let Some(dir) = std::env::var_os("PETRIFLOW_TEST_WRITE") else { return };
    let mut out = std::io::stdout();
    loop {
        // Opening anew each time, as every hook does, so that a kill hits that as well.
        let mut store = GateStore::open(dir.as_ref(), WAIT).unwrap();
        for _ in 0..3 {
            let seq = call(&mut store, "a", &"s".repeat(3000));
            call(&mut store, &format!("{seq}"), "x");
            writeln!(out, "\nack {}", seq + 1).unwrap();
            out.flush().unwrap();
        }
    }
}

#[test]
fn a_killed_process_loses_no_commit_that_it_has_told() {
    let home = Home::new();
    let mut acknowledged: Vec<u64> = Vec::new();
    for round in 0_u64..100 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash::writer", "--nocapture"])
            .env("PETRIFLOW_TEST_WRITE", home.dir())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut acks = lines.filter_map(|line| {
            line.unwrap().strip_prefix("ack ").map(|seq| seq.parse::<u64>().unwrap())
        });
        // After none to seven commits that it has told, and then at some moment of the next ones.
        acknowledged.extend(acks.by_ref().take(usize::try_from(round % 8).unwrap()));
        thread::sleep(Duration::from_micros(round * 7919 % 5_000));
        child.kill().unwrap();
        acknowledged.extend(acks);
        child.wait().unwrap();
        let store = home.open();
        let chain = store.verify_audit().unwrap().unwrap();
        let told = acknowledged.last().copied().unwrap_or(0);
        assert!(chain.records >= told, "round {round}: {} of {told}", chain.records);
        for seq in &acknowledged {
            // The session put with record `seq` is named after the record before.
            let found = store.session(&key(&(seq - 1).to_string())).unwrap();
            assert!(found.is_some(), "round {round}: {seq} of {told}");
        }
    }
    assert!(acknowledged.len() > 300);
}
