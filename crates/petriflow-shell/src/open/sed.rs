//! Whether a `sed` script only edits text: `e` runs commands, `w` writes files.

/// True if every command of the script is one that is known and only edits.
pub(super) fn only_edits(script: &str) -> bool {
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
