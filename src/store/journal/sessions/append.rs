//! Writing sessions: beginning one, opening it again, and appending its events, which are on disk before the screen says so.

use rusqlite::{Connection, params};

use super::task::has_judged;
use super::{SessionHead, StoredSession};
use crate::error::{Error, Result};
use crate::journal::Writer;
use crate::journal::session::{Delta, Session, SessionEvent, SessionHappening, SessionKey, Setup};
use crate::store::file::{
    Fault, LONG_PATIENCE, Opening, SHORT_PATIENCE, StudyFile, Tried, all, change, first, later_than, said,
};
use crate::store::journal::people::written_as;
use crate::store::journal::{amend, person};
use crate::study::{Candidate, QueryId, SessionId};
use crate::text::hash::Fingerprint;

impl StudyFile {
    /// Begins a session of this person on this query. A person whom the study does not know is added. `now_ms` is the
    /// wall time in milliseconds since 1970.
    ///
    /// # Errors
    /// The annotator is a model or has an unfinished session on the query, or the file cannot be written.
    pub fn begin_session(
        &mut self,
        annotator: &str,
        query: QueryId,
        setup: &Setup,
        now_ms: i64,
    ) -> Result<StoredSession> {
        self.write_events(LONG_PATIENCE, |connection, opening| {
            if super::unfinished(connection, annotator, Some(query))?.is_some() {
                let error = Error::new(format!("{annotator:?} has an unfinished session on this query"));
                return Err(error.advise("open that one again").into());
            }
            let person = person(connection, annotator).and_then(|person| written_as(connection, person))?;
            let key = draw_key()?;
            connection.execute(
                "INSERT INTO session (key, annotator, query, setup) VALUES (?1, ?2, ?3, ?4)",
                params![key, person, query, setup.to_json()],
            )?;
            let head = super::head(connection, SessionId(connection.last_insert_rowid()))?;
            let opened = SessionHappening::Opened { after: None, has_judged: setup.has_judged };
            let draft = setup.draft.as_ref().and_then(|draft| Delta::between("", &draft.text));
            let happenings = [opened].into_iter().chain(draft.map(SessionHappening::Edit));
            let event = |happening| insert(connection, opening, head.id, happening, 0, now_ms);
            let events = happenings.map(event).collect::<Tried<_>>()?;
            Ok(StoredSession { head, events })
        })
    }

    /// Opens an unfinished session again, at the active time of its last event, and takes it over from any other
    /// haymark that has it open.
    pub fn reopen_session(&mut self, id: SessionId, now_ms: i64) -> Result<StoredSession> {
        self.write_events(LONG_PATIENCE, |connection, opening| {
            let mut stored = super::stored(connection, id)?;
            let session = stored.session();
            if session.ended.is_some() {
                return Err(said(OVER));
            }
            let has_judged = has_judged(connection, &stored.head.annotator, stored.head.query)?;
            let opened = SessionHappening::Opened { after: session.tip, has_judged };
            let at = later_than(session.wall.map(|(_, last)| last), now_ms);
            let event = insert(connection, opening, id, opened, session.active, at)?;
            stored.events.push(event);
            stored.events.sort_by_key(|event| event.id);
            Ok(stored)
        })
    }

    /// Appends events, each at its active milliseconds, in order and in one transaction; a snapshot adds its
    /// candidate, which queues find when they are opened next. When this returns, all of it is on disk.
    ///
    /// # Errors
    /// Nothing was written: the session was opened elsewhere meanwhile, or another process writes
    /// ([`crate::error::ErrorKind::Busy`]): try again.
    pub fn append_to_session(
        &mut self,
        id: SessionId,
        happenings: &[(SessionHappening, i64)],
        now_ms: i64,
    ) -> Result<Vec<SessionEvent>> {
        self.write_events(SHORT_PATIENCE, |connection, opening| {
            check_open(connection, id, opening.writer)?;
            let mut appended = Vec::with_capacity(happenings.len());
            for (happening, active) in happenings {
                appended.push(insert(connection, opening, id, happening.clone(), *active, now_ms)?);
            }
            let is_snapshot = |(happening, _): &(SessionHappening, i64)| {
                matches!(happening, SessionHappening::Snapshot { .. })
            };
            if happenings.iter().any(is_snapshot) {
                add_candidates(connection, &super::stored(connection, id)?)?;
            }
            Ok(appended)
        })
    }
}

/// The message that refuses a record of a session that has ended.
const OVER: &str = "the session is over; `haymark session replay` plays it";

fn draw_key() -> Tried<SessionKey> {
    let mut key = [0; 16];
    getrandom::fill(&mut key)
        .map_err(|error| said(format!("the system gives no random numbers: {error}")))?;
    Ok(Fingerprint(key))
}

/// Refuses to write to a session that another opening has taken over, or that this one has ended.
fn check_open(connection: &Connection, id: SessionId, writer: Writer) -> Tried<()> {
    let latest: Option<(i64, bool)> = first(
        connection,
        "SELECT o.writer, EXISTS (
               SELECT 1 FROM session_event e WHERE e.session = o.session AND e.writer = o.writer AND e.kind = 'end')
             FROM session_event o INDEXED BY session_opening
             WHERE o.session = ?1 AND o.kind = 'open' ORDER BY o.active DESC, o.at DESC, o.writer DESC LIMIT 1",
        [id.0],
    )?;
    match latest.filter(|(latest, _)| *latest == writer.0) {
        None => Err(said("the session was opened elsewhere meanwhile, and goes on there")),
        Some((_, true)) => Err(said(OVER)),
        Some((_, false)) => Ok(()),
    }
}

fn insert(
    connection: &Connection,
    opening: &mut Opening,
    session: SessionId,
    happening: SessionHappening,
    active: i64,
    at: i64,
) -> Tried<SessionEvent> {
    let id = opening.next();
    change(
        connection,
        "INSERT INTO session_event (writer, seq, session, kind, body, at, active)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![id.writer.0, id.seq, session.0, happening.kind(), happening.body().to_string(), at, active],
    )?;
    Ok(SessionEvent { id, at, active, happening })
}

/// Adds the candidates of a session whose events came from elsewhere, or gives them their own keys where they came before it under
/// keys that `is_alias`. A session that this program cannot read has none.
pub(crate) fn add_candidates_of(
    connection: &Connection,
    id: SessionId,
    is_alias: fn(&str) -> bool,
) -> Tried<()> {
    match super::stored(connection, id) {
        Ok(stored) => {
            // A draft that was left as it was may be under the alias of its system.
            let draft = stored.head.setup.draft.as_ref().map(|draft| &draft.text);
            for own in stored.candidates().iter().filter(|own| Some(&own.text) != draft) {
                name_own(connection, stored.head.query, own, is_alias)?;
            }
            add_candidates(connection, &stored)
        }
        Err(Fault::Said(_)) => Ok(()),
        Err(fault) => Err(fault),
    }
}

/// Gives a summary that came under an alias its own key, where no item is about it yet.
fn name_own(
    connection: &Connection,
    query: QueryId,
    own: &Candidate,
    is_alias: fn(&str) -> bool,
) -> Tried<()> {
    let find =
        "SELECT k.key, k.id FROM candidate k WHERE k.query = ?1 AND k.text = ?2 AND k.summarizer IS NULL
           AND NOT EXISTS (SELECT 1 FROM item WHERE k.id IN (candidate, other))
           AND NOT EXISTS (SELECT 1 FROM candidate WHERE query = ?1 AND key = ?3)";
    let hidden: Vec<(String, i64)> = all(connection, find, params![query.0, own.text, own.id])?;
    let Some((_, id)) = hidden.into_iter().find(|(key, _)| is_alias(key)) else { return Ok(()) };
    let name = "UPDATE candidate SET key = ?2, summarizer = ?3, retriever = ?4, meta = ?5 WHERE id = ?1";
    let meta = serde_json::Value::Object(own.meta.clone()).to_string();
    change(connection, name, params![id, own.id, own.summarizer, own.retriever, meta])?;
    amend::settle_corpus(connection)
}

/// Adds the candidates of the snapshots that the study does not hold yet.
fn add_candidates(connection: &Connection, stored: &StoredSession) -> Tried<()> {
    let session: Session = stored.session();
    let mut insert = connection.prepare_cached(
        "INSERT INTO candidate (query, key, summarizer, retriever, meta, text) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (query, key) DO NOTHING",
    )?;
    let mut added = 0;
    for snapshot in &session.snapshots {
        let SessionHead { query, .. } = stored.head;
        let new = stored.head.candidate(snapshot);
        let meta = serde_json::Value::Object(new.meta).to_string();
        added += insert.execute(params![query.0, new.id, new.summarizer, new.retriever, meta, new.text])?;
    }
    if added > 0 {
        amend::settle_corpus(connection)?;
    }
    Ok(())
}
