//! Taking in things of a hub: with the names that all files share, each becomes a row of this file. A thing that cannot be a
//! row yet is held, with the reason, and tried again when more has come in. Rows that are there stay as they are.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, params, params_from_iter};
use serde_json::Value;

use super::Home;
use super::body::{Values, begun, push, push_number};
use super::give::{
    ASSIGNMENTS, GUIDELINE, GivenNames, Giver, HANDED_OUT, IMPORT, IMPORTED, ITEM, NAMED, PROTOCOL_VERSION,
    SECRET, SESSION, VERSION, act_event,
};
use super::names::{alias, print_of};
use crate::error::Error;
use crate::hub::{Audience, JUDGMENTS, SentEvent, SentRecord, SentThing, VERDICT};
use crate::journal::{EventId, Happening, Writer};
use crate::protocol::{Protocol, builtin, builtins};
use crate::store::corpus::items::{ItemRows, Target};
use crate::store::corpus::protocols;
use crate::store::corpus::writer::{self, CorpusWriter, RecordTaken};
use crate::store::exchange::import::note_file;
use crate::store::exchange::merge::acts::{Ours, RowHere, RowWords};
use crate::store::exchange::merge::journal::{JournalTable, journals};
use crate::store::exchange::own::{self, OtherGuideline};
use crate::store::exchange::sense::{
    LONGEST_NAME, MOST_BYTES, is_known, is_setup, is_time, is_work, makes_sense,
};
use crate::store::file::fault::{Fault, Tried, said};
use crate::store::file::schema::AMENDMENT;
use crate::store::file::sql::{VersionId, all, change, first};
use crate::store::journal::acts::{ActKind, BITS};
use crate::store::journal::phrases::Phrase;
use crate::store::journal::{amend, caches, sessions};
use crate::store::work::assignments::MASKED;
use crate::study::{
    AmendedKind, Amendment, Annotator, AnnotatorId, AnnotatorKind, Aside, Candidate, CandidateId, DocumentId,
    ItemId, Meta, QueryId, Record, RecordKind, SessionId, TargetKeys, UnitId,
};
use crate::text::fast::FastMap;
use crate::text::hash::Fingerprint;

/// The kind of a session's event that makes a candidate.
const SNAPSHOT: &str = "snapshot";

/// The outcome of taking in a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThingFate {
    New,
    Known,
}

/// The reason why a thing is not taken in.
enum NotTaken {
    /// The thing is held for this reason.
    Held(String),
    Fault(Fault),
}

type Took<T> = std::result::Result<T, NotTaken>;

impl From<Fault> for NotTaken {
    fn from(fault: Fault) -> NotTaken {
        match fault {
            Fault::Said(error) => NotTaken::Held(error.to_string()),
            Fault::Sql(error) => error.into(),
        }
    }
}

impl From<Error> for NotTaken {
    fn from(error: Error) -> NotTaken {
        NotTaken::Held(error.to_string())
    }
}

impl From<rusqlite::Error> for NotTaken {
    fn from(error: rusqlite::Error) -> NotTaken {
        match error.sqlite_error_code() {
            // The table refuses the row: the fault is in the thing, not in the file.
            Some(ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch | ErrorCode::TooBig) => unread(),
            _ => NotTaken::Fault(error.into()),
        }
    }
}

fn held(why: impl Into<String>) -> NotTaken {
    NotTaken::Held(why.into())
}

fn unread() -> NotTaken {
    held("it cannot be read; a newer haymark may be able to")
}

fn nonsense(kind: &str) -> NotTaken {
    held(format!("what it says as {kind:?} makes no sense"))
}

/// The rows of names that were looked up before.
#[derive(Default)]
pub(in crate::store) struct KnownRows {
    pub(super) names: GivenNames,
    items: FastMap<Vec<u8>, ItemId>,
    annotators: HashMap<String, AnnotatorId>,
    versions: HashMap<[u8; 16], i64>,
    /// Protocols by the hash of the version; `None` where this program does not understand it.
    protocols: HashMap<[u8; 16], Option<Protocol>>,
    /// Sessions by key, with their annotators.
    sessions: HashMap<[u8; 16], (SessionId, AnnotatorId)>,
}

/// Counts of things that were taken in and held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::store) struct Count {
    pub(super) new: usize,
    pub(super) held: usize,
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
pub(in crate::store) struct Taker<'c> {
    connection: &'c Connection,
    home: &'c Home,
    known: KnownRows,
    giver: Giver<'c>,
    pub(in crate::store) tables: Vec<JournalTable>,
    items: ItemRows<'c>,
    corpus: Option<CorpusWriter<'c>>,
    brought: Ours<'c>,
    words: FastMap<Vec<u8>, RowWords>,
    /// Whether any row of the file waits for the hub.
    is_waiting: bool,
    news: TakenNews,
    count: Count,
}

impl<'c> Taker<'c> {
    pub(in crate::store) fn new(
        connection: &'c Connection,
        home: &'c Home,
        mut known: KnownRows,
    ) -> Tried<Taker<'c>> {
        let names = std::mem::take(&mut known.names);
        // A file without a hub has nothing that waits.
        let is_waiting = !home.study.is_empty()
            && first(connection, "SELECT 1 FROM hub_waits LIMIT 1", [], |row| row.get::<_, i64>(0))?
                .is_some();
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
            is_waiting,
            news: TakenNews::default(),
            count: Count::default(),
        })
    }

    /// Takes in the thing of this position, or holds it.
    pub(super) fn take(&mut self, pos: i64, thing: &SentThing) -> Tried<()> {
        match self.thing(thing) {
            Ok(ThingFate::New) => self.count.new += 1,
            Ok(ThingFate::Known) => {}
            Err(NotTaken::Held(why)) => {
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

    /// Takes in an event from a file; returns whether it is new. An event that would be held is an error.
    pub(in crate::store) fn take_from_file(&mut self, event: &SentEvent) -> Tried<bool> {
        match self.event(event) {
            Ok(fate) => Ok(fate == ThingFate::New),
            Err(NotTaken::Held(why)) => {
                Err(Error::new(why).advise("bring in an export as haymark wrote it").into())
            }
            Err(NotTaken::Fault(fault)) => Err(fault),
        }
    }

    /// Tries held things again, and updates caches, amendments and candidates after everything that came in. Returns the known
    /// rows, for the next time.
    pub(in crate::store) fn finish(mut self, tries_held: bool) -> Tried<(Count, KnownRows)> {
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
        for session in sessions {
            // A candidate that is made here is not on the hub yet.
            change(connection, "UPDATE hub SET takes = 0", [])?;
            sessions::append::add_candidates_of(connection, session)?;
            change(connection, "UPDATE hub SET takes = 1", [])?;
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
            all(self.connection, "SELECT pos, thing FROM hub_held ORDER BY pos", [], |row| row.try_into())?;
        for (pos, bytes) in held {
            let Some(thing) = unpacked(&bytes) else {
                continue;
            };
            match self.thing(&thing) {
                Ok(fate) => {
                    self.count.new += usize::from(fate == ThingFate::New);
                    self.count.held = self.count.held.saturating_sub(1);
                    change(self.connection, "DELETE FROM hub_held WHERE pos = ?1", [pos])?;
                }
                Err(NotTaken::Held(_)) => {}
                Err(NotTaken::Fault(fault)) => return Err(fault),
            }
        }
        Ok(())
    }

    fn thing(&mut self, thing: &SentThing) -> Took<ThingFate> {
        match thing {
            SentThing::Record(record) => self.record(record),
            SentThing::Event(event) => self.event(event),
        }
    }

    fn event(&mut self, event: &SentEvent) -> Took<ThingFate> {
        if event.body.len() > MOST_BYTES {
            return Err(held(format!("it has {} bytes, and {MOST_BYTES} is the most", event.body.len())));
        }
        let (kind, mut values) = Values::of(&event.body).ok_or_else(unread)?;
        if event.writer == 0 || event.seq < 1 || event.seq >> BITS > 0 || event.annotator.is_empty() {
            return Err(unread());
        }
        if self.is_waiting && self.came_home(kind, event, values)? {
            return Ok(ThingFate::Known);
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
            // Leads and observers have the whole assignment.
            ASSIGNMENTS if event.seq == MASKED && self.home.kind.sees_all() => Ok(ThingFate::Known),
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
                let Some(number) = number.transpose()?.flatten() else {
                    return Ok(false);
                };
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
    fn sequenced(&mut self, letter: u8, event: &SentEvent, mut values: Values<'_>) -> Took<ThingFate> {
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
                true => Ok(ThingFate::Known),
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
        Ok(ThingFate::New)
    }

    /// Takes in the events of an act that are not here yet.
    fn act(&mut self, writer: Writer, event: &SentEvent, mut values: Values<'_>) -> Took<ThingFate> {
        let item = self.item(values.stretch(ITEM).ok_or_else(unread)?)?;
        let hash = values.fingerprint().ok_or_else(unread)?;
        let protocol = self.version(hash)?;
        let at = values.number_or_null().filter(|at| at.is_none_or(is_time)).ok_or_else(unread)?;
        let active = values.number().ok_or_else(unread)?;
        if !is_work(active) {
            return Err(held(format!("it has {active} active milliseconds")));
        }
        let texts = Fingerprint(values.fingerprint().ok_or_else(unread)?);
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
            None if outcome.new > 0 => Ok(ThingFate::New),
            None => Ok(ThingFate::Known),
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

    fn session_row(&mut self, event: &SentEvent, mut values: Values<'_>) -> Took<ThingFate> {
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
        Ok(if added == 1 { ThingFate::New } else { ThingFate::Known })
    }

    /// Takes in a version of a built-in protocol under which somebody judged.
    fn version_row(&mut self, mut values: Values<'_>) -> Took<ThingFate> {
        let name = values.text().ok_or_else(unread)?;
        let version = values.number().and_then(|version| u32::try_from(version).ok()).ok_or_else(unread)?;
        let file = values.text().ok_or_else(unread)?;
        self.built_in(name, version, file)
    }

    fn built_in(&mut self, name: &str, version: u32, file: &str) -> Took<ThingFate> {
        let current = protocols::find(self.connection, name)?;
        let has_grown = current.is_some_and(|current| current.grown_from().is_some());
        if builtin(name).is_none() || (!has_grown && protocols::is_own(self.connection, name)?) {
            return Err(held(format!("the protocol {name:?} is none of this haymark's own")));
        }
        let protocol = Protocol::parse(file, "")?;
        if protocol.name != name || protocol.version != version {
            return Err(nonsense(name));
        }
        let known = self.find_version(protocol.hash.0)?;
        let id = protocols::keep_name(self.connection, name)?;
        let VersionId(id) = protocols::keep_version(self.connection, id, &protocol)?;
        self.news.may_free |= known.is_none();
        self.came_back("protocol_version", 0, id)?;
        Ok(if known.is_none() { ThingFate::New } else { ThingFate::Known })
    }

    fn record(&mut self, record: &SentRecord) -> Took<ThingFate> {
        // The exchange reads the secret before all other things.
        if record.kind == SECRET {
            return Ok(ThingFate::Known);
        }
        let body: Value = serde_json::from_slice(&record.body).map_err(|_| unread())?;
        let text = |name: &str| body.get(name).and_then(Value::as_str).ok_or_else(unread);
        match record.kind.as_str() {
            PROTOCOL_VERSION => {
                let version = body.get("version").and_then(Value::as_u64).unwrap_or_default();
                let version = u32::try_from(version).map_err(|_| unread())?;
                match body.get("own").and_then(Value::as_bool) {
                    Some(true) => self.own_version(text("name")?, text("text")?),
                    _ => self.built_in(text("name")?, version, text("text")?),
                }
            }
            GUIDELINE => self.guideline(print_of(text("of")?).ok_or_else(unread)?, text("text")?),
            HANDED_OUT => {
                let of = [text("protocol")?, text("terms")?];
                let insert = "INSERT OR IGNORE INTO handed_out (protocol, terms) VALUES (?1, ?2)";
                let added = change(self.connection, insert, of)?;
                let select = "SELECT id FROM handed_out WHERE protocol = ?1 AND terms = ?2";
                let id: Option<i64> = first(self.connection, select, of, |row| row.get(0))?;
                self.came_back("handed_out", 0, id.unwrap_or_default())?;
                self.news.has_assignments |= added == 1;
                Ok(if added == 1 { ThingFate::New } else { ThingFate::Known })
            }
            IMPORT => {
                let content = print_of(text("content")?).ok_or_else(unread)?;
                let at = body.get("at").and_then(Value::as_i64).ok_or_else(unread)?;
                let source = text("source")?;
                let is_new = note_file(self.connection, source, Fingerprint(content), at)?;
                let select = "SELECT id FROM import WHERE source = ?1 AND content = ?2";
                let ids: Vec<i64> = all(self.connection, select, params![source, content], |row| row.get(0))?;
                for id in ids {
                    self.came_back("import", 0, id)?;
                }
                Ok(if is_new { ThingFate::New } else { ThingFate::Known })
            }
            kind => {
                let (name, is_named) = match kind.strip_prefix(NAMED) {
                    Some(name) => (name, true),
                    None => (kind, false),
                };
                let kind = RecordKind::ALL.iter().find(|kind| kind.name() == name).ok_or_else(unread)?;
                let record = read_record(*kind, body.clone()).ok_or_else(unread)?;
                // Leads and observers take the record with real names only.
                let is_hidden = match &record {
                    Record::Candidate(_) | Record::Ranking(_) => true,
                    Record::Unit(unit) => unit.candidate.is_some(),
                    Record::Amendment(amendment) => amendment.of == AmendedKind::Candidate,
                    _ => false,
                };
                if self.home.secret.is_some() && is_hidden && !is_named {
                    return Ok(ThingFate::Known);
                }
                if let Record::Candidate(new) = &record
                    && self.is_own_summary(new)?
                {
                    return Ok(ThingFate::Known);
                }
                if let Record::Amendment(new) = &record {
                    return self.amendment(new);
                }
                self.corpus_record(&record)
            }
        }
    }

    fn amendment(&mut self, new: &Amendment) -> Took<ThingFate> {
        let is_new = amend::take(self.connection, new)? == RecordTaken::Added;
        self.came_back(AMENDMENT, 0, amend::row_of(self.connection, new)?)?;
        self.news.has_amendments |= is_new;
        Ok(if is_new { ThingFate::New } else { ThingFate::Known })
    }

    /// Whether a candidate is a summary that was written in this file and came back under an alias.
    fn is_own_summary(&self, new: &Candidate) -> Tried<bool> {
        let select = "SELECT 1 FROM candidate k JOIN query q ON q.id = k.query JOIN collection c ON c.id = q.collection
             WHERE c.key = ?1 AND q.key = ?2 AND k.key <> ?3 AND k.text = ?4 AND k.summarizer LIKE 'human:%'";
        let of = [&new.collection, &new.query, &new.id, &new.text];
        let is_hidden = new.summarizer.is_none() && new.meta.is_empty();
        Ok(is_hidden && first(self.connection, select, of, |row| row.get::<_, i64>(0))?.is_some())
    }

    fn corpus_record(&mut self, record: &Record) -> Took<ThingFate> {
        let corpus = match &mut self.corpus {
            Some(corpus) => corpus,
            none => none.insert(CorpusWriter::prepare(self.connection)?),
        };
        let (what, taken, mut row) = corpus.take(record, &mut Vec::new()).ok_or_else(unread)?;
        let taken = taken?;
        if let Record::Ranking(new) = record {
            let (_, query) = corpus.query_of(&new.collection, &new.query)?;
            row = corpus.ranking_row(query, &new.retriever)?;
        }
        if let Some(row) = row {
            self.came_back(what, 0, row)?;
        }
        let is_new = taken != RecordTaken::Known;
        self.news.has_corpus |= is_new && what != "annotator";
        self.news.may_free |= is_new;
        Ok(if is_new { ThingFate::New } else { ThingFate::Known })
    }

    fn own_version(&mut self, name: &str, file: &str) -> Took<ThingFate> {
        let protocol = Protocol::parse(file, "")?;
        if protocol.name != name {
            return Err(unread());
        }
        let hash = protocol.hash.0;
        let known = self.find_version(hash)?;
        if known.is_none() {
            let before = protocols::find(self.connection, name)?;
            own::add(self.connection, &protocol, OtherGuideline::Refused)?;
            let after = protocols::find(self.connection, name)?;
            self.news.has_other_versions |=
                before.is_some_and(|before| after.is_some_and(|after| after.hash != before.hash));
            // Items of the protocol may stand in queues from now on.
            self.news.has_corpus = true;
            self.news.may_free = true;
        }
        if let Some(id) = self.find_version(hash)? {
            self.came_back("protocol_version", 0, id)?;
        }
        Ok(if known.is_none() { ThingFate::New } else { ThingFate::Known })
    }

    /// Takes in the guideline of a version: the hub's last one becomes the last one here.
    fn guideline(&mut self, of: [u8; 16], text: &str) -> Took<ThingFate> {
        let version = self.find_version(of)?.ok_or_else(|| held("it is of a version that is not here"))?;
        let texts: Vec<(i64, String)> = all(
            self.connection,
            "SELECT id, text FROM guideline WHERE version = ?1 ORDER BY id",
            [version],
            |row| row.try_into(),
        )?;
        for (id, _) in texts.iter().filter(|(_, known)| known == text) {
            self.came_back("guideline", 0, *id)?;
        }
        if texts.last().is_some_and(|(_, last)| last == text) {
            return Ok(ThingFate::Known);
        }
        let insert = "INSERT INTO guideline (version, text) VALUES (?1, ?2)";
        change(self.connection, insert, params![version, text])?;
        Ok(ThingFate::New)
    }

    /// Notes that the hub has a row of this file.
    fn came_back(&self, what: &str, writer: i64, number: i64) -> Tried<()> {
        if self.is_waiting { came_back(self.connection, what, (writer, number)) } else { Ok(()) }
    }

    fn annotator(&mut self, name: &str) -> Tried<AnnotatorId> {
        if let Some(id) = self.known.annotators.get(name) {
            return Ok(*id);
        }
        let found =
            first(self.connection, "SELECT id FROM annotator WHERE key = ?1", [name], |row| row.get(0))?;
        let id = match found {
            Some(id) => id,
            None if name.len() > LONGEST_NAME => return Err(said("the name of its sender is too long")),
            None => {
                let person = Annotator { id: name.to_owned(), kind: AnnotatorKind::Human, meta: Meta::new() };
                let id = writer::add_annotator(self.connection, None, &person)?;
                // An amendment may have come before the name that it is about.
                self.news.may_free = true;
                if let Some(corpus) = &mut self.corpus {
                    corpus.keys.add_annotator(name, id);
                }
                id
            }
        };
        self.known.annotators.insert(name.to_owned(), id);
        Ok(id)
    }

    fn find_version(&mut self, hash: [u8; 16]) -> Tried<Option<i64>> {
        first(self.connection, "SELECT id FROM protocol_version WHERE hash = ?1", [hash], |row| row.get(0))
    }

    fn version(&mut self, hash: [u8; 16]) -> Took<i64> {
        if let Some(id) = self.known.versions.get(&hash) {
            return Ok(*id);
        }
        let id = match self.find_version(hash)? {
            Some(id) => id,
            None => {
                let known = builtins().iter().find(|protocol| protocol.hash.0 == hash);
                let known = known.ok_or_else(|| {
                    held("it was given under a version of a protocol that the study does not have")
                })?;
                let name = protocols::keep_name(self.connection, &known.name)?;
                protocols::keep_version(self.connection, name, known)?.0
            }
        };
        self.known.versions.insert(hash, id);
        Ok(id)
    }

    /// Refuses answers that their version of the protocol does not know.
    fn refuse_other_answers(&mut self, version: [u8; 16], happening: &Happening) -> Took<()> {
        let protocol = match self.known.protocols.get(&version) {
            Some(known) => known,
            None => {
                let found = builtins().iter().find(|protocol| protocol.hash.0 == version).cloned();
                let select = "SELECT file FROM protocol_version WHERE hash = ?1";
                let found = match found {
                    Some(found) => Some(found),
                    None => {
                        let file: Option<String> =
                            first(self.connection, select, [version], |row| row.get(0))?;
                        // A text that this program cannot parse may be a newer program's.
                        file.and_then(|file| Protocol::parse(&file, "").ok())
                    }
                };
                self.known.protocols.entry(version).or_insert(found)
            }
        };
        match protocol {
            Some(protocol) if !is_known(protocol, happening) => {
                Err(held("its answer is none that its version of the protocol knows"))
            }
            _ => Ok(()),
        }
    }

    fn session(&mut self, key: [u8; 16]) -> Took<(SessionId, AnnotatorId)> {
        if let Some(session) = self.known.sessions.get(&key) {
            return Ok(*session);
        }
        let select = "SELECT id, annotator FROM session WHERE key = ?1";
        let found = first(self.connection, select, [key], |row| row.try_into())?;
        let session = found.ok_or_else(|| held("its session is not in the study"))?;
        self.known.sessions.insert(key, session);
        Ok(session)
    }

    fn query(&mut self, collection: &str, query: &str) -> Took<(i64, i64)> {
        let select = "SELECT q.id, c.id FROM query q JOIN collection c ON c.id = q.collection
             WHERE c.key = ?1 AND q.key = ?2";
        let found = first(self.connection, select, [collection, query], |row| row.try_into())?;
        found.ok_or_else(|| held(format!("query {query:?} of collection {collection:?} is not in the study")))
    }

    /// The item with these names, made where there is none.
    fn item(&mut self, names: &[u8]) -> Took<ItemId> {
        if let Some(item) = self.known.items.get(names) {
            return Ok(*item);
        }
        let item = self.find_item(names)?;
        self.known.items.insert(names.to_vec(), item);
        Ok(item)
    }

    fn find_item(&mut self, names: &[u8]) -> Took<ItemId> {
        let mut values = Values::bare(names);
        let mut text = || values.text_or_null().ok_or_else(unread);
        let (protocol, aside) = (text()?.ok_or_else(unread)?, text()?);
        let (collection, query) = (text()?.ok_or_else(unread)?, text()?.ok_or_else(unread)?);
        let (document, unit, candidate) = (text()?, text()?, text()?);
        let (bullet, other) = match values.text_ahead() {
            Some(other) => (None, Some(other)),
            None => (values.number_or_null().ok_or_else(unread)?, None),
        };
        let bullet = bullet.map(u32::try_from).transpose().map_err(|_| unread())?;
        let aside = match aside {
            Some(name) => Some(Aside::named(name).ok_or_else(unread)?),
            None => None,
        };
        let connection = self.connection;
        let (query_id, scope) = self.query(collection, query)?;
        let find = |select: &str, scope: i64, key: &str, what: &str| -> Took<i64> {
            let found = first(connection, select, params![scope, key], |row| row.get(0))?;
            found.ok_or_else(|| held(format!("{what} {key:?} of query {query:?} is not in the study")))
        };
        let named = |candidate: Option<&str>| match (candidate, self.home.secret.as_deref()) {
            (Some(alias), Some(secret)) => self.named(secret, (collection, query, query_id), alias).map(Some),
            (candidate, _) => Ok(candidate.map(str::to_owned)),
        };
        let (candidate, other) = (named(candidate)?, named(other)?);
        const DOCUMENT: &str = "SELECT id FROM document WHERE collection = ?1 AND key = ?2";
        const UNIT: &str = "SELECT id FROM unit WHERE query = ?1 AND key = ?2";
        const CANDIDATE: &str = "SELECT id FROM candidate WHERE query = ?1 AND key = ?2";
        let ids = [
            document.map(|key| find(DOCUMENT, scope, key, "document")).transpose()?,
            unit.map(|key| find(UNIT, query_id, key, "unit")).transpose()?,
            candidate.as_deref().map(|key| find(CANDIDATE, query_id, key, "candidate")).transpose()?,
            other.as_deref().map(|key| find(CANDIDATE, query_id, key, "candidate")).transpose()?,
        ];
        let known = protocols::id_of(connection, protocol)?;
        if known.is_none() && builtin(protocol).is_none() {
            return Err(held(format!("the protocol {protocol:?} is not in the study")));
        }
        let id = protocols::keep_name(connection, protocol)?;
        let [document_id, unit_id, candidate_id, other_id] = ids;
        let target = Target {
            query: QueryId(query_id),
            document: document_id.map(DocumentId),
            unit: unit_id.map(UnitId),
            candidate: candidate_id.map(CandidateId),
            bullet,
            other: other_id.map(CandidateId),
        };
        let keys = || TargetKeys {
            collection: collection.to_owned(),
            query: query.to_owned(),
            document: document.map(str::to_owned),
            unit: unit.map(str::to_owned),
            candidate,
            bullet,
            other,
        };
        Ok(self.items.keep((id, protocol), target, aside, keys)?)
    }

    /// The candidate of a query that has this alias.
    fn named(&self, secret: &[u8], of: (&str, &str, i64), hidden: &str) -> Took<String> {
        let (collection, query, id) = of;
        let keys: Vec<String> =
            all(self.connection, "SELECT key FROM candidate WHERE query = ?1", [id], |row| row.get(0))?;
        keys.into_iter()
            // The file in which a summary was written has it under its own key.
            .find(|key| key == hidden || alias(secret, collection, query, key) == hidden)
            .ok_or_else(|| held(format!("candidate {hidden:?} of query {query:?} is not in the study")))
    }
}

fn came_back(connection: &Connection, what: &str, (writer, number): (i64, i64)) -> Tried<()> {
    let delete = "DELETE FROM hub_waits WHERE what = ?1 AND writer = ?2 AND number = ?3";
    change(connection, delete, params![what, writer, number]).map(drop)
}

/// The longest words of an act that are remembered, in bytes.
const SHORT: usize = 192;

fn read_record(kind: RecordKind, mut body: Value) -> Option<Record> {
    body.as_object_mut()?.remove("type");
    kind.read(body).ok()
}

/// The kinds of bodies of held things.
const EVENT: u8 = b'E';
const RECORD: u8 = b'R';

/// A thing as bytes, to be tried again.
fn packed_up(thing: &SentThing) -> Vec<u8> {
    match thing {
        SentThing::Event(event) => {
            let mut bytes = begun(EVENT);
            push_number(&mut bytes, event.writer);
            push_number(&mut bytes, event.seq);
            push(&mut bytes, event.annotator.as_str());
            push_number(&mut bytes, event.journal.into());
            push(&mut bytes, event.at.map_or(ValueRef::Null, ValueRef::Integer));
            push(&mut bytes, event.item.as_deref().map_or(ValueRef::Null, ValueRef::Blob));
            push(&mut bytes, ValueRef::Blob(&event.body));
            bytes
        }
        SentThing::Record(record) => {
            let mut bytes = begun(RECORD);
            push_number(&mut bytes, i64::from(record.audience == Audience::All));
            push(&mut bytes, record.kind.as_str());
            push(&mut bytes, ValueRef::Blob(&record.key));
            push(&mut bytes, ValueRef::Blob(&record.body));
            bytes
        }
    }
}

fn unpacked(bytes: &[u8]) -> Option<SentThing> {
    let (kind, mut values) = Values::of(bytes)?;
    Some(match kind {
        EVENT => SentThing::Event(SentEvent {
            writer: values.number()?,
            seq: values.number()?,
            annotator: values.text()?.to_owned(),
            journal: u8::try_from(values.number()?).ok()?,
            at: values.number_or_null()?,
            item: values.value()?.as_blob_or_null().ok()?.map(<[u8]>::to_vec),
            body: values.blob()?.to_vec(),
        }),
        RECORD => SentThing::Record(SentRecord {
            audience: if values.number()? == 1 { Audience::All } else { Audience::Leads },
            kind: values.text()?.to_owned(),
            key: values.blob()?.to_vec(),
            body: values.blob()?.to_vec(),
        }),
        _ => return None,
    })
}
