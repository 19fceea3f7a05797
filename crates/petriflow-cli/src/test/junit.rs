//! The report for build servers, which read JUnit's XML.

use super::Tested;

pub(crate) fn render(tested: &[Tested]) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for one in tested {
        let runs = &one.report.runs;
        let failed = runs.iter().filter(|run| run.failure.is_some()).count();
        let name = escaped(&one.file.name);
        let count = runs.len();
        out.push_str(&format!(
            "  <testsuite name=\"{name}\" tests=\"{count}\" failures=\"{failed}\" errors=\"0\">\n"
        ));
        for run in runs {
            let test = escaped(&run.name);
            let line = run.line;
            let case = format!(
                "<testcase classname=\"{name}\" name=\"{test}\" file=\"{name}\" line=\"{line}\""
            );
            let Some(failure) = &run.failure else {
                out.push_str(&format!("    {case}/>\n"));
                continue;
            };
            let message = format!("expected {}, got {}", failure.expected, failure.got);
            let mut text = format!("{}:{}\n", one.file.name, failure.line);
            for step in &run.trace {
                text.push_str(&format!(
                    "{}  => {}\n",
                    one.file.line(step.line).trim(),
                    step.outcome
                ));
            }
            for (message, source) in &failure.reasons {
                let source =
                    source.as_ref().map(|s| format!(" ({}:{}: {})", s.file, s.line, s.text));
                text.push_str(&format!("{message}{}\n", source.unwrap_or_default()));
            }
            out.push_str(&format!(
                "    {case}>\n      <failure message=\"{}\">",
                escaped(&message)
            ));
            out.push_str(&escaped(&text));
            out.push_str("</failure>\n    </testcase>\n");
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

/// Text for attributes and elements. Characters that XML cannot hold become a mark.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(character),
            _ if character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}') => {
                out.push('�')
            }
            _ => out.push(character),
        }
    }
    out
}
