//! Reading judgments back in bulk: as packed columns for agreement and scores, as records for export.

use std::collections::HashMap;

use rusqlite::{Connection, params};
use serde_json::Value;

use super::fault::Fault;
use super::items::{self, ItemRow};
use super::keys::Keys;
use super::protocols::{self, QuestionId};
use super::study_file::StudyFile;
use crate::error::{Error, Result};
use crate::protocol::Answer;
use crate::study::{AnnotatorId, ItemId, Judgment, Meta};

/// The current answers of everyone to one question: a row an answer, the answers as numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnswerColumn {
    /// The answers that occur, each once, in the order of their first row.
    pub answers: Vec<Answer>,
    /// By annotator, then by item.
    pub rows: Vec<AnswerRow>,
}

/// One annotator's current answer on one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerRow {
    pub item: ItemId,
    pub annotator: AnnotatorId,
    /// Index into [`AnswerColumn::answers`].
    pub answer: u32,
}

impl StudyFile {
    /// Everyone's current answers to a question, those on items that are not complete among them.
    ///
    /// # Errors
    /// The file cannot be read, or holds an answer that this program does not understand.
    pub fn answers(&self, protocol_name: &str, question: &str) -> Result<AnswerColumn> {
        self.read(|connection| {
            let Some(protocol) = protocols::id_of(connection, protocol_name)? else {
                return Ok(AnswerColumn::default());
            };
            match protocols::question_of(connection, protocol, question)? {
                Some(question) => column(connection, question),
                None => Ok(AnswerColumn::default()),
            }
        })
    }

    /// Hands over every current judgment as a record, by protocol in the order of first use, by
    /// annotator in the order in which they came, by item in the order of the corpus. Collection
    /// and query are always named.
    ///
    /// # Errors
    /// The file cannot be read, or `take` fails.
    pub fn for_each_judgment(&self, mut take: impl FnMut(Judgment) -> Result<()>) -> Result<()> {
        self.read(|connection| {
            let keys = Keys::read(connection)?;
            for (protocol, name) in protocols::all(connection)? {
                let items = items::in_corpus_order(connection, protocol)?;
                let questions = protocols::questions(connection, protocol, &name)?;
                for (annotator, annotator_key) in annotators(connection)? {
                    let mut judged = Judged::read(connection, annotator, &questions)?;
                    for item in &items {
                        if let Some(judgment) = judged.record(item, &keys, &name, &annotator_key) {
                            take(judgment)?;
                        }
                    }
                }
            }
            Ok(())
        })
    }
}

fn column(
    connection: &Connection,
    question: QuestionId,
) -> std::result::Result<AnswerColumn, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT item, annotator, value FROM answer WHERE question = ?1 ORDER BY annotator, item",
    )?;
    let mut rows = statement.query([question.0])?;
    let mut column = AnswerColumn::default();
    let mut codes = Codes::default();
    while let Some(row) = rows.next()? {
        let value = row.get_ref(2)?.as_str()?;
        let answer = match codes.find(value) {
            Some(code) => code,
            None => {
                column.answers.push(read_answer(value)?);
                codes.add(value)
            }
        };
        column.rows.push(AnswerRow {
            item: ItemId(row.get(0)?),
            annotator: AnnotatorId(row.get(1)?),
            answer,
        });
    }
    Ok(column)
}

/// Numbers for the few values that occur.
#[derive(Default)]
struct Codes {
    known: HashMap<String, u32>,
    /// Answers repeat, so the latest is looked at first.
    latest: Option<(String, u32)>,
}

impl Codes {
    fn find(&mut self, value: &str) -> Option<u32> {
        if let Some((latest, code)) = &self.latest
            && latest == value
        {
            return Some(*code);
        }
        let code = *self.known.get(value)?;
        if let Some((latest, latest_code)) = &mut self.latest {
            latest.clear();
            latest.push_str(value);
            *latest_code = code;
        }
        Some(code)
    }

    fn add(&mut self, value: &str) -> u32 {
        // Numbers of bullets and values of choices: far fewer than u32 counts.
        let code = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        self.known.insert(value.to_owned(), code);
        self.latest = Some((value.to_owned(), code));
        code
    }
}

fn read_answer(value: &str) -> std::result::Result<Answer, Fault> {
    let read: Option<Answer> = serde_json::from_str(value)
        .ok()
        .and_then(|value: Value| Answer::from_json(&value));
    read.ok_or_else(|| {
        Error::new(format!(
            "an answer in the study is {value}, which this haymark does not understand"
        ))
        .advise("update haymark")
        .into()
    })
}

/// What one annotator says, by item.
struct Judged {
    standings: HashMap<ItemId, Kept>,
    /// By question in the protocol's order; JSON text.
    answers: Vec<(String, HashMap<ItemId, String>)>,
}

struct Kept {
    flagged: bool,
    skipped: bool,
    active: i64,
    at: Option<i64>,
    comment: Option<String>,
}

fn annotators(connection: &Connection) -> rusqlite::Result<Vec<(AnnotatorId, String)>> {
    connection
        .prepare("SELECT id, key FROM annotator ORDER BY id")?
        .query_map([], |row| Ok((AnnotatorId(row.get(0)?), row.get(1)?)))?
        .collect()
}

impl Judged {
    fn read(
        connection: &Connection,
        annotator: AnnotatorId,
        questions: &[(QuestionId, String)],
    ) -> rusqlite::Result<Judged> {
        let standings = connection
            .prepare_cached("SELECT item, flagged, skipped, active, at, comment FROM standing WHERE annotator = ?1")?
            .query_map([annotator.0], |row| {
                let kept = Kept {
                    flagged: row.get(1)?,
                    skipped: row.get(2)?,
                    active: row.get(3)?,
                    at: row.get(4)?,
                    comment: row.get(5)?,
                };
                Ok((ItemId(row.get(0)?), kept))
            })?
            .collect::<rusqlite::Result<_>>()?;
        let mut statement = connection.prepare_cached(
            "SELECT item, value FROM answer WHERE question = ?1 AND annotator = ?2",
        )?;
        let mut answers = Vec::with_capacity(questions.len());
        for (question, key) in questions {
            let values = statement
                .query_map(params![question.0, annotator.0], |row| {
                    Ok((ItemId(row.get(0)?), row.get(1)?))
                })?
                .collect::<rusqlite::Result<_>>()?;
            answers.push((key.clone(), values));
        }
        Ok(Judged { standings, answers })
    }

    /// The record of a judgment, if it says anything.
    fn record(
        &mut self,
        item: &ItemRow,
        keys: &Keys,
        protocol: &str,
        annotator: &str,
    ) -> Option<Judgment> {
        let kept = self.standings.remove(&item.id)?;
        let mut answers = Meta::new();
        for (question, values) in &mut self.answers {
            if let Some(value) = values.remove(&item.id) {
                answers.insert(
                    question.clone(),
                    serde_json::from_str(&value).unwrap_or(Value::String(value)),
                );
            }
        }
        if answers.is_empty() && !kept.flagged && !kept.skipped && kept.comment.is_none() {
            return None;
        }
        let target = keys.of_target(&item.target);
        Some(Judgment {
            protocol: protocol.to_owned(),
            annotator: annotator.to_owned(),
            collection: Some(target.collection),
            query: Some(target.query),
            document: target.document,
            unit: target.unit,
            candidate: target.candidate,
            bullet: target.bullet,
            answers,
            // Whole milliseconds up to 2^53: exact in both directions.
            seconds: (kept.active > 0).then(|| kept.active as f64 / 1000.0),
            at: kept
                .at
                .and_then(|at| jiff::Timestamp::from_millisecond(at).ok())
                .map(|at| at.to_string()),
            comment: kept.comment,
            flagged: kept.flagged,
            skipped: kept.skipped,
        })
    }
}
