//! `petriflow check` and `petriflow explain`.

use std::process::Stdio;

use super::{command, file, output, relative, run};

/// The report on rules with this content, in a file of this name.
fn checked(name: &str, content: &str, flags: &[&str]) -> String {
    let path = file(name, content);
    relative(&run(&[&["check", &path], flags].concat(), ""))
}

fn exit(args: &[&str], stdin: &str) -> Option<i32> {
    output(&[&["check"], args].concat(), stdin.as_bytes()).status.code()
}

#[test]
fn good_rules_are_listed_with_their_nets_and_states() {
    let rules = "\
map files.path /^\\/etc\\// as system-file  # configuration

require backup before delete
require human-approval before deploy
block system-file
limit push to 3 per session
limit push to 1000000 per test
";
    insta::assert_snapshot!(checked("check-good.rules", rules, &[]), @"
    exit 0
    --- stdout
      require-backup-before-delete        3 states  check-good.rules:3
      approve-before-deploy               2 states  check-good.rules:4
      block-system-file                   2 states  check-good.rules:5
      limit-push-3                        5 states  check-good.rules:6
      limit-push-1000000-per-test   1000002 states  check-good.rules:7
    check-good.rules: 5 rules, 1 map, 5 nets, 1000014 states proved, no findings
    ");
    insta::assert_snapshot!(checked("check-good.rules", rules, &["--format", "json"]), @r#"
    exit 0
    --- stdout
    {
      "version": 1,
      "rules": 5,
      "nets": [
        {
          "name": "require-backup-before-delete",
          "rule": "require backup before delete",
          "file": "check-good.rules",
          "line": 3,
          "states": 3
        },
        {
          "name": "approve-before-deploy",
          "rule": "require human-approval before deploy",
          "file": "check-good.rules",
          "line": 4,
          "states": 2
        },
        {
          "name": "block-system-file",
          "rule": "block system-file",
          "file": "check-good.rules",
          "line": 5,
          "states": 2
        },
        {
          "name": "limit-push-3",
          "rule": "limit push to 3 per session",
          "file": "check-good.rules",
          "line": 6,
          "states": 5
        },
        {
          "name": "limit-push-1000000-per-test",
          "rule": "limit push to 1000000 per test",
          "file": "check-good.rules",
          "line": 7,
          "states": 1000002
        }
      ],
      "findings": []
    }
    "#);
}

#[test]
fn every_error_is_told_in_one_run() {
    let rules = "\
block rm
blok mv
\tlimit push to 2.9 per session
require backup befor delete
map files.path --force as force
shell terminal.input
plain terminal.input
";
    insta::assert_snapshot!(checked("check-errors.rules", rules, &[]), @"
    exit 1
    --- stdout
    error[PF0101]: `blok` is not a statement
     --> check-errors.rules:2:1
      |
    2 | blok mv
      | ^^^^
      = help: did you mean `block`?

    error[PF0104]: `2.9` is not a whole number
     --> check-errors.rules:3:16
      |
    3 |  limit push to 2.9 per session
      |                ^^^
      = help: expected a whole number; write `2` or `3`

    error[PF0102]: expected `before`, found `befor`
     --> check-errors.rules:4:16
      |
    4 | require backup befor delete
      |                ^^^^^
      = help: did you mean `before`? the form is `require A before B`

    error[PF0106]: `--force` is not a bare word
     --> check-errors.rules:5:16
      |
    5 | map files.path --force as force
      |                ^^^^^^^
      = help: bare words match whole words only; write `/--force/` for a regex

    error[PF0113]: `terminal.input` is declared both `shell` and `plain`
     --> check-errors.rules:7:1
      |
    6 | shell terminal.input
      | -------------------- declared here first
    7 | plain terminal.input
      | ^^^^^^^^^^^^^^^^^^^^
      = help: keep one of the two lines

    check-errors.rules: 1 rule, no map, 5 errors
    ");
    insta::assert_snapshot!(checked("check-errors.rules", rules, &["--format", "json"]), @r#"
    exit 1
    --- stdout
    {
      "version": 1,
      "rules": 1,
      "nets": [],
      "findings": [
        {
          "code": "PF0101",
          "severity": "error",
          "message": "`blok` is not a statement",
          "file": "check-errors.rules",
          "line": 2,
          "column": 1,
          "help": "did you mean `block`?"
        },
        {
          "code": "PF0104",
          "severity": "error",
          "message": "`2.9` is not a whole number",
          "file": "check-errors.rules",
          "line": 3,
          "column": 16,
          "help": "expected a whole number; write `2` or `3`"
        },
        {
          "code": "PF0102",
          "severity": "error",
          "message": "expected `before`, found `befor`",
          "file": "check-errors.rules",
          "line": 4,
          "column": 16,
          "help": "did you mean `before`? the form is `require A before B`"
        },
        {
          "code": "PF0106",
          "severity": "error",
          "message": "`--force` is not a bare word",
          "file": "check-errors.rules",
          "line": 5,
          "column": 16,
          "help": "bare words match whole words only; write `/--force/` for a regex"
        },
        {
          "code": "PF0113",
          "severity": "error",
          "message": "`terminal.input` is declared both `shell` and `plain`",
          "file": "check-errors.rules",
          "line": 7,
          "column": 1,
          "help": "keep one of the two lines"
        }
      ]
    }
    "#);
}

#[test]
fn warnings_are_findings_only_where_strictness_is_asked_for() {
    let rules = "limit push to 3 per hour\nblock rm\nblock rm\n";
    insta::assert_snapshot!(checked("check-warnings.rules", rules, &[]), @"
    exit 0
    --- stdout
    warning[PF0211]: `hour` is read as a tool, whose success would refill the budget
     --> check-warnings.rules:1:21
      |
    1 | limit push to 3 per hour
      |                     ^^^^
      = help: there are no time windows; write `limit push to 3 per session`, or name a tool

    warning[PF0201]: `block rm` stands here twice
     --> check-warnings.rules:3:1
      |
    2 | block rm
      | -------- first here
    3 | block rm
      | ^^^^^^^^
      = help: delete one of the two lines

      limit-push-3-per-hour  5 states  check-warnings.rules:1
      block-rm               2 states  check-warnings.rules:2
      block-rm-2             2 states  check-warnings.rules:3
    check-warnings.rules: 3 rules, no map, 3 nets, 9 states proved, 2 warnings (exit 1 with --strict)
    ");
    insta::assert_snapshot!(checked("check-warnings.rules", rules, &["--strict"]), @"
    exit 1
    --- stdout
    warning[PF0211]: `hour` is read as a tool, whose success would refill the budget
     --> check-warnings.rules:1:21
      |
    1 | limit push to 3 per hour
      |                     ^^^^
      = help: there are no time windows; write `limit push to 3 per session`, or name a tool

    warning[PF0201]: `block rm` stands here twice
     --> check-warnings.rules:3:1
      |
    2 | block rm
      | -------- first here
    3 | block rm
      | ^^^^^^^^
      = help: delete one of the two lines

      limit-push-3-per-hour  5 states  check-warnings.rules:1
      block-rm               2 states  check-warnings.rules:2
      block-rm-2             2 states  check-warnings.rules:3
    check-warnings.rules: 3 rules, no map, 3 nets, 9 states proved, 2 warnings
    ");
}

#[test]
fn exit_codes_tell_clean_findings_and_failures_apart() {
    let good = file("check-exit-good.rules", "block rm\n");
    let warning = file("check-exit-warning.rules", "block rm\nblock rm\n");
    let bad = file("check-exit-bad.rules", "blok rm\n");
    for format in ["human", "json"] {
        for (args, expected) in [
            (vec![&*good], 0),
            (vec![&*good, "--strict"], 0),
            (vec![&*warning], 0),
            (vec![&*warning, "--strict"], 1),
            (vec![&*bad], 1),
            (vec![&*good, &*bad], 1),
            (vec!["no-such.rules"], 2),
            (vec!["examples"], 2),
            (vec![&*good, "no-such.rules"], 2),
            (vec![&*good, "--tools", "no-such.txt"], 2),
        ] {
            let args = [args.as_slice(), &["--format", format]].concat();
            assert_eq!(exit(&args, ""), Some(expected), "{args:?}");
        }
    }
    for args in [vec![], vec![&*good, "--host", "notepad"], vec![&*good, "--format", "xml"]] {
        assert_eq!(exit(&args, ""), Some(2), "{args:?}");
    }
}

#[test]
fn what_cannot_be_read_is_said() {
    let latin = file("check-latin.rules", b"block rm\nblock l\xf6schen\n");
    let tools = file("check-tools-broken.json", "[\"bash\"");
    let good = file("check-readable.rules", "block rm\n");
    let mut report = String::new();
    for args in [
        vec!["check", "no-such.rules"],
        vec!["check", "examples"],
        vec!["check", &latin],
        vec!["check", &latin, "--format", "json"],
        vec!["check", &good, "--tools", &tools],
        vec!["check", &good, "--tools", "no-such.txt"],
    ] {
        report += &relative(&format!("$ petriflow {}\n{}", args.join(" "), run(&args, "")));
    }
    insta::assert_snapshot!(report, @"
    $ petriflow check no-such.rules
    exit 2
    --- stderr
    error: cannot read no-such.rules: No such file or directory (os error 2)
    $ petriflow check examples
    exit 2
    --- stderr
    error: cannot read examples: Is a directory (os error 21)
    hint: name the rules files themselves, such as policies/*.rules
    $ petriflow check check-latin.rules
    exit 2
    --- stderr
    error: check-latin.rules: PF0100: line 2 is not UTF-8 text (save the file as UTF-8)
    $ petriflow check check-latin.rules --format json
    exit 2
    --- stderr
    error: check-latin.rules: PF0100: line 2 is not UTF-8 text (save the file as UTF-8)
    $ petriflow check check-readable.rules --tools check-tools-broken.json
    exit 2
    --- stderr
    error: check-tools-broken.json is no list of tools: EOF while parsing a list at line 1 column 7
    $ petriflow check check-readable.rules --tools no-such.txt
    exit 2
    --- stderr
    error: cannot read no-such.txt: No such file or directory (os error 2)
    ");
}

#[test]
fn rules_are_read_from_standard_input_and_from_several_files() {
    insta::assert_snapshot!(run(&["check", "-"], "block rm\nblok mv\n"), @"
    exit 1
    --- stdout
    error[PF0101]: `blok` is not a statement
     --> <stdin>:2:1
      |
    2 | blok mv
      | ^^^^
      = help: did you mean `block`?

    <stdin>: 1 rule, no map, 1 error
    ");
    let base = file("check-base.rules", "block rm\n");
    let team = file("check-team.rules", "# ours\nblock rm\nrequire a before b\n");
    insta::assert_snapshot!(relative(&run(&["check", &base, &team], "")), @"
    exit 0
    --- stdout
    warning[PF0201]: `block rm` stands here twice
     --> check-team.rules:2:1
      |
    2 | block rm
      | ^^^^^^^^
     ::: check-base.rules:1:1
    1 | block rm
      | -------- first here
      = help: delete one of the two lines

      block-rm            2 states  check-base.rules:1
      block-rm-2          2 states  check-team.rules:2
      require-a-before-b  3 states  check-team.rules:3
    check-base.rules, check-team.rules: 3 rules, no map, 3 nets, 7 states proved, 1 warning (exit 1 with --strict)
    ");
}

#[test]
fn no_rules_are_no_finding() {
    insta::assert_snapshot!(run(&["check", "-", "--strict"], "# nothing yet\n"), @"
    exit 0
    --- stdout
    <stdin>: no rule, no map, no findings
    ");
}

#[test]
fn tools_that_are_not_there_are_told_with_what_is_near() {
    let rules =
        "map bsh.text rm as delete\nblock delete\nblock Bsh\nlimit discord.send to 3 per session\n";
    let text = file("check-tools.txt", "# ours\nbash\ndiscord  # chat\n");
    let json = file("check-tools.json", r#"{"tools": [{"name": "bash"}, {"name": "discord"}]}"#);
    let of_text = checked("check-tools.rules", rules, &["--tools", &text]);
    let of_json = checked("check-tools.rules", rules, &["--tools", &json]);
    assert_eq!(of_text, of_json.replace("check-tools.json", "check-tools.txt"));
    insta::assert_snapshot!(of_text, @"
    exit 0
    --- stdout
    warning[PF0207]: `bsh` is not a tool of check-tools.txt
     --> check-tools.rules:1:5
      |
    1 | map bsh.text rm as delete
      |     ^^^^^^^^
      = help: did you mean `bash.text`?

    warning[PF0207]: `Bsh` is neither a tool of check-tools.txt nor made by a map
     --> check-tools.rules:3:7
      |
    3 | block Bsh
      |       ^^^
      = help: name a tool of check-tools.txt, or make such calls with `map TOOL.FIELD PATTERN as Bsh`

      block-delete          2 states  check-tools.rules:2
      block-Bsh             2 states  check-tools.rules:3
      limit-discord.send-3  5 states  check-tools.rules:4
    check-tools.rules: 3 rules, 1 map, 3 nets, 9 states proved, 2 warnings (exit 1 with --strict)
    ");
}

#[test]
fn hosts_have_their_tools_and_a_list_adds_to_them() {
    let rules = "block bash\nblock Bash\nblock mcp__github__merge\nblock deploy\n";
    let host = ["--host", "claude-code", "--format", "json"];
    insta::assert_snapshot!(checked("check-host.rules", rules, &host), @r#"
    exit 0
    --- stdout
    {
      "version": 1,
      "rules": 4,
      "nets": [
        {
          "name": "block-bash",
          "rule": "block bash",
          "file": "check-host.rules",
          "line": 1,
          "states": 2
        },
        {
          "name": "block-Bash",
          "rule": "block Bash",
          "file": "check-host.rules",
          "line": 2,
          "states": 2
        },
        {
          "name": "block-mcp__github__merge",
          "rule": "block mcp__github__merge",
          "file": "check-host.rules",
          "line": 3,
          "states": 2
        },
        {
          "name": "block-deploy",
          "rule": "block deploy",
          "file": "check-host.rules",
          "line": 4,
          "states": 2
        }
      ],
      "findings": [
        {
          "code": "PF0207",
          "severity": "warning",
          "message": "`bash` is neither a tool of claude-code nor made by a map",
          "file": "check-host.rules",
          "line": 1,
          "column": 7,
          "help": "did you mean `Bash`?"
        },
        {
          "code": "PF0207",
          "severity": "warning",
          "message": "`deploy` is neither a tool of claude-code nor made by a map",
          "file": "check-host.rules",
          "line": 4,
          "column": 7,
          "help": "name a tool of claude-code, or make such calls with `map TOOL.FIELD PATTERN as deploy`"
        }
      ]
    }
    "#);
    let tools = file("check-host-tools.txt", "deploy\n");
    let both = checked("check-host.rules", rules, &["--host", "claude-code", "--tools", &tools]);
    assert!(!both.contains("`deploy`"), "{both}");
    assert!(
        both.contains("`bash` is neither a tool of claude-code or check-host-tools.txt"),
        "{both}"
    );
}

#[test]
fn many_findings_and_nets_are_counted_rather_than_shown() {
    let rules: String = (0..150).map(|at| format!("block tool-{at}\n")).collect();
    let report = checked("check-many.rules", &rules, &[]);
    assert_eq!(report.matches("2 states  check-many.rules:").count(), 100);
    let end = "  and 50 more\ncheck-many.rules: 150 rules, no map, 150 nets, 300 states proved, no findings\n";
    assert!(report.ends_with(end), "{report}");
    let json = checked("check-many.rules", &rules, &["--format", "json"]);
    assert_eq!(json.matches("\"states\": 2").count(), 150);

    let report = checked("check-many-bad.rules", &"blok rm\n".repeat(150), &[]);
    assert_eq!(report.matches("error[PF0101]").count(), 100);
    assert!(
        report.ends_with("and 50 more\n\ncheck-many-bad.rules: no rule, no map, 150 errors\n"),
        "{report}"
    );
    let json = checked("check-many-bad.rules", &"blok rm\n".repeat(150), &["--format", "json"]);
    assert_eq!(json.matches("\"code\": \"PF0101\"").count(), 150);
}

#[test]
fn there_are_no_colours_in_a_pipe() {
    for variables in
        [&[][..], &[("NO_COLOR", "1")], &[("TERM", "xterm-256color"), ("NO_COLOR", "")]]
    {
        let mut command = command(&["check", "examples/mistakes/fifteen.rules"]);
        let output =
            command.envs(variables.iter().copied()).stdin(Stdio::null()).output().expect("runs");
        assert!(!output.stdout.is_empty());
        assert!(!output.stdout.contains(&0x1b), "{variables:?}");
    }
}

#[test]
fn a_file_cannot_send_commands_to_the_terminal() {
    let report =
        checked("check-hostile.rules", "block \u{1b}[31m\nblock \u{202e}mr\nblok\u{9b}2J x\n", &[]);
    assert!(!report.contains(['\u{1b}', '\u{202e}', '\u{9b}']), "{report:?}");
}

#[test]
fn every_code_is_listed_and_explained() {
    let list = run(&["explain"], "");
    let codes: Vec<&str> = list
        .lines()
        .filter_map(|line| line.split("  ").next())
        .filter(|code| code.starts_with("PF"))
        .collect();
    assert!(codes.len() > 25, "{list}");
    for code in codes {
        let page = run(&["explain", code], "");
        assert!(page.starts_with(&format!("exit 0\n--- stdout\n# {code}: ")), "{page}");
        assert_eq!(run(&["explain", &code.to_lowercase()], ""), page);
        let title =
            page.lines().nth(2).and_then(|line| line.split_once(": ")).expect("a heading").1;
        let listed = list.lines().find(|line| line.starts_with(code)).expect("it is listed");
        assert!(listed.ends_with(title), "{listed}");
    }
    for unknown in ["PF9999", "0101", "", "PF0101x"] {
        insta::allow_duplicates! {
            let refused = run(&["explain", unknown], "").replace(&format!("`{unknown}`"), "`…`");
            insta::assert_snapshot!(refused, @"
            exit 2
            --- stderr
            error: there is no finding `…`
            hint: `petriflow explain` lists all codes
            ");
        }
    }
}

#[test]
fn completions_know_the_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(&["completions", shell], "");
        assert!(script.starts_with("exit 0\n"), "{shell}");
        for command in ["demo", "check", "simulate", "test", "fmt", "draw", "explain", "analyse"] {
            assert!(script.contains(command), "{shell} does not know {command}");
        }
        assert!(script.contains("jsonl"), "{shell} knows no flags");
    }
    assert!(run(&["completions", "csh"], "").starts_with("exit 2\n"));
}
