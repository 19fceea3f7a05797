//! What must hold for any shell text.

use petriflow_gate::{Resolution, Resolver, ToolCall};
use petriflow_rules::{SourceFile, compile};
use serde_json::json;

/// Reads any text: nothing panics, commands stand in the text, and rules refuse what cannot be read.
pub fn survive(text: &str) {
    let parsed = petriflow_shell::parse(text);
    if let Ok(script) = &parsed {
        for command in &script.commands {
            assert!(command.span.start <= command.span.end && command.span.end <= text.len());
            let words = command.words.len();
            assert!(command.data_words().iter().all(|&at| at > 0 && at < words), "{text:?}");
        }
    }
    let rules = "map bash.command rm as delete\nmap bash.command /git push .*-f/ as force-push\nblock delete";
    let rules = compile(&[SourceFile::new("survive.rules", rules)]).expect("valid rules");
    let call = ToolCall::new("1", "bash", json!({ "command": text }));
    let resolution = rules.maps().resolve(&call);
    let refused = matches!(resolution, Resolution::Refused(_));
    assert_eq!(refused, parsed.is_err(), "{text:?}: {resolution:?}");
}
