//! Sessions: texts under the name that a host gave them.

use rusqlite::{Row, params};

use super::connection::{Database, number, stored};
use crate::StoreError;

/// Most bytes of a host's name or of a session's id.
pub const KEY_MAX: usize = 4096;

/// Names a session. Both parts are data from outside: any text, never part of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionKey {
    /// Which program the agent runs in.
    pub host: String,
    /// What that program calls the session.
    pub id: String,
}

/// A session as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredSession {
    /// The project it works on.
    pub project: String,
    /// The content hash of the rules it runs under.
    pub rules: String,
    /// Its state, which only the caller understands.
    pub state: String,
    /// When it began.
    pub started_at_ms: u64,
    /// When it was last used.
    pub seen_at_ms: u64,
}

/// A session with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    /// Its name.
    pub key: SessionKey,
    /// What is stored.
    pub session: StoredSession,
}

const COLUMNS: &str = "project, rules, started_at, seen_at, state, host, id";

fn session(row: &Row<'_>) -> rusqlite::Result<StoredSession> {
    Ok(StoredSession {
        project: row.get(0)?,
        rules: row.get(1)?,
        started_at_ms: number(row, 2)?,
        seen_at_ms: number(row, 3)?,
        state: row.get(4)?,
    })
}

fn named(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    let key = SessionKey { host: row.get(5)?, id: row.get(6)? };
    Ok(SessionRow { key, session: session(row)? })
}

fn check(key: &SessionKey) -> Result<(), StoreError> {
    for (what, text) in [("host's name", &key.host), ("session's id", &key.id)] {
        if text.len() > KEY_MAX {
            return Err(StoreError::TooLong { what, bytes_max: KEY_MAX });
        }
    }
    Ok(())
}

pub(super) fn get(
    database: &Database,
    key: &SessionKey,
) -> Result<Option<StoredSession>, StoreError> {
    check(key)?;
    let of_key = params![key.host, key.id];
    let found = database.first(
        "SELECT project, rules, started_at, seen_at, state FROM sessions WHERE host = ?1 AND id = ?2",
        of_key,
        session,
    )?;
    if found.is_none() {
        // A damaged page of the index looks like an absent key. This is the first call of a
        // session, so there is time to read the table itself.
        let row = database.first(
            "SELECT 1 FROM sessions NOT INDEXED WHERE host = ?1 AND id = ?2",
            of_key,
            |_| Ok(()),
        )?;
        if row.is_some() {
            return Err(database.damaged("the index of `sessions` lacks a session"));
        }
    }
    Ok(found)
}

pub(super) fn put(
    database: &Database,
    key: &SessionKey,
    session: &StoredSession,
) -> Result<(), StoreError> {
    check(key)?;
    let started_at = stored(session.started_at_ms)?;
    let seen_at = stored(session.seen_at_ms)?;
    let StoredSession { project, rules, state, .. } = session;
    let values = params![key.host, key.id, project, rules, started_at, seen_at, state];
    // The usual case first: setting a column writes its indexes anew even if it stays the same.
    let changed = database.execute(
        "UPDATE sessions SET rules = ?4, started_at = ?5, seen_at = ?6, state = ?7
         WHERE host = ?1 AND id = ?2 AND project = ?3",
        values,
    )?;
    if changed == 0 {
        database.execute(
            "INSERT INTO sessions (host, id, project, rules, started_at, seen_at, state)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (host, id) DO UPDATE SET project = ?3, rules = ?4, started_at = ?5,
               seen_at = ?6, state = ?7",
            values,
        )?;
    }
    Ok(())
}

pub(super) fn delete(database: &Database, key: &SessionKey) -> Result<(), StoreError> {
    check(key)?;
    let of_key = params![key.host, key.id];
    database.execute("DELETE FROM sessions WHERE host = ?1 AND id = ?2", of_key)?;
    database.execute("DELETE FROM approvals WHERE host = ?1 AND session = ?2", of_key)?;
    Ok(())
}

pub(super) fn newest(
    database: &Database,
    host: &str,
    project: &str,
    not: &str,
) -> Result<Option<(SessionKey, StoredSession)>, StoreError> {
    let row = database.first(
        &format!(
            "SELECT {COLUMNS} FROM sessions WHERE host = ?1 AND project = ?2 AND id <> ?3
             AND instr(CAST(id AS BLOB), x'00') = 0
             ORDER BY seen_at DESC, key DESC LIMIT 1"
        ),
        [host, project, not],
        named,
    )?;
    Ok(row.map(|row| (row.key, row.session)))
}

pub(super) fn all(database: &Database) -> Result<Vec<SessionRow>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM sessions ORDER BY seen_at DESC, key DESC");
    database.all(&sql, (), named)
}

pub(super) fn prune(database: &Database, seen_before_ms: u64) -> Result<u64, StoreError> {
    // A time beyond what can be stored is after all that is.
    let before = i64::try_from(seen_before_ms).unwrap_or(i64::MAX);
    database.execute(
        "DELETE FROM approvals WHERE expires_at < ?1 OR
           (host, session) IN (SELECT host, id FROM sessions WHERE seen_at < ?1)",
        [before],
    )?;
    let pruned = database.execute("DELETE FROM sessions WHERE seen_at < ?1", [before])?;
    Ok(u64::try_from(pruned).unwrap_or(u64::MAX))
}
