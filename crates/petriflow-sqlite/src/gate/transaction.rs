//! The one transaction that may write.

use std::cell::RefCell;

use super::approvals::{self, ApprovalAnswer, NewApproval};
use super::audit::{Head, Record};
use super::connection::Database;
use super::rules;
use super::sessions::{self, SessionKey, StoredSession};
use crate::StoreError;
use crate::mark::Mark;

/// Everything between [`begin`](super::GateStore::begin) and [`commit`](Transaction::commit) happens
/// at once or not at all. Dropping it rolls back. While it lives, no other process can write.
///
/// Each method fails if the state cannot be read or written, or is damaged.
#[must_use = "dropping a transaction rolls back"]
pub struct Transaction<'a> {
    database: &'a Database,
    mark: &'a mut Mark,
    head: RefCell<Head>,
}

impl<'a> Transaction<'a> {
    pub(super) fn new(database: &'a Database, mark: &'a mut Mark) -> Transaction<'a> {
        Transaction { database, mark, head: RefCell::default() }
    }

    /// Reads how far the audit chain is: to go on with it, and to notice if commits are gone.
    pub(super) fn look(&self) -> Result<(), StoreError> {
        let head = Head::read(self.database)?;
        head.check_mark(self.database, self.mark.seq)?;
        *self.head.borrow_mut() = head;
        Ok(())
    }

    /// A session. `None` only if it was never put, or deleted, or pruned.
    pub fn session(&self, key: &SessionKey) -> Result<Option<StoredSession>, StoreError> {
        sessions::get(self.database, key)
    }

    /// Stores a session in place of what was stored under its key.
    pub fn put_session(&self, key: &SessionKey, session: &StoredSession) -> Result<(), StoreError> {
        sessions::put(self.database, key, session)
    }

    /// Forgets a session and its approvals: another one with its id must not inherit a grant.
    pub fn delete_session(&self, key: &SessionKey) -> Result<(), StoreError> {
        sessions::delete(self.database, key)
    }

    /// The session seen last in a project, other than the one with the id `not` and those of sub-agents,
    /// whose ids have a NUL in them.
    pub fn newest_session(
        &self,
        host: &str,
        project: &str,
        not: &str,
    ) -> Result<Option<(SessionKey, StoredSession)>, StoreError> {
        sessions::newest(self.database, host, project, not)
    }

    /// Forgets sessions not seen since a time, with their approvals, and approvals expired before it.
    /// Gives the number of sessions. Rules are kept, since audit records name them.
    pub fn prune_sessions(&self, seen_before_ms: u64) -> Result<u64, StoreError> {
        sessions::prune(self.database, seen_before_ms)
    }

    /// Appends an audit record and gives its sequence number.
    ///
    /// # Errors
    ///
    /// [`StoreError::AuditBroken`] if the last record is not the one at the head of the chain.
    pub fn append(&self, record: &Record) -> Result<u64, StoreError> {
        self.head.borrow_mut().append(self.database, record)
    }

    /// The text of rules, by the hash of their content.
    pub fn rules(&self, hash: &str) -> Result<Option<String>, StoreError> {
        rules::get(self.database, hash)
    }

    /// Stores the text of rules, once.
    ///
    /// # Errors
    ///
    /// [`StoreError::RulesDiffer`] if the hash already stands for another text.
    pub fn put_rules(&self, hash: &str, sources: &str) -> Result<(), StoreError> {
        rules::put(self.database, hash, sources)
    }

    /// Notes that the user trusts these rules of a project, and no others.
    pub fn trust(&self, project: &str, rules: &str, at_ms: u64) -> Result<(), StoreError> {
        rules::trust(self.database, project, rules, at_ms)
    }

    /// Forgets that the user trusts any other rules of a project.
    pub fn retire_trust(&self, project: &str, rules: &str) -> Result<(), StoreError> {
        rules::retire_trust(self.database, project, rules)
    }

    /// Whether the user trusts these rules of a project.
    pub fn is_trusted(&self, project: &str, rules: &str) -> Result<bool, StoreError> {
        rules::is_trusted(self.database, project, rules)
    }

    /// Asks the user about a call and gives the question's id: the same one while it is pending.
    pub fn ask_approval(&self, approval: &NewApproval) -> Result<u64, StoreError> {
        approvals::ask(self.database, approval)
    }

    /// Answers a question, once and before it expires.
    pub fn answer_approval(
        &self,
        id: u64,
        granted: bool,
        now_ms: u64,
    ) -> Result<ApprovalAnswer, StoreError> {
        approvals::answer(self.database, id, granted, now_ms)
    }

    /// Uses up a grant for a call. `true` once per grant, until it expires with its question.
    pub fn take_grant(
        &self,
        host: &str,
        session: &str,
        digest: &str,
        now_ms: u64,
    ) -> Result<bool, StoreError> {
        approvals::take(self.database, host, session, digest, now_ms)
    }

    /// Makes all of it happen. When this returns, it is on disk.
    ///
    /// # Errors
    ///
    /// If it could not be written or if the disk did not confirm it. It may have happened then.
    pub fn commit(self) -> Result<(), StoreError> {
        if let Some(frames) = self.database.commit()? {
            // A broken chain, whose head is behind, must not take the mark back.
            let seq = self.head.borrow().seq().max(self.mark.seq);
            self.mark.set(seq, frames);
        }
        Ok(())
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        self.database.roll_back();
    }
}
