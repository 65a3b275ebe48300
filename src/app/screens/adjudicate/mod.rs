//! The adjudicate screen: the texts and answers of the annotate screen, and under them the answers of everyone. Keys
//! make verdicts and never judgments. In a review, the same screen shows annotators where gold differs from their own
//! answers, and writes nothing.

pub mod desk;
pub mod docket;
pub mod moves;
pub mod panel;
mod settling;

#[cfg(test)]
pub(crate) mod tests;

use std::sync::Arc;

use super::annotate::{App, Spot};
use crate::app::kit::{Frame, Input, Moment, Screen, UndoStep};
use crate::journal::{Decision, EventId, GoToEntry, Outcome};
use crate::protocol::{Answer, Answers, Protocol};
use crate::study::{AnnotatorId, ItemId};
pub(crate) use desk::{AdjudicateDesk, Settle, VerdictOutcome};
use docket::ONLY_READING;
use docket::{Docket, Hearing};
pub(crate) use moves::{Labelled, MovableScores};
use moves::{Moved, choosing};
pub(crate) use panel::{GUTTER, PanelCell, PanelPiece, PanelRow};
use settling::REASONS;

/// The purpose of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdjudicateWork {
    /// Hear people who disagree, and decide.
    Settle,
    /// Let annotators read where gold differs from their own answers.
    Review,
}

/// One of the items that the screen goes through.
#[derive(Debug, Clone, PartialEq)]
pub struct DisputedItem {
    pub item: ItemId,
    /// The item's line in the go-to list; its position counts the items of this screen.
    pub entry: GoToEntry,
    /// The final answers, where somebody gave them.
    pub decided: Answers,
    /// The gold answers and how they came about, in a review.
    pub gold: Option<(Outcome, Answers)>,
}

/// The data with which the screen is opened.
#[derive(Debug, Clone, PartialEq)]
pub struct AdjudicateOpening {
    pub protocol: Arc<Protocol>,
    pub work: AdjudicateWork,
    /// Row and key of the annotator who decides or reads.
    pub annotator: (AnnotatorId, String),
    /// The items in the order of the screen.
    pub places: Vec<DisputedItem>,
    /// 0-based position on which to open.
    pub resume: usize,
    /// Earlier verdicts that can be taken back, oldest first.
    pub undo: Vec<(ItemId, EventId)>,
    pub scored: MovableScores,
    pub hides_names: bool,
    /// The annotators whose opinions are shown.
    pub opinions_of: Vec<AnnotatorId>,
}

/// The state of the screen.
#[derive(Debug, Clone)]
pub struct AdjudicateScreen {
    /// Texts, answers, undo, and everything else that the annotate screen does.
    pub app: App,
    pub docket: Docket,
    /// Whether scores under each answer are shown once an item is decided. Shown earlier, they would sway the decision.
    pub wants_scores: bool,
    /// Index of the first opinion that is shown, where not all fit.
    pub first_shown: usize,
    /// The keys that take an opinion, in the order of the opinions.
    take_keys: Vec<char>,
}

impl Screen for AdjudicateScreen {
    type Desk<'d> = dyn AdjudicateDesk + 'd;

    fn open(&mut self, desk: &mut Self::Desk<'_>) {
        self.app.open(&mut Hearing { docket: &mut self.docket, desk });
        self.arrange();
    }

    fn update(&mut self, input: Input, desk: &mut Self::Desk<'_>) {
        match input {
            Input::Key(key, now) if self.press_here(key, now) => self.act_here(key, desk),
            Input::Repeat(key, now) if self.press_here(key, now) => {}
            Input::Mouse(mouse, now) if self.panel_place(mouse).is_some() => {
                self.click_here(mouse, now, desk)
            }
            input => self.app.update(input, &mut Hearing { docket: &mut self.docket, desk }),
        }
        self.arrange();
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
    /// A screen that goes through these items of a study of this name.
    pub fn new(study: String, opening: AdjudicateOpening, now: Moment) -> AdjudicateScreen {
        let AdjudicateOpening { protocol, work, annotator, places, resume, .. } = opening;
        let position_of = |item: ItemId| places.iter().position(|place| place.item == item);
        let undo = opening.undo.into_iter().filter_map(|(item, event)| {
            Some(UndoStep { place: Spot { position: position_of(item)?, item }, events: vec![event] })
        });
        let undo = undo.collect();
        let docket = Docket {
            work,
            protocol: Arc::new(protocol.on_screen(false)),
            annotator,
            places,
            contested: None,
            scored: opening.scored,
            hides_names: opening.hides_names,
            is_new: false,
        };
        let mut app = App::new(study, protocol, docket.queue(resume), undo, now);
        // The screen stays on a decided item, since the reason is still to be given.
        app.advances = false;
        let take_keys = settling::take_keys(&app);
        AdjudicateScreen { app, docket, wants_scores: false, first_shown: 0, take_keys }
    }

    /// Leaves room for the panel, as far as the screen has it.
    fn arrange(&mut self) {
        let is_new = std::mem::take(&mut self.docket.is_new);
        if is_new {
            self.first_shown = 0;
            self.app.begun.corrects &= self.docket.work == AdjudicateWork::Settle;
        }
        if is_new || self.app.reserved != self.wanted_rows() {
            self.reveal_bullets();
            self.make_room();
        }
    }

    /// The decision on the item, as far as it is made.
    pub fn decision(&self) -> Option<&Decision> {
        self.docket.decision()
    }

    /// Reveals the bullets of the decision, else those that people chose.
    fn reveal_bullets(&mut self) {
        let numbers =
            |answers: &Answers| -> Vec<u32> { answers.values().flat_map(Answer::bullets).copied().collect() };
        let decided = self.decision().map_or_else(Vec::new, |decision| numbers(&decision.verdict.answers));
        let opinions = self.docket.contested.iter().flat_map(|contested| &contested.opinions);
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
}
