//! The acts on items: packing the events of an act into one row of `act`, and unpacking them.

use std::collections::BTreeSet;
use std::rc::Rc;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params};

use super::phrases::lost;
use super::{PackedPart, Phrase, Phrases, packed};
use crate::journal::{ADJUDICATE, Event, EventId, Happening, Writer};
use crate::store::corpus::Versions;
use crate::store::file::{Bulk, Tried, VersionId, block_sums, change, first};
use crate::study::{AnnotatorId, ItemId};
use crate::text::fast::FastMap;
use crate::text::hash::Fingerprint;

/// The numbers of the events of a row are less than this apart.
pub(crate) const SPAN: i64 = 256;
/// Numbers of events are below 2 to this power.
pub(crate) const BITS: u32 = 40;
/// The bits of an act's number that are the number of its first event; the bits above are the number of the writer.
pub(crate) const NUMBERS: i64 = (1 << BITS) - 1;

/// The annotator, the item and the version of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Subject {
    pub(crate) annotator: AnnotatorId,
    pub(crate) item: ItemId,
    pub(crate) version: VersionId,
}

/// The kind of an act, by which SQL looks acts up without unpacking them: `kind > 1` was done in haymark. It follows from the
/// writer and the events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ActKind {
    /// A judgment that a file brought.
    Imported = 0,
    /// A verdict that a file brought.
    ImportedVerdict = 1,
    /// A verdict of a person.
    Verdict = 2,
    /// A step of a person with an answer in it.
    Answer = 3,
    /// Any other step of a person.
    Step = 4,
}

/// The kind of [`Happening::Answer`] in the study file.
pub(crate) const ANSWER: &str = "answer";

impl FromSql for ActKind {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<ActKind> {
        let all =
            [ActKind::Imported, ActKind::ImportedVerdict, ActKind::Verdict, ActKind::Answer, ActKind::Step];
        let number = i64::column_result(value)?;
        all.into_iter().find(|kind| *kind as i64 == number).ok_or(FromSqlError::OutOfRange(number))
    }
}

impl ActKind {
    /// The kind of an act of a writer with events of these kinds.
    pub(crate) fn of<'k>(writer: Writer, kinds: impl Iterator<Item = &'k str>) -> ActKind {
        let [mut is_verdict, mut is_answer] = [false; 2];
        for kind in kinds {
            is_verdict |= kind == ADJUDICATE;
            is_answer |= kind == ANSWER;
        }
        match (writer.0 > 0, is_verdict) {
            (false, false) => ActKind::Imported,
            (false, true) => ActKind::ImportedVerdict,
            (true, true) => ActKind::Verdict,
            (true, false) if is_answer => ActKind::Answer,
            (true, false) => ActKind::Step,
        }
    }
}

const FROM: &str = "FROM act x INDEXED BY act_of_item
     JOIN protocol_version v ON v.id = x.protocol JOIN item i ON i.id = x.item";

/// The statement that reads acts by annotator and item: all rows, or those of the annotator ?1 where one is given.
pub(super) fn in_order(whose: Option<AnnotatorId>) -> String {
    let whose = if whose.is_some() { "x.annotator = ?1" } else { "?1 IS NULL" };
    format!("SELECT {COLUMNS} {FROM} WHERE {whose} ORDER BY x.annotator, x.item")
}

const COLUMNS: &str =
    "x.id, x.annotator, x.item, x.at, x.active, v.hash, coalesce(x.texts, i.texts), x.body, x.kind = 0";

/// A row of `act`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ActRow {
    id: i64,
    pub(crate) annotator: AnnotatorId,
    pub(crate) item: ItemId,
    pub(crate) at: Option<i64>,
    pub(crate) active: i64,
    pub(crate) protocol: Fingerprint,
    texts: Fingerprint,
    pub(crate) body: Vec<u8>,
    pub(crate) is_imported: bool,
}

impl ActRow {
    /// Reads [`COLUMNS`].
    pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<ActRow> {
        Ok(ActRow {
            id: row.get(0)?,
            annotator: row.get(1)?,
            item: row.get(2)?,
            at: row.get(3)?,
            active: row.get(4)?,
            protocol: row.get(5)?,
            texts: row.get::<_, Option<_>>(6)?.unwrap_or_default(),
            body: row.get_ref(7)?.as_blob()?.to_vec(),
            is_imported: row.get(8)?,
        })
    }
}

/// A row to be written into `act`, with a body or the source of one.
pub(crate) struct WaitingAct<B> {
    pub(crate) id: i64,
    /// Annotator, item and version of the protocol.
    pub(crate) about: [i64; 3],
    pub(crate) kind: ActKind,
    pub(crate) at: Option<i64>,
    pub(crate) active: i64,
    /// The texts, where they differ from those of the item.
    pub(crate) texts: Option<Fingerprint>,
    pub(crate) body: B,
}

/// Writes rows of `act`, many at a time.
pub(crate) struct ActWriter<'c> {
    connection: &'c Connection,
    rows: Bulk<'c>,
}

impl<'c> ActWriter<'c> {
    pub(crate) fn prepare(connection: &'c Connection) -> Tried<ActWriter<'c>> {
        let insert = "INSERT INTO act (id, annotator, item, protocol, at, active, texts, body, kind) VALUES";
        Ok(ActWriter { connection, rows: Bulk::prepare(connection, insert, 9, "")? })
    }

    pub(crate) fn write<'r, B>(
        &mut self,
        rows: &'r [WaitingAct<B>],
        body: impl Fn(&'r B) -> &'r Vec<u8>,
    ) -> Tried<()> {
        self.rows.write(rows, |statement, from, row| {
            statement.raw_bind_parameter(from, row.id)?;
            for (place, about) in row.about.iter().enumerate() {
                statement.raw_bind_parameter(from + 1 + place, about)?;
            }
            statement.raw_bind_parameter(from + 4, row.at)?;
            statement.raw_bind_parameter(from + 5, row.active)?;
            statement.raw_bind_parameter(from + 6, row.texts)?;
            statement.raw_bind_parameter(from + 7, body(&row.body))?;
            statement.raw_bind_parameter(from + 8, row.kind as i64)
        })?;
        block_sums::add_acts(self.connection, rows, body)
    }
}

/// The writer for a number whose own writer is lost: made from the number, so that no other writer is the same.
pub(crate) fn lost_writer(number: i64) -> Writer {
    Writer(i64::MIN | number)
}

/// The short numbers of writers in this file.
#[derive(Default)]
pub(crate) struct Writers {
    numbers: FastMap<Writer, i64>,
    writers: FastMap<i64, Writer>,
}

impl Writers {
    pub(crate) fn of(&mut self, connection: &Connection, number: i64) -> Tried<Writer> {
        if let Some(writer) = self.writers.get(&number) {
            return Ok(*writer);
        }
        let found = first(connection, "SELECT key FROM writer WHERE no = ?1", [number])?;
        let writer = found.unwrap_or_else(|| lost_writer(number));
        self.writers.insert(number, writer);
        Ok(writer)
    }

    /// Whether the file has the writer of a number.
    pub(crate) fn is_named(&mut self, connection: &Connection, number: i64) -> Tried<bool> {
        let writer = self.of(connection, number)?;
        Ok(self.find(connection, writer)? == Some(number))
    }

    /// The number of a writer, if it has one.
    pub(crate) fn find(&mut self, connection: &Connection, writer: Writer) -> Tried<Option<i64>> {
        if let Some(number) = self.numbers.get(&writer) {
            return Ok(Some(*number));
        }
        let number: Option<i64> = first(connection, "SELECT no FROM writer WHERE key = ?1", [writer])?;
        if let Some(number) = number {
            self.numbers.insert(writer, number);
        }
        Ok(number)
    }

    /// The number of a writer, made where there is none.
    pub(crate) fn keep(&mut self, connection: &Connection, writer: Writer) -> Tried<i64> {
        if let Some(number) = self.find(connection, writer)? {
            return Ok(number);
        }
        change(connection, "INSERT INTO writer (key) VALUES (?1)", [writer])?;
        let number = connection.last_insert_rowid();
        self.numbers.insert(writer, number);
        Ok(number)
    }
}

/// The statements that read and append acts.
pub(crate) struct Acts<'c> {
    connection: &'c Connection,
    pub(crate) phrases: Phrases<'c>,
    pub(crate) writers: Writers,
    of_pair: CachedStatement<'c>,
    near: CachedStatement<'c>,
    texts_of: CachedStatement<'c>,
    keep_texts: CachedStatement<'c>,
    /// The fingerprints of texts that items keep.
    texts: FastMap<ItemId, Fingerprint>,
}

impl<'c> Acts<'c> {
    pub(crate) fn prepare(connection: &'c Connection) -> Tried<Acts<'c>> {
        Ok(Acts {
            connection,
            phrases: Phrases::prepare(connection)?,
            writers: Writers::default(),
            of_pair: connection
                .prepare_cached(&format!("SELECT {COLUMNS} {FROM} WHERE x.annotator = ?1 AND x.item = ?2"))?,
            near: connection.prepare_cached("SELECT id, body FROM act WHERE id BETWEEN ?1 AND ?2")?,
            texts_of: connection.prepare_cached("SELECT texts FROM item WHERE id = ?1")?,
            keep_texts: connection.prepare_cached("UPDATE item SET texts = ?2 WHERE id = ?1")?,
            texts: FastMap::default(),
        })
    }

    /// Adds the events of one annotator on one item, in no order.
    pub(crate) fn events(
        &mut self,
        annotator: AnnotatorId,
        item: ItemId,
        versions: &Versions,
        events: &mut Vec<Event>,
    ) -> Tried<()> {
        for row in self.rows(annotator, item)? {
            self.unpack(&row, versions, events)?;
        }
        Ok(())
    }

    /// The acts of one annotator on one item.
    pub(super) fn rows(&mut self, annotator: AnnotatorId, item: ItemId) -> Tried<Vec<ActRow>> {
        let rows = self.of_pair.query_map(params![annotator, item], ActRow::read)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Adds the events of a row.
    pub(super) fn unpack(&mut self, row: &ActRow, versions: &Versions, events: &mut Vec<Event>) -> Tried<()> {
        let writer = self.writers.of(self.connection, row.id >> BITS)?;
        let mut active = row.active;
        for (seq, part) in numbered(row.id, &row.body) {
            let happening = match part {
                Some(part) => self.phrases.of(&part)?.happening().clone(),
                None => lost(),
            };
            events.push(Event {
                id: EventId { writer, seq },
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
    pub(crate) fn writer_of(&mut self, row: &ActRow) -> Tried<Writer> {
        self.writers.of(self.connection, row.id >> BITS)
    }

    /// Whether there are events of one annotator on one item.
    pub(super) fn has_any(&mut self, annotator: AnnotatorId, item: ItemId) -> Tried<bool> {
        Ok(self.of_pair.exists(params![annotator, item])?)
    }

    /// The numbers of events near `first` to `last` that the writer of this number has used.
    pub(crate) fn numbers_of(&mut self, writer: i64, first: i64, last: i64) -> Tried<BTreeSet<i64>> {
        let low = (first - SPAN).max(0);
        let mut rows = self.near.query(params![writer << BITS | low, writer << BITS | last])?;
        let mut numbers = BTreeSet::new();
        while let Some(row) = rows.next()? {
            numbers.extend(numbered(row.get(0)?, row.get_ref(1)?.as_blob()?).map(|(number, _)| number));
        }
        Ok(numbers)
    }

    /// Whether an event is there.
    pub(crate) fn has(&mut self, event: EventId) -> Tried<bool> {
        let Some(writer) = self.writers.find(self.connection, event.writer)? else { return Ok(false) };
        Ok(self.numbers_of(writer, event.seq, event.seq)?.contains(&event.seq))
    }

    /// Appends the events of one writer on one subject that are not there, ascending by number, and returns them. `is_new` says
    /// that none of them can be there.
    pub(crate) fn append(
        &mut self,
        subject: Subject,
        mut events: Vec<Event>,
        is_new: bool,
    ) -> Tried<Vec<Event>> {
        let (Some(one), Some(last)) = (events.first(), events.last()) else { return Ok(events) };
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
        let Some(first) = events.first() else { return Ok(()) };
        let Subject { annotator, item, version } = subject;
        let kind = ActKind::of(first.id.writer, events.iter().map(|event| event.happening.kind()));
        let row = WaitingAct {
            id: writer << BITS | first.id.seq,
            about: [annotator.0, item.0, version.0],
            kind,
            at: first.at,
            active: first.active,
            texts: self.own_texts(item, first.texts, kind)?,
            body: self.phrases.pack(events)?,
        };
        ActWriter::prepare(self.connection)?.write(&[row], |body| body)
    }

    /// Notes the texts that a new item keeps.
    pub(super) fn know_texts(&mut self, item: ItemId, texts: Fingerprint) {
        self.texts.insert(item, texts);
    }

    /// The texts for a row: `None` where they are those of the item. To an item without texts an import gives them; an answer
    /// on a screen keeps them in its own row, so that no second row is written.
    pub(crate) fn own_texts(
        &mut self,
        item: ItemId,
        texts: Fingerprint,
        kind: ActKind,
    ) -> Tried<Option<Fingerprint>> {
        let kept = match self.texts.get(&item) {
            Some(kept) => *kept,
            None => {
                // In a damaged file the item may be lost.
                let kept: Option<Option<Fingerprint>> =
                    self.texts_of.query_row([item], |row| row.get(0)).optional()?;
                let kept = kept.flatten();
                if kept.is_none() && kind != ActKind::Imported {
                    return Ok(Some(texts));
                }
                if kept.is_none() {
                    self.keep_texts.execute(params![item, texts])?;
                }
                *self.texts.entry(item).or_insert(kept.unwrap_or(texts))
            }
        };
        Ok(Some(texts).filter(|texts| *texts != kept))
    }
}

/// Hands over the phrases of every step that was done in haymark under a protocol, with annotator and item.
pub(super) fn each_step(
    connection: &Connection,
    protocol_name: &str,
    mut take: impl FnMut((AnnotatorId, ItemId), &Phrase),
) -> Tried<()> {
    let mut phrases = Phrases::prepare(connection)?;
    let mut statement = connection.prepare_cached(
        "SELECT coalesce(j.person, x.annotator), x.item, x.body FROM act x INDEXED BY act_made_here
         JOIN item i ON i.id = x.item JOIN protocol p ON p.id = i.protocol
         LEFT JOIN joined j ON j.annotator = x.annotator WHERE x.kind > 1 AND p.name = ?1",
    )?;
    let mut rows = statement.query([protocol_name])?;
    while let Some(row) = rows.next()? {
        for (_, phrase) in said(&mut phrases, row.get_ref(2)?.as_blob()?)? {
            take((row.get(0)?, row.get(1)?), &phrase);
        }
    }
    Ok(())
}

/// Whether two events may share a row. The active time of an act is that of its first event. A verdict is a row of its own,
/// since only a lead sends one to a hub.
fn goes_on(one: &Event, next: &Event) -> bool {
    let is_verdict = |event: &Event| matches!(event.happening, Happening::Adjudicate(_));
    next.active == 0
        && (one.at, one.protocol, one.texts) == (next.at, next.protocol, next.texts)
        && is_verdict(one) == is_verdict(next)
}

/// The packed events of the row of this number, each with its number; `None` in the place of one that cannot be read.
pub(crate) fn numbered(row: i64, body: &[u8]) -> impl Iterator<Item = (i64, Option<PackedPart<'_>>)> {
    packed::parts(body).scan(row & NUMBERS, |number, part| {
        *number = number.saturating_add(part.map_or(0, |part| part.gap));
        Some((*number, part))
    })
}

/// The phrases of a row, each with its gap.
pub(crate) fn said(phrases: &mut Phrases<'_>, body: &[u8]) -> Tried<Vec<(i64, Rc<Phrase>)>> {
    let mut said = Vec::new();
    for part in packed::parts(body).flatten() {
        said.push((part.gap, phrases.of(&part)?));
    }
    Ok(said)
}
