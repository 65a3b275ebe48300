//! Keys while something lies over the boards: prompts, lists, help.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::message::{AnnotateEffect, AnnotateRequest};
use super::{App, Spot, Then};
use crate::app::kit::action::Action;
use crate::app::kit::key::{Key, KeyCode};
use crate::app::kit::overlay::{GoTo, Overlay, Prompt, PromptKind, Typed, paste, type_key};
use crate::journal::{GoToEntry, ItemState};
use crate::protocol::Answers;

impl App {
    pub(super) fn press_in_overlay(&mut self, key: Key, effects: &mut Vec<AnnotateEffect>) {
        if key.leaves() {
            return self.close();
        }
        match self.frame.overlays.last_mut() {
            Some(Overlay::Prompt(prompt)) => match prompt.press(key) {
                Typed::Accepted => self.accept(effects),
                Typed::Changed => self.search_as_typed(),
                Typed::Nothing => {}
            },
            Some(Overlay::GoTo(_)) => self.press_in_go_to(key, effects),
            Some(Overlay::Editor(_)) => self.press_in_editor(key, effects),
            Some(Overlay::Selection(_)) => self.press_in_selection(key, effects),
            Some(Overlay::Rest(_)) => self.press_in_rest(key, effects),
            Some(Overlay::Help(_)) => {
                let action = self.frame.keymap.action(key);
                self.frame.read_help(key, action, effects);
            }
            Some(Overlay::Known) => {
                if let Some(action) = self.frame.keymap.action(key) {
                    self.leave_known(action, effects);
                }
            }
            _ => {
                let action = self.frame.keymap.action(key);
                if let Some(action) = action.and_then(|action| self.frame.read_page(action, effects)) {
                    self.leave_page(action, effects);
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
                self.board_mut(pane).scroll_later(from);
            }
            Some(Overlay::Editor(editor)) => self.put_aside(editor),
            _ => {}
        }
    }

    /// Takes an action on a page: the key that opened the page closes it; on the last page, every action works.
    fn leave_page(&mut self, action: Action, effects: &mut Vec<AnnotateEffect>) {
        let closes = match self.frame.overlays.last() {
            Some(Overlay::Guideline { .. }) => matches!(action, Action::Guideline | Action::Quit),
            Some(Overlay::Changes { .. }) if action == Action::Confirm => {
                self.frame.overlays.pop();
                return self.confirm(effects);
            }
            Some(Overlay::Changes { .. }) => matches!(action, Action::Changes | Action::Quit),
            Some(Overlay::Done) => {
                self.frame.overlays.pop();
                return self.act(action, effects);
            }
            _ => false,
        };
        if closes {
            self.frame.overlays.pop();
        }
    }

    fn accept(&mut self, effects: &mut Vec<AnnotateEffect>) {
        let Some(Overlay::Prompt(prompt)) = self.frame.overlays.pop() else {
            return;
        };
        let text = prompt.text();
        match prompt.kind {
            PromptKind::Comment => self.comment(text.trim().to_owned(), effects),
            PromptKind::GiveBack => self.give_back(text.trim().to_owned(), effects),
            PromptKind::Jump | PromptKind::OpenDocument if text.is_empty() => {}
            PromptKind::Jump => self.jump(&text, effects),
            PromptKind::OpenDocument => self.open_typed_document(&text),
            _ if text.is_empty() => self.clear_marks(),
            _ if self.reading.mark.is_none() => self.step_mark(true),
            _ => self.say_marks(),
        }
    }

    pub(super) fn paste(&mut self, text: &str, effects: &mut Vec<AnnotateEffect>) {
        match self.frame.overlays.last_mut() {
            Some(Overlay::Prompt(prompt)) => {
                if prompt.paste(text) {
                    self.search_as_typed();
                }
            }
            Some(Overlay::GoTo(list)) => {
                if paste(&mut list.picker.area, text, false) {
                    self.match_again(effects);
                }
            }
            Some(Overlay::Editor(editor)) => {
                paste(&mut editor.area, text, true);
            }
            _ => self.frame.say("pasted text is not used here"),
        }
    }

    pub(super) fn open_go_to(&mut self, effects: &mut Vec<AnnotateEffect>) {
        self.frame.overlays.push(Overlay::GoTo(GoTo::new()));
        effects.push(AnnotateEffect::Ask(AnnotateRequest::Directory));
    }

    pub(super) fn fill_go_to(&mut self, entries: Arc<[GoToEntry]>, effects: &mut Vec<AnnotateEffect>) {
        if let Some(Overlay::GoTo(list)) = self.frame.overlays.last_mut()
            && !list.is_history
        {
            list.entries = entries;
            self.match_again(effects);
        }
    }

    /// Opens the list of the items that were answered last, the latest first, each once.
    pub(super) fn open_history(&mut self, effects: &mut Vec<AnnotateEffect>) {
        const MOST: usize = 50;
        let mut seen = BTreeSet::new();
        let latest = self.undo.places().rev().filter(|spot| seen.insert(spot.position));
        let latest: Vec<Spot> = latest.take(MOST).copied().collect();
        if latest.is_empty() {
            return self.frame.say("nothing is answered yet");
        }
        self.frame.overlays.push(Overlay::GoTo(GoTo { is_history: true, ..GoTo::new() }));
        effects.push(AnnotateEffect::Ask(AnnotateRequest::History(latest)));
    }

    /// Fills the history. An item without an answer, such as one that was only flagged, is left out.
    pub(super) fn fill_history(
        &mut self,
        mut answered: Vec<(GoToEntry, Answers)>,
        effects: &mut Vec<AnnotateEffect>,
    ) {
        answered.retain(|(entry, answers)| !answers.is_empty() || entry.state == ItemState::Judged);
        let told = answered.iter().map(|(_, answers)| self.told_as_shown(answers)).collect();
        if let Some(Overlay::GoTo(list)) = self.frame.overlays.last_mut()
            && list.is_history
        {
            list.told = told;
            list.entries = answered.into_iter().map(|(entry, _)| entry).collect();
            self.match_again(effects);
        }
    }

    fn match_again(&mut self, effects: &mut Vec<AnnotateEffect>) {
        if let Some(Overlay::GoTo(list)) = self.frame.overlays.last_mut() {
            self.searches += 1;
            list.generation = self.searches;
            effects.push(AnnotateEffect::Match {
                generation: list.generation,
                needle: list.picker.needle(),
                entries: Arc::clone(&list.entries),
            });
        }
    }

    pub(super) fn matched(&mut self, generation: u64, matches: Vec<usize>) {
        if let Some(Overlay::GoTo(list)) = self.frame.overlays.last_mut() {
            list.take(generation, matches);
        }
    }

    fn press_in_go_to(&mut self, key: Key, effects: &mut Vec<AnnotateEffect>) {
        let Some(Overlay::GoTo(list)) = self.frame.overlays.last_mut() else {
            return;
        };
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
                    self.leave(Then::Load(position), effects);
                }
            }
            _ => {
                if type_key(&mut list.picker.area, key) {
                    self.match_again(effects);
                }
            }
        }
    }
}
