//! Where the state is: made at once, private to its user.
//!
//! `DIR/gate/` holds the database, its write-ahead log and the mark. It is filled under another name
//! and renamed, so whatever is in a `gate` was complete once.

use std::fs::{self, DirBuilder, File, Metadata, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::mark::Mark;

/// The files of a state.
pub(crate) struct Place {
    /// `DIR/gate`.
    pub(crate) dir: PathBuf,
    pub(crate) database: PathBuf,
    pub(crate) log: PathBuf,
}

impl Place {
    /// The place in a directory, made if absent. `fill` makes the database of a new one.
    pub(crate) fn make(
        outer: &Path,
        fill: impl Fn(&Path) -> Result<(), StoreError>,
    ) -> Result<Place, StoreError> {
        if let Some(place) = Self::find(outer)? {
            return Ok(place);
        }
        let outer = absolute(outer)?;
        make_private_dirs(&outer)?;
        check(&outer, &metadata(&outer)?, Kind::Directory)?;
        let draft = Draft::new(&outer)?;
        draft.fill(fill)?;
        draft.publish(&outer)?;
        Self::find(&outer)?
            .ok_or_else(|| StoreError::damaged(&outer.join("gate"), "it was removed just now"))
    }

    /// The place in a directory, if there is one.
    pub(crate) fn find(outer: &Path) -> Result<Option<Place>, StoreError> {
        // An absolute path also keeps SQLite from reading `file:…` as an address with options.
        let outer = absolute(outer)?;
        let dir = outer.join("gate");
        for dir in [&outer, &dir] {
            match fs::symlink_metadata(dir) {
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(StoreError::io(dir, error)),
                Ok(metadata) => check(dir, &metadata, Kind::Directory)?,
            }
        }
        let place = Place { database: dir.join("gate.db"), log: dir.join("gate.db-wal"), dir };
        place.check_files()?;
        Ok(Some(place))
    }

    fn check_files(&self) -> Result<(), StoreError> {
        match fs::symlink_metadata(&self.database) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(StoreError::damaged(&self.database, "`gate.db` is missing"));
            }
            Err(error) => return Err(StoreError::io(&self.database, error)),
            // SQLite takes an empty file for a new database.
            Ok(metadata) if metadata.is_file() && metadata.len() == 0 => {
                return Err(StoreError::damaged(&self.database, "`gate.db` is empty"));
            }
            Ok(metadata) => check(&self.database, &metadata, Kind::File)?,
        }
        match fs::symlink_metadata(&self.log) {
            Ok(metadata) => check(&self.log, &metadata, Kind::File),
            // SQLite would make it, but we keep SQLite from waiting for the directory.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                match private_file(&self.log) {
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                    made => drop(made.map_err(|error| StoreError::io(&self.log, error))?),
                }
                sync_dir(&self.dir)
            }
            Err(error) => Err(StoreError::io(&self.log, error)),
        }
    }

    /// Waits until all commits so far are on disk.
    pub(crate) fn sync_log(&self) -> Result<(), StoreError> {
        // SQLite's locks are on other files, so closing this handle releases none.
        File::options()
            .write(true)
            .open(&self.log)
            .and_then(|log| log.sync_data())
            .map_err(|error| StoreError::io(&self.log, error))
    }
}

/// A state being made, removed again unless published.
struct Draft(PathBuf);

impl Draft {
    fn new(outer: &Path) -> Result<Draft, StoreError> {
        let mut number = 0_u32;
        loop {
            let path = outer.join(format!(".gate-{}-{number}", std::process::id()));
            match private_dir(&path) {
                Ok(()) => return Ok(Draft(path)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists && number < 1000 => {
                    number = number.saturating_add(1);
                }
                Err(error) => return Err(StoreError::io(&path, error)),
            }
        }
    }

    fn fill(&self, fill: impl Fn(&Path) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let mark = Mark::path(&self.0);
        private_file(&mark)
            .and_then(|mut file| {
                io::Write::write_all(&mut file, &Mark::NEW)?;
                file.sync_all()
            })
            .map_err(|error| StoreError::io(&mark, error))?;
        let database = self.0.join("gate.db");
        private_file(&database).map_err(|error| StoreError::io(&database, error))?;
        fill(&database)?;
        sync_dir(&self.0)
    }

    fn publish(self, outer: &Path) -> Result<(), StoreError> {
        let dir = outer.join("gate");
        match fs::rename(&self.0, &dir) {
            // Another process was first; its state is as good as ours.
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => Ok(()),
            Err(error) => Err(StoreError::io(&dir, error)),
            Ok(()) => sync_dir(outer),
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After a rename there is nothing of this name; otherwise what stays behind does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[derive(PartialEq)]
enum Kind {
    Directory,
    File,
}

/// Refuses what others could have written or could exchange.
fn check(path: &Path, metadata: &Metadata, kind: Kind) -> Result<(), StoreError> {
    let refuse =
        |what, command| Err(StoreError::NotPrivate { path: path.to_path_buf(), what, command });
    if metadata.is_symlink() {
        return refuse("is a symbolic link", None);
    }
    let wrong_kind = match kind {
        Kind::Directory => (!metadata.is_dir()).then_some("is not a directory"),
        Kind::File => (!metadata.is_file()).then_some("is not a regular file"),
    };
    if let Some(what) = wrong_kind {
        return refuse(what, None);
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return refuse("belongs to another user", None);
    }
    if metadata.mode() & 0o022 != 0 {
        let command = if kind == Kind::Directory { "chmod 700" } else { "chmod 600" };
        return refuse("can be written by others", Some(command));
    }
    Ok(())
}

fn absolute(path: &Path) -> Result<PathBuf, StoreError> {
    std::path::absolute(path).map_err(|error| StoreError::io(path, error))
}

fn metadata(path: &Path) -> Result<Metadata, StoreError> {
    fs::symlink_metadata(path).map_err(|error| StoreError::io(path, error))
}

/// Makes a directory and those above it that are missing.
fn make_private_dirs(path: &Path) -> Result<(), StoreError> {
    let missing: Vec<&Path> = path
        .ancestors()
        .take_while(|path| matches!(fs::symlink_metadata(path), Err(error) if error.kind() == ErrorKind::NotFound))
        .collect();
    for dir in missing.into_iter().rev() {
        match private_dir(dir) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => made.map_err(|error| StoreError::io(dir, error))?,
        }
        if let Some(parent) = dir.parent() {
            sync_dir(parent)?;
        }
    }
    Ok(())
}

/// Makes a directory for its owner alone. The second step is for a umask that takes too much.
fn private_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o700))
}

fn private_file(path: &Path) -> io::Result<File> {
    let file = File::options().write(true).create_new(true).mode(0o600).open(path)?;
    file.set_permissions(Permissions::from_mode(0o600))?;
    Ok(file)
}

fn sync_dir(path: &Path) -> Result<(), StoreError> {
    File::open(path).and_then(|dir| dir.sync_all()).map_err(|error| StoreError::io(path, error))
}
