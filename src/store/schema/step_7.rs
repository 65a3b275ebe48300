//! The step to format 7: a study remembers its hub, and what of it waits to be there.
//!
//! - `hub` has a row where the study has a hub: how it is reached, who this file's member is there, and how far what it
//!   holds has come in: the position and the mark (`received`) of the last of it.
//! - `hub_waits` names what is in the file and has not come back from the hub: rows of the journal by writer and number,
//!   others by their own number. Triggers write it, so whoever brings something in, a key or a merge, need not know of hubs.
//!   `hub.takes` is 1 in the transactions that take in what the hub gave.
//! - `hub_held` keeps what came from the hub and could not be taken in yet, with the reason.
//!
//! None of them goes along in a merge, a split or an export.

use rusqlite::Connection;

/// Tables whose rows are named by writer and number.
pub(in crate::store) const SEQUENCED: [&str; 4] =
    ["event", "session_event", "assignment_event", "view_event"];

/// Other tables with rows to share, each behind those that it refers to.
pub(in crate::store) const NUMBERED: [&str; 11] = [
    "annotator",
    "collection",
    "document",
    "query",
    "unit",
    "candidate",
    "protocol_version",
    "guideline",
    "session",
    "import",
    "imported",
];

const TABLES: &str = "
CREATE TABLE hub (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  address TEXT NOT NULL,
  study BLOB NOT NULL CHECK (length(study) = 16),
  member TEXT NOT NULL,
  kind TEXT NOT NULL,
  secret BLOB,
  pos INTEGER NOT NULL,
  received INTEGER NOT NULL,
  takes INTEGER NOT NULL CHECK (takes BETWEEN 0 AND 1)
) STRICT;
CREATE TABLE hub_waits (
  what TEXT NOT NULL,
  writer INTEGER NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (what, writer, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE hub_held (
  pos INTEGER PRIMARY KEY,
  why TEXT NOT NULL,
  thing BLOB NOT NULL
) STRICT;
";

pub(super) fn add_hub(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    let sequenced = SEQUENCED.map(|table| (table, "new.writer, new.seq"));
    let numbered = NUMBERED.map(|table| (table, "0, new.id"));
    for (table, row) in sequenced.into_iter().chain(numbered) {
        connection.execute_batch(&waits(table, row))?;
    }
    Ok(())
}

fn waits(table: &str, row: &str) -> String {
    format!(
        "CREATE TRIGGER {table}_waits AFTER INSERT ON {table} WHEN (SELECT takes FROM hub) = 0
             BEGIN INSERT OR IGNORE INTO hub_waits VALUES ('{table}', {row}); END;"
    )
}

/// In a study without a hub, takes the trigger of imported judgments away until [`watch_imported`], in the same transaction:
/// for each row it would take as long as the row itself. Tells whether it did.
pub(in crate::store) fn leave_imported(connection: &Connection) -> rusqlite::Result<bool> {
    let has_hub: bool = connection.query_row("SELECT EXISTS (SELECT 1 FROM hub)", [], |row| row.get(0))?;
    if !has_hub {
        connection.execute_batch("DROP TRIGGER imported_waits")?;
    }
    Ok(!has_hub)
}

/// Puts the trigger back.
pub(in crate::store) fn watch_imported(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&waits("imported", "0, new.id"))
}
