//! The browse screen in the terminal.

use std::sync::Arc;

use super::adjudicate::Contests;
use super::annotate::study_name;
use super::looks::Looks;
use super::run::{Clocks, patiently, run};
use crate::app::screens::adjudicate::{AdjudicateDesk, AdjudicateOpening, Settle, VerdictOutcome};
use crate::app::screens::browse::{BrowseDesk, BrowseScreen, InPlace, JudgeInPlace, JudgedHere, ToSettle};
use crate::browse::{Tables, WhoCounts};
use crate::error::{Error, Result};
use crate::journal::{Contested, Standing};
use crate::protocol::Protocol;
use crate::store::{StepOutcome, StudyFile};
use crate::study::ItemId;
use crate::view::screens::browse::draw;

/// Options of the browse screen.
#[derive(Debug, Clone)]
pub struct BrowseOptions {
    /// The annotator under whose name tags, flags and comments are kept; `None` where the study is only read.
    pub annotator: Option<String>,
    /// The protocol whose tags name failures.
    pub tagging: Arc<Protocol>,
    /// The saved view that is opened first.
    pub view: Option<String>,
    pub looks: Looks,
    /// Finds out which of some items are to be settled.
    pub opens_settling: OpensSettling,
}

/// Makes the adjudicate screen's opening on some items, for this person; `None` where nobody disagrees.
pub type OpensSettling = fn(&mut StudyFile, &str, &ToSettle) -> Result<Option<AdjudicateOpening>>;

/// Opens the browse screen and stays until the person leaves.
pub fn browse(study: StudyFile, options: BrowseOptions) -> Result<()> {
    let clocks = Clocks::start();
    let way = options.looks.way(&study)?;
    let (corpus, judged) = patiently(|| study.whole_study())?;
    let mut tables = Tables::new(corpus, judged, WhoCounts::People);
    tables.count(tables.usually_counted());
    let mut app = BrowseScreen::new(
        study_name(&study),
        tables,
        Arc::clone(&options.tagging),
        options.annotator.clone(),
    );
    app.views = views(&study)?;
    if let Some(name) = &options.view {
        app.open_view(name)?;
    }
    let mut browsed = Browsed {
        study,
        annotator: options.annotator,
        tagging: options.tagging,
        opens_settling: options.opens_settling,
        contests: None,
    };
    run(app, &options.looks, clocks, way, draw, &mut browsed)?;
    Ok(())
}

/// Name and body of the saved views.
fn views(study: &StudyFile) -> Result<Vec<(String, String)>> {
    let views = patiently(|| study.views())?;
    Ok(views.into_iter().map(|view| (view.name, view.body)).collect())
}

/// The study that is browsed.
struct Browsed {
    study: StudyFile,
    annotator: Option<String>,
    tagging: Arc<Protocol>,
    opens_settling: OpensSettling,
    /// The items that are being settled.
    contests: Option<Contests>,
}

impl Browsed {
    /// The items that are being settled, and the study.
    fn settling(&mut self) -> Result<(&Contests, &mut StudyFile)> {
        let contests =
            self.contests.as_ref().ok_or_else(|| Error::new("no items of this table are being settled"))?;
        Ok((contests, &mut self.study))
    }
}

impl AdjudicateDesk for Browsed {
    fn contested(&mut self, position: usize) -> Result<Contested> {
        let (contests, study) = self.settling()?;
        contests.contested(study, position)
    }

    fn settle(&mut self, settle: &Settle) -> Result<VerdictOutcome> {
        let (contests, study) = self.settling()?;
        contests.settle(study, settle)
    }
}

impl BrowseDesk for Browsed {
    fn views(&mut self) -> Result<Vec<(String, String)>> {
        views(&self.study)
    }

    fn keep_view(&mut self, name: &str, body: Option<&str>, wall: i64) -> Result<()> {
        self.study.keep_view(name, body, wall)
    }

    fn open_settling(&mut self, asked: &ToSettle) -> Result<AdjudicateOpening> {
        let name = self.annotator.as_deref().unwrap_or_default();
        let Some(opening) = (self.opens_settling)(&mut self.study, name, asked)? else {
            return Err(Error::new("nobody disagrees on these items"));
        };
        self.contests = Some(Contests::of(&opening));
        Ok(opening)
    }

    fn standing(&mut self, item: ItemId) -> Result<Standing> {
        let annotators = patiently(|| self.study.annotators())?;
        let own = annotators.iter().find(|(_, annotator)| Some(&annotator.id) == self.annotator.as_ref());
        match own {
            Some((id, _)) => patiently(|| self.study.standing(*id, item)),
            None => Ok(Standing::default()),
        }
    }

    fn judge(&mut self, judge: &JudgeInPlace) -> Result<InPlace> {
        let name = self.annotator.as_deref().unwrap_or_default();
        let (mut steps, mut about) = (Vec::new(), Vec::new());
        for (target, change) in &judge.changes {
            let (annotator, item) = self.study.item_for(name, &self.tagging, *target)?;
            let standing = self.study.standing(annotator, item.id)?;
            let happenings = change.happenings(&self.tagging, &standing, item.texts());
            // Judgments in a table are not timed.
            let happenings: Vec<_> = happenings.into_iter().map(|happening| (happening, 0)).collect();
            if !happenings.is_empty() {
                steps.push((item.id, item.texts(), happenings));
                about.push((annotator, *target));
            }
        }
        let judged =
            |(annotator, target), item, standing, ids| JudgedHere { target, annotator, item, standing, ids };
        let Some((annotator, target)) = about.first().copied() else {
            return Ok(InPlace::Written(Vec::new()));
        };
        if let (Some(shown), [(item, texts, happenings)]) = (&judge.shown, steps.as_slice()) {
            let on = (*item, *texts);
            let done = self.study.append_over(shown, annotator, &self.tagging, on, happenings, judge.wall)?;
            return Ok(match done {
                StepOutcome::Written(done) => {
                    InPlace::Written(vec![judged((annotator, target), *item, done.standing, done.ids)])
                }
                StepOutcome::Elsewhere(_) => {
                    let standing = patiently(|| self.study.standing(annotator, *item))?;
                    let news = judged((annotator, target), *item, standing, Vec::new());
                    InPlace::Elsewhere(Box::new(news))
                }
            });
        }
        let done = self.study.append_each(annotator, &self.tagging, &steps, judge.wall)?;
        let all = about.into_iter().zip(&steps).zip(done);
        let all = all.map(|((of, (item, ..)), done)| judged(of, *item, done.standing, done.ids));
        Ok(InPlace::Written(all.collect()))
    }
}
