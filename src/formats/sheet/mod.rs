//! Flat tables on the way out, row by row: JSONL, CSV, and Parquet where haymark is built with it.
//!
//! A cell without a value is left out of a JSON object, an empty field in CSV, and null in Parquet. A list or an object is
//! itself in JSON, and its JSON text in the other two.

mod csv_file;
#[cfg(feature = "parquet")]
mod parquet_file;

use std::io::Write;

use serde_json::{Map, Value};

pub use self::csv_file::CsvFile;
pub(super) use self::csv_file::without_shield;
#[cfg(feature = "parquet")]
pub(super) use self::parquet_file::each_row as each_parquet_row;
use crate::error::{Result, cannot_write};

/// The forms of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SheetFormat {
    /// An object a row.
    Jsonl,
    /// A header, then a line a row; see [`CsvFile`].
    Csv { raw: bool },
    /// Columns of optional values, in row groups.
    Parquet,
}

/// The type of a column's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// Texts; also anything as its JSON.
    Text,
    /// Whole numbers of 64 bits.
    Integer,
    /// Floating-point numbers of 64 bits.
    Number,
    /// Yes or no.
    Flag,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetColumn {
    pub name: String,
    pub kind: CellKind,
}

impl SheetColumn {
    /// A column of this name and kind.
    pub fn new(name: impl Into<String>, kind: CellKind) -> SheetColumn {
        SheetColumn { name: name.into(), kind }
    }

    /// Columns of texts.
    pub fn texts<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<SheetColumn> {
        names.into_iter().map(|name| SheetColumn::new(name, CellKind::Text)).collect()
    }
}

/// A table that is being written. Rows have a cell for each column; [`Value::Null`] is no value.
pub struct Sheet<'o> {
    columns: Vec<SheetColumn>,
    form: SheetForm<'o>,
    rows: usize,
}

enum SheetForm<'o> {
    Jsonl {
        out: &'o mut dyn Write,
        kind: Option<&'static str>,
    },
    Csv(Box<CsvFile<&'o mut dyn Write>>),
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet_file::ParquetWriter<'o>>),
}

impl<'o> Sheet<'o> {
    /// Begins a table. `kind` is the `type` of every object in JSONL, where it has one.
    pub fn begin(
        format: SheetFormat,
        kind: Option<&'static str>,
        columns: Vec<SheetColumn>,
        out: &'o mut dyn Write,
    ) -> Result<Sheet<'o>> {
        let form = match format {
            SheetFormat::Jsonl => SheetForm::Jsonl { out, kind },
            SheetFormat::Csv { raw } => {
                let mut file = CsvFile::new(out, raw);
                file.row(columns.iter().map(|column| &column.name))?;
                SheetForm::Csv(Box::new(file))
            }
            #[cfg(feature = "parquet")]
            SheetFormat::Parquet => {
                SheetForm::Parquet(Box::new(parquet_file::ParquetWriter::begin(&columns, out)?))
            }
            #[cfg(not(feature = "parquet"))]
            SheetFormat::Parquet => return Err(without_parquet()),
        };
        Ok(Sheet { columns, form, rows: 0 })
    }

    /// Writes a row.
    pub fn row(&mut self, cells: Vec<Value>) -> Result<()> {
        self.rows += 1;
        match &mut self.form {
            SheetForm::Jsonl { out, kind } => {
                let mut object = Map::new();
                object.extend(kind.map(|kind| ("type".to_owned(), Value::from(kind))));
                let named = self.columns.iter().map(|column| column.name.clone()).zip(cells);
                object.extend(named.filter(|(_, cell)| !cell.is_null()));
                serde_json::to_writer(&mut **out, &object).map_err(cannot_write)?;
                out.write_all(b"\n").map_err(cannot_write)
            }
            SheetForm::Csv(file) => file.row(cells.iter().map(text)),
            #[cfg(feature = "parquet")]
            SheetForm::Parquet(writer) => writer.row(cells),
        }
    }

    /// Ends the table; gives the number of its rows.
    pub fn finish(self) -> Result<usize> {
        match self.form {
            SheetForm::Jsonl { .. } => {}
            SheetForm::Csv(file) => file.finish()?,
            #[cfg(feature = "parquet")]
            SheetForm::Parquet(writer) => writer.finish()?,
        }
        Ok(self.rows)
    }
}

/// A cell as text: nothing for null, a text as it is, anything else as its JSON.
fn text(cell: &Value) -> String {
    match cell {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(not(feature = "parquet"))]
fn without_parquet() -> crate::error::Error {
    crate::error::Error::new("this haymark is built without Parquet")
        .advise("use --format csv, or build it with `cargo install --path . --features parquet`")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(format: SheetFormat) -> String {
        let mut out = Vec::new();
        let columns = vec![
            SheetColumn::new("name", CellKind::Text),
            SheetColumn::new("count", CellKind::Integer),
            SheetColumn::new("tags", CellKind::Text),
        ];
        let mut sheet = Sheet::begin(format, Some("thing"), columns, &mut out).expect("begun");
        sheet.row(vec![json!("a, b"), json!(2), json!(["x", "y"])]).expect("written");
        sheet.row(vec![Value::Null, json!(-1), Value::Null]).expect("written");
        assert_eq!(sheet.finish().expect("ended"), 2);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn what_has_no_value_is_left_out() {
        assert_eq!(
            written(SheetFormat::Jsonl),
            "{\"type\":\"thing\",\"name\":\"a, b\",\"count\":2,\"tags\":[\"x\",\"y\"]}\n{\"type\":\"thing\",\"count\":-1}\n"
        );
        assert_eq!(
            written(SheetFormat::Csv { raw: false }),
            "name,count,tags\n\"a, b\",2,\"[\"\"x\"\",\"\"y\"\"]\"\n,-1,\n"
        );
    }

    #[cfg(not(feature = "parquet"))]
    #[test]
    fn without_parquet_there_is_a_sentence() {
        let mut out = Vec::new();
        let refused = Sheet::begin(SheetFormat::Parquet, None, SheetColumn::texts(["a"]), &mut out);
        let told = refused.err().expect("refused").to_string();
        assert!(told.contains("--features parquet"), "{told}");
    }
}
