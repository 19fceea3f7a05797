//! A damaged state is an error or still right; it never lacks a session.

use std::fs;
use std::path::Path;

use petriflow_sqlite::{GateStore, StoreError};

use crate::{Home, WAIT, call, copy_dir, key};

const SESSIONS: usize = 60;

/// A state with sessions and records; `in_file` says whether the log is empty.
fn home(in_file: bool) -> Home {
    let home = Home::new();
    let mut store = home.open();
    for number in 0..SESSIONS {
        call(&mut store, &format!("session {number}"), &format!("{number} ").repeat(60));
    }
    drop(store);
    if in_file {
        empty_log(&home);
        // There is one again, so that the walks do not wait for making it.
        fs::write(home.file("gate.db-wal"), "").unwrap();
    }
    home
}

/// What the `sqlite3` tool does when it ends.
fn empty_log(home: &Home) {
    home.raw().query_row("SELECT count(*) FROM sessions", [], |_| Ok(())).unwrap();
    assert!(!home.file("gate.db-wal").exists());
}

#[derive(Debug, Default)]
struct Seen {
    right: usize,
    changed: usize,
    refused: usize,
}

impl Seen {
    /// Looks for some sessions in a state.
    fn look(&mut self, dir: &Path, what: &str) {
        let read = || -> Result<Vec<Option<String>>, StoreError> {
            let mut store = GateStore::open(dir, WAIT)?;
            let transaction = store.begin()?;
            [0, SESSIONS / 2, SESSIONS - 1]
                .into_iter()
                .map(|number| {
                    let found = transaction.session(&key(&format!("session {number}")))?;
                    Ok(found.map(|session| session.state))
                })
                .collect()
        };
        match read() {
            Err(_) => self.refused += 1,
            Ok(states) if states.iter().any(Option::is_none) => panic!("absent: {what}"),
            Ok(states) => {
                let right = [0, SESSIONS / 2, SESSIONS - 1]
                    .map(|number| Some(format!("{number} ").repeat(60)));
                if states == right { self.right += 1 } else { self.changed += 1 }
            }
        }
    }
}

/// Runs each change of one file on a fresh copy.
fn walk(home: &Home, file: &str, changes: impl Iterator<Item = (String, Vec<u8>)>) -> Seen {
    let mut seen = Seen::default();
    let copy = Home::new();
    for (what, bytes) in changes {
        let _ = fs::remove_dir_all(copy.dir());
        copy_dir(&home.dir(), &copy.dir());
        fs::write(copy.file(file), bytes).unwrap();
        seen.look(&copy.dir(), &what);
    }
    println!("{file}: {seen:?}");
    seen
}

/// Every how many bytes to try. `PETRIFLOW_CASES=53` tries every byte.
fn stride() -> usize {
    let cases = std::env::var("PETRIFLOW_CASES").ok().and_then(|cases| cases.parse().ok());
    (53 / cases.unwrap_or(1)).max(1)
}

fn flips(bytes: Vec<u8>) -> impl Iterator<Item = (String, Vec<u8>)> {
    (0..bytes.len()).step_by(stride()).map(move |at| {
        let mask = [0x01, 0xff, 0x80, 0x02][at / stride() % 4];
        let mut changed = bytes.clone();
        changed[at] ^= mask;
        (format!("byte {at} xor {mask:#x}"), changed)
    })
}

fn cuts(bytes: Vec<u8>, step: usize) -> impl Iterator<Item = (String, Vec<u8>)> {
    (0..bytes.len())
        .step_by(step)
        .map(move |length| (format!("cut at {length}"), bytes[..length].to_vec()))
}

#[test]
fn a_cut_database_is_refused() {
    let home = home(true);
    let bytes = fs::read(home.file("gate.db")).unwrap();
    let seen = walk(&home, "gate.db", cuts(bytes, 512));
    assert_eq!((seen.right, seen.changed), (0, 0));
}

#[test]
fn a_cut_database_with_a_log_is_refused_or_right() {
    let home = home(false);
    let bytes = fs::read(home.file("gate.db")).unwrap();
    walk(&home, "gate.db", cuts(bytes, 4096));
}

#[test]
fn a_flipped_byte_of_the_database_hides_no_session() {
    let home = home(true);
    let bytes = fs::read(home.file("gate.db")).unwrap();
    let seen = walk(&home, "gate.db", flips(bytes));
    assert!(seen.refused > 0 && seen.right > 0);
}

#[test]
fn a_cut_log_is_noticed() {
    let home = home(false);
    let bytes = fs::read(home.file("gate.db-wal")).unwrap();
    let seen = walk(&home, "gate.db-wal", cuts(bytes, 1030));
    assert!(seen.refused > 0);
    assert_eq!(seen.changed, 0);
}

#[test]
fn a_flipped_byte_of_the_log_is_noticed() {
    let home = home(false);
    let bytes = fs::read(home.file("gate.db-wal")).unwrap();
    let seen = walk(&home, "gate.db-wal", flips(bytes).step_by(4));
    assert!(seen.refused > 0);
    assert_eq!(seen.changed, 0);
}

#[test]
fn a_missing_or_empty_file_is_damage() {
    for name in ["gate.db", "gate.db-wal", "gate.mark"] {
        let state = home(false);
        fs::write(state.file(name), "").unwrap();
        Seen::default().look(&state.dir(), name);
        let found =
            || -> Result<_, StoreError> { GateStore::open(&state.dir(), WAIT)?.begin().map(drop) };
        assert!(matches!(found(), Err(StoreError::Damaged { .. })), "{name}");
        let state = home(false);
        fs::remove_file(state.file(name)).unwrap();
        let found =
            || -> Result<_, StoreError> { GateStore::open(&state.dir(), WAIT)?.begin().map(drop) };
        assert!(matches!(found(), Err(StoreError::Damaged { .. })), "{name}");
        let reading = || GateStore::open_existing(&state.dir(), WAIT)?.unwrap().sessions();
        assert!(matches!(reading(), Err(StoreError::Damaged { .. })), "{name}");
    }
    let state = home(false);
    for entry in fs::read_dir(state.dir().join("gate")).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    assert_eq!(
        state.refusal(),
        "the state in `DIR/gate` is damaged: `gate.db` is missing; put back a backup of the whole \
         directory, or move it away to start without sessions, approvals and audit records"
    );
}

#[test]
fn an_older_copy_is_noticed() {
    let home = home(true);
    let older = fs::read(home.file("gate.db")).unwrap();
    call(&mut home.open(), "later", "s");
    empty_log(&home);
    fs::write(home.file("gate.db"), older).unwrap();
    let error = home.open().begin().map(drop).unwrap_err().to_string();
    assert!(error.contains("61 records were committed and 60 are left"), "{error}");
    assert_eq!(home.open().verify_audit().unwrap().unwrap_err().seq, 61);
}

#[test]
fn another_program_that_empties_the_log_is_no_damage() {
    let home = home(false);
    empty_log(&home);
    assert_eq!(home.open().sessions().unwrap().len(), SESSIONS);
    assert_eq!(call(&mut home.open(), "later", "s"), 61);
}

#[test]
fn an_index_that_lacks_a_session_is_damage() {
    let home = home(true);
    // Takes the session out of the index alone, by making it look like another table's.
    let raw = home.raw();
    raw.execute_batch(
        "PRAGMA writable_schema = ON;
         CREATE TABLE other (a TEXT, b TEXT, UNIQUE (a, b));
         UPDATE sqlite_schema SET rootpage =
           (SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_other_1')
         WHERE name = 'sqlite_autoindex_sessions_1';",
    )
    .unwrap();
    drop(raw);
    let mut store = home.open();
    let transaction = store.begin().unwrap();
    let error = transaction.session(&key("session 3")).unwrap_err().to_string();
    assert!(error.contains("the index of `sessions` lacks a session"), "{error}");
}
