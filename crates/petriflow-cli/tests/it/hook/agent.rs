//! An agent's session on a host: the events that the host sends, and what it does with the answers.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, OnceLock};

use serde_json::{Map, Value, json};

use super::{Host, Ran, Scratch};

/// What a host does with a call after an answer. Settings that refuse where a hook fails are off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Runs,
    Refused,
    Asks,
}

/// An answer as the host takes it, and the reason that the agent or the person reads.
#[derive(Debug)]
pub(super) struct Heard {
    pub(super) effect: Effect,
    pub(super) reason: String,
    pub(super) ran: Ran,
}

impl Heard {
    pub(super) fn new(host: Host, ran: Ran) -> Self {
        let effect = match host {
            Host::ClaudeCode => claude_code(&ran),
            Host::Codex => codex(&ran),
            Host::Gemini => gemini(&ran),
            Host::Cursor => cursor(&ran),
        };
        let output: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
        let places = ["/hookSpecificOutput/permissionDecisionReason", "/reason", "/user_message"];
        let said = places.iter().find_map(|place| output.pointer(place)?.as_str());
        let said = said.map(str::to_owned);
        Self { effect, reason: said.unwrap_or_else(|| ran.stderr.trim().to_owned()), ran }
    }

    pub(super) fn runs(&self) -> bool {
        self.effect == Effect::Runs
    }

    /// Fails unless the call is refused for a reason with this text in it.
    #[track_caller]
    pub(super) fn is_refused(&self, because: &str) {
        assert_eq!(self.effect, Effect::Refused, "{because}: {self:?}");
        assert!(self.reason.contains(because), "`{because}` is not in {self:?}");
    }
}

impl fmt::Display for Heard {
    /// For logs: what happens, and the first line of the reason.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.reason.lines().next().unwrap_or_default();
        match self.effect {
            Effect::Runs if self.ran.exit == 1 => write!(f, "warned: {first}"),
            Effect::Runs => f.write_str("runs"),
            Effect::Refused => write!(f, "refused: {first}"),
            Effect::Asks => write!(f, "asks: {first}"),
        }
    }
}

fn object(text: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(text).ok()
}

fn claude_code(ran: &Ran) -> Effect {
    if ran.exit == 2 {
        return Effect::Refused;
    }
    let decision = object(&ran.stdout)
        .and_then(|output| output.get("hookSpecificOutput")?.get("permissionDecision").cloned());
    match decision.as_ref().and_then(Value::as_str) {
        Some("deny") => Effect::Refused,
        Some("ask") => Effect::Asks,
        _ => Effect::Runs,
    }
}

fn codex(ran: &Ran) -> Effect {
    if ran.exit == 2 && !ran.stderr.trim().is_empty() {
        return Effect::Refused;
    }
    let output = object(&ran.stdout).filter(|_| ran.exit == 0).unwrap_or_default();
    let Some(Value::Object(specific)) = output.get("hookSpecificOutput") else {
        return Effect::Runs;
    };
    let known = ["hookEventName", "permissionDecision", "permissionDecisionReason"];
    let is_valid = output.len() == 1 && specific.keys().all(|name| known.contains(&name.as_str()));
    let has_reason = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
    let is_deny = specific["hookEventName"] == "PreToolUse"
        && specific["permissionDecision"] == "deny"
        && has_reason(&specific["permissionDecisionReason"]);
    if is_valid && is_deny { Effect::Refused } else { Effect::Runs }
}

fn gemini(ran: &Ran) -> Effect {
    let text = match ran.stdout.trim() {
        "" => ran.stderr.trim(),
        stdout => stdout,
    };
    match object(text) {
        Some(output) => match output.get("decision").and_then(Value::as_str) {
            Some("deny" | "block") => Effect::Refused,
            _ => Effect::Runs,
        },
        None if text.is_empty() || ran.exit < 2 => Effect::Runs,
        None => Effect::Refused,
    }
}

fn cursor(ran: &Ran) -> Effect {
    if ran.exit == 2 {
        return Effect::Refused;
    }
    let output = object(&ran.stdout).filter(|_| ran.exit == 0).unwrap_or_default();
    match output.get("permission").and_then(Value::as_str) {
        Some("deny") => Effect::Refused,
        _ => Effect::Runs,
    }
}

/// The tool that runs shell commands.
pub(super) fn shell_tool(host: Host) -> &'static str {
    match host {
        Host::ClaudeCode | Host::Codex => "Bash",
        Host::Gemini => "run_shell_command",
        Host::Cursor => "Shell",
    }
}

/// An event as the host recorded it.
pub(super) fn recorded(host: Host, name: &str) -> Value {
    static READ: OnceLock<Mutex<HashMap<String, Value>>> = OnceLock::new();
    let file = format!("{host}/{name}.json");
    let mut read = READ.get_or_init(Mutex::default).lock().unwrap();
    let event = read.entry(file.clone()).or_insert_with(|| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../petriflow-hosts/tests/fixtures");
        let text = fs::read_to_string(Path::new(folder).join(&file)).expect("recorded");
        serde_json::from_str(&text).expect("JSON")
    });
    event.clone()
}

/// One session.
#[derive(Clone)]
pub(super) struct Agent<'a> {
    scratch: &'a Scratch,
    pub(super) host: Host,
    pub(super) session: String,
    /// Where it works.
    cwd: String,
    /// The sub-agent that acts.
    agent: Option<String>,
    /// Behind `petriflow hook HOST`.
    flags: Vec<String>,
}

impl<'a> Agent<'a> {
    pub(super) fn new(scratch: &'a Scratch, host: Host, session: &str) -> Self {
        let cwd = scratch.root().to_str().unwrap().to_owned();
        let session = session.to_owned();
        Self { scratch, host, session, cwd, agent: None, flags: Vec::new() }
    }

    pub(super) fn at(mut self, cwd: &Path) -> Self {
        self.cwd = cwd.to_str().unwrap().to_owned();
        self
    }

    pub(super) fn sub(mut self, agent: &str) -> Self {
        self.agent = Some(agent.to_owned());
        self
    }

    pub(super) fn flags(mut self, flags: &[&str]) -> Self {
        self.flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        self
    }

    /// A recorded event as an event of this session, with these members.
    pub(super) fn event(&self, recorded_as: &str, members: Value) -> Value {
        let mut event = recorded(self.host, recorded_as);
        let id = if self.host == Host::Cursor { "conversation_id" } else { "session_id" };
        event[id] = json!(self.session);
        if self.host == Host::Cursor {
            event["workspace_roots"] = json!([self.cwd]);
        }
        if event.get("session_id").is_some() {
            event["session_id"] = json!(self.session);
        }
        event["cwd"] = json!(self.cwd);
        if let Some(agent) = &self.agent {
            event["agent_id"] = json!(agent);
        }
        let Value::Object(members) = members else { panic!("members are an object") };
        for (name, value) in members {
            event[name] = value;
        }
        event
    }

    pub(super) fn hook_args(&self) -> Vec<&str> {
        let flags = self.flags.iter().map(String::as_str);
        ["hook", self.host.name()].into_iter().chain(flags).collect()
    }

    pub(super) fn send(&self, event: &Value) -> Heard {
        self.send_bytes(event.to_string().as_bytes())
    }

    pub(super) fn send_bytes(&self, event: &[u8]) -> Heard {
        Heard::new(self.host, self.scratch.run_with(&self.hook_args(), event))
    }

    /// The event before a call.
    pub(super) fn call_event(&self, id: &str, tool: &str, input: &Value) -> Value {
        let name = match self.host {
            Host::ClaudeCode | Host::Codex => "PreToolUse",
            Host::Gemini => "BeforeTool",
            Host::Cursor => "preToolUse",
        };
        self.event(name, self.of_call(id, tool, input))
    }

    fn of_call(&self, id: &str, tool: &str, input: &Value) -> Value {
        match self.host {
            Host::Gemini => json!({ "tool_name": tool, "tool_input": input }),
            _ => json!({ "tool_name": tool, "tool_input": input, "tool_use_id": id }),
        }
    }

    pub(super) fn call(&self, id: &str, tool: &str, input: &Value) -> Heard {
        self.send(&self.call_event(id, tool, input))
    }

    /// A shell command is to run.
    pub(super) fn shell(&self, id: &str, command: &str) -> Heard {
        self.call(id, shell_tool(self.host), &json!({ "command": command }))
    }

    /// A recorded event about a shell command that has ended.
    pub(super) fn ended(&self, recorded_as: &str, id: &str, command: &str) -> Heard {
        let input = json!({ "command": command });
        let members = self.of_call(id, shell_tool(self.host), &input);
        self.send(&self.event(recorded_as, members))
    }

    /// A shell command ended as the host reports one that did what it should.
    pub(super) fn succeeded(&self, id: &str, command: &str) -> Heard {
        let name = match self.host {
            Host::ClaudeCode | Host::Codex => "PostToolUse",
            Host::Gemini => "AfterTool",
            Host::Cursor => "postToolUse",
        };
        self.ended(name, id, command)
    }

    pub(super) fn failed(&self, id: &str, command: &str) -> Heard {
        let name = match self.host {
            Host::ClaudeCode => "PostToolUseFailure",
            Host::Codex => "PostToolUse",
            Host::Gemini => "AfterTool-failed",
            Host::Cursor => "postToolUse-failed",
        };
        self.ended(name, id, command)
    }

    /// A session begins: `startup`, `resume`, `compact`, `clear` or `fork`.
    pub(super) fn start(&self, source: &str) -> Heard {
        let name = match self.host {
            Host::Cursor => "sessionStart".to_owned(),
            _ => format!("SessionStart-{source}"),
        };
        self.send(&self.event(&name, json!({})))
    }

    /// What `petriflow status` says about each rule, by its text.
    pub(super) fn status(&self) -> Vec<String> {
        let ran = self.scratch.run(&["status", "--session", &self.session, "--format", "json"]);
        let report: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
        let line = |rule: &Value| {
            format!("{}: {}", rule["rule"].as_str().unwrap(), rule["state"].as_str().unwrap())
        };
        report["rules"].as_array().unwrap().iter().map(line).collect()
    }
}
