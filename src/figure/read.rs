//! Reading tables by the names of their columns.

use serde_json::Value;

use super::forms::{DotRow, PlotPoint};
use super::scale::number;
use crate::report::table::{Cell, Heading, Table};

/// A row of a table.
#[derive(Clone, Copy)]
pub struct TableRow<'t> {
    table: &'t Table,
    row: &'t [Cell],
}

/// The rows of a table, without the total.
pub fn rows(table: &Table) -> impl Iterator<Item = TableRow<'_>> {
    table.rows.iter().map(move |row| TableRow { table, row })
}

/// The place of the column with this name.
pub fn column(table: &Table, name: &str) -> Option<usize> {
    table.columns.iter().position(|column| column.name == name)
}

/// The fact with this name as a text; empty without one.
pub fn fact<'t>(table: &'t Table, name: &str) -> &'t str {
    table.facts.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Whether any number of a column has an interval.
pub fn has_intervals(table: &Table, name: &str) -> bool {
    rows(table).any(|row| row.point(name).interval.is_some())
}

impl<'t> TableRow<'t> {
    pub fn cell(self, name: &str) -> Option<&'t Cell> {
        self.row.get(column(self.table, name)?)
    }

    /// The text of a cell; empty for cells without text.
    pub fn text(self, name: &str) -> &'t str {
        match self.cell(name) {
            Some(Cell::Text(text)) => text,
            _ => "",
        }
    }

    /// The text of a cell that names its row; `(none)` where the text is empty.
    pub fn name(self, name: &str) -> &'t str {
        match self.text(name) {
            "" => "(none)",
            text => text,
        }
    }

    pub fn number(self, name: &str) -> Option<f64> {
        self.point(name).value
    }

    pub fn point(self, name: &str) -> PlotPoint {
        match self.cell(name) {
            Some(Cell::Estimate(value, interval)) => PlotPoint {
                value: Some(*value),
                interval: interval.as_ref().ok().map(|interval| (interval.low, interval.high)),
            },
            cell => PlotPoint { value: cell.and_then(Cell::value), interval: None },
        }
    }

    /// A row of dots: a name from one column, the dot and its text from another.
    pub fn dot(self, name: &str, value: &str) -> DotRow {
        DotRow {
            name: self.name(name).to_owned(),
            points: vec![self.point(value)],
            texts: vec![self.shown(value)],
        }
    }

    /// The number as its column shows it; a dash without one.
    pub fn shown(self, name: &str) -> String {
        let decimals = column(self.table, name).and_then(|at| self.table.columns.get(at));
        match (self.cell(name), self.number(name)) {
            (Some(Cell::Count(count)), _) => count.to_string(),
            (_, Some(value)) => number(value, decimals.map_or(1, |column| column.decimals)),
            _ => "–".to_owned(),
        }
    }

    /// The number with its interval in a sentence: `62.1 (58–66)`.
    pub fn told(self, name: &str) -> String {
        let decimals = column(self.table, name).and_then(|at| self.table.columns.get(at));
        let decimals = decimals.map_or(1, |column| column.decimals);
        match self.point(name).interval {
            Some((low, high)) => {
                let between = if low < 0.0 { " to " } else { "–" };
                format!("{} ({}{between}{})", self.shown(name), number(low, decimals), number(high, decimals))
            }
            None => self.shown(name),
        }
    }
}

/// The table with only the rows for which `keep` holds.
pub fn filtered(table: &Table, keep: impl Fn(TableRow<'_>) -> bool) -> Table {
    let rows = rows(table).filter(|row| keep(*row)).map(|row| row.row.to_vec()).collect();
    Table { rows, ..table.clone() }
}

/// The table with another column of texts.
pub fn with_texts(mut table: Table, heading: Heading, texts: &[String]) -> Table {
    table.columns.push(heading);
    let width = table.columns.len();
    for (row, text) in table.rows.iter_mut().zip(texts) {
        row.resize(width - 1, Cell::Empty);
        row.push(Cell::Text(text.clone()));
    }
    table
}
