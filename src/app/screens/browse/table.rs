//! A table on the screen: its rows and columns, their order, and the cursors.

use super::{PaneKind, RowPane, Wish};
use crate::app::kit::extent;
use crate::browse::filter::FilterError;
use crate::browse::{BrowseTable, ColumnId, ColumnKind, Sort, TableValue, Tables, View};
use crate::text::width::width;

/// Columns before the first cell of a row: the signs of the cursor and of a marked row.
pub const GUTTER: u16 = 2;

/// Rows whose cells decide how wide a column is.
const SAMPLE: usize = 200;

/// Characters of a cell that are measured and shown: more than any cell has room for.
const LOOKED_AT: usize = 400;

/// Sorts that are kept: the latest, and the ones before it, which decide between equals.
const SORTS: usize = 3;

/// A table with its cursors and the panes of the row under them.
#[derive(Debug, Clone)]
pub struct TableScreen {
    pub view: View,
    /// The origin of the rows, such as the name of a system; empty for all of a table.
    pub title: String,
    pub columns: Vec<ColumnId>,
    /// The width that each of the columns needs.
    pub wishes: Vec<Wish>,
    /// Row numbers of the table, filtered and sorted.
    pub rows: Vec<u32>,
    /// Index into `rows`.
    pub cursor: usize,
    /// First visible row, an index into `rows`.
    pub top: usize,
    /// Index into `columns`.
    pub column: usize,
    /// First visible column after the one in front.
    pub first_column: usize,
    /// The panes of the row under the cursor.
    pub panes: Vec<RowPane>,
    /// The pane that is shown; of several, the leftmost.
    pub kind: Option<PaneKind>,
    /// Index of the document in view among those of the row.
    pub document: usize,
    /// The row that `panes` belong to.
    pub(super) held: Option<u32>,
}

impl TableScreen {
    /// Opens a view with its rows and columns.
    pub fn open(tables: &Tables, view: View, title: impl Into<String>) -> Result<TableScreen, FilterError> {
        let mut screen = TableScreen { title: title.into(), ..TableScreen::empty(view) };
        screen.resolve(tables)?;
        Ok(screen)
    }

    /// A view whose rows and columns are not known yet.
    pub fn empty(view: View) -> TableScreen {
        TableScreen {
            view,
            title: String::new(),
            columns: Vec::new(),
            wishes: Vec::new(),
            rows: Vec::new(),
            cursor: 0,
            top: 0,
            column: 0,
            first_column: 1,
            panes: Vec::new(),
            kind: None,
            document: 0,
            held: None,
        }
    }

    pub fn table(&self) -> BrowseTable {
        self.view.table
    }

    /// The row under the cursor.
    pub fn row(&self) -> Option<u32> {
        self.rows.get(self.cursor).copied()
    }

    /// The column under the column cursor.
    pub fn column(&self) -> Option<ColumnId> {
        self.columns.get(self.column).copied()
    }

    /// Finds rows and columns anew. The cursor stays on its row; where that is gone, at its place. A refused filter changes
    /// nothing.
    pub fn resolve(&mut self, tables: &Tables) -> Result<(), FilterError> {
        let rows = tables.rows(&self.view)?;
        let row = self.row();
        self.rows = rows;
        let found = row.and_then(|row| self.rows.iter().position(|other| *other == row));
        self.cursor = found.unwrap_or(self.cursor).min(self.rows.len().saturating_sub(1));
        self.held = None;
        self.resolve_columns(tables);
        Ok(())
    }

    /// Finds the columns. Columns without a value are left out, unless somebody chose them.
    fn resolve_columns(&mut self, tables: &Tables) {
        self.columns = tables.shown_columns(&self.view);
        if self.view.columns.is_empty() {
            let (table, name) = (self.table(), self.columns.first().copied());
            self.columns.retain(|column| Some(*column) == name || tables.has_values(table, *column));
        }
        self.column = self.column.min(self.columns.len().saturating_sub(1));
        self.wishes = self.columns.iter().map(|column| self.wish(tables, *column)).collect();
    }

    fn wish(&self, tables: &Tables, column: ColumnId) -> Wish {
        let Some(head) = tables.head(self.table(), column) else {
            return Wish { natural: 0, is_text: false };
        };
        let step = (self.rows.len() / SAMPLE).max(1);
        let sample = self.rows.iter().step_by(step).take(SAMPLE);
        let widths = sample.map(|row| {
            let value = tables.value(self.table(), *row, column);
            cell_width(&value, head.kind)
        });
        // A column over the heading, for the sign of a sort.
        let heading = width(&head.heading) + 1;
        let natural = widths.max().unwrap_or(0).max(heading);
        let is_text = matches!(head.kind, ColumnKind::Text | ColumnKind::Labels);
        Wish { natural: extent(natural), is_text }
    }

    /// Moves the cursor by rows, as far as there are some.
    pub fn move_by(&mut self, rows: isize) {
        self.cursor = self.cursor.saturating_add_signed(rows).min(self.rows.len().saturating_sub(1));
    }

    /// Moves the column cursor.
    pub fn move_column(&mut self, by: isize) {
        self.column = self.column.saturating_add_signed(by).min(self.columns.len().saturating_sub(1));
    }

    /// Scrolls so that the cursor is among so many visible rows.
    pub fn keep_visible(&mut self, height: u16) {
        let height = usize::from(height).max(1);
        self.top = self.top.min(self.cursor).max((self.cursor + 1).saturating_sub(height));
        self.top = self.top.min(self.rows.len().saturating_sub(height));
    }

    /// The first sort of the table.
    pub fn sorted(&self) -> Option<&Sort> {
        self.view.sort.first()
    }

    /// Sorts by a column: upwards, then downwards, then not at all. The sorts before decide between equals.
    pub fn sort_by(&mut self, name: &str) {
        let first = self.sorted().filter(|sort| sort.column == name).map(|sort| sort.descending);
        self.view.sort.retain(|sort| sort.column != name);
        match first {
            None => self.view.sort.insert(0, Sort { column: name.to_owned(), descending: false }),
            Some(false) => self.view.sort.insert(0, Sort { column: name.to_owned(), descending: true }),
            Some(true) => {}
        }
        self.view.sort.truncate(SORTS);
    }

    /// The names of the columns that are shown, in their order.
    pub fn column_names(&self, tables: &Tables) -> Vec<String> {
        let heads = self.columns.iter().filter_map(|column| tables.head(self.table(), *column));
        heads.map(|head| head.name.clone()).collect()
    }
}

/// A value as its cell shows it, on one line.
pub fn cell_text(value: &TableValue, kind: ColumnKind) -> String {
    match value {
        // A cell shows the beginning of a text: the rest of a long one is not even looked at.
        TableValue::Text(text) => beginning(text.trim_start()).to_owned(),
        _ => value.shown(kind),
    }
}

fn cell_width(value: &TableValue, kind: ColumnKind) -> usize {
    match value {
        TableValue::Text(text) => width(beginning(text.trim_start())),
        _ => width(&value.shown(kind)),
    }
}

/// The first line of a text, as far as a cell looks at it.
fn beginning(text: &str) -> &str {
    let line = text.lines().next().unwrap_or("");
    line.char_indices().nth(LOOKED_AT).and_then(|(end, _)| line.get(..end)).unwrap_or(line)
}
