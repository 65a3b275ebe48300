//! The adjudicate screen: the texts and answers of the annotate screen, and under them the answers of everyone. Keys
//! make verdicts and never judgments. The same screen shows an annotator afterwards where
//! gold differs from the own answers; nothing can be written then.

pub mod message;
pub mod moves;
pub mod panel;
mod settling;

#[cfg(test)]
pub(crate) mod tests;

use std::sync::Arc;

use super::annotate::{App, Spot};
use crate::app::kit::frame::Frame;
use crate::app::kit::input::{Input, Moment};
use crate::app::kit::screen::{Message, Screen};
use crate::app::kit::undo::UndoStep;
use crate::app::screens::annotate::message as annotate;
use crate::journal::{
    Contested, Decision, EventId, GoToEntry, ItemState, Loaded, Neighbour, Outcome, Progress, Queue, Standing,
};
use crate::protocol::{Answer, Answers, Protocol};
use crate::study::{AnnotatorId, ItemId};
use crate::text::hash::fingerprint;
use message::{AdjudicateEffect, AdjudicateReply, AdjudicateRequest, VerdictSaved};
use moves::MovableScores;

/// The purpose of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdjudicateWork {
    /// Hear people who disagree, and decide.
    Settle,
    /// Let an annotator read where gold differs from the own answers.
    Review,
}

/// One of the items that the screen goes through.
#[derive(Debug, Clone, PartialEq)]
pub struct DisputedItem {
    pub item: ItemId,
    /// The item's line in the go-to list; its position is the place here.
    pub entry: GoToEntry,
    /// The final answers, where somebody gave them.
    pub decided: Answers,
    /// The gold answers and how they came about, in a review.
    pub gold: Option<(Outcome, Answers)>,
}

/// The data with which the screen is opened.
#[derive(Debug, Clone, PartialEq)]
pub struct AdjudicateOpening {
    pub study: String,
    pub protocol: Arc<Protocol>,
    pub work: AdjudicateWork,
    /// Row and key of the annotator who decides or reads.
    pub annotator: (AnnotatorId, String),
    /// The items in the order in which they are gone through.
    pub places: Vec<DisputedItem>,
    /// 0-based position on which to open.
    pub resume: usize,
    /// Earlier verdicts that can be taken back, oldest first.
    pub undo: Vec<(ItemId, EventId)>,
    pub scored: MovableScores,
    pub hides_names: bool,
}

/// The state of the screen.
#[derive(Debug, Clone)]
pub struct AdjudicateScreen {
    /// Texts, answers, undo, and everything else that the annotate screen does.
    pub app: App,
    pub work: AdjudicateWork,
    pub places: Vec<DisputedItem>,
    /// None only until the first item is read.
    pub contested: Option<Contested>,
    pub scored: MovableScores,
    pub hides_names: bool,
    /// Whether the scores under each answer are shown, once an item is decided. Before, they would lead.
    pub wants_scores: bool,
    /// Index of the first opinion that is shown, where not all fit.
    pub first_shown: usize,
    /// The keys that take an opinion, in the order of the opinions.
    take_keys: Vec<char>,
}

impl Screen for AdjudicateScreen {
    type Request = AdjudicateRequest;
    type Reply = AdjudicateReply;

    fn update(&mut self, message: Message<AdjudicateReply>) -> Vec<AdjudicateEffect> {
        let effects = match message {
            Message::Input(Input::Key(key, now)) if self.press_here(key, now) => self.act_here(key),
            Message::Input(Input::Repeat(key, now)) if self.press_here(key, now) => Vec::new(),
            Message::Input(Input::Mouse(mouse, now)) if self.panel_place(mouse).is_some() => {
                self.click_here(mouse, now)
            }
            Message::Input(input) => self.hand_on(input.into()),
            Message::Reply(AdjudicateReply::Contested(contested)) => self.show(*contested),
            Message::Reply(AdjudicateReply::Settled(settled)) => self.settled(*settled),
            Message::Reply(AdjudicateReply::Elsewhere(decision)) => {
                self.elsewhere(decision.map(|decision| *decision))
            }
            Message::Reply(AdjudicateReply::NotSettled(error)) => {
                self.hand_on(Message::Reply(annotate::AnnotateReply::NotAppended(error)))
            }
        };
        self.arrange();
        effects
    }

    fn frame(&self) -> &Frame {
        &self.app.frame
    }

    fn frame_mut(&mut self) -> &mut Frame {
        &mut self.app.frame
    }

    fn is_waiting(&self) -> bool {
        self.app.is_waiting()
    }
}

impl AdjudicateScreen {
    /// A screen that goes through these items, and its first effects.
    pub fn new(opening: AdjudicateOpening, now: Moment) -> (AdjudicateScreen, Vec<AdjudicateEffect>) {
        let AdjudicateOpening { study, protocol, work, annotator, places, resume, .. } = opening;
        let queue = Queue {
            annotator: annotator.0,
            name: annotator.1,
            progress: progress(&places),
            resume,
            recent: Vec::new(),
            held: 0,
            is_begun: false,
        };
        let position_of = |item: ItemId| places.iter().position(|place| place.item == item);
        let undo = opening.undo.into_iter().filter_map(|(item, event)| {
            Some(UndoStep { place: Spot { position: position_of(item)?, item }, events: vec![event] })
        });
        let (mut app, effects) = App::new(study, protocol, queue, undo.collect(), now);
        // A reason is still to be given after a decision.
        app.advances = false;
        let take_keys = settling::take_keys(&app);
        let mut this = AdjudicateScreen {
            app,
            work,
            places,
            contested: None,
            scored: opening.scored,
            hides_names: opening.hides_names,
            wants_scores: false,
            first_shown: 0,
            take_keys,
        };
        let effects = this.pass(effects);
        (this, effects)
    }

    /// The decision on the item, as far as it is made.
    pub fn decision(&self) -> Option<&Decision> {
        self.contested.as_ref()?.decision.as_ref()
    }

    /// Leaves room for the panel, as far as the screen has it.
    fn arrange(&mut self) {
        if self.app.reserved != self.wanted_rows() {
            self.reveal_bullets();
            self.make_room();
        }
    }

    /// Reveals the bullets of the decision, else those that people chose.
    fn reveal_bullets(&mut self) {
        let numbers =
            |answers: &Answers| -> Vec<u32> { answers.values().flat_map(Answer::bullets).copied().collect() };
        let decided = self.decision().map_or_else(Vec::new, |decision| numbers(&decision.verdict.answers));
        let opinions = self.contested.iter().flat_map(|contested| &contested.opinions);
        let chosen = opinions.flat_map(|opinion| numbers(&opinion.standing.answers)).collect();
        self.app.reveal_bullets(if decided.is_empty() { chosen } else { decided });
    }

    /// Lays the screen out above the panel, and scrolls to the place that was waited for.
    fn make_room(&mut self) {
        self.app.reserved = self.wanted_rows();
        self.app.arrange();
    }

    fn wanted_rows(&self) -> u16 {
        if self.app.is_zoomed { 0 } else { self.panel_rows() }
    }

    /// Hands a message on to the screen of texts and answers, and carries out its effects.
    fn hand_on(&mut self, message: Message<annotate::AnnotateReply>) -> Vec<AdjudicateEffect> {
        let effects = self.app.update(message);
        self.pass(effects)
    }

    /// Carries out effects of the screen of texts and answers, or passes them on.
    fn pass(&mut self, effects: Vec<annotate::AnnotateEffect>) -> Vec<AdjudicateEffect> {
        let mut wanted = Vec::new();
        for effect in effects {
            wanted.extend(match effect.asked() {
                Ok(annotate::AnnotateRequest::Load(position)) => {
                    vec![AdjudicateEffect::Ask(AdjudicateRequest::Load(position))]
                }
                Ok(annotate::AnnotateRequest::Append(append)) => self.append(append),
                Ok(annotate::AnnotateRequest::Find(find, after)) => {
                    let found = self.find(find, after);
                    self.hand_on(Message::Reply(annotate::AnnotateReply::Found(find, found)))
                }
                Ok(annotate::AnnotateRequest::Directory) => {
                    let entries = self.places.iter().map(|place| place.entry.clone()).collect();
                    self.hand_on(Message::Reply(annotate::AnnotateReply::Directory(entries)))
                }
                Ok(annotate::AnnotateRequest::Untouched(_)) => {
                    self.hand_on(Message::Reply(annotate::AnnotateReply::Untouched(Vec::new())))
                }
                // Nothing is calibrated here or given back, and no day's work is counted.
                Ok(
                    annotate::AnnotateRequest::FillQueue
                    | annotate::AnnotateRequest::Known(_)
                    | annotate::AnnotateRequest::Reopen
                    | annotate::AnnotateRequest::GiveBack { .. }
                    | annotate::AnnotateRequest::CalibrateAnew(_)
                    | annotate::AnnotateRequest::DaysWork,
                ) => Vec::new(),
                Ok(annotate::AnnotateRequest::History(spots)) => {
                    let place = |spot: &Spot| self.places.get(spot.position);
                    let entry = |place: &DisputedItem| (place.entry.clone(), place.decided.clone());
                    let settled = spots.iter().filter_map(place).map(entry).collect();
                    self.hand_on(Message::Reply(annotate::AnnotateReply::History(settled)))
                }
                Err(effect) => vec![effect],
            });
        }
        wanted
    }

    /// Puts an item on the screen.
    fn show(&mut self, mut contested: Contested) -> Vec<AdjudicateEffect> {
        if self.hides_names {
            // Otherwise the place of an opinion would soon say whose it is.
            let item = contested.item.keys.item_key(&self.app.protocol.name).to_string();
            contested.opinions.sort_by_cached_key(|opinion| fingerprint([item.as_str(), &opinion.name]));
        }
        let loaded = self.loaded(&contested);
        self.contested = Some(contested);
        self.first_shown = 0;
        let effects = self.hand_on(Message::Reply(annotate::AnnotateReply::Loaded(Box::new(loaded))));
        self.app.begun.corrects &= self.work == AdjudicateWork::Settle;
        self.reveal_bullets();
        self.make_room();
        effects
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
                active: if decision.by == self.app.queue.annotator { decision.verdict.active } else { 0 },
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
    fn find(&self, find: annotate::Find, after: usize) -> Option<usize> {
        let count = self.places.len();
        let step = |step: usize| match find {
            annotate::Find::PreviousOpen => (after + count - step % count.max(1)) % count.max(1),
            _ => (after + step) % count.max(1),
        };
        let next = |state: ItemState| {
            (1..=count)
                .map(step)
                .find(|position| self.places.get(*position).is_some_and(|place| place.entry.state == state))
        };
        match find {
            // Items in a review are judged already.
            annotate::Find::NextOpen if self.work == AdjudicateWork::Review => {
                Some(after + 1).filter(|next| *next < count)
            }
            annotate::Find::PreviousOpen if self.work == AdjudicateWork::Review => after.checked_sub(1),
            annotate::Find::NextFlagged => None,
            annotate::Find::AdvanceOpen => next(ItemState::Open),
            annotate::Find::NextOpen | annotate::Find::PreviousOpen => {
                next(ItemState::Open).or_else(|| next(ItemState::Skipped))
            }
        }
    }

    /// Takes note of a decision that is on disk.
    fn settled(&mut self, settled: VerdictSaved) -> Vec<AdjudicateEffect> {
        let VerdictSaved { ids, decision } = settled;
        if let Some(contested) = &mut self.contested {
            contested.decision = decision;
        }
        self.note_decision();
        self.acknowledge(ids)
    }

    /// Takes note of a decision from another terminal, which the adjudicator sees first.
    fn elsewhere(&mut self, decision: Option<Decision>) -> Vec<AdjudicateEffect> {
        if let Some(contested) = &mut self.contested {
            contested.decision = decision;
        }
        self.note_decision();
        let Some(Loaded { standing, group, .. }) = self.contested.as_ref().map(|here| self.loaded(here))
        else {
            return Vec::new();
        };
        let news = annotate::Elsewhere { standing, group, progress: progress(&self.places) };
        self.hand_on(Message::Reply(annotate::AnnotateReply::Elsewhere(Box::new(news))))
    }

    /// Notes the decision in the list of items and in the scores.
    fn note_decision(&mut self) {
        let Some(contested) = &self.contested else {
            return;
        };
        let decision = contested.decision.as_ref();
        let answers = decision.and_then(|decision| decision.answers(&self.app.protocol));
        let state = match decision {
            _ if answers.is_some() => ItemState::Judged,
            Some(decision) if decision.verdict.is_put_aside => ItemState::Skipped,
            _ => ItemState::Open,
        };
        let answers = answers.cloned().unwrap_or_default();
        self.scored.set(&self.app.protocol, contested.item.id, &answers);
        if let Some(place) = self.places.get_mut(contested.position) {
            place.entry.state = state;
            place.decided = answers;
        }
    }

    /// Tells the screen of texts and answers that its events are on disk.
    fn acknowledge(&mut self, ids: Vec<EventId>) -> Vec<AdjudicateEffect> {
        let standing = self.contested.as_ref().map(|contested| self.standing(contested));
        let appended = annotate::AnswersSaved {
            ids,
            standing: standing.unwrap_or_default(),
            progress: progress(&self.places),
        };
        self.hand_on(Message::Reply(annotate::AnnotateReply::Appended(Box::new(appended))))
    }
}

fn progress(places: &[DisputedItem]) -> Progress {
    let count = |state: ItemState| places.iter().filter(|place| place.entry.state == state).count();
    Progress {
        total: places.len(),
        judged: count(ItemState::Judged),
        skipped: count(ItemState::Skipped),
        flagged: 0,
    }
}
