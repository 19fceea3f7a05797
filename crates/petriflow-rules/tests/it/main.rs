//! Tests of the rules language at its public boundary.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that panics is a test that fails, helpers included"
)]

mod compiling;
mod language;
mod lints;
mod maps;
mod pages;
mod properties;
mod scenarios;
mod shell;
mod verification;

use petriflow_rules::{Diagnostic, Invalid, RuleSet, SourceFile, compile};

fn compiled(text: &str) -> RuleSet {
    compile(&[SourceFile::new("safety.rules", text)]).expect("the rules are good")
}

/// The errors of a text; none if it is good.
fn errors(text: &str) -> Vec<Diagnostic> {
    match compile(&[SourceFile::new("safety.rules", text)]) {
        Ok(_) => Vec::new(),
        Err(Invalid { diagnostics, .. }) => diagnostics,
    }
}

/// Findings, one to a line: where, what, and what to do.
fn listed(findings: &[Diagnostic]) -> String {
    let line = |finding: &Diagnostic| {
        let Diagnostic { code, message, span, help, .. } = finding;
        let help = help.as_deref().unwrap_or("-");
        format!("  {}:{} {code} {message} | {help}\n", span.line, span.column)
    };
    findings.iter().map(line).collect()
}

/// Each text on its own, with what is wrong with it.
fn each(texts: &[&str], findings: impl Fn(&str) -> Vec<Diagnostic>) -> String {
    let one = |text: &&str| {
        let found = listed(&findings(text));
        let found = if found.is_empty() { "  good\n".to_owned() } else { found };
        format!(
            "{}\n{found}",
            text.escape_debug()
                .to_string()
                .replace("\\\"", "\"")
                .replace("\\'", "'")
                .replace("\\\\", "\\")
        )
    };
    texts.iter().map(one).collect()
}
