//! `petriflow fmt`.

use std::fs;
use std::path::{Path, PathBuf};

use petriflow::rules::{SourceFile, format};

use crate::args::FmtArgs;
use crate::outcome::{Exit, Failure, Outcome};
use crate::rules;
use crate::style::Style;

/// The command.
pub(crate) fn run(args: &FmtArgs) -> Outcome {
    let files = match rules::read(&args.files) {
        Ok(files) => files,
        Err(failure) => return failure.into(),
    };
    let mut outcome = Outcome::output(String::new(), Exit::Clean);
    for (path, file) in args.files.iter().zip(&files) {
        if let Err(failure) = format_one(path, file, args.check, &mut outcome) {
            outcome.stderr.push_str(&Outcome::from(failure).stderr);
            outcome.exit = Exit::Failed;
        }
    }
    outcome
}

fn format_one(
    path: &Path,
    file: &SourceFile,
    check: bool,
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    let formatted = match format(file) {
        Ok(formatted) => formatted,
        Err(diagnostics) => {
            let files = std::slice::from_ref(file);
            outcome.stderr.push_str(&rules::render(&diagnostics, files, Style::of_stderr()));
            return Err(Failure::new(format!("{} has errors and was left as it is", file.name)));
        }
    };
    let is_stdin = path == Path::new("-");
    let is_same = formatted == file.text;
    if check {
        if !is_same {
            outcome.stdout.push_str(&format!("{} is not in its form\n", file.name));
            outcome.exit = outcome.exit.max(Exit::Findings);
        }
    } else if is_stdin {
        outcome.stdout.push_str(&formatted);
    } else if !is_same {
        replace(path, &formatted)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", file.name)))?;
        outcome.stdout.push_str(&format!("{} formatted\n", file.name));
    }
    Ok(())
}

/// Writes beside the file and moves it into place, so that a crash leaves one or the other.
fn replace(path: &Path, content: &str) -> std::io::Result<()> {
    // A link stays a link: what it leads to is replaced.
    let path = fs::canonicalize(path)?;
    let mut beside: PathBuf = path.clone();
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.new", std::process::id()));
    beside.set_file_name(name);
    let written = fs::write(&beside, content)
        .and_then(|()| fs::set_permissions(&beside, fs::metadata(&path)?.permissions()))
        .and_then(|()| fs::rename(&beside, &path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}
