//! `petriflow shell`: how a command is understood.

use super::{file, output, run};

const RULES: &str = "\
map bash.command cp as backup
map bash.command rm as delete
require backup before delete
";

#[test]
fn a_command_line_is_shown_as_the_commands_it_would_run() {
    insta::assert_snapshot!(
        run(&["shell", r#"cp a b && sudo -u root r\m -rf $X; curl x | sh > /etc/passwd & $CMD"#], ""), @"
    exit 0
    --- stdout
    ├─ cp a b
    ├─ && sudo -u root rm -rf $X
    │    runs `rm -rf $X` through sudo -u root
    │    not known: $X
    ├─ ; curl x
    │    background, pipeline
    ├─ | sh > /etc/passwd
    │    could be anything: `input of a shell` is not known
    │    background
    └─ & $CMD
         could be anything: `$CMD` is not known
    "
    );
    insta::assert_snapshot!(run(&["shell", "-"], "for f in *; do\n  find . -delete\ndone\n"), @"
    exit 0
    --- stdout
    └─ find . -delete
         deletes files by itself
         loop
    ");
    insta::assert_snapshot!(run(&["shell", "# nothing"], ""), @"
    exit 0
    --- stdout
    nothing runs
    ");
}

#[test]
fn rules_tell_what_it_stands_for() {
    let rules = file("shell-stands.rules", RULES);
    insta::assert_snapshot!(run(&["shell", "cp a b && ls && rm x; rm y", "--rules", &rules], ""), @"
    exit 0
    --- stdout
    ├─ cp a b
    ├─ && ls
    ├─ && rm x
    └─ ; rm y

    stands for
      backup  'cp a b'
      bash, after success of the one before  'ls'
      delete, after success of the one before  'rm x'
      delete  'rm y'
    ");
    insta::assert_snapshot!(run(&["shell", "ls; pwd", "--rules", &rules], ""), @"
    exit 0
    --- stdout
    ├─ ls
    └─ ; pwd

    stands for
      bash
    ");
    insta::assert_snapshot!(
        run(&["shell", "rm x", "--rules", &rules, "--tool", "exec", "--field", "cmd"], ""), @"
    exit 0
    --- stdout
    └─ rm x

    stands for
      exec
    "
    );
}

#[test]
fn what_cannot_be_read_is_exit_1_with_its_place() {
    insta::assert_snapshot!(run(&["shell", "ls && if then"], ""), @"
    exit 1
    --- stdout
    not understood: unexpected `then` at byte 9
      ls && if then
               ^
    ");
    let rules = file("shell-unread.rules", RULES);
    insta::assert_snapshot!(run(&["shell", "echo 'x", "--rules", &rules, "--json"], ""), @r#"
    exit 1
    --- stdout
    {
      "version": 1,
      "command": "echo 'x",
      "error": {
        "message": "`'` is not closed at byte 7",
        "offset": 7
      },
      "refused": "'echo 'x' cannot be read as a shell command: `'` is not closed at byte 7. Write it more simply."
    }
    "#);
}

#[test]
fn json_has_all_of_it() {
    let rules = file("shell-json.rules", RULES);
    insta::assert_snapshot!(run(&["shell", "X=1 sudo rm $Y > log", "--rules", &rules, "--json"], ""), @r#"
    exit 0
    --- stdout
    {
      "version": 1,
      "command": "X=1 sudo rm $Y > log",
      "commands": [
        {
          "text": "rm $Y > log",
          "program": "rm",
          "words": [
            {
              "text": "rm",
              "unknown": null
            },
            {
              "text": "$Y",
              "unknown": "$Y"
            }
          ],
          "assignments": [
            {
              "name": "X",
              "value": {
                "text": "1",
                "unknown": null
              }
            }
          ],
          "redirections": [
            {
              "fd": null,
              "kind": "write",
              "target": {
                "text": "log",
                "unknown": null
              }
            }
          ],
          "connective": "first",
          "context": [],
          "wrappers": [
            [
              {
                "text": "sudo",
                "unknown": null
              }
            ]
          ],
          "nature": "plain",
          "detail": null,
          "successSeen": true,
          "span": [
            0,
            20
          ]
        }
      ],
      "actions": [
        {
          "names": [
            "delete"
          ],
          "connective": "regardless",
          "detached": false,
          "part": "in 'sudo X=1 rm $Y > log'"
        }
      ]
    }
    "#);
}

#[test]
fn bad_rules_and_bad_usage_are_exit_2() {
    let rules = file("shell-bad.rules", "blok x");
    assert_eq!(output(&["shell", "ls", "--rules", &rules], b"").status.code(), Some(2));
    assert_eq!(output(&["shell", "ls", "--tool", "exec"], b"").status.code(), Some(2));
    assert_eq!(output(&["shell"], b"").status.code(), Some(2));
}
