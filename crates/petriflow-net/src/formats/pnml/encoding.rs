//! From bytes to text: UTF-8 only, and a clear word about anything else.

use super::super::text::shown;
use super::super::{INPUT_BYTES_MAX, Position};
use super::{PnmlError, PnmlProblemKind};

/// The first bytes of other encodings, with or without a byte order mark.
const OTHER_ENCODINGS: [(&[u8], &str); 8] = [
    // UTF-32 first: its mark starts with that of UTF-16.
    (&[0xFF, 0xFE, 0, 0], "UTF-32"),
    (&[0, 0, 0xFE, 0xFF], "UTF-32"),
    (&[b'<', 0, 0, 0], "UTF-32"),
    (&[0, 0, 0, b'<'], "UTF-32"),
    (&[0xFF, 0xFE], "UTF-16"),
    (&[0xFE, 0xFF], "UTF-16"),
    (&[b'<', 0], "UTF-16"),
    (&[0, b'<'], "UTF-16"),
];

/// How far an XML declaration is looked for; a real one has some 60 bytes.
const DECLARATION_BYTES_MAX: usize = 512;

/// The text of a file, if it is UTF-8 and does not say otherwise.
pub(super) fn decode(bytes: &[u8]) -> Result<&str, PnmlError> {
    check_size(bytes.len())?;
    let other = OTHER_ENCODINGS.iter().find(|(start, _)| bytes.starts_with(start));
    if let Some((_, encoding)) = other {
        return Err(refused(encoding));
    }
    let head = bytes.get(..DECLARATION_BYTES_MAX).unwrap_or(bytes);
    let declared = declared_encoding(&String::from_utf8_lossy(head));
    if let Some(encoding) = declared.filter(|encoding| !is_utf8(encoding)) {
        return Err(refused(&encoding));
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let valid = String::from_utf8_lossy(valid);
        PnmlError::at(&valid, valid.len(), PnmlProblemKind::NotUtf8)
    })
}

pub(super) fn check_size(bytes: usize) -> Result<(), PnmlError> {
    if bytes <= INPUT_BYTES_MAX {
        return Ok(());
    }
    Err(PnmlError::new(Position::START, PnmlProblemKind::TooLarge { bytes }))
}

fn refused(encoding: &str) -> PnmlError {
    let encoding = shown(encoding);
    PnmlError::new(Position::START, PnmlProblemKind::Encoding { encoding })
}

/// ASCII is a part of UTF-8.
fn is_utf8(encoding: &str) -> bool {
    ["utf-8", "utf8", "us-ascii", "ascii"].iter().any(|name| encoding.eq_ignore_ascii_case(name))
}

fn declared_encoding(head: &str) -> Option<String> {
    let head = head.strip_prefix('\u{feff}').unwrap_or(head);
    let declaration = head.strip_prefix("<?xml")?;
    let declaration = declaration.split("?>").next()?;
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    value.split(quote).nth(1).map(str::to_owned)
}
