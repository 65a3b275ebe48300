//! Clicks and the wheel in a session. Each does what a key does too; the mouse selects nothing.

use super::{GUTTER, SessionApp, SessionPane};
use crate::app::kit::{Mouse, MouseKind, NOTCH, Overlay, PlacedPane, Tab, tab_at, tabs};
use crate::text::citation::citations;

impl SessionApp {
    pub(super) fn point(&mut self, mouse: Mouse) {
        match mouse.kind {
            MouseKind::WheelUp => self.wheel(mouse, -NOTCH),
            MouseKind::WheelDown => self.wheel(mouse, NOTCH),
            MouseKind::Click if self.is_working() && self.frame.overlays.is_empty() => self.click(mouse),
            MouseKind::Click | MouseKind::Drag => {}
        }
    }

    fn wheel(&mut self, mouse: Mouse, rows: isize) {
        if let Some(Overlay::Help { .. }) = self.frame.overlays.last() {
            return self.frame.scroll_page(rows);
        }
        match self.layout.panes.at(mouse.column, mouse.row).filter(|_| self.is_working()) {
            Some((SessionPane::List, _)) => self.shelf.picker.select(rows.signum()),
            Some((SessionPane::Document, _)) => self.scroll_document(rows),
            Some((SessionPane::Summary, _)) => self.scroll = self.scroll.saturating_add_signed(rows),
            None => {}
        }
    }

    fn click(&mut self, mouse: Mouse) {
        let Some((pane, place)) = self.layout.panes.at(mouse.column, mouse.row) else { return };
        if mouse.row == place.title.y && self.layout.has_tabs {
            self.focus = tab_at(&self.tab_places(), mouse.column).unwrap_or(self.focus);
            return;
        }
        self.focus = pane;
        if place.body.contains((mouse.column, mouse.row).into()) {
            match pane {
                SessionPane::List => self.click_list(mouse.row - place.body.y, place),
                SessionPane::Summary => self.click_summary(mouse, place),
                SessionPane::Document => {}
            }
        }
    }

    fn click_list(&mut self, row: u16, place: PlacedPane) {
        let Some(row) = usize::from(row).checked_sub(1) else { return };
        let hit = self.shelf.picker.visible(place.body.height.saturating_sub(1)).nth(row);
        if let Some((index, _)) = hit {
            self.shelf.picker.selected = index;
            self.open_selected();
        }
    }

    /// Puts the cursor at the click; a click on a citation opens its document too.
    fn click_summary(&mut self, mouse: Mouse, place: PlacedPane) {
        let row = self.scroll + usize::from(mouse.row - place.body.y);
        let column = mouse.column.saturating_sub(place.body.x + GUTTER);
        let byte =
            self.summary.byte_at(row.min(self.summary.sheet.len().saturating_sub(1)), usize::from(column));
        self.summary.put_cursor(byte);
        let line = self.summary.sheet.lines().get(self.summary.line());
        let start = line.map_or(0, |line| line.start);
        let content = line.and_then(|line| self.summary.text().get(start..start + line.length));
        let cited = citations(content.unwrap_or("")).into_iter().find(|citation| {
            (start + citation.span.start()..start + citation.span.end()).contains(&self.summary.cursor())
        });
        let number = cited.and_then(|citation| citation.numbers.first().copied());
        if let Some(index) = number.and_then(|number| self.shelf.place_of(number)) {
            self.open_document(index);
        }
    }

    /// A pane's name, as titles and tabs show it.
    pub fn tab_title(&self, pane: SessionPane) -> String {
        match pane {
            SessionPane::List => "Documents".to_owned(),
            SessionPane::Document => match self.shelf.document() {
                Some(document) => format!("Document [{}]", document.number),
                None => "Document".to_owned(),
            },
            SessionPane::Summary => "Summary".to_owned(),
        }
    }

    /// Places of the tabs' titles.
    pub fn tab_places(&self) -> Vec<Tab<SessionPane>> {
        let shared = self.layout.panes.0.first().filter(|_| self.layout.has_tabs);
        let names = SessionPane::ALL.map(|pane| (pane, self.tab_title(pane)));
        shared.map_or_else(Vec::new, |(_, place)| tabs(place.title.x + 2, names.into_iter()))
    }
}
