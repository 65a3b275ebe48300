//! All answers ever given, as the journal holds them.

use std::collections::{HashMap, HashSet};

use super::log::for_each_pair;
use crate::error::{Error, Result};
use crate::journal::{Event, EventId, Happening, Standing, question_of, standing_events};
use crate::protocol::Answer;
use crate::store::file::study_file::StudyFile;
use crate::study::{AnnotatorId, ItemId};

/// Whether an answer still counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PastState {
    /// The answer is the annotator's current one.
    Counts,
    /// The same question was answered again later, or is not asked.
    Replaced,
    /// The answer was retracted.
    Retracted,
}

impl PastState {
    /// The word for the state in files.
    pub fn name(self) -> &'static str {
        match self {
            PastState::Counts => "counts",
            PastState::Replaced => "replaced",
            PastState::Retracted => "retracted",
        }
    }

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

impl StudyFile {
    /// Hands over every answer that was ever given: by annotator and item, in the order in which they count.
    pub fn for_each_past_answer(&self, mut take: impl FnMut(PastAnswer<'_>) -> Result<()>) -> Result<()> {
        let mut failed: Option<Error> = None;
        self.read_once(|connection| {
            for_each_pair(connection, None, |log, pair| {
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
            (true, true) => PastState::Counts,
            (true, false) => PastState::Replaced,
        };
        let Event { at, active, .. } = *event;
        let hint = hints.get(&step(event)).copied();
        take(PastAnswer { annotator, item, question, answer, at, active, hint, state })?;
    }
    Ok(())
}
