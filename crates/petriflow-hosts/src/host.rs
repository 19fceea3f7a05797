//! The hosts, and what their hooks can do.

use std::fmt;
use std::str::FromStr;

/// An agent host whose hooks are spoken here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    /// Claude Code, and agents built on its SDK.
    ClaudeCode,
    /// OpenAI Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Cursor, the editor and its command line.
    Cursor,
}

/// What a host's hooks can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// A hook can have the host ask a person, and the host then asks whatever its settings are.
    pub asks: bool,
    /// A hook can change a call's input, for all tools.
    pub rewrites: bool,
    /// How a failed call shows.
    pub failures: Failures,
    /// Calls have an id that their results repeat.
    pub call_ids: bool,
    /// A setting turns a hook that crashed into a refusal.
    pub blocks_on_failure: bool,
}

/// How a host tells that a call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failures {
    /// By an event or a field of its own.
    Reported,
    /// Only in the text of the result.
    InText,
    /// Not at all: a command that failed looks like one that did not.
    NotReported,
}

/// A text that names no host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownHost(String);

impl Host {
    /// Every host.
    pub const ALL: [Self; 4] = [Self::ClaudeCode, Self::Codex, Self::Gemini, Self::Cursor];

    /// The host's own name: `Claude Code`.
    pub fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Cursor => "Cursor",
        }
    }

    /// The name on command lines and in files: `claude-code`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
        }
    }

    /// Whether a call may come under two events, of which the second confirms the first
    /// ([`Kind::Confirm`](crate::Kind::Confirm)).
    pub fn confirms(self) -> bool {
        self == Self::Cursor
    }

    /// What this host's hooks can do.
    pub fn capabilities(self) -> Capabilities {
        match self {
            Self::ClaudeCode => Capabilities {
                asks: true,
                rewrites: true,
                failures: Failures::Reported,
                call_ids: true,
                blocks_on_failure: true,
            },
            // An `ask` makes the hook fail, and the call runs.
            Self::Codex => Capabilities {
                asks: false,
                rewrites: true,
                failures: Failures::NotReported,
                call_ids: true,
                blocks_on_failure: false,
            },
            // There is an undocumented `ask`, but nobody is asked about the tools of trusted servers,
            // and it turns a refusal of the user's own policy into a question.
            Self::Gemini => Capabilities {
                asks: false,
                rewrites: true,
                failures: Failures::InText,
                call_ids: false,
                blocks_on_failure: false,
            },
            // An `ask` is accepted and ignored, and so is the changed input of a `Write`.
            Self::Cursor => Capabilities {
                asks: false,
                rewrites: false,
                failures: Failures::Reported,
                call_ids: true,
                blocks_on_failure: true,
            },
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Host {
    type Err = UnknownHost;

    fn from_str(text: &str) -> Result<Self, UnknownHost> {
        let found = Self::ALL.into_iter().find(|host| host.name() == text);
        found.ok_or_else(|| UnknownHost(text.to_owned()))
    }
}

impl fmt::Display for UnknownHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Host::ALL.map(Host::name).join(", ");
        write!(f, "`{}` is not a host; expected one of {names}", self.0)
    }
}

impl std::error::Error for UnknownHost {}
