//! Sessions as they are stored, for commands that only look at them.

use petriflow::gate::Session;
use petriflow_sqlite::{GateStore, StoredSession};

use super::footing::{self, Kept};

/// A session with its state, under the rules it runs under.
pub(crate) fn restore(store: &GateStore, stored: &StoredSession) -> Result<Session, String> {
    let policy = footing::policy(&kept(store, &stored.rules)?.files())?;
    footing::restored(&policy, &stored.state)
}

/// Rules by their digest.
pub(crate) fn kept(store: &GateStore, hash: &str) -> Result<Kept, String> {
    let kept = store.rules(hash).map_err(|error| error.to_string())?;
    Kept::from_text(&kept.ok_or("the rules of the session are not in the state")?)
}
