//! Tables by group: columns for the groups, and a total over all.

use super::table::{Column, Heading, IntoCell, Table, key_of};
use crate::score::{By, Counted, GroupLabels, Grouped};

/// The names of the groupings, for JSON.
pub fn names(by: &[By]) -> Vec<&str> {
    by.iter().map(By::name).collect()
}

/// The labels of a group as one text.
pub fn name_of(group: &GroupLabels) -> String {
    let labels = group.iter().map(|label| label.as_deref().unwrap_or("(none)"));
    labels.collect::<Vec<&str>>().join(" · ")
}

/// A column for each grouping.
pub fn group_columns(by: &[By]) -> impl Iterator<Item = Heading> {
    by.iter().map(|by| Heading::text(by.name(), by.name().replace('_', " ")))
}

/// A table with a row for each group: the columns of the groupings, then the others. The title is like
/// `Scores by retriever and summarizer`.
pub fn grouped_table<'a, T>(
    what: &str,
    found: &Grouped<T>,
    columns: impl IntoIterator<Item = Column<'a, T>>,
) -> Table {
    let by = &found.by;
    let title = match by.as_slice() {
        [] => what.to_owned(),
        by => format!("{what} by {}", names(by).join(" and ").replace('_', " ")),
    };
    let all = found.all.as_ref().filter(|_| !by.is_empty());
    let rows = found.rows.iter().map(|(_, row)| row).chain(all);
    let mut table = Table::of(title, columns, rows).keyed(key_of(what)).fact("by", names(by));
    table.columns.splice(0..0, group_columns(by));
    let of_all: GroupLabels =
        (0..by.len()).map(|at| Some(if at == 0 { "all" } else { "" }.to_owned())).collect();
    let groups = found.rows.iter().map(|(group, _)| group).chain([&of_all]);
    for (row, group) in table.rows.iter_mut().zip(groups) {
        row.splice(0..0, group.iter().cloned().map(IntoCell::cell));
    }
    if all.is_some() {
        table.total = table.rows.pop().unwrap_or_default();
    }
    table
}

/// Columns for the number of judged items, under this heading, and of their judgments.
pub fn counted_columns<'a, T>(
    items: &str,
    counted: impl Fn(&T) -> Counted + Copy + 'a,
) -> [Column<'a, T>; 2] {
    [
        Column::new("items", items, move |row: &T| counted(row).items),
        Column::new("judgments", "judgments", move |row: &T| counted(row).judgments),
    ]
}
