//! The rows that wait for the hub: triggers note them, so no import or merge needs to know of hubs.

use rusqlite::Connection;

/// The tables whose rows are shared, each after those that it refers to, and whether its rows are named by writer and number.
pub(crate) const SHARED: [(&str, bool); 17] = [
    ("annotator", false),
    ("collection", false),
    ("document", false),
    ("query", false),
    ("unit", false),
    ("candidate", false),
    (RANKING, false),
    ("protocol_version", false),
    ("guideline", false),
    ("import", false),
    ("session", false),
    ("act", false),
    ("session_event", true),
    ("assignment_event", true),
    ("view_event", true),
    ("handed_out", false),
    (AMENDMENT, false),
];

pub(crate) const AMENDMENT: &str = "amendment";
pub(crate) const RANKING: &str = "ranking";

pub(super) fn add(connection: &Connection) -> rusqlite::Result<()> {
    SHARED.iter().try_for_each(|(table, is_sequenced)| connection.execute_batch(&waits(table, *is_sequenced)))
}

fn waits(table: &str, is_sequenced: bool) -> String {
    let row = if is_sequenced { "new.writer, new.seq" } else { "0, new.id" };
    format!(
        "CREATE TRIGGER {table}_waits AFTER INSERT ON {table} WHEN (SELECT takes FROM hub) = 0
             BEGIN INSERT OR IGNORE INTO hub_waits VALUES ('{table}', {row}); END;"
    )
}

/// The trigger on acts. In a study without a hub it is dropped while many come in, within
/// their transaction: it would take as long for each row as the row itself.
#[derive(Default)]
pub(crate) struct ActTrigger {
    /// Whether the trigger is dropped; `None` before the first row.
    is_away: Option<bool>,
}

impl ActTrigger {
    /// Drops the trigger, in a study without a hub.
    pub(crate) fn leave(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        if self.is_away.is_some() {
            return Ok(());
        }
        let is_away =
            connection.query_row("SELECT NOT EXISTS (SELECT 1 FROM hub WHERE address <> '')", [], |row| {
                row.get(0)
            })?;
        if is_away {
            connection.execute_batch("DROP TRIGGER act_waits")?;
        }
        self.is_away = Some(is_away);
        Ok(())
    }

    /// Puts the trigger back.
    pub(crate) fn come_back(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        match self.is_away.take() {
            Some(true) => connection.execute_batch(&waits("act", false)),
            _ => Ok(()),
        }
    }
}
