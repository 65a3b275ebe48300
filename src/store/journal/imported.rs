//! The journal of imports: packing the events of a judgment into one row of `imported`, and unpacking them.

use std::collections::BTreeSet;
use std::rc::Rc;

use rusqlite::{CachedStatement, Connection, Row, params};

use super::log::Subject;
use super::packed;
use super::phrases::{Phrase, Phrases, lost};
use crate::journal::{Event, EventId, Writer};
use crate::store::corpus::protocols::Versions;
use crate::store::file::block_sums::{self, ImportedValues};
use crate::store::file::bulk::Bulk;
use crate::store::file::fault::Tried;
use crate::store::file::sql::{change, first};
use crate::study::{AnnotatorId, ItemId};
use crate::text::fast::FastMap;
use crate::text::hash::Fingerprint;

/// The numbers of the events of a row are less than this apart.
pub(in crate::store) const SPAN: i64 = 256;
/// Numbers of events are below 2 to this power.
pub(in crate::store) const BITS: u32 = 40;
/// The numbers of a writer's events that fit beside the number of the writer.
const NUMBERS: i64 = (1 << BITS) - 1;

const FROM: &str = "FROM imported x INDEXED BY imported_of_item
     JOIN protocol_version v ON v.id = x.protocol JOIN item i ON i.id = x.item";

/// The statement that reads `imported` by annotator and item: all rows, or those of the annotator ?1 where one is given.
pub(super) fn in_order(whose: Option<AnnotatorId>) -> String {
    let whose = if whose.is_some() { "x.annotator = ?1" } else { "?1 IS NULL" };
    format!("SELECT {COLUMNS} {FROM} WHERE {whose} ORDER BY x.annotator, x.item")
}

const COLUMNS: &str = "x.id, x.annotator, x.item, x.at, x.active, v.hash, coalesce(x.texts, i.texts), x.body";

/// A row of `imported`.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::store) struct ImportedRow {
    id: i64,
    pub(in crate::store) annotator: AnnotatorId,
    pub(in crate::store) item: ItemId,
    pub(in crate::store) at: Option<i64>,
    pub(in crate::store) active: i64,
    pub(in crate::store) protocol: Fingerprint,
    texts: Fingerprint,
    pub(in crate::store) body: Vec<u8>,
}

impl ImportedRow {
    /// Reads [`COLUMNS`].
    pub(in crate::store) fn read(row: &Row<'_>) -> rusqlite::Result<ImportedRow> {
        let texts: Option<[u8; 16]> = row.get(6)?;
        Ok(ImportedRow {
            id: row.get(0)?,
            annotator: row.get(1)?,
            item: row.get(2)?,
            at: row.get(3)?,
            active: row.get(4)?,
            protocol: Fingerprint(row.get(5)?),
            texts: Fingerprint(texts.unwrap_or_default()),
            body: row.get_ref(7)?.as_blob()?.to_vec(),
        })
    }
}

/// A row to be written into `imported`, with a body or the source of one.
pub(in crate::store) struct WaitingImported<B> {
    pub(in crate::store) id: i64,
    /// Annotator, item and version of the protocol.
    pub(in crate::store) about: [i64; 3],
    pub(in crate::store) at: Option<i64>,
    pub(in crate::store) active: i64,
    /// The texts, where they differ from those of the item.
    pub(in crate::store) texts: Option<Fingerprint>,
    pub(in crate::store) body: B,
}

/// Writes rows of `imported`, many at a time.
pub(in crate::store) struct ImportedWriter<'c> {
    connection: &'c Connection,
    rows: Bulk<'c>,
}

impl<'c> ImportedWriter<'c> {
    pub(in crate::store) fn prepare(connection: &'c Connection) -> Tried<ImportedWriter<'c>> {
        let insert = "INSERT INTO imported (id, annotator, item, protocol, at, active, texts, body) VALUES";
        Ok(ImportedWriter { connection, rows: Bulk::prepare(connection, insert, 8, "")? })
    }

    pub(in crate::store) fn write<'r, B>(
        &mut self,
        rows: &'r [WaitingImported<B>],
        body: impl Fn(&'r B) -> &'r Vec<u8>,
    ) -> Tried<()> {
        self.rows.write(rows, |statement, from, row| {
            statement.raw_bind_parameter(from, row.id)?;
            for (place, about) in row.about.iter().enumerate() {
                statement.raw_bind_parameter(from + 1 + place, about)?;
            }
            statement.raw_bind_parameter(from + 4, row.at)?;
            statement.raw_bind_parameter(from + 5, row.active)?;
            statement.raw_bind_parameter(from + 6, row.texts.map(|texts| texts.0))?;
            statement.raw_bind_parameter(from + 7, body(&row.body))
        })?;
        let values = rows.iter().map(|row| ImportedValues {
            id: row.id,
            about: row.about,
            at: row.at,
            active: row.active,
            texts: row.texts.as_ref().map(|texts| &texts.0[..]),
            body: body(&row.body),
        });
        block_sums::add_imported(self.connection, values)
    }
}

/// The writer for a number whose own writer is lost: made from the number, so that no other writer is the same.
pub(in crate::store) fn lost_writer(number: i64) -> Writer {
    Writer(i64::MIN | number)
}

/// The short numbers of writers in this file.
#[derive(Default)]
pub(in crate::store) struct Writers {
    numbers: FastMap<Writer, i64>,
    writers: FastMap<i64, Writer>,
}

impl Writers {
    fn of(&mut self, connection: &Connection, number: i64) -> Tried<Writer> {
        if let Some(writer) = self.writers.get(&number) {
            return Ok(*writer);
        }
        let found = first(connection, "SELECT key FROM writer WHERE no = ?1", [number], |row| row.get(0))?;
        let writer = found.unwrap_or_else(|| lost_writer(number));
        self.writers.insert(number, writer);
        Ok(writer)
    }

    /// Whether the file has the writer of a number.
    pub(in crate::store) fn is_named(&mut self, connection: &Connection, number: i64) -> Tried<bool> {
        let writer = self.of(connection, number)?;
        Ok(self.find(connection, writer)? == Some(number))
    }

    /// The number of a writer, if it has one.
    pub(in crate::store) fn find(&mut self, connection: &Connection, writer: Writer) -> Tried<Option<i64>> {
        if let Some(number) = self.numbers.get(&writer) {
            return Ok(Some(*number));
        }
        let number: Option<i64> =
            first(connection, "SELECT no FROM writer WHERE key = ?1", [writer], |row| row.get(0))?;
        if let Some(number) = number {
            self.numbers.insert(writer, number);
        }
        Ok(number)
    }

    /// The number of a writer, made where there is none.
    pub(in crate::store) fn keep(&mut self, connection: &Connection, writer: Writer) -> Tried<i64> {
        if let Some(number) = self.find(connection, writer)? {
            return Ok(number);
        }
        change(connection, "INSERT INTO writer (key) VALUES (?1)", [writer])?;
        let number = connection.last_insert_rowid();
        self.numbers.insert(writer, number);
        Ok(number)
    }
}

/// The statements that read and append imported events.
pub(in crate::store) struct Imported<'c> {
    connection: &'c Connection,
    pub(in crate::store) phrases: Phrases<'c>,
    pub(in crate::store) writers: Writers,
    of_pair: CachedStatement<'c>,
    near: CachedStatement<'c>,
    texts_of: CachedStatement<'c>,
    keep_texts: CachedStatement<'c>,
    /// The fingerprints of texts that items keep.
    texts: FastMap<ItemId, Fingerprint>,
}

impl<'c> Imported<'c> {
    pub(in crate::store) fn prepare(connection: &'c Connection) -> Tried<Imported<'c>> {
        Ok(Imported {
            connection,
            phrases: Phrases::prepare(connection)?,
            writers: Writers::default(),
            of_pair: connection
                .prepare_cached(&format!("SELECT {COLUMNS} {FROM} WHERE x.annotator = ?1 AND x.item = ?2"))?,
            near: connection.prepare_cached("SELECT id, body FROM imported WHERE id BETWEEN ?1 AND ?2")?,
            texts_of: connection.prepare_cached("SELECT texts FROM item WHERE id = ?1")?,
            keep_texts: connection.prepare_cached("UPDATE item SET texts = ?2 WHERE id = ?1")?,
            texts: FastMap::default(),
        })
    }

    /// Adds the events of one annotator on one item, in no order.
    pub(in crate::store) fn events(
        &mut self,
        annotator: AnnotatorId,
        item: ItemId,
        versions: &Versions,
        events: &mut Vec<Event>,
    ) -> Tried<()> {
        let rows = self.of_pair.query_map(params![annotator, item], ImportedRow::read)?;
        for row in rows.collect::<rusqlite::Result<Vec<ImportedRow>>>()? {
            self.unpack(&row, versions, events)?;
        }
        Ok(())
    }

    /// Adds the events of a row.
    pub(super) fn unpack(
        &mut self,
        row: &ImportedRow,
        versions: &Versions,
        events: &mut Vec<Event>,
    ) -> Tried<()> {
        let writer = self.writers.of(self.connection, row.id >> BITS)?;
        let mut active = row.active;
        let mut id = EventId { writer, seq: row.id & NUMBERS };
        for part in packed::parts(&row.body) {
            id.seq = id.seq.saturating_add(part.map_or(0, |part| part.gap));
            let happening = match part {
                Some(part) => self.phrases.of(&part)?.happening().clone(),
                None => lost(),
            };
            events.push(Event {
                id,
                happening,
                at: row.at,
                active: std::mem::take(&mut active),
                protocol: versions.counted_as(row.protocol),
                texts: row.texts,
            });
        }
        Ok(())
    }

    /// The writer of a row.
    pub(in crate::store) fn writer_of(&mut self, row: &ImportedRow) -> Tried<Writer> {
        self.writers.of(self.connection, row.id >> BITS)
    }

    /// Whether there are imported events of one annotator on one item.
    pub(super) fn has_any(&mut self, annotator: AnnotatorId, item: ItemId) -> Tried<bool> {
        Ok(self.of_pair.exists(params![annotator, item])?)
    }

    /// The numbers of events near `first` to `last` that the writer of this number has used.
    pub(in crate::store) fn numbers_of(
        &mut self,
        writer: i64,
        first: i64,
        last: i64,
    ) -> Tried<BTreeSet<i64>> {
        let low = (first - SPAN).max(0);
        let mut rows = self.near.query(params![writer << BITS | low, writer << BITS | last])?;
        let mut numbers = BTreeSet::new();
        while let Some(row) = rows.next()? {
            let mut number = row.get::<_, i64>(0)? & NUMBERS;
            for part in packed::parts(row.get_ref(1)?.as_blob()?).flatten() {
                number = number.saturating_add(part.gap);
                numbers.insert(number);
            }
        }
        Ok(numbers)
    }

    /// Whether an event of an import is there.
    pub(in crate::store) fn has(&mut self, event: EventId) -> Tried<bool> {
        let Some(writer) = self.writers.find(self.connection, event.writer)? else {
            return Ok(false);
        };
        Ok(self.numbers_of(writer, event.seq, event.seq)?.contains(&event.seq))
    }

    /// Appends the events of one writer on one subject that are not there, ascending by number, and returns them. `is_new` says
    /// that none of them can be there.
    pub(in crate::store) fn append(
        &mut self,
        subject: Subject,
        mut events: Vec<Event>,
        is_new: bool,
    ) -> Tried<Vec<Event>> {
        let (Some(one), Some(last)) = (events.first(), events.last()) else {
            return Ok(events);
        };
        let writer = self.writers.keep(self.connection, one.id.writer)?;
        if !is_new {
            let known = self.numbers_of(writer, one.id.seq, last.id.seq)?;
            events.retain(|event| !known.contains(&event.id.seq));
        }
        let mut rest = events.as_slice();
        while let Some(first) = rest.first() {
            let is_near = |event: &Event| event.id.seq - first.id.seq < SPAN;
            let together = rest
                .windows(2)
                .take_while(|pair| matches!(pair, [one, next] if goes_on(one, next) && is_near(next)));
            let (row, others) = rest.split_at(1 + together.count());
            self.put(subject, writer, row)?;
            rest = others;
        }
        Ok(events)
    }

    fn put(&mut self, subject: Subject, writer: i64, events: &[Event]) -> Tried<()> {
        let Some(first) = events.first() else {
            return Ok(());
        };
        let Subject { annotator, item, version } = subject;
        let row = WaitingImported {
            id: writer << BITS | first.id.seq,
            about: [annotator.0, item.0, version.0],
            at: first.at,
            active: first.active,
            texts: self.own_texts(item, first.texts)?,
            body: self.phrases.pack(events)?,
        };
        ImportedWriter::prepare(self.connection)?.write(&[row], |body| body)
    }

    /// Notes the texts that a new item keeps.
    pub(super) fn know_texts(&mut self, item: ItemId, texts: Fingerprint) {
        self.texts.insert(item, texts);
    }

    /// The texts for a row: `None` where they are those of the item, which keeps the first ones.
    pub(in crate::store) fn own_texts(
        &mut self,
        item: ItemId,
        texts: Fingerprint,
    ) -> Tried<Option<Fingerprint>> {
        let kept = match self.texts.get(&item) {
            Some(kept) => *kept,
            None => {
                let kept: Option<[u8; 16]> = self.texts_of.query_row([item], |row| row.get(0))?;
                if kept.is_none() {
                    self.keep_texts.execute(params![item, texts.0])?;
                }
                *self.texts.entry(item).or_insert(kept.map_or(texts, Fingerprint))
            }
        };
        Ok(Some(texts).filter(|texts| *texts != kept))
    }
}

/// Whether two events may share a row. The active time of a judgment is that of its first event.
fn goes_on(one: &Event, next: &Event) -> bool {
    next.active == 0 && (one.at, one.protocol, one.texts) == (next.at, next.protocol, next.texts)
}

/// The phrases of a row, each with its gap.
pub(in crate::store) fn said(phrases: &mut Phrases<'_>, body: &[u8]) -> Tried<Vec<(i64, Rc<Phrase>)>> {
    let mut said = Vec::new();
    for part in packed::parts(body).flatten() {
        said.push((part.gap, phrases.of(&part)?));
    }
    Ok(said)
}
