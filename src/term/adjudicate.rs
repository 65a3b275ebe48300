//! The adjudicate screen in the terminal.

use std::sync::Arc;

use super::annotate::Left;
use super::looks::Looks;
use super::run::{Clocks, patiently, run};
use crate::app::screens::adjudicate::message::{AdjudicateReply, AdjudicateRequest, Settle, VerdictSaved};
use crate::app::screens::adjudicate::{AdjudicateOpening, AdjudicateScreen, AdjudicateWork};
use crate::error::Result;
use crate::journal::{Contested, DaysWork};
use crate::protocol::Protocol;
use crate::store::{StepOutcome, StudyFile};
use crate::study::{AnnotatorId, ItemId};
use crate::view::screens::adjudicate::draw;

/// Options of the adjudicate screen.
#[derive(Debug, Clone)]
pub struct AdjudicateOptions {
    pub opening: AdjudicateOpening,
    /// The annotators whose opinions are shown.
    pub opinions_of: Vec<AnnotatorId>,
    /// Shows the names of systems.
    pub shows_systems: bool,
    pub looks: Looks,
}

/// Opens the screen and stays until the person leaves.
pub fn adjudicate(study: StudyFile, options: AdjudicateOptions) -> Result<Left> {
    let clocks = Clocks::start();
    let opening = options.opening;
    let mut study = study;
    let contests = Contests::of(&opening, options.opinions_of);
    let (mut screen, effects) = AdjudicateScreen::new(opening, clocks.now());
    screen.app.is_blind = !options.shows_systems;
    let way = options.looks.way(&study)?;
    let screen = run(screen, effects, &options.looks, clocks, way, draw, &mut |request| {
        contests.answer(&mut study, request)
    })?;
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
    pub(super) fn of(opening: &AdjudicateOpening, opinions_of: Vec<AnnotatorId>) -> Contests {
        Contests {
            protocol: Arc::clone(&opening.protocol),
            annotator: opening.annotator.0,
            work: opening.work,
            items: opening.places.iter().map(|place| place.item).collect(),
            opinions_of,
        }
    }

    pub(super) fn answer(
        &self,
        study: &mut StudyFile,
        request: AdjudicateRequest,
    ) -> Result<Option<AdjudicateReply>> {
        Ok(match request {
            AdjudicateRequest::Load(position) => {
                let contested = patiently(|| self.load(study, position))?;
                contested.map(|contested| AdjudicateReply::Contested(Box::new(contested)))
            }
            AdjudicateRequest::Settle(settle) => Some(self.settle(study, &settle)),
        })
    }

    fn load(&self, study: &StudyFile, position: usize) -> Result<Option<Contested>> {
        let Some(item) = self.items.get(position) else {
            return Ok(None);
        };
        Ok(Some(Contested {
            position,
            item: study.item(&self.protocol, *item)?,
            opinions: study.opinions(&self.protocol, *item, &self.opinions_of)?,
            decision: study.decision(*item)?,
        }))
    }

    fn settle(&self, study: &mut StudyFile, settle: &Settle) -> AdjudicateReply {
        // A review never asks for this, and nothing would be written if it did.
        if self.work == AdjudicateWork::Review {
            return AdjudicateReply::NotSettled(crate::error::Error::new("a review only reads"));
        }
        let Settle { item, shown, texts, happenings, wall } = settle;
        let on = (*item, *texts);
        match study.adjudicate(*shown, self.annotator, &self.protocol, on, happenings, *wall) {
            Ok(StepOutcome::Elsewhere(decision)) => AdjudicateReply::Elsewhere(decision.map(Box::new)),
            Ok(StepOutcome::Written(done)) => {
                AdjudicateReply::Settled(Box::new(VerdictSaved { ids: done.ids, decision: done.decision }))
            }
            Err(error) => AdjudicateReply::NotSettled(error),
        }
    }
}
