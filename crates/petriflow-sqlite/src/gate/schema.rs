//! The tables, and how older ones become the present ones.

use rusqlite::{Connection, Result};

/// Marks our files: `PFgt`.
pub(super) const APPLICATION_ID: i64 = 0x5046_6774;

/// Each step makes the next version; a database without tables is version 0.
const STEPS: &[fn(&Connection) -> Result<()>] = &[version_1];

/// The version that this program reads and writes.
pub(super) fn version_max() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or(i64::MAX)
}

/// Runs the missing steps. The caller's transaction holds all or nothing of it.
pub(super) fn migrate(connection: &Connection, version: i64) -> Result<()> {
    let done = usize::try_from(version).unwrap_or(usize::MAX);
    for step in STEPS.iter().skip(done) {
        step(connection)?;
    }
    connection.pragma_update(None, "user_version", version_max())
}

/// In `sessions` and `audit`, what is searched comes before the long text: a scan then stays out
/// of the pages that long texts overflow to. No index has a column that every call changes.
fn version_1(connection: &Connection) -> Result<()> {
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.execute_batch(
        "CREATE TABLE sessions (
           key INTEGER PRIMARY KEY,
           host TEXT NOT NULL,
           id TEXT NOT NULL,
           project TEXT NOT NULL,
           rules TEXT NOT NULL,
           started_at INTEGER NOT NULL,
           seen_at INTEGER NOT NULL,
           state TEXT NOT NULL,
           UNIQUE (host, id)
         ) STRICT;
         CREATE INDEX sessions_of_project ON sessions (host, project);
         CREATE TABLE audit (
           seq INTEGER PRIMARY KEY,
           hash BLOB NOT NULL,
           at INTEGER NOT NULL,
           host TEXT NOT NULL,
           session TEXT NOT NULL,
           kind TEXT NOT NULL,
           decision TEXT NOT NULL,
           body TEXT NOT NULL
         ) STRICT;
         CREATE TABLE audit_head (
           one INTEGER PRIMARY KEY CHECK (one = 1),
           seq INTEGER NOT NULL,
           hash BLOB NOT NULL
         ) STRICT;
         INSERT INTO audit_head VALUES (1, 0, zeroblob(32));
         CREATE TABLE rules (hash TEXT PRIMARY KEY, sources TEXT NOT NULL) STRICT;
         CREATE TABLE trust (
           project TEXT NOT NULL,
           rules TEXT NOT NULL,
           at INTEGER NOT NULL,
           PRIMARY KEY (project, rules)
         ) STRICT, WITHOUT ROWID;
         -- AUTOINCREMENT: an id is never given to another question.
         CREATE TABLE approvals (
           id INTEGER PRIMARY KEY AUTOINCREMENT,
           host TEXT NOT NULL,
           session TEXT NOT NULL,
           digest TEXT NOT NULL,
           tool TEXT NOT NULL,
           title TEXT NOT NULL,
           message TEXT NOT NULL,
           asked_at INTEGER NOT NULL,
           expires_at INTEGER NOT NULL,
           status INTEGER NOT NULL
         ) STRICT;
         CREATE INDEX approvals_of_call ON approvals (host, session, digest);",
    )
}
