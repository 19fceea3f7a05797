//! Laws, on generated input. The bodies are those of the fuzz targets.

use petriflow_testkit::{cases, rules};

#[test]
fn the_parser_survives_any_text_and_what_it_reads_prints_and_reads_again() {
    cases::check(3_000, |u| {
        rules::survive(&rules::noise(u)?);
        Ok(())
    });
    cases::check(1_000, |u| {
        let bytes = u.bytes(u.len().min(300))?;
        rules::survive(&String::from_utf8_lossy(bytes));
        Ok(())
    });
}

#[test]
fn whatever_is_printed_reads_as_itself() {
    cases::check(2_000, rules::print_and_parse);
}

#[test]
fn compiled_rules_decide_as_their_interpreter_does() {
    cases::check(2_000, rules::agree);
}

#[test]
fn any_shell_text_is_read_or_refused() {
    const PIECES: [&str; 30] = [
        "rm",
        "cp a b",
        "git push",
        "&&",
        "||",
        ";",
        "|",
        "&",
        "(",
        ")",
        "{",
        "}",
        "$(",
        "`",
        "'",
        "\"",
        "$X",
        "<<E",
        "\nE\n",
        ">",
        "if",
        "then",
        "fi",
        "for x in a",
        "do",
        "done",
        "sudo",
        "bash -c",
        "\\",
        "#",
    ];
    cases::check(3_000, |u| {
        let mut text = String::new();
        for _ in 0..u.int_in_range(0..=30)? {
            text.push_str(u.choose(&PIECES)?);
            text.push_str(u.choose(&[" ", " ", " ", "", "\n"])?);
        }
        petriflow_testkit::shell::survive(&text);
        Ok(())
    });
}
