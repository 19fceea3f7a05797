//! Laws for any text.

use arbitrary::{Result, Unstructured};
use petriflow_shell::{Nature, parse};

use crate::generated;

const TOKENS: [&str; 84] = [
    "rm",
    "ls",
    " ",
    " ",
    " ",
    "\n",
    ";",
    "&",
    "|",
    "&&",
    "||",
    "(",
    ")",
    "{",
    "}",
    "{ ",
    "; }",
    "((",
    "))",
    "[[",
    "]]",
    "$(",
    "`",
    "${",
    "$((",
    "$X",
    "X=",
    "X=rm",
    "\"",
    "'",
    "\\",
    "\\\n",
    "$'",
    "<",
    ">",
    ">>",
    "<<",
    "<<-",
    "<<<",
    "<<E",
    "\nE\n",
    "E",
    "<(",
    ">(",
    "2>&1",
    "if ",
    "then ",
    "else ",
    "elif ",
    "fi",
    "for ",
    "in ",
    "do ",
    "done",
    "while ",
    "until ",
    "case ",
    "esac",
    ";;",
    "function ",
    "f()",
    "!",
    "time ",
    "coproc ",
    "#",
    "*",
    "?",
    "[",
    "]",
    "~",
    "=",
    "+=",
    ",",
    "..",
    "bash -c ",
    "eval ",
    "sudo ",
    "env ",
    "xargs ",
    "find . -exec ",
    "\\;",
    "\t",
    "\r",
    "é",
];

fn tokens(u: &mut Unstructured<'_>) -> Result<String> {
    let mut text = String::new();
    for _ in 0..u.int_in_range(0..=40)? {
        text.push_str(u.choose(&TOKENS)?);
    }
    Ok(text)
}

/// Laws of every list that is read.
fn check(text: &str) {
    let Ok(script) = parse(text) else { return };
    for (index, command) in script.commands.iter().enumerate() {
        assert_eq!(
            index == 0,
            command.connective == petriflow_shell::Connective::First,
            "{text:?}"
        );
        assert!(
            command.span.start <= command.span.end && command.span.end <= text.len(),
            "{text:?}"
        );
        assert!(
            command.data_words().iter().all(|word| (1..command.words.len()).contains(word)),
            "{text:?}"
        );
        if command.words.first().is_some_and(|word| word.dynamic.is_some()) {
            assert!(matches!(command.nature, Nature::Dynamic { .. }), "{text:?}");
        }
        let _ = (command.text(), command.full_text(), command.text_by_program(), command.program());
    }
    assert_eq!(parse(text).as_ref(), Ok(&script), "the same text reads the same");
}

#[test]
fn any_string_is_read_or_refused() {
    generated(20000, |u| {
        let text: String = u.arbitrary()?;
        check(&text);
        Ok(())
    });
}

#[test]
fn any_sequence_of_tokens_is_read_or_refused() {
    generated(60000, |u| {
        check(&tokens(u)?);
        Ok(())
    });
}

#[test]
fn any_quoted_text_is_one_word() {
    generated(20000, |u| {
        let text: String = u.arbitrary()?;
        if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
            return Ok(());
        }
        let quoted = format!("echo '{}'", text.replace('\'', "'\\''"));
        let script = parse(&quoted).unwrap();
        assert_eq!(script.commands.len(), 1);
        assert_eq!(script.commands[0].words[1].known(), Some(text.as_str()));
        Ok(())
    });
}

/// Whatever follows a separator is listed: a prefix cannot swallow it without being refused.
#[test]
fn nothing_before_a_separator_hides_what_follows() {
    generated(40000, |u| {
        let prefix = tokens(u)?;
        if parse(&prefix).is_err() || prefix.contains(['#', '<']) {
            return Ok(());
        }
        let text = format!("{prefix}\nrm canary");
        if let Ok(script) = parse(&text) {
            let listed = script.commands.iter().any(|command| {
                command.text().contains("canary") || !matches!(command.nature, Nature::Plain)
            });
            assert!(listed, "{text:?}");
        }
        Ok(())
    });
}
