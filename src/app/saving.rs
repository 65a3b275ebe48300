//! Between the app and the disk: events are handed over, and nothing else is done until they are kept.

use super::message::{Append, Appended, Effect};
use super::{App, Pending, Purpose, Step, Then};
use crate::error::{Error, ErrorKind};
use crate::journal::{EventId, State};

impl App {
    /// Hands events over to be written; what comes after waits until they are.
    pub(super) fn commit(&mut self, append: Append, purpose: Purpose, then: Then, effects: &mut Vec<Effect>) {
        effects.push(Effect::Append(append.clone()));
        self.pending = Some(Pending { append, purpose, then });
    }

    pub(super) fn appended(&mut self, appended: Appended, effects: &mut Vec<Effect>) {
        let Some(pending) = self.pending.take() else {
            return;
        };
        self.queue.progress = appended.progress;
        self.take_standing(&pending, &appended);
        let says_saved = pending.purpose != Purpose::Visit;
        self.remember(&pending, appended.ids);
        if says_saved {
            self.say("saved");
        }
        self.run(pending.then, effects);
    }

    fn take_standing(&mut self, pending: &Pending, appended: &Appended) {
        let Some(loaded) = &mut self.loaded else {
            return;
        };
        if loaded.item.id != pending.append.item {
            return;
        }
        let before = loaded.standing.state(&self.protocol);
        loaded.standing = appended.standing.clone();
        let state = loaded.standing.state(&self.protocol);
        for neighbour in &mut loaded.group {
            if neighbour.position == loaded.position {
                neighbour.state = state;
                neighbour.flagged = loaded.standing.flagged;
            }
        }
        if before != State::Judged && state == State::Judged && loaded.standing.active > 0 {
            self.queue.recent.push(loaded.standing.active);
            let surplus = self.queue.recent.len().saturating_sub(50);
            self.queue.recent.drain(..surplus);
        }
    }

    fn remember(&mut self, pending: &Pending, ids: Vec<EventId>) {
        let position = self.loaded.as_ref().map_or(0, |loaded| loaded.position);
        match &pending.purpose {
            Purpose::Visit => {}
            Purpose::Step => {
                let events = ids
                    .iter()
                    .zip(&pending.append.happenings)
                    .filter(|(_, (happening, _))| happening.kind() != "visit")
                    .map(|(id, _)| *id)
                    .collect();
                self.redo.clear();
                self.undo.push(Step { position, item: pending.append.item, events });
            }
            Purpose::Undo(step) => self.redo.push((step.clone(), ids)),
            Purpose::Redo(step) => self.undo.push(step.clone()),
        }
    }

    pub(super) fn not_appended(&mut self, error: &Error) {
        if error.kind() == ErrorKind::Busy {
            self.warn("not saved yet: waiting for another haymark to finish writing");
        } else {
            self.warn(format!("not saved: {error}"));
        }
    }
}
