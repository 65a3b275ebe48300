//! From item to item: leaving one, finding the next, showing it.

use std::sync::Arc;

use super::{AnnotateDesk, App, Arrival, Begun, Find, Spot, Then};
use crate::app::kit::{Action, Effect, Moment, Overlay, Purpose};
use crate::journal::{Happening, ItemState, Loaded};
use crate::number::number_of;
use crate::protocol::{Pane, TargetPart};
use crate::study::{Candidate, Item, SampledThing};
use crate::text::words::on_one_line;

/// A visit shorter than this, in active milliseconds, is only passing through.
const PASSING: i64 = 1_000;

impl App {
    pub(super) fn walk(&mut self, action: Action, desk: &mut dyn AnnotateDesk) {
        let Some(loaded) = &self.loaded else { return };
        if self.is_to_be_told() {
            return self.tell();
        }
        let position = loaded.position;
        match action {
            Action::Next if position + 1 < self.queue.progress.total => {
                self.leave(Then::Load(position + 1, Arrival::Asked), desk);
            }
            // An item that is none of the queue stands behind its last.
            Action::Next if position == self.queue.progress.total => {
                self.leave(Then::Find(Find::NextOpen), desk)
            }
            Action::Next => self.frame.say("this is the last item"),
            Action::Back if position == 0 => self.frame.say("this is the first item"),
            Action::Back => self.leave(Then::Load(position - 1, Arrival::Asked), desk),
            Action::NextOpen => self.leave(Then::Find(Find::NextOpen), desk),
            Action::PreviousOpen => self.leave(Then::Find(Find::PreviousOpen), desk),
            _ => self.leave(Then::Find(Find::NextFlagged), desk),
        }
    }

    /// Goes to the item of this number, counted from 1.
    pub(super) fn jump(&mut self, number: &str, desk: &mut dyn AnnotateDesk) {
        let total = self.queue.progress.total;
        match number.trim().parse::<usize>() {
            Ok(number) if (1..=total).contains(&number) => {
                self.leave(Then::Load(number - 1, Arrival::Asked), desk)
            }
            _ => self.frame.warn(format!("items have the numbers 1 to {total}")),
        }
    }

    /// Leaves the item, with the visit on record unless it was only passing through.
    pub(super) fn leave(&mut self, then: Then, desk: &mut dyn AnnotateDesk) {
        self.say_half_answered(then);
        let has_looked = !self.reading.opened.is_empty() || self.reading.is_beyond_evidence;
        let passes = self.clock.unwritten() < PASSING && !has_looked;
        if passes {
            return self.run(then, desk);
        }
        let active = self.clock.take();
        match self.visit(active) {
            Some(visit) => self.write(vec![visit], Purpose::Visit, then, desk),
            None => self.run(then, desk),
        }
    }

    /// Names the open questions of an item that is left half answered.
    fn say_half_answered(&mut self, then: Then) {
        if !matches!(then, Then::Load(_, Arrival::Asked) | Then::Find(_)) {
            return;
        }
        if let Some((position, open)) = self.half_answered() {
            self.frame.say(format!("item {} is half answered: {open}", position + 1));
        }
    }

    /// The position of the item on the screen and what is open of it, such as `bullet is open`, where it is half answered.
    pub(super) fn half_answered(&self) -> Option<(usize, String)> {
        let loaded = self.loaded.as_ref()?;
        let answers = &loaded.standing.answers;
        if answers.is_empty() || self.state() != ItemState::Open || self.is_stale() {
            return None;
        }
        let open = self.protocol.questions.iter().filter(|question| {
            question.required && question.is_asked(answers) && !answers.contains_key(&question.key)
        });
        let open: Vec<&str> = open.map(|question| question.key.as_str()).collect();
        let are = if open.len() == 1 { "is" } else { "are" };
        Some((loaded.position, format!("{} {are} open", open.join(", "))))
    }

    /// Whether somebody went to an open item, and the study would open elsewhere after a power cut.
    pub(super) fn has_no_place(&self) -> bool {
        let is_open = self.loaded.is_some() && self.state() != ItemState::Judged && self.pending.is_none();
        is_open && self.arrival == Arrival::Asked && !self.begun.is_placed
    }

    /// Puts the place on record, unless the item is only passed.
    pub(super) fn place_after_a_while(&mut self, now: Moment, desk: &mut dyn AnnotateDesk) {
        if self.has_no_place() && self.clock.idle(now) >= PASSING {
            self.place(desk);
        }
    }

    /// Puts on record that the person is at this item, so that the study opens here again.
    pub(super) fn place(&mut self, desk: &mut dyn AnnotateDesk) {
        if let Some(visit) = self.visit(0) {
            self.write(vec![visit], Purpose::Visit, Then::Stay, desk);
        }
    }

    /// The visit that ends now, for the journal.
    pub(super) fn visit(&self, active: i64) -> Option<(Happening, i64)> {
        let loaded = self.loaded.as_ref()?;
        let visit = Happening::Visit {
            documents: self.reading.opened.iter().copied().collect(),
            beyond_evidence: self.reading.is_beyond_evidence,
            hint: self.reading.likely_bullet,
            sorted_by: loaded.sorted_by.clone(),
        };
        Some((visit, active))
    }

    /// Does what follows once the events are written.
    pub(super) fn run(&mut self, then: Then, desk: &mut dyn AnnotateDesk) {
        let position = self.loaded.as_ref().map_or(0, |loaded| loaded.position);
        match then {
            Then::Stay => {}
            Then::Load(position, arrival) => self.load(position, arrival, desk),
            Then::Find(find) => self.find(find, position, desk),
            Then::Quit => self.frame.want(Effect::Quit),
            Then::Tell => self.tell(),
            Then::Rest => self.go_on_with_rest(desk),
            Then::Reopen => self.reopen(Ok(()), desk),
            Then::GiveBack => {
                let (item, wall) = (self.loaded.as_ref().map(|loaded| loaded.item.id), self.frame.now.wall);
                if let (Some(item), Some(why)) = (item, self.begun.back_for.take()) {
                    self.given_back(desk.give_back(item, &why, wall), desk);
                }
            }
            Then::CalibrateAnew => self.reopen(desk.calibrate_anew(self.frame.now.wall), desk),
            Then::Write(question) => self.open_question(question, None),
            Then::Select(question, point) => {
                self.select_for(question, Some(point));
                if self.begun.lists.is_some() && self.selection().is_none() {
                    self.open_question(question, None);
                }
            }
        }
    }

    /// Puts the item at this position on the screen.
    pub(super) fn load(&mut self, position: usize, arrival: Arrival, desk: &mut dyn AnnotateDesk) {
        // Texts that stay keep the scroll that they have now.
        self.arrange();
        self.arrival = arrival;
        if let Some(loaded) = self.frame.read(desk.load(position)) {
            self.show(loaded, desk);
        }
    }

    /// Takes the queue as it is now that work came from the hub. The item on the screen stays, with what was begun on it, also where
    /// it is none of the queue any more. While anything goes by the old places, the queue waits.
    pub(super) fn renew(&mut self, desk: &mut dyn AnnotateDesk) {
        let is_busy = self.pending.is_some() || self.awaited().is_some() || self.earlier_item().is_some();
        let Some(here) = self.loaded.as_ref().map(|loaded| loaded.item.id) else { return };
        if is_busy || !self.frame.overlays.is_empty() {
            return;
        }
        self.is_outdated = false;
        let mut queue = match desk.reopen() {
            Ok(queue) => queue,
            // Nothing is there to judge, or not yet.
            Err(error) => return self.frame.warn(error.to_string()),
        };
        queue.recent = std::mem::take(&mut self.queue.recent);
        let Some(place) = self.frame.read(desk.place_of(here)) else { return };
        self.undo.move_to(|spot| {
            let position = desk.place_of(spot.item).ok()??;
            Some(Spot { position, ..*spot })
        });
        let (total, was_held) = (queue.progress.total, self.is_held());
        let was = std::mem::replace(&mut self.queue, queue).progress.total;
        let fresh = place.and_then(|position| self.frame.read(desk.load(position)));
        if let Some(loaded) = &mut self.loaded {
            loaded.position = place.unwrap_or(total);
            loaded.group.clear();
            if let Some(fresh) = fresh {
                (loaded.group, loaded.place_of_group) = (fresh.group, fresh.place_of_group);
            }
        }
        if was_held && !self.is_held() {
            self.frame.say("calibration is passed: the work is here");
        } else if place.is_none() || total < was {
            let this = if place.is_none() { ", and this is none of them" } else { "" };
            self.frame.say(format!("what is yours has changed: {}{this}", number_of(total, "item")));
        }
    }

    /// Goes to an item that is looked for from behind this position on.
    pub(super) fn find(&mut self, find: Find, after: usize, desk: &mut dyn AnnotateDesk) {
        if let Some(position) = self.frame.read(desk.find(find, after)) {
            self.found(find, position, desk);
        }
    }

    fn found(&mut self, find: Find, position: Option<usize>, desk: &mut dyn AnnotateDesk) {
        let here = self.loaded.as_ref().map(|loaded| loaded.position);
        match (find, position) {
            (Find::AdvanceOpen, Some(position)) => {
                self.load(position, here.map_or(Arrival::Asked, Arrival::Advancing), desk);
            }
            (Find::AdvanceOpen | Find::NextOpen, None) if self.is_held() => self.stop_at_gate(),
            (Find::AdvanceOpen | Find::NextOpen, None) if self.queue.progress.skipped == 0 => {
                self.frame.overlays.push(Overlay::Done);
                if let Some(day) = self.frame.read(desk.days_work()) {
                    self.day = day;
                }
            }
            (Find::AdvanceOpen, None) => {
                let skipped = self.queue.progress.skipped;
                let (are, them) = if skipped == 1 { ("is", "it") } else { ("are", "them") };
                let (left, key) =
                    (number_of(skipped, "skipped item"), self.frame.keymap.sign(Action::NextOpen));
                self.frame.say(format!("saved · {left} {are} left; {key} goes to {them}"));
            }
            (Find::NextFlagged, _) if self.queue.progress.flagged == 0 => {
                self.frame.say("nothing is flagged")
            }
            (Find::NextFlagged, None) => self.frame.say("no other item is flagged"),
            (_, None) => self.frame.say("every other item is judged"),
            (Find::NextOpen | Find::PreviousOpen, Some(position)) if Some(position) == here => {
                self.frame.say("every other item is judged");
            }
            (_, Some(position)) if Some(position) == here => self.frame.say("no other item is flagged"),
            (_, Some(position)) => {
                if self.begun.corrects && find == Find::NextOpen {
                    self.frame.say(format!("back to item {}, the next one to judge", position + 1));
                }
                self.load(position, Arrival::Asked, desk);
            }
        }
    }

    /// Puts an item on the screen.
    fn show(&mut self, loaded: Loaded, desk: &mut dyn AnnotateDesk) {
        if self.stored.targets(TargetPart::Pair) {
            self.protocol = Arc::new(self.stored.on_screen(loaded.item.is_turned));
        }
        let other_text = self.other_text(&loaded);
        self.clear_changed(&loaded);
        let (document, bytes) = self.opening(&loaded);
        self.reading.units = numbered_units(&loaded.item);
        // More items may have come from the hub than the last answer knew.
        let total = &mut self.queue.progress.total;
        *total = (*total).max(loaded.position + 1);
        self.loaded = Some(loaded);
        self.begun = Begun { corrects: self.state() == ItemState::Judged, other_text, ..Begun::default() };
        self.held.shows(false, self.frame.now);
        self.frame.overlays.retain(|overlay| !overlay.is_within_boards());
        let tabs = self.cut().tabs;
        if !tabs.is_empty() {
            // Where panes are tabs, each item begins with the judged text; where all panes are, with the unit.
            self.focus = if tabs.contains(&Pane::Unit) { Pane::Unit } else { self.home() };
        }
        self.clock.start_item();
        self.reading.start_item();
        if let Some(number) = document {
            self.put_document(number);
        }
        self.look_again();
        let passage = || self.first_passage().map(|span| span.range());
        let bytes = bytes.or_else(passage);
        self.boards[Pane::Documents].reveal_later(bytes);
        self.reveal_bullet();
        if let Some(minutes) = self.breaks.due() {
            self.frame.say(format!("{minutes} minutes without a break: a short one keeps judgments even"));
        }
        let arrival = std::mem::replace(&mut self.arrival, Arrival::Asked);
        if let Arrival::Advancing(from) = arrival {
            self.arrival = Arrival::Unseen(from);
            self.say_other_text();
        }
        self.warn_if_stale();
        if self.is_to_be_told() {
            self.tell();
        }
        // These arrivals write, and their message stands last.
        match arrival {
            Arrival::Undo => self.undo_here(desk),
            Arrival::Redo => self.redo_here(desk),
            Arrival::Rest => self.answer_rest(desk),
            _ => {}
        }
    }

    /// The kind of text that is new with an item: its summary, or the part that its group shares.
    fn other_text(&self, loaded: &Loaded) -> Option<&'static str> {
        let before = self.loaded.as_ref()?;
        let summaries = |loaded: &Loaded| {
            let keys = &loaded.item.keys;
            (keys.candidate.clone(), keys.other.clone(), loaded.item.is_turned)
        };
        if summaries(before) != summaries(loaded) {
            return Some("summary");
        }
        let is_apart = before.group.iter().all(|neighbour| neighbour.position != loaded.position);
        (is_apart && before.position != loaded.position)
            .then_some(SampledThing::from(self.protocol.group).name())
    }

    /// Says that the text is new, where several items in a row are about one text.
    fn say_other_text(&mut self) {
        if let Some(new) = self.begun.other_text.filter(|_| self.protocol.target.len() > 1) {
            let said = std::mem::take(&mut self.frame.notice.text);
            let after = if said.is_empty() { "" } else { " · " };
            self.frame.notice.text = format!("{said}{after}a new {new}");
        }
    }

    /// Clears the boards whose texts change with this item; the others keep their rows and their scroll.
    fn clear_changed(&mut self, loaded: &Loaded) {
        let candidate = |item: &crate::study::Item| {
            item.candidate.as_ref().map(|candidate: &Candidate| candidate.id.clone())
        };
        let before = self.loaded.as_ref().map(|before| &before.item);
        let same_query = before.is_some_and(|item| {
            item.keys.query == loaded.item.keys.query && item.keys.collection == loaded.item.keys.collection
        });
        let same_candidate =
            same_query && before.is_some_and(|item| candidate(item) == candidate(&loaded.item));
        let same_collection = before.is_some_and(|item| item.keys.collection == loaded.item.keys.collection);
        if !same_query {
            self.boards[Pane::Query].clear();
        }
        if !same_candidate {
            self.boards[Pane::Candidate].clear();
            self.reading.sentences = None;
        }
        self.boards[Pane::Other].clear();
        if !same_collection {
            self.boards[Pane::Documents].clear();
            let shows_difference = self.reading.shows_difference;
            self.reading = super::reading::ReadingState::default();
            self.reading.shows_difference = shows_difference;
        }
        self.boards[Pane::Unit].clear();
        self.boards[Pane::Units].clear();
    }

    /// Whether the answers on the screen were given on other texts or under another protocol version.
    pub fn is_stale(&self) -> bool {
        self.loaded
            .as_ref()
            .is_some_and(|loaded| loaded.standing.is_stale(self.protocol.hash, loaded.item.texts()))
    }
}

/// The units to choose from, one a line, as they are numbered.
fn numbered_units(item: &Item) -> String {
    item.choices.iter().map(|unit| on_one_line(&unit.text)).collect::<Vec<_>>().join("\n")
}
