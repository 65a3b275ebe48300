//! Taking in things of a hub: with the names that all files share, each becomes a row of this file. A thing that cannot be a
//! row yet is held, with the reason, and tried again when more has come in. Rows that are there stay as they are.

mod held;
mod known;
mod records;

use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, params, params_from_iter};
use serde_json::Value;

use super::Home;
use super::body::Values;
use super::give::{ASSIGNMENTS, Giver, IMPORTED, ITEM, SESSION, VERSION, act_event};
use super::names::is_alias;
use crate::hub::{JUDGMENTS, SentEvent, SentThing, VERDICT};
use crate::journal::{EventId, Writer};
use crate::store::corpus::{CorpusWriter, ItemRows};
use crate::store::exchange::merge::acts::{Ours, RowHere, RowWords};
use crate::store::exchange::merge::journal::{JournalTable, journals};
use crate::store::exchange::own;
use crate::store::exchange::sense::{
    LONGEST_NAME, LONGEST_WORK, MOST_BYTES, is_setup, is_time, is_work, makes_sense,
};
use crate::store::file::{Tried, all, change, exists};
use crate::store::journal::{ActKind, BITS, Phrase, amend, caches, sessions};
use crate::store::work::MASKED;
use crate::study::{AnnotatorId, ItemId, SessionId};
use crate::text::fast::FastMap;
pub(super) use held::unpacked;
use held::{NotTaken, Took, held, nonsense, packed_up, unread};
pub(crate) use known::KnownRows;

/// The kind of a session's event that makes a candidate.
const SNAPSHOT: &str = "snapshot";

/// Counts of things that were taken in and held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(super) new: usize,
    pub(super) held: usize,
}

/// What became of an event from a file.
pub(crate) enum FromFile {
    Taken {
        is_new: bool,
    },
    /// It is about something that the study does not have, for this reason.
    Unknown(String),
    Refused(String),
}

/// The parts of the file to be updated after the things came in.
#[derive(Default)]
struct TakenNews {
    pairs: HashSet<(AnnotatorId, ItemId)>,
    /// Sessions with a new snapshot.
    sessions: BTreeSet<SessionId>,
    has_corpus: bool,
    has_assignments: bool,
    has_other_versions: bool,
    has_amendments: bool,
    /// Whether something came that held things may refer to.
    may_free: bool,
}

/// Takes things in within one transaction.
pub(crate) struct Taker<'c> {
    connection: &'c Connection,
    home: &'c Home,
    known: KnownRows,
    giver: Giver<'c>,
    pub(crate) tables: Vec<JournalTable>,
    items: ItemRows<'c>,
    corpus: Option<CorpusWriter<'c>>,
    brought: Ours<'c>,
    words: FastMap<Vec<u8>, RowWords>,
    amendments: amend::AmendmentRows,
    /// Whether any row of the file waits for the hub.
    is_waiting: bool,
    news: TakenNews,
    count: Count,
}

impl<'c> Taker<'c> {
    pub(crate) fn new(connection: &'c Connection, home: &'c Home, mut known: KnownRows) -> Tried<Taker<'c>> {
        let names = std::mem::take(&mut known.names);
        // A file without a hub has nothing that waits.
        let is_waiting = !home.study.is_empty() && exists(connection, "SELECT 1 FROM hub_waits LIMIT 1", [])?;
        Ok(Taker {
            connection,
            home,
            known,
            giver: Giver::new(connection, home, names)?,
            tables: journals(connection)?,
            items: ItemRows::prepare(connection)?,
            corpus: None,
            brought: Ours::prepare(connection)?,
            words: FastMap::default(),
            amendments: amend::AmendmentRows::default(),
            is_waiting,
            news: TakenNews::default(),
            count: Count::default(),
        })
    }

    /// Takes in the thing of this position, or holds it.
    pub(super) fn take(&mut self, pos: i64, thing: &SentThing) -> Tried<()> {
        match self.thing(thing) {
            Ok(is_new) => self.count.new += usize::from(is_new),
            Err(NotTaken::Held(why) | NotTaken::Unknown(why)) => {
                self.count.held += 1;
                let sender = match thing {
                    SentThing::Event(event) => Some(event.annotator.as_str()),
                    // Only leads send records, and the hub keeps no name.
                    SentThing::Record(_) => None,
                };
                change(
                    self.connection,
                    "INSERT OR REPLACE INTO hub_held (pos, why, thing, sender) VALUES (?1, ?2, ?3, ?4)",
                    params![pos, why, packed_up(thing), sender],
                )?;
            }
            Err(NotTaken::Fault(fault)) => return Err(fault),
        }
        Ok(())
    }

    /// Takes in an event from a file.
    pub(crate) fn take_from_file(&mut self, event: &SentEvent) -> Tried<FromFile> {
        match self.event(event) {
            Ok(is_new) => Ok(FromFile::Taken { is_new }),
            Err(NotTaken::Unknown(why)) => Ok(FromFile::Unknown(why)),
            Err(NotTaken::Held(why)) => Ok(FromFile::Refused(why)),
            Err(NotTaken::Fault(fault)) => Err(fault),
        }
    }

    /// Whether the study has an act or a row of a journal under the name of this event.
    pub(crate) fn has(&mut self, event: &SentEvent) -> Tried<bool> {
        match Values::of(&event.body) {
            Some((JUDGMENTS, _)) => {
                self.brought.acts.has(EventId { writer: Writer(event.writer), seq: event.seq })
            }
            Some((letter, _)) => Ok(self.giver.sequenced(letter, event.writer, event.seq)?.is_some()),
            None => Ok(false),
        }
    }

    /// Tries held things again, and updates caches, amendments and candidates after everything that came in. Returns the known
    /// rows, for the next time.
    pub(crate) fn finish(mut self, tries_held: bool) -> Tried<(Count, KnownRows)> {
        if tries_held || self.news.may_free {
            self.free()?;
        }
        let TakenNews {
            pairs,
            sessions,
            has_corpus,
            has_assignments,
            has_other_versions,
            has_amendments,
            may_free,
        } = std::mem::take(&mut self.news);
        let connection = self.connection;
        drop(self.corpus.take());
        self.brought.finish()?;
        let from_hub = !self.home.study.is_empty();
        for session in sessions {
            // A candidate that is made here is not on the hub yet.
            change(connection, "UPDATE hub SET takes = 0 WHERE ?1", [from_hub])?;
            sessions::append::add_candidates_of(connection, session, is_alias)?;
            change(connection, "UPDATE hub SET takes = 1 WHERE ?1", [from_hub])?;
        }
        if has_other_versions {
            own::after_new_versions(connection)?;
        }
        if has_amendments {
            amend::apply(connection)?;
        } else if !has_other_versions {
            // The record that an amendment is about may have come in after it.
            if may_free || has_corpus {
                amend::settle(connection)?;
            }
            caches::keep_pairs(connection, &pairs)?;
            if has_corpus || has_assignments {
                caches::look_again(connection)?;
            }
        }
        self.known.names = self.giver.into_names();
        Ok((self.count, self.known))
    }

    /// Takes in the held things that can be taken in now.
    fn free(&mut self) -> Tried<()> {
        let held: Vec<(i64, Vec<u8>)> =
            all(self.connection, "SELECT pos, thing FROM hub_held ORDER BY pos", [])?;
        for (pos, bytes) in held {
            let Some(thing) = unpacked(&bytes) else { continue };
            match self.thing(&thing) {
                Ok(is_new) => {
                    self.count.new += usize::from(is_new);
                    self.count.held = self.count.held.saturating_sub(1);
                    change(self.connection, "DELETE FROM hub_held WHERE pos = ?1", [pos])?;
                }
                Err(NotTaken::Held(_) | NotTaken::Unknown(_)) => {}
                Err(NotTaken::Fault(fault)) => return Err(fault),
            }
        }
        Ok(())
    }

    /// Takes in a thing; returns whether it is new.
    fn thing(&mut self, thing: &SentThing) -> Took<bool> {
        match thing {
            SentThing::Record(record) => self.record(record),
            SentThing::Event(event) => self.event(event),
        }
    }

    fn event(&mut self, event: &SentEvent) -> Took<bool> {
        if event.body.len() > MOST_BYTES {
            return Err(held(format!("it has {} bytes, and {MOST_BYTES} is the most", event.body.len())));
        }
        let (kind, mut values) = Values::of(&event.body).ok_or_else(unread)?;
        if event.writer == 0 || event.seq < 1 || event.seq >> BITS > 0 || event.annotator.is_empty() {
            return Err(unread());
        }
        if self.is_waiting && self.came_home(kind, event, values)? {
            return Ok(false);
        }
        match kind {
            IMPORTED => match values.number() {
                Some(writer) if writer < 0 => self.act(Writer(writer), event, values),
                _ => Err(unread()),
            },
            SESSION => self.session_row(event, values),
            VERSION => self.version_row(values),
            // The hub admits events by the outer letter. With another letter inside, an annotator could bring
            // in an assignment.
            letter if letter != event.journal && (letter, event.journal) != (JUDGMENTS, VERDICT) => {
                Err(unread())
            }
            JUDGMENTS if values.text().is_some() => self.act(Writer(event.writer), event, values),
            // Leads and observers of a hub have the whole assignment.
            ASSIGNMENTS
                if event.seq == MASKED && !self.home.study.is_empty() && self.home.kind.sees_all() =>
            {
                Ok(false)
            }
            letter => self.sequenced(letter, event, values),
        }
    }

    /// Whether an event is a row of this file word for word and needs no further check.
    fn came_home(&mut self, kind: u8, event: &SentEvent, mut values: Values<'_>) -> Tried<bool> {
        let (what, row, ours) = match kind {
            IMPORTED | JUDGMENTS => {
                let writer = if kind == JUDGMENTS { Some(event.writer) } else { values.number() };
                let writers = &mut self.brought.acts.writers;
                let number = writer.map(|writer| writers.find(self.connection, Writer(writer)));
                let Some(number) = number.transpose()?.flatten() else { return Ok(false) };
                let id = number << BITS | event.seq;
                ("act", (0, id), self.giver.act(id)?)
            }
            letter => match self.tables.iter().find(|table| table.letter() == letter) {
                Some(table) => {
                    let row = (event.writer, event.seq);
                    (table.name.as_str(), row, self.giver.sequenced(letter, row.0, row.1)?)
                }
                None => return Ok(false),
            },
        };
        // The hub has the keys of items only where it looks for them; the body names the item.
        let is_ours = ours.is_some_and(|ours| SentEvent { item: event.item.clone(), ..ours } == *event);
        if is_ours {
            came_back(self.connection, what, row)?;
        }
        Ok(is_ours)
    }

    /// Takes in a row of a journal.
    fn sequenced(&mut self, letter: u8, event: &SentEvent, mut values: Values<'_>) -> Took<bool> {
        let table = self.tables.iter().find(|table| table.letter() == letter).cloned().ok_or_else(unread)?;
        let mut row: Vec<ValueRef<'_>> = Vec::with_capacity(table.columns.len());
        let (mut session, mut kind, mut body) = (None, None, None);
        for column in &table.columns {
            row.push(match (column.name.as_str(), column.refers_to.as_deref()) {
                ("writer", _) => ValueRef::Integer(event.writer),
                ("seq", _) => ValueRef::Integer(event.seq),
                (_, Some("annotator")) => ValueRef::Integer(self.annotator(&event.annotator)?.0),
                (_, Some("item")) => {
                    ValueRef::Integer(self.item(values.stretch(ITEM).ok_or_else(unread)?)?.0)
                }
                (_, Some("session")) => {
                    let (id, whose) = self.session(values.fingerprint().ok_or_else(unread)?)?;
                    if self.annotator(&event.annotator)? != whose {
                        return Err(held("it stands in a session of somebody else"));
                    }
                    ValueRef::Integer(session.insert(id).0)
                }
                (name, _) => {
                    let value = values.value().ok_or_else(unread)?;
                    let is_fit = match name {
                        "kind" | "name" => value.as_str().is_ok_and(|name| name.len() <= LONGEST_NAME),
                        "body" => value.as_str().is_ok(),
                        "at" => value.as_i64_or_null().is_ok_and(|at| at.is_none_or(is_time)),
                        "active" => value.as_i64().is_ok_and(is_work),
                        _ => true,
                    };
                    if !is_fit {
                        return Err(unread());
                    }
                    match name {
                        "kind" => kind = value.as_str().ok(),
                        "body" => body = value.as_str().ok(),
                        _ => {}
                    }
                    value
                }
            });
        }
        // A view that was taken away has no body.
        if let Some(body) = body.filter(|body| letter != b'v' || !body.is_empty()) {
            let said: Value = serde_json::from_str(body).map_err(|_| unread())?;
            let kind = kind.unwrap_or_default();
            if !makes_sense(letter, kind, said) {
                return Err(nonsense(kind));
            }
        }
        if !values.is_empty() {
            return Err(unread());
        }
        let inserted = self
            .connection
            .prepare_cached(&table.insert("writer, seq"))?
            .execute(params_from_iter(row.iter().map(|value| ToSqlOutput::Borrowed(*value))))?;
        if inserted == 0 {
            let is_same = self
                .giver
                .sequenced(letter, event.writer, event.seq)?
                .is_some_and(|ours| ours.body == event.body && ours.annotator == event.annotator);
            self.came_back(&table.name, event.writer, event.seq)?;
            return match is_same {
                true => Ok(false),
                false => Err(held(format!(
                    "event {} of writer {:016x} says something else in this study",
                    event.seq, event.writer
                ))),
            };
        }
        match session {
            Some(session) if kind == Some(SNAPSHOT) => drop(self.news.sessions.insert(session)),
            _ => self.news.has_assignments |= letter == ASSIGNMENTS,
        }
        Ok(true)
    }

    /// Takes in the events of an act that are not here yet.
    fn act(&mut self, writer: Writer, event: &SentEvent, mut values: Values<'_>) -> Took<bool> {
        let item = self.item(values.stretch(ITEM).ok_or_else(unread)?)?;
        // The hub counts by its key what is judged.
        let (_, key) = self.giver.item(item.0)?;
        if event.item.as_ref().is_some_and(|item| *item != key.0) {
            return Err(held("it stands under another item than it is about"));
        }
        let hash = values.fingerprint().ok_or_else(unread)?;
        let protocol = self.version(hash)?;
        let at = values.number_or_null().filter(|at| at.is_none_or(is_time)).ok_or_else(unread)?;
        let active = values.number().ok_or_else(unread)?;
        // Other tools tell how long an item was open.
        let is_fit = if writer.0 < 0 { is_work(active) } else { (0..=LONGEST_WORK).contains(&active) };
        if !is_fit {
            return Err(held(format!("it has {active} active milliseconds")));
        }
        let texts = values.fingerprint().ok_or_else(unread)?;
        let annotator = self.annotator(&event.annotator)?;
        let row = RowHere {
            writer,
            first: event.seq,
            annotator: annotator.0,
            item: item.0,
            protocol,
            at,
            active,
            texts,
        };
        let words = self.words(values)?;
        if row.last(&words) >> BITS > 0 {
            return Err(unread());
        }
        for (_, phrase) in words.said.iter() {
            self.refuse_other_answers(hash, phrase.happening())?;
        }
        let kind = words.kind(writer);
        let of_kind = act_event(writer, kind, String::new(), &[]);
        if !event.body.starts_with(&of_kind.body) {
            return Err(nonsense("an act"));
        }
        // Under another letter an act passes only where each of its events is here already, brought in another way.
        if event.journal != of_kind.journal {
            let mut seq = event.seq;
            for (gap, _) in words.said.iter() {
                seq += gap;
                if !self.brought.acts.has(EventId { writer, seq })? {
                    return Err(held("only a lead settles what people disagree on"));
                }
            }
        }
        let outcome = self.brought.take(&row, &words)?;
        if outcome.new > 0 {
            self.news.pairs.insert((annotator, item));
        }
        // A hub keeps one row under a name, so a row of this name waits no longer. An import's judgment is named by its contents.
        if self.is_waiting
            && kind != ActKind::Imported
            && let Some(number) = self.brought.acts.writers.find(self.connection, writer)?
        {
            self.came_back("act", 0, number << BITS | event.seq)?;
        }
        match outcome.clashes.first() {
            None => Ok(outcome.new > 0),
            Some((number, column)) => Err(held(format!(
                "event {number} of writer {} is in the study with another {column:?}",
                row.writer
            ))),
        }
    }

    fn words(&mut self, values: Values<'_>) -> Took<RowWords> {
        let bytes = values.rest();
        if let Some(words) = self.words.get(bytes) {
            return Ok(words.clone());
        }
        let (mut values, mut said) = (values, Vec::new());
        while !values.is_empty() {
            let gap = values.number().ok_or_else(unread)?;
            let kind = values.text().filter(|kind| kind.len() <= LONGEST_NAME).ok_or_else(unread)?;
            let text = values.text().ok_or_else(unread)?;
            let said_there = serde_json::from_str(text).map_err(|_| unread())?;
            if !makes_sense(JUDGMENTS, kind, said_there) {
                return Err(nonsense(kind));
            }
            said.push((gap, Rc::new(Phrase::new(kind, text))));
        }
        let words = RowWords::pack(said, &mut self.brought.acts.phrases)?;
        if !words.are_numbered() {
            return Err(held("the numbers of its events make no sense"));
        }
        if bytes.len() <= SHORT {
            self.words.insert(bytes.to_vec(), words.clone());
        }
        Ok(words)
    }

    fn session_row(&mut self, event: &SentEvent, mut values: Values<'_>) -> Took<bool> {
        let key = values.fingerprint().ok_or_else(unread)?;
        let (collection, query) = (values.text().ok_or_else(unread)?, values.text().ok_or_else(unread)?);
        let setup = values.text().filter(|setup| is_setup(setup)).ok_or_else(unread)?;
        let (query, _) = self.query(collection, query)?;
        let annotator = self.annotator(&event.annotator)?;
        let added = change(
            self.connection,
            "INSERT INTO session (key, annotator, query, setup) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (key) DO NOTHING",
            params![key, annotator, query, setup],
        )?;
        let (id, whose) = self.session(key)?;
        if whose != annotator {
            return Err(held("the study has a session of this key by somebody else"));
        }
        self.came_back("session", 0, id.0)?;
        self.news.may_free |= added == 1;
        Ok(added == 1)
    }

    /// Takes in a version of a built-in protocol under which somebody judged.
    fn version_row(&mut self, mut values: Values<'_>) -> Took<bool> {
        let name = values.text().ok_or_else(unread)?;
        let version = values.number().and_then(|version| u32::try_from(version).ok()).ok_or_else(unread)?;
        let file = values.text().ok_or_else(unread)?;
        self.built_in(name, version, file)
    }

    /// Notes that the hub has a row of this file.
    fn came_back(&self, what: &str, writer: i64, number: i64) -> Tried<()> {
        if self.is_waiting { came_back(self.connection, what, (writer, number)) } else { Ok(()) }
    }
}

fn came_back(connection: &Connection, what: &str, (writer, number): (i64, i64)) -> Tried<()> {
    let delete = "DELETE FROM hub_waits WHERE what = ?1 AND writer = ?2 AND number = ?3";
    change(connection, delete, params![what, writer, number]).map(drop)
}

/// The longest words of an act that are remembered, in bytes.
const SHORT: usize = 192;
