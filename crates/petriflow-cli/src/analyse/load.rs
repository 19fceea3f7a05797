//! From a path to a net, with every problem of the file in one list.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use petriflow_net::formats::json::{self, JsonError, JsonProblem};
use petriflow_net::formats::pnml::{self, PnmlError};
use petriflow_net::formats::{INPUT_BYTES_MAX, NetDocument, Position};

use crate::outcome::Failure;
use crate::text::{MESSAGE_MAX, shown};

/// The path that stands for standard input.
const STANDARD_INPUT: &str = "-";

/// Reads a file, or standard input.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = match path == Path::new(STANDARD_INPUT) {
        true => read_at_most(io::stdin().lock()),
        false => read_file(path),
    };
    bytes.map_err(|error| unreadable(&source(path), &error))
}

/// The net of a file.
pub(super) fn net(path: &Path, bytes: &[u8]) -> Result<NetDocument, Failure> {
    let source = source(path);
    match format_of(path, bytes) {
        Format::Empty => Err(Failure::new(format!("{source}: the input is empty"))),
        Format::Pnml => read_pnml(&source, bytes),
        Format::Json => read_json(&source, bytes),
        Format::Unknown => {
            let problem = "neither PNML, which starts with `<`, nor JSON, which starts with `{`; YAML needs a file ending in .yaml or .yml";
            Err(Failure::new(format!("{source}: {problem}")))
        }
    }
}

/// The file as messages call it.
pub(super) fn source(path: &Path) -> String {
    match path == Path::new(STANDARD_INPUT) {
        true => "<stdin>".to_owned(),
        false => shown(&path.to_string_lossy(), MESSAGE_MAX),
    }
}

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    // A file that is too large is refused without reading any of it.
    if metadata.len() > INPUT_BYTES_MAX as u64 {
        return Err(ErrorKind::FileTooLarge.into());
    }
    read_at_most(file)
}

/// Pipes and devices have no length beforehand, so reading stops one byte beyond the limit.
fn read_at_most(input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take((INPUT_BYTES_MAX as u64).saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() > INPUT_BYTES_MAX {
        return Err(ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

fn unreadable(source: &str, error: &io::Error) -> Failure {
    Failure::new(match error.kind() {
        ErrorKind::NotFound => format!("{source}: no such file"),
        ErrorKind::IsADirectory => format!("{source}: this is a directory"),
        ErrorKind::FileTooLarge => {
            format!("{source}: more than {} MiB, the most that is read", INPUT_BYTES_MAX >> 20)
        }
        ErrorKind::PermissionDenied => format!("{source}: no permission to read it"),
        _ => format!("{source}: cannot be read: {error}"),
    })
}

enum Format {
    Empty,
    Pnml,
    Json,
    Unknown,
}

/// The extension decides; without a known one, the first character that is not white space.
fn format_of(path: &Path, bytes: &[u8]) -> Format {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
    let Some(first) = first else { return Format::Empty };
    let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
    match extension.as_ref().and_then(|extension| extension.to_str()) {
        Some("pnml" | "xml") => Format::Pnml,
        Some("json") => Format::Json,
        _ => match first {
            b'{' => Format::Json,
            // The last two begin UTF-16, about which the PNML reader has a clear word.
            b'<' | 0xFF | 0xFE => Format::Pnml,
            _ => Format::Unknown,
        },
    }
}

fn read_pnml(source: &str, bytes: &[u8]) -> Result<NetDocument, Failure> {
    let problems = |error: PnmlError| {
        // A problem begins with its position.
        let problem = |problem| located(source, ":", problem);
        Failure::all(error.problems().iter().map(problem).collect())
    };
    let net = pnml::read_bytes(bytes).map_err(problems)?;
    // PNML has no word for a proper end.
    Ok(NetDocument { net, terminal_places: Vec::new() })
}

fn read_json(source: &str, bytes: &[u8]) -> Result<NetDocument, Failure> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let position = end_of(bytes.get(..error.valid_up_to()).unwrap_or_default());
        let problem = "this byte is not part of any UTF-8 character; only UTF-8 can be read";
        Failure::new(format!("{source}:{position}: {problem}"))
    })?;
    let problems = |error: JsonError| {
        let problem = |problem: &JsonProblem| match problem {
            JsonProblem::Malformed { .. } => located(source, ":", problem),
            _ => located(source, ": ", problem),
        };
        Failure::all(error.problems().iter().map(problem).collect())
    };
    json::read(text).map_err(problems)
}

/// Messages quote names from the file, which may hold anything.
fn located(source: &str, separator: &str, problem: &impl ToString) -> String {
    format!("{source}{separator}{}", shown(&problem.to_string(), MESSAGE_MAX))
}

/// The position just after valid UTF-8.
fn end_of(valid: &[u8]) -> Position {
    let text = String::from_utf8_lossy(valid);
    let last = text.rsplit('\n').next().unwrap_or_default();
    Position {
        line: text.matches('\n').count().saturating_add(1),
        column: last.chars().count().saturating_add(1),
    }
}
