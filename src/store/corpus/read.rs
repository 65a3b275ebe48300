//! The corpus read back as records.
//!
//! Records come in the order in which they came in, so that an export of a study made from an export has the same order.

use std::hash::Hash;

use rusqlite::types::{FromSql, Type};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::de::DeserializeOwned;

use super::{Counting, counts};
use crate::error::{Error, Result};
use crate::store::file::{StudyFile, Tried, all, all_by, first, one_by};
use crate::study::{
    Annotator, AnnotatorId, Candidate, CandidateId, CitedList, Collection, CollectionId, Document,
    DocumentId, Evidence, ListedDocument, Meta, Query, QueryId, RankedDocument, RankedList, Record, Unit,
    UnitId,
};
use crate::text::fast::FastMap;
use crate::text::natural::natural;

/// A document without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentHead {
    pub id: DocumentId,
    pub collection: CollectionId,
    /// The key, unique in the collection.
    pub key: String,
    /// The 1-based position in the collection.
    pub number: u32,
}

/// The records to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// The records that count, as they are now.
    Counting,
    /// The records that count, as they came in: revisions come along with the amendments.
    Original,
    /// All records as they came in, for a merge: revisions come along with the amendments.
    All,
}

impl Reading {
    /// Adds to a statement that withdrawn rows are left out, unless all are read; `column` has the numbers of the rows.
    fn of(self, select: &str, what: &str, column: &str) -> String {
        match self {
            Reading::Counting | Reading::Original => format!("{select} WHERE {}", counts(what, column)),
            Reading::All => select.to_owned(),
        }
    }

    /// The records of a table as this reading has them.
    fn records<Id: FromSql, T: DeserializeOwned>(
        self,
        connection: &Connection,
        table: &str,
        select: &str,
        mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Tried<Vec<(Id, T)>> {
        let shown: Vec<(Id, i64, T)> =
            every(connection, select, |row| Ok((row.get(0)?, row.get(0)?, read(row)?)))?;
        let as_wanted = |(id, row, shown)| Ok((id, self.record(connection, table, row, shown)?));
        shown.into_iter().map(as_wanted).collect()
    }

    /// A record as this reading has it: as its row shows it, or as it came in.
    fn record<T: DeserializeOwned>(
        self,
        connection: &Connection,
        table: &str,
        id: i64,
        shown: T,
    ) -> Tried<T> {
        match self {
            Reading::Counting => Ok(shown),
            Reading::Original | Reading::All => Ok(original(connection, table, id)?.unwrap_or(shown)),
        }
    }
}

impl StudyFile {
    pub fn collections(&self) -> Result<Vec<(CollectionId, Collection)>> {
        self.read_collections(Reading::Counting)
    }

    pub(crate) fn read_collections(&self, which: Reading) -> Result<Vec<(CollectionId, Collection)>> {
        self.read(|connection| which.records(connection, "collection", COLLECTION, read_collection))
    }

    /// All queries, with the keys of their collections.
    pub fn queries(&self) -> Result<Vec<(QueryId, Query)>> {
        self.read_queries(Reading::Counting)
    }

    pub(crate) fn read_queries(&self, which: Reading) -> Result<Vec<(QueryId, Query)>> {
        let select = which.of(QUERY, "query", "q.id");
        self.read(|connection| which.records(connection, "query", &select, read_query))
    }

    /// All content units with their gold documents (by number) and evidence.
    pub fn units(&self) -> Result<Vec<(UnitId, Unit)>> {
        self.read_units(Reading::Counting, true)
    }

    /// All content units without evidence, which is the largest part of them.
    pub fn units_without_evidence(&self) -> Result<Vec<(UnitId, Unit)>> {
        self.read_units(Reading::Counting, false)
    }

    pub(crate) fn read_units(&self, which: Reading, has_evidence: bool) -> Result<Vec<(UnitId, Unit)>> {
        // A unit as it came in also names documents that do not count any more.
        let whole = if which == Reading::Original { Reading::All } else { which };
        let of_documents = |select| whole.of(select, "document", "d.id");
        let select = which.of(UNIT, "unit", "u.id");
        self.read(|connection| {
            let gold = format!("{} {GOLD_ORDER}", of_documents(GOLD));
            let mut gold = grouped::<i64, String>(all(connection, &gold, [])?);
            let mut evidence = match has_evidence {
                true => {
                    let evidence = format!("{} {EVIDENCE_ORDER}", of_documents(EVIDENCE));
                    grouped(every(connection, &evidence, read_evidence)?)
                }
                false => FastMap::default(),
            };
            which.records(connection, "unit", &select, |row| {
                let id = row.get(0)?;
                let evidence = evidence.remove(&id).unwrap_or_default();
                read_unit(row, gold.remove(&id).unwrap_or_default(), evidence)
            })
        })
    }

    pub fn candidates(&self) -> Result<Vec<(CandidateId, Candidate)>> {
        self.read_candidates(Reading::Counting)
    }

    pub(crate) fn read_candidates(&self, which: Reading) -> Result<Vec<(CandidateId, Candidate)>> {
        let select = which.of(CANDIDATE, "candidate", "k.id");
        self.read(|connection| {
            let found = which.records(connection, "candidate", &select, read_candidate)?;
            found.into_iter().map(|(id, shown)| Ok((id, with_list(connection, id, shown)?))).collect()
        })
    }

    /// The ranking of each retriever for each query, in the order in which they came.
    pub fn rankings(&self) -> Result<Vec<RankedList>> {
        self.read_rankings(Reading::Counting)
    }

    pub(crate) fn read_rankings(&self, which: Reading) -> Result<Vec<RankedList>> {
        let select = which.of(RANKING, "query", "r.query");
        self.read(|connection| every(connection, &select, read_ranking))
    }

    /// All annotators in the order of their names, in which statistics take them, whichever file was merged first.
    pub fn annotators_by_key(&self) -> Result<Vec<(AnnotatorId, Annotator)>> {
        let mut all = self.annotators()?;
        all.sort_by_cached_key(|(_, annotator)| (natural(&annotator.id), annotator.id.clone()));
        Ok(all)
    }

    /// The annotators who count, under all of their names, as they came in.
    pub fn annotators_and_names(&self) -> Result<Vec<(AnnotatorId, Annotator)>> {
        let mut all = self.read_annotators(Reading::All)?;
        let counting = self.read(Counting::read)?;
        all.retain(|(id, _)| counting.has(counting.person(*id)));
        Ok(all)
    }

    /// Every annotator whom the study ever had, under every name.
    pub fn everyone(&self) -> Result<Vec<(AnnotatorId, Annotator)>> {
        self.read(|connection| Reading::Counting.records(connection, "annotator", ANNOTATOR, read_annotator))
    }

    /// The people behind these names.
    pub fn people_of(&self, names: &[AnnotatorId]) -> Result<Vec<AnnotatorId>> {
        let counting = self.read(Counting::read)?;
        Ok(names.iter().map(|name| counting.person(*name)).collect())
    }

    pub fn annotators(&self) -> Result<Vec<(AnnotatorId, Annotator)>> {
        self.read_annotators(Reading::Counting)
    }

    pub(crate) fn read_annotators(&self, which: Reading) -> Result<Vec<(AnnotatorId, Annotator)>> {
        let select = which.of(ANNOTATOR, "annotator", "a.id");
        self.read(|connection| which.records(connection, "annotator", &select, read_annotator))
    }

    /// All documents without their texts.
    pub fn document_heads(&self) -> Result<Vec<DocumentHead>> {
        const HEADS: &str = "SELECT d.id, d.collection, d.key, d.number FROM document d";
        self.read(|connection| {
            every(connection, &Reading::Counting.of(HEADS, "document", "d.id"), |row| {
                Ok(DocumentHead {
                    id: row.get(0)?,
                    collection: row.get(1)?,
                    key: row.get(2)?,
                    number: row.get(3)?,
                })
            })
        })
    }

    /// All documents, their texts empty.
    pub(crate) fn documents_without_texts(&self) -> Result<Vec<(DocumentId, Document)>> {
        let select = Reading::Counting.of(&DOCUMENT.replace("d.text", "''"), "document", "d.id");
        self.read(|connection| {
            every(connection, &format!("{select} ORDER BY d.id"), |row| {
                Ok((row.get(0)?, read_document(row)?))
            })
        })
    }

    /// Hands over documents one by one, so that not all texts are in memory at once.
    pub fn for_each_document(&self, take: impl FnMut(DocumentId, Document) -> Result<()>) -> Result<()> {
        self.read_documents(Reading::Counting, take)
    }

    pub(crate) fn read_documents(
        &self,
        which: Reading,
        mut take: impl FnMut(DocumentId, Document) -> Result<()>,
    ) -> Result<()> {
        let one = |(id, document)| take(id, document);
        self.hand_over(one, |connection, take| {
            let mut statement =
                connection.prepare(&format!("{} ORDER BY d.id", which.of(DOCUMENT, "document", "d.id")))?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let id: DocumentId = row.get(0)?;
                take((id, which.record(connection, "document", id.0, read_document(row)?)?))?;
            }
            Ok(())
        })
    }
}

const COLLECTION: &str = "SELECT c.id, c.key, c.title, c.domain, c.meta FROM collection c";
const DOCUMENT: &str = "SELECT d.id, c.key, d.key, d.number, d.title, d.meta, d.text
  FROM document d JOIN collection c ON c.id = d.collection";
const QUERY: &str = "SELECT q.id, c.key, q.key, q.category, q.domain, q.meta, q.text
  FROM query q JOIN collection c ON c.id = q.collection";
const UNIT: &str =
    "SELECT u.id, c.key, q.key, u.key, u.kind, u.gold_known, u.score, u.title, u.meta, u.text, u.candidate
  FROM unit u JOIN query q ON q.id = u.query JOIN collection c ON c.id = q.collection";
const CANDIDATE: &str =
    "SELECT k.id, c.key, q.key, k.key, k.summarizer, k.retriever, k.document_order, k.meta, k.text
  FROM candidate k JOIN query q ON q.id = k.query JOIN collection c ON c.id = q.collection";
const RANKING: &str = "SELECT r.id, c.key, q.key, r.retriever, r.documents
  FROM ranking r JOIN query q ON q.id = r.query JOIN collection c ON c.id = q.collection";
const ANNOTATOR: &str = "SELECT a.id, a.key, a.kind, a.meta FROM annotator a";
const GOLD: &str = "SELECT g.unit, d.key FROM gold g JOIN document d ON d.id = g.document";
const GOLD_ORDER: &str = "ORDER BY g.unit, d.number";
const EVIDENCE: &str = "SELECT e.unit, d.key, e.given_start, e.quote
  FROM evidence e JOIN document d ON d.id = e.document";
const EVIDENCE_ORDER: &str = "ORDER BY e.unit, e.ordinal";

/// The values of each key, in the order in which they come.
pub(crate) fn grouped<K: Eq + Hash, V>(pairs: Vec<(K, V)>) -> FastMap<K, Vec<V>> {
    let mut groups: FastMap<K, Vec<V>> = FastMap::default();
    for (key, value) in pairs {
        groups.entry(key).or_default().push(value);
    }
    groups
}

/// All rows of `select`, in its own order or else by its first column, which is the row's id.
fn every<T>(
    connection: &Connection,
    select: &str,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Tried<Vec<T>> {
    let query = if select.contains("ORDER BY") { select.to_owned() } else { format!("{select} ORDER BY 1") };
    all_by(connection, &query, [], read)
}

/// A record as it came in, where it was ever revised.
pub(crate) fn original<T: DeserializeOwned>(
    connection: &Connection,
    table: &str,
    id: i64,
) -> Tried<Option<T>> {
    let mut find = connection.prepare_cached("SELECT record FROM original WHERE tbl = ?1 AND id = ?2")?;
    let found: Option<String> = find.query_row(params![table, id], |row| row.get(0)).optional()?;
    let read = |record: String| {
        serde_json::from_str(&record).map_err(|error| {
            Error::damaged(format!("what {table} {id} was revised from cannot be read: {error}"))
                .advise("`haymark check` says what is wrong with the study, and how to save the rest")
                .into()
        })
    };
    found.map(read).transpose()
}

/// A record as its row shows it, and as it came in where it was revised; `None` where records of the table are never
/// revised.
pub(crate) fn record(
    connection: &Connection,
    table: &str,
    id: i64,
) -> Tried<Option<(Record, Option<Record>)>> {
    fn both<T: DeserializeOwned>(
        (connection, table, id): (&Connection, &str, i64),
        shown: T,
        record: fn(T) -> Record,
    ) -> Tried<Option<(Record, Option<Record>)>> {
        Ok(Some((record(shown), original(connection, table, id)?.map(record))))
    }
    let of = (connection, table, id);
    match table {
        "collection" => both(of, collection(connection, CollectionId(id))?, Record::Collection),
        "query" => both(of, query(connection, QueryId(id))?, Record::Query),
        "document" => both(of, document(connection, DocumentId(id))?, Record::Document),
        "unit" => both(of, unit(connection, UnitId(id))?, Record::Unit),
        "candidate" => both(of, candidate(connection, CandidateId(id))?, Record::Candidate),
        "annotator" => both(of, annotator(connection, AnnotatorId(id))?, Record::Annotator),
        _ => Ok(None),
    }
}

pub(crate) fn collection(connection: &Connection, id: CollectionId) -> Tried<Collection> {
    one_by(connection, &format!("{COLLECTION} WHERE c.id = ?1"), [id], read_collection)
}

pub(crate) fn document(connection: &Connection, id: DocumentId) -> Tried<Document> {
    one_by(connection, &format!("{DOCUMENT} WHERE d.id = ?1"), [id], read_document)
}

/// The documents of a collection by number.
pub(crate) fn documents_of(connection: &Connection, id: CollectionId) -> Tried<Vec<Document>> {
    let of = Reading::Counting.of(DOCUMENT, "document", "d.id");
    all_by(connection, &format!("{of} AND d.collection = ?1 ORDER BY d.number"), [id], read_document)
}

pub(crate) fn query(connection: &Connection, id: QueryId) -> Tried<Query> {
    one_by(connection, &format!("{QUERY} WHERE q.id = ?1"), [id], read_query)
}

pub(crate) fn unit(connection: &Connection, id: UnitId) -> Tried<Unit> {
    let gold: Vec<(UnitId, String)> =
        all(connection, &format!("{GOLD} WHERE g.unit = ?1 {GOLD_ORDER}"), [id])?;
    let gold = gold.into_iter().map(|(_, document)| document).collect();
    let evidence =
        all_by(connection, &format!("{EVIDENCE} WHERE e.unit = ?1 {EVIDENCE_ORDER}"), [id.0], |row| {
            Ok(read_evidence(row)?.1)
        })?;
    one_by(connection, &format!("{UNIT} WHERE u.id = ?1"), [id], |row| read_unit(row, gold, evidence))
}

pub(crate) fn candidate(connection: &Connection, id: CandidateId) -> Tried<Candidate> {
    let shown = one_by(connection, &format!("{CANDIDATE} WHERE k.id = ?1"), [id], read_candidate)?;
    with_list(connection, id, shown)
}

/// Adds to a candidate the list that it cites from.
fn with_list(connection: &Connection, id: CandidateId, shown: Candidate) -> Tried<Candidate> {
    let cites = shown.cites.as_ref().map(|_| cited_list(connection, id)).transpose()?;
    Ok(Candidate { cites, ..shown })
}

/// The list that a candidate cites from: numbers and scores of the documents that its retriever found.
pub(crate) fn cited_list(connection: &Connection, id: CandidateId) -> Tried<CitedList> {
    let select = "SELECT q.collection, r.documents FROM candidate k JOIN query q ON q.id = k.query
         JOIN ranking r ON r.query = k.query AND r.retriever = k.retriever WHERE k.id = ?1";
    let found: Option<(CollectionId, String)> = first(connection, select, [id])?;
    let Some((collection, documents)) = found else { return Ok(CitedList::default()) };
    let documents: Vec<RankedDocument> = serde_json::from_str(&documents).map_err(|error| {
        Error::damaged(format!("the ranking behind candidate {} cannot be read: {error}", id.0))
    })?;
    let mut find =
        connection.prepare_cached("SELECT number FROM document WHERE collection = ?1 AND key = ?2")?;
    let listed = documents.iter().map(|ranked| {
        let number = find.query_row(params![collection, ranked.document], |row| row.get(0))?;
        Ok(ListedDocument { number, score: ranked.score })
    });
    Ok(CitedList::of(listed.collect::<rusqlite::Result<_>>()?))
}

pub(crate) fn annotator(connection: &Connection, id: AnnotatorId) -> Tried<Annotator> {
    one_by(connection, &format!("{ANNOTATOR} WHERE a.id = ?1"), [id], read_annotator)
}

fn read_collection(row: &Row<'_>) -> rusqlite::Result<Collection> {
    Ok(Collection { id: row.get(1)?, title: row.get(2)?, domain: row.get(3)?, meta: read_meta(row, 4)? })
}

fn read_document(row: &Row<'_>) -> rusqlite::Result<Document> {
    Ok(Document {
        collection: row.get(1)?,
        id: row.get(2)?,
        number: row.get(3)?,
        title: row.get(4)?,
        meta: read_meta(row, 5)?,
        text: row.get(6)?,
    })
}

fn read_query(row: &Row<'_>) -> rusqlite::Result<Query> {
    Ok(Query {
        collection: row.get(1)?,
        id: row.get(2)?,
        category: row.get(3)?,
        domain: row.get(4)?,
        meta: read_meta(row, 5)?,
        text: row.get(6)?,
    })
}

fn read_unit(row: &Row<'_>, gold: Vec<String>, evidence: Vec<Evidence>) -> rusqlite::Result<Unit> {
    let gold_known: bool = row.get(5)?;
    Ok(Unit {
        collection: row.get(1)?,
        query: row.get(2)?,
        id: row.get(3)?,
        kind: row.get(4)?,
        candidate: row.get(10)?,
        title: row.get(7)?,
        text: row.get(9)?,
        documents: gold_known.then_some(gold),
        evidence,
        score: row.get(6)?,
        meta: read_meta(row, 8)?,
    })
}

fn read_evidence(row: &Row<'_>) -> rusqlite::Result<(i64, Evidence)> {
    let start: Option<i64> = row.get(2)?;
    let evidence = Evidence {
        document: row.get(1)?,
        quote: row.get(3)?,
        start: start.and_then(|start| u64::try_from(start).ok()),
    };
    Ok((row.get(0)?, evidence))
}

fn read_candidate(row: &Row<'_>) -> rusqlite::Result<Candidate> {
    let mut meta = read_meta(row, 7)?;
    Ok(Candidate {
        cites: meta.shift_remove(CITES_FIELD).and_then(|cites| serde_json::from_value(cites).ok()),
        collection: row.get(1)?,
        query: row.get(2)?,
        id: row.get(3)?,
        summarizer: row.get(4)?,
        retriever: row.get(5)?,
        order: row.get(6)?,
        meta,
        text: row.get(8)?,
    })
}

/// The rankings of a query.
pub(crate) fn rankings_of(connection: &Connection, query: QueryId) -> Tried<Vec<RankedList>> {
    all_by(connection, &format!("{RANKING} WHERE r.query = ?1 ORDER BY r.id"), [query.0], read_ranking)
}

pub(crate) fn ranking(connection: &Connection, id: i64) -> Tried<RankedList> {
    one_by(connection, &format!("{RANKING} WHERE r.id = ?1"), [id], read_ranking)
}

fn read_ranking(row: &Row<'_>) -> rusqlite::Result<RankedList> {
    let documents = serde_json::from_str(row.get_ref(4)?.as_str()?);
    let documents = documents
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(4, Type::Text, Box::new(error)))?;
    Ok(RankedList { collection: row.get(1)?, query: row.get(2)?, retriever: row.get(3)?, documents })
}

/// The free field that keeps what a candidate's citations count: the table of candidates has no column for it.
pub(crate) const CITES_FIELD: &str = "haymark_cites";

/// The free fields of a candidate as its row keeps them.
pub(crate) fn meta_of_candidate(candidate: &Candidate) -> Meta {
    let mut meta = candidate.meta.clone();
    let cites = candidate.cites.as_ref().and_then(|cites| serde_json::to_value(cites).ok());
    meta.extend(cites.map(|cites| (CITES_FIELD.to_owned(), cites)));
    meta
}

fn read_annotator(row: &Row<'_>) -> rusqlite::Result<Annotator> {
    Ok(Annotator { id: row.get(1)?, kind: row.get(2)?, meta: read_meta(row, 3)? })
}

fn read_meta(row: &Row<'_>, column: usize) -> rusqlite::Result<Meta> {
    let Some(text) = row.get_ref(column)?.as_str_or_null()? else { return Ok(Meta::new()) };
    serde_json::from_str(text)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}
