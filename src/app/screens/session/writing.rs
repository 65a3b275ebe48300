//! The effect of keys on the summary.

use super::{SessionApp, SessionPane, Stage};
use crate::app::kit::layout::page;
use crate::app::kit::{Action, Effect, PromptKind};
use crate::journal::session::{Delta, SessionHappening};
use crate::text::citation::citations;
use crate::text::span::Span;

impl SessionApp {
    /// Types a character.
    pub(super) fn type_character(&mut self, character: char) {
        if self.refuses_changes() {
            return;
        }
        let change = self.summary.insert(character);
        self.changed(change);
        if self.pace.typed(self.frame.now.monotonic) {
            self.warn_for_a_while("that came faster than anyone types; the log says so");
        }
    }

    /// Logs a change, and keeps the cursor on the screen.
    pub(super) fn changed(&mut self, change: Option<Delta>) {
        self.follows_cursor = true;
        if let Some(change) = change {
            self.record(SessionHappening::Edit(change));
        }
    }

    fn refuses_changes(&mut self) -> bool {
        let refuses = self.is_held_back();
        if refuses {
            self.frame.warn("nothing can be saved at present, so this key was not used");
        }
        refuses
    }

    /// Takes an action of the summary; returns whether it was one.
    pub(super) fn write(&mut self, action: Action) -> bool {
        if self.summary.go(action) {
            self.follows_cursor = true;
            return true;
        }
        match action {
            Action::WriteBreak => self.type_character('\n'),
            Action::WriteDelete
            | Action::WriteDeleteNext
            | Action::WriteDeleteWord
            | Action::WriteDeleteNextWord
            | Action::WriteDeleteRest
            | Action::WritePutBack
            | Action::WriteMoveUp
            | Action::WriteMoveDown
            | Action::WriteUndo
            | Action::WriteRedo => self.edit(action),
            Action::WriteFind => self.ask_for(PromptKind::FindInSummary),
            Action::WriteNextHit => self.next_hit_in_summary(true),
            Action::WritePreviousHit => self.next_hit_in_summary(false),
            Action::WriteOpenCited => self.open_cited(),
            _ => return false,
        }
        true
    }

    /// Changes the summary as an action says, unless nothing can be saved.
    fn edit(&mut self, action: Action) {
        if self.refuses_changes() {
            return;
        }
        let change = match action {
            Action::WritePutBack => self.summary.put_back(),
            Action::WriteMoveUp | Action::WriteMoveDown => {
                self.summary.move_line(action == Action::WriteMoveDown)
            }
            Action::WriteUndo => self.summary.undo(),
            Action::WriteRedo => self.summary.redo(),
            _ => self.summary.delete(action),
        };
        match action {
            _ if change.is_some() => {}
            Action::WritePutBack => self.frame.say("nothing was deleted by words or to a bullet's end yet"),
            Action::WriteUndo => self.frame.say("nothing to undo"),
            Action::WriteRedo => self.frame.say("nothing to do again"),
            _ => {}
        }
        self.changed(change);
    }

    /// Cites the document in view at the end of the bullet with the cursor.
    pub(super) fn cite(&mut self) {
        let Some(number) = self.shelf.document().map(|document| document.number) else {
            return self.frame.say("no document is open yet");
        };
        if self.refuses_changes() {
            return;
        }
        match self.summary.cite(number) {
            Err(_) => self.frame.warn("the cursor is on an empty line; a citation stands at a bullet's end"),
            Ok(None) => self.frame.say(format!("this bullet cites [{number}] already")),
            Ok(change) => {
                self.changed(change);
                let line = self.summary.sheet.lines().get(self.summary.line());
                let bullet = line.and_then(|line| line.bullet).unwrap_or(0);
                self.frame.say(format!("[{number}] cited by bullet {bullet}"));
            }
        }
    }

    /// Hits of the search in the summary.
    pub fn hits_in_summary(&self) -> Vec<Span> {
        self.shelf.search.hits_in(self.summary.text())
    }

    /// Puts the cursor on the next or previous hit, going round.
    pub(super) fn next_hit_in_summary(&mut self, forwards: bool) {
        if self.shelf.search.is_off() {
            return self.ask_for(PromptKind::FindInSummary);
        }
        let hits = self.hits_in_summary();
        let cursor = self.summary.cursor();
        let found = if forwards {
            hits.iter().position(|hit| hit.start() > cursor).or(Some(0))
        } else {
            hits.iter().rposition(|hit| hit.start() < cursor).or(hits.len().checked_sub(1))
        };
        match found.and_then(|index| Some((index, hits.get(index)?))) {
            Some((index, hit)) => {
                self.summary.put_cursor(hit.start());
                self.follows_cursor = true;
                self.frame.say(format!("hit {} of {}", index + 1, hits.len()));
            }
            None => self.frame.say(format!("{:?} is not in the summary", self.shelf.search.needle())),
        }
    }

    /// Opens the document that the bullet cites at the cursor, or the next one it cites.
    fn open_cited(&mut self) {
        let (text, cursor) = (self.summary.text(), self.summary.cursor());
        let line = self.summary.sheet.lines().get(self.summary.line());
        let start = line.map_or(0, |line| line.start);
        let content = line.and_then(|line| text.get(start..start + line.length)).unwrap_or("");
        let all = citations(content);
        let next = all.iter().find(|citation| start + citation.span.end() >= cursor);
        match next.or(all.last()).and_then(|citation| citation.numbers.first().copied()) {
            Some(number) => self.open_numbered(number),
            None => self.frame.say("this bullet cites nothing"),
        }
    }

    pub(super) fn refuse_paste(&mut self, text: &str) {
        if matches!(self.stage, Stage::Briefing | Stage::Over(_)) {
            return;
        }
        self.record(SessionHappening::PasteRefused { characters: text.chars().count() });
        self.frame.warn("nothing can be pasted in a session; the log says that it was tried");
    }

    pub(super) fn refuse_copy(&mut self) {
        self.record(SessionHappening::CopyRefused);
        self.frame.warn("nothing can be copied in a session; the log says that it was tried");
    }

    /// Pages through the document beside the summary; where none is on the screen, through the summary.
    pub(super) fn page_while_writing(&mut self, down: bool) {
        let sign = if down { 1 } else { -1 };
        match (self.layout.panes.place(SessionPane::Document), self.layout.panes.place(SessionPane::Summary))
        {
            (Some(place), _) => self.scroll_document(sign * page(place.body.height)),
            (None, Some(place)) => {
                self.summary.go_by_rows(sign * page(place.body.height));
                self.follows_cursor = true;
            }
            (None, None) => {}
        }
    }

    /// Leaves the search.
    pub(super) fn clear_search(&mut self) {
        self.shelf.look_for("");
    }

    pub(super) fn suspend(&mut self) {
        self.pause();
        self.frame.want(Effect::Suspend);
    }
}
