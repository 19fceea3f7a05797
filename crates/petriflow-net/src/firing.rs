//! The firing rule.

use std::fmt;

use crate::net::WrongMarking;
use crate::{Marking, Net, PlaceId, TransitionId};

impl Net {
    /// Whether every input place of the transition holds enough tokens.
    ///
    /// Tokens may be any slice with one count per place; one of another length enables nothing.
    pub fn is_enabled(&self, tokens: &[u32], transition: TransitionId) -> bool {
        tokens.len() == self.place_count()
            && self.inputs(transition).iter().all(|arc| present(tokens, arc.place) >= arc.weight)
    }

    /// The enabled transitions, in declared order.
    pub fn enabled<'a>(&'a self, tokens: &'a [u32]) -> impl Iterator<Item = TransitionId> + 'a {
        self.transitions().filter(|&transition| self.is_enabled(tokens, transition))
    }

    /// Fires a transition and returns the marking it leads to.
    ///
    /// # Errors
    /// If a place lacks tokens (which, and how many), or could not hold the result.
    pub fn fire(&self, marking: &Marking, transition: TransitionId) -> Result<Marking, FireError> {
        let mut next = marking.clone();
        self.fire_in_place(&mut next, transition)?;
        Ok(next)
    }

    /// Fires a transition on the tokens themselves, which stay as they are on an error.
    ///
    /// # Errors
    /// As [`fire`](Net::fire).
    pub fn fire_in_place(
        &self,
        tokens: &mut [u32],
        transition: TransitionId,
    ) -> Result<(), FireError> {
        WrongMarking::check(self, tokens).map_err(FireError::WrongMarking)?;
        if let Some(missing) = self.missing(tokens, transition) {
            return Err(FireError::NotEnabled(missing));
        }
        self.check_room(tokens, transition)?;
        // Taking cannot go below zero and putting cannot overflow: both were checked above.
        for arc in self.inputs(transition) {
            if let Some(count) = tokens.get_mut(arc.place.index()) {
                *count = count.saturating_sub(arc.weight);
            }
        }
        for arc in self.outputs(transition) {
            if let Some(count) = tokens.get_mut(arc.place.index()) {
                *count = count.saturating_add(arc.weight);
            }
        }
        Ok(())
    }

    /// Fires transitions one after the other.
    ///
    /// # Errors
    /// The first that cannot fire, with its position in the sequence.
    pub fn fire_sequence(
        &self,
        marking: &Marking,
        sequence: &[TransitionId],
    ) -> Result<Marking, SequenceError> {
        let mut current = marking.clone();
        for (step, &transition) in sequence.iter().enumerate() {
            self.fire_in_place(&mut current, transition)
                .map_err(|error| SequenceError { step, error })?;
        }
        Ok(current)
    }

    fn missing(&self, tokens: &[u32], transition: TransitionId) -> Option<NotEnabled> {
        self.inputs(transition).iter().find_map(|arc| {
            let present = present(tokens, arc.place);
            (present < arc.weight).then(|| NotEnabled {
                transition: self.transition_name(transition).into(),
                place: self.place_name(arc.place).into(),
                present,
                needed: arc.weight,
            })
        })
    }

    fn check_room(&self, tokens: &[u32], transition: TransitionId) -> Result<(), FireError> {
        for (place, change) in self.outputs(transition).iter().map(|arc| {
            let taken = self.inputs(transition).iter().find(|input| input.place == arc.place);
            (arc.place, i64::from(arc.weight).saturating_sub(taken.map_or(0, |i| i.weight.into())))
        }) {
            if i64::from(present(tokens, place)).saturating_add(change) > i64::from(u32::MAX) {
                return Err(FireError::Overflow {
                    transition: self.transition_name(transition).into(),
                    place: self.place_name(place).into(),
                });
            }
        }
        Ok(())
    }
}

fn present(tokens: &[u32], place: PlaceId) -> u32 {
    tokens.get(place.index()).copied().unwrap_or(0)
}

/// Why a transition did not fire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FireError {
    /// A place holds too few tokens.
    NotEnabled(NotEnabled),
    /// A place would hold more than `u32::MAX` tokens.
    Overflow {
        /// The transition.
        transition: String,
        /// The place that is full.
        place: String,
    },
    /// The marking belongs to another net.
    WrongMarking(WrongMarking),
}

/// Which place lacks how many tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotEnabled {
    /// The transition that was to fire.
    pub transition: String,
    /// The first of its input places that lacks tokens.
    pub place: String,
    /// What the place holds.
    pub present: u32,
    /// What the transition takes.
    pub needed: u32,
}

impl NotEnabled {
    /// How many tokens are missing.
    pub fn lacking(&self) -> u32 {
        self.needed.saturating_sub(self.present)
    }
}

impl fmt::Display for NotEnabled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` cannot fire: place `{}` holds {} of the {} tokens it takes, {} too few",
            self.transition,
            self.place,
            self.present,
            self.needed,
            self.lacking()
        )
    }
}

impl fmt::Display for FireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotEnabled(missing) => missing.fmt(f),
            Self::Overflow { transition, place } => {
                write!(f, "`{transition}` cannot fire: place `{place}` is full")
            }
            Self::WrongMarking(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FireError {}

/// The step of a sequence that could not fire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SequenceError {
    /// Position in the sequence, from 0.
    pub step: usize,
    /// What was wrong there.
    pub error: FireError,
}

impl fmt::Display for SequenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: {}", self.step.saturating_add(1), self.error)
    }
}

impl std::error::Error for SequenceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}
