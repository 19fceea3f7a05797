//! From an event to a verdict, in one transaction.

use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::time::Instant;

use petriflow::gate::{Answer, Approval, Decision, Timestamp, ToolCall};
use petriflow_hosts::{Call, Event, Host, Kind, Start, Verdict};
use petriflow_protect::Protected;
use petriflow_sqlite::{
    GateStore, NewApproval, Record, SessionKey, StoreError, StoredSession, Transaction,
};

use super::footing::{self, Current, Footing, Kept};
use super::places;
use super::project::{self, Mode, Places, Settings, Subagents};
use super::record::{Because, Body, in_lines};
use super::results;
use super::ruling::Ruling;
use crate::args::ModeArg;

/// Calls whose result has not come for so long are no longer waited for.
const IN_FLIGHT_MS: u64 = 6 * 60 * 60 * 1_000;
/// Sessions that were not seen for so long are forgotten.
const SESSION_MS: u64 = 30 * 24 * 60 * 60 * 1_000;
/// How long an approval on the command line can be given and used.
const APPROVAL_MS: u64 = 10 * 60 * 1_000;

/// One run of the hook.
pub(super) struct Hook {
    pub(super) host: Host,
    pub(super) places: Places,
    pub(super) state_dir: PathBuf,
    /// Of the command line.
    pub(super) mode: Option<Mode>,
    pub(super) started: Instant,
    pub(super) now_ms: u64,
}

/// A session of the store in a transaction.
struct Place<'a, 'b> {
    tx: &'a Transaction<'b>,
    key: &'a SessionKey,
    project: &'a str,
    mode: Mode,
    settings: &'a Settings,
    /// Why the call would disarm the hook, if it would.
    objection: Option<String>,
    /// The rules that the session began under, of which this may be a sub-agent.
    began_under: Option<String>,
}

impl Hook {
    /// Decides an event, stores what came of it, and says what to answer.
    pub(super) fn decide(&self, event: &Event) -> Result<Verdict, String> {
        // The process ends with the answer: taking all of it apart again would only cost time.
        let store = GateStore::open(&self.state_dir, super::LOCK).map_err(in_words)?;
        let mut store = ManuallyDrop::new(store);
        let base = SessionKey { host: self.host.to_string(), id: event.session.clone() };
        // A session stays with the project it began in: going to another directory must not bring
        // it under other rules.
        let known = store.session(&base).map_err(in_words)?;
        let root = match &known {
            Some(known) => PathBuf::from(&known.project),
            None => project::root(&working_directory(event)?)?,
        };
        let project = root.to_str().ok_or("the project's path is no UTF-8 text")?;
        let current = ManuallyDrop::new({
            let rules = known.as_ref().map(|known| known.rules.as_str());
            Current::load_known(&self.places, &root, rules)
        });
        // Looked at before the state is locked: it does not depend on it, and may take a while.
        let objection = self.objection(event, &root, current.as_ref().ok())?;

        let tx = store.begin().map_err(in_words)?;
        let stored = tx.session(&base).map_err(in_words)?;
        let settings = footing::settings(&tx, stored.as_ref(), current.as_ref(), project)?;
        let mode = self.mode.or(settings.mode).unwrap_or(Mode::Enforce);
        let key = of_agent(base, event.agent.as_deref(), settings.subagents);
        let objection = objection.filter(|_| settings.self_protection != Some(false));
        let (key, settings) = (&key, &settings);
        if stored.as_ref().is_some_and(|stored| stored.project != project) {
            return Err("the session began in another project just now; try again".to_owned());
        }
        let began_under = stored.as_ref().map(|stored| stored.rules.clone());
        // A sub-agent may have a session of its own.
        let stored =
            if key.id == event.session { stored } else { tx.session(key).map_err(in_words)? };
        let place = Place { tx: &tx, key, project, mode, settings, objection, began_under };
        let ruling = self.rule(&place, event, stored.as_ref(), current.as_ref())?;
        self.write(&place, event, &ruling)?;
        tx.commit().map_err(in_words)?;
        Ok(ruling.verdict)
    }

    /// The ruling, and the session as it is afterwards. A call that cannot be decided is refused and
    /// written down; an event that is no call fails.
    fn rule(
        &self,
        place: &Place<'_, '_>,
        event: &Event,
        stored: Option<&StoredSession>,
        current: Result<&Current, &String>,
    ) -> Result<Ruling, String> {
        match &event.kind {
            Kind::Call(call) => self.call(place, event, call, stored, current, false),
            Kind::Confirm(call) => self.call(place, event, call, stored, current, true),
            Kind::SessionStarted(start) => {
                let current = current.map_err(String::clone)?;
                let is_changed = place.began_under.as_ref().is_some_and(|h| *h != current.hash);
                if event.agent.is_some() && is_changed {
                    footing::must_be_trusted(place.tx, current, place.project, place.mode)?;
                }
                self.start(place, start, stored, current)
            }
            Kind::Nothing => Ok(Ruling::silent("ignored")),
            Kind::Result { .. }
            | Kind::Denied(_)
            | Kind::BatchEnded { .. }
            | Kind::TurnEnded
            | Kind::SessionEnded => {
                let Some(stored) = stored else {
                    return Ok(Ruling::silent("unmatched").note("no such session"));
                };
                // Under the rules that allowed the call, whatever has become of them.
                let mut footing = Footing::restore(place.tx, stored, current.ok())?;
                let ruling = results::take(place.settings, event, &mut footing);
                footing.save(place.tx, place.key, place.project, self.now_ms)?;
                Ok(ruling.under(&footing))
            }
        }
    }

    fn start(
        &self,
        place: &Place<'_, '_>,
        start: &Start,
        stored: Option<&StoredSession>,
        current: &Current,
    ) -> Result<Ruling, String> {
        let mut note = None;
        let (footing, decision) = match (start, stored) {
            // An id that is known goes on: only clearing it makes it new.
            (Start::Cleared, _) | (Start::New | Start::Resumed | Start::Compacted, None) => {
                (Some(Footing::new(current, self.now_ms)), "started")
            }
            (Start::Forked { parent }, None) => {
                let forked = self.forked(place, parent.as_deref(), current)?;
                note = forked.1.map(|parent| format!("from {parent}"));
                (Some(forked.0), "forked")
            }
            (Start::Compacted, Some(_)) => (None, "compacted"),
            (Start::New | Start::Resumed | Start::Forked { .. }, Some(_)) => (None, "resumed"),
        };
        let mut ruling = Ruling { note, ..Ruling::silent(decision) };
        ruling.rules = stored.map(|stored| stored.rules.clone());
        if let Some(mut footing) = footing {
            if footing.rules == current.hash {
                self.begin_under(place, current)?;
            }
            footing.save(place.tx, place.key, place.project, self.now_ms)?;
            ruling = ruling.under(&footing);
        }
        let before = self.now_ms.saturating_sub(SESSION_MS);
        place.tx.prune_sessions(before).map_err(in_words)?;
        Ok(ruling)
    }

    /// A session takes up rules. What was trusted before them is so no longer: the files must not
    /// go back to it unseen.
    fn begin_under(&self, place: &Place<'_, '_>, current: &Current) -> Result<(), String> {
        place.tx.retire_trust(place.project, &current.hash).map_err(in_words)?;
        Kept::of(current).write(place.tx, &current.hash)
    }

    /// The state of the session it was forked from: the one that is named, or the one seen last in
    /// the project.
    fn forked(
        &self,
        place: &Place<'_, '_>,
        parent: Option<&str>,
        current: &Current,
    ) -> Result<(Footing, Option<String>), String> {
        let Place { tx, key, project, .. } = place;
        let named = match parent {
            Some(parent) => {
                let key = SessionKey { host: key.host.clone(), id: parent.to_owned() };
                tx.session(&key).map_err(in_words)?.map(|stored| (key, stored))
            }
            None => None,
        };
        let found = match named {
            Some(named) => Some(named),
            None => tx.newest_session(&key.host, project, &key.id).map_err(in_words)?,
        };
        match found {
            Some((key, stored)) => {
                let footing = Footing::restore(tx, &stored, Some(current))?.fork(self.now_ms);
                Ok((footing, Some(key.id)))
            }
            None => Ok((Footing::new(current, self.now_ms), None)),
        }
    }

    fn call(
        &self,
        place: &Place<'_, '_>,
        event: &Event,
        call: &Call,
        stored: Option<&StoredSession>,
        current: Result<&Current, &String>,
        is_confirmation: bool,
    ) -> Result<Ruling, String> {
        let refused = |reason: String| {
            let ruling = Ruling::refused(vec![Because::plain(reason)]);
            Ok(match &call.id {
                Some(id) => ruling.about(id),
                None => ruling,
            })
        };
        let current = match current {
            Ok(current) => current,
            Err(reason) => return refused(reason.clone()),
        };
        let footing = match stored {
            Some(stored) => Footing::restore(place.tx, stored, Some(current)).and_then(|mut f| {
                f.follow(place.tx, current, place.project, place.mode)?;
                Ok(f)
            }),
            None if place.began_under.as_ref().is_some_and(|rules| *rules != current.hash) => {
                footing::must_be_trusted(place.tx, current, place.project, place.mode)
                    .map(|()| Footing::new(current, self.now_ms))
            }
            None => Ok(Footing::new(current, self.now_ms)),
        };
        let mut footing = match footing {
            Ok(footing) => footing,
            Err(reason) => return refused(reason),
        };
        let ruling = self.decide_call(place, event, call, &mut footing, is_confirmation)?;
        let is_new = stored.is_none_or(|stored| stored.rules != footing.rules);
        if is_new {
            self.begin_under(place, current)?;
        }
        footing.save(place.tx, place.key, place.project, self.now_ms)?;
        let ruling = ruling.under(&footing);
        Ok(match place.mode {
            Mode::Enforce => ruling,
            Mode::Shadow => ruling.in_shadow(),
        })
    }

    fn decide_call(
        &self,
        place: &Place<'_, '_>,
        event: &Event,
        call: &Call,
        footing: &mut Footing,
        is_confirmation: bool,
    ) -> Result<Ruling, String> {
        let now = Timestamp(self.now_ms);
        footing.session.expire_open_calls(Timestamp(self.now_ms.saturating_sub(IN_FLIGHT_MS)));
        let id = call.id.clone().unwrap_or_else(|| self.made_up_id());
        let call = ToolCall::new(&id, &call.tool, call.input.clone());
        if let Some(objection) = &place.objection {
            let because = Because::plain(objection.clone());
            return Ok(Ruling::refused(vec![because]).about(&id).note("self-protection"));
        }
        if let Some(decided) = is_confirmation.then(|| footing.confirm(&call)).flatten() {
            return Ok(Ruling::silent("allowed").about(&decided).note("decided before"));
        }
        let asked = footing.asked.get(&id).filter(|_| footing.session.is_in_flight(&call));
        if let Some(reasons) = asked.cloned() {
            // The host asks again, so the person is asked again, where that is sure to happen.
            if !event.can_ask {
                return Ok(Ruling::refused(reasons).about(&id));
            }
            let verdict = Verdict::Ask { reason: in_lines(&reasons) };
            return Ok(Ruling { verdict, reasons, ..Ruling::silent("asked").about(&id) });
        }
        let ruling = match footing.session.decide(&call, now) {
            Decision::Allowed => Ruling::silent("allowed"),
            Decision::Blocked(refusal) => Ruling::refused(Because::of_refusal(&refusal)),
            Decision::NeedsApproval(approval) => {
                self.approval(place, event, &call, &approval, footing)?
            }
        };
        let is_allowed = footing.session.is_in_flight(&call);
        if is_allowed && self.host.confirms() && !is_confirmation {
            footing.await_confirmation(&call);
        }
        Ok(ruling.about(&id))
    }

    /// A call that a person must approve: the host asks, or somebody has approved it on the command
    /// line, or it is refused with the way to do that.
    fn approval(
        &self,
        place: &Place<'_, '_>,
        event: &Event,
        call: &ToolCall,
        approval: &Approval,
        footing: &mut Footing,
    ) -> Result<Ruling, String> {
        let now = Timestamp(self.now_ms);
        let reasons = wanted_by(footing, approval);
        let digest = call.identity().ok_or("the input is nested too deeply")?;
        let Place { tx, key, .. } = place;
        // In shadow mode nobody is asked, and the call goes on as if it had been approved.
        let asks = event.can_ask || place.mode == Mode::Shadow;
        let is_granted =
            !asks && tx.take_grant(&key.host, &key.id, &digest, self.now_ms).map_err(in_words)?;
        if asks || is_granted {
            // Committed as if it will run, so that several questions at once cannot go beyond a
            // limit; when the host tells that it did not run, it is taken back.
            let decided = footing.session.answer(call, approval.ticket, Answer::Approved, now);
            if let Decision::Blocked(refusal) = decided {
                return Ok(Ruling::refused(Because::of_refusal(&refusal)));
            }
            if is_granted {
                return Ok(Ruling { reasons, ..Ruling::silent("approved") });
            }
            footing.asked.insert(call.id.clone(), reasons.clone());
            let verdict = Verdict::Ask { reason: in_lines(&reasons) };
            return Ok(Ruling { verdict, reasons, ..Ruling::silent("asked") });
        }
        // The decision's own words for it are about a host that asks; ours tell what to do here.
        let _refused = footing.session.answer(call, approval.ticket, Answer::Unavailable, now);
        let number = tx.ask_approval(&NewApproval {
            host: key.host.clone(),
            session: key.id.clone(),
            digest,
            tool: call.tool.clone(),
            title: approval.title.clone(),
            message: shown_input(call),
            asked_at_ms: self.now_ms,
            expires_at_ms: self.now_ms.saturating_add(APPROVAL_MS),
        });
        let number = number.map_err(in_words)?;
        let mut ruling = Ruling::refused(reasons);
        let reason = format!(
            "{}\nA person can allow exactly this call: `petriflow approve {number}` in a terminal, \
             within ten minutes. Then make the same call again.",
            in_lines(&ruling.reasons)
        );
        ruling.verdict = Verdict::Refused { reason };
        Ok(ruling.note(format!("approval {number}")))
    }

    /// Why a call would disarm the hook, if it would.
    fn objection(
        &self,
        event: &Event,
        root: &Path,
        current: Option<&Current>,
    ) -> Result<Option<String>, String> {
        let (Kind::Call(call) | Kind::Confirm(call)) = &event.kind else { return Ok(None) };
        let protected = self.protected(root, current.map_or(&[][..], |current| &current.paths))?;
        let cwd = working_directory(event)?;
        let objection = protected.objection(&call.tool, &call.input, &cwd);
        Ok(objection.map(|objection| objection.to_string()))
    }

    fn protected(&self, root: &Path, rules: &[PathBuf]) -> Result<Protected, String> {
        let binary = std::env::current_exe()
            .map_err(|error| format!("the path of petriflow cannot be found: {error}"))?;
        let mut paths = self.places.protected(root);
        // The files as well as their directories, because of hard links.
        paths.extend(rules.iter().cloned());
        paths.extend(places::host_configuration(root));
        paths.push(self.state_dir.clone());
        // A host reads its configuration where it runs, and the next session may begin in any folder.
        let protected = Protected::new(paths, &binary).with_names(places::protected_names());
        Ok(match places::home() {
            Some(home) => protected.with_home(home),
            None => protected,
        })
    }

    /// Nobody else in this session has it: two processes at the same moment have two numbers.
    fn made_up_id(&self) -> String {
        format!("petriflow-{}-{}", self.now_ms, std::process::id())
    }

    fn write(&self, place: &Place<'_, '_>, event: &Event, ruling: &Ruling) -> Result<(), String> {
        let (kind, call) = match &event.kind {
            Kind::Call(call) | Kind::Confirm(call) => ("call", Some(call)),
            Kind::Result { call, .. } | Kind::Denied(call) => ("result", Some(call)),
            Kind::BatchEnded { .. } | Kind::TurnEnded | Kind::Nothing => ("event", None),
            Kind::SessionStarted(_) | Kind::SessionEnded => ("session", None),
        };
        let mut body = Body {
            event: event.name.clone(),
            agent: event.agent.clone(),
            call: ruling.call.clone(),
            tool: call.map(|call| call.tool.clone()),
            input: None,
            input_omitted: None,
            reasons: ruling.reasons.clone(),
            note: ruling.note.clone(),
            project: place.project.to_owned(),
            mode: Some(place.mode),
            policy: ruling.policy.clone(),
            rules: ruling.rules.clone(),
            duration_us: u64::try_from(self.started.elapsed().as_micros()).ok(),
        };
        if let (Some(call), "call") = (call, kind) {
            body.keep_input(&call.input, place.settings.audit_inputs != Some(false));
        }
        let record = Record {
            at_ms: self.now_ms,
            host: place.key.host.clone(),
            session: place.key.id.clone(),
            kind: kind.to_owned(),
            decision: ruling.decision.to_owned(),
            body: body.to_text()?,
        };
        place.tx.append(&record).map_err(in_words)?;
        Ok(())
    }
}

/// The reasons for a question: every rule that wants the call approved.
fn wanted_by(footing: &Footing, approval: &Approval) -> Vec<Because> {
    let nets = footing.session.policy().nets().iter();
    nets.filter(|net| approval.nets.iter().any(|name| name == net.name()))
        .map(Because::of_net)
        .collect()
}

/// What a person sees of a call that is to be approved: a command if there is nothing else.
fn shown_input(call: &ToolCall) -> String {
    let is_alone = call.input.as_object().is_some_and(|fields| fields.len() == 1);
    let command = call.text("command").filter(|_| is_alone);
    command.map_or_else(|| call.input.to_string(), str::to_owned)
}

/// Sub-agents share their session's state unless they are to have their own.
fn of_agent(base: SessionKey, agent: Option<&str>, subagents: Option<Subagents>) -> SessionKey {
    match (agent, subagents) {
        (Some(agent), Some(Subagents::Own)) => {
            SessionKey { id: format!("{}\u{0}{agent}", base.id), ..base }
        }
        _ => base,
    }
}

fn working_directory(event: &Event) -> Result<PathBuf, String> {
    let told = event.cwd.as_ref().map(PathBuf::from).filter(|cwd| cwd.is_absolute());
    told.map_or_else(std::env::current_dir, Ok)
        .map_err(|error| format!("the working directory cannot be found: {error}"))
}

fn in_words(error: StoreError) -> String {
    error.to_string()
}

impl From<ModeArg> for Mode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::Enforce => Self::Enforce,
            ModeArg::Shadow => Self::Shadow,
        }
    }
}
