//! The step from format 8, which had two tables of acts: `event` with a row for each event, and `imported` with packed rows.

use rusqlite::Connection;

use crate::journal::{Event, EventId, Happening};
use crate::store::file::block_sums;
use crate::store::file::fault::Tried;
use crate::store::file::sql::{VersionId, all};
use crate::store::journal::acts::{Acts, Subject};
use crate::study::{AnnotatorId, ItemId};
use crate::text::hash::Fingerprint;

/// The tables that are there no more.
pub(super) const GONE: [&str; 2] = ["event", "imported"];

/// Moves the rows into new tables, by way of temporary ones. Foreign keys must be off.
pub(super) fn step(connection: &Connection) -> Tried<()> {
    let mut names: Vec<String> =
        all(connection, "SELECT name FROM sqlite_schema WHERE type = 'table'", [], |row| row.get(0))?;
    names.retain(|name| super::is_ours(name) || GONE.contains(&name.as_str()));
    for name in &names {
        connection.execute_batch(&format!(
            "CREATE TEMP TABLE old_{name} AS SELECT * FROM main.{name}; DROP TABLE main.{name};"
        ))?;
    }
    super::make(connection)?;
    for name in names.iter().filter(|name| !GONE.contains(&name.as_str())) {
        let columns: Vec<String> =
            all(connection, "SELECT name FROM pragma_table_info(?1)", [format!("old_{name}")], |row| {
                row.get(0)
            })?;
        let columns = columns.join(", ");
        connection.execute_batch(&format!(
            "INSERT OR REPLACE INTO main.{name} ({columns}) SELECT {columns} FROM temp.old_{name}"
        ))?;
    }
    // With a hub, triggers note that every act waits for it.
    connection.execute_batch(
        "INSERT INTO act (id, annotator, item, kind, protocol, at, active, texts, body)
           SELECT id, annotator, item, 0, protocol, at, active, texts, body FROM temp.old_imported ORDER BY id;
         DELETE FROM hub_waits WHERE what IN ('event', 'imported');",
    )?;
    events(connection)?;
    connection.execute_batch("DELETE FROM block_sum")?;
    block_sums::make(connection)?;
    names.iter().try_for_each(|name| Ok(connection.execute_batch(&format!("DROP TABLE temp.old_{name}"))?))
}

/// Packs the rows of `event`.
fn events(connection: &Connection) -> Tried<()> {
    let mut acts = Acts::prepare(connection)?;
    let mut statement = connection.prepare(
        "SELECT e.writer, e.seq, e.kind, e.body, e.at, e.active, v.hash, e.texts, e.annotator, e.item, v.id
         FROM temp.old_event e JOIN protocol_version v ON v.id = e.protocol ORDER BY e.writer, e.seq",
    )?;
    let events = statement.query_map([], |row| {
        let [annotator, item, version] = [row.get(8)?, row.get(9)?, row.get(10)?];
        let subject =
            Subject { annotator: AnnotatorId(annotator), item: ItemId(item), version: VersionId(version) };
        let body = row.get_ref(3)?.as_str()?;
        let event = Event {
            id: EventId { writer: row.get(0)?, seq: row.get(1)? },
            happening: Happening::read(
                row.get_ref(2)?.as_str()?,
                serde_json::from_str(body).unwrap_or_else(|_| body.into()),
            ),
            at: row.get(4)?,
            active: row.get(5)?,
            protocol: Fingerprint(row.get(6)?),
            texts: Fingerprint(row.get(7)?),
        };
        Ok((subject, event))
    })?;
    let events: Vec<(Subject, Event)> = events.collect::<rusqlite::Result<_>>()?;
    let goes_on = |one: &(Subject, Event), next: &(Subject, Event)| {
        one.0 == next.0 && one.1.id.writer == next.1.id.writer
    };
    for together in events.chunk_by(goes_on) {
        if let [(subject, _), ..] = together {
            acts.append(*subject, together.iter().map(|(_, event)| event.clone()).collect(), true)?;
        }
    }
    Ok(())
}
