//! The caches over the journal: where everyone stands, their answers, their queues and counters.
//!
//! They are written in the transaction that appends the events, always from the pure fold, and can
//! be made anew from the journal with the same result.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use rusqlite::{CachedStatement, Connection, OptionalExtension, params};

use super::fault::Tried;
use super::log;
use super::open::LONG_PATIENCE;
use super::protocols::{self, ProtocolId, Questions};
use super::sql::{all, change, first, one};
use super::study_file::StudyFile;
use crate::error::Result;
use crate::journal::{Event, EventId, Progress, Standing, State, fold, judging};
use crate::protocol::{Answer, Protocol};
use crate::study::{AnnotatorId, ItemId};
use crate::text::hash::Fingerprint;

impl StudyFile {
    /// Makes every cache anew from the journal.
    pub fn rebuild_caches(&mut self) -> Result<()> {
        self.write(LONG_PATIENCE, |transaction| rebuild(transaction))
    }
}

/// The number by which a state is stored.
pub(super) fn state_code(state: State) -> i64 {
    match state {
        State::Open => 0,
        State::Judged => 1,
        State::Skipped => 2,
    }
}

/// The state of a stored number.
pub(super) fn state_of(code: i64) -> State {
    match code {
        1 => State::Judged,
        2 => State::Skipped,
        _ => State::Open,
    }
}

/// The statements that keep the caches, prepared once a transaction.
pub(super) struct Caches<'c> {
    connection: &'c Connection,
    questions: Questions,
    /// Whose queues there are: most judgments that are imported belong to none.
    queues: HashSet<(AnnotatorId, ProtocolId)>,
    values: AnswerTexts,
    /// Numbers of versions that are not the current ones.
    versions: HashMap<Fingerprint, u32>,
    stand: CachedStatement<'c>,
    answer: CachedStatement<'c>,
    unanswer: CachedStatement<'c>,
    find_in_queue: CachedStatement<'c>,
    mark_in_queue: CachedStatement<'c>,
    count: CachedStatement<'c>,
}

impl<'c> Caches<'c> {
    pub(super) fn prepare(connection: &'c Connection) -> Tried<Caches<'c>> {
        Ok(Caches {
            connection,
            questions: Questions::default(),
            queues: all(connection, "SELECT annotator, protocol FROM progress", [], |row| row.try_into())?,
            values: AnswerTexts::default(),
            versions: HashMap::new(),
            stand: connection.prepare_cached(
                "REPLACE INTO standing
                   (annotator, item, state, flagged, skipped, active, at, comment, version)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?,
            answer: connection.prepare_cached(
                "REPLACE INTO answer (question, annotator, item, value) VALUES (?1, ?2, ?3, ?4)",
            )?,
            unanswer: connection
                .prepare_cached("DELETE FROM answer WHERE question = ?1 AND annotator = ?2 AND item = ?3")?,
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
        })
    }

    /// Writes where an annotator stands on an item after its journal has grown; `before` is what
    /// the caches say so far, `under` the current version of the protocol.
    pub(super) fn keep(
        &mut self,
        annotator: AnnotatorId,
        item: ItemId,
        under: (ProtocolId, &Protocol),
        before: &Standing,
        after: &Standing,
    ) -> Tried<()> {
        let state = after.state(under.1);
        let version = self.version(under.1, after)?;
        let comment = Some(&after.comment).filter(|comment| !comment.is_empty());
        self.stand.execute(params![
            annotator.0,
            item.0,
            state_code(state),
            after.flagged,
            after.skipped,
            after.active,
            after.at,
            comment,
            version,
        ])?;
        for (key, answer) in &after.answers {
            if before.answers.get(key) != Some(answer) {
                let question = self.questions.id(self.connection, under.0, key)?;
                let value = self.values.get(answer, |answer| answer.to_json().to_string());
                self.answer.execute(params![question.0, annotator.0, item.0, value])?;
            }
        }
        for key in before.answers.keys() {
            if !after.answers.contains_key(key) {
                let question = self.questions.id(self.connection, under.0, key)?;
                self.unanswer.execute(params![question.0, annotator.0, item.0])?;
            }
        }
        Ok(())
    }

    /// The number of the version under which the answers were given, if there are any.
    fn version(&mut self, current: &Protocol, standing: &Standing) -> Tried<Option<u32>> {
        let Some((under, _)) = standing.judged_under.filter(|_| !standing.answers.is_empty()) else {
            return Ok(None);
        };
        if under == current.hash {
            return Ok(Some(current.version));
        }
        if let Some(number) = self.versions.get(&under) {
            return Ok(Some(*number));
        }
        let number =
            one(self.connection, "SELECT version FROM protocol_version WHERE hash = ?1", [under.0], |row| {
                row.get(0)
            })?;
        self.versions.insert(under, number);
        Ok(Some(number))
    }

    /// Marks the item in the annotator's queue, if it stands there, and counts.
    pub(super) fn mark(
        &mut self,
        annotator: AnnotatorId,
        item: ItemId,
        protocol: ProtocolId,
        after: (State, bool),
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
        let Some((position, before)): Option<(i64, _)> = found else {
            return Ok(());
        };
        if before != after {
            let (state, flagged) = (state_code(after.0), after.1);
            self.mark_in_queue.execute(params![annotator.0, protocol.0, position, state, flagged])?;
            let change = |is: fn((State, bool)) -> bool| i64::from(is(after)) - i64::from(is(before));
            self.count.execute(params![
                annotator.0,
                protocol.0,
                change(|(state, _)| state == State::Judged),
                change(|(state, _)| state == State::Skipped),
                change(|(_, flagged)| flagged),
            ])?;
        }
        Ok(())
    }
}

/// Texts in which answers are stored, made once each: the same few answers come by the million.
#[derive(Debug, Default)]
pub(super) struct AnswerTexts {
    known: HashMap<Answer, Rc<str>>,
}

impl AnswerTexts {
    /// More different answers than this are lists of bullets that will not come again.
    const MOST: usize = 1024;

    pub(super) fn get(&mut self, answer: &Answer, make: impl FnOnce(&Answer) -> String) -> Rc<str> {
        if let Some(text) = self.known.get(answer) {
            return Rc::clone(text);
        }
        if self.known.len() >= Self::MOST {
            self.known.clear();
        }
        let text: Rc<str> = make(answer).into();
        self.known.insert(answer.clone(), Rc::clone(&text));
        text
    }
}

/// The kept counters of a queue; `None` when it was never opened.
pub(super) fn progress(
    connection: &Connection,
    annotator: AnnotatorId,
    protocol: ProtocolId,
) -> Tried<Option<Progress>> {
    first(
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

/// A stored count or position as one in memory. Reading one that is negative, or of no size that there is, fails.
pub(super) fn count(stored: u32) -> usize {
    stored as usize
}

/// A count or position in memory as one to store.
pub(super) fn stored(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Makes queues and loaded documents look again, at the corpus and at who has what.
pub(super) fn look_again(connection: &Connection) -> Tried<()> {
    change(connection, "UPDATE revision SET corpus = corpus + 1", []).map(|_| ())
}

/// Makes every cache anew from the journal, within a transaction.
pub(super) fn rebuild(connection: &Connection) -> Tried<()> {
    let items = protocols_of_items(connection)?;
    let mut known: HashMap<ProtocolId, Protocol> = HashMap::new();
    for (id, name) in protocols::names(connection)? {
        // A protocol under which nothing was judged may have no version in the file.
        if let Some(protocol) = protocols::find(connection, &name)? {
            known.insert(id, protocol);
        }
    }
    connection.execute_batch("DELETE FROM standing; DELETE FROM answer;")?;
    let mut caches = Caches::prepare(connection)?;
    let mut latest = Latest::new();
    let mut beside = Vec::new();
    log::for_each_pair(connection, |annotator, item, events, versions| {
        let Some((of, aside)) = items.get(&item) else {
            return Ok(());
        };
        let Some((id, protocol)) = known.get_key_value(of) else {
            return Ok(());
        };
        // Who only settled what others disagree on stands nowhere.
        if judging(events).next().is_none() {
            return Ok(());
        }
        let made_here = judging(events).filter(|event| event.id.writer.0 > 0);
        if let Some(here) = made_here.map(Event::order).max() {
            let entry = latest.entry((annotator, *id)).or_insert((here, item));
            *entry = (*entry).max((here, item));
        }
        let standing = fold(events, |version| versions.protocol(version));
        if *aside {
            beside.push((annotator, item, standing.state(protocol), standing.flagged));
            return Ok(());
        }
        caches.keep(annotator, item, (*id, protocol), &Standing::default(), &standing)
    })?;
    drop(caches);
    connection.execute_batch(REBUILD_QUEUES)?;
    for (annotator, item, state, flagged) in beside {
        change(
            connection,
            "UPDATE queue SET state = ?3, flagged = ?4 WHERE annotator = ?1 AND item = ?2",
            params![annotator.0, item.0, state_code(state), flagged],
        )?;
    }
    connection.execute_batch(REBUILD_PROGRESS)?;
    note_latest(connection, latest)
}

/// The last thing that each annotator did here under each protocol, and to which item.
type Latest = HashMap<(AnnotatorId, ProtocolId), ((Option<i64>, EventId), ItemId)>;

fn note_latest(connection: &Connection, latest: Latest) -> Tried<()> {
    let mut note = connection
        .prepare_cached("UPDATE progress SET latest = ?3 WHERE annotator = ?1 AND protocol = ?2")?;
    for ((annotator, protocol), (_, item)) in latest {
        note.execute(params![annotator.0, protocol.0, item.0])?;
    }
    Ok(())
}

/// Queues keep their order: it is what the annotator was shown, and not a fold.
const REBUILD_QUEUES: &str = "
UPDATE queue SET
  state = coalesce((SELECT s.state FROM standing s
    WHERE s.annotator = queue.annotator AND s.item = queue.item), 0),
  flagged = coalesce((SELECT s.flagged FROM standing s
    WHERE s.annotator = queue.annotator AND s.item = queue.item), 0);
";

const REBUILD_PROGRESS: &str = "
UPDATE progress SET (total, judged, skipped, flagged) =
  (SELECT count(*), coalesce(sum(q.state = 1), 0), coalesce(sum(q.state = 2), 0), coalesce(sum(q.flagged), 0)
   FROM queue q WHERE q.annotator = progress.annotator AND q.protocol = progress.protocol);
UPDATE progress SET latest = NULL;
";

/// The protocol of each item, and whether it stands beside the study.
fn protocols_of_items(connection: &Connection) -> Tried<HashMap<ItemId, (ProtocolId, bool)>> {
    all(connection, "SELECT id, protocol, aside IS NOT NULL FROM item", [], |row| {
        Ok((row.get(0)?, (row.get(1)?, row.get(2)?)))
    })
}
