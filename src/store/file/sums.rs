//! Sums over rows, by which a changed row is found.
//!
//! A row's sum is the first 8 bytes of the SHA-256 of its values in the order of its columns, as they are in this file, the
//! numbers of rows included. The sum of a record is the exclusive or of its rows' sums, so a row is taken out in the same way
//! as it is added. The rows that have sums, and the triggers that write them, are in `schema`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension};

use super::{SUMMED, Summed, Tried, all, block_sums};
use crate::number::{NAMED, first_of};
use crate::study::Meta;
use crate::text::grapheme::beginning;
use crate::text::hash::Hashing;

/// The sum of a row. Each value is told from the next by its kind and length.
fn of_row<'v>(values: impl Iterator<Item = ValueRef<'v>>) -> i64 {
    let mut hashing = Hashing::default();
    let mut add = |kind: u8, bytes: &[u8]| {
        hashing.add(&[kind]);
        hashing.add(&(bytes.len() as u64).to_be_bytes());
        hashing.add(bytes);
    };
    for value in values {
        match value {
            ValueRef::Null => add(0, &[]),
            ValueRef::Integer(number) => add(1, &number.to_be_bytes()),
            ValueRef::Real(number) => add(2, &number.to_bits().to_be_bytes()),
            ValueRef::Text(bytes) => add(3, bytes),
            ValueRef::Blob(bytes) => add(4, bytes),
        }
    }
    let first = hashing.finish().0.first_chunk().copied();
    first.map_or(0, i64::from_be_bytes)
}

/// Gives SQLite the functions of the triggers: `event_sum`, and `with_row(sum, values …)`, which adds a row to a sum, or
/// takes out a row that the sum holds.
pub(crate) fn give_functions(connection: &Connection) -> rusqlite::Result<()> {
    block_sums::give_function(connection)?;
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        // A schema that is not trusted may call the function, which only adds up.
        | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function(c"with_row", -1, flags, |context| {
        Ok(context.get::<i64>(0)? ^ of_row((1..context.len()).map(|place| context.get_raw(place))))
    })
}

/// Computes the sums of a table's records, by number.
pub(crate) fn of(connection: &Connection, summed: &Summed) -> rusqlite::Result<BTreeMap<i64, i64>> {
    let columns = summed.columns("");
    let mut statement =
        connection.prepare(&format!("SELECT {}, {columns} FROM main.\"{}\"", summed.record, summed.table))?;
    let values = statement.column_count();
    let mut sums = BTreeMap::new();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let of_this = (1..values).map(|place| row.get_ref(place)).collect::<rusqlite::Result<Vec<_>>>()?;
        *sums.entry(row.get(0)?).or_insert(0) ^= of_row(of_this.into_iter());
    }
    Ok(sums)
}

/// Records that differ from their sums.
#[derive(Debug, Default)]
pub(crate) struct Altered {
    pub(crate) table: &'static str,
    /// The names by which people know the records; the number of one that is gone.
    pub(crate) records: Vec<String>,
}

impl Altered {
    /// The sentence, with this many records by name.
    pub(crate) fn told(&self, most: usize) -> String {
        format!("not as it was written: {} {}", self.table.replace('_', " "), first_of(&self.records, most))
    }
}

impl fmt::Display for Altered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.told(NAMED))
    }
}

/// Compares every record with its sum; returns how many records there are, and those that differ.
pub(crate) fn compare(connection: &Connection) -> Tried<(usize, Vec<Altered>)> {
    let (mut number, mut found) = (0, Vec::new());
    for summed in SUMMED {
        let SumsOf { now, then } = SumsOf::read(connection, summed)?;
        number += now.len();
        let differs = |record: &&i64| now.get(record) != then.get(record);
        let only_then = then.keys().filter(|record| !now.contains_key(record));
        let altered: Vec<i64> = now.keys().chain(only_then).filter(differs).copied().collect();
        if !altered.is_empty() {
            let records = names(connection, summed, &altered)?;
            found.push(Altered { table: summed.table, records });
        }
    }
    Ok((number, found))
}

/// The sums of a table's records, by number.
pub(crate) struct SumsOf {
    /// The sums of the records as they are now.
    pub(crate) now: BTreeMap<i64, i64>,
    /// The sums that were kept when the records were written.
    pub(crate) then: BTreeMap<i64, i64>,
}

impl SumsOf {
    pub(crate) fn read(connection: &Connection, summed: &Summed) -> Tried<SumsOf> {
        let kept = "SELECT record, sum FROM row_sum WHERE tbl = ?1";
        let then: Vec<(i64, i64)> = all(connection, kept, [summed.table])?;
        Ok(SumsOf { now: of(connection, summed)?, then: then.into_iter().collect() })
    }
}

/// The name by which people know a record; of one that is kept as JSON, what was decided and the keys.
fn known_as(name: &str) -> Cow<'_, str> {
    /// The most graphemes of a name that is no JSON.
    const MOST: usize = 60;
    let Ok(record) = serde_json::from_str::<Meta>(name) else { return beginning(name, MOST) };
    let parts = ["act", "of", "collection", "query", "id"].into_iter();
    let parts: Vec<&str> = parts.filter_map(|part| record.get(part)?.as_str()).collect();
    Cow::Owned(parts.join(" "))
}

/// The names by which people know these records.
pub(crate) fn names(connection: &Connection, summed: &Summed, records: &[i64]) -> Tried<Vec<String>> {
    let Summed { table, record, name, .. } = summed;
    let mut find = connection
        .prepare(&format!("SELECT CAST({name} AS BLOB) FROM main.\"{table}\" WHERE {record} = ?1 LIMIT 1"))?;
    let mut names = Vec::with_capacity(records.len());
    for record in records {
        let name: Option<Option<Vec<u8>>> = find.query_row([record], |row| row.get(0)).optional()?;
        names.push(match name.flatten() {
            Some(name) => format!("{:?}", known_as(&String::from_utf8_lossy(&name))),
            None => format!("number {record}"),
        });
    }
    Ok(names)
}
