//! The annotate screen in the terminal.

use std::sync::Arc;

use super::looks::{Looks, Preferences};
use super::run::{Clocks, patiently, run};
use crate::app::kit::{Action, UndoStep};
use crate::app::screens::annotate::{
    AnnotateDesk, AnswerOutcome, AnswersSaved, App, Append, Elsewhere, Find, Spot,
};
use crate::error::Result;
use crate::journal::{Calibration, DaysWork, GoToEntry, Loaded, Progress, Queue, Standing};
use crate::protocol::{Answers, Protocol};
use crate::store::{QueuePart, StepOutcome, StudyFile};
use crate::study::{AnnotatorId, ItemId};
use crate::view::screens::annotate::draw;

/// Options of the annotate screen.
#[derive(Debug, Clone)]
pub struct AnnotateOptions {
    /// The annotator's key.
    pub annotator: String,
    pub protocol: Arc<Protocol>,
    /// Shows the names of systems.
    pub shows_systems: bool,
    /// Leads a newcomer through the first item.
    pub tours: bool,
    pub looks: Looks,
}

/// The state of the queue when the annotator left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    pub progress: Progress,
    /// False when the last answer could not be written and the annotator left all the same.
    pub is_saved: bool,
    pub day: DaysWork,
}

/// Opens the annotate screen and stays until the annotator leaves.
pub fn annotate(mut study: StudyFile, options: AnnotateOptions) -> Result<Left> {
    let clocks = Clocks::start();
    let protocol = Arc::clone(&options.protocol);
    let queue = study.open_queue(&options.annotator, &protocol)?;
    let undo = study.undo_history(queue.annotator, &protocol.name, 200)?;
    let undo = undo
        .into_iter()
        .map(|step| UndoStep {
            place: Spot { position: step.position, item: step.item },
            events: step.events,
        })
        .collect();
    let name = study_name(&study);
    let annotator = queue.annotator;
    let mut app = App::new(name, Arc::clone(&protocol), queue, undo, clocks.now());
    app.is_blind = !options.shows_systems;
    app.advances = options.looks.advances;
    app.shows_clock = options.looks.shows_clock;
    let marks = options.looks.picture.is_none() && Preferences::marks_bullets(&study, &options.annotator);
    app.hints = marks;
    app.breaks.after = options.looks.break_after;
    let mut way = options.looks.way(&study)?;
    if let Some(way) = &mut way {
        way.queue = Some(study.revision()?);
    }
    let membership = study.membership()?;
    // Only a lead sends the event by which an item is given back; that of another member would stay in this file.
    let sees_all = membership.as_ref().is_none_or(|membership| membership.me.kind.sees_all());
    let member = membership.map(|membership| study.person_behind(&membership.me.name)).transpose()?;
    if let Some(way) = way.as_mut().filter(|_| member.as_ref() == Some(&app.queue.name)) {
        way.work = Some(protocol.name.clone());
    }
    app.keeps = (!sees_all).then_some("the hub takes no item back: s puts it aside, and c says why");
    if options.tours {
        app.begin_tour(false);
    }
    let mut looks = options.looks;
    if marks && looks.greeting.is_empty() {
        let key = looks.keymap.sign(Action::LikelyBullet);
        looks.greeting =
            format!("the most similar bullet is marked, as you chose for this study; {key} ends that");
    }
    let mut queue = OpenQueue { study, protocol, annotator, name: options.annotator, is_seen: false };
    let app = run(app, &looks, clocks, way, draw, &mut queue)?;
    if app.advances != looks.advances {
        Preferences::change(|preferences| preferences.auto_advance = Some(app.advances));
    }
    if app.hints != marks {
        Preferences::mark_bullets(&queue.study, &queue.name, app.hints);
    }
    if app.shows_clock != looks.shows_clock {
        Preferences::change(|preferences| preferences.item_clock = Some(app.shows_clock));
    }
    // The annotator hears what is saved even where the day's work cannot be read.
    let day = queue.days_work().unwrap_or_default();
    Ok(Left { progress: app.queue.progress, is_saved: app.pending.is_none(), day })
}

/// The queue of an annotator in a study.
struct OpenQueue {
    study: StudyFile,
    protocol: Arc<Protocol>,
    annotator: AnnotatorId,
    /// The annotator's key.
    name: String,
    /// Whether the first item was asked for.
    is_seen: bool,
}

impl OpenQueue {
    /// Finds an item in one of these parts of the queue.
    fn next_of(&self, part: QueuePart, after: usize, backwards: bool) -> Result<Option<usize>> {
        patiently(|| self.study.next_of(&part, self.annotator, &self.protocol.name, after, backwards))
    }
}

impl AnnotateDesk for OpenQueue {
    fn load(&mut self, position: usize) -> Result<Loaded> {
        // The first item is in the queue already; any later one needs the whole queue.
        if std::mem::replace(&mut self.is_seen, true) {
            self.fill_queue()?;
        }
        patiently(|| self.study.load(self.annotator, &self.protocol, position))
    }

    fn fill_queue(&mut self) -> Result<()> {
        patiently(|| self.study.fill_queue(&self.name, &self.protocol))
    }

    fn find(&mut self, find: Find, after: usize) -> Result<Option<usize>> {
        self.fill_queue()?;
        match find {
            Find::AdvanceOpen => self.next_of(QueuePart::OPEN, after, false),
            Find::NextOpen | Find::PreviousOpen => {
                let backwards = find == Find::PreviousOpen;
                match self.next_of(QueuePart::OPEN, after, backwards)? {
                    // Skipped items are still to do, last of all.
                    None => self.next_of(QueuePart::SKIPPED, after, backwards),
                    open => Ok(open),
                }
            }
            Find::NextFlagged => self.next_of(QueuePart::FLAGGED, after, false),
        }
    }

    fn append(&mut self, append: &Append) -> Result<AnswerOutcome> {
        self.fill_queue()?;
        let Append { item, shown, texts, happenings, wall, .. } = append;
        let on = (*item, *texts);
        let done = self.study.append_over(shown, self.annotator, &self.protocol, on, happenings, *wall)?;
        Ok(match done {
            StepOutcome::Written(done) => AnswerOutcome::Written(Box::new(AnswersSaved {
                ids: done.ids,
                standing: done.standing,
                progress: done.progress,
                beside: Vec::new(),
            })),
            StepOutcome::Elsewhere(progress) => {
                let Loaded { standing, group, .. } = self.load(append.position)?;
                AnswerOutcome::Elsewhere(Box::new(Elsewhere { standing, group, progress }))
            }
        })
    }

    fn directory(&mut self) -> Result<Arc<[GoToEntry]>> {
        self.fill_queue()?;
        Ok(patiently(|| self.study.directory(self.annotator, &self.protocol.name))?.into())
    }

    fn untouched(&mut self, position: usize) -> Result<Vec<usize>> {
        self.fill_queue()?;
        patiently(|| self.study.untouched(self.annotator, &self.protocol.name, position))
    }

    fn known(&mut self, item: ItemId) -> Result<Option<Calibration>> {
        patiently(|| self.study.known_answer(self.annotator, item, &self.protocol))
    }

    fn reopen(&mut self) -> Result<Queue> {
        patiently(|| self.study.open_queue(&self.name, &self.protocol))
    }

    fn place_of(&mut self, item: ItemId) -> Result<Option<usize>> {
        patiently(|| self.study.place_of(self.annotator, item))
    }

    fn calibrate_anew(&mut self, wall: i64) -> Result<()> {
        self.study.calibrate_anew(self.annotator, &self.protocol, wall)
    }

    fn can_give_back(&mut self, item: ItemId) -> Result<bool> {
        patiently(|| self.study.can_give_back(self.annotator, item))
    }

    fn give_back(&mut self, item: ItemId, why: &str, wall: i64) -> Result<()> {
        self.study.give_back(self.annotator, item, why, wall)
    }

    /// Work since midnight, local time.
    fn days_work(&mut self) -> Result<DaysWork> {
        let now = jiff::Zoned::now();
        // A day without a beginning in its time zone began a day ago at most.
        let midnight = now.start_of_day().unwrap_or_else(|_| now.clone()).timestamp().as_millisecond();
        patiently(|| self.study.days_work(self.annotator, &self.protocol, midnight))
    }

    fn history(&mut self, spots: &[Spot]) -> Result<Vec<(GoToEntry, Answers)>> {
        let entries = self.directory()?;
        let items: Vec<ItemId> = spots.iter().map(|spot| spot.item).collect();
        let standings = patiently(|| self.study.standings(self.annotator, &self.protocol, &items))?;
        let mut answered = Vec::new();
        for (spot, Standing { answers, .. }) in spots.iter().zip(standings) {
            let entry = entries.iter().find(|entry| entry.position == spot.position);
            let Some(mut entry) = entry.cloned() else { continue };
            if self.protocol.names_other(&answers) {
                // The text that was chosen tells a pair apart.
                let item = patiently(|| self.study.item(&self.protocol, spot.item))?;
                entry.unit = item.other.map_or(entry.unit, |other| other.text.chars().take(200).collect());
            }
            answered.push((entry, answers));
        }
        Ok(answered)
    }
}

/// The name of a study on a screen.
pub(super) fn study_name(study: &StudyFile) -> String {
    let name = study.path().file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
