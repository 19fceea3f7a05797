//! What goes in: calls, their results, and the time.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// One call of a tool by an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The host's name for this call. Its result comes under the same id.
    pub id: String,
    /// The tool, as the host names it.
    pub tool: String,
    /// The arguments.
    pub input: Value,
}

impl ToolCall {
    /// A call with these arguments.
    pub fn new(id: impl Into<String>, tool: impl Into<String>, input: Value) -> Self {
        Self { id: id.into(), tool: tool.into(), input }
    }

    /// The digest that binds approvals and repetitions to this tool and input; `None` if the input
    /// is nested too deeply to be walked safely.
    pub(crate) fn digest(&self) -> Option<CallDigest> {
        let mut hasher = Sha256::new();
        hash_text(&mut hasher, &self.tool);
        hash_value(&mut hasher, &self.input, NESTING_MAX)?;
        Some(CallDigest(hasher.finalize().into()))
    }

    /// The same text for the same tool and input and for no other call, whatever the order of keys;
    /// `None` if the input is nested too deeply to be walked safely.
    pub fn identity(&self) -> Option<String> {
        self.digest().map(String::from)
    }

    /// The text in a field of the input, if it holds one.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.input.get(field)?.as_str()
    }
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call it belongs to.
    pub id: String,
    /// The tool, which must be that of the call.
    pub tool: String,
    /// Whether it failed. A failed call unlocks nothing.
    pub is_error: bool,
}

impl ToolResult {
    /// The result of a call that succeeded.
    pub fn success(call: &ToolCall) -> Self {
        Self { id: call.id.clone(), tool: call.tool.clone(), is_error: false }
    }

    /// The result of a call that failed.
    pub fn failure(call: &ToolCall) -> Self {
        Self { is_error: true, ..Self::success(call) }
    }
}

/// A moment in milliseconds, from any origin the caller keeps to.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// This moment and a number of milliseconds; the last representable moment at most.
    pub fn after_ms(self, ms: u64) -> Self {
        Self(self.0.saturating_add(ms))
    }
}

/// SHA-256 of a tool and its canonical input.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct CallDigest([u8; 32]);

impl From<CallDigest> for String {
    fn from(digest: CallDigest) -> String {
        hex(&digest.0)
    }
}

impl TryFrom<String> for CallDigest {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        const ERROR: &str = "a digest is 64 hexadecimal digits";
        let pairs = text.as_bytes().chunks_exact(2);
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let bytes: Option<Vec<u8>> = pairs.map(byte).collect();
        let bytes: Option<[u8; 32]> = bytes.and_then(|bytes| bytes.try_into().ok());
        // One form only, so that what is read is what was written.
        bytes.filter(|bytes| hex(bytes) == text).map(Self).ok_or(ERROR)
    }
}

/// Bytes in lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Length first, so that no two texts run into each other.
pub(crate) fn hash_text(hasher: &mut Sha256, text: &str) {
    hasher.update((text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}

/// Levels of arrays and objects that an input may have; JSON parsers stop at about as many.
pub(crate) const NESTING_MAX: u32 = 128;

/// Every value has one form: a letter for its kind, then its content with lengths.
fn hash_value(hasher: &mut Sha256, value: &Value, levels_left: u32) -> Option<()> {
    match value {
        Value::Null => hasher.update(b"z"),
        Value::Bool(true) => hasher.update(b"t"),
        Value::Bool(false) => hasher.update(b"f"),
        Value::Number(number) => {
            // Each kind has a letter of its own and a known length, so that no number can be read as
            // the beginning of something else.
            match (number.as_u64(), number.as_i64()) {
                (Some(whole), _) => {
                    hasher.update(b"u");
                    hasher.update(whole.to_le_bytes());
                }
                (None, Some(negative)) => {
                    hasher.update(b"i");
                    hasher.update(negative.to_le_bytes());
                }
                // As text: some crate may have turned on numbers of any precision.
                (None, None) => {
                    hasher.update(b"d");
                    hash_text(hasher, &number.to_string());
                }
            }
        }
        Value::String(text) => {
            hasher.update(b"s");
            hash_text(hasher, text);
        }
        Value::Array(items) => {
            hasher.update(b"a");
            hasher.update((items.len() as u64).to_le_bytes());
            let levels_left = levels_left.checked_sub(1)?;
            items.iter().try_for_each(|item| hash_value(hasher, item, levels_left))?;
        }
        Value::Object(fields) => {
            hasher.update(b"o");
            hasher.update((fields.len() as u64).to_le_bytes());
            hash_fields(hasher, fields, levels_left.checked_sub(1)?)?;
        }
    }
    Some(())
}

/// In the order of the keys, which is the map's own unless some crate turned on `preserve_order`.
fn hash_fields(
    hasher: &mut Sha256,
    fields: &serde_json::Map<String, Value>,
    levels_left: u32,
) -> Option<()> {
    let mut hash_field = |(key, value): (&String, &Value)| {
        hash_text(hasher, key);
        hash_value(hasher, value, levels_left)
    };
    if fields.keys().is_sorted() {
        fields.iter().try_for_each(&mut hash_field)
    } else {
        let mut sorted: Vec<_> = fields.iter().collect();
        sorted.sort_by_key(|&(key, _)| key);
        sorted.into_iter().try_for_each(&mut hash_field)
    }
}
