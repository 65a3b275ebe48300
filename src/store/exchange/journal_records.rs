//! The journal as records, exported from a study and taken into another one. A row keeps its name, so taking in an export is
//! a merge: each row comes in once, from whichever file and in whichever order.

use std::collections::HashMap;

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde_json::Value;

use super::hub::body::{begun, push, push_number};
use super::hub::{FromFile, Home, KnownRows, NOBODY, Taker, act_event, push_item};
use super::merge::journal::JournalTable;
use crate::error::{Error, Result};
use crate::hub::SentEvent;
use crate::journal::Writer;
use crate::store::corpus::{Counting, StudyKeys, Target};
use crate::store::file::{FromRow, ProtocolId, StudyFile, Tried, all, all_by};
use crate::store::journal::{ActKind, BITS, NUMBERS, Phrases, numbered};
use crate::study::{AnnotatorId, ItemId, ItemKey, JournalPart, JournalRecord};
use crate::text::hash::{Fingerprint, fingerprint};

impl StudyFile {
    /// Hands over the rows of the journal that count: by protocol, in the order of [`StudyFile::for_each_judgment`], so that the
    /// next file has protocols in this order too, then by writer and number. Sessions are records of their own.
    pub fn for_each_journal_record(&self, take: impl FnMut(JournalRecord) -> Result<()>) -> Result<()> {
        self.hand_over(take, |connection, take| {
            let rows = RowsOut::prepare(connection)?;
            for (protocol, _) in self.protocols_in_order(connection)? {
                rows.acts(protocol, false, take)?;
                rows.acts(protocol, true, take)?;
                rows.assigned(protocol, take)?;
            }
            views(connection, take)
        })
    }
}

type TakeRecord<'t> = &'t mut dyn FnMut(JournalRecord) -> Result<()>;

/// The names in all files of the rows of this file that count.
struct RowsOut<'c> {
    connection: &'c Connection,
    annotators: HashMap<AnnotatorId, String>,
    items: HashMap<ItemId, JournalRecord>,
    versions: HashMap<i64, String>,
    counting: Counting,
}

impl<'c> RowsOut<'c> {
    fn prepare(connection: &'c Connection) -> Tried<RowsOut<'c>> {
        let counting = Counting::read(connection)?;
        let names: Vec<(AnnotatorId, String)> = all(connection, "SELECT id, key FROM annotator", [])?;
        let keys = StudyKeys::read(connection)?;
        let items: Vec<(ItemId, JournalRecord)> = all_by(
            connection,
            "SELECT i.query, i.document, i.candidate, i.unit, i.bullet, i.other, i.id, p.name, i.aside FROM item i
             JOIN protocol p ON p.id = i.protocol
             WHERE i.id NOT IN (SELECT id FROM withdrawn WHERE what = 'item')",
            [],
            |row| {
                let (protocol, aside) = (Some(row.get(7)?), row.get(8)?);
                let named = JournalRecord { protocol, aside, ..JournalRecord::default() };
                Ok((row.get(6)?, named.on(keys.of_target(&Target::from_row(row)?))))
            },
        )?;
        let versions: Vec<(i64, Fingerprint)> = all(connection, "SELECT id, hash FROM protocol_version", [])?;
        Ok(RowsOut {
            connection,
            annotators: names.into_iter().filter(|(id, _)| counting.has(counting.person(*id))).collect(),
            items: items.into_iter().collect(),
            versions: versions.into_iter().map(|(id, hash)| (id, hash.to_string())).collect(),
            counting,
        })
    }

    /// A record of this writer, annotator and item, without its events; `None` where they do not count.
    fn row(&self, writer: Writer, (annotator, item): (AnnotatorId, ItemId)) -> Option<JournalRecord> {
        let name = self.annotators.get(&annotator)?;
        let item = self.items.get(&item).filter(|_| self.counting.has_writer(writer))?;
        Some(JournalRecord { writer: writer.to_string(), annotator: Some(name.clone()), ..item.clone() })
    }

    fn version(&self, id: i64) -> Option<String> {
        self.versions.get(&id).cloned()
    }

    /// Hands over the acts: those that are judgments of imports, or the others.
    fn acts(&self, protocol: ProtocolId, are_imported: bool, take: TakeRecord<'_>) -> Tried<()> {
        let writers = match are_imported {
            true => "SELECT no, key FROM writer WHERE key < 0 ORDER BY key",
            false => {
                "SELECT no, key FROM writer WHERE no IN (SELECT id >> 40 FROM act WHERE kind > 1
                   UNION SELECT id >> 40 FROM act WHERE kind BETWEEN 1 AND 2) ORDER BY key"
            }
        };
        let writers: Vec<(i64, Writer)> = all(self.connection, writers, [])?;
        let mut statement = self.connection.prepare(
            "SELECT x.id, x.annotator, x.item, x.protocol, x.at, x.active, coalesce(x.texts, i.texts), x.body
             FROM act x CROSS JOIN item i ON i.id = x.item
             WHERE x.id BETWEEN ?1 AND ?2 AND i.protocol = ?3 AND (x.kind = 0) = ?4 ORDER BY x.id",
        )?;
        let mut phrases = Phrases::prepare(self.connection)?;
        for (number, writer) in writers {
            let mut rows =
                statement.query((number << BITS, number << BITS | NUMBERS, protocol.0, are_imported))?;
            while let Some(row) = rows.next()? {
                let Some(named) = self.row(writer, (row.get(1)?, row.get(2)?)) else { continue };
                let mut events = Vec::new();
                for (seq, part) in numbered(row.get(0)?, row.get_ref(7)?.as_blob()?) {
                    if let Some(part) = part {
                        let phrase = phrases.of(&part)?;
                        events.push((seq, phrase.kind.clone(), json(&phrase.body)));
                    }
                }
                let texts: Option<Fingerprint> = row.get(6)?;
                let texts = Some(texts.unwrap_or_default().to_string());
                let (at, active) = (row.get(4)?, row.get(5)?);
                take(JournalRecord {
                    version: self.version(row.get(3)?),
                    at,
                    active,
                    texts,
                    events,
                    ..named
                })?;
            }
        }
        Ok(())
    }

    /// Hands over the assignments.
    fn assigned(&self, protocol: ProtocolId, take: TakeRecord<'_>) -> Tried<()> {
        let mut statement = self.connection.prepare(
            "SELECT a.writer, a.seq, a.kind, a.body, a.at, a.annotator, a.item FROM assignment_event a
             JOIN item i ON i.id = a.item WHERE i.protocol = ?1 ORDER BY a.writer, a.seq",
        )?;
        let mut rows = statement.query([protocol.0])?;
        while let Some(row) = rows.next()? {
            let Some(named) = self.row(row.get(0)?, (row.get(5)?, row.get(6)?)) else { continue };
            let events = vec![(row.get(1)?, row.get(2)?, json(row.get_ref(3)?.as_str()?))];
            take(JournalRecord { of: JournalPart::Assigning, at: row.get(4)?, events, ..named })?;
        }
        Ok(())
    }
}

fn views(connection: &Connection, take: TakeRecord<'_>) -> Tried<()> {
    let mut statement =
        connection.prepare("SELECT writer, seq, name, body, at FROM view_event ORDER BY writer, seq")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        // A view that was taken away has no body.
        let body = match row.get_ref(3)?.as_str()? {
            "" => Value::Null,
            body => json(body),
        };
        take(JournalRecord {
            of: JournalPart::Views,
            writer: row.get::<_, Writer>(0)?.to_string(),
            at: row.get(4)?,
            events: vec![(row.get(1)?, row.get(2)?, body)],
            ..JournalRecord::default()
        })?;
    }
    Ok(())
}

/// A stored body. One that cannot be read comes out as text.
fn json(body: &str) -> Value {
    serde_json::from_str(body).unwrap_or_else(|_| Value::from(body))
}

/// The home for taking records from a file.
static NO_HUB: Home = Home::NONE;

/// Takes in the journal of an export.
pub(super) struct JournalTaker<'c> {
    connection: &'c Connection,
    taker: Taker<'c>,
    news: JournalNews,
}

/// The annotators and items that rows of the journal came for.
#[derive(Default)]
pub(super) struct JournalNews {
    /// Whether the rows of a pair brought anything new.
    pairs: HashMap<Fingerprint, bool>,
    /// The same for everybody's rows of an item.
    items: HashMap<Fingerprint, bool>,
    /// The other names of people, by the name that counts.
    names: HashMap<String, Vec<String>>,
}

impl JournalNews {
    /// Whether the rows of this journal, person and item brought anything new; `None` where none came. Where the person goes by
    /// another name here than in the study that was exported, everybody's rows of the item are looked at.
    pub(crate) fn of(&self, of: JournalPart, person: &str, item: ItemKey) -> Option<bool> {
        if self.pairs.is_empty() {
            return None;
        }
        let others = self.names.get(person).into_iter().flatten().map(String::as_str);
        let names = std::iter::once(person).chain(others);
        names
            .filter_map(|name| self.pairs.get(&pair(of, name, item)).copied())
            .reduce(|one, other| one | other)
            .or_else(|| self.items.get(&about(of, item)).copied())
    }
}

fn pair(of: JournalPart, annotator: &str, item: ItemKey) -> Fingerprint {
    fingerprint([annotator, &about(of, item).to_string()])
}

fn about(of: JournalPart, item: ItemKey) -> Fingerprint {
    let of = if of == JournalPart::Assigning { "assigned" } else { "judged" };
    fingerprint([of, &item.to_string()])
}

impl<'c> JournalTaker<'c> {
    pub(crate) fn new(connection: &'c Connection) -> Tried<JournalTaker<'c>> {
        let taker = Taker::new(connection, &NO_HUB, KnownRows::default())?;
        Ok(JournalTaker { connection, taker, news: JournalNews::default() })
    }

    /// Takes in a record; returns whether any of its events is new. A record that cannot be read, refers to rows that the study
    /// does not have, or differs from the row of its name is an error.
    pub(crate) fn take(&mut self, new: &JournalRecord) -> Tried<bool> {
        let mut is_new = false;
        for event in self.sent(new)? {
            is_new |= match self.taker.take_from_file(&event)? {
                FromFile::Taken { is_new } => is_new,
                FromFile::Unknown(why) | FromFile::Refused(why) => {
                    return Err(Error::new(why).advise("bring in an export as haymark wrote it").into());
                }
            };
        }
        if let (Some(annotator), Some(protocol)) = (&new.annotator, &new.protocol) {
            let item = new.about().item_key_beside(protocol, new.aside);
            *self.news.pairs.entry(pair(new.of, annotator, item)).or_default() |= is_new;
            *self.news.items.entry(about(new.of, item)).or_default() |= is_new;
        }
        Ok(is_new)
    }

    /// Updates everything that follows from the journal.
    pub(crate) fn finish(mut self) -> Tried<JournalNews> {
        self.taker.finish(false)?;
        let joined: Vec<(String, String)> = all(
            self.connection,
            "SELECT p.key, a.key FROM joined j JOIN annotator a ON a.id = j.annotator
             JOIN annotator p ON p.id = j.person",
            [],
        )?;
        for (person, name) in joined {
            self.news.names.entry(person).or_default().push(name);
        }
        Ok(self.news)
    }

    /// The record as events of a hub: an act in one piece, all else event by event.
    fn sent(&self, new: &JournalRecord) -> Tried<Vec<SentEvent>> {
        let writer = new.writer.parse().ok().filter(|writer: &Writer| writer.0 != 0);
        let writer = writer.ok_or_else(|| {
            Error::new(format!("the writer {:?} is none", new.writer))
                .at_path("writer")
                .advise("give 16 hexadecimal digits")
        })?;
        let table = match new.of {
            JournalPart::Judging => return Ok(act(writer, new)?.into_iter().collect()),
            JournalPart::Assigning => "assignment_event",
            JournalPart::Views => "view_event",
        };
        let Some(table) = self.taker.tables.iter().find(|known| known.name == table) else {
            return Ok(Vec::new());
        };
        new.events.iter().map(|event| sequenced(table, writer, new, event)).collect()
    }
}

/// An act of a record; `None` for one without events.
fn act(writer: Writer, new: &JournalRecord) -> Tried<Option<SentEvent>> {
    let Some((first, ..)) = new.events.first() else { return Ok(None) };
    let mut body = item_names(new)?;
    push(&mut body, ValueRef::Blob(&print(&new.version, "version")?.0));
    push(&mut body, new.at.map_or(ValueRef::Null, ValueRef::Integer));
    push_number(&mut body, new.active);
    push(&mut body, ValueRef::Blob(&print(&new.texts, "texts")?.0));
    let mut last = *first;
    for (seq, kind, said) in &new.events {
        push_number(&mut body, seq.saturating_sub(last));
        push(&mut body, kind.as_str());
        push(&mut body, said.to_string().as_str());
        last = *seq;
    }
    let kind = ActKind::of(writer, new.events.iter().map(|(_, kind, _)| kind.as_str()));
    let event = act_event(writer, kind, sender(new), &body);
    Ok(Some(SentEvent { seq: *first, at: new.at, ..event }))
}

/// The annotator of a record.
fn sender(new: &JournalRecord) -> String {
    new.annotator.clone().unwrap_or_else(|| NOBODY.to_owned())
}

/// An event of a record as a row of its table.
fn sequenced(
    table: &JournalTable,
    writer: Writer,
    new: &JournalRecord,
    (seq, kind, said): &(i64, String, Value),
) -> Tried<SentEvent> {
    let mut body = begun(table.letter());
    for column in &table.columns {
        match (column.name.as_str(), column.refers_to.as_deref()) {
            ("writer" | "seq", _) | (_, Some("annotator")) => {}
            (_, Some("item")) => body.extend_from_slice(&item_names(new)?),
            ("kind" | "name", _) => push(&mut body, kind.as_str()),
            ("body", _) if said.is_null() && new.of == JournalPart::Views => push(&mut body, ""),
            ("body", _) => push(&mut body, said.to_string().as_str()),
            ("at", _) => push(&mut body, new.at.map_or(ValueRef::Null, ValueRef::Integer)),
            (other, _) => return Err(missing(other).into()),
        }
    }
    Ok(SentEvent {
        writer: writer.0,
        seq: *seq,
        annotator: sender(new),
        journal: table.letter(),
        at: new.at,
        item: None,
        body,
    })
}

/// The names of a record's item, as bodies have them.
fn item_names(new: &JournalRecord) -> Tried<Vec<u8>> {
    let protocol = new.protocol.as_deref().ok_or_else(|| missing("protocol"))?;
    let mut names = Vec::new();
    push_item(&mut names, protocol, new.aside, &new.about());
    Ok(names)
}

fn print(text: &Option<String>, field: &str) -> Tried<Fingerprint> {
    let text = text.as_deref().ok_or_else(|| missing(field))?;
    text.parse().map_err(|_| {
        let what = format!("the {field} {text:?} is no fingerprint");
        Error::new(what).at_path(field).advise("give 32 hexadecimal digits").into()
    })
}

fn missing(field: &str) -> Error {
    Error::new(format!("a row of the journal has no {field:?}")).advise("export the study again")
}
