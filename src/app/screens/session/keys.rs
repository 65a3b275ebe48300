//! Keys of a session, by stage and focus.

use super::{SessionApp, SessionDesk, SessionPane, Stage};
use crate::app::kit::layout::page;
use crate::app::kit::{Action, Context, Key, KeyCode, Overlay, PromptKind, Typed, type_key};

impl SessionApp {
    pub(super) fn press(&mut self, key: Key, desk: &mut dyn SessionDesk) {
        if !self.frame.overlays.is_empty() {
            return self.press_in_overlay(key);
        }
        match self.stage {
            Stage::Working => self.press_at_work(key),
            _ => self.press_outside(key, desk),
        }
    }

    /// Takes a key while nothing is read or written.
    fn press_outside(&mut self, key: Key, desk: &mut dyn SessionDesk) {
        // The limit struck in the middle of a word: keys typed on neither leave nor open anything.
        if self.stage == Stage::TimeUp && self.is_typed_on() {
            return;
        }
        let action = self.action(key, false);
        match action {
            Some(Action::Quit) => return self.leave(),
            Some(Action::Guideline | Action::Help | Action::Theme | Action::Redraw | Action::Suspend) => {
                return self.act(action);
            }
            _ => {}
        }
        let is_enter = key == Key::plain(KeyCode::Enter);
        match (self.stage, key.plain_char()) {
            (Stage::Briefing, _) if is_enter && !self.must_confirm() => self.begin(desk),
            (Stage::Briefing, Some('y')) if self.must_confirm() => self.begin(desk),
            (Stage::Paused, _) if is_enter || action == Some(Action::Pause) => self.resume(),
            (Stage::TimeUp, Some('e')) => self.end(),
            (Stage::TimeUp, Some('w')) => self.go_over_time(),
            (Stage::Over(_), _) if is_enter => self.leave(),
            _ => {}
        }
    }

    /// Whether the person must confirm that they will write, since they have judged summaries of the query.
    pub fn must_confirm(&self) -> bool {
        self.has_judged && !self.session.has_judged
    }

    /// The action of a key: while one writes, keys of the summary come first.
    fn action(&self, key: Key, is_writing: bool) -> Option<Action> {
        let writing = self.frame.keymap.action_in(Context::Writing, key).filter(|_| is_writing);
        writing
            .or_else(|| self.frame.keymap.action_in(Context::Session, key))
            .or_else(|| self.frame.keymap.action_in(Context::Boards, key))
    }

    fn press_at_work(&mut self, key: Key) {
        let is_writing = self.focus == SessionPane::Summary;
        match (self.focus, key.typed_char()) {
            (SessionPane::Summary, Some(character)) => return self.type_character(character),
            (SessionPane::List, _) if self.press_in_list(key) => return,
            _ if key.code == KeyCode::Escape => return self.clear_search(),
            _ => {}
        }
        let action = self.action(key, is_writing);
        match action {
            Some(action) if is_writing && self.write(action) => {}
            Some(Action::PageDown | Action::PageUp) if is_writing => {
                self.page_while_writing(action == Some(Action::PageDown));
            }
            None => self.frame.say(format!("{} does nothing here", key.sign())),
            _ => self.act(action),
        }
    }

    /// Takes a key in the list, which typed text narrows down. Returns whether the key was used.
    fn press_in_list(&mut self, key: Key) -> bool {
        let rows = page(self.layout.panes.height(SessionPane::List));
        match key.code {
            KeyCode::Down => self.shelf.picker.select(1),
            KeyCode::Up => self.shelf.picker.select(-1),
            KeyCode::PageDown => self.shelf.picker.select(rows),
            KeyCode::PageUp => self.shelf.picker.select(-rows),
            KeyCode::Enter => self.open_selected(),
            KeyCode::Escape if self.shelf.picker.area.is_empty() => self.focus = SessionPane::Document,
            KeyCode::Escape => self.shelf.widen(),
            KeyCode::Char(_) if key.typed_char().is_none() => return false,
            KeyCode::Char(_) | KeyCode::Backspace | KeyCode::Delete | KeyCode::Left | KeyCode::Right => {
                if type_key(&mut self.shelf.picker.area, key) {
                    self.shelf.narrow();
                }
            }
            _ => return false,
        }
        true
    }

    pub(super) fn open_selected(&mut self) {
        if let Some(index) = self.shelf.picker.current() {
            self.open_document(index);
            self.focus = SessionPane::Document;
        }
    }

    fn act(&mut self, action: Option<Action>) {
        let Some(action) = action else { return };
        if let Some(rows) = action.rows(page(self.layout.panes.height(SessionPane::Document))) {
            return self.scroll_document(rows);
        }
        match action {
            Action::Cite => self.cite(),
            Action::Pause => self.pause(),
            Action::Finish => self.frame.overlays.push(Overlay::Finish),
            Action::DocumentList | Action::GoTo => self.open_list(),
            Action::NextPane | Action::Next | Action::NextOpen => self.go_across(),
            Action::PreviousPane => self.cycle_focus(),
            Action::Zoom => self.is_zoomed = !self.is_zoomed,
            Action::BesideDown => self.scroll_document(1),
            Action::BesideUp => self.scroll_document(-1),
            Action::NextDocument | Action::BesideNext => self.step_document(true),
            Action::PreviousDocument | Action::BesidePrevious => self.step_document(false),
            Action::OpenDocument => self.ask_for(PromptKind::OpenDocument),
            Action::Search => self.ask_for(PromptKind::Find),
            Action::NextMark => self.step_hit(true),
            Action::PreviousMark => self.step_hit(false),
            Action::Copy => self.refuse_copy(),
            Action::Guideline if self.setup.guideline.is_some() => {
                self.frame.overlays.push(Overlay::Guideline { scroll: 0 });
            }
            Action::Suspend => self.suspend(),
            Action::Quit => self.leave(),
            _ => self.frame.act(action),
        }
    }

    fn open_list(&mut self) {
        self.focus = SessionPane::List;
        self.shelf.widen();
    }

    /// Goes from reading to writing and back.
    fn go_across(&mut self) {
        self.focus =
            if self.focus == SessionPane::Summary { SessionPane::Document } else { SessionPane::Summary };
        self.follows_cursor = true;
    }

    fn cycle_focus(&mut self) {
        match self.focus {
            SessionPane::Summary => self.focus = SessionPane::Document,
            SessionPane::Document => self.open_list(),
            SessionPane::List => self.focus = SessionPane::Summary,
        }
    }

    fn press_in_overlay(&mut self, key: Key) {
        if key.leaves() {
            if let Some(Overlay::Prompt(prompt)) = self.frame.overlays.pop()
                && prompt.kind != PromptKind::OpenDocument
            {
                self.clear_search();
                let (row, cursor) = self.searched_from;
                self.shelf.board.scroll_later(row);
                if prompt.kind == PromptKind::FindInSummary {
                    self.summary.put_cursor(cursor);
                    self.follows_cursor = true;
                }
            }
            return;
        }
        let action = self.action(key, false);
        match self.frame.overlays.last_mut() {
            Some(Overlay::Finish) => match key.plain_char() {
                Some('y') => self.end(),
                Some('n') => drop(self.frame.overlays.pop()),
                _ => {}
            },
            Some(Overlay::Prompt(prompt)) => match prompt.press(key) {
                Typed::Accepted => self.accept(),
                Typed::Changed if prompt.kind != PromptKind::OpenDocument => {
                    let (needle, pane) = (prompt.text(), searched(prompt.kind));
                    self.search(&needle, pane);
                }
                Typed::Changed | Typed::Nothing => {}
            },
            _ if action == Some(Action::Suspend) => self.suspend(),
            Some(Overlay::Guideline { .. }) if action == Some(Action::Guideline) => {
                self.frame.overlays.pop();
            }
            Some(Overlay::Guideline { .. }) => {
                action.and_then(|action| self.frame.read_page(action));
            }
            _ => self.frame.read_help(key, action),
        }
    }

    /// Takes the text of the prompt.
    fn accept(&mut self) {
        let Some(Overlay::Prompt(prompt)) = self.frame.overlays.pop() else { return };
        match prompt.kind {
            PromptKind::OpenDocument => {
                if let Some(number) = self.frame.document_number(&prompt.text()) {
                    self.open_numbered(number);
                }
            }
            kind => self.accept_search(searched(kind)),
        }
    }
}

/// The pane in which the words of a prompt are searched for.
fn searched(kind: PromptKind) -> SessionPane {
    if kind == PromptKind::FindInSummary { SessionPane::Summary } else { SessionPane::Document }
}
