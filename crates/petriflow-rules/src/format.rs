//! The one form of a rules file.

use crate::diagnostic::{Diagnostic, SourceFile};
use crate::parser::parse;
use crate::syntax::{Document, Line};

/// A rules file in its one form: one space between words, two before a comment, at most one blank
/// line in a row and none at the ends.
///
/// ```
/// use petriflow_rules::{SourceFile, format};
///
/// let file = SourceFile::new("safety.rules", "\n\n  block   rm # never\n\n\n#why\n");
/// assert_eq!(format(&file).unwrap(), "block rm  # never\n\n#why\n");
/// ```
///
/// # Errors
/// What is wrong with the file; it is not changed then.
pub fn format(file: &SourceFile) -> Result<String, Vec<Diagnostic>> {
    let mut parsed = parse(std::slice::from_ref(file));
    if !parsed.diagnostics.is_empty() {
        return Err(parsed.diagnostics);
    }
    let document = parsed.documents.pop().unwrap_or_default();
    let mut lines: Vec<Line> = Vec::with_capacity(document.lines.len());
    for line in document.lines {
        let is_blank = |line: &Line| *line == Line::default();
        let is_repeated = lines.last().is_none_or(is_blank);
        if !(is_blank(&line) && is_repeated) {
            lines.push(line);
        }
    }
    if lines.last().is_some_and(|line| *line == Line::default()) {
        lines.pop();
    }
    Ok(Document { lines }.to_string())
}
