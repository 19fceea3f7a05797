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
