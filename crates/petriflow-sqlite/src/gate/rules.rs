//! The texts of rules by their content, and which of them the user trusts.

use rusqlite::params;

use super::connection::{Database, stored};
use crate::StoreError;

pub(super) fn get(database: &Database, hash: &str) -> Result<Option<String>, StoreError> {
    database.first("SELECT sources FROM rules WHERE hash = ?1", [hash], |row| row.get(0))
}

pub(super) fn put(database: &Database, hash: &str, sources: &str) -> Result<(), StoreError> {
    let new = database.execute(
        "INSERT INTO rules (hash, sources) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
        [hash, sources],
    )?;
    if new == 0 && get(database, hash)?.as_deref() != Some(sources) {
        return Err(StoreError::RulesDiffer { hash: hash.into() });
    }
    Ok(())
}

pub(super) fn trust(
    database: &Database,
    project: &str,
    rules: &str,
    at_ms: u64,
) -> Result<(), StoreError> {
    // Only the last ones: going back and forth between rules must not happen unseen.
    database.execute("DELETE FROM trust WHERE project = ?1", [project])?;
    database.execute(
        "INSERT INTO trust (project, rules, at) VALUES (?1, ?2, ?3)",
        params![project, rules, stored(at_ms)?],
    )?;
    Ok(())
}

pub(super) fn retire_trust(
    database: &Database,
    project: &str,
    rules: &str,
) -> Result<(), StoreError> {
    database.execute("DELETE FROM trust WHERE project = ?1 AND rules <> ?2", [project, rules])?;
    Ok(())
}

pub(super) fn is_trusted(
    database: &Database,
    project: &str,
    rules: &str,
) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM trust WHERE project = ?1 AND rules = ?2";
    Ok(database.first(sql, [project, rules], |_| Ok(()))?.is_some())
}
