//! `petriflow simulate`: lines of a person and lines of a program.

use super::{file, output, relative, run};

const RULES: &str = "\
map files.path /^\\/etc\\// as system-file

require backup before delete
require human-approval before deploy
limit push to 2 per test
block system-file
";

/// What a person sees who writes these lines.
fn session(name: &str, rules: &str, lines: &str) -> String {
    relative(&run(&["simulate", &file(name, rules)], lines))
}

/// What a program reads that writes these lines.
fn jsonl(name: &str, rules: &str, lines: impl AsRef<[u8]>) -> String {
    let output = output(&["simulate", &file(name, rules), "--jsonl"], lines.as_ref());
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    relative(&String::from_utf8(output.stdout).expect("answers are UTF-8"))
}

#[test]
fn each_line_is_a_call_answered_with_decision_reason_and_state() {
    let lines = r#"delete
backup fails
delete
backup {"path": "/data"}
backup
delete
delete
ls
"#;
    insta::assert_snapshot!(session("simulate-calls.rules", RULES, lines), @r#"
    exit 0
    --- stdout
    > delete
      blocked  delete requires a successful call to backup first.
               simulate-calls.rules:3: require backup before delete [delete waits for backup]
    > backup fails
      allowed  it failed
    > delete
      blocked  delete requires a successful call to backup first.
               simulate-calls.rules:3: require backup before delete [delete waits for backup]
    > backup {"path": "/data"}
      allowed  it succeeded
               simulate-calls.rules:3: require backup before delete [`first` fired, delete is unlocked]
    > backup
      allowed  it succeeded
               simulate-calls.rules:3: require backup before delete [`again` fired, delete is unlocked]
    > delete
      allowed  it succeeded
               simulate-calls.rules:3: require backup before delete [`then` fired, delete waits for backup]
    > delete
      blocked  delete requires a successful call to backup first.
               simulate-calls.rules:3: require backup before delete [delete waits for backup]
    > ls
      allowed  it succeeded
    "#);
}

#[test]
fn people_are_asked_and_their_answers_count() {
    let lines = "deploy\ndeploy rejected\ndeploy approved\ndeploy approved fails\n";
    insta::assert_snapshot!(session("simulate-asks.rules", RULES, lines), @"
    exit 0
    --- stdout
    > deploy
      asks     a person must approve it, and nobody did
               deploy requires human approval.
               simulate-asks.rules:4: require human-approval before deploy [deploy asks a person each time]
    > deploy rejected
      blocked  deploy requires human approval.
               simulate-asks.rules:4: require human-approval before deploy [deploy asks a person each time]
    > deploy approved
      allowed  a person approved; it succeeded
               simulate-asks.rules:4: require human-approval before deploy [`approve` fired, deploy asks a person each time]
    > deploy approved fails
      allowed  a person approved; it failed
               simulate-asks.rules:4: require human-approval before deploy [`approve` fired, deploy asks a person each time]
    ");
}

#[test]
fn inputs_are_looked_at_and_several_rules_may_refuse() {
    let rules = format!("{RULES}require backup before system-file\n");
    let lines = "files {\"path\": \"/etc/passwd\"}\nfiles {\"path\": \"/tmp/x\"}\nfiles\n";
    insta::assert_snapshot!(session("simulate-inputs.rules", &rules, lines), @r#"
    exit 0
    --- stdout
    > files {"path": "/etc/passwd"}
      blocked  system-file is blocked and cannot be called.
               simulate-inputs.rules:6: block system-file [system-file is blocked]
               system-file requires a successful call to backup first.
               simulate-inputs.rules:7: require backup before system-file [system-file waits for backup]
    > files {"path": "/tmp/x"}
      allowed  it succeeded
    > files
      allowed  it succeeded
    "#);
}

#[test]
fn calls_may_overlap() {
    let lines = "\
begin b1 backup
delete
begin b1 backup
end b1
delete
end b1
begin p1 push
begin p2 push
push
end p1 fails
push
test
push
end p2
end nothing
";
    insta::assert_snapshot!(session("simulate-overlap.rules", RULES, lines), @"
    exit 0
    --- stdout
    > begin b1 backup
      allowed  it goes on until `end b1`
    > delete
      blocked  delete requires a successful call to backup first.
               simulate-overlap.rules:3: require backup before delete [delete waits for backup]
    > begin b1 backup
      error    a call of this name has begun already
    > end b1
      ended    it succeeded
               simulate-overlap.rules:3: require backup before delete [`first` fired, delete is unlocked]
    > delete
      allowed  it succeeded
               simulate-overlap.rules:3: require backup before delete [`then` fired, delete waits for backup]
    > end b1
      error    no call `b1` is in flight
    > begin p1 push
      allowed  it goes on until `end p1`
               simulate-overlap.rules:5: limit push to 2 per test [`use` fired, push has 1 of 2 left]
    > begin p2 push
      allowed  it goes on until `end p2`
               simulate-overlap.rules:5: limit push to 2 per test [`use` fired, push has 0 of 2 left]
    > push
      blocked  push has reached its limit of 2 calls per test.
               simulate-overlap.rules:5: limit push to 2 per test [push has 0 of 2 left]
    > end p1 fails
      ended    it failed
    > push
      blocked  push has reached its limit of 2 calls per test.
               simulate-overlap.rules:5: limit push to 2 per test [push has 0 of 2 left]
    > test
      allowed  it succeeded
               simulate-overlap.rules:5: limit push to 2 per test [`refill` fired, push has 2 of 2 left]
    > push
      allowed  it succeeded
               simulate-overlap.rules:5: limit push to 2 per test [`use` fired, push has 1 of 2 left]
    > end p2
      ended    it succeeded
    > end nothing
      error    no call `nothing` is in flight
    ");
}

#[test]
fn status_and_reset() {
    let lines = ":status\nbackup\npush\n:status\n:reset\n:status\n:quit\ndelete\n";
    insta::assert_snapshot!(session("simulate-status.rules", RULES, lines), @"
    exit 0
    --- stdout
    > :status
      require-backup-before-delete: delete waits for backup
      approve-before-deploy: deploy asks a person each time
      limit-push-2-per-test: push has 2 of 2 left
      block-system-file: system-file is blocked
    > backup
      allowed  it succeeded
               simulate-status.rules:3: require backup before delete [`first` fired, delete is unlocked]
    > push
      allowed  it succeeded
               simulate-status.rules:5: limit push to 2 per test [`use` fired, push has 1 of 2 left]
    > :status
      require-backup-before-delete: delete is unlocked
      approve-before-deploy: deploy asks a person each time
      limit-push-2-per-test: push has 1 of 2 left
      block-system-file: system-file is blocked
    > :reset
      a fresh session
    > :status
      require-backup-before-delete: delete waits for backup
      approve-before-deploy: deploy asks a person each time
      limit-push-2-per-test: push has 2 of 2 left
      block-system-file: system-file is blocked
    > :quit
    ");
}

#[test]
fn help_lists_what_can_be_written() {
    insta::assert_snapshot!(session("simulate-help.rules", RULES, ":help\n"), @r#"
    exit 0
    --- stdout
    > :help
      delete                          a call that succeeds if it is allowed
      backup fails                    a call that fails
      bash {"command": "rm -rf x"}   a call with its input
      deploy approved                 a person says yes if asked (or: rejected)
      begin b1 backup                 a call that goes on until `end b1` (or: end b1 fails)
      :status                         where every rule stands
      :reset                          begin anew
      :quit
    "#);
}

#[test]
fn a_line_that_cannot_be_read_does_not_end_the_session() {
    let lines = "\
# a comment

files {path: 1}
files {\"path\": \"/etc
delete nonsense
delete aproved
:nonsense
end
begin
delete -> blocked
";
    insta::assert_snapshot!(session("simulate-bad-lines.rules", RULES, lines), @r#"
    exit 0
    --- stdout
    > # a comment
    > files {path: 1}
      error the input is no JSON: key must be a string; names and texts of the input stand in double quotes
    > files {"path": "/etc
      error the input is no JSON: EOF while parsing a string; names and texts of the input stand in double quotes
    > delete nonsense
      error `nonsense` is not expected here; a call is `TOOL {"field": "input"} [fails] [approved|rejected] [-> EXPECTED]`
    > delete aproved
      error `aproved` is not expected here; did you mean `approved`?
    > :nonsense
      error there is no such command; :help lists them
    > end
      error `end` names no call; the form is `end ID` or `end ID fails`
    > begin
      error `begin` names no call; the form is `begin ID TOOL {…} -> EXPECTED`, and later `end ID`
    > delete -> blocked
      blocked  delete requires a successful call to backup first.
               simulate-bad-lines.rules:3: require backup before delete [delete waits for backup]
    "#);
    let path = file("simulate-bytes.rules", RULES);
    let output = output(&["simulate", &path], b"caf\xe9\nls \x1b[31m\nls\r\nls");
    insta::assert_snapshot!(String::from_utf8(output.stdout).expect("UTF-8"), @r#"
      error the line is not UTF-8 text
    > ls \u{1b}[31m
      error `\u{1b}[31m` is not expected here; a call is `TOOL {"field": "input"} [fails] [approved|rejected] [-> EXPECTED]`
    > ls
      allowed  it succeeded
    > ls
      allowed  it succeeded
    "#);
}

#[test]
fn rules_with_errors_simulate_nothing() {
    insta::assert_snapshot!(session("simulate-errors.rules", "blok rm\nblock\n", "rm\n"), @"
    exit 2
    --- stderr
    error[PF0101]: `blok` is not a statement
     --> simulate-errors.rules:1:1
      |
    1 | blok rm
      | ^^^^
      = help: did you mean `block`?

    error[PF0102]: expected a tool, found the end of the line
     --> simulate-errors.rules:2:6
      |
    2 | block
      |      ^
      = help: the form is `block TOOL`

    the rules have 2 errors; nothing was done
    ");
    insta::assert_snapshot!(run(&["simulate", "no-such.rules"], "rm\n"), @"
    exit 2
    --- stderr
    error: cannot read no-such.rules: No such file or directory (os error 2)
    ");
}

#[test]
fn programs_get_one_line_for_every_line() {
    let lines = r#"{"call": {"id": "1", "tool": "delete", "input": {"path": "/data"}}}
{"call": {"id": "2", "tool": "backup"}}

{"result": {"id": "2", "ok": false}}
{"call": {"id": "3", "tool": "delete"}}
{"call": {"id": "4", "tool": "backup", "input": {}}}
{"result": {"id": "4", "ok": true}}
{"call": {"id": "5", "tool": "delete"}}
{"result": {"id": "5", "ok": true}}
{"call": {"id": "6", "tool": "files", "input": {"path": "/etc/hosts"}}}
{"call": {"id": "7", "tool": "ls"}}"#;
    insta::assert_snapshot!(jsonl("jsonl-calls.rules", RULES, lines), @r#"
    {"id":"1","decision":"block","reasons":[{"rule":"require backup before delete","file":"jsonl-calls.rules","line":3,"message":"delete requires a successful call to backup first."}]}
    {"id":"2","decision":"allow","reasons":[]}
    {"id":"2","ok":false}
    {"id":"3","decision":"block","reasons":[{"rule":"require backup before delete","file":"jsonl-calls.rules","line":3,"message":"delete requires a successful call to backup first."}]}
    {"id":"4","decision":"allow","reasons":[]}
    {"id":"4","ok":true}
    {"id":"5","decision":"allow","reasons":[]}
    {"id":"5","ok":true}
    {"id":"6","decision":"block","reasons":[{"rule":"block system-file","file":"jsonl-calls.rules","line":6,"message":"system-file is blocked and cannot be called."}]}
    {"id":"7","decision":"allow","reasons":[]}
    "#);
}

#[test]
fn approval_is_given_refused_or_nobody_is_there() {
    let lines = r#"{"call": {"id": "1", "tool": "deploy"}}
{"call": {"id": "2", "tool": "deploy"}, "approve": false}
{"call": {"id": "3", "tool": "deploy"}, "approve": true}
{"call": {"id": "4", "tool": "deploy"}, "approve": null}
{"call": {"id": "5", "tool": "ls"}, "approve": false}
{"call": {"id": "1", "tool": "deploy"}, "approve": true}
"#;
    insta::assert_snapshot!(jsonl("jsonl-approve.rules", RULES, lines), @r#"
    {"id":"1","decision":"block","reasons":[{"rule":"require human-approval before deploy","file":"jsonl-approve.rules","line":4,"message":"deploy requires human approval."}]}
    {"id":"2","decision":"block","reasons":[{"rule":"require human-approval before deploy","file":"jsonl-approve.rules","line":4,"message":"deploy requires human approval."}]}
    {"id":"3","decision":"allow","reasons":[]}
    {"id":"4","decision":"block","reasons":[{"rule":"require human-approval before deploy","file":"jsonl-approve.rules","line":4,"message":"deploy requires human approval."}]}
    {"id":"5","decision":"allow","reasons":[]}
    {"id":"1","decision":"allow","reasons":[]}
    "#);
}

#[test]
fn lines_that_cannot_be_read_are_answered_and_the_run_goes_on() {
    let mut lines = br#"{
nonsense
[]
"text"
{}
{"call": {"id": "1", "tool": "ls"}, "result": {"id": "1", "ok": true}}
{"result": {"id": "9", "ok": true}}
{"call": {"id": "1"}}
{"call": {"tool": "ls"}}
{"call": {"id": 1, "tool": "ls"}}
{"call": {"id": "1", "tool": "ls", "inptu": {}}}
{"call": {"id": "1", "tool": "ls"}, "aprove": true}
{"call": {"id": "1", "tool": "ls"}, "approve": "yes"}
{"call": {"id": "1", "tool": "ls"}, "call": {"id": "2", "tool": "ls"}}
{"result": {"id": "1"}}
{"result": {"id": "1", "ok": true}, "approve": true}
{"call": {"id": "1", "tool": "ls"}} and more
"#
    .to_vec();
    lines.extend(b"{\"call\": {\"id\": \"\xff\", \"tool\": \"ls\"}}\n");
    lines.extend(b"{\"call\": {\"id\": \"last\", \"tool\": \"ls\"}}\r\n");
    insta::assert_snapshot!(jsonl("jsonl-bad.rules", RULES, lines), @r#"
    {"error":"the line is no JSON: EOF while parsing an object at line 1 column 1"}
    {"error":"the line is no JSON: expected ident at line 1 column 2"}
    {"error":"a line is an object with a `call` or a `result`, which are objects"}
    {"error":"a line is an object with a `call` or a `result`, which are objects"}
    {"error":"a line has a `call` or a `result`; this one has neither"}
    {"error":"a line has a `call` or a `result`, not both"}
    {"error":"no call `9` is in flight"}
    {"error":"the line cannot be read: missing field `tool` at line 1 column 20"}
    {"error":"the line cannot be read: missing field `id` at line 1 column 23"}
    {"error":"the line cannot be read: invalid type: integer `1`, expected a string at line 1 column 17"}
    {"error":"the line cannot be read: unknown field `inptu`, expected one of `id`, `tool`, `input` at line 1 column 42"}
    {"error":"the line cannot be read: unknown field `aprove`, expected one of `call`, `result`, `approve` at line 1 column 44"}
    {"error":"the line cannot be read: invalid type: string \"yes\", expected a boolean at line 1 column 52"}
    {"error":"the line cannot be read: duplicate field `call` at line 1 column 42"}
    {"error":"the line cannot be read: missing field `ok` at line 1 column 22"}
    {"error":"`approve` belongs to a call, not to a result"}
    {"error":"the line is no JSON: trailing characters at line 1 column 37"}
    {"error":"the line is not UTF-8 text"}
    {"id":"last","decision":"allow","reasons":[]}
    "#);
}

#[test]
fn the_same_call_again_consumes_nothing() {
    let lines = r#"{"call": {"id": "1", "tool": "push"}}
{"call": {"id": "1", "tool": "push"}}
{"call": {"id": "1", "tool": "push", "input": {"force": true}}}
{"call": {"id": "1", "tool": "ls"}}
{"call": {"id": "2", "tool": "push"}}
{"call": {"id": "3", "tool": "push"}}
{"call": {"id": "2", "tool": "push"}}
{"result": {"id": "1", "ok": true}}
{"result": {"id": "1", "ok": true}}
{"call": {"id": "1", "tool": "test"}}
{"result": {"id": "1", "ok": true}}
{"call": {"id": "3", "tool": "push"}}
{"call": {"id": "4", "tool": "push"}}
{"call": {"id": "5", "tool": "push"}}
"#;
    insta::assert_snapshot!(jsonl("jsonl-again.rules", RULES, lines), @r#"
    {"id":"1","decision":"allow","reasons":[]}
    {"id":"1","decision":"allow","reasons":[]}
    {"id":"1","decision":"block","reasons":[{"rule":null,"file":null,"line":null,"message":"call id '1' is in use by another call"}]}
    {"id":"1","decision":"block","reasons":[{"rule":null,"file":null,"line":null,"message":"call id '1' is in use by another call"}]}
    {"id":"2","decision":"allow","reasons":[]}
    {"id":"3","decision":"block","reasons":[{"rule":"limit push to 2 per test","file":"jsonl-again.rules","line":5,"message":"push has reached its limit of 2 calls per test."}]}
    {"id":"2","decision":"allow","reasons":[]}
    {"id":"1","ok":true}
    {"error":"no call `1` is in flight"}
    {"id":"1","decision":"allow","reasons":[]}
    {"id":"1","ok":true}
    {"id":"3","decision":"allow","reasons":[]}
    {"id":"4","decision":"allow","reasons":[]}
    {"id":"5","decision":"block","reasons":[{"rule":"limit push to 2 per test","file":"jsonl-again.rules","line":5,"message":"push has reached its limit of 2 calls per test."}]}
    "#);
}

#[test]
fn odd_inputs_are_decided() {
    let lines = r#"{"call": {"id": "1", "tool": "files", "input": null}}
{"call": {"id": "2", "tool": "files", "input": "/etc/passwd"}}
{"call": {"id": "3", "tool": "files", "input": {"path": ["/tmp/x", "/etc/passwd"]}}}
{"call": {"id": "", "tool": ""}}
{"call": {"id": "5", "tool": "löschen", "input": {"é": "\u0000\ud83d\ude00"}}}
"#;
    insta::assert_snapshot!(jsonl("jsonl-odd.rules", RULES, lines), @r#"
    {"id":"1","decision":"allow","reasons":[]}
    {"id":"2","decision":"block","reasons":[{"rule":null,"file":null,"line":null,"message":"The input of files is not an object."}]}
    {"id":"3","decision":"block","reasons":[{"rule":"block system-file","file":"jsonl-odd.rules","line":6,"message":"system-file is blocked and cannot be called."}]}
    {"id":"","decision":"allow","reasons":[]}
    {"id":"5","decision":"allow","reasons":[]}
    "#);
    let list = jsonl("jsonl-list.rules", RULES, r#"[{"id": "1", "tool": "ls"}, null, null]"#);
    insta::assert_snapshot!(list, @r#"
    {"error":"a line is an object with a `call` or a `result`, which are objects"}
    "#);
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let deep = format!("{{\"call\": {{\"id\": \"1\", \"tool\": \"ls\", \"input\": {deep}}}}}\n");
    let answer = jsonl("jsonl-deep.rules", RULES, deep);
    assert!(answer.starts_with("{\"error\":"), "{answer}");
}
