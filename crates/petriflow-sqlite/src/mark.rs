//! The high-water mark: how far the audit chain had come when somebody last looked.
//!
//! A write-ahead log that is deleted, cut or damaged looks like one that was never written, and so
//! does an older copy of the database. The mark is written after each commit is on disk, and not
//! waited for: after a power loss it may be behind, but it is never ahead of what was committed.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::StoreError;

const BYTES: usize = 16;

pub(crate) struct Mark {
    file: File,
    /// The audit records that are known to have been committed.
    pub(crate) seq: u64,
    /// How long the log was then. Only a hint: whether it pays to checkpoint.
    pub(crate) frames: u64,
}

impl Mark {
    pub(crate) fn path(dir: &Path) -> PathBuf {
        dir.join("gate.mark")
    }

    /// The mark of a state without records.
    pub(crate) const NEW: [u8; BYTES] = [0; BYTES];

    pub(crate) fn open(dir: &Path) -> Result<Mark, StoreError> {
        let path = Self::path(dir);
        let file = match File::options().read(true).write(true).open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(StoreError::damaged(&path, "`gate.mark` is missing"));
            }
            opened => opened.map_err(|error| StoreError::io(&path, error))?,
        };
        let (mut seq, mut frames) = ([0; 8], [0; 8]);
        file.read_exact_at(&mut seq, 0)
            .and_then(|()| file.read_exact_at(&mut frames, 8))
            .map_err(|_| StoreError::damaged(&path, "`gate.mark` is cut off"))?;
        Ok(Mark { file, seq: u64::from_le_bytes(seq), frames: u64::from_le_bytes(frames) })
    }

    /// Notes a commit that is on disk.
    pub(crate) fn set(&mut self, seq: u64, frames: u64) {
        (self.seq, self.frames) = (seq, frames);
        let mut bytes = Self::NEW;
        bytes
            .iter_mut()
            .zip(seq.to_le_bytes().into_iter().chain(frames.to_le_bytes()))
            .for_each(|(byte, value)| *byte = value);
        // A mark that stays behind notices less but is not wrong, and the commit has happened.
        let _ = self.file.write_all_at(&bytes, 0);
    }
}
