//! A session in the terminal.

use super::annotate::study_name;
use super::looks::Looks;
use super::run::{Clocks, run};
use crate::app::kit::screen::{Message, Screen};
use crate::app::screens::session::message::{SessionReply, SessionRequest, TimedHappening};
use crate::app::screens::session::{SessionApp, SessionOpening};
use crate::error::Result;
use crate::journal::session::{Session, Setup};
use crate::store::{SessionQuery, StudyFile};
use crate::study::{Document, QueryId, SessionId};
use crate::view::screens::session::draw;

/// Options of a session's screen.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// The annotator's key.
    pub annotator: String,
    pub query: SessionQuery,
    /// The session that goes on; `None` to begin one.
    pub unfinished: Option<SessionId>,
    /// The setup: that of the unfinished session, where there is one.
    pub setup: Setup,
    pub looks: Looks,
}

/// The state of the session when the person left.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftSession {
    pub session: Session,
    /// False when the last seconds could not be written and the person left all the same.
    pub is_saved: bool,
}

/// Opens the screen of a session and stays until the person leaves.
pub fn write_summary(study: StudyFile, options: SessionOptions) -> Result<LeftSession> {
    let clocks = Clocks::start();
    let SessionOptions { annotator, query, unfinished, setup, looks } = options;
    let way = looks.way(&study)?;
    let session = match unfinished {
        Some(id) => study.session(id)?.session(),
        None => Session {
            text: setup.draft.as_ref().map_or_else(String::new, |draft| draft.text.clone()),
            ..Session::default()
        },
    };
    let opening = SessionOpening {
        study: study_name(&study),
        name: annotator.clone(),
        documents: ordered(study.documents_of_query(query.id)?, &setup),
        query: query.query,
        has_judged: study.has_judged_summaries(&annotator, query.id)?,
        setup,
        session,
    };
    let mut desk =
        Writing { study, annotator, query: query.id, setup: opening.setup.clone(), session: unfinished };
    let app = SessionApp::new(opening, clocks.now());
    let mut app = run(app, Vec::new(), &looks, clocks, way, draw, &mut |request| Ok(desk.answer(request)))?;
    // Writes the records that a signal to end has left over.
    let now = clocks.now();
    let records = app.close(now);
    if !records.is_empty()
        && let Some(reply) = desk.write(&records, now.wall)
    {
        app.update(Message::Reply(reply));
    }
    Ok(LeftSession { is_saved: !app.is_unsaved(), session: app.session })
}

/// The documents of the setup in its order.
fn ordered(documents: Vec<Document>, setup: &Setup) -> Vec<Document> {
    let place = |document: &Document| setup.order.iter().position(|number| *number == document.number);
    let mut placed: Vec<(usize, Document)> =
        documents.into_iter().filter_map(|document| Some((place(&document)?, document))).collect();
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, document)| document).collect()
}

/// The session in its study.
struct Writing {
    study: StudyFile,
    annotator: String,
    query: QueryId,
    setup: Setup,
    /// The session's row, once it has begun.
    session: Option<SessionId>,
}

impl Writing {
    fn answer(&mut self, request: SessionRequest) -> Option<SessionReply> {
        match request {
            SessionRequest::Open { wall } => Some(match self.open(wall) {
                Ok(session) => SessionReply::Opened(Box::new(session)),
                Err(error) => SessionReply::NotWritten(error),
            }),
            SessionRequest::Write { records, wall } => self.write(&records, wall),
        }
    }

    /// Begins the session, or opens it again.
    fn open(&mut self, wall: i64) -> Result<Session> {
        let stored = match self.session {
            Some(id) => self.study.reopen_session(id, wall)?,
            None => self.study.begin_session(&self.annotator, self.query, &self.setup, wall)?,
        };
        self.session = Some(stored.head.id);
        Ok(stored.session())
    }

    /// Writes to a session that has begun.
    fn write(&mut self, records: &[TimedHappening], wall: i64) -> Option<SessionReply> {
        Some(match self.study.append_to_session(self.session?, records, wall) {
            Ok(events) => SessionReply::Written(events.len()),
            Err(error) => SessionReply::NotWritten(error),
        })
    }
}
