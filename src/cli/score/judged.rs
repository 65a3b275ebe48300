//! The current answers under a protocol, and those of one candidate together.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::super::gold::{GoldBy, note};
use super::corpus::Corpus;
use crate::error::Result;
use crate::protocol::{Answers, Protocol};
use crate::score::{ItemJudged, Origin};
use crate::store::{FinishedJudgments, GOLD, ItemRow, StudyFile, Target, Versions};
use crate::study::{AnnotatorId, Candidate, CandidateId, ItemId, Unit, UnitId};

/// The current answers under a protocol. Judgments with the same answers share them.
#[derive(Clone)]
pub struct Judged<'a> {
    /// Ascending by id.
    items: Rc<[ItemRow]>,
    /// The place of each in the order of keys.
    places: Rc<[u32]>,
    /// Each set of answers that occurs, once.
    answers: Rc<[Answers]>,
    /// By the keys of annotator and item, with the place of the answers.
    rows: Vec<(AnnotatorId, ItemId, usize)>,
    people: &'a BTreeMap<AnnotatorId, String>,
    /// Where gold comes from.
    note: Option<String>,
}

/// One annotator's judgment of one item.
#[derive(Clone, Copy)]
pub struct Judgment<'a> {
    pub item: ItemId,
    pub target: &'a Target,
    pub annotator: AnnotatorId,
    /// The annotator's key.
    pub name: &'a str,
    pub answers: &'a Answers,
}

impl<'a> Judged<'a> {
    /// Reads what these people answered and do not stand in the middle of, and what counts where gold is one of them.
    pub fn read(
        study: &StudyFile,
        protocol: &Protocol,
        people: &'a BTreeMap<AnnotatorId, String>,
        gold: Option<&GoldBy>,
        versions: Versions,
    ) -> Result<Judged<'a>> {
        let ids: Vec<AnnotatorId> = people.keys().copied().collect();
        let FinishedJudgments { mut answers, rows } = study.finished_judgments(protocol, &ids, versions)?;
        let mut rows: Vec<(AnnotatorId, ItemId, usize)> =
            rows.into_iter().map(|row| (row.annotator, row.item, row.answers)).collect();
        let mut items = study.items(&protocol.name)?;
        items.sort_unstable_by_key(|item| item.id);
        let gold_items = gold.map(|by| by.read(study, protocol, versions)).transpose()?.unwrap_or_default();
        let note = gold.map(|by| note(&gold_items, by.rule, "are left out"));
        for item in gold_items {
            if let Some(final_answers) = item.answers {
                rows.push((GOLD, item.item, answers.len()));
                answers.push(final_answers);
            }
        }
        let places = study.places_by_key(&items)?;
        let mut judged = Judged {
            items: items.into(),
            places: places.into(),
            answers: answers.into(),
            rows: Vec::new(),
            people,
            note,
        };
        rows.sort_by_cached_key(|(annotator, item, _)| judged.place_of(*annotator, *item));
        judged.rows = rows;
        Ok(judged)
    }

    /// Where a judgment stands among the others: by names, so that no sum depends on the order of rows in the file.
    fn place_of(&self, annotator: AnnotatorId, item: ItemId) -> (Option<&'a String>, Option<u32>) {
        let at = self.items.binary_search_by_key(&item, |row| row.id).ok();
        (self.people.get(&annotator), at.and_then(|at| self.places.get(at)).copied())
    }

    /// Where gold comes from, where it is one of those who judged.
    pub fn note(&self) -> Option<&String> {
        self.note.as_ref()
    }

    /// The judgments of these annotators only.
    pub fn only(&self, is_chosen: impl Fn(AnnotatorId) -> bool) -> Judged<'a> {
        let rows = self.rows.iter().filter(|(annotator, ..)| is_chosen(*annotator));
        Judged { rows: rows.copied().collect(), ..self.clone() }
    }

    /// Other judgments of the same items: answers by annotator and item. Those without an answer are left out.
    pub fn others<'b>(
        &self,
        given: Vec<(AnnotatorId, ItemId, Answers)>,
        people: &'b BTreeMap<AnnotatorId, String>,
    ) -> Judged<'b> {
        let mut given: Vec<_> = given.into_iter().filter(|(.., answers)| !answers.is_empty()).collect();
        given.sort_by_cached_key(|(annotator, item, _)| (*annotator, self.place_of(*annotator, *item).1));
        let rows = given.iter().enumerate().map(|(place, (annotator, item, _))| (*annotator, *item, place));
        let rows = rows.collect();
        let answers = given.into_iter().map(|(.., answers)| answers).collect();
        let (items, places) = (Rc::clone(&self.items), Rc::clone(&self.places));
        Judged { items, places, answers, rows, people, note: None }
    }

    /// What everyone said, item by item in the order of their keys, by annotator.
    pub fn by_item(&self) -> Vec<(ItemId, Vec<Judgment<'_>>)> {
        let mut by_item: BTreeMap<(Option<u32>, ItemId), Vec<Judgment<'_>>> = BTreeMap::new();
        for judgment in self.each() {
            let (_, place) = self.place_of(judgment.annotator, judgment.item);
            by_item.entry((place, judgment.item)).or_default().push(judgment);
        }
        by_item.into_iter().map(|((_, item), judgments)| (item, judgments)).collect()
    }

    /// Whether nobody answered anything.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Every judgment, by the keys of annotator and item.
    pub fn each(&self) -> impl Iterator<Item = Judgment<'_>> {
        self.rows.iter().filter_map(|(annotator, item, place)| {
            let at = self.items.binary_search_by_key(item, |row| row.id).ok()?;
            Some(Judgment {
                item: *item,
                target: &self.items.get(at)?.target,
                annotator: *annotator,
                name: self.people.get(annotator)?,
                answers: self.answers.get(*place)?,
            })
        })
    }

    /// Every judgment with its origin.
    pub fn items(&self, corpus: &Corpus<'_>) -> Vec<ItemJudged> {
        let item = |judgment: Judgment<'_>| {
            let origin = corpus.origin(judgment.target, judgment.name)?;
            Some(ItemJudged { origin, answers: judgment.answers.clone() })
        };
        self.each().filter_map(item).collect()
    }
}

/// One annotator's judgment of one candidate: all units of its query that the protocol takes, with
/// the answers to each. Those without an answer are open, not absent.
pub struct CandidateJudged<'a> {
    pub origin: Origin,
    pub id: CandidateId,
    pub annotator: AnnotatorId,
    pub candidate: &'a Candidate,
    pub units: Vec<(&'a Unit, &'a Answers)>,
}

/// Every candidate of which someone judged something.
pub fn candidates<'a>(
    protocol: &Protocol,
    corpus: &'a Corpus<'_>,
    judged: &'a Judged<'_>,
) -> Vec<CandidateJudged<'a>> {
    static NOTHING: Answers = Answers::new();
    let mut judgments: Vec<(AnnotatorId, CandidateId, UnitId, Judgment<'a>)> = judged
        .each()
        .filter_map(|judgment| {
            let target = judgment.target;
            Some((judgment.annotator, target.candidate?, target.unit?, judgment))
        })
        .collect();
    // In the order of the names of annotators, then of the first judgment.
    let mut first: HashMap<(AnnotatorId, CandidateId), usize> = HashMap::new();
    for (annotator, candidate, ..) in &judgments {
        let next = first.len();
        first.entry((*annotator, *candidate)).or_insert(next);
    }
    judgments.sort_by_key(|(annotator, candidate, unit, _)| (first.get(&(*annotator, *candidate)), *unit));
    let mut units_of: HashMap<(&str, &str), Vec<&(UnitId, Unit)>> = HashMap::new();
    for entry in corpus.units.iter().filter(|(_, unit)| protocol.takes_unit(&unit.kind)) {
        units_of.entry((entry.1.collection.as_str(), entry.1.query.as_str())).or_default().push(entry);
    }
    let read = |of_candidate: &[(AnnotatorId, CandidateId, UnitId, Judgment<'a>)]| {
        let (annotator, id, _, first) = of_candidate.first()?;
        let candidate = corpus.candidates.get(id)?;
        let answers = |unit: &UnitId| {
            let at = of_candidate.binary_search_by_key(unit, |(_, _, unit, _)| *unit).ok()?;
            of_candidate.get(at).map(|(.., judgment)| judgment.answers)
        };
        let units = units_of.get(&(candidate.collection.as_str(), candidate.query.as_str()))?;
        let own = |unit: &Unit| unit.candidate.as_ref().is_none_or(|key| *key == candidate.id);
        let units = units.iter().filter(|(_, unit)| own(unit));
        Some(CandidateJudged {
            origin: corpus.origin(first.target, first.name)?,
            id: *id,
            annotator: *annotator,
            candidate,
            units: units.map(|(id, unit)| (unit, answers(id).unwrap_or(&NOTHING))).collect(),
        })
    };
    judgments.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)).filter_map(read).collect()
}
