//! Many hooks at once, and hooks that are killed.

use std::io::Write;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use super::{Agent, Heard, Host, Ran, Scratch, Value, json};

const RULES: &str = "\
map Bash.command /^cp / as backup
map Bash.command /^rm / as delete
map Bash.command /^git push/ as push
require backup before delete
limit push to 3 per session
";

/// A hook that waits for its event.
fn waiting(mut command: Command) -> Child {
    command.spawn().expect("starts")
}

fn feed(child: &mut Child, event: &Value) {
    let mut input = child.stdin.take().expect("piped");
    // A hook that was killed reads nothing.
    let _ = input.write_all(event.to_string().as_bytes());
}

fn pushing(agent: &Agent<'_>, id: &str) -> Value {
    agent.call_event(id, "Bash", &json!({ "command": "git push" }))
}

#[test]
fn of_twelve_calls_at_once_three_are_allowed_in_every_round() {
    const ROUNDS: usize = 100;
    const CALLS: usize = 12;
    let scratch = Scratch::new(RULES);
    for round in 0..ROUNDS {
        let agent = scratch.agent(Host::ClaudeCode, &format!("round {round}"));
        let mut hooks: Vec<Child> =
            (0..CALLS).map(|_| waiting(scratch.command(&agent.hook_args()))).collect();
        for (number, hook) in hooks.iter_mut().enumerate() {
            feed(hook, &pushing(&agent, &format!("call {number}")));
        }
        let heard: Vec<Heard> = hooks
            .into_iter()
            .map(|hook| Heard::new(agent.host, Ran::from(hook.wait_with_output().expect("ends"))))
            .collect();
        let (runs, refused): (Vec<&Heard>, Vec<&Heard>) = heard.iter().partition(|h| h.runs());
        assert_eq!(runs.len(), 3, "round {round}: {heard:?}");
        refused.iter().for_each(|heard| heard.is_refused("push has reached its limit"));
    }
    let verified = scratch.run(&["audit", "verify"]);
    assert!(verified.stdout.starts_with("the audit is whole: 1200 records\n"), "{verified:?}");
}

/// How many hooks are run, and possibly killed.
fn runs() -> u64 {
    let factor = std::env::var("PETRIFLOW_CASES").ok().and_then(|cases| cases.parse().ok());
    200 * factor.unwrap_or(1)
}

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}

/// Runs a hook and kills it after a while. What it answered, if it ended before.
fn killed(scratch: &Scratch, agent: &Agent<'_>, event: &Value, after: Duration) -> Option<Heard> {
    let mut hook = waiting(scratch.command(&agent.hook_args()));
    let started = Instant::now();
    feed(&mut hook, event);
    while started.elapsed() < after {
        thread::yield_now();
    }
    let _ = hook.kill();
    let output = hook.wait_with_output().expect("ends");
    let ended = output.status.code().is_some();
    ended.then(|| Heard::new(agent.host, Ran::from(output)))
}

#[test]
fn a_hook_that_is_killed_exceeds_no_limit_and_loses_no_result() {
    /// Hooks of one session.
    const STEPS: u64 = 8;
    let scratch = Scratch::new(RULES);
    let mut numbers = Numbers(std::env::var("PETRIFLOW_SEED").map_or(0, |s| s.parse().unwrap()));
    // About as long as a hook takes, so that it is killed at any moment of its life.
    let started = Instant::now();
    assert!(scratch.agent(Host::ClaudeCode, "first").shell("1", "ls").runs());
    let life_us = u64::try_from(started.elapsed().as_micros()).unwrap().max(1_000);
    let (mut kills, mut lives) = (0, 0);
    for session in 0..runs() / STEPS {
        let agent = scratch.agent(Host::ClaudeCode, &format!("session {session}"));
        let mut step = |event: &Value| {
            let after = Duration::from_micros(numbers.below(life_us * 3 / 2));
            let heard = killed(&scratch, &agent, event, after);
            if heard.is_some() {
                lives += 1
            } else {
                kills += 1
            }
            heard
        };
        let pushed =
            (0..STEPS - 2).filter_map(|number| step(&pushing(&agent, &format!("p{number}"))));
        let pushed = pushed.filter(Heard::runs).count();
        assert!(pushed <= 3, "{pushed} were acknowledged in session {session}");
        step(&agent.call_event("cp", "Bash", &json!({ "command": "cp a b" })));
        let members = json!({ "tool_name": "Bash", "tool_input": { "command": "cp a b" }, "tool_use_id": "cp" });
        let call_is_known = agent.shell("cp", "cp a b").runs();
        assert!(call_is_known);
        let told = step(&agent.event("PostToolUse", members));
        let deletes = agent.shell("rm", "rm a").runs();
        if told.is_some_and(|told| told.ran.exit == 0) {
            assert!(deletes, "an acknowledged result of session {session} is lost");
        }
        let counted = allowed_pushes(&scratch, &agent.session);
        assert!(pushed <= counted && counted <= 3, "{counted} in session {session}");
    }
    assert!(kills > 0 && lives > 0, "{kills} killed, {lives} not");
    let verified = scratch.run(&["audit", "verify"]);
    assert_eq!(verified.exit, 0, "{verified:?}");
}

/// Pushes of a session that the audit says were allowed.
fn allowed_pushes(scratch: &Scratch, session: &str) -> usize {
    let args = ["audit", "export", "--session", session, "--decision", "allowed"];
    let log = scratch.run(&args).stdout;
    let records = log.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    records
        .filter(|record| record["session"] == session && record["input"]["command"] == "git push")
        .count()
}
