//! Every code has its page, and the pages tell the truth.

use std::fs;
use std::path::PathBuf;

use petriflow_rules::{Code, Diagnostic, Invalid, KnownTools, Paint, SourceFile, compile};

/// What is found in a text, all findings of errors or of lints.
fn findings(code: Code, text: &str) -> Vec<Diagnostic> {
    let known = (code == Code::UnknownTool).then(|| KnownTools::of_host("claude-code").unwrap());
    match compile(&[SourceFile::new("safety.rules", text)]) {
        Ok(rules) => rules.lints(known.as_ref()),
        Err(Invalid { diagnostics, .. }) => diagnostics,
    }
}

/// The first block of a language behind a place in a page, and where it begins and ends.
fn block(page: &str, language: &str, from: usize) -> Option<std::ops::Range<usize>> {
    let fence = format!("```{language}\n");
    let start = from + page.get(from..)?.find(&fence)? + fence.len();
    let end = start + page[start..].find("```")?;
    Some(start..end)
}

/// What a page's text block should hold.
fn rendered(code: Code, example: &str) -> String {
    let files = [SourceFile::new("safety.rules", example)];
    let found = findings(code, example).into_iter().filter(|finding| finding.code == code);
    found.map(|finding| finding.render(&files, &Paint::PLAIN)).collect()
}

#[test]
fn every_page_shows_what_is_really_printed() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
    for &code in Code::ALL {
        let page = code.page();
        assert!(page.starts_with(&format!("# {code}: ")), "{code} has no heading");
        assert!(page.contains("\n## Fix\n"), "{code} says no way out");
        let Some(example) = block(page, "rules", 0) else {
            let prose = [Code::NotText, Code::TooLarge, Code::BadScenario];
            assert!(prose.contains(&code), "{code} has no example");
            continue;
        };
        let rendered = rendered(code, &page[example.clone()]);
        assert!(!rendered.is_empty(), "{code}: the example does not show it");
        let text = block(page, "text", example.end).expect("a block of output");
        if std::env::var_os("PETRIFLOW_UPDATE").is_some() {
            let page = format!("{}{rendered}{}", &page[..text.start], &page[text.end..]);
            fs::write(folder.join(format!("{code}.md")), page).unwrap();
            continue;
        }
        assert_eq!(page[text.clone()], rendered, "{code}; PETRIFLOW_UPDATE=1 writes it anew");
        let fixed = block(page, "rules", text.end).expect("a corrected block");
        let left = findings(code, &page[fixed]);
        let is_wrong =
            |f: &Diagnostic| f.code == code || f.severity() == petriflow_rules::Severity::Error;
        assert!(!left.iter().any(is_wrong), "{code}: {left:?}");
    }
}

#[test]
fn there_is_no_page_without_a_code() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let code = name.strip_suffix(".md").unwrap_or(&name);
        assert!(Code::from_text(code).is_some(), "{name}");
    }
}
