//! Sessions in the study file: their events, and the candidates that their snapshots become.
//!
//! A session's key is drawn at random when it begins and is the same in every file; its events are keyed by
//! (writer, seq) as those of the journal, so that merging is a union. The candidate of a snapshot follows from the
//! session, the minute and the text alone, so that it is the same wherever it is made.

pub(crate) mod append;
mod outside;
mod snapshots;
mod task;

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, Row, params};
use serde_json::{Value, json};

use super::person_of;
use crate::error::Result;
use crate::journal::session::{
    Session, SessionEvent, SessionHappening, SessionKey, Setup, Snapshot, minute_name, minutes,
};
use crate::journal::{EventId, Writer};
use crate::number::number_of;
use crate::store::corpus::counts;
use crate::store::file::{StudyFile, Tried, all, first_by, said};
use crate::study::{AnnotatorId, Candidate, CandidateId, Meta, QueryId, SessionId, StoredEvent};
use crate::text::hash::{Fingerprint, fingerprint};

pub(crate) use outside::take;
pub(crate) use snapshots::earlier_among;
pub use snapshots::snapshot_of;
use snapshots::{MINUTE, SESSION};
pub use task::SessionQuery;

/// A session without its events.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionHead {
    pub id: SessionId,
    /// The session's key, the same in every file.
    pub key: SessionKey,
    /// The annotator's key.
    pub annotator: String,
    /// The name under which the session was begun: where names were joined, it may be another name of the annotator.
    pub begun_as: String,
    pub query: QueryId,
    /// Keys of the query and of its collection.
    pub query_key: String,
    pub collection: String,
    pub setup: Setup,
}

/// A session with its events.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSession {
    pub head: SessionHead,
    /// By writer and number.
    pub events: Vec<SessionEvent>,
}

impl StoredSession {
    /// Folds the events into the state of the session.
    #[must_use]
    pub fn session(&self) -> Session {
        Session::of(&self.head.setup, &self.events)
    }

    /// The candidates of the snapshots, in their order. A snapshot that repeats text and minute of the
    /// one before (an end on a boundary) is the same candidate.
    #[must_use]
    pub fn candidates(&self) -> Vec<Candidate> {
        self.session().snapshots.iter().map(|snapshot| self.head.candidate(snapshot)).collect()
    }
}

/// The summarizer of a person's candidates: `human:NAME`.
#[must_use]
pub fn summarizer_of(annotator: &str) -> String {
    format!("human:{annotator}")
}

impl SessionHead {
    /// The key of a snapshot's candidate: `5e1f0a9c-20-1c9f03aa`, of the session, the minute and the text.
    #[must_use]
    pub fn candidate_key(&self, snapshot: &Snapshot) -> String {
        let short = |print: Fingerprint| print.to_string().chars().take(8).collect::<String>();
        let (session, text) = (short(self.key), short(fingerprint([&snapshot.text])));
        format!("{session}-{}-{text}", minute_name(snapshot.active))
    }

    /// The candidate of a snapshot. Its meta names the session (32 digits), the minute, and the system of the draft, if any.
    #[must_use]
    pub fn candidate(&self, snapshot: &Snapshot) -> Candidate {
        let minute = match snapshot.active % crate::journal::session::MINUTE {
            0 => json!(snapshot.active / crate::journal::session::MINUTE),
            _ => json!((minutes(snapshot.active) * 100.0).round() / 100.0),
        };
        let mut meta = Meta::new();
        meta.insert(SESSION.to_owned(), Value::from(self.key.to_string()));
        meta.insert(MINUTE.to_owned(), minute);
        meta.extend(self.setup.draft.as_ref().map(|draft| ("draft".to_owned(), json!(draft.system))));
        Candidate {
            collection: self.collection.clone(),
            query: self.query_key.clone(),
            id: self.candidate_key(snapshot),
            summarizer: Some(summarizer_of(&self.begun_as)),
            retriever: self.setup.documents.retriever().map(str::to_owned),
            order: None,
            text: snapshot.text.clone(),
            cites: None,
            meta,
        }
    }
}

impl StudyFile {
    /// All sessions that can be read, without their events, in the order in which they came.
    pub fn sessions(&self) -> Result<Vec<SessionHead>> {
        self.read(heads)
    }

    /// A session with its events.
    pub fn session(&self, id: SessionId) -> Result<StoredSession> {
        self.read(|connection| stored(connection, id))
    }

    /// A sentence on the sessions that went on in several copies of the study; `None` where there are none.
    pub(crate) fn told_of_forks(&self) -> Result<Option<String>> {
        let folded = |head: SessionHead| self.session(head.id).map(|stored| (head, stored.session()));
        let sessions: Vec<_> = self.sessions()?.into_iter().map(folded).collect::<Result<_>>()?;
        Ok(told_of_forks(sessions.iter().map(|(head, session)| (head, session))))
    }

    /// The latest session of this person that has not ended, on one query or on any.
    pub fn unfinished_session(&self, annotator: &str, query: Option<QueryId>) -> Result<Option<SessionHead>> {
        self.read(|connection| unfinished(connection, annotator, query))
    }
}

/// A sentence on those of these sessions that went on in several copies of the study; `None` where there are none.
pub fn told_of_forks<'s>(sessions: impl Iterator<Item = (&'s SessionHead, &'s Session)>) -> Option<String> {
    let forked: Vec<String> = sessions
        .filter(|(_, session)| session.edits_apart > 0)
        .map(|(head, session)| {
            let edits = number_of(session.edits_apart, "edit");
            format!("{} on {:?} ({edits} apart)", head.annotator, head.query_key)
        })
        .collect();
    let told = "went on in several copies of the study: the one that was ended counts, else the longest, and edits of others \
                are in no text";
    let number = number_of(forked.len(), "session");
    (!forked.is_empty()).then(|| format!("{number} {told}: {}", forked.join(", ")))
}

/// The candidates that a person wrote in sessions under any of her names, which only others judge.
pub(crate) fn own_candidates(connection: &Connection, person: AnnotatorId) -> Tried<HashSet<CandidateId>> {
    Ok(own_by_person(connection)?.remove(&person).unwrap_or_default())
}

/// The candidates of [`own_candidates`] by the person who wrote them.
pub(crate) fn own_by_person(connection: &Connection) -> Tried<HashMap<AnnotatorId, HashSet<CandidateId>>> {
    let select = "SELECT coalesce(j.person, a.id), c.id FROM candidate c
      JOIN annotator a ON a.key = substr(c.summarizer, 7) LEFT JOIN joined j ON j.annotator = a.id
      WHERE substr(c.summarizer, 1, 6) = 'human:'";
    let rows: Vec<(AnnotatorId, CandidateId)> = all(connection, select, [])?;
    let mut own: HashMap<AnnotatorId, HashSet<CandidateId>> = HashMap::new();
    for (person, candidate) in rows {
        own.entry(person).or_default().insert(candidate);
    }
    Ok(own)
}

const HEAD: &str = "SELECT s.id, s.key, a.key, s.query, q.key, c.key, s.setup, w.key FROM session s
  JOIN annotator w ON w.id = s.annotator LEFT JOIN joined j ON j.annotator = s.annotator
  JOIN annotator a ON a.id = coalesce(j.person, s.annotator) JOIN query q ON q.id = s.query
  JOIN collection c ON c.id = q.collection";

/// Reads the columns of [`HEAD`], the setup as text.
fn read_head(row: &Row<'_>) -> rusqlite::Result<(SessionHead, String)> {
    let head = SessionHead {
        id: row.get(0)?,
        key: row.get(1)?,
        annotator: row.get(2)?,
        query: row.get(3)?,
        query_key: row.get(4)?,
        collection: row.get(5)?,
        setup: Setup::default(),
        begun_as: row.get(7)?,
    };
    Ok((head, row.get(6)?))
}

/// Parses the setup of a head.
fn whole((head, setup): (SessionHead, String)) -> Tried<SessionHead> {
    let setup = Setup::from_json(&setup).map_err(|error| {
        said(format!("the setup of session {} cannot be read ({error}); update haymark", head.key))
    })?;
    Ok(SessionHead { setup, ..head })
}

fn heads(connection: &Connection) -> Tried<Vec<SessionHead>> {
    let (hers, asked) = (counts("annotator", "a.id"), counts("query", "q.id"));
    let mut statement = connection.prepare(&format!("{HEAD} WHERE {hers} AND {asked} ORDER BY s.id"))?;
    let rows = statement.query_map([], read_head)?.collect::<rusqlite::Result<Vec<_>>>()?;
    // A session that cannot be read is left out, and `haymark check` names it.
    Ok(rows.into_iter().filter_map(|row| whole(row).ok()).collect())
}

fn head(connection: &Connection, id: SessionId) -> Tried<SessionHead> {
    let found = first_by(connection, &format!("{HEAD} WHERE s.id = ?1"), [id.0], read_head)?;
    whole(found.ok_or_else(|| said("there is no such session in the study"))?)
}

fn stored(connection: &Connection, id: SessionId) -> Tried<StoredSession> {
    Ok(StoredSession { head: head(connection, id)?, events: events(connection, id)? })
}

fn unfinished(
    connection: &Connection,
    annotator: &str,
    query: Option<QueryId>,
) -> Tried<Option<SessionHead>> {
    let found = first_by(
        connection,
        &format!(
            "{HEAD} WHERE coalesce((SELECT person FROM joined WHERE annotator = a.id), a.id) = {} AND (?2 IS NULL OR s.query = ?2) AND {}
               AND NOT EXISTS (SELECT 1 FROM session_event e WHERE e.session = s.id AND e.kind = 'end')
             ORDER BY s.id DESC LIMIT 1",
            person_of("?1"),
            counts("query", "s.query")
        ),
        params![annotator, query.map(|query| query.0)],
        read_head,
    )?;
    found.map(whole).transpose()
}

fn events(connection: &Connection, id: SessionId) -> Tried<Vec<SessionEvent>> {
    let event = |(writer, (seq, at, active, kind, body)): (Writer, StoredEvent)| SessionEvent {
        id: EventId { writer, seq },
        at,
        active,
        happening: SessionHappening::read(&kind, body),
    };
    Ok(outside::records(connection, id)?.into_iter().map(event).collect())
}
