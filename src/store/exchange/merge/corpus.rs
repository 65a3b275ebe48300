//! Merging the corpus. As in an import, the same record is known, and another record under the same key is refused.

use super::{Came, Fault, Merger, Tried, named};
use crate::store::corpus::keys::StudyKeys;
use crate::store::corpus::read::Reading;
use crate::store::corpus::writer::{CorpusWriter, RecordTaken};
use crate::store::exchange::own;
use crate::store::file::schema::RANKING;

/// The kinds of records that make a corpus.
pub(super) const KINDS: [&str; 6] = ["collection", "document", "query", "unit", "candidate", RANKING];

impl Merger<'_> {
    /// Brings in the corpus, the maps and the annotators.
    pub(super) fn corpus(&mut self) -> Tried<()> {
        let other = self.other;
        let theirs = named(&other.path, StudyKeys::read(&other.connection))?;
        let mut corpus = CorpusWriter::prepare(self.connection)?;
        for (id, collection) in other.read_collections(Reading::All)? {
            let taken = corpus.take_collection(&collection);
            let ours = corpus.keys.collections.get(collection.id.as_str()).map(|id| id.0);
            self.took("collection", id.0, ours, taken)?;
        }
        self.documents(&mut corpus)?;
        for (id, query) in other.read_queries(Reading::All)? {
            let taken = corpus.take_query(&query);
            let scope = corpus.keys.collections.get(query.collection.as_str());
            let ours = scope.and_then(|scope| corpus.keys.queries.get(*scope, &query.id));
            self.took("query", id.0, ours.map(|id| id.0), taken)?;
        }
        // Notes about passages were given when the unit first came in.
        let mut notes = Vec::new();
        for (id, unit) in other.read_units(Reading::All, true)? {
            let taken = corpus.take_unit(&unit, &mut notes);
            let query = self.query_of(&corpus.keys, &theirs, &unit.collection, &unit.query);
            let ours = query.and_then(|query| corpus.keys.units.get(query, &unit.id));
            self.took("unit", id.0, ours.map(|id| id.0), taken)?;
        }
        for (id, candidate) in other.read_candidates(Reading::All)? {
            let taken = corpus.take_candidate(&candidate);
            let query = self.query_of(&corpus.keys, &theirs, &candidate.collection, &candidate.query);
            let ours = query.and_then(|query| corpus.keys.candidates.get(query, &candidate.id));
            self.took("candidate", id.0, ours.map(|id| id.0), taken)?;
        }
        for ranking in other.read_rankings(Reading::All)? {
            let taken = corpus.take_ranking(&ranking);
            self.took(RANKING, 0, None, taken)?;
        }
        for map in other.import_maps()?.into_iter().rev() {
            let taken = own::keep_map(self.connection, &map);
            self.took("map", 0, None, taken)?;
        }
        for (id, annotator) in other.read_annotators(Reading::All)? {
            if self.only.as_ref().is_some_and(|only| !only.contains(&id)) {
                continue;
            }
            let taken = corpus.take_annotator(&annotator);
            let ours = corpus.keys.annotators.get(annotator.id.as_str()).map(|id| id.0);
            self.took("annotator", id.0, ours, taken)?;
        }
        Ok(())
    }

    fn documents(&mut self, corpus: &mut CorpusWriter<'_>) -> Tried<()> {
        let mut fault = None;
        let (other, path) = (self.other, self.path);
        let read = other.read_documents(Reading::All, |id, document| {
            let taken = corpus.take_document(&document);
            let scope = corpus.keys.collections.get(document.collection.as_str());
            let ours = scope.and_then(|scope| corpus.keys.documents.get(*scope, &document.id));
            let took = self.took("document", id.0, ours.map(|id| id.0), taken);
            took.or_else(|stopped| named(path, Err(stopped)).inspect_err(|error| fault = Some(error.clone())))
        });
        match fault {
            Some(error) => Err(error.into()),
            None => Ok(read?),
        }
    }

    /// The query of the study that has these keys.
    fn query_of(
        &self,
        ours: &StudyKeys,
        theirs: &StudyKeys,
        collection: &str,
        query: &str,
    ) -> Option<crate::study::QueryId> {
        // A record that was read back always names its collection.
        theirs.collections.get(collection)?;
        ours.queries.get(*ours.collections.get(collection)?, query)
    }

    /// Notes the outcome of a record, and its row in the study.
    fn took(&mut self, kind: &str, theirs: i64, ours: Option<i64>, taken: Tried<RecordTaken>) -> Tried<()> {
        match taken {
            Ok(RecordTaken::Known | RecordTaken::Journaled) => self.count(kind, Came::Known),
            Ok(RecordTaken::Added | RecordTaken::Replaced) => self.count(kind, Came::New),
            Err(Fault::Said(error)) => self.clash(kind, error.what().to_owned()),
            Err(fault) => return Err(fault),
        }
        if let Some(ours) = ours {
            self.rows.put(kind, theirs, ours);
        }
        Ok(())
    }
}
