//! What tables by group have in common: the groups' columns, and rows of counts and measures.

use super::super::table::{Cell, Column, Table};
use crate::score::{By, Group, Measure, Share, Undefined};

/// The groups' names, for JSON.
pub fn names(by: &[By]) -> Vec<&'static str> {
    by.iter().map(|by| by.name()).collect()
}

/// `Scores by retriever and summarizer`.
pub fn titled(what: &str, by: &[By]) -> String {
    match by {
        [] => what.to_owned(),
        by => format!("{what} by {}", names(by).join(" and ").replace('_', " ")),
    }
}

/// A table with a column for each of `by`, then the others.
pub fn grouped_table(what: &str, by: &[By], columns: impl IntoIterator<Item = Column>) -> Table {
    let mut all: Vec<Column> =
        by.iter().map(|by| Column::text(by.name(), by.name().replace('_', " "))).collect();
    all.extend(columns);
    Table::new(titled(what, by), all).fact("by", names(by))
}

/// Fills a table with a row a group, and a last one over all where there is more than one.
pub fn fill<R>(
    table: &mut Table,
    by: &[By],
    rows: &[R],
    all: Option<&R>,
    group: impl Fn(&R) -> &Group,
    cells: impl Fn(&R) -> Vec<Cell>,
) {
    let labels = |row: &R| group(row).iter().cloned().map(Cell::from).collect::<Vec<Cell>>();
    table.rows = rows.iter().map(|row| labels(row).into_iter().chain(cells(row)).collect()).collect();
    if let Some(all) = all.filter(|_| !by.is_empty()) {
        let first = by.iter().enumerate().map(|(index, _)| if index == 0 { "all".into() } else { "".into() });
        table.total = first.chain(cells(all)).collect();
    }
}

/// Columns of a share: how many of how many (in JSON and CSV), the share, and the ends of its interval.
pub fn share_columns(name: &str, heading: &str) -> [Column; 4] {
    [
        Column::count(format!("count_{name}"), heading).detail(),
        Column::percent(name, heading),
        Column::percent(format!("{name}_low"), "from"),
        Column::percent(format!("{name}_high"), "to"),
    ]
}

/// The cells of [`share_columns`].
pub fn share_cells(share: Share, reason: Undefined) -> Vec<Cell> {
    let measures = share.measures(reason).map(|measure: Measure| Cell::number(measure));
    [Cell::Count(share.part)].into_iter().chain(measures).collect()
}

/// What the ends of intervals are.
pub const INTERVALS: &str = "from and to are the ends of 95 % intervals (Wilson).";
