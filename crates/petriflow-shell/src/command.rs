//! The result: simple commands in the order in which a text would run them.

use std::fmt::Write as _;
use std::ops::Range;

/// The simple commands of a text, in the order in which it would run them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// Commands inside a substitution come before the command that uses it. Bodies of functions
    /// stand where the function is called, and at the end if it never is.
    pub commands: Vec<Command>,
}

/// One simple command with its wrappers opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Program and arguments after quote removal; empty for bare assignments and redirections.
    pub words: Vec<Word>,
    /// `NAME=value` in front of the words, or all there is.
    pub assignments: Vec<Assignment>,
    /// Redirections in the order of the text.
    pub redirections: Vec<Redirection>,
    /// How the command hangs on the one before it in the list.
    pub connective: Connective,
    /// What surrounds the command.
    pub context: Context,
    /// The programs that run this one, outermost first.
    pub wrappers: Vec<Wrapper>,
    /// How far the program is known.
    pub nature: Nature,
    /// Where the command stands, in bytes; commands of a nested text have that text's place.
    pub span: Range<usize>,
}

/// A word after quote removal and the expansions that are certain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// The text; what is not known stands in it as written (`$DIR/x`).
    pub text: String,
    /// Set if the text is not what the program will get.
    pub dynamic: Option<Dynamic>,
}

/// What of a word is not known before it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dynamic {
    /// As written: `$CMD`, `$(pick)`, `*.o`.
    pub what: String,
    /// Whether it may become several words, or none.
    pub many: bool,
    /// Whether it holds what a command in this text printed or read, and so what somebody chose.
    pub printed: bool,
}

/// A variable set for one command or for what follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// Its value; arrays are dynamic.
    pub value: Word,
}

/// A redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirection {
    /// The file descriptor, if the text names one.
    pub fd: Option<u32>,
    /// What is done.
    pub kind: RedirectionKind,
    /// The file, the descriptor, or the text of a here-document or here-string.
    pub target: Word,
}

/// What a redirection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectionKind {
    /// `<`
    Read,
    /// `>`, `&>`, `>&` with a file
    Write,
    /// `>>`, `&>>`
    Append,
    /// `>|`
    Clobber,
    /// `<>`
    ReadWrite,
    /// `<<`, `<<-`
    HereDocument,
    /// `<<<`
    HereString,
    /// `<&`, `>&` with a descriptor
    Duplicate,
}

/// How a command hangs on the one before it in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connective {
    /// It is the first.
    First,
    /// It runs only if the command before it in the list succeeded.
    AfterSuccess,
    /// It runs only if what stands before it failed.
    AfterFailure,
    /// It runs after it, whatever came of it.
    Sequence,
    /// It reads what the command before it writes.
    Pipe,
    /// It runs while the command before it may still run.
    Background,
}

/// What surrounds a command.
///
/// Flags are set when in doubt: each only takes away what a command's success could show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Context {
    /// In a condition, in a branch, or after something that may have ended the shell.
    pub condition: bool,
    /// In the body or the condition of a loop, or run once for each input.
    pub repeated: bool,
    /// In the body of a function, of a trap or of an alias, or a name that one of them may take.
    pub function: bool,
    /// In `( … )`.
    pub subshell: bool,
    /// In `$( … )`, `` ` … ` ``, `<( … )` or `>( … )`.
    pub substitution: bool,
    /// Not waited for.
    pub background: bool,
    /// In a pipeline, and not its last command.
    pub pipeline: bool,
    /// After `!`.
    pub negated: bool,
    /// On another machine or in a container.
    pub remote: bool,
}

/// The own words of a program that runs another one: `sudo -u root`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrapper {
    /// Program and options, without the command that is run.
    pub words: Vec<Word>,
}

/// How far the program is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Nature {
    /// The program is the first word.
    Plain,
    /// What runs is not known before: it could be anything.
    Dynamic {
        /// What could not be known, as written.
        what: String,
    },
    /// Code that is not a shell's, or a setting that carries code: it could do anything.
    Opaque {
        /// The language or the setting.
        language: String,
    },
    /// The command deletes files without the help of another program (`find … -delete`).
    Deletion,
}

impl Context {
    /// Whether the success of the whole text does not show that this command ran and succeeded.
    pub fn may_be_skipped_or_lost(&self) -> bool {
        self.condition
            || self.repeated
            || self.function
            || self.substitution
            || self.background
            || self.pipeline
            || self.negated
    }
}

impl Context {
    /// Adds the flags of another context.
    pub(crate) fn add(&mut self, other: Self) {
        self.condition |= other.condition;
        self.repeated |= other.repeated;
        self.function |= other.function;
        self.subshell |= other.subshell;
        self.substitution |= other.substitution;
        self.background |= other.background;
        self.pipeline |= other.pipeline;
        self.negated |= other.negated;
        self.remote |= other.remote;
    }
}

impl Word {
    pub(crate) fn literal(text: impl Into<String>) -> Self {
        Self { text: text.into(), dynamic: None }
    }

    pub(crate) fn unknown(text: impl Into<String>, many: bool) -> Self {
        let text = text.into();
        Self { dynamic: Some(Dynamic { what: text.clone(), many, printed: false }), text }
    }

    pub(crate) fn is_dynamic(&self) -> bool {
        self.dynamic.is_some()
    }

    pub(crate) fn is_many(&self) -> bool {
        self.dynamic.as_ref().is_some_and(|dynamic| dynamic.many)
    }

    /// The text if it is certain.
    pub fn known(&self) -> Option<&str> {
        if self.dynamic.is_none() { Some(&self.text) } else { None }
    }
}

impl Command {
    /// The base name of the first word: `rm` for `/bin/rm`. `None` if it is not known.
    pub fn program(&self) -> Option<&str> {
        self.words.first().and_then(Word::known).map(base_name)
    }

    /// Whether success of the whole text does not show success of this command.
    pub fn may_be_skipped_or_lost(&self) -> bool {
        self.context.may_be_skipped_or_lost()
    }

    /// Words and redirections, joined by single spaces.
    pub fn text(&self) -> String {
        let mut text = String::new();
        push_words(&mut text, &self.words);
        self.push_redirections(&mut text);
        text
    }

    /// Like [`text`](Self::text), with the base name in place of the program's path.
    pub fn text_by_program(&self) -> String {
        let mut text = String::new();
        let mut words = self.words.iter();
        if let Some(first) = words.next() {
            // A dynamic word keeps its text: its base name could cut through an expansion.
            text.push_str(if first.is_dynamic() { &first.text } else { base_name(&first.text) });
        }
        words.for_each(|word| push_word(&mut text, &word.text));
        self.push_redirections(&mut text);
        text
    }

    /// Wrappers and assignments in front of [`text`](Self::text).
    pub fn full_text(&self) -> String {
        let mut text = String::new();
        for wrapper in &self.wrappers {
            push_words(&mut text, &wrapper.words);
        }
        for Assignment { name, value } in &self.assignments {
            push_word(&mut text, &format!("{name}={}", value.text));
        }
        push_words(&mut text, &self.words);
        self.push_redirections(&mut text);
        text
    }

    fn push_redirections(&self, text: &mut String) {
        for redirection in &self.redirections {
            push_word(text, &redirection.text());
        }
    }
}

impl Redirection {
    /// The redirection as written, with a space before its target; bodies of here-documents are
    /// data and left out.
    fn text(&self) -> String {
        let mut text = String::new();
        if let Some(fd) = self.fd {
            // Writing to a string cannot fail.
            let _ = write!(text, "{fd}");
        }
        let target = &self.target.text;
        let (operator, gap) = match self.kind {
            RedirectionKind::Read => ("<", " "),
            RedirectionKind::Write => (">", " "),
            RedirectionKind::Append => (">>", " "),
            RedirectionKind::Clobber => (">|", " "),
            RedirectionKind::ReadWrite => ("<>", " "),
            RedirectionKind::HereString => ("<<<", " "),
            RedirectionKind::Duplicate => (">&", ""),
            RedirectionKind::HereDocument => {
                text.push_str("<<");
                return text;
            }
        };
        text.push_str(operator);
        text.push_str(gap);
        text.push_str(target);
        text
    }
}

/// The last part of a path, without the ending that programs have on Windows.
pub(crate) fn base_name(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".exe").filter(|stem| !stem.is_empty()).unwrap_or(name)
}

fn push_words(text: &mut String, words: &[Word]) {
    words.iter().for_each(|word| push_word(text, &word.text));
}

fn push_word(text: &mut String, word: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    // An empty word must not make the next one look like the program.
    text.push_str(if word.is_empty() { "''" } else { word });
}
