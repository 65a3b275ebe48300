//! Which items are gone through, and in which order.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use indexmap::IndexSet;

use super::{Order, versions};
use crate::app::screens::adjudicate::DisputedItem;
use crate::error::Result;
use crate::journal::{Decision, GoToEntry, ItemState, Outcome, say_the_same};
use crate::protocol::{Answers, Protocol, TargetPart};
use crate::report::GoldBy;
use crate::store::{ItemRow, StudyFile, Target};
use crate::study::{AnnotatorId, ItemId};

/// The items that the rule leaves open although two judged them, and those that are settled already.
pub fn contested(
    study: &StudyFile,
    protocol: &Protocol,
    by: &GoldBy,
    order: Order,
) -> Result<Vec<DisputedItem>> {
    let material = study.material(protocol, versions(protocol))?;
    let decisions = study.decisions(&protocol.name)?;
    let mut difficulty: HashMap<ItemId, (u64, u64)> = HashMap::new();
    for (item, rows) in material.counted_by_item(|annotator| by.raters.contains(&annotator)) {
        let given = rows.iter().map(|row| protocol.without_side(material.answers(row)));
        let given: Vec<Cow<'_, Answers>> = given.collect();
        let given: Vec<&Answers> = given.iter().map(AsRef::as_ref).collect();
        let is_open = rows.len() > 1 && by.rule.outcome(&given, None).0 == Outcome::Unresolved;
        if is_open || decisions.contains_key(&item.id) {
            difficulty.insert(item.id, difficulty_of(&given, protocol));
        }
    }
    for item in decisions.keys() {
        difficulty.entry(*item).or_default();
    }
    let mut items = study.items(&protocol.name)?;
    items.retain(|item| difficulty.contains_key(&item.id));
    if order == Order::Hardest {
        items.sort_by_key(|item| std::cmp::Reverse(difficulty.get(&item.id).copied()));
    }
    let state = |item: ItemId| state_of(decisions.get(&item), protocol);
    let decided =
        |item: ItemId| decisions.get(&item).and_then(|decision| decision.answers(protocol)).cloned();
    let mut places = places(study, protocol, &items, state, |_| None)?;
    places.iter_mut().for_each(|place| place.decided = decided(place.item).unwrap_or_default());
    Ok(places)
}

/// The contested items among `items`, in the order of `items`.
pub fn contested_among(
    study: &StudyFile,
    protocol: &Protocol,
    by: &GoldBy,
    items: &[ItemId],
) -> Result<Vec<DisputedItem>> {
    let mut places = contested(study, protocol, by, Order::Given)?;
    let place_of: HashMap<ItemId, usize> = items.iter().enumerate().map(|(at, item)| (*item, at)).collect();
    places.retain(|place| place_of.contains_key(&place.item));
    places.sort_by_key(|place| place_of.get(&place.item).copied());
    places.iter_mut().enumerate().for_each(|(position, place)| place.entry.position = position);
    Ok(places)
}

/// The items whose gold differs from what the annotator answered.
pub fn differing(
    study: &StudyFile,
    protocol: &Protocol,
    by: &GoldBy,
    annotator: AnnotatorId,
) -> Result<Vec<DisputedItem>> {
    let material = study.material(protocol, versions(protocol))?;
    let own = material.rows().iter().filter(|row| row.counts() && row.annotator() == annotator);
    let own: HashMap<ItemId, &Answers> =
        own.map(|row| (material.item(row).id, material.answers(row))).collect();
    let mut gold: BTreeMap<ItemId, (Outcome, Answers)> = BTreeMap::new();
    for item in by.read(study, protocol, versions(protocol))? {
        if let (Some(answers), Some(own)) = (item.answers, own.get(&item.item))
            && !say_the_same(&answers, &protocol.without_side(own))
        {
            gold.insert(item.item, (item.outcome, answers));
        }
    }
    let mut items = study.items(&protocol.name)?;
    items.retain(|item| gold.contains_key(&item.id));
    places(study, protocol, &items, |_| ItemState::Judged, |item| gold.get(&item).cloned())
}

fn state_of(decision: Option<&Decision>, protocol: &Protocol) -> ItemState {
    match decision {
        Some(decision) if decision.answers(protocol).is_some() => ItemState::Judged,
        Some(decision) if decision.verdict.is_put_aside => ItemState::Skipped,
        _ => ItemState::Open,
    }
}

/// How hard an item is: how many of a thousand say something else than most do, and how far apart the answers to
/// the main question are, in thousandths of its scale.
fn difficulty_of(given: &[&Answers], protocol: &Protocol) -> (u64, u64) {
    let votes = |answers: &&Answers| given.iter().filter(|other| say_the_same(answers, other)).count();
    let most = given.iter().map(votes).max().unwrap_or(0);
    let others = given.len().saturating_sub(most) * 1_000 / given.len().max(1);
    let choices = protocol.main_question().map_or(&[][..], |question| question.choices());
    let key = protocol.main_question().map(|question| &question.key);
    let place = |answers: &&Answers| {
        let value = answers.get(key?)?.as_text()?;
        choices.iter().position(|choice| choice.value == value)
    };
    let places: Vec<usize> = given.iter().filter_map(place).collect();
    let apart = places.iter().max().zip(places.iter().min()).map_or(0, |(last, first)| last - first);
    let apart = apart * 1_000 / choices.len().saturating_sub(1).max(1);
    (others as u64, apart as u64)
}

/// The items as they are gone through, each with its line for the go-to list.
fn places(
    study: &StudyFile,
    protocol: &Protocol,
    items: &[ItemRow],
    state: impl Fn(ItemId) -> ItemState,
    gold: impl Fn(ItemId) -> Option<(Outcome, Answers)>,
) -> Result<Vec<DisputedItem>> {
    let mut texts = ItemTexts::read(study)?;
    let mut groups: IndexSet<(i64, i64)> = IndexSet::new();
    let place = |(position, item): (usize, &ItemRow)| {
        let group = groups.insert_full(group_of(&item.target, protocol)).0 + 1;
        DisputedItem {
            item: item.id,
            entry: GoToEntry {
                position,
                query: texts.query(&item.target),
                unit: texts.name(&item.target),
                group,
                state: state(item.id),
                flagged: false,
            },
            decided: Answers::new(),
            gold: gold(item.id),
        }
    };
    Ok(items.iter().enumerate().map(place).collect())
}

/// The group of an item: a summary, or a query.
fn group_of(target: &Target, protocol: &Protocol) -> (i64, i64) {
    let by_candidate = matches!(protocol.group, TargetPart::Candidate | TargetPart::Bullet);
    (target.query.0, target.candidate.filter(|_| by_candidate).map_or(0, |candidate| candidate.0))
}

/// Texts that tell items apart in the go-to list.
struct ItemTexts {
    queries: HashMap<i64, String>,
    units: HashMap<i64, String>,
    candidates: HashMap<i64, String>,
    documents: HashMap<i64, String>,
}

/// Characters of a candidate that tell it apart.
const GLANCE: usize = 200;

impl ItemTexts {
    fn read(study: &StudyFile) -> Result<ItemTexts> {
        let queries = study.queries()?.into_iter().map(|(id, query)| (id.0, query.text));
        let units = study.units()?.into_iter().map(|(id, unit)| (id.0, unit.text));
        let candidates = study
            .candidates()?
            .into_iter()
            .map(|(id, candidate)| (id.0, candidate.text.chars().take(GLANCE).collect::<String>()));
        let documents =
            study.document_heads()?.into_iter().map(|head| (head.id.0, format!("document {}", head.number)));
        Ok(ItemTexts {
            queries: queries.collect(),
            units: units.collect(),
            candidates: candidates.collect(),
            documents: documents.collect(),
        })
    }

    fn query(&mut self, target: &Target) -> String {
        self.queries.get(&target.query.0).cloned().unwrap_or_default()
    }

    fn name(&mut self, target: &Target) -> String {
        let unit = target.unit.and_then(|id| self.units.get(&id.0));
        let document = || target.document.and_then(|id| self.documents.get(&id.0));
        let candidate = || target.candidate.and_then(|id| self.candidates.get(&id.0));
        unit.or_else(document).or_else(candidate).cloned().unwrap_or_default()
    }
}
