//! Merging acts: each file numbers and packs its rows in its own way, so they are taken event by event.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use rusqlite::{CachedStatement, Connection, params};

use super::journal::EventCount;
use super::{Came, MergeMode, Merger, Tried, sound};
use crate::journal::Writer;
use crate::store::file::bulk::TOGETHER;
use crate::store::file::schema::ActTrigger;
use crate::store::journal::acts::{
    ActKind, ActWriter, Acts, BITS, NUMBERS, SPAN, WaitingAct, lost_writer, numbered, said,
};
use crate::store::journal::packed::{self, PackedPart};
use crate::store::journal::phrases::{Phrase, Phrases};
use crate::study::{AnnotatorId, ItemId};
use crate::text::fast::FastMap;
use crate::text::hash::Fingerprint;

const KIND: &str = "event";

const THEIRS: &str =
    "SELECT x.id, w.key, x.annotator, x.item, x.protocol, x.at, x.active, coalesce(x.texts, i.texts), x.body
    FROM act x LEFT JOIN writer w ON w.no = x.id >> 40 LEFT JOIN item i ON i.id = x.item";

/// The longest body whose words are remembered, in bytes.
const SHORT: usize = 64;

/// The most rows that wait to be written.
const MANY: usize = 64 * TOGETHER;

/// A row of `act`, in the numbers of this file.
pub(in crate::store) struct RowHere {
    pub(in crate::store) writer: Writer,
    pub(in crate::store) first: i64,
    pub(in crate::store) annotator: i64,
    pub(in crate::store) item: i64,
    pub(in crate::store) protocol: i64,
    pub(in crate::store) at: Option<i64>,
    pub(in crate::store) active: i64,
    pub(in crate::store) texts: Fingerprint,
}

impl RowHere {
    /// The number of the last event.
    pub(in crate::store) fn last(&self, words: &RowWords) -> i64 {
        words.said.iter().fold(self.first, |number, (gap, _)| number.saturating_add(*gap))
    }
}

/// The words of a row, packed with the phrases of this file.
#[derive(Clone)]
pub(in crate::store) struct RowWords {
    pub(in crate::store) body: Vec<u8>,
    pub(in crate::store) said: Rc<[(i64, Rc<Phrase>)]>,
    /// Whether all of it can be read.
    pub(in crate::store) is_whole: bool,
}

impl RowWords {
    /// The kind of an act of this writer.
    pub(in crate::store) fn kind(&self, writer: Writer) -> ActKind {
        ActKind::of(writer, self.said.iter().map(|(_, phrase)| phrase.kind.as_str()))
    }
}

impl Merger<'_> {
    /// Brings in the acts of the other file; returns the counts of events by annotator.
    pub(super) fn acts(&mut self) -> Tried<BTreeMap<AnnotatorId, EventCount>> {
        let mut events: BTreeMap<AnnotatorId, EventCount> = BTreeMap::new();
        let theirs = &self.other.connection;
        let wanted = self.where_only("x.annotator");
        let mut statement = self.theirs(theirs.prepare(&format!("{THEIRS} {wanted} ORDER BY x.id")))?;
        let mut rows = self.theirs(statement.query([]))?;
        let mut words = Dictionary { theirs: Phrases::prepare(theirs)?, known: FastMap::default() };
        let mut ours = Ours::prepare(self.connection)?;
        let [annotators, items, versions] =
            ["annotator", "item", "protocol_version"].map(|table| self.rows.of(table).clone());
        let is_looked_at = self.mode != MergeMode::Salvage;
        let mut passing = sound::Passing::default();
        while let Some(row) = self.theirs(rows.next())? {
            let (id, key): (i64, Option<i64>) = (self.theirs(row.get(0))?, self.theirs(row.get(1))?);
            let first = id & NUMBERS;
            let about: [i64; 3] =
                self.theirs((|| Ok::<_, rusqlite::Error>([row.get(2)?, row.get(3)?, row.get(4)?]))())?;
            let writer = key.map_or_else(|| lost_writer(id >> BITS), Writer);
            let name = |number: i64| format!("event of writer {writer}, number {number}");
            if is_looked_at && self.only.is_none() {
                if let Some(what) = passing.see([id >> BITS, first, about[0], about[1]]) {
                    return self.damaged(&what);
                }
                if key.is_none() {
                    return self.damaged(&format!("the writer of event {first} is lost"));
                }
            }
            let [of, on, under] = about;
            let mapped = [
                (&annotators, of, "annotator"),
                (&items, on, "item"),
                (&versions, under, "protocol version"),
            ];
            let found = mapped.map(|(rows, theirs, _)| rows.get(&theirs).copied());
            let [Some(annotator), Some(item), Some(protocol)] = found else {
                let missing = mapped.iter().zip(found).find(|(_, found)| found.is_none());
                let to = missing.map_or("row", |((.., to), _)| *to);
                if self.only.is_none() {
                    self.clash(KIND, format!("{} refers to a {to} that does not come over", name(first)));
                }
                continue;
            };
            let texts: Option<[u8; 16]> = self.theirs(row.get(7))?;
            let (at, active) = (self.theirs(row.get(5))?, self.theirs(row.get(6))?);
            let texts = Fingerprint(texts.unwrap_or_default());
            let row_here = RowHere { writer, first, annotator, item, protocol, at, active, texts };
            let Some(body) = row.get_ref(8).ok().and_then(|body| body.as_blob().ok()) else {
                return self.damaged(&format!("{} cannot be read", name(first)));
            };
            let words = words.of(body, &mut ours.acts.phrases)?;
            let came = ours.take(&row_here, &words)?;
            if is_looked_at && !words.is_whole && came.new > 0 {
                return self.damaged(&format!("{} cannot be read", name(first)));
            }
            for (number, column) in came.clashes {
                self.clash(KIND, format!("{} is in the study with another {column:?}", name(number)));
            }
            self.count_several(KIND, Came::New, came.new);
            self.count_several(KIND, Came::Known, came.known);
            let count = events.entry(AnnotatorId(annotator)).or_default();
            count.new += came.new;
            count.known += came.known;
        }
        ours.finish()?;
        let is_indexed = || passing.is_indexed(&self.other.connection);
        if is_looked_at && self.only.is_none() && !self.theirs(is_indexed())? {
            return self.damaged("events and their index name different annotators, items or numbers");
        }
        Ok(events)
    }
}

/// The bodies of the other file in the words of this one.
struct Dictionary<'t> {
    theirs: Phrases<'t>,
    known: FastMap<Vec<u8>, Rc<RowWords>>,
}

impl Dictionary<'_> {
    fn of(&mut self, body: &[u8], ours: &mut Phrases<'_>) -> Tried<Rc<RowWords>> {
        if let Some(words) = self.known.get(body) {
            return Ok(Rc::clone(words));
        }
        let said = said(&mut self.theirs, body)?;
        let is_whole = packed::is_whole(body) && said.iter().all(|(_, phrase)| phrase.is_readable());
        let mut here = packed::empty();
        for (gap, phrase) in &said {
            let said = ours.said(&phrase.kind, &phrase.body)?;
            packed::push(&mut here, &PackedPart { gap: *gap, said });
        }
        let words = Rc::new(RowWords { body: here, said: said.into(), is_whole });
        if body.len() <= SHORT {
            self.known.insert(body.to_vec(), Rc::clone(&words));
        }
        Ok(words)
    }
}

/// The outcome of the events of a row.
#[derive(Default)]
pub(in crate::store) struct RowOutcome {
    pub(in crate::store) new: usize,
    pub(in crate::store) known: usize,
    /// The numbers of events that differ, each with the column.
    pub(in crate::store) clashes: Vec<(i64, &'static str)>,
}

/// The acts in this file.
pub(in crate::store) struct Ours<'c> {
    connection: &'c Connection,
    pub(in crate::store) acts: Acts<'c>,
    /// Writers that the study did not have before, each with the number of its last event: no later number can be known.
    new_writers: FastMap<Writer, i64>,
    /// The rows of a range of numbers.
    near: CachedStatement<'c>,
    insert: ActWriter<'c>,
    /// Rows that [`Ours::write`] has still to write.
    waiting: Vec<WaitingAct<Vec<u8>>>,
    watch: ActTrigger,
}

/// An event in this file.
struct Here {
    row: [i64; 3],
    at: Option<i64>,
    texts: Fingerprint,
    phrase: Rc<Phrase>,
    active: i64,
}

impl<'c> Ours<'c> {
    pub(in crate::store) fn prepare(connection: &'c Connection) -> Tried<Ours<'c>> {
        Ok(Ours {
            connection,
            acts: Acts::prepare(connection)?,
            new_writers: FastMap::default(),
            near: connection.prepare_cached(
                "SELECT x.id, x.annotator, x.item, x.protocol, x.at, coalesce(x.texts, i.texts), x.body, x.active
                 FROM act x JOIN item i ON i.id = x.item WHERE x.id BETWEEN ?1 AND ?2",
            )?,
            insert: ActWriter::prepare(connection)?,
            waiting: Vec::new(),
            watch: ActTrigger::default(),
        })
    }

    /// Brings in the events of a row that are not here; [`Ours::write`] has to follow.
    pub(in crate::store) fn take(&mut self, row: &RowHere, words: &RowWords) -> Tried<RowOutcome> {
        let kind = words.kind(row.writer);
        let last = match self.new_writers.get(&row.writer) {
            Some(last) => Some(*last),
            None => self.acts.writers.find(self.connection, row.writer)?.is_none().then_some(-1),
        };
        if last.is_some_and(|last| last < row.first) {
            self.new_writers.insert(row.writer, row.last(words));
            self.put(row, (row.first, row.active), (kind, &words.body))?;
            return Ok(RowOutcome { new: words.said.len(), ..RowOutcome::default() });
        }
        // A waiting row may hold the same events.
        self.write()?;
        if self.is_here(row, words)? {
            return Ok(RowOutcome { known: words.said.len(), ..RowOutcome::default() });
        }
        let here = self.here(row, words)?;
        let mut outcome = RowOutcome::default();
        let (mut number, mut last) = (row.first, 0);
        let mut missing: Option<(i64, Vec<u8>)> = None;
        for (gap, phrase) in words.said.iter() {
            number += gap;
            if let Some(known) = here.get(&number) {
                let active = if number == row.first { row.active } else { 0 };
                match known.other(row, active, phrase) {
                    None => outcome.known += 1,
                    Some(column) => outcome.clashes.push((number, column)),
                }
                continue;
            }
            outcome.new += 1;
            let (_, body) = missing.get_or_insert_with(|| {
                last = number;
                (number, packed::empty())
            });
            let said = self.acts.phrases.said(&phrase.kind, &phrase.body)?;
            packed::push(body, &PackedPart { gap: number - last, said });
            last = number;
        }
        if let Some((first, body)) = missing {
            let active = if first == row.first { row.active } else { 0 };
            self.put(row, (first, active), (kind, &body))?;
        }
        Ok(outcome)
    }

    /// Whether this file has the same row, as with nearly all rows that both files have.
    fn is_here(&mut self, row: &RowHere, words: &RowWords) -> Tried<bool> {
        let writer = self.acts.writers.keep(self.connection, row.writer)?;
        let id = writer << BITS | row.first;
        let mut rows = self.near.query([id, id])?;
        let Some(here) = rows.next()? else {
            return Ok(false);
        };
        let texts: Option<[u8; 16]> = here.get(5)?;
        let about: [i64; 3] = [here.get(1)?, here.get(2)?, here.get(3)?];
        let at: Option<i64> = here.get(4)?;
        Ok(about == [row.annotator, row.item, row.protocol]
            && at == row.at
            && texts.is_some_and(|texts| texts == row.texts.0)
            && here.get_ref(6)?.as_blob()? == words.body
            && (row.writer.0 < 0 || here.get::<_, i64>(7)? == row.active))
    }

    /// The events of the row's writer around its numbers.
    fn here(&mut self, row: &RowHere, words: &RowWords) -> Tried<HashMap<i64, Here>> {
        let writer = self.acts.writers.keep(self.connection, row.writer)?;
        let last = row.last(words);
        let low = (row.first - SPAN).max(0);
        let mut found = HashMap::new();
        let mut rows = self.near.query(params![writer << BITS | low, writer << BITS | last])?;
        while let Some(near) = rows.next()? {
            let mut active = near.get(7)?;
            let texts: Option<[u8; 16]> = near.get(5)?;
            for (number, part) in numbered(near.get(0)?, near.get_ref(6)?.as_blob()?) {
                let active = std::mem::take(&mut active);
                if let Some(part) = part
                    && number >= row.first
                {
                    let here = Here {
                        row: [near.get(1)?, near.get(2)?, near.get(3)?],
                        at: near.get(4)?,
                        texts: Fingerprint(texts.unwrap_or_default()),
                        phrase: self.acts.phrases.of(&part)?,
                        active,
                    };
                    found.insert(number, here);
                }
            }
        }
        Ok(found)
    }

    fn put(
        &mut self,
        row: &RowHere,
        (first, active): (i64, i64),
        (kind, body): (ActKind, &[u8]),
    ) -> Tried<()> {
        let writer = self.acts.writers.keep(self.connection, row.writer)?;
        let texts = self.acts.own_texts(ItemId(row.item), row.texts, kind)?;
        let id = writer << BITS | first;
        self.watch.leave(self.connection)?;
        let about = [row.annotator, row.item, row.protocol];
        self.waiting.push(WaitingAct { id, about, kind, at: row.at, active, texts, body: body.to_vec() });
        if self.waiting.len() >= MANY { self.write() } else { Ok(()) }
    }

    /// Writes the waiting rows, and puts the trigger back.
    pub(in crate::store) fn finish(&mut self) -> Tried<()> {
        self.write()?;
        Ok(self.watch.come_back(self.connection)?)
    }

    /// Writes the waiting rows.
    pub(in crate::store) fn write(&mut self) -> Tried<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.insert.write(&self.waiting, |body| body)?;
        self.waiting.clear();
        Ok(())
    }
}

impl Here {
    /// The first column in which the other file's copy of this event differs. The active time of an imported judgment may: it
    /// stands with the first of its events that said something new where it was imported.
    fn other(&self, row: &RowHere, active: i64, phrase: &Phrase) -> Option<&'static str> {
        [
            (self.phrase.kind == phrase.kind, "kind"),
            (self.row[0] == row.annotator, "annotator"),
            (self.row[1] == row.item, "item"),
            (self.row[2] == row.protocol, "protocol"),
            (self.phrase.body == phrase.body, "body"),
            (self.at == row.at, "at"),
            (row.writer.0 < 0 || self.active == active, "active"),
            (self.texts == row.texts, "texts"),
        ]
        .into_iter()
        .find_map(|(is_same, column)| (!is_same).then_some(column))
    }
}
