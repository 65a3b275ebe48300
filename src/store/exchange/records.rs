//! The whole study as records, which an export writes and an import takes back unchanged.

use std::collections::HashSet;

use crate::error::Result;
use crate::store::corpus::Reading;
use crate::store::corpus::writer::name_of_document;
use crate::store::file::{StudyFile, all};
use crate::study::{DocumentId, Record};

type PutRecord<'p> = &'p mut dyn FnMut(Record) -> Result<()>;

impl StudyFile {
    /// Hands over everything that counts, each record after those that it refers to. Judgments come after the journal
    /// that they follow from, for other programs to read.
    pub fn for_each_record(&self, mut put: impl FnMut(Record) -> Result<()>) -> Result<()> {
        self.for_each_read(Reading::Original, &mut put)?;
        let mut annotators = self.annotators_and_names()?;
        annotators.sort_by(|(_, one), (_, other)| one.id.cmp(&other.id));
        for (_, annotator) in annotators {
            put(Record::Annotator(annotator))?;
        }
        for amendment in self.amendments()? {
            put(Record::Amendment(amendment))?;
        }
        for protocol in self.protocol_texts()? {
            put(Record::Protocol(protocol))?;
        }
        for map in self.import_maps()?.into_iter().rev() {
            put(Record::Map(map))?;
        }
        for file in self.imported_files()? {
            put(Record::Import(file))?;
        }
        self.for_each_journal_record(|row| put(Record::Journal(row)))?;
        self.for_each_judgment(|judgment| put(Record::Judgment(judgment.with_sum())))?;
        self.for_each_adjudication(|adjudication| put(Record::Adjudication(adjudication.with_sum())))?;
        let mut aside = self.judgments_aside()?;
        aside.sort_by(|one, other| (&one.protocol, &one.annotator).cmp(&(&other.protocol, &other.annotator)));
        for judgment in aside {
            put(Record::Judgment(judgment.with_sum()))?;
        }
        for assignment in self.assignment_records()? {
            put(Record::Assignment(assignment.with_sum()))?;
        }
        self.for_each_session(|session| put(Record::Session(session)))
    }

    /// Hands over collections, documents, queries, units and candidates, as they are now.
    pub fn for_each_in_corpus(&self, mut put: impl FnMut(Record) -> Result<()>) -> Result<()> {
        self.for_each_read(Reading::Counting, &mut put)
    }

    /// Hands over the corpus without candidates and rankings.
    pub fn for_each_source(&self, mut put: impl FnMut(Record) -> Result<()>) -> Result<()> {
        self.for_each_source_read(Reading::Counting, &mut put)
    }

    fn for_each_read(&self, which: Reading, put: PutRecord<'_>) -> Result<()> {
        self.for_each_source_read(which, put)?;
        let candidates = self.read_candidates(which)?;
        candidates.into_iter().try_for_each(|(_, candidate)| put(Record::Candidate(candidate)))?;
        self.read_rankings(which)?.into_iter().try_for_each(|ranking| put(Record::Ranking(ranking)))
    }

    fn for_each_source_read(&self, which: Reading, put: PutRecord<'_>) -> Result<()> {
        for (_, collection) in self.read_collections(which)? {
            put(Record::Collection(collection))?;
        }
        // Units as they came in may name withdrawn documents: of these only name and number go along.
        let withdrawn: HashSet<DocumentId> = match which {
            Reading::Original => self.read(|connection| {
                let select = "SELECT id FROM withdrawn WHERE what = 'document'";
                all(connection, select, [])
            })?,
            Reading::Counting | Reading::All => HashSet::new(),
        };
        let documents = if which == Reading::Original { Reading::All } else { which };
        self.read_documents(documents, |id, document| {
            let is_out = withdrawn.contains(&id);
            put(Record::Document(if is_out { name_of_document(document) } else { document }))
        })?;
        for (_, query) in self.read_queries(which)? {
            put(Record::Query(query))?;
        }
        self.read_units(which, true)?.into_iter().try_for_each(|(_, unit)| put(Record::Unit(unit)))
    }
}
