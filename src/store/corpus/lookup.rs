//! Rows by their keys while records come in. All keys of a small study are in memory. Of a large study only the latest are, and
//! every other row is looked up in the file, so that memory does not grow with the study.

use std::collections::HashMap;
use std::mem::take;
use std::rc::Rc;

use rusqlite::{Connection, Params, params};

use super::StudyKeys;
use crate::store::file::{Tried, count, first, one};
use crate::study::{AnnotatorId, CandidateId, CollectionId, DocumentId, QueryId, UnitId};

/// The most rows whose keys are in memory, about 50 MB. Tests have a low number, so that they go the way of a large study.
const MOST: usize = if cfg!(test) { 3 } else { 200_000 };

/// Finds rows by their keys within one transaction.
pub(crate) struct KeyLookup<'c> {
    connection: &'c Connection,
    known: StudyKeys,
    /// How many rows `known` has of the corpus.
    count: usize,
    extent: KeyExtent,
    /// A range of document numbers that are all taken, by collection: the first number, and the first one behind the range.
    taken: HashMap<CollectionId, [u32; 2]>,
}

/// Which keys are in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyExtent {
    Latest,
    /// All keys, while they are few.
    All,
    /// All keys, however many come in: [`KeyLookup::whole`] was called.
    AllToTheEnd,
}

impl<'c> KeyLookup<'c> {
    pub(crate) fn prepare(connection: &'c Connection) -> Tried<KeyLookup<'c>> {
        let rows = ["collection", "document", "query", "unit", "candidate"];
        let rows = rows.map(|table| format!("SELECT 1 FROM {table}")).join(" UNION ALL ");
        let few = format!("SELECT count(*) FROM ({rows} LIMIT {})", MOST + 1);
        let count = count(one(connection, &few, [])?);
        let (known, extent) = match count <= MOST {
            true => (StudyKeys::read(connection)?, KeyExtent::All),
            false => (StudyKeys::of_annotators(connection)?, KeyExtent::Latest),
        };
        Ok(KeyLookup { connection, known, count, extent, taken: HashMap::new() })
    }

    /// All keys, in memory from now on.
    pub(crate) fn whole(&mut self) -> Tried<&StudyKeys> {
        if self.extent == KeyExtent::Latest {
            self.known = StudyKeys::read(self.connection)?;
        }
        self.extent = KeyExtent::AllToTheEnd;
        Ok(&self.known)
    }

    /// Notes a row. Where there are too many, the rows before it are forgotten.
    pub(super) fn add(&mut self, note: impl FnOnce(&mut StudyKeys)) {
        if self.count >= MOST && self.extent != KeyExtent::AllToTheEnd {
            let annotators = take(&mut self.known.annotators);
            self.known = StudyKeys { annotators, ..StudyKeys::default() };
            (self.count, self.extent) = (0, KeyExtent::Latest);
            self.taken.clear();
        }
        self.count += 1;
        note(&mut self.known);
    }

    /// A row of the file, and the number in its second column, where not all keys are in memory.
    fn in_file(&self, select: &str, of: impl Params) -> Tried<Option<(i64, u32)>> {
        match self.extent {
            KeyExtent::Latest => first(self.connection, select, of),
            KeyExtent::All | KeyExtent::AllToTheEnd => Ok(None),
        }
    }

    pub(crate) fn annotator(&self, key: &str) -> Option<AnnotatorId> {
        self.known.annotators.get(key).copied()
    }

    pub(crate) fn add_annotator(&mut self, key: &str, id: AnnotatorId) {
        self.known.annotators.insert(Rc::from(key), id);
    }

    /// The row that is known, or that the file has; `note` remembers it, with the number in its second column.
    fn find<Id: Copy>(
        &mut self,
        known: Option<Id>,
        (select, of): (&str, impl Params),
        id: impl FnOnce(i64) -> Id,
        note: impl FnOnce(&mut StudyKeys, Id, u32),
    ) -> Tried<Option<Id>> {
        if known.is_some() {
            return Ok(known);
        }
        let Some((row, number)) = self.in_file(select, of)? else { return Ok(None) };
        let id = id(row);
        self.add(|known| note(known, id, number));
        Ok(Some(id))
    }

    pub(crate) fn collection(&mut self, key: &str) -> Tried<Option<CollectionId>> {
        let known = self.known.collections.get(key).copied();
        let select = ("SELECT id, 0 FROM collection WHERE key = ?1", [key]);
        self.find(known, select, CollectionId, |known, id, _| known.add_collection(&Rc::from(key), id))
    }

    pub(crate) fn document(&mut self, scope: CollectionId, key: &str) -> Tried<Option<DocumentId>> {
        let known = self.known.documents.get(scope, key);
        let select =
            ("SELECT id, number FROM document WHERE collection = ?1 AND key = ?2", params![scope, key]);
        self.find(known, select, DocumentId, |known, id, number| {
            known.add_document(scope, &Rc::from(key), number, id);
        })
    }

    pub(crate) fn query(&mut self, scope: CollectionId, key: &str) -> Tried<Option<QueryId>> {
        let known = self.known.queries.get(scope, key);
        let select = ("SELECT id, 0 FROM query WHERE collection = ?1 AND key = ?2", params![scope, key]);
        self.find(known, select, QueryId, |known, id, _| known.add_query(scope, &Rc::from(key), id))
    }

    pub(super) fn unit(&mut self, scope: QueryId, key: &str) -> Tried<Option<UnitId>> {
        let known = self.known.units.get(scope, key);
        let select = ("SELECT id, 0 FROM unit WHERE query = ?1 AND key = ?2", params![scope, key]);
        self.find(known, select, UnitId, |known, id, _| known.add_unit(scope, &Rc::from(key), id))
    }

    pub(super) fn candidate(&mut self, scope: QueryId, key: &str) -> Tried<Option<CandidateId>> {
        let known = self.known.candidates.get(scope, key);
        let select = ("SELECT id, 0 FROM candidate WHERE query = ?1 AND key = ?2", params![scope, key]);
        self.find(known, select, CandidateId, |known, id, _| known.add_candidate(scope, &Rc::from(key), id))
    }

    /// The document that has this number in its collection.
    pub(crate) fn numbered(&self, scope: CollectionId, number: u32) -> Tried<Option<DocumentId>> {
        if let Some(id) = self.known.numbers.get(&(scope, number)) {
            return Ok(Some(*id));
        }
        let select = "SELECT id, 0 FROM document WHERE collection = ?1 AND number = ?2";
        Ok(self.in_file(select, params![scope, number])?.map(|(id, _)| DocumentId(id)))
    }

    /// Frees the number of a document whose row is made anew.
    pub(super) fn free(&mut self, scope: CollectionId, number: u32, document: DocumentId) {
        if self.known.numbers.get(&(scope, number)) == Some(&document) {
            self.known.numbers.remove(&(scope, number));
        }
        self.taken.remove(&scope);
    }

    /// The first number from this one on that no document of the collection has.
    pub(crate) fn free_number(&mut self, collection: &str, from: u32) -> Tried<u32> {
        let Some(scope) = self.collection(collection)? else { return Ok(from) };
        let [begin, end] = self.taken.get(&scope).copied().unwrap_or([from, from]);
        let is_inside = (begin..=end).contains(&from);
        let mut number = if is_inside { end } else { from };
        while self.numbered(scope, number)?.is_some() {
            // Where even the last number is taken, the document is refused when it comes in.
            let Some(next) = number.checked_add(1) else { break };
            number = next;
        }
        if is_inside {
            self.taken.insert(scope, [begin, number]);
        }
        Ok(number)
    }
}
