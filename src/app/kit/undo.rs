//! Steps that can be taken back, and those that were. What is taken back is retracted, never deleted: undo writes
//! retractions, and redo retracts these.

use crate::journal::EventId;

/// Something that can be undone: what it was about, and its events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoStep<P> {
    pub place: P,
    pub events: Vec<EventId>,
}

/// Why events are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose<P> {
    /// Something that undo takes back.
    Step,
    /// Something that it passes over.
    Visit,
    /// The step is taken back.
    Undo(UndoStep<P>),
    /// The step is done again: its retractions, which come with it, are retracted.
    Redo(UndoStep<P>, Vec<EventId>),
}

/// The steps, the latest last.
#[derive(Debug, Clone)]
pub struct Undo<P> {
    steps: Vec<UndoStep<P>>,
    /// Each with its retractions.
    undone: Vec<(UndoStep<P>, Vec<EventId>)>,
}

impl<P> Undo<P> {
    /// Steps that were taken before, the latest last.
    pub fn new(steps: Vec<UndoStep<P>>) -> Undo<P> {
        Undo { steps, undone: Vec::new() }
    }

    /// What the steps are about, the latest last.
    pub fn places(&self) -> impl DoubleEndedIterator<Item = &P> {
        self.steps.iter().map(|step| &step.place)
    }

    /// What the step is about that undo takes back next.
    pub fn next_back(&self) -> Option<&P> {
        self.steps.last().map(|step| &step.place)
    }

    /// What the step is about that redo does again next.
    pub fn next_again(&self) -> Option<&P> {
        self.undone.last().map(|(step, _)| &step.place)
    }

    /// Takes the latest step out to be taken back.
    pub fn take_back(&mut self) -> Option<Purpose<P>> {
        self.steps.pop().map(Purpose::Undo)
    }

    /// Takes the step out that was taken back last, to be done again.
    pub fn do_again(&mut self) -> Option<Purpose<P>> {
        self.undone.pop().map(|(step, retractions)| Purpose::Redo(step, retractions))
    }

    /// Takes note of what is on disk now.
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

    /// What was taken out and not written can be taken out again.
    pub fn put_back(&mut self, purpose: Purpose<P>) {
        match purpose {
            Purpose::Step | Purpose::Visit => {}
            Purpose::Undo(step) => self.steps.push(step),
            Purpose::Redo(step, retractions) => self.undone.push((step, retractions)),
        }
    }

    /// Forgets the steps about some of the places: nothing leads back over them.
    pub fn forget(&mut self, is_meant: impl Fn(&P) -> bool) {
        self.steps.retain(|step| !is_meant(&step.place));
        self.undone.retain(|(step, _)| !is_meant(&step.place));
    }
}

impl<P> Purpose<P> {
    /// The events that are retracted for it.
    pub fn retracts(&self) -> &[EventId] {
        match self {
            Purpose::Step | Purpose::Visit => &[],
            Purpose::Undo(step) => &step.events,
            Purpose::Redo(_, retractions) => retractions,
        }
    }
}
