//! Views: the sets of judgments under which systems are ranked.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::super::{Scope, first_of};
use crate::error::Result;
use crate::journal::{ConsensusRule, Material, Outcome};
use crate::protocol::{Answers, Protocol};
use crate::report::{Judged, choose, counted, gold, judged, parts, protocols};
use crate::score::majority;
use crate::store::{GOLD, GoldItem, GoldSource, StudyFile};
use crate::study::{AnnotatorId, AnnotatorKind, ItemId, ItemRow};
use crate::text::natural::by_name;
use crate::text::person::GOLD_NAME;

/// The id of the majority as an annotator; no annotator of a study has it.
pub const MAJORITY: AnnotatorId = AnnotatorId(-1);

/// The most annotators with rankings of their own, since each two are compared.
const MOST_ALONE: usize = 100;

/// The annotators that are looked at.
pub struct Everyone {
    pub names: BTreeMap<AnnotatorId, String>,
    kinds: BTreeMap<AnnotatorId, AnnotatorKind>,
}

impl Everyone {
    /// The annotators with these names; without names, all but those of answers that a judge gave again.
    pub fn read(study: &StudyFile, names: &[String]) -> Result<Everyone> {
        let all = study.annotators_by_key()?;
        // Gold is ranked without being named.
        let is_gold =
            |name: &String| name == GOLD_NAME && all.iter().all(|(_, annotator)| annotator.id != GOLD_NAME);
        let names: Vec<String> = names.iter().filter(|name| !is_gold(name)).cloned().collect();
        let kinds = all.iter().map(|(id, annotator)| (*id, annotator.kind)).collect();
        let names = match names.as_slice() {
            [] => all
                .into_iter()
                .filter(|(_, annotator)| annotator.again_of().is_none())
                .map(|(id, annotator)| (id, annotator.id))
                .collect(),
            names => choose(study, names)?.annotators.into_iter().collect(),
        };
        Ok(Everyone { names, kinds })
    }

    fn is_person(&self, annotator: AnnotatorId) -> bool {
        self.kinds.get(&annotator) == Some(&AnnotatorKind::Human)
    }
}

named! {
    /// The kind of a view.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Whose {
        /// Gold: answers on which everyone agrees, and decided answers.
        Gold = "gold",
        /// The judgments of all people, averaged item by item, as `score` does by default.
        People = "people",
        /// The answers of the majority of people.
        Majority = "majority",
        Person = "human",
        Judge = "model",
    }
}

impl Whose {
    /// Whether the view holds judgments as annotators gave them; gold and the majority are derived.
    pub fn is_somebodys(self) -> bool {
        matches!(self, Whose::People | Whose::Person | Whose::Judge)
    }
}

/// A named set of judgments.
pub struct JudgedView<'a> {
    pub name: String,
    pub whose: Whose,
    pub judged: Judged<'a>,
    /// The names of the view's annotators.
    pub people: &'a BTreeMap<AnnotatorId, String>,
    /// What gold or the majority says under other protocols that the scores read.
    pub elsewhere: Vec<Arc<Material>>,
}

/// All views; the others are compared with the first.
pub struct Views<'a> {
    pub all: Vec<JudgedView<'a>>,
    /// Counts behind the majority; `None` with fewer than two people.
    decided: Option<MajorityCounts>,
    /// Gold; `None` where nothing was adjudicated and no rule was named.
    gold: Option<Gold>,
    /// Whether a rule for gold was named.
    pub asks_for_gold: bool,
    /// The number of annotators who judged and have no ranking of their own.
    left_out: usize,
}

/// Counts behind the majority.
#[derive(Debug, Default)]
pub struct MajorityCounts {
    /// Items that two people or more judged.
    several: usize,
    /// Items that one person judged, whose answers are taken.
    one: usize,
    tied: TiedItems,
}

/// The items without a majority, by question. That of another protocol has its name before it.
type TiedItems = BTreeMap<String, Vec<String>>;

impl<'a> Views<'a> {
    /// The views of the judgments under a protocol. `made` has the names of gold and the majority as annotators.
    pub fn of(
        scope: &Scope<'a>,
        everyone: &Everyone,
        made: &'a BTreeMap<AnnotatorId, String>,
    ) -> Result<Views<'a>> {
        let people = scope.judged.only(|annotator| everyone.is_person(annotator));
        let view = |name: &str, whose, judged| JudgedView {
            name: name.to_owned(),
            whose,
            judged,
            people: scope.people,
            elsewhere: Vec::new(),
        };
        let mut work: BTreeMap<AnnotatorId, usize> = BTreeMap::new();
        scope.judged.rows().for_each(|row| *work.entry(row.annotator()).or_default() += 1);
        let judging = work.len();
        if judging > MOST_ALONE {
            let mut most: Vec<(AnnotatorId, usize)> = work.into_iter().collect();
            most.sort_by_key(|(id, judgments)| (Reverse(*judgments), *id));
            work = most.into_iter().take(MOST_ALONE).collect();
        }
        let mut single: Vec<JudgedView<'a>> = Vec::new();
        for wanted in [Whose::Person, Whose::Judge] {
            let of_kind = |id: AnnotatorId| everyone.is_person(id) == (wanted == Whose::Person);
            let mut of_kind: Vec<(&AnnotatorId, &String)> =
                scope.people.iter().filter(|(id, _)| of_kind(**id) && work.contains_key(id)).collect();
            of_kind.sort_by(|(_, one), (_, other)| by_name(one, other));
            for (id, name) in of_kind {
                let judged = scope.judged.only(|annotator| annotator == *id);
                if !judged.is_empty() {
                    single.push(view(name, wanted, judged));
                }
            }
        }
        let persons = single.iter().filter(|view| view.whose == Whose::Person).count();
        let left_out = judging - single.len();
        let mut all = Vec::new();
        let mut decided = None;
        let read = scope.rules().into_iter().filter_map(|rule| rule.other_protocol().map(str::to_owned));
        let read: BTreeSet<String> = read.collect();
        let mut others = protocols::all(scope.study)?;
        others.retain(|protocol| read.contains(&protocol.name));
        let nobodys =
            |whose: Whose, judged: Judged<'a>, tied: &mut TiedItems| -> Result<Option<JudgedView<'a>>> {
                let elsewhere = |protocol: &Protocol| -> Result<Arc<Material>> {
                    let judged = &Judged::read(scope.frame, protocol, scope.people, None, scope.part)?;
                    let scope = Scope { protocol, judged, ..*scope };
                    let people = judged.only(|annotator| everyone.is_person(annotator));
                    let given = if whose == Whose::Gold { Some(Gold::made(&scope, everyone)?) } else { None };
                    let mut counts = MajorityCounts::default();
                    let judged = people.others(made, |material| match &given {
                        Some(gold) => judged::add(material, gold.given()),
                        None => most(&scope, &people, &mut counts, material),
                    });
                    let of_protocol = |(question, items)| (format!("{}.{question}", protocol.name), items);
                    tied.extend(counts.tied.into_iter().map(of_protocol));
                    Ok(judged.material)
                };
                // Nothing is known where all is tied.
                if judged.material.answer_sets().iter().all(Answers::is_empty) {
                    return Ok(None);
                }
                let (name, elsewhere) = (whose.name().to_owned(), others.iter().map(elsewhere));
                Ok(Some(JudgedView {
                    name,
                    whose,
                    judged,
                    people: made,
                    elsewhere: elsewhere.collect::<Result<_>>()?,
                }))
            };
        let gold = Gold::read(scope, everyone)?;
        if let Some(gold) = &gold {
            let judged = people.others(made, |material| judged::add(material, gold.given()));
            all.extend(nobodys(Whose::Gold, judged, &mut TiedItems::new())?);
        }
        if persons > 1 {
            let mut counts = MajorityCounts::default();
            let judged = people.others(made, |material| most(scope, &people, &mut counts, material));
            all.push(view("all people", Whose::People, people));
            all.extend(nobodys(Whose::Majority, judged, &mut counts.tied)?);
            decided = Some(counts);
        }
        all.extend(single);
        Ok(Views { all, decided, gold, asks_for_gold: scope.asked.rule.is_some(), left_out })
    }

    /// Notes on gold, on annotators left out, and on the majority.
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.gold.iter().map(Gold::note).collect();
        if self.left_out > 0 {
            notes.push(format!(
                "The {MOST_ALONE} annotators who judged the most have rankings of their own; {} more do not. --annotators \
                 each,NAME,… ranks under others.",
                self.left_out
            ));
        }
        let Some(decided) = &self.decided else { return notes };
        notes.extend([
            "all people: an item counts with the mean of what people said of it, as in `haymark score`.".to_owned(),
            format!(
                "majority: what more than half of the people said of an item. Items that two or more judged: {}; that one \
                 judged, whose answers stand: {}.",
                decided.several, decided.one
            ),
        ]);
        for (question, items) in &decided.tied {
            let (count, listed) = (items.len(), first_of(items.iter().cloned()));
            notes.push(format!(
                "Items without a majority for {question}, left out there: {count} ({listed})."
            ));
        }
        notes
    }

    /// Facts about gold, for programs.
    pub fn gold_json(&self) -> Value {
        let Some(gold) = &self.gold else { return Value::Null };
        let count = |outcome: Outcome| gold.items.iter().filter(|item| item.outcome == outcome).count();
        let counts =
            Outcome::ALL.into_iter().map(|outcome| (outcome.name().to_owned(), json!(count(outcome))));
        json!({"rule": gold.rule.to_string(), "items": counts.collect::<Map<String, Value>>()})
    }

    /// Facts about the majority, for programs.
    pub fn decided_json(&self) -> Value {
        match &self.decided {
            None => Value::Null,
            Some(decided) => json!({
                "judged_by_several": decided.several,
                "judged_by_one": decided.one,
                "tied": decided.tied,
            }),
        }
    }
}

/// Gold from the judgments of the people that are looked at.
struct Gold {
    items: Vec<GoldItem>,
    rule: ConsensusRule,
}

impl Gold {
    /// Gold under the protocol; `None` where nothing was decided and no rule was named.
    fn read(scope: &Scope<'_>, everyone: &Everyone) -> Result<Option<Gold>> {
        let asked = scope.asked;
        if asked.rule.is_none() && scope.study.decisions(&scope.protocol.name)?.is_empty() {
            return Ok(None);
        }
        let gold = Gold::made(scope, everyone)?;
        let is_decided = |item: &GoldItem| item.outcome == Outcome::Adjudicated;
        Ok((asked.rule.is_some() || gold.items.iter().any(is_decided)).then_some(gold))
    }

    /// Gold under the protocol.
    fn made(scope: &Scope<'_>, everyone: &Everyone) -> Result<Gold> {
        let mut people: Vec<AnnotatorId> =
            everyone.names.keys().copied().filter(|annotator| everyone.is_person(*annotator)).collect();
        people.sort_by_key(|annotator| everyone.names.get(annotator));
        let (protocol, asked) = (scope.protocol, scope.asked);
        let versions = counted(protocol, asked.part.all_versions);
        let rule = asked.rule.unwrap_or_default();
        let items = scope.study.gold(&GoldSource { protocol, annotators: &people, versions, rule })?;
        Ok(Gold { items, rule })
    }

    fn given(&self) -> impl Iterator<Item = (AnnotatorId, ItemId, Answers)> {
        let given = |item: &GoldItem| Some((GOLD, item.item, item.answers.clone()?));
        self.items.iter().filter_map(given).filter(|(.., answers)| !answers.is_empty())
    }

    fn note(&self) -> String {
        gold::note(&self.items, self.rule, "are left out")
    }
}

/// Adds the majority's answers, and counts the items behind them.
fn most(scope: &Scope<'_>, people: &Judged<'_>, counts: &mut MajorityCounts, material: &mut Material) {
    let shared = scope.corpus.shared_queries();
    people.each_item(|place, item, judgments| {
        let given: Vec<&Answers> = judgments.iter().map(|row| people.material.answers(row)).collect();
        match given.len() {
            1 => counts.one += 1,
            _ => counts.several += 1,
        }
        let found = majority(scope.protocol, &given);
        for question in &found.tied {
            counts.tied.entry(question.clone()).or_default().push(name_of(scope, shared, item));
        }
        if !(found.answers.is_empty() && found.tied.is_empty()) {
            let answers = material.place_tied(found.answers, found.tied);
            material.push_counted(place, MAJORITY, answers);
        }
    });
    counts.tied.values_mut().for_each(|names| names.sort());
}

/// The name of an item by its keys, with the collection where several collections have the query.
fn name_of(scope: &Scope<'_>, shared: &HashSet<String>, item: &ItemRow) -> String {
    let Some(keys) = scope.corpus.keys(&item.target) else {
        return format!("item {}", item.id.0);
    };
    let query = match shared.contains(keys.query.as_str()) {
        true => format!("{}/{}", keys.collection, keys.query),
        false => keys.query.clone(),
    };
    let named = parts(keys);
    if named.is_empty() { query } else { format!("{query}: {}", named.join(", ")) }
}
