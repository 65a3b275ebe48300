//! Compares the caches with those that a copy makes anew from the journal.

use rusqlite::types::Value;
use rusqlite::{Connection, Row};

use super::CheckReport;
use crate::store::file::read_only::copied;
use crate::store::file::{StudyFile, Tried};
use crate::store::journal::caches;

/// The caches: the table, how many of its first columns are the key, and words for its contents.
const CACHES: [(&str, usize, &str); 5] = [
    ("withdrawn", 2, "what does not count"),
    ("joined", 1, "who is who"),
    ("standing", 2, "where annotators stand on items, and their answers"),
    ("queue", 3, "marks in the annotators' queues"),
    ("progress", 2, "counts of what is done"),
];

pub(super) fn look_at(study: &StudyFile, report: &mut CheckReport) -> Tried<()> {
    let (_folder, copy) = copied(&study.connection)?;
    // Temporary tables go to the disk: this takes some seconds, and memory is better kept for screens.
    copy.execute_batch("PRAGMA temp_store = FILE; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF;")?;
    let transaction = copy.unchecked_transaction()?;
    caches::rebuild(&transaction)?;
    let before = report.findings.len();
    for (table, keys, what) in CACHES {
        let other = differences(&study.connection, &transaction, table, keys)?;
        let what = format!("that the journal does not give: {what}");
        let advice = "`haymark check STUDY --rebuild` derives them anew";
        report.wrong_ones("derived", (other, "row"), what, advice);
    }
    if report.findings.len() == before {
        report.right("derived", "answers, marks and counts are what the journal gives");
    }
    Ok(())
}

/// Counts rows that differ between two files. The tables are walked side by side, in the order of their keys.
fn differences(ours: &Connection, theirs: &Connection, table: &str, keys: usize) -> Tried<usize> {
    let order: Vec<String> = (1..=keys).map(|column| column.to_string()).collect();
    let select = format!("SELECT * FROM main.\"{table}\" ORDER BY {}", order.join(", "));
    let (mut ours, mut theirs) = (ours.prepare(&select)?, theirs.prepare(&select)?);
    let columns = ours.column_count();
    let row =
        |row: &Row<'_>| (0..columns).map(|column| row.get(column)).collect::<rusqlite::Result<Vec<Value>>>();
    let (mut ours, mut theirs) = (ours.query_map([], row)?.peekable(), theirs.query_map([], row)?.peekable());
    let key = |row: &Vec<Value>| -> Vec<(i64, String)> {
        let part = |value: &Value| match value {
            Value::Integer(number) => (*number, String::new()),
            Value::Text(text) => (i64::MAX, text.clone()),
            _ => (i64::MAX, String::new()),
        };
        row.iter().take(keys).map(part).collect()
    };
    let (mut only_ours, mut only_theirs) = (0, 0);
    loop {
        let one = ours.peek().and_then(|row| row.as_ref().ok()).map(key);
        let other = theirs.peek().and_then(|row| row.as_ref().ok()).map(key);
        let (takes_ours, takes_theirs) = match (one, other) {
            (Some(one), Some(other)) => (one <= other, other <= one),
            // One table has ended, or a row cannot be read.
            _ => (ours.peek().is_some(), theirs.peek().is_some()),
        };
        let one = if takes_ours { ours.next().transpose()? } else { None };
        let other = if takes_theirs { theirs.next().transpose()? } else { None };
        match (one, other) {
            (None, None) => return Ok(only_ours.max(only_theirs)),
            (one, other) if one == other => {}
            (one, other) => {
                only_ours += usize::from(one.is_some());
                only_theirs += usize::from(other.is_some());
            }
        }
    }
}
