//! One call may stand for several actions, as a shell command line does.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ToolCall;

/// One thing a call does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Action {
    /// The tool or virtual tool.
    pub tool: String,
    /// Other names of the same action: every rule about any of them has its say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// A special case of `tool` that it is, such as `discord.post` of `discord`. A net that has a say
    /// about both sees the special name alone, so that the action has one role there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub special: Option<String>,
    /// How it hangs on the action before it. The first one's does not matter.
    pub connective: Connective,
    /// Whether the call may succeed without this action having succeeded, whatever the connectives
    /// say: in the background, in a condition or a loop, in a pipeline before its end.
    pub detached: bool,
    /// The part of the call it stands for, for reasons and validators.
    pub text: Option<String>,
    /// The arguments of this part, if the resolver knows them, for validators.
    pub input: Option<Value>,
}

impl Action {
    /// The first or only action of a call.
    pub fn new(tool: impl Into<String>) -> Self {
        Self {
            tool: tool.into(),
            also: Vec::new(),
            special: None,
            connective: Connective::Regardless,
            detached: false,
            text: None,
            input: None,
        }
    }

    /// The action behind another: `Action::new("b").after(Connective::AfterSuccess)`.
    #[must_use]
    pub fn after(mut self, connective: Connective) -> Self {
        self.connective = connective;
        self
    }

    /// Under another name as well: the action is allowed only if it is allowed under every name, and
    /// none of them can rely on what another one unlocks.
    #[must_use]
    pub fn also(mut self, name: impl Into<String>) -> Self {
        self.also.push(name.into());
        self
    }

    /// As a special case: `Action::new("discord").specially("discord.post")`.
    #[must_use]
    pub fn specially(mut self, name: impl Into<String>) -> Self {
        self.special = Some(name.into());
        self
    }

    /// All names, the first one first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let also = self.also.iter().chain(&self.special).map(String::as_str);
        std::iter::once(self.tool.as_str()).chain(also)
    }

    /// With the part of the call it stands for.
    #[must_use]
    pub fn with_text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// As one whose success the call's success does not show.
    #[must_use]
    pub fn detached(mut self) -> Self {
        self.detached = true;
        self
    }
}

/// What must have happened to the action before for this one to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Connective {
    /// It succeeded, as with `&&`: this action may rely on what that success unlocks.
    AfterSuccess,
    /// Nothing, as with `;`, `|`, `&` and a new line.
    Regardless,
    /// It failed, as with `||`: the call may succeed without this action having run.
    AfterFailure,
}

/// What a call stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Resolution {
    /// The tool it names.
    Itself,
    /// These actions, in order. An empty list does nothing and is allowed.
    Actions(Vec<Action>),
    /// It cannot be told, so it must not run; with the reason.
    Refused(String),
}

/// Tells what the calls of a policy stand for.
pub trait Resolver: Send + Sync {
    /// What this call stands for.
    fn resolve(&self, call: &ToolCall) -> Resolution;

    /// Changes whenever the answers may change; part of the policy's fingerprint.
    fn fingerprint(&self) -> String;
}

/// Which actions are known to have succeeded when the whole call has.
///
/// The last one, and those that lead to it by [`Connective::AfterSuccess`] alone. A call that ends
/// `backup ; ls` reports how `ls` went, so its success says nothing about the backup.
pub(crate) fn shown_by_success(actions: &[Action]) -> Vec<bool> {
    let mut shown = vec![false; actions.len()];
    let mut linked = true;
    for (at, (action, shown)) in actions.iter().zip(&mut shown).enumerate().rev() {
        // The first action's connective does not matter.
        let connective = if at == 0 { Connective::Regardless } else { action.connective };
        // An alternative that did not run is no success, and neither is what led to it.
        *shown = linked && !action.detached && connective != Connective::AfterFailure;
        linked &= connective == Connective::AfterSuccess;
    }
    shown
}
