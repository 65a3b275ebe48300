//! Navigating a queue: the next open item, the next flagged one, the list of all.

use rusqlite::params;

use crate::error::Result;
use crate::journal::{GoToEntry, Standing};
use crate::protocol::Protocol;
use crate::store::file::{StudyFile, all, all_by, count, first, stored};
use crate::store::journal::{Log, state_of};
use crate::study::{AnnotatorId, ItemId};

/// Part of a queue.
pub struct QueuePart {
    /// `INDEXED BY` and the name of an index; without one, the queue is scanned.
    index: &'static str,
    condition: &'static str,
}

impl QueuePart {
    /// Items neither judged nor put aside.
    pub const OPEN: QueuePart = QueuePart { index: "INDEXED BY queue_open", condition: "state = 0" };
    /// Items put aside; slow, so to be asked for only when nothing is open.
    pub const SKIPPED: QueuePart = QueuePart { index: "", condition: "state = 2" };
    pub const FLAGGED: QueuePart = QueuePart { index: "INDEXED BY queue_flagged", condition: "flagged = 1" };
}

impl StudyFile {
    /// The first position of a part behind `after` (before it, when `backwards`). Past the end, the search goes on at the other
    /// end, so `after` itself comes last.
    pub fn next_of(
        &self,
        part: &QueuePart,
        annotator: AnnotatorId,
        protocol_name: &str,
        after: usize,
        backwards: bool,
    ) -> Result<Option<usize>> {
        let (beyond, direction) = if backwards { ("<", "DESC") } else { (">", "ASC") };
        let QueuePart { index, condition } = part;
        self.read_under(protocol_name, |connection, protocol| {
            for where_to in [format!("position {beyond} ?3"), "?3 IS NOT NULL".to_owned()] {
                let select = format!(
                    "SELECT position FROM queue {index} WHERE annotator = ?1 AND protocol = ?2 AND {condition}
                       AND {where_to} ORDER BY position {direction} LIMIT 1"
                );
                let of = params![annotator.0, protocol.0, stored(after)];
                if let Some(position) = first(connection, &select, of)? {
                    return Ok(Some(count(position)));
                }
            }
            Ok(None)
        })
    }

    /// The position of an item in an annotator's queue, if it is there.
    pub fn place_of(&self, annotator: AnnotatorId, item: ItemId) -> Result<Option<usize>> {
        let select = "SELECT position FROM queue WHERE annotator = ?1 AND item = ?2";
        self.read(|connection| Ok(first(connection, select, params![annotator, item])?.map(count)))
    }

    /// The standing of an annotator on each of these items.
    pub fn standings(
        &self,
        annotator: AnnotatorId,
        protocol: &Protocol,
        items: &[ItemId],
    ) -> Result<Vec<Standing>> {
        self.read(|connection| {
            let mut log = Log::prepare(connection)?;
            items.iter().map(|item| log.standing(annotator, *item, Some(protocol))).collect()
        })
    }

    /// The positions of the items in a group without any answer, mark or comment of the annotator, ascending. The group is
    /// that of the item at `position` in the queue. Items beside the study are left out.
    pub fn untouched(
        &self,
        annotator: AnnotatorId,
        protocol_name: &str,
        position: usize,
    ) -> Result<Vec<usize>> {
        self.read_under(protocol_name, |connection, protocol| {
            let positions: Vec<u32> = all(
                connection,
                "SELECT q.position FROM queue q JOIN item i ON i.id = q.item AND i.aside IS NULL
                 WHERE q.annotator = ?1 AND q.protocol = ?2 AND q.state = 0 AND q.flagged = 0
                   AND q.group_number = (SELECT group_number FROM queue
                     WHERE annotator = ?1 AND protocol = ?2 AND position = ?3)
                   AND NOT EXISTS (SELECT 1 FROM standing s WHERE s.annotator = ?1 AND s.item = q.item
                     AND (s.version IS NOT NULL OR s.comment IS NOT NULL))
                 ORDER BY q.position",
                params![annotator.0, protocol.0, stored(position)],
            )?;
            Ok(positions.into_iter().map(count).collect())
        })
    }

    /// Every item of a queue, for the go-to list. An item without a unit is told apart by the
    /// title or number of its document, else by the beginning of its candidate.
    pub fn directory(&self, annotator: AnnotatorId, protocol_name: &str) -> Result<Vec<GoToEntry>> {
        self.read_under(protocol_name, |connection, protocol| {
            let select = "SELECT s.position, q.text, s.group_number,
                   coalesce(u.text, d.title, 'document ' || d.number, substr(k.text, 1, 200), ''),
                   s.state, s.flagged
                 FROM queue s JOIN item i ON i.id = s.item JOIN query q ON q.id = i.query
                 LEFT JOIN unit u ON u.id = i.unit LEFT JOIN document d ON d.id = i.document
                 LEFT JOIN candidate k ON k.id = i.candidate
                 WHERE s.annotator = ?1 AND s.protocol = ?2 ORDER BY s.position";
            all_by(connection, select, params![annotator.0, protocol.0], |row| {
                Ok(GoToEntry {
                    position: count(row.get(0)?),
                    query: row.get(1)?,
                    group: count(row.get(2)?),
                    unit: row.get(3)?,
                    state: state_of(row.get(4)?),
                    flagged: row.get(5)?,
                })
            })
        })
    }
}
