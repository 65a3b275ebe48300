//! Appending to the journal: a person's act is on disk before the screen says so.

use rusqlite::{Connection, params};

use super::acts::Subject;
use super::caches::Caches;
use super::people::written_as;
use super::{Log, asides, caches, key_of};
use crate::error::{Error, Result};
use crate::journal::{Event, EventId, Happening, Progress, Standing};
use crate::protocol::Protocol;
use crate::store::corpus::{Counting, protocols};
use crate::store::file::{
    Opening, ProtocolId, SHORT_PATIENCE, StudyFile, Tried, change, first, later_than, one, said,
};
use crate::study::{AnnotatorId, ItemId};
use crate::text::hash::Fingerprint;

/// The result of an append.
#[derive(Debug, Clone, PartialEq)]
pub struct Appended {
    /// The events, in the order of the happenings.
    pub ids: Vec<EventId>,
    /// The annotator's standing on the item now.
    pub standing: Standing,
    /// How far the annotator now is.
    pub progress: Progress,
    /// Wall time under which the events are kept, in milliseconds since 1970: later than every
    /// earlier append of the annotator, whatever the clock says.
    pub at: i64,
}

/// The outcome of a person's step, depending on whether the screen was up to date.
#[derive(Debug, Clone, PartialEq)]
pub enum StepOutcome<T, N> {
    /// The step is on disk.
    Written(T),
    /// Nothing was written: the screen was out of date, because the same person answered in another
    /// terminal, or another adjudicator decided.
    Elsewhere(N),
}

/// An item, its texts as they were shown, and what is done to it, each with its active milliseconds.
type StepOnItem = (ItemId, Fingerprint, Vec<(Happening, i64)>);

impl StudyFile {
    /// Appends happenings with their active milliseconds as one step. When this returns, the events are
    /// on disk.
    ///
    /// # Errors
    /// Nothing was written. [`crate::error::ErrorKind::Busy`] when another process writes: try again.
    pub fn append(
        &mut self,
        annotator: AnnotatorId,
        protocol: &Protocol,
        item: ItemId,
        texts: Fingerprint,
        happenings: &[(Happening, i64)],
        now_ms: i64,
    ) -> Result<Appended> {
        let on = (item, texts);
        match self.append_where(|_| true, annotator, protocol, on, happenings, now_ms)? {
            StepOutcome::Written(appended) => Ok(appended),
            // The condition always holds, so the step is never refused.
            StepOutcome::Elsewhere(_) => {
                Err(Error::new("the item was answered elsewhere meanwhile").in_file(&self.path))
            }
        }
    }

    /// Appends happenings as [`StudyFile::append`] does, if the standing is still the one `shown` or the happenings are
    /// visits only; else returns the annotator's progress now.
    pub fn append_over(
        &mut self,
        shown: &Standing,
        annotator: AnnotatorId,
        protocol: &Protocol,
        on: (ItemId, Fingerprint),
        happenings: &[(Happening, i64)],
        now_ms: i64,
    ) -> Result<StepOutcome<Appended, Progress>> {
        let only_looks = happenings.iter().all(|(happening, _)| matches!(happening, Happening::Visit { .. }));
        let may = |standing: &Standing| only_looks || standing.says_the_same(shown);
        self.append_where(may, annotator, protocol, on, happenings, now_ms)
    }

    /// Appends happenings on several items as one step: all of them are on disk, or none.
    ///
    /// # Errors
    /// As [`StudyFile::append`].
    pub fn append_each(
        &mut self,
        annotator: AnnotatorId,
        protocol: &Protocol,
        steps: &[StepOnItem],
        now_ms: i64,
    ) -> Result<Vec<Appended>> {
        self.write_events(SHORT_PATIENCE, |transaction, opening| {
            let mut log = Log::prepare(transaction)?;
            let append = |(item, texts, happenings): &StepOnItem| {
                let of = (protocol_of(transaction, *item, protocol)?, protocol);
                let step = AnnotatorStep { annotator, item: *item, texts: *texts, protocol: of };
                step.append(transaction, &mut log, opening, happenings, now_ms)
            };
            steps.iter().map(append).collect()
        })
    }

    fn append_where(
        &mut self,
        may: impl Fn(&Standing) -> bool,
        annotator: AnnotatorId,
        protocol: &Protocol,
        (item, texts): (ItemId, Fingerprint),
        happenings: &[(Happening, i64)],
        now_ms: i64,
    ) -> Result<StepOutcome<Appended, Progress>> {
        self.write_events(SHORT_PATIENCE, |transaction, opening| {
            let id = protocol_of(transaction, item, protocol)?;
            let mut log = Log::prepare(transaction)?;
            let before = log.standing(annotator, item, Some(protocol))?;
            if !may(&before) {
                let progress = caches::progress(transaction, annotator, id)?;
                return Ok(StepOutcome::Elsewhere(progress.unwrap_or_default()));
            }
            let step = AnnotatorStep { annotator, item, texts, protocol: (id, protocol) };
            Ok(StepOutcome::Written(step.append(transaction, &mut log, opening, happenings, now_ms)?))
        })
    }
}

/// The row of the protocol, to which the item must belong.
pub(super) fn protocol_of(connection: &Connection, item: ItemId, protocol: &Protocol) -> Tried<ProtocolId> {
    let id = first(
        connection,
        "SELECT p.id FROM item i JOIN protocol p ON p.id = i.protocol WHERE i.id = ?1 AND p.name = ?2",
        params![item.0, protocol.name],
    )?;
    id.ok_or_else(|| said(format!("item {} is none of the protocol {:?}", item.0, protocol.name)))
}

/// Refuses answers under a version that the study has moved on from since the screen was opened.
fn refuse_older(connection: &Connection, id: ProtocolId, protocol: &Protocol) -> Tried<()> {
    let latest: Option<u32> =
        one(connection, "SELECT max(version) FROM protocol_version WHERE protocol = ?1", [id.0])?;
    if latest.is_some_and(|latest| latest > protocol.version) {
        return Err(said(format!(
            "version {} of {:?} was added meanwhile; leave with q and open the study again",
            latest.unwrap_or_default(),
            protocol.name
        )));
    }
    Ok(())
}

/// A step: the happenings of one annotator on one item at one time.
pub(crate) struct AnnotatorStep<'p> {
    pub(crate) annotator: AnnotatorId,
    pub(crate) item: ItemId,
    pub(crate) texts: Fingerprint,
    pub(crate) protocol: (ProtocolId, &'p Protocol),
}

/// The events that were written, and those on the item before them.
pub(crate) struct Written {
    pub(crate) before: Vec<Event>,
    pub(crate) new: Vec<Event>,
    pub(crate) at: i64,
}

impl AnnotatorStep<'_> {
    pub(crate) fn append(
        &self,
        connection: &Connection,
        log: &mut Log<'_>,
        opening: &mut Opening,
        happenings: &[(Happening, i64)],
        now_ms: i64,
    ) -> Tried<Appended> {
        let (id, protocol) = self.protocol;
        let Written { before: mut events, new, at } =
            self.write(connection, log, opening, happenings, now_ms)?;
        log.know_revised(self.item)?;
        let ids = new.iter().map(|event| event.id).collect();
        events.extend(new);
        let standing = log.fold(self.item, &events, Some(protocol));
        let mut caches = Caches::prepare(connection, log.counting())?;
        let person = caches.person(self.annotator);
        let is_aside = asides::aside_of(connection, self.item)?.is_some();
        caches.keep(self.annotator, (self.item, is_aside), self.protocol, &standing)?;
        change(
            connection,
            "UPDATE progress SET latest = ?3
                 WHERE annotator = ?1 AND protocol = ?2 AND latest IS NOT ?3",
            params![person.0, id.0, self.item.0],
        )?;
        let progress = caches::progress(connection, person, id)?.unwrap_or_default();
        Ok(Appended { ids, standing, progress, at })
    }

    /// Writes happenings with their active milliseconds into the journal, at `now_ms` but later than all events of the
    /// annotator.
    pub(crate) fn write(
        &self,
        connection: &Connection,
        log: &mut Log<'_>,
        opening: &mut Opening,
        happenings: &[(Happening, i64)],
        now_ms: i64,
    ) -> Tried<Written> {
        let (id, protocol) = self.protocol;
        refuse_older(connection, id, protocol)?;
        self.refuse_amended(connection, log.counting())?;
        let version = protocols::keep_version(connection, id, protocol)?;
        let annotator = written_as(connection, self.annotator)?;
        let subject = Subject { annotator, item: self.item, version };
        let before = log.events(self.annotator, self.item)?;
        let at = time(connection, annotator, &before, now_ms)?;
        let event = |(happening, active): &(Happening, i64)| Event {
            id: opening.next(),
            happening: happening.clone(),
            at: Some(at),
            active: *active,
            protocol: protocol.hash,
            texts: self.texts,
        };
        let new = log.acts.append(subject, happenings.iter().map(event).collect(), false)?;
        if new.len() < happenings.len() {
            return Err(said("the number of an event is taken already; open the study again"));
        }
        Ok(Written { before, new, at })
    }

    /// Refuses an answer on a screen that was open while the study was amended: it would not count.
    fn refuse_amended(&self, connection: &Connection, counting: &Counting) -> Tried<()> {
        let again = "leave with q and open the study again";
        let key = |annotator| key_of(connection, annotator);
        let person = counting.person(self.annotator);
        if person != self.annotator {
            return Err(said(format!("{:?} is {:?} now; {again}", key(self.annotator)?, key(person)?)));
        }
        if !counting.has(self.annotator) {
            return Err(said(format!(
                "{:?} was left out of the study meanwhile; nothing was kept",
                key(person)?
            )));
        }
        let is_out = "SELECT EXISTS (SELECT 1 FROM withdrawn WHERE what = 'item' AND id = ?1)";
        if one(connection, is_out, [self.item])? {
            return Err(said(format!("this was withdrawn from the study meanwhile; {again}")));
        }
        Ok(())
    }
}

/// Now, but later than every event of the annotator in this file and than the events on the item.
fn time(connection: &Connection, annotator: AnnotatorId, events: &[Event], now_ms: i64) -> Tried<i64> {
    let last_here: Option<i64> = first(
        connection,
        "SELECT at FROM act INDEXED BY act_made_here WHERE kind > 1 AND annotator = ?1
             ORDER BY at DESC LIMIT 1",
        [annotator],
    )?
    .flatten();
    let last_of_item = events.iter().filter_map(|event| event.at).max();
    Ok(later_than(last_here.max(last_of_item), now_ms))
}
