//! Sessions as records, exported from a study and taken into another one.

use rusqlite::{Connection, params};
use serde_json::Value;

use super::stored;
use crate::error::{Error, Result};
use crate::journal::Writer;
use crate::journal::session::Setup;
use crate::store::corpus::{CorpusWriter, RecordTaken, counts, missing};
use crate::store::file::{StudyFile, Tried, all_by, change, first};
use crate::study::{SessionId, SessionRecord, StoredEvent};
use crate::text::hash::Fingerprint;

impl StudyFile {
    /// Hands over every session as a record, by writer, collection and query.
    pub fn for_each_session(&self, take: impl FnMut(SessionRecord) -> Result<()>) -> Result<()> {
        self.hand_over(take, |connection, take| {
            let (hers, asked) = (counts("annotator", "a.id"), counts("query", "q.id"));
            let mut statement = connection.prepare(&format!(
                "SELECT s.id, s.key, w.key, c.key, q.key, s.setup FROM session s
                 JOIN annotator w ON w.id = s.annotator LEFT JOIN joined j ON j.annotator = s.annotator
                 JOIN annotator a ON a.id = coalesce(j.person, s.annotator) JOIN query q ON q.id = s.query
                 JOIN collection c ON c.id = q.collection WHERE {hers} AND {asked} ORDER BY w.key, c.key, q.key, s.key"
            ))?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                // A session that cannot be read is left out, and `haymark check` names it.
                let Ok(setup) = serde_json::from_str(row.get_ref(5)?.as_str()?) else { continue };
                let mut record = SessionRecord {
                    id: row.get::<_, Fingerprint>(1)?.to_string(),
                    annotator: row.get(2)?,
                    collection: row.get(3)?,
                    query: row.get(4)?,
                    setup,
                    events: Default::default(),
                };
                for (writer, event) in records(connection, row.get(0)?)? {
                    record.events.entry(writer.to_string()).or_default().push(event);
                }
                take(record)?;
            }
            Ok(())
        })
    }
}

/// The events with their writers, bodies as JSON.
pub(super) fn records(connection: &Connection, id: SessionId) -> Tried<Vec<(Writer, StoredEvent)>> {
    all_by(
        connection,
        "SELECT writer, seq, at, active, kind, body FROM session_event WHERE session = ?1
             ORDER BY writer, seq",
        [id.0],
        |row| {
            let body = row.get_ref(5)?.as_str()?;
            // A body that cannot be read is kept as text, like one of a newer program.
            let body = serde_json::from_str(body).unwrap_or_else(|_| Value::from(body));
            let event = (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, body);
            Ok((row.get(0)?, event))
        },
    )
}

/// Takes a session in: the events that the study does not hold, and the candidates of its snapshots.
pub(crate) fn take(
    connection: &Connection,
    corpus: &mut CorpusWriter<'_>,
    new: &SessionRecord,
) -> Tried<RecordTaken> {
    let key: Fingerprint = new.id.parse().map_err(|_| {
        Error::new(format!("the session's id is {:?}", new.id)).advise("give 32 hexadecimal digits")
    })?;
    let (id, is_new) = keep(connection, corpus, key, new)?;
    let added = add_events(connection, id, new)?;
    for candidate in stored(connection, id)?.candidates() {
        corpus.take_candidate(&candidate)?;
    }
    Ok(if is_new || added > 0 { RecordTaken::Added } else { RecordTaken::Known })
}

/// The session's row, made where there is none, and whether it was made.
fn keep(
    connection: &Connection,
    corpus: &mut CorpusWriter<'_>,
    key: Fingerprint,
    new: &SessionRecord,
) -> Tried<(SessionId, bool)> {
    let annotator = corpus.keys.annotator(&new.annotator);
    let annotator = annotator.ok_or_else(|| missing(&format!("annotator {:?}", new.annotator)))?;
    let (_, query) = corpus.query_of(&new.collection, &new.query)?;
    let setup = Value::Object(new.setup.clone()).to_string();
    Setup::from_json(&setup).map_err(|error| {
        Error::new(format!("the setup cannot be read: {error}")).at_path("setup").advise("update haymark")
    })?;
    let known: Option<(i64, bool)> = first(
        connection,
        "SELECT id, annotator = ?2 AND query = ?3 AND setup = ?4 FROM session WHERE key = ?1",
        params![key, annotator, query, setup],
    )?;
    match known {
        Some((id, true)) => Ok((SessionId(id), false)),
        Some((_, false)) => {
            let what = format!("session {key} is already there with another annotator, query or setup");
            Err(Error::new(what).advise("import it into another study").into())
        }
        None => {
            change(
                connection,
                "INSERT INTO session (key, annotator, query, setup) VALUES (?1, ?2, ?3, ?4)",
                params![key, annotator, query, setup],
            )?;
            Ok((SessionId(connection.last_insert_rowid()), true))
        }
    }
}

/// Adds the events that are not there; returns how many.
fn add_events(connection: &Connection, id: SessionId, new: &SessionRecord) -> Tried<usize> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO session_event (writer, seq, session, kind, body, at, active)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (writer, seq) DO NOTHING",
    )?;
    let mut compare = connection.prepare_cached(
        "SELECT session = ?3 AND kind = ?4 AND body = ?5 AND at = ?6 AND active = ?7
         FROM session_event WHERE writer = ?1 AND seq = ?2",
    )?;
    let mut added = 0;
    for (name, events) in &new.events {
        let writer: Writer = name.parse().map_err(|_| {
            Error::new(format!("a writer of the session's events is {name:?}"))
                .advise("give 16 hexadecimal digits")
        })?;
        for (seq, at, active, kind, body) in events {
            if *active < 0 {
                let what = format!("event {seq} of {writer} has {active} active milliseconds");
                return Err(Error::new(what).advise("count them from 0").into());
            }
            let row = params![writer.0, seq, id.0, kind, body.to_string(), at, active];
            match insert.execute(row)? {
                0 if !compare.query_row(row, |row| row.get::<_, bool>(0))? => {
                    let what = format!("event {seq} of {writer} is already there, and is another");
                    return Err(Error::new(what).advise("import it into another study").into());
                }
                inserted => added += inserted,
            }
        }
    }
    Ok(added)
}
