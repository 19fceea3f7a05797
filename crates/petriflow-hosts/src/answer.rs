//! Answers, in each host's own terms.

use crate::host::Host;
use crate::hosts::{Role, role};
use crate::json::Json;

/// What a gate has to say about an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// No objection. It is not a permission: the host's own rules and questions come next.
    Silent,
    /// The call must not run.
    Refused {
        /// Why, for the agent to read.
        reason: String,
    },
    /// A person must approve the call.
    Ask {
        /// What the person is to decide.
        reason: String,
    },
}

/// What a hook prints, and the code it exits with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// For the host to parse. Nothing else may be printed there.
    pub stdout: String,
    /// For people and agents to read.
    pub stderr: String,
    /// The exit code.
    pub exit: u8,
}

/// A hook that refuses, on all hosts. Most take every other code but 0 for a broken hook.
const REFUSES: u8 = 2;

/// Something is wrong and nothing is refused.
const WARNS: u8 = 1;

/// Characters of a reason that reach the host, which moves longer output elsewhere.
const REASON_CHARS_MAX: usize = 10_000;

/// The answer to an event.
///
/// A verdict other than [`Verdict::Silent`] is for events that ask, see [`Kind::Call`] and
/// [`Kind::Confirm`]. Where an event only tells something, it becomes a warning. A question becomes a
/// refusal where the host does not ask, see [`Capabilities::asks`]. An event that the host does not
/// have is refused.
///
/// [`Kind::Call`]: crate::Kind::Call
/// [`Kind::Confirm`]: crate::Kind::Confirm
/// [`Capabilities::asks`]: crate::Capabilities::asks
pub fn answer(host: Host, event_name: &str, verdict: &Verdict) -> Answer {
    let Some(role) = role(host, event_name) else {
        return failure(host, None, &format!("{} has no event `{event_name}`", host.title()));
    };
    match (role, verdict) {
        (_, Verdict::Silent) => Answer { stdout: silence(host, event_name), ..Answer::EMPTY },
        (Role::Tells, Verdict::Refused { reason } | Verdict::Ask { reason }) => warning(reason),
        (Role::Asks, Verdict::Refused { reason }) => refusal(host, event_name, &bounded(reason)),
        (Role::Asks, Verdict::Ask { reason }) if host.capabilities().asks => {
            Answer { stdout: decision(event_name, "ask", &bounded(reason)), ..Answer::EMPTY }
        }
        (Role::Asks, Verdict::Ask { reason }) => {
            let nobody =
                format!("a hook of {} cannot ask a person, so it is refused", host.title());
            refusal(host, event_name, &format!("{}\n{nobody}", bounded(reason)))
        }
    }
}

/// The answer when something broke, perhaps before the event was read.
///
/// It refuses, unless the event is known to be one that only tells something: a refusal there would
/// make the agent go on without end (`Stop`), or hide a result from it.
pub fn failure(host: Host, event_name: Option<&str>, reason: &str) -> Answer {
    let known = event_name.and_then(|name| role(host, name).map(|role| (name, role)));
    if let Some((_, Role::Tells)) = known {
        return warning(reason);
    }
    let reason = bounded(reason);
    let stderr = note(&reason);
    match (host, known) {
        // They read the reason from the other stream, and nothing here can be parsed wrongly.
        (Host::ClaudeCode | Host::Codex, _) => {
            Answer { stdout: String::new(), stderr, exit: REFUSES }
        }
        (Host::Gemini | Host::Cursor, known) => {
            let event = known.map_or("", |(name, _)| name);
            Answer { stderr, exit: REFUSES, ..refusal(host, event, &reason) }
        }
    }
}

impl Answer {
    const EMPTY: Self = Self { stdout: String::new(), stderr: String::new(), exit: 0 };
}

/// What a host takes for "no objection".
fn silence(host: Host, event: &str) -> String {
    match (host, event) {
        (Host::ClaudeCode | Host::Codex | Host::Gemini, _) => String::new(),
        // With `failClosed`, an empty output is a refusal. This does not skip the host's own questions.
        (Host::Cursor, _) if role(host, event) == Some(Role::Asks) => {
            line(&Json::from([("permission", "allow".into())]))
        }
        (Host::Cursor, "beforeSubmitPrompt") => line(&Json::from([("continue", Json::Bool(true))])),
        (Host::Cursor, _) => line(&Json::from([])),
    }
}

/// A call is refused. The reason is not blank.
fn refusal(host: Host, event: &str, reason: &str) -> Answer {
    match host {
        Host::ClaudeCode | Host::Codex => {
            Answer { stdout: decision(event, "deny", reason), ..Answer::EMPTY }
        }
        Host::Gemini => {
            let stdout =
                line(&Json::from([("decision", "deny".into()), ("reason", reason.into())]));
            Answer { stdout, ..Answer::EMPTY }
        }
        Host::Cursor => {
            let permission = ("permission", "deny".into());
            let to_user = ("user_message", reason.into());
            let to_agent = ("agent_message", reason.into());
            // Some events have no agent to send it to, and no such name in their format.
            let output = match event {
                "beforeReadFile" | "beforeTabFileRead" | "subagentStart" => {
                    Json::from([permission, to_user])
                }
                _ => Json::from([permission, to_user, to_agent]),
            };
            Answer { stdout: line(&output), stderr: note(reason), exit: REFUSES }
        }
    }
}

/// The format that Claude Code and Codex share. Codex takes any other name for a broken hook.
fn decision(event: &str, decision: &str, reason: &str) -> String {
    let specific = Json::from([
        ("hookEventName", event.into()),
        ("permissionDecision", decision.into()),
        ("permissionDecisionReason", reason.into()),
    ]);
    line(&Json::from([("hookSpecificOutput", specific)]))
}

fn warning(reason: &str) -> Answer {
    Answer { stdout: String::new(), stderr: note(&bounded(reason)), exit: WARNS }
}

/// Never JSON, which one host would look for here too.
fn note(reason: &str) -> String {
    format!("petriflow: {reason}\n")
}

fn line(output: &Json) -> String {
    format!("{output}\n")
}

/// A reason that is not blank, and not endless.
fn bounded(reason: &str) -> String {
    let reason = reason.trim();
    if reason.is_empty() {
        return "refused without a reason".into();
    }
    match reason.char_indices().nth(REASON_CHARS_MAX) {
        Some((end, _)) => format!("{} …", reason.get(..end).unwrap_or_default()),
        None => reason.to_owned(),
    }
}
