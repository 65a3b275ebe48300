//! Items that are asked beside the study: calibration items and silent repeats.
//!
//! Each has an item row of its own, next to that of the item it repeats, so that a second judgment never
//! meets the first. Judgments of such items are in the journal and folded from it on demand; no cache holds them, so
//! no score and no agreement counts them.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use rusqlite::Connection;

use super::{Log, key_of};
use crate::error::Result;
use crate::journal::{Standing, is_total};
use crate::protocol::Protocol;
use crate::store::corpus::{ItemRow, StudyKeys, Target, counts, in_corpus_order, protocols};
use crate::store::file::{FromRow, ProtocolId, StudyFile, Tried, all, all_by, first};
use crate::study::{AnnotatorId, Aside, ItemId, Judgment, seconds_of, time_of};

/// An item that is asked beside the study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AsideRow {
    pub(crate) item: ItemRow,
    pub(crate) aside: Aside,
}

/// The standing of an annotator on an item that is asked beside the study.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedAside {
    pub annotator: AnnotatorId,
    /// The item of the study with the same target; `None` where it has no row.
    pub item: Option<ItemId>,
    pub target: Target,
    pub aside: Aside,
    pub standing: Standing,
    /// Whether its time is that of several judgments, of which files brought some.
    pub is_total: bool,
}

impl StudyFile {
    /// The standings of everyone on items beside the study, by annotator and in the order of the corpus.
    pub fn asides(&self, protocol_name: &str) -> Result<Vec<JudgedAside>> {
        self.read_under(protocol_name, standings)
    }

    /// The judgments beside the study as records: by name of protocol, annotator, and in the order of the corpus.
    pub fn judgments_aside(&self) -> Result<Vec<Judgment>> {
        self.read(|connection| {
            let keys = StudyKeys::read(connection)?;
            let mut protocols = protocols::names(connection)?;
            protocols.sort_by(|one, other| one.1.cmp(&other.1));
            let mut records = Vec::new();
            for (id, name) in protocols {
                let found = standings(connection, id)?;
                if found.is_empty() {
                    continue;
                }
                let current = protocols::find(connection, &name)?;
                let is_own = protocols::is_own(connection, &name)?;
                for judged in found {
                    let version = version_of(connection, current.as_ref(), &judged.standing)?;
                    let is_named = is_own || version != current.as_ref().map(|current| current.version);
                    let mut record = record(connection, &keys, &name, &judged)?;
                    record.version = version.filter(|_| is_named);
                    if says_something(&record) {
                        records.push(record);
                    }
                }
            }
            Ok(records)
        })
    }
}

/// Every item beside the study of a protocol, in the order of the corpus.
pub(crate) fn rows(connection: &Connection, protocol: ProtocolId) -> Tried<Vec<AsideRow>> {
    let select = format!(
        "SELECT query, document, candidate, unit, bullet, other, id, aside FROM item
         WHERE protocol = ?1 AND aside IS NOT NULL AND {}",
        counts("item", "id")
    );
    let mut found: Vec<AsideRow> = all_by(connection, &select, [protocol.0], |row| {
        Ok(AsideRow { item: ItemRow::from_row(row)?, aside: row.get(7)? })
    })?;
    found.sort_unstable_by_key(|row| (row.item.target, row.aside));
    Ok(found)
}

/// The side of an item beside the study; `None` for an item of the study itself.
pub(crate) fn aside_of(connection: &Connection, item: ItemId) -> Tried<Option<Aside>> {
    Ok(first(connection, "SELECT aside FROM item WHERE id = ?1", [item.0])?.flatten())
}

/// The standings of everyone with events on an item beside the study.
pub(crate) fn standings(connection: &Connection, protocol: ProtocolId) -> Tried<Vec<JudgedAside>> {
    let rows = rows(connection, protocol)?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let items: HashMap<Target, ItemId> =
        in_corpus_order(connection, protocol)?.into_iter().map(|item| (item.target, item.id)).collect();
    let places: HashMap<ItemId, usize> =
        rows.iter().enumerate().map(|(place, row)| (row.item.id, place)).collect();
    let pairs =
        "SELECT a.id, i.id FROM annotator a CROSS JOIN item i WHERE i.protocol = ?1 AND i.aside IS NOT NULL
           AND EXISTS (SELECT 1 FROM act e WHERE e.annotator = a.id AND e.item = i.id)";
    let pairs: Vec<(AnnotatorId, ItemId)> = all(connection, pairs, [protocol])?;
    let mut log = Log::prepare(connection)?;
    let counting = Rc::clone(log.counting());
    let place = |(annotator, item)| Some((counting.person(annotator), *places.get(&item)?));
    let judged: BTreeSet<(AnnotatorId, usize)> = pairs.into_iter().filter_map(place).collect();
    let mut found = Vec::new();
    for (annotator, place) in judged.into_iter().filter(|(annotator, _)| counting.has(*annotator)) {
        let Some(row) = rows.get(place) else { continue };
        let events = log.events(annotator, row.item.id)?;
        // The events may all be of imports that were withdrawn.
        if !events.is_empty() {
            found.push(JudgedAside {
                annotator,
                item: items.get(&row.item.target).copied(),
                target: row.item.target,
                aside: row.aside,
                standing: log.fold(row.item.id, &events, None),
                is_total: is_total(&events),
            });
        }
    }
    Ok(found)
}

/// The number of the version that the answers were given under.
fn version_of(
    connection: &Connection,
    current: Option<&Protocol>,
    standing: &Standing,
) -> Tried<Option<u32>> {
    let Some((under, _)) = standing.judged_under.filter(|_| !standing.answers.is_empty()) else {
        return Ok(None);
    };
    if let Some(current) = current.filter(|current| current.hash == under) {
        return Ok(Some(current.version));
    }
    first(connection, "SELECT version FROM protocol_version WHERE hash = ?1", [under.0])
}

fn record(
    connection: &Connection,
    keys: &StudyKeys,
    protocol: &str,
    judged: &JudgedAside,
) -> Tried<Judgment> {
    let standing = &judged.standing;
    let answers = standing.answers.iter().map(|(question, answer)| (question.clone(), answer.to_json()));
    let record = Judgment {
        protocol: protocol.to_owned(),
        annotator: key_of(connection, judged.annotator)?,
        answers: answers.collect(),
        seconds: seconds_of(standing.active),
        total: judged.is_total,
        at: standing.at.and_then(time_of),
        comment: Some(standing.comment.clone()).filter(|comment| !comment.is_empty()),
        flagged: standing.flagged,
        skipped: standing.skipped,
        aside: Some(judged.aside),
        ..Judgment::default()
    };
    Ok(record.on(keys.of_target(&judged.target)))
}

/// Whether the record holds more than a look at the item.
fn says_something(record: &Judgment) -> bool {
    !record.answers.is_empty() || record.comment.is_some() || record.flagged || record.skipped
}
