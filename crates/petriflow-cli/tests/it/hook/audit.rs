//! The log of decisions and results.

use super::{Host, Ran, Scratch, Value, json};

const RULES: &str = "\
map Bash.command /^cp / as backup
map Bash.command /^rm / as delete
map Bash.command /^git push/ as push
require backup before delete
limit push to 1 per session
block WebFetch
";

/// Two sessions: ten records.
fn logged() -> Scratch {
    let scratch = Scratch::new(RULES);
    let one = scratch.agent(Host::ClaudeCode, "one");
    one.start("startup");
    one.shell("1", "rm a");
    one.shell("2", "cp a b");
    one.succeeded("2", "cp a b");
    one.shell("3", "rm a");
    one.shell("4", "git push");
    one.shell("5", "git push");
    let two = scratch.agent(Host::ClaudeCode, "two");
    two.call("1", "WebFetch", &json!({ "url": "https://example.com" }));
    two.shell("2", "git push");
    two.failed("2", "git push");
    scratch
}

fn shown(scratch: &Scratch, ran: &Ran) -> String {
    scratch.masked(&ran.shown())
}

#[test]
fn show_has_one_line_for_each_record() {
    let scratch = logged();
    insta::assert_snapshot!(shown(&scratch, &scratch.run(&["audit", "show"])), @"
    exit 0
    --- stdout
         1  MOMENT  one       started    
         2  MOMENT  one       blocked      Bash  rm a  delete requires a successful call to backup first. (in 'rm a') [.petriflow/safety.rules:4: require backup before delete]
         3  MOMENT  one       allowed      Bash  cp a b
         4  MOMENT  one       succeeded    Bash
         5  MOMENT  one       allowed      Bash  rm a
         6  MOMENT  one       allowed      Bash  git push
         7  MOMENT  one       blocked      Bash  git push  push has reached its limit of 1 calls per session. (in 'git push') [.petriflow/safety.rules:5: limit push to 1 per session]
         8  MOMENT  two       blocked      WebFetch  WebFetch is blocked and cannot be called. [.petriflow/safety.rules:6: block WebFetch]
         9  MOMENT  two       allowed      Bash  git push
        10  MOMENT  two       failed       Bash
    ");
}

#[test]
fn show_filters() {
    let scratch = logged();
    let numbers = |args: &[&str]| -> Vec<u64> {
        let ran = scratch.run(&[&["audit", "show"], args].concat());
        assert_eq!(ran.exit, 0, "{ran:?}");
        let number = |line: &str| line.split_whitespace().next().unwrap().parse().unwrap();
        ran.stdout.lines().map(number).collect()
    };
    assert_eq!(numbers(&[]).len(), 10);
    assert_eq!(numbers(&["--session", "two"]), [8, 9, 10]);
    assert_eq!(numbers(&["--session", "t"]), [8, 9, 10]);
    assert_eq!(numbers(&["--decision", "blocked"]), [2, 7, 8]);
    assert_eq!(numbers(&["--rule", "limit push"]), [7]);
    assert_eq!(numbers(&["--decision", "blocked", "--session", "two"]), [8]);
    assert_eq!(numbers(&["--since", "1h"]).len(), 10);
    assert_eq!(numbers(&["--until", "1h"]).len(), 0);
    assert_eq!(numbers(&["--since", "2100-01-01"]).len(), 0);
    assert_eq!(numbers(&["--last", "2"]), [9, 10]);
    let wrong = scratch.run(&["audit", "show", "--since", "yesterday"]);
    assert_eq!(wrong.exit, 2);
    assert!(wrong.stderr.contains("`yesterday` is no moment"), "{wrong:?}");
}

#[test]
fn export_is_one_object_a_line() {
    let scratch = logged();
    let ran = scratch.run(&["audit", "export"]);
    let records: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len(), 10);
    for (number, record) in (1..).zip(&records) {
        assert_eq!(record["seq"], number);
        assert_eq!(record["host"], "claude-code");
        assert_eq!(record["hash"].as_str().unwrap().len(), 64);
        assert!(record["duration_us"].as_u64().is_some(), "{record}");
        assert!(record["policy"].is_string() && record["rules"].is_string(), "{record}");
    }
    let line = scratch.masked(ran.stdout.lines().nth(1).unwrap());
    let (before, duration) = line.split_once("\"duration_us\":").unwrap();
    let after = duration.trim_start_matches(|character: char| character.is_ascii_digit());
    insta::assert_snapshot!(format!("{before}\"duration_us\":N{after}"), @r#"{"seq":2,"at":"MOMENT","host":"claude-code","session":"one","kind":"call","decision":"blocked","event":"PreToolUse","call":"1","tool":"Bash","input":{"command":"rm a"},"reasons":[{"message":"delete requires a successful call to backup first. (in 'rm a')","rule":"require backup before delete","file":".petriflow/safety.rules","line":4}],"project":"DIR/shop","mode":"enforce","policy":"DIGEST","rules":"DIGEST","duration_us":N,"hash":"DIGEST"}"#);
    assert_eq!(records[3]["decision"], "succeeded");
    assert_eq!(records[9]["decision"], "failed");
}

#[test]
fn inputs_are_left_out_if_nobody_wants_them_kept() {
    let scratch = Scratch::new(RULES);
    scratch.settings("audit-inputs = false\n");
    scratch.agent(Host::ClaudeCode, "s").shell("1", "echo secret-word");
    let log = scratch.run(&["audit", "export"]).stdout;
    assert!(!log.contains("secret-word") && log.contains("\"input_omitted\":"), "{log}");
}

#[test]
fn verify_finds_a_record_that_was_changed_or_removed() {
    for (change, found) in [
        ("UPDATE audit SET decision = 'allowed' WHERE seq = 2", "broken at record 2"),
        ("UPDATE audit SET body = replace(body, 'rm a', 'ls') WHERE seq = 2", "broken at record 2"),
        ("UPDATE audit SET at = at + 1 WHERE seq = 5", "broken at record 5"),
        ("DELETE FROM audit WHERE seq = 4", "broken at record 4"),
        ("DELETE FROM audit WHERE seq = 10", "broken at record"),
        ("UPDATE audit SET seq = 11 WHERE seq = 10", "broken at record 10"),
    ] {
        let scratch = logged();
        assert_eq!(scratch.run(&["audit", "verify"]).exit, 0);
        assert_eq!(scratch.database().execute(change, []).unwrap(), 1);
        let ran = scratch.run(&["audit", "verify"]);
        assert_eq!(ran.exit, 1, "{change}: {ran:?}");
        assert!(ran.stdout.contains(found), "{change}: {ran:?}");
    }
}

#[test]
fn verify_looks_for_a_head_that_was_noted() {
    let scratch = logged();
    let head = |ran: &Ran| ran.stdout.lines().last().unwrap().replace("head ", "");
    let noted = head(&scratch.run(&["audit", "verify"]));
    scratch.agent(Host::ClaudeCode, "three").shell("1", "ls");
    let later = scratch.run(&["audit", "verify", "--head", &noted]);
    assert_eq!(later.exit, 0, "{later:?}");
    assert_ne!(head(&later), noted);
    insta::assert_snapshot!(shown(&scratch, &later), @"
    exit 0
    --- stdout
    the audit is whole: 11 records
    head DIGEST
    ");
    let other = scratch.run(&["audit", "verify", "--head", &"0".repeat(64)]);
    insta::assert_snapshot!(shown(&scratch, &other), @"
    exit 1
    --- stdout
    the head is not part of the audit: it was rewritten or cut since
    ");
}

#[test]
fn replay_shows_what_other_rules_would_have_decided() {
    let scratch = logged();
    let same = scratch.run(&["audit", "replay", "--rules", ".petriflow/safety.rules"]);
    insta::assert_snapshot!(shown(&scratch, &same), @"
    exit 0
    --- stdout
    7 calls decided again: 0 would differ (0 refused, 0 allowed, 0 asked)
    ");
    scratch.write(
        "other.rules",
        "map Bash.command /^rm / as delete\nmap Bash.command /^git push/ as push\n\
         block delete\nrequire human-approval before push\n",
    );
    let other = scratch.run(&["audit", "replay", "--rules", "other.rules"]);
    insta::assert_snapshot!(shown(&scratch, &other), @"
    exit 1
    --- stdout
         5  MOMENT  Bash rm a: was allowed, would be refused: delete is blocked and cannot be called. (in 'rm a') [other.rules:3: block delete]
         6  MOMENT  Bash git push: was allowed, would be asked about
         7  MOMENT  Bash git push: was blocked, would be asked about
         8  MOMENT  WebFetch: was blocked, would be allowed
         9  MOMENT  Bash git push: was allowed, would be asked about
    7 calls decided again: 5 would differ (1 refused, 1 allowed, 3 asked)
    ");
}

#[test]
fn a_log_that_is_not_there_yet_is_no_fault() {
    let scratch = Scratch::new(RULES);
    for command in ["show", "verify"] {
        let ran = scratch.run(&["audit", command]);
        assert_eq!((ran.exit, ran.stdout.as_str()), (0, "nothing was logged yet\n"));
    }
    assert_eq!(scratch.run(&["audit", "export"]).stdout, "");
    assert!(!scratch.state().exists());
}
