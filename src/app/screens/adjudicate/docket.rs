//! The items that the adjudicate screen goes through, and the one on the screen.

use std::sync::Arc;

use super::{AdjudicateDesk, AdjudicateWork, DisputedItem, MovableScores, Settle, VerdictOutcome};
use crate::app::screens::annotate::{
    AnnotateDesk, AnswerOutcome, AnswersSaved, Append, Elsewhere, Find, Spot,
};
use crate::error::Result;
use crate::journal::{
    Calibration, Contested, DaysWork, Decision, GoToEntry, Happening, ItemState, Loaded, Neighbour, Progress,
    Queue, Reason, Standing, Verdict,
};
use crate::protocol::{Answers, Protocol};
use crate::study::{AnnotatorId, ItemId};
use crate::text::hash::fingerprint;

/// The sentence that refuses a write in a review.
pub(super) const ONLY_READING: &str = "this is for reading: your answers stay as they are";

/// The items that the screen goes through, and the one on it.
#[derive(Debug, Clone)]
pub struct Docket {
    pub work: AdjudicateWork,
    pub(super) protocol: Arc<Protocol>,
    /// Row and key of the annotator who decides or reads.
    pub(super) annotator: (AnnotatorId, String),
    pub places: Vec<DisputedItem>,
    /// None only until the first item is read.
    pub contested: Option<Contested>,
    pub scored: MovableScores,
    pub hides_names: bool,
    /// Whether another item has been read since the screen was last laid out.
    pub(super) is_new: bool,
}

impl Docket {
    /// The decision on the item, as far as it is made.
    pub fn decision(&self) -> Option<&Decision> {
        self.contested.as_ref()?.decision.as_ref()
    }

    /// Whether the item on the screen has final answers.
    pub(super) fn is_settled(&self) -> bool {
        self.decision().is_some_and(|decision| decision.answers(&self.protocol).is_some())
    }

    /// The verdict so far, on which the next one builds. Answers under another version of the protocol do not count.
    pub(super) fn verdict(&self) -> Verdict {
        let Some(decision) = self.decision() else { return Verdict::default() };
        let is_own = decision.by == self.annotator.0;
        let mut verdict = decision.verdict.clone();
        if !is_own {
            verdict.active = 0;
        }
        if decision.protocol != self.protocol.hash {
            verdict.answers = Answers::new();
            verdict.took = None;
        }
        verdict
    }

    fn progress(&self) -> Progress {
        let count = |state: ItemState| self.places.iter().filter(|place| place.entry.state == state).count();
        Progress {
            total: self.places.len(),
            judged: count(ItemState::Judged),
            skipped: count(ItemState::Skipped),
            flagged: 0,
        }
    }

    /// The items as the queue of the screen of texts and answers.
    pub(super) fn queue(&self, resume: usize) -> Queue {
        Queue {
            annotator: self.annotator.0,
            name: self.annotator.1.clone(),
            progress: self.progress(),
            resume,
            recent: Vec::new(),
            held: 0,
            is_handed_out: false,
            is_begun: false,
        }
    }

    fn loaded(&self, contested: &Contested) -> Loaded {
        let groups = self.places.iter().map(|place| place.entry.group);
        let here = self.places.get(contested.position).map_or(0, |place| place.entry.group);
        let neighbour = |place: &DisputedItem| Neighbour {
            position: place.entry.position,
            state: place.entry.state,
            flagged: false,
            answers: Answers::new(),
        };
        Loaded {
            was: Vec::new(),
            position: contested.position,
            item: contested.item.clone(),
            standing: self.standing(contested),
            group: self.places.iter().filter(|place| place.entry.group == here).map(neighbour).collect(),
            place_of_group: (here, groups.max().unwrap_or(0)),
            calibration: None,
            sorted_by: None,
        }
    }

    /// The answers on the screen: the final ones, or the reader's own.
    fn standing(&self, contested: &Contested) -> Standing {
        match (self.work, &contested.decision) {
            (AdjudicateWork::Review, _) => {
                contested.opinions.first().map(|own| own.standing.clone()).unwrap_or_default()
            }
            (AdjudicateWork::Settle, Some(decision)) => Standing {
                answers: decision.verdict.answers.clone(),
                skipped: decision.verdict.is_put_aside,
                flagged: false,
                comment: decision.verdict.note.clone(),
                active: if decision.by == self.annotator.0 { decision.verdict.active } else { 0 },
                at: decision.at,
                times_anew: 0,
                is_outdated: false,
                earlier_version: None,
                judged_under: (!decision.verdict.answers.is_empty())
                    .then_some((decision.protocol, decision.texts)),
            },
            (AdjudicateWork::Settle, None) => Standing::default(),
        }
    }

    /// The position of the next item of a kind, going round; `after` itself comes last.
    fn find(&self, find: Find, after: usize) -> Option<usize> {
        let count = self.places.len();
        let step = |step: usize| match find {
            Find::PreviousOpen => (after + count - step % count.max(1)) % count.max(1),
            _ => (after + step) % count.max(1),
        };
        let next = |state: ItemState| {
            (1..=count)
                .map(step)
                .find(|position| self.places.get(*position).is_some_and(|place| place.entry.state == state))
        };
        match find {
            // Items in a review are judged already.
            Find::NextOpen if self.work == AdjudicateWork::Review => {
                Some(after + 1).filter(|next| *next < count)
            }
            Find::PreviousOpen if self.work == AdjudicateWork::Review => after.checked_sub(1),
            Find::NextFlagged => None,
            Find::AdvanceOpen => next(ItemState::Open),
            Find::NextOpen | Find::PreviousOpen => next(ItemState::Open).or_else(|| next(ItemState::Skipped)),
        }
    }

    /// Notes a decision on the item, in the list of items and in the scores too.
    fn note(&mut self, decision: Option<Decision>) {
        let Some(contested) = &mut self.contested else { return };
        contested.decision = decision;
        let decision = contested.decision.as_ref();
        let answers = decision.and_then(|decision| decision.answers(&self.protocol));
        let state = match decision {
            _ if answers.is_some() => ItemState::Judged,
            Some(decision) if decision.verdict.is_put_aside => ItemState::Skipped,
            _ => ItemState::Open,
        };
        let answers = answers.cloned().unwrap_or_default();
        self.scored.set(&self.protocol, contested.item.id, &answers);
        if let Some(place) = self.places.get_mut(contested.position) {
            place.entry.state = state;
            place.decided = answers;
        }
    }

    /// The verdict that some happenings make, or the retractions among them.
    fn settle(&self, append: &Append) -> Settle {
        let mut verdict = self.verdict();
        let mut happenings = Vec::new();
        for (happening, active) in append.happenings.clone() {
            match happening {
                Happening::Retract { .. } => happenings.push(happening),
                other => {
                    amend(&mut verdict, other);
                    verdict.active = verdict.active.saturating_add(active);
                }
            }
        }
        if happenings.is_empty() {
            happenings.push(Happening::Adjudicate(Box::new(verdict)));
        }
        let shown = self.decision().map(|decision| decision.event);
        Settle { item: append.item, shown, texts: append.texts, happenings, wall: append.wall }
    }
}

/// What differs between two verdicts beside their answers and notes.
fn reasons_changed(before: &Verdict, after: &Verdict) -> Vec<String> {
    let named = |verdict: &Verdict| verdict.reason.map_or("none", Reason::name);
    let reason = (before.reason != after.reason).then(|| format!("why {} → {}", named(before), named(after)));
    let example = if after.is_example { "an example" } else { "no example" };
    let example = (before.is_example != after.is_example).then(|| example.to_owned());
    reason.into_iter().chain(example).collect()
}

/// Adds a happening to a verdict.
fn amend(verdict: &mut Verdict, happening: Happening) {
    match happening {
        Happening::Answer { question, answer } => {
            verdict.answers.insert(question, answer);
            verdict.took = None;
            verdict.is_put_aside = false;
        }
        Happening::Clear { question } => {
            verdict.answers.remove(&question);
            verdict.took = None;
        }
        Happening::Skip(on) => verdict.is_put_aside = on,
        Happening::Comment(note) => verdict.note = note,
        Happening::Adjudicate(new) => *verdict = *new,
        Happening::Flag(_)
        | Happening::Visit { .. }
        | Happening::Anew
        | Happening::Retract { .. }
        | Happening::Unknown { .. } => {}
    }
}

/// The desk of the screen of texts and answers, where disagreements are settled: what that screen writes becomes a verdict.
pub(super) struct Hearing<'d> {
    pub docket: &'d mut Docket,
    pub desk: &'d mut dyn AdjudicateDesk,
}

impl AnnotateDesk for Hearing<'_> {
    fn load(&mut self, position: usize) -> Result<Loaded> {
        let mut contested = self.desk.contested(position)?;
        if self.docket.hides_names {
            // The order of opinions differs by item: a fixed one would soon tell whose they are.
            let item = contested.item.keys.item_key(&self.docket.protocol.name).to_string();
            contested.opinions.sort_by_cached_key(|opinion| fingerprint([item.as_str(), &opinion.name]));
        }
        let loaded = self.docket.loaded(&contested);
        (self.docket.contested, self.docket.is_new) = (Some(contested), true);
        Ok(loaded)
    }

    fn find(&mut self, find: Find, after: usize) -> Result<Option<usize>> {
        Ok(self.docket.find(find, after))
    }

    fn append(&mut self, append: &Append) -> Result<AnswerOutcome> {
        let is_visit = |happening: &Happening| matches!(happening, Happening::Visit { .. });
        let (mut ids, before) = (Vec::new(), self.docket.verdict());
        // A visit leaves nothing behind.
        if !append.happenings.iter().all(|(happening, _)| is_visit(happening)) {
            if self.docket.work == AdjudicateWork::Review {
                return Ok(AnswerOutcome::Refused(ONLY_READING));
            }
            match self.desk.settle(&self.docket.settle(append))? {
                VerdictOutcome::Written(written, decision) => {
                    ids = written;
                    self.docket.note(decision);
                }
                VerdictOutcome::Elsewhere(decision) => {
                    self.docket.note(decision);
                    let loaded = self.docket.contested.as_ref().map(|here| self.docket.loaded(here));
                    let (standing, group) =
                        loaded.map_or_else(Default::default, |loaded| (loaded.standing, loaded.group));
                    let progress = self.docket.progress();
                    return Ok(AnswerOutcome::Elsewhere(Box::new(Elsewhere { standing, group, progress })));
                }
            }
        }
        let contested = self.docket.contested.as_ref();
        let standing = contested.map(|contested| self.docket.standing(contested)).unwrap_or_default();
        let (progress, beside) = (self.docket.progress(), reasons_changed(&before, &self.docket.verdict()));
        Ok(AnswerOutcome::Written(Box::new(AnswersSaved { ids, standing, progress, beside })))
    }

    fn directory(&mut self) -> Result<Arc<[GoToEntry]>> {
        Ok(self.docket.places.iter().map(|place| place.entry.clone()).collect())
    }

    fn history(&mut self, spots: &[Spot]) -> Result<Vec<(GoToEntry, Answers)>> {
        let place = |spot: &Spot| self.docket.places.get(spot.position);
        let entry = |place: &DisputedItem| (place.entry.clone(), place.decided.clone());
        Ok(spots.iter().filter_map(place).map(entry).collect())
    }

    // Nothing is calibrated here, given back or answered in a row, and no day's work is counted.

    fn fill_queue(&mut self) -> Result<()> {
        Ok(())
    }

    fn untouched(&mut self, _position: usize) -> Result<Vec<usize>> {
        Ok(Vec::new())
    }

    fn known(&mut self, _item: ItemId) -> Result<Option<Calibration>> {
        Ok(None)
    }

    fn reopen(&mut self) -> Result<Queue> {
        Ok(self.docket.queue(0))
    }

    fn place_of(&mut self, _item: ItemId) -> Result<Option<usize>> {
        Ok(None)
    }

    fn calibrate_anew(&mut self, _wall: i64) -> Result<()> {
        Ok(())
    }

    fn can_give_back(&mut self, _item: ItemId) -> Result<bool> {
        Ok(false)
    }

    fn give_back(&mut self, _item: ItemId, _why: &str, _wall: i64) -> Result<()> {
        Ok(())
    }

    fn days_work(&mut self) -> Result<DaysWork> {
        Ok(DaysWork::default())
    }
}
