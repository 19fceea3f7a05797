//! Saving a session and taking it up again.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use petriflow_net::TransitionId;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::call::{CallDigest, Timestamp, hex};
use crate::decision::Ticket;
use crate::hooks::Meta;
use crate::open_calls::{KeptCall, OpenCall, OpenCalls, Pending, Returnable};
use crate::plan::{Held, Part, Plan};
use crate::policy::{Policy, Site};
use crate::session::{Asked, Question, Session};

/// A session as data, bound to the fingerprint of its policy. Equal sessions have equal snapshots.
///
/// It carries a checksum, so that a damaged one is refused. That is no signature: whoever may write
/// where it is kept may write a session of their own making.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Snapshot {
    version: u32,
    checksum: String,
    state: State,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct State {
    policy: String,
    tokens: Vec<u32>,
    /// Nets that are not active, by position.
    inactive: Vec<u32>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    meta: BTreeMap<u32, Meta>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    open: Vec<SavedCall>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    forgotten: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    questions: Vec<SavedQuestion>,
    next_ticket: u64,
    next_sequence: u64,
}

impl State {
    fn checksum(&self) -> Result<String, RestoreError> {
        let text = serde_json::to_vec(self).map_err(|_| RestoreError::Corrupt { what: "state" })?;
        Ok(hex(&Sha256::digest(text)))
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SavedCall {
    id: String,
    tool: String,
    digest: CallDigest,
    sequence: u64,
    decided_at: Timestamp,
    pending: Vec<SavedPending>,
    /// Net, place and tokens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    held: Vec<(u32, u32, u32)>,
    /// Net and transition of firings that can be taken back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    returnable: Vec<(u32, u32)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kept: Option<KeptCall>,
}

/// A transition of a net and the tool it was chosen for. Sites are numbered anew with every policy,
/// even of the same fingerprint, so they are saved by what they mean.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SavedSite {
    net: u32,
    tool: String,
    transition: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SavedPending {
    at: SavedSite,
    /// The part of the call; absent for the call as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    part: Option<u32>,
    fires: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    revalidate: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SavedQuestion {
    ticket: Ticket,
    call_id: String,
    digest: CallDigest,
    expires_at: Timestamp,
    asked: Vec<SavedSite>,
    title: String,
    message: String,
}

const VERSION: u32 = 1;

impl Session {
    /// The session as data.
    pub fn snapshot(&self) -> Snapshot {
        let policy = &self.policy;
        let inactive = (0_u32..).zip(&self.active).filter(|(_, active)| !**active);
        let state = State {
            policy: policy.fingerprint().to_string(),
            tokens: self.tokens.clone(),
            inactive: inactive.map(|(net, _)| net).collect(),
            meta: self.meta.clone(),
            open: self.open.in_order().into_iter().map(|open| self.save_call(open)).collect(),
            forgotten: self.open.forgotten().cloned().collect(),
            questions: self.questions.iter().map(|asked| save_question(policy, asked)).collect(),
            next_ticket: self.next_ticket,
            next_sequence: self.open.next_sequence(),
        };
        // A state that could not be written would have no checksum, and be refused when read.
        let checksum = state.checksum().unwrap_or_default();
        Snapshot { version: VERSION, checksum, state }
    }

    /// Takes up a session where it was saved.
    ///
    /// # Errors
    /// If it was saved under another policy or by a newer version, or if it is damaged.
    pub fn restore(policy: &Arc<Policy>, snapshot: Snapshot) -> Result<Self, RestoreError> {
        let Snapshot { version, checksum, state } = snapshot;
        if version != VERSION {
            return Err(RestoreError::Version { found: version });
        }
        if state.checksum()? != checksum {
            return Err(RestoreError::Corrupt { what: "checksum" });
        }
        if state.policy != policy.fingerprint().to_string() {
            return Err(RestoreError::OtherPolicy);
        }
        if state.tokens.len() != policy.start.len() {
            return Err(RestoreError::Corrupt { what: "tokens" });
        }
        let questions = state.questions.into_iter().map(|saved| load_question(policy, saved));
        let mut session = Session {
            policy: Arc::clone(policy),
            tokens: state.tokens,
            active: vec![true; policy.nets.len()],
            meta: state.meta,
            open: OpenCalls::default(),
            questions: questions.collect::<Result<_, _>>()?,
            next_ticket: state.next_ticket,
            fired: Vec::new(),
            plan: Plan::default(),
        };
        for net in state.inactive {
            let slot = session.active.get_mut(net as usize).filter(|_| policy.dynamic);
            *slot.ok_or(RestoreError::Corrupt { what: "inactive nets" })? = false;
        }
        for saved in state.open {
            session.load_call(saved)?;
        }
        state.forgotten.into_iter().for_each(|id| session.open.remember_forgotten(id));
        session.open.set_next_sequence(state.next_sequence);
        Ok(session)
    }

    /// Takes up a session under another policy. Nets of the same name, structure and label keep their state;
    /// all others start anew. Calls in flight and open questions are dropped: what they would unlock
    /// stays locked.
    ///
    /// # Errors
    /// If the snapshot does not fit the policy it was saved under.
    pub fn migrate(
        old: &Arc<Policy>,
        snapshot: Snapshot,
        new: &Arc<Policy>,
    ) -> Result<Self, RestoreError> {
        let mut before = Session::restore(old, snapshot)?;
        // What calls in flight hold goes back before they are dropped.
        before.expire_open_calls(Timestamp(u64::MAX));
        let mut session = Session::new(new);
        for (number, net) in new.nets.iter().enumerate() {
            let name = new.names.get(number).map_or("", String::as_str);
            let Some(was) = old.net_named(name) else { continue };
            let same = old.nets.get(was).is_some_and(|old| old.is_same_as(net));
            if !same {
                continue;
            }
            let tokens = session.tokens.get_mut(new.places(number)).unwrap_or_default();
            tokens.copy_from_slice(before.net_tokens(was));
            if let Some(meta) = before.meta.get(&(was as u32)) {
                session.meta.insert(number as u32, meta.clone());
            }
            if let (true, Some(active)) = (new.dynamic, session.active.get_mut(number)) {
                *active = before.is_active_at(was);
            }
        }
        Ok(session)
    }

    fn load_call(&mut self, saved: SavedCall) -> Result<(), RestoreError> {
        const CORRUPT: RestoreError = RestoreError::Corrupt { what: "calls in flight" };
        if self.open.get(&saved.id).is_some() {
            return Err(CORRUPT);
        }
        let policy = Arc::clone(&self.policy);
        let pending: Option<Vec<Pending>> =
            saved.pending.iter().map(|saved| load_pending(&policy, saved)).collect();
        let pending = pending.ok_or(CORRUPT)?;
        let call = crate::ToolCall::new(saved.id, saved.tool, serde_json::Value::Null);
        self.open.set_next_sequence(saved.sequence);
        let open = self.open.add(&call, saved.digest, saved.decided_at);
        open.pending = pending;
        open.held = saved
            .held
            .into_iter()
            .map(|(net, place, tokens)| Held { net, place, tokens })
            .collect();
        open.kept = saved.kept.map(Box::new);
        let sequence = open.sequence;
        for (net, transition) in saved.returnable {
            let in_net = policy.nets.get(net as usize).ok_or(CORRUPT)?;
            let mut transitions = in_net.net.transitions();
            let transition =
                transitions.find(|t| t.index() == transition as usize).ok_or(CORRUPT)?;
            self.open.add_returnable(Returnable { sequence, net, transition });
        }
        Ok(())
    }
}

impl Session {
    fn save_call(&self, open: &OpenCall) -> SavedCall {
        let policy = &self.policy;
        let returnable = self.open.returnable(open.sequence);
        let save = |pending: &Pending| SavedPending {
            at: save_site(policy, pending.site, pending.transition),
            part: match pending.part {
                Part::Whole => None,
                Part::Number(part) => Some(part),
            },
            fires: pending.fires,
            revalidate: pending.revalidate,
        };
        SavedCall {
            id: open.id.clone(),
            tool: open.tool.clone(),
            digest: open.digest,
            sequence: open.sequence,
            decided_at: open.decided_at,
            pending: open.pending.iter().map(save).collect(),
            held: open.held.iter().map(|held| (held.net, held.place, held.tokens)).collect(),
            returnable: returnable
                .map(|firing| (firing.net, firing.transition.index() as u32))
                .collect(),
            kept: open.kept.as_deref().cloned(),
        }
    }
}

fn save_site(policy: &Policy, site: u32, transition: TransitionId) -> SavedSite {
    let (net, tool) = policy.sites.get(site as usize).map_or((u32::MAX, ""), |s| (s.net, &*s.tool));
    SavedSite { net, tool: tool.into(), transition: transition.index() as u32 }
}

/// The site and transition; `None` if they are not the policy's.
fn load_site(policy: &Policy, saved: &SavedSite) -> Option<(u32, TransitionId)> {
    let is_it = |site: &Site| site.net == saved.net && *site.tool == *saved.tool;
    let number = policy.sites.iter().position(is_it)?;
    let transitions = policy.sites.get(number)?.transitions.iter().copied();
    let transition = transitions.into_iter().find(|t| t.index() == saved.transition as usize)?;
    Some((number as u32, transition))
}

fn load_pending(policy: &Policy, saved: &SavedPending) -> Option<Pending> {
    let (site, transition) = load_site(policy, &saved.at)?;
    Some(Pending {
        net: saved.at.net,
        site,
        transition,
        part: saved.part.map_or(Part::Whole, Part::Number),
        fires: saved.fires,
        revalidate: saved.revalidate,
    })
}

fn save_question(policy: &Policy, question: &Question) -> SavedQuestion {
    let Question { ticket, call_id, digest, expires_at, asked, title, message } = question.clone();
    let asked = asked.iter().map(|asked| save_site(policy, asked.site, asked.transition)).collect();
    SavedQuestion { ticket, call_id, digest, expires_at, asked, title, message }
}

fn load_question(policy: &Policy, saved: SavedQuestion) -> Result<Question, RestoreError> {
    let SavedQuestion { ticket, call_id, digest, expires_at, asked, title, message } = saved;
    let load = |saved: &SavedSite| {
        let (site, transition) = load_site(policy, saved)?;
        Some(Asked { net: saved.net, site, transition })
    };
    let asked: Option<Vec<Asked>> = asked.iter().map(load).collect();
    let asked = asked.ok_or(RestoreError::Corrupt { what: "approvals" })?;
    Ok(Question { ticket, call_id, digest, expires_at, asked, title, message })
}

/// Why a session could not be taken up.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RestoreError {
    /// It was saved by another version.
    Version {
        /// That version.
        found: u32,
    },
    /// It was saved under another policy; see [`Session::migrate`].
    OtherPolicy,
    /// It makes no sense.
    Corrupt {
        /// What does not.
        what: &'static str,
    },
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version { found } => {
                write!(f, "the session was saved in format {found}, this version reads {VERSION}")
            }
            Self::OtherPolicy => f.write_str("the session was saved under another policy"),
            Self::Corrupt { what } => write!(f, "the saved session is corrupt: {what}"),
        }
    }
}

impl std::error::Error for RestoreError {}
