//! The journal in the study file: reading, folding and appending events.

use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

use rusqlite::{CachedStatement, Connection, Row, params};
use serde_json::Value;

use super::imported::{self, Imported, ImportedRow};
use super::phrases::Phrases;
use crate::error::Result;
use crate::journal::{Event, EventId, Happening, Standing, Writer, fold};
use crate::protocol::{Answers, Protocol};
use crate::store::corpus::counting::Counting;
use crate::store::corpus::protocols::{self, Versions};
use crate::store::file::fault::Tried;
use crate::store::file::sql::{VersionId, all, one};
use crate::store::file::study_file::StudyFile;
use crate::store::journal::revise::RevisedTexts;
use crate::study::{AnnotatorId, ItemId};
use crate::text::hash::Fingerprint;

impl StudyFile {
    /// Every event of one annotator on one item, in the order in which they count.
    pub fn events(&self, annotator: AnnotatorId, item: ItemId) -> Result<Vec<Event>> {
        self.read(|connection| {
            let mut events = Log::prepare(connection)?.events(annotator, item)?;
            events.sort_by_key(Event::order);
            Ok(events)
        })
    }
}

/// The statements that read and append events.
pub(in crate::store) struct Log<'c> {
    insert: CachedStatement<'c>,
    of_item: CachedStatement<'c>,
    imported: Imported<'c>,
    versions: Versions,
    counting: Rc<Counting>,
    revised: RevisedTexts<'c>,
}

/// The annotator, the item and the version of an event.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) struct Subject {
    pub(in crate::store) annotator: AnnotatorId,
    pub(in crate::store) item: ItemId,
    pub(in crate::store) version: VersionId,
}

const EVENT_COLUMNS: &str = "e.writer, e.seq, e.kind, e.body, e.at, e.active, v.hash, e.texts";

impl<'c> Log<'c> {
    pub(in crate::store) fn prepare(connection: &'c Connection) -> Tried<Log<'c>> {
        Ok(Log {
            insert: connection.prepare_cached(
                "INSERT INTO event (writer, seq, kind, annotator, item, protocol, body, at, active, texts)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
                 ON CONFLICT (writer, seq) DO NOTHING",
            )?,
            of_item: connection.prepare_cached(&format!(
                "SELECT {EVENT_COLUMNS} FROM event e INDEXED BY event_of_item
                 JOIN protocol_version v ON v.id = e.protocol
                 WHERE e.annotator = ?1 AND e.item = ?2",
            ))?,
            imported: Imported::prepare(connection)?,
            versions: protocols::versions(connection)?,
            counting: Rc::new(Counting::read(connection)?),
            revised: RevisedTexts::prepare(connection)?,
        })
    }

    /// The annotators and writers that count, as read when the log was prepared.
    pub(in crate::store) fn counting(&self) -> &Rc<Counting> {
        &self.counting
    }

    /// The standing of an annotator on an item.
    pub(in crate::store) fn standing(
        &mut self,
        annotator: AnnotatorId,
        item: ItemId,
        held: Option<&Protocol>,
    ) -> Tried<Standing> {
        let events = self.events(annotator, item)?;
        Ok(self.fold(item, &events, held))
    }

    /// Reads the versions again, after some have come in.
    pub(super) fn read_versions(&mut self, connection: &Connection) -> Tried<()> {
        self.versions = protocols::versions(connection)?;
        Ok(())
    }

    /// Folds the events on an item, which were read with this log. `held` is a version that the caller has at hand; others are
    /// parsed where they occur.
    pub(in crate::store) fn fold(&self, item: ItemId, events: &[Event], held: Option<&Protocol>) -> Standing {
        on_texts(self.revised.known(item), self.fold_alone(events, held))
    }

    /// Folds events as [`Log::fold`] does, without comparing their texts with the current ones.
    pub(super) fn fold_alone(&self, events: &[Event], held: Option<&Protocol>) -> Standing {
        let is_held = |version| held.filter(|held| held.hash == version);
        let other = |version| is_held(version).or_else(|| self.versions.protocol(version));
        fold(events, |version| self.versions.later(version).or_else(|| other(version)))
    }

    /// Appends an event as a row of `event`; `false` where it is in the journal already.
    pub(in crate::store) fn append(&mut self, subject: Subject, event: &Event) -> Tried<bool> {
        let body = event.happening.body().to_string();
        let appended = self.insert.execute(params![
            event.id.writer.0,
            event.id.seq,
            event.happening.kind(),
            subject.annotator.0,
            subject.item.0,
            subject.version.0,
            body,
            event.at,
            event.active,
            event.texts.0,
        ])?;
        Ok(appended == 1)
    }

    /// Appends the events of an imported judgment, ascending by number; returns those that the journal did not have.
    /// `is_new` says that it has none of the writer's numbers from the first of these on.
    pub(super) fn append_judgment(
        &mut self,
        subject: Subject,
        events: Vec<Event>,
        is_new: bool,
    ) -> Tried<Vec<Event>> {
        self.imported.append(subject, events, is_new)
    }

    /// Whether there is any event of this annotator, under any of her names, on this item.
    pub(super) fn has_any(&mut self, annotator: AnnotatorId, item: ItemId) -> Tried<bool> {
        for name in self.counting.names(annotator) {
            if self.of_item.exists(params![name, item])? || self.imported.has_any(name, item)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The phrases of the file.
    pub(in crate::store) fn phrases(&mut self) -> &mut Phrases<'c> {
        &mut self.imported.phrases
    }

    /// The number that an import's writer has in this file.
    pub(in crate::store) fn writer_of(
        &mut self,
        connection: &Connection,
        writer: Writer,
    ) -> Tried<Option<i64>> {
        self.imported.writers.find(connection, writer)
    }

    /// The number of an import's writer, made where there is none.
    pub(super) fn keep_writer(&mut self, connection: &Connection, writer: Writer) -> Tried<i64> {
        self.imported.writers.keep(connection, writer)
    }

    /// The texts for a row of `imported`: `None` where they are those of the item.
    pub(in crate::store) fn own_texts(
        &mut self,
        item: ItemId,
        texts: Fingerprint,
    ) -> Tried<Option<Fingerprint>> {
        self.imported.own_texts(item, texts)
    }

    /// Unpacks the answers of a row of `standing`.
    pub(in crate::store) fn unpacked(&mut self, answers: Option<&[u8]>) -> Tried<Answers> {
        let mut found = Answers::new();
        for (_, phrase) in imported::said(&mut self.imported.phrases, answers.unwrap_or_default())? {
            if let Happening::Answer { question, answer } = phrase.happening() {
                found.insert(question.clone(), answer.clone());
            }
        }
        Ok(found)
    }

    /// Looks up whether the texts of an item were revised, for [`Log::fold`].
    pub(super) fn know_revised(&mut self, item: ItemId) -> Tried<()> {
        self.revised.of(item).map(|_| ())
    }

    /// Notes the texts that a new item keeps.
    pub(super) fn know_texts(&mut self, item: ItemId, texts: Fingerprint) {
        self.imported.know_texts(item, texts);
    }

    /// All events of one annotator, under any of her names, on one item, in no order. Events of withdrawn imports are left out.
    pub(in crate::store) fn events(&mut self, annotator: AnnotatorId, item: ItemId) -> Tried<Vec<Event>> {
        self.revised.of(item)?;
        let (versions, counting) = (&self.versions, &self.counting);
        let mut events: Vec<Event> = Vec::new();
        for name in counting.names(annotator) {
            let made = self.of_item.query_map(params![name, item], |row| read_event(row, versions))?;
            for event in made {
                events.push(event?);
            }
            self.imported.events(name, item, versions, &mut events)?;
        }
        events.retain(|event| counting.has_writer(event.id.writer));
        Ok(events)
    }
}

impl Log<'_> {
    /// Turns a verdict under an earlier version whose answers stand into one under the current version.
    pub(super) fn in_words_of_now(&self, mut event: Event) -> Event {
        if let Some(protocol) = self.versions.later(event.protocol)
            && let Some(number) = protocol.earlier_version(event.protocol)
            && let Happening::Adjudicate(verdict) = &mut event.happening
        {
            verdict.answers = protocol.answers_now(number, &verdict.answers);
            event.protocol = protocol.hash;
        }
        event
    }

    /// The events as [`Log::events`] has them, without verdicts on texts that were revised since: they settle nothing any more.
    pub(super) fn events_with_verdicts(&mut self, annotator: AnnotatorId, item: ItemId) -> Tried<Vec<Event>> {
        let mut events = self.events(annotator, item)?;
        if let Some(now) = self.revised.known(item) {
            let is_verdict = |event: &Event| matches!(event.happening, Happening::Adjudicate(_));
            events.retain(|event| event.texts == now || !is_verdict(event));
        }
        Ok(events)
    }
}

/// Marks a standing as outdated where the texts of the item are others now; `now` is given where they were ever revised.
fn on_texts(now: Option<Fingerprint>, standing: Standing) -> Standing {
    let given_on = standing.judged_under.map(|(_, texts)| texts);
    let is_outdated = now.zip(given_on).is_some_and(|(now, given_on)| now != given_on);
    Standing { is_outdated, ..standing }
}

/// Reads the columns of [`EVENT_COLUMNS`].
fn read_event(row: &Row<'_>, versions: &Versions) -> rusqlite::Result<Event> {
    let kind = row.get_ref(2)?.as_str()?;
    let body = row.get_ref(3)?.as_str()?;
    // A body that cannot be read is kept and ignored, like one of a newer program.
    let body = serde_json::from_str(body).unwrap_or_else(|_| Value::from(body));
    Ok(Event {
        id: EventId { writer: row.get(0)?, seq: row.get(1)? },
        happening: Happening::read(kind, body),
        at: row.get(4)?,
        active: row.get(5)?,
        protocol: versions.counted_as(Fingerprint(row.get(6)?)),
        texts: Fingerprint(row.get(7)?),
    })
}

/// The events of one annotator on one item.
pub(super) struct PairEvents<'p> {
    pub(in crate::store) annotator: AnnotatorId,
    pub(in crate::store) item: ItemId,
    made: &'p [Event],
    brought: &'p [ImportedRow],
}

/// Reads events in bulk.
pub(super) struct LogReading<'c> {
    imported: Imported<'c>,
    pub(in crate::store) versions: Rc<Versions>,
    events: Vec<Event>,
    revised: RevisedTexts<'c>,
}

impl<'c> LogReading<'c> {
    /// Whether a text of the item was ever revised.
    pub(in crate::store) fn is_revised(&mut self, item: ItemId) -> Tried<bool> {
        Ok(self.revised.of(item)?.is_some())
    }

    /// The events of a pair, in no order.
    pub(in crate::store) fn events(&mut self, pair: &PairEvents<'_>) -> Tried<&[Event]> {
        self.events.clear();
        self.events.extend_from_slice(pair.made);
        for row in pair.brought {
            self.imported.unpack(row, &self.versions, &mut self.events)?;
        }
        Ok(&self.events)
    }

    /// The standing of a pair.
    pub(in crate::store) fn standing(&mut self, pair: &PairEvents<'_>) -> Tried<Standing> {
        self.events(pair)?;
        let versions = &self.versions;
        let standing =
            fold(&self.events, |version| versions.later(version).or_else(|| versions.protocol(version)));
        Ok(on_texts(self.revised.of(pair.item)?, standing))
    }
}

impl PairEvents<'_> {
    /// The one row of an import, where the pair has nothing else.
    pub(super) fn only_import(&self) -> Option<&ImportedRow> {
        match (self.made, self.brought) {
            ([], [row]) => Some(row),
            _ => None,
        }
    }
}

/// Hands over every pair of annotator and item that has events and counts, in this order; the pairs of one annotator where
/// one is given, which works only in studies that were never amended. People with several names come last.
pub(super) fn for_each_pair<'c>(
    connection: &'c Connection,
    whose: Option<AnnotatorId>,
    mut take: impl FnMut(&mut LogReading<'c>, &PairEvents<'_>) -> Tried<()>,
) -> Tried<()> {
    let versions = Rc::new(protocols::versions(connection)?);
    let mut reading = LogReading {
        imported: Imported::prepare(connection)?,
        versions: Rc::clone(&versions),
        events: Vec::new(),
        revised: RevisedTexts::prepare(connection)?,
    };
    let counting = Counting::read(connection)?;
    let out: HashSet<ItemId> =
        all(connection, "SELECT id FROM withdrawn WHERE what = 'item'", [], |row| row.get(0))?;
    let mut made = connection.prepare(&format!(
        "SELECT {EVENT_COLUMNS}, e.annotator, e.item FROM event e INDEXED BY event_of_item
         JOIN protocol_version v ON v.id = e.protocol
         WHERE {} ORDER BY e.annotator, e.item",
        if whose.is_some() { "e.annotator = ?1" } else { "?1 IS NULL" }
    ))?;
    let made = made.query_map([whose], |row| {
        Ok(((AnnotatorId(row.get(8)?), ItemId(row.get(9)?)), read_event(row, &versions)?))
    })?;
    let mut brought = connection.prepare(&imported::in_order(whose))?;
    let brought = brought.query_map([whose], ImportedRow::read)?;
    let (mut made, mut brought) = (made.peekable(), brought.peekable());
    let (mut events, mut rows) = (Vec::new(), Vec::new());
    loop {
        let of_event = made.peek().and_then(|event| event.as_ref().ok()).map(|(pair, _)| *pair);
        let of_import = brought.peek().and_then(|row| row.as_ref().ok()).map(|row| (row.annotator, row.item));
        let next = [of_event, of_import].into_iter().flatten().min();
        events.clear();
        rows.clear();
        while let Some(event) =
            made.next_if(|event| event.as_ref().map_or(true, |(pair, _)| Some(*pair) == next))
        {
            let (_, event) = event?;
            if counting.has_writer(event.id.writer) {
                events.push(event);
            }
        }
        while let Some(row) =
            brought.next_if(|row| row.as_ref().map_or(true, |row| Some((row.annotator, row.item)) == next))
        {
            let row = row?;
            if counting.has_writer(reading.imported.writer_of(&row)?) {
                rows.push(row);
            }
        }
        let Some((annotator, item)) = next else {
            break;
        };
        let counts = counting.has(annotator) && !counting.is_joined(annotator) && !out.contains(&item);
        if counts && !(events.is_empty() && rows.is_empty()) {
            take(&mut reading, &PairEvents { annotator, item, made: &events, brought: &rows })?;
        }
    }
    let joined = counting.joined_people();
    if joined.is_empty() {
        return Ok(());
    }
    let mut log = Log::prepare(connection)?;
    for annotator in joined.into_iter().filter(|person| counting.has(*person)) {
        let mut items: BTreeSet<ItemId> = BTreeSet::new();
        for name in counting.names(annotator) {
            let of_name = "SELECT item FROM event WHERE annotator = ?1 UNION SELECT item FROM imported WHERE annotator = ?1";
            let of_this: Vec<ItemId> = all(connection, of_name, [name], |row| row.get(0))?;
            items.extend(of_this);
        }
        for item in items.into_iter().filter(|item| !out.contains(item)) {
            let made = log.events(annotator, item)?;
            if !made.is_empty() {
                take(&mut reading, &PairEvents { annotator, item, made: &made, brought: &[] })?;
            }
        }
    }
    Ok(())
}

/// Whether the journal of judgments holds any event.
pub(in crate::store) fn has_events(connection: &Connection) -> Tried<bool> {
    one(connection, "SELECT EXISTS (SELECT 1 FROM event) OR EXISTS (SELECT 1 FROM imported)", [], |row| {
        row.get(0)
    })
}
