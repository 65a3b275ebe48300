//! Reading judgments back in bulk: the walk over them, and records for export.

use std::collections::{HashMap, HashSet};
use std::iter::Peekable;

use rusqlite::{Connection, params};
use serde_json::Value;

use super::caches::state_of;
use super::fault::{Tried, said};
use super::items::{self, ItemRow};
use super::keys::Keys;
use super::protocols::{self, ProtocolId, QuestionId};
use super::sql::all;
use super::study_file::StudyFile;
use crate::error::Result;
use crate::journal::State;
use crate::study::{AnnotatorId, ItemId, Judgment, seconds_of, time_of};

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
}

fn judgments_under(
    connection: &Connection,
    keys: &Keys,
    (protocol, name): (ProtocolId, String),
    take: &mut dyn FnMut(Judgment) -> Result<()>,
) -> Tried<()> {
    let unnamed = protocols::unnamed_version(connection, &name)?;
    let questions = protocols::questions(connection, protocol, &name)?;
    let items = items::in_corpus_order(connection, protocol)?;
    // What cannot be read comes out as it stands.
    let as_it_stands = |value: &str| Ok(serde_json::from_str(value).unwrap_or_else(|_| Value::from(value)));
    let mut asked = Asked::new(questions, &items, as_it_stands);
    for (annotator, annotator_key) in annotators(connection)? {
        let (mut said, mut answers) = (Vec::new(), Vec::new());
        asked.each(connection, annotator, |_, row, given| {
            if row.flagged || row.skipped || row.comment.is_some() || !given.is_empty() {
                let from = answers.len();
                answers.extend_from_slice(given);
                said.push((row, from..answers.len()));
            }
            Ok(())
        })?;
        said.sort_by_key(|(row, _)| row.rank);
        for (row, given) in said {
            let answers = answers.get(given).unwrap_or_default();
            let record = Judgment {
                protocol: name.clone(),
                version: row.version.filter(|version| unnamed != Some(*version)),
                annotator: annotator_key.clone(),
                answers: asked.answers(answers).map(|(key, value)| (key.clone(), value.clone())).collect(),
                seconds: seconds_of(row.active),
                at: row.at.and_then(time_of),
                comment: row.comment,
                flagged: row.flagged,
                skipped: row.skipped,
                ..Judgment::default()
            };
            take(record.on(keys.of_target(&items[row.rank as usize].target)))?;
        }
    }
    Ok(())
}

pub(super) fn annotators(connection: &Connection) -> Tried<Vec<(AnnotatorId, String)>> {
    all(connection, "SELECT id, key FROM annotator ORDER BY id", [], |row| row.try_into())
}

/// What is asked under one protocol, and the answers that occur, each read once. Everything that reads judgments in bulk walks
/// through it.
pub(super) struct Asked<V> {
    questions: Vec<(QuestionId, String)>,
    /// The place of each item among those that are asked, ascending by item.
    ranks: Vec<(ItemId, u32)>,
    read: fn(&str) -> Tried<V>,
    values: Vec<V>,
    /// The place of each value.
    codes: HashMap<String, u32>,
    /// Answers repeat, so the latest is looked at first.
    latest: Option<(String, u32)>,
}

/// What one annotator says about one item, beside the answers.
pub(super) struct Said {
    pub(super) item: ItemId,
    /// The place of the item.
    pub(super) rank: u32,
    pub(super) flagged: bool,
    pub(super) skipped: bool,
    pub(super) active: i64,
    pub(super) at: Option<i64>,
    pub(super) comment: Option<String>,
    pub(super) version: Option<u32>,
    pub(super) state: State,
}

/// Places of a question and of its answer.
pub(super) type Given = (usize, u32);

impl<V> Asked<V> {
    pub(super) fn new(
        questions: Vec<(QuestionId, String)>,
        items: &[ItemRow],
        read: fn(&str) -> Tried<V>,
    ) -> Asked<V> {
        let mut ranks: Vec<(ItemId, u32)> = items.iter().map(|item| item.id).zip(0..).collect();
        ranks.sort_unstable();
        Asked { questions, ranks, read, values: Vec::new(), codes: HashMap::new(), latest: None }
    }

    /// Hands over what an annotator says, by item. Standings, answers and ranks all come by item and are walked side by side.
    pub(super) fn each(
        &mut self,
        connection: &Connection,
        annotator: AnnotatorId,
        mut take: impl FnMut(&Asked<V>, Said, &[Given]) -> Tried<()>,
    ) -> Tried<()> {
        let mut columns = Vec::with_capacity(self.questions.len());
        for question in 0..self.questions.len() {
            columns
                .push(self.column(connection, self.questions[question].0, annotator)?.into_iter().peekable());
        }
        let mut ranks = self.ranks.iter().copied().peekable();
        let mut given = Vec::new();
        let mut standings = connection.prepare_cached(
            "SELECT item, flagged, skipped, active, at, comment, version, state FROM standing
             WHERE annotator = ?1 ORDER BY item",
        )?;
        let mut standings = standings.query([annotator])?;
        while let Some(row) = standings.next()? {
            let item = row.get(0)?;
            let Some(rank) = at_item(&mut ranks, item) else {
                continue;
            };
            given.clear();
            for (question, column) in columns.iter_mut().enumerate() {
                given.extend(at_item(column, item).map(|code| (question, code)));
            }
            let said = Said {
                item,
                rank,
                flagged: row.get(1)?,
                skipped: row.get(2)?,
                active: row.get(3)?,
                at: row.get(4)?,
                comment: row.get(5)?,
                version: row.get(6)?,
                state: state_of(row.get(7)?),
            };
            take(self, said, &given)?;
        }
        Ok(())
    }

    /// One annotator's answers to a question, by item.
    fn column(
        &mut self,
        connection: &Connection,
        question: QuestionId,
        annotator: AnnotatorId,
    ) -> Tried<Vec<(ItemId, u32)>> {
        let mut statement = connection.prepare_cached(
            "SELECT item, value FROM answer WHERE question = ?1 AND annotator = ?2 ORDER BY item",
        )?;
        let mut rows = statement.query(params![question, annotator])?;
        let mut column = Vec::new();
        while let Some(row) = rows.next()? {
            column.push((row.get(0)?, self.code(row.get_ref(1)?.as_str()?)?));
        }
        Ok(column)
    }

    fn code(&mut self, value: &str) -> Tried<u32> {
        if let Some((_, code)) = self.latest.as_ref().filter(|(latest, _)| latest == value) {
            return Ok(*code);
        }
        let code = match self.codes.get(value) {
            Some(code) => *code,
            None => {
                let code =
                    u32::try_from(self.values.len()).map_err(|_| said("there are too many answers"))?;
                self.values.push((self.read)(value)?);
                self.codes.insert(value.to_owned(), code);
                code
            }
        };
        let (latest, latest_code) = self.latest.get_or_insert_default();
        latest.clear();
        latest.push_str(value);
        *latest_code = code;
        Ok(code)
    }

    /// The answers with the keys of their questions.
    pub(super) fn answers(&self, given: &[Given]) -> impl Iterator<Item = (&String, &V)> {
        given.iter().map(|(question, code)| (&self.questions[*question].1, &self.values[*code as usize]))
    }
}

/// What stands at this item. The column ascends by item, and so do the items asked for.
fn at_item<T>(column: &mut Peekable<impl Iterator<Item = (ItemId, T)>>, item: ItemId) -> Option<T> {
    while column.next_if(|(next, _)| *next < item).is_some() {}
    let found = column.next_if(|(next, _)| *next == item)?;
    Some(found.1)
}
