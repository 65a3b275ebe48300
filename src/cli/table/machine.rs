//! The forms for programs: every column, full precision.

use serde_json::{Map, Value, json};

use super::{Cell, Column, Table};
use crate::error::{Error, Result};
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
    for (Column { name, .. }, cell) in table.cells(row) {
        let value = match cell {
            Cell::Text(text) => json!(text),
            Cell::Count(count) => json!(count),
            Cell::Number(value) => json!(value),
            Cell::Undefined(_) | Cell::Empty => Value::Null,
        };
        object.insert(name.clone(), value);
        if let Cell::Undefined(reason) = cell {
            object.insert(undefined_key(name), json!(reason.code));
        }
    }
    Value::Object(object)
}

/// A header of column names, then the rows; what is undefined or empty is an empty field.
pub(super) fn csv(table: &Table) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header = table.columns.iter().map(|column| column.name.as_str());
    writer.write_record(header).map_err(|error| unwritten(&error))?;
    for row in &table.rows {
        let fields = table.cells(row).map(|(_, cell)| match cell {
            Cell::Text(text) => text.clone(),
            Cell::Count(count) => count.to_string(),
            Cell::Number(value) => value.to_string(),
            Cell::Undefined(_) | Cell::Empty => String::new(),
        });
        writer.write_record(fields).map_err(|error| unwritten(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| unwritten(&error))?;
    String::from_utf8(bytes).map_err(|error| unwritten(&error))
}

fn unwritten(error: &dyn std::error::Error) -> Error {
    Error::new(format!("the table cannot be written: {error}"))
}
