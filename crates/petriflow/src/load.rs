//! Rules from files. The crates behind this one do no IO.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use petriflow_rules::{Invalid, RuleSet, SourceFile, compile};

/// Reads and compiles rules files that make one policy together.
///
/// ```
/// # let dir = std::env::temp_dir().join(format!("petriflow-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&dir)?;
/// let path = dir.join("safety.rules");
/// std::fs::write(&path, "require human-approval before deploy\nblock rm\n")?;
/// let rules = petriflow::load([&path])?;
/// assert_eq!(rules.nets.len(), 2);
///
/// std::fs::write(&path, "blok rm\n")?;
/// let error = petriflow::load([&path]).unwrap_err();
/// assert!(error.to_string().ends_with("`blok` is not a statement (did you mean `block`?)"));
/// # std::fs::remove_dir_all(&dir)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a file cannot be read, or all that is wrong with the rules.
pub fn load<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<RuleSet, LoadError> {
    let mut files = Vec::new();
    for path in paths {
        let path = path.as_ref();
        let unreadable = |error| LoadError::Unreadable { path: path.to_owned(), error };
        let bytes = std::fs::read(path).map_err(unreadable)?;
        let name = path.to_string_lossy();
        let file = SourceFile::from_bytes(name.clone(), bytes).map_err(|diagnostic| {
            let files = vec![SourceFile::new(name, "")];
            let (documents, diagnostics) = (Vec::new(), vec![diagnostic]);
            LoadError::Invalid(Invalid { files, documents, diagnostics })
        })?;
        files.push(file);
    }
    compile(&files).map_err(LoadError::Invalid)
}

/// Why rules could not be loaded.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// A file could not be read.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The rules have errors.
    Invalid(Invalid),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { path, error } => {
                write!(f, "cannot read {}: {error}", path.display())
            }
            Self::Invalid(invalid) => invalid.fmt(f),
        }
    }
}

impl std::error::Error for LoadError {}
