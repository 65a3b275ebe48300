//! The caches after a merge, and the changes for each annotator.

use std::collections::{BTreeMap, HashMap};

use rusqlite::Connection;

use super::{MergeCount, MergedAnnotator, Tried};
use crate::store::corpus::Counting;
use crate::store::file::{all_by, count};
use crate::store::journal::{Phrases, acts, caches, key_of};
use crate::study::AnnotatorId;

/// The counts of the caches before a merge.
pub(super) struct Before {
    judged: HashMap<AnnotatorId, usize>,
}

impl Before {
    /// Reads the caches, and keeps the answers of these annotators in a temporary table; nothing changes for others.
    pub(super) fn read(connection: &Connection, whose: Vec<i64>) -> Tried<Before> {
        connection.execute_batch(
            "CREATE TEMP TABLE IF NOT EXISTS answers_before
               (annotator, item, answers, PRIMARY KEY (annotator, item)) WITHOUT ROWID;
             DELETE FROM answers_before;",
        )?;
        let mut keep = connection.prepare(
            "INSERT OR IGNORE INTO answers_before
             SELECT annotator, item, answers FROM standing WHERE annotator = ?1 AND answers IS NOT NULL",
        )?;
        for annotator in whose {
            keep.execute([annotator])?;
        }
        Ok(Before { judged: judged(connection)? })
    }
}

/// Makes the caches anew for annotators with new events, or for all, and returns the changes for the annotators of `events`.
pub(super) fn keep(
    connection: &Connection,
    before: &Before,
    events: BTreeMap<AnnotatorId, MergeCount>,
    is_all_new: bool,
) -> Tried<Vec<MergedAnnotator>> {
    if is_all_new {
        caches::rebuild_of(connection, &[None])?;
    } else {
        let with_news = events.iter().filter(|(_, count)| count.new > 0);
        caches::rebuild_of(
            connection,
            &with_news.map(|(annotator, _)| Some(*annotator)).collect::<Vec<_>>(),
        )?;
    }
    let after = judged(connection)?;
    let changed = changed(connection)?;
    connection.execute_batch("DELETE FROM answers_before")?;
    // Events under several names of one person are counted together.
    let counting = Counting::read(connection)?;
    let mut people: BTreeMap<AnnotatorId, MergeCount> = BTreeMap::new();
    for (annotator, events) in events {
        *people.entry(counting.person(annotator)).or_default() += events;
    }
    let mut annotators = Vec::new();
    for (annotator, events) in people {
        let of = |counts: &HashMap<AnnotatorId, usize>| counts.get(&annotator).copied().unwrap_or_default();
        annotators.push(MergedAnnotator {
            name: key_of(connection, annotator)?,
            new_events: events.new,
            known_events: events.known,
            judged: of(&after).saturating_sub(of(&before.judged)),
            changed: of(&changed),
        });
    }
    annotators.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(annotators)
}

/// How many items each annotator has judged.
fn judged(connection: &Connection) -> Tried<HashMap<AnnotatorId, usize>> {
    count_by_annotator(
        connection,
        "SELECT annotator, count(*) FROM standing WHERE state = 1 GROUP BY annotator",
    )
}

/// How many items of each annotator have lost an answer that they had before the merge.
fn changed(connection: &Connection) -> Tried<HashMap<AnnotatorId, usize>> {
    let mut phrases = Phrases::prepare(connection)?;
    let mut statement = connection.prepare(
        "SELECT b.annotator, b.answers, s.answers FROM answers_before b
         LEFT JOIN standing s ON s.annotator = b.annotator AND s.item = b.item
         WHERE s.answers IS NOT b.answers",
    )?;
    let mut rows = statement.query([])?;
    let mut counts = HashMap::new();
    while let Some(row) = rows.next()? {
        let mut bodies = |column| -> Tried<Vec<String>> {
            let said = row.get_ref(column)?.as_blob_or_null()?.unwrap_or_default();
            Ok(acts::said(&mut phrases, said)?.into_iter().map(|(_, phrase)| phrase.body.clone()).collect())
        };
        let (before, after) = (bodies(1)?, bodies(2)?);
        if before.iter().any(|answer| !after.contains(answer)) {
            *counts.entry(row.get(0)?).or_default() += 1;
        }
    }
    Ok(counts)
}

fn count_by_annotator(connection: &Connection, query: &str) -> Tried<HashMap<AnnotatorId, usize>> {
    all_by(connection, query, [], |row| Ok((row.get(0)?, count(row.get(1)?))))
}
