//! The current judgments under a protocol, and the judgments of each candidate together.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::{CorpusIndex, GoldBy, ItemsChosen, StudyFrame, gold};
use crate::agreement::each_in_parallel;
use crate::error::Result;
use crate::journal::{JudgmentRow, Material};
use crate::number::{NO_PLACE, short};
use crate::protocol::{Answers, Change, Protocol, ScoreRule};
use crate::score::{By, GroupLabels, ItemJudged, Origin, groups};
use crate::store::{GOLD, Target};
use crate::study::{AnnotatorId, CandidateId, ItemId, ItemRow, UnitId};
use crate::text::natural::natural;

/// A note where judgments of earlier snapshots are left out.
pub const LAST_SNAPSHOTS: &str = "Of what was written in sessions the last snapshots count; `haymark score STUDY --human` has the earlier ones.";

/// The judgments under a protocol that count, of the chosen annotators and items.
#[derive(Clone)]
pub struct Judged<'a> {
    /// The judgments, with items in the order of their keys.
    pub material: Arc<Material>,
    /// Places of the chosen rows of the material, sorted by the keys of annotator and item, so that no sum depends on the
    /// order of rows in the file.
    rows: Vec<u32>,
    people: &'a BTreeMap<AnnotatorId, String>,
    /// The people of whose judgments gold is made, where gold is among the annotators.
    raters: Vec<AnnotatorId>,
    /// The items that count; `None` for all.
    chosen: ItemsChosen,
    is_part: bool,
    /// Whether judgments of earlier snapshots are left out.
    has_earlier: bool,
    /// The row of the first item in the table of items.
    start: u32,
    /// A note on how gold was made, where gold is among the annotators.
    note: Option<String>,
}

/// One annotator's judgment of one item.
#[derive(Clone, Copy)]
pub struct CountedJudgment<'a> {
    pub item: ItemId,
    pub target: &'a Target,
    pub annotator: AnnotatorId,
    /// The annotator's key.
    pub name: &'a str,
    pub answers: &'a Answers,
    /// The index of the item among those of the material.
    pub place: u32,
    /// The active time in seconds, where known.
    pub seconds: Option<f64>,
    /// The version of the protocol that the judgment was given under, where it is another one.
    pub under: Option<&'a Arc<Protocol>>,
}

impl<'a> Judged<'a> {
    /// Reads the judgments of these annotators, without half-answered ones; with `gold`, also the gold answers.
    pub fn read(
        frame: &StudyFrame<'_>,
        protocol: &Protocol,
        people: &'a BTreeMap<AnnotatorId, String>,
        gold: Option<&GoldBy>,
        chosen: &ItemsChosen,
    ) -> Result<Judged<'a>> {
        let mut material = frame.material(protocol)?;
        let (mut note, mut raters) = (None, Vec::new());
        if let Some(by) = gold {
            raters.clone_from(&by.raters);
            let gold = by.read(frame.study, protocol, frame.versions(protocol))?;
            note = Some(gold::note(&gold, by.rule, "are left out"));
            let given = gold.into_iter().filter_map(|item| Some((GOLD, item.item, item.answers?)));
            let material = Arc::make_mut(&mut material);
            add(material, given);
            material.arrange();
        }
        let (corpus, is_part) = (frame.corpus()?, chosen.is_some());
        let counted = material.items.iter().filter(|item| corpus.counts(&item.target)).map(|item| item.id);
        let chosen = match chosen {
            None if !corpus.earlier.is_empty() => Some(Arc::new(counted.collect())),
            chosen => chosen.clone(),
        };
        let start = frame.start_of(&protocol.name);
        let all = Judged { note, raters, chosen, is_part, start, ..Judged::of(material, people) };
        if all.chosen.is_none() {
            return Ok(all);
        }
        let has_earlier = all.rows().any(|row| !corpus.counts(&all.material.item(row).target));
        Ok(Judged { has_earlier, ..all.retain(|row| all.is_chosen(row)) })
    }

    fn of(material: Arc<Material>, people: &'a BTreeMap<AnnotatorId, String>) -> Judged<'a> {
        let mut names: Vec<(&str, AnnotatorId)> =
            people.iter().map(|(id, name)| (name.as_str(), *id)).collect();
        names.sort_by_cached_key(|(name, id)| (natural(name), *name, *id));
        // For each annotator, the rank of the name.
        let mut ranks: Vec<(AnnotatorId, usize)> = names.into_iter().map(|(_, id)| id).zip(0..).collect();
        ranks.sort_unstable();
        // Rows come item by item in the order of keys, so grouping them by annotator needs no sort.
        let mut of_annotator: Vec<Vec<u32>> = vec![Vec::new(); ranks.len()];
        for (row, at) in material.rows().iter().zip(0..).filter(|(row, _)| row.counts()) {
            let rank = ranks.binary_search_by_key(&row.annotator(), |(id, _)| *id).ok();
            let rank = rank.and_then(|at| ranks.get(at));
            if let Some(rows) = rank.and_then(|(_, rank)| of_annotator.get_mut(*rank)) {
                rows.push(at);
            }
        }
        let rows = of_annotator.concat();
        let (raters, chosen, is_part, has_earlier) = Default::default();
        Judged { material, rows, people, raters, chosen, is_part, has_earlier, start: 0, note: None }
    }

    /// The chosen rows, by the keys of annotator and item.
    pub fn rows(&self) -> impl Iterator<Item = &JudgmentRow> + Clone {
        let rows = self.material.rows();
        self.rows.iter().filter_map(|at| rows.get(*at as usize))
    }

    /// The keys of the annotators who judged, each once.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        let mut annotators: Vec<AnnotatorId> = self.rows().map(|row| row.annotator()).collect();
        annotators.dedup(); // judgments come annotator by annotator
        annotators.into_iter().filter_map(|annotator| self.people.get(&annotator)).map(String::as_str)
    }

    /// The judgments for which `holds` is true.
    fn retain(&self, holds: impl Fn(&JudgmentRow) -> bool) -> Judged<'a> {
        let rows = self.material.rows();
        let kept = self.rows.iter().filter(|at| rows.get(**at as usize).is_some_and(&holds)).copied();
        Judged { rows: kept.collect(), ..self.clone() }
    }

    /// Whether a judgment is about a chosen item.
    fn is_chosen(&self, row: &JudgmentRow) -> bool {
        let item = self.material.items.get(row.item as usize);
        self.chosen.as_ref().is_none_or(|chosen| item.is_some_and(|item| chosen.contains(&item.id)))
    }

    /// Whether only some of the items are chosen.
    pub fn is_part(&self) -> bool {
        self.is_part
    }

    /// Counts the half-answered judgments, which are in no number.
    pub fn half_answered(&self) -> usize {
        self.count_apart(|row| row.is_unfinished())
    }

    /// Counts the judgments that say that the item cannot be judged. Gold counts such items itself.
    pub fn set_aside(&self) -> usize {
        self.count_apart(|row| self.people.contains_key(&row.annotator()) && self.material.is_set_aside(row))
    }

    /// Counts the judgments that were given on texts that were revised since.
    pub fn outdated(&self) -> usize {
        self.count_apart(|row| self.material.is_outdated(row))
    }

    /// Counts the chosen judgments of these kinds, which are in no number and in no gold.
    fn count_apart(&self, is_apart: impl Fn(&JudgmentRow) -> bool) -> usize {
        let is_read = |one: &AnnotatorId| self.people.contains_key(one) || self.raters.contains(one);
        let rows = self.material.rows().iter().filter(|row| self.is_chosen(row));
        rows.filter(|row| is_read(&row.annotator()) && is_apart(row)).count()
    }

    /// A note on judgments of earlier snapshots, where some are left out.
    pub fn note_on_snapshots(&self) -> Option<String> {
        self.has_earlier.then(|| LAST_SNAPSHOTS.to_owned())
    }

    /// Notes on half-answered judgments, on items that cannot be judged, on revised texts, on earlier snapshots, on labels added later, and on
    /// gold; beside scores that these rules make.
    pub fn notes(&self, rules: &[ScoreRule]) -> Vec<String> {
        let told = |count: usize, what: &str| (count > 0).then(|| format!("{what}, in no number: {count}."));
        let half = told(self.half_answered(), "Half-answered judgments");
        let aside = told(self.set_aside(), "Judgments that say that it cannot be judged");
        let outdated =
            told(self.outdated(), "Judgments on texts that were revised since (--all-versions counts them)");
        let left_out = half.into_iter().chain(aside).chain(outdated).chain(self.note_on_snapshots());
        left_out.chain(self.label_notes(None, rules)).chain(self.note.clone()).collect()
    }

    /// Notes on labels of a question, or of any question, that were added after judgments had been given. A rule's filter does not
    /// hold of these judgments, which so count in its score.
    pub fn label_notes(&self, question: Option<&str>, rules: &[ScoreRule]) -> Vec<String> {
        let protocol = &self.material.protocol;
        let note = |change: &Change| {
            let labels: Vec<String> = change
                .adds
                .iter()
                .map(|value| protocol.renamed(change.version, &change.question, value))
                .filter(|value| protocol.since(&change.question, value) == Some(change.version))
                .collect();
            let is_earlier = |row: &&JudgmentRow| {
                self.material.other_version(row).is_some_and(|other| other.version < change.version)
            };
            let before = self.rows().filter(is_earlier).count();
            let is_asked = question.is_none_or(|question| question == change.question);
            let is_read = rules.iter().any(|rule| rule.reads(&change.question));
            let how = if is_read { "counted in scores as without it" } else { "in no share of it" };
            (before > 0 && is_asked && !labels.is_empty()).then(|| {
                format!(
                    "{}: {} can be given since version {}; judgments before it, {how}: {before}.",
                    change.question,
                    labels.join(", "),
                    change.version
                )
            })
        };
        protocol.changes.iter().filter_map(note).collect()
    }

    /// The judgments of these annotators only.
    pub fn only(&self, is_chosen: impl Fn(AnnotatorId) -> bool) -> Judged<'a> {
        self.retain(|row| is_chosen(row.annotator()))
    }

    /// Other judgments of the same items, by an annotator whom `give` names.
    pub fn others<'b>(
        &self,
        people: &'b BTreeMap<AnnotatorId, String>,
        give: impl FnOnce(&mut Material),
    ) -> Judged<'b> {
        let mut material = Material::new(self.material.protocol.clone(), Arc::clone(&self.material.items));
        give(&mut material);
        material.arrange();
        Judged { start: self.start, ..Judged::of(Arc::new(material), people) }
    }

    /// The row of an item of the material in the table of items.
    pub fn row_of(&self, place: u32) -> u32 {
        self.start.saturating_add(place)
    }

    /// The origin of a judgment.
    pub fn origin(&self, corpus: &CorpusIndex, judgment: &CountedJudgment<'_>) -> Option<Origin> {
        corpus.origin(judgment.target, judgment.name, self.row_of(judgment.place))
    }

    /// The judgments of each group of items, in the order of the groups.
    pub fn in_groups(&self, corpus: &CorpusIndex, by: &[By]) -> Vec<(GroupLabels, Judged<'a>)> {
        let origin = |(place, item): (u32, &ItemRow)| {
            Some((place, corpus.origin(&item.target, "", self.row_of(place))?))
        };
        let origins: Vec<(u32, Origin)> = (0..).zip(self.material.items.iter()).filter_map(origin).collect();
        let of_group = |(labels, members): (GroupLabels, Vec<&(u32, Origin)>)| {
            let mut is_member = vec![false; self.material.items.len()];
            members.into_iter().for_each(|(place, _)| is_member[*place as usize] = true); // a place of an item
            let judged = self.retain(|row| is_member.get(row.item as usize) == Some(&true));
            (!judged.is_empty()).then_some((labels, judged))
        };
        groups(&origins, |(_, origin)| origin, by).into_iter().filter_map(of_group).collect()
    }

    /// Calls `take` for each item, in the order of keys, with its place and its judgments by annotator.
    pub fn each_item(&self, mut take: impl FnMut(u32, &ItemRow, &[&JudgmentRow])) {
        let mut rows: Vec<&JudgmentRow> = self.rows().collect();
        // The sort is stable: within an item, rows stay by annotator.
        rows.sort_by_key(|row| row.item);
        for of_item in rows.chunk_by(|one, other| one.item == other.item) {
            let Some(place) = of_item.first().map(|row| row.item) else { continue };
            if let Some(item) = self.material.items.get(place as usize) {
                take(place, item, of_item);
            }
        }
    }

    /// Whether there is no judgment.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Every judgment, by the keys of annotator and item.
    pub fn each(&self) -> impl Iterator<Item = CountedJudgment<'_>> {
        self.rows().filter_map(|row| {
            let item = self.material.items.get(row.item as usize)?;
            Some(CountedJudgment {
                item: item.id,
                target: &item.target,
                annotator: row.annotator(),
                name: self.people.get(&row.annotator())?,
                answers: self.material.answers(row),
                place: row.item,
                seconds: row.seconds(),
                under: self.material.other_version(row),
            })
        })
    }

    /// Every judgment with its origin.
    pub fn items(&self, corpus: &CorpusIndex) -> Vec<ItemJudged> {
        let item = |judgment: CountedJudgment<'_>| {
            let origin = self.origin(corpus, &judgment)?;
            Some(ItemJudged { origin, answers: judgment.answers.clone(), under: judgment.under.cloned() })
        };
        self.each().filter_map(item).collect()
    }
}

/// Adds judgments that count, of known items; [`Material::arrange`] has to follow.
pub fn add(material: &mut Material, given: impl Iterator<Item = (AnnotatorId, ItemId, Answers)>) {
    let places: HashMap<ItemId, u32> = material.items.iter().map(|item| item.id).zip(0..).collect();
    for (annotator, item, answers) in given {
        if let Some(place) = places.get(&item) {
            let answers = material.place(answers);
            material.push_counted(*place, annotator, answers);
        }
    }
}

/// One annotator's judgments of one candidate.
pub struct CandidateJudged {
    /// The place of the candidate in [`AskedUnits::candidates`].
    pub place: usize,
    pub origin: Origin,
    pub id: CandidateId,
    /// For each unit of its query that the protocol takes, the place of the answers among all sets; `None` for units without
    /// an answer, which are open, not absent.
    pub sets: Vec<Option<usize>>,
}

/// The units asked about each candidate; they are the same for every annotator.
pub struct AskedUnits {
    /// For each item, the number of its pair of candidate and unit; [`NO_PLACE`] where it has none.
    pairs: Vec<u32>,
    /// For each pair, the index of its candidate or part in `candidates`.
    owners: Vec<u32>,
    pub candidates: Vec<AskedCandidate>,
}

/// A candidate, or the part of it whose units are in one group, and the units asked about it.
#[derive(Default)]
pub struct AskedCandidate {
    target: Option<Target>,
    /// The row of one of the candidate's items in the table of items.
    row: u32,
    /// For a part of a candidate, the target of one of its items.
    part: Option<Target>,
    /// The places of the units in the corpus.
    pub units: Vec<u32>,
    /// For each unit, the number of the pair; [`NO_PLACE`] where no item has it.
    pairs: Vec<u32>,
}

impl AskedCandidate {
    /// The sampling weight of each unit; empty where all weigh one.
    pub fn weights(&self, corpus: &CorpusIndex) -> Vec<f64> {
        let (Some(target), Some(_)) = (self.target, corpus.records.weighed_by) else { return Vec::new() };
        let weight = |place: &u32| {
            let unit = corpus.records.units.get(*place as usize).map(|(id, _)| *id);
            corpus.records.drawn(&Target { unit, ..target }).0
        };
        self.units.iter().map(weight).collect()
    }
}

impl AskedUnits {
    /// The units that the protocol asks about each candidate with an item.
    pub fn of(protocol: &Protocol, corpus: &CorpusIndex, judged: &Judged<'_>, by: &[By]) -> AskedUnits {
        let items = &judged.material.items;
        let units = &corpus.records.units;
        let pair = |(at, item): (usize, &ItemRow)| Some((item.target.candidate?, item.target.unit?, at));
        let mut about: Vec<(CandidateId, UnitId, usize)> =
            items.iter().enumerate().filter_map(pair).collect();
        about.sort_unstable();
        let pairs = vec![NO_PLACE; items.len()];
        let mut asked = AskedUnits { pairs, owners: Vec::new(), candidates: Vec::new() };
        let mut units_of: HashMap<(&str, &str), Vec<u32>> = HashMap::new();
        for (place, (_, unit)) in (0..).zip(units.iter()) {
            if protocol.takes_unit(&unit.kind) {
                units_of.entry((unit.collection.as_str(), unit.query.as_str())).or_default().push(place);
            }
        }
        let mut is_judged = vec![false; if judged.is_part() { items.len() } else { 0 }];
        judged.rows().for_each(|row| {
            if let Some(is_judged) = is_judged.get_mut(row.item as usize) {
                *is_judged = true;
            }
        });
        let group = |item: usize| -> Vec<Option<u32>> {
            by.iter().map(|by| by.code(judged.row_of(short(item)))).collect()
        };
        for of_candidate in about.chunk_by(|one, other| one.0 == other.0) {
            let first = of_candidate.first().and_then(|(id, _, item)| Some((corpus.candidate(*id)?, *item)));
            let Some((candidate, first)) = first else { continue };
            let Some(places) = units_of.get(&(candidate.collection.as_str(), candidate.query.as_str()))
            else {
                continue;
            };
            // For each unit: the number of the pair, whether it was judged, and its first item.
            let mut numbers: Vec<(UnitId, u32, bool, usize)> = Vec::with_capacity(of_candidate.len());
            for (_, unit, item) in of_candidate {
                if numbers.last().is_none_or(|(last, ..)| last != unit) {
                    numbers.push((*unit, short(asked.owners.len()), false, *item));
                    asked.owners.push(short(asked.candidates.len()));
                }
                if let Some((_, number, is_any, _)) = numbers.last_mut() {
                    asked.pairs[*item] = *number; // an index of the items
                    *is_any |= is_judged.get(*item).is_some_and(|is_judged| *is_judged);
                }
            }
            let start = asked.candidates.len();
            let mut groups: Vec<Vec<Option<u32>>> = Vec::new();
            for place in places {
                let Some((unit_id, unit)) = units.get(*place as usize) else { continue };
                let is_own = unit.candidate.as_ref().is_none_or(|key| *key == candidate.id);
                let found = numbers.binary_search_by_key(unit_id, |(unit, ..)| *unit).ok();
                let found = found.and_then(|at| numbers.get(at));
                // The asked units are the same for every annotator. With a filter it is not known which other items are open, so
                // only judged units count.
                let is_asked =
                    is_own && (!judged.is_part() || found.is_some_and(|(_, _, is_any, _)| *is_any));
                if !is_asked {
                    continue;
                }
                // A unit without an item belongs to the group of the first item.
                let item = found.map_or(first, |(.., item)| *item);
                let group = group(item);
                let part = groups.iter().position(|known| *known == group).unwrap_or_else(|| {
                    groups.push(group);
                    let (target, row) = (items.get(item).map(|item| item.target), judged.row_of(short(item)));
                    let part = target.filter(|_| groups.len() > 1);
                    let target = target.map(|target| target.whole());
                    asked.candidates.push(AskedCandidate { target, row, part, ..AskedCandidate::default() });
                    groups.len() - 1
                });
                let number = found.map_or(NO_PLACE, |(_, number, ..)| *number);
                if let Some(owner) = asked.owners.get_mut(number as usize) {
                    *owner = short(start + part);
                }
                if let Some(part) = asked.candidates.get_mut(start + part) {
                    part.units.push(*place);
                    part.pairs.push(number);
                }
            }
        }
        asked
    }

    /// Reads every candidate with a judgment, annotator by annotator, and for each annotator by first judgment, on all cores. A
    /// candidate whose units fall into several groups comes in parts.
    pub fn read<T: Send>(
        &self,
        corpus: &CorpusIndex,
        judged: &Judged<'_>,
        read: impl Fn(CandidateJudged) -> T + Sync,
    ) -> Vec<T> {
        let rows = judged.material.rows();
        let annotator = |at: &u32| rows.get(*at as usize).map(|row| row.annotator());
        let by_annotator: Vec<&[u32]> =
            judged.rows.chunk_by(|one, other| annotator(one) == annotator(other)).collect();
        let of_annotator = |places: &&[u32]| {
            let candidates = self.of_annotator(corpus, judged, places);
            let mut found = Vec::with_capacity(candidates.size_hint().1.unwrap_or(0));
            found.extend(candidates.map(&read));
            found
        };
        let parts: Vec<Vec<T>> = each_in_parallel(&by_annotator, of_annotator);
        let mut all = Vec::with_capacity(parts.iter().map(Vec::len).sum());
        parts.into_iter().for_each(|part| all.extend(part));
        all
    }

    /// The candidates that an annotator judged, given the places of all of the annotator's rows.
    fn of_annotator<'a>(
        &'a self,
        corpus: &'a CorpusIndex,
        judged: &'a Judged<'_>,
        places: &[u32],
    ) -> impl Iterator<Item = CandidateJudged> {
        let material = &judged.material;
        let mut said: Vec<Option<&JudgmentRow>> = vec![None; self.owners.len()];
        let mut begun: Vec<usize> = Vec::new();
        let mut is_begun = vec![false; self.candidates.len()];
        for row in places.iter().filter_map(|at| material.rows().get(*at as usize)) {
            let pair = self.pairs.get(row.item as usize).map_or(usize::MAX, |pair| *pair as usize);
            if let (Some(said), Some(owner)) = (said.get_mut(pair), self.owners.get(pair)) {
                let owner = *owner as usize;
                said.get_or_insert(row);
                if is_begun.get_mut(owner).is_some_and(|is_begun| !std::mem::replace(is_begun, true)) {
                    begun.push(owner);
                }
            }
        }
        let annotator =
            places.first().and_then(|at| material.rows().get(*at as usize)).map(|row| row.annotator());
        let candidate = move |at: usize| {
            let AskedCandidate { target, row, part, pairs, .. } = self.candidates.get(at)?;
            let target = target.as_ref()?;
            let set = |pair: &u32| said.get(*pair as usize).copied().flatten().map(JudgmentRow::answers);
            let origin = corpus.origin(target, judged.people.get(&annotator?)?, *row)?;
            let origin = Origin { part: part.or(origin.part), ..origin };
            let sets = pairs.iter().map(set).collect();
            Some(CandidateJudged { place: at, origin, id: target.candidate?, sets })
        };
        begun.into_iter().filter_map(candidate)
    }
}
