//! Findings about rules: what is wrong, where, and what to write instead.

use std::fmt::{self, Write as _};

use crate::code::Code;

/// Whether a finding stops the rules from being used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The rules are not used.
    Error,
    /// The rules are used, but probably do not say what was meant.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

/// A stretch of one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file, by its place in the list that was compiled.
    pub file: u32,
    /// The line, from 1.
    pub line: u32,
    /// The first character, from 1.
    pub column: u32,
    /// How many characters; 0 marks a place between two.
    pub length: u32,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of finding it is.
    pub code: Code,
    /// One sentence of fact.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Another place that it has to do with, and how.
    pub related: Option<(Span, String)>,
    /// What to do.
    pub help: Option<String>,
}

impl Diagnostic {
    pub(crate) fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), span, related: None, help: None }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related = Some((span, label.into()));
        self
    }

    /// Whether it stops the rules from being used.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// The finding with the lines it is about, underlined.
    ///
    /// ```
    /// use petriflow_rules::{Paint, SourceFile, parse};
    ///
    /// let files = [SourceFile::new("safety.rules", "blok rm")];
    /// let parsed = parse(&files);
    /// assert_eq!(parsed.diagnostics[0].render(&files, &Paint::PLAIN), "\
    /// error[PF0101]: `blok` is not a statement
    ///  --> safety.rules:1:1
    ///   |
    /// 1 | blok rm
    ///   | ^^^^
    ///   = help: did you mean `block`?
    /// ");
    /// ```
    pub fn render(&self, files: &[SourceFile], paint: &Paint) -> String {
        let Paint { bold, reset, line: blue, .. } = paint;
        let colour = match self.severity() {
            Severity::Error => paint.error,
            Severity::Warning => paint.warning,
        };
        let mut marked: Vec<(Span, &str, char)> = vec![(self.span, "", '^')];
        if let Some((span, label)) = &self.related {
            marked.push((*span, label, '-'));
        }
        // Top to bottom within a file, the finding's own file first.
        marked.sort_by_key(|(span, _, _)| (span.file != self.span.file, span.file, span.line));
        let width = marked.iter().map(|(span, ..)| span.line).max().unwrap_or(0);
        let width = width.to_string().len();
        let place = |span: Span| {
            let name = file_name(files, span.file);
            format!("{name}:{}:{}", span.line, span.column)
        };
        let mut out = String::new();
        let message = visible(&self.message);
        let severity = self.severity();
        let code = self.code;
        let _ = writeln!(out, "{colour}{severity}[{code}]{reset}{bold}: {message}{reset}");
        let _ = writeln!(out, "{:width$}{blue}-->{reset} {}", "", place(self.span));
        let _ = writeln!(out, "{:width$} {blue}|{reset}", "");
        let mut shown_in = self.span.file;
        for (span, label, mark) in marked {
            if span.file != shown_in {
                let _ = writeln!(out, "{:width$}{blue}:::{reset} {}", "", place(span));
                shown_in = span.file;
            }
            let excerpt = Excerpt::of(files, span);
            let (number, text) = (span.line, &excerpt.text);
            let _ = writeln!(out, "{blue}{number:>width$} |{reset} {text}");
            let colour = if mark == '^' { colour } else { blue };
            let before = " ".repeat(excerpt.before);
            let marks = String::from(mark).repeat(excerpt.marked.max(1));
            let label = if label.is_empty() { String::new() } else { format!(" {label}") };
            let _ =
                writeln!(out, "{:width$} {blue}|{reset} {before}{colour}{marks}{label}{reset}", "");
        }
        if let Some(help) = &self.help {
            let _ = writeln!(out, "{:width$} {blue}={reset} help: {}", "", visible(help));
        }
        out
    }
}

/// The part of a line that is shown, and where the marks go.
struct Excerpt {
    text: String,
    before: usize,
    marked: usize,
}

/// Characters shown of a long line.
const SHOWN_MAX: usize = 160;

impl Excerpt {
    fn of(files: &[SourceFile], span: Span) -> Self {
        let file = files.get(span.file as usize);
        let line = file.map_or("", |file| file.line(span.line));
        let column = (span.column as usize).saturating_sub(1);
        // A long line is cut so that the marked part is in view.
        let skipped = if column > SHOWN_MAX / 2 { column.saturating_sub(20) } else { 0 };
        let mut excerpt = Self { text: String::new(), before: 0, marked: 0 };
        if skipped > 0 {
            excerpt.text.push('…');
            excerpt.before = 1;
        }
        let end = column.saturating_add(span.length as usize);
        for (at, character) in line.chars().enumerate().skip(skipped).take(SHOWN_MAX) {
            let shown = visible_char(character);
            let width = shown.chars().count();
            if at < column {
                excerpt.before = excerpt.before.saturating_add(width);
            } else if at < end {
                excerpt.marked = excerpt.marked.saturating_add(width);
            }
            excerpt.text.push_str(&shown);
        }
        if line.chars().nth(skipped.saturating_add(SHOWN_MAX)).is_some() {
            excerpt.text.push('…');
        }
        excerpt
    }
}

/// Text for one line of a terminal: what cannot be seen is escaped.
fn visible(text: &str) -> String {
    text.chars().map(visible_char).collect()
}

fn visible_char(character: char) -> String {
    match character {
        '\t' => " ".into(),
        '"' | '\'' | '\\' => character.into(),
        _ => character.escape_debug().collect(),
    }
}

/// Terminal colours, or none.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    error: &'static str,
    warning: &'static str,
    line: &'static str,
    bold: &'static str,
    reset: &'static str,
}

impl Paint {
    /// No colours.
    pub const PLAIN: Self = Self { error: "", warning: "", line: "", bold: "", reset: "" };
    /// Colours of an ANSI terminal.
    pub const ANSI: Self = Self {
        error: "\u{1b}[1;31m",
        warning: "\u{1b}[1;33m",
        line: "\u{1b}[1;34m",
        bold: "\u{1b}[1m",
        reset: "\u{1b}[0m",
    };
}

/// The text of a rules file and the name it is shown under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// The name, as it was given.
    pub name: String,
    /// The content.
    pub text: String,
}

impl SourceFile {
    /// A file of this name and content.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// A file of these bytes, which must be UTF-8.
    ///
    /// # Errors
    /// The finding that it is not.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Self, Diagnostic> {
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self::new(name, text)),
            Err(error) => {
                let good = error.as_bytes().get(..error.utf8_error().valid_up_to());
                let line = good.unwrap_or_default().iter().filter(|&&byte| byte == b'\n').count();
                let line = u32::try_from(line).unwrap_or(u32::MAX).saturating_add(1);
                let span = Span { file: 0, line, column: 1, length: 0 };
                let message = format!("line {line} is not UTF-8 text");
                let help = "save the file as UTF-8";
                Err(Diagnostic::new(Code::NotText, span, message).help(help))
            }
        }
    }

    /// A line, from 1, without its end.
    pub fn line(&self, number: u32) -> &str {
        lines(&self.text).nth((number as usize).saturating_sub(1)).unwrap_or_default()
    }
}

/// The lines of a text, without a byte order mark and line ends.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line))
}

pub(crate) fn file_name(files: &[SourceFile], file: u32) -> &str {
    files.get(file as usize).map_or("", |file| file.name.as_str())
}
