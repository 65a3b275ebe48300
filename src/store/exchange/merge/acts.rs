//! Merging acts event by event: each file numbers and packs rows of acts in its own way.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use rusqlite::{CachedStatement, Connection, params};

use super::{MergeCount, MergeMode, Merger, Tried, sound};
use crate::journal::Writer;
use crate::store::file::{ActTrigger, TOGETHER};
use crate::store::journal::{
    ActKind, ActWriter, Acts, BITS, NUMBERS, PackedPart, Phrase, Phrases, SPAN, WaitingAct, lost_writer,
    numbered, packed, said,
};
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
#[derive(Clone, Copy)]
pub(crate) struct RowHere {
    pub(crate) writer: Writer,
    pub(crate) first: i64,
    pub(crate) annotator: i64,
    pub(crate) item: i64,
    pub(crate) protocol: i64,
    pub(crate) at: Option<i64>,
    pub(crate) active: i64,
    pub(crate) texts: Fingerprint,
}

impl RowHere {
    /// The number of the last event.
    pub(crate) fn last(&self, words: &RowWords) -> i64 {
        words.said.iter().fold(self.first, |number, (gap, _)| number.saturating_add(*gap))
    }
}

/// The words of a row, packed with the phrases of this file.
#[derive(Clone)]
pub(crate) struct RowWords {
    pub(crate) body: Vec<u8>,
    pub(crate) said: Rc<[(i64, Rc<Phrase>)]>,
}

impl RowWords {
    /// Packs these events, each with its gap.
    pub(crate) fn pack(said: Vec<(i64, Rc<Phrase>)>, phrases: &mut Phrases<'_>) -> Tried<RowWords> {
        let mut body = packed::empty();
        for (gap, phrase) in &said {
            packed::push(
                &mut body,
                &PackedPart { gap: *gap, said: phrases.said(&phrase.kind, &phrase.body)? },
            );
        }
        Ok(RowWords { body, said: said.into() })
    }

    /// Whether the events are numbered as those of one row: each behind the one before, and all near the first.
    pub(crate) fn are_numbered(&self) -> bool {
        let mut gaps = self.said.iter().map(|(gap, _)| *gap);
        let next = |last: i64, gap| (1..SPAN - last).contains(&gap).then_some(last + gap);
        gaps.next() == Some(0) && gaps.try_fold(0, next).is_some()
    }

    /// The kind of an act with these words of this writer.
    pub(crate) fn kind(&self, writer: Writer) -> ActKind {
        ActKind::of(writer, self.said.iter().map(|(_, phrase)| phrase.kind.as_str()))
    }
}

impl Merger<'_> {
    /// Brings in the acts of the other file; returns the counts of events by annotator.
    pub(super) fn acts(&mut self) -> Tried<BTreeMap<AnnotatorId, MergeCount>> {
        let mut events: BTreeMap<AnnotatorId, MergeCount> = BTreeMap::new();
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
            let texts: Option<Fingerprint> = self.theirs(row.get(7))?;
            let (at, active) = (self.theirs(row.get(5))?, self.theirs(row.get(6))?);
            let texts = texts.unwrap_or_default();
            let row_here = RowHere { writer, first, annotator, item, protocol, at, active, texts };
            let Some(body) = row.get_ref(8).ok().and_then(|body| body.as_blob().ok()) else {
                return self.damaged(&format!("{} cannot be read", name(first)));
            };
            let (words, is_whole) = words.of(body, &mut ours.acts.phrases)?;
            let came = ours.take(&row_here, &words)?;
            if is_looked_at && !is_whole && came.new > 0 {
                return self.damaged(&format!("{} cannot be read", name(first)));
            }
            for (number, column) in came.clashes {
                self.clash(KIND, format!("{} is in the study with another {column:?}", name(number)));
            }
            let count = MergeCount { new: came.new, known: came.known, clashing: 0 };
            self.add(KIND, count);
            *events.entry(AnnotatorId(annotator)).or_default() += count;
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
    known: FastMap<Vec<u8>, (RowWords, bool)>,
}

impl Dictionary<'_> {
    /// The words of a body, and whether all of it can be read.
    fn of(&mut self, body: &[u8], ours: &mut Phrases<'_>) -> Tried<(RowWords, bool)> {
        if let Some(words) = self.known.get(body) {
            return Ok(words.clone());
        }
        let words = RowWords::pack(said(&mut self.theirs, body)?, ours)?;
        let is_whole = packed::is_whole(body)
            && words.are_numbered()
            && words.said.iter().all(|(_, phrase)| phrase.is_readable());
        if body.len() <= SHORT {
            self.known.insert(body.to_vec(), (words.clone(), is_whole));
        }
        Ok((words, is_whole))
    }
}

/// The outcome of the events of a row.
#[derive(Default)]
pub(crate) struct RowOutcome {
    pub(crate) new: usize,
    pub(crate) known: usize,
    /// The numbers of events that differ, each with the column.
    pub(crate) clashes: Vec<(i64, &'static str)>,
}

/// The acts in this file.
pub(crate) struct Ours<'c> {
    connection: &'c Connection,
    pub(crate) acts: Acts<'c>,
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
    pub(crate) fn prepare(connection: &'c Connection) -> Tried<Ours<'c>> {
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
    pub(crate) fn take(&mut self, row: &RowHere, words: &RowWords) -> Tried<RowOutcome> {
        let last = match self.new_writers.get(&row.writer) {
            Some(last) => Some(*last),
            None => self.acts.writers.find(self.connection, row.writer)?.is_none().then_some(-1),
        };
        if last.is_some_and(|last| last < row.first) {
            self.new_writers.insert(row.writer, row.last(words));
            self.put(row, words)?;
            return Ok(RowOutcome { new: words.said.len(), ..RowOutcome::default() });
        }
        // A waiting row may hold the same events.
        self.write()?;
        if self.is_here(row, words)? {
            return Ok(RowOutcome { known: words.said.len(), ..RowOutcome::default() });
        }
        let here = self.here(row, words)?;
        let mut outcome = RowOutcome::default();
        let (mut number, mut missing) = (row.first, Vec::new());
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
            missing.push((number, Rc::clone(phrase)));
        }
        if let Some((first, _)) = missing.first() {
            let active = if *first == row.first { row.active } else { 0 };
            let part = RowHere { first: *first, active, ..*row };
            let mut last = *first;
            let gaps = missing
                .into_iter()
                .map(|(number, phrase)| (number - std::mem::replace(&mut last, number), phrase));
            let words = RowWords::pack(gaps.collect(), &mut self.acts.phrases)?;
            self.put(&part, &words)?;
        }
        Ok(outcome)
    }

    /// Whether this file has the same row, as with nearly all rows that both files have.
    fn is_here(&mut self, row: &RowHere, words: &RowWords) -> Tried<bool> {
        let writer = self.acts.writers.keep(self.connection, row.writer)?;
        let id = writer << BITS | row.first;
        let mut rows = self.near.query([id, id])?;
        let Some(here) = rows.next()? else { return Ok(false) };
        let texts: Option<Fingerprint> = here.get(5)?;
        let about: [i64; 3] = [here.get(1)?, here.get(2)?, here.get(3)?];
        let at: Option<i64> = here.get(4)?;
        Ok(about == [row.annotator, row.item, row.protocol]
            && at == row.at
            && texts == Some(row.texts)
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
            let texts: Option<Fingerprint> = near.get(5)?;
            for (number, part) in numbered(near.get(0)?, near.get_ref(6)?.as_blob()?) {
                let active = std::mem::take(&mut active);
                if let Some(part) = part
                    && number >= row.first
                {
                    let here = Here {
                        row: [near.get(1)?, near.get(2)?, near.get(3)?],
                        at: near.get(4)?,
                        texts: texts.unwrap_or_default(),
                        phrase: self.acts.phrases.of(&part)?,
                        active,
                    };
                    found.insert(number, here);
                }
            }
        }
        Ok(found)
    }

    /// Keeps a row to be written, under the kind of its events.
    fn put(&mut self, row: &RowHere, words: &RowWords) -> Tried<()> {
        let RowHere { writer, first, annotator, item, protocol, at, active, texts } = *row;
        let (writer, kind) = (self.acts.writers.keep(self.connection, writer)?, words.kind(writer));
        let texts = self.acts.own_texts(ItemId(item), texts, kind)?;
        let (id, about) = (writer << BITS | first, [annotator, item, protocol]);
        self.watch.leave(self.connection)?;
        self.waiting.push(WaitingAct { id, about, kind, at, active, texts, body: words.body.clone() });
        if self.waiting.len() >= MANY { self.write() } else { Ok(()) }
    }

    /// Writes the waiting rows, and puts the trigger back.
    pub(crate) fn finish(&mut self) -> Tried<()> {
        self.write()?;
        Ok(self.watch.come_back(self.connection)?)
    }

    /// Writes the waiting rows.
    pub(crate) fn write(&mut self) -> Tried<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.insert.write(&self.waiting, |body| body)?;
        self.waiting.clear();
        Ok(())
    }
}

impl Here {
    /// The first column in which the other file's copy of this event differs. The active time of an imported judgment may
    /// differ: it stands with the judgment's first event that was new to the file of the import.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_events_of_a_row_ascend_from_its_number() {
        let are_numbered = |gaps: &[i64]| {
            let said = gaps.iter().map(|gap| (*gap, Rc::new(Phrase::new("flag", "true"))));
            RowWords { body: packed::empty(), said: said.collect() }.are_numbered()
        };
        assert!(are_numbered(&[0]) && are_numbered(&[0, 1, 1]) && are_numbered(&[0, 200, 55]));
        for wrong in [&[][..], &[1], &[-1], &[0, 0], &[0, -1], &[0, 256], &[0, 200, 56], &[0, i64::MAX, 1]] {
            assert!(!are_numbered(wrong), "{wrong:?}");
        }
    }
}
