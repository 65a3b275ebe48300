//! The current judgments under a protocol, packed; and a whole study in memory, the corpus with its texts.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, params};

use super::fault::Tried;
use super::items;
use super::judged::{Asked, Given, Said, Versions, annotators};
use super::log::Log;
use super::protocols::{self, QuestionId};
use super::sql::all;
use super::study_file::StudyFile;
use crate::error::{Error, Result};
use crate::journal::{JudgmentParts, Material, State};
use crate::protocol::{Answer, Protocol};
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
    ) -> Tried<Material> {
        let mut asked = Asked::new(questions, &items, read_answer);
        let left = unfinished(connection, &protocol)?;
        let mut reading =
            Reading { connection, versions, left, sets: HashMap::new(), counts: HashMap::new() };
        let mut material = Material::new(protocol, items);
        for (annotator, _) in annotators(connection)? {
            asked.each(connection, annotator, |asked, said, given| {
                reading.take(&mut material, annotator, asked, said, given)
            })?;
        }
        material.arrange();
        Ok(material)
    }

    /// All of the corpus and the annotators, the texts of the documents too.
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
fn unfinished(connection: &Connection, protocol: &Protocol) -> Tried<HashSet<(AnnotatorId, ItemId)>> {
    let Some(id) = protocols::id_of(connection, &protocol.name)? else {
        return Ok(HashSet::new());
    };
    let begun: Vec<(AnnotatorId, ItemId)> = all(
        connection,
        "SELECT s.annotator, s.item FROM standing s JOIN item i ON i.id = s.item
         WHERE s.state <> 1 AND i.protocol = ?1 AND s.version = ?2 AND EXISTS (
           SELECT 1 FROM event e
           WHERE e.annotator = s.annotator AND e.item = s.item AND e.writer > 0 AND e.kind = 'answer')",
        params![id, protocol.version],
        |row| row.try_into(),
    )?;
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

fn read_answer(value: &str) -> Tried<Answer> {
    let read = serde_json::from_str(value).ok().and_then(|value| Answer::from_json(&value));
    read.ok_or_else(|| {
        Error::new(format!("an answer in the study is {value}, which this haymark does not understand"))
            .advise("update haymark")
            .into()
    })
}

/// Reads the judgments under one protocol.
struct Reading<'c> {
    connection: &'c Connection,
    versions: Versions,
    /// Items that somebody left in the middle.
    left: HashSet<(AnnotatorId, ItemId)>,
    /// Places in the table by the places of questions and answers.
    sets: HashMap<Vec<Given>, u32>,
    /// Whether a set of answers counts, by its place and the version that it was given under.
    counts: HashMap<(u32, u32), bool>,
}

impl Reading<'_> {
    fn take(
        &mut self,
        material: &mut Material,
        annotator: AnnotatorId,
        asked: &Asked<Answer>,
        said: Said,
        given: &[Given],
    ) -> Tried<()> {
        let is_among = match self.versions {
            Versions::All => true,
            Versions::Only(wanted) => said.version.is_none_or(|version| version == wanted),
        };
        let answers = match self.sets.get(given) {
            Some(place) => *place,
            None => {
                let answers = asked.answers(given).map(|(key, answer)| (key.clone(), answer.clone()));
                let place = material.place(answers.collect());
                self.sets.insert(given.to_vec(), place);
                place
            }
        };
        let is_left = said.state != State::Judged && self.left.contains(&(annotator, said.item));
        let is_half = !given.is_empty() && !self.counts(material, said.version, answers)?;
        let is_unfinished = is_among && (is_left || is_half);
        let parts = JudgmentParts {
            flagged: said.flagged,
            skipped: said.skipped,
            active: said.active.unsigned_abs(),
            at: said.at,
            comment: said.comment,
            counts: !given.is_empty() && is_among && !is_unfinished,
            is_unfinished,
        };
        material.push(said.rank, annotator, answers, parts);
        Ok(())
    }

    /// Whether these answers count under the version that they were given under, as far as the current one asks for them.
    fn counts(&mut self, material: &Material, version: Option<u32>, answers: u32) -> Tried<bool> {
        let current = &material.protocol;
        let version = version.unwrap_or(current.version);
        if let Some(counts) = self.counts.get(&(version, answers)) {
            return Ok(*counts);
        }
        let given = &material.answer_sets()[answers as usize];
        let counts = match protocols::find_version(self.connection, &current.name, version)? {
            Some(mut older) if version != current.version => {
                older.questions.retain(|question| current.question(&question.key).is_some());
                older.counts(given)
            }
            _ => current.counts(given),
        };
        self.counts.insert((version, answers), counts);
        Ok(counts)
    }
}
