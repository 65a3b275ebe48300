//! The step from format 8, which had two tables of acts: `event` with a row for each event, and `imported` with packed rows.

use rusqlite::Connection;

use crate::error::Error;
use crate::journal::{ADJUDICATE, Writer};
use crate::store::file::{Tried, all, all_by, block_sums};
use crate::store::journal::{ActKind, ActWriter, Acts, BITS, NUMBERS, PackedPart, SPAN, WaitingAct, packed};
use crate::study::ItemId;
use crate::text::hash::Fingerprint;

/// The tables that later formats do not have.
pub(super) const GONE: [&str; 2] = ["event", "imported"];

/// Moves the rows into new tables, by way of temporary ones. Foreign keys must be off.
pub(super) fn step(connection: &Connection) -> Tried<()> {
    let mut names: Vec<String> = all(connection, "SELECT name FROM sqlite_schema WHERE type = 'table'", [])?;
    names.retain(|name| super::is_ours(name) || GONE.contains(&name.as_str()));
    for name in &names {
        connection.execute_batch(&format!(
            "CREATE TEMP TABLE old_{name} AS SELECT * FROM main.{name}; DROP TABLE main.{name};"
        ))?;
    }
    super::make(connection)?;
    for name in names.iter().filter(|name| !GONE.contains(&name.as_str())) {
        let columns: Vec<String> =
            all(connection, "SELECT name FROM pragma_table_info(?1)", [format!("old_{name}")])?;
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

/// A row of `event`. Its contents stay as they are, also where nobody can read them.
struct OldEvent {
    /// Writer; annotator, item and version of the protocol; time; texts; whether it is a verdict.
    act: (Writer, [i64; 3], Option<i64>, Fingerprint, bool),
    active: i64,
    seq: i64,
    kind: String,
    body: String,
}

/// Packs the rows of `event`.
fn events(connection: &Connection) -> Tried<()> {
    let select = "SELECT writer, annotator, item, protocol, at, texts, kind = ?1, active, seq, kind, body
         FROM temp.old_event ORDER BY writer, seq";
    let events: Vec<OldEvent> = all_by(connection, select, [ADJUDICATE], |row| {
        let about = [row.get(1)?, row.get(2)?, row.get(3)?];
        let act = (row.get(0)?, about, row.get(4)?, row.get(5)?, row.get(6)?);
        Ok(OldEvent { act, active: row.get(7)?, seq: row.get(8)?, kind: row.get(9)?, body: row.get(10)? })
    })?;
    if let Some(OldEvent { act, seq, .. }) = events.iter().find(|event| !(1..=NUMBERS).contains(&event.seq)) {
        let error = Error::damaged(format!("writer {} has an event of the number {seq}", act.0));
        return Err(error.advise("go back to a copy").into());
    }
    let (mut acts, mut write) = (Acts::prepare(connection)?, ActWriter::prepare(connection)?);
    let mut rest = events.as_slice();
    while let Some(first) = rest.first() {
        let goes_on = |last: &OldEvent, next: &OldEvent| {
            next.active == 0 && last.act == next.act && next.seq - first.seq < SPAN
        };
        let together = rest.windows(2).take_while(|pair| matches!(pair, [last, next] if goes_on(last, next)));
        let (row, others) = rest.split_at(1 + together.count());
        let (mut body, mut last) = (packed::empty(), first.seq);
        for OldEvent { seq, kind, body: said, .. } in row {
            let gap = seq - std::mem::replace(&mut last, *seq);
            packed::push(&mut body, &PackedPart { gap, said: acts.phrases.said(kind, said)? });
        }
        let (writer, about, at, texts, _) = first.act;
        let kind = ActKind::of(writer, row.iter().map(|event| event.kind.as_str()));
        let texts = acts.own_texts(ItemId(about[1]), texts, kind)?;
        let id = acts.writers.keep(connection, writer)? << BITS | first.seq;
        write.write(&[WaitingAct { id, about, kind, at, active: first.active, texts, body }], |body| body)?;
        rest = others;
    }
    Ok(())
}
