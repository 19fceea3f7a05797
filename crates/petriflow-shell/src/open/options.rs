//! Reading options the way getopt does.

use crate::command::Word;

/// The options of a program that runs another one.
#[derive(Clone, Copy)]
pub(super) struct Spec {
    /// Short options without a value.
    pub(super) flags: &'static str,
    /// Short options with a value, in the same word or the next.
    pub(super) values: &'static str,
    /// Short options with an optional value in the same word.
    pub(super) optional: &'static str,
    /// Long options without a value, separated by blanks; those that may have `=value` too.
    pub(super) long_flags: &'static str,
    /// Long options with a value, in the same word or the next.
    pub(super) long_values: &'static str,
    /// How many operands stand before the command.
    pub(super) operands: usize,
    /// The first operand may be a variable of the environment, which is taken to be no option.
    pub(super) environment: bool,
}

pub(super) const SPEC: Spec = Spec {
    flags: "",
    values: "",
    optional: "",
    long_flags: "",
    long_values: "",
    operands: 0,
    environment: false,
};

/// An option that was found.
pub(super) struct Found {
    /// `u` or `user`.
    pub(super) name: String,
    pub(super) value: Option<Word>,
}

pub(super) struct Scan {
    pub(super) found: Vec<Found>,
    /// Where the operands begin.
    pub(super) operands: usize,
    /// Where the command begins, behind the operands of the specification.
    pub(super) command: usize,
}

impl Scan {
    pub(super) fn has(&self, name: &str) -> bool {
        self.found.iter().any(|found| found.name == name)
    }
}

/// Reads options from `start` on. Fails with what could not be read.
pub(super) fn scan(words: &[Word], start: usize, spec: &Spec) -> Result<Scan, String> {
    let mut scan = Scan { found: Vec::new(), operands: start, command: start };
    let mut position = start;
    while let Some(word) = words.get(position) {
        if word.is_many() {
            return Err(what(word));
        }
        let text = word.text.as_str();
        if text == "--" {
            position = position.saturating_add(1);
            break;
        }
        if !text.starts_with('-') || text == "-" {
            if may_be_option(word) && !(spec.environment && is_environment(word, text)) {
                return Err(what(word));
            }
            break;
        }
        let next = words.get(position.saturating_add(1));
        let takes_next = if let Some(long) = text.strip_prefix("--") {
            long_option(long, word, next, spec, &mut scan.found)?
        } else {
            short_options(word, next, spec, &mut scan.found)?
        };
        position = position.saturating_add(if takes_next { 2 } else { 1 });
    }
    scan.operands = position;
    scan.command = position.saturating_add(spec.operands);
    for operand in words.get(position..scan.command.min(words.len())).unwrap_or_default() {
        if operand.is_many() {
            return Err(what(operand));
        }
    }
    Ok(scan)
}

/// Whether the option takes the next word.
fn long_option(
    long: &str,
    word: &Word,
    next: Option<&Word>,
    spec: &Spec,
    found: &mut Vec<Found>,
) -> Result<bool, String> {
    let listed =
        |list: &str, name: &str| list.split(' ').any(|entry| entry == name && !entry.is_empty());
    let (name, value) = match long.split_once('=') {
        Some((name, value)) => {
            (name, Some(Word { text: value.to_owned(), dynamic: word.dynamic.clone() }))
        }
        None if word.is_dynamic() => return Err(what(word)),
        None => (long, None),
    };
    let known = listed(spec.long_flags, name) || listed(spec.long_values, name);
    if !known {
        return Err(word.text.clone());
    }
    let takes_next = value.is_none() && listed(spec.long_values, name);
    let value = if takes_next { Some(single(next, word)?) } else { value };
    found.push(Found { name: name.to_owned(), value });
    Ok(takes_next)
}

/// Whether the last option takes the next word.
fn short_options(
    word: &Word,
    next: Option<&Word>,
    spec: &Spec,
    found: &mut Vec<Found>,
) -> Result<bool, String> {
    for (position, letter) in word.text.char_indices().skip(1) {
        let name = letter.to_string();
        let rest = word.text.get(position.saturating_add(letter.len_utf8())..).unwrap_or_default();
        if spec.values.contains(letter) {
            let takes_next = rest.is_empty();
            let value = if takes_next {
                single(next, word)?
            } else {
                Word { text: rest.to_owned(), dynamic: word.dynamic.clone() }
            };
            found.push(Found { name, value: Some(value) });
            return Ok(takes_next);
        }
        if spec.optional.contains(letter) {
            let value = Word { text: rest.to_owned(), dynamic: word.dynamic.clone() };
            found.push(Found { name, value: (!rest.is_empty()).then_some(value) });
            return Ok(false);
        }
        if !spec.flags.contains(letter) || word.is_dynamic() {
            return Err(word.text.clone());
        }
        found.push(Found { name, value: None });
    }
    Ok(false)
}

/// A value that is certainly one word.
fn single(next: Option<&Word>, option: &Word) -> Result<Word, String> {
    match next {
        Some(word) if !word.is_many() => Ok(word.clone()),
        Some(word) => Err(what(word)),
        None => Err(option.text.clone()),
    }
}

/// Whether a word begins with something that is not known, and so may be an option.
pub(super) fn may_be_option(word: &Word) -> bool {
    word.dynamic.as_ref().is_some_and(|dynamic| {
        word.text.starts_with(['$', '`', '-'])
            || (word.text == dynamic.what && !word.text.starts_with(['=', '<', '>']))
    })
}

/// Whether a word begins with a variable that has the name of one of the environment: `$HOST`. One
/// that this text fills with what a command prints is none.
pub(super) fn is_environment(word: &Word, text: &str) -> bool {
    if word.dynamic.as_ref().is_some_and(|dynamic| dynamic.printed) {
        return false;
    }
    let Some(rest) = text.strip_prefix('$') else { return false };
    let (name, braced) = rest.strip_prefix('{').map_or((rest, false), |name| (name, true));
    let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(name.len());
    let (name, behind) = name.split_at_checked(end).unwrap_or((name, ""));
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && !name.contains(|c: char| c.is_ascii_lowercase())
        && (!braced || behind.starts_with('}'))
}

/// Whether a word begins with what a command prints, and so may be an option.
pub(super) fn is_printed(word: &Word) -> bool {
    word.is_dynamic() && (word.text.starts_with("$(") || word.text.starts_with('`'))
}

/// Whether a word is a long option, or the beginning of one, with or without a value.
pub(super) fn abbreviates(text: &str, option: &str) -> bool {
    let given = text.split('=').next().unwrap_or_default();
    given.len() > 2 && given.starts_with("--") && option.starts_with(given)
}

pub(super) fn what(word: &Word) -> String {
    word.dynamic.as_ref().map_or_else(|| word.text.clone(), |dynamic| dynamic.what.clone())
}

/// `words[..at]` and `words[at..]`, however short the slice is.
pub(super) fn split(words: &[Word], at: usize) -> (&[Word], &[Word]) {
    words.split_at_checked(at).unwrap_or((words, &[]))
}
