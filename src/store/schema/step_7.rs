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

use super::step_8::HANDED_OUT;

/// The tables whose rows are shared, each behind those that it refers to, and whether its rows are named by writer and number.
pub(in crate::store) const SHARED: [(&str, bool); 16] = [
    ("annotator", false),
    ("collection", false),
    ("document", false),
    ("query", false),
    ("unit", false),
    ("candidate", false),
    ("protocol_version", false),
    ("guideline", false),
    ("import", false),
    ("session", false),
    ("event", true),
    ("session_event", true),
    ("imported", false),
    ("assignment_event", true),
    ("view_event", true),
    (HANDED_OUT, false),
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
    for (table, is_sequenced) in SHARED.into_iter().filter(|(table, _)| *table != HANDED_OUT) {
        connection.execute_batch(&waits(table, is_sequenced))?;
    }
    Ok(())
}

pub(super) fn waits(table: &str, is_sequenced: bool) -> String {
    let row = if is_sequenced { "new.writer, new.seq" } else { "0, new.id" };
    format!(
        "CREATE TRIGGER {table}_waits AFTER INSERT ON {table} WHEN (SELECT takes FROM hub) = 0
             BEGIN INSERT OR IGNORE INTO hub_waits VALUES ('{table}', {row}); END;"
    )
}

/// The trigger on imported judgments. In a study without a hub it is taken away while many come in, within
/// their transaction: it would take as long for each row as the row itself.
#[derive(Default)]
pub(in crate::store) struct ImportTrigger {
    /// Whether it is away, once that was asked for.
    is_away: Option<bool>,
}

impl ImportTrigger {
    /// Takes it away, where nothing waits for a hub.
    pub(in crate::store) fn leave(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        if self.is_away.is_some() {
            return Ok(());
        }
        let is_away = connection.query_row("SELECT NOT EXISTS (SELECT 1 FROM hub)", [], |row| row.get(0))?;
        if is_away {
            connection.execute_batch("DROP TRIGGER imported_waits")?;
        }
        self.is_away = Some(is_away);
        Ok(())
    }

    /// Puts it back.
    pub(in crate::store) fn come_back(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        match self.is_away.take() {
            Some(true) => connection.execute_batch(&waits("imported", false)),
            _ => Ok(()),
        }
    }
}
