//! Keys while something lies over the screen: the filter line with its completions, prompts, lists, the help.

use super::{BrowseContent, BrowseDesk, BrowseScreen};
use crate::app::kit::{
    Action, FilterLine, Key, KeyCode, ListKind, Overlay, PUT_ASIDE, PromptKind, Typed, paste, text_area,
    type_key,
};

impl BrowseScreen {
    pub(super) fn press_in_overlay(&mut self, key: Key, desk: &mut dyn BrowseDesk) {
        if key.leaves() {
            return self.close();
        }
        if self.frame.suspends(key) {
            return;
        }
        let action = self.action(key);
        match self.frame.overlays.last_mut() {
            Some(Overlay::Filter(_)) => self.press_in_filter(key),
            Some(Overlay::Prompt(prompt)) => {
                if prompt.press(key) == Typed::Accepted {
                    self.accept(desk);
                }
            }
            Some(Overlay::List(list)) => {
                let asked = list.press(key);
                self.asked(asked, desk);
            }
            Some(Overlay::Help(help)) if help.is_typed => self.frame.read_help(key, action),
            _ if action == Some(Action::LeaveRow) => self.close(),
            _ => self.frame.read_help(key, action),
        }
    }

    /// Closes the topmost overlay; a filter that was begun is given up.
    pub(super) fn close(&mut self) {
        match self.frame.overlays.pop() {
            Some(Overlay::Filter(line)) => self.set_filter(&line.before),
            Some(Overlay::Prompt(prompt)) if prompt.kind == PromptKind::Comment => {
                if let Some(subject) = self.subject.take().filter(|_| prompt.is_begun()) {
                    self.begun.insert((subject.target, String::new()), prompt);
                    self.frame.say(PUT_ASIDE);
                }
            }
            Some(Overlay::List(list)) if list.kind == ListKind::Tags => self.subject = None,
            Some(Overlay::Prompt(prompt)) if prompt.kind == PromptKind::TagText => {
                self.leave_text(Some(prompt));
            }
            _ => {}
        }
    }

    /// Opens the filter of the table, with more text behind it.
    pub(super) fn open_filter(&mut self, more: &str) {
        let Some(screen) = self.table() else {
            return self.frame.say("filters belong to tables; open one first");
        };
        let before = screen.view.filter.clone();
        let gap = if before.is_empty() || more.is_empty() { "" } else { " " };
        let line = FilterLine::new(&format!("{before}{gap}{more}"), &before);
        self.is_in_pane = false;
        self.frame.overlays.push(Overlay::Filter(line));
        self.filter_again();
    }

    fn press_in_filter(&mut self, key: Key) {
        let Some(Overlay::Filter(line)) = self.frame.overlays.last_mut() else { return };
        match key.code {
            _ if matches!(key.rows(), Some(1 | -1)) => line.select(key.rows() == Some(1)),
            KeyCode::Char('u') if key.control => {
                line.area = text_area("");
                self.filter_again();
            }
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
        if let Some(Overlay::Filter(line)) = self.frame.overlays.last()
            && let Some(error) = &line.error
        {
            let sentence = error.sentence.clone();
            return self.frame.warn(sentence);
        }
        self.frame.overlays.pop();
    }

    /// Applies the filter as typed; a wrong one keeps the rows and tells its fault.
    fn filter_again(&mut self) {
        let Some(table) = self.table().map(super::table::TableScreen::table) else { return };
        let Some(Overlay::Filter(line)) = self.frame.overlays.last_mut() else { return };
        let text = line.text();
        line.completion = self.tables.complete(table, &text, line.cursor());
        line.selected = None;
        line.error = self.tables.check(table, &text).err();
        if line.error.is_none() {
            self.set_filter(&text);
        }
    }

    /// Filters the table by this text; a text that is no filter changes nothing.
    pub(super) fn set_filter(&mut self, text: &str) {
        let BrowseContent::Table(screen) = self.stack.top_mut() else { return };
        if screen.view.filter == text {
            return;
        }
        let before = std::mem::replace(&mut screen.view.filter, text.to_owned());
        if let Err(error) = screen.resolve(&self.tables) {
            screen.view.filter = before;
            self.frame.warn(error.sentence);
        }
    }

    /// Takes the text of the prompt.
    fn accept(&mut self, desk: &mut dyn BrowseDesk) {
        let Some(Overlay::Prompt(prompt)) = self.frame.overlays.pop() else { return };
        let text = prompt.text().trim().to_owned();
        match prompt.kind {
            PromptKind::Comment => self.comment(&text, desk),
            PromptKind::TagText => self.say_text(&text, desk),
            _ => self.save_view(text, desk),
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        match self.frame.overlays.last_mut() {
            Some(Overlay::Filter(line)) => {
                if paste(&mut line.area, text, false) {
                    self.filter_again();
                }
            }
            Some(Overlay::Prompt(prompt)) => {
                prompt.paste(text);
            }
            _ => self.frame.say("pasted text is not used here"),
        }
    }
}
