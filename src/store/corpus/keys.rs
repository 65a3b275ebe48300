//! The keys of a study's corpus in memory, so that an import asks the file once and not per record.

use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;

use rusqlite::Connection;

use super::Target;
use crate::error::Error;
use crate::number::first_few;
use crate::store::file::{Tried, first};
use crate::study::{AnnotatorId, CandidateId, CollectionId, DocumentId, QueryId, TargetKeys, UnitId};
use crate::text::fast::FastMap;

/// Rows by key within a scope: documents within a collection, units within a query.
#[derive(Debug)]
pub(crate) struct KeyMap<Scope, Id> {
    /// Rows by key, ascending by scope. Most keys stand in one scope only.
    rows: HashMap<Rc<str>, Vec<(Scope, Id)>>,
}

impl<Scope, Id> Default for KeyMap<Scope, Id> {
    fn default() -> Self {
        KeyMap { rows: HashMap::new() }
    }
}

impl<Scope: Ord + Copy, Id: Copy> KeyMap<Scope, Id> {
    /// The row of this key in this scope.
    pub(crate) fn get(&self, scope: Scope, key: &str) -> Option<Id> {
        let rows = self.everywhere(key);
        let at = rows.binary_search_by_key(&scope, |(other, _)| *other).ok()?;
        rows.get(at).map(|(_, id)| *id)
    }

    /// The rows of this key in all scopes.
    pub(crate) fn everywhere(&self, key: &str) -> &[(Scope, Id)] {
        self.rows.get(key).map_or(&[], Vec::as_slice)
    }

    /// Notes the row of a key in a scope, in the place of an earlier one.
    pub(crate) fn insert(&mut self, scope: Scope, key: &Rc<str>, id: Id) {
        let rows = self.rows.entry(Rc::clone(key)).or_default();
        let at = rows.partition_point(|(other, _)| *other < scope);
        match rows.get_mut(at) {
            Some(row) if row.0 == scope => *row = (scope, id),
            _ => rows.insert(at, (scope, id)),
        }
    }
}

/// All keys of a study, and where the rows behind them belong.
#[derive(Debug, Default)]
pub(crate) struct StudyKeys {
    pub(crate) collections: HashMap<Rc<str>, CollectionId>,
    pub(crate) documents: KeyMap<CollectionId, DocumentId>,
    pub(crate) numbers: FastMap<(CollectionId, u32), DocumentId>,
    pub(crate) queries: KeyMap<CollectionId, QueryId>,
    pub(crate) units: KeyMap<QueryId, UnitId>,
    pub(crate) candidates: KeyMap<QueryId, CandidateId>,
    pub(crate) annotators: HashMap<Rc<str>, AnnotatorId>,
    pub(crate) collection_names: FastMap<CollectionId, Rc<str>>,
    pub(super) query_names: FastMap<QueryId, (CollectionId, Rc<str>)>,
    pub(super) document_names: FastMap<DocumentId, Rc<str>>,
    pub(super) unit_names: FastMap<UnitId, Rc<str>>,
    pub(super) candidate_names: FastMap<CandidateId, Rc<str>>,
}

impl StudyKeys {
    /// The key of the one collection that has a record of this key; `advice` says how to name one of several.
    pub(crate) fn only_collection<Id>(
        &self,
        (kind, key): (&str, &str),
        rows: &[(CollectionId, Id)],
        advice: &str,
    ) -> Tried<String> {
        let names: Vec<String> = rows.iter().map(|(id, _)| name_of(&self.collection_names, *id)).collect();
        match &names[..] {
            [name] => Ok(name.clone()),
            [] => Err(Error::new(format!("{kind} {key:?} is not in the study")).into()),
            _ => {
                let what = format!("several collections have a {kind} {key:?}");
                Err(Error::new(what).advise(format!("{advice}: {}", first_few(&names))).into())
            }
        }
    }

    /// Reads the keys of everything in the file, but no texts.
    pub(crate) fn read(connection: &Connection) -> Tried<StudyKeys> {
        let mut keys = StudyKeys::of_annotators(connection)?;
        each(connection, "SELECT id, 0, key, 0 FROM collection", |id, _, key, _| {
            keys.add_collection(&key, CollectionId(id));
        })?;
        each(connection, "SELECT id, collection, key, number FROM document", |id, scope, key, number| {
            keys.add_document(CollectionId(scope), &key, number, DocumentId(id));
        })?;
        each(connection, "SELECT id, collection, key, 0 FROM query", |id, scope, key, _| {
            keys.add_query(CollectionId(scope), &key, QueryId(id));
        })?;
        each(connection, "SELECT id, query, key, 0 FROM unit", |id, scope, key, _| {
            keys.add_unit(QueryId(scope), &key, UnitId(id));
        })?;
        each(connection, "SELECT id, query, key, 0 FROM candidate", |id, scope, key, _| {
            keys.add_candidate(QueryId(scope), &key, CandidateId(id));
        })?;
        Ok(keys)
    }

    /// Reads the keys of annotators alone.
    pub(super) fn of_annotators(connection: &Connection) -> Tried<StudyKeys> {
        let mut keys = StudyKeys::default();
        each(connection, "SELECT id, 0, key, 0 FROM annotator", |id, _, key, _| {
            keys.annotators.insert(key, AnnotatorId(id));
        })?;
        Ok(keys)
    }

    pub(crate) fn add_collection(&mut self, key: &Rc<str>, id: CollectionId) {
        self.collections.insert(Rc::clone(key), id);
        self.collection_names.insert(id, Rc::clone(key));
    }

    pub(crate) fn add_document(&mut self, scope: CollectionId, key: &Rc<str>, number: u32, id: DocumentId) {
        self.documents.insert(scope, key, id);
        self.numbers.insert((scope, number), id);
        self.document_names.insert(id, Rc::clone(key));
    }

    pub(crate) fn add_query(&mut self, scope: CollectionId, key: &Rc<str>, id: QueryId) {
        self.queries.insert(scope, key, id);
        self.query_names.insert(id, (scope, Rc::clone(key)));
    }

    pub(crate) fn add_unit(&mut self, scope: QueryId, key: &Rc<str>, id: UnitId) {
        self.units.insert(scope, key, id);
        self.unit_names.insert(id, Rc::clone(key));
    }

    pub(crate) fn add_candidate(&mut self, scope: QueryId, key: &Rc<str>, id: CandidateId) {
        self.candidates.insert(scope, key, id);
        self.candidate_names.insert(id, Rc::clone(key));
    }

    /// Collection and query of each candidate of this key.
    pub(crate) fn queries_of(&self, candidate: &str) -> Vec<[String; 2]> {
        let of = |(query, _): &(QueryId, CandidateId)| {
            let (collection, query) = self.query_names.get(query)?;
            Some([name_of(&self.collection_names, *collection), query.to_string()])
        };
        self.candidates.everywhere(candidate).iter().filter_map(of).collect()
    }

    /// The keys of a target.
    pub(crate) fn of_target(&self, target: &Target) -> TargetKeys {
        let (collection, query) = match self.query_names.get(&target.query) {
            Some((collection, query)) => (name_of(&self.collection_names, *collection), query.to_string()),
            None => Default::default(),
        };
        TargetKeys {
            collection,
            query,
            document: target.document.map(|id| name_of(&self.document_names, id)),
            unit: target.unit.map(|id| name_of(&self.unit_names, id)),
            candidate: target.candidate.map(|id| name_of(&self.candidate_names, id)),
            bullet: target.bullet,
            other: target.other.map(|id| name_of(&self.candidate_names, id)),
        }
    }

    /// The annotator and the item of these rows, in words: `bora on exam / stress / tea / c1 under "coverage"`.
    pub(crate) fn of_pair(&self, connection: &Connection, annotator: i64, item: i64) -> Tried<String> {
        let who = self.annotators.iter().find(|(_, id)| id.0 == annotator);
        let who = who.map_or_else(|| "somebody whose name is lost".to_owned(), |(key, _)| key.to_string());
        let select = "SELECT i.query, i.document, i.candidate, i.unit, i.bullet, i.other, p.name FROM item i
             JOIN protocol p ON p.id = i.protocol WHERE i.id = ?1";
        let on: Option<(Target, String)> = first(connection, select, [item])?;
        Ok(match on {
            Some((target, protocol)) => {
                format!("{who} on {} under {protocol:?}", parts(&self.of_target(&target)))
            }
            None => format!("{who} on an item that is lost"),
        })
    }
}

/// The keys of a target in one line.
pub(crate) fn parts(target: &TargetKeys) -> String {
    let TargetKeys { collection, query, document, unit, candidate, bullet, other } = target;
    let mut parts = vec![collection.clone(), query.clone()];
    parts.extend([document, unit, candidate, other].into_iter().flatten().cloned());
    parts.extend(bullet.map(|bullet| format!("bullet {bullet}")));
    parts.join(" / ")
}

/// The key of a row; empty where there is none, which foreign keys rule out.
pub(crate) fn name_of<Id: Eq + Hash>(names: &FastMap<Id, Rc<str>>, id: Id) -> String {
    names.get(&id).map_or_else(String::new, |name| name.to_string())
}

fn each(connection: &Connection, query: &str, mut take: impl FnMut(i64, i64, Rc<str>, u32)) -> Tried<()> {
    let mut statement = connection.prepare(query)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        take(row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
    }
    Ok(())
}
