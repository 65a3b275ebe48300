//! Keys while something lies over the boards: prompts, lists, help.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{AnnotateDesk, App, Arrival, Spot, Then};
use crate::app::kit::{
    Action, Effect, GoTo, Key, KeyCode, Overlay, Prompt, PromptKind, Typed, paste, type_key,
};
use crate::journal::ItemState;

impl App {
    pub(super) fn press_in_overlay(&mut self, key: Key, desk: &mut dyn AnnotateDesk) {
        if key.leaves() {
            return self.close();
        }
        if self.frame.suspends(key) {
            return;
        }
        match self.frame.overlays.last_mut() {
            Some(Overlay::Prompt(prompt)) => match prompt.press(key) {
                Typed::Accepted => self.accept(desk),
                Typed::Changed => self.search_as_typed(),
                Typed::Nothing => {}
            },
            Some(Overlay::GoTo(_)) => self.press_in_go_to(key, desk),
            Some(Overlay::Editor(_)) => self.press_in_editor(key, desk),
            Some(Overlay::Selection(_)) => self.press_in_selection(key, desk),
            Some(Overlay::Rest(_)) => self.press_in_rest(key, desk),
            Some(Overlay::Help(_)) => {
                let action = self.frame.keymap.action(key);
                self.frame.read_help(key, action);
            }
            Some(Overlay::Known) => {
                if let Some(action) = self.frame.keymap.action(key) {
                    self.leave_known(action, desk);
                }
            }
            _ => {
                let action = self.frame.keymap.action(key);
                if let Some(action) = action.and_then(|action| self.frame.read_page(action)) {
                    self.leave_page(action, desk);
                }
            }
        }
    }

    /// Searches for the words as they are typed.
    fn search_as_typed(&mut self) {
        let searched = self.frame.prompt().filter(|prompt| prompt.kind == PromptKind::Search);
        if let Some(needle) = searched.map(Prompt::text) {
            self.search(&needle);
        }
    }

    /// Closes the topmost overlay. A search that is left this way is off and leads back to where it began; a text that was
    /// being written is put aside.
    fn close(&mut self) {
        self.begun.lists = None;
        match self.frame.overlays.pop() {
            Some(Overlay::Prompt(prompt)) if prompt.kind == PromptKind::Search => {
                self.clear_marks();
                let (pane, from) = (self.searched_pane(), self.begun.searched_from);
                self.boards[pane].scroll_later(from);
            }
            Some(Overlay::Editor(editor)) => self.put_aside(editor),
            Some(Overlay::Prompt(prompt)) if prompt.kind == PromptKind::Comment && prompt.is_begun() => {
                self.put_comment_aside(prompt);
            }
            _ => {}
        }
    }

    /// Takes an action on a page: the key that opened the page closes it; on the last page, every action works.
    fn leave_page(&mut self, action: Action, desk: &mut dyn AnnotateDesk) {
        let closes = match self.frame.overlays.last() {
            Some(Overlay::Guideline { .. }) => matches!(action, Action::Guideline | Action::Quit),
            Some(Overlay::Changes { .. }) if action == Action::Confirm => {
                self.frame.overlays.pop();
                return self.confirm(desk);
            }
            Some(Overlay::Changes { .. }) => matches!(action, Action::Changes | Action::Quit),
            Some(Overlay::Done) => {
                self.frame.overlays.pop();
                return self.act(action, desk);
            }
            _ => false,
        };
        if closes {
            self.frame.overlays.pop();
        }
    }

    fn accept(&mut self, desk: &mut dyn AnnotateDesk) {
        let Some(Overlay::Prompt(prompt)) = self.frame.overlays.pop() else { return };
        let text = prompt.text();
        match prompt.kind {
            PromptKind::Comment => self.comment(text.trim().to_owned(), desk),
            PromptKind::GiveBack => self.give_back(text.trim().to_owned(), desk),
            PromptKind::Jump | PromptKind::OpenDocument if text.is_empty() => {}
            PromptKind::Jump => self.jump(&text, desk),
            PromptKind::OpenDocument => {
                if let Some(number) = self.frame.document_number(&text) {
                    self.open_document(number);
                }
            }
            _ if text.is_empty() => self.clear_marks(),
            _ if self.reading.mark.is_none() => self.step_mark(true),
            _ => self.show_mark(),
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        match self.frame.overlays.last_mut() {
            Some(Overlay::Prompt(prompt)) => {
                if prompt.paste(text) {
                    self.search_as_typed();
                }
            }
            Some(Overlay::GoTo(list)) => {
                if paste(&mut list.picker.area, text, false) {
                    self.match_again();
                }
            }
            Some(Overlay::Editor(editor)) => {
                paste(&mut editor.area, text, true);
            }
            _ => self.frame.say("pasted text is not used here"),
        }
    }

    pub(super) fn open_go_to(&mut self, desk: &mut dyn AnnotateDesk) {
        if let Some(entries) = self.frame.read(desk.directory()) {
            self.frame.overlays.push(Overlay::GoTo(GoTo::of(entries)));
            self.match_again();
        }
    }

    /// Opens the list of the items that were answered last, the latest first, each once. An item without an answer, such as
    /// one that was only flagged, is left out.
    pub(super) fn open_history(&mut self, desk: &mut dyn AnnotateDesk) {
        const MOST: usize = 50;
        let mut seen = BTreeSet::new();
        let latest = self.undo.places().rev().filter(|spot| seen.insert(spot.position));
        let latest: Vec<Spot> = latest.take(MOST).copied().collect();
        if latest.is_empty() {
            return self.frame.say("nothing is answered yet");
        }
        let Some(mut answered) = self.frame.read(desk.history(&latest)) else { return };
        answered.retain(|(entry, answers)| !answers.is_empty() || entry.state == ItemState::Judged);
        let told = answered.iter().map(|(_, answers)| self.told_as_shown(answers)).collect();
        let entries = answered.into_iter().map(|(entry, _)| entry).collect();
        self.frame.overlays.push(Overlay::GoTo(GoTo { is_history: true, told, ..GoTo::of(entries) }));
        self.match_again();
    }

    fn match_again(&mut self) {
        if let Some(Overlay::GoTo(list)) = self.frame.overlays.last_mut() {
            self.searches += 1;
            list.generation = self.searches;
            let (generation, needle) = (list.generation, list.picker.needle());
            let entries = Arc::clone(&list.entries);
            self.frame.want(Effect::Match { generation, needle, entries });
        }
    }

    pub(super) fn matched(&mut self, generation: u64, matches: Vec<usize>) {
        if let Some(Overlay::GoTo(list)) = self.frame.overlays.last_mut() {
            list.take(generation, matches);
        }
    }

    fn press_in_go_to(&mut self, key: Key, desk: &mut dyn AnnotateDesk) {
        let Some(Overlay::GoTo(list)) = self.frame.overlays.last_mut() else { return };
        if key.rows().is_some() || key.code == KeyCode::Enter || key.control {
            list.catch_up();
        }
        if let Some(rows) = key.rows() {
            return list.picker.select(rows);
        }
        match key.code {
            KeyCode::Enter => {
                let position = list.chosen().map(|entry| entry.position);
                if let Some(position) = position {
                    self.frame.overlays.pop();
                    self.leave(Then::Load(position, Arrival::Asked), desk);
                }
            }
            _ => {
                if type_key(&mut list.picker.area, key) {
                    self.match_again();
                }
            }
        }
    }
}
