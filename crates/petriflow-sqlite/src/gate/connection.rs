//! A connection to the database, with the settings that make it durable and quick to open.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Params, Row};

use super::schema;
use crate::StoreError;
use crate::place::Place;

/// From this length of the log on, a checkpoint costs less than reading it again and again.
pub(super) const FRAMES_MAX: u64 = 64;

/// The frames of the log when this connection has written nothing.
const NONE: u64 = 0;

/// `journal_size_limit`: one transaction with very much in it does not leave a log of that size.
const SETTINGS: &str =
    "PRAGMA synchronous=NORMAL; PRAGMA cell_size_check=ON; PRAGMA journal_size_limit=1048576";

/// How long to sleep between attempts to get the lock. A transaction takes about half a
/// millisecond, so SQLite's own steps of up to 100 ms would mostly be spent waiting for nobody.
const NAP_MIN: Duration = Duration::from_micros(200);
const NAP_MAX: Duration = Duration::from_millis(5);

pub(super) struct Database {
    connection: Connection,
    pub(super) place: Place,
    lock_timeout: Duration,
    /// Frames in the log after our last commit, told by SQLite.
    frames: Arc<AtomicU64>,
}

/// Makes the tables in an empty file that nobody else knows of yet.
pub(super) fn create(path: &Path) -> Result<(), StoreError> {
    let fail = |error| StoreError::sqlite(path, error);
    let mut connection = Connection::open_with_flags(path, flags()).map_err(fail)?;
    connection.pragma_update(None, "journal_mode", "WAL").map_err(fail)?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(fail)?;
    let transaction = connection.transaction().map_err(fail)?;
    schema::migrate(&transaction, 0).map_err(fail)?;
    transaction.commit().map_err(fail)?;
    // Closing moves everything from the log to the file.
    connection.close().map_err(|(_, error)| fail(error))
}

fn flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

impl Database {
    pub(super) fn open(place: Place, lock_timeout: Duration) -> Result<Database, StoreError> {
        let path = &place.database;
        let connection = Connection::open_with_flags(path, flags())
            .map_err(|error| StoreError::sqlite(path, error))?;
        let frames = Arc::new(AtomicU64::new(NONE));
        let mut database = Database { connection, place, lock_timeout, frames };
        database.set_up().map_err(|error| database.error(error))?;
        database.check_identity()?;
        Ok(database)
    }

    fn set_up(&mut self) -> rusqlite::Result<()> {
        let connection = &mut self.connection;
        connection.busy_timeout(self.lock_timeout)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        // Takes the place of SQLite's checkpoints after a commit.
        let frames = Arc::clone(&self.frames);
        connection.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, count| {
            frames.store(u64::try_from(count).unwrap_or(NONE), Ordering::Relaxed);
            Ok(())
        }))?;
        connection.execute_batch(SETTINGS)
    }

    fn check_identity(&self) -> Result<(), StoreError> {
        let path = &self.place.database;
        let id: i64 = self.one("PRAGMA application_id", (), |row| row.get(0))?;
        let version: i64 = self.version()?;
        let version_max = schema::version_max();
        if id == 0 && version == 0 {
            return Err(StoreError::damaged(path, "`gate.db` has no tables"));
        }
        if id != schema::APPLICATION_ID {
            return Err(StoreError::Foreign { path: path.clone() });
        }
        match version {
            _ if version == version_max => Ok(()),
            _ if version > version_max => {
                Err(StoreError::Newer { path: path.clone(), version, version_max })
            }
            1.. => self.migrate(),
            _ => Err(StoreError::damaged(path, format!("`gate.db` has version {version}"))),
        }
    }

    fn version(&self) -> Result<i64, StoreError> {
        self.one("PRAGMA user_version", (), |row| row.get(0))
    }

    fn migrate(&self) -> Result<(), StoreError> {
        self.begin()?;
        // Another process may have done it while we waited.
        let done = self
            .version()
            .and_then(|version| {
                schema::migrate(&self.connection, version).map_err(|error| self.error(error))
            })
            .and_then(|()| self.commit().map(drop));
        if done.is_err() {
            self.roll_back();
        }
        done
    }

    /// Obtains the lock for writing.
    pub(super) fn begin(&self) -> Result<(), StoreError> {
        let fail = |error| self.error(error);
        let since = Instant::now();
        let mut nap = NAP_MIN;
        self.connection.busy_timeout(Duration::ZERO).map_err(fail)?;
        let begun = loop {
            match self.connection.execute_batch("BEGIN IMMEDIATE") {
                Err(error)
                    if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                        && since.elapsed() < self.lock_timeout =>
                {
                    thread::sleep(nap.min(self.lock_timeout.saturating_sub(since.elapsed())));
                    nap = nap.saturating_mul(2).min(NAP_MAX);
                }
                done => break done.map_err(fail),
            }
        };
        self.connection.busy_timeout(self.lock_timeout).map_err(fail)?;
        begun
    }

    /// Commits and waits for the disk. Gives the frames in the log, if anything was written.
    pub(super) fn commit(&self) -> Result<Option<u64>, StoreError> {
        self.frames.store(NONE, Ordering::Relaxed);
        self.connection.execute_batch("COMMIT").map_err(|error| self.error(error))?;
        match self.frames.load(Ordering::Relaxed) {
            NONE => Ok(None),
            frames => self.place.sync_log().map(|()| Some(frames)),
        }
    }

    pub(super) fn roll_back(&self) {
        if !self.connection.is_autocommit() {
            // If this fails, closing does the same.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }

    /// Moves what is in the log to the file, as far as no reader needs it, so that the next write
    /// starts the log anew. Not while another process does.
    pub(super) fn checkpoint(&self) -> Result<(), StoreError> {
        match self.one("PRAGMA wal_checkpoint(PASSIVE)", (), |_| Ok(())) {
            Err(StoreError::Busy { .. }) => Ok(()),
            done => done,
        }
    }

    /// Reads within one view of the database, whatever others commit meanwhile.
    pub(super) fn snapshot<T>(
        &self,
        read: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.execute("BEGIN", ())?;
        let result = read();
        self.roll_back();
        result
    }

    /// Runs a statement and gives the number of rows changed.
    pub(super) fn execute(&self, sql: &str, params: impl Params) -> Result<usize, StoreError> {
        self.connection.execute(sql, params).map_err(|error| self.error(error))
    }

    /// The one row there is.
    pub(super) fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.connection.query_row(sql, params, read).map_err(|error| self.error(error))
    }

    /// The first row, if there is any.
    pub(super) fn first<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        self.connection.query_row(sql, params, read).optional().map_err(|error| self.error(error))
    }

    /// Every row, until `visit` has seen enough.
    pub(super) fn each(
        &self,
        sql: &str,
        params: impl Params,
        mut visit: impl FnMut(&Row<'_>) -> rusqlite::Result<std::ops::ControlFlow<()>>,
    ) -> Result<(), StoreError> {
        let walk = || {
            let mut statement = self.connection.prepare(sql)?;
            let mut rows = statement.query(params)?;
            while let Some(row) = rows.next()? {
                if visit(row)?.is_break() {
                    break;
                }
            }
            Ok(())
        };
        walk().map_err(|error| self.error(error))
    }

    /// All rows.
    pub(super) fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut list = Vec::new();
        self.each(sql, params, |row| {
            list.push(read(row)?);
            Ok(std::ops::ControlFlow::Continue(()))
        })?;
        Ok(list)
    }

    /// The number of the row inserted last.
    pub(super) fn last_id(&self) -> Result<u64, StoreError> {
        u64::try_from(self.connection.last_insert_rowid())
            .map_err(|_| self.damaged("a row has a negative number"))
    }

    pub(super) fn damaged(&self, what: impl Into<String>) -> StoreError {
        StoreError::damaged(&self.place.database, what)
    }

    fn error(&self, error: rusqlite::Error) -> StoreError {
        StoreError::sqlite(&self.place.database, error)
    }
}

/// A number as SQLite stores it.
pub(super) fn stored(number: u64) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(|_| StoreError::TooLarge { number })
}

/// A number from a column. A negative one was not written by us.
pub(super) fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}
