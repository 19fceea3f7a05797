//! Whether a `sed` script only edits text: `e` runs commands, `w` writes files.

use super::Opened;
use super::options::{is_environment, is_printed};
use crate::command::Word;

pub(super) fn sed(words: &[Word]) -> Opened {
    let mut scripts = Vec::new();
    let mut first_operand = None;
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if is_printed(word) {
            return Opened::opaque("sed");
        }
        match text {
            "-e" | "--expression" | "-ne" | "-re" | "-Ee" => scripts.extend(rest.next()),
            "-f" | "--file" => match rest.next().and_then(Word::known) {
                Some(file) if file != "-" && !file.starts_with("/dev/") => {
                    first_operand = Some(None)
                }
                _ => return Opened::opaque("sed"),
            },
            "--version" | "--help" => return Opened::Plain,
            "-n" | "-i" | "-E" | "-r" | "-s" | "-u" | "-z" | "--quiet" | "--silent"
            | "--in-place" | "--regexp-extended" | "--null-data" | "--posix" | "--separate"
            | "--unbuffered" | "--sandbox" | "--" | "-ni" | "-ri" | "-Ei" | "-nE" | "-En"
            | "-nr" | "-rn" => {}
            _ if text.starts_with("-i") && !text.contains('e')
                || text.starts_with("--in-place=") => {}
            _ if text.starts_with('-') && text.len() > 1 => return Opened::opaque("sed"),
            _ if word.is_many() && !text.contains(['*', '/', '.']) => return Opened::opaque("sed"),
            // The empty suffix of BSD's `-i ''`.
            "" => {}
            _ => {
                first_operand.get_or_insert(Some(word));
            }
        }
    }
    if scripts.is_empty() {
        scripts.extend(first_operand.flatten());
    }
    if scripts.iter().all(|script| is_fixed(script) && only_edits(&script.text)) {
        Opened::Plain
    } else {
        Opened::opaque("sed")
    }
}

/// Whether nothing in a script is unknown but variables of the environment behind its beginning.
fn is_fixed(script: &Word) -> bool {
    let text = script.text.as_str();
    let environment = || {
        text.match_indices('$')
            .all(|(at, _)| text.get(at..).is_some_and(|text| is_environment(script, text)))
    };
    let begins_unknown = text.starts_with('$') || text.contains(['`', '\n']);
    !script.is_dynamic()
        || (!script.is_many() && !begins_unknown && text.contains('$') && environment())
}

/// True if every command of the script is one that is known and only edits.
fn only_edits(script: &str) -> bool {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';', '}', '{']);
        if rest.is_empty() {
            return true;
        }
        if let Some(comment) = rest.strip_prefix('#') {
            rest = comment.split_once('\n').map_or("", |(_, next)| next);
            continue;
        }
        let Some(after) = addresses(rest) else { return false };
        match command(after) {
            Some(next) => rest = next,
            None => return false,
        }
    }
}

/// Skips `1`, `$`, `/re/`, `\,re,`, `+n`, `~n`, two of them, and `!`.
fn addresses(mut text: &str) -> Option<&str> {
    loop {
        let mut characters = text.chars();
        text = match characters.next()? {
            '0'..='9' | '$' | ',' | '!' | ' ' | '~' | '+' => characters.as_str(),
            '/' => behind(characters.as_str(), '/')?.trim_start_matches(['I', 'M']),
            '\\' => {
                let delimiter = characters.next()?;
                behind(characters.as_str(), delimiter)?
            }
            _ => return Some(text),
        };
    }
}

/// What stands behind an unescaped delimiter.
fn behind(text: &str, delimiter: char) -> Option<&str> {
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character == '\\' {
            characters.next();
        } else if character == delimiter {
            return Some(characters.as_str());
        }
    }
    None
}

/// Skips one command.
fn command(text: &str) -> Option<&str> {
    let mut characters = text.chars();
    let name = characters.next()?;
    let rest = characters.as_str();
    match name {
        'p' | 'd' | 'D' | 'P' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | '=' | 'l' | 'z' | 'F' => {
            ends(rest)
        }
        '{' => Some(rest),
        'q' | 'Q' => {
            ends(rest.trim_start_matches([' ', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']))
        }
        // Text up to the end of the line; a backslash would continue it.
        'a' | 'i' | 'c' | 'b' | 't' | 'T' | ':' => {
            let (line, next) = rest.split_once('\n').unwrap_or((rest, ""));
            let label = matches!(name, 'b' | 't' | 'T' | ':');
            if label {
                let end = rest.find([';', '\n', '}']).unwrap_or(rest.len());
                return rest.get(end..);
            }
            (!line.ends_with('\\') || next.is_empty() || line.trim() == "\\").then_some(
                if line.trim() == "\\" {
                    next.split_once('\n').map_or("", |(_, next)| next)
                } else {
                    next
                },
            )
        }
        's' => {
            let delimiter = characters.next()?;
            let rest = behind(behind(characters.as_str(), delimiter)?, delimiter)?;
            ends(rest.trim_start_matches([
                'g', 'p', 'i', 'I', 'm', 'M', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9',
            ]))
        }
        'y' => {
            let delimiter = characters.next()?;
            ends(behind(behind(characters.as_str(), delimiter)?, delimiter)?)
        }
        _ => None,
    }
}

/// Nothing may follow a command but a separator.
fn ends(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches([' ', '\t']);
    (rest.is_empty() || rest.starts_with([';', '\n', '}', '#'])).then_some(rest)
}
