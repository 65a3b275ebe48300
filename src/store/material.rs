//! The one bulk reader of judgments, packed; and a whole study in memory, the corpus with its texts.

use std::collections::{HashMap, HashSet};
use std::iter::Peekable;

use rusqlite::{Connection, params};

use super::caches::state_code;
use super::fault::Fault;
use super::items;
use super::judged::{Codes, Versions, annotators, at_item, read_answer};
use super::log::Log;
use super::protocols::{self, QuestionId};
use super::study_file::StudyFile;
use crate::error::Result;
use crate::journal::{JudgmentParts, Material, State};
use crate::protocol::{Answer, Answers, Protocol};
use crate::study::{AnnotatorId, Corpus, ItemId, ItemRow};

impl StudyFile {
    /// Everyone's current judgments under a protocol, with the answers to the questions that it asks. Those that are half
    /// answered, and those under other versions than these, are there and do not count.
    ///
    /// # Errors
    /// The file cannot be read, or holds an answer that this program does not understand.
    pub fn material(&self, protocol: &Protocol, versions: Versions) -> Result<Material> {
        self.read(|connection| {
            let Some(id) = protocols::id_of(connection, &protocol.name)? else {
                return Ok(Material::new(protocol.clone(), Vec::new()));
            };
            let mut questions = protocols::questions(connection, id, &protocol.name)?;
            questions.retain(|(_, key)| protocol.question(key).is_some());
            let items = items::in_corpus_order(connection, id)?;
            self.read_material(connection, protocol.clone(), items, questions, versions)
        })
    }

    /// The corpus and, by protocol in the order of first use, everyone's judgments and what was decided, on one state of the
    /// file. The earlier snapshots of sessions are left out: they are no summaries that anyone would stand for, and are in no
    /// score. Answers under an older version of a protocol are there and do not count.
    ///
    /// # Errors
    /// The file cannot be read, or holds what this program does not understand.
    pub fn whole_study(&self) -> Result<(Corpus, Vec<Material>)> {
        self.read(|connection| {
            let mut corpus = self.corpus()?;
            let earlier =
                self.earlier_snapshots(corpus.candidates.iter().map(|(id, candidate)| (*id, candidate)))?;
            corpus.candidates.retain(|(id, _)| !earlier.contains(id));
            let mut judged = Vec::new();
            for (id, name) in protocols::names(connection)? {
                let Some(protocol) = protocols::find(connection, &name)? else {
                    continue;
                };
                let mut items = items::in_corpus_order(connection, id)?;
                items.retain(|item| {
                    item.target.candidate.is_none_or(|candidate| !earlier.contains(&candidate))
                });
                let versions = Versions::Only(protocol.version);
                let questions = protocols::questions(connection, id, &name)?;
                let mut material = self.read_material(connection, protocol, items, questions, versions)?;
                material.decide_all(self.decisions(&name)?);
                judged.push(material);
            }
            Ok((corpus, judged))
        })
    }

    fn read_material(
        &self,
        connection: &Connection,
        protocol: Protocol,
        items: Vec<ItemRow>,
        questions: Vec<(QuestionId, String)>,
        versions: Versions,
    ) -> std::result::Result<Material, Fault> {
        let unfinished = unfinished(connection, &protocol)?;
        let reading = Reading { connection, questions, versions, unfinished };
        reading.material(Material::new(protocol, items))
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

/// Items that an annotator began to answer here and has not finished: their answers say nothing yet, though but a bullet
/// be missing. Judgments that were imported are not among them; see [`Protocol::counts`]. Nor are those under another
/// version of the protocol, whose items are open again.
fn unfinished(
    connection: &Connection,
    protocol: &Protocol,
) -> std::result::Result<HashSet<(AnnotatorId, ItemId)>, Fault> {
    let Some(id) = protocols::id_of(connection, &protocol.name)? else {
        return Ok(HashSet::new());
    };
    let mut statement = connection.prepare_cached(
        "SELECT s.annotator, s.item FROM standing s JOIN item i ON i.id = s.item
         WHERE s.state <> 1 AND i.protocol = ?1 AND s.version = ?2 AND EXISTS (
           SELECT 1 FROM event e
           WHERE e.annotator = s.annotator AND e.item = s.item AND e.writer > 0 AND e.kind = 'answer')",
    )?;
    let begun: Vec<(AnnotatorId, ItemId)> = statement
        .query_map(params![id.0, protocol.version], |row| {
            Ok((AnnotatorId(row.get(0)?), ItemId(row.get(1)?)))
        })?
        .collect::<rusqlite::Result<_>>()?;
    let mut unfinished = HashSet::new();
    for (annotator, item) in begun {
        // An answer that was taken back leaves what was imported as it was.
        let mut log = Log::prepare(connection)?;
        let mut events = log.events(annotator, item)?;
        events.retain(|event| event.id.writer.0 > 0);
        if !log.fold(&events, Some(protocol)).answers.is_empty() {
            unfinished.insert((annotator, item));
        }
    }
    Ok(unfinished)
}

static NOTHING: Answers = Answers::new();

/// Reads the judgments under one protocol.
struct Reading<'c> {
    connection: &'c Connection,
    questions: Vec<(QuestionId, String)>,
    versions: Versions,
    unfinished: HashSet<(AnnotatorId, ItemId)>,
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
    /// Whether a set of answers counts, by its place and the version that it was given under.
    counts: HashMap<(u32, u32), bool>,
}

impl Reading<'_> {
    fn material(&self, mut material: Material) -> std::result::Result<Material, Fault> {
        let mut ranks: Vec<(ItemId, u32)> = material.items.iter().map(|item| item.id).zip(0..).collect();
        ranks.sort_unstable();
        let mut known = Known::default();
        for (annotator, _) in annotators(self.connection)? {
            self.judgments(&mut material, &mut known, &ranks, annotator)?;
        }
        material.arrange();
        Ok(material)
    }

    /// Standings, answers and ranks all come by item and are walked side by side.
    fn judgments(
        &self,
        material: &mut Material,
        known: &mut Known,
        ranks: &[(ItemId, u32)],
        annotator: AnnotatorId,
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
            let is_among = match self.versions {
                Versions::All => true,
                Versions::Only(wanted) => version.is_none_or(|version| version == wanted),
            };
            let is_judged = row.get::<_, i64>(7)? == state_code(State::Judged);
            let answers = self.place(material, known, &codes);
            let is_left = !is_judged && self.unfinished.contains(&(annotator, item));
            let is_half = !codes.is_empty() && !self.counts(material, known, version, answers)?;
            let is_unfinished = is_among && (is_left || is_half);
            let parts = JudgmentParts {
                flagged: row.get(1)?,
                skipped: row.get(2)?,
                active: row.get::<_, i64>(3)?.unsigned_abs(),
                at: row.get(4)?,
                comment: row.get(5)?,
                counts: !codes.is_empty() && is_among && !is_unfinished,
                is_unfinished,
            };
            material.push(rank, annotator, answers, parts);
        }
        Ok(())
    }

    /// Whether these answers count under the version that they were given under, as far as the current one asks for them.
    fn counts(
        &self,
        material: &Material,
        known: &mut Known,
        version: Option<u32>,
        answers: u32,
    ) -> std::result::Result<bool, Fault> {
        let current = &material.protocol;
        let version = version.unwrap_or(current.version);
        if let Some(counts) = known.counts.get(&(version, answers)) {
            return Ok(*counts);
        }
        let given = material.answer_sets().get(answers as usize).unwrap_or(&NOTHING);
        let counts = match protocols::find_version(self.connection, &current.name, version)? {
            Some(mut older) if version != current.version => {
                older.questions.retain(|question| current.question(&question.key).is_some());
                older.counts(given)
            }
            _ => current.counts(given),
        };
        known.counts.insert((version, answers), counts);
        Ok(counts)
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
    fn place(&self, material: &mut Material, known: &mut Known, codes: &[(usize, u32)]) -> u32 {
        if let Some(place) = known.sets.get(codes) {
            return *place;
        }
        let answer = |(question, code): &(usize, u32)| {
            let (_, key) = self.questions.get(*question)?;
            Some((key.clone(), known.answers.get(*code as usize)?.clone()))
        };
        let answers: Answers = codes.iter().filter_map(answer).collect();
        let place = material.place(answers);
        known.sets.insert(codes.to_vec(), place);
        place
    }
}
