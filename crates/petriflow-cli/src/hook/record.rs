//! What the audit says about one event.

use petriflow::gate::{Reason, Refusal, Rule, SkillNet};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::project::Mode;

/// Larger inputs are left out of the audit.
const INPUT_MAX: usize = 64 << 10;

/// The body of an audit record, beside what the store keeps in columns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Body {
    /// The host's name of the event.
    pub(crate) event: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) call: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) input: Option<Value>,
    /// Bytes of an input that is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) input_omitted: Option<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) reasons: Vec<Because>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    pub(crate) project: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<Mode>,
    /// Fingerprint of the policy that decided, and digest of the rules it was compiled from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) policy: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rules: Option<String>,
    /// From the start of the process to the writing of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) duration_us: Option<u64>,
}

/// One reason, with the rule it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Because {
    pub(crate) message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rule: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
}

impl Body {
    /// As the store keeps it.
    pub(crate) fn to_text(&self) -> Result<String, String> {
        serde_json::to_string(self).map_err(|error| error.to_string())
    }

    /// Keeps an input, unless it is too large or nobody wants it kept.
    pub(crate) fn keep_input(&mut self, input: &Value, wanted: bool) {
        let bytes = serde_json::to_string(input).map_or(usize::MAX, |text| text.len());
        if wanted && bytes <= INPUT_MAX {
            self.input = Some(input.clone());
        } else {
            self.input_omitted = Some(bytes);
        }
    }
}

impl Because {
    pub(crate) fn plain(message: impl Into<String>) -> Self {
        Self { message: message.into(), rule: None, file: None, line: None }
    }

    pub(crate) fn of_refusal(refusal: &Refusal) -> Vec<Self> {
        refusal.reasons.iter().map(Self::of_reason).collect()
    }

    fn of_reason(reason: &Reason) -> Self {
        Self::by(reason.rule.as_ref(), reason.with_part())
    }

    /// Why a net wants a person to be asked.
    pub(crate) fn of_net(net: &SkillNet) -> Self {
        let message =
            net.rule().map_or_else(|| net.name().to_owned(), |rule| rule.kind.to_string());
        Self::by(net.rule(), message)
    }

    fn by(rule: Option<&Rule>, message: String) -> Self {
        let source = rule.and_then(|rule| rule.source.as_ref());
        Self {
            message,
            rule: source.map(|source| source.text.clone()),
            file: source.map(|source| source.file.clone()),
            line: source.map(|source| source.line),
        }
    }
}

impl std::fmt::Display for Because {
    /// The constraint and the rule behind it, for the agent and the person.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        if let (Some(file), Some(line), Some(rule)) = (&self.file, self.line, &self.rule) {
            write!(f, " [{file}:{line}: {rule}]")?;
        }
        Ok(())
    }
}

/// Reasons as one text, a line for each.
pub(crate) fn in_lines(reasons: &[Because]) -> String {
    reasons.iter().map(Because::to_string).collect::<Vec<String>>().join("\n")
}
