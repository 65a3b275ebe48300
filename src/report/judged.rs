//! The current answers under a protocol, and those of one candidate together.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use super::corpus::Corpus;
use super::filtered::Chosen;
use super::gold::{self, GoldBy};
use crate::error::Result;
use crate::journal::{JudgmentParts, JudgmentRow, Material};
use crate::protocol::{Answers, Protocol};
use crate::score::{ItemJudged, Origin};
use crate::store::{GOLD, StudyFile, Target, Versions};
use crate::study::{AnnotatorId, Candidate, CandidateId, ItemId, Unit, UnitId};

/// The judgments under a protocol that count and are looked at.
#[derive(Clone)]
pub struct Judged<'a> {
    pub material: Rc<Material>,
    /// The place of each item in the order of keys.
    places: Rc<[u32]>,
    /// By the keys of annotator and item: so that no sum depends on the order of rows in the file.
    rows: Vec<JudgmentRow>,
    people: &'a BTreeMap<AnnotatorId, String>,
    /// The items that are looked at, where not all are.
    chosen: Option<Rc<HashSet<ItemId>>>,
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
    /// The index of the item among those of the material.
    pub place: u32,
    /// The active time that it took, where that is known.
    pub seconds: Option<f64>,
}

impl<'a> Judged<'a> {
    /// Reads what these people answered and do not stand in the middle of, and what counts where gold is one of them.
    pub fn read(
        study: &StudyFile,
        protocol: &Protocol,
        people: &'a BTreeMap<AnnotatorId, String>,
        gold: Option<&GoldBy>,
        versions: Versions,
        part: &Chosen,
    ) -> Result<Judged<'a>> {
        let mut material = study.material(protocol, versions)?;
        let mut note = None;
        if let Some(by) = gold {
            let gold = by.read(study, protocol, versions)?;
            note = Some(gold::note(&gold, by.rule, "are left out"));
            add(&mut material, gold.into_iter().filter_map(|item| Some((GOLD, item.item, item.answers?))));
        }
        let places = study.places_by_key(&material.items)?;
        let chosen = part.items_of(study, &protocol.name)?.map(Rc::new);
        let mut judged = Judged { note, chosen, ..Judged::of(material, places.into(), people) };
        let rows = std::mem::take(&mut judged.rows);
        judged.rows = rows.into_iter().filter(|row| judged.is_chosen(row)).collect();
        Ok(judged)
    }

    fn of(material: Material, places: Rc<[u32]>, people: &'a BTreeMap<AnnotatorId, String>) -> Judged<'a> {
        let is_chosen = |row: &&JudgmentRow| row.counts && people.contains_key(&row.annotator);
        let mut rows: Vec<JudgmentRow> = material.rows().iter().filter(is_chosen).copied().collect();
        rows.sort_unstable_by_key(|row| (people.get(&row.annotator), places.get(row.item as usize)));
        Judged { material: Rc::new(material), places, rows, people, chosen: None, note: None }
    }

    /// Whether a judgment is of one of the items that are looked at.
    fn is_chosen(&self, row: &JudgmentRow) -> bool {
        let item = self.material.items.get(row.item as usize);
        self.chosen.as_ref().is_none_or(|chosen| item.is_some_and(|item| chosen.contains(&item.id)))
    }

    /// Whether only some of the items are looked at.
    pub fn is_part(&self) -> bool {
        self.chosen.is_some()
    }

    /// How many judgments are half answered and so in no number.
    pub fn half_answered(&self) -> usize {
        let rows = self.material.rows().iter().filter(|row| self.is_chosen(row));
        rows.filter(|row| row.is_unfinished && self.people.contains_key(&row.annotator)).count()
    }

    /// What is half answered, and where gold comes from, where it is one of those who judged.
    pub fn notes(&self) -> Vec<String> {
        let half = Some(self.half_answered()).filter(|count| *count > 0);
        let half = half.map(|count| format!("Half-answered judgments, in no number: {count}."));
        half.into_iter().chain(self.note.clone()).collect()
    }

    /// The judgments of these annotators only.
    pub fn only(&self, is_chosen: impl Fn(AnnotatorId) -> bool) -> Judged<'a> {
        let rows = self.rows.iter().filter(|row| is_chosen(row.annotator));
        Judged { rows: rows.copied().collect(), ..self.clone() }
    }

    /// Other judgments of the same items: answers by annotator and item. Those without an answer are left out.
    pub fn others<'b>(
        &self,
        given: Vec<(AnnotatorId, ItemId, Answers)>,
        people: &'b BTreeMap<AnnotatorId, String>,
    ) -> Judged<'b> {
        let mut material = Material::new(self.material.protocol.clone(), self.material.items.clone());
        add(&mut material, given.into_iter().filter(|(.., answers)| !answers.is_empty()));
        Judged::of(material, Rc::clone(&self.places), people)
    }

    /// What everyone said, item by item in the order of their keys, by annotator.
    pub fn by_item(&self) -> Vec<(ItemId, Vec<Judgment<'_>>)> {
        let mut by_item: BTreeMap<Option<&u32>, (ItemId, Vec<Judgment<'_>>)> = BTreeMap::new();
        for judgment in self.each() {
            let place = self.places.get(judgment.place as usize);
            by_item.entry(place).or_insert((judgment.item, Vec::new())).1.push(judgment);
        }
        by_item.into_values().collect()
    }

    /// Whether nobody answered anything.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Every judgment, by the keys of annotator and item.
    pub fn each(&self) -> impl Iterator<Item = Judgment<'_>> {
        self.rows.iter().filter_map(|row| {
            let item = self.material.items.get(row.item as usize)?;
            Some(Judgment {
                item: item.id,
                target: &item.target,
                annotator: row.annotator,
                name: self.people.get(&row.annotator)?,
                answers: self.material.answers(row),
                place: row.item,
                seconds: (row.active > 0).then(|| f64::from(row.active) / 1_000.0),
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

/// Adds judgments that count, of items that are there.
fn add(material: &mut Material, given: impl Iterator<Item = (AnnotatorId, ItemId, Answers)>) {
    let places: HashMap<ItemId, u32> = material.items.iter().map(|item| item.id).zip(0..).collect();
    for (annotator, item, answers) in given {
        if let Some(place) = places.get(&item) {
            let answers = material.place(answers);
            material.push(
                *place,
                annotator,
                answers,
                JudgmentParts { counts: true, ..JudgmentParts::default() },
            );
        }
    }
    material.arrange();
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
    let seen: HashSet<(CandidateId, UnitId)> =
        judgments.iter().map(|(_, id, unit, _)| (*id, *unit)).collect();
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
            origin: corpus.origin(&first.target.whole(), first.name)?,
            id: *id,
            annotator: *annotator,
            candidate,
            // The same for every annotator. Of some of the items nobody knows which others are open.
            units: units
                .filter(|(unit, _)| !judged.is_part() || seen.contains(&(*id, *unit)))
                .map(|(id, unit)| (unit, answers(id).unwrap_or(&NOTHING)))
                .collect(),
        })
    };
    judgments.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)).filter_map(read).collect()
}
