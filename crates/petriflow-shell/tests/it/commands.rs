//! How commands hang together, and what is said about them.

use petriflow_shell::{Connective, Nature, parse};

use crate::read;

#[test]
fn after_success_is_said_only_of_what_runs_after_the_listed_success() {
    assert_eq!(read("a && b"), "First: a\nAfterSuccess: b");
    assert_eq!(read("a; b"), "First: a\nSequence: b");
    assert_eq!(read("(a; b) && c"), "First: a\nSequence: b\nAfterSuccess: c");
    assert_eq!(read("a || b && c"), "First: a\nAfterFailure: b (lost)\nSequence: c");
    assert_eq!(read("(a || b) && c"), "First: a\nAfterFailure: b (lost)\nSequence: c");
    assert_eq!(read("! a && b"), "First: a (lost)\nSequence: b");
    assert_eq!(read("a & b"), "First: a (lost)\nBackground: b");
    assert_eq!(read("a && b & c"), "First: a (lost)\nAfterSuccess: b (lost)\nBackground: c");
    assert_eq!(read("a | b && c"), "First: a (lost)\nPipe: b\nAfterSuccess: c");
    assert_eq!(read("if a; then b; fi && c"), "First: a (lost)\nSequence: b (lost)\nSequence: c");
    assert_eq!(read("a && b $(c)"), "First: a\nAfterSuccess: c (lost)\nSequence: b $(c)");
    assert_eq!(read("{ a; } > f && b"), "First: > f\nAfterSuccess: a\nAfterSuccess: b");
    assert_eq!(read("f() { a; } && b"), "First: b\nSequence: a (lost)");
    assert_eq!(
        read("bash -c 'a; b' && c"),
        "First: bash -c a\nSequence: bash -c b\nAfterSuccess: c"
    );
    assert_eq!(read("find . -exec a {} \\; && c"), "First: find . a {} (lost)\nSequence: c");
}

#[test]
fn a_fake_success_is_not_taken_for_a_real_one() {
    // A function or an alias may have the program's name.
    assert_eq!(read("cp() { true; }; cp a b && rm a").lines().next(), Some("First: cp a b (lost)"));
    // The shell may have ended, or may only be reading.
    for text in [
        "exit 0; cp a b",
        "exec ls; cp a b",
        "set -n; cp a b",
        "bash -nc 'cp a b'",
        "eval \"$x\"; cp a b",
    ] {
        let script = parse(text).unwrap();
        assert!(script.commands.last().unwrap().may_be_skipped_or_lost(), "{text}");
    }
    // A trap may decide with which status the shell ends.
    assert!(
        parse("trap 'exit 0' EXIT; cp a b")
            .unwrap()
            .commands
            .iter()
            .all(|c| c.may_be_skipped_or_lost())
    );
    // Something that runs nothing does not lend its success to what stands before it.
    for text in [
        "cp a b; case x in esac",
        "cp a b; eval ''",
        "cp a b; bash -c ''",
        "cp a b; f() { ls; }",
        "cp a b; $EMPTY",
    ] {
        let script = parse(text).unwrap();
        assert!(script.commands.len() > 1, "{text}");
        assert_eq!(script.commands[1].connective, Connective::Sequence, "{text}");
    }
    // A failing exit shows nothing wrong.
    assert!(!parse("cd x || exit 1; cp a b").unwrap().commands[2].may_be_skipped_or_lost());
}

#[test]
fn wrappers_are_kept_outermost_first() {
    let script = parse("sudo -u root env A=1 nice -n 5 /bin/rm -rf x > log").unwrap();
    let command = &script.commands[0];
    assert_eq!(command.wrappers.len(), 3);
    assert_eq!(command.program(), Some("rm"));
    assert_eq!(command.text(), "/bin/rm -rf x > log");
    assert_eq!(command.text_by_program(), "rm -rf x > log");
    assert_eq!(command.full_text(), "sudo -u root env A=1 nice -n 5 /bin/rm -rf x > log");
}

#[test]
fn what_is_not_known_is_named() {
    let what = |text: &str| match &parse(text).unwrap().commands.last().unwrap().nature {
        Nature::Dynamic { what } => what.clone(),
        nature => panic!("{text}: {nature:?}"),
    };
    assert_eq!(what("$CMD x"), "$CMD");
    assert_eq!(what("$(pick) x"), "$(pick)");
    assert_eq!(what("eval \"$x\""), "$x");
    assert_eq!(what("sudo --odd rm x"), "--odd");
    assert_eq!(what(". ./file"), "./file");
    let script = parse("rm $DIR/x *.o").unwrap();
    let dynamic: Vec<_> = script.commands[0]
        .words
        .iter()
        .map(|word| word.dynamic.clone().map(|d| (d.what, d.many)))
        .collect();
    assert_eq!(dynamic, [None, Some(("$DIR".to_owned(), true)), Some(("*.o".to_owned(), true))]);
}

#[test]
fn errors_say_what_and_where() {
    assert_eq!(read("ls 'a"), "error: `'` is not closed at byte 5");
    assert_eq!(read("ls ) x"), "error: unexpected `)` at byte 3");
    assert_eq!(
        read("rm\u{200b} x"),
        "error: invisible character `\\u{200b}` in the name of a program at byte 0"
    );
    assert_eq!(read("a\nrm\r\n"), "error: carriage return outside quotes at byte 4");
}

#[test]
fn messages_and_patterns_are_data() {
    let data = |text: &str| parse(text).unwrap().commands[0].data_words();
    assert_eq!(data("git commit -am 'rm x' rm"), [3]);
    assert_eq!(data("git commit --message='rm x'"), [2]);
    assert_eq!(data("git tag -a v1 -m 'rm x'"), [5]);
    assert_eq!(data("git push origin rm"), [] as [usize; 0]);
    assert_eq!(data("grep -A 3 -n 'rm x' rm"), [4]);
    assert_eq!(data("grep -e rm rm"), [2]);
    assert_eq!(data("./echo rm"), [] as [usize; 0]);
    assert_eq!(parse("echo rm $(rm x)").unwrap().commands[1].data_words(), [1, 2]);
}
