//! Keys while something lies over the boards: prompts, lists, help.

use std::sync::Arc;

use super::App;
use super::Then;
use super::message::{Effect, Request};
use crate::app::kit::action::Action;
use crate::app::kit::finder::Match;
use crate::app::kit::key::{Key, KeyCode};
use crate::app::kit::overlay::{GoTo, Overlay, Prompt, PromptKind, paste, type_key};
use crate::journal::Entry;

impl App {
    pub(super) fn press_in_overlay(&mut self, key: Key, effects: &mut Vec<Effect>) {
        let is_leaving = key.control && matches!(key.code, KeyCode::Char('c' | 'q'));
        if key.code == KeyCode::Escape || is_leaving {
            return self.close();
        }
        match self.overlays.last() {
            Some(Overlay::Prompt(_)) => self.press_in_prompt(key, effects),
            Some(Overlay::GoTo(_)) => self.press_in_go_to(key, effects),
            Some(Overlay::Editor(_)) => self.press_in_editor(key, effects),
            Some(Overlay::Selection(_)) => self.press_in_selection(key, effects),
            _ => self.press_in_page(key, effects),
        }
    }

    /// Closes the topmost overlay; a search that is left this way is off, and what was written is kept
    /// aside for as long as the item is on the screen.
    fn close(&mut self) {
        match self.overlays.pop() {
            Some(Overlay::Prompt(prompt)) if prompt.kind == PromptKind::Search => self.clear_marks(),
            Some(Overlay::Editor(editor)) => self.put_aside(editor),
            _ => {}
        }
    }

    fn press_in_page(&mut self, key: Key, effects: &mut Vec<Effect>) {
        let Some(action) = self.frame.keymap.action(key) else {
            return;
        };
        let page = i32::from(self.frame.size.1.saturating_sub(5)).max(1);
        let by = match action {
            Action::ScrollDown => 1,
            Action::ScrollUp => -1,
            Action::PageDown => page,
            Action::PageUp => -page,
            Action::Top => i32::MIN,
            Action::Bottom => i32::MAX,
            Action::Redraw => return effects.push(Effect::Redraw),
            Action::Suspend => return effects.push(Effect::Suspend),
            _ => return self.leave_page(action, effects),
        };
        self.scroll_page(by);
    }

    /// Scrolls the help or the guideline.
    pub(super) fn scroll_page(&mut self, by: i32) {
        if let Some(Overlay::Help { scroll } | Overlay::Guideline { scroll } | Overlay::Known { scroll }) =
            self.overlays.last_mut()
        {
            *scroll = scroll.saturating_add_signed(by as isize);
        }
    }

    /// The key that opened a page closes it; on the last page, moving and leaving work.
    fn leave_page(&mut self, action: Action, effects: &mut Vec<Effect>) {
        let closes = match self.overlays.last() {
            Some(Overlay::Help { .. }) => matches!(action, Action::Help | Action::Quit),
            Some(Overlay::Guideline { .. }) => matches!(action, Action::Guideline | Action::Quit),
            Some(Overlay::Known { .. }) => return self.leave_known(action, effects),
            Some(Overlay::Done) => {
                self.overlays.pop();
                return self.act(action, effects);
            }
            _ => false,
        };
        if closes {
            self.overlays.pop();
        }
    }

    fn press_in_prompt(&mut self, key: Key, effects: &mut Vec<Effect>) {
        let Some(Overlay::Prompt(prompt)) = self.overlays.last_mut() else {
            return;
        };
        let breaks_line = prompt.kind == PromptKind::Comment && key.alt;
        if key.code == KeyCode::Enter && !breaks_line {
            return self.accept(effects);
        }
        let key = if breaks_line { Key::plain(key.code) } else { key };
        if type_key(&mut prompt.area, key) && prompt.kind == PromptKind::Search {
            let needle = prompt.text();
            self.search(&needle);
        }
    }

    fn accept(&mut self, effects: &mut Vec<Effect>) {
        let Some(Overlay::Prompt(prompt)) = self.overlays.pop() else {
            return;
        };
        let text = prompt.text();
        match prompt.kind {
            PromptKind::Comment => self.comment(text.trim().to_owned(), effects),
            PromptKind::Jump => self.jump(&text, effects),
            PromptKind::OpenDocument => self.open_typed_document(&text),
            PromptKind::Search if text.is_empty() => self.clear_marks(),
            PromptKind::Search if self.reading.mark.is_none() => self.step_mark(true),
            PromptKind::Search => self.say_marks(),
        }
    }

    pub(super) fn paste(&mut self, text: &str, effects: &mut Vec<Effect>) {
        match self.overlays.last_mut() {
            Some(Overlay::Prompt(prompt)) => {
                let changed = paste(&mut prompt.area, text, prompt.kind == PromptKind::Comment);
                if changed && prompt.kind == PromptKind::Search {
                    let needle = prompt.text();
                    self.search(&needle);
                }
            }
            Some(Overlay::GoTo(list)) => {
                if paste(&mut list.area, text, false) {
                    self.match_again(effects);
                }
            }
            Some(Overlay::Editor(editor)) => {
                paste(&mut editor.area, text, true);
            }
            _ => self.frame.say("pasted text is not used here"),
        }
    }

    pub(super) fn open_go_to(&mut self, effects: &mut Vec<Effect>) {
        self.overlays.push(Overlay::GoTo(GoTo::new()));
        effects.push(Effect::Ask(Request::Directory));
    }

    pub(super) fn fill_go_to(&mut self, entries: Arc<[Entry]>, effects: &mut Vec<Effect>) {
        if let Some(Overlay::GoTo(list)) = self.overlays.last_mut() {
            list.entries = entries;
            self.match_again(effects);
        }
    }

    fn match_again(&mut self, effects: &mut Vec<Effect>) {
        if let Some(Overlay::GoTo(list)) = self.overlays.last_mut() {
            self.searches += 1;
            list.generation = self.searches;
            effects.push(Effect::Match {
                generation: list.generation,
                needle: list.needle(),
                entries: Arc::clone(&list.entries),
            });
        }
    }

    pub(super) fn matched(&mut self, generation: u64, matches: Vec<Match>) {
        if let Some(Overlay::GoTo(list)) = self.overlays.last_mut()
            && list.generation == generation
            && list.matched != generation
        {
            list.matches = matches;
            list.selected = 0;
            list.matched = generation;
        }
    }

    fn press_in_go_to(&mut self, key: Key, effects: &mut Vec<Effect>) {
        let Some(Overlay::GoTo(list)) = self.overlays.last_mut() else {
            return;
        };
        let chooses = matches!(
            key.code,
            KeyCode::Down | KeyCode::Up | KeyCode::PageDown | KeyCode::PageUp | KeyCode::Enter
        );
        if chooses || key.control {
            list.catch_up();
        }
        match key.code {
            KeyCode::Down => list.select(1),
            KeyCode::Up => list.select(-1),
            KeyCode::PageDown => list.select(10),
            KeyCode::PageUp => list.select(-10),
            KeyCode::Char('n') if key.control => list.select(1),
            KeyCode::Char('p') if key.control => list.select(-1),
            KeyCode::Enter => {
                let position = list.chosen().map(|entry| entry.position);
                if let Some(position) = position {
                    self.overlays.pop();
                    self.leave(Then::Load(position), effects);
                }
            }
            _ => {
                if type_key(&mut list.area, key) {
                    self.match_again(effects);
                }
            }
        }
    }

    /// The prompt that is open, for the screen.
    pub fn prompt(&self) -> Option<&Prompt> {
        match self.overlays.last() {
            Some(Overlay::Prompt(prompt)) => Some(prompt),
            _ => None,
        }
    }
}
