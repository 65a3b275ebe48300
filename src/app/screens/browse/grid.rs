//! Numbers in rows and columns with a cursor on one of them: counts of tags by system, scores by order and
//! length, agreement of pairs, a confusion matrix. Each number opens what it was made of.

use std::ops::Range;

use super::OpensTo;
use crate::app::kit::wide;

/// One number of a grid.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GridCell {
    pub text: String,
    /// The number's share of the whole, 0 to 1: drawn as a bar where there is room, else as a shade. `None` where
    /// there is nothing to draw.
    pub share: Option<f64>,
    /// One sentence about the number, shown while the cursor is on it.
    pub says: String,
    pub opens: Option<OpensTo>,
}

/// A way to draw shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GridStyle {
    /// Bars where they fit, beside the number.
    Bars,
    /// A shade beside the number: ░ ▒ ▓ █.
    Shades,
}

/// Numbers with their headings.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberGrid {
    /// Title of the tab.
    pub title: String,
    /// Kind of the rows, above their names.
    pub corner: String,
    pub rows: Vec<String>,
    pub columns: Vec<String>,
    /// Cells, row after row.
    cells: Vec<GridCell>,
    pub drawn: GridStyle,
    /// Explanation of the numbers, under the grid.
    pub note: String,
    /// Row and column of the cursor.
    pub cursor: (usize, usize),
    /// First visible row and column.
    pub first: (usize, usize),
}

/// Columns of a bar, with the blank before it.
pub const BAR: u16 = 9;

/// Blanks between two columns.
const GAP: u16 = 2;

/// The longest name of a row, where there is little room.
const NAME: u16 = 28;

/// The longest heading where not all columns fit.
const HEADING: u16 = 8;

/// Places of the columns of a grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GridLayout {
    /// Columns of the terminal that the names of the rows take.
    pub name: u16,
    /// Index, place from the left, and width of each visible column.
    pub columns: Vec<(usize, u16, u16)>,
    pub has_bars: bool,
}

impl NumberGrid {
    /// A grid of these cells, row after row; missing cells at the end are empty.
    pub fn new(
        title: &str,
        corner: &str,
        (rows, columns): (Vec<String>, Vec<String>),
        mut cells: Vec<GridCell>,
    ) -> NumberGrid {
        cells.resize_with(rows.len() * columns.len(), GridCell::default);
        NumberGrid {
            title: title.to_owned(),
            corner: corner.to_owned(),
            rows,
            columns,
            cells,
            drawn: GridStyle::Shades,
            note: String::new(),
            cursor: (0, 0),
            first: (0, 0),
        }
    }

    /// Adds a row of one number: it stands in the first cell, and every cell of the row opens the same.
    pub fn add_row(&mut self, name: &str, first: GridCell) {
        self.rows.push(name.to_owned());
        let rest = GridCell { text: String::new(), share: None, ..first.clone() };
        self.cells.push(first);
        self.cells.resize(self.rows.len() * self.columns.len().max(1), rest);
    }

    /// The grid under another title.
    #[must_use]
    pub fn titled(mut self, title: &str) -> NumberGrid {
        title.clone_into(&mut self.title);
        self
    }

    /// The grid drawn in another style, with a note under it.
    #[must_use]
    pub fn drawn(mut self, drawn: GridStyle, note: impl Into<String>) -> NumberGrid {
        (self.drawn, self.note) = (drawn, note.into());
        self
    }

    /// The cell of a row and a column.
    pub fn cell(&self, row: usize, column: usize) -> Option<&GridCell> {
        if column >= self.columns.len() {
            return None;
        }
        self.cells.get(row * self.columns.len() + column)
    }

    /// The cell under the cursor.
    pub fn current(&self) -> Option<&GridCell> {
        self.cell(self.cursor.0, self.cursor.1)
    }

    /// The grid as it is copied: columns between tabs.
    pub fn to_text(&self) -> String {
        let head: Vec<&str> =
            std::iter::once(&self.corner).chain(&self.columns).map(String::as_str).collect();
        let mut lines = vec![head.join("\t")];
        for (row, name) in self.rows.iter().enumerate() {
            let cells = (0..self.columns.len()).filter_map(|column| self.cell(row, column));
            let line: Vec<&str> =
                std::iter::once(name.as_str()).chain(cells.map(|cell| cell.text.as_str())).collect();
            lines.push(line.join("\t"));
        }
        lines.join("\n")
    }

    /// Moves the cursor by rows and columns, as far as there are some.
    pub fn move_by(&mut self, rows: isize, columns: isize) {
        let to =
            |at: usize, by: isize, count: usize| at.saturating_add_signed(by).min(count.saturating_sub(1));
        self.cursor =
            (to(self.cursor.0, rows, self.rows.len()), to(self.cursor.1, columns, self.columns.len()));
    }

    /// Takes over the place of the cursor in an earlier grid, found by the names of row and column.
    pub fn stay_at(&mut self, before: &NumberGrid) {
        let find = |names: &[String], name: Option<&String>, at: usize| {
            name.and_then(|name| names.iter().position(|other| other == name)).unwrap_or(at)
        };
        self.cursor = (
            find(&self.rows, before.rows.get(before.cursor.0), before.cursor.0),
            find(&self.columns, before.columns.get(before.cursor.1), before.cursor.1),
        );
        self.move_by(0, 0);
        self.first = before.first;
    }

    /// Scrolls so that the cursor is visible in a body of so many columns and rows.
    pub fn keep_visible(&mut self, room: u16, height: u16) {
        let height = usize::from(height).max(1);
        let (row, column) = self.cursor;
        self.first.0 = self.first.0.min(row).max((row + 1).saturating_sub(height));
        self.first.1 = self.first.1.min(column);
        while self.first.1 < column
            && !self.lay_out(room).columns.iter().any(|(index, _, _)| *index == column)
        {
            self.first.1 += 1;
        }
    }

    /// The rows visible in a body of so many rows.
    pub fn visible(&self, height: u16) -> Range<usize> {
        let first = self.first.0.min(self.rows.len());
        first..(first + usize::from(height)).min(self.rows.len())
    }

    /// Places the columns in so much room: with bars, where they are wanted and fit.
    pub fn lay_out(&self, room: u16) -> GridLayout {
        let names = self.rows.iter().chain([&self.corner]).map(|name| wide(name)).max().unwrap_or(0);
        let name = names.min(NAME.max(room / 3));
        let bars = self.drawn == GridStyle::Bars;
        if bars && let Some(layout) = self.placed(name, room, true) {
            return layout;
        }
        self.placed(name, room, false)
            .unwrap_or_else(|| self.place(name, room, (false, HEADING), self.first.1))
    }

    /// The layout of all columns, where they fit.
    fn placed(&self, name: u16, room: u16, has_bars: bool) -> Option<GridLayout> {
        let layout = self.place(name, u16::MAX, (has_bars, NAME), 0);
        let right = layout.columns.last().map_or(name, |(_, x, width)| x.saturating_add(*width));
        (right <= room && self.first.1 == 0).then_some(layout)
    }

    fn place(&self, name: u16, room: u16, (has_bars, longest): (bool, u16), first: usize) -> GridLayout {
        let mut x = name;
        let mut columns = Vec::new();
        for index in first..self.columns.len() {
            let width = self.column_width(index, has_bars, longest);
            let end = x.saturating_add(GAP).saturating_add(width);
            if end > room {
                break;
            }
            columns.push((index, x + GAP, width));
            x = end;
        }
        GridLayout { name, columns, has_bars }
    }

    fn column_width(&self, column: usize, has_bars: bool, longest: u16) -> u16 {
        let texts = (0..self.rows.len()).filter_map(|row| self.cell(row, column));
        let number = texts.map(|cell| wide(&cell.text)).max().unwrap_or(0);
        let drawn = if has_bars { BAR } else { 2 };
        let heading = self.columns.get(column).map_or(0, |name| wide(name));
        (number + drawn).max(heading.min(longest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(rows: usize, columns: usize) -> NumberGrid {
        let names = |letter: char, count: usize| (0..count).map(|index| format!("{letter}{index}")).collect();
        let cell = |index: usize| GridCell { text: index.to_string(), ..GridCell::default() };
        NumberGrid::new(
            "t",
            "c",
            (names('r', rows), names('c', columns)),
            (0..rows * columns).map(cell).collect(),
        )
    }

    #[test]
    fn cells_are_found_by_row_and_column() {
        let grid = grid(2, 3);
        assert_eq!(grid.cell(1, 2).map(|cell| cell.text.as_str()), Some("5"));
        assert_eq!(grid.cell(1, 3), None);
        assert_eq!(grid.cell(2, 0), None);
    }

    #[test]
    fn the_cursor_stays_inside_and_visible() {
        let mut grid = grid(20, 10);
        grid.move_by(50, 50);
        assert_eq!(grid.cursor, (19, 9));
        grid.keep_visible(20, 5);
        assert_eq!(grid.visible(5), 15..20);
        assert!(grid.lay_out(20).columns.iter().any(|(index, _, _)| *index == 9));
        grid.move_by(-50, -50);
        grid.keep_visible(20, 5);
        assert_eq!((grid.first, grid.lay_out(20).columns[0].0), ((0, 0), 0));
        grid.move_by(-1, -1);
        assert_eq!(grid.cursor, (0, 0));
        NumberGrid::new("", "", (Vec::new(), Vec::new()), Vec::new()).move_by(1, 1);
    }

    #[test]
    fn a_new_grid_keeps_the_place_by_its_names() {
        let mut before = grid(3, 3);
        before.cursor = (2, 1);
        let mut after = grid(3, 3);
        after.rows.swap(0, 2);
        after.stay_at(&before);
        assert_eq!(after.cursor, (0, 1));
    }

    #[test]
    fn bars_are_drawn_where_they_fit() {
        let bars = grid(2, 2).drawn(GridStyle::Bars, "");
        // Name 2, then twice 2 blanks, a digit and a bar of 9.
        assert_eq!(bars.lay_out(26).columns, [(0, 4, 10), (1, 16, 10)]);
        assert!(bars.lay_out(26).has_bars);
        let narrow = bars.lay_out(25);
        assert_eq!((narrow.has_bars, narrow.columns), (false, vec![(0, 4, 3), (1, 9, 3)]));
    }
}
