//! From files to one policy: its nets, their names and places, and errors of several files.

use petriflow_rules::{Code, Paint, SourceFile, compile};

use super::{compiled, errors, listed};

/// Name and number of states of every net.
pub(crate) fn nets(text: &str) -> Vec<(String, u64)> {
    let nets = compiled(text).nets;
    nets.iter().map(|rule| (rule.net.name().to_owned(), rule.verified.states)).collect()
}

#[test]
fn an_empty_file_is_a_policy_without_rules() {
    for text in ["", "\n", "# nothing yet", "\u{feff}", " \t\r\n"] {
        assert_eq!(nets(text), [], "{text:?}");
    }
}

#[test]
fn nets_are_named_after_their_rules_and_have_as_many_states_as_promised() {
    insta::assert_debug_snapshot!(nets(
        "require backup before delete
         require human-approval before deploy
         block rm
         limit push to 0 per session
         limit push to 3 per session
         limit push to 3 per test
         limit push to 1000000 per session
         limit push to 1000000 per test
         limit push to 4294967295 per test"
    ), @r#"
    [
        (
            "require-backup-before-delete",
            3,
        ),
        (
            "approve-before-deploy",
            2,
        ),
        (
            "block-rm",
            2,
        ),
        (
            "limit-push-0",
            2,
        ),
        (
            "limit-push-3",
            5,
        ),
        (
            "limit-push-3-per-test",
            5,
        ),
        (
            "limit-push-1000000",
            1000002,
        ),
        (
            "limit-push-1000000-per-test",
            1000002,
        ),
        (
            "limit-push-4294967295-per-test",
            4294967297,
        ),
    ]
    "#);
}

#[test]
fn net_names_are_unique() {
    let names = |text: &str| nets(text).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let twice = names("block rm\nblock rm\nblock rm-2\nblock rm");
    assert_eq!(twice, ["block-rm", "block-rm-2", "block-rm-2-2", "block-rm-3"]);
    let different = names("require a-before-b before c\nrequire a before b-before-c");
    assert_eq!(different, ["require-a-before-b-before-c", "require-a-before-b-before-c-2"]);
    let taken = names("block rm-2\nblock rm\nblock rm");
    assert_eq!(taken, ["block-rm-2", "block-rm", "block-rm-3"]);
}

#[test]
fn several_files_make_one_policy_in_their_order_and_rules_know_their_place() {
    let files = [
        SourceFile::new("base.rules", "# base\nblock rm\n\n  require a  before b # why"),
        SourceFile::new("team.rules", "block rm\nlimit push to 2 per session\n"),
    ];
    let rules = compile(&files).unwrap();
    let places: Vec<String> = rules
        .nets
        .iter()
        .map(|rule| {
            let source = rule.net.rule().unwrap().source.clone().unwrap();
            let (column, length) = (rule.span.column, rule.span.length);
            format!(
                "{} {}:{}:{column}+{length} {}",
                rule.net.name(),
                source.file,
                source.line,
                source.text
            )
        })
        .collect();
    insta::assert_debug_snapshot!(places, @r#"
    [
        "block-rm base.rules:2:1+8 block rm",
        "require-a-before-b base.rules:4:3+19 require a before b",
        "block-rm-2 team.rules:1:1+8 block rm",
        "limit-push-2 team.rules:2:1+27 limit push to 2 per session",
    ]
    "#);
}

#[test]
fn all_errors_of_all_files_are_told_in_order() {
    let files = [
        SourceFile::new("base.rules", "block\nblock rm\nblok rm\n"),
        SourceFile::new(
            "team.rules",
            "limit a to 2.9 per session\nshell bash.command\nplain bash.command\nblock a b",
        ),
    ];
    insta::assert_snapshot!(compile(&files).unwrap_err(), @"
    base.rules:1:6: PF0102: expected a tool, found the end of the line (the form is `block TOOL`)
    base.rules:3:1: PF0101: `blok` is not a statement (did you mean `block`?)
    team.rules:1:12: PF0104: `2.9` is not a whole number (expected a whole number; write `2` or `3`)
    team.rules:3:1: PF0113: `bash.command` is declared both `shell` and `plain` (keep one of the two lines)
    team.rules:4:9: PF0103: `b` stands after the end of the statement (the form is `block TOOL`; one statement per line, `#` begins a comment)
    ");
}

#[test]
fn a_field_is_not_both_shell_and_plain() {
    let files = [
        SourceFile::new("base.rules", "shell bash.input\nshell bash.input"),
        SourceFile::new("team.rules", "# mine\nplain bash.input"),
    ];
    let invalid = compile(&files).unwrap_err();
    let shown: String =
        invalid.diagnostics.iter().map(|error| error.render(&files, &Paint::PLAIN)).collect();
    insta::assert_snapshot!(shown, @"
    error[PF0113]: `bash.input` is declared both `shell` and `plain`
     --> team.rules:2:1
      |
    2 | plain bash.input
      | ^^^^^^^^^^^^^^^^
     ::: base.rules:1:1
    1 | shell bash.input
      | ---------------- declared here first
      = help: keep one of the two lines
    ");
}

#[test]
fn a_finding_in_a_long_line_shows_the_place_and_not_the_line() {
    let text = format!("block {} wrong", "x".repeat(200));
    let files = [SourceFile::new("safety.rules", &text)];
    insta::assert_snapshot!(errors(&text)[0].render(&files, &Paint::PLAIN), @"
    error[PF0103]: `wrong` stands after the end of the statement
     --> safety.rules:1:208
      |
    1 | …xxxxxxxxxxxxxxxxxxx wrong
      |                      ^^^^^
      = help: the form is `block TOOL`; one statement per line, `#` begins a comment
    ");
}

#[test]
fn bytes_that_are_no_text_are_a_finding_with_their_line() {
    let error = SourceFile::from_bytes("x.rules", b"block rm\nblock \xff\n".to_vec()).unwrap_err();
    assert_eq!(error.code, Code::NotText);
    insta::assert_snapshot!(listed(&[error]), @"  2:1 PF0100 line 2 is not UTF-8 text | save the file as UTF-8");
}

#[test]
fn more_than_can_be_compiled_is_refused() {
    let text = format!("block rm # {}\n", "x".repeat(16 << 20));
    insta::assert_snapshot!(listed(&errors(&text)), @"  1:1 PF0114 the rules are larger than 16 MiB | split them into policies for different agents");
    // Each is small enough, all together are not.
    let regexes: String =
        (0..20).map(|at| format!("map bash.command /x{at}\\w{{60}}/ as x\n")).collect();
    insta::assert_snapshot!(listed(&errors(&regexes)), @r"  12:18 PF0114 the regexes up to here are too large together | make their counts smaller, or use bare words and `[A-Za-z0-9_]` for `\w`");
}
