//! Walks through the gate: git flow, backup before delete, a path guard, an approval, shadow mode.
//!
//! `cargo run -p petriflow-gate --example walkthrough`
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;

use petriflow_gate::{
    Answer, Attempt, Decision, Mapper, Meta, Mode, Policy, Session, SkillNet, SkillNetError,
    Timestamp, ToolCall, ToolResult, Transition,
};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    println!("git flow: a push needs a commit");
    let mut host = Host::new(Session::new(&Policy::new([git_flow()?])?));
    host.call("bash", json!({"command": "ls -la"}));
    host.call("bash", json!({"command": "git push"}));
    host.call("bash", json!({"command": "git commit -m fix"}));
    host.call("bash", json!({"command": "git push"}));

    println!("\nbackup: only a backup that succeeded unlocks delete");
    let mut host = Host::new(Session::new(&Policy::new([backup_before_delete()?])?));
    host.call("delete", json!({"path": "/data"}));
    host.call_that_fails("backup", json!({"path": "/data"}));
    host.call("delete", json!({"path": "/data"}));
    host.call("backup", json!({"path": "/data"}));
    host.call("delete", json!({"path": "/data"}));

    println!("\npath guard: writes stay in /workspace/");
    let mut host = Host::new(Session::new(&Policy::new([write_path_guard()?])?));
    host.call("write-file", json!({"path": "/workspace/notes.md"}));
    host.call("write-file", json!({"path": "/etc/passwd"}));
    host.call("write-file", json!({"path": "/workspace/../etc/passwd"}));
    host.call("write-file", json!({"path": 7}));

    println!("\napproval: a person decides");
    let mut host = Host::new(Session::new(&Policy::new([approve_deploy()?])?));
    host.person = Answer::Rejected;
    host.call("deploy", json!({"to": "production"}));
    host.person = Answer::Approved;
    host.call("deploy", json!({"to": "production"}));

    println!("\nshadow mode: nothing is blocked, everything is reported");
    let policy = Policy::builder()
        .nets([backup_before_delete()?])
        .mode(Mode::Shadow)
        .on_decision(|call, decision| {
            if let Some(refusal) = decision.refusal() {
                println!("  [audit]  {} would be blocked: {refusal}", call.tool);
            }
        })
        .build()?;
    let mut host = Host::new(Session::new(&policy));
    host.call("delete", json!({"path": "/data"}));
    Ok(())
}

/// What an adapter does around a session: ask, run the tool, report how it went.
struct Host {
    session: Session,
    person: Answer,
    calls: u64,
}

impl Host {
    fn new(session: Session) -> Self {
        Self { session, person: Answer::Unavailable, calls: 0 }
    }

    fn call(&mut self, tool: &str, input: Value) {
        self.run(tool, input, false);
    }

    fn call_that_fails(&mut self, tool: &str, input: Value) {
        self.run(tool, input, true);
    }

    fn run(&mut self, tool: &str, input: Value, is_error: bool) {
        self.calls = self.calls.saturating_add(1);
        let now = Timestamp(self.calls);
        let shown = format!("{tool} {input}");
        let call = ToolCall::new(self.calls.to_string(), tool, input);
        let mut decision = self.session.decide(&call, now);
        if let Decision::NeedsApproval(question) = &decision {
            println!("  [asked]  {} {:?}", question.message, self.person);
            decision = self.session.answer(&call, question.ticket, self.person, now);
        }
        match decision {
            Decision::Allowed => {
                println!("  allowed  {shown}{}", if is_error { ", and fails" } else { "" });
                let success = ToolResult::success(&call);
                self.session.result(&ToolResult { is_error, ..success });
            }
            Decision::Blocked(refusal) => println!("  blocked  {shown}: {refusal}"),
            // Approving led to another question; a host would ask again.
            Decision::NeedsApproval(question) => println!("  asked    {shown}: {}", question.title),
        }
    }
}

fn git_flow() -> Result<SkillNet, SkillNetError> {
    SkillNet::builder("git-flow")
        .places(["working", "committed"])
        .initial("working", 1)
        .free_tools(["bash"])
        .mapper(Arc::new(GitCommands))
        .transition(
            Transition::auto("commit")
                .from(["working"])
                .to(["committed"])
                .tools(["git-commit"])
                .deferred(),
        )
        .transition(
            Transition::auto("push").from(["committed"]).to(["working"]).tools(["git-push"]),
        )
        .label("git-flow 1")
        .build()
}

/// Splits `bash` into virtual tools by its command. It only looks for words: a command that hides
/// what it does gets past it, so use a resolver that parses commands where that matters.
struct GitCommands;

impl Mapper for GitCommands {
    fn map<'a>(&'a self, call: &'a ToolCall) -> Cow<'a, str> {
        let Some(command) = call.text("command").filter(|_| call.tool == "bash") else {
            return call.tool.as_str().into();
        };
        let words: Vec<&str> = command.split_whitespace().collect();
        let has = |subcommand: &str| words.windows(2).any(|pair| pair == ["git", subcommand]);
        // A command that does both counts as what needs more.
        if has("push") {
            "git-push".into()
        } else if has("commit") {
            "git-commit".into()
        } else {
            "bash".into()
        }
    }
}

fn backup_before_delete() -> Result<SkillNet, SkillNetError> {
    SkillNet::builder("backup-before-delete")
        .places(["idle", "ready", "backedUp"])
        .initial("idle", 1)
        .transition(Transition::auto("start").from(["idle"]).to(["ready"]))
        .transition(
            Transition::auto("backup")
                .from(["ready"])
                .to(["backedUp"])
                .tools(["backup"])
                .deferred(),
        )
        .transition(Transition::auto("delete").from(["backedUp"]).to(["ready"]).tools(["delete"]))
        .build()
}

fn write_path_guard() -> Result<SkillNet, SkillNetError> {
    SkillNet::builder("write-path-guard")
        .places(["idle", "ready"])
        .initial("idle", 1)
        .transition(Transition::auto("start").from(["idle"]).to(["ready"]))
        .transition(Transition::auto("write").from(["ready"]).to(["ready"]).tools(["write-file"]))
        .validator(|attempt: &Attempt<'_>, _meta: &mut Meta| {
            let path = attempt.call.text("path").ok_or("write-file needs a path as text")?;
            let inside = path.starts_with("/workspace/") && !path.split('/').any(|p| p == "..");
            if inside {
                Ok(())
            } else {
                Err(format!("writes restricted to /workspace/, got {path}"))
            }
        })
        .label("write-path-guard 1")
        .build()
}

fn approve_deploy() -> Result<SkillNet, SkillNetError> {
    SkillNet::builder("approve-before-deploy")
        .places(["ready"])
        .initial("ready", 1)
        .transition(Transition::manual("approve").from(["ready"]).to(["ready"]).tools(["deploy"]))
        .build()
}
