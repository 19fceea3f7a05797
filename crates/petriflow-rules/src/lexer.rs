//! A line cut into words and regexes, with its comment.

use std::ops::Range;

use crate::code::Code;

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
                        message: "`#` stands right behind a word".into(),
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
                return behind_regex(line, from, length).map(|()| length);
            }
            _ => {}
        }
    }
    Err(LexError {
        code: Code::UnclosedRegex,
        bytes: from..line.len(),
        message: "this regex has no end".into(),
        help: "close it with `/`, and write `\\/` for a slash inside".into(),
    })
}

/// Nothing may stand right behind a regex.
fn behind_regex(line: &str, from: usize, length: usize) -> Result<(), LexError> {
    let end = from.saturating_add(length);
    let behind = line.get(end..).unwrap_or_default();
    let behind = behind.split(BLANK).next().unwrap_or_default();
    if behind.is_empty() {
        return Ok(());
    }
    let bytes = end..end.saturating_add(behind.len());
    let regex = line.get(from.saturating_add(1)..end.saturating_sub(1)).unwrap_or_default();
    let is_flags = behind.chars().all(|c| "gimsuyxU".contains(c));
    let (message, help) = if is_flags {
        let flags: String = behind.chars().filter(|c| "imsxU".contains(*c)).collect();
        let instead = if flags.is_empty() {
            format!("write `/{regex}/`; a pattern is searched for everywhere and in Unicode anyway")
        } else {
            format!("flags stand inside: write `/(?{flags}){regex}/`")
        };
        (format!("`{behind}` stands behind the regex"), instead)
    } else {
        let help = "write `\\/` for a slash inside a regex, and a space behind its end";
        (format!("`{behind}` stands right behind the regex"), help.into())
    };
    Err(LexError { code: Code::RegexFlags, bytes, message, help })
}

/// Characters that a reader cannot see, or that turn around what he sees, are not accepted anywhere.
fn invisible(line: &str) -> Result<(), LexError> {
    if line.bytes().all(|byte| (b' '..=b'~').contains(&byte) || byte == b'\t') {
        return Ok(());
    }
    let found = line.char_indices().find(|&(_, character)| is_invisible(character));
    let Some((at, character)) = found else { return Ok(()) };
    Err(LexError {
        code: Code::InvisibleCharacter,
        bytes: at..at.saturating_add(character.len_utf8()),
        message: format!("the character U+{:04X} cannot be seen", u32::from(character)),
        help: "delete it; only spaces and tabs stand between words".into(),
    })
}

fn is_invisible(character: char) -> bool {
    let is_format = matches!(
        character,
        '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
    );
    let is_blank = character.is_whitespace() && !matches!(character, ' ' | '\t');
    is_format || is_blank || (character.is_control() && character != '\t')
}
