//! Giving rows to the hub: the waiting rows of a study, written with names that are the same in every file.

use std::collections::HashMap;
use std::rc::Rc;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, params};
use serde_json::json;

use super::body::{Values, begun, push, push_number};
use super::names::{alias, list_alias, number_of};
use super::{Home, leases};
use crate::error::Error;
use crate::hub::{Audience, CALIBRATION, JUDGMENTS, MemberKind, SentEvent, SentRecord, VERDICT, WHOLE};
use crate::journal::{ADJUDICATE, Writer};
use crate::number::signed;
use crate::store::corpus::read;
use crate::store::exchange::merge::journal::{JournalTable, journals};
use crate::store::file::{AMENDMENT, Fault, RANKING, SHARED, Tried, all_by, first_by, one, one_by};
use crate::store::journal::{ANSWER, ActKind, NUMBERS, Phrases, numbered, said};
use crate::store::work::MASKED;
use crate::study::{
    AmendedKind, Amendment, Aside, RankedDocument, RankedList, Record, RevisedFields, Role, TargetKeys, Terms,
};
use crate::text::fast::FastMap;
use crate::text::hash::{Fingerprint, Hashing, fingerprint};

/// The kinds of bodies that are no journal's letter: for acts of imports, and for sessions and versions,
/// which travel as events because the hub takes records from leads only. Other bodies have the letter of
/// their journal.
pub(crate) const IMPORTED: u8 = b'i';
pub(super) const SESSION: u8 = b'S';
pub(super) const VERSION: u8 = b'V';

/// The journal of assignments.
pub(crate) const ASSIGNMENTS: u8 = b'a';

/// The annotator of a saved view, which belongs to nobody.
pub(crate) const NOBODY: &str = "nobody";

/// Kinds of records beside those of the corpus.
pub(super) const PROTOCOL_VERSION: &str = "protocol version";
pub(super) const GUIDELINE: &str = "guideline";
pub(super) const IMPORT: &str = "import";
pub(super) const SECRET: &str = "secret";
pub(super) const HANDED_OUT: &str = "handed out";
/// The prefix of records for leads that carry real names; everyone gets the same record under an alias.
pub(super) const NAMED: &str = "named ";

/// The tables from which an annotator gives her own rows.
const OF_ANNOTATORS: &[&str] = &["protocol_version", "session", "act", "session_event"];

/// The tables that a member gives rows from, each after those that it refers to.
pub(super) fn given_by(kind: MemberKind) -> impl Iterator<Item = &'static str> {
    SHARED.into_iter().map(|(table, _)| table).filter(move |table| match kind {
        MemberKind::Lead => true,
        MemberKind::Annotator => OF_ANNOTATORS.contains(table),
        MemberKind::Observer => false,
    })
}

/// The FROM clause for the waiting rows of a table that a member may give: `w` waits, `t` is the row; ?1 is her name.
pub(super) fn waiting(what: &str, kind: MemberKind) -> String {
    let join = match SHARED.contains(&(what, true)) {
        true => format!("t.writer = w.writer AND t.seq = w.number AND t.seq <> {MASKED}"),
        false => "t.id = w.number".to_owned(),
    };
    let hers = "(SELECT id FROM annotator WHERE key = ?1)";
    let whose = match (kind, what) {
        (MemberKind::Annotator, "session_event") => {
            format!("t.session IN (SELECT id FROM session WHERE annotator = {hers})")
        }
        // Only a lead brings a study's own protocols.
        (MemberKind::Annotator, "protocol_version") => {
            "(SELECT own = 0 FROM protocol p WHERE p.id = t.protocol) AND ?1 IS NOT NULL".to_owned()
        }
        // Only a lead sends verdicts.
        (MemberKind::Annotator, "act") => format!("t.annotator = {hers} AND t.kind NOT BETWEEN 1 AND 2"),
        (MemberKind::Annotator, _) => format!("t.annotator = {hers}"),
        _ => "?1 IS NOT NULL".to_owned(),
    };
    format!("FROM hub_waits w CROSS JOIN \"{what}\" t ON {join} WHERE w.what = '{what}' AND {whose}")
}

/// Rows of one table to be sent, and the place of the last one.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) events: Vec<SentEvent>,
    pub(super) records: Vec<SentRecord>,
    pub(super) last: Option<(i64, i64)>,
}

/// Roughly the most bytes of a batch.
const MOST_BYTES: usize = 4 << 20;

/// Writes the rows of a study as things for the hub.
pub(super) struct Giver<'c> {
    connection: &'c Connection,
    home: &'c Home,
    tables: Vec<JournalTable>,
    phrases: Phrases<'c>,
    names: GivenNames,
}

/// The names of rows that were looked up before.
#[derive(Default)]
pub(crate) struct GivenNames {
    annotators: HashMap<i64, String>,
    items: FastMap<i64, (Rc<[u8]>, Fingerprint)>,
    versions: HashMap<i64, Fingerprint>,
    /// Keys of sessions, with the names of their annotators.
    sessions: HashMap<i64, (Fingerprint, String)>,
    words: FastMap<Vec<u8>, Rc<[u8]>>,
}

impl<'c> Giver<'c> {
    pub(super) fn new(connection: &'c Connection, home: &'c Home, names: GivenNames) -> Tried<Giver<'c>> {
        Ok(Giver {
            connection,
            home,
            tables: journals(connection)?,
            phrases: Phrases::prepare(connection)?,
            names,
        })
    }

    pub(super) fn into_names(self) -> GivenNames {
        self.names
    }

    /// The waiting rows of a table after this one, at most `most`.
    pub(super) fn batch(&mut self, what: &str, after: (i64, i64), most: usize) -> Tried<Batch> {
        let connection = self.connection;
        if let ("candidate" | "unit" | RANKING, Some(secret)) = (what, self.home.secret.as_deref()) {
            return self.by_alias(what, secret, after, most);
        }
        let journal = self.tables.iter().find(|table| table.name == what).cloned();
        let columns = match &journal {
            Some(table) => table
                .columns
                .iter()
                .map(|column| format!("t.\"{}\"", column.name))
                .collect::<Vec<_>>()
                .join(", "),
            None => "t.id".to_owned(),
        };
        let mut statement = connection.prepare_cached(&format!(
            "SELECT w.writer, w.number, {columns} {} AND (w.writer, w.number) > (?2, ?3)
             ORDER BY w.writer, w.number LIMIT ?4",
            waiting(what, self.home.kind)
        ))?;
        let most = signed(most);
        let mut rows = statement.query(params![self.home.member, after.0, after.1, most])?;
        let (mut batch, mut bytes) = (Batch::default(), 0);
        let mut whole = Vec::new();
        while let Some(row) = rows.next()? {
            batch.last = Some((row.get(0)?, row.get(1)?));
            match (&journal, self.home.kind, what) {
                (Some(table), ..) if table.letter() == ASSIGNMENTS => {
                    let event = self.row(table, row, 2)?;
                    let (letter, masked) = self.masked(&event)?;
                    batch.events.extend(masked);
                    // The server tells everybody how often its indexes were read: only where the hub is to
                    // find an item by its key does the whole assignment name the item.
                    let item = event.item.filter(|_| letter == CALIBRATION);
                    whole.push(SentEvent { journal: letter, item, ..event });
                }
                (Some(table), ..) => batch.events.push(self.row(table, row, 2)?),
                (None, _, "act") => batch.events.extend(self.act(row.get(1)?)?),
                (None, _, "session") => batch.events.push(self.session_row(row.get(1)?)?),
                (None, MemberKind::Annotator, _) => batch.events.push(self.version_row(row.get(1)?)?),
                (None, ..) => batch.records.extend(self.record(what, row.get(1)?)?),
            }
            bytes += batch.events.last().map_or(0, |event| event.body.len())
                + batch.records.last().map_or(0, |record| record.body.len());
            if bytes >= MOST_BYTES {
                break;
            }
        }
        // Masked copies lose the lead's order, which would tell which system is whose. Whole assignments come
        // last: once the hub has one, it has the annotator's copy too.
        if !whole.is_empty() {
            batch.events.sort_by_key(|event| event.writer);
            batch.events.append(&mut whole);
        }
        Ok(batch)
    }

    /// The waiting summaries, points or rankings where systems are hidden: first as all get them, in the order of aliases, since the
    /// lead's order would tell the systems; then as leads get them, in the order of the file.
    fn by_alias(&mut self, what: &str, secret: &[u8], after: (i64, i64), most: usize) -> Tried<Batch> {
        const NAMED_PLACE: i64 = i64::MAX;
        let (named, is_list) = match what {
            "unit" => ("candidate", false),
            RANKING => ("retriever", true),
            _ => ("key", false),
        };
        let select = format!(
            "SELECT t.id, c.key, q.key, t.{named} FROM (SELECT t.* {}) t JOIN query q ON q.id = t.query
             JOIN collection c ON c.id = q.collection",
            waiting(what, self.home.kind)
        );
        let found: Vec<(i64, Option<i64>)> = all_by(self.connection, &select, [&self.home.member], |row| {
            let (collection, query): (String, String) = (row.get(1)?, row.get(2)?);
            let key: Option<String> = row.get(3)?;
            let alias = if is_list { list_alias } else { alias };
            Ok((row.get(0)?, key.map(|key| number_of(&alias(secret, &collection, &query, &key)))))
        })?;
        let hidden = found.iter().filter_map(|(id, alias)| Some(((*alias)?, *id)));
        let mut places: Vec<(i64, i64)> =
            hidden.chain(found.iter().map(|(id, _)| (NAMED_PLACE, *id))).collect();
        places.retain(|place| *place > after);
        places.sort_unstable();
        let (mut batch, mut bytes) = (Batch::default(), 0);
        for (place, id) in places.into_iter().take(most) {
            batch.last = Some((place, id));
            let mut records = self.record(what, id)?.into_iter();
            // A record about no system is the same for all and for leads.
            batch.records.extend(if place == NAMED_PLACE { records.next_back() } else { records.next() });
            bytes += batch.records.last().map_or(0, |record| record.body.len());
            if bytes >= MOST_BYTES {
                break;
            }
        }
        Ok(batch)
    }

    /// The letter under which leads have an assignment, and the masked copy for its annotator; `None` where the hub mixes the
    /// item in itself.
    fn masked(&self, event: &SentEvent) -> Tried<(u8, Option<SentEvent>)> {
        let read = || {
            let (_, mut values) = Values::of(&event.body)?;
            let item = values.stretch(ITEM)?;
            Some((item, Values::bare(item).text()?, values.text()?, values.text()?, values.rest()))
        };
        let (item, protocol, kind, said, rest) = read().ok_or_else(|| damaged("an assignment"))?;
        let terms = serde_json::from_str::<Terms>(said).ok();
        let role = terms.as_ref().map(|terms| terms.role);
        if role == Some(Role::Control) && leases::handed_out(self.connection, protocol)?.is_some() {
            return Ok((WHOLE, None));
        }
        let masked = terms.map_or_else(|| json!({}), |terms| json!(terms.masked())).to_string();
        let mut body = begun(ASSIGNMENTS);
        body.extend_from_slice(item);
        push(&mut body, kind);
        push(&mut body, masked.as_str());
        body.extend_from_slice(rest);
        // The secret is part of the name, so that nobody can try whose assignment it is.
        let secret = self.home.secret.as_deref().unwrap_or_default();
        let named = named_by_body(secret, event.annotator.clone(), ASSIGNMENTS, body);
        let letter = if role == Some(Role::Calibration) { CALIBRATION } else { WHOLE };
        Ok((letter, Some(SentEvent { seq: MASKED, at: event.at, item: event.item.clone(), ..named })))
    }

    /// A row of a journal in the file; `None` if it is not there.
    pub(super) fn sequenced(&mut self, letter: u8, writer: i64, seq: i64) -> Tried<Option<SentEvent>> {
        let connection = self.connection;
        let Some(table) = self.tables.iter().find(|table| table.letter() == letter).cloned() else {
            return Ok(None);
        };
        let mut statement = connection.prepare_cached(&format!(
            "SELECT {} FROM \"{}\" WHERE writer = ?1 AND seq = ?2",
            table.list(),
            table.name
        ))?;
        let mut rows = statement.query([writer, seq])?;
        match rows.next()? {
            Some(row) => Ok(Some(self.row(&table, row, 0)?)),
            None => Ok(None),
        }
    }

    /// Writes a row of a journal whose columns begin at this place.
    fn row(&mut self, table: &JournalTable, row: &Row<'_>, from: usize) -> Tried<SentEvent> {
        let letter = table.letter();
        let mut body = begun(letter);
        let mut event = SentEvent {
            writer: 0,
            seq: 0,
            annotator: NOBODY.to_owned(),
            journal: letter,
            at: None,
            item: None,
            body: Vec::new(),
        };
        for (place, column) in table.columns.iter().enumerate() {
            let value = row.get_ref(from + place)?;
            match (column.name.as_str(), column.refers_to.as_deref()) {
                ("writer", _) => event.writer = value.as_i64()?,
                ("seq", _) => event.seq = value.as_i64()?,
                (_, Some("annotator")) => event.annotator = self.annotator(value.as_i64()?)?,
                (_, Some("item")) => {
                    let (names, key) = self.item(value.as_i64()?)?;
                    body.extend_from_slice(&names);
                    event.item = Some(key.0.to_vec());
                }
                (_, Some("session")) => {
                    let (key, annotator) = self.session(value.as_i64()?)?;
                    push(&mut body, ValueRef::Blob(&key.0));
                    event.annotator = annotator;
                }
                (name, _) => {
                    if name == "at" {
                        event.at = value.as_i64_or_null()?;
                    }
                    push(&mut body, value);
                }
            }
        }
        event.body = body;
        Ok(event)
    }

    /// Writes a row of `act`; `None` without such a row. The events of an import may lie in other rows in
    /// other files, so each of its rows has a name that follows from the row's contents.
    pub(super) fn act(&mut self, id: i64) -> Tried<Option<SentEvent>> {
        let connection = self.connection;
        let mut statement = connection.prepare_cached(
            "SELECT w.key, x.annotator, x.item, x.protocol, x.at, x.active, coalesce(x.texts, i.texts), x.body, x.kind
             FROM act x JOIN item i ON i.id = x.item LEFT JOIN writer w ON w.no = x.id >> 40 WHERE x.id = ?1",
        )?;
        let mut rows = statement.query([id])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let writer: Option<i64> = row.get(0)?;
        let writer = writer.ok_or_else(|| damaged("the writer of an act"))?;
        let (names, key) = self.item(row.get(2)?)?;
        let mut body = names.to_vec();
        push(&mut body, ValueRef::Blob(&self.version(row.get(3)?)?.0));
        for place in 4..7 {
            push(&mut body, row.get_ref(place)?);
        }
        let packed = row.get_ref(7)?.as_blob()?;
        let words = match self.names.words.get(packed) {
            Some(words) => Rc::clone(words),
            None => {
                let mut words = Vec::new();
                for (gap, phrase) in said(&mut self.phrases, packed)? {
                    push_number(&mut words, gap);
                    push(&mut words, phrase.kind.as_str());
                    push(&mut words, phrase.body.as_str());
                }
                let words: Rc<[u8]> = words.into();
                if packed.len() <= SHORT {
                    self.names.words.insert(packed.to_vec(), Rc::clone(&words));
                }
                words
            }
        };
        body.extend_from_slice(&words);
        let event = act_event(Writer(writer), row.get(8)?, self.annotator(row.get(1)?)?, &body);
        Ok(Some(SentEvent { seq: id & NUMBERS, at: row.get(4)?, item: Some(key.0.to_vec()), ..event }))
    }

    fn session_row(&mut self, id: i64) -> Tried<SentEvent> {
        let (key, annotator) = self.session(id)?;
        let mut body = begun(SESSION);
        push(&mut body, ValueRef::Blob(&key.0));
        let select = "SELECT c.key, q.key, s.setup FROM session s JOIN query q ON q.id = s.query
             JOIN collection c ON c.id = q.collection WHERE s.id = ?1";
        one_by(self.connection, select, [id], |row| {
            for place in 0..3 {
                push(&mut body, row.get_ref(place)?);
            }
            Ok(())
        })?;
        Ok(named_by_body(&[], annotator, b's', body))
    }

    /// Writes a version of a built-in protocol as an event, for a member who may send no records.
    fn version_row(&mut self, id: i64) -> Tried<SentEvent> {
        let mut body = begun(VERSION);
        let select =
            "SELECT p.name, v.version, v.file FROM protocol_version v JOIN protocol p ON p.id = v.protocol
             WHERE v.id = ?1";
        one_by(self.connection, select, [id], |row| {
            for place in 0..3 {
                push(&mut body, row.get_ref(place)?);
            }
            Ok(())
        })?;
        Ok(named_by_body(&[], self.home.member.clone(), JUDGMENTS, body))
    }

    /// The records for a row: one, or where systems have aliases two, for everyone and for leads.
    fn record(&mut self, what: &str, id: i64) -> Tried<Vec<SentRecord>> {
        let connection = self.connection;
        let secret = self.home.secret.as_deref();
        let record = match (read::record(connection, what, id)?, what) {
            (Some((shown, original)), _) => original.unwrap_or(shown),
            (None, RANKING) => Record::Ranking(read::ranking(connection, id)?),
            (None, AMENDMENT) => {
                let select = "SELECT record FROM amendment WHERE id = ?1";
                let record: String = one(connection, select, [id])?;
                match serde_json::from_str(&record) {
                    Ok(amendment) => Record::Amendment(amendment),
                    // The newer program that made the amendment gives it.
                    Err(_) => return Ok(Vec::new()),
                }
            }
            (None, _) => return Ok(vec![self.other_record(what, id)?]),
        };
        let hidden = match (&record, secret) {
            (Record::Candidate(open), Some(secret)) => {
                let mut hidden = open.clone();
                hidden.id = alias(secret, &open.collection, &open.query, &open.id);
                (hidden.summarizer, hidden.order) = (None, None);
                // The citations count in a list, which has an alias as well.
                let lists = hidden.retriever.take().filter(|_| hidden.cites.is_some());
                hidden.retriever = lists.map(|name| list_alias(secret, &open.collection, &open.query, &name));
                hidden.meta.clear();
                Some(Record::Candidate(hidden))
            }
            (Record::Ranking(open), Some(secret)) => {
                let retriever = list_alias(secret, &open.collection, &open.query, &open.retriever);
                let mut hidden = RankedList { retriever, ..open.clone() };
                hidden.documents.iter_mut().for_each(|ranked| {
                    *ranked = RankedDocument {
                        document: std::mem::take(&mut ranked.document),
                        ..Default::default()
                    };
                });
                Some(Record::Ranking(hidden))
            }
            (Record::Unit(open), Some(secret)) => open.candidate.as_ref().map(|candidate| {
                let mut hidden = open.clone();
                hidden.candidate = Some(alias(secret, &open.collection, &open.query, candidate));
                Record::Unit(hidden)
            }),
            (Record::Amendment(open), Some(secret)) if open.of == AmendedKind::Candidate => {
                let id = alias(secret, &open.collection, &open.query, &open.id);
                let mut hidden = Amendment { id, ..open.clone() };
                if let Some(RevisedFields(fields)) = &mut hidden.to {
                    fields.retain(|name, _| name == "text");
                }
                Some(Record::Amendment(hidden))
            }
            _ => None,
        };
        let name = record.kind().name();
        match hidden {
            Some(hidden) => Ok(vec![
                sent(Audience::All, name, &hidden)?,
                sent(Audience::Leads, &format!("{NAMED}{name}"), &record)?,
            ]),
            None => {
                let is_whose = match &record {
                    Record::Annotator(_) => true,
                    // Filters and strata may name systems.
                    Record::Amendment(amendment) => {
                        matches!(amendment.of, AmendedKind::Annotator | AmendedKind::Sample)
                    }
                    _ => false,
                };
                let audience = if is_whose { Audience::Leads } else { Audience::All };
                Ok(vec![sent(audience, name, &record)?])
            }
        }
    }

    fn other_record(&mut self, what: &str, id: i64) -> Tried<SentRecord> {
        let (audience, kind, key, body) = match what {
            "protocol_version" => {
                let select = "SELECT p.name, p.own, v.version, v.hash, v.file FROM protocol_version v
                     JOIN protocol p ON p.id = v.protocol WHERE v.id = ?1";
                let (name, own, version, hash, file): (String, bool, u32, Fingerprint, String) =
                    one(self.connection, select, [id])?;
                let body = json!({ "name": name, "own": own, "version": version, "text": file });
                (Audience::All, PROTOCOL_VERSION, hash, body)
            }
            "guideline" => {
                let select =
                    "SELECT v.hash, g.text FROM guideline g JOIN protocol_version v ON v.id = g.version
                     WHERE g.id = ?1";
                let (hash, guideline): (Fingerprint, String) = one(self.connection, select, [id])?;
                let key = fingerprint([&hash.to_string(), &guideline]);
                (Audience::All, GUIDELINE, key, json!({ "of": hash.to_string(), "text": guideline }))
            }
            "handed_out" => {
                let select = "SELECT protocol, terms FROM handed_out WHERE id = ?1";
                let (protocol, terms): (String, String) = one(self.connection, select, [id])?;
                let key = fingerprint([&protocol, &terms]);
                let whole: leases::HandedOut = serde_json::from_str(&terms).unwrap_or_default();
                let audience = if whole == whole.for_all() { Audience::All } else { Audience::Leads };
                (audience, HANDED_OUT, key, json!({ "protocol": protocol, "terms": terms }))
            }
            _ => {
                let select = "SELECT source, content, at FROM import WHERE id = ?1";
                let (source, content, at): (String, Fingerprint, i64) = one(self.connection, select, [id])?;
                let key = fingerprint([&source, &content.to_string(), &at.to_string()]);
                (
                    Audience::Leads,
                    IMPORT,
                    key,
                    json!({ "source": source, "content": content.to_string(), "at": at }),
                )
            }
        };
        Ok(SentRecord {
            audience,
            kind: kind.to_owned(),
            key: key.0.to_vec(),
            body: body.to_string().into_bytes(),
        })
    }

    fn annotator(&mut self, id: i64) -> Tried<String> {
        let select = "SELECT key FROM annotator WHERE id = ?1";
        remembered(&mut self.names.annotators, id, || one(self.connection, select, [id]))
    }

    fn version(&mut self, id: i64) -> Tried<Fingerprint> {
        let select = "SELECT hash FROM protocol_version WHERE id = ?1";
        remembered(&mut self.names.versions, id, || one(self.connection, select, [id]))
    }

    fn session(&mut self, id: i64) -> Tried<(Fingerprint, String)> {
        let select =
            "SELECT s.key, a.key FROM session s JOIN annotator a ON a.id = s.annotator WHERE s.id = ?1";
        remembered(&mut self.names.sessions, id, || one(self.connection, select, [id]))
    }

    /// The names of an item's parts as values of a body, and the item's key.
    pub(super) fn item(&mut self, id: i64) -> Tried<(Rc<[u8]>, Fingerprint)> {
        if let Some(item) = self.names.items.get(&id) {
            return Ok(item.clone());
        }
        let select = "SELECT p.name, i.aside, c.key, q.key, d.key, u.key, k.key, i.bullet, i.key, o.key
             FROM item i JOIN protocol p ON p.id = i.protocol JOIN query q ON q.id = i.query
             JOIN collection c ON c.id = q.collection LEFT JOIN document d ON d.id = i.document
             LEFT JOIN unit u ON u.id = i.unit LEFT JOIN candidate k ON k.id = i.candidate
             LEFT JOIN candidate o ON o.id = i.other WHERE i.id = ?1";
        let found = first_by(self.connection, select, [id], |row| {
            let keys = TargetKeys {
                collection: row.get(2)?,
                query: row.get(3)?,
                document: row.get(4)?,
                unit: row.get(5)?,
                candidate: row.get(6)?,
                bullet: row.get(7)?,
                other: row.get(9)?,
            };
            let (protocol, aside): (String, Option<Aside>) = (row.get(0)?, row.get(1)?);
            Ok((protocol, aside, keys, row.get(8)?))
        })?;
        let (protocol, aside, mut keys, mut key) = found.ok_or_else(|| damaged("an item"))?;
        if let (Some(secret), Some(_)) = (&self.home.secret, &keys.candidate) {
            hide(secret, &mut keys);
            key = keys.item_key_beside(&protocol, aside);
        }
        let mut names = Vec::new();
        push_item(&mut names, &protocol, aside, &keys);
        let item: (Rc<[u8]>, _) = (names.into(), key);
        self.names.items.insert(id, item.clone());
        Ok(item)
    }
}

/// What people did in a file of a hub's member, as rows of a table of theirs with the number of their events. A verdict is a
/// lead's, and stays there.
pub(crate) fn deeds(connection: &Connection, table: &str) -> Tried<Vec<(SentEvent, usize)>> {
    // A version of a protocol is whose it is that brings it.
    let home = Home { member: NOBODY.to_owned(), ..Home::NONE };
    let mut giver = Giver::new(connection, &home, GivenNames::default())?;
    let select = match table {
        "protocol_version" => {
            "SELECT id, 0, 1 FROM protocol_version WHERE protocol IN (SELECT id FROM protocol WHERE own = 0)"
        }
        "session" => "SELECT id, 0, 1 FROM session",
        "session_event" => "SELECT writer, seq, 1 FROM session_event ORDER BY 1, 2",
        _ => "SELECT id, 0, body FROM act WHERE kind NOT BETWEEN 1 AND 2 ORDER BY id",
    };
    let mut statement = connection.prepare(select)?;
    let mut rows = statement.query([])?;
    let mut deeds = Vec::new();
    while let Some(row) = rows.next()? {
        let (first, second) = (row.get(0)?, row.get(1)?);
        let events = row.get_ref(2)?.as_blob().map_or(1, |body| numbered(first, body).count());
        let deed = match table {
            "protocol_version" => Some(giver.version_row(first)?),
            "session" => Some(giver.session_row(first)?),
            "session_event" => giver.sequenced(b's', first, second)?,
            _ => giver.act(first)?,
        };
        deeds.extend(deed.map(|deed| (deed, events)));
    }
    Ok(deeds)
}

/// The value of a row, known or read now.
fn remembered<V: Clone>(known: &mut HashMap<i64, V>, id: i64, read: impl FnOnce() -> Tried<V>) -> Tried<V> {
    if let Some(known) = known.get(&id) {
        return Ok(known.clone());
    }
    let found = read()?;
    known.insert(id, found.clone());
    Ok(found)
}

/// An act as an event; `said` is its body without the beginning, which is a name that tells the hub an answer
/// from a verdict, or the writer of an import.
pub(crate) fn act_event(writer: Writer, kind: ActKind, annotator: String, said: &[u8]) -> SentEvent {
    let (name, journal) = match kind {
        ActKind::Imported => {
            let mut body = begun(IMPORTED);
            push_number(&mut body, writer.0);
            body.extend_from_slice(said);
            return named_by_body(&[], annotator, JUDGMENTS, body);
        }
        ActKind::ImportedVerdict | ActKind::Verdict => (ADJUDICATE, VERDICT),
        ActKind::Answer => (ANSWER, JUDGMENTS),
        ActKind::Step => ("step", JUDGMENTS),
    };
    let mut body = begun(JUDGMENTS);
    push(&mut body, name);
    body.extend_from_slice(said);
    SentEvent { writer: writer.0, seq: 1, annotator, journal, at: None, item: None, body }
}

/// An event whose writer is no opening of a file, but follows from body, annotator and any secret.
fn named_by_body(secret: &[u8], annotator: String, journal: u8, body: Vec<u8>) -> SentEvent {
    let mut hashing = Hashing::default();
    hashing.add(secret);
    hashing.add(annotator.as_bytes());
    hashing.add(&[0]);
    hashing.add(&body);
    let Writer(writer) = Writer::derived(hashing.finish());
    SentEvent { writer, seq: 1, annotator, journal, at: None, item: None, body }
}

/// Writes the names of an item's parts into a body.
pub(crate) fn push_item(body: &mut Vec<u8>, protocol: &str, aside: Option<Aside>, keys: &TargetKeys) {
    push(body, protocol);
    push(body, aside.map(Aside::name));
    push(body, keys.collection.as_str());
    push(body, keys.query.as_str());
    for part in [&keys.document, &keys.unit, &keys.candidate] {
        push(body, part.as_deref());
    }
    // A pair has no bullets: the name of its other candidate stands in the bullet's place.
    match &keys.other {
        Some(other) => push(body, other.as_str()),
        None => push(body, keys.bullet.map_or(ValueRef::Null, |bullet| ValueRef::Integer(bullet.into()))),
    }
}

/// Puts aliases in the places of candidates' keys.
pub(super) fn hide(secret: &[u8], keys: &mut TargetKeys) {
    for candidate in keys.candidate.iter_mut().chain(&mut keys.other) {
        *candidate = alias(secret, &keys.collection, &keys.query, candidate);
    }
}

/// The number of values that name an item.
pub(super) const ITEM: usize = 8;

/// The longest packed body whose words are remembered, in bytes.
const SHORT: usize = 64;

fn damaged(what: &str) -> Fault {
    Error::damaged(format!("{what} is lost"))
        .advise("`haymark check` says what is wrong with the study, and how to save the rest")
        .into()
}

/// A record of the corpus, with a key that is the same in every file.
fn sent(audience: Audience, kind: &str, record: &Record) -> Tried<SentRecord> {
    let body = serde_json::to_vec(record)
        .map_err(|error| Error::new(format!("a record cannot be written as JSON: {error}")))?;
    let key = match record {
        Record::Ranking(one) => fingerprint([&one.collection, &one.query, &one.retriever]),
        Record::Amendment(_) => fingerprint([&String::from_utf8_lossy(&body)]),
        _ => fingerprint(record.keys().into_iter().flatten().filter(|key| !key.is_empty())),
    };
    Ok(SentRecord { audience, kind: kind.to_owned(), key: key.0.to_vec(), body })
}
