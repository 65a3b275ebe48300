//! The task of a session: the query, its numbers of insights, and the documents to read.

use std::collections::BTreeSet;

use rusqlite::{Connection, params};

use crate::error::{Error, Result};
use crate::journal::session::DocumentChoice;
use crate::protocol::builtin;
use crate::store::corpus::read;
use crate::store::file::fault::{Tried, said};
use crate::store::file::sql::{all, one};
use crate::store::file::study_file::StudyFile;
use crate::store::journal::people::person_of;
use crate::study::{Document, Query, QueryId};
use crate::text::hash::fingerprint;
use crate::text::words;

/// A query that a summary can be written on.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionQuery {
    pub id: QueryId,
    pub query: Query,
    /// How many insights of the query the study has: units that `coverage` judges.
    pub insights: usize,
    /// Numbers of the documents that contain a unit of the query, ascending.
    pub relevant: Vec<u32>,
    /// The retrievers that the query has scores of.
    pub retrievers: Vec<String>,
}

impl StudyFile {
    /// The queries of the study, each with the facts for a session on it, in the order of the study.
    pub fn session_queries(&self) -> Result<Vec<SessionQuery>> {
        self.read(|connection| {
            let ids: Vec<i64> = all(connection, "SELECT id FROM query ORDER BY id", [], |row| row.get(0))?;
            ids.into_iter().map(|id| session_query(connection, QueryId(id))).collect()
        })
    }

    /// Every document of a query's collection, by number.
    pub fn documents_of_query(&self, query: QueryId) -> Result<Vec<Document>> {
        self.read(|connection| documents(connection, query))
    }

    /// The numbers of the documents that a session on this query offers, shuffled by the seed: the same seed gives
    /// the same order in every file that holds the same documents.
    ///
    /// # Errors
    /// No relevant documents are known, the query has no scores of this retriever, or no documents at all.
    pub fn session_order(&self, query: QueryId, choice: &DocumentChoice, seed: u64) -> Result<Vec<u32>> {
        self.read(|connection| {
            let mut chosen = chosen(connection, query, choice)?;
            let seed = seed.to_string();
            chosen.sort_by_cached_key(|document| fingerprint(["session", seed.as_str(), &document.id]));
            Ok(chosen.into_iter().map(|document| document.number).collect())
        })
    }

    /// How many insights of a query stand in the documents of these numbers. An insight whose documents are not known counts
    /// in none.
    pub fn insights_in(&self, query: QueryId, numbers: &[u32]) -> Result<usize> {
        self.read(|connection| {
            let placed: Vec<(i64, String, u32)> = all(
                connection,
                "SELECT u.id, u.kind, d.number FROM unit u JOIN gold g ON g.unit = u.id
                 JOIN document d ON d.id = g.document WHERE u.query = ?1 AND u.candidate IS NULL",
                [query.0],
                |row| row.try_into(),
            )?;
            let offered =
                placed.iter().filter(|(_, kind, number)| is_insight(kind) && numbers.contains(number));
            Ok(offered.map(|(unit, ..)| *unit).collect::<BTreeSet<i64>>().len())
        })
    }

    /// Whether this person has judged a summary of the query, under any protocol.
    pub fn has_judged_summaries(&self, annotator: &str, query: QueryId) -> Result<bool> {
        self.read(|connection| has_judged(connection, annotator, query))
    }
}

pub(super) fn has_judged(connection: &Connection, annotator: &str, query: QueryId) -> Tried<bool> {
    one(
        connection,
        &format!(
            "SELECT EXISTS (SELECT 1 FROM standing s JOIN item i ON i.id = s.item
             WHERE s.annotator = {} AND i.query = ?2 AND i.candidate IS NOT NULL AND s.version IS NOT NULL)",
            person_of("?1")
        ),
        params![annotator, query.0],
        |row| row.get(0),
    )
}

fn session_query(connection: &Connection, id: QueryId) -> Tried<SessionQuery> {
    let query = read::query(connection, id)?;
    let kinds: Vec<String> =
        all(connection, "SELECT kind FROM unit WHERE query = ?1 AND candidate IS NULL", [id.0], |row| {
            row.get(0)
        })?;
    let retrievers = scores(&query).map(|scores| scores.keys().cloned().collect());
    Ok(SessionQuery {
        id,
        insights: kinds.iter().filter(|kind| is_insight(kind)).count(),
        relevant: relevant(connection, id)?,
        retrievers: retrievers.unwrap_or_default(),
        query,
    })
}

fn is_insight(kind: &str) -> bool {
    builtin("coverage").is_some_and(|protocol| protocol.takes_unit(kind))
}

/// Numbers of the documents that contain a unit of the query, ascending.
fn relevant(connection: &Connection, query: QueryId) -> Tried<Vec<u32>> {
    all(connection, "SELECT DISTINCT d.number FROM unit u JOIN gold g ON g.unit = u.id
             JOIN document d ON d.id = g.document WHERE u.query = ?1 AND u.candidate IS NULL ORDER BY d.number", [query.0], |row| row.get(0))
}

/// The scores of retrievers, as SummHay's topics bring them: by retriever, then by document.
fn scores(query: &Query) -> Option<&serde_json::Map<String, serde_json::Value>> {
    query.meta.get("retriever")?.as_object()
}

fn documents(connection: &Connection, query: QueryId) -> Tried<Vec<Document>> {
    let collection =
        one(connection, "SELECT collection FROM query WHERE id = ?1", [query.0], |row| row.get(0))?;
    read::documents_of(connection, collection)
}

fn chosen(connection: &Connection, query: QueryId, choice: &DocumentChoice) -> Tried<Vec<Document>> {
    let mut documents = documents(connection, query)?;
    match choice {
        DocumentChoice::All => {}
        DocumentChoice::Relevant => {
            let relevant = relevant(connection, query)?;
            documents.retain(|document| relevant.contains(&document.number));
            if documents.is_empty() {
                return Err(Error::new("it is not known which documents are relevant to the query")
                    .advise("use --documents all")
                    .into());
            }
        }
        DocumentChoice::Retriever { name, words } => {
            let query = read::query(connection, query)?;
            documents = retrieved(&query, documents, name, *words)?;
        }
    }
    if documents.is_empty() {
        return Err(said("the query has no documents to read"));
    }
    Ok(documents)
}

/// The documents that the retriever ranks first, as many as have at most `most` words together, and at least one.
fn retrieved(query: &Query, documents: Vec<Document>, name: &str, most: usize) -> Tried<Vec<Document>> {
    let known = scores(query);
    let Some(ranks) = known.and_then(|known| known.get(name)?.as_object()) else {
        let names: Vec<&str> = known.into_iter().flat_map(|known| known.keys()).map(String::as_str).collect();
        let advice = match names.as_slice() {
            [] => "use --documents relevant or all".to_owned(),
            names => format!("it has those of {}", names.join(", ")),
        };
        let what = format!("the query {:?} has no scores of a retriever {name:?}", query.id);
        return Err(Error::new(what).advise(advice).into());
    };
    let score = |document: &Document| ranks.get(&document.id).and_then(serde_json::Value::as_f64);
    let scored = documents.into_iter().filter_map(|document| Some((score(&document)?, document)));
    let mut scored: Vec<(f64, Document)> = scored.collect();
    // Stable: equal scores keep the order of the collection.
    scored.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let mut documents: Vec<Document> = scored.into_iter().map(|(_, document)| document).collect();
    let mut total = 0;
    let fits = |document: &Document| {
        total += words::count(&document.text);
        total <= most
    };
    let kept = documents.iter().map(fits).take_while(|fits| *fits).count();
    documents.truncate(kept.max(1));
    Ok(documents)
}
