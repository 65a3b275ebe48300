//! The forms for programs: every column, full precision.

use indexmap::IndexSet;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::{Cell, Heading, Named, Table};
use crate::agreement::{ClusterCount, Interval};
use crate::error::{Error, Result};
use crate::formats::sheet::CsvFile;
use crate::score::undefined_key;

/// A list of tables, each an object (`table`, `title`, its facts, `rows`, `notes`).
pub(super) fn json(tables: &[Named<'_>]) -> Result<String> {
    let objects: Vec<TableObject<'_>> =
        tables.iter().map(|(_, table)| TableObject { table, keys: interval_keys(table) }).collect();
    let text = serde_json::to_string_pretty(&objects).map_err(|error| unwritten(&error))?;
    Ok(text + "\n")
}

/// The keys of a column's interval, and whether its numbers say in how many clusters labels vary.
struct ColumnKeys {
    keys: [String; 6],
    has_effective: bool,
}

impl ColumnKeys {
    /// The keys that CSV has: ends, method, clusters, and where they differ clusters in effect.
    fn of_fields(&self) -> &[String] {
        self.keys.get(..if self.has_effective { 5 } else { 4 }).unwrap_or_default()
    }
}

/// The keys of each column's interval; `None` for a column without intervals. Looked up once a table.
type IntervalKeys = Vec<Option<ColumnKeys>>;

fn interval_keys(table: &Table) -> IntervalKeys {
    let of_column = |(at, heading): (usize, &Heading)| {
        let keys =
            || ColumnKeys { keys: heading.interval_keys(), has_effective: table.has_effective_clusters(at) };
        table.has_intervals(at).then(keys)
    };
    table.columns.iter().enumerate().map(of_column).collect()
}

/// A table that is written row after row: as JSON values, thousands of rows would take a hundred times the room.
struct TableObject<'t> {
    table: &'t Table,
    keys: IntervalKeys,
}

impl Serialize for TableObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let table = self.table;
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("table", &table.key)?;
        object.serialize_entry("title", &table.title)?;
        table.facts.iter().try_for_each(|(name, value)| object.serialize_entry(name, value))?;
        object.serialize_entry("rows", &RowObjects(self))?;
        if !table.total.is_empty() {
            object.serialize_entry("total", &row_object(self, &table.total))?;
        }
        object.serialize_entry("notes", &table.notes)?;
        object.end()
    }
}

struct RowObjects<'t>(&'t TableObject<'t>);

impl Serialize for RowObjects<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.table.rows.iter().map(|row| row_object(self.0, row)))
    }
}

fn row_object(TableObject { table, keys }: &TableObject<'_>, row: &[Cell]) -> Value {
    let mut object = Map::new();
    for ((heading, cell), keys) in table.cells(row).zip(keys) {
        let value = match cell {
            Cell::Text(text) if text.is_empty() => Value::Null,
            Cell::Text(text) => json!(text),
            Cell::Count(count) => json!(count),
            Cell::Number(value) | Cell::Seconds(value) | Cell::Estimate(value, _) => json!(value),
            Cell::Undefined(_) | Cell::Reason(..) | Cell::Empty => Value::Null,
        };
        object.insert(heading.name.clone(), value);
        let reason = match cell {
            Cell::Undefined(reason) => Some(reason.code()),
            Cell::Reason(_, code) => Some(code.as_str()),
            _ => None,
        };
        if let Some(reason) = reason {
            object.insert(undefined_key(&heading.name), json!(reason));
        }
        if let Some(ColumnKeys {
            keys: [low, high, interval, clusters, effective, undefined],
            has_effective,
        }) = keys
        {
            let found = if let Cell::Estimate(_, found) = cell { Some(found) } else { None };
            let made = found.and_then(|found| found.as_ref().ok());
            let count = made.and_then(|made| made.clusters);
            object.insert(low.clone(), json!(made.map(|made| made.low)));
            object.insert(high.clone(), json!(made.map(|made| made.high)));
            object.insert(interval.clone(), json!(made.map(|made| made.method.name())));
            object.insert(clusters.clone(), json!(count.map(|count| count.number)));
            if *has_effective {
                object.insert(effective.clone(), json!(count.map(ClusterCount::in_effect)));
            }
            if let Some(Err(reason)) = found {
                object.insert(undefined.clone(), json!(reason.code()));
            }
        }
    }
    Value::Object(object)
}

/// A header of column names, then the rows; what is undefined or empty is an empty field. Several
/// tables share one header, with the name of each row's table in a first column `table`.
pub(super) fn csv(tables: &[Named<'_>], raw: bool) -> Result<String> {
    let keys: Vec<IntervalKeys> = tables.iter().map(|(_, table)| interval_keys(table)).collect();
    let mut header: IndexSet<&str> = IndexSet::new();
    // Where the fields of each table stand in the header.
    let mut places: Vec<Vec<usize>> = Vec::with_capacity(tables.len());
    for ((_, table), keys) in tables.iter().zip(&keys) {
        let with_ends = table.columns.iter().zip(keys).flat_map(|(heading, keys)| {
            let ends = keys.iter().flat_map(ColumnKeys::of_fields);
            std::iter::once(&heading.name).chain(ends)
        });
        places.push(with_ends.map(|name| header.insert_full(name).0).collect());
    }
    let names_tables = tables.len() > 1;
    let mut bytes = Vec::new();
    let mut file = CsvFile::new(&mut bytes, raw);
    let first = names_tables.then_some("table");
    file.row(first.into_iter().chain(header.iter().copied()))?;
    let mut line = vec![String::new(); header.len()];
    for (((name, table), keys), places) in tables.iter().zip(&keys).zip(&places) {
        for row in &table.rows {
            line.iter_mut().for_each(String::clear);
            for (field, place) in fields(table, keys, row).zip(places) {
                line[*place] = field; // a place of the header
            }
            let name = names_tables.then_some(name.as_str());
            file.row(name.into_iter().chain(line.iter().map(String::as_str)))?;
        }
    }
    file.finish()?;
    String::from_utf8(bytes).map_err(|error| unwritten(&error))
}

/// The fields of a row: for each column its number, then ends, method and clusters of the number's interval.
fn fields<'t>(
    table: &'t Table,
    keys: &'t IntervalKeys,
    row: &'t [Cell],
) -> impl Iterator<Item = String> + 't {
    table.cells(row).zip(keys).flat_map(|((_, cell), keys)| {
        let made = if let Cell::Estimate(_, Ok(made)) = cell { Some(made) } else { None };
        let end = |pick: fn(&Interval) -> f64| made.map_or_else(String::new, |made| pick(made).to_string());
        let text = |value: Option<String>| value.unwrap_or_default();
        let count = made.and_then(|made| made.clusters);
        let all = keys.as_ref().map(|keys| {
            let five = [
                end(|made| made.low),
                end(|made| made.high),
                made.map_or("", |made| made.method.name()).to_owned(),
                text(count.map(|count| count.number.to_string())),
                text(count.map(|count| count.in_effect().to_string())),
            ];
            five.into_iter().take(keys.of_fields().len())
        });
        std::iter::once(field(cell)).chain(all.into_iter().flatten())
    })
}

fn field(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Count(count) => count.to_string(),
        Cell::Number(value) | Cell::Seconds(value) | Cell::Estimate(value, _) => value.to_string(),
        Cell::Undefined(_) | Cell::Reason(..) | Cell::Empty => String::new(),
    }
}

fn unwritten(error: &dyn std::error::Error) -> Error {
    Error::new(format!("the table cannot be written: {error}"))
}
