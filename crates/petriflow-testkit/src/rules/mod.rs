//! Rules made from bytes, and what must hold for them.
//!
//! - [`survive`]: the parser survives any text, and what it read prints and reads as the same.
//! - [`print_and_parse`]: so does every document.
//! - [`agree`]: compiled rules decide as a direct interpreter of the rules does.
//!
//! Each is the body of a property test and of a fuzz target.

mod agree;
mod generate;
mod interpreter;

pub use agree::agree;
pub use generate::{document, noise};
pub use interpreter::{Interpreter, Names, Ruling};

use arbitrary::{Result, Unstructured};
use petriflow_rules::{Paint, SourceFile, compile, format, parse};

/// Reads any text: nothing panics, findings point into the text and can be shown, and if it can be
/// read its printed form says the same.
pub fn survive(text: &str) {
    let files = [SourceFile::new("any.rules", text)];
    let parsed = parse(&files);
    for diagnostic in &parsed.diagnostics {
        let line = files[0].line(diagnostic.span.line);
        let characters = line.chars().count() as u32;
        assert!(diagnostic.span.column >= 1, "{diagnostic:?}");
        assert!(
            diagnostic.span.column + diagnostic.span.length <= characters + 1,
            "{diagnostic:?}"
        );
        assert!(diagnostic.help.as_ref().is_some_and(|help| !help.is_empty()), "{diagnostic:?}");
        let shown = diagnostic.render(&files, &Paint::PLAIN);
        assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
    }
    let printed = parsed.documents[0].to_string();
    let again = parse(&[SourceFile::new("any.rules", printed.as_str())]);
    assert!(again.diagnostics.is_empty(), "{printed:?}: {:?}", again.diagnostics);
    assert_eq!(again.documents, parsed.documents, "{printed:?}");
    if parsed.diagnostics.is_empty() {
        let formatted = format(&files[0]).expect("it was read");
        let twice = format(&SourceFile::new("any.rules", formatted.as_str()));
        assert_eq!(twice.expect("it was formatted"), formatted);
    }
    if let Ok(rules) = compile(&files) {
        assert_eq!(
            rules.nets.len(),
            parsed.documents[0].statements().filter(|s| s.kind.is_rule()).count()
        );
        let _ = rules.lints(None);
    }
}

/// A document that is printed reads as itself.
///
/// # Errors
/// If the bytes run out.
pub fn print_and_parse(u: &mut Unstructured<'_>) -> Result<()> {
    let document = document(u)?;
    let printed = document.to_string();
    let parsed = parse(&[SourceFile::new("printed.rules", printed.as_str())]);
    assert!(parsed.diagnostics.is_empty(), "{printed}\n{:?}", parsed.diagnostics);
    assert_eq!(parsed.documents[0].to_string(), printed);
    let statements = |d: &petriflow_rules::syntax::Document| {
        d.statements().map(|statement| statement.kind.clone()).collect::<Vec<_>>()
    };
    assert_eq!(statements(&parsed.documents[0]), statements(&document));
    Ok(())
}
