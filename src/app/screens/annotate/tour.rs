//! The tour: five hints on the bottom line that lead through the first item of the demo, once. Each goes when what it says is
//! done; nothing else depends on it.

use super::App;
use crate::journal::ItemState;

/// Where the tour is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TourStop {
    /// What is read.
    Read,
    /// How a question is answered.
    Answer,
    /// That another question follows.
    More,
    /// That everything is on disk, and can be taken back.
    Saved,
    /// Where all keys stand.
    Help,
}

/// A tour that goes on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tour {
    stop: TourStop,
    /// How many items were judged when it began, and the position of the first.
    judged: usize,
    first: usize,
}

impl App {
    /// Begins the tour on the item that the queue opens on.
    pub fn begin_tour(&mut self) {
        self.tour =
            Some(Tour { stop: TourStop::Read, judged: self.queue.progress.judged, first: self.queue.resume });
    }

    /// Where the tour is, while there is one.
    pub fn tour(&self) -> Option<TourStop> {
        self.tour.map(|tour| tour.stop)
    }

    /// Goes on with it, after a key or an answer from the disk.
    pub(super) fn follow_tour(&mut self, is_key: bool) {
        let Some((tour, loaded)) = self.tour.zip(self.loaded.as_ref()) else {
            return;
        };
        let is_first = loaded.position == tour.first;
        let is_judged =
            self.queue.progress.judged > tour.judged || (is_first && self.state() == ItemState::Judged);
        let stop = match tour.stop {
            TourStop::Saved if is_key => Some(TourStop::Help),
            TourStop::Help if is_key => None,
            TourStop::Saved | TourStop::Help => Some(tour.stop),
            _ if is_judged => Some(TourStop::Saved),
            _ if !is_first => None,
            _ if !loaded.standing.answers.is_empty() => Some(TourStop::More),
            TourStop::Read if is_key => Some(TourStop::Answer),
            stop => Some(stop),
        };
        self.tour = stop.map(|stop| Tour { stop, ..tour });
    }
}
