//! A line cut into words and regexes, with its comment.

use std::ops::Range;

use crate::code::Code;
use crate::pattern::escaped;

/// A word, or what stands between slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token<'l> {
    pub(crate) kind: TokenKind<'l>,
    /// Bytes of the line.
    pub(crate) bytes: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind<'l> {
    Word(&'l str),
    Regex(&'l str),
}

/// The tokens of a line and its comment, without `#`.
#[derive(Debug, Default)]
pub(crate) struct Lexed<'l> {
    pub(crate) tokens: Vec<Token<'l>>,
    pub(crate) comment: Option<&'l str>,
}

/// Why a line cannot be cut, and where.
#[derive(Debug)]
pub(crate) struct LexError {
    pub(crate) code: Code,
    pub(crate) bytes: Range<usize>,
    pub(crate) message: String,
    pub(crate) help: String,
}

/// Cuts a line. `tokens` is a buffer that is filled anew.
pub(crate) fn lex<'l>(line: &'l str, lexed: &mut Lexed<'l>) -> Result<(), LexError> {
    lexed.tokens.clear();
    lexed.comment = None;
    invisible(line)?;
    cut(line, lexed)
}

fn cut<'l>(line: &'l str, lexed: &mut Lexed<'l>) -> Result<(), LexError> {
    let mut at = 0;
    loop {
        let rest = line.get(at..).unwrap_or_default();
        at = at.saturating_add(rest.len().saturating_sub(rest.trim_start_matches(BLANK).len()));
        let rest = line.get(at..).unwrap_or_default();
        match rest.chars().next() {
            None => return Ok(()),
            Some('#') => {
                lexed.comment = rest.get(1..).map(|comment| comment.trim_end_matches(BLANK));
                return Ok(());
            }
            Some('/') => {
                let end = at.saturating_add(regex_length(line, at)?);
                let text = line.get(at.saturating_add(1)..end.saturating_sub(1));
                let kind = TokenKind::Regex(text.unwrap_or_default());
                lexed.tokens.push(Token { kind, bytes: at..end });
                at = end;
            }
            Some(_) => {
                let length = rest.find(BLANK).unwrap_or(rest.len());
                let end = at.saturating_add(length);
                let word = rest.get(..length).unwrap_or_default();
                if let Some(hash) = word.find('#') {
                    let hash = at.saturating_add(hash);
                    return Err(LexError {
                        code: Code::BadName,
                        bytes: hash..hash.saturating_add(1),
                        message: "`#` stands right after a word".into(),
                        help: "put a space before `#` to begin a comment; names have no `#`".into(),
                    });
                }
                lexed.tokens.push(Token { kind: TokenKind::Word(word), bytes: at..end });
                at = end;
            }
        }
    }
}

const BLANK: [char; 2] = [' ', '\t'];

/// How many bytes a regex takes, slashes included.
fn regex_length(line: &str, from: usize) -> Result<usize, LexError> {
    let rest = line.get(from..).unwrap_or_default();
    let mut escaped = false;
    for (at, character) in rest.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '/' => {
                let length = at.saturating_add(1);
                return after_regex(line, from, length).map(|()| length);
            }
            _ => {}
        }
    }
    let end = rest.find(" #").map_or(line.len(), |comment| from.saturating_add(comment));
    Err(LexError {
        code: Code::UnclosedRegex,
        bytes: from..end,
        message: "this regex has no end".into(),
        help: "close it with `/`, and write `\\/` for a slash inside".into(),
    })
}

/// Nothing may stand right after a regex.
fn after_regex(line: &str, from: usize, length: usize) -> Result<(), LexError> {
    let end = from.saturating_add(length);
    let after = line.get(end..).unwrap_or_default();
    let after = after.split(BLANK).next().unwrap_or_default();
    if after.is_empty() {
        return Ok(());
    }
    let bytes = end..end.saturating_add(after.len());
    let regex = line.get(from.saturating_add(1)..end.saturating_sub(1)).unwrap_or_default();
    let (message, help) = if after.starts_with('#') {
        (format!("`{after}` stands right after the regex"), "put a space before `#`".into())
    } else if after.len() <= 3 && after.chars().all(|c| "gimsuyxU".contains(c)) {
        let mut flags = String::new();
        for flag in after.chars().filter(|c| "imsxU".contains(*c)) {
            if !flags.contains(flag) {
                flags.push(flag);
            }
        }
        let help = if flags.is_empty() {
            format!("write `/{regex}/`; a pattern is searched for everywhere and in Unicode anyway")
        } else {
            format!("flags stand inside: write `/(?{flags}){regex}/`")
        };
        (format!("`{after}` stands after the regex"), help)
    } else {
        let whole = line.get(from..bytes.end).unwrap_or_default();
        let help =
            format!("for a slash inside a regex write `\\/`, such as `/{}/`", escaped(whole));
        (format!("`{after}` stands right after the regex"), help)
    };
    Err(LexError { code: Code::RegexFlags, bytes, message, help })
}

/// Characters that a reader cannot see are not accepted, and in comments those that turn around what
/// he sees are not.
fn invisible(line: &str) -> Result<(), LexError> {
    if line.bytes().all(|byte| (b' '..=b'~').contains(&byte) || byte == b'\t') {
        return Ok(());
    }
    let found = line.char_indices().filter(|&(_, character)| is_invisible(character));
    let comment = comment_start(line);
    let mut refused = found.filter(|&(at, character)| at < comment || is_deceiving(character));
    let Some((at, character)) = refused.next() else { return Ok(()) };
    let help = match character {
        '\r' => "put a line end in its place",
        _ if character.is_whitespace() => "put a space in its place",
        _ => "delete it; only spaces and tabs stand between words",
    };
    Err(LexError {
        code: Code::InvisibleCharacter,
        bytes: at..at.saturating_add(character.len_utf8()),
        message: format!("the character U+{:04X} cannot be seen", u32::from(character)),
        help: help.into(),
    })
}

/// Where the comment begins, or the end of the line.
fn comment_start(line: &str) -> usize {
    let mut lexed = Lexed::default();
    match cut(line, &mut lexed) {
        Ok(()) if lexed.comment.is_some() => {
            let end = lexed.tokens.last().map_or(0, |last| last.bytes.end);
            let rest = line.get(end..).unwrap_or_default();
            rest.find('#').map_or(line.len(), |hash| end.saturating_add(hash))
        }
        Ok(()) | Err(_) => line.len(),
    }
}

/// Control characters, and those that change the direction of writing.
fn is_deceiving(character: char) -> bool {
    let turns = matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    turns || character.is_control()
}

fn is_invisible(character: char) -> bool {
    let is_format = matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    );
    let is_blank = character.is_whitespace() && !matches!(character, ' ' | '\t');
    is_format || is_blank || (character.is_control() && character != '\t')
}
