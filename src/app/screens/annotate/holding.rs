//! Keys that are held down: their repetitions land on items that nobody has read.

use super::{AnnotateDesk, App, Arrival};
use crate::app::kit::{Action, Key, Moment, Overlay};

/// Time after an item came by itself in which a key still counts as typed for the item before it, in
/// milliseconds. Far shorter than anyone can read.
const SETTLE: i64 = 60;

/// As [`SETTLE`], for a key that was held on the item before: a held key repeats every 90 ms in macOS.
const REPEATS: i64 = 120;

/// Time for which another summary, document or query that came by itself is looked at before it is judged, in milliseconds.
const LOOK: i64 = 600;

/// A click within this time after an item came by itself may be the second of a double click on the item before, in milliseconds:
/// as long as desktops wait for one.
const DOUBLE_CLICK: i64 = 500;

/// Keys that follow a refused key within this time were typed before the refusal was seen, in milliseconds.
const TYPED_ON: i64 = 300;

/// A held key begins to come again within this time, in milliseconds.
const BEGINS: i64 = 2_000;

/// The key that was pressed last, and whether it may have answered an unread item.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct HeldKey {
    last: Option<(Key, i64)>,
    /// Whether the same key had come just before.
    pub is_again: bool,
    /// Whether the key was meant for the item before this one.
    is_stray: bool,
    /// Whether the key had been meant for the item before and came again on this one.
    may_be_unread: bool,
    /// Whether several questions of the item take the key, one after the other.
    pub may_go_on: bool,
    /// Whether the key's answer is doubtful: if the key repeats at once, it is held down, and the answer is taken back.
    is_doubted: bool,
    /// Whether the key's answer is being taken back.
    pub takes_back: bool,
    /// Monotonic time until which an item that came by itself is looked at and not judged.
    looks_until: i64,
}

impl HeldKey {
    /// Takes a key in; returns whether its last answer is to be taken back.
    fn press(&mut self, key: Key, now: Moment) -> bool {
        let since = self.last.filter(|(last, _)| *last == key).map(|(_, at)| now.monotonic - at);
        self.last = Some((key, now.monotonic));
        self.is_again = since.is_some_and(|since| since < BEGINS);
        self.may_be_unread = self.is_again && self.is_stray;
        self.is_stray = false;
        std::mem::take(&mut self.is_doubted) && since.is_some_and(|since| since < REPEATS)
    }

    /// Takes note that the key answers something.
    pub(super) fn answers(&mut self) {
        let goes_on = std::mem::take(&mut self.may_go_on) && self.is_again;
        self.is_doubted = self.may_be_unread || goes_on;
    }

    /// Takes note that the key was pressed for the item before the one that comes now.
    pub(super) fn strays(&mut self) {
        self.is_stray = true;
    }

    /// Takes note that an item is on the screen; `is_other_text` tells that it came by itself and is about another text.
    pub(super) fn shows(&mut self, is_other_text: bool, now: Moment) {
        self.looks_until = if is_other_text { now.monotonic + LOOK } else { 0 };
    }

    /// Takes note of the mouse: no key is held any more.
    pub(super) fn let_go(&mut self) {
        self.is_again = false;
    }
}

impl App {
    /// The position that a key was meant for, when the present item came by itself and nobody can have seen it yet.
    pub(in crate::app) fn earlier_item(&self) -> Option<usize> {
        let settles = if self.held.may_be_unread { REPEATS } else { SETTLE };
        match self.arrival {
            Arrival::Unseen(from) => Some(from),
            Arrival::Seen(from, at) if self.frame.now.monotonic - at < settles => Some(from),
            _ => None,
        }
    }

    /// Whether an answer cannot be meant for the item on the screen, since nobody has read it yet.
    pub(in crate::app) fn is_unread(&self) -> bool {
        self.earlier_item().is_some() || self.frame.now.monotonic < self.held.looks_until
    }

    /// Whether a click is not taken as an answer, since nobody has read the item yet; says so.
    pub(in crate::app) fn refuses_click(&mut self) -> bool {
        let (now, here) = (self.frame.now.monotonic, self.loaded.as_ref().map(|loaded| loaded.position));
        // No item comes before the one that a screen opens with.
        let may_be_second =
            matches!(self.arrival, Arrival::Seen(from, at) if now - at < DOUBLE_CLICK && Some(from) != here);
        let refuses = may_be_second || self.is_unread();
        if refuses {
            self.frame.warn("clicked before this item was read");
        }
        refuses
    }

    /// Whether a key is not taken now.
    fn is_refused(&self, key: Key) -> bool {
        let is_in_use = self.frame.overlays.is_empty();
        self.pending.is_some() || (is_in_use && self.is_unread() && self.is_labelling(key))
    }

    /// Whether a key judges an item, so that it must be meant for that item.
    pub(super) fn is_labelling(&self, key: Key) -> bool {
        match self.frame.keymap.action(key) {
            Some(action) => {
                matches!(
                    action,
                    Action::Skip | Action::Flag | Action::Comment | Action::RestNone | Action::Confirm
                )
            }
            None => self.is_answer(key),
        }
    }

    /// Takes a key; if it is held down and has answered an unread item, takes that answer back.
    pub(super) fn strike(&mut self, key: Key, now: Moment, desk: &mut dyn AnnotateDesk) {
        let takes_back = self.held.press(key, now);
        // Refused keys and the reason stay on the screen until a key is taken.
        if !self.is_refused(key) {
            self.frame.hush();
        }
        let is_in_use = matches!(self.frame.overlays.last(), None | Some(Overlay::Done));
        if takes_back && is_in_use && self.pending.is_none() && self.is_labelling(key) {
            self.frame.overlays.clear();
            self.held.takes_back = true;
            return self.undo(desk);
        }
        self.press(key, desk);
    }

    /// Notes that a held key's answer was taken back: the key still repeats, and the item that it answered is unread.
    pub(super) fn took_back(&mut self) -> bool {
        let took_back = std::mem::take(&mut self.held.takes_back);
        if let Some(loaded) = self.loaded.as_ref().filter(|_| took_back) {
            self.held.strays();
            self.arrival = Arrival::Unseen(loaded.position);
        }
        took_back
    }

    /// Refuses an answer to an unseen item. A held key keeps being refused.
    pub(in crate::app) fn hold_back(&mut self, key: Key) {
        let now = self.frame.now.monotonic;
        let is_looked_at = self.earlier_item().is_none();
        self.held.strays();
        self.frame.refuse(key);
        if let Arrival::Seen(from, _) = self.arrival
            && !is_looked_at
        {
            self.arrival = Arrival::Seen(from, now);
        }
        if self.held.looks_until > now {
            self.held.looks_until = self.held.looks_until.max(now + TYPED_ON);
        }
        // The message about a held key stays while it is held.
        if !self.frame.notice.is_warning {
            let new = self.begun.other_text.filter(|_| is_looked_at);
            self.frame.warn(match new {
                Some(new) => format!("a new {new}: read it first"),
                None => "typed before this item was on the screen".to_owned(),
            });
        }
    }
}
