//! Whether an `awk` program may run something.

use super::Opened;
use crate::command::Word;

/// The program text is the first operand, unless a file holds it.
pub(super) fn awk(words: &[Word]) -> Opened {
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        if word.is_many() {
            return Opened::opaque("awk");
        }
        match word.text.as_str() {
            "-F" | "-v" => {
                if rest.next().is_some_and(Word::is_many) {
                    return Opened::opaque("awk");
                }
            }
            "--version" | "-V" => return Opened::Plain,
            "-f" => {
                return rest
                    .next()
                    .filter(|file| {
                        !file.is_dynamic() && file.text != "-" && !file.text.starts_with("/dev/")
                    })
                    .map_or_else(|| Opened::opaque("awk"), |_| Opened::Plain);
            }
            "--" => {}
            text if text.starts_with("-F") || text.starts_with("-v") => {}
            text if text.starts_with('-') && text.len() > 1 => return Opened::opaque("awk"),
            text => {
                let code = text.replace("||", "");
                let runs = ["system", "getline", "@"].iter().any(|part| code.contains(part))
                    || without_strings(&code).contains('|');
                return if runs || word.is_dynamic() {
                    Opened::opaque("awk")
                } else {
                    Opened::Plain
                };
            }
        }
    }
    Opened::Plain
}

/// A program of `awk` without what stands in quotes, or all of it if that is not certain: in a
/// regular expression, a comment or behind a backslash a quote is no quote.
fn without_strings(code: &str) -> String {
    if code.contains(['/', '#', '\\', '\n']) || !code.matches('"').count().is_multiple_of(2) {
        return code.to_owned();
    }
    code.split('"').step_by(2).collect()
}
