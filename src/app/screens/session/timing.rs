//! The clock, events that are due, and the way to the disk: begin, pause, go on, end.

use super::{SessionApp, SessionDesk, SessionPane, Stage, SummaryEditor, known};
use crate::app::kit::{Effect, Moment, not_saved};
use crate::error::{Error, ErrorKind};
use crate::journal::session::{Clock, Due, Ending, Passed, Session, SessionHappening};

/// Milliseconds by the wall clock between two inputs after which the person was away: the lid was closed, or the machine
/// slept.
const AWAY: i64 = 60_000;

/// Milliseconds for which a person may write on while nothing can be saved: as much may be lost.
const LOSS: i64 = 2_000;

/// Milliseconds without a key after which a key is meant for the page at the limit, and not for the summary.
const SETTLE: i64 = 1_000;

impl SessionApp {
    /// Counts the time until now, and does everything that became due before anything else happens.
    pub(super) fn pass_time(&mut self, now: Moment) {
        let was_away = self.is_working() && now.wall - self.frame.now.wall > AWAY;
        self.frame.now = now;
        let passed = self.clock.advance(now.monotonic);
        self.note_burst();
        for due in passed {
            self.due(due);
        }
        if was_away && self.is_working() {
            self.pause();
            self.frame.warn("the program stood still, and so did the clock");
        }
    }

    fn due(&mut self, passed: Passed) {
        let Passed { due, active } = passed;
        match due {
            Due::Snapshot => {
                self.record_at(SessionHappening::Snapshot { is_last: false }, active);
                self.session.snapshot(active, false);
            }
            Due::Warning { minutes } => {
                self.record_at(SessionHappening::Warned { minutes }, active);
                self.warn_for_a_while(match minutes {
                    1 => "1 minute left".to_owned(),
                    _ => format!("{minutes} minutes left"),
                });
            }
            Due::Limit => {
                self.stand_still();
                self.stage = Stage::TimeUp;
                self.frame.hush();
                self.interrupted = Some(self.frame.now.monotonic);
            }
            Due::Beat => self.note_reading(),
        }
        if due == Due::Beat && self.outbox.is_empty() {
            self.record(SessionHappening::Beat);
        }
        self.hand_over();
    }

    /// Logs a burst that is over.
    fn note_burst(&mut self) {
        if let Some(characters) = self.pace.over(self.frame.now.monotonic) {
            self.record(SessionHappening::Burst { characters });
        }
    }

    /// Begins the session, or goes on with it; the clock runs once that is on disk.
    pub(super) fn begin(&mut self, desk: &mut dyn SessionDesk) {
        match desk.open(self.frame.now.wall) {
            Ok(session) => self.opened(session),
            Err(error) => self.not_written(&error),
        }
    }

    /// Takes the session as it stands in the file, at its beginning or opened again.
    fn opened(&mut self, session: Session) {
        self.clock = Clock::of(&self.setup, &session);
        self.summary = SummaryEditor::new(&session.text, known(self.shelf.documents()));
        self.session = session;
        self.fault = None;
        self.follows_cursor = true;
        if self.session.active >= self.setup.limit && !self.session.is_over_time {
            // The session was killed before anyone decided.
            self.stage = Stage::TimeUp;
            return;
        }
        // A session that begins has the document in focus, also where it begins with a draft.
        let begins = self.session.text.is_empty() || self.session.active == 0;
        self.focus = if begins { SessionPane::Document } else { SessionPane::Summary };
        self.work();
        self.frame.say("the clock runs");
    }

    fn work(&mut self) {
        self.stage = Stage::Working;
        self.frame.overlays.clear();
        self.clock.start(self.frame.now.monotonic);
        self.glance = None;
        if self.shelf.view().is_none() {
            self.open_document(self.first_unread());
        }
        self.hand_over();
    }

    /// Stops the clock, and logs what was read and typed until now.
    fn stand_still(&mut self) {
        // Due events are done already: the time that an input carries is taken before the input.
        self.clock.stop(self.frame.now.monotonic);
        if let Some(characters) = self.pace.end() {
            self.record(SessionHappening::Burst { characters });
        }
        self.note_reading();
        self.frame.overlays.clear();
    }

    /// Stops the clock and hides the documents.
    pub(super) fn pause(&mut self) {
        if self.is_working() {
            self.stand_still();
            self.stage = Stage::Paused;
            self.record(SessionHappening::Paused);
            self.hand_over();
        }
    }

    /// Whether a key was meant for the summary, which the limit took away while one typed.
    pub(super) fn is_typed_on(&mut self) -> bool {
        let is_early = self.interrupted.is_some_and(|at| self.frame.now.monotonic - at < SETTLE);
        if is_early {
            self.interrupted = Some(self.frame.now.monotonic);
        }
        is_early
    }

    /// Goes on after a pause.
    pub(super) fn resume(&mut self) {
        self.record(SessionHappening::Resumed);
        self.work();
    }

    /// Goes on after the limit.
    pub(super) fn go_over_time(&mut self) {
        self.record(SessionHappening::OverTime);
        // A new clock knows that the limit is past, also in a session that was opened again at the limit.
        self.clock = Clock::of(&self.setup, &self.session);
        self.work();
        self.focus = SessionPane::Summary;
        self.frame.say("over time from here on");
    }

    /// Ends the session with the summary as it is.
    pub(super) fn end(&mut self) {
        let ending = match (self.stage, self.session.is_over_time) {
            (_, true) => Ending::OverTime,
            (Stage::TimeUp, false) => Ending::Limit,
            _ => Ending::Finished,
        };
        self.stand_still();
        let active = self.clock.active();
        self.record(SessionHappening::Snapshot { is_last: true });
        self.session.snapshot(active, true);
        self.record(SessionHappening::Ended(ending));
        self.stage = Stage::Over(ending);
        self.hand_over();
    }

    /// Leaves the screen; a session that runs is paused, and goes on when it is opened again.
    pub(super) fn leave(&mut self) {
        self.pause();
        if self.fault.is_some() && !self.has_warned {
            self.has_warned = true;
            self.hand_over();
            return self
                .frame
                .warn("the last seconds are not saved yet; the same key again leaves without them");
        }
        self.frame.want(Effect::Quit);
    }

    /// Writes what is left over when the program is asked to end from outside.
    pub fn close(&mut self, now: Moment, desk: &mut dyn SessionDesk) {
        self.pass_time(now);
        self.pause();
        self.hand_over();
        self.write_due(desk);
    }

    /// Writes everything so far when another window is looked at.
    pub(super) fn look_away(&mut self) {
        if self.is_working() {
            self.note_reading();
        }
        self.hand_over();
    }

    /// Makes all records due that are not on disk.
    pub(super) fn hand_over(&mut self) {
        self.due = self.outbox.len();
    }

    /// Writes the records that are due. Where nothing can be written while another program writes, every tick tries again; any
    /// other fault stops the clock, so that nobody writes what may be lost.
    pub(super) fn write_due(&mut self, desk: &mut dyn SessionDesk) {
        let due = self.outbox.get(..std::mem::take(&mut self.due)).unwrap_or_default();
        if due.is_empty() {
            return;
        }
        match desk.write(due, self.frame.now.wall) {
            Ok(count) => self.written(count),
            Err(error) => self.not_written(&error),
        }
    }

    fn written(&mut self, count: usize) {
        self.outbox.drain(..count.min(self.outbox.len()));
        if self.fault.take().is_some() {
            self.has_warned = false;
            self.frame.say("saved");
        }
    }

    fn not_written(&mut self, error: &Error) {
        if self.outbox.is_empty() {
            // The session could not be opened; nothing is at stake.
            return self.frame.warn(error.reason());
        }
        self.fault.get_or_insert(self.frame.now.monotonic);
        if error.kind() != ErrorKind::Busy && self.is_working() {
            self.stand_still();
            self.stage = Stage::Paused;
            self.record(SessionHappening::Paused);
        }
        self.frame.warn(not_saved(error));
    }

    /// Whether writing has to wait: no more may be lost.
    pub(super) fn is_held_back(&self) -> bool {
        self.fault.is_some_and(|since| self.frame.now.monotonic - since > LOSS)
    }
}
