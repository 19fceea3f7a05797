//! References: nodes that stand for a node of another page, followed to that node.

use super::PnmlProblemKind;
use super::draft::{ArcDraft, Draft, Object, ReferenceDraft};
use super::error::Problems;

/// A place or transition, by its position in the draft.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum End {
    Place(usize),
    Transition(usize),
}

impl End {
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Place(_) => "place",
            Self::Transition(_) => "transition",
        }
    }
}

/// What each reference of the draft stands for in the end; `None` if that is not known, which has
/// then been reported.
pub(super) struct References<'a> {
    draft: &'a Draft<'a>,
    states: Vec<State>,
}

#[derive(Clone, Copy)]
enum State {
    Unseen,
    /// On the path that is being followed; meeting it again means a cycle.
    OnPath,
    Known(Option<End>),
}

impl<'a> References<'a> {
    pub(super) fn follow_all(draft: &'a Draft<'a>, problems: &mut Problems) -> Self {
        let mut references = Self { draft, states: vec![State::Unseen; draft.references.len()] };
        for start in 0..draft.references.len() {
            references.follow(start, problems);
        }
        references
    }

    /// Follows one chain; every reference is walked once, however many chains lead through it.
    fn follow(&mut self, start: usize, problems: &mut Problems) {
        let mut path: Vec<(usize, &ReferenceDraft<'_>)> = Vec::new();
        let mut current = start;
        let mut end = loop {
            let Some(reference) = self.draft.references.get(current) else { break None };
            match self.state(current) {
                State::Known(end) => break end,
                State::OnPath => {
                    let kind = PnmlProblemKind::ReferenceCycle { id: reference.id.to_owned() };
                    problems.push(reference.at, kind);
                    break None;
                }
                State::Unseen => self.set(current, State::OnPath),
            }
            path.push((current, reference));
            match self.next(reference, problems) {
                Step::Reference(next) => current = next,
                Step::End(end) => break end,
            }
        };
        // From the end backwards, so that a reference of the wrong kind is reported where it is.
        for (position, reference) in path.into_iter().rev() {
            end = end.filter(|&end| is_of_kind(reference, end, problems));
            self.set(position, State::Known(end));
        }
    }

    fn next(&self, reference: &ReferenceDraft<'_>, problems: &mut Problems) -> Step {
        let Some(target) = reference.target else { return Step::End(None) };
        match self.draft.object(target) {
            Some(Object::Place(place)) => Step::End(Some(End::Place(place))),
            Some(Object::Transition(transition)) => Step::End(Some(End::Transition(transition))),
            Some(Object::Reference(next)) => Step::Reference(next),
            Some(Object::Other) | None => {
                problems.push(reference.at, unknown_reference(reference));
                Step::End(None)
            }
        }
    }

    fn state(&self, position: usize) -> State {
        self.states.get(position).copied().unwrap_or(State::Known(None))
    }

    fn set(&mut self, position: usize, state: State) {
        if let Some(slot) = self.states.get_mut(position) {
            *slot = state;
        }
    }

    pub(super) fn arc_end(
        &self,
        arc: &ArcDraft<'_>,
        end: &'static str,
        id: &str,
        problems: &mut Problems,
    ) -> Option<End> {
        match self.draft.object(id) {
            Some(Object::Place(place)) => Some(End::Place(place)),
            Some(Object::Transition(transition)) => Some(End::Transition(transition)),
            Some(Object::Reference(reference)) => match self.state(reference) {
                State::Known(end) => end,
                State::Unseen | State::OnPath => None,
            },
            Some(Object::Other) | None => {
                let (arc_id, id) = (arc.id.to_owned(), id.to_owned());
                problems.push(arc.at, PnmlProblemKind::UnknownArcEnd { arc: arc_id, end, id });
                None
            }
        }
    }
}

enum Step {
    Reference(usize),
    End(Option<End>),
}

fn is_of_kind(reference: &ReferenceDraft<'_>, end: End, problems: &mut Problems) -> bool {
    let is_of_kind = reference.kind == end.kind();
    if !is_of_kind {
        problems.push(reference.at, unknown_reference(reference));
    }
    is_of_kind
}

fn unknown_reference(reference: &ReferenceDraft<'_>) -> PnmlProblemKind {
    PnmlProblemKind::UnknownReference {
        id: reference.id.to_owned(),
        target: reference.target.unwrap_or_default().to_owned(),
        kind: reference.kind,
    }
}
