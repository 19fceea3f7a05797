//! Documents and texts made from bytes.

use arbitrary::{Result, Unstructured};
use petriflow_rules::Span;
use petriflow_rules::syntax::{
    Document, Field, Line, Name, Pattern, PatternKind, Scope, Statement, StatementKind,
};

const SPAN: Span = Span { file: 0, line: 1, column: 1, length: 0 };

/// Few names, so that rules meet.
const NAMES: [&str; 9] =
    ["a", "b", "c", "bash", "virtual", "löschen", "chat", "chat.post", "chat.read"];
const WORDS: [&str; 4] = ["rm", "git-push", "a.b", "löschen"];
const REGEXES: [&str; 7] = ["rm -rf", r"\brm\b", "git (push|pull) #1", r"a\/b", ".*", "^x", r"\\"];

/// A document of some statements, comments and blank lines.
///
/// # Errors
/// If the bytes run out.
pub fn document(u: &mut Unstructured<'_>) -> Result<Document> {
    let count = u.int_in_range(0..=12)?;
    let lines = (0..count).map(|_| line(u)).collect::<Result<_>>()?;
    Ok(Document { lines })
}

fn line(u: &mut Unstructured<'_>) -> Result<Line> {
    let comment = match u.ratio(1, 6)? {
        true => Some((*u.choose(&["", " why", " # twice", "!"])?).to_owned()),
        false => None,
    };
    let statement = match u.ratio(1, 10)? {
        true => None,
        false => Some(Statement { kind: kind(u)?, span: SPAN }),
    };
    Ok(Line { statement, comment })
}

fn kind(u: &mut Unstructured<'_>) -> Result<StatementKind> {
    Ok(match u.int_in_range(0..=11)? {
        0..=2 => StatementKind::Require { prerequisite: name(u)?, dependent: name(u)? },
        3 => StatementKind::RequireApproval { tool: name(u)? },
        4 => StatementKind::Block { tool: name(u)? },
        5..=7 => StatementKind::Limit {
            tool: name(u)?,
            count: u.int_in_range(0..=3)?,
            scope: if u.arbitrary()? { Scope::Session } else { Scope::Tool(name(u)?) },
        },
        8..=10 => {
            let kind = match u.arbitrary()? {
                true => PatternKind::Word((*u.choose(&WORDS)?).to_owned()),
                false => PatternKind::Regex((*u.choose(&REGEXES)?).into()),
            };
            let pattern = Pattern { kind, span: SPAN };
            StatementKind::Map { field: field(u)?, pattern, name: name(u)? }
        }
        // One tool for each, since no field may be both.
        _ if u.arbitrary()? => StatementKind::Shell { field: field_of("c", "x") },
        _ => StatementKind::Plain { field: field(u)? },
    })
}

fn name(u: &mut Unstructured<'_>) -> Result<Name> {
    Ok(Name { text: (*u.choose(&NAMES)?).to_owned(), span: SPAN })
}

fn field(u: &mut Unstructured<'_>) -> Result<Field> {
    Ok(field_of(u.choose(&["bash", "a", "chat"])?, u.choose(&["text", "action", "more"])?))
}

fn field_of(tool: &str, field: &str) -> Field {
    Field { tool: tool.into(), field: field.into(), span: SPAN }
}

/// Text that is almost a rules file.
///
/// # Errors
/// If the bytes run out.
pub fn noise(u: &mut Unstructured<'_>) -> Result<String> {
    const PIECES: [&str; 34] = [
        "require",
        "before",
        "block",
        "limit",
        "to",
        "per",
        "session",
        "map",
        "as",
        "shell",
        "plain",
        "human-approval",
        "a",
        "bash.command",
        "3",
        "1e3",
        "-1",
        "4294967296",
        "/rm -rf/",
        "/",
        "\\/",
        "#",
        "--force",
        "ö",
        "\u{202e}",
        "\t",
        "\r",
        "\u{feff}",
        ".",
        "a.",
        "/(/",
        "/a/i",
        "\"x\"",
        "*",
    ];
    let mut text = String::new();
    for _ in 0..u.int_in_range(0..=60)? {
        text.push_str(u.choose(&PIECES)?);
        text.push_str(u.choose(&[" ", " ", " ", "", "\n", "\n", "\r\n", "\t"])?);
    }
    if u.ratio(1, 5)? {
        text.push(u.arbitrary()?);
    }
    Ok(text)
}
