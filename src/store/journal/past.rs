//! All answers ever given, as the journal holds them.

use std::collections::{HashMap, HashSet};

use super::log::for_each_pair;
use crate::error::{Error, Result};
use crate::journal::{Event, EventId, Happening, Standing, active_time, question_of, standing_events};
use crate::protocol::Answer;
use crate::store::corpus::Target;
use crate::store::file::{FromRow, StudyFile, all_by};
use crate::study::{AnnotatorId, ItemId};

named! {
    /// Whether an answer still counts.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum PastState {
        /// The answer is the annotator's current one.
        Counts = "counts",
        /// The answer is the annotator's latest one, on a text that was revised since.
        Stale = "stale",
        /// The question was answered again later, or is not asked.
        Replaced = "replaced",
        /// The answer was retracted.
        Retracted = "retracted",
    }
}

impl PastState {
    pub fn counts(self) -> bool {
        self == PastState::Counts
    }
}

/// An answer that was given, or cleared because its question was no longer asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PastAnswer<'e> {
    pub annotator: AnnotatorId,
    pub item: ItemId,
    pub question: &'e str,
    /// The answer; `None` where it was cleared.
    pub answer: Option<&'e Answer>,
    /// Wall time in milliseconds since 1970; `None` for an import that does not say.
    pub at: Option<i64>,
    /// Active milliseconds since the annotator's event before it on the item.
    pub active: i64,
    /// The bullet that was marked as the most similar one at that time.
    pub hint: Option<u32>,
    pub state: PastState,
}

/// The work of a person that is paid, also on texts that were withdrawn or revised since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PaidWork {
    /// How often an item was judged to the end; on other texts, or under another version, once more.
    pub judged: usize,
    /// Active milliseconds.
    pub active: u64,
}

impl StudyFile {
    /// The work of everyone under a protocol, on all items or on these.
    pub fn paid_work(
        &self,
        protocol_name: &str,
        only: Option<&HashSet<Target>>,
    ) -> Result<HashMap<AnnotatorId, PaidWork>> {
        self.read_under(protocol_name, |connection, protocol| {
            let select =
                "SELECT query, document, candidate, unit, bullet, other, id FROM item WHERE protocol = ?1";
            let items: HashMap<ItemId, Target> =
                all_by(connection, select, [protocol], |row| Ok((row.get(6)?, Target::from_row(row)?)))?;
            let is_asked = |target: &Target| only.is_none_or(|only| only.contains(target));
            let mut done: HashMap<AnnotatorId, PaidWork> = HashMap::new();
            for_each_pair(connection, None, true, |log, pair| {
                if items.get(&pair.item).is_some_and(is_asked) {
                    let events = pair.events(log)?;
                    let own = done.entry(pair.annotator).or_default();
                    own.judged += log.times_judged(&events);
                    own.active += active_time(&events).unsigned_abs();
                }
                Ok(())
            })?;
            // Verdicts are no judgments, and have no time here.
            done.retain(|_, own| *own != PaidWork::default());
            Ok(done)
        })
    }

    /// Hands over every answer that was ever given: by annotator and item, in the order in which they count.
    pub fn for_each_past_answer(&self, mut take: impl FnMut(PastAnswer<'_>) -> Result<()>) -> Result<()> {
        let mut failed: Option<Error> = None;
        self.read_once(|connection| {
            for_each_pair(connection, None, false, |log, pair| {
                if failed.is_none() {
                    let events = pair.events(log)?;
                    log.know_revised(pair.item)?;
                    let standing = log.fold(pair.item, &events, None);
                    failed = past_answers((pair.annotator, pair.item), &events, &standing, &mut take).err();
                }
                Ok(())
            })
        })?;
        failed.map_or(Ok(()), Err)
    }
}

fn past_answers(
    (annotator, item): (AnnotatorId, ItemId),
    events: &[Event],
    standing: &Standing,
    take: &mut impl FnMut(PastAnswer<'_>) -> Result<()>,
) -> Result<()> {
    let not_retracted: Vec<&Event> = standing_events(events);
    let under = standing.judged_under.map(|(under, _)| under);
    // The last event on each question: where there is a current answer, the event that gave it.
    let mut last: HashMap<&str, EventId> = HashMap::new();
    for event in &not_retracted {
        let Some(question) = question_of(event) else { continue };
        let is_word = match (standing.answers.get(question), &event.happening) {
            (Some(current), Happening::Answer { answer, .. }) => {
                let is_earlier = standing.earlier_version.is_some() && under != Some(event.protocol);
                is_earlier || (answer == current && under == Some(event.protocol))
            }
            (None, Happening::Clear { .. }) => true,
            _ => false,
        };
        if is_word {
            last.insert(question, event.id);
        }
    }
    // The visit that belongs to an answer is of the same step.
    let step = |event: &Event| (event.at, event.id.writer);
    let hints: HashMap<_, u32> = events
        .iter()
        .filter_map(|event| match event.happening {
            Happening::Visit { hint, .. } => Some((step(event), hint?)),
            _ => None,
        })
        .collect();
    let kept: HashSet<EventId> = not_retracted.iter().map(|event| event.id).collect();
    let mut ordered: Vec<&Event> = events.iter().collect();
    ordered.sort_by_key(|event| event.order());
    let mut answered: HashSet<&str> = HashSet::new();
    for event in ordered {
        let Some(question) = question_of(event) else { continue };
        let answer = match &event.happening {
            Happening::Answer { answer, .. } => Some(answer),
            _ => None,
        };
        // A clear without an answer before it is left out.
        match answer {
            Some(_) => answered.insert(question),
            None if !answered.remove(question) => continue,
            None => true,
        };
        let state = match (kept.contains(&event.id), last.get(question) == Some(&event.id)) {
            (false, _) => PastState::Retracted,
            (true, true) if standing.is_outdated => PastState::Stale,
            (true, true) => PastState::Counts,
            (true, false) => PastState::Replaced,
        };
        let Event { at, active, .. } = *event;
        let hint = hints.get(&step(event)).copied();
        take(PastAnswer { annotator, item, question, answer, at, active, hint, state })?;
    }
    Ok(())
}
