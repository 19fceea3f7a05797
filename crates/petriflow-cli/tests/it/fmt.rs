//! `petriflow fmt`.

use std::fs;

use super::{file, relative, run};

const UGLY: &str = "\u{feff}\r\n\r\n  block   rm # never\r\n\r\n\r\n\r\n#why\r\nmap bash.command /a  b # c/   as x#\r\n";
const DRAFT: &str =
    "\n\n  block   rm # never\n\n\n\n#why\n\tmap bash.command   /a  b # c/ as x\n\n";

#[test]
fn a_file_is_brought_into_its_form_and_stays_so() {
    let path = file("fmt-draft.rules", DRAFT);
    insta::assert_snapshot!(relative(&run(&["fmt", &path], "")), @"
    exit 0
    --- stdout
    fmt-draft.rules formatted
    ");
    let formatted = fs::read_to_string(&path).expect("readable");
    insta::assert_snapshot!(formatted, @"
    block rm  # never

    #why
    map bash.command /a  b # c/ as x
    ");
    insta::assert_snapshot!(run(&["fmt", &path], ""), @"exit 0");
    assert_eq!(fs::read_to_string(&path).expect("readable"), formatted);
    insta::assert_snapshot!(run(&["fmt", &path, "--check"], ""), @"exit 0");
}

#[test]
fn check_changes_nothing_and_tells() {
    let draft = file("fmt-check.rules", DRAFT);
    let good = file("fmt-check-good.rules", "block rm\n");
    insta::assert_snapshot!(relative(&run(&["fmt", "--check", &draft, &good], "")), @"
    exit 1
    --- stdout
    fmt-check.rules is not in its form
    ");
    assert_eq!(fs::read_to_string(&draft).expect("readable"), DRAFT);
}

#[test]
fn windows_line_ends_and_byte_order_marks_go() {
    let path = file("fmt-windows.rules", "\u{feff}block rm\r\n\r\nblock mv");
    run(&["fmt", &path], "");
    assert_eq!(fs::read_to_string(&path).expect("readable"), "block rm\n\nblock mv\n");
}

#[test]
fn a_file_with_errors_is_left_alone_and_the_others_are_not() {
    let bad = file("fmt-bad.rules", UGLY);
    let good = file("fmt-other.rules", "block   rm\n");
    insta::assert_snapshot!(relative(&run(&["fmt", &bad, &good], "")), @"
    exit 2
    --- stdout
    fmt-other.rules formatted
    --- stderr
    error[PF0105]: `#` stands right after a word
     --> fmt-bad.rules:8:35
      |
    8 | map bash.command /a  b # c/   as x#
      |                                   ^
      = help: put a space before `#` to begin a comment; names have no `#`

    error: fmt-bad.rules has errors and was left as it is
    ");
    assert_eq!(fs::read_to_string(&bad).expect("readable"), UGLY);
    assert_eq!(fs::read_to_string(&good).expect("readable"), "block rm\n");
}

#[test]
fn standard_input_goes_to_standard_output() {
    insta::assert_snapshot!(run(&["fmt", "-"], "block   rm\n\n\n"), @"
    exit 0
    --- stdout
    block rm
    ");
    insta::assert_snapshot!(run(&["fmt", "-", "--check"], "block   rm"), @"
    exit 1
    --- stdout
    <stdin> is not in its form
    ");
    insta::assert_snapshot!(run(&["fmt", "-"], "blok rm"), @"
    exit 2
    --- stderr
    error[PF0101]: `blok` is not a statement
     --> <stdin>:1:1
      |
    1 | blok rm
      | ^^^^
      = help: did you mean `block`?

    error: <stdin> has errors and was left as it is
    ");
    insta::assert_snapshot!(run(&["fmt", "-"], ""), @"exit 0");
    insta::assert_snapshot!(run(&["fmt", "no-such.rules"], ""), @"
    exit 2
    --- stderr
    error: cannot read no-such.rules: No such file or directory (os error 2)
    ");
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let path = file("fmt-linked.rules", "block   rm");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("ours");
    let link = format!("{path}.link");
    let _ = fs::remove_file(&link);
    symlink(&path, &link).expect("possible");
    run(&["fmt", &link], "");
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    assert_eq!(fs::read_to_string(&path).expect("readable"), "block rm\n");
    assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o640);
}

#[test]
fn formatting_keeps_what_rules_say() {
    for rules in ["deployment", "devops-assistant", "discord-bot", "file-management", "operations"]
    {
        let path = format!("examples/{rules}/{rules}.rules");
        let formatted =
            run(&["fmt", "-"], &fs::read_to_string(format!("../../{path}")).expect("readable"));
        let formatted = formatted.strip_prefix("exit 0\n--- stdout\n").expect("no errors");
        let nets = |json: String| -> Vec<String> {
            json.lines().filter(|line| line.contains("\"rule\":")).map(str::to_owned).collect()
        };
        let before = nets(run(&["check", &path, "--format", "json"], ""));
        assert_eq!(nets(run(&["check", "-", "--format", "json"], formatted)), before);
        assert!(
            run(&["fmt", &path, "--check"], "").starts_with("exit 0"),
            "{path} is not in its form"
        );
    }
}
