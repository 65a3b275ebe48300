//! The snapshots among the candidates. What a session ended with is a finished summary; an earlier snapshot is none.

use std::collections::{HashMap, HashSet};

use rusqlite::Connection;

use super::stored;
use crate::error::Result;
use crate::journal::session::SessionKey;
use crate::store::file::{Fault, StudyFile, Tried, all};
use crate::study::{Candidate, CandidateId, Meta, SessionId};

/// The free field of a candidate that names its session, in 32 digits.
pub(super) const SESSION: &str = "session";

/// The free field of a candidate that says how many minutes its session had taken.
pub(super) const MINUTE: &str = "minute";

/// The session and the minute that the free fields of a snapshot name; `None` of a candidate that is no snapshot.
#[must_use]
pub fn snapshot_of(meta: &Meta) -> Option<(SessionKey, f64)> {
    let session = meta.get(SESSION)?.as_str()?.parse().ok()?;
    Some((session, meta.get(MINUTE)?.as_f64()?))
}

impl StudyFile {
    /// The earlier snapshots among these candidates: snapshots of sessions, without the last one of each session that has
    /// ended.
    pub fn earlier_snapshots<'c>(
        &self,
        candidates: impl IntoIterator<Item = (CandidateId, &'c Candidate)>,
    ) -> Result<HashSet<CandidateId>> {
        let candidates: Vec<(CandidateId, &Candidate)> = candidates.into_iter().collect();
        let named =
            |(id, candidate): &(CandidateId, &'c Candidate)| (*id, candidate.id.as_str(), &candidate.meta);
        self.read(|connection| earlier_among(connection, candidates.iter().map(named)))
    }
}

/// The earlier snapshots among candidates, each with its key and its free fields. A data set has snapshots without their
/// sessions: there the latest of each session is the last.
pub(crate) fn earlier_among<'c>(
    connection: &Connection,
    candidates: impl IntoIterator<Item = (CandidateId, &'c str, &'c Meta)>,
) -> Tried<HashSet<CandidateId>> {
    let snapshot = |(id, key, meta)| snapshot_of(meta).map(|(session, minute)| (session, minute, id, key));
    let snapshots: Vec<(SessionKey, f64, CandidateId, &str)> =
        candidates.into_iter().filter_map(snapshot).collect();
    if snapshots.is_empty() {
        return Ok(HashSet::new());
    }
    let last = last_snapshots(connection)?;
    let mut latest: HashMap<SessionKey, (f64, CandidateId)> = HashMap::new();
    for (session, minute, id, _) in &snapshots {
        let held = latest.entry(*session).or_insert((*minute, *id));
        if *minute >= held.0 {
            *held = (*minute, *id);
        }
    }
    let is_last = |(session, _, id, key): &(SessionKey, f64, CandidateId, &str)| match last.get(session) {
        Some(last) => last.as_deref() == Some(*key),
        None => latest.get(session).is_some_and(|latest| latest.1 == *id),
    };
    Ok(snapshots.into_iter().filter(|snapshot| !is_last(snapshot)).map(|(_, _, id, _)| id).collect())
}

/// The key of the last snapshot's candidate of each session; `None` of one that has not ended or cannot be read.
fn last_snapshots(connection: &Connection) -> Tried<HashMap<SessionKey, Option<String>>> {
    let sessions: Vec<(SessionId, SessionKey)> = all(connection, "SELECT id, key FROM session", [])?;
    let last = |(id, key)| {
        let last = match stored(connection, id) {
            Err(Fault::Said(_)) => None,
            stored => {
                let stored = stored?;
                stored.session().last_snapshot().map(|last| stored.head.candidate_key(last))
            }
        };
        Ok((key, last))
    };
    sessions.into_iter().map(last).collect()
}
