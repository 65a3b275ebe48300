//! Pivot tables of scores: by two or more fields, the last of them across the columns.

use std::collections::BTreeMap;

use super::{BestMark, Better, Cell, Heading, Table};
use crate::error::{Error, Result};
use crate::score::undefined_key;

/// Turns the tables by these fields into one table for each measure; the values of the last field stand over the columns.
/// `tables` gives the tables by any fields: those by the fields of the rows alone become the last column, those by the field
/// of the columns alone the last row.
///
/// # Errors
/// Fewer than two fields are named, or no scored table has a measure by them (usage); or `tables` fails.
pub fn pivots(by: &[String], tables: impl Fn(&[String]) -> Result<Vec<Table>>) -> Result<Vec<Table>> {
    let [rows @ .., across] = by else { return Err(too_few()) };
    if rows.is_empty() {
        return Err(too_few());
    }
    let (whole, of_rows, of_columns) = (tables(by)?, tables(rows)?, tables(std::slice::from_ref(across))?);
    let is_by = |table: &&Table, names: &[String]| {
        table.facts.get("by").and_then(|by| by.as_array()).is_some_and(|by| by.iter().eq(names))
    };
    let mut found: Vec<Table> = Vec::new();
    for table in whole.iter().filter(|table| is_by(table, by)) {
        let same = |tables: &'_ [Table], names: &[String]| {
            tables.iter().find(|other| is_by(other, names) && other.path() == table.path()).cloned()
        };
        let totals = (same(&of_rows, rows), same(&of_columns, std::slice::from_ref(across)));
        let measures = (by.len()..table.columns.len()).filter(|at| is_measure(table, *at));
        found.extend(measures.map(|at| pivot(table, (rows, across), at, &totals)));
    }
    if found.is_empty() {
        let what =
            format!("nothing that is scored has rows by {} and columns by {across}", rows.join(" and "));
        return Err(
            Error::usage(what).advise("name what is judged with --protocol, and with --by two fields that its summaries have, such as summarizer,retriever")
        );
    }
    // Of tables with one title, each gets the name by which `--table` finds it.
    let titles: Vec<String> = found.iter().map(|table| table.title.clone()).collect();
    let is_taken = |title: &String| titles.iter().filter(|other| *other == title).count() > 1;
    for table in found.iter_mut().filter(|table| is_taken(&table.title)) {
        table.title = format!("{} ({})", table.title, table.path());
    }
    // Notes on all tables stand once.
    let notes = whole.first().map(|table| table.notes.clone()).unwrap_or_default();
    if let Some(last) = found.last_mut() {
        last.notes = notes;
    }
    Ok(found)
}

fn too_few() -> Error {
    Error::usage("a table of rows and columns is by two fields or more")
        .advise("name them, the one over the columns last, such as --by summarizer,retriever")
}

/// Whether a column holds a measure.
fn is_measure(table: &Table, at: usize) -> bool {
    let is_number = |row: &Vec<Cell>| {
        matches!(row.get(at), Some(Cell::Number(_) | Cell::Estimate(..) | Cell::Undefined(_)))
    };
    table.columns.get(at).is_some_and(|column| !column.detail) && table.rows.iter().any(is_number)
}

/// The labels of a row; `None` for no value, as opposed to an empty text.
type PivotLabels = Vec<Option<String>>;

/// The cells of a measure by the labels of their rows.
fn by_labels(table: Option<&Table>, labels: usize, name: &str) -> BTreeMap<PivotLabels, Cell> {
    let of = |table: &'_ Table| {
        let at = table.column(name)?;
        let cell = |row: &Vec<Cell>| Some((labels_of(row, labels), row.get(at)?.clone()));
        Some(table.rows.iter().filter_map(cell).collect())
    };
    table.and_then(of).unwrap_or_default()
}

fn labels_of(row: &[Cell], labels: usize) -> PivotLabels {
    let label = |cell: &Cell| if let Cell::Text(text) = cell { Some(text.clone()) } else { None };
    row.iter().take(labels).map(label).collect()
}

fn pivot(
    table: &Table,
    (rows, across): (&[String], &String),
    at: usize,
    (of_rows, of_columns): &(Option<Table>, Option<Table>),
) -> Table {
    let measure = &table.columns[at]; // the caller found it there
    let name = measure.name.as_str();
    let cells = by_labels(Some(table), rows.len() + 1, name);
    let (row_totals, column_totals) =
        (by_labels(of_rows.as_ref(), rows.len(), name), by_labels(of_columns.as_ref(), 1, name));
    let mut row_labels: Vec<PivotLabels> = Vec::new();
    for row in &table.rows {
        let labels = labels_of(row, rows.len());
        if !row_labels.contains(&labels) {
            row_labels.push(labels);
        }
    }
    // Columns stand in the order of the table by their field alone, where lengths are sorted by size.
    let mut columns: PivotLabels =
        of_columns.iter().flat_map(|table| &table.rows).flat_map(|row| labels_of(row, 1)).collect();
    for row in &table.rows {
        for label in labels_of(row.get(rows.len()..).unwrap_or_default(), 1) {
            if !columns.contains(&label) {
                columns.push(label);
            }
        }
    }
    let shown = |label: &Option<String>| match label.as_deref() {
        None => "(none)".to_owned(),
        Some("") => "\"\"".to_owned(),
        Some(label) => label.to_owned(),
    };
    let mut headings: Vec<Heading> = rows.iter().map(|by| Heading::text(by, by.replace('_', " "))).collect();
    for label in columns.iter().map(shown).chain(["all".to_owned()]) {
        let name = own_name(&headings, &label);
        headings.push(Heading { name, heading: label, spare: false, ..measure.clone() });
    }
    let line = |labels: &[Option<String>]| {
        let cell = |column: &Option<String>| {
            let key: PivotLabels = labels.iter().chain([column]).cloned().collect();
            cells.get(&key).cloned().unwrap_or(Cell::Empty)
        };
        let all = row_totals.get(labels).cloned().unwrap_or(Cell::Empty);
        let names = labels.iter().map(|label| Cell::Text(shown(label)));
        names.chain(columns.iter().map(cell)).chain([all]).collect::<Vec<Cell>>()
    };
    let body: Vec<Vec<Cell>> = row_labels.iter().map(|labels| line(labels)).collect();
    let names = (0..rows.len()).map(|at| Cell::Text(if at == 0 { "all" } else { "" }.to_owned()));
    let of_column = |column: &Option<String>| {
        column_totals.get(std::slice::from_ref(column)).cloned().unwrap_or(Cell::Empty)
    };
    let over_all = table.total.get(at).cloned().unwrap_or(Cell::Empty);
    let total = names.chain(columns.iter().map(of_column)).chain([over_all]).collect();
    let better = measure.better.filter(|better| *better != Better::Unsaid);
    let marks = better.map(|better| marks(&body, rows.len(), better)).unwrap_or_default();
    let title = format!("{}: {} by {across}", measure.label(), rows.join(" and ").replace('_', " "));
    let facts = table.facts.clone();
    let (columns, rows, method) = (headings, body, table.method.clone());
    let pivoted = Table { title, facts, columns, rows, total, marks, method, ..Table::default() };
    pivoted.keyed(format!("{}_{name}", table.key)).fact("measure", name).fact("across", across.as_str())
}

/// The key of a column in JSON and CSV: the label, followed by `_` where the key, or that of an end of its interval, is taken.
fn own_name(before: &[Heading], label: &str) -> String {
    let keys = |heading: &Heading| {
        let ends = heading.interval_keys().into_iter().chain([undefined_key(&heading.name)]);
        ends.chain([heading.name.clone()]).collect::<Vec<String>>()
    };
    let taken: Vec<String> = before.iter().flat_map(keys).collect();
    let mut name = label.to_owned();
    while keys(&Heading::text(&name, "")).iter().any(|key| taken.contains(key)) {
        name.push('_');
    }
    name
}

/// Marks the best number of each column, and the second best; ties are marked alike.
fn marks(body: &[Vec<Cell>], labels: usize, better: Better) -> BTreeMap<(usize, usize), BestMark> {
    let value = |cell: &Cell| match cell {
        Cell::Number(value) | Cell::Estimate(value, _) => Some(*value),
        _ => None,
    };
    let mut found = BTreeMap::new();
    for column in labels..body.first().map_or(0, Vec::len) {
        let numbers: Vec<(usize, f64)> = body
            .iter()
            .enumerate()
            .filter_map(|(row, cells)| Some((row, value(cells.get(column)?)?)))
            .collect();
        let mut distinct: Vec<f64> = numbers.iter().map(|(_, value)| *value).collect();
        distinct.sort_by(|one, other| better.worth(*other).total_cmp(&better.worth(*one)));
        distinct.dedup_by(|one, other| is_tied(*one, *other));
        // A single row, or equal numbers, have no best.
        if numbers.len() < 2 || distinct.len() < 2 {
            continue;
        }
        for (row, value) in numbers {
            let mark = match distinct.iter().position(|other| is_tied(*other, value)) {
                Some(0) => BestMark::Best,
                Some(1) if distinct.len() > 2 => BestMark::Second,
                _ => continue,
            };
            found.insert((row, column), mark);
        }
    }
    found
}

/// Whether two numbers are equal but for rounding.
pub fn is_tied(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::Column;

    struct Scored(Vec<&'static str>, f64);

    fn table(by: &[String], rows: &[Scored], all: f64) -> Table {
        let columns = by
            .iter()
            .enumerate()
            .map(|(at, name)| Column::new(name.clone(), name.clone(), move |row: &Scored| row.0[at]));
        let score = Column::new("joint", "joint", |row: &Scored| row.1).score();
        let mut table = Table::of("Scores", columns.chain([score]), rows).fact("by", by.to_vec());
        table.total = (0..by.len()).map(|_| Cell::Empty).chain([Cell::Number(all)]).collect();
        table
    }

    #[test]
    fn the_last_field_stands_across_with_totals_and_the_best() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
        let by = names(&["summarizer", "retriever"]);
        let tables = |by: &[String]| {
            let rows = match by.len() {
                2 => vec![
                    Scored(vec!["a", "x"], 10.0),
                    Scored(vec!["a", "y"], 30.0),
                    Scored(vec!["b", "y"], 20.0),
                    Scored(vec!["c", "y"], 5.0),
                ],
                _ if by[0] == "summarizer" => {
                    vec![Scored(vec!["a"], 21.0), Scored(vec!["b"], 20.0), Scored(vec!["c"], 5.0)]
                }
                _ => vec![Scored(vec!["x"], 10.0), Scored(vec!["y"], 19.0)],
            };
            Ok(vec![table(by, &rows, 17.0)])
        };
        let found = pivots(&by, tables).expect("a pivot");
        let [pivot] = found.as_slice() else { panic!("one measure") };
        assert_eq!(
            (pivot.title.as_str(), pivot.key.as_str()),
            ("joint %: summarizer by retriever", "scores_joint")
        );
        let heads: Vec<&str> = pivot.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(heads, ["summarizer", "x", "y", "all"]);
        let number = |row: usize, column: usize| &pivot.rows[row][column];
        assert_eq!(
            (number(0, 2), number(1, 1), number(1, 3)),
            (&Cell::Number(30.0), &Cell::Empty, &Cell::Number(20.0))
        );
        assert_eq!(
            pivot.total,
            [Cell::Text("all".into()), Cell::Number(10.0), Cell::Number(19.0), Cell::Number(17.0)]
        );
        let marked: Vec<_> = pivot.marks.iter().map(|(place, mark)| (*place, *mark)).collect();
        let (best, second) = (BestMark::Best, BestMark::Second);
        assert_eq!(marked, [((0, 2), best), ((0, 3), best), ((1, 2), second), ((1, 3), second)]);
        assert!(pivots(&names(&["retriever"]), tables).is_err());
    }
}
