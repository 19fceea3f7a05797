//! What a host's event says, whichever host it is.

use std::fmt;

use serde_json::Value;

use crate::answer::{Answer, failure};
use crate::fields::Fields;
use crate::host::Host;
use crate::hosts;
use crate::json::{self, Json};

/// One event of a host's hooks.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The conversation it belongs to. Empty only if the event belongs to none.
    pub session: String,
    /// The sub-agent it came from, if it came from one.
    pub agent: Option<String>,
    /// The folder the agent works in.
    pub cwd: Option<String>,
    /// The host's name for the event.
    pub name: String,
    /// Whether a person is asked if the answer is a question: the host can, and nothing in the event
    /// says that it would answer itself.
    pub can_ask: bool,
    /// What it says.
    pub kind: Kind,
}

/// What an event says.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A call is to be decided.
    Call(Call),
    /// A call that may have been decided under another event, and has no id here. It is to be decided
    /// unless the same call is in flight.
    Confirm(Call),
    /// A call has ended.
    Result {
        /// The call.
        call: Call,
        /// How it ended.
        outcome: Ended,
    },
    /// The host says that a call never ran.
    Denied(Call),
    /// All calls that were made side by side are over, also those that never ran.
    BatchEnded {
        /// The calls of the batch.
        calls: Vec<Call>,
    },
    /// The agent has stopped and waits for a person.
    TurnEnded,
    /// The conversation is over.
    SessionEnded,
    /// A conversation begins or goes on.
    SessionStarted(Start),
    /// Nothing that a gate needs.
    Nothing,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Its id, where the event has one.
    pub id: Option<String>,
    /// The tool, as the host names it.
    pub tool: String,
    /// Its input, an object.
    pub input: Value,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The host says that it succeeded.
    Succeeded,
    /// The host says that it failed.
    Failed,
    /// It goes on in the background, was interrupted or timed out, or it cannot be made out.
    Unknown,
    /// It is over, and this host never says how such a call ended.
    Untold,
}

/// How a conversation came to begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// It is new.
    New,
    /// It begins anew: the person cleared it.
    Cleared,
    /// It goes on after a pause.
    Resumed,
    /// It goes on after its text was made shorter.
    Compacted,
    /// It is a copy of another one, under an id of its own.
    Forked {
        /// The other one, if the event tells which.
        parent: Option<String>,
    },
}

/// An event that could not be read. The answer to it is a refusal: [`Unreadable::answer`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    event: Option<String>,
    message: String,
}

/// Reads one event of a host.
///
/// # Errors
/// If the bytes are not one JSON object with the members that the event must have, if a name is
/// there twice, or if the event is not known.
pub fn read(host: Host, bytes: &[u8]) -> Result<Event, Unreadable> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| Unreadable::new(None, format!("it is not UTF-8: {error}")))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let json = json::parse(text).map_err(|error| {
        Unreadable::new(
            event_name_of(text),
            format!("it is not the JSON that was expected: {error}"),
        )
    })?;
    let Json::Object(object) = json else {
        return Err(Unreadable::new(None, "it is not a JSON object".into()));
    };
    let fields = Fields::new(&object);
    let name = fields.text("hook_event_name").map_err(|message| Unreadable::new(None, message))?;
    hosts::read(host, name, &fields).map_err(|message| Unreadable::new(Some(name.into()), message))
}

/// The event's name in a text that is JSON but was refused, such as for a name that is there twice.
///
/// It decides how a failure is answered, so it must not be one that something inside the text made
/// up: the whole text is JSON, and the name is a member of the outermost object, exactly once.
fn event_name_of(text: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Named {
        // A second member of this name is an error.
        hook_event_name: String,
    }
    serde_json::from_str::<Named>(text).ok().map(|named| named.hook_event_name)
}

impl Unreadable {
    pub(crate) fn new(event: Option<String>, message: String) -> Self {
        Self { event, message }
    }

    /// The event's name, if that much could be read.
    pub fn event_name(&self) -> Option<&str> {
        self.event.as_deref()
    }

    /// The answer that refuses whatever it was.
    pub fn answer(&self, host: Host) -> Answer {
        failure(host, self.event_name(), &self.to_string())
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.event {
            Some(event) => write!(f, "the event `{event}` could not be read: {}", self.message),
            None => write!(f, "the event could not be read: {}", self.message),
        }
    }
}

impl std::error::Error for Unreadable {}
