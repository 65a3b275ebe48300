//! The steps that an annotator can undo.

use std::collections::HashSet;

use rusqlite::{Connection, params};

use super::{Phrases, numbered};
use crate::error::Result;
use crate::journal::{EventId, Happening};
use crate::store::file::{ProtocolId, StudyFile, Tried, count};
use crate::study::{AnnotatorId, ItemId};

/// A step: events that were written together and are undone together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredStep {
    /// 0-based position of the item in the annotator's queue.
    pub position: usize,
    pub item: ItemId,
    /// The events to retract, oldest first.
    pub events: Vec<EventId>,
}

impl StudyFile {
    /// The latest steps of an annotator under a protocol that still count, oldest first, at most
    /// `limit`. A step is the events of one append on an item of the queue, without visits and verdicts. Imports cannot be
    /// undone.
    pub fn undo_history(
        &self,
        annotator: AnnotatorId,
        protocol_name: &str,
        limit: usize,
    ) -> Result<Vec<StoredStep>> {
        self.read_under(protocol_name, |connection, protocol| history(connection, annotator, protocol, limit))
    }
}

/// Goes back through the events of the annotator. A retraction comes before the event that it retracts, so one
/// pass is enough, as in the fold.
fn history(
    connection: &Connection,
    annotator: AnnotatorId,
    protocol: ProtocolId,
    limit: usize,
) -> Tried<Vec<StoredStep>> {
    let mut statement = connection.prepare_cached(
        "SELECT e.id, w.key, e.at, e.item, e.body, q.position
         FROM act e INDEXED BY act_made_here JOIN writer w ON w.no = e.id >> 40
         LEFT JOIN queue q ON q.annotator = e.annotator AND q.item = e.item AND q.protocol = ?2
           -- What was said before a known answer was told stays.
           AND NOT EXISTS (SELECT 1 FROM item i WHERE i.id = e.item AND i.aside = 'calibration')
         WHERE e.kind > 1 AND e.annotator = ?1
         ORDER BY e.at DESC, w.key DESC, e.id DESC",
    )?;
    let mut rows = statement.query(params![annotator.0, protocol.0])?;
    let mut phrases = Phrases::prepare(connection)?;
    let mut retracted = HashSet::new();
    let mut steps: Vec<StoredStep> = Vec::new();
    let mut last_at = None;
    'acts: while let Some(row) = rows.next()? {
        let writer = row.get(1)?;
        let (at, item): (Option<i64>, ItemId) = (row.get(2)?, row.get(3)?);
        let events: Vec<_> = numbered(row.get(0)?, row.get_ref(4)?.as_blob()?).collect();
        for (seq, part) in events.into_iter().rev() {
            let id = EventId { writer, seq };
            let Some(part) = part.filter(|_| !retracted.contains(&id)) else { continue };
            match phrases.of(&part)?.happening() {
                Happening::Retract { event } => {
                    retracted.insert(*event);
                    continue;
                }
                Happening::Visit { .. }
                | Happening::Adjudicate(_)
                | Happening::Anew
                | Happening::Unknown { .. } => continue,
                _ => {}
            }
            let Some(position) = row.get::<_, Option<u32>>(5)?.map(count) else { continue };
            let full = steps.len() == limit;
            let same_step = steps.last_mut().filter(|step| {
                last_at == Some(at)
                    && step.item == item
                    && step.events.iter().all(|other| other.writer == id.writer)
            });
            match same_step {
                Some(step) => step.events.push(id),
                None if full => break 'acts,
                None => steps.push(StoredStep { position, item, events: vec![id] }),
            }
            last_at = Some(at);
        }
    }
    steps.reverse();
    for step in &mut steps {
        step.events.reverse();
    }
    Ok(steps)
}
