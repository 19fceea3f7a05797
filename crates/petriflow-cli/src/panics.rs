//! A panic is a bug of ours, and comes out as an error and exit 2 rather than as a backtrace.

use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Mutex;

use crate::outcome::{Failure, Outcome};
use crate::text;

/// The first panic. A later one is often only the echo of a thread's.
static FIRST: Mutex<Option<String>> = Mutex::new(None);

/// Runs a command; if it panics, the outcome says so.
pub(crate) fn contained(command: impl FnOnce() -> Outcome) -> Outcome {
    caught(command).unwrap_or_else(|what| {
        Failure::new(format!("internal error: {what}"))
            .hint("this is a bug of petriflow; please report it with the file that shows it")
            .into()
    })
}

/// Runs something that may panic, and tells what and where if it does.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    panic::set_hook(Box::new(remember));
    // Nothing that could have been left half done is looked at afterwards.
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        let first = FIRST.lock().ok().and_then(|mut first| first.take());
        first.unwrap_or_else(|| "unknown".to_owned())
    })
}

fn remember(info: &PanicHookInfo<'_>) {
    let message = text::shown(info.payload_as_str().unwrap_or("no message"), text::MESSAGE_MAX);
    let place = info.location().map(|at| format!(" ({}:{})", at.file(), at.line()));
    if let Ok(mut first) = FIRST.lock() {
        first.get_or_insert(message + &place.unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Exit;

    #[test]
    fn a_panic_is_an_error_in_one_line_and_exit_2() {
        let outcome = contained(|| {
            std::thread::scope(|scope| {
                scope.spawn(|| panic!("token count\nwent negative"));
            });
            Outcome::output("a report".to_owned(), Exit::Clean)
        });
        let _ = panic::take_hook();
        assert_eq!((outcome.exit, outcome.stdout.as_str()), (Exit::Failed, ""));
        let lines: Vec<&str> = outcome.stderr.lines().collect();
        let expected = r"error: internal error: token count\nwent negative (crates/petriflow-cli";
        assert!(lines[0].starts_with(expected), "{lines:?}");
        assert!(lines[1].starts_with("hint: "), "{lines:?}");
        assert_eq!(lines.len(), 2);
    }
}
