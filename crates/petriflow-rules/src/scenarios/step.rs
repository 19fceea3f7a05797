//! One line of a scenario: a call, or the end of one that was begun.

use std::fmt;

use petriflow_gate::Answer;
use serde_json::{Map, Value};

use crate::suggest;

/// What happens in one line.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// A call, and what is expected of it.
    Call(Call),
    /// The result of a call that was begun.
    End {
        /// The name it was begun under.
        id: String,
        /// Whether it failed.
        fails: bool,
    },
}

/// A call and how it goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The name under which it goes on, if its result comes in a later line.
    pub begun_as: Option<String>,
    /// The tool.
    pub tool: String,
    /// Its input.
    pub input: Value,
    /// Whether it fails if it is allowed.
    pub fails: bool,
    /// What a person says if asked.
    pub answer: Option<Answer>,
    /// What should come of it.
    pub expected: Option<Expectation>,
}

/// What should come of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expectation {
    /// It may run.
    Allowed,
    /// It must not; these nets or rules are among the reasons.
    Blocked {
        /// Names of nets or texts of rules.
        by: Vec<String>,
    },
    /// A person is asked.
    Asks,
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Allowed => f.write_str("allowed"),
            Self::Asks => f.write_str("asks"),
            Self::Blocked { by } if by.is_empty() => f.write_str("blocked"),
            Self::Blocked { by } => write!(f, "blocked by {}", by.join(", ")),
        }
    }
}

/// Why a line cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepError {
    /// Bytes before the place.
    pub at: usize,
    /// What is wrong.
    pub message: String,
    /// What to write.
    pub help: String,
}

impl Step {
    /// Reads a line such as `backup fails`, `bash {"command": "ls"} -> allowed` or `end b1`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(line: &str) -> Result<Self, StepError> {
        let mut words = Words { line, at: 0 };
        let first = words.word().ok_or_else(|| words.error("a call is expected", FORM))?;
        match first {
            "end" => {
                let id =
                    words.word().ok_or_else(|| words.error("`end` names no call", END_FORM))?;
                let fails = match words.word() {
                    None | Some("succeeds") => false,
                    Some("fails") => true,
                    Some(word) => return Err(words.unexpected(word, END_FORM)),
                };
                words.end(END_FORM)?;
                Ok(Self::End { id: id.to_owned(), fails })
            }
            "begin" => {
                let id = words.word();
                let id = id.ok_or_else(|| words.error("`begin` names no call", BEGIN_FORM))?;
                let tool = words.word();
                let tool = tool.ok_or_else(|| words.error("a tool is expected", BEGIN_FORM))?;
                call(words, tool, Some(id.to_owned())).map(Self::Call)
            }
            "call" => {
                let tool = words.word();
                let tool = tool.ok_or_else(|| words.error("a tool is expected", FORM))?;
                call(words, tool, None).map(Self::Call)
            }
            tool => call(words, tool, None).map(Self::Call),
        }
    }
}

const FORM: &str =
    "a call is `TOOL {\"field\": \"input\"} [fails] [approved|rejected] [-> EXPECTED]`";
const BEGIN_FORM: &str = "the form is `begin ID TOOL {…} -> EXPECTED`, and later `end ID`";
const END_FORM: &str = "the form is `end ID` or `end ID fails`";
const EXPECTED_FORM: &str = "expect `allowed`, `blocked`, `blocked by RULE` or `asks`";

fn call(mut words: Words<'_>, tool: &str, begun_as: Option<String>) -> Result<Call, StepError> {
    if tool.starts_with('{') {
        return Err(words.unexpected(tool, "the tool stands before its input"));
    }
    let input = words.input()?.unwrap_or_else(|| Value::Object(Map::new()));
    let mut call =
        Call { begun_as, tool: tool.into(), input, fails: false, answer: None, expected: None };
    while let Some(word) = words.word() {
        match word {
            "fails" if call.begun_as.is_none() => call.fails = true,
            "succeeds" if call.begun_as.is_none() => call.fails = false,
            "approved" => call.answer = Some(Answer::Approved),
            "rejected" => call.answer = Some(Answer::Rejected),
            "->" => {
                call.expected = Some(words.expectation()?);
                break;
            }
            word => {
                if call.begun_as.is_some() && ["fails", "succeeds"].contains(&word) {
                    return Err(words.unexpected(word, "its result comes later: `end ID fails`"));
                }
                let known = ["fails", "succeeds", "approved", "rejected", "->"];
                return Err(match suggest::closest(word, known) {
                    Some(meant) => words.unexpected(word, &format!("did you mean `{meant}`?")),
                    None => words.unexpected(word, FORM),
                });
            }
        }
    }
    Ok(call)
}

/// A line that is read word by word.
struct Words<'l> {
    line: &'l str,
    at: usize,
}

impl<'l> Words<'l> {
    fn rest(&mut self) -> &'l str {
        let rest = self.line.get(self.at..).unwrap_or_default();
        let trimmed = rest.trim_start();
        self.at = self.at.saturating_add(rest.len().saturating_sub(trimmed.len()));
        trimmed
    }

    /// The next word; a comment is none.
    fn word(&mut self) -> Option<&'l str> {
        let rest = self.rest();
        if rest.is_empty() || rest.starts_with('#') {
            return None;
        }
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        self.at = self.at.saturating_add(length);
        rest.get(..length)
    }

    /// A JSON object, if one begins here.
    fn input(&mut self) -> Result<Option<Value>, StepError> {
        let rest = self.rest();
        if !rest.starts_with(['{', '[', '"']) {
            return Ok(None);
        }
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(value @ Value::Object(_))) => {
                self.at = self.at.saturating_add(values.byte_offset());
                Ok(Some(value))
            }
            Some(Ok(_)) => {
                Err(self.error("the input is not an object", "write `{\"field\": \"input\"}`"))
            }
            Some(Err(error)) => {
                let column = error.column().saturating_sub(1);
                let at = self.at.saturating_add(column).min(self.line.len());
                let message = error.to_string();
                let message = message.split(" at line ").next().unwrap_or_default();
                let help = "names and texts of the input stand in double quotes";
                Err(StepError {
                    at,
                    message: format!("the input is no JSON: {message}"),
                    help: help.into(),
                })
            }
            None => Ok(None),
        }
    }

    fn expectation(&mut self) -> Result<Expectation, StepError> {
        let word = self.word().ok_or_else(|| self.error("nothing is expected", EXPECTED_FORM))?;
        let expected = match word {
            "allowed" => Expectation::Allowed,
            "asks" => Expectation::Asks,
            "blocked" => return self.blocked(),
            word => {
                return Err(match suggest::closest(word, ["allowed", "blocked", "asks"]) {
                    Some(meant) => self.unexpected(word, &format!("did you mean `{meant}`?")),
                    None => self.unexpected(word, EXPECTED_FORM),
                });
            }
        };
        self.end(EXPECTED_FORM)?;
        Ok(expected)
    }

    fn blocked(&mut self) -> Result<Expectation, StepError> {
        match self.word() {
            None => return Ok(Expectation::Blocked { by: Vec::new() }),
            Some("by") => {}
            Some(word) => return Err(self.unexpected(word, EXPECTED_FORM)),
        }
        let rest = self.rest();
        // A rule's text may be given, but no `#` is part of a name.
        let rest = rest.split(" #").next().unwrap_or_default();
        let by: Vec<String> = rest
            .split(',')
            .map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "))
            .filter(|name| !name.is_empty())
            .collect();
        if by.is_empty() {
            return Err(self.error("`blocked by` names no rule", EXPECTED_FORM));
        }
        Ok(Expectation::Blocked { by })
    }

    fn end(&mut self, help: &str) -> Result<(), StepError> {
        match self.word() {
            None => Ok(()),
            Some(word) => Err(self.unexpected(word, help)),
        }
    }

    fn error(&self, message: &str, help: &str) -> StepError {
        StepError { at: self.at, message: message.into(), help: help.into() }
    }

    fn unexpected(&self, word: &str, help: &str) -> StepError {
        let at = self.at.saturating_sub(word.len());
        StepError { at, message: format!("`{word}` is not expected here"), help: help.into() }
    }
}
