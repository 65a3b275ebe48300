//! Tables in Parquet: every column optional, compressed with Snappy.

use std::fs::File;
use std::io::{self, Write};
use std::mem::take;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use serde_json::Value;

use super::{CellKind, SheetColumn, text};
use crate::error::{Error, Result, cannot_write};

/// Rows of a row group.
const GROUP: usize = 100_000;

/// A Parquet file that is being written.
pub(super) struct ParquetWriter<'o> {
    kinds: Vec<CellKind>,
    rows: Vec<Vec<Value>>,
    writer: SerializedFileWriter<Vec<u8>>,
    /// Gets the bytes at the end: a writer of this crate may be moved between threads, which `out` may not.
    out: &'o mut dyn Write,
}

impl<'o> ParquetWriter<'o> {
    pub(super) fn begin(columns: &[SheetColumn], out: &'o mut dyn Write) -> Result<ParquetWriter<'o>> {
        let schema = schema(columns).map_err(unwritable)?;
        let created = format!("haymark version {}", env!("CARGO_PKG_VERSION"));
        let properties =
            WriterProperties::builder().set_compression(Compression::SNAPPY).set_created_by(created).build();
        let writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties));
        let writer = writer.map_err(unwritable)?;
        Ok(ParquetWriter {
            kinds: columns.iter().map(|column| column.kind).collect(),
            rows: Vec::new(),
            writer,
            out,
        })
    }

    pub(super) fn row(&mut self, cells: Vec<Value>) -> Result<()> {
        self.rows.push(cells);
        if self.rows.len() == GROUP { self.write_group() } else { Ok(()) }
    }

    pub(super) fn finish(mut self) -> Result<()> {
        if !self.rows.is_empty() {
            self.write_group()?;
        }
        let bytes = self.writer.into_inner().map_err(unwritable)?;
        self.out.write_all(&bytes).map_err(cannot_write)
    }

    fn write_group(&mut self) -> Result<()> {
        let rows = take(&mut self.rows);
        let mut write = || {
            let mut group = self.writer.next_row_group()?;
            for (place, kind) in self.kinds.iter().enumerate() {
                let cells = rows.iter().map(|row| row.get(place).unwrap_or(&Value::Null));
                match kind {
                    CellKind::Text => {
                        let bytes = |cell: &Value| {
                            (!cell.is_null()).then(|| ByteArray::from(text(cell).into_bytes()))
                        };
                        write_column::<ByteArrayType>(&mut group, cells.map(bytes))?;
                    }
                    CellKind::Integer => write_column::<Int64Type>(&mut group, cells.map(Value::as_i64))?,
                    CellKind::Number => write_column::<DoubleType>(&mut group, cells.map(Value::as_f64))?,
                    CellKind::Flag => write_column::<BoolType>(&mut group, cells.map(Value::as_bool))?,
                }
            }
            group.close().map(|_| ())
        };
        write().map_err(unwritable)
    }
}

/// Writes the next column of a row group: its values, and for every row whether there is one.
fn write_column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    cells: impl Iterator<Item = Option<T::T>>,
) -> std::result::Result<(), ParquetError> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    for cell in cells {
        levels.push(i16::from(cell.is_some()));
        values.extend(cell);
    }
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(&values, Some(&levels), None)?;
        column.close()?;
    }
    Ok(())
}

fn schema(columns: &[SheetColumn]) -> std::result::Result<Type, ParquetError> {
    let field = |column: &SheetColumn| {
        let (physical, logical) = match column.kind {
            CellKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            CellKind::Integer => (Physical::INT64, None),
            CellKind::Number => (Physical::DOUBLE, None),
            CellKind::Flag => (Physical::BOOLEAN, None),
        };
        let field = Type::primitive_type_builder(&column.name, physical);
        field.with_repetition(Repetition::OPTIONAL).with_logical_type(logical).build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<std::result::Result<Vec<_>, _>>()?;
    Type::group_type_builder("haymark").with_fields(fields).build()
}

/// Hands over each row of a file with its number, from 1, until `take` wants no more.
pub(in crate::formats) fn each_row(
    file: File,
    take: &mut dyn FnMut(u64, Result<Value>) -> Result<bool>,
) -> Result<()> {
    let unreadable = |error: ParquetError| {
        Error::new(format!("the Parquet file cannot be read: {error}"))
            .advise("get it again, or write it as CSV or JSON")
    };
    let reader = SerializedFileReader::new(file).map_err(unreadable)?;
    for (number, row) in (1..).zip(reader.get_row_iter(None).map_err(unreadable)?) {
        if !take(number, row.map(|row| row.to_json_value()).map_err(unreadable))? {
            break;
        }
    }
    Ok(())
}

fn unwritable(error: ParquetError) -> Error {
    cannot_write(io::Error::other(error))
}
