//! An annotator's work of a day, and the work that waits.

use rusqlite::{Connection, params};

use super::assignments;
use crate::error::Result;
use crate::journal::{DaysWork, ItemState};
use crate::protocol::Protocol;
use crate::store::corpus::protocols;
use crate::store::file::{ProtocolId, StudyFile, Tried, count, one};
use crate::store::journal::{HER_NAMES, Log, state_code};
use crate::study::AnnotatorId;

impl StudyFile {
    /// An annotator's work in this file since a time in milliseconds since 1970, items of calibrations and repeats included; the
    /// items half answered under a protocol, and the work that waits under others.
    pub fn days_work(&self, annotator: AnnotatorId, protocol: &Protocol, since: i64) -> Result<DaysWork> {
        self.read(|connection| {
            let judged = state_code(ItemState::Judged);
            let (items, active) = connection.query_row(
                &format!(
                    "SELECT
                   (SELECT count(*) FROM (
                      SELECT DISTINCT item FROM act INDEXED BY act_made_here
                      WHERE kind > 1 AND annotator IN {HER_NAMES} AND at >= ?2 AND kind = 3) made
                    WHERE EXISTS (SELECT 1 FROM standing s
                                  WHERE s.annotator = ?1 AND s.item = made.item AND s.state = ?3)
                       OR EXISTS (SELECT 1 FROM queue q
                                  WHERE q.annotator = ?1 AND q.item = made.item AND q.state = ?3)),
                   (SELECT coalesce(sum(active), 0) FROM act INDEXED BY act_made_here
                      WHERE kind > 1 AND annotator IN {HER_NAMES} AND at >= ?2)"
                ),
                params![annotator.0, since, judged],
                |row| Ok((count(row.get(0)?), row.get(1)?)),
            )?;
            let own = protocols::id_of(connection, &protocol.name)?;
            let half_answered = match own {
                Some(own) => half_answered(connection, annotator, (own, protocol))?,
                None => 0,
            };
            Ok(DaysWork { items, active, half_answered, waiting: waiting(connection, annotator, own)? })
        })
    }
}

fn half_answered(
    connection: &Connection,
    annotator: AnnotatorId,
    (own, protocol): (ProtocolId, &Protocol),
) -> Tried<usize> {
    let mut log = Log::prepare(connection)?;
    let mut statement = connection.prepare_cached(
        "SELECT s.answers FROM standing s JOIN item i ON i.id = s.item
         WHERE s.annotator = ?1 AND s.state = ?3 AND s.answers IS NOT NULL AND i.protocol = ?2",
    )?;
    let mut rows = statement.query(params![annotator.0, own.0, state_code(ItemState::Open)])?;
    let mut found = 0;
    while let Some(row) = rows.next()? {
        let answers = log.unpacked(row.get_ref(0)?.as_blob_or_null()?)?;
        // Complete answers to an open item were given on other texts, or under another version.
        found += usize::from(!answers.is_empty() && !protocol.is_complete(&answers));
    }
    Ok(found)
}

/// The other protocols of which an annotator has open items in a queue, or assigned items.
fn waiting(
    connection: &Connection,
    annotator: AnnotatorId,
    own: Option<ProtocolId>,
) -> Tried<Vec<(String, Option<usize>)>> {
    let mut found = Vec::new();
    for (id, name) in protocols::names(connection)?.into_iter().filter(|(id, _)| Some(*id) != own) {
        let (has_queue, open): (bool, u32) = one(
            connection,
            "SELECT EXISTS (SELECT 1 FROM queue WHERE annotator = ?1 AND protocol = ?2),
               (SELECT count(*) FROM queue INDEXED BY queue_open WHERE annotator = ?1 AND protocol = ?2 AND state = 0)",
            params![annotator.0, id.0],
        )?;
        match (has_queue, open) {
            (true, 0) => {}
            (true, open) => found.push((name, Some(count(open)))),
            _ if assignments::current(connection, id)?.iter().any(|one| one.annotator == annotator) => {
                found.push((name, None));
            }
            _ => {}
        }
    }
    Ok(found)
}
