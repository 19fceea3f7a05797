//! What can go wrong with the state, and what to do about it.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::Broken;

/// Why the state could not be read or written. Each says what to do in its text.
///
/// None of them means that there is no session.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// Another process held the lock for as long as we were to wait.
    Busy {
        /// The database.
        path: PathBuf,
    },
    /// The last audit record and the head of the chain disagree, so no record may follow.
    AuditBroken(Broken),
    /// A file or directory is not ours alone.
    NotPrivate {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        what: &'static str,
        /// The command that puts it right, up to the path.
        command: Option<&'static str>,
    },
    /// The files were ours but are not whole.
    Damaged {
        /// The directory to move away.
        path: PathBuf,
        /// What was found.
        what: String,
    },
    /// The file is not a database of PetriFlow.
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A later version of PetriFlow wrote the file.
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        version: i64,
        /// The highest that is known here.
        version_max: i64,
    },
    /// The disk is full.
    Full {
        /// The database.
        path: PathBuf,
    },
    /// The file or file system cannot be written.
    ReadOnly {
        /// The database.
        path: PathBuf,
    },
    /// A text is longer than allowed.
    TooLong {
        /// Which text.
        what: &'static str,
        /// The most bytes it may have.
        bytes_max: usize,
    },
    /// A number is too large to be stored.
    TooLarge {
        /// The number.
        number: u64,
    },
    /// Another text is already stored under this hash.
    RulesDiffer {
        /// The hash.
        hash: String,
    },
    /// The operating system refused something.
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// SQLite refused something.
    Sqlite {
        /// The database.
        path: PathBuf,
        /// What it said.
        source: Box<dyn Error + Send + Sync>,
    },
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy { path } => {
                write!(f, "`{}` is locked by another process; try again", path.display())
            }
            Self::AuditBroken(broken) => write!(
                f,
                "the audit chain is broken ({broken}); keep the files as evidence and move them away to start a new chain"
            ),
            Self::NotPrivate { path, what, command: Some(command) } => {
                let path = path.display();
                write!(f, "`{path}` {what}; run `{command} '{path}'` if you trust its content")
            }
            Self::NotPrivate { path, what, command: None } => {
                write!(f, "`{}` {what}; remove it or use another directory", path.display())
            }
            Self::Damaged { path, what } => write!(
                f,
                "the state in `{}` is damaged: {what}; put back a backup of the whole directory, or move it away to start without sessions, approvals and audit records",
                path.display()
            ),
            Self::Foreign { path } => write!(
                f,
                "`{}` is not a database of PetriFlow; move it away or use another directory",
                path.display()
            ),
            Self::Newer { path, version, version_max } => write!(
                f,
                "`{}` has schema version {version}, and this program knows {version_max} at most; update PetriFlow",
                path.display()
            ),
            Self::Full { path } => {
                write!(f, "there is no space left to write `{}`; free some", path.display())
            }
            Self::ReadOnly { path } => write!(
                f,
                "`{}` cannot be written; check its permissions and its file system",
                path.display()
            ),
            Self::TooLong { what, bytes_max } => {
                write!(f, "the {what} is longer than {bytes_max} bytes; shorten it")
            }
            Self::TooLarge { number } => {
                write!(f, "{number} is too large to be stored; use at most {}", i64::MAX)
            }
            Self::RulesDiffer { hash } => write!(
                f,
                "other rules are stored under the hash `{hash}`; their text was changed or hashed differently"
            ),
            Self::Io { path, source } => {
                write!(f, "`{}` cannot be used: {source}; check its permissions", path.display())
            }
            Self::Sqlite { path, source } => {
                write!(f, "`{}` cannot be used: {source}; try again", path.display())
            }
        }
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Sqlite { source, .. } => Some(&**source),
            _ => None,
        }
    }
}

impl StoreError {
    /// An error of the operating system about a file.
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full { path },
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { path },
            _ => Self::Io { path, source },
        }
    }

    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        // The files belong together, so the directory is what to move away.
        Self::Damaged { path: path.parent().unwrap_or(path).to_path_buf(), what: what.into() }
    }

    /// An error of SQLite about our database, with statements that are known to be right.
    pub(crate) fn sqlite(path: &Path, source: rusqlite::Error) -> Self {
        let owned = path.to_path_buf();
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { path: owned },
            Some(ErrorCode::NotADatabase) => Self::Foreign { path: owned },
            Some(ErrorCode::DiskFull) => Self::Full { path: owned },
            Some(ErrorCode::ReadOnly) => Self::ReadOnly { path: owned },
            // `Unknown` is the general error: the schema is not the one the statement is for.
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::Unknown | ErrorCode::TypeMismatch) => {
                Self::damaged(path, source.to_string())
            }
            Some(ErrorCode::TooBig) => Self::TooLong { what: "text", bytes_max: 1_000_000_000 },
            Some(_) => Self::Sqlite { path: owned, source: Box::new(source) },
            // Not of SQLite but of reading its answer: a value has another type than we wrote.
            None => Self::damaged(path, source.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_code(code: i32) -> StoreError {
        let error = rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
        StoreError::sqlite(Path::new("/s/gate/gate.db"), error)
    }

    #[test]
    fn codes_of_sqlite_are_told_apart() {
        use rusqlite::ffi;
        assert!(matches!(of_code(ffi::SQLITE_BUSY_SNAPSHOT), StoreError::Busy { .. }));
        assert!(matches!(of_code(ffi::SQLITE_BUSY_RECOVERY), StoreError::Busy { .. }));
        assert!(matches!(of_code(ffi::SQLITE_FULL), StoreError::Full { .. }));
        assert!(matches!(of_code(ffi::SQLITE_READONLY_DIRECTORY), StoreError::ReadOnly { .. }));
        assert!(matches!(of_code(ffi::SQLITE_CORRUPT_INDEX), StoreError::Damaged { .. }));
        assert!(matches!(of_code(ffi::SQLITE_ERROR), StoreError::Damaged { .. }));
        assert!(matches!(of_code(ffi::SQLITE_IOERR_READ), StoreError::Sqlite { .. }));
    }

    #[test]
    fn an_error_says_what_to_do() {
        assert_eq!(
            of_code(rusqlite::ffi::SQLITE_FULL).to_string(),
            "there is no space left to write `/s/gate/gate.db`; free some"
        );
    }
}
