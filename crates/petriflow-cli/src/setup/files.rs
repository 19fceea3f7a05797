//! Configuration files of hosts: where they are, and writing them without losing anything.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use petriflow_hosts::Host;
use petriflow_hosts::setup::{self, Scope};

use crate::hook::places;
use crate::outcome::Failure;

/// The file that the hook is written to.
pub(super) fn config_path(host: Host, scope: Scope, root: &Path) -> Result<PathBuf, Failure> {
    let file = setup::config_file(host, scope);
    match scope {
        Scope::Project => Ok(root.join(file.path)),
        Scope::User => places::home()
            .map(|home| home.join(file.path))
            .ok_or_else(|| Failure::new("there is no home directory".to_owned())),
    }
}

/// The text of a file, or nothing if there is none.
pub(super) fn read(path: &Path) -> Result<Option<String>, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::new(format!("cannot read {}: {error}", path.display()))),
    }
}

/// Writes a file by way of a new one beside it, so that a host never reads half of it. What was
/// there before stays beside it with the ending `.before-petriflow`; the first such copy is kept.
pub(super) fn replace(
    path: &Path,
    before: Option<&str>,
    text: &str,
) -> Result<Option<PathBuf>, Failure> {
    let wrong =
        |error: io::Error| Failure::new(format!("cannot write {}: {error}", path.display()));
    // A link is followed, so that the file it leads to is written, as the host reads it.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(wrong)?;
    }
    let mut backup = None;
    if let Some(before) = before {
        let copy = with_ending(path, ".before-petriflow");
        if !copy.exists() {
            fs::write(&copy, before).map_err(wrong)?;
            backup = Some(copy);
        }
    }
    let fresh = with_ending(path, &format!(".{}", std::process::id()));
    let written = write_synced(&fresh, text).and_then(|()| {
        if let Ok(metadata) = fs::metadata(path) {
            fs::set_permissions(&fresh, metadata.permissions())?;
        }
        fs::rename(&fresh, path)
    });
    written.map_err(|error| {
        let _ = fs::remove_file(&fresh);
        wrong(error)
    })?;
    Ok(backup)
}

fn write_synced(path: &Path, text: &str) -> io::Result<()> {
    let mut file = fs::File::create(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
