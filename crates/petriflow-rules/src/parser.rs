//! From lines to statements. Every line is read, whatever is wrong with the others.

use std::ops::Range;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, SourceFile, Span, lines};
use crate::lexer::{LexError, Lexed, Token, TokenKind, lex};
use crate::suggest;
use crate::syntax::{
    Document, Field, Line, Name, Pattern, PatternKind, Scope, Statement, StatementKind,
};
use crate::{names, pattern};

/// What the files say, and all that is wrong with them.
#[derive(Debug, Clone, Default)]
pub struct Parsed {
    /// One document for every file. Lines with errors are left out of it.
    pub documents: Vec<Document>,
    /// In the order of files and lines.
    pub diagnostics: Vec<Diagnostic>,
}

/// Bytes of rules that are read, all files together.
pub(crate) const BYTES_MAX: usize = 16 << 20;

/// Reads rules files.
///
/// ```
/// use petriflow_rules::{SourceFile, parse};
///
/// let parsed = parse(&[SourceFile::new("safety.rules", "require backup before delete  # always\n")]);
/// assert!(parsed.diagnostics.is_empty());
/// assert_eq!(parsed.documents[0].to_string(), "require backup before delete  # always\n");
/// ```
pub fn parse(files: &[SourceFile]) -> Parsed {
    parse_files(files, false)
}

/// Reads rules. The regexes of rules that are known to be valid are not looked into.
pub(crate) fn parse_files(files: &[SourceFile], is_known: bool) -> Parsed {
    let mut parsed = Parsed::default();
    let mut bytes: usize = 0;
    for (number, file) in (0_u32..).zip(files) {
        bytes = bytes.saturating_add(file.text.len());
        if bytes > BYTES_MAX {
            let span = Span { file: number, line: 1, column: 1, length: 0 };
            let message = format!("the rules are larger than {} MiB", BYTES_MAX >> 20);
            let help = "split them into policies for different agents";
            parsed.diagnostics.push(Diagnostic::new(Code::TooLarge, span, message).help(help));
            break;
        }
        parsed.documents.push(parse_file(number, file, is_known, &mut parsed.diagnostics));
    }
    parsed
}

fn parse_file(
    file: u32,
    source: &SourceFile,
    is_known: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Document {
    let mut document = Document::default();
    let mut lexed = Lexed::default();
    for (number, text) in (1_u32..).zip(lines(&source.text)) {
        let place = Place { file, line: number, text };
        if let Err(error) = lex(text, &mut lexed) {
            diagnostics.push(place.lex_error(error));
            continue;
        }
        let comment = lexed.comment.map(str::to_owned);
        let mut parser = Parser { place, tokens: &lexed.tokens, is_known, diagnostics };
        if let Ok(statement) = parser.statement() {
            document.lines.push(Line { statement, comment });
        }
    }
    // The end of the last line is not a line of its own.
    let ends = source.text.is_empty() || source.text.ends_with('\n');
    if ends && document.lines.last().is_some_and(|line| *line == Line::default()) {
        document.lines.pop();
    }
    document
}

/// A diagnostic was given, so there is no statement.
struct Reported;

/// A line and where it is.
#[derive(Clone, Copy)]
struct Place<'l> {
    file: u32,
    line: u32,
    text: &'l str,
}

impl Place<'_> {
    fn span(&self, bytes: &Range<usize>) -> Span {
        let characters = |range: Range<usize>| {
            let text = self.text.get(range).unwrap_or_default();
            // Most lines are plain ASCII, where bytes are characters.
            let count = if text.is_ascii() { text.len() } else { text.chars().count() };
            u32::try_from(count).unwrap_or(u32::MAX)
        };
        Span {
            file: self.file,
            line: self.line,
            column: characters(0..bytes.start).saturating_add(1),
            length: characters(bytes.clone()),
        }
    }

    fn lex_error(&self, error: LexError) -> Diagnostic {
        Diagnostic::new(error.code, self.span(&error.bytes), error.message).help(error.help)
    }
}

/// How statements are written, for messages.
const REQUIRE: &str = "require A before B";
const BLOCK: &str = "block TOOL";
const LIMIT: &str = "limit TOOL to N per session";
const MAP: &str = "map TOOL.FIELD PATTERN as NAME";

/// The words that begin a statement.
const STATEMENTS: [&str; 6] = ["require", "block", "limit", "map", "shell", "plain"];

struct Parser<'l, 'd> {
    place: Place<'l>,
    tokens: &'l [Token<'l>],
    /// Whether the rules are known to be valid.
    is_known: bool,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl<'l> Parser<'l, '_> {
    fn statement(&mut self) -> Result<Option<Statement>, Reported> {
        let Some(first) = self.tokens.first() else { return Ok(None) };
        let kind = match first.kind {
            TokenKind::Word("require") => self.require()?,
            TokenKind::Word("block") => {
                let tool = self.name(1, "a tool", BLOCK)?;
                self.end(2, BLOCK)?;
                StatementKind::Block { tool }
            }
            TokenKind::Word("limit") => self.limit()?,
            TokenKind::Word("map") => self.map()?,
            TokenKind::Word("shell") => {
                StatementKind::Shell { field: self.field_alone("shell TOOL.FIELD")? }
            }
            TokenKind::Word("plain") => {
                StatementKind::Plain { field: self.field_alone("plain TOOL.FIELD")? }
            }
            TokenKind::Word(word) => return Err(self.unknown_statement(first, word)),
            TokenKind::Regex(regex) => {
                let word = if regex.is_empty() { "//" } else { "a regex" };
                return Err(self.unknown_statement(first, word));
            }
        };
        let end = self.tokens.last().map_or(first.bytes.end, |last| last.bytes.end);
        let span = self.place.span(&(first.bytes.start..end));
        Ok(Some(Statement { kind, span }))
    }

    fn require(&mut self) -> Result<StatementKind, Reported> {
        if self.word(1) == Some(names::APPROVAL) {
            self.keyword(2, "before", "require human-approval before TOOL")?;
            let tool = self.name(3, "the tool to approve", "require human-approval before TOOL")?;
            self.end(4, "require human-approval before TOOL")?;
            return Ok(StatementKind::RequireApproval { tool });
        }
        if self.word(1) == Some("human") && self.word(2) == Some("approval") {
            let help = "write `human-approval`, with a hyphen";
            return Err(self.report(Code::Expected, 2, "`human approval` is one word", help));
        }
        let prerequisite = self.name(1, "what must succeed first", REQUIRE)?;
        self.keyword(2, "before", REQUIRE)?;
        let dependent = self.name(3, "what waits for it", REQUIRE)?;
        self.end(4, REQUIRE)?;
        Ok(StatementKind::Require { prerequisite, dependent })
    }

    fn limit(&mut self) -> Result<StatementKind, Reported> {
        let tool = self.name(1, "a tool", LIMIT)?;
        self.keyword(2, "to", LIMIT)?;
        let count = self.count(3)?;
        self.keyword(4, "per", LIMIT)?;
        let scope = match self.word(5) {
            Some("session") => Scope::Session,
            _ => Scope::Tool(self.name(
                5,
                "`session`, or the tool whose success refills the budget",
                LIMIT,
            )?),
        };
        self.end(6, LIMIT)?;
        Ok(StatementKind::Limit { tool, count, scope })
    }

    fn map(&mut self) -> Result<StatementKind, Reported> {
        let field = self.field(1, MAP)?;
        let pattern = self.pattern(2)?;
        if let (Some(_), PatternKind::Word(word)) = (self.tokens.get(3), &pattern.kind)
            && self.word(3) != Some("as")
            && let Some(r#as) = self.tokens.iter().position(|t| t.kind == TokenKind::Word("as"))
        {
            // `map bash.command git push as push`
            let words = self.tokens.get(2..r#as).unwrap_or_default();
            let bytes = words.first().zip(words.last());
            let text = bytes
                .and_then(|(first, last)| self.place.text.get(first.bytes.start..last.bytes.end));
            let text = pattern::escaped(text.unwrap_or(word));
            let help = format!("write a pattern of several words as `/{text}/`");
            return Err(self.report(Code::Expected, 3, "expected `as` after the word", &help));
        }
        self.keyword(3, "as", MAP)?;
        let name = self.name(4, "a name for these calls", MAP)?;
        self.end(5, MAP)?;
        Ok(StatementKind::Map { field, pattern, name })
    }

    fn field_alone(&mut self, form: &str) -> Result<Field, Reported> {
        let field = self.field(1, form)?;
        self.end(2, form)?;
        Ok(field)
    }

    fn word(&self, at: usize) -> Option<&'l str> {
        match self.tokens.get(at)?.kind {
            TokenKind::Word(word) => Some(word),
            TokenKind::Regex(_) => None,
        }
    }

    /// A word that must stand here.
    fn keyword(&mut self, at: usize, keyword: &str, form: &str) -> Result<(), Reported> {
        match self.word(at) {
            Some(word) if word == keyword => Ok(()),
            found => {
                let slip = found.and_then(|word| suggest::closest(word, [keyword]));
                let help = match slip {
                    Some(_) => format!("did you mean `{keyword}`? the form is `{form}`"),
                    None => format!("the form is `{form}`"),
                };
                Err(self.expected(at, &format!("`{keyword}`"), &help))
            }
        }
    }

    /// The name of a tool or virtual tool.
    fn name(&mut self, at: usize, what: &str, form: &str) -> Result<Name, Reported> {
        let Some(token) = self.tokens.get(at) else {
            return Err(self.expected(at, what, &format!("the form is `{form}`")));
        };
        let TokenKind::Word(text) = token.kind else {
            let help = "a rule names tools; give a regex a name with `map TOOL.FIELD /…/ as NAME`";
            return Err(self.report(
                Code::BadName,
                at,
                "a regex stands where a name is expected",
                help,
            ));
        };
        if names::CONNECTING.contains(&text) {
            return Err(self.expected(at, what, &format!("the form is `{form}`")));
        }
        match names::check(text) {
            Ok(()) => Ok(Name { text: text.to_owned(), span: self.place.span(&token.bytes) }),
            Err(problem) => Err(self.report(problem.code, at, &problem.message, &problem.help)),
        }
    }

    fn count(&mut self, at: usize) -> Result<u32, Reported> {
        let Some(text) = self.word(at) else {
            return Err(self.expected(at, "a whole number", &format!("the form is `{LIMIT}`")));
        };
        if text.bytes().all(|byte| byte.is_ascii_digit())
            && (text.len() == 1 || !text.starts_with('0'))
        {
            return text.parse().map_err(|_| {
                let message = format!("`{text}` is more than can be counted");
                self.report(Code::NotWhole, at, &message, &format!("write at most {}", u32::MAX))
            });
        }
        let message = match text.bytes().all(|byte| byte.is_ascii_digit()) {
            true => format!("`{text}` begins with a 0"),
            false => format!("`{text}` is not a whole number"),
        };
        Err(self.report(Code::NotWhole, at, &message, &whole_number_help(text)))
    }

    fn field(&mut self, at: usize, form: &str) -> Result<Field, Reported> {
        let name = self.name(at, "a tool and its field", form)?;
        // The first dot: what stands after it may lead deeper into the input.
        let Some((tool, field)) = name.text.split_once('.') else {
            let message = format!("`{name}` names no field");
            let help = match name.text.split_once([':', '/']) {
                Some((tool, field)) => format!("write `{tool}.{field}`"),
                None => {
                    format!("write the field of its input to look at, such as `{name}.command`")
                }
            };
            return Err(self.report(Code::NoField, at, &message, &help));
        };
        Ok(Field { tool: tool.into(), field: field.into(), span: name.span })
    }

    fn pattern(&mut self, at: usize) -> Result<Pattern, Reported> {
        let Some(token) = self.tokens.get(at) else {
            let help = format!("the form is `{MAP}`; a pattern is a word or `/a regex/`");
            return Err(self.expected(at, "a pattern", &help));
        };
        if token.kind == TokenKind::Word("as") && self.word(at.saturating_add(1)) != Some("as") {
            let help = format!("the form is `{MAP}`; a pattern is a word or `/a regex/`");
            return Err(self.expected(at, "a pattern", &help));
        }
        if let Some(quoted) = self.quoted(at) {
            let help = format!("patterns are not quoted; write `/{}/`", pattern::escaped(quoted));
            let message = format!("`{quoted}` is quoted");
            return Err(self.report(Code::NeedsRegex, at, &message, &help));
        }
        let checked = match token.kind {
            TokenKind::Word(word) => {
                pattern::check_word(word).map(|()| PatternKind::Word(word.into()))
            }
            TokenKind::Regex(regex) => {
                let checked = match self.is_known {
                    true => Ok(()),
                    false => pattern::check_regex(regex),
                };
                checked.map(|()| PatternKind::Regex(regex.into()))
            }
        };
        match checked {
            Ok(kind) => Ok(Pattern { kind, span: self.place.span(&token.bytes) }),
            Err(problem) => Err(self.report(problem.code, at, &problem.message, &problem.help)),
        }
    }

    /// What stands between quotes, if a quote begins here and several words are in it.
    fn quoted(&self, at: usize) -> Option<&'l str> {
        let quotes = pattern::QUOTES;
        let first = self.tokens.get(at)?;
        self.word(at).filter(|word| word.starts_with(quotes) && !word.ends_with(quotes))?;
        let is_last =
            |&number: &usize| self.word(number).is_some_and(|word| word.ends_with(quotes));
        let last = (at.saturating_add(1)..self.tokens.len()).find(is_last)?;
        let text = self.place.text.get(first.bytes.start..self.tokens.get(last)?.bytes.end)?;
        Some(text.trim_matches(quotes))
    }

    /// Nothing may stand after the statement.
    fn end(&mut self, at: usize, form: &str) -> Result<(), Reported> {
        let Some(first) = self.tokens.get(at) else { return Ok(()) };
        let end = self.tokens.last().map_or(first.bytes.end, |last| last.bytes.end);
        let bytes = first.bytes.start..end;
        let text = self.place.text.get(bytes.clone()).unwrap_or_default();
        let shown: String = text.chars().take(40).collect();
        let cut = if shown.len() < text.len() { "…" } else { "" };
        let message = format!("`{shown}{cut}` stands after the end of the statement");
        let help = format!("the form is `{form}`; one statement per line, `#` begins a comment");
        let diagnostic = Diagnostic::new(Code::TrailingWords, self.place.span(&bytes), message);
        self.diagnostics.push(diagnostic.help(help));
        Err(Reported)
    }

    fn expected(&mut self, at: usize, what: &str, help: &str) -> Reported {
        let message = match self.tokens.get(at) {
            Some(token) => {
                let found = self.place.text.get(token.bytes.clone()).unwrap_or_default();
                format!("expected {what}, found `{found}`")
            }
            None => format!("expected {what}, found the end of the line"),
        };
        self.report(Code::Expected, at, &message, help)
    }

    fn unknown_statement(&mut self, first: &Token<'_>, word: &str) -> Reported {
        let message = match first.kind {
            TokenKind::Word(_) => format!("`{word}` is not a statement"),
            TokenKind::Regex(_) => "a line cannot begin with a regex".into(),
        };
        let help = match word.to_ascii_lowercase().as_str() {
            "allow" | "permit" | "enable" => {
                "there is no `allow`: what no rule refuses is allowed".to_owned()
            }
            "unblock" | "unlimit" => {
                "delete the rule instead; what no rule refuses is allowed".to_owned()
            }
            "deny" | "forbid" | "ban" | "never" | "prohibit" | "disallow" | "refuse"
            | "prevent" | "stop" | "reject" | "no" | "not" | "don't" => {
                "did you mean `block`?".to_owned()
            }
            "import" | "include" => {
                "name all rules files on the command line; they make one policy".to_owned()
            }
            "//" | "--" | ";" | "rem" | "/*" => "`#` begins a comment".to_owned(),
            "max" | "cap" | "restrict" | "at" | "rate-limit" | "throttle" => {
                format!("did you mean `limit`? write `{LIMIT}`")
            }
            "alias" | "call" | "name" => format!("did you mean `map`? write `{MAP}`"),
            "approve" | "ask" | "confirm" => {
                "write `require human-approval before TOOL`".to_owned()
            }
            "need" | "needs" | "must" | "ensure" | "always" => {
                format!("did you mean `require`? write `{REQUIRE}`")
            }
            _ => match suggest::closest(word, STATEMENTS) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("a line begins with one of {}", listed(&STATEMENTS)),
            },
        };
        self.report(Code::UnknownStatement, 0, &message, &help)
    }

    /// Reports something about a token, or about the end of the line.
    fn report(&mut self, code: Code, at: usize, message: &str, help: &str) -> Reported {
        let end = self.tokens.last().map_or(0, |last| last.bytes.end);
        let bytes = self.tokens.get(at).map_or(end..end, |token| token.bytes.clone());
        let span = self.place.span(&bytes);
        self.diagnostics.push(Diagnostic::new(code, span, message).help(help));
        Reported
    }
}

fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// What to write instead of something that is almost a number.
fn whole_number_help(text: &str) -> String {
    let unquoted = text.trim_matches(['"', '\'', '`', '+']);
    // Digits in groups of three.
    let mut groups = unquoted.split(['_', ',', '\'']);
    let first = groups.next().unwrap_or_default();
    let is_grouped = groups.all(|group| group.len() == 3) && (1..=3).contains(&first.len())
        || !unquoted.contains(['_', ',', '\'']);
    let digits: String = unquoted.chars().filter(|c| !matches!(c, '_' | ',' | '\'')).collect();
    let whole = match is_grouped && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        true => digits.parse::<u32>().ok(),
        false => None,
    };
    let scientific = unquoted.contains(['e', 'E']).then(|| unquoted.parse::<f64>().ok()).flatten();
    let scientific = scientific.filter(|number| (1.0..=f64::from(u32::MAX)).contains(number));
    let is_whole = |number: &f64| number.fract() == 0.0;
    let decimal = unquoted.parse::<f64>().ok().filter(|n| (1.0..f64::from(u32::MAX)).contains(n));
    match (whole, scientific.filter(is_whole), decimal.filter(|number| !is_whole(number))) {
        (Some(whole), ..) => format!("expected a whole number; write `{whole}`"),
        (None, Some(number), _) => format!("expected a whole number; write `{number}`"),
        (None, None, Some(number)) => {
            format!("expected a whole number; write `{}` or `{}`", number.floor(), number.ceil())
        }
        (None, None, None) => "expected a whole number such as `3`, in digits".into(),
    }
}
