//! Questions to the user about single calls, and grants that are used once.

use rusqlite::{Row, params};

use super::connection::{Database, number, stored};
use super::sessions::KEY_MAX;
use crate::StoreError;

/// A question about one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewApproval {
    /// In which program.
    pub host: String,
    /// In which session.
    pub session: String,
    /// Of the call with its exact input: the answer is for nothing else.
    pub digest: String,
    /// The tool to be called.
    pub tool: String,
    /// The question in short.
    pub title: String,
    /// The question at length.
    pub message: String,
    /// When it was asked.
    pub asked_at_ms: u64,
    /// From when on neither an answer nor a grant counts.
    pub expires_at_ms: u64,
}

/// A question with its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalRow {
    /// Its number, which no other question ever gets.
    pub id: u64,
    /// What was asked.
    pub approval: NewApproval,
}

/// What became of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalAnswer {
    /// It counts.
    Done,
    /// There is no such question.
    Unknown,
    /// It came too late.
    Expired,
    /// There was an answer before, which stays.
    AlreadyAnswered,
}

const PENDING: i64 = 0;
const GRANTED: i64 = 1;
const DENIED: i64 = 2;
const USED: i64 = 3;

fn approval(row: &Row<'_>) -> rusqlite::Result<ApprovalRow> {
    let approval = NewApproval {
        host: row.get(1)?,
        session: row.get(2)?,
        digest: row.get(3)?,
        tool: row.get(4)?,
        title: row.get(5)?,
        message: row.get(6)?,
        asked_at_ms: number(row, 7)?,
        expires_at_ms: number(row, 8)?,
    };
    Ok(ApprovalRow { id: number(row, 0)?, approval })
}

/// The present as SQLite compares it: a time beyond what can be stored is after all that is.
fn moment(now_ms: u64) -> i64 {
    i64::try_from(now_ms).unwrap_or(i64::MAX)
}

pub(super) fn pending(database: &Database, now_ms: u64) -> Result<Vec<ApprovalRow>, StoreError> {
    database.all(
        "SELECT id, host, session, digest, tool, title, message, asked_at, expires_at
         FROM approvals WHERE status = ?1 AND expires_at > ?2 ORDER BY id",
        [PENDING, moment(now_ms)],
        approval,
    )
}

pub(super) fn ask(database: &Database, approval: &NewApproval) -> Result<u64, StoreError> {
    let NewApproval { host, session, digest, tool, title, message, .. } = approval;
    for (what, text) in [("host's name", host), ("session's id", session), ("digest", digest)] {
        if text.len() > KEY_MAX {
            return Err(StoreError::TooLong { what, bytes_max: KEY_MAX });
        }
    }
    let asked_at = stored(approval.asked_at_ms)?;
    let expires_at = stored(approval.expires_at_ms)?;
    let same = database.first(
        "SELECT id FROM approvals WHERE host = ?1 AND session = ?2 AND digest = ?3
           AND status = ?4 AND expires_at > ?5 ORDER BY id LIMIT 1",
        params![host, session, digest, PENDING, asked_at],
        |row| number(row, 0),
    )?;
    if let Some(id) = same {
        return Ok(id);
    }
    database.execute(
        "INSERT INTO approvals
           (host, session, digest, tool, title, message, asked_at, expires_at, status)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![host, session, digest, tool, title, message, asked_at, expires_at, PENDING],
    )?;
    database.last_id()
}

pub(super) fn answer(
    database: &Database,
    id: u64,
    granted: bool,
    now_ms: u64,
) -> Result<ApprovalAnswer, StoreError> {
    let Ok(id) = i64::try_from(id) else {
        return Ok(ApprovalAnswer::Unknown);
    };
    let question =
        database.first("SELECT status, expires_at FROM approvals WHERE id = ?1", [id], |row| {
            Ok((row.get::<_, i64>(0)?, number(row, 1)?))
        })?;
    Ok(match question {
        None => ApprovalAnswer::Unknown,
        Some((status, _)) if status != PENDING => ApprovalAnswer::AlreadyAnswered,
        Some((_, expires_at)) if expires_at <= now_ms => ApprovalAnswer::Expired,
        Some(_) => {
            let status = if granted { GRANTED } else { DENIED };
            database.execute("UPDATE approvals SET status = ?2 WHERE id = ?1", [id, status])?;
            ApprovalAnswer::Done
        }
    })
}

pub(super) fn take(
    database: &Database,
    host: &str,
    session: &str,
    digest: &str,
    now_ms: u64,
) -> Result<bool, StoreError> {
    let taken = database.execute(
        "UPDATE approvals SET status = ?1 WHERE id =
           (SELECT id FROM approvals WHERE host = ?2 AND session = ?3 AND digest = ?4
              AND status = ?5 AND expires_at > ?6 ORDER BY id LIMIT 1)",
        params![USED, host, session, digest, GRANTED, moment(now_ms)],
    )?;
    Ok(taken == 1)
}
