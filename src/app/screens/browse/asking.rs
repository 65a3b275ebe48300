//! Keys while something lies over the screen: the filter line with its completions, prompts, lists, the help.

use ratatui_textarea::{CursorMove, TextArea};

use super::list::ListKind;
use super::message::Effect;
use super::{Browse, Content, Overlay};
use crate::app::kit::action::Action;
use crate::app::kit::key::{Key, KeyCode};
use crate::app::kit::overlay::{Prompt, PromptKind, paste, type_key};
use crate::browse::filter::{Completion, FilterError};

/// The line in which a filter is typed. What fits is shown while one types.
#[derive(Debug, Clone)]
pub struct FilterLine {
    pub area: TextArea<'static>,
    /// The filter that escape goes back to.
    before: String,
    pub completion: Completion,
    /// The offer under the cursor; none until one is chosen.
    pub selected: Option<usize>,
    /// What is wrong with the filter as it stands, and where.
    pub error: Option<FilterError>,
}

impl FilterLine {
    fn new(text: &str, before: &str) -> FilterLine {
        FilterLine {
            area: Prompt::new(PromptKind::Search, text).area,
            before: before.to_owned(),
            completion: Completion::default(),
            selected: None,
            error: None,
        }
    }

    /// What is typed so far.
    pub fn text(&self) -> String {
        self.area.lines().join(" ")
    }

    /// Where the cursor stands, in bytes.
    fn cursor(&self) -> usize {
        let text = self.text();
        let column = self.area.cursor().1;
        text.char_indices().nth(column).map_or(text.len(), |(byte, _)| byte)
    }

    /// Puts the offer of this index in the place of what it completes.
    fn complete(&mut self, index: usize) {
        let Some(offer) = self.completion.offers.get(index) else {
            return;
        };
        let text = self.text();
        let range = self.completion.replaces.clone();
        let (before, after) = (text.get(..range.start).unwrap_or(&text), text.get(range.end..).unwrap_or(""));
        let whole = format!("{before}{}{after}", offer.text);
        let column = before.chars().count() + offer.text.chars().count();
        self.area = Prompt::new(PromptKind::Search, &whole).area;
        self.area.move_cursor(CursorMove::Jump(0, u16::try_from(column).unwrap_or(u16::MAX)));
    }

    fn select(&mut self, forwards: bool) {
        let last = self.completion.offers.len().checked_sub(1);
        self.selected = match (self.selected, last, forwards) {
            (_, None, _) | (Some(0), _, false) => None,
            (None, Some(_), true) => Some(0),
            (None, Some(last), false) => Some(last),
            (Some(at), Some(last), true) => Some((at + 1).min(last)),
            (Some(at), _, false) => Some(at - 1),
        };
    }
}

impl Browse {
    pub(super) fn press_in_overlay(&mut self, key: Key, effects: &mut Vec<Effect>) {
        let is_leaving = key.control && matches!(key.code, KeyCode::Char('c' | 'q'));
        if key.code == KeyCode::Escape || is_leaving {
            return self.close();
        }
        match self.overlays.last_mut() {
            Some(Overlay::Filter(_)) => self.press_in_filter(key),
            Some(Overlay::Comment(_) | Overlay::Name(_)) => self.press_in_prompt(key, effects),
            Some(Overlay::List(list)) => {
                let asked = list.press(key);
                self.asked(asked, effects);
            }
            Some(Overlay::Help { .. }) => self.press_in_help(key, effects),
            None => {}
        }
    }

    /// Closes what lies on top; a filter that was begun is given up.
    fn close(&mut self) {
        match self.overlays.pop() {
            Some(Overlay::Filter(line)) => self.set_filter(&line.before),
            Some(Overlay::Comment(_)) => self.subject = None,
            Some(Overlay::List(list)) if list.kind == ListKind::Tags => self.subject = None,
            _ => {}
        }
    }

    fn press_in_help(&mut self, key: Key, effects: &mut Vec<Effect>) {
        let page = i32::from(self.frame.size.1.saturating_sub(5)).max(1);
        let by = match self.action(key) {
            Some(Action::ScrollDown) => 1,
            Some(Action::ScrollUp) => -1,
            Some(Action::PageDown) => page,
            Some(Action::PageUp) => -page,
            Some(Action::Top) => i32::MIN,
            Some(Action::Bottom) => i32::MAX,
            Some(Action::Redraw) => return effects.push(Effect::Redraw),
            Some(Action::Suspend) => return effects.push(Effect::Suspend),
            Some(Action::Help | Action::Quit | Action::LeaveRow) => return self.close(),
            _ => 0,
        };
        self.scroll_help(by);
    }

    pub(super) fn scroll_help(&mut self, by: i32) {
        if let Some(Overlay::Help { scroll }) = self.overlays.last_mut() {
            *scroll = scroll.saturating_add_signed(by as isize);
        }
    }

    /// Opens the filter of the table with something typed behind it.
    pub(super) fn open_filter(&mut self, more: &str) {
        let Some(screen) = self.table() else {
            return self.frame.say("filters belong to tables; open one first");
        };
        let before = screen.view.filter.clone();
        let gap = if before.is_empty() || more.is_empty() { "" } else { " " };
        let line = FilterLine::new(&format!("{before}{gap}{more}"), &before);
        self.is_in_pane = false;
        self.overlays.push(Overlay::Filter(line));
        self.filter_again();
    }

    fn press_in_filter(&mut self, key: Key) {
        let Some(Overlay::Filter(line)) = self.overlays.last_mut() else {
            return;
        };
        match key.code {
            KeyCode::Down => line.select(true),
            KeyCode::Up => line.select(false),
            KeyCode::Char('n') if key.control => line.select(true),
            KeyCode::Char('p') if key.control => line.select(false),
            KeyCode::Tab => {
                line.complete(line.selected.unwrap_or(0));
                self.filter_again();
            }
            KeyCode::Enter => match line.selected {
                Some(index) => {
                    line.complete(index);
                    self.filter_again();
                }
                None => self.accept_filter(),
            },
            _ => {
                let before = line.cursor();
                let changed = type_key(&mut line.area, key);
                if changed || line.cursor() != before {
                    self.filter_again();
                }
            }
        }
    }

    fn accept_filter(&mut self) {
        if let Some(Overlay::Filter(line)) = self.overlays.last()
            && let Some(error) = &line.error
        {
            let sentence = error.sentence.clone();
            return self.frame.warn(sentence);
        }
        self.overlays.pop();
    }

    /// Applies what is typed, where it is a filter; else keeps the rows and says what is wrong.
    fn filter_again(&mut self) {
        let Some(table) = self.table().map(super::table::TableScreen::table) else {
            return;
        };
        let Some(Overlay::Filter(line)) = self.overlays.last_mut() else {
            return;
        };
        let text = line.text();
        line.completion = self.tables.complete(table, &text, line.cursor());
        line.selected = None;
        line.error = self.tables.check(table, &text).err();
        if line.error.is_none() {
            self.set_filter(&text);
        }
    }

    /// Filters the table by this; a text that is no filter changes nothing.
    pub(super) fn set_filter(&mut self, text: &str) {
        let Content::Table(screen) = self.stack.top_mut() else {
            return;
        };
        if screen.view.filter == text {
            return;
        }
        let before = std::mem::replace(&mut screen.view.filter, text.to_owned());
        if let Err(error) = screen.resolve(&self.tables) {
            screen.view.filter = before;
            self.frame.warn(error.sentence);
        }
    }

    fn press_in_prompt(&mut self, key: Key, effects: &mut Vec<Effect>) {
        let is_enter = key.code == KeyCode::Enter;
        match self.overlays.last_mut() {
            Some(Overlay::Comment(prompt)) if is_enter && key.alt => {
                type_key(&mut prompt.area, Key::plain(KeyCode::Enter));
            }
            Some(Overlay::Comment(prompt)) if is_enter => {
                let text = prompt.text().trim().to_owned();
                self.overlays.pop();
                self.comment(&text, effects);
            }
            Some(Overlay::Name(prompt)) if is_enter => {
                let name = prompt.text().trim().to_owned();
                self.overlays.pop();
                self.save_view(name, effects);
            }
            Some(Overlay::Comment(prompt) | Overlay::Name(prompt)) => {
                type_key(&mut prompt.area, key);
            }
            _ => {}
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        match self.overlays.last_mut() {
            Some(Overlay::Filter(line)) => {
                if paste(&mut line.area, text, false) {
                    self.filter_again();
                }
            }
            Some(Overlay::Comment(prompt)) => {
                paste(&mut prompt.area, text, true);
            }
            Some(Overlay::Name(prompt)) => {
                paste(&mut prompt.area, text, false);
            }
            _ => self.frame.say("pasted text is not used here"),
        }
    }
}
