//! The screen of a session: documents to read, a summary to write, and a clock.
//!
//! A state and an `update` like the annotate screen's, without a clock of its own: every input carries its time, and
//! things due by then are done before the input itself.

pub mod desk;
mod keys;
pub mod layout;
mod pace;
mod pointing;
mod reading;
pub mod sheet;
pub mod shelf;
pub mod summary;
#[cfg(test)]
pub(crate) mod tests;
mod timing;
mod writing;

use std::collections::BTreeSet;
use std::sync::Arc;

use self::layout::{SessionLayout, lay_out};
use self::pace::TypingPace;
use self::shelf::Shelf;
use self::summary::SummaryEditor;
use crate::app::kit::{Board, Frame, Input, Moment, Screen, extent};
use crate::journal::session::{Clock, Ending, HowRead, Session, SessionHappening, Setup};
use crate::study::{Document, Query};
use crate::text::words;
use crate::text::wrap::wrap;

pub use self::sheet::BulletFault;
pub(crate) use desk::{SessionDesk, TimedHappening};
pub(crate) use layout::SessionPane;
pub(crate) use sheet::BulletLine;
use sheet::BulletSheet;

/// Columns before the text of the summary: the bullet's number, a sign, a blank.
pub const GUTTER: u16 = 5;

/// Columns after the text of the summary: the number of words of the bullet.
pub const WORDS: u16 = 5;

/// The numbers that a summary of these documents may cite.
fn known(documents: &[Document]) -> Arc<BTreeSet<u32>> {
    Arc::new(documents.iter().map(|document| document.number).collect())
}

/// Milliseconds for which some warnings stay while one types.
const ATTENTION: i64 = 5_000;

/// The data with which a session is opened.
#[derive(Debug, Clone)]
pub struct SessionOpening {
    /// The study's name, for the top line.
    pub study: String,
    /// The annotator who writes.
    pub name: String,
    pub query: Query,
    /// The documents of the setup, in its order.
    pub documents: Vec<Document>,
    pub setup: Setup,
    /// The session as far as it has gone.
    pub session: Session,
    /// Whether the person has judged summaries of the query.
    pub has_judged: bool,
}

/// The stage of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The task is read, before the clock runs; also when a session is opened again.
    Briefing,
    Working,
    Paused,
    /// The limit is reached, and the person decides how to go on.
    TimeUp,
    Over(Ending),
}

/// The state of the screen.
#[derive(Debug, Clone)]
pub struct SessionApp {
    pub study: String,
    pub name: String,
    pub frame: Frame,
    pub query: Query,
    pub query_board: Board,
    pub setup: Setup,
    /// The session so far, with what is not written yet.
    pub session: Session,
    pub clock: Clock,
    pub stage: Stage,
    pub has_judged: bool,
    pub shelf: Shelf,
    /// Words of all documents together.
    pub words_to_read: usize,
    pub summary: SummaryEditor,
    /// First visible row of the summary.
    pub scroll: usize,
    pub focus: SessionPane,
    pub is_zoomed: bool,
    pub layout: SessionLayout,
    pace: TypingPace,
    /// Happenings that are not on disk yet, in order.
    outbox: Vec<TimedHappening>,
    /// Number of these to be written once the input is taken, in one write.
    due: usize,
    /// Monotonic time until which a warning stays, whatever is typed.
    said_until: i64,
    /// Monotonic time of the limit, or of the last key that was typed on after it.
    interrupted: Option<i64>,
    /// Monotonic time since which nothing could be written.
    fault: Option<i64>,
    /// Whether leaving was refused once because of the fault.
    has_warned: bool,
    /// The document in view, its last byte on the screen, and since when; rows that are passed over quickly are not read.
    glance: Option<(usize, usize, i64)>,
    /// Whether the cursor has to be on the screen once the rows are known.
    follows_cursor: bool,
    /// The first row of the document and the place of the cursor when a search began.
    searched_from: (usize, usize),
}

impl Screen for SessionApp {
    type Desk<'d> = dyn SessionDesk + 'd;

    fn update(&mut self, input: Input, desk: &mut Self::Desk<'_>) {
        self.take(input, desk);
        self.write_due(desk);
        self.arrange();
    }

    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn frame_mut(&mut self) -> &mut Frame {
        &mut self.frame
    }

    /// Always: the clock runs, and what is typed goes to the disk by itself.
    fn is_waiting(&self) -> bool {
        true
    }
}

impl SessionApp {
    /// The screen of a session that is begun or opened again; the clock does not run yet.
    pub fn new(opening: SessionOpening, now: Moment) -> SessionApp {
        let SessionOpening { study, name, query, documents, setup, session, has_judged } = opening;
        let known = known(&documents);
        let stage = session.ended.map_or(Stage::Briefing, Stage::Over);
        let mut app = SessionApp {
            study,
            name,
            frame: Frame { now, ..Frame::default() },
            query,
            query_board: Board::default(),
            clock: Clock::of(&setup, &session),
            stage,
            has_judged,
            words_to_read: documents.iter().map(|document| words::count(&document.text)).sum(),
            shelf: Shelf::new(documents),
            summary: SummaryEditor::new(&session.text, known),
            setup,
            session,
            scroll: 0,
            focus: SessionPane::Document,
            is_zoomed: false,
            layout: SessionLayout::default(),
            pace: TypingPace::default(),
            outbox: Vec::new(),
            due: 0,
            said_until: 0,
            interrupted: None,
            fault: None,
            has_warned: false,
            glance: None,
            follows_cursor: true,
            searched_from: (0, 0),
        };
        app.arrange();
        app
    }

    fn take(&mut self, input: Input, desk: &mut dyn SessionDesk) {
        if let Some(now) = input.moment() {
            self.pass_time(now);
        }
        match input {
            Input::Key(key, _) | Input::Repeat(key, _) => {
                if self.frame.now.monotonic >= self.said_until {
                    self.frame.hush();
                }
                self.press(key, desk);
            }
            Input::Mouse(mouse, _) => self.point(mouse),
            Input::Paste(text, _) => self.refuse_paste(&text),
            Input::Resize(columns, rows) => {
                self.frame.size = (columns, rows);
                self.follows_cursor = true;
            }
            Input::FocusLost(_) => self.look_away(),
            Input::Tick(_) if self.fault.is_some() => self.hand_over(),
            Input::Shown(_) | Input::Resumed(_) | Input::Tick(_) | Input::Matches { .. } | Input::Changed => {
            }
            Input::Notice(text) => self.frame.say(text),
        }
    }

    /// Whether documents and summary are on the screen.
    pub fn is_working(&self) -> bool {
        self.stage == Stage::Working
    }

    /// Number of documents that were read to their end.
    pub fn documents_read(&self) -> usize {
        let numbers = self.shelf.documents().iter().map(|document| document.number);
        numbers.filter(|number| self.session.reading(*number) == HowRead::Read).count()
    }

    /// Whether something is not on disk yet.
    pub fn is_unsaved(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// Whether nothing can be written at present.
    pub fn is_faulty(&self) -> bool {
        self.fault.is_some()
    }

    /// Warns so that someone who types on sees it too.
    fn warn_for_a_while(&mut self, text: impl Into<String>) {
        self.frame.warn(text);
        self.said_until = self.frame.now.monotonic + ATTENTION;
    }

    /// Notes a happening, now.
    fn record(&mut self, happening: SessionHappening) {
        self.record_at(happening, self.clock.active());
    }

    /// Notes a happening, at so many active milliseconds.
    fn record_at(&mut self, happening: SessionHappening, active: i64) {
        self.session.apply(&happening, active);
        self.outbox.push((happening, active));
    }

    /// Cuts the screen into places and wraps the texts for them. Rows are kept while text and width stay the
    /// same, so this costs nothing on most keys.
    fn arrange(&mut self) {
        let text = &self.query.text;
        let measure = self.frame.measure;
        self.layout = lay_out(self.frame.size, self.focus, self.is_zoomed, measure, &|width| {
            extent(wrap(text, width.min(self.frame.measure)).len())
        });
        self.query_board.wrap_running(text, self.layout.query.body.width.min(self.frame.measure));
        if let Some(place) = self.layout.panes.place(SessionPane::Document) {
            self.shelf.wrap(place.body.width.min(self.frame.measure), place.body.height);
        }
        if let Some(place) = self.layout.panes.place(SessionPane::Summary) {
            self.arrange_summary(place.body.width, place.body.height);
        }
        self.look();
    }

    fn arrange_summary(&mut self, width: u16, height: u16) {
        let width = width.saturating_sub(GUTTER + WORDS).clamp(1, self.frame.measure.max(1));
        self.summary.set_width(width);
        let height = usize::from(height.max(1));
        if std::mem::take(&mut self.follows_cursor) {
            let row = self.summary.sheet.row_of(self.summary.cursor());
            self.scroll = self.scroll.clamp((row + 1).saturating_sub(height), row);
        }
        self.scroll = self.scroll.min(self.summary.sheet.len().saturating_sub(height));
    }
}
