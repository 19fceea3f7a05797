//! Patterns of maps: bare words and regexes.

use regex_syntax::hir::{Class, Hir, HirKind};
use regex_syntax::{Error as SyntaxError, ParserBuilder};

use crate::code::Code;
use crate::names::Problem;

/// A bare word is found where no letter, digit or `_` is right before or behind it.
pub(crate) fn is_word_character(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// A bare word begins and ends with a word character, or its ends would never be found; and it has
/// nothing in it that looks like a regex.
pub(crate) fn check_word(word: &str) -> Result<(), Problem> {
    let is_inner = |c: char| is_word_character(c) || matches!(c, '-' | '.' | ':' | '/' | '@' | '=');
    let ends = word.starts_with(is_word_character) && word.ends_with(is_word_character);
    if ends && word.chars().all(is_inner) {
        return Ok(());
    }
    if word.starts_with(['"', '\'', '`']) {
        let bare = word.trim_matches(['"', '\'', '`']);
        let help =
            format!("patterns are not quoted; write `{bare}` for a word or `/{bare}/` for a regex");
        return Err(Problem::new(Code::NeedsRegex, format!("`{word}` is not a bare word"), help));
    }
    let looks_like_regex = word.contains(['*', '|', '[', '(', '^', '$', '?', '{', '\\', '+']);
    let written = if looks_like_regex { word.replace('/', "\\/") } else { escaped(word) };
    let help = format!("bare words match whole words only; write `/{written}/` for a regex");
    Err(Problem::new(Code::NeedsRegex, format!("`{word}` is not a bare word"), help))
}

/// The regex that finds a text as it is.
fn escaped(text: &str) -> String {
    regex_syntax::escape(text).replace('/', "\\/").replace("\\-", "-")
}

/// Whether a regex can be used, and what is wrong with it if not.
pub(crate) fn check_regex(regex: &str) -> Result<(), Problem> {
    if regex.is_empty() {
        let help = "write what to look for, or `/.*/` for every call";
        return Err(Problem::new(Code::BadRegex, "this regex is empty", help));
    }
    let hir = parse_regex(regex).map_err(|error| {
        let (message, help) = describe(&error);
        Problem::new(Code::BadRegex, message, help)
    })?;
    if size(&hir, 0) > SIZE_MAX {
        let help = "make the counts in braces smaller";
        return Err(Problem::new(Code::BadRegex, "this regex is too large", help));
    }
    Ok(())
}

/// States that one regex may need, about; and levels of groups.
const SIZE_MAX: u64 = 20_000;
const NESTING_MAX: u32 = 100;

/// A dot finds line ends too: a pattern must not be evaded by a new line.
pub(crate) fn parse_regex(regex: &str) -> Result<Hir, Box<SyntaxError>> {
    let mut parser =
        ParserBuilder::new().dot_matches_new_line(true).nest_limit(NESTING_MAX).build();
    parser.parse(regex).map_err(Box::new)
}

/// About how many states a regex needs. It is what makes it certain that the table of all maps can
/// be built when it is first used.
fn size(hir: &Hir, depth: u32) -> u64 {
    if depth > NESTING_MAX {
        return u64::MAX;
    }
    let deeper = depth.saturating_add(1);
    let sum =
        |parts: &[Hir]| parts.iter().map(|part| size(part, deeper)).fold(1, u64::saturating_add);
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len() as u64,
        // Classes of Unicode need several states for every range.
        HirKind::Class(class) => match class {
            Class::Unicode(class) => (class.ranges().len() as u64).saturating_mul(2).max(1),
            Class::Bytes(_) => 1,
        },
        HirKind::Repetition(repeated) => {
            let times = repeated.max.unwrap_or(repeated.min).max(1);
            size(&repeated.sub, deeper).saturating_mul(u64::from(times)).saturating_add(1)
        }
        HirKind::Capture(capture) => size(&capture.sub, deeper),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
    }
}

/// What is wrong with a regex, and what to do.
fn describe(error: &SyntaxError) -> (String, String) {
    use regex_syntax::ast::ErrorKind as Ast;
    let SyntaxError::Parse(parse) = error else {
        let what = match error {
            SyntaxError::Translate(translate) => translate.kind().to_string(),
            _ => "it cannot be understood".into(),
        };
        return (format!("this regex is not valid: {what}"), "correct the regex".into());
    };
    let help = match parse.kind() {
        Ast::UnsupportedLookAround => {
            "patterns run in linear time and cannot look around (`(?=`, `(?!`, `(?<=`, `(?<!`); \
             put what must not match into a `map` of its own before this one"
        }
        Ast::UnsupportedBackreference => {
            "patterns run in linear time and cannot refer back; write what is to be repeated"
        }
        Ast::GroupUnclosed | Ast::GroupUnopened => {
            "write `\\(` and `\\)` for the characters themselves"
        }
        Ast::ClassUnclosed => "write `\\[` for the character itself",
        Ast::RepetitionMissing => "write `\\*`, `\\+` or `\\?` for the characters themselves",
        _ => "correct the regex; `\\` makes a special character an ordinary one",
    };
    (format!("this regex is not valid: {}", parse.kind()), help.into())
}

/// Whether every text that has something in it matches: `.*`, `.`, `x*`, `^`.
pub(crate) fn matches_everything(regex: &str) -> bool {
    let Ok(hir) = parse_regex(regex) else { return false };
    let properties = hir.properties();
    let finds_nothing = properties.minimum_len() == Some(0) && properties.look_set().is_empty();
    let anchored = ["^", "$", "^.*", ".*$", "^.*$", "^.+", ".+$", "^.+$"].contains(&regex);
    finds_nothing || anchored || is_any_character(&hir)
}

/// `.` or `.+`, perhaps in groups.
fn is_any_character(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            let mut left = class.clone();
            left.negate();
            left.ranges().is_empty()
        }
        HirKind::Repetition(repeated) => repeated.min <= 1 && is_any_character(&repeated.sub),
        HirKind::Capture(capture) => is_any_character(&capture.sub),
        _ => false,
    }
}
