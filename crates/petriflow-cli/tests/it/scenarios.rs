//! `petriflow test`.

use std::fs;
use std::path::PathBuf;

use super::{output, relative, run};

const RULES: &str = "\
# What an agent may do.
require backup before delete
require human-approval before deploy
limit push to 1 per test
block rm
";

/// A folder with these files. Names differ between tests, which run at the same time.
fn folder(name: &str, files: &[(&str, &str)]) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    for (name, content) in files {
        let file = path.join(name);
        fs::create_dir_all(file.parent().expect("it is in a folder")).expect("writable");
        fs::write(file, content).expect("writable");
    }
    path.to_str().expect("UTF-8").to_owned()
}

fn tested(folder: &str, flags: &[&str]) -> String {
    relative(&run(&[&["test", folder], flags].concat(), ""))
}

const PASSING: &str = "\
scenario delete waits for a backup
  delete -> blocked by require-backup-before-delete
  backup fails -> allowed
  delete -> blocked by require backup before delete
  backup -> allowed
  delete -> allowed

scenario a person is asked
  deploy -> asks
  deploy approved -> allowed
";

const FAILING: &str = "\
scenario this one passes
  rm -> blocked
scenario a backup is enough for <two> & more
  backup -> allowed
  delete -> allowed
  delete -> allowed
  rm -> allowed
scenario the wrong rule
  rm -> blocked by require-backup-before-delete
";

#[test]
fn scenarios_that_go_as_expected_pass() {
    let folder = folder("test-pass", &[("a.rules", RULES), ("a.scenarios", PASSING)]);
    insta::assert_snapshot!(tested(&folder, &[]), @"
    exit 0
    --- stdout
    test-pass/a.scenarios
      ok    delete waits for a backup
      ok    a person is asked
    2 scenarios, all passed
    ");
    let file = format!("{folder}/a.scenarios");
    assert_eq!(tested(&file, &[]), tested(&folder, &[]));
    assert_eq!(relative(&run(&["test", &file, &folder], "")), tested(&folder, &[]));
}

#[test]
fn a_failure_shows_what_happened_up_to_it_and_the_rule() {
    let folder = folder("test-fail", &[("a.rules", RULES), ("a.scenarios", FAILING)]);
    insta::assert_snapshot!(tested(&folder, &[]), @"
    exit 1
    --- stdout
    test-fail/a.scenarios
      ok    this one passes
      FAIL  a backup is enough for <two> & more (test-fail/a.scenarios:6)
           4 | backup -> allowed
             allowed
           5 | delete -> allowed
             allowed
           6 | delete -> allowed
             expected allowed
             got      blocked by require-backup-before-delete
             because  delete requires a successful call to backup first. (test-fail/a.rules:2: require backup before delete)
      FAIL  the wrong rule (test-fail/a.scenarios:9)
           9 | rm -> blocked by require-backup-before-delete
             expected blocked by require-backup-before-delete
             got      blocked by block-rm
             because  rm is blocked and cannot be called. (test-fail/a.rules:5: block rm)
    3 scenarios, 2 failed
    ");
    insta::assert_snapshot!(tested(&folder, &["--format", "json"]), @r#"
    exit 1
    --- stdout
    {
      "version": 1,
      "scenarios": 3,
      "failed": 2,
      "files": [
        {
          "file": "test-fail/a.scenarios",
          "scenarios": [
            {
              "name": "this one passes",
              "line": 1,
              "passed": true,
              "trace": [
                {
                  "line": 2,
                  "step": "rm -> blocked",
                  "outcome": "blocked by block-rm"
                }
              ],
              "failure": null
            },
            {
              "name": "a backup is enough for <two> & more",
              "line": 3,
              "passed": false,
              "trace": [
                {
                  "line": 4,
                  "step": "backup -> allowed",
                  "outcome": "allowed"
                },
                {
                  "line": 5,
                  "step": "delete -> allowed",
                  "outcome": "allowed"
                },
                {
                  "line": 6,
                  "step": "delete -> allowed",
                  "outcome": "blocked by require-backup-before-delete"
                }
              ],
              "failure": {
                "line": 6,
                "expected": "allowed",
                "got": "blocked by require-backup-before-delete",
                "reasons": [
                  {
                    "message": "delete requires a successful call to backup first.",
                    "rule": "require backup before delete",
                    "file": "test-fail/a.rules",
                    "line": 2
                  }
                ]
              }
            },
            {
              "name": "the wrong rule",
              "line": 8,
              "passed": false,
              "trace": [
                {
                  "line": 9,
                  "step": "rm -> blocked by require-backup-before-delete",
                  "outcome": "blocked by block-rm"
                }
              ],
              "failure": {
                "line": 9,
                "expected": "blocked by require-backup-before-delete",
                "got": "blocked by block-rm",
                "reasons": [
                  {
                    "message": "rm is blocked and cannot be called.",
                    "rule": "block rm",
                    "file": "test-fail/a.rules",
                    "line": 5
                  }
                ]
              }
            }
          ],
          "coverage": [
            {
              "net": "require-backup-before-delete",
              "rule": "require backup before delete",
              "file": "test-fail/a.rules",
              "line": 2,
              "refused": 1,
              "fired": {
                "again": 0,
                "first": 1,
                "then": 1
              }
            },
            {
              "net": "approve-before-deploy",
              "rule": "require human-approval before deploy",
              "file": "test-fail/a.rules",
              "line": 3,
              "refused": 0,
              "fired": {
                "approve": 0
              }
            },
            {
              "net": "limit-push-1-per-test",
              "rule": "limit push to 1 per test",
              "file": "test-fail/a.rules",
              "line": 4,
              "refused": 0,
              "fired": {
                "refill": 0,
                "use": 0
              }
            },
            {
              "net": "block-rm",
              "rule": "block rm",
              "file": "test-fail/a.rules",
              "line": 5,
              "refused": 2,
              "fired": {}
            }
          ]
        }
      ]
    }
    "#);
}

#[test]
fn coverage_tells_what_no_scenario_exercised() {
    let some = "scenario some\n  backup -> allowed\n  push -> allowed\n  push -> blocked\n";
    let folder = folder("test-coverage", &[("a.rules", RULES), ("a.scenarios", some)]);
    insta::assert_snapshot!(tested(&folder, &["--coverage"]), @"
    exit 0
    --- stdout
    test-coverage/a.scenarios
      ok    some
      coverage: 1 of 4 rules refused or asked, 2 of 6 transitions fired
        never refused   `require backup before delete` (test-coverage/a.rules:2)
        never fired     again, then of `require backup before delete` (test-coverage/a.rules:2)
        never exercised `require human-approval before deploy` (test-coverage/a.rules:3)
        never fired     refill of `limit push to 1 per test` (test-coverage/a.rules:4)
        never exercised `block rm` (test-coverage/a.rules:5)
    1 scenario, all passed
    ");
}

#[test]
fn a_filter_chooses_scenarios_by_their_name() {
    let folder = folder("test-filter", &[("a.rules", RULES), ("a.scenarios", PASSING)]);
    insta::assert_snapshot!(tested(&folder, &["--filter", "person"]), @"
    exit 0
    --- stdout
    test-filter/a.scenarios
      ok    a person is asked
    1 scenario, all passed
    ");
    insta::assert_snapshot!(tested(&folder, &["--filter", "persn"]), @"
    exit 2
    --- stderr
    error: no scenario was run
    hint: no name has what --filter asks for
    ");
}

#[test]
fn junit_is_well_formed_and_counts_failures() {
    let hostile = "scenario \u{1}\u{fffe}\"quotes\" ]]> & <tags>\n  rm {\"x\": \"]]>&<\\u0000\"} -> allowed\n";
    let files = [
        ("a.rules", RULES),
        ("a.scenarios", FAILING),
        ("deep/b.rules", RULES),
        ("deep/b.scenarios", PASSING),
        ("c.rules", RULES),
        ("c.scenarios", hostile),
    ];
    let folder = folder("test-junit", &files);
    let output = output(&["test", &folder, "--format", "junit"], b"");
    assert_eq!(output.status.code(), Some(1));
    let xml = String::from_utf8(output.stdout).expect("UTF-8");
    let document = roxmltree::Document::parse(&xml).expect("well-formed");
    let suites: Vec<(String, &str, &str, usize, usize)> = document
        .descendants()
        .filter(|node| node.has_tag_name("testsuite"))
        .map(|suite| {
            let count =
                |tag: &str| suite.descendants().filter(|node| node.has_tag_name(tag)).count();
            let attribute = |name| suite.attribute(name).unwrap_or("missing");
            let name = relative(attribute("name"));
            (name, attribute("tests"), attribute("failures"), count("testcase"), count("failure"))
        })
        .collect();
    insta::assert_compact_debug_snapshot!(suites, @r#"[("test-junit/a.scenarios", "3", "2", 3, 2), ("test-junit/c.scenarios", "1", "1", 1, 1), ("test-junit/deep/b.scenarios", "2", "0", 2, 0)]"#);
    let failure = document.descendants().find(|node| node.has_tag_name("failure")).expect("one");
    insta::assert_snapshot!(relative(failure.text().expect("with text")), @"
    test-junit/a.scenarios:6
    backup -> allowed  => allowed
    delete -> allowed  => allowed
    delete -> allowed  => blocked by require-backup-before-delete
    delete requires a successful call to backup first. (test-junit/a.rules:2: require backup before delete)
    ");
    assert_eq!(
        failure.attribute("message"),
        Some("expected allowed, got blocked by require-backup-before-delete")
    );
    assert_eq!(
        failure.parent_element().and_then(|case| case.attribute("name")),
        Some("a backup is enough for <two> & more")
    );
}

#[test]
fn rules_files_may_be_named_and_lie_elsewhere() {
    let files = [
        ("policies/base.rules", "block rm\n"),
        ("policies/team.rules", "block mv\n"),
        (
            "tests/both.scenarios",
            "rules ../policies/base.rules\nrules ../policies/team.rules\nscenario both\n  rm -> blocked by block-rm\n  mv -> blocked by block-mv\n",
        ),
    ];
    let folder = folder("test-named", &files);
    insta::assert_snapshot!(tested(&folder, &["--coverage"]), @"
    exit 0
    --- stdout
    test-named/tests/both.scenarios
      ok    both
      coverage: 2 of 2 rules refused or asked, 0 of 0 transitions fired
    1 scenario, all passed
    ");
}

#[test]
fn what_cannot_be_run_is_exit_2_and_said() {
    let files = [
        ("empty/readme.txt", "nothing here"),
        ("lonely/a.scenarios", PASSING),
        ("broken-rules/a.rules", "blok rm\n"),
        ("broken-rules/a.scenarios", PASSING),
        ("unknown-rule/a.rules", RULES),
        ("unknown-rule/a.scenarios", "scenario x\n  rm -> blocked by block-mr\n"),
        ("broken-lines/a.rules", RULES),
        (
            "broken-lines/a.scenarios",
            "scenario x\n  rm -> bloked\n  rm {\"a\"} -> blocked\nrm -> blocked\n",
        ),
    ];
    let root = folder("test-errors", &files);
    let mut report = String::new();
    for name in
        ["empty", "lonely", "broken-rules", "unknown-rule", "broken-lines", "missing.scenarios"]
    {
        for format in ["human", "junit"] {
            let told = tested(&format!("{root}/{name}"), &["--format", format]);
            assert!(told.starts_with("exit 2\n--- stderr\n"), "{told}");
            if format == "human" {
                report += &format!("$ petriflow test {name}\n{told}");
            }
        }
    }
    insta::assert_snapshot!(report, @r#"
    $ petriflow test empty
    exit 2
    --- stderr
    error: there are no .scenarios files in test-errors/empty
    hint: write NAME.scenarios beside NAME.rules; docs/rules.md tells how
    $ petriflow test lonely
    exit 2
    --- stderr
    error: cannot read test-errors/lonely/a.rules: No such file or directory (os error 2)
    $ petriflow test broken-rules
    exit 2
    --- stderr
    error[PF0101]: `blok` is not a statement
     --> test-errors/broken-rules/a.rules:1:1
      |
    1 | blok rm
      | ^^^^
      = help: did you mean `block`?

    the rules have 1 error; nothing was done
    $ petriflow test unknown-rule
    exit 2
    --- stderr
    error[PF0301]: no rule is called `block-mr`
     --> test-errors/unknown-rule/a.scenarios:2:20
      |
    2 |   rm -> blocked by block-mr
      |                    ^^^^^^^^
      = help: did you mean `block-rm`?

    $ petriflow test broken-lines
    exit 2
    --- stderr
    error[PF0301]: `bloked` is not expected here
     --> test-errors/broken-lines/a.scenarios:2:9
      |
    2 |   rm -> bloked
      |         ^^^^^^
      = help: did you mean `blocked`?

    error[PF0301]: the input is no JSON: expected `:`
     --> test-errors/broken-lines/a.scenarios:3:10
      |
    3 |   rm {"a"} -> blocked
      |          ^
      = help: names and texts of the input stand in double quotes

    error[PF0301]: `rm` is neither `scenario` nor `rules`
     --> test-errors/broken-lines/a.scenarios:4:1
      |
    4 | rm -> blocked
      | ^^
      = help: a line begins with `scenario`, or is a step and indented

    error[PF0301]: this scenario has no steps
     --> test-errors/broken-lines/a.scenarios:1:1
      |
    1 | scenario x
      | ^^^^^^^^
      = help: write calls under it, indented

    $ petriflow test missing.scenarios
    exit 2
    --- stderr
    error: cannot read test-errors/missing.scenarios: No such file or directory (os error 2)
    "#);
}

#[test]
fn folders_of_builds_and_hidden_ones_are_not_searched() {
    let broken = "not a scenario\n";
    let files = [
        ("a.rules", RULES),
        ("a.scenarios", PASSING),
        ("target/a.scenarios", broken),
        ("node_modules/x/a.scenarios", broken),
        (".git/a.scenarios", broken),
    ];
    let folder = folder("test-search", &files);
    assert!(tested(&folder, &[]).starts_with("exit 0\n"));
}
