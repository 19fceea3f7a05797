//! Rules that change while a session runs.

use std::fs;
use std::os::unix::fs::symlink;

use super::{Agent, Host, Scratch, json};

const RULES: &str = "\
map Bash.command /^cp / as backup
map Bash.command /^rm / as delete
map Bash.command /^git push/ as push
require backup before delete
limit push to 2 per session
";

const CHANGED: &str = "the rules have changed since this session began";

/// A session that has pushed once, and a copy in flight.
fn running(scratch: &Scratch) -> Agent<'_> {
    let agent = scratch.agent(Host::ClaudeCode, "s");
    agent.start("startup");
    assert!(agent.shell("1", "git push").runs());
    assert!(agent.shell("cp", "cp a b").runs());
    agent
}

fn trust(scratch: &Scratch) {
    let ran = scratch.in_terminal(&["trust"], "y\n");
    assert_eq!(ran.exit, 0, "{ran:?}");
}

#[test]
fn changed_rules_refuse_until_a_person_trusts_them() {
    let scratch = Scratch::new(RULES);
    let agent = running(&scratch);
    scratch.write(".petriflow/safety.rules", RULES.to_owned() + "block WebFetch\n");
    let heard = agent.shell("2", "ls");
    heard.is_refused(CHANGED);
    heard.is_refused(&format!("`petriflow trust` in {}", scratch.root().display()));
    let no = scratch.in_terminal(&["trust"], "n\n");
    assert_eq!(no.exit, 1, "{no:?}");
    agent.shell("3", "ls").is_refused(CHANGED);
    let yes = scratch.in_terminal(&["trust"], "y\n");
    assert_eq!(yes.exit, 0);
    insta::assert_snapshot!(scratch.masked(&yes.stdout), @r"
    DIR/shop: 3 rules
    compared with the rules of 1 session:
      + block WebFetch
    trust these rules? [y/N] trusted; running sessions go on under these rules
    ");
    assert!(agent.shell("4", "ls").runs());
    agent.call("5", "WebFetch", &json!({})).is_refused("WebFetch is blocked");
    // What was used stays used.
    assert!(agent.shell("6", "git push").runs());
    agent.shell("7", "git push").is_refused("limit");
}

#[test]
fn results_are_taken_while_the_rules_are_not_trusted() {
    let scratch = Scratch::new(RULES);
    let agent = running(&scratch);
    scratch.write(".petriflow/safety.rules", RULES.to_owned() + "block WebFetch\n");
    agent.shell("2", "rm a").is_refused(CHANGED);
    assert_eq!(agent.succeeded("cp", "cp a b").ran.exit, 0);
    trust(&scratch);
    assert!(agent.shell("3", "rm a").runs());
}

#[test]
fn results_are_taken_while_the_rules_are_not_valid() {
    let scratch = Scratch::new(RULES);
    let agent = running(&scratch);
    scratch.write(".petriflow/safety.rules", "blok\n");
    agent.shell("2", "ls").is_refused("the rules are not valid");
    assert_eq!(agent.succeeded("cp", "cp a b").ran.exit, 0);
    scratch.write(".petriflow/safety.rules", RULES);
    assert!(agent.shell("3", "rm a").runs());
}

#[test]
fn rules_that_are_removed_are_a_change() {
    let scratch = Scratch::new(RULES);
    scratch.write(".petriflow/more.rules", "block WebFetch\n");
    let agent = running(&scratch);
    fs::remove_file(scratch.root().join(".petriflow/more.rules")).unwrap();
    agent.shell("2", "ls").is_refused(CHANGED);
    fs::remove_dir_all(scratch.root().join(".petriflow")).unwrap();
    agent.shell("2", "ls").is_refused("no rules were found");
    scratch.write(scratch.home().join(".config/petriflow/mine.rules"), "block nothing-at-all\n");
    agent.shell("3", "ls").is_refused(CHANGED);
}

#[test]
fn rules_that_are_put_back_need_nobody() {
    let scratch = Scratch::new(RULES);
    let agent = running(&scratch);
    scratch.write(".petriflow/safety.rules", "block nothing-at-all\n");
    agent.shell("2", "ls").is_refused(CHANGED);
    scratch.write(".petriflow/safety.rules", RULES);
    assert!(agent.shell("2", "ls").runs());
}

#[test]
fn settings_are_not_obeyed_before_they_are_trusted() {
    for settings in [
        "mode = \"shadow\"\n",
        "self-protection = false\n",
        "subagents = \"own\"\n",
        "unreported-results = \"succeeded\"\n",
    ] {
        let scratch = Scratch::new(RULES);
        let agent = running(&scratch);
        scratch.settings(settings);
        agent.shell("2", "ls").is_refused(CHANGED);
        agent.shell("3", "rm a").is_refused(CHANGED);
        let rules = scratch.root().join(".petriflow/safety.rules");
        let write = json!({ "file_path": rules, "content": "" });
        agent.call("4", "Write", &write).is_refused(CHANGED);
        agent.clone().sub("a").shell("5", "ls").is_refused(CHANGED);
        trust(&scratch);
        assert!(agent.shell("6", "ls").runs(), "{settings}");
    }
}

#[test]
fn settings_that_are_not_trusted_count_no_result_as_a_success() {
    let scratch = Scratch::new(RULES);
    let agent = scratch.agent(Host::Codex, "s");
    assert!(agent.shell("cp", "cp a b").runs());
    scratch.settings("unreported-results = \"succeeded\"\n");
    agent.succeeded("cp", "cp a b");
    fs::remove_file(scratch.root().join(".petriflow/petriflow.toml")).unwrap();
    agent.shell("rm", "rm a").is_refused("requires a successful call to backup");
}

#[test]
fn a_new_sub_agent_does_not_bring_in_rules_that_nobody_trusted() {
    let scratch = Scratch::new(RULES);
    scratch.settings("subagents = \"own\"\n");
    let agent = running(&scratch);
    scratch.write(".petriflow/safety.rules", "block nothing-at-all\n");
    agent.shell("2", "rm a").is_refused(CHANGED);
    agent.clone().sub("a").shell("3", "rm a").is_refused(CHANGED);
}

#[test]
fn a_session_that_goes_on_or_is_forked_stays_with_its_rules() {
    let scratch = Scratch::new(RULES);
    let agent = running(&scratch);
    scratch.write(".petriflow/safety.rules", "block nothing-at-all\n");
    for source in ["resume", "compact"] {
        agent.start(source);
        agent.shell("2", "ls").is_refused(CHANGED);
    }
    let fork = scratch.agent(Host::ClaudeCode, "forked");
    let event = fork.event("SessionStart-fork", json!({ "transcript_path": "/t/s.jsonl" }));
    fork.send(&event);
    fork.shell("3", "ls").is_refused(CHANGED);
}

#[test]
fn a_new_session_takes_the_rules_as_they_are() {
    let scratch = Scratch::new(RULES);
    running(&scratch);
    scratch.write(".petriflow/safety.rules", "block nothing-at-all\n");
    let agent = scratch.agent(Host::ClaudeCode, "new");
    agent.start("startup");
    assert!(agent.shell("1", "rm a").runs());
}

#[test]
fn a_trust_is_for_these_rules_only() {
    let scratch = Scratch::new(RULES);
    let agent = running(&scratch);
    scratch.write(".petriflow/safety.rules", RULES.to_owned() + "block WebFetch\n");
    trust(&scratch);
    scratch.write(".petriflow/safety.rules", RULES.to_owned() + "block Nothing\n");
    agent.shell("2", "ls").is_refused(CHANGED);
}

#[test]
fn rules_of_the_command_line_can_be_trusted_too() {
    let scratch = Scratch::new("block nothing-at-all\n");
    let file = scratch.write("given.rules", RULES);
    let agent = scratch.agent(Host::ClaudeCode, "s").flags(&["--rules", file.to_str().unwrap()]);
    assert!(agent.shell("1", "ls").runs());
    scratch.write("given.rules", RULES.to_owned() + "block WebFetch\n");
    agent.shell("2", "ls").is_refused(CHANGED);
    let ran = scratch.in_terminal(&["trust", "--rules", file.to_str().unwrap()], "y\n");
    assert_eq!(ran.exit, 0, "{ran:?}");
    assert!(agent.shell("3", "ls").runs());
}

#[test]
fn all_that_is_to_be_trusted_is_shown() {
    let scratch = Scratch::new(RULES);
    running(&scratch);
    let changed = RULES.replace("/^rm /", "/^remove /") + "block WebFetch\n";
    scratch.write(".petriflow/safety.rules", changed);
    scratch.settings("mode = \"shadow\"\n");
    let asked = scratch.in_terminal(&["trust"], "n\n").stdout;
    for change in ["+ block WebFetch", "/^rm /", "/^remove /", "mode = \"shadow\""] {
        assert!(asked.contains(change), "{change} is not in {asked}");
    }
}

#[test]
fn rules_of_a_project_behind_a_link_can_be_trusted() {
    let scratch = Scratch::new(RULES);
    let link = scratch.path("link");
    symlink(scratch.root(), &link).unwrap();
    let agent = scratch.agent(Host::ClaudeCode, "s").at(&link);
    assert!(agent.shell("1", "ls").runs());
    scratch.write(".petriflow/safety.rules", RULES.to_owned() + "block WebFetch\n");
    agent.shell("2", "ls").is_refused(CHANGED);
    trust(&scratch);
    let heard = agent.shell("3", "ls");
    assert!(heard.runs(), "{heard:?}");
}

#[test]
fn to_trust_needs_a_terminal() {
    let scratch = Scratch::new(RULES);
    let agent = running(&scratch);
    scratch.write(".petriflow/safety.rules", "block nothing-at-all\n");
    let ran = scratch.run_with(&["trust"], b"y\n");
    assert_eq!(ran.exit, 2);
    assert!(ran.stderr.contains("is for a person and needs a terminal"), "{ran:?}");
    agent.shell("2", "ls").is_refused(CHANGED);
}

#[test]
fn files_do_not_go_back_to_rules_that_were_trusted_before_the_session_began() {
    let scratch = Scratch::new(RULES);
    running(&scratch);
    let loose = RULES.to_owned() + "block WebFetch\n";
    scratch.write(".petriflow/safety.rules", &loose);
    trust(&scratch);
    scratch.write(".petriflow/safety.rules", loose.clone() + "block WebSearch\n");
    let strict = scratch.agent(Host::ClaudeCode, "t");
    strict.start("startup");
    strict.call("1", "WebSearch", &json!({})).is_refused("WebSearch is blocked");
    scratch.write(".petriflow/safety.rules", &loose);
    strict.call("2", "WebSearch", &json!({})).is_refused(CHANGED);
}

#[test]
fn what_is_to_be_trusted_is_compared_with_every_session_that_waits_for_it() {
    let scratch = Scratch::new(&(RULES.to_owned() + "block WebFetch\n"));
    let agent = running(&scratch);
    scratch.write(".petriflow/safety.rules", RULES);
    agent.shell("2", "ls").is_refused(CHANGED);
    // A session that began under the new rules has nothing to compare.
    assert!(scratch.agent(Host::ClaudeCode, "t").shell("1", "ls").runs());
    let asked = scratch.in_terminal(&["trust"], "n\n");
    assert!(asked.stdout.contains("\n  - block WebFetch\n"), "{asked:?}");
}

#[test]
fn rules_of_the_command_line_are_not_loosened_by_the_project() {
    let scratch = Scratch::empty();
    let rules = scratch.write("mine.rules", "block WebFetch\n");
    scratch.settings("mode = \"shadow\"\nself-protection = false\n");
    let flags = ["--rules", rules.to_str().unwrap()];
    let agent = scratch.agent(Host::ClaudeCode, "s").flags(&flags);
    agent.call("1", "WebFetch", &json!({})).is_refused("WebFetch is blocked");
    agent.call("2", "Write", &json!({ "file_path": rules })).is_refused("mine.rules");
}
