//! What a session stands on: its state, and the rules it runs under.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use petriflow::gate::{Policy, Session, Snapshot, Timestamp, ToolCall};
use petriflow::rules::{Invalid, RuleSet, SourceFile, compile, compile_known};
use petriflow_sqlite::{SessionKey, StoredSession, Transaction};
use serde::{Deserialize, Serialize};

use super::project::{Mode, Places, Project, Settings};
use super::record::Because;

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
        let project = places.load(root)?;
        let is_known = known == Some(project.hash.as_str());
        if !is_known {
            project.check_user_rules()?;
        }
        let Project { settings, files, paths, hash, .. } = project;
        let policy = match is_known {
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
    /// Calls in flight about which a person was asked, and what.
    pub(super) asked: BTreeMap<String, Vec<Because>>,
    /// Calls in flight by what a second event about them would say.
    unconfirmed: BTreeMap<String, String>,
    pub(super) rules: String,
    started_at_ms: u64,
}

/// The text that the store keeps of a session.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    asked: BTreeMap<String, Vec<Because>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    unconfirmed: BTreeMap<String, String>,
    snapshot: Snapshot,
}

impl Footing {
    pub(super) fn new(current: &Current, now_ms: u64) -> Self {
        Self {
            session: Session::new(&current.policy),
            asked: BTreeMap::new(),
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
            None => policy(&Kept::read(tx, &stored.rules)?.files())?,
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
        must_be_trusted(tx, current, project, mode)?;
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
        self.asked.retain(|id, _| in_flight.contains(id.as_str()));
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

/// Rules other than those that a session began under hold once a person has seen them, or if nothing is
/// enforced.
pub(super) fn must_be_trusted(
    tx: &Transaction<'_>,
    current: &Current,
    project: &str,
    mode: Mode,
) -> Result<(), String> {
    let is_trusted = tx.is_trusted(project, &current.hash).map_err(|error| error.to_string())?;
    if is_trusted || mode == Mode::Shadow {
        return Ok(());
    }
    Err(format!(
        "the rules have changed since this session began, and nobody has confirmed the change; a \
         person must look at it and run `petriflow trust` in {project}"
    ))
}

/// A session from its text.
pub(super) fn restored(policy: &Arc<Policy>, state: &str) -> Result<Session, String> {
    Session::restore(policy, read_state(state)?.snapshot).map_err(|error| error.to_string())
}

fn read_state(text: &str) -> Result<State, String> {
    serde_json::from_str(text).map_err(|error| format!("the stored session is corrupt: {error}"))
}

/// What two events about one call have in common: the tool, and its command, its file, or else all of
/// the input.
fn essence(call: &ToolCall) -> Option<String> {
    let fields: &[&str] = match call.tool.as_str() {
        "Shell" => &["command"],
        "Read" => &["file_path"],
        _ => &[],
    };
    match fields.iter().find_map(|field| call.text(field)) {
        Some(text) => Some(format!("{}\u{0}{text}", call.tool)),
        None => call.identity(),
    }
}

/// Rules and settings as the state keeps them, so that a session can go on under them when they have
/// changed.
#[derive(Serialize, Deserialize)]
pub(crate) struct Kept {
    pub(crate) settings: Settings,
    /// Names and texts.
    files: Vec<(String, String)>,
}

impl Kept {
    pub(super) fn of(current: &Current) -> Self {
        let file = |file: &SourceFile| (file.name.clone(), file.text.clone());
        Self { settings: current.settings.clone(), files: current.files.iter().map(file).collect() }
    }

    pub(super) fn write(&self, tx: &Transaction<'_>, hash: &str) -> Result<(), String> {
        let text = serde_json::to_string(self).map_err(|error| error.to_string())?;
        tx.put_rules(hash, &text).map_err(|error| error.to_string())
    }

    pub(crate) fn from_text(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| format!("the stored rules are corrupt: {error}"))
    }

    pub(super) fn read(tx: &Transaction<'_>, hash: &str) -> Result<Self, String> {
        let kept = tx.rules(hash).map_err(|error| error.to_string())?;
        Self::from_text(&kept.ok_or("the rules that the session began under are not in the state")?)
    }

    pub(crate) fn files(&self) -> Vec<SourceFile> {
        self.files.iter().map(|(name, text)| SourceFile::new(name.clone(), text.clone())).collect()
    }
}

/// The settings that hold: those of now, unless the rules have changed and nobody has confirmed it.
pub(super) fn settings(
    tx: &Transaction<'_>,
    stored: Option<&StoredSession>,
    current: Result<&Current, &String>,
    project: &str,
) -> Result<Settings, String> {
    let stored = match (stored, current) {
        (None, Ok(current)) => return Ok(current.settings.clone()),
        (None, Err(_)) => return Ok(Settings::default()),
        (Some(stored), _) => stored,
    };
    if let Ok(current) = current {
        let is_same = current.hash == stored.rules;
        let is_trusted = || tx.is_trusted(project, &current.hash);
        if is_same || is_trusted().map_err(|error| error.to_string())? {
            return Ok(current.settings.clone());
        }
    }
    Ok(Kept::read(tx, &stored.rules)?.settings)
}
