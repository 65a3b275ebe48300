//! Undo and redo. A step that is taken back is retracted, never deleted: undo writes retractions, and redo retracts these.

use crate::journal::EventId;

/// A step that can be undone: its place, and its events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoStep<P> {
    pub place: P,
    pub events: Vec<EventId>,
}

/// The purpose for which events are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose<P> {
    /// A step, which undo takes back.
    Step,
    /// A visit, which undo passes over.
    Visit,
    /// An undo of the step.
    Undo(UndoStep<P>),
    /// A redo of the step: its retractions, which come with it, are retracted.
    Redo(UndoStep<P>, Vec<EventId>),
}

/// The steps, the latest last.
#[derive(Debug, Clone)]
pub struct Undo<P> {
    steps: Vec<UndoStep<P>>,
    /// Steps that were taken back, each with its retractions.
    undone: Vec<(UndoStep<P>, Vec<EventId>)>,
}

impl<P> Undo<P> {
    /// A history of these steps, the latest last.
    pub fn new(steps: Vec<UndoStep<P>>) -> Undo<P> {
        Undo { steps, undone: Vec::new() }
    }

    /// The places of the steps, the latest last.
    pub fn places(&self) -> impl DoubleEndedIterator<Item = &P> {
        self.steps.iter().map(|step| &step.place)
    }

    /// The place of the step that undo takes back next.
    pub fn next_back(&self) -> Option<&P> {
        self.steps.last().map(|step| &step.place)
    }

    /// The place of the step that redo does again next.
    pub fn next_again(&self) -> Option<&P> {
        self.undone.last().map(|(step, _)| &step.place)
    }

    /// Takes out the latest step, to be taken back.
    pub fn take_back(&mut self) -> Option<Purpose<P>> {
        self.steps.pop().map(Purpose::Undo)
    }

    /// Takes out the step that was taken back last, to be done again.
    pub fn do_again(&mut self) -> Option<Purpose<P>> {
        self.undone.pop().map(|(step, retractions)| Purpose::Redo(step, retractions))
    }

    /// Takes note that events of this purpose are on disk.
    pub fn written(&mut self, purpose: Purpose<P>, place: P, events: Vec<EventId>) {
        match purpose {
            Purpose::Visit => {}
            Purpose::Step => {
                self.undone.clear();
                self.steps.push(UndoStep { place, events });
            }
            Purpose::Undo(step) => self.undone.push((step, events)),
            Purpose::Redo(step, _) => self.steps.push(step),
        }
    }

    /// Puts back a step that was taken out and not written, so that it can be taken out again.
    pub fn put_back(&mut self, purpose: Purpose<P>) {
        match purpose {
            Purpose::Step | Purpose::Visit => {}
            Purpose::Undo(step) => self.steps.push(step),
            Purpose::Redo(step, retractions) => self.undone.push((step, retractions)),
        }
    }

    /// Gives the steps their new places, and forgets those that have none.
    pub fn move_to(&mut self, mut new: impl FnMut(&P) -> Option<P>) {
        let mut moves = |step: &mut UndoStep<P>| new(&step.place).map(|place| step.place = place).is_some();
        self.steps.retain_mut(&mut moves);
        self.undone.retain_mut(|(step, _)| moves(step));
    }

    /// Forgets the steps at these places: no undo leads back over them.
    pub fn forget(&mut self, is_meant: impl Fn(&P) -> bool) {
        self.steps.retain(|step| !is_meant(&step.place));
        self.undone.retain(|(step, _)| !is_meant(&step.place));
    }
}

impl<P> Purpose<P> {
    /// The events that this purpose retracts.
    pub fn retracts(&self) -> &[EventId] {
        match self {
            Purpose::Step | Purpose::Visit => &[],
            Purpose::Undo(step) => &step.events,
            Purpose::Redo(_, retractions) => retractions,
        }
    }
}
