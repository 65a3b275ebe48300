//! Opening an annotator's queue: it is made at its first opening, and extended when the corpus has grown. A long queue gets
//! its first items first, and the others while the first item is read: until then it is marked as not up to the corpus.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, params};

use super::{Gate, assigned_queue, assignments, order};
use crate::error::Result;
use crate::journal::{ItemState, Progress, Queue};
use crate::protocol::Protocol;
use crate::store::corpus::{ItemRows, StudyKeys, Target, counts, in_corpus_order, protocols};
use crate::store::file::{
    Bulk, ProtocolId, StudyFile, Tried, all, all_by, change, count, first, first_by, named, one, stored,
};
use crate::store::journal::{
    HER_NAMES, Phrases, caches, key_of, person, person_of, said, sessions, state_code, state_of,
};
use crate::study::{AnnotatorId, ItemId};

/// How many of the items judged last give the pace.
const RECENT: usize = 50;
/// A newcomer's queue begins with about this many items, if it has more than twice as many.
const FIRST: usize = 1_000;
/// The revision of a queue that holds its first items only; no corpus has it.
const BEGUN: i64 = -1;
/// The revision of a queue that holds a part only: whoever opens it next makes it anew.
const PART: i64 = -2;
/// How many positions before the one to resume at are looked at for them.
const LOOKED_AT: usize = 4 * RECENT;

impl StudyFile {
    /// Opens the queue of a person under a protocol. A person whom the study does not know is
    /// added; the queue is made at its first opening, and items that have come in since are put
    /// at its end. Where the protocol's items are assigned, it holds this person's items and those that she has begun. Where it
    /// [is only begun](Queue::is_begun), [`StudyFile::fill_queue`] must be called before any item but the first is loaded.
    ///
    /// # Errors
    /// The annotator is a model or has nothing assigned while others have, there is nothing to judge, or
    /// the file cannot be written.
    pub fn open_queue(&mut self, annotator: &str, protocol: &Protocol) -> Result<Queue> {
        let ready = match named(&self.path, self.ready(annotator, protocol))? {
            Some(ready) => ready,
            None => self.make_queue(annotator, protocol, QueueExtent::First)?,
        };
        self.read(|connection| {
            let mut queue = Queue {
                held: held(connection, ready, protocol)?,
                is_handed_out: assigned_queue::is_handed_out(connection, protocol)?,
                ..describe(connection, ready)?
            };
            if let Some(begun) = self.begun.filter(|begun| begun.of == ready) {
                queue.progress.total = begun.total;
                queue.is_begun = true;
            }
            Ok(queue)
        })
    }

    /// A number that changes when queues are to be opened anew.
    pub fn revision(&self) -> Result<i64> {
        self.read(revision)
    }

    /// From now on queues are opened with the items of this part only, in its order where it was sorted by a field; with `None`,
    /// whole again.
    pub fn take_part(&mut self, part: Option<QueueTaken>) {
        self.part = part;
    }

    /// Puts the missing items into a queue that was only begun. A whole queue stays as it is.
    pub fn fill_queue(&mut self, annotator: &str, protocol: &Protocol) -> Result<()> {
        match self.begun {
            Some(_) => self.make_queue(annotator, protocol, QueueExtent::Whole).map(drop),
            None => Ok(()),
        }
    }

    fn make_queue(
        &mut self,
        annotator: &str,
        protocol: &Protocol,
        extent: QueueExtent,
    ) -> Result<QueueOwner> {
        let part = self.part.clone();
        let extent = if part.is_some() { QueueExtent::Whole } else { extent };
        let (ready, begun) = self.in_bulk(true, |transaction| {
            let ready = QueueOwner {
                annotator: person(transaction, annotator)?,
                protocol: protocols::keep_name(transaction, &protocol.name)?,
            };
            empty(transaction, ready, Some(PART))?;
            let name = key_of(transaction, ready.annotator)?;
            let begun = match assigned_queue::make(transaction, ready, &name, protocol)? {
                true => None,
                false => extend(transaction, ready, (&name, protocol), extent)?,
            };
            if let Some(part) = &part {
                assigned_queue::keep_part(transaction, ready, protocol, part)?;
                let note = "UPDATE progress SET revision = ?3 WHERE annotator = ?1 AND protocol = ?2";
                change(transaction, note, params![ready.annotator, ready.protocol, PART])?;
            }
            Ok((ready, begun))
        })?;
        self.begun = begun;
        Ok(ready)
    }

    /// The rows behind the names, if the queue is there and up to date.
    fn ready(&self, annotator: &str, protocol: &Protocol) -> Tried<Option<QueueOwner>> {
        let rows = first_by(
            &self.connection,
            &format!(
                "SELECT g.annotator, p.id, r.corpus = g.revision FROM progress g
                 JOIN protocol p ON p.id = g.protocol AND p.name = ?2
                 JOIN revision r ON g.revision IN (r.corpus, ?3) WHERE g.annotator = {}",
                person_of("?1")
            ),
            params![annotator, protocol.name, BEGUN],
            |row| Ok((QueueOwner { annotator: row.get(0)?, protocol: row.get(1)? }, row.get(2)?)),
        )?;
        // A queue that another opening began is made whole here.
        let is_here = |ready: &QueueOwner| self.begun.is_some_and(|begun| begun.of == *ready);
        let rows = rows.filter(|(ready, is_whole)| *is_whole || is_here(ready)).map(|(ready, _)| ready);
        let is_all_there = |ready: &QueueOwner| -> Tried<bool> {
            let (annotator, of) = (ready.annotator, ready.protocol);
            // Items that waited for calibration come in once it is passed.
            Ok(assignments::gate(&self.connection, annotator, of, protocol)? != Gate::Open
                || missing(&self.connection, *ready, protocol)? == 0)
        };
        Ok(match rows {
            Some(ready) if self.part.is_none() && is_all_there(&ready)? => Some(ready),
            _ => None,
        })
    }
}

pub(crate) fn revision(connection: &Connection) -> Tried<i64> {
    one(connection, "SELECT corpus FROM revision", [])
}

/// How many assigned items wait until calibration is passed.
fn held(connection: &Connection, ready: QueueOwner, protocol: &Protocol) -> Tried<usize> {
    match assignments::gate(connection, ready.annotator, ready.protocol, protocol)? {
        Gate::Closed => missing(connection, ready, protocol),
        Gate::None | Gate::Open => Ok(0),
    }
}

/// How many items that the annotator has are not in the queue.
fn missing(connection: &Connection, ready: QueueOwner, protocol: &Protocol) -> Tried<usize> {
    let there = held_items(connection, ready)?;
    let own = assigned_queue::own(connection, ready, protocol)?;
    Ok(own.iter().filter(|one| !there.contains(&one.item)).count())
}

/// A part of a queue that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueTaken {
    pub items: Vec<Target>,
    /// The field by which the items are sorted; without one, they keep the order of the queue.
    pub sorted_by: Option<String>,
}

/// Empties a queue; where `revision` is given, only a queue of that revision.
pub(super) fn empty(connection: &Connection, of: QueueOwner, revision: Option<i64>) -> Tried<()> {
    let is_it = "annotator = ?1 AND protocol = ?2 AND EXISTS (SELECT 1 FROM progress g
        WHERE g.annotator = ?1 AND g.protocol = ?2 AND g.revision = coalesce(?3, g.revision))";
    for clear in ["DELETE FROM queue", "UPDATE progress SET total = 0, judged = 0, skipped = 0, flagged = 0"]
    {
        change(connection, &format!("{clear} WHERE {is_it}"), params![of.annotator, of.protocol, revision])?;
    }
    Ok(())
}

/// How much of a queue is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QueueExtent {
    /// The first items of a newcomer's long queue; any other queue whole.
    First,
    Whole,
}

/// A queue that has only its first items in the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QueueBegun {
    of: QueueOwner,
    /// The number of items in the whole queue.
    total: usize,
    /// The number of groups in the whole queue.
    groups: usize,
}

impl QueueBegun {
    /// How many groups the whole queue has, if it is that of this annotator and protocol.
    pub(super) fn groups(&self, annotator: AnnotatorId, protocol: ProtocolId) -> Option<usize> {
        (self.of == QueueOwner { annotator, protocol }).then_some(self.groups)
    }
}

/// The annotator and the protocol of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QueueOwner {
    pub(crate) annotator: AnnotatorId,
    pub(crate) protocol: ProtocolId,
}

/// Puts items from the hub at the end of a queue, so that no other item moves. A queue that is not up to the
/// corpus is made anew all the same when it is opened.
pub(crate) fn grow(
    connection: &Connection,
    ready: QueueOwner,
    protocol: &Protocol,
    new: &[ItemId],
) -> Tried<()> {
    let select = "SELECT revision FROM progress WHERE annotator = ?1 AND protocol = ?2";
    let revision = first(connection, select, params![ready.annotator, ready.protocol])?;
    let Some(revision) = revision else { return Ok(()) };
    let (held, places) = (held_items(connection, ready)?, assignments::places(connection, ready.protocol)?);
    let new = new.iter().filter(|item| !held.contains(item));
    let new: Vec<(Target, ItemId)> =
        new.filter_map(|item| places.get(item).map(|(target, _)| (*target, *item))).collect();
    let standings = standings(connection, ready.annotator)?;
    let added = append_to_queue(connection, ready, protocol, (&new, &standings))?;
    note_progress(connection, ready, added, Some(revision))
}

/// Puts every item of the protocol that the queue does not hold at its end; for a newcomer's long queue, the first groups
/// only.
fn extend(
    connection: &Connection,
    ready: QueueOwner,
    (annotator, protocol): (&str, &Protocol),
    extent: QueueExtent,
) -> Tried<Option<QueueBegun>> {
    let keys = StudyKeys::read(connection)?;
    let mut targets = order::targets(connection, protocol, &keys)?;
    if targets.is_empty() {
        return Err(order::nothing_to_judge(connection, protocol)?.into());
    }
    let own = sessions::own_candidates(connection, ready.annotator)?;
    targets.retain(|target| !target.candidates().any(|candidate| own.contains(&candidate)));
    let standings = standings(connection, ready.annotator)?;
    let is_newcomer =
        standings.is_empty() && caches::progress(connection, ready.annotator, ready.protocol)?.is_none();
    let mut begun = None;
    if extent == QueueExtent::First && is_newcomer && targets.len() > 2 * FIRST {
        let total = targets.len();
        let groups = order::keep_first(&mut targets, &keys, annotator, protocol, FIRST);
        begun = Some(QueueBegun { of: ready, total, groups });
    }
    let mut items = ItemRows::prepare(connection)?;
    let known = match begun {
        // So few items are looked up one by one.
        Some(_) => Vec::new(),
        None => in_corpus_order(connection, ready.protocol)?,
    };
    let held = held_items(connection, ready)?;
    let mut new = Vec::new();
    for target in targets {
        let item = match known.binary_search_by_key(&target, |item| item.target).map(|at| known.get(at)) {
            Ok(Some(item)) => item.id,
            _ => items.keep((ready.protocol, &protocol.name), target, None, || keys.of_target(&target))?,
        };
        if !held.contains(&item) {
            new.push((target, item));
        }
    }
    order::arrange(&mut new, &keys, annotator, protocol);
    let added = append_to_queue(connection, ready, protocol, (&new, &standings))?;
    note_progress(connection, ready, added, begun.map(|_| BEGUN))?;
    Ok(begun)
}

fn held_items(connection: &Connection, ready: QueueOwner) -> Tried<HashSet<ItemId>> {
    all(
        connection,
        "SELECT item FROM queue WHERE annotator = ?1 AND protocol = ?2",
        params![ready.annotator.0, ready.protocol.0],
    )
}

/// Appends new rows with the states of the annotator's standings, and counts them.
fn append_to_queue(
    connection: &Connection,
    ready: QueueOwner,
    protocol: &Protocol,
    (new, standings): (&[(Target, ItemId)], &Standings),
) -> Tried<Progress> {
    let end = "SELECT coalesce(max(position) + 1, 0), coalesce(max(group_number), 0)
         FROM queue WHERE annotator = ?1 AND protocol = ?2";
    let (position, mut group): (i64, i64) = one(connection, end, params![ready.annotator, ready.protocol])?;
    let mut last_group = None;
    let items = new.iter().map(|(target, item)| {
        let this_group = order::group_of(target, protocol.group);
        group += i64::from(last_group.replace(this_group) != Some(this_group));
        (*item, group)
    });
    write_rows(connection, ready, (position, items), standings)
}

/// Writes items with the numbers of their groups from a position on, and counts them.
pub(super) fn write_rows(
    connection: &Connection,
    ready: QueueOwner,
    (first, items): (i64, impl Iterator<Item = (ItemId, i64)>),
    standings: &Standings,
) -> Tried<Progress> {
    // A fault rolls back the whole step, so no statement has to be rolled back by itself.
    let insert = "INSERT OR FAIL INTO queue (annotator, protocol, position, item, state, flagged, group_number) VALUES";
    let (mut rows, mut progress) = (Vec::new(), Progress::default());
    for (position, (item, group)) in (first..).zip(items) {
        let (state, flagged) = standings.get(&item).copied().unwrap_or((ItemState::Open, false));
        progress.total += 1;
        progress.judged += usize::from(state == ItemState::Judged);
        progress.skipped += usize::from(state == ItemState::Skipped);
        progress.flagged += usize::from(flagged);
        rows.push((position, item, state_code(state), flagged, group));
    }
    let mut bulk = Bulk::prepare(connection, insert, 7, "")?;
    bulk.write(&rows, |statement, from, (position, item, state, flagged, group)| {
        statement.raw_bind_parameter(from, ready.annotator)?;
        statement.raw_bind_parameter(from + 1, ready.protocol)?;
        statement.raw_bind_parameter(from + 2, position)?;
        statement.raw_bind_parameter(from + 3, item)?;
        statement.raw_bind_parameter(from + 4, state)?;
        statement.raw_bind_parameter(from + 5, flagged)?;
        statement.raw_bind_parameter(from + 6, group)
    })?;
    Ok(progress)
}

/// The states of an annotator's items, and whether they are flagged.
pub(super) type Standings = HashMap<ItemId, (ItemState, bool)>;

pub(super) fn standings(connection: &Connection, annotator: AnnotatorId) -> Tried<Standings> {
    all_by(
        connection,
        "SELECT item, state, flagged FROM standing WHERE annotator = ?1",
        [annotator.0],
        |row| Ok((row.get(0)?, (state_of(row.get(1)?), row.get(2)?))),
    )
}

/// Adds to the counters, and notes that the queue is up to this revision, or else to the present corpus.
pub(super) fn note_progress(
    connection: &Connection,
    ready: QueueOwner,
    added: Progress,
    revision: Option<i64>,
) -> Tried<()> {
    // The annotator's last event may have come with a merge, or under another of her names, before there was
    // a queue; in a queue, each answer notes it. `kind > 1` is the condition of the index.
    connection.execute(
        &format!(
            "INSERT INTO progress (annotator, protocol, total, judged, skipped, flagged, revision, latest)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, coalesce(?7, (SELECT corpus FROM revision)), (
               SELECT a.item FROM act a JOIN item i ON i.id = a.item JOIN writer w ON w.no = a.id >> 40
               WHERE a.annotator IN {HER_NAMES} AND a.kind > 1 AND a.kind > 2 AND i.protocol = ?2 AND {}
                 AND NOT EXISTS (SELECT 1 FROM progress WHERE annotator = ?1 AND protocol = ?2)
               ORDER BY a.at DESC, w.key DESC, a.id DESC LIMIT 1))
             ON CONFLICT (annotator, protocol) DO UPDATE SET total = total + ?3, judged = judged + ?4,
               skipped = skipped + ?5, flagged = flagged + ?6, revision = excluded.revision",
            counts("item", "a.item")
        ),
        params![
            ready.annotator.0,
            ready.protocol.0,
            stored(added.total),
            stored(added.judged),
            stored(added.skipped),
            stored(added.flagged),
            revision
        ],
    )?;
    Ok(())
}

fn describe(connection: &Connection, ready: QueueOwner) -> Tried<Queue> {
    let progress = caches::progress(connection, ready.annotator, ready.protocol)?.unwrap_or_default();
    let resume = resume(connection, ready, progress.total)?;
    Ok(Queue {
        annotator: ready.annotator,
        name: key_of(connection, ready.annotator)?,
        progress,
        resume,
        recent: recent(connection, ready, resume)?,
        held: 0,
        is_handed_out: false,
        is_begun: false,
    })
}

/// The position where the annotator left off: the item of the last event made here, unless it was judged and left, or just put
/// aside; else the next open item behind it, or from the start; else the first that was put aside, or the last of the queue.
fn resume(connection: &Connection, ready: QueueOwner, total: usize) -> Tried<usize> {
    let whose = params![ready.annotator.0, ready.protocol.0];
    let latest: Option<(u32, i64, Option<Vec<u8>>)> = first(
        connection,
        "SELECT q.position, q.state, (
               SELECT e.body FROM act e JOIN writer w ON w.no = e.id >> 40
               WHERE e.annotator = q.annotator AND e.item = q.item AND e.kind > 2
               ORDER BY e.at DESC, w.key DESC, e.id DESC LIMIT 1)
             FROM progress g
             JOIN queue q ON q.annotator = g.annotator AND q.protocol = g.protocol AND q.item = g.latest
             WHERE g.annotator = ?1 AND g.protocol = ?2",
        whose,
    )?;
    let said = said(
        &mut Phrases::prepare(connection)?,
        latest.as_ref().and_then(|(.., body)| body.as_deref()).unwrap_or_default(),
    )?;
    let was_left = said.last().is_some_and(|(_, phrase)| phrase.kind == "visit");
    let is_put_aside = said.iter().any(|(_, phrase)| phrase.kind == "skip");
    let is_done = |state| match state_of(state) {
        ItemState::Judged => was_left,
        ItemState::Skipped => is_put_aside,
        ItemState::Open => false,
    };
    let from = match latest {
        Some((position, state, _)) if !is_done(state) => return Ok(count(position)),
        Some((position, ..)) => i64::from(position),
        None => -1,
    };
    let open = "SELECT min(position) FROM queue INDEXED BY queue_open
                WHERE annotator = ?1 AND protocol = ?2 AND state = 0";
    let behind: Option<u32> = one(
        connection,
        &format!("{open} AND position > ?3"),
        params![ready.annotator.0, ready.protocol.0, from],
    )?;
    let found = match behind {
        Some(position) => Some(position),
        None => one(connection, open, whose)?,
    };
    let aside = "SELECT min(position) FROM queue WHERE annotator = ?1 AND protocol = ?2 AND state = 2";
    let found: Option<u32> = match found {
        Some(position) => Some(position),
        None => one(connection, aside, whose)?,
    };
    Ok(found.map_or(total.saturating_sub(1), count))
}

/// Active milliseconds of the items judged last among those before the position to resume at, oldest first.
fn recent(connection: &Connection, ready: QueueOwner, resume: usize) -> Tried<Vec<i64>> {
    let mut times: Vec<i64> = all(
        connection,
        "SELECT s.active FROM (SELECT item FROM queue
               WHERE annotator = ?1 AND protocol = ?2 AND position <= ?3
               ORDER BY position DESC LIMIT ?4) q
             JOIN standing s ON s.annotator = ?1 AND s.item = q.item
             WHERE s.state = 1 AND s.active > 0 ORDER BY s.at DESC LIMIT ?5",
        params![ready.annotator.0, ready.protocol.0, stored(resume), stored(LOOKED_AT), stored(RECENT)],
    )?;
    times.reverse();
    Ok(times)
}
