//! What a call with its parts would do to one net.

use std::collections::BTreeSet;

use petriflow_gate::{Action, Connective};

use super::super::spec::{NetSpec, TransitionSpec};
use super::net::{Restless, Tokens};

/// A part of a call, as a net sees it.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) tool: String,
    /// Parts of one segment hang together by success.
    segment: usize,
    /// The call's success shows that the segment was gone through to its end.
    in_last_segment: bool,
    /// The call's success shows the success of this part.
    shown: bool,
}

impl Part {
    /// The only part of a call.
    pub(super) fn whole(tool: &str) -> Self {
        Self { tool: tool.into(), segment: 0, in_last_segment: true, shown: true }
    }

    /// The parts of a call that stands for several actions.
    ///
    /// A segment is parts joined by `&&`, and ends behind a part of which nobody will know whether it
    /// succeeded: a detached one, or an alternative, which may not even have run.
    pub(super) fn several(actions: &[Action]) -> Vec<Self> {
        let mut segments = Vec::new();
        let mut ends = true;
        for (at, action) in actions.iter().enumerate() {
            let is_alternative = at > 0 && action.connective == Connective::AfterFailure;
            ends |= action.connective != Connective::AfterSuccess;
            let before = segments.last().copied().unwrap_or(0);
            segments.push(if ends { before + 1 } else { before });
            ends = action.detached || is_alternative;
        }
        let last = segments.last().copied().unwrap_or(0);
        let part = |(at, action): (usize, &Action)| {
            let is_alternative = at > 0 && action.connective == Connective::AfterFailure;
            let in_last_segment = segments[at] == last;
            Self {
                tool: action.tool.clone(),
                segment: segments[at],
                in_last_segment,
                shown: in_last_segment && !action.detached && !is_alternative,
            }
        };
        actions.iter().enumerate().map(part).collect()
    }
}

/// What a call would do to a net.
#[derive(Debug, Clone)]
pub(super) struct Course {
    /// The marking once the call is allowed.
    pub(super) now: Tokens,
    /// Tokens that are out of play until the result.
    pub(super) held: Tokens,
    /// What fires if it succeeds, in order.
    pub(super) waiting: Vec<Waiting>,
    /// The tools and transitions that a person must approve.
    pub(super) manual: BTreeSet<(String, String)>,
}

/// A firing that waits for the call's success.
#[derive(Debug, Clone)]
pub(super) struct Waiting {
    pub(super) tool: String,
    pub(super) transition: String,
}

/// Why a net does not let a call pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Objection {
    NotEnabled,
    /// The parts may pass, but what they take cannot be kept for them.
    Entangled,
    Internal,
}

impl From<Restless> for Objection {
    fn from(_: Restless) -> Self {
        Self::Internal
    }
}

/// Follows a net along the parts of a call; `None` if it has no say about any.
pub(super) fn follow(
    net: &NetSpec,
    tokens: &Tokens,
    parts: &[Part],
) -> Result<Option<Course>, Objection> {
    let mut course = Course {
        now: tokens.clone(),
        held: Tokens::new(),
        waiting: Vec::new(),
        manual: BTreeSet::new(),
    };
    let mut concerned = false;
    for segment in parts.chunk_by(|a, b| a.segment == b.segment) {
        concerned |= follow_segment(net, segment, &mut course)?;
    }
    Ok(concerned.then_some(course))
}

/// Each part is decided where the success of those before it leads to.
fn follow_segment(net: &NetSpec, parts: &[Part], course: &mut Course) -> Result<bool, Objection> {
    let mut then = course.now.clone();
    let mut waiting: Vec<(Waiting, bool)> = Vec::new();
    let mut concerned = false;
    // The parts from the first deferred one to the last that relies on one, and where they lead to.
    let mut chain: Vec<&Part> = Vec::new();
    let mut relied: Option<(usize, Tokens)> = None;
    for part in parts {
        let covering = net.covering(&part.tool);
        if covering.is_empty() {
            continue;
        }
        concerned = true;
        let chosen = covering.into_iter().find(|t| t.is_enabled(&then));
        let chosen = chosen.ok_or(Objection::NotEnabled)?;
        if chosen.manual {
            course.manual.insert((part.tool.clone(), chosen.name.clone()));
        }
        let wait = Waiting { tool: part.tool.clone(), transition: chosen.name.clone() };
        let seen = then.clone();
        then = net.fire(&then, chosen)?;
        if chosen.deferred || !waiting.is_empty() {
            chain.push(part);
        }
        if chosen.deferred {
            waiting.push((wait, part.shown));
        } else if waiting.is_empty() {
            course.now.clone_from(&then);
        } else {
            let pending: Vec<Waiting> = waiting.iter().map(|(wait, _)| wait.clone()).collect();
            let place = Behind { net, part, chosen, seen: &seen, then: &then };
            let (now, fires) = place.reserve(&course.now, pending, &wait)?;
            course.now = now;
            if fires == Fires::OnSuccess {
                relied = Some((chain.len(), then.clone()));
            }
            if fires != Fires::AtOnce {
                // It may have run if the call succeeded, detached or not, so it is paid for.
                waiting.push((wait, part.in_last_segment));
            }
        }
    }
    if let Some((length, then)) = relied {
        hold(net, &chain[..length], &then, course)?;
    }
    course.waiting.extend(waiting.into_iter().filter(|(_, fires)| *fires).map(|(wait, _)| wait));
    Ok(concerned)
}

/// Keeps what the success of these parts will use up from others until the result.
///
/// The tokens come back after a failure, although the parts may have run. That is only right where
/// the net would let them run again; elsewhere the parts are entangled.
fn hold(
    net: &NetSpec,
    parts: &[&Part],
    then: &Tokens,
    course: &mut Course,
) -> Result<(), Objection> {
    if course.now == *then {
        return Ok(());
    }
    let mut again = then.clone();
    for part in parts {
        let enabled = net.covering(&part.tool).into_iter().find(|t| t.is_enabled(&again));
        again = net.fire(&again, enabled.ok_or(Objection::Entangled)?)?;
    }
    if again != *then {
        return Err(Objection::Entangled);
    }
    for (place, now) in &mut course.now {
        let too_many = now.saturating_sub(then[place]);
        *now -= too_many;
        *course.held.entry(place.clone()).or_default() += too_many;
    }
    Ok(())
}

/// When an immediate part behind a deferred one fires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fires {
    AtOnce,
    AtOnceAndOnSuccess,
    OnSuccess,
}

/// An immediate part behind a deferred one.
struct Behind<'a> {
    net: &'a NetSpec,
    part: &'a Part,
    chosen: &'a TransitionSpec,
    /// Where it is decided.
    seen: &'a Tokens,
    /// Where it leads to.
    then: &'a Tokens,
}

impl Behind<'_> {
    /// The marking that keeps others from using its tokens, and when it fires, so that a success
    /// leads to `then`.
    fn reserve(
        &self,
        now: &Tokens,
        pending: Vec<Waiting>,
        wait: &Waiting,
    ) -> Result<(Tokens, Fires), Objection> {
        let covering = self.net.covering(&self.part.tool);
        let early = covering.into_iter().find(|t| t.is_enabled(now)).filter(|t| !t.deferred);
        let Some(early) = early else {
            let own = self.chosen.takes_only_what_is_new(now, self.seen);
            return if own {
                Ok((now.clone(), Fires::OnSuccess))
            } else {
                Err(Objection::Entangled)
            };
        };
        if (early.manual || self.chosen.manual) && early.name != self.chosen.name {
            return Err(Objection::Entangled);
        }
        let taken = self.net.fire(now, early)?;
        let without = succeed(self.net, &taken, &pending)?;
        if without == *self.then {
            return Ok((taken, Fires::AtOnce));
        }
        let with = succeed(self.net, &without, std::slice::from_ref(wait))?;
        if with == *self.then {
            Ok((taken, Fires::AtOnceAndOnSuccess))
        } else {
            Err(Objection::Entangled)
        }
    }
}

fn succeed(net: &NetSpec, tokens: &Tokens, waiting: &[Waiting]) -> Result<Tokens, Restless> {
    let mut tokens = tokens.clone();
    for wait in waiting {
        tokens = settle_waiting(net, &tokens, wait)?.unwrap_or(tokens);
    }
    Ok(tokens)
}

/// Where a waiting firing leads to; `None` if it cannot fire.
///
/// Of alternatives the one that is enabled fires. What a person must approve is no alternative to
/// anything, and has none.
pub(super) fn settle_waiting(
    net: &NetSpec,
    tokens: &Tokens,
    wait: &Waiting,
) -> Result<Option<Tokens>, Restless> {
    let covering = net.covering(&wait.tool);
    let is_recorded = |t: &&TransitionSpec| t.name == wait.transition;
    let recorded = covering.iter().copied().find(is_recorded).expect("it covered the tool then");
    let is_alike = |t: &&TransitionSpec| {
        is_recorded(t) || (!recorded.manual && !t.manual && t.deferred == recorded.deferred)
    };
    let chosen = covering.into_iter().filter(is_alike).find(|t| t.is_enabled(tokens));
    chosen.map(|chosen| net.fire(tokens, chosen)).transpose()
}
