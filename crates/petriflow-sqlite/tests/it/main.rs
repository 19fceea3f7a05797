//! Tests of the store at its public boundary, with real files.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test that panics is a test that fails, helpers included"
)]

mod approvals;
mod audit;
mod concurrency;
mod crash;
mod damage;
mod safety;
mod sessions;

use std::path::{Path, PathBuf};
use std::time::Duration;

use petriflow_sqlite::{GateStore, Record, SessionKey, StoredSession};
use tempfile::TempDir;

const WAIT: Duration = Duration::from_secs(30);

/// A directory for a state, which does not exist yet.
struct Home(TempDir);

impl Home {
    fn new() -> Home {
        Home(tempfile::tempdir().unwrap())
    }

    fn dir(&self) -> PathBuf {
        self.0.path().join("state")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir().join("gate").join(name)
    }

    fn open(&self) -> GateStore {
        GateStore::open(&self.dir(), WAIT).unwrap()
    }

    /// What opening says, if it fails.
    fn refusal(&self) -> String {
        GateStore::open(&self.dir(), WAIT)
            .unwrap_err()
            .to_string()
            .replace(&*self.dir().to_string_lossy(), "DIR")
    }

    /// The database as any program sees it. Closing it empties the log, as the `sqlite3` tool does.
    fn raw(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.file("gate.db")).unwrap()
    }
}

fn key(id: &str) -> SessionKey {
    SessionKey { host: "claude".into(), id: id.into() }
}

fn session(state: &str, seen_at_ms: u64) -> StoredSession {
    StoredSession {
        project: "/p".into(),
        rules: "r1".into(),
        state: state.into(),
        started_at_ms: 1,
        seen_at_ms,
    }
}

fn record(body: &str) -> Record {
    Record {
        at_ms: 7,
        host: "claude".into(),
        session: "s".into(),
        kind: "call".into(),
        decision: "allow".into(),
        body: body.into(),
    }
}

/// Stores a session and appends a record, as the hook does.
fn call(store: &mut GateStore, id: &str, state: &str) -> u64 {
    let transaction = store.begin().unwrap();
    transaction.put_session(&key(id), &session(state, 1)).unwrap();
    let seq = transaction.append(&record(state)).unwrap();
    transaction.commit().unwrap();
    seq
}

fn copy_dir(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_dir(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
