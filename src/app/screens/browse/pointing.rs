//! Clicks and the wheel. Each does what a key does too.

use super::{AROUND, BrowseContent, BrowseScreen, GUTTER, place};
use crate::app::kit::{Mouse, MouseKind, NOTCH, Overlay, Tab, tab_at, tabs};

impl BrowseScreen {
    pub(super) fn point(&mut self, mouse: Mouse) {
        if self.pending.is_some() {
            return;
        }
        match mouse.kind {
            MouseKind::WheelUp => self.wheel(mouse, -NOTCH),
            MouseKind::WheelDown => self.wheel(mouse, NOTCH),
            MouseKind::Click if self.frame.overlays.is_empty() => self.click(mouse),
            MouseKind::Click | MouseKind::Drag => {}
        }
    }

    fn wheel(&mut self, mouse: Mouse, rows: isize) {
        if let Some(Overlay::Help { .. }) = self.frame.overlays.last() {
            return self.frame.scroll_page(rows);
        }
        if let Some((index, _)) = self.layout.panes.at(mouse.column, mouse.row) {
            return self.scroll_pane_at(index, rows);
        }
        let height = self.layout.body.height;
        match self.stack.top_mut() {
            BrowseContent::Table(screen) => screen.move_by(rows),
            BrowseContent::Grids(screen) => screen.move_by(rows, 0),
            BrowseContent::Compare(screen) => screen.scroll_by(rows, height),
        }
    }

    fn click(&mut self, mouse: Mouse) {
        self.frame.hush();
        let at = (mouse.column, mouse.row).into();
        if self.layout.title.contains(at) && self.table().is_some() {
            return self.open_filter("");
        }
        if self.layout.heads.contains(at) {
            return self.click_head(mouse.column);
        }
        if let Some((shown, place)) = self.layout.panes.at(mouse.column, mouse.row) {
            // Names stand on the title only where one pane is shown of several.
            let has_tabs = mouse.row == place.title.y && self.layout.panes.0.len() == 1;
            let tab = || tab_at(&self.tab_places(), mouse.column.saturating_sub(place.title.x));
            let index = has_tabs.then(tab).flatten().unwrap_or(shown);
            if let Some(screen) = self.table_mut()
                && let Some(pane) = screen.panes.get(index)
            {
                screen.kind = Some(pane.kind);
                self.is_in_pane = true;
            }
            return;
        }
        if self.layout.body.contains(at) {
            self.click_body(mouse);
        }
    }

    fn click_body(&mut self, mouse: Mouse) {
        let body = self.layout.body;
        let row = usize::from(mouse.row - body.y);
        self.is_in_pane = false;
        match self.stack.top_mut() {
            BrowseContent::Table(screen) if screen.top + row < screen.rows.len() => {
                screen.cursor = screen.top + row
            }
            BrowseContent::Grids(screen) => {
                let Some(grid) = screen.tabs.get_mut(screen.tab) else { return };
                // The headings stand above the rows.
                let index = row.checked_sub(1).map(|row| row + grid.first.0);
                let visible = grid.visible(body.height.saturating_sub(AROUND));
                let layout = grid.lay_out(body.width.saturating_sub(2));
                let column = mouse.column.saturating_sub(body.x + 1);
                let hit = layout.columns.iter().find(|(_, x, wide)| (*x..x + wide).contains(&column));
                if let (Some(index), Some((hit, _, _))) = (index.filter(|index| visible.contains(index)), hit)
                {
                    grid.cursor = (index, *hit);
                }
            }
            BrowseContent::Compare(screen) => screen.is_right = mouse.column > body.x + body.width / 2,
            BrowseContent::Table(_) => {}
        }
    }

    /// A click on a heading sorts by its column.
    fn click_head(&mut self, column: u16) {
        let heads = self.layout.heads;
        let Some(screen) = self.table_mut() else { return };
        let room = heads.width.saturating_sub(GUTTER);
        let (placed, _) = place(&screen.wishes, screen.first_column, screen.column, room);
        let at = column.saturating_sub(heads.x + GUTTER);
        if let Some(hit) = placed.iter().find(|placed| (placed.x..placed.x + placed.width).contains(&at)) {
            screen.column = hit.column;
            self.sort_column();
        }
    }

    /// Places of the names of panes that share one place, on its title.
    pub fn tab_places(&self) -> Vec<Tab<usize>> {
        let panes = self.table().into_iter().flat_map(|screen| screen.panes.iter().enumerate());
        tabs(2, panes.map(|(index, pane)| (index, pane.title.clone())))
    }
}
