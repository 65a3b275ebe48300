//! The journal in the study file: how one event lies in its row.

use std::collections::HashMap;
use std::rc::Rc;

use rusqlite::{CachedStatement, Connection, Row, params};
use serde_json::Value;

use super::caches::AnswerTexts;
use super::fault::Tried;
use super::protocols::{self, VersionId, Versions};
use super::study_file::StudyFile;
use crate::error::Result;
use crate::journal::{Event, EventId, Happening, Standing, fold};
use crate::protocol::Protocol;
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
pub(super) struct Log<'c> {
    insert: CachedStatement<'c>,
    of_item: CachedStatement<'c>,
    /// Bodies of answers by question.
    bodies: HashMap<String, AnswerTexts>,
    versions: Versions,
}

/// Whose event it is, on what, under which stored version.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject {
    pub(super) annotator: AnnotatorId,
    pub(super) item: ItemId,
    pub(super) version: VersionId,
}

const EVENT_COLUMNS: &str = "e.writer, e.seq, e.kind, e.body, e.at, e.active, v.hash, e.texts";

impl<'c> Log<'c> {
    pub(super) fn prepare(connection: &'c Connection) -> Tried<Log<'c>> {
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
            bodies: HashMap::new(),
            versions: protocols::versions(connection)?,
        })
    }

    /// Where an annotator stands on an item.
    pub(super) fn standing(
        &mut self,
        annotator: AnnotatorId,
        item: ItemId,
        held: Option<&Protocol>,
    ) -> Tried<Standing> {
        let events = self.events(annotator, item)?;
        Ok(self.fold(&events, held))
    }

    /// Looks for versions that have come in since.
    pub(super) fn read_versions(&mut self, connection: &Connection) -> Tried<()> {
        self.versions = protocols::versions(connection)?;
        Ok(())
    }

    /// Where the annotator of these events stands. `held` is a version that the caller has at hand: others are
    /// read where they are met.
    pub(super) fn fold(&self, events: &[Event], held: Option<&Protocol>) -> Standing {
        let is_held = |version| held.filter(|held| held.hash == version);
        fold(events, |version| is_held(version).or_else(|| self.versions.protocol(version)))
    }

    /// Appends an event; `false` when it is in the journal already.
    pub(super) fn append(&mut self, subject: Subject, event: &Event) -> Tried<bool> {
        let body = self.body(&event.happening);
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

    fn body(&mut self, happening: &Happening) -> Rc<str> {
        let made = || happening.body().to_string();
        let Happening::Answer { question, answer } = happening else {
            return made().into();
        };
        if let Some(texts) = self.bodies.get_mut(question) {
            return texts.get(answer, |_| made());
        }
        self.bodies.entry(question.clone()).or_default().get(answer, |_| made())
    }

    /// All events of one annotator on one item, in no order.
    pub(super) fn events(&mut self, annotator: AnnotatorId, item: ItemId) -> Tried<Vec<Event>> {
        let versions = &self.versions;
        let events = self.of_item.query_map(params![annotator, item], |row| read_event(row, versions))?;
        Ok(events.collect::<rusqlite::Result<_>>()?)
    }
}

/// Reads the columns of [`EVENT_COLUMNS`].
fn read_event(row: &Row<'_>, versions: &Versions) -> rusqlite::Result<Event> {
    let kind = row.get_ref(2)?.as_str()?;
    let body = row.get_ref(3)?.as_str()?;
    // What cannot be read is kept and ignored, like what a newer program wrote.
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

/// Hands over the events of every (annotator, item) that has any, one pair at a time, with the versions that they
/// were made under.
pub(super) fn for_each_pair(
    connection: &Connection,
    mut take: impl FnMut(AnnotatorId, ItemId, &[Event], &Versions) -> Tried<()>,
) -> Tried<()> {
    let versions = protocols::versions(connection)?;
    let mut statement = connection.prepare(&format!(
        "SELECT {EVENT_COLUMNS}, e.annotator, e.item FROM event e INDEXED BY event_of_item
         JOIN protocol_version v ON v.id = e.protocol
         ORDER BY e.annotator, e.item"
    ))?;
    let mut rows = statement.query([])?;
    let mut pair = None;
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        let next = (row.get(8)?, row.get(9)?);
        if let Some((annotator, item)) = pair.replace(next).filter(|before| *before != next) {
            take(annotator, item, &events, &versions)?;
            events.clear();
        }
        events.push(read_event(row, &versions)?);
    }
    match pair {
        Some((annotator, item)) => take(annotator, item, &events, &versions),
        None => Ok(()),
    }
}
