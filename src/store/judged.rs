//! Reading judgments back in bulk: as packed columns for agreement and scores, as records for export.

use std::collections::{HashMap, HashSet};
use std::iter::Peekable;

use rusqlite::{Connection, params};
use serde_json::Value;

use super::fault::Tried;
use super::items::{self, ItemRow};
use super::keys::Keys;
use super::protocols::{self, ProtocolId, QuestionId};
use super::sql::all;
use super::study_file::StudyFile;
use crate::error::{Error, Result};
use crate::protocol::Answer;
use crate::study::{AnnotatorId, ItemId, Judgment, Meta, seconds_of, time_of};

/// The active time that one annotator spent on one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActiveTime {
    pub annotator: AnnotatorId,
    pub item: ItemId,
    /// Above 0.
    pub milliseconds: u64,
}

impl ActiveTime {
    /// The time in seconds.
    pub fn seconds(self) -> f64 {
        self.milliseconds as f64 / 1_000.0
    }
}

/// Which answers are read, by the version of the protocol that they were given under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Versions {
    /// All, whatever they were answers to.
    All,
    /// Those under the version of this number.
    Only(u32),
}

impl StudyFile {
    /// How long everyone was active on each item of a protocol, by the keys of annotators and items. Judgments that came
    /// without a time are left out.
    pub fn active_times(&self, protocol_name: &str) -> Result<Vec<ActiveTime>> {
        self.read(|connection| {
            let Some(protocol) = protocols::id_of(connection, protocol_name)? else {
                return Ok(Vec::new());
            };
            let mut statement = connection.prepare_cached(
                "SELECT s.annotator, s.item, s.active FROM standing s JOIN item i ON i.id = s.item
                 JOIN annotator a ON a.id = s.annotator
                 WHERE i.protocol = ?1 AND s.active > 0 ORDER BY a.key, i.key",
            )?;
            let times = statement.query_map([protocol.0], |row| {
                let (annotator, item) = (row.get(0)?, row.get(1)?);
                Ok(ActiveTime { annotator, item, milliseconds: row.get::<_, i64>(2)?.unsigned_abs() })
            })?;
            Ok(times.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Hands over every current judgment as a record: by protocol, those with a text in the study first
    /// and then in the order of first use, by annotator in the order in which they came, by item in
    /// the order of the corpus. Collection and query are always named.
    pub fn for_each_judgment(&self, take: impl FnMut(Judgment) -> Result<()>) -> Result<()> {
        self.hand_over(take, |connection, take| {
            let keys = Keys::read(connection)?;
            for protocol in self.protocols_in_order(connection)? {
                judgments_under(connection, &keys, protocol, take)?;
            }
            Ok(())
        })
    }

    /// All protocols in the order in which an export has what was judged under them.
    pub(super) fn protocols_in_order(&self, connection: &Connection) -> Tried<Vec<(ProtocolId, String)>> {
        // An export has the texts before all judgments, which makes them the first where it comes in.
        let texts: HashSet<String> = self.protocol_texts()?.into_iter().map(|text| text.name).collect();
        let mut protocols = protocols::names(connection)?;
        protocols.sort_by_key(|(_, name)| !texts.contains(name));
        Ok(protocols)
    }

    /// Hands over the current judgments under one protocol, all versions of it among them, in the
    /// order and form of [`StudyFile::for_each_judgment`].
    pub fn for_each_judgment_under(
        &self,
        protocol_name: &str,
        take: impl FnMut(Judgment) -> Result<()>,
    ) -> Result<()> {
        self.hand_over(take, |connection, take| {
            let Some(id) = protocols::id_of(connection, protocol_name)? else {
                return Ok(());
            };
            let keys = Keys::read(connection)?;
            judgments_under(connection, &keys, (id, protocol_name.to_owned()), take)
        })
    }
}

fn judgments_under(
    connection: &Connection,
    keys: &Keys,
    (protocol, name): (ProtocolId, String),
    take: &mut dyn FnMut(Judgment) -> Result<()>,
) -> Tried<()> {
    let asked = Asked::read(connection, protocol, name)?;
    for (annotator, annotator_key) in annotators(connection)? {
        let mut said = Said::read(connection, annotator, &asked)?;
        said.rows.sort_by_key(|row| row.rank);
        for row in &said.rows {
            take(said.record(row, &asked, keys, &annotator_key))?;
        }
    }
    Ok(())
}

/// Numbers for the few values that occur.
#[derive(Default)]
pub(super) struct Codes {
    known: HashMap<String, u32>,
    /// Answers repeat, so the latest is looked at first.
    latest: Option<(String, u32)>,
}

impl Codes {
    pub(super) fn find(&mut self, value: &str) -> Option<u32> {
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

    pub(super) fn add(&mut self, value: &str) -> u32 {
        // Numbers of bullets and values of choices: far fewer than u32 counts.
        let code = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        self.known.insert(value.to_owned(), code);
        self.latest = Some((value.to_owned(), code));
        code
    }
}

pub(super) fn read_answer(value: &str) -> Tried<Answer> {
    let read: Option<Answer> =
        serde_json::from_str(value).ok().and_then(|value: Value| Answer::from_json(&value));
    read.ok_or_else(|| {
        Error::new(format!("an answer in the study is {value}, which this haymark does not understand"))
            .advise("update haymark")
            .into()
    })
}

pub(super) fn annotators(connection: &Connection) -> Tried<Vec<(AnnotatorId, String)>> {
    all(connection, "SELECT id, key FROM annotator ORDER BY id", [], |row| row.try_into())
}

/// What was asked under one protocol.
struct Asked {
    protocol: String,
    /// The version that records need not name.
    unnamed: Option<u32>,
    questions: Vec<(QuestionId, String)>,
    /// In the order of the corpus: an item's place here is its rank.
    items: Vec<ItemRow>,
    /// Ascending by item.
    ranks: Vec<(ItemId, usize)>,
}

impl Asked {
    fn read(connection: &Connection, id: ProtocolId, protocol: String) -> Tried<Asked> {
        let items = items::in_corpus_order(connection, id)?;
        let mut ranks: Vec<_> = items.iter().map(|item| item.id).zip(0..).collect();
        ranks.sort_unstable();
        let unnamed = protocols::unnamed_version(connection, &protocol)?;
        let questions = protocols::questions(connection, id, &protocol)?;
        Ok(Asked { protocol, unnamed, questions, items, ranks })
    }
}

/// What one annotator says under one protocol.
struct Said {
    rows: Vec<Row>,
    /// Row after row, one place a question: places in `values`.
    answers: Vec<Option<u32>>,
    /// The answers that occur, in JSON.
    values: Vec<Value>,
}

struct Row {
    rank: usize,
    /// Where its answers begin.
    answers: usize,
    flagged: bool,
    skipped: bool,
    active: i64,
    at: Option<i64>,
    comment: Option<String>,
    version: Option<u32>,
}

impl Said {
    /// Standings, answers and ranks all come by item and are walked side by side.
    fn read(connection: &Connection, annotator: AnnotatorId, asked: &Asked) -> Tried<Said> {
        let mut said = Said { rows: Vec::new(), answers: Vec::new(), values: Vec::new() };
        let mut codes = Codes::default();
        let mut columns = Vec::with_capacity(asked.questions.len());
        for (question, _) in &asked.questions {
            let column = said.column(connection, &mut codes, *question, annotator)?;
            columns.push(column.into_iter().peekable());
        }
        let mut ranks = asked.ranks.iter().copied().peekable();
        let mut standings = connection.prepare_cached(
            "SELECT item, flagged, skipped, active, at, comment, version FROM standing
             WHERE annotator = ?1 ORDER BY item",
        )?;
        let mut standings = standings.query([annotator.0])?;
        while let Some(row) = standings.next()? {
            let item = row.get(0)?;
            let Some(rank) = at_item(&mut ranks, item) else {
                continue;
            };
            let row = Row {
                rank,
                answers: said.answers.len(),
                flagged: row.get(1)?,
                skipped: row.get(2)?,
                active: row.get(3)?,
                at: row.get(4)?,
                comment: row.get(5)?,
                version: row.get(6)?,
            };
            let answers = columns.iter_mut().map(|column| at_item(column, item));
            said.answers.extend(answers);
            if row.says_something() || said.answers_of(&row, asked).any(|answer| answer.is_some()) {
                said.rows.push(row);
            }
        }
        Ok(said)
    }

    /// One annotator's answers to a question, by item.
    fn column(
        &mut self,
        connection: &Connection,
        codes: &mut Codes,
        question: QuestionId,
        annotator: AnnotatorId,
    ) -> Tried<Vec<(ItemId, u32)>> {
        let mut statement = connection.prepare_cached(
            "SELECT item, value FROM answer WHERE question = ?1 AND annotator = ?2 ORDER BY item",
        )?;
        let mut rows = statement.query(params![question.0, annotator.0])?;
        let mut column = Vec::new();
        while let Some(row) = rows.next()? {
            let value = row.get_ref(1)?.as_str()?;
            let code = codes.find(value).unwrap_or_else(|| {
                let read = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
                self.values.push(read);
                codes.add(value)
            });
            column.push((row.get(0)?, code));
        }
        Ok(column)
    }

    fn answers_of(&self, row: &Row, asked: &Asked) -> impl Iterator<Item = Option<u32>> {
        let answers = self.answers.iter().skip(row.answers);
        answers.take(asked.questions.len()).copied()
    }

    fn record(&self, row: &Row, asked: &Asked, keys: &Keys, annotator: &str) -> Judgment {
        let mut answers = Meta::new();
        for ((_, question), code) in asked.questions.iter().zip(self.answers_of(row, asked)) {
            let value = code.and_then(|code| self.values.get(code as usize));
            if let Some(value) = value {
                answers.insert(question.clone(), value.clone());
            }
        }
        let item = asked.items.get(row.rank);
        let target = item.map(|item| keys.of_target(&item.target)).unwrap_or_default();
        Judgment {
            protocol: asked.protocol.clone(),
            version: row.version.filter(|version| asked.unnamed != Some(*version)),
            annotator: annotator.to_owned(),
            answers,
            seconds: seconds_of(row.active),
            at: row.at.and_then(time_of),
            comment: row.comment.clone(),
            flagged: row.flagged,
            skipped: row.skipped,
            ..Judgment::default()
        }
        .on(target)
    }
}

impl Row {
    fn says_something(&self) -> bool {
        self.flagged || self.skipped || self.comment.is_some()
    }
}

/// What stands at this item. The column ascends by item, and so do the items asked for.
pub(super) fn at_item<T>(
    column: &mut Peekable<impl Iterator<Item = (ItemId, T)>>,
    item: ItemId,
) -> Option<T> {
    while column.next_if(|(next, _)| *next < item).is_some() {}
    let found = column.next_if(|(next, _)| *next == item)?;
    Some(found.1)
}
