//! PetriFlow's durable state in SQLite.
//!
//! [`GateStore`] is the state of the hook, a short process started for every tool call of an agent.
//! It reads a session, decides, and writes the session and an audit record in one transaction.
//! This crate knows nothing of nets or rules: a session's state is a text.
//!
//! ```
//! use petriflow_sqlite::{GateStore, Record, SessionKey, StoredSession};
//! # let home = tempfile::tempdir()?;
//! # let dir = home.path().join("state");
//! let mut store = GateStore::open(&dir, std::time::Duration::from_millis(500))?;
//! let key = SessionKey { host: "claude".into(), id: "7f3a".into() };
//!
//! let transaction = store.begin()?;
//! assert_eq!(transaction.session(&key)?, None);
//! let session = StoredSession { state: "{}".into(), seen_at_ms: 5, ..StoredSession::default() };
//! transaction.put_session(&key, &session)?;
//! transaction.append(&Record { at_ms: 5, decision: "allow".into(), ..Record::default() })?;
//! transaction.commit()?; // Durable from here on; without this line, nothing happened.
//!
//! assert_eq!(store.session(&key)?, Some(session));
//! assert_eq!(store.verify_audit()?.map(|chain| chain.records), Ok(1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A damaged state is never an empty one
//!
//! "No such session" makes a host start afresh, with all its limits unspent, so it must not come out
//! of damage. The files are made under another name and moved into place together: from then on, a
//! file that is missing, empty or without our schema is an error. A session that is not found by the
//! index is looked for in the table. A high-water mark beside the database tells if committed records
//! are gone, be it that the write-ahead log was deleted, cut or damaged or that an older copy was put
//! back. What cannot be noticed: somebody who removes the whole directory, or changes the database
//! and the mark alike.
//!
//! # Durable, and fast to start
//!
//! The database is in WAL mode. A commit is on disk when [`Transaction::commit`] returns: SQLite runs
//! with `synchronous=NORMAL`, where it orders its own writes but does not wait for a commit, and this
//! crate waits for the log (`fdatasync`) before it returns. That is as durable as `FULL`: whoever
//! reads a commit that is not on disk yet can only append to the same log, and waits for all of it.
//! It costs less, since `FULL` syncs the directory as well in every process, and the lock is free
//! while waiting.
//!
//! Closing does not checkpoint. The next process reads the log again, so it is kept short: once it has
//! 64 frames, the next [`GateStore::begin`] checkpoints before it writes. SQLite's own way, after
//! a commit, does not work for short processes: only a later write of the same process would start
//! the log anew, and it grows for ever.

mod error;
mod gate;
mod mark;
mod place;

pub use error::StoreError;
pub use gate::{
    ApprovalAnswer, ApprovalRow, AuditRow, Broken, Chain, GateStore, KEY_MAX, NewApproval, Record,
    SessionKey, SessionRow, StoredSession, Transaction,
};
