//! Commands on rules files, and how they are read.

pub(crate) mod check;
pub(crate) mod demo;
pub(crate) mod draw;
pub(crate) mod explain;
pub(crate) mod fmt;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use petriflow::rules::{Diagnostic, Invalid, RuleSet, SourceFile, compile};

use crate::outcome::{Exit, Failure, Outcome};
use crate::style::Style;
use crate::text;

/// Largest file that is read.
const BYTES_MAX: u64 = 64 << 20;

/// Rules that can be used, or what to tell instead.
pub(crate) fn load(files: &[PathBuf]) -> Result<RuleSet, Outcome> {
    let files = read(files)?;
    compile(&files).map_err(|Invalid { files, diagnostics, .. }| {
        let mut stderr = render(&diagnostics, &files, Style::of_stderr());
        let count = text::counted(diagnostics.len() as u64, "error");
        stderr.push_str(&format!("the rules have {count}; nothing was done\n"));
        Outcome { stdout: String::new(), stderr, exit: Exit::Failed }
    })
}

/// The files' texts. One that is no text is a finding with a code, so it is no failure of ours.
pub(crate) fn read(paths: &[PathBuf]) -> Result<Vec<SourceFile>, Failure> {
    paths.iter().map(|path| read_one(path)).collect()
}

fn read_one(path: &Path) -> Result<SourceFile, Failure> {
    let shown = name(path);
    let bytes = bytes_of(path).map_err(|error| {
        let failure = Failure::new(format!("cannot read {shown}: {error}"));
        match path.is_dir() {
            true => failure.hint("name the rules files themselves, such as policies/*.rules"),
            false => failure,
        }
    })?;
    SourceFile::from_bytes(&shown, bytes).map_err(|diagnostic| {
        let Diagnostic { code, message, help, .. } = diagnostic;
        Failure::new(format!("{shown}: {code}: {message} ({})", help.unwrap_or_default()))
    })
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let limit = BYTES_MAX.saturating_add(1);
    let read = if path == Path::new("-") {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        fs::File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    read.map_err(|error| error.to_string())?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(format!("it is larger than {} MiB", BYTES_MAX >> 20));
    }
    Ok(bytes)
}

/// A file's name as it is shown.
pub(crate) fn name(path: &Path) -> String {
    match path.to_str() {
        Some("-") => "<stdin>".into(),
        Some(name) => text::shown(name, text::MESSAGE_MAX),
        None => text::shown(&path.to_string_lossy(), text::MESSAGE_MAX),
    }
}

/// Findings as text, a blank line between them.
pub(crate) fn render(diagnostics: &[Diagnostic], files: &[SourceFile], style: Style) -> String {
    let shown = diagnostics.iter().take(SHOWN_MAX);
    let mut out: String =
        shown.map(|diagnostic| diagnostic.render(files, &style.paint()) + "\n").collect();
    let hidden = diagnostics.len().saturating_sub(SHOWN_MAX);
    if hidden > 0 {
        out.push_str(&format!("and {hidden} more\n\n"));
    }
    out
}

/// Findings that are shown at once; `--format json` has all of them.
const SHOWN_MAX: usize = 100;
