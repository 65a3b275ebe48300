//! The caches over the journal: standings with their answers, the marks in queues, and counters.
//!
//! A cache is written in the transaction that appends the events, always from the pure fold, and can be made
//! anew from the journal with the same result.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use rusqlite::{CachedStatement, Connection, OptionalExtension, params};

use super::log::PairActs;
use super::{Log, PackedPart, Phrases, amend, log, packed};
use crate::error::Result;
use crate::journal::{Event, EventId, Happening, ItemState, Progress, Standing, judging};
use crate::protocol::{Answers, Protocol};
use crate::store::corpus::protocols::QuestionRows;
use crate::store::corpus::{Counting, protocols};
use crate::store::file::{
    Bulk, LONG_PATIENCE, ProtocolId, StudyFile, TOGETHER, Tried, all, all_by, change, count, first_by, one,
};
use crate::study::{AnnotatorId, ItemId};
use crate::text::fast::FastMap;
use crate::text::hash::Fingerprint;

impl StudyFile {
    /// Makes every cache anew from the journal.
    pub fn rebuild_caches(&mut self) -> Result<()> {
        self.write(LONG_PATIENCE, |transaction| rebuild(transaction))
    }
}

/// The number by which a state is stored.
pub(crate) fn state_code(state: ItemState) -> i64 {
    match state {
        ItemState::Open => 0,
        ItemState::Judged => 1,
        ItemState::Skipped => 2,
    }
}

/// The state of a stored number.
pub(crate) fn state_of(code: i64) -> ItemState {
    match code {
        1 => ItemState::Judged,
        2 => ItemState::Skipped,
        _ => ItemState::Open,
    }
}

/// The statements that keep the caches, prepared once a transaction.
pub(super) struct Caches<'c> {
    connection: &'c Connection,
    questions: QuestionRows,
    /// The queues that there are: most imported judgments belong to none.
    queues: HashSet<(AnnotatorId, ProtocolId)>,
    phrases: Phrases<'c>,
    /// Numbers of versions that are not the current ones.
    versions: HashMap<Fingerprint, u32>,
    stand: CachedStatement<'c>,
    find_in_queue: CachedStatement<'c>,
    mark_in_queue: CachedStatement<'c>,
    count: CachedStatement<'c>,
    counting: Rc<Counting>,
    is_out: CachedStatement<'c>,
}

impl<'c> Caches<'c> {
    pub(crate) fn prepare(connection: &'c Connection, counting: &Rc<Counting>) -> Tried<Caches<'c>> {
        Ok(Caches {
            connection,
            questions: QuestionRows::default(),
            queues: all(connection, "SELECT annotator, protocol FROM progress", [])?,
            phrases: Phrases::prepare(connection)?,
            versions: HashMap::new(),
            stand: connection.prepare_cached(
                "REPLACE INTO standing
                   (annotator, item, state, flagged, skipped, active, at, comment, version, answers, is_outdated)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            )?,
            find_in_queue: connection.prepare_cached(
                "SELECT position, state, flagged FROM queue INDEXED BY queue_of_item
                 WHERE annotator = ?1 AND item = ?2",
            )?,
            mark_in_queue: connection.prepare_cached(
                "UPDATE queue SET state = ?4, flagged = ?5
                 WHERE annotator = ?1 AND protocol = ?2 AND position = ?3",
            )?,
            count: connection.prepare_cached(
                "UPDATE progress SET judged = judged + ?3, skipped = skipped + ?4, flagged = flagged + ?5
                 WHERE annotator = ?1 AND protocol = ?2",
            )?,
            counting: Rc::clone(counting),
            is_out: connection.prepare_cached("SELECT 1 FROM withdrawn WHERE what = 'item' AND id = ?1")?,
        })
    }

    /// Writes the standing of an annotator on an item after its journal has grown, if it counts, and marks the item in her
    /// queue; `under` is the current version of the protocol. Judgments beside the study are in the journal only.
    pub(crate) fn keep(
        &mut self,
        annotator: AnnotatorId,
        (item, is_aside): (ItemId, bool),
        under: (ProtocolId, &Protocol),
        after: &Standing,
    ) -> Tried<()> {
        let annotator = self.person(annotator);
        if !is_aside && self.counts(annotator, item)? {
            let cached = self.cached(under, after)?;
            self.stand.execute(params![
                annotator,
                item,
                cached.state,
                cached.flagged,
                cached.skipped,
                after.active,
                after.at,
                cached.comment,
                cached.version,
                cached.answers,
                cached.is_outdated,
            ])?;
        }
        self.mark(annotator, item, under.0, (after.state(under.1), after.flagged))
    }

    /// The contents of a row of `standing`, without annotator, item, time and duration.
    pub(crate) fn cached(
        &mut self,
        (protocol, current): (ProtocolId, &Protocol),
        standing: &Standing,
    ) -> Tried<Cached> {
        Ok(Cached {
            state: state_code(standing.state(current)),
            is_outdated: standing.is_outdated.then_some(true),
            flagged: standing.flagged,
            skipped: standing.skipped,
            comment: Some(standing.comment.clone()).filter(|comment| !comment.is_empty()),
            version: self.version(current, standing)?,
            answers: self.packed(protocol, &standing.answers)?,
            is_dated: standing.judged_under.is_some(),
        })
    }

    /// The answers packed for a row, by question; `None` where there are none.
    fn packed(&mut self, protocol: ProtocolId, answers: &Answers) -> Tried<Option<Vec<u8>>> {
        if answers.is_empty() {
            return Ok(None);
        }
        let mut packed = packed::empty();
        for (question, answer) in answers {
            self.questions.id(self.connection, protocol, question)?;
            let happening = Happening::Answer { question: question.clone(), answer: answer.clone() };
            let body = happening.body().to_string();
            let said = self.phrases.said(happening.kind(), &body)?;
            packed::push(&mut packed, &PackedPart { gap: 0, said });
        }
        Ok(Some(packed))
    }

    /// The number of the version under which the answers were given, if there are any.
    fn version(&mut self, current: &Protocol, standing: &Standing) -> Tried<Option<u32>> {
        let Some((under, _)) = standing.judged_under.filter(|_| !standing.answers.is_empty()) else {
            return Ok(None);
        };
        if standing.earlier_version.is_some() {
            return Ok(standing.earlier_version);
        }
        if under == current.hash {
            return Ok(Some(current.version));
        }
        if let Some(number) = self.versions.get(&under) {
            return Ok(Some(*number));
        }
        let number = one(self.connection, "SELECT version FROM protocol_version WHERE hash = ?1", [under.0])?;
        self.versions.insert(under, number);
        Ok(Some(number))
    }

    /// The person behind a name.
    pub(crate) fn person(&self, annotator: AnnotatorId) -> AnnotatorId {
        self.counting.person(annotator)
    }

    /// Whether events of the person on the item count.
    fn counts(&mut self, person: AnnotatorId, item: ItemId) -> Tried<bool> {
        Ok(self.counting.has(person) && !self.is_out.exists([item])?)
    }

    /// Whether the annotator has a queue under the protocol.
    pub(crate) fn has_queue(&self, annotator: AnnotatorId, protocol: ProtocolId) -> bool {
        !self.queues.is_empty() && self.queues.contains(&(annotator, protocol))
    }

    /// Marks the item in a person's queue, if it is there, and updates the counters.
    fn mark(
        &mut self,
        annotator: AnnotatorId,
        item: ItemId,
        protocol: ProtocolId,
        after: (ItemState, bool),
    ) -> Tried<()> {
        if !self.queues.contains(&(annotator, protocol)) {
            return Ok(());
        }
        let found = self
            .find_in_queue
            .query_row(params![annotator.0, item.0], |row| {
                Ok((row.get(0)?, (state_of(row.get(1)?), row.get(2)?)))
            })
            .optional()?;
        let Some((position, before)): Option<(i64, _)> = found else { return Ok(()) };
        if before != after {
            let (state, flagged) = (state_code(after.0), after.1);
            self.mark_in_queue.execute(params![annotator.0, protocol.0, position, state, flagged])?;
            let change = |is: fn((ItemState, bool)) -> bool| i64::from(is(after)) - i64::from(is(before));
            self.count.execute(params![
                annotator.0,
                protocol.0,
                change(|(state, _)| state == ItemState::Judged),
                change(|(state, _)| state == ItemState::Skipped),
                change(|(_, flagged)| flagged),
            ])?;
        }
        Ok(())
    }
}

/// The contents that many rows of `standing` have in common.
pub(super) struct Cached {
    state: i64,
    flagged: bool,
    skipped: bool,
    comment: Option<String>,
    pub(crate) version: Option<u32>,
    answers: Option<Vec<u8>>,
    /// Set where the answers were given on texts that were revised since.
    is_outdated: Option<bool>,
    /// Whether the standing has an answer that counts, so that its time is that of the judgment.
    is_dated: bool,
}

/// A row of `standing`.
pub(super) struct Stands {
    pub(crate) annotator: AnnotatorId,
    pub(crate) item: ItemId,
    pub(crate) active: i64,
    pub(crate) at: Option<i64>,
    pub(crate) cached: Rc<Cached>,
}

/// Writes rows of `standing`, many at a time and best in their order. A row that is there stays.
pub(super) struct StandingRows<'c> {
    bulk: Bulk<'c>,
    waiting: Vec<Stands>,
}

impl<'c> StandingRows<'c> {
    pub(crate) fn prepare(connection: &'c Connection) -> Tried<StandingRows<'c>> {
        let insert = "INSERT INTO standing
            (annotator, item, state, flagged, skipped, active, at, comment, version, answers, is_outdated) VALUES";
        let bulk = Bulk::prepare(connection, insert, 11, "ON CONFLICT DO NOTHING")?;
        Ok(StandingRows { bulk, waiting: Vec::with_capacity(TOGETHER) })
    }

    pub(crate) fn put(&mut self, row: Stands) -> Tried<()> {
        self.waiting.push(row);
        if self.waiting.len() == TOGETHER { self.write() } else { Ok(()) }
    }

    /// Writes the waiting rows.
    pub(crate) fn write(&mut self) -> Tried<()> {
        self.bulk.write(&self.waiting, |statement, from, row| {
            let cached = &row.cached;
            statement.raw_bind_parameter(from, row.annotator)?;
            statement.raw_bind_parameter(from + 1, row.item)?;
            statement.raw_bind_parameter(from + 2, cached.state)?;
            statement.raw_bind_parameter(from + 3, cached.flagged)?;
            statement.raw_bind_parameter(from + 4, cached.skipped)?;
            statement.raw_bind_parameter(from + 5, row.active)?;
            statement.raw_bind_parameter(from + 6, row.at)?;
            statement.raw_bind_parameter(from + 7, cached.comment.as_deref())?;
            statement.raw_bind_parameter(from + 8, cached.version)?;
            statement.raw_bind_parameter(from + 9, cached.answers.as_deref())?;
            statement.raw_bind_parameter(from + 10, cached.is_outdated)
        })?;
        self.waiting.clear();
        Ok(())
    }
}

/// The longest body of an imported row of `act`, in bytes, for which the standing that it folds to is remembered.
const SHORT: usize = 64;

/// The most standings of short rows that are remembered.
const MANY: usize = 50_000;

/// The kept counters of a queue; `None` when it was never opened.
pub(crate) fn progress(
    connection: &Connection,
    annotator: AnnotatorId,
    protocol: ProtocolId,
) -> Tried<Option<Progress>> {
    first_by(
        connection,
        "SELECT total, judged, skipped, flagged FROM progress WHERE annotator = ?1 AND protocol = ?2",
        params![annotator.0, protocol.0],
        |row| {
            Ok(Progress {
                total: count(row.get(0)?),
                judged: count(row.get(1)?),
                skipped: count(row.get(2)?),
                flagged: count(row.get(3)?),
            })
        },
    )
}

/// So many pairs are always kept one by one.
const FEW: usize = 1_000;

/// How many pairs are made anew in the time in which one is kept by itself.
const AS_DEAR: usize = 4;

/// Whether it is quicker to make all caches of the annotators anew than to keep so many pairs one by one.
fn is_most(connection: &Connection, pairs: usize, whose: &HashSet<AnnotatorId>) -> Tried<bool> {
    if pairs <= FEW {
        return Ok(false);
    }
    let mut stand = 0;
    if amend::is_amended(connection)? {
        stand = one(connection, "SELECT count(*) FROM standing", [])?;
    } else {
        for annotator in whose {
            let select = "SELECT count(*) FROM standing WHERE annotator = ?1";
            stand += one::<usize>(connection, select, [annotator])?;
        }
    }
    Ok(stand <= AS_DEAR * pairs)
}

/// Updates the caches for these annotators and items, after events came in from elsewhere.
pub(crate) fn keep_pairs(connection: &Connection, pairs: &HashSet<(AnnotatorId, ItemId)>) -> Tried<()> {
    let whose: HashSet<AnnotatorId> = pairs.iter().map(|(annotator, _)| *annotator).collect();
    if is_most(connection, pairs.len(), &whose)? {
        return rebuild_of(connection, &whose.into_iter().map(Some).collect::<Vec<_>>());
    }
    if pairs.is_empty() {
        return Ok(());
    }
    let mut current: HashMap<ProtocolId, Option<Protocol>> = HashMap::new();
    let mut log = Log::prepare(connection)?;
    let mut caches = Caches::prepare(connection, log.counting())?;
    let last_here =
        |events: &[Event]| judging(events).filter(|event| event.id.writer.0 > 0).map(Event::order).max();
    // In their order, neighbours in the file are read together.
    let mut pairs: Vec<&(AnnotatorId, ItemId)> = pairs.iter().collect();
    pairs.sort_unstable();
    for (name, item) in pairs {
        let annotator = &caches.person(*name);
        if !caches.counts(*annotator, *item)? {
            continue;
        }
        let select =
            "SELECT p.id, p.name, i.aside IS NOT NULL FROM item i JOIN protocol p ON p.id = i.protocol
             WHERE i.id = ?1";
        let (id, name, is_aside): (ProtocolId, String, bool) = one(connection, select, [item])?;
        let protocol = match current.entry(id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(protocols::find(connection, &name)?),
        };
        let Some(protocol) = protocol else { continue };
        let events = log.events(*annotator, *item)?;
        // An adjudicator who did not judge the item has no standing.
        if judging(&events).next().is_none() {
            continue;
        }
        let standing = log.fold(*item, &events, None);
        caches.keep(*annotator, (*item, is_aside), (id, protocol), &standing)?;
        if !caches.has_queue(*annotator, id) {
            continue;
        }
        let select = "SELECT latest FROM progress WHERE annotator = ?1 AND protocol = ?2";
        let latest: Option<ItemId> = one(connection, select, params![annotator, id])?;
        let before = match latest {
            Some(latest) => last_here(&log.events(*annotator, latest)?),
            None => None,
        };
        let here = last_here(&events);
        if here.is_some() && (before, latest) < (here, Some(*item)) {
            let note = "UPDATE progress SET latest = ?3 WHERE annotator = ?1 AND protocol = ?2";
            change(connection, note, params![annotator, id, item])?;
        }
    }
    Ok(())
}

/// Makes queues and loaded documents look again at the corpus and the assignments.
pub(crate) fn look_again(connection: &Connection) -> Tried<()> {
    change(connection, "UPDATE revision SET corpus = corpus + 1", []).map(|_| ())
}

/// Makes every cache anew from the journal, within a transaction.
pub(crate) fn rebuild(connection: &Connection) -> Tried<()> {
    amend::settle(connection)?;
    rebuild_of(connection, &[None])
}

/// Makes the caches anew for these annotators, or for all where `None` is given, once amendments are settled.
pub(crate) fn rebuild_of(connection: &Connection, whose: &[Option<AnnotatorId>]) -> Tried<()> {
    if whose.is_empty() {
        return Ok(());
    }
    // Joined names may move events from one annotator to another.
    let whose = if amend::is_amended(connection)? { &[None] } else { whose };
    let items = protocols_of_items(connection)?;
    let mut known: HashMap<ProtocolId, Protocol> = HashMap::new();
    for (id, name) in protocols::names(connection)? {
        // A protocol without judgments may have no version in the file.
        if let Some(protocol) = protocols::find(connection, &name)? {
            known.insert(id, protocol);
        }
    }
    for one in whose {
        match one {
            Some(_) => change(connection, "DELETE FROM standing WHERE annotator = ?1", [one])?,
            None => change(connection, "DELETE FROM standing", [])?,
        };
    }
    let mut caches = Caches::prepare(connection, &Rc::new(Counting::read(connection)?))?;
    let mut latest = Latest::new();
    let mut beside = Vec::new();
    let mut rows = StandingRows::prepare(connection)?;
    // Most pairs have one imported judgment only, with the same contents as many others.
    let mut alike: FastMap<(ProtocolId, Fingerprint, Vec<u8>), Rc<Cached>> = FastMap::default();
    let mut take = |log: &mut Log<'_>, pair: &PairActs<'_>| {
        let (annotator, item) = (pair.annotator, pair.item);
        let Some((of, aside)) = items.get(&item) else { return Ok(()) };
        let Some((id, protocol)) = known.get_key_value(of) else { return Ok(()) };
        let is_revised = log.know_revised(item)?;
        let only = pair.only_import().filter(|row| !aside && !is_revised && row.body.len() <= SHORT);
        if let Some(row) = only {
            let key = (*id, row.protocol, row.body.clone());
            let cached = match alike.get(&key) {
                Some(cached) => Rc::clone(cached),
                None => {
                    let events = pair.events(log)?;
                    let standing = log.fold(item, &events, None);
                    let cached = Rc::new(caches.cached((*id, protocol), &standing)?);
                    if alike.len() >= MANY {
                        alike.clear();
                    }
                    alike.insert(key, Rc::clone(&cached));
                    cached
                }
            };
            let at = row.at.filter(|_| cached.is_dated);
            return rows.put(Stands { annotator, item, active: row.active, at, cached });
        }
        let events = pair.events(log)?;
        // An adjudicator who did not judge the item has no standing.
        if judging(&events).next().is_none() {
            return Ok(());
        }
        let made_here = judging(&events).filter(|event| event.id.writer.0 > 0);
        if let Some(here) = made_here.map(Event::order).max() {
            let entry = latest.entry((annotator, *id)).or_insert((here, item));
            *entry = (*entry).max((here, item));
        }
        let standing = log.fold(item, &events, None);
        if *aside {
            beside.push((annotator, item, standing.state(protocol), standing.flagged));
            return Ok(());
        }
        let cached = Rc::new(caches.cached((*id, protocol), &standing)?);
        let (active, at) = (standing.active, standing.at);
        rows.put(Stands { annotator, item, active, at, cached })
    };
    for one in whose {
        log::for_each_pair(connection, *one, false, &mut take)?;
    }
    rows.write()?;
    drop(rows);
    drop(caches);
    for one in whose {
        change(connection, REBUILD_QUEUES, [one])?;
    }
    for (annotator, item, state, flagged) in beside {
        change(
            connection,
            "UPDATE queue SET state = ?3, flagged = ?4 WHERE annotator = ?1 AND item = ?2",
            params![annotator.0, item.0, state_code(state), flagged],
        )?;
    }
    for one in whose {
        change(connection, REBUILD_PROGRESS, [one])?;
    }
    note_latest(connection, latest)
}

/// The last event that each annotator made in this file under each protocol, and the event's item.
type Latest = HashMap<(AnnotatorId, ProtocolId), ((Option<i64>, EventId), ItemId)>;

fn note_latest(connection: &Connection, latest: Latest) -> Tried<()> {
    let mut note = connection
        .prepare_cached("UPDATE progress SET latest = ?3 WHERE annotator = ?1 AND protocol = ?2")?;
    for ((annotator, protocol), (_, item)) in latest {
        note.execute(params![annotator.0, protocol.0, item.0])?;
    }
    Ok(())
}

/// Marks the queues anew. Their order is kept: it is what the annotator was shown, and not a fold.
const REBUILD_QUEUES: &str = "
UPDATE queue SET
  state = coalesce((SELECT s.state FROM standing s
    WHERE s.annotator = queue.annotator AND s.item = queue.item), 0),
  flagged = coalesce((SELECT s.flagged FROM standing s
    WHERE s.annotator = queue.annotator AND s.item = queue.item), 0)
WHERE ?1 IS NULL OR annotator = ?1
";

const REBUILD_PROGRESS: &str = "
UPDATE progress SET latest = NULL, (total, judged, skipped, flagged) =
  (SELECT count(*), coalesce(sum(q.state = 1), 0), coalesce(sum(q.state = 2), 0), coalesce(sum(q.flagged), 0)
   FROM queue q WHERE q.annotator = progress.annotator AND q.protocol = progress.protocol)
WHERE ?1 IS NULL OR annotator = ?1
";

/// The protocol of each item, and whether the item is beside the study.
fn protocols_of_items(connection: &Connection) -> Tried<FastMap<ItemId, (ProtocolId, bool)>> {
    all_by(connection, "SELECT id, protocol, aside IS NOT NULL FROM item", [], |row| {
        Ok((row.get(0)?, (row.get(1)?, row.get(2)?)))
    })
}
