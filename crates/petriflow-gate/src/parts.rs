//! The parts of a call as the plan sees them: the call itself, or the actions it stands for.

use std::borrow::Cow;

use crate::ToolCall;
use crate::action::{Action, Connective, shown_by_success};

/// What a call stands for, with what follows from the connectives.
pub(crate) enum Parts<'c> {
    /// The call itself.
    Plain(&'c ToolCall),
    Several(Several),
}

pub(crate) struct Several {
    pub(crate) actions: Vec<Action>,
    /// Actions of one segment hang together by success; one may rely on those before it.
    segments: Vec<u32>,
    shown: Vec<bool>,
}

impl Several {
    pub(crate) fn new(actions: Vec<Action>) -> Self {
        let mut segments = Vec::with_capacity(actions.len());
        let mut segment: u32 = 0;
        let mut previous_unknown = false;
        for action in &actions {
            // Nobody knows how a detached action went, and an alternative may not have run at all:
            // in `true || backup && delete` the delete runs without a backup.
            if action.connective != Connective::AfterSuccess || previous_unknown {
                segment = segment.saturating_add(1);
            }
            previous_unknown = action.detached || action.connective == Connective::AfterFailure;
            segments.push(segment);
        }
        let mut shown = shown_by_success(&actions);
        // Deferred firings wait for the result. One from before a detached part would then fire after
        // the parts behind it, which were decided without it and have been paid for already.
        for (shown, of_part) in shown.iter_mut().zip(&segments) {
            *shown &= *of_part == segment;
        }
        Self { actions, segments, shown }
    }
}

impl Parts<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Plain(_) => 1,
            Self::Several(several) => several.actions.len(),
        }
    }

    /// The names of a part: its tool, and others that it goes by.
    pub(crate) fn names(&self, part: usize) -> impl Iterator<Item = &str> {
        let (plain, action) = match self {
            Self::Plain(call) => (Some(call.tool.as_str()), None),
            Self::Several(several) => (None, several.actions.get(part)),
        };
        plain.into_iter().chain(action.into_iter().flat_map(Action::names))
    }

    /// The special name of a part, if it has one.
    pub(crate) fn special(&self, part: usize) -> Option<&str> {
        match self {
            Self::Plain(_) => None,
            Self::Several(several) => several.actions.get(part)?.special.as_deref(),
        }
    }

    /// Whether every part has one name only.
    fn is_simple(&self) -> bool {
        let is_simple = |action: &Action| action.also.is_empty() && action.special.is_none();
        match self {
            Self::Plain(_) => true,
            Self::Several(several) => several.actions.iter().all(is_simple),
        }
    }

    /// Whether sites listed in order are in the order of their nets: one part of one name.
    pub(crate) fn is_one_name(&self) -> bool {
        self.len() == 1 && self.is_simple()
    }

    pub(crate) fn segment(&self, part: usize) -> u32 {
        match self {
            Self::Plain(_) => 0,
            Self::Several(several) => several.segments.get(part).copied().unwrap_or(0),
        }
    }

    /// Whether the call's success shows that this part succeeded.
    pub(crate) fn is_shown(&self, part: usize) -> bool {
        match self {
            Self::Plain(_) => true,
            Self::Several(several) => several.shown.get(part).copied().unwrap_or(false),
        }
    }

    /// The text of the part, for calls that have several.
    pub(crate) fn text(&self, part: usize) -> Option<&str> {
        match self {
            Self::Plain(_) => None,
            Self::Several(several) => several.actions.get(part)?.text.as_deref(),
        }
    }

    pub(crate) fn action(&self, part: usize) -> Cow<'_, Action> {
        match self {
            Self::Plain(call) => Cow::Owned(Action::new(&call.tool)),
            Self::Several(several) => match several.actions.get(part) {
                Some(action) => Cow::Borrowed(action),
                None => Cow::Owned(Action::new("")),
            },
        }
    }
}
