//! Clicks, drags and the wheel. Each does what a key does too.

use ratatui::layout::{Position, Rect};

use super::{AnnotateDesk, App, given_at};
use crate::app::kit::{Mouse, MouseKind, NOTCH, Overlay, PlacedPane, Tab, extent, gutter, tab_at, tabs};
use crate::protocol::{Given, Pane, Question, TargetPart};
use crate::text::cells::cells;
use crate::text::citation::citations;
use crate::text::words::capitalised;

impl App {
    pub(super) fn point(&mut self, mouse: Mouse, desk: &mut dyn AnnotateDesk) {
        if self.pending.is_some() {
            return;
        }
        match mouse.kind {
            MouseKind::WheelUp => self.wheel(mouse, -NOTCH),
            MouseKind::WheelDown => self.wheel(mouse, NOTCH),
            MouseKind::Click if self.frame.overlays.last().is_none_or(Overlay::is_within_boards) => {
                self.frame.hush();
                self.begun.typed.clear();
                self.begun.pressed = self.byte_under(mouse);
                if self.frame.overlays.is_empty() {
                    self.click(mouse, desk);
                }
            }
            MouseKind::Drag => {
                if let Some((pane, from)) = self.begun.pressed
                    && let Some(place) = self.layout.panes.place(pane)
                    && let Some((_, to)) = self.byte_under(nearest(mouse, place.body))
                {
                    self.drag_selection(pane, from, to);
                }
            }
            MouseKind::Click => {}
        }
    }

    fn wheel(&mut self, mouse: Mouse, rows: isize) {
        if !self.frame.overlays.last().is_none_or(Overlay::is_within_boards) {
            return self.frame.scroll_page(rows);
        }
        if self.is_at_drawer(mouse) {
            self.scroll_drawer(rows);
        } else if self.layout.judgment.body.contains((mouse.column, mouse.row).into()) {
            self.scroll_judgment(rows);
        } else if let Some((pane, _)) = self.layout.panes.at(mouse.column, mouse.row) {
            self.scroll_pane(pane, rows);
        }
    }

    fn is_at_drawer(&self, mouse: Mouse) -> bool {
        let at = Position::new(mouse.column, mouse.row);
        self.layout.drawer.is_some_and(|place| place.title.contains(at) || place.body.contains(at))
    }

    fn click(&mut self, mouse: Mouse, desk: &mut dyn AnnotateDesk) {
        if self.is_at_drawer(mouse) {
            return self.focus_drawer(true);
        }
        let judgment = self.layout.judgment.body;
        if judgment.contains((mouse.column, mouse.row).into()) {
            let lines = self.judgment_lines(judgment.width);
            let line = lines.lines.get(self.judgment_top(&lines) + usize::from(mouse.row - judgment.y));
            let given = line.and_then(|line| given_at(line, mouse.column - judgment.x));
            if let Some((question, given)) = given
                && !self.refuses_click()
            {
                self.give(question, given, desk);
            }
            return;
        }
        let Some((pane, place)) = self.layout.panes.at(mouse.column, mouse.row) else { return };
        if mouse.row == place.title.y && self.layout.tabs.contains(&pane) {
            self.focus = tab_at(&self.tab_places(), mouse.column).unwrap_or(self.focus);
            return;
        }
        self.focus = pane;
        self.focus_drawer(false);
        if !place.body.contains((mouse.column, mouse.row).into()) {
            return;
        }
        match pane {
            Pane::Documents if mouse.row == place.body.y && self.has_strip() => {
                self.click_strip(mouse.column, place)
            }
            Pane::Candidate => self.click_bullet(mouse, place, desk),
            Pane::Units => self.click_numbered(mouse, place, desk),
            _ => {}
        }
    }

    /// Places of the tabs' titles.
    pub fn tab_places(&self) -> Vec<Tab<Pane>> {
        let place = self.layout.tabs.iter().find_map(|tab| self.layout.panes.place(*tab));
        let names = self.layout.tabs.iter().map(|tab| (*tab, self.tab_title(*tab)));
        place.map_or_else(Vec::new, |place| tabs(place.title.x + 2, names))
    }

    /// A pane's name, as titles and tabs show it.
    pub fn tab_title(&self, pane: Pane) -> String {
        let Some(loaded) = &self.loaded else { return String::new() };
        match pane {
            Pane::Query => "Query".to_owned(),
            Pane::Unit => {
                let kind = loaded.item.unit.as_ref().map_or("unit", |unit| unit.kind.as_str());
                self.protocol.unit_name.clone().unwrap_or_else(|| capitalised(kind))
            }
            Pane::Units => "Choose from".to_owned(),
            // Where each candidate is a group, its number tells a new one from the one before.
            Pane::Candidate if self.protocol.group == TargetPart::Candidate => {
                let (number, of) = loaded.place_of_group;
                format!("Summary {number} of {of}")
            }
            Pane::Candidate if loaded.item.other.is_some() => "First summary".to_owned(),
            Pane::Candidate => "Summary".to_owned(),
            Pane::Other => "Second summary".to_owned(),
            Pane::Documents => match self.reading.number {
                Some(number) => format!("Document {number} of {}", loaded.item.documents.len()),
                None => "Documents".to_owned(),
            },
        }
    }

    /// Numbers of the strip with the columns where they begin, relative to the pane's body; numbers that do not fit
    /// are left out.
    pub fn strip_places(&self, width: u16) -> Vec<(u16, u32)> {
        let strip = self.strip();
        let here = strip.iter().position(|number| Some(*number) == self.reading.number).unwrap_or(0);
        // The strip begins a few numbers before the document in view.
        let needed: usize = strip.iter().map(|number| number.to_string().len() + 3).sum();
        let skipped = if needed <= usize::from(width) { 0 } else { here.saturating_sub(3) };
        let mut column = if skipped > 0 { 2 } else { 0 };
        let mut places = Vec::new();
        for (index, number) in strip.iter().enumerate().skip(skipped) {
            let wide = extent(number.to_string().len()).saturating_add(2);
            // Where more numbers follow, there is room for a sign that says so.
            let more = if index + 1 < strip.len() { 2 } else { 0 };
            if column + wide + more > width {
                break;
            }
            places.push((column, *number));
            column += wide + 1;
        }
        places
    }

    fn click_strip(&mut self, column: u16, place: PlacedPane) {
        let column = column.saturating_sub(place.body.x);
        let places = self.strip_places(place.body.width);
        if let Some((_, number)) = places.iter().rev().find(|(start, _)| *start <= column) {
            self.open_document(*number);
        }
    }

    /// A click on a citation opens its document; anywhere else in a bullet it links the bullet.
    fn click_bullet(&mut self, mouse: Mouse, place: PlacedPane, desk: &mut dyn AnnotateDesk) {
        let index = self.boards[Pane::Candidate].scroll + usize::from(mouse.row.saturating_sub(place.body.y));
        let Some(row) = self.boards[Pane::Candidate].row(index) else { return };
        let text = self.text(Pane::Candidate);
        let byte = self.byte_under(mouse).map(|(_, byte)| byte).filter(|byte| row.bytes.contains(byte));
        let cited = byte.and_then(|byte| {
            let all = citations(text);
            let citation =
                all.iter().find(|citation| (citation.span.start()..citation.span.end()).contains(&byte))?;
            citation.numbers.first().copied()
        });
        if let Some(number) = cited.filter(|_| self.has_documents()) {
            self.open_cited(Pane::Candidate, number);
            return;
        }
        self.click_number(Pane::Candidate, row.bullet, desk);
    }

    fn click_numbered(&mut self, mouse: Mouse, place: PlacedPane, desk: &mut dyn AnnotateDesk) {
        let index = self.boards[Pane::Units].scroll + usize::from(mouse.row.saturating_sub(place.body.y));
        let number = self.boards[Pane::Units].row(index).and_then(|row| row.bullet);
        self.click_number(Pane::Units, number, desk);
    }

    /// The question that takes the numbers of a pane's bullets or units, where it is asked.
    fn question_of_numbers(&self, pane: Pane) -> Option<usize> {
        let answers = self.answers();
        let takes = |question: &Question| {
            let numbered = if question.kinds().is_empty() { Pane::Candidate } else { Pane::Units };
            question.takes_numbers() && numbered == pane && question.is_asked(&answers)
        };
        self.protocol.questions.iter().position(takes)
    }

    /// Whether the numbers in a pane are answers now.
    pub fn takes_numbers(&self, pane: Pane) -> bool {
        self.question_of_numbers(pane).is_some()
    }

    /// Takes a click on a bullet or a unit as its number, where a question takes such numbers and is asked.
    fn click_number(&mut self, pane: Pane, number: Option<u32>, desk: &mut dyn AnnotateDesk) {
        if let (Some(question), Some(number)) = (self.question_of_numbers(pane), number)
            && !self.refuses_click()
        {
            self.give(question, Given::Number(number), desk);
        }
    }

    /// The text under the mouse, the document in view or the candidate, and the byte there; right of a row, the end of that row.
    fn byte_under(&self, mouse: Mouse) -> Option<(Pane, usize)> {
        let (pane, place) = self.layout.panes.at(mouse.column, mouse.row)?;
        let above = place.body.height.saturating_sub(self.body_height(pane, place.body.height));
        let line = mouse.row.checked_sub(place.body.y + above)?;
        if !place.body.contains((mouse.column, mouse.row).into()) {
            return None;
        }
        let (board, text) = (&self.boards[pane], self.text(pane));
        let row = board.row(board.scroll + usize::from(line))?;
        let left = match pane {
            Pane::Documents => board.indent(text, &row),
            Pane::Candidate => gutter(self.bullet_count()),
            _ => return None,
        };
        let shown = text.get(row.bytes.clone())?;
        let column = usize::from(mouse.column.saturating_sub(place.body.x + left));
        Some((pane, row.bytes.start + byte_at(shown, column).unwrap_or(shown.len())))
    }
}

/// The byte of a row that is drawn in this column.
fn byte_at(row: &str, column: usize) -> Option<usize> {
    let mut right = 0;
    for cell in cells(row) {
        right += usize::from(cell.width);
        if column < right {
            return Some(cell.start);
        }
    }
    None
}

/// The mouse at the cell of an area that is nearest to it.
fn nearest(mouse: Mouse, area: Rect) -> Mouse {
    let (right, bottom) = (area.right().saturating_sub(1), area.bottom().saturating_sub(1));
    Mouse { column: mouse.column.max(area.x).min(right), row: mouse.row.max(area.y).min(bottom), ..mouse }
}
