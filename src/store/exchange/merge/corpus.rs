//! Merging the corpus. As in an import, the same record is known, and another record under the same key is refused.

use rusqlite::Connection;

use super::numbers::OtherNumbers;
use super::{Fault, Merger, Tried, named};
use crate::number::number_of;
use crate::store::corpus::{CorpusWriter, Reading, RecordTaken};
use crate::store::exchange::hub::Twins;
use crate::store::exchange::own;
use crate::store::file::{RANKING, one};
use crate::store::journal::{amend, caches};
use crate::study::{Act, Amendment, Annotator, AnnotatorKind, Record};

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
        for (id, mut annotator) in self.other.read_annotators(Reading::All)? {
            if self.only.as_ref().is_none_or(|only| only.contains(&id)) {
                self.fit_kind(corpus, &mut annotator)?;
                self.record(corpus, id.0, Record::Annotator(annotator))?;
            }
        }
        Ok(())
    }

    /// Gives a name that a person and a model were given, and under which one of them or neither did anything, one kind in both files:
    /// that of who did something, else of the person.
    fn fit_kind(&mut self, corpus: &CorpusWriter<'_>, theirs: &mut Annotator) -> Tried<()> {
        let Some(ours) = corpus.annotator_kind(&theirs.id)?.filter(|ours| *ours != theirs.kind) else {
            return Ok(());
        };
        let is_ours_empty = is_only_given(self.connection, &theirs.id)?;
        let kind = match (is_ours_empty, self.theirs(is_only_given(&self.other.connection, &theirs.id))?) {
            (false, false) => return Ok(()),
            (true, true) => AnnotatorKind::Human,
            (true, false) => theirs.kind,
            (false, true) => ours,
        };
        theirs.kind = kind;
        if kind != ours {
            corpus.change_kind(theirs)?;
            amend::apply(self.connection)?;
        }
        let whose = if kind == AnnotatorKind::Human { "person" } else { "model" };
        self.report.remarks.push(format!(
            "{:?} is the name of a person in one file and of a model in the other: it is the {whose}'s, and the other one goes by the name \
             from before until `haymark people --rename` gives another",
            theirs.id
        ));
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
            Ok(
                RecordTaken::Known | RecordTaken::GivenAgain | RecordTaken::Journaled | RecordTaken::Repeated,
            ) => self.count(kind, false),
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

/// Whether a name was given to somebody, and nothing was done under it.
fn is_only_given(connection: &Connection, name: &str) -> Tried<bool> {
    let is_given = |one: &Amendment| one.act == Act::Join && one.into.as_deref() == Some(name);
    let is_used = "SELECT EXISTS (SELECT 1 FROM act WHERE annotator = a.id)
         OR EXISTS (SELECT 1 FROM session WHERE annotator = a.id)
         OR EXISTS (SELECT 1 FROM assignment_event WHERE annotator = a.id) FROM annotator a WHERE key = ?1";
    Ok(amend::read(connection)?.iter().any(is_given) && !one::<bool>(connection, is_used, [name])?)
}
