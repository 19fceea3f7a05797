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

/// Letters and digits of any script, and `_ - . : / @ +`, beginning with a letter, a digit, `_` or `@`.
pub(crate) fn check(name: &str) -> Result<(), Problem> {
    if name == APPROVAL {
        return Err(Problem::new(
            Code::ReservedName,
            format!("`{APPROVAL}` is not a tool"),
            format!("it only stands in `require {APPROVAL} before TOOL`"),
        ));
    }
    if name.len() > LENGTH_MAX {
        return Err(Problem::new(
            Code::BadName,
            format!("this name is longer than {LENGTH_MAX} bytes"),
            "give such calls a shorter name with `map`",
        ));
    }
    let is_inner =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/' | '@' | '+');
    if let Some(wrong) = name.chars().find(|&c| !is_inner(c)) {
        return Err(wrong_character(name, wrong));
    }
    let is_first = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@');
    let begins = name.starts_with(is_first);
    let dots = name.ends_with('.') || name.contains("..");
    if begins && !dots {
        return Ok(());
    }
    let help = match name.starts_with('-') {
        true => format!("to match text in an input, write `/{name}/` in a `map`"),
        false => {
            "names begin with a letter, a digit, `_` or `@` and have something behind every dot"
                .into()
        }
    };
    Err(Problem::new(Code::BadName, format!("`{name}` is not a name"), help))
}

fn wrong_character(name: &str, wrong: char) -> Problem {
    let help = match wrong {
        '*' | '?' | '[' => {
            "there are no wildcards; write one rule for each tool, or `map` their calls to one name"
        }
        '"' | '\'' | '`' => "write the name without quotes",
        ',' | ';' | '&' | '|' => "write one rule for each tool, on a line of its own",
        '(' | ')' => {
            "write the tool's name alone; `map TOOL.FIELD PATTERN as NAME` looks at its input"
        }
        _ => "names have letters, digits and `_ - . : / @ +`",
    };
    Problem::new(Code::BadName, format!("`{name}` is not a name, because of `{wrong}`"), help)
}
