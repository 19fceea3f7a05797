//! Saving a session and taking it up again.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::call::{CallDigest, Timestamp};
use crate::decision::Ticket;
use crate::hooks::Meta;
use crate::open_calls::{KeptCall, OpenCalls, Pending};
use crate::plan::{Part, Plan};
use crate::policy::Policy;
use crate::session::{Question, Session};

/// A session as data, bound to the fingerprint of its policy. Equal sessions have equal snapshots.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Snapshot {
    version: u32,
    policy: String,
    tokens: Vec<u32>,
    /// Nets that are not active, by position.
    inactive: Vec<u32>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    meta: BTreeMap<u32, Meta>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    open: Vec<SavedCall>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    questions: Vec<SavedQuestion>,
    next_ticket: u64,
    next_sequence: u64,
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kept: Option<KeptCall>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SavedPending {
    site: u32,
    transition: u32,
    /// The part of the call; absent for the call as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    part: Option<u32>,
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
    asked: Vec<(u32, u32)>,
    title: String,
    message: String,
}

const VERSION: u32 = 1;

impl Session {
    /// The session as data.
    pub fn snapshot(&self) -> Snapshot {
        let inactive = (0_u32..).zip(&self.active).filter(|(_, active)| !**active);
        Snapshot {
            version: VERSION,
            policy: self.policy.fingerprint().to_string(),
            tokens: self.tokens.clone(),
            inactive: inactive.map(|(net, _)| net).collect(),
            meta: self.meta.clone(),
            open: self.open.in_order().into_iter().map(save_call).collect(),
            questions: self.questions.iter().map(save_question).collect(),
            next_ticket: self.next_ticket,
            next_sequence: self.open.next_sequence(),
        }
    }

    /// Takes up a session where it was saved.
    ///
    /// # Errors
    /// If it was saved under another policy or by a newer version, or if it makes no sense there.
    pub fn restore(policy: &Arc<Policy>, snapshot: Snapshot) -> Result<Self, RestoreError> {
        if snapshot.version != VERSION {
            return Err(RestoreError::Version { found: snapshot.version });
        }
        if snapshot.policy != policy.fingerprint().to_string() {
            return Err(RestoreError::OtherPolicy);
        }
        if snapshot.tokens.len() != policy.start.len() {
            return Err(RestoreError::Corrupt { what: "tokens" });
        }
        let mut session = Session {
            policy: Arc::clone(policy),
            tokens: snapshot.tokens,
            active: vec![true; policy.nets.len()],
            meta: snapshot.meta,
            open: OpenCalls::default(),
            questions: snapshot.questions.into_iter().map(load_question).collect(),
            next_ticket: snapshot.next_ticket,
            plan: Plan::default(),
        };
        for net in snapshot.inactive {
            let slot = session.active.get_mut(net as usize).filter(|_| policy.dynamic);
            *slot.ok_or(RestoreError::Corrupt { what: "inactive nets" })? = false;
        }
        for saved in snapshot.open {
            session.load_call(saved)?;
        }
        session.open.set_next_sequence(snapshot.next_sequence);
        Ok(session)
    }

    /// Takes up a session under another policy. Nets of the same name and structure keep their state;
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
        let before = Session::restore(old, snapshot)?;
        let mut session = Session::new(new);
        for (number, net) in new.nets.iter().enumerate() {
            let name = new.names.get(number).map_or("", String::as_str);
            let Some(was) = old.net_named(name) else { continue };
            let same =
                old.nets.get(was).is_some_and(|old| old.net == net.net && old.gates == net.gates);
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
        open.kept = saved.kept.map(Box::new);
        Ok(())
    }
}

fn save_call(open: &crate::open_calls::OpenCall) -> SavedCall {
    let save = |pending: &Pending| SavedPending {
        site: pending.site,
        transition: pending.transition.index() as u32,
        part: match pending.part {
            Part::Whole => None,
            Part::Number(part) => Some(part),
        },
        revalidate: pending.revalidate,
    };
    SavedCall {
        id: open.id.clone(),
        tool: open.tool.clone(),
        digest: open.digest,
        sequence: open.sequence,
        decided_at: open.decided_at,
        pending: open.pending.iter().map(save).collect(),
        kept: open.kept.as_deref().cloned(),
    }
}

/// `None` if the site or the transition is not one of the policy's.
fn load_pending(policy: &Policy, saved: &SavedPending) -> Option<Pending> {
    let site = policy.sites.get(saved.site as usize)?;
    let transitions = site.transitions.iter().copied();
    let transition = transitions.into_iter().find(|t| t.index() == saved.transition as usize)?;
    Some(Pending {
        net: site.net,
        site: saved.site,
        transition,
        part: saved.part.map_or(Part::Whole, Part::Number),
        revalidate: saved.revalidate,
    })
}

fn save_question(question: &Question) -> SavedQuestion {
    let Question { ticket, call_id, digest, expires_at, asked, title, message } = question.clone();
    SavedQuestion { ticket, call_id, digest, expires_at, asked, title, message }
}

fn load_question(saved: SavedQuestion) -> Question {
    let SavedQuestion { ticket, call_id, digest, expires_at, asked, title, message } = saved;
    Question { ticket, call_id, digest, expires_at, asked, title, message }
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
