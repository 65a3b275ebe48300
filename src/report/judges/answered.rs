//! The answers of all annotators to one choice question, with measures that need no pair of annotators.

use std::collections::{BTreeMap, HashMap};

use indexmap::IndexSet;

use crate::agreement::{Drawn, Intervals, NumberRange, Undefined, whole_times};
use crate::journal::JudgmentRow;
use crate::number::short;
use crate::protocol::{Answer, Answers, Protocol, Question};
use crate::report::{ClusterKey, ClusterKeys, Judged};
use crate::score::{ClusterKind, JudgeBias, Mean, Measure, SummaryCompared, score_range, words_per_line};
use crate::store::ItemRow;
use crate::study::{AnnotatorId, Candidate, CandidateId, Corpus};

/// The answers to one choice question, with the linked bullets. Items are given by their places in the material.
pub struct AnsweredChoices<'a> {
    judged: &'a Judged<'a>,
    /// For each set of answers, its answer to the question and its link, if it answers the question.
    sets: Vec<Option<(&'a Answer, BulletLink)>>,
    /// Clusters by the wanted kind or the query, then by the kinds to fall back to.
    clusters: Vec<ItemClusters>,
    rows: BTreeMap<AnnotatorId, OwnAnswers<'a>>,
}

/// The answers of one annotator.
struct OwnAnswers<'a> {
    /// The judgments in the order of the items' keys.
    given: Vec<&'a JudgmentRow>,
    /// For each item the place of the answers; [`NOWHERE`] for most items.
    sets: Vec<u32>,
}

/// The clusters of items.
pub struct ItemClusters {
    pub kind: ClusterKind,
    /// The cluster of each item, numbered by first answer; [`NOWHERE`] for items without an answer.
    of_item: Vec<u32>,
    /// The number of clusters.
    pub number: usize,
    /// For each item, how often it counts, and its stratum; empty where all items count once.
    drawn: Vec<(u32, u32)>,
}

impl ItemClusters {
    /// How often an item counts, and the stratum that it was drawn from.
    pub fn drawn(&self, item: u32) -> (u32, u32) {
        self.drawn.get(item as usize).copied().unwrap_or((1, 0))
    }

    /// The cluster of an item that was answered.
    pub fn of(&self, item: u32) -> u32 {
        self.of_item.get(item as usize).copied().unwrap_or(NOWHERE)
    }
}

/// Stands for a place where there is none.
const NOWHERE: u32 = u32::MAX;

/// An annotator's answer on an item.
#[derive(Clone, Copy)]
pub struct GivenAnswer {
    /// The place of the item.
    pub item: u32,
    /// The place of the judgment's set of answers.
    pub set: usize,
    pub link: BulletLink,
}

/// The bullets that an answer is linked to.
#[derive(Clone, Copy, PartialEq)]
pub enum BulletLink {
    One(u32),
    /// A list of bullets, so no single one.
    List,
    None,
}

impl BulletLink {
    /// The bullet, where it is a single one.
    pub fn single(self) -> Option<u32> {
        if let BulletLink::One(number) = self { Some(number) } else { None }
    }
}

/// The clusters of the items at these places, numbered in this order.
fn numbered(keys: &ClusterKeys, items: &[ItemRow], order: &[u32], drawn: &[(u32, u32)]) -> ItemClusters {
    let mut clusters: IndexSet<ClusterKey<'_>> = IndexSet::new();
    let mut of_item = vec![NOWHERE; items.len()];
    for (number, item) in
        order.iter().filter_map(|place| Some((*place as usize, items.get(*place as usize)?)))
    {
        of_item[number] = short(clusters.insert_full(keys.of(item)).0);
    }
    ItemClusters { kind: keys.kind(), of_item, number: clusters.len(), drawn: drawn.to_vec() }
}

impl<'a> AnsweredChoices<'a> {
    /// The answers of everyone to a question of the protocol.
    pub fn read(
        protocol: &Protocol,
        question: &Question,
        judged: &'a Judged<'a>,
        (keys, records): (&[ClusterKeys], &Corpus),
    ) -> AnsweredChoices<'a> {
        let links = protocol.links_of(question);
        let said = |answers: &'a Answers| {
            let answer @ Answer::Text(_) = answers.get(&question.key)? else { return None };
            let link = match links.and_then(|links| answers.get(&links.key)) {
                Some(Answer::Bullet(number)) => BulletLink::One(*number),
                Some(Answer::Bullets(_)) => BulletLink::List,
                _ => BulletLink::None,
            };
            Some((answer, link))
        };
        let sets: Vec<_> = judged.material.answer_sets().iter().map(said).collect();
        let items = &judged.material.items;
        let mut rows: BTreeMap<AnnotatorId, OwnAnswers<'a>> = BTreeMap::new();
        let mut order = Vec::new();
        for row in judged.rows() {
            let place = row.item as usize;
            let (Some(Some(_)), true) = (sets.get(row.answers()), place < items.len()) else { continue };
            order.push(row.item);
            let own = rows
                .entry(row.annotator())
                .or_insert_with(|| OwnAnswers { given: Vec::new(), sets: vec![NOWHERE; items.len()] });
            // Sets are fewer than 2³².
            own.sets[place] = short(row.answers());
            own.given.push(row);
        }
        let drawn =
            records.weighed_by.map(|_| items.iter().map(|item| Drawn::from(records.drawn(&item.target))));
        let drawn = drawn.map_or_else(Vec::new, |drawn| whole_times(&drawn.collect::<Vec<Drawn>>()));
        let clusters = keys.iter().map(|keys| numbered(keys, items, &order, &drawn)).collect();
        AnsweredChoices { judged, sets, clusters, rows }
    }

    /// The number of items.
    pub fn items(&self) -> usize {
        self.judged.material.items.len()
    }

    /// The clusters of items: by the wanted kind or the query, then by the kinds to fall back to.
    pub fn clusters(&self) -> &[ItemClusters] {
        &self.clusters
    }

    /// Applies `read` to each set of answers that answers the question.
    pub fn each_set<T>(&self, read: impl Fn(&Answer) -> Option<T>) -> Vec<Option<T>> {
        self.sets.iter().map(|said| read(said.as_ref()?.0)).collect()
    }

    /// Whether this annotator answered anything.
    pub fn by(&self, annotator: AnnotatorId) -> bool {
        self.rows.contains_key(&annotator)
    }

    /// The answer of an annotator on an item.
    fn on(&self, annotator: AnnotatorId, item: u32) -> Option<GivenAnswer> {
        self.given_of(self.rows.get(&annotator)?, item)
    }

    /// The answers of an annotator, in the order of the items' keys.
    pub fn given(&self, annotator: AnnotatorId) -> impl Iterator<Item = GivenAnswer> {
        let own = self.rows.get(&annotator);
        own.into_iter().flat_map(|own| (0..).zip(&own.sets)).filter_map(|(item, set)| self.said(item, *set))
    }

    fn given_of(&self, own: &OwnAnswers<'_>, item: u32) -> Option<GivenAnswer> {
        self.said(item, *own.sets.get(item as usize)?)
    }

    fn said(&self, item: u32, set: u32) -> Option<GivenAnswer> {
        let set = set as usize;
        let (_, link) = (*self.sets.get(set)?)?;
        Some(GivenAnswer { item, set, link })
    }

    /// The answers of two annotators on the items that both judged.
    pub fn both(&self, a: AnnotatorId, b: AnnotatorId) -> impl Iterator<Item = (GivenAnswer, GivenAnswer)> {
        let others = self.rows.get(&b);
        self.given(a).filter_map(move |given| Some((given, self.given_of(others?, given.item)?)))
    }

    /// For each item, how many of these annotators judged it.
    pub fn counts(&self, annotators: &[AnnotatorId]) -> Vec<usize> {
        let mut counts = vec![0; self.items()];
        for row in annotators.iter().filter_map(|id| self.rows.get(id)).flat_map(|own| &own.given) {
            counts[row.item as usize] += 1; // one an item
        }
        counts
    }

    /// The seconds that one person needs to judge all items of these people once, the number of timed items, and that of all
    /// items. The time of an item is the mean over people; items without a time count with the mean of the timed ones.
    pub fn one_pass(&self, people: &[AnnotatorId]) -> (Measure, usize, usize) {
        let mut items: Vec<Option<Mean>> = vec![None; self.items()];
        let mut order = Vec::new();
        for row in people.iter().filter_map(|person| self.rows.get(person)).flat_map(|own| &own.given) {
            let Some(times) = items.get_mut(row.item as usize) else { continue };
            let times = times.get_or_insert_with(|| {
                order.push(row.item);
                Mean::default()
            });
            times.extend(row.seconds());
        }
        let time = |item: &u32| items.get(*item as usize).copied().flatten()?.or(Undefined::NoTimes).ok();
        let timed: Vec<f64> = order.iter().filter_map(time).collect();
        let mean = timed.iter().copied().collect::<Mean>().or(Undefined::NoTimes);
        (mean.map(|mean| mean * order.len() as f64), timed.len(), order.len())
    }

    /// The bias of a judge against people on a question whose choices have scores, scaled from 0 for the least to 1 for the
    /// greatest. Summaries are compared over the items that the judge and a person judged; people count with their mean.
    pub fn bias(
        &self,
        question: &Question,
        people: &[AnnotatorId],
        judge: AnnotatorId,
        (candidates, intervals): (&BTreeMap<CandidateId, Candidate>, Intervals),
    ) -> Option<JudgeBias> {
        let Some(NumberRange::Between(least, greatest)) = score_range(question) else { return None };
        let scores: HashMap<&str, f64> = question
            .choices()
            .iter()
            .filter_map(|choice| Some((choice.value.as_str(), (choice.score? - least) / (greatest - least))))
            .collect();
        let scores = self.each_set(|answer| scores.get(answer.as_text()?).copied());
        let score = |given: GivenAnswer| scores.get(given.set).copied().flatten();
        // The means of both sides for each summary, in the order of keys.
        let mut means: Vec<(CandidateId, u32, [Mean; 2])> = Vec::new();
        let mut places: HashMap<CandidateId, usize> = HashMap::new();
        for machine in self.given(judge) {
            let GivenAnswer { item, .. } = machine;
            let cluster = self.clusters.first().map_or(NOWHERE, |clusters| clusters.of(item));
            let candidate =
                self.judged.material.items.get(item as usize).and_then(|item| item.target.candidate);
            let said = people.iter().filter_map(|person| score(self.on(*person, item)?));
            let human = said.collect::<Mean>().or(Undefined::NothingJudged).ok();
            if let (Some(candidate), Some(machine), Some(human)) = (candidate, score(machine), human) {
                let place = *places.entry(candidate).or_insert(means.len());
                if place == means.len() {
                    means.push((candidate, cluster, [Mean::default(); 2]));
                }
                if let Some((.., [judge, people])) = means.get_mut(place) {
                    judge.add(machine);
                    people.add(human);
                }
            }
        }
        let compared = |(id, cluster, [judge, human]): (CandidateId, u32, [Mean; 2])| {
            let candidate = candidates.get(&id)?;
            Some(SummaryCompared {
                cluster,
                summarizer: candidate.summarizer.clone().unwrap_or_else(|| "unnamed".to_owned()),
                words_per_line: words_per_line(&candidate.text),
                judge: judge.or(Undefined::NothingJudged).ok()?,
                human: human.or(Undefined::NothingJudged).ok()?,
            })
        };
        let summaries: Vec<SummaryCompared> = means.into_iter().filter_map(compared).collect();
        (!summaries.is_empty()).then(|| JudgeBias::of(&summaries, intervals))
    }
}
