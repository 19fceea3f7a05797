//! Colours, only on terminals and only if nobody asked for none.

use std::io::IsTerminal;

use petriflow::rules::Paint;

/// Words in colour, or as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Style {
    colour: bool,
}

impl Style {
    /// For standard output.
    pub(crate) fn of_stdout() -> Self {
        Self { colour: std::io::stdout().is_terminal() && !is_refused() }
    }

    /// For standard error.
    pub(crate) fn of_stderr() -> Self {
        Self { colour: std::io::stderr().is_terminal() && !is_refused() }
    }

    pub(crate) fn paint(self) -> Paint {
        if self.colour { Paint::ANSI } else { Paint::PLAIN }
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.in_colour("32", text)
    }

    pub(crate) fn bad(self, text: &str) -> String {
        self.in_colour("1;31", text)
    }

    pub(crate) fn ask(self, text: &str) -> String {
        self.in_colour("33", text)
    }

    pub(crate) fn faint(self, text: &str) -> String {
        self.in_colour("2", text)
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.in_colour("1", text)
    }

    fn in_colour(self, code: &str, text: &str) -> String {
        if self.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// https://no-color.org: any value but the empty one.
fn is_refused() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    refused || dumb
}
