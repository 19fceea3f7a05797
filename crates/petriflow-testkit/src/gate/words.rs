//! A resolver and a mapper that read what a call stands for from its input.

use std::borrow::Cow;

use petriflow_gate::{Action, Connective, Resolution, Resolver, ToolCall};

/// Splits `{"command": "a && b ; c || d"}` into the actions a, b, c and d.
///
/// `b&` is a detached b. `?` cannot be told. Calls without a command stand for themselves.
#[derive(Debug, Clone, Copy)]
pub struct Words;

impl Resolver for Words {
    fn resolve(&self, call: &ToolCall) -> Resolution {
        let Some(command) = call.text("command") else { return Resolution::Itself };
        let mut actions = Vec::new();
        let mut connective = Connective::Regardless;
        for word in command.split_whitespace() {
            match word {
                "&&" => connective = Connective::AfterSuccess,
                ";" => connective = Connective::Regardless,
                "||" => connective = Connective::AfterFailure,
                "?" => return Resolution::Refused("cannot be told".into()),
                word => actions.push(action(word).after(connective)),
            }
        }
        Resolution::Actions(actions)
    }

    fn fingerprint(&self) -> String {
        "words".into()
    }
}

fn action(word: &str) -> Action {
    match word.strip_suffix('&') {
        Some(tool) => Action::new(tool).with_text(word).detached(),
        None => Action::new(word).with_text(word),
    }
}

/// The tool named in the field `as`, or the call's own.
pub fn stands_for(call: &ToolCall) -> Cow<'_, str> {
    Cow::Borrowed(call.text("as").unwrap_or(&call.tool))
}
