//! The forms for programs: every column, full precision.

use serde_json::{Map, Value, json};

use super::{Cell, Heading, Named, Table};
use crate::agreement::{ClusterCount, Interval};
use crate::error::{Error, Result};
use crate::formats::sheet::CsvFile;
use crate::score::undefined_key;

/// A list of tables, each an object (`table`, `title`, its facts, `rows`, `notes`).
pub(super) fn json(tables: &[Named<'_>]) -> Result<String> {
    let objects: Vec<Value> = tables.iter().map(|(_, table)| object(table)).collect();
    let text = serde_json::to_string_pretty(&objects).map_err(|error| unwritten(&error))?;
    Ok(text + "\n")
}

fn object(table: &Table) -> Value {
    let mut object = Map::new();
    object.insert("table".to_owned(), json!(table.key));
    object.insert("title".to_owned(), json!(table.title));
    object.extend(table.facts.clone());
    let rows: Vec<Value> = table.rows.iter().map(|row| row_object(table, row)).collect();
    object.insert("rows".to_owned(), json!(rows));
    if !table.total.is_empty() {
        object.insert("total".to_owned(), row_object(table, &table.total));
    }
    object.insert("notes".to_owned(), json!(table.notes));
    Value::Object(object)
}

fn row_object(table: &Table, row: &[Cell]) -> Value {
    let mut object = Map::new();
    for (at, (heading, cell)) in table.cells(row).enumerate() {
        let value = match cell {
            Cell::Text(text) if text.is_empty() => Value::Null,
            Cell::Text(text) => json!(text),
            Cell::Count(count) => json!(count),
            Cell::Number(value) | Cell::Seconds(value) | Cell::Estimate(value, _) => json!(value),
            Cell::Undefined(_) | Cell::Empty => Value::Null,
        };
        object.insert(heading.name.clone(), value);
        if let Cell::Undefined(reason) = cell {
            object.insert(undefined_key(&heading.name), json!(reason.code()));
        }
        if table.has_intervals(at) {
            let [low, high, interval, clusters, effective, undefined] = heading.interval_keys();
            let found = if let Cell::Estimate(_, found) = cell { Some(found) } else { None };
            let made = found.and_then(|found| found.as_ref().ok());
            object.insert(low, json!(made.map(|made| made.low)));
            object.insert(high, json!(made.map(|made| made.high)));
            object.insert(interval, json!(made.map(|made| made.method.name())));
            let count = made.and_then(|made| made.clusters);
            object.insert(clusters, json!(count.map(|count| count.number)));
            if table.has_effective_clusters(at) {
                object.insert(effective, json!(count.map(ClusterCount::in_effect)));
            }
            object
                .extend(found.and_then(|found| found.err()).map(|reason| (undefined, json!(reason.code()))));
        }
    }
    Value::Object(object)
}

/// A header of column names, then the rows; what is undefined or empty is an empty field. Several
/// tables share one header, with the name of each row's table in a first column `table`.
pub(super) fn csv(tables: &[Named<'_>], raw: bool) -> Result<String> {
    let named: Vec<Vec<Vec<(String, String)>>> = tables.iter().map(|(_, table)| fields(table)).collect();
    let mut header: Vec<&str> = Vec::new();
    for ((_, table), rows) in tables.iter().zip(&named) {
        let heads = table.columns.iter().map(|column| column.name.as_str());
        let names: Vec<&str> = match rows.first() {
            Some(row) => row.iter().map(|(name, _)| name.as_str()).collect(),
            None => heads.collect(),
        };
        for name in names {
            if !header.contains(&name) {
                header.push(name);
            }
        }
    }
    let names_tables = tables.len() > 1;
    let mut bytes = Vec::new();
    let mut file = CsvFile::new(&mut bytes, raw);
    let first = names_tables.then_some("table");
    file.row(first.into_iter().chain(header.iter().copied()))?;
    for ((name, _), rows) in tables.iter().zip(&named) {
        for row in rows {
            let field = |name: &&str| row.iter().find(|(own, _)| own == name).map_or("", |(_, field)| field);
            let name = names_tables.then_some(name.as_str());
            file.row(name.into_iter().chain(header.iter().map(field)))?;
        }
    }
    file.finish()?;
    String::from_utf8(bytes).map_err(|error| unwritten(&error))
}

/// The fields of each row with their names.
fn fields(table: &Table) -> Vec<Vec<(String, String)>> {
    let of_cell = |(at, (heading, cell)): (usize, (&Heading, &Cell))| {
        let mut fields = vec![(heading.name.clone(), field(cell))];
        if table.has_intervals(at) {
            let [low, high, interval, clusters, effective, _] = heading.interval_keys();
            let made = if let Cell::Estimate(_, Ok(made)) = cell { Some(made) } else { None };
            let end =
                |pick: fn(&Interval) -> f64| made.map_or_else(String::new, |made| pick(made).to_string());
            fields.push((low, end(|made| made.low)));
            fields.push((high, end(|made| made.high)));
            fields.push((interval, made.map_or("", |made| made.method.name()).to_owned()));
            let count = made.and_then(|made| made.clusters);
            fields.push((clusters, count.map_or_else(String::new, |count| count.number.to_string())));
            if table.has_effective_clusters(at) {
                fields
                    .push((effective, count.map_or_else(String::new, |count| count.in_effect().to_string())));
            }
        }
        fields
    };
    let rows = table.rows.iter();
    rows.map(|row| table.cells(row).enumerate().flat_map(of_cell).collect()).collect()
}

fn field(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Count(count) => count.to_string(),
        Cell::Number(value) | Cell::Seconds(value) | Cell::Estimate(value, _) => value.to_string(),
        Cell::Undefined(_) | Cell::Empty => String::new(),
    }
}

fn unwritten(error: &dyn std::error::Error) -> Error {
    Error::new(format!("the table cannot be written: {error}"))
}
