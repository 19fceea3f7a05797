//! `petriflow explain`.

use petriflow::rules::Code;

use crate::args::ExplainArgs;
use crate::outcome::{Exit, Failure, Outcome};
use crate::text;

/// The command.
pub(crate) fn run(args: &ExplainArgs) -> Outcome {
    let Some(code) = &args.code else { return Outcome::output(list(), Exit::Clean) };
    match Code::from_text(code.trim()) {
        Some(code) => Outcome::output(code.page().to_owned(), Exit::Clean),
        None => {
            Failure::new(format!("there is no finding `{}`", text::shown(code, text::NAME_MAX)))
                .hint("`petriflow explain` lists all codes")
                .into()
        }
    }
}

/// One line for every code: its page's heading and how severe it is.
fn list() -> String {
    let line = |code: &Code| {
        let heading = code.page().lines().next().unwrap_or_default();
        let title = heading.split_once(": ").map_or(heading, |(_, title)| title);
        format!("{code}  {:7}  {title}\n", code.severity().to_string())
    };
    Code::ALL.iter().map(line).collect()
}
