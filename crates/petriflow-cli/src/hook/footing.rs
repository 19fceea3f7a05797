//! What a session stands on: its state, and the rules it runs under.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use petriflow::gate::{Policy, Session, Snapshot, Timestamp, ToolCall};
use petriflow::rules::{Invalid, RuleSet, SourceFile, compile, compile_known};
use petriflow_sqlite::{SessionKey, StoredSession, Transaction};
use serde::{Deserialize, Serialize};

use super::project::{Mode, Places, Project, Settings};

/// Rules as they are now, compiled.
pub(crate) struct Current {
    pub(crate) settings: Settings,
    pub(crate) files: Vec<SourceFile>,
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) hash: String,
    pub(crate) policy: Arc<Policy>,
}

impl Current {
    pub(crate) fn load(places: &Places, root: &Path) -> Result<Self, String> {
        Self::load_known(places, root, None)
    }

    /// Rules that a session runs under already were found to be valid when it began.
    pub(super) fn load_known(
        places: &Places,
        root: &Path,
        known: Option<&str>,
    ) -> Result<Self, String> {
        let Project { settings, files, paths, hash } = places.load(root)?;
        let policy = match known == Some(hash.as_str()) {
            true => policy_by(compile_known, &files)?,
            false => policy(&files)?,
        };
        Ok(Self { settings, files, paths, hash, policy })
    }
}

/// Compiles rules, or says in one line what is wrong with them.
pub(crate) fn policy(files: &[SourceFile]) -> Result<Arc<Policy>, String> {
    policy_by(compile, files)
}

fn policy_by(
    compile: impl Fn(&[SourceFile]) -> Result<RuleSet, Invalid>,
    files: &[SourceFile],
) -> Result<Arc<Policy>, String> {
    let rules = compile(files).map_err(|invalid: Invalid| {
        let text = invalid.to_string();
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        let more = match lines.count() {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        format!("the rules are not valid: {first}{more}; `petriflow check` shows all of it")
    })?;
    rules.policy().map_err(|error| format!("the rules cannot be used: {error}"))
}

/// A session and what it runs under.
pub(super) struct Footing {
    pub(super) session: Session,
    /// Calls in flight about which a person was asked.
    pub(super) asked: BTreeSet<String>,
    /// Calls in flight by what a second event about them would say.
    unconfirmed: BTreeMap<String, String>,
    pub(super) rules: String,
    started_at_ms: u64,
}

/// The text that the store keeps of a session.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    asked: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    unconfirmed: BTreeMap<String, String>,
    snapshot: Snapshot,
}

impl Footing {
    pub(super) fn new(current: &Current, now_ms: u64) -> Self {
        Self {
            session: Session::new(&current.policy),
            asked: BTreeSet::new(),
            unconfirmed: BTreeMap::new(),
            rules: current.hash.clone(),
            started_at_ms: now_ms,
        }
    }

    /// Takes a session up under the rules it was saved under, also if they are others now.
    pub(super) fn restore(
        tx: &Transaction<'_>,
        stored: &StoredSession,
        current: Option<&Current>,
    ) -> Result<Self, String> {
        let policy = match current.filter(|current| current.hash == stored.rules) {
            Some(current) => Arc::clone(&current.policy),
            None => policy(&sources(tx, &stored.rules)?)?,
        };
        let State { asked, unconfirmed, snapshot } = read_state(&stored.state)?;
        let session = Session::restore(&policy, snapshot).map_err(|error| error.to_string())?;
        let (rules, started_at_ms) = (stored.rules.clone(), stored.started_at_ms);
        Ok(Self { session, asked, unconfirmed, rules, started_at_ms })
    }

    /// Goes over to the rules as they are now, if a person has seen the change or nothing is
    /// enforced. Rules that are the same keep their state.
    pub(super) fn follow(
        &mut self,
        tx: &Transaction<'_>,
        current: &Current,
        project: &str,
        mode: Mode,
    ) -> Result<(), String> {
        if self.rules == current.hash {
            return Ok(());
        }
        let trusted = tx.is_trusted(project, &current.hash).map_err(|error| error.to_string())?;
        if !trusted && mode == Mode::Enforce {
            return Err(format!(
                "the rules have changed since this session began, and nobody has confirmed the \
                 change; a person must look at it and run `petriflow trust` in {project}"
            ));
        }
        let old = Arc::clone(self.session.policy());
        self.session = Session::migrate(&old, self.session.snapshot(), &current.policy)
            .map_err(|error| error.to_string())?;
        self.asked.clear();
        self.unconfirmed.clear();
        self.rules.clone_from(&current.hash);
        Ok(())
    }

    /// A copy of another session for one that was forked from it. Calls in flight belong to the
    /// other one.
    pub(super) fn fork(mut self, now_ms: u64) -> Self {
        self.session.expire_open_calls(Timestamp(u64::MAX));
        self.asked.clear();
        self.unconfirmed.clear();
        self.started_at_ms = now_ms;
        self
    }

    /// A call will come a second time under another event, which must not count twice.
    pub(super) fn await_confirmation(&mut self, call: &ToolCall) {
        if let Some(essence) = essence(call) {
            self.unconfirmed.insert(call.id.clone(), essence);
        }
    }

    /// The call in flight that a second event is about. Each is confirmed once.
    pub(super) fn confirm(&mut self, call: &ToolCall) -> Option<String> {
        let essence = essence(call)?;
        let is_it = |(_, decided): &(&String, &String)| **decided == essence;
        let id = self.unconfirmed.iter().find(is_it)?.0.clone();
        self.unconfirmed.remove(&id);
        Some(id)
    }

    pub(super) fn save(
        &mut self,
        tx: &Transaction<'_>,
        key: &SessionKey,
        project: &str,
        now_ms: u64,
    ) -> Result<(), String> {
        let session = &self.session;
        let in_flight: BTreeSet<&str> = session.in_flight().into_iter().collect();
        self.asked.retain(|id| in_flight.contains(id.as_str()));
        self.unconfirmed.retain(|id, _| in_flight.contains(id.as_str()));
        let (asked, unconfirmed) = (self.asked.clone(), self.unconfirmed.clone());
        let state = State { asked, unconfirmed, snapshot: session.snapshot() };
        let state = serde_json::to_string(&state).map_err(|error| error.to_string())?;
        let stored = StoredSession {
            project: project.to_owned(),
            rules: self.rules.clone(),
            state,
            started_at_ms: self.started_at_ms,
            seen_at_ms: now_ms,
        };
        tx.put_session(key, &stored).map_err(|error| error.to_string())
    }
}

/// A session from its text.
pub(super) fn restored(policy: &Arc<Policy>, state: &str) -> Result<Session, String> {
    Session::restore(policy, read_state(state)?.snapshot).map_err(|error| error.to_string())
}

fn read_state(text: &str) -> Result<State, String> {
    serde_json::from_str(text).map_err(|error| format!("the stored session is corrupt: {error}"))
}

/// What two events about one call have in common: a command, a file, or all of the input.
fn essence(call: &ToolCall) -> Option<String> {
    let text = ["command", "file_path", "path"].into_iter().find_map(|field| call.text(field));
    text.map(str::to_owned).or_else(|| call.identity())
}

/// Keeps the text of rules, so that a session can go on under them when they have changed.
pub(super) fn keep(tx: &Transaction<'_>, current: &Current) -> Result<(), String> {
    let sources: Vec<(&str, &str)> =
        current.files.iter().map(|file| (file.name.as_str(), file.text.as_str())).collect();
    let sources = serde_json::to_string(&sources).map_err(|error| error.to_string())?;
    tx.put_rules(&current.hash, &sources).map_err(|error| error.to_string())
}

fn sources(tx: &Transaction<'_>, hash: &str) -> Result<Vec<SourceFile>, String> {
    let kept = tx.rules(hash).map_err(|error| error.to_string())?;
    let kept = kept.ok_or("the rules that the session began under are not in the state")?;
    source_files(&kept)
}

/// Rules as the state keeps them.
pub(crate) fn source_files(kept: &str) -> Result<Vec<SourceFile>, String> {
    let sources: Vec<(String, String)> = serde_json::from_str(kept)
        .map_err(|error| format!("the stored rules are corrupt: {error}"))?;
    Ok(sources.into_iter().map(|(name, text)| SourceFile::new(name, &text)).collect())
}
