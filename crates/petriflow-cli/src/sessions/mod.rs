//! What is stored of sessions, and what a person says about them.

pub(crate) mod answers;
pub(crate) mod list;
pub(crate) mod status;
pub(crate) mod trust;

use std::io::{self, BufRead, IsTerminal, Write};

use petriflow_sqlite::{GateStore, SessionKey, SessionRow};

use crate::args::StateArgs;
use crate::hook::{LOCK, places};
use crate::outcome::Failure;
use crate::text;

/// The state, if there is any yet.
pub(crate) fn open(state: &StateArgs) -> Result<Option<GateStore>, Failure> {
    let dir = places::state_dir(state).map_err(Failure::new)?;
    Ok(GateStore::open_existing(&dir, LOCK)?)
}

/// The state, or a failure that says there is none.
pub(crate) fn open_some(state: &StateArgs) -> Result<GateStore, Failure> {
    open(state)?.ok_or_else(|| {
        Failure::new("there are no sessions yet".to_owned())
            .hint("`petriflow init HOST` sets a host up; its sessions appear with their first call")
    })
}

/// The one session whose id begins so.
fn find(rows: Vec<SessionRow>, beginning: &str) -> Result<SessionRow, Failure> {
    let mut found: Vec<SessionRow> =
        rows.into_iter().filter(|row| row.key.id.starts_with(beginning)).collect();
    if let Some(exact) = found.iter().position(|row| row.key.id == beginning) {
        return Ok(found.swap_remove(exact));
    }
    let shown = text::shown(beginning, text::NAME_MAX);
    match (found.pop(), found.is_empty()) {
        (Some(only), true) => Ok(only),
        (None, _) => Err(Failure::new(format!("no session's id begins with `{shown}`"))
            .hint("`petriflow sessions` lists them")),
        (Some(_), false) => Err(Failure::new(format!(
            "several sessions' ids begin with `{shown}`; give more of it"
        ))),
    }
}

/// What a person must do, a person must do: an agent's commands have no terminal.
fn require_terminal(what: &'static str) -> Result<(), Failure> {
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        return Ok(());
    }
    Err(Failure::new(format!("`petriflow {what}` is for a person and needs a terminal")))
}

/// Asks the person at the terminal.
fn confirmed(question: &str) -> bool {
    let mut stdout = io::stdout().lock();
    let asked = write!(stdout, "{question} [y/N] ").and_then(|()| stdout.flush());
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    asked.is_ok() && read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

/// A session's id as it is shown; the part of a sub-agent stands behind a slash.
pub(crate) fn shown_id(key: &SessionKey) -> String {
    text::shown(&key.id.replace('\u{0}', "/"), text::NAME_MAX)
}
