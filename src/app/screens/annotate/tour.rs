//! The tour: five hints on the bottom line that lead through an item. In the demo it begins by itself on the first item. Each
//! hint goes when it is followed; nothing else depends on the tour.

use super::App;
use crate::journal::ItemState;

/// A hint of the tour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TourStop {
    Task,
    /// The way to answer a question.
    Answer,
    /// Another question that follows.
    More,
    /// Answers are on disk, and can be taken back.
    Saved,
    /// The page with all keys.
    Help,
}

/// A tour that goes on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tour {
    stop: TourStop,
    /// Whether the key that began the tour is being taken.
    is_new: bool,
    /// Items that were judged when the tour began.
    judged: usize,
}

impl App {
    /// Begins the tour on the item that is on the screen, because of the key that is being taken or by itself.
    pub fn begin_tour(&mut self, by_key: bool) {
        self.tour = Some(Tour { stop: TourStop::Task, is_new: by_key, judged: self.queue.progress.judged });
    }

    /// The task in one question: the guideline's, else the title with the first prompt.
    pub fn task_question(&self) -> String {
        let prompt = || self.protocol.questions.first().map_or("", |question| question.prompt.as_str());
        self.protocol.task_question().unwrap_or_else(|| format!("{}: {}", self.protocol.title, prompt()))
    }

    /// The present hint, while there is a tour.
    pub fn tour(&self) -> Option<TourStop> {
        self.tour.map(|tour| tour.stop)
    }

    /// Goes on with the tour after an input.
    pub(super) fn follow_tour(&mut self, is_key: bool) {
        let Some((mut tour, loaded)) = self.tour.zip(self.loaded.as_ref()) else { return };
        let is_key = is_key && !std::mem::take(&mut tour.is_new);
        let is_judged = self.queue.progress.judged > tour.judged;
        let is_begun = self.state() != ItemState::Judged && !loaded.standing.answers.is_empty();
        let stop = match tour.stop {
            TourStop::Saved if is_key => Some(TourStop::Help),
            TourStop::Help if is_key => None,
            TourStop::Saved | TourStop::Help => Some(tour.stop),
            _ if is_judged => Some(TourStop::Saved),
            TourStop::Task if !is_key => Some(TourStop::Task),
            _ if is_begun => Some(TourStop::More),
            _ => Some(TourStop::Answer),
        };
        self.tour = stop.map(|stop| Tour { stop, ..tour });
    }
}
