//! Names of tools and virtual tools.

use crate::code::Code;

/// What stands in the place of a tool where a person must approve.
pub(crate) const APPROVAL: &str = "human-approval";

/// What is wrong with a word, and what to write instead.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) help: String,
}

impl Problem {
    pub(crate) fn new(code: Code, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: help.into() }
    }
}

/// Characters of a name, in bytes. Nothing is a reason to be longer, and nets are named after rules.
const LENGTH_MAX: usize = 256;

/// Words between the names of a statement. As names they would only be a missing name.
pub(crate) const CONNECTING: [&str; 4] = ["before", "to", "per", "as"];

/// Letters and digits of any script, and `_ - . : / @ +`; beginning with a letter, a digit, `_` or `@`
/// and ending with a letter, a digit or `_`.
pub(crate) fn check(name: &str) -> Result<(), Problem> {
    if name == APPROVAL {
        return Err(Problem::new(
            Code::ReservedName,
            format!("`{APPROVAL}` is not a tool"),
            format!("it only stands in `require {APPROVAL} before TOOL`"),
        ));
    }
    if CONNECTING.contains(&name) {
        let help =
            format!("a name is missing before `{name}`, or give the tool another name with `map`");
        let message = format!("`{name}` is a word of the language, not a name");
        return Err(Problem::new(Code::ReservedName, message, help));
    }
    if name.len() > LENGTH_MAX {
        return Err(Problem::new(
            Code::BadName,
            format!("this name is longer than {LENGTH_MAX} bytes"),
            "give such calls a shorter name with `map`",
        ));
    }
    let is_inner = |c: char| is_letter(c) || matches!(c, '-' | '.' | ':' | '/' | '@' | '+');
    if let Some(wrong) = name.chars().find(|&c| !is_inner(c)) {
        return Err(wrong_character(name, wrong));
    }
    let has_latin = name.chars().any(|c| c.is_ascii_alphabetic());
    let alike = |c: char| is_disguised(c) || (has_latin && looks_latin(c));
    if let Some(alike) = name.chars().find(|&c| alike(c)) {
        let message =
            format!("`{name}` is not what it looks like: `{alike}` is U+{:04X}", u32::from(alike));
        let help = "it only looks like a Latin letter, and no tool has such a name; type it anew";
        return Err(Problem::new(Code::BadName, message, help));
    }
    let begins = name.starts_with(|c: char| is_letter(c) || c == '@');
    let ends = name.ends_with(is_letter);
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
    if begins && ends && !name.contains("..") && !is_number {
        return Ok(());
    }
    let help = match () {
        () if name.starts_with('-') => {
            format!("to match text in an input, write `/{name}/` in a `map`")
        }
        () if is_number => "write the name of a tool".into(),
        () if name.contains("..") => "write one dot".into(),
        () if begins => format!("write `{}`", name.trim_end_matches(|c| !is_letter(c))),
        () => "names begin with a letter, a digit, `_` or `@`".into(),
    };
    Err(Problem::new(Code::BadName, format!("`{name}` is not a name"), help))
}

/// Letters and digits, with the marks that some scripts put on them.
fn is_letter(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || is_mark(character)
}

/// Combining marks of the scripts that people write names in.
fn is_mark(character: char) -> bool {
    matches!(
        character,
        '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}'
            | '\u{900}'..='\u{903}' | '\u{93a}'..='\u{94f}' | '\u{951}'..='\u{957}' | '\u{981}'..='\u{983}'
            | '\u{9bc}'..='\u{9cd}' | '\u{b82}' | '\u{bbe}'..='\u{bcd}' | '\u{e31}' | '\u{e34}'..='\u{e4e}'
            | '\u{3099}' | '\u{309a}'
    )
}

/// Scripts with letters that look like Latin ones.
fn looks_latin(character: char) -> bool {
    matches!(
        character,
        '\u{131}' | '\u{17f}' | '\u{250}'..='\u{2af}' | '\u{370}'..='\u{3ff}' | '\u{400}'..='\u{52f}'
            | '\u{530}'..='\u{58f}' | '\u{13a0}'..='\u{13ff}' | '\u{1d00}'..='\u{1dbf}'
            | '\u{a4d0}'..='\u{a4ff}' | '\u{ab30}'..='\u{abbf}'
    )
}

/// Latin letters in other forms: Roman numerals, in circles, wide, mathematical.
fn is_disguised(character: char) -> bool {
    matches!(
        character,
        '\u{2100}'..='\u{214f}' | '\u{2160}'..='\u{2188}' | '\u{249c}'..='\u{24e9}'
            | '\u{ff01}'..='\u{ff5e}' | '\u{1d400}'..='\u{1d7ff}' | '\u{1f100}'..='\u{1f1ff}'
    )
}

fn wrong_character(name: &str, wrong: char) -> Problem {
    let help = match wrong {
        '*' | '?' | '[' | ']' => {
            "there are no wildcards; write one rule for each tool, or `map` their calls to one name"
        }
        '"' | '\'' | '`' | '“' | '”' | '‘' | '’' => "write the name without quotes",
        ',' | ';' | '&' | '|' => "write one rule for each tool, on a line of its own",
        '‐' | '‑' | '‒' | '–' | '—' | '−' => "write the plain hyphen `-`",
        '(' | ')' | '{' | '}' => {
            "write the tool's name alone; `map TOOL.FIELD PATTERN as NAME` looks at its input"
        }
        _ => "names have letters, digits and `_ - . : / @ +`",
    };
    let shown = match wrong.is_ascii() {
        true => format!("`{wrong}`"),
        false => format!("`{wrong}` (U+{:04X})", u32::from(wrong)),
    };
    Problem::new(Code::BadName, format!("`{name}` is not a name, because of {shown}"), help)
}
