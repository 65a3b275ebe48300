//! Reading tables of scores, which have any fields and any measures: columns are known by their names in JSON, and cells hold
//! the values that are printed.

use serde_json::Value;

use super::forms::PlotPoint;
use crate::report::table::{Cell, Table};

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

/// The fact with this name as a text; empty without one.
pub fn fact<'t>(table: &'t Table, name: &str) -> &'t str {
    table.facts.get(name).and_then(Value::as_str).unwrap_or_default()
}

impl<'t> TableRow<'t> {
    fn cell(self, name: &str) -> Option<&'t Cell> {
        self.row.get(self.table.column(name)?)
    }

    /// The text of a cell that names its row; `(none)` where the text is empty.
    pub fn name(self, name: &str) -> &'t str {
        match self.cell(name) {
            Some(Cell::Text(text)) if !text.is_empty() => text,
            _ => "(none)",
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

    /// The decimals of a column.
    pub fn decimals(self, name: &str) -> usize {
        self.table.column(name).and_then(|at| self.table.columns.get(at)).map_or(1, |column| column.decimals)
    }

    /// The number as its column shows it; a dash without one.
    pub fn shown(self, name: &str) -> String {
        self.point(name).shown(self.decimals(name))
    }

    /// The number with its interval in a sentence: `62.1 (58–66)`.
    pub fn told(self, name: &str) -> String {
        self.point(name).told(self.decimals(name))
    }
}
