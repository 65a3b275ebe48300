//! The forms for programs: every column, full precision.

use serde_json::{Map, Value, json};

use super::{Cell, Heading, Table};
use crate::error::{Error, Result};
use crate::formats::sheet::CsvFile;
use crate::score::undefined_key;

/// One table as an object (`title`, its facts, `rows`, `notes`), several as an array of such.
pub(super) fn json(tables: &[Table]) -> Result<String> {
    let value = match tables {
        [table] => object(table),
        tables => Value::Array(tables.iter().map(object).collect()),
    };
    let text = serde_json::to_string_pretty(&value).map_err(|error| unwritten(&error))?;
    Ok(text + "\n")
}

fn object(table: &Table) -> Value {
    let mut object = Map::new();
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
    for (Heading { name, .. }, cell) in table.cells(row) {
        let value = match cell {
            Cell::Text(text) => json!(text),
            Cell::Count(count) => json!(count),
            Cell::Number(value) => json!(value),
            Cell::Undefined(_) | Cell::Empty => Value::Null,
        };
        object.insert(name.clone(), value);
        if let Cell::Undefined(reason) = cell {
            object.insert(undefined_key(name), json!(reason.code()));
        }
    }
    Value::Object(object)
}

/// A header of column names, then the rows; what is undefined or empty is an empty field. Several
/// tables share one header, with the title of each row's table in a first column `table`.
pub(super) fn csv(tables: &[Table], raw: bool) -> Result<String> {
    let mut header: Vec<&str> = Vec::new();
    for column in tables.iter().flat_map(|table| &table.columns) {
        if !header.contains(&column.name.as_str()) {
            header.push(&column.name);
        }
    }
    let names_tables = tables.len() > 1;
    let mut bytes = Vec::new();
    let mut file = CsvFile::new(&mut bytes, raw);
    let first = names_tables.then_some("table");
    file.row(first.into_iter().chain(header.iter().copied()))?;
    for table in tables {
        for row in &table.rows {
            let cells: Vec<(&Heading, &Cell)> = table.cells(row).collect();
            let fields = header.iter().map(|name| {
                let cell = cells.iter().find(|(column, _)| column.name == *name);
                cell.map_or_else(String::new, |(_, cell)| field(cell))
            });
            let title = names_tables.then(|| table.title.clone());
            file.row(title.into_iter().chain(fields))?;
        }
    }
    file.finish()?;
    String::from_utf8(bytes).map_err(|error| unwritten(&error))
}

fn field(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Count(count) => count.to_string(),
        Cell::Number(value) => value.to_string(),
        Cell::Undefined(_) | Cell::Empty => String::new(),
    }
}

fn unwritten(error: &dyn std::error::Error) -> Error {
    Error::new(format!("the table cannot be written: {error}"))
}
