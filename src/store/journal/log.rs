//! The journal in the study file: reading and folding events.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use rusqlite::Connection;

use super::acts::ActRow;
use super::{Acts, acts};
use crate::error::Result;
use crate::journal::{Event, Happening, Standing, fold, standing_events};
use crate::protocol::{Answers, Protocol};
use crate::store::corpus::{Counting, Versions, protocols};
use crate::store::file::{StudyFile, Tried, all, exists};
use crate::store::journal::revise::RevisedTexts;
use crate::study::{AnnotatorId, ItemId};
use crate::text::hash::Fingerprint;

impl StudyFile {
    /// Every event of one annotator on one item, in the order in which they count.
    pub fn events(&self, annotator: AnnotatorId, item: ItemId) -> Result<Vec<Event>> {
        self.read(|connection| {
            let mut events = Log::prepare(connection)?.events(annotator, item)?;
            events.sort_by_key(Event::order);
            Ok(events)
        })
    }
}

/// The statements that read and append events, and the facts that a fold has to know.
pub(crate) struct Log<'c> {
    pub(super) acts: Acts<'c>,
    versions: Versions,
    counting: Rc<Counting>,
    revised: RevisedTexts<'c>,
}

impl<'c> Log<'c> {
    pub(crate) fn prepare(connection: &'c Connection) -> Tried<Log<'c>> {
        Ok(Log {
            acts: Acts::prepare(connection)?,
            versions: protocols::versions(connection)?,
            counting: Rc::new(Counting::read(connection)?),
            revised: RevisedTexts::prepare(connection)?,
        })
    }

    /// The annotators and writers that count, as read when the log was prepared.
    pub(crate) fn counting(&self) -> &Rc<Counting> {
        &self.counting
    }

    /// The standing of an annotator on an item.
    pub(crate) fn standing(
        &mut self,
        annotator: AnnotatorId,
        item: ItemId,
        held: Option<&Protocol>,
    ) -> Tried<Standing> {
        let events = self.events(annotator, item)?;
        Ok(self.fold(item, &events, held))
    }

    /// Reads the versions again, after some have come in.
    pub(super) fn read_versions(&mut self, connection: &Connection) -> Tried<()> {
        self.versions = protocols::versions(connection)?;
        Ok(())
    }

    /// Folds the events on an item, which were read with this log. `held` is a version that the caller has at hand; others are
    /// parsed where they occur.
    pub(crate) fn fold(&self, item: ItemId, events: &[Event], held: Option<&Protocol>) -> Standing {
        on_texts(self.revised.known(item), self.fold_alone(events, held))
    }

    /// Folds the events on an item as [`Log::fold`] does, those under this version in the words that they were given in, although
    /// they may stand under a later one.
    pub(super) fn fold_as_given(&self, item: ItemId, events: &[Event], under: &Protocol) -> Standing {
        let other = |version| self.versions.later(version).or_else(|| self.versions.protocol(version));
        let own = |version| Some(under).filter(|under| under.hash == version);
        on_texts(self.revised.known(item), fold(events, |version| own(version).or_else(|| other(version))))
    }

    /// Folds events as [`Log::fold`] does, without comparing their texts with the current ones.
    pub(super) fn fold_alone(&self, events: &[Event], held: Option<&Protocol>) -> Standing {
        let is_held = |version| held.filter(|held| held.hash == version);
        let other = |version| is_held(version).or_else(|| self.versions.protocol(version));
        fold(events, |version| self.versions.later(version).or_else(|| other(version)))
    }

    /// How often an item was judged to the end, by a person's events on it: once under each version, on each of its texts, and
    /// each time that it was given anew.
    pub(super) fn times_judged(&self, events: &[Event]) -> usize {
        type Round = (Fingerprint, Fingerprint, u32);
        let (mut rounds, mut times_anew) = (BTreeMap::<Round, Vec<Event>>::new(), 0);
        for event in standing_events(events) {
            times_anew += u32::from(event.happening == Happening::Anew);
            let version = self.versions.later(event.protocol).map_or(event.protocol, |later| later.hash);
            rounds.entry((version, event.texts, times_anew)).or_default().push(event.clone());
        }
        let is_judged = |((version, ..), events): &(&Round, &Vec<Event>)| {
            let answers = self.fold_alone(events, None).answers;
            self.versions.protocol(*version).is_some_and(|protocol| protocol.is_complete(&answers))
        };
        rounds.iter().filter(is_judged).count()
    }

    /// Whether there is any event of this annotator, under any of her names, on this item.
    pub(super) fn has_any(&mut self, annotator: AnnotatorId, item: ItemId) -> Tried<bool> {
        for name in self.counting.names(annotator) {
            if self.acts.has_any(name, item)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Unpacks the answers of a row of `standing`.
    pub(crate) fn unpacked(&mut self, answers: Option<&[u8]>) -> Tried<Answers> {
        let mut found = Answers::new();
        for (_, phrase) in acts::said(&mut self.acts.phrases, answers.unwrap_or_default())? {
            if let Happening::Answer { question, answer } = phrase.happening() {
                found.insert(question.clone(), answer.clone());
            }
        }
        Ok(found)
    }

    /// Whether a text of the item was ever revised, which [`Log::fold`] has to know.
    pub(super) fn know_revised(&mut self, item: ItemId) -> Tried<bool> {
        Ok(self.revised.of(item)?.is_some())
    }

    /// All events of one annotator, under any of her names, on one item, in no order. Events of withdrawn imports are left out.
    pub(crate) fn events(&mut self, annotator: AnnotatorId, item: ItemId) -> Tried<Vec<Event>> {
        let (versions, counting) = (&self.versions, &self.counting);
        let mut events: Vec<Event> = Vec::new();
        for name in counting.names(annotator) {
            self.acts.events(name, item, versions, &mut events)?;
        }
        events.retain(|event| counting.has_writer(event.id.writer));
        self.revised.of_their_time(item, &mut events)?;
        Ok(events)
    }
}

impl Log<'_> {
    /// Turns a verdict under an earlier version whose answers stand into one under the current version.
    pub(super) fn in_words_of_now(&self, mut event: Event) -> Event {
        if let Some(protocol) = self.versions.later(event.protocol)
            && let Some(number) = protocol.earlier_version(event.protocol)
            && let Happening::Adjudicate(verdict) = &mut event.happening
        {
            verdict.answers = protocol.answers_now(number, &verdict.answers);
            event.protocol = protocol.hash;
        }
        event
    }

    /// The events as [`Log::events`] has them, without verdicts on texts that were revised since: they settle nothing any more.
    pub(super) fn events_with_verdicts(&mut self, annotator: AnnotatorId, item: ItemId) -> Tried<Vec<Event>> {
        let mut events = self.events(annotator, item)?;
        if let Some(now) = self.revised.known(item) {
            let is_verdict = |event: &Event| matches!(event.happening, Happening::Adjudicate(_));
            events.retain(|event| event.texts == now || !is_verdict(event));
        }
        Ok(events)
    }
}

/// Marks a standing as outdated where the item's texts are others now; without revisions, `now` is `None`.
fn on_texts(now: Option<Fingerprint>, standing: Standing) -> Standing {
    let given_on = standing.judged_under.map(|(_, texts)| texts);
    let is_outdated = now.zip(given_on).is_some_and(|(now, given_on)| now != given_on);
    Standing { is_outdated, ..standing }
}

/// The acts of one person on one item.
pub(super) struct PairActs<'p> {
    pub(crate) annotator: AnnotatorId,
    pub(crate) item: ItemId,
    acts: &'p [ActRow],
}

impl PairActs<'_> {
    /// The one row of an import, where the pair has nothing else.
    pub(super) fn only_import(&self) -> Option<&ActRow> {
        match self.acts {
            [row] if row.is_imported => Some(row),
            _ => None,
        }
    }

    /// The events, in no order.
    pub(super) fn events(&self, log: &mut Log<'_>) -> Tried<Vec<Event>> {
        let mut events = Vec::with_capacity(self.acts.len());
        self.acts.iter().try_for_each(|row| log.acts.unpack(row, &log.versions, &mut events))?;
        log.revised.of_their_time(self.item, &mut events)?;
        Ok(events)
    }
}

/// Hands over every pair of annotator and item that has events and counts, in the order of both; with
/// `whose`, those of one annotator, in a study that was never amended. People with several names come last.
/// Pairs on withdrawn items come only with `also_withdrawn`.
pub(super) fn for_each_pair<'c>(
    connection: &'c Connection,
    whose: Option<AnnotatorId>,
    also_withdrawn: bool,
    mut take: impl FnMut(&mut Log<'c>, &PairActs<'_>) -> Tried<()>,
) -> Tried<()> {
    let mut log = Log::prepare(connection)?;
    let counting = Rc::clone(&log.counting);
    let out = "SELECT id FROM withdrawn WHERE what = 'item' AND NOT ?1";
    let out: HashSet<ItemId> = all(connection, out, [also_withdrawn])?;
    let mut hand_over = |log: &mut Log<'c>, annotator, item, rows: &mut Vec<ActRow>| {
        let mut fault = None;
        rows.retain(|row| match log.acts.writer_of(row) {
            Ok(writer) => counting.has_writer(writer),
            Err(found) => {
                fault = Some(found);
                false
            }
        });
        match fault {
            Some(fault) => Err(fault),
            None if rows.is_empty() || out.contains(&item) || !counting.has(annotator) => Ok(()),
            None => take(log, &PairActs { annotator, item, acts: rows }),
        }
    };
    let mut statement = connection.prepare(&acts::in_order(whose))?;
    let mut found = statement.query_map([whose], ActRow::read)?;
    let (mut rows, mut next) = (Vec::new(), found.next().transpose()?);
    while let Some(first) = next {
        let (annotator, item) = (first.annotator, first.item);
        rows.clear();
        rows.push(first);
        next = loop {
            match found.next().transpose()? {
                Some(row) if (row.annotator, row.item) == (annotator, item) => rows.push(row),
                other => break other,
            }
        };
        if !counting.is_joined(annotator) {
            hand_over(&mut log, annotator, item, &mut rows)?;
        }
    }
    for person in counting.joined_people() {
        let mut acts: BTreeMap<ItemId, Vec<ActRow>> = BTreeMap::new();
        for name in counting.names(person) {
            let mut statement = connection.prepare_cached(&acts::in_order(Some(name)))?;
            for row in statement.query_map([name], ActRow::read)? {
                let row = row?;
                acts.entry(row.item).or_default().push(row);
            }
        }
        for (item, mut rows) in acts {
            hand_over(&mut log, person, item, &mut rows)?;
        }
    }
    Ok(())
}

/// Whether the journal of judgments holds any event.
pub(crate) fn has_events(connection: &Connection) -> Tried<bool> {
    exists(connection, "SELECT 1 FROM act", [])
}
