//! The state of the gate's hook: sessions, audit records, rules, trust and approvals.

mod approvals;
mod audit;
mod connection;
mod rules;
mod schema;
mod sessions;
mod transaction;

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

pub use approvals::{ApprovalAnswer, ApprovalRow, NewApproval};
pub use audit::{AuditRow, Broken, Chain, Record};
pub use sessions::{KEY_MAX, SessionKey, SessionRow, StoredSession};
pub use transaction::Transaction;

use crate::StoreError;
use crate::mark::Mark;
use crate::place::Place;
use audit::Head;
use connection::Database;

/// The durable state of one user's hooks. Any number of processes may have it open.
pub struct GateStore {
    database: Database,
    mark: Mark,
}

impl GateStore {
    /// Opens the state in a directory, and makes the directory (0700) and the files (0600) if absent.
    ///
    /// # Errors
    ///
    /// If the files are not the user's alone, are damaged or not ours, or cannot be used. A lock that
    /// is not obtained within `lock_timeout` is [`StoreError::Busy`], here and later.
    pub fn open(dir: &Path, lock_timeout: Duration) -> Result<GateStore, StoreError> {
        Self::at(Place::make(dir, connection::create)?, lock_timeout)
    }

    /// Opens the state in a directory, or says that there is none yet. Makes no state.
    ///
    /// # Errors
    ///
    /// Like [`GateStore::open`].
    pub fn open_existing(
        dir: &Path,
        lock_timeout: Duration,
    ) -> Result<Option<GateStore>, StoreError> {
        Place::find(dir)?.map(|place| Self::at(place, lock_timeout)).transpose()
    }

    fn at(place: Place, lock_timeout: Duration) -> Result<GateStore, StoreError> {
        // Before the database: a commit in between would be behind the mark otherwise.
        let mark = Mark::open(&place.dir)?;
        Ok(GateStore { database: Database::open(place, lock_timeout)?, mark })
    }

    /// Begins the one transaction that may write, waiting for that of another process to end.
    ///
    /// # Errors
    ///
    /// If the lock is not obtained in time, or if records that were committed are gone.
    pub fn begin(&mut self) -> Result<Transaction<'_>, StoreError> {
        if self.mark.frames >= connection::FRAMES_MAX {
            self.database.checkpoint()?;
            // Should readers have kept the log from being used anew, the commit sets this again.
            self.mark.frames = 0;
        }
        self.database.begin()?;
        // From here on, leaving rolls back.
        let transaction = Transaction::new(&self.database, &mut self.mark);
        transaction.look()?;
        Ok(transaction)
    }

    /// All sessions, the one seen last first.
    ///
    /// # Errors
    ///
    /// If the state cannot be read or is damaged.
    pub fn sessions(&self) -> Result<Vec<SessionRow>, StoreError> {
        self.check_mark()?;
        sessions::all(&self.database)
    }

    /// A session, outside of a transaction.
    ///
    /// # Errors
    ///
    /// If the state cannot be read or is damaged, or if the key is too long.
    pub fn session(&self, key: &SessionKey) -> Result<Option<StoredSession>, StoreError> {
        self.check_mark()?;
        // In one view: somebody else may write between two questions.
        self.database.snapshot(|| sessions::get(&self.database, key))
    }

    /// The text of rules, by the hash of their content.
    ///
    /// # Errors
    ///
    /// If the state cannot be read or is damaged.
    pub fn rules(&self, hash: &str) -> Result<Option<String>, StoreError> {
        rules::get(&self.database, hash)
    }

    /// Visits the audit records in order, from a sequence number on. They are not verified.
    ///
    /// # Errors
    ///
    /// If the state cannot be read or is damaged.
    pub fn audit(
        &self,
        from_seq: u64,
        visit: &mut dyn FnMut(AuditRow) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        audit::visit(&self.database, from_seq, visit)
    }

    /// Checks every audit record against the chain and its head.
    ///
    /// Any record that was changed, removed, inserted, moved or renumbered is found, and a tail that
    /// was cut off. What cannot be seen: somebody who rewrites the chain from some record on, with all
    /// hashes, the head and the mark. Note the head elsewhere from time to time; a later chain that
    /// does not contain it was rewritten.
    ///
    /// # Errors
    ///
    /// If the state cannot be read. A broken chain is a result.
    pub fn verify_audit(&self) -> Result<Result<Chain, Broken>, StoreError> {
        audit::verify(&self.database, self.mark.seq)
    }

    /// Questions that are neither answered nor expired, the oldest first.
    ///
    /// # Errors
    ///
    /// If the state cannot be read or is damaged.
    pub fn pending_approvals(&self, now_ms: u64) -> Result<Vec<ApprovalRow>, StoreError> {
        self.check_mark()?;
        approvals::pending(&self.database, now_ms)
    }

    fn check_mark(&self) -> Result<(), StoreError> {
        Head::read(&self.database)?.check_mark(&self.database, self.mark.seq)
    }
}

impl std::fmt::Debug for GateStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GateStore").field("dir", &self.database.place.dir).finish_non_exhaustive()
    }
}
