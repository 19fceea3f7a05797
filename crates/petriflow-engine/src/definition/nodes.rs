//! What a transition does when it fires, and the configuration each kind accepts.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::guard::Guard;

/// What a transition does when it fires.
#[derive(Debug)]
#[non_exhaustive]
pub enum Node {
    /// Moves tokens only (`auto`, also written `automatic`).
    Auto,
    /// Waits until it is fired by name (`manual`).
    Manual,
    /// Waits for a time (`timer`).
    Timer {
        /// How long, from when it could fire.
        delay_ms: u64,
    },
    /// Sends a request (`http`).
    Http(Http),
    /// Writes to the context (`set`): fields with their expressions, sorted by field.
    Set(Vec<(String, Guard)>),
    /// Runs a program without a shell (`command`).
    Command(Command),
    /// A registered type.
    Custom {
        /// The name it is registered under.
        kind: String,
        /// Its configuration, which its check has accepted.
        config: Json,
    },
}

/// A request. Texts may refer to the context, as in `{{order.id}}`.
#[derive(Debug, Clone, PartialEq)]
pub struct Http {
    /// Where to.
    pub url: String,
    /// The method, in capitals.
    pub method: String,
    /// The headers, sorted by name.
    pub headers: Vec<(String, String)>,
    /// The body; nothing is sent for `None`.
    pub body: Option<Json>,
}

/// A program to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// What it reads from its standard input.
    pub stdin: Option<String>,
}

impl Node {
    /// The type as it is written.
    pub fn kind(&self) -> &str {
        match self {
            Self::Auto => "auto",
            Self::Manual => "manual",
            Self::Timer { .. } => "timer",
            Self::Http(_) => "http",
            Self::Set(_) => "set",
            Self::Command(_) => "command",
            Self::Custom { kind, .. } => kind,
        }
    }
}

/// Methods that a request may have.
pub(super) const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/// Types that need no registration.
pub(super) const BUILT_IN: [&str; 7] =
    ["auto", "automatic", "manual", "timer", "http", "set", "command"];

type Check = Arc<dyn Fn(&Json) -> Result<(), String> + Send + Sync>;

/// The node types that definitions may use besides those built in.
#[derive(Clone, Default)]
pub struct NodeTypes {
    custom: BTreeMap<String, Check>,
}

impl NodeTypes {
    /// Those built in and no others.
    pub fn built_in() -> Self {
        Self::default()
    }

    /// With a type of this name, which accepts any configuration. The names of types built in
    /// keep their meaning.
    #[must_use]
    pub fn with(self, name: impl Into<String>) -> Self {
        self.with_check(name, |_| Ok(()))
    }

    /// With a type whose configuration is checked; what the check says is told to the author of
    /// the definition. A transition without a configuration is checked with `null`.
    #[must_use]
    pub fn with_check(
        mut self,
        name: impl Into<String>,
        check: impl Fn(&Json) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.custom.insert(name.into(), Arc::new(check));
        self
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        BUILT_IN.into_iter().chain(self.custom.keys().map(String::as_str))
    }

    pub(super) fn check_of(&self, name: &str) -> Option<&Check> {
        self.custom.get(name)
    }
}

impl fmt::Debug for NodeTypes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}
