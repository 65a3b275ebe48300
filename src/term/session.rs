//! A session in the terminal.

use super::annotate::study_name;
use super::looks::Looks;
use super::run::{Clocks, run};
use crate::app::screens::session::{SessionApp, SessionDesk, SessionOpening, TimedHappening};
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
    let mut desk = SessionInStudy {
        study,
        annotator,
        query: query.id,
        setup: opening.setup.clone(),
        session: unfinished,
    };
    let app = SessionApp::new(opening, clocks.now());
    let mut app = run(app, &looks, clocks, way, draw, &mut desk)?;
    // Writes the records that a signal to end has left over.
    app.close(clocks.now(), &mut desk);
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

struct SessionInStudy {
    study: StudyFile,
    annotator: String,
    query: QueryId,
    setup: Setup,
    /// The session's row, once it has begun.
    session: Option<SessionId>,
}

impl SessionDesk for SessionInStudy {
    fn open(&mut self, wall: i64) -> Result<Session> {
        let stored = match self.session {
            Some(id) => self.study.reopen_session(id, wall)?,
            None => self.study.begin_session(&self.annotator, self.query, &self.setup, wall)?,
        };
        self.session = Some(stored.head.id);
        Ok(stored.session())
    }

    /// Before the session has begun, there is nowhere to write to.
    fn write(&mut self, records: &[TimedHappening], wall: i64) -> Result<usize> {
        match self.session {
            Some(session) => Ok(self.study.append_to_session(session, records, wall)?.len()),
            None => Ok(0),
        }
    }
}
