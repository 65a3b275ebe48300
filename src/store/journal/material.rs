//! Reading the current judgments under a protocol, packed; and a whole study into memory, the corpus with its texts.

use std::thread;

use rusqlite::Connection;

use super::Log;
use super::judged::{
    AnswersRead, EVERY_ITEM, ItemRange, JudgmentSaid, NOTHING_GIVEN, PeopleOrder, VersionsRead, annotators,
};
use crate::error::{Error, Result};
use crate::journal::{ItemState, JudgmentParts, Material};
use crate::protocol::{Answer, Protocol};
use crate::store::corpus::{items, protocols};
use crate::store::file::{ProtocolId, QuestionId, StudyFile, Tried, read_only, said};
use crate::study::{AnnotatorId, Corpus, ItemId, ItemRow};
use crate::text::fast::FastMap;

impl StudyFile {
    /// Everyone's current judgments under a protocol, with the answers to the questions that it asks. Judgments that are half
    /// answered, and judgments under other versions than these, are there and do not count.
    pub fn material(&self, protocol: &Protocol, versions: VersionsRead) -> Result<Material> {
        self.material_of(protocol, versions, items::in_corpus_order)
    }

    /// The judgments as [`StudyFile::material`] has them, with the items in the order of their keys, so that no sum over them
    /// depends on the order in a file.
    pub fn material_by_key(&self, protocol: &Protocol, versions: VersionsRead) -> Result<Material> {
        self.material_of(protocol, versions, items::in_key_order)
    }

    fn material_of(
        &self,
        protocol: &Protocol,
        versions: VersionsRead,
        items: fn(&Connection, ProtocolId) -> Tried<Vec<ItemRow>>,
    ) -> Result<Material> {
        self.read(|connection| {
            let Some(id) = protocols::id_of(connection, &protocol.name)? else {
                return Ok(Material::new(protocol.clone(), Vec::new()));
            };
            let mut questions = protocols::questions(connection, id, &protocol.name)?;
            questions.retain(|(_, key)| protocol.question(key).is_some());
            let items = items(connection, id)?;
            self.read_material(connection, protocol.clone(), items, questions, versions)
        })
    }

    /// The corpus, and everyone's judgments and decisions by protocol, in the order of first use, on one
    /// state of the file. Earlier snapshots of sessions are left out: they are no finished summaries, and no score has them.
    /// Answers under an older version of a protocol are there and do not count.
    pub fn whole_study(&self) -> Result<(Corpus, Vec<Material>)> {
        self.read(|connection| {
            let mut corpus = self.corpus()?;
            let earlier =
                self.earlier_snapshots(corpus.candidates.iter().map(|(id, candidate)| (*id, candidate)))?;
            corpus.candidates.retain(|(id, _)| !earlier.contains(id));
            let mut judged = Vec::new();
            for (id, name) in protocols::names(connection)? {
                let Some(protocol) = protocols::find(connection, &name)? else { continue };
                let mut items = items::in_corpus_order(connection, id)?;
                items.retain(|item| item.target.candidates().all(|candidate| !earlier.contains(&candidate)));
                let versions = VersionsRead::Only(protocol.version);
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
        versions: VersionsRead,
    ) -> Tried<Material> {
        let people = annotators(connection, PeopleOrder::Came)?;
        let people: Vec<AnnotatorId> = people.into_iter().map(|(annotator, _)| annotator).collect();
        if people.iter().any(|annotator| i32::try_from(annotator.0).is_err()) {
            return Err(said("a row of an annotator has a number of 2³¹ or more, which no haymark gave"));
        }
        let part = MaterialPart { protocol: &protocol, items: &items, questions, people, versions };
        let mut material = match part.middle().zip(read_only::second(connection)) {
            None => part.read(connection, EVERY_ITEM)?,
            Some((middle, second)) => {
                let behind = (ItemId(middle.0.saturating_add(1)), EVERY_ITEM.1);
                let part = &part;
                let (first, rest) = thread::scope(|scope| {
                    let rest = scope.spawn(move || part.read(&second, behind));
                    (part.read(connection, (EVERY_ITEM.0, middle)), rest.join())
                });
                let mut first = first?;
                first.take_in(rest.map_err(|_| said("the study could not be read by two at once"))??);
                first
            }
        };
        material.arrange();
        material.items = items.into();
        // Little of the file is read again, and what is made of the judgments needs the memory.
        connection.execute_batch("PRAGMA shrink_memory")?;
        Ok(material)
    }

    /// The whole corpus and the annotators, with the texts of the documents.
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
            samples: self.samples()?,
            weighed_by: None,
        })
    }

    /// The corpus and the annotators without the texts of documents and the evidence of units.
    pub fn corpus_without_texts(&self) -> Result<Corpus> {
        Ok(Corpus {
            collections: self.collections()?,
            documents: self.documents_without_texts()?,
            queries: self.queries()?,
            units: self.units_without_evidence()?,
            candidates: self.candidates()?,
            annotators: self.annotators()?,
            samples: self.samples()?,
            weighed_by: None,
        })
    }
}

fn read_answer(value: &str) -> Tried<Answer> {
    let read = serde_json::from_str(value).ok().and_then(|value| Answer::from_json(&value));
    read.ok_or_else(|| {
        Error::new(format!("an answer in the study is {value}, which this haymark does not understand"))
            .advise("update haymark")
            .into()
    })
}

/// The number of possible judgments from which on two threads read at once. Tests have a low number, so that they go the
/// same way.
const MANY: usize = if cfg!(test) { 4 } else { 50_000 };

/// The judgments to be read under one protocol, by one thread or two.
struct MaterialPart<'p> {
    protocol: &'p Protocol,
    items: &'p [ItemRow],
    questions: Vec<(QuestionId, String)>,
    people: Vec<AnnotatorId>,
    versions: VersionsRead,
}

impl MaterialPart<'_> {
    /// The item in the middle, where there may be enough judgments for two threads.
    fn middle(&self) -> Option<ItemId> {
        if self.items.len().saturating_mul(self.people.len()) < MANY {
            return None;
        }
        let mut items: Vec<ItemId> = self.items.iter().map(|item| item.id).collect();
        let middle = items.len() / 2;
        Some(*items.select_nth_unstable(middle).1)
    }

    /// Reads the judgments of the items of this range into a table that has no items and is not arranged.
    fn read(&self, connection: &Connection, range: ItemRange) -> Tried<Material> {
        let mut asked = AnswersRead::new(self.questions.clone(), self.items, read_answer);
        let mut material = Material::new(self.protocol.clone(), Vec::new());
        let (log, sets, counts) = (None, Vec::new(), FastMap::default());
        let mut reading = MaterialReading { connection, log, part: self, sets, counts };
        for annotator in &self.people {
            asked.each(connection, *annotator, range, |asked, said| {
                reading.take(&mut material, *annotator, asked, said)
            })?;
        }
        Ok(material)
    }
}

/// The state of one thread that reads judgments.
struct MaterialReading<'c> {
    connection: &'c Connection,
    /// The journal, once a judgment is left in the middle.
    log: Option<Log<'c>>,
    part: &'c MaterialPart<'c>,
    /// Places of sets of answers in the table, by their places in the reading.
    sets: Vec<Option<u32>>,
    /// Whether a set of answers counts, by its version and its place in the table.
    counts: FastMap<(u32, u32), bool>,
}

impl MaterialReading<'_> {
    fn take(
        &mut self,
        material: &mut Material,
        annotator: AnnotatorId,
        asked: &AnswersRead<Answer>,
        said: JudgmentSaid,
    ) -> Tried<()> {
        let is_among = match self.part.versions {
            VersionsRead::All => true,
            VersionsRead::Only(wanted) => {
                let stands = |version| {
                    wanted == self.part.protocol.version && self.part.protocol.counts_version(version)
                };
                !said.is_outdated && said.version.is_none_or(|version| version == wanted || stands(version))
            }
        };
        let set = said.set as usize;
        if self.sets.len() <= set {
            self.sets.resize(set + 1, None);
        }
        let answers = *self.sets[set].get_or_insert_with(|| {
            material.place(asked.answers(set).map(|(key, answer)| (key.clone(), answer.clone())).collect())
        });
        let is_given = said.set != NOTHING_GIVEN;
        // Answers under another version, or on other texts, are not left in the middle: the item is open again.
        let is_left = said.state != ItemState::Judged
            && !said.is_outdated
            && said.version.is_some_and(|version| self.part.protocol.counts_version(version))
            && self.is_begun_here(annotator, said.item)?;
        let is_half = is_given && !self.counts(material, said.version, answers)?;
        // A judgment that says that the item cannot be judged is kept, and is in no number.
        let is_aside = is_given && self.part.protocol.is_instead(&material.answer_sets()[answers as usize]);
        let is_unfinished = is_among && (is_left || is_half) && !is_aside;
        let parts = JudgmentParts {
            flagged: said.flagged,
            skipped: said.skipped,
            active: said.active.unsigned_abs(),
            at: said.at,
            comment: said.comment,
            counts: is_given && is_among && !is_unfinished && !is_aside,
            is_unfinished,
            version: said.version,
        };
        material.push(said.rank, annotator, answers, parts);
        Ok(())
    }

    /// Whether an annotator began to answer an item in this file. If such an item is not finished, its answers do not count
    /// yet, even if only a bullet is missing. Imported judgments are not begun in this sense; see
    /// [`Protocol::counts`].
    fn is_begun_here(&mut self, annotator: AnnotatorId, item: ItemId) -> Tried<bool> {
        let log = match &mut self.log {
            Some(log) => log,
            none => none.insert(Log::prepare(self.connection)?),
        };
        // A retracted answer leaves an imported judgment as it was.
        let mut events = log.events(annotator, item)?;
        events.retain(|event| event.id.writer.0 > 0);
        Ok(!log.fold_alone(&events, Some(self.part.protocol)).answers.is_empty())
    }

    /// Whether answers count under their own version, as far as the current one asks the same questions.
    fn counts(&mut self, material: &mut Material, version: Option<u32>, answers: u32) -> Tried<bool> {
        let version = version.unwrap_or(material.protocol.version);
        if let Some(counts) = self.counts.get(&(version, answers)) {
            return Ok(*counts);
        }
        let name = &material.protocol.name;
        let other = match version == material.protocol.version {
            true => None,
            false => protocols::find_version(self.connection, name, version)?,
        };
        let stands = material.protocol.counts_version(version);
        let other = other.map(|other| if stands { material.protocol.in_words_of_now(&other) } else { other });
        other.iter().for_each(|other| material.keep_version(other.clone()));
        let (current, given) = (&material.protocol, &material.answer_sets()[answers as usize]);
        let counts = match other {
            Some(mut older) => {
                older.questions.retain(|question| current.question(&question.key).is_some());
                older.counts(given)
            }
            None => current.counts(given),
        };
        self.counts.insert((version, answers), counts);
        Ok(counts)
    }
}
