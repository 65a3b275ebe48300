//! What everyone answered to one choice question, and what follows from it without any pair of annotators.

use std::collections::{BTreeMap, HashMap};

use crate::agreement::{Intervals, Range, Undefined};
use crate::protocol::{Answer, Protocol, Question};
use crate::report::clusters::{ClusterKey, ClusterKeys};
use crate::report::judged::Judged;
use crate::score::{JudgeBias, Mean, Measure, SummaryCompared, score_range, words_per_line};
use crate::study::{AnnotatorId, Candidate, CandidateId, ItemId};

/// The answers to one choice question, with the bullets that hang on it.
pub struct Answered<'a> {
    rows: BTreeMap<AnnotatorId, Own<'a>>,
}

/// What one annotator answered.
#[derive(Default)]
struct Own<'a> {
    /// In the order of the items' keys.
    given: Vec<(ItemId, Given<'a>)>,
    /// Where each item stands among them.
    places: HashMap<ItemId, usize>,
}

/// One answer.
pub struct Given<'a> {
    pub answer: &'a Answer,
    /// The number of what the item hangs together with.
    pub cluster: u32,
    pub candidate: Option<CandidateId>,
    pub link: Link,
    /// Active seconds on the judgment, where known.
    pub seconds: Option<f64>,
}

/// What an answer says of bullets.
#[derive(Clone, Copy, PartialEq)]
pub enum Link {
    One(u32),
    /// A list, which names no single bullet.
    List,
    None,
}

impl Link {
    /// The bullet, where it is a single one.
    pub fn single(self) -> Option<u32> {
        if let Link::One(number) = self { Some(number) } else { None }
    }
}

impl<'a> Answered<'a> {
    /// The answers of everyone to a question of the protocol.
    pub fn read(
        protocol: &Protocol,
        question: &Question,
        judged: &'a Judged<'_>,
        keys: &'a ClusterKeys,
    ) -> Answered<'a> {
        let links = protocol.links_of(question);
        let mut clusters: HashMap<ClusterKey<'a>, u32> = HashMap::new();
        let mut rows: BTreeMap<AnnotatorId, Own<'a>> = BTreeMap::new();
        for judgment in judged.each() {
            let Some(answer @ Answer::Text(_)) = judgment.answers.get(&question.key) else {
                continue;
            };
            let link = match links.and_then(|links| judgment.answers.get(&links.key)) {
                Some(Answer::Bullet(number)) => Link::One(*number),
                Some(Answer::Bullets(_)) => Link::List,
                _ => Link::None,
            };
            let Some(item) = judged.material.items.get(judgment.place as usize) else { continue };
            let next = u32::try_from(clusters.len()).unwrap_or(u32::MAX);
            let cluster = *clusters.entry(keys.of(item)).or_insert(next);
            let candidate = judgment.target.candidate;
            let given = Given { answer, cluster, candidate, link, seconds: judgment.seconds };
            let own = rows.entry(judgment.annotator).or_default();
            own.places.insert(judgment.item, own.given.len());
            own.given.push((judgment.item, given));
        }
        Answered { rows }
    }

    /// Whether this annotator answered anything.
    pub fn by(&self, annotator: AnnotatorId) -> bool {
        self.rows.contains_key(&annotator)
    }

    /// What an annotator said of an item.
    fn on(&self, annotator: AnnotatorId, item: ItemId) -> Option<&Given<'a>> {
        let own = self.rows.get(&annotator)?;
        own.given.get(*own.places.get(&item)?).map(|(_, given)| given)
    }

    fn given(&self, annotator: AnnotatorId) -> impl Iterator<Item = &(ItemId, Given<'a>)> {
        self.rows.get(&annotator).into_iter().flat_map(|own| &own.given)
    }

    /// What two annotators said of the items that both judged.
    pub fn both(
        &self,
        a: AnnotatorId,
        b: AnnotatorId,
    ) -> impl Iterator<Item = (ItemId, &Given<'a>, &Given<'a>)> {
        self.given(a).filter_map(move |(item, given)| Some((*item, given, self.on(b, *item)?)))
    }

    /// How many of these judged an item.
    pub fn count(&self, annotators: &[AnnotatorId], item: ItemId) -> usize {
        annotators.iter().filter(|annotator| self.on(**annotator, item).is_some()).count()
    }

    /// How long one pass of one person over all items of these people takes, and over how many items their times are known: the
    /// mean over the timed items of the mean of those who judged each, times the items.
    pub fn one_pass(&self, people: &[AnnotatorId]) -> (Measure, usize, usize) {
        let mut items: HashMap<ItemId, Mean> = HashMap::new();
        let mut order = Vec::new();
        for (item, given) in people.iter().flat_map(|person| self.given(*person)) {
            let times = items.entry(*item).or_insert_with(|| {
                order.push(*item);
                Mean::default()
            });
            times.extend(given.seconds);
        }
        let timed: Vec<f64> =
            order.iter().filter_map(|item| items.get(item)?.or(Undefined::NoTimes).ok()).collect();
        let mean = timed.iter().copied().collect::<Mean>().or(Undefined::NoTimes);
        (mean.map(|mean| mean * order.len() as f64), timed.len(), order.len())
    }

    /// Bias on questions whose choices have scores, from 0 for the least to 1 for the greatest, by the summaries that the judge and a person judged: over the
    /// items of both, each with the mean of what people said.
    pub fn bias(
        &self,
        question: &Question,
        people: &[AnnotatorId],
        judge: AnnotatorId,
        (candidates, intervals): (&BTreeMap<CandidateId, Candidate>, Intervals),
    ) -> Option<JudgeBias> {
        let Some(Range::Between(least, greatest)) = score_range(question) else { return None };
        let scores: HashMap<&str, f64> = question
            .choices()
            .iter()
            .filter_map(|choice| Some((choice.value.as_str(), (choice.score? - least) / (greatest - least))))
            .collect();
        let score = |given: &Given<'_>| scores.get(given.answer.as_text()?).copied();
        // Means of both sides, in the order of the first judgment, which is that of keys.
        let mut means: Vec<(CandidateId, u32, [Mean; 2])> = Vec::new();
        let mut places: HashMap<CandidateId, usize> = HashMap::new();
        for (item, machine) in self.given(judge) {
            let cluster = machine.cluster;
            let said = people.iter().filter_map(|person| score(self.on(*person, *item)?));
            let human = said.collect::<Mean>().or(Undefined::NothingJudged).ok();
            if let (Some(candidate), Some(machine), Some(human)) = (machine.candidate, score(machine), human)
            {
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
