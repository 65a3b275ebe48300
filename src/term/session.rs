//! A session in the terminal.

use std::io::Write;
use std::sync::mpsc;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::app::kit::input::Moment;
use crate::app::kit::keymap::Keymap;
use crate::app::screens::session::message::{Effect, Message};
use crate::app::screens::session::{Opening, SessionApp};
use crate::error::Result;
use crate::journal::session::{Session, Setup};
use crate::store::{SessionQuery, StudyFile};
use crate::study::{Document, QueryId, SessionId};
use crate::term::annotate::study_name;
use crate::term::perform::{Outcome, Request};
use crate::term::run::{Clocks, Program, run};
use crate::view::kit::theme::Theme;
use crate::view::screens::session::draw;

/// Which session is opened, and how.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// The annotator's key.
    pub annotator: String,
    pub query: SessionQuery,
    /// The session that goes on; `None` to begin one.
    pub unfinished: Option<SessionId>,
    /// That of the unfinished session, where there is one.
    pub setup: Setup,
    /// Index of the colour theme.
    pub theme: usize,
    /// Shown at first, such as a complaint about the keymap.
    pub greeting: String,
    pub keymap: Keymap,
}

/// How it stood when the person left.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftSession {
    pub session: Session,
    /// False when the last seconds could not be written and the person left all the same.
    pub is_saved: bool,
}

/// Opens the screen of a session and stays until the person leaves.
///
/// # Errors
/// The session cannot be read, or the terminal or the study file is lost.
pub fn write_summary(study: StudyFile, options: SessionOptions) -> Result<LeftSession> {
    let clocks = Clocks::start();
    let SessionOptions { annotator, query, unfinished, setup, theme, greeting, keymap } = options;
    let session = match unfinished {
        Some(id) => study.session(id)?.session(),
        None => Session::default(),
    };
    let opening = Opening {
        study: study_name(&study),
        name: annotator.clone(),
        documents: ordered(study.documents_of_query(query.id)?, &setup),
        query: query.query,
        has_judged: study.has_judged_summaries(&annotator, query.id)?,
        setup,
        session,
    };
    let mut app = SessionApp::new(opening, clocks.now());
    (app.theme, app.keymap) = (theme, keymap);
    let writing = Writing { app, study, annotator, query: query.id, session: unfinished };
    let mut writing = run(writing, Vec::new(), greeting, mpsc::channel(), clocks)?;
    writing.close(clocks.now());
    Ok(LeftSession { is_saved: !writing.app.is_unsaved(), session: writing.app.session })
}

/// The documents of the setup in its order.
fn ordered(documents: Vec<Document>, setup: &Setup) -> Vec<Document> {
    let place = |document: &Document| setup.order.iter().position(|number| *number == document.number);
    let mut placed: Vec<(usize, Document)> =
        documents.into_iter().filter_map(|document| Some((place(&document)?, document))).collect();
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, document)| document).collect()
}

/// The screen with its study.
struct Writing {
    app: SessionApp,
    study: StudyFile,
    annotator: String,
    query: QueryId,
    /// The session's row, once it has begun.
    session: Option<SessionId>,
}

impl Writing {
    /// Begins the session, or opens it again.
    fn open(&mut self, wall: i64) -> Result<Session> {
        let stored = match self.session {
            Some(id) => self.study.reopen_session(id, wall)?,
            None => self.study.begin_session(&self.annotator, self.query, &self.app.setup, wall)?,
        };
        self.session = Some(stored.head.id);
        Ok(stored.session())
    }

    /// Writes what a signal to end has left over.
    fn close(&mut self, now: Moment) {
        let records = self.app.close(now);
        if let (Some(id), false) = (self.session, records.is_empty()) {
            let done = self.study.append_to_session(id, &records, now.wall);
            self.app.update(match done {
                Ok(events) => Message::Written(events.len()),
                Err(error) => Message::NotWritten(error),
            });
        }
    }
}

impl Program for Writing {
    type Message = Message;
    type Effect = Effect;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        self.app.update(message)
    }

    /// The clock runs, and what is typed goes to the disk by itself.
    fn is_waiting(&self) -> bool {
        true
    }

    fn size(&self) -> (u16, u16) {
        self.app.size
    }

    fn theme(&self) -> usize {
        self.app.theme
    }

    fn draw(&self, theme: &Theme, buffer: &mut Buffer) -> Option<Position> {
        draw(&self.app, theme, buffer)
    }

    fn perform(&mut self, effect: Effect, _terminal: &mut dyn Write) -> Result<Outcome<Message>> {
        Ok(match effect {
            Effect::Open { wall } => Outcome::Message(match self.open(wall) {
                Ok(session) => Message::Opened(Box::new(session)),
                Err(error) => Message::NotWritten(error),
            }),
            Effect::Write { records, wall } => {
                let Some(id) = self.session else {
                    return Ok(Outcome::Nothing);
                };
                Outcome::Message(match self.study.append_to_session(id, &records, wall) {
                    Ok(events) => Message::Written(events.len()),
                    Err(error) => Message::NotWritten(error),
                })
            }
            Effect::Redraw => Outcome::Request(Request::Redraw),
            Effect::Suspend => Outcome::Request(Request::Suspend),
            Effect::Quit => Outcome::Request(Request::Quit),
        })
    }
}
