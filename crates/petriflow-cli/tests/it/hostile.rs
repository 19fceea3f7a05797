//! Hostile input: one clear error and exit 2, quickly, and never a panic.

use std::fs::File;

use super::{file, output, relative};

/// The only line on standard error, for input that cannot be analysed.
fn refusal(path: &str) -> String {
    let output = output(&["analyse", path], b"");
    let message = relative(&String::from_utf8(output.stderr).expect("messages are UTF-8"));
    assert_eq!(output.status.code(), Some(2), "{path}: {message}");
    assert!(output.stdout.is_empty(), "{path}");
    assert!(message.starts_with("error: ") && message.lines().count() == 1, "{path}: {message}");
    for trace in ["panicked", "internal error", "backtrace", "RUST_"] {
        assert!(!message.contains(trace), "{path}: {message}");
    }
    message
}

#[test]
fn hostile_files_are_refused() {
    const DEPTH: usize = 200_000;
    let laughs = "<!DOCTYPE pnml [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;\">]><pnml>&b;</pnml>";
    let noise: Vec<u8> =
        (0..100_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let number = "9".repeat(100_000);
    let marked = |text: &str| {
        let marking = format!("<initialMarking><text>{text}</text></initialMarking>");
        format!("<pnml><net id='n' type='ptnet'><place id='p'>{marking}</place></net></pnml>")
    };
    let cases: [(&str, Vec<u8>); 18] = [
        ("empty.pnml", b"".to_vec()),
        ("empty.json", b"".to_vec()),
        ("blank.json", b" \n\t\r\n".to_vec()),
        ("noise.pnml", noise.clone()),
        ("noise.json", noise.clone()),
        ("noise.bin", noise),
        ("zeros.json", vec![0; 1000]),
        ("utf16.txt", b"\xFF\xFE<\0p\0n\0m\0l\0/\0>\0".to_vec()),
        ("truncated.json", br#"{"places": ["a", "b"#.to_vec()),
        ("truncated.pnml", b"<pnml><net id='n' type='ptnet'><place id='p".to_vec()),
        ("swapped.json", b"<pnml/>".to_vec()),
        ("swapped.pnml", b"{}".to_vec()),
        ("laughs.pnml", laughs.into()),
        ("deep.json", format!("{{\"places\": {}", "[".repeat(DEPTH)).into()),
        ("deep.pnml", "<a>".repeat(DEPTH).into()),
        (
            "number.json",
            format!("{{\"places\": [], \"initialMarking\": {{\"p\": {number}}}}}").into(),
        ),
        ("number.pnml", marked(&number).into()),
        ("name.json", format!("{{\"{}\": 1}}", "x".repeat(1_000_000)).into()),
    ];
    let report: String = cases.iter().map(|(name, bytes)| refusal(&file(name, bytes))).collect();
    insta::assert_snapshot!(report, @r"
    error: empty.pnml: the input is empty
    error: empty.json: the input is empty
    error: blank.json: the input is empty
    error: noise.pnml:1:2: this byte is not part of any UTF-8 character; only UTF-8 can be read
    error: noise.json:1:2: this byte is not part of any UTF-8 character; only UTF-8 can be read
    error: noise.bin: neither PNML, which starts with `<`, nor JSON, which starts with `{`; YAML needs a file ending in .yaml or .yml
    error: zeros.json:1:1: expected value
    error: utf16.txt:1:1: the encoding is `UTF-16`; only UTF-8 can be read
    error: truncated.json:1:19: EOF while parsing a string
    error: truncated.pnml:1:44: not well-formed XML: unexpected end of stream
    error: swapped.json:1:1: expected value
    error: swapped.pnml:1:1: not well-formed XML: unknown token
    error: laughs.pnml:1:1: a document type declaration is not allowed
    error: deep.json:1:12: invalid type: sequence, expected a string
    error: deep.pnml:1:3001: elements are nested more than 1000 deep
    error: number.json:1:100039: number out of range
    error: number.pnml:1:46: `initialMarking` is `999999999999999999999999999999999999999999999999999999999999…`, which is more than 4294967295
    error: name.json:1:1000003: unknown field `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
    ");
}

#[test]
fn files_over_the_limit_are_refused_unread() {
    let path = file("sparse.pnml", "");
    // Sparse: it takes no room on disk, and would take a while to read.
    File::options().write(true).open(&path).and_then(|f| f.set_len(8 << 30)).expect("sparse file");
    let message = refusal(&path);
    std::fs::remove_file(&path).expect("removable");
    insta::assert_snapshot!(message, @"error: sparse.pnml: more than 64 MiB, the most that is read");
}

#[cfg(unix)]
#[test]
fn endless_input_is_not_read_to_its_end() {
    insta::assert_snapshot!(refusal("/dev/zero"), @"error: /dev/zero: more than 64 MiB, the most that is read");
}
