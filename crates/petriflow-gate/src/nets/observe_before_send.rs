//! A channel is read before something is sent to it.

use serde_json::Value;

use crate::{Action, Attempt, Connective, Meta, SkillNet, SkillNetError, Transition};

const READ: [&str; 3] = ["readMessages", "readChannel", "fetchMessages"];
const SEND: [&str; 2] = ["sendMessage", "postMessage"];
const CHANNEL_FIELDS: [&str; 3] = ["channel", "channelId", "to"];

/// Channels that were read since the last message to them, oldest first.
const OBSERVED: &str = "observed";
/// Reads that have begun, as pairs of call id and channel, oldest first.
const READING: &str = "reading";
/// Most channels remembered; the oldest is forgotten first and must be read again.
const OBSERVED_MAX: usize = 256;
/// Most begun reads remembered. Failed ones are never taken out, so they must age out.
const READING_MAX: usize = 64;

/// A channel is read before something is sent to it, and again before the next message.
///
/// **Tools.** Reading: `readMessages`, `readChannel`, `fetchMessages`. Sending: `sendMessage`,
/// `postMessage`. The channel is the text in the field `channel`, `channelId` or `to` of the input.
///
/// **Promise.** A message goes to a channel only if a read of that very channel has begun after the
/// last message to it and has succeeded. One read is good for one message, also when several are
/// sent at once. A message that fails uses the read up too: it may have arrived. Reading is always
/// allowed.
///
/// **Refused.** Sending without a channel, or with fields that name different channels or hold
/// something else than text.
///
/// **Not promised.** Names are compared exactly: `#dev` and `dev` are two channels, even if the
/// tool thinks otherwise. Whether the agent understood what it read is beyond any gate. In a call
/// that stands for several actions, only actions with an input of their own have a channel, a read
/// behind `&&` does not count, and a message needs a read that had succeeded before the call.
///
/// ```
/// use petriflow_gate::{Policy, Session, Timestamp, ToolCall, ToolResult, nets};
/// use serde_json::json;
///
/// let mut session = Session::new(&Policy::new([nets::observe_before_send()?])?);
/// let now = Timestamp(0);
/// let read = ToolCall::new("1", "readMessages", json!({"channel": "dev"}));
/// let send = |id: &str| ToolCall::new(id, "sendMessage", json!({"channel": "dev", "text": "hi"}));
///
/// let refused = session.decide(&send("2"), now);
/// assert_eq!(
///     refused.refusal().unwrap().to_string(),
///     "sendMessage requires a successful read of channel 'dev' since the last message to it.",
/// );
/// assert!(session.decide(&read, now).is_allowed());
/// session.result(&ToolResult::success(&read));
/// assert!(session.decide(&send("3"), now).is_allowed());
/// assert!(!session.decide(&send("4"), now).is_allowed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// None in practice: the net is the same every time, and tests build it.
pub fn observe_before_send() -> Result<SkillNet, SkillNetError> {
    SkillNet::builder("observe-before-send")
        .places(["ready"])
        .initial("ready", 1)
        .transition(Transition::auto("read").from(["ready"]).to(["ready"]).tools(READ).deferred())
        .transition(Transition::auto("send").from(["ready"]).to(["ready"]).tools(SEND))
        .validator(validate)
        .on_deferred_result(note_read)
        .label("observe-before-send 1")
        .build()
}

fn validate(attempt: &Attempt<'_>, meta: &mut Meta) -> Result<(), String> {
    let channel = channel(attempt);
    if attempt.transition == "send" {
        return send(attempt.tool, channel?, meta);
    }
    // A read of nothing known is harmless, but shows nothing either. One behind `&&` would be noted
    // only when its result is in, and could then count for more than it saw.
    if let (Ok(channel), true) = (channel, attempt.action.connective != Connective::AfterSuccess) {
        let begun = note(&attempt.call.id, channel);
        update(meta, READING, READING_MAX, |reading| {
            reading.retain(|known| *known != begun);
            reading.push(begun);
        });
    }
    Ok(())
}

/// Uses up the observation, and devalues reads that began before this message.
fn send(tool: &str, channel: &str, meta: &mut Meta) -> Result<(), String> {
    let is_observed = list(meta, OBSERVED).any(|known| known == channel);
    if !is_observed {
        return Err(format!(
            "{tool} requires a successful read of channel '{channel}' since the last message to it."
        ));
    }
    update(meta, OBSERVED, OBSERVED_MAX, |observed| observed.retain(|known| known != channel));
    let of_channel = |begun: &Value| begun.get(1).is_some_and(|known| known == channel);
    update(meta, READING, READING_MAX, |reading| reading.retain(|begun| !of_channel(begun)));
    Ok(())
}

fn note_read(attempt: &Attempt<'_>, meta: &mut Meta) {
    let Ok(channel) = channel(attempt) else { return };
    let begun = note(&attempt.call.id, channel);
    // No note: a message went out while the channel was being read.
    if !list(meta, READING).any(|known| *known == begun) {
        return;
    }
    update(meta, READING, READING_MAX, |reading| reading.retain(|known| *known != begun));
    update(meta, OBSERVED, OBSERVED_MAX, |observed| {
        observed.retain(|known| known != channel);
        observed.push(channel.into());
    });
}

fn note(call_id: &str, channel: &str) -> Value {
    Value::from(vec![call_id, channel])
}

/// The one channel that the input names.
fn channel<'a>(attempt: &Attempt<'a>) -> Result<&'a str, String> {
    let input = match &attempt.action.input {
        Some(input) => input,
        None if is_whole_call(attempt.action, &attempt.call.tool) => &attempt.call.input,
        // The fields of the call belong to another tool, which may well ignore them.
        None => return Err(format!("{} must say which channel it means.", attempt.tool)),
    };
    let mut fields = CHANNEL_FIELDS
        .into_iter()
        .filter_map(|field| input.get(field))
        .filter(|value| !value.is_null());
    let named = fields.next().and_then(Value::as_str).filter(|channel| !channel.is_empty());
    let Some(channel) = named else {
        return Err(format!("{} must name a channel as text.", attempt.tool));
    };
    if fields.any(|other| other != channel) {
        return Err(format!("{} must name one channel, not several.", attempt.tool));
    }
    Ok(channel)
}

fn is_whole_call(action: &Action, tool: &str) -> bool {
    action.tool == tool && action.text.is_none()
}

fn list<'m>(meta: &'m Meta, key: &str) -> impl Iterator<Item = &'m Value> {
    meta.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// Changes a list in `meta` and keeps the newest `len_max` entries; an empty list is taken out.
fn update(meta: &mut Meta, key: &str, len_max: usize, change: impl FnOnce(&mut Vec<Value>)) {
    let mut entries = match meta.remove(key) {
        Some(Value::Array(entries)) => entries,
        _ => Vec::new(),
    };
    change(&mut entries);
    let surplus = entries.len().saturating_sub(len_max);
    entries.drain(..surplus);
    if !entries.is_empty() {
        meta.insert(key.into(), Value::Array(entries));
    }
}
