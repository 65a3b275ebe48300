//! Merging the corpus. As in an import, the same record is known, and another record under the same key is refused.

use super::numbers::OtherNumbers;
use super::{Fault, Merger, Tried, named};
use crate::number::number_of;
use crate::store::corpus::read::Reading;
use crate::store::corpus::writer::{CorpusWriter, RecordTaken};
use crate::store::exchange::hub::Twins;
use crate::store::exchange::own;
use crate::store::file::schema::RANKING;
use crate::store::journal::caches;
use crate::study::Record;

/// The kinds of records that make a corpus.
pub(super) const KINDS: [&str; 6] = ["collection", "document", "query", "unit", "candidate", RANKING];

impl Merger<'_> {
    /// Brings in the corpus, the maps and the annotators.
    pub(super) fn corpus(&mut self) -> Tried<()> {
        let other = self.other;
        let mut corpus = CorpusWriter::prepare(self.connection)?;
        for (id, collection) in other.read_collections(Reading::All)? {
            self.record(&mut corpus, id.0, Record::Collection(collection))?;
        }
        self.documents(&mut corpus)?;
        for (id, query) in other.read_queries(Reading::All)? {
            self.record(&mut corpus, id.0, Record::Query(query))?;
        }
        for (id, unit) in other.read_units(Reading::All, true)? {
            self.record(&mut corpus, id.0, Record::Unit(unit))?;
        }
        let mut twins = Twins::prepare(self.connection, Some(&other.connection))?;
        for (id, candidate) in other.read_candidates(Reading::All)? {
            self.theirs(twins.refuse(&candidate))?;
            self.record(&mut corpus, id.0, Record::Candidate(candidate))?;
        }
        for ranking in other.read_rankings(Reading::All)? {
            self.record(&mut corpus, 0, Record::Ranking(ranking))?;
        }
        for map in other.import_maps()?.into_iter().rev() {
            let taken = own::keep_map(self.connection, &map);
            self.took("map", 0, None, taken)?;
        }
        self.annotators(&mut corpus)
    }

    pub(super) fn annotators(&mut self, corpus: &mut CorpusWriter<'_>) -> Tried<()> {
        for (id, annotator) in self.other.read_annotators(Reading::All)? {
            if self.only.as_ref().is_none_or(|only| only.contains(&id)) {
                self.record(corpus, id.0, Record::Annotator(annotator))?;
            }
        }
        Ok(())
    }

    fn documents(&mut self, corpus: &mut CorpusWriter<'_>) -> Tried<()> {
        let (mut fault, mut numbers) = (None, OtherNumbers::default());
        let (other, path, files) = (self.other, self.path, [self.connection, &self.other.connection]);
        let read = other.read_documents(Reading::All, |id, mut document| {
            let took = numbers.fit(corpus, files, &mut document).and_then(|is_used| {
                let clashes = self.report.clashes.len();
                self.record(corpus, id.0, Record::Document(document))?;
                if let Some(clash) = self.report.clashes.get_mut(clashes).filter(|_| is_used) {
                    clash.push_str(", and answers, sessions, revisions or a hub go by the numbers");
                }
                Ok(())
            });
            took.or_else(|stopped| named(path, Err(stopped)).inspect_err(|error| fault = Some(error.clone())))
        });
        match fault {
            Some(error) => return Err(error.into()),
            None => read?,
        }
        let changed = numbers.settle(self.connection)?;
        if changed > 0 {
            let of = number_of(changed, "collection");
            let what =
                format!("the files number documents of {of} otherwise: they are numbered anew, by their ids");
            self.report.remarks.push(what);
            // Loaded documents are read again.
            caches::look_again(self.connection)?;
        }
        Ok(())
    }

    fn record(&mut self, corpus: &mut CorpusWriter<'_>, theirs: i64, record: Record) -> Tried<()> {
        // Notes about passages were given when the unit first came in.
        match corpus.take(&record, &mut Vec::new()) {
            Some((taken, ours)) => self.took(record.kind().name(), theirs, ours, taken),
            None => Ok(()),
        }
    }

    /// Notes the outcome of a record, and its row in the study.
    fn took(&mut self, kind: &str, theirs: i64, ours: Option<i64>, taken: Tried<RecordTaken>) -> Tried<()> {
        match taken {
            Ok(RecordTaken::Known | RecordTaken::Journaled | RecordTaken::Repeated) => {
                self.count(kind, false)
            }
            Ok(RecordTaken::Added | RecordTaken::Replaced | RecordTaken::Joined) => self.count(kind, true),
            Err(Fault::Said(error)) => self.clash(kind, error.what().to_owned()),
            Err(fault) => return Err(fault),
        }
        if let Some(ours) = ours {
            self.rows.put(kind, theirs, ours);
        }
        Ok(())
    }
}
