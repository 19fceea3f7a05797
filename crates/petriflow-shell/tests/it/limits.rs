//! Long, deep and growing texts.

use petriflow_shell::{DEPTH_MAX, ErrorKind, TEXT_MAX, parse};

#[test]
fn any_nesting_is_an_error_and_not_a_stack_overflow() {
    let openers = [
        "(",
        "((",
        "$(",
        "$((",
        "{ ",
        "\"$(",
        "if ",
        "${x:-",
        "<(",
        "`",
        "case x in a) ",
        "f() { ",
        "while ",
        "[[ ",
        "! ",
        "time ",
        "coproc ",
        "a=(",
        "x=$(",
        "until (",
        "bash -c \"",
        "eval ",
        "\"${x:-",
        "!",
        "function f { ",
    ];
    for opener in openers {
        for count in [DEPTH_MAX, 1_000, 100_000] {
            // Some of them are complete texts; what matters is that there is an answer.
            let _ = parse(&opener.repeat(count));
            let _ = parse(&format!("{}ls", opener.repeat(count)));
        }
    }
    let deep = format!("{}rm x{}", "( ".repeat(100_000), ")".repeat(100_000));
    assert!(parse(&deep).is_err());
    let nested = (0..200).fold("rm x".to_owned(), |text, _| format!("( {text} )"));
    assert_eq!(parse(&nested).unwrap_err().kind(), &ErrorKind::TooDeep);
    let wrapped = format!("{}rm x", "sudo ".repeat(200));
    assert_eq!(parse(&wrapped).unwrap_err().kind(), &ErrorKind::TooDeep);
    let shallow = format!("{}rm x", "sudo ".repeat(20));
    assert_eq!(parse(&shallow).unwrap().commands[0].program(), Some("rm"));
}

#[test]
fn texts_that_would_grow_without_end_are_refused() {
    let doubling = format!("X=aaaaaaaaaaaaaaaa{}; echo $X", "; X=$X$X".repeat(40));
    assert_eq!(parse(&doubling).unwrap_err().kind(), &ErrorKind::TooMuch);
    let calls: String =
        (1..40).map(|n| format!("f{n}() {{ f{}; f{}; }}; ", n - 1, n - 1)).collect();
    let calls = format!("f0() {{ rm x; }}; {calls} f39");
    assert!(parse(&calls).is_err());
    let braces = format!("echo {}", "{a,b}".repeat(40));
    let script = parse(&braces).unwrap();
    assert!(script.commands[0].words[1].dynamic.is_some());
    let recursive = parse("f() { f; g; }; g() { f; g; rm x; }; f").unwrap();
    assert!(recursive.commands.iter().any(|command| command.program() == Some("rm")));
    let long = "a".repeat(TEXT_MAX + 1);
    assert_eq!(parse(&long).unwrap_err().kind(), &ErrorKind::TooLong);
}

/// Work is bounded by the expansion budget, which is proportional to the text. This shows that
/// ordinary long texts stay within it, and that each of them is read whole.
#[test]
fn a_megabyte_of_text_is_read() {
    let repeat = |text: &str| text.repeat((1 << 20) / text.len());
    for (text, least) in [
        ("cp a b && rm -rf x\n", 100_000),
        ("echo \"$(ls)\" `ls` <(ls)\n", 100_000),
        ("X=a; (X=b; echo $X); echo ${X:-c}\n", 60_000),
        ("f() { ls; }; for i in a; do ls; done\n", 30_000),
        ("cat <<E\n$(ls)\nE\n", 60_000),
        ("bash -c 'rm x'\n", 60_000),
        ("sudo env A=b rm x\n", 50_000),
    ] {
        let script = parse(&repeat(text)).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(script.commands.len() >= least, "{text}: {}", script.commands.len());
    }
    for text in
        ["{", "{a,", "a\"b\"", "'a'", "\\a", "$a", "a[", "~", "a=", "$'a'", "*", "a\\\n", "#"]
    {
        let script = parse(&format!("echo {}", repeat(text)));
        assert!(script.is_ok(), "{text}: {:?}", script.err());
    }
    for text in ["`", "$((", "<<a ", "&", "|", ";", "a=(", "case x in ", "x<<a\n"] {
        let _ = parse(&repeat(text));
    }
}

/// Four times the text takes about four times as long: sixteen times would be quadratic. It is tried
/// until it shows, since other work on the machine may disturb a run or twenty.
#[test]
fn time_grows_with_the_length_of_the_text() {
    let best = |text: &str| {
        let run = || {
            let start = std::time::Instant::now();
            let _ = parse(text);
            start.elapsed()
        };
        (0..3).map(|_| run()).min().unwrap()
    };
    let patterns = [
        "cp a b && rm -rf x\n",
        "echo \"$(ls)\" `ls`\n",
        "X=a; (X=b; echo $X)\n",
        "cat <<E\n$(ls)\nE\n",
        "for i in a; do X=b; done\n",
        "echo {a,b}{c,d}\n",
        "f() { ls; }\n",
        "bash -c 'rm x'\n",
        "(( x )) && [[ a || b ]]\n",
        "ls > f; ./f\n",
        "a=(b c)\n",
    ];
    for pattern in patterns {
        let text = |bytes: usize| pattern.repeat(bytes / pattern.len());
        let is_linear = || best(&text(1 << 17)) < best(&text(1 << 15)) * 12;
        assert!((0..20).any(|_| is_linear()), "{pattern:?}");
    }
}

/// The deepest texts that are still read fit into a small stack, even without optimisation.
#[test]
fn the_deepest_texts_fit_into_a_small_stack() {
    let pairs = [
        ("( ", " )"),
        ("$(", ")"),
        ("{ ", "; }"),
        ("\"$(", ")\""),
        ("if ", "; then ls; fi"),
        ("echo ${x:-$(", ")}"),
        ("cat <(", ")"),
        ("f() { ", "; }; f"),
        ("case a in a) ", ";; esac"),
        ("while ", "; do ls; done"),
        ("sudo ", ""),
        ("echo `", "`"),
        ("! { ", "; }"),
        ("a && ( b | { ", "; } )"),
    ];
    let check = move || {
        for (open, close) in pairs {
            let read = (1..DEPTH_MAX).filter(|count| {
                parse(&format!("{}ls{}", open.repeat(*count), close.repeat(*count))).is_ok()
            });
            assert!(read.count() >= 1, "{open}");
        }
    };
    std::thread::Builder::new().stack_size(512 << 10).spawn(check).unwrap().join().unwrap();
}
