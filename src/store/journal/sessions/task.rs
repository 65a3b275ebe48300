//! The task of a session: the query, its numbers of insights, and the documents to read.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::{Connection, params};

use crate::error::{Error, Result};
use crate::journal::session::DocumentChoice;
use crate::protocol::builtin;
use crate::store::corpus::{counts, read};
use crate::store::file::{Fault, StudyFile, Tried, all, one, said};
use crate::store::journal::person_of;
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
    /// The retrievers that the query has a ranking or scores of.
    pub retrievers: Vec<String>,
}

impl StudyFile {
    /// The queries of the study, each with the facts for a session on it, in the order of the study.
    pub fn session_queries(&self) -> Result<Vec<SessionQuery>> {
        self.read(|connection| {
            let select = format!("SELECT id FROM query WHERE {} ORDER BY id", counts("query", "id"));
            let ids: Vec<i64> = all(connection, &select, [])?;
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
    /// No relevant documents are known, the query has no ranking of this retriever, or no documents at all.
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
            let select = format!("SELECT u.id, u.kind, d.number {}", placed());
            let placed: Vec<(i64, String, u32)> = all(connection, &select, [query.0])?;
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
    )
}

fn session_query(connection: &Connection, id: QueryId) -> Tried<SessionQuery> {
    let query = read::query(connection, id)?;
    let select =
        format!("SELECT kind FROM unit WHERE query = ?1 AND candidate IS NULL AND {}", counts("unit", "id"));
    let kinds: Vec<String> = all(connection, &select, [id.0])?;
    Ok(SessionQuery {
        id,
        insights: kinds.iter().filter(|kind| is_insight(kind)).count(),
        relevant: relevant(connection, id)?,
        retrievers: ranks(connection, id, &query)?.into_keys().collect(),
        query,
    })
}

fn is_insight(kind: &str) -> bool {
    builtin("coverage").is_some_and(|protocol| protocol.takes_unit(kind))
}

/// The rows of units of a query in the documents that contain them.
fn placed() -> String {
    let (units, documents) = (counts("unit", "u.id"), counts("document", "d.id"));
    format!(
        "FROM unit u JOIN gold g ON g.unit = u.id JOIN document d ON d.id = g.document
         WHERE u.query = ?1 AND u.candidate IS NULL AND {units} AND {documents}"
    )
}

/// Numbers of the documents that contain a unit of the query, ascending.
fn relevant(connection: &Connection, query: QueryId) -> Tried<Vec<u32>> {
    let select = format!("SELECT DISTINCT d.number {} ORDER BY d.number", placed());
    all(connection, &select, [query.0])
}

/// What each retriever gives documents, by their keys, the most to the first one: scores, as SummHay's topics bring them, and
/// places in rankings.
fn ranks(
    connection: &Connection,
    id: QueryId,
    query: &Query,
) -> Tried<BTreeMap<String, HashMap<String, f64>>> {
    let scores = query.meta.get("retriever").and_then(|scores| scores.as_object()).into_iter().flatten();
    let of_scores =
        |(document, score): (&String, &serde_json::Value)| Some((document.clone(), score.as_f64()?));
    let mut ranks: BTreeMap<String, HashMap<String, f64>> = scores
        .filter_map(|(name, scores)| {
            Some((name.clone(), scores.as_object()?.iter().filter_map(of_scores).collect()))
        })
        .collect();
    for list in read::rankings_of(connection, id)? {
        let documents = list.documents.into_iter().map(|ranked| ranked.document);
        ranks.insert(list.retriever, documents.zip((1_u32..).map(|place| -f64::from(place))).collect());
    }
    Ok(ranks)
}

fn documents(connection: &Connection, query: QueryId) -> Tried<Vec<Document>> {
    let collection = one(connection, "SELECT collection FROM query WHERE id = ?1", [query.0])?;
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
            let ranks = ranks(connection, query, &read::query(connection, query)?)?;
            let Some(ranks) = ranks.get(name) else { return Err(unknown_retriever(name, ranks.keys())) };
            documents = retrieved(ranks, documents, *words);
        }
    }
    if documents.is_empty() {
        return Err(said("the query has no documents to read"));
    }
    Ok(documents)
}

fn unknown_retriever<'n>(name: &str, known: impl Iterator<Item = &'n String>) -> Fault {
    let known: Vec<&str> = known.map(String::as_str).collect();
    let advice = match known.as_slice() {
        [] => "use --documents relevant or all".to_owned(),
        names => format!("it has those of {}", names.join(", ")),
    };
    Error::new(format!("the query has no ranking of a retriever {name:?}")).advise(advice).into()
}

/// The documents that the retriever ranks first, as many as have at most `most` words together, and at least one.
fn retrieved(ranks: &HashMap<String, f64>, documents: Vec<Document>, most: usize) -> Vec<Document> {
    let ranked = documents.into_iter().filter_map(|document| Some((*ranks.get(&document.id)?, document)));
    let mut ranked: Vec<(f64, Document)> = ranked.collect();
    // Stable: equal scores keep the order of the collection.
    ranked.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let mut documents: Vec<Document> = ranked.into_iter().map(|(_, document)| document).collect();
    let mut total = 0;
    let fits = |document: &Document| {
        total += words::count(&document.text);
        total <= most
    };
    let kept = documents.iter().map(fits).take_while(|fits| *fits).count();
    documents.truncate(kept.max(1));
    documents
}
