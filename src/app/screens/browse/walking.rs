//! Keys in the tables, panes and grids.

use super::panes::panes;
use super::{
    BrowseContent, BrowseDesk, BrowseScreen, CompareScreen, GridsKind, GridsScreen, OpensTo, PaneKind, Wants,
    page,
};
use crate::app::kit::{Action, Context, Effect, Key, KeyCode, NOT_KEPT, Page, Tone};
use crate::browse::BrowseTable;
use crate::number::number_of;

/// Actions of the boards that mean the same in browse.
pub const SHARED: &[Action] = &[
    Action::Search,
    Action::GoTo,
    Action::ScrollDown,
    Action::ScrollUp,
    Action::PageDown,
    Action::PageUp,
    Action::Top,
    Action::Bottom,
    Action::NextPane,
    Action::PreviousPane,
    Action::Zoom,
    Action::JudgmentDown,
    Action::JudgmentUp,
    Action::NextDocument,
    Action::PreviousDocument,
    Action::NextMark,
    Action::PreviousMark,
    Action::Flag,
    Action::Comment,
    Action::Undo,
    Action::Redo,
    Action::Copy,
    Action::Theme,
    Action::Measure,
    Action::Help,
    Action::Redraw,
    Action::Suspend,
    Action::Quit,
];

impl BrowseScreen {
    /// The action of a key in browse.
    pub fn action(&self, key: Key) -> Option<Action> {
        self.frame
            .keymap
            .action_in(Context::Browse, key)
            .or_else(|| self.frame.keymap.action(key).filter(|action| SHARED.contains(action)))
    }

    pub(super) fn press(&mut self, key: Key, desk: &mut dyn BrowseDesk) {
        let action = self.action(key);
        if self.pending.is_some() {
            return self.frame.hold(key, action);
        }
        if !self.frame.overlays.is_empty() {
            return self.press_in_overlay(key, desk);
        }
        if let Some(action) = action {
            self.act(action, key, desk);
        }
    }

    fn act(&mut self, action: Action, key: Key, desk: &mut dyn BrowseDesk) {
        self.has_warned &= action == Action::Quit;
        if let Some(rows) = action.rows(self.page_rows()) {
            return self.walk(rows);
        }
        match action {
            Action::TableQueries => self.switch(BrowseTable::Queries),
            Action::TableUnits => self.switch(BrowseTable::Units),
            Action::TableCandidates => self.switch(BrowseTable::Candidates),
            Action::TableSystems => self.switch(BrowseTable::Systems),
            Action::TableItems => self.switch(BrowseTable::Items),
            Action::TableDocuments => self.switch(BrowseTable::Documents),
            Action::OpenRow => self.open_here(),
            Action::LeaveRow => self.leave(key),
            Action::ColumnLeft => self.walk_columns(-1),
            Action::ColumnRight => self.walk_columns(1),
            Action::JudgmentDown => self.scroll_pane(1),
            Action::JudgmentUp => self.scroll_pane(-1),
            Action::NextPane => self.cycle(1),
            Action::PreviousPane => self.cycle(-1),
            Action::Zoom => self.is_zoomed = !self.is_zoomed,
            Action::NextDocument => self.step_document(1),
            Action::PreviousDocument => self.step_document(-1),
            Action::NextMark => self.step_mark(true),
            Action::PreviousMark => self.step_mark(false),
            Action::SortColumn => self.sort_column(),
            Action::SortBy | Action::Columns | Action::Views | Action::Whose => self.open_list(action),
            Action::Search => self.open_filter(""),
            Action::GoTo => self.open_filter("~"),
            Action::Tag => self.ask_about_row(Wants::Tags, desk),
            Action::Comment => self.ask_about_row(Wants::Comment, desk),
            Action::Flag => self.flag(desk),
            Action::Undo => self.undo(desk),
            Action::Redo => self.redo(desk),
            Action::MarkRow => self.mark(),
            Action::ChooseRow => self.choose(),
            Action::NextQuery => self.next_row(true),
            Action::PreviousQuery => self.next_row(false),
            Action::Difference => self.toggle_difference(),
            Action::PositionLength | Action::TagCounts | Action::Agreement => self.open_grids(action),
            Action::SettleItems => self.settle_here(desk),
            Action::Copy => self.copy(),
            Action::Quit if !self.begun.is_empty() && !self.has_warned => {
                self.has_warned = true;
                self.frame.warn(NOT_KEPT);
            }
            Action::Quit => self.frame.want(Effect::Quit),
            _ => self.frame.act(action),
        }
    }

    /// Goes back a step: out of a pane, else to the screen below. On a whole table, escape takes marks away, then the filter.
    fn leave(&mut self, key: Key) {
        if self.is_in_pane {
            self.is_in_pane = false;
        } else if self.stack.above.pop().is_some() {
            self.refresh_top();
        } else if key.code == KeyCode::Escape
            && (self.is_zoomed || self.marked.is_some() || !self.chosen.is_empty())
        {
            (self.is_zoomed, self.marked) = (false, None);
            self.chosen.clear();
        } else if key.code == KeyCode::Escape {
            self.set_filter("");
        } else {
            let quit = self.frame.keymap.sign(Action::Quit);
            self.frame.say(format!("this is the whole table; {quit} leaves"));
        }
    }

    fn page_rows(&self) -> isize {
        let height = match self.pane_in_focus() {
            Some(index) => self.layout.panes.height(index),
            None => self.layout.body.height,
        };
        height.saturating_sub(1).max(1) as isize
    }

    /// The pane that keys move in, where one has the focus.
    pub fn pane_in_focus(&self) -> Option<usize> {
        if self.is_in_pane { self.shown_pane() } else { None }
    }

    /// The pane that is shown; of several, the leftmost.
    pub fn shown_pane(&self) -> Option<usize> {
        let screen = self.table()?;
        let found = screen.panes.iter().position(|pane| Some(pane.kind) == screen.kind);
        (!screen.panes.is_empty()).then(|| found.unwrap_or(0))
    }

    fn walk(&mut self, rows: isize) {
        if self.is_in_pane {
            return self.scroll_pane(rows);
        }
        let height = self.layout.body.height;
        match self.stack.top_mut() {
            BrowseContent::Table(screen) => screen.move_by(rows),
            BrowseContent::Compare(screen) => screen.scroll_by(rows, height),
            BrowseContent::Grids(screen) => screen.move_by(rows, 0),
        }
    }

    fn walk_columns(&mut self, columns: isize) {
        if self.is_in_pane {
            return self.cycle(columns);
        }
        match self.stack.top_mut() {
            BrowseContent::Table(screen) => screen.move_column(columns),
            BrowseContent::Compare(screen) => screen.is_right = columns > 0,
            BrowseContent::Grids(screen) => screen.move_by(0, columns),
        }
    }

    pub(super) fn scroll_pane(&mut self, rows: isize) {
        if let Some(index) = self.shown_pane() {
            self.scroll_pane_at(index, rows);
        }
    }

    pub(super) fn scroll_pane_at(&mut self, index: usize, rows: isize) {
        let height = self.layout.panes.height(index);
        let pane = self.table_mut().and_then(|screen| screen.panes.get_mut(index));
        if let Some(page) = pane.and_then(|pane| pane.page.as_mut()) {
            page.scroll_by(rows, height);
        }
    }

    /// Goes from the table to the first pane, the second pane, …, and back; on a screen of numbers, from tab to tab.
    fn cycle(&mut self, by: isize) {
        let at = self.pane_in_focus();
        match self.stack.top_mut() {
            BrowseContent::Grids(screen) => screen.turn(by),
            BrowseContent::Compare(screen) => screen.is_right = !screen.is_right,
            BrowseContent::Table(screen) => {
                let stops = screen.panes.len() + 1;
                let now = at.map_or(0, |index| index + 1);
                let next = (now + stops).saturating_add_signed(by) % stops;
                self.is_in_pane = next > 0;
                if let Some(pane) = next.checked_sub(1).and_then(|index| screen.panes.get(index)) {
                    screen.kind = Some(pane.kind);
                }
            }
        }
    }

    fn step_document(&mut self, by: isize) {
        let Some(screen) = self.table_mut() else { return };
        screen.document = screen.document.saturating_add_signed(by);
        if let Some(pane) = screen.panes.iter_mut().find(|pane| pane.kind == PaneKind::Documents) {
            screen.kind = Some(pane.kind);
            pane.page = None;
        }
    }

    /// Scrolls to the next hit, else to the next evidence, in the pane that is shown.
    fn step_mark(&mut self, forwards: bool) {
        let Some(index) = self.shown_pane() else { return };
        let height = self.layout.panes.height(index);
        let pane = self.table_mut().and_then(|screen| screen.panes.get_mut(index));
        let Some(page) = pane.and_then(|pane| pane.page.as_mut()) else { return };
        let found = page.step(Tone::Hit, forwards, height) || page.step(Tone::Evidence, forwards, height);
        if !found {
            self.frame.say("no further hit or evidence in this pane");
        }
    }

    pub(super) fn sort_column(&mut self) {
        let name = self.table().and_then(|screen| {
            let head = self.tables.head(screen.table(), screen.column()?)?;
            Some(head.name.clone())
        });
        if let Some(name) = name {
            self.sort_by(&name);
        }
    }

    pub(super) fn sort_by(&mut self, name: &str) {
        if let Some(screen) = self.table_mut() {
            screen.sort_by(name);
            (screen.cursor, screen.top) = (0, 0);
            screen.rows.clear();
        }
        self.refresh_top();
        // The column cursor follows, so that the sorting key turns the order around.
        let names = self.table().map(|screen| screen.column_names(&self.tables));
        let place = names.and_then(|names| names.iter().position(|other| other == name));
        if let (Some(place), Some(screen)) = (place, self.table_mut()) {
            screen.column = place;
        }
    }

    /// Opens what belongs to the row, or what the number was made of.
    fn open_here(&mut self) {
        let opening = match self.content() {
            BrowseContent::Table(screen) => screen.row().and_then(|row| self.opening_of(screen.table(), row)),
            BrowseContent::Grids(screen) => {
                screen.grid().and_then(super::grid::NumberGrid::current).and_then(|cell| cell.opens.clone())
            }
            BrowseContent::Compare(screen) => screen.items_of_band(),
        };
        match opening {
            Some(opening) => self.open(opening),
            None => self.frame.say("there is nothing behind this"),
        }
    }

    /// The way from a query to its candidates (else its units), from a system to its candidates, from other rows to their items.
    fn opening_of(&self, table: BrowseTable, row: u32) -> Option<OpensTo> {
        let ways: &[BrowseTable] = match table {
            BrowseTable::Queries => &[BrowseTable::Candidates, BrowseTable::Units, BrowseTable::Items],
            BrowseTable::Systems => &[BrowseTable::Candidates],
            BrowseTable::Units | BrowseTable::Candidates | BrowseTable::Documents => &[BrowseTable::Items],
            BrowseTable::Items => &[BrowseTable::Items, BrowseTable::Candidates],
        };
        let present = self.table().map(|screen| (screen.table(), screen.view.filter.as_str()));
        let way = |to: &BrowseTable| {
            let filter = self.tables.opens(table, row, *to)?;
            // A way to the same rows that are on the screen leads nowhere.
            (present != Some((*to, filter.as_str()))).then(|| OpensTo::Rows {
                table: *to,
                filter,
                title: self.tables.name(table, row),
            })
        };
        ways.iter().find_map(way)
    }

    /// The candidate that an item is about.
    fn candidate_of(&self, item: u32) -> Option<u32> {
        let candidate = self.tables.detail(BrowseTable::Items, item).candidate?;
        let all = &self.tables.corpus().candidates;
        let place = all.iter().position(|(_, other)| std::ptr::eq(other, candidate))?;
        u32::try_from(place).ok()
    }

    /// Marks a candidate or a system; the second one is compared with the first.
    fn mark(&mut self) {
        let Some((table, row)) = self.judged_row() else { return };
        let place = match (table, row) {
            (BrowseTable::Items, row) => self.candidate_of(row).map(|row| (BrowseTable::Candidates, row)),
            place => Some(place),
        };
        let Some(place) =
            place.filter(|(table, _)| matches!(table, BrowseTable::Candidates | BrowseTable::Systems))
        else {
            return self.frame.say("candidates and systems can be compared; open one of them");
        };
        match self.marked {
            Some(marked) if marked == place => {
                self.marked = None;
                self.frame.say("no longer marked");
            }
            Some((BrowseTable::Candidates, left)) if place.0 == BrowseTable::Candidates => {
                if self.tables.others(left).contains(&place.1) {
                    self.marked = None;
                    self.open(OpensTo::Compare(left, place.1));
                } else {
                    self.marked = Some(place);
                    self.frame.say("marked in place of the other, which answers another query");
                }
            }
            Some((BrowseTable::Systems, left)) if place.0 == BrowseTable::Systems => {
                self.marked = None;
                let screen = GridsScreen::new(&self.tables, GridsKind::Duel(left, place.1), "");
                self.push(BrowseContent::Grids(screen));
            }
            _ => {
                self.marked = Some(place);
                let sign = self.frame.keymap.sign(Action::MarkRow);
                self.frame.say(format!("marked; {sign} on another one compares the two"));
            }
        }
    }

    /// Marks the row to be tagged with others, or no longer, and goes on to the next.
    fn choose(&mut self) {
        let Some(screen) = self.table() else { return };
        let Some(place) = screen.row().map(|row| (screen.table(), row)) else { return };
        self.chosen.retain(|other| other.0 == place.0);
        match self.chosen.iter().position(|other| *other == place) {
            Some(at) => drop(self.chosen.remove(at)),
            None => self.chosen.push(place),
        }
        let (tag, count) = (self.frame.keymap.sign(Action::Tag), number_of(self.chosen.len(), "row"));
        self.frame.say(format!("{count} marked; {tag} gives them a tag, esc unmarks them"));
        self.walk(1);
    }

    /// The next query of a comparison, or row of numbers; elsewhere the next row of the table below.
    fn next_row(&mut self, forwards: bool) {
        let by = if forwards { 1 } else { -1 };
        if let BrowseContent::Grids(screen) = self.stack.top_mut() {
            return screen.move_by(by, 0);
        }
        if let BrowseContent::Compare(screen) = self.stack.top_mut() {
            let (left, right) = screen.rows();
            return match self.tables.next_pair(left, right, !forwards) {
                Some((left, right)) => *screen = CompareScreen::beside(screen, &self.tables, left, right),
                None => self.frame.say("there is no further query that both systems answer"),
            };
        }
        let below = self.stack.above.len().checked_sub(1);
        let behind = match below {
            None => return self.walk(by),
            Some(0) => &mut self.stack.root,
            Some(index) => match self.stack.above.get_mut(index - 1) {
                Some(screen) => screen,
                None => return,
            },
        };
        let opening = match behind {
            BrowseContent::Table(screen) => {
                let before = screen.cursor;
                screen.move_by(by);
                let row = screen.row().filter(|_| screen.cursor != before);
                let table = screen.table();
                row.and_then(|row| self.opening_of(table, row))
            }
            _ => None,
        };
        match opening {
            Some(opening) => {
                self.stack.above.pop();
                self.open(opening);
            }
            None => self.frame.say("there is no further row in the table behind"),
        }
    }

    fn toggle_difference(&mut self) {
        match self.stack.top_mut() {
            BrowseContent::Compare(screen) => {
                screen.shows_difference = !screen.shows_difference;
                screen.rebuild(&self.tables);
            }
            _ => self
                .frame
                .say("words are compared between two candidates: mark one, then another of its query"),
        }
    }

    /// Copies the part in focus: the row, the pane, or the numbers.
    fn copy(&mut self) {
        let text = match self.content() {
            BrowseContent::Table(screen) => {
                match self.pane_in_focus().and_then(|index| screen.panes.get(index)) {
                    Some(pane) => pane.page.as_ref().map(Page::to_text),
                    None => screen.row().map(|row| self.row_text(screen, row)),
                }
            }
            BrowseContent::Compare(screen) => Some(screen.to_text()),
            BrowseContent::Grids(screen) => screen.grid().map(super::grid::NumberGrid::to_text),
        };
        match text {
            Some(text) => self.frame.want(Effect::Copy(text)),
            None => self.frame.say("there is nothing to copy"),
        }
    }

    /// A row as it is copied: a line a column.
    fn row_text(&self, screen: &super::table::TableScreen, row: u32) -> String {
        let line = |column: &crate::browse::ColumnId| {
            let head = self.tables.head(screen.table(), *column)?;
            Some(format!("{}: {}", head.name, self.tables.shown(screen.table(), row, *column)))
        };
        let lines: Vec<String> = screen.columns.iter().filter_map(line).collect();
        lines.join("\n")
    }

    /// Holds the panes of the row under the cursor, none of them made yet.
    pub(super) fn hold_panes(&mut self) {
        let BrowseContent::Table(screen) = self.stack.top_mut() else { return };
        let row = screen.row();
        if screen.held.is_some() && screen.held == row {
            return;
        }
        screen.held = row;
        screen.document = 0;
        screen.panes = match row {
            Some(row) => panes(screen.view.table, &self.tables.detail(screen.view.table, row)),
            None => Vec::new(),
        };
        if screen.panes.is_empty() {
            self.is_in_pane = false;
        }
    }

    /// Keeps cursors on the screen.
    pub(super) fn fit(&mut self) {
        let body = self.layout.body;
        match self.stack.top_mut() {
            BrowseContent::Table(screen) => {
                screen.keep_visible(body.height);
                let room = body.width.saturating_sub(super::table::GUTTER);
                let (_, first) =
                    super::columns::place(&screen.wishes, screen.first_column, screen.column, room);
                screen.first_column = first;
            }
            BrowseContent::Compare(screen) => screen.wrap(body.width, body.height),
            BrowseContent::Grids(screen) => screen.keep_visible(body),
        }
    }

    /// Makes the pages of the panes that are on the screen.
    pub(super) fn fill_panes(&mut self) {
        let finders = self.finders();
        let BrowseContent::Table(screen) = self.stack.top_mut() else { return };
        let Some(row) = screen.row() else { return };
        let needs_page =
            |(index, _): &(usize, _)| screen.panes.get(*index).is_some_and(|pane| pane.page.is_none());
        if self.layout.panes.0.iter().any(needs_page) {
            let detail = self.tables.detail(screen.view.table, row);
            screen.document = screen.document.min(detail.documents.len().saturating_sub(1));
            for (index, _) in &self.layout.panes.0 {
                if let Some(pane) = screen.panes.get_mut(*index) {
                    let made = || page(pane.kind, &detail, screen.document, &finders);
                    if pane.page.is_none() {
                        pane.page = Some(made());
                    }
                }
            }
        }
        for (index, place) in &self.layout.panes.0 {
            if let Some(page) = screen.panes.get_mut(*index).and_then(|pane| pane.page.as_mut()) {
                page.wrap(place.body.width.min(self.frame.measure));
                page.keep_within(place.body.height);
            }
        }
    }
}
