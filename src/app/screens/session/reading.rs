//! Reading documents: which one is in view, how far it was read, and search.

use super::{SessionApp, SessionPane};
use crate::app::kit::{Action, Overlay, Prompt, PromptKind, around};
use crate::journal::session::{HowRead, SessionHappening};
use crate::text::span::Span;

/// Milliseconds for which a row has to be on the screen to count as seen; rows that are paged over are not read.
const GLANCE: i64 = 800;

/// A share of a document that is too little for the log.
const LITTLE: f64 = 0.001;

impl SessionApp {
    /// The first document that was not read to its end, else the first of all.
    pub(super) fn first_unread(&self) -> usize {
        let numbers = self.shelf.documents().iter().map(|document| document.number);
        numbers.into_iter().position(|number| self.session.reading(number) != HowRead::Read).unwrap_or(0)
    }

    /// Puts a document in view, and logs it.
    pub(super) fn open_document(&mut self, index: usize) {
        self.note_reading();
        if self.shelf.open(index) {
            self.glance = None;
            if let Some(document) = self.shelf.document().map(|document| document.number) {
                self.record(SessionHappening::View { document, furthest: 0.0 });
            }
        }
        if !self.shelf.search.is_off() && self.shelf.mark.is_none() {
            self.say_hits();
        }
    }

    /// Opens a document by its number and shows it.
    pub(super) fn open_numbered(&mut self, number: u32) {
        match self.shelf.place_of(number) {
            Some(index) => {
                self.open_document(index);
                self.show_document();
            }
            None => self.frame.warn(format!("there is no document {number} here")),
        }
    }

    /// Shows the document where it is not on the screen, or where the list has the focus.
    fn show_document(&mut self) {
        if self.layout.panes.place(SessionPane::Document).is_none() || self.focus == SessionPane::List {
            self.focus = SessionPane::Document;
        }
    }

    /// Opens the next or previous document of the list, going round.
    pub(super) fn step_document(&mut self, forwards: bool) {
        let count = self.shelf.documents().len();
        if count < 2 {
            return self.frame.say("there is no other document here");
        }
        let here = self.shelf.view().unwrap_or(0);
        self.open_document(if forwards { (here + 1) % count } else { (here + count - 1) % count });
    }

    /// Notes what is on the screen: rows that stay there for a moment count as seen.
    pub(super) fn look(&mut self) {
        let place = self
            .layout
            .panes
            .place(SessionPane::Document)
            .filter(|_| self.is_working() && self.frame.overlays.is_empty());
        let (Some(place), Some(view)) = (place, self.shelf.view()) else {
            self.glance = None;
            return;
        };
        let end = self.shelf.board.visible(place.body.height).end;
        match self.glance {
            Some((document, byte, since)) if (document, byte) == (view, end) => {
                if self.frame.now.monotonic - since >= GLANCE {
                    self.shelf.reach(end);
                }
            }
            _ => self.glance = Some((view, end, self.frame.now.monotonic)),
        }
    }

    /// Logs how far the document in view was read, where that is further than before.
    pub(super) fn note_reading(&mut self) {
        let Some(document) = self.shelf.document().map(|document| document.number) else { return };
        let furthest = self.shelf.furthest();
        let known = self.session.furthest.get(&document).copied().unwrap_or(0.0);
        if furthest > known + LITTLE {
            self.record(SessionHappening::View { document, furthest });
        }
    }

    pub(super) fn scroll_document(&mut self, rows: isize) {
        if let Some(place) = self.layout.panes.place(SessionPane::Document) {
            self.shelf.board.scroll_by(rows, place.body.height);
        }
    }

    /// Asks for words to search for, or for the number of a document.
    pub(super) fn ask_for(&mut self, kind: PromptKind) {
        self.searched_from = (self.shelf.board.scroll, self.summary.cursor());
        self.frame.overlays.push(Overlay::Prompt(Prompt::new(kind, "")));
    }

    /// Searches for words as they are typed, and shows the first hit in view or after it.
    pub(super) fn search(&mut self, needle: &str, pane: SessionPane) {
        self.shelf.look_for(needle);
        if pane == SessionPane::Summary {
            let hits = self.hits_in_summary();
            let cursor = self.summary.cursor();
            if let Some(hit) = hits.iter().find(|hit| hit.start() >= cursor).or(hits.first()) {
                self.summary.put_cursor(hit.start());
                self.follows_cursor = true;
            }
            return;
        }
        let height = self.layout.panes.height(SessionPane::Document);
        if let Some(hit) = self.shelf.board.first_hit(height) {
            self.mark(hit);
        }
    }

    /// Keeps the search, and logs it.
    pub(super) fn accept_search(&mut self, pane: SessionPane) {
        if self.shelf.search.is_off() {
            return;
        }
        self.record(SessionHappening::Search(self.shelf.search.needle().to_owned()));
        match pane {
            SessionPane::Summary => {
                let count = self.hits_in_summary().len();
                self.frame.say(format!("{count} in the summary"));
            }
            _ if self.shelf.mark.is_none() => self.step_hit(true),
            _ => self.say_hits(),
        }
    }

    fn mark(&mut self, hit: Span) {
        let height = self.layout.panes.height(SessionPane::Document);
        self.shelf.board.reveal(hit.range(), height);
        self.shelf.mark = Some(hit);
    }

    /// Goes to the next or previous hit through all documents, going round.
    pub(super) fn step_hit(&mut self, forwards: bool) {
        if self.shelf.search.is_off() {
            let find = self.frame.keymap.sign(Action::Search);
            return self.frame.say(format!("nothing is searched for; {find} finds words"));
        }
        self.show_document();
        if let Some(hit) = self.shelf.next_hit(forwards) {
            self.mark(hit);
            return self.say_hits();
        }
        let documents: Vec<usize> = self.shelf.hit_counts().into_iter().map(|(index, _)| index).collect();
        let Some(index) = around(&documents, self.shelf.view().unwrap_or(0), forwards) else {
            return self.frame.say(format!("{:?} is nowhere in the documents", self.shelf.search.needle()));
        };
        self.open_document(index);
        // The rows of a document that was just opened are not known yet.
        self.arrange();
        self.shelf.mark = None;
        if let Some(hit) = self.shelf.next_hit(forwards) {
            self.mark(hit);
        }
        self.say_hits();
    }

    fn say_hits(&mut self) {
        let hits = &self.shelf.board.hits;
        let place = self.shelf.mark.and_then(|mark| hits.iter().position(|hit| *hit == mark));
        let documents = self.shelf.hit_counts().len();
        let here = match place {
            Some(place) => format!("hit {} of {}", place + 1, hits.len()),
            None => format!("{} here", hits.len()),
        };
        self.frame.say(if documents > 1 {
            format!("{here} · {documents} documents have some")
        } else {
            here
        });
    }
}
