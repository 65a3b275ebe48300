//! The study itself as records: what an export writes and an import takes back as it was.

use super::study_file::StudyFile;
use crate::error::Result;
use crate::study::Record;

impl StudyFile {
    /// Hands over everything that counts, what others refer to before them. What it comes to stands behind the journal
    /// that it follows from, for those who read it elsewhere.
    pub fn for_each_record(&self, mut put: impl FnMut(Record) -> Result<()>) -> Result<()> {
        self.for_each_in_corpus(&mut put)?;
        for (_, annotator) in self.annotators_and_names()? {
            put(Record::Annotator(annotator))?;
        }
        for amendment in self.amendments()? {
            put(Record::Amendment(amendment))?;
        }
        for protocol in self.protocol_texts()? {
            put(Record::Protocol(protocol))?;
        }
        for file in self.imported_files()? {
            put(Record::Import(file))?;
        }
        self.for_each_journal_record(|row| put(Record::Journal(row)))?;
        self.for_each_judgment(|judgment| put(Record::Judgment(judgment.with_sum())))?;
        self.for_each_adjudication(|adjudication| put(Record::Adjudication(adjudication.with_sum())))?;
        for judgment in self.judgments_aside()? {
            put(Record::Judgment(judgment.with_sum()))?;
        }
        for assignment in self.assignment_records()? {
            put(Record::Assignment(assignment.with_sum()))?;
        }
        self.for_each_session(|session| put(Record::Session(session)))
    }

    /// Hands over collections, documents, queries, units and candidates.
    pub fn for_each_in_corpus(&self, mut put: impl FnMut(Record) -> Result<()>) -> Result<()> {
        self.for_each_source(&mut put)?;
        self.candidates()?.into_iter().try_for_each(|(_, candidate)| put(Record::Candidate(candidate)))
    }

    /// The same without candidates: what is judged by.
    pub fn for_each_source(&self, mut put: impl FnMut(Record) -> Result<()>) -> Result<()> {
        for (_, collection) in self.collections()? {
            put(Record::Collection(collection))?;
        }
        self.for_each_document(|_, document| put(Record::Document(document)))?;
        for (_, query) in self.queries()? {
            put(Record::Query(query))?;
        }
        self.units()?.into_iter().try_for_each(|(_, unit)| put(Record::Unit(unit)))
    }
}
