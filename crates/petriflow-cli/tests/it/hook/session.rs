//! A session of Claude Code, event by event.

use std::fmt::Write;
use std::fs;
use std::thread;

use super::{Agent, Effect, Heard, Host, Scratch, Value, json};

const RULES: &str = "\
map Bash.command /^cp / as backup
map Bash.command /^rm / as delete
map Bash.command /^git push/ as push
map Bash.command /^npm publish/ as publish
require backup before delete
require human-approval before publish
limit push to 2 per session
limit publish to 2 per session
";

fn claude<'a>(scratch: &'a Scratch, session: &str) -> Agent<'a> {
    scratch.agent(Host::ClaudeCode, session)
}

/// Writes down what happens.
#[derive(Default)]
struct Log(String);

impl Log {
    fn say(&mut self, what: &str) {
        writeln!(self.0, "# {what}").unwrap();
    }

    fn note(&mut self, what: &str, heard: &Heard) {
        writeln!(self.0, "{what:<34} {heard}").unwrap();
    }

    fn call(&mut self, agent: &Agent<'_>, id: &str, command: &str) {
        self.note(command, &agent.shell(id, command));
    }

    fn event(&mut self, agent: &Agent<'_>, recorded_as: &str, id: &str, command: &str) {
        self.note(&format!("  {recorded_as} {id}"), &agent.ended(recorded_as, id, command));
    }
}

#[test]
fn a_session_from_start_to_fork() {
    let scratch = Scratch::new(RULES);
    let main = claude(&scratch, "0b5f2c1e-7a44-4f0e-9d3b-6a1f0c2e8d11");
    let mut log = Log::default();
    log.note("startup", &main.start("startup"));

    log.say("a backup before each delete, and only one that succeeded");
    log.call(&main, "t1", "rm -r build");
    log.call(&main, "t2", "cp -r build /mnt");
    log.call(&main, "t3", "rm -r build");
    log.event(&main, "PostToolUseFailure", "t2", "cp -r build /mnt");
    log.call(&main, "t4", "rm -r build");
    log.call(&main, "t5", "cp -r build /mnt");
    log.event(&main, "PostToolUse", "t5", "cp -r build /mnt");
    log.call(&main, "t6", "rm -r build");
    log.call(&main, "t7", "rm -r build");

    log.say("a limit counts calls that failed as well");
    log.call(&main, "p1", "git push");
    log.event(&main, "PostToolUseFailure", "p1", "git push");
    log.call(&main, "p2", "git push");
    log.call(&main, "p3", "git push");

    log.say("a person is asked each time; what did not run is given back");
    log.call(&main, "a1", "npm publish");
    log.call(&main, "a1", "npm publish");
    log.event(&main, "PermissionDenied", "a1", "npm publish");
    log.call(&main, "a2", "npm publish");
    log.event(&main, "PostToolUse", "a2", "npm publish");
    log.call(&main, "a3", "npm publish");
    log.call(&main, "a4", "npm publish");

    log.say("kept after compaction and on resume");
    log.call(&main, "c1", "cp -r build /mnt");
    log.event(&main, "PostToolUse", "c1", "cp -r build /mnt");
    log.note("compact", &main.start("compact"));
    log.call(&main, "c2", "git push");
    log.note("resume", &main.start("resume"));
    log.call(&main, "c3", "git push");

    log.say("copied on fork: each has the backup, and nobody has a push left");
    let fork = claude(&scratch, "9c1d7e52-3b60-4a8f-8f17-2f5a4f0b7e90");
    let transcript = format!("/home/ada/.claude/projects/-work-shop/{}.jsonl", main.session);
    let forked = fork.event("SessionStart-fork", json!({ "transcript_path": transcript }));
    log.note("fork", &fork.send(&forked));
    log.call(&fork, "f1", "git push");
    log.call(&fork, "f2", "rm -r build");
    log.call(&fork, "f3", "rm -r build");
    log.call(&main, "f4", "rm -r build");

    log.say("new after clear");
    log.note("clear", &main.start("clear"));
    log.call(&main, "n1", "git push");
    log.call(&main, "n2", "rm -r build");

    insta::assert_snapshot!(log.0, @"
    startup                            runs
    # a backup before each delete, and only one that succeeded
    rm -r build                        refused: delete requires a successful call to backup first. (in 'rm -r build') [.petriflow/safety.rules:5: require backup before delete]
    cp -r build /mnt                   runs
    rm -r build                        refused: delete requires a successful call to backup first. (in 'rm -r build') [.petriflow/safety.rules:5: require backup before delete]
      PostToolUseFailure t2            runs
    rm -r build                        refused: delete requires a successful call to backup first. (in 'rm -r build') [.petriflow/safety.rules:5: require backup before delete]
    cp -r build /mnt                   runs
      PostToolUse t5                   runs
    rm -r build                        runs
    rm -r build                        refused: delete requires a successful call to backup first. (in 'rm -r build') [.petriflow/safety.rules:5: require backup before delete]
    # a limit counts calls that failed as well
    git push                           runs
      PostToolUseFailure p1            runs
    git push                           runs
    git push                           refused: push has reached its limit of 2 calls per session. (in 'git push') [.petriflow/safety.rules:7: limit push to 2 per session]
    # a person is asked each time; what did not run is given back
    npm publish                        asks: publish requires human approval. [.petriflow/safety.rules:6: require human-approval before publish]
    npm publish                        asks: publish requires human approval. [.petriflow/safety.rules:6: require human-approval before publish]
      PermissionDenied a1              runs
    npm publish                        asks: publish requires human approval. [.petriflow/safety.rules:6: require human-approval before publish]
      PostToolUse a2                   runs
    npm publish                        asks: publish requires human approval. [.petriflow/safety.rules:6: require human-approval before publish]
    npm publish                        refused: publish has reached its limit of 2 calls per session. (in 'npm publish') [.petriflow/safety.rules:8: limit publish to 2 per session]
    # kept after compaction and on resume
    cp -r build /mnt                   runs
      PostToolUse c1                   runs
    compact                            runs
    git push                           refused: push has reached its limit of 2 calls per session. (in 'git push') [.petriflow/safety.rules:7: limit push to 2 per session]
    resume                             runs
    git push                           refused: push has reached its limit of 2 calls per session. (in 'git push') [.petriflow/safety.rules:7: limit push to 2 per session]
    # copied on fork: each has the backup, and nobody has a push left
    fork                               runs
    git push                           refused: push has reached its limit of 2 calls per session. (in 'git push') [.petriflow/safety.rules:7: limit push to 2 per session]
    rm -r build                        runs
    rm -r build                        refused: delete requires a successful call to backup first. (in 'rm -r build') [.petriflow/safety.rules:5: require backup before delete]
    rm -r build                        runs
    # new after clear
    clear                              runs
    git push                           runs
    rm -r build                        refused: delete requires a successful call to backup first. (in 'rm -r build') [.petriflow/safety.rules:5: require backup before delete]
    ");
    assert_eq!(scratch.run(&["audit", "verify"]).exit, 0);
}

/// A project in which `rm` needs a `cp`, and one `cp` that was allowed.
fn copying(scratch: &Scratch) -> Agent<'_> {
    let agent = claude(scratch, "s");
    assert!(agent.shell("cp", "cp a b").runs());
    agent
}

/// What comes of a delete after the copy ended so.
fn delete_after(result: impl Fn(&Agent<'_>) -> Value) -> Effect {
    let scratch = Scratch::new(RULES);
    let agent = copying(&scratch);
    let told = agent.send(&result(&agent));
    assert_eq!((told.effect, told.ran.exit), (Effect::Runs, 0), "{told:?}");
    agent.shell("rm", "rm a").effect
}

fn result(agent: &Agent<'_>, members: Value) -> Value {
    let mut event = agent.event(
        "PostToolUse",
        json!({ "tool_name": "Bash", "tool_input": { "command": "cp a b" }, "tool_use_id": "cp" }),
    );
    let Value::Object(members) = members else { panic!("members are an object") };
    for (name, value) in members {
        event[name] = value;
    }
    event
}

#[test]
fn only_a_call_that_is_over_and_succeeded_unlocks() {
    assert_eq!(delete_after(|agent| result(agent, json!({}))), Effect::Runs);
    let finished = json!({ "stdout": "", "stderr": "", "interrupted": false });
    for (what, value) in [
        ("backgroundTaskId", json!("b1")),
        ("backgroundedByUser", json!(true)),
        ("timedOutAfterMs", json!(120_000)),
        ("interrupted", json!(true)),
        ("returnCodeInterpretation", json!("No matches found")),
        ("isError", json!(true)),
    ] {
        let mut response = finished.clone();
        response[what] = value;
        let effect = delete_after(|agent| result(agent, json!({ "tool_response": response })));
        assert_eq!(effect, Effect::Refused, "{what}");
    }
    for response in [json!(null), json!("done"), json!([])] {
        let effect = delete_after(|agent| result(agent, json!({ "tool_response": response })));
        assert_eq!(effect, Effect::Refused, "{response}");
    }
}

#[test]
fn a_command_sent_to_the_background_unlocks_nothing() {
    let scratch = Scratch::new(RULES);
    let agent = claude(&scratch, "s");
    let input = json!({ "command": "cp a b", "run_in_background": true });
    assert!(agent.call("cp", "Bash", &input).runs());
    let members = json!({ "tool_name": "Bash", "tool_input": input, "tool_use_id": "cp" });
    agent.send(&agent.event("PostToolUse", members));
    agent.shell("rm", "rm a").is_refused("requires a successful call to backup");
}

#[test]
fn a_result_of_another_call_unlocks_nothing() {
    let results: [(&str, Value); 4] = [
        ("another input", json!({ "tool_input": { "command": "cp a c" } })),
        ("more input", json!({ "tool_input": { "command": "cp a b", "timeout": 1 } })),
        ("another tool", json!({ "tool_name": "Read" })),
        ("another id", json!({ "tool_use_id": "other" })),
    ];
    for (what, members) in results {
        let effect = delete_after(|agent| result(agent, members.clone()));
        assert_eq!(effect, Effect::Refused, "{what}");
    }
    let elsewhere = delete_after(|agent| {
        let mut event = result(agent, json!({}));
        event["session_id"] = json!("another session");
        event
    });
    assert_eq!(elsewhere, Effect::Refused);
}

#[test]
fn a_result_counts_once() {
    let scratch = Scratch::new(RULES);
    let agent = copying(&scratch);
    agent.succeeded("cp", "cp a b");
    assert!(agent.shell("rm", "rm a").runs());
    agent.succeeded("cp", "cp a b");
    agent.shell("rm2", "rm a").is_refused("requires a successful call to backup");
}

#[test]
fn the_id_of_a_call_in_flight_lets_no_other_call_through() {
    let scratch = Scratch::new(RULES);
    let agent = copying(&scratch);
    agent.shell("cp", "rm a").is_refused("");
    for id in ["p1", "p2"] {
        assert!(agent.shell(id, "git push").runs());
    }
    agent.shell("p1", "git push --force").is_refused("");
    agent.shell("p3", "git push").is_refused("limit");
}

#[test]
fn a_question_is_about_one_call_and_counts_until_the_person_said_no() {
    let scratch = Scratch::new(RULES);
    let agent = claude(&scratch, "s");
    for id in ["a1", "a2"] {
        assert_eq!(agent.shell(id, "npm publish").effect, Effect::Asks);
    }
    agent.shell("a3", "npm publish").is_refused("limit");
    agent.ended("PermissionDenied", "a1", "npm publish");
    assert_eq!(agent.shell("a4", "npm publish").effect, Effect::Asks);
    // Said twice, given back once.
    agent.ended("PermissionDenied", "a1", "npm publish");
    agent.shell("a5", "npm publish").is_refused("limit");
}

#[test]
fn where_the_host_would_answer_for_the_person_the_call_is_refused() {
    let scratch = Scratch::new(RULES);
    let agent = claude(&scratch, "s");
    for mode in ["bypassPermissions", "dontAsk", "auto", "something new"] {
        let mut event = agent.call_event("a1", "Bash", &json!({ "command": "npm publish" }));
        event["permission_mode"] = json!(mode);
        agent.send(&event).is_refused("petriflow approve 1");
    }
}

#[test]
fn a_call_that_the_batch_leaves_without_a_result_counts_as_used_and_unlocks_nothing() {
    let scratch = Scratch::new(RULES);
    let agent = copying(&scratch);
    assert!(agent.shell("p1", "git push").runs());
    let call = |id: &str, command: &str| json!({ "tool_name": "Bash", "tool_use_id": id, "tool_input": { "command": command } });
    let calls = json!({ "tool_calls": [call("cp", "cp a b"), call("p1", "git push")] });
    assert_eq!(agent.send(&agent.event("PostToolBatch", calls)).ran.exit, 0);
    // What comes too late is of no call in flight.
    agent.succeeded("cp", "cp a b");
    agent.shell("rm", "rm a").is_refused("requires a successful call to backup");
    assert!(agent.shell("p2", "git push").runs());
    agent.shell("p3", "git push").is_refused("limit");
}

#[test]
fn calls_side_by_side_are_told_apart() {
    let scratch = Scratch::new(RULES);
    let agent = claude(&scratch, "s");
    let effects = thread::scope(|scope| {
        let calls = [("1", "git push"), ("2", "git push"), ("3", "git push"), ("4", "cp a b")];
        let calls = calls.map(|(id, command)| {
            let agent = &agent;
            scope.spawn(move || agent.shell(id, command).runs())
        });
        calls.map(|call| call.join().unwrap())
    });
    assert_eq!(effects.iter().filter(|runs| **runs).count(), 3, "{effects:?}");
    assert!(effects[3]);
    agent.failed("4", "cp a b");
    agent.succeeded("1", "git push");
    agent.shell("5", "rm a").is_refused("requires a successful call to backup");
}

#[test]
fn sub_agents_share_the_limits_of_their_session() {
    let scratch = Scratch::new(RULES);
    let agent = claude(&scratch, "s");
    assert!(agent.shell("1", "git push").runs());
    assert!(agent.clone().sub("a").shell("2", "git push").runs());
    agent.clone().sub("b").shell("3", "git push").is_refused("limit");
    // Work of a sub-agent is work of the session.
    agent.clone().sub("a").shell("4", "cp a b");
    agent.clone().sub("a").succeeded("4", "cp a b");
    assert!(agent.shell("5", "rm a").runs());
}

#[test]
fn sub_agents_have_their_own_limits_if_they_are_to() {
    let scratch = Scratch::new(RULES);
    scratch.settings("subagents = \"own\"\n");
    let agent = claude(&scratch, "s");
    for who in [agent.clone(), agent.clone().sub("a"), agent.clone().sub("b")] {
        assert!(who.shell("1", "git push").runs());
        assert!(who.shell("2", "git push").runs());
        who.shell("3", "git push").is_refused("limit");
    }
    agent.clone().sub("a").shell("4", "cp a b");
    agent.clone().sub("a").succeeded("4", "cp a b");
    agent.shell("5", "rm a").is_refused("requires a successful call to backup");
    assert!(agent.sub("a").shell("6", "rm a").runs());
}

#[test]
fn a_session_keeps_the_rules_of_its_project_wherever_it_goes() {
    let scratch = Scratch::new(RULES);
    let agent = claude(&scratch, "s");
    assert!(agent.shell("1", "git push").runs());
    let inner = scratch.write("packages/tool/.petriflow/none.rules", "block nothing-at-all\n");
    for place in [scratch.path("home"), inner.parent().unwrap().parent().unwrap().into()] {
        agent.clone().at(&place).shell("2", "rm a").is_refused("safety.rules");
    }
    assert!(agent.clone().at(&scratch.path("home")).shell("3", "git push").runs());
    agent.at(&scratch.path("home")).shell("4", "git push").is_refused("limit");
}

#[test]
fn rules_are_found_from_the_working_directory_upward() {
    let scratch = Scratch::new(RULES);
    let deep = scratch.root().join("packages/tool/src");
    fs::create_dir_all(&deep).unwrap();
    claude(&scratch, "s").at(&deep).shell("1", "rm a").is_refused("safety.rules:5");
    let outside = claude(&scratch, "t").at(&scratch.home()).shell("1", "ls");
    outside.is_refused("no rules were found");
}

#[test]
fn rules_of_the_user_hold_besides_those_of_the_project() {
    let scratch = Scratch::new(RULES);
    scratch.write(scratch.home().join(".config/petriflow/mine.rules"), "block WebFetch\n");
    let agent = claude(&scratch, "s");
    agent.call("1", "WebFetch", &json!({ "url": "x" })).is_refused("WebFetch is blocked");
    agent.shell("2", "rm a").is_refused("backup");
    let outside = claude(&scratch, "t").at(&scratch.home());
    outside.call("1", "WebFetch", &json!({ "url": "x" })).is_refused("WebFetch is blocked");
    assert!(outside.shell("2", "rm a").runs());
}

#[test]
fn what_no_rule_objects_to_gets_no_answer_at_all() {
    let scratch = Scratch::new(RULES);
    let heard = claude(&scratch, "s").shell("1", "ls");
    assert_eq!((heard.ran.stdout.as_str(), heard.ran.stderr.as_str(), heard.ran.exit), ("", "", 0));
}

#[test]
fn a_fork_has_the_budget_of_a_session_and_not_of_its_sub_agent() {
    let scratch = Scratch::new("limit WebFetch to 1 per session\n");
    scratch.settings("subagents = \"own\"\n");
    let agent = claude(&scratch, "first");
    let fetch = json!({ "url": "x" });
    assert!(agent.call("1", "WebFetch", &fetch).runs());
    assert!(claude(&scratch, "first").sub("helper").call("2", "Read", &json!({})).runs());
    let fork = claude(&scratch, "second");
    fork.send(&fork.event("SessionStart-fork", json!({ "transcript_path": "/x/unknown.jsonl" })));
    fork.call("3", "WebFetch", &fetch).is_refused("limit");
}
