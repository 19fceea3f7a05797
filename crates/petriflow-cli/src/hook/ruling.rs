//! What is said about an event.

use petriflow_hosts::Verdict;

use super::footing::Footing;
use super::record::{Because, in_lines};

/// What is said about an event, to the host and in the audit.
pub(super) struct Ruling {
    pub(super) verdict: Verdict,
    pub(super) decision: &'static str,
    pub(super) call: Option<String>,
    pub(super) reasons: Vec<Because>,
    pub(super) note: Option<String>,
    /// Fingerprint of the policy that decided, and digest of its rules, if it came to that.
    pub(super) policy: Option<String>,
    pub(super) rules: Option<String>,
}

impl Ruling {
    pub(super) fn silent(decision: &'static str) -> Self {
        Self {
            verdict: Verdict::Silent,
            decision,
            call: None,
            reasons: Vec::new(),
            note: None,
            policy: None,
            rules: None,
        }
    }

    pub(super) fn refused(reasons: Vec<Because>) -> Self {
        let reason = in_lines(&reasons);
        Self { verdict: Verdict::Refused { reason }, reasons, ..Self::silent("blocked") }
    }

    pub(super) fn about(mut self, call: &str) -> Self {
        self.call = Some(call.to_owned());
        self
    }

    pub(super) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Decided by the rules that a session runs under.
    pub(super) fn under(mut self, footing: &Footing) -> Self {
        self.policy = Some(footing.session.policy().fingerprint().to_string());
        self.rules = Some(footing.rules.clone());
        self
    }

    /// Nothing is refused in shadow mode; what would have been is in the audit.
    pub(super) fn in_shadow(self) -> Self {
        let decision = match self.verdict {
            Verdict::Silent => return self,
            Verdict::Refused { .. } => "would-block",
            Verdict::Ask { .. } => "would-ask",
        };
        Self { verdict: Verdict::Silent, decision, ..self }
    }
}
