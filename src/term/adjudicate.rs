//! The adjudicate screen in the terminal.

use std::sync::Arc;

use super::annotate::{Left, study_name};
use super::looks::Looks;
use super::run::{Clocks, patiently, run};
use crate::app::screens::adjudicate::{
    AdjudicateDesk, AdjudicateOpening, AdjudicateScreen, AdjudicateWork, Settle, VerdictOutcome,
};
use crate::error::{Error, Result};
use crate::journal::{Contested, DaysWork};
use crate::protocol::Protocol;
use crate::store::{StepOutcome, StudyFile};
use crate::study::{AnnotatorId, ItemId};
use crate::view::screens::adjudicate::draw;

/// Options of the adjudicate screen.
#[derive(Debug, Clone)]
pub struct AdjudicateOptions {
    pub opening: AdjudicateOpening,
    /// Shows the names of systems.
    pub shows_systems: bool,
    pub looks: Looks,
}

/// Opens the screen and stays until the person leaves.
pub fn adjudicate(study: StudyFile, options: AdjudicateOptions) -> Result<Left> {
    let clocks = Clocks::start();
    let opening = options.opening;
    let way = options.looks.way(&study)?;
    let mut hearings = Hearings { contests: Contests::of(&opening), study };
    let mut screen = AdjudicateScreen::new(study_name(&hearings.study), opening, clocks.now());
    screen.app.is_blind = !options.shows_systems;
    let screen = run(screen, &options.looks, clocks, way, draw, &mut hearings)?;
    Ok(Left {
        progress: screen.app.queue.progress,
        is_saved: screen.app.pending.is_none(),
        day: DaysWork::default(),
    })
}

/// The items of a study that the screen goes through.
pub(super) struct Contests {
    protocol: Arc<Protocol>,
    annotator: AnnotatorId,
    work: AdjudicateWork,
    items: Vec<ItemId>,
    opinions_of: Vec<AnnotatorId>,
}

impl Contests {
    pub(super) fn of(opening: &AdjudicateOpening) -> Contests {
        Contests {
            protocol: Arc::clone(&opening.protocol),
            annotator: opening.annotator.0,
            work: opening.work,
            items: opening.places.iter().map(|place| place.item).collect(),
            opinions_of: opening.opinions_of.clone(),
        }
    }

    pub(super) fn contested(&self, study: &StudyFile, position: usize) -> Result<Contested> {
        let Some(item) = self.items.get(position) else {
            let (number, all) = (position + 1, self.items.len());
            return Err(Error::new(format!("there is no item {number} to settle: the last is {all}")));
        };
        patiently(|| {
            Ok(Contested {
                position,
                item: study.item(&self.protocol, *item)?,
                opinions: study.opinions(&self.protocol, *item, &self.opinions_of)?,
                decision: study.decision(*item)?,
            })
        })
    }

    pub(super) fn settle(&self, study: &mut StudyFile, settle: &Settle) -> Result<VerdictOutcome> {
        // A review never asks for this, and nothing would be written if it did.
        if self.work == AdjudicateWork::Review {
            return Err(Error::new("a review only reads"));
        }
        let Settle { item, shown, texts, happenings, wall } = settle;
        let on = (*item, *texts);
        Ok(match study.adjudicate(*shown, self.annotator, &self.protocol, on, happenings, *wall)? {
            StepOutcome::Elsewhere(decision) => VerdictOutcome::Elsewhere(decision),
            StepOutcome::Written(done) => VerdictOutcome::Written(done.ids, done.decision),
        })
    }
}

/// A study, and its items that the screen goes through.
struct Hearings {
    contests: Contests,
    study: StudyFile,
}

impl AdjudicateDesk for Hearings {
    fn contested(&mut self, position: usize) -> Result<Contested> {
        self.contests.contested(&self.study, position)
    }

    fn settle(&mut self, settle: &Settle) -> Result<VerdictOutcome> {
        self.contests.settle(&mut self.study, settle)
    }
}
