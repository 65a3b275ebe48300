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
use crate::study::{AnnotatorId, Candidate, CandidateId, ItemId, ItemRow, Unit, UnitId};

/// The judgments under a protocol that count and are looked at.
#[derive(Clone)]
pub struct Judged<'a> {
    /// Its items are in the order of their keys.
    pub material: Rc<Material>,
    /// Places among the rows of the material, by the keys of annotator and item: so that no sum depends on the order of
    /// rows in the file.
    rows: Vec<u32>,
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
        let mut material = study.material_by_key(protocol, versions)?;
        let mut note = None;
        if let Some(by) = gold {
            let gold = by.read(study, protocol, versions)?;
            note = Some(gold::note(&gold, by.rule, "are left out"));
            add(&mut material, gold.into_iter().filter_map(|item| Some((GOLD, item.item, item.answers?))));
        }
        let chosen = part.items_of(study, &protocol.name)?.map(Rc::new);
        let judged = Judged { note, chosen, ..Judged::of(material, people) };
        Ok(if judged.is_part() { judged.retain(|row| judged.is_chosen(row)) } else { judged })
    }

    fn of(material: Material, people: &'a BTreeMap<AnnotatorId, String>) -> Judged<'a> {
        let mut names: Vec<(&str, AnnotatorId)> =
            people.iter().map(|(id, name)| (name.as_str(), *id)).collect();
        names.sort_unstable();
        // By annotator the place that the name has among all names.
        let mut ranks: Vec<(AnnotatorId, usize)> = names.into_iter().map(|(_, id)| id).zip(0..).collect();
        ranks.sort_unstable();
        // Rows come item by item in the order of the keys: each goes to its annotator, and nothing is sorted.
        let mut of_annotator: Vec<Vec<u32>> = vec![Vec::new(); ranks.len()];
        for (row, at) in material.rows().iter().zip(0..).filter(|(row, _)| row.counts) {
            let rank = ranks.binary_search_by_key(&row.annotator, |(id, _)| *id).ok();
            let rank = rank.and_then(|at| ranks.get(at));
            if let Some(rows) = rank.and_then(|(_, rank)| of_annotator.get_mut(*rank)) {
                rows.push(at);
            }
        }
        let rows = of_annotator.concat();
        Judged { material: Rc::new(material), rows, people, chosen: None, note: None }
    }

    /// The rows that are looked at, by the keys of annotator and item.
    pub fn rows(&self) -> impl Iterator<Item = &JudgmentRow> + Clone {
        let rows = self.material.rows();
        self.rows.iter().filter_map(|at| rows.get(*at as usize))
    }

    /// The keys of those who judged, each once.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        let mut annotators: Vec<AnnotatorId> = self.rows().map(|row| row.annotator).collect();
        annotators.dedup(); // judgments come annotator by annotator
        annotators.into_iter().filter_map(|annotator| self.people.get(&annotator)).map(String::as_str)
    }

    /// Those of which this holds.
    fn retain(&self, holds: impl Fn(&JudgmentRow) -> bool) -> Judged<'a> {
        let rows = self.material.rows();
        let kept = self.rows.iter().filter(|at| rows.get(**at as usize).is_some_and(&holds)).copied();
        Judged { rows: kept.collect(), ..self.clone() }
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
        self.retain(|row| is_chosen(row.annotator))
    }

    /// Other judgments of the same items: answers by annotator and item. Those without an answer are left out.
    pub fn others<'b>(
        &self,
        given: Vec<(AnnotatorId, ItemId, Answers)>,
        people: &'b BTreeMap<AnnotatorId, String>,
    ) -> Judged<'b> {
        let mut material = Material::new(self.material.protocol.clone(), self.material.items.clone());
        add(&mut material, given.into_iter().filter(|(.., answers)| !answers.is_empty()));
        Judged::of(material, people)
    }

    /// Hands over what everyone said, item by item in the order of their keys, by annotator.
    pub fn each_item(&self, mut take: impl FnMut(&ItemRow, &[&JudgmentRow])) {
        let mut rows: Vec<&JudgmentRow> = self.rows().collect();
        // Those of an item stay by annotator.
        rows.sort_by_key(|row| row.item);
        for of_item in rows.chunk_by(|one, other| one.item == other.item) {
            if let Some(item) = of_item.first().and_then(|row| self.material.items.get(row.item as usize)) {
                take(item, of_item);
            }
        }
    }

    /// Whether nobody answered anything.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Every judgment, by the keys of annotator and item.
    pub fn each(&self) -> impl Iterator<Item = Judgment<'_>> {
        self.rows().filter_map(|row| {
            let item = self.material.items.get(row.item as usize)?;
            Some(Judgment {
                item: item.id,
                target: &item.target,
                annotator: row.annotator,
                name: self.people.get(&row.annotator)?,
                answers: self.material.answers(row),
                place: row.item,
                seconds: row.seconds(),
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
    pub units: Vec<UnitJudged<'a>>,
}

/// A unit of a judged candidate.
#[derive(Clone, Copy)]
pub struct UnitJudged<'a> {
    pub unit: &'a Unit,
    /// The place of the unit in the corpus.
    pub place: usize,
    pub answers: &'a Answers,
    /// The index of the answers among all sets; `None` where there are none.
    pub set: Option<usize>,
}

/// Every candidate of which someone judged something, in the order of the names of annotators, then of the first judgment.
pub fn candidates<'a>(
    protocol: &Protocol,
    corpus: &'a Corpus<'_>,
    judged: &'a Judged<'a>,
) -> impl Iterator<Item = CandidateJudged<'a>> {
    let parts = Parts::of(judged);
    let mut seen: HashSet<(CandidateId, UnitId)> = HashSet::new();
    if judged.is_part() {
        let both = |row: &JudgmentRow| {
            let target = judged.material.item(row).target;
            Some((target.candidate?, target.unit?))
        };
        seen.extend(judged.rows().filter_map(both));
    }
    let mut units_of: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
    for (place, (_, unit)) in corpus.units.iter().enumerate() {
        if protocol.takes_unit(&unit.kind) {
            units_of.entry((unit.collection.as_str(), unit.query.as_str())).or_default().push(place);
        }
    }
    (0..parts.len()).filter_map(move |at| {
        let rows = parts.get(at);
        let (_, first) = rows.first()?;
        let material = &judged.material;
        let target = &material.items.get(first.item as usize)?.target;
        let id = target.candidate?;
        let candidate = corpus.candidates.get(&id)?;
        let units = units_of.get(&(candidate.collection.as_str(), candidate.query.as_str()))?;
        let mut taken = Vec::with_capacity(units.len());
        for place in units {
            let (unit_id, unit) = corpus.units.get(*place)?;
            let is_own = unit.candidate.as_ref().is_none_or(|key| *key == candidate.id);
            // The same for every annotator. Of some of the items nobody knows which others are open.
            if is_own && (!judged.is_part() || seen.contains(&(id, *unit_id))) {
                let row = rows.binary_search_by_key(unit_id, |(unit, _)| *unit).ok();
                let row = row.and_then(|at| rows.get(at)).map(|(_, row)| *row);
                let answers = row.map_or(&NOTHING, |row| material.answers(row));
                taken.push(UnitJudged { unit, place: *place, answers, set: row.map(JudgmentRow::answers) });
            }
        }
        Some(CandidateJudged {
            origin: corpus.origin(&target.whole(), judged.people.get(&first.annotator)?)?,
            id,
            annotator: first.annotator,
            candidate,
            units: taken,
        })
    })
}

static NOTHING: Answers = Answers::new();

/// The rows that are about a candidate and a unit, those of one annotator and candidate together, by unit.
struct Parts<'a> {
    judged: &'a Judged<'a>,
    /// Places among the rows of the material.
    rows: Vec<u32>,
    /// Where each part ends.
    ends: Vec<usize>,
}

/// No part.
const NO_PART: u32 = u32::MAX;

impl<'a> Parts<'a> {
    fn of(judged: &'a Judged<'a>) -> Parts<'a> {
        let items = &judged.material.items;
        let mut candidates: Vec<CandidateId> =
            items.iter().filter_map(|item| item.target.candidate).collect();
        candidates.sort_unstable();
        candidates.dedup();
        let number = |item: &ItemRow| {
            candidates.binary_search(&item.target.candidate?).ok().filter(|_| item.target.unit.is_some())
        };
        let number_of: Vec<Option<usize>> = items.iter().map(number).collect();
        // Rows come annotator by annotator; candidates are numbered anew for each, in the order of the first judgment.
        let mut part_of: Vec<u32> = vec![NO_PART; candidates.len()];
        let mut annotator = None;
        let mut sizes: Vec<u32> = Vec::new();
        // There are fewer parts than rows, and of these fewer than 2³².
        let mut parts: Vec<u32> = Vec::with_capacity(judged.rows.len());
        for row in judged.rows() {
            if annotator != Some(row.annotator) {
                annotator = Some(row.annotator);
                part_of.fill(NO_PART);
            }
            let number = number_of.get(row.item as usize).copied().flatten();
            let Some(part) = number.and_then(|number| part_of.get_mut(number)) else {
                parts.push(NO_PART);
                continue;
            };
            if *part == NO_PART {
                *part = u32::try_from(sizes.len()).unwrap_or(NO_PART);
                sizes.push(0);
            }
            sizes[*part as usize] += 1; // one a part
            parts.push(*part);
        }
        // Each row to the next free place of its part.
        let mut next = Vec::with_capacity(sizes.len());
        let mut total = 0;
        for size in &sizes {
            next.push(total);
            total += size;
        }
        let mut rows: Vec<u32> = vec![0; total as usize];
        for (part, at) in parts.into_iter().zip(&judged.rows).filter(|(part, _)| *part != NO_PART) {
            let place = &mut next[part as usize]; // one a part
            rows[*place as usize] = *at; // as many as the sizes say
            *place += 1;
        }
        let unit = |at: &u32| {
            let row = judged.material.rows().get(*at as usize)?;
            items.get(row.item as usize)?.target.unit
        };
        let mut end = 0;
        let ends: Vec<usize> = sizes
            .iter()
            .map(|size| {
                let from = end;
                end += *size as usize;
                if let Some(part) = rows.get_mut(from..end) {
                    part.sort_by_key(unit);
                }
                end
            })
            .collect();
        Parts { judged, rows, ends }
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, at: usize) -> Vec<(UnitId, &'a JudgmentRow)> {
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(at).copied().unwrap_or(start);
        let (rows, items) = (self.judged.material.rows(), &self.judged.material.items);
        let row = |at: &u32| {
            let row = rows.get(*at as usize)?;
            Some((items.get(row.item as usize)?.target.unit?, row))
        };
        self.rows.get(start..end).unwrap_or_default().iter().filter_map(row).collect()
    }
}
