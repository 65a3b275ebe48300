//! Indexes of some of a table's rows: SQLite's own check finds a row that they lack, but none too many.

use rusqlite::Connection;

use super::{Tried, all, one};

/// The first index of some rows of a table that has more or fewer of them than the table; of all tables where none is named.
pub(crate) fn unlike_its_table(connection: &Connection, table: Option<&str>) -> Tried<Option<String>> {
    let select = "SELECT name, tbl_name, substr(sql, instr(sql, ' WHERE ')) FROM sqlite_schema
         WHERE type = 'index' AND instr(sql, ' WHERE ') AND tbl_name = ifnull(?1, tbl_name)";
    // Opening admits no file with other indexes than those of a study.
    let indexes: Vec<(String, String, String)> = all(connection, select, [table])?;
    for (index, of, rows) in indexes {
        let count = |way: &str| -> Tried<i64> {
            one(connection, &format!("SELECT count(*) FROM {of} {way} {rows}"), [])
        };
        let (by_index, by_row) = (count(&format!("INDEXED BY {index}"))?, count("NOT INDEXED")?);
        if by_index != by_row {
            return Ok(Some(format!("the index {index} has {by_index} rows, and {of} has {by_row} of them")));
        }
    }
    Ok(None)
}
