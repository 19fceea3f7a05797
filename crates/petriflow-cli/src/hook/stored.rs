//! Sessions as they are stored, for commands that only look at them.

use petriflow::gate::Session;
use petriflow_sqlite::{GateStore, StoredSession};

use super::footing;

/// A session with its state, under the rules it runs under.
pub(crate) fn restore(store: &GateStore, stored: &StoredSession) -> Result<Session, String> {
    let rules = store.rules(&stored.rules).map_err(|error| error.to_string())?;
    let rules = rules.ok_or("the rules of the session are not in the state")?;
    let policy = footing::policy(&footing::source_files(&rules)?)?;
    footing::restored(&policy, &stored.state)
}
