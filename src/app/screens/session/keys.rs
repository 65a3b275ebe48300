//! Which key does what where.

use super::{Effect, Overlay, Pane, SessionApp, Stage};
use crate::app::kit::action::{Action, Context};
use crate::app::kit::key::{Key, KeyCode};
use crate::app::kit::overlay::type_key;
use ratatui_textarea::TextArea;

impl SessionApp {
    pub(super) fn press(&mut self, key: Key, effects: &mut Vec<Effect>) {
        if !self.overlays.is_empty() {
            return self.press_in_overlay(key, effects);
        }
        match self.stage {
            Stage::Working => self.press_at_work(key, effects),
            _ => self.press_outside(key, effects),
        }
    }

    /// A key while nothing is read or written.
    fn press_outside(&mut self, key: Key, effects: &mut Vec<Effect>) {
        let action = self.action(key, false);
        match action {
            Some(Action::Quit) => return self.leave(effects),
            Some(Action::Help | Action::Theme | Action::Redraw | Action::Suspend) => {
                return self.act(action, effects);
            }
            _ => {}
        }
        let is_enter = key == Key::plain(KeyCode::Enter);
        match (self.stage, key.plain_char()) {
            (Stage::Briefing, _) if is_enter && !self.must_confirm() => self.begin(effects),
            (Stage::Briefing, Some('y')) if self.must_confirm() => self.begin(effects),
            (Stage::Paused, _) if is_enter || action == Some(Action::Pause) => self.resume(effects),
            (Stage::TimeUp, _) if self.is_typed_on() => {}
            (Stage::TimeUp, Some('e')) => self.end(effects),
            (Stage::TimeUp, Some('w')) => self.go_over_time(effects),
            (Stage::Over(_), _) if is_enter => self.leave(effects),
            _ => {}
        }
    }

    /// Whether the person has to say that they write although they judged summaries of the query.
    pub fn must_confirm(&self) -> bool {
        self.has_judged && !self.session.has_judged
    }

    /// What a key does: in the summary its keys come first, and letters are text there.
    fn action(&self, key: Key, is_writing: bool) -> Option<Action> {
        let writing = self.frame.keymap.action_in(Context::Writing, key).filter(|_| is_writing);
        writing
            .or_else(|| self.frame.keymap.action_in(Context::Session, key))
            .or_else(|| self.frame.keymap.action_in(Context::Boards, key))
    }

    fn press_at_work(&mut self, key: Key, effects: &mut Vec<Effect>) {
        let is_writing = self.focus == Pane::Summary;
        match (self.focus, key.plain_char()) {
            (Pane::Summary, Some(character)) => return self.type_character(character),
            (Pane::List, _) if self.press_in_list(key) => return,
            _ if key.code == KeyCode::Escape => return self.clear_search(),
            _ => {}
        }
        let action = self.action(key, is_writing);
        match action {
            Some(action) if is_writing && self.write(action) => {}
            Some(Action::PageDown | Action::PageUp) if is_writing => {
                self.page_while_writing(action == Some(Action::PageDown));
            }
            _ => self.act(action, effects),
        }
    }

    /// A key of the list: what is typed narrows it down. Returns whether the key was used.
    fn press_in_list(&mut self, key: Key) -> bool {
        let rows = self.layout.place(Pane::List).map_or(1, |place| super::writing::page(place.body.height));
        match key.code {
            KeyCode::Down => self.shelf.select(1),
            KeyCode::Up => self.shelf.select(-1),
            KeyCode::PageDown => self.shelf.select(rows),
            KeyCode::PageUp => self.shelf.select(-rows),
            KeyCode::Enter => self.open_selected(),
            KeyCode::Escape if self.shelf.filter.is_empty() => self.focus = Pane::Document,
            KeyCode::Escape => self.shelf.widen(),
            KeyCode::Char(_) if key.plain_char().is_none() => return false,
            KeyCode::Char(_) | KeyCode::Backspace | KeyCode::Delete | KeyCode::Left | KeyCode::Right => {
                if type_key(&mut self.shelf.filter, key) {
                    self.shelf.narrow();
                }
            }
            _ => return false,
        }
        true
    }

    pub(super) fn open_selected(&mut self) {
        if let Some(index) = self.shelf.found().get(self.shelf.selected).copied() {
            self.open_document(index);
            self.focus = Pane::Document;
        }
    }

    fn act(&mut self, action: Option<Action>, effects: &mut Vec<Effect>) {
        let Some(action) = action else {
            return;
        };
        match action {
            Action::Cite => self.cite(),
            Action::Pause => self.pause(effects),
            Action::Finish => self.overlays.push(Overlay::Finish),
            Action::DocumentList | Action::GoTo => self.open_list(),
            Action::NextPane | Action::Next => self.go_across(),
            Action::PreviousPane => self.cycle_focus(),
            Action::Zoom => self.is_zoomed = !self.is_zoomed,
            Action::ScrollDown
            | Action::ScrollUp
            | Action::PageDown
            | Action::PageUp
            | Action::Top
            | Action::Bottom => self.scroll(action),
            Action::BesideDown => self.scroll_document(1),
            Action::BesideUp => self.scroll_document(-1),
            Action::NextDocument | Action::BesideNext => self.step_document(true),
            Action::PreviousDocument | Action::BesidePrevious => self.step_document(false),
            Action::OpenDocument => self.overlays.push(Overlay::Number(TextArea::default())),
            Action::Search => self.ask_for_words(Pane::Document),
            Action::NextMark => self.step_hit(true),
            Action::PreviousMark => self.step_hit(false),
            Action::Copy => self.refuse_copy(),
            Action::Help => self.overlays.push(Overlay::Help { scroll: 0 }),
            Action::Theme => self.frame.theme += 1,
            Action::Redraw => effects.push(Effect::Redraw),
            Action::Suspend => self.suspend(effects),
            Action::Quit => self.leave(effects),
            _ => {}
        }
    }

    fn open_list(&mut self) {
        self.focus = Pane::List;
        self.shelf.widen();
    }

    /// From reading to writing and back.
    fn go_across(&mut self) {
        self.focus = if self.focus == Pane::Summary { Pane::Document } else { Pane::Summary };
        self.follows_cursor = true;
    }

    fn cycle_focus(&mut self) {
        match self.focus {
            Pane::Summary => self.focus = Pane::Document,
            Pane::Document => self.open_list(),
            Pane::List => self.focus = Pane::Summary,
        }
    }

    fn press_in_overlay(&mut self, key: Key, effects: &mut Vec<Effect>) {
        let is_leaving = key.control && matches!(key.code, KeyCode::Char('c' | 'q'));
        if key.code == KeyCode::Escape || is_leaving {
            if let Some(Overlay::Find { .. }) = self.overlays.pop() {
                self.clear_search();
            }
            return;
        }
        match self.overlays.last() {
            Some(Overlay::Finish) => match key.plain_char() {
                Some('y') => self.end(effects),
                Some('n') => drop(self.overlays.pop()),
                _ => {}
            },
            Some(Overlay::Help { .. }) => self.press_in_help(key, effects),
            Some(Overlay::Find { .. } | Overlay::Number(_)) => self.press_in_prompt(key),
            None => {}
        }
    }

    fn press_in_help(&mut self, key: Key, effects: &mut Vec<Effect>) {
        let page = i32::from(self.frame.size.1.saturating_sub(5)).max(1);
        let by = match self.action(key, false) {
            Some(Action::ScrollDown) => 1,
            Some(Action::ScrollUp) => -1,
            Some(Action::PageDown) => page,
            Some(Action::PageUp) => -page,
            Some(Action::Top) => i32::MIN,
            Some(Action::Bottom) => i32::MAX,
            Some(Action::Redraw) => return effects.push(Effect::Redraw),
            Some(Action::Suspend) => return self.suspend(effects),
            Some(Action::Help | Action::Quit) => return drop(self.overlays.pop()),
            _ => return,
        };
        self.scroll_help(by);
    }

    pub(super) fn scroll_help(&mut self, by: i32) {
        if let Some(Overlay::Help { scroll }) = self.overlays.last_mut() {
            *scroll = scroll.saturating_add_signed(by as isize);
        }
    }

    fn press_in_prompt(&mut self, key: Key) {
        let is_done = key.code == KeyCode::Enter;
        if is_done {
            let prompt = self.overlays.pop();
            return match prompt {
                Some(Overlay::Find { pane, .. }) => self.accept_search(pane),
                Some(Overlay::Number(area)) => self.open_typed(&area.lines().join("")),
                _ => {}
            };
        }
        match self.overlays.last_mut() {
            Some(Overlay::Find { area, pane }) => {
                let pane = *pane;
                if type_key(area, key) {
                    let needle = area.lines().join(" ");
                    self.search(&needle, pane);
                }
            }
            Some(Overlay::Number(area)) => {
                type_key(area, key);
            }
            _ => {}
        }
    }

    fn open_typed(&mut self, number: &str) {
        match number.trim().trim_matches(['[', ']']).parse() {
            Ok(number) => self.open_numbered(number),
            Err(_) => self.frame.warn(format!("{:?} is no document number", number.trim())),
        }
    }
}
