//! Where sessions stand.

use super::{Host, Scratch};

#[test]
fn status_and_sessions_tell_where_a_session_stands() {
    let scratch = Scratch::new(
        "map Bash.command /^cp / as backup\nmap Bash.command /^rm / as delete\n\
         map Bash.command /^git push/ as push\nmap Bash.command /^npm publish/ as publish\n\
         require backup before delete\nlimit push to 3 per session\n\
         require human-approval before publish\n",
    );
    let agent = scratch.agent(Host::Codex, "0195a4c2");
    agent.shell("1", "git push");
    agent.shell("2", "npm publish");
    agent.shell("3", "cp a b");
    insta::assert_snapshot!(scratch.masked(&scratch.run(&["status"]).shown()), @"
    exit 0
    --- stdout
    session 0195a4c2 (codex), begun N s ago, seen N s ago
    project DIR/shop

      delete waits for backup          require backup before delete  .petriflow/safety.rules:5
      push has 2 of 3 left             limit push to 3 per session  .petriflow/safety.rules:6
      publish asks a person each time  require human-approval before publish  .petriflow/safety.rules:7

    2 calls in flight
    waits for approval: Bash npm publish  (petriflow approve 1)
    ");
    let named = scratch.run(&["status", "--session", "0195", "--format", "json"]);
    insta::assert_snapshot!(scratch.masked(&named.shown()), @r#"
    exit 0
    --- stdout
    {
      "version": 1,
      "host": "codex",
      "session": "0195a4c2",
      "project": "DIR/shop",
      "startedAt": "MOMENT",
      "seenAt": "MOMENT",
      "inFlight": [
        "1",
        "3"
      ],
      "pendingApprovals": [
        {
          "number": 1,
          "tool": "Bash",
          "call": "npm publish"
        }
      ],
      "rules": [
        {
          "rule": "require backup before delete",
          "file": ".petriflow/safety.rules",
          "line": 5,
          "state": "delete waits for backup",
          "marking": "waiting:1"
        },
        {
          "rule": "limit push to 3 per session",
          "file": ".petriflow/safety.rules",
          "line": 6,
          "state": "push has 2 of 3 left",
          "marking": "budget:2, spent:1"
        },
        {
          "rule": "require human-approval before publish",
          "file": ".petriflow/safety.rules",
          "line": 7,
          "state": "publish asks a person each time",
          "marking": "ready:1"
        }
      ]
    }
    "#);
    insta::assert_snapshot!(scratch.masked(&scratch.run(&["sessions"]).shown()), @"
    exit 0
    --- stdout
    0195a4c2                              codex           N s ago  DIR/shop
    ");
    let sessions = scratch.run(&["sessions", "--format", "json"]);
    insta::assert_snapshot!(scratch.masked(&sessions.shown()), @r#"
    exit 0
    --- stdout
    {
      "version": 1,
      "sessions": [
        {
          "host": "codex",
          "id": "0195a4c2",
          "project": "DIR/shop",
          "rules": "DIGEST",
          "startedAt": "MOMENT",
          "seenAt": "MOMENT"
        }
      ]
    }
    "#);
    let unknown = scratch.run(&["status", "--session", "7"]);
    insta::assert_snapshot!(unknown.shown(), @"
    exit 2
    --- stderr
    error: no session's id begins with `7`
    hint: `petriflow sessions` lists them
    ");
}

#[test]
fn status_tells_what_is_unlocked() {
    let scratch = Scratch::new(
        "map Bash.command /^cp / as backup\nmap Bash.command /^rm / as delete\n\
         require backup before delete\n",
    );
    let agent = scratch.agent(Host::ClaudeCode, "s");
    agent.shell("1", "cp a b");
    let locked = agent.status();
    agent.succeeded("1", "cp a b");
    let unlocked = agent.status();
    assert_ne!(locked, unlocked);
    insta::assert_snapshot!([locked, unlocked].concat().join("\n"), @"
    require backup before delete: delete waits for backup
    require backup before delete: delete is unlocked
    ");
}
