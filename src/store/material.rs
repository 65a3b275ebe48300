//! A whole study in memory: the corpus with its texts, and everyone's current judgments, packed.

use std::collections::HashMap;
use std::iter::Peekable;

use rusqlite::{Connection, params};

use super::caches::state_code;
use super::fault::Fault;
use super::items;
use super::judged::{Codes, at_item, read_answer};
use super::protocols::{self, QuestionId};
use super::study_file::StudyFile;
use crate::error::Result;
use crate::journal::{JudgmentParts, JudgmentTable, State};
use crate::protocol::{Answer, Answers};
use crate::study::{AnnotatorId, Corpus, ItemId};

/// What tables over a study are made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    pub corpus: Corpus,
    /// By protocol, in the order of first use.
    pub judged: Vec<JudgmentTable>,
}

impl StudyFile {
    /// The study, on one state of the file, without the earlier snapshots of sessions: they are no summaries that
    /// anyone would stand for, and are in no score. Answers under an older version of a protocol are there
    /// and do not count, unless `all_versions`; nor do those that someone stands in the middle of.
    ///
    /// # Errors
    /// The file cannot be read, or holds what this program does not understand.
    pub fn material(&self, all_versions: bool) -> Result<Material> {
        self.read(|connection| {
            let mut corpus = self.corpus()?;
            let earlier =
                self.earlier_snapshots(corpus.candidates.iter().map(|(id, candidate)| (*id, candidate)))?;
            corpus.candidates.retain(|(id, _)| !earlier.contains(id));
            let annotators: Vec<AnnotatorId> = corpus.annotators.iter().map(|(id, _)| *id).collect();
            let mut judged = Vec::new();
            for (id, name) in protocols::all(connection)? {
                let Some(protocol) = protocols::find(connection, &name)? else {
                    continue;
                };
                let unfinished = self.unfinished(&name)?;
                let mut items = items::in_corpus_order(connection, id)?;
                items.retain(|item| {
                    item.target.candidate.is_none_or(|candidate| !earlier.contains(&candidate))
                });
                let table = JudgmentTable::new(protocol, items);
                let reading = Reading {
                    connection,
                    questions: protocols::questions(connection, id, &name)?,
                    all_versions,
                };
                let is_unfinished = |annotator, item| unfinished.contains(&(annotator, item));
                let mut table = reading.table(table, &annotators, is_unfinished)?;
                table.decide_all(self.decisions(&name)?);
                judged.push(table);
            }
            Ok(Material { corpus, judged })
        })
    }

    /// All of the corpus and the annotators, the texts of the documents too.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn corpus(&self) -> Result<Corpus> {
        let mut documents = Vec::new();
        self.for_each_document(|id, document| {
            documents.push((id, document));
            Ok(())
        })?;
        Ok(Corpus {
            collections: self.collections()?,
            documents,
            queries: self.queries()?,
            units: self.units()?,
            candidates: self.candidates()?,
            annotators: self.annotators()?,
        })
    }
}

/// Reads the judgments under one protocol.
struct Reading<'c> {
    connection: &'c Connection,
    questions: Vec<(QuestionId, String)>,
    all_versions: bool,
}

/// One annotator's answers to one question, by item.
type ByItem = Peekable<std::vec::IntoIter<(ItemId, u32)>>;

/// The answers that occur, and the sets of them.
#[derive(Default)]
struct Known {
    codes: Codes,
    answers: Vec<Answer>,
    /// Places in the table by the numbers of question and answer.
    sets: HashMap<Vec<(usize, u32)>, u32>,
}

impl Reading<'_> {
    fn table(
        &self,
        mut table: JudgmentTable,
        annotators: &[AnnotatorId],
        is_unfinished: impl Fn(AnnotatorId, ItemId) -> bool,
    ) -> std::result::Result<JudgmentTable, Fault> {
        let mut ranks: Vec<(ItemId, u32)> = table.items.iter().map(|item| item.id).zip(0..).collect();
        ranks.sort_unstable();
        let mut known = Known::default();
        for annotator in annotators {
            self.judgments(&mut table, &mut known, &ranks, *annotator, &is_unfinished)?;
        }
        table.arrange();
        Ok(table)
    }

    /// Standings, answers and ranks all come by item and are walked side by side.
    fn judgments(
        &self,
        table: &mut JudgmentTable,
        known: &mut Known,
        ranks: &[(ItemId, u32)],
        annotator: AnnotatorId,
        is_unfinished: &impl Fn(AnnotatorId, ItemId) -> bool,
    ) -> std::result::Result<(), Fault> {
        let mut columns: Vec<ByItem> = Vec::with_capacity(self.questions.len());
        for (question, _) in &self.questions {
            columns.push(self.column(known, *question, annotator)?.into_iter().peekable());
        }
        let mut ranks = ranks.iter().copied().peekable();
        let mut codes = Vec::new();
        let mut standings = self.connection.prepare_cached(
            "SELECT item, flagged, skipped, active, at, comment, version, state FROM standing
             WHERE annotator = ?1 ORDER BY item",
        )?;
        let mut standings = standings.query([annotator.0])?;
        while let Some(row) = standings.next()? {
            let item = ItemId(row.get(0)?);
            let Some(rank) = at_item(&mut ranks, item) else {
                continue;
            };
            codes.clear();
            for (question, column) in columns.iter_mut().enumerate() {
                codes.extend(at_item(column, item).map(|code| (question, code)));
            }
            let version: Option<u32> = row.get(6)?;
            let is_current = version.is_none_or(|version| version == table.protocol.version);
            let is_judged = row.get::<_, i64>(7)? == state_code(State::Judged);
            let parts = JudgmentParts {
                flagged: row.get(1)?,
                skipped: row.get(2)?,
                active: row.get::<_, i64>(3)?.unsigned_abs(),
                at: row.get(4)?,
                comment: row.get(5)?,
                counts: !codes.is_empty()
                    && (is_current || self.all_versions)
                    && (is_judged || !is_unfinished(annotator, item)),
            };
            let answers = self.place(table, known, &codes);
            table.push(rank, annotator, answers, parts);
        }
        Ok(())
    }

    fn column(
        &self,
        known: &mut Known,
        question: QuestionId,
        annotator: AnnotatorId,
    ) -> std::result::Result<Vec<(ItemId, u32)>, Fault> {
        let mut statement = self.connection.prepare_cached(
            "SELECT item, value FROM answer WHERE question = ?1 AND annotator = ?2 ORDER BY item",
        )?;
        let mut rows = statement.query(params![question.0, annotator.0])?;
        let mut column = Vec::new();
        while let Some(row) = rows.next()? {
            let value = row.get_ref(1)?.as_str()?;
            let code = match known.codes.find(value) {
                Some(code) => code,
                None => {
                    known.answers.push(read_answer(value)?);
                    known.codes.add(value)
                }
            };
            column.push((ItemId(row.get(0)?), code));
        }
        Ok(column)
    }

    /// The place of a set of answers in the table.
    fn place(&self, table: &mut JudgmentTable, known: &mut Known, codes: &[(usize, u32)]) -> u32 {
        if let Some(place) = known.sets.get(codes) {
            return *place;
        }
        let answer = |(question, code): &(usize, u32)| {
            let (_, key) = self.questions.get(*question)?;
            Some((key.clone(), known.answers.get(*code as usize)?.clone()))
        };
        let answers: Answers = codes.iter().filter_map(answer).collect();
        let place = table.place(answers);
        known.sets.insert(codes.to_vec(), place);
        place
    }
}
