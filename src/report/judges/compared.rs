//! One judge against people, and people against each other, on one question.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::agreement::{self, Confusion, Linking, Undefined};
use crate::error::{Error, Result};
use crate::protocol::{Answer, Protocol, Question};
use crate::report::judged::Judged;
use crate::score::{JudgeBias, Labels, SummaryCompared, ratings_of, words_per_line};
use crate::store::ActiveTime;
use crate::study::{AnnotatorId, Candidate, CandidateId, ItemId};

/// People who answered, with their keys.
pub type People<'a> = Vec<(AnnotatorId, &'a str)>;

/// A statistic that tables show, by its name in `agree`.
pub struct Statistic {
    pub name: &'static str,
    pub heading: &'static str,
    /// Whether only JSON and CSV have it.
    pub is_detail: bool,
}

const fn statistic(name: &'static str, heading: &'static str) -> Statistic {
    Statistic { name, heading, is_detail: false }
}

const fn detail(name: &'static str, heading: &'static str) -> Statistic {
    Statistic { name, heading, is_detail: true }
}

/// All of them.
pub const STATISTICS: [Statistic; 9] = [
    statistic("pearson_r", "r"),
    statistic("percent_agreement", "accuracy"),
    statistic("cohen_kappa", "kappa"),
    detail("cohen_kappa_linear", "kappa linear"),
    statistic("cohen_kappa_quadratic", "kappa²"),
    detail("krippendorff_alpha_nominal", "alpha nominal"),
    statistic("krippendorff_alpha_ordinal", "alpha"),
    statistic("gwet_ac1", "AC1"),
    detail("gwet_ac2_ordinal", "AC2"),
];

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

struct Given<'a> {
    answer: &'a Answer,
    candidate: Option<CandidateId>,
    link: Link,
}

/// What an answer says of bullets.
#[derive(Clone, PartialEq)]
enum Link {
    One(u32),
    /// A list, which names no single bullet.
    List,
    None,
}

impl<'a> Answered<'a> {
    /// The answers of everyone to a question of the protocol.
    pub fn read(protocol: &Protocol, question: &Question, judged: &'a Judged<'_>) -> Answered<'a> {
        let links = protocol.links_of(question);
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
            let given = Given { answer, candidate: judgment.target.candidate, link };
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

    /// What two annotators said of the items that both judged.
    fn both(&self, a: AnnotatorId, b: AnnotatorId) -> Vec<(ItemId, &Given<'a>, &Given<'a>)> {
        let (Some(first), Some(second)) = (self.rows.get(&a), self.rows.get(&b)) else {
            return Vec::new();
        };
        let also = |item: &ItemId| {
            let place = second.places.get(item)?;
            second.given.get(*place).map(|(_, given)| given)
        };
        first.given.iter().filter_map(|(item, given)| Some((*item, given, also(item)?))).collect()
    }
}

/// What two annotators, or a judge and all people, have in common.
#[derive(Debug, Clone)]
pub struct Compared {
    pub name: String,
    /// Pairs of annotators that the means are over.
    pub pairs: usize,
    /// Judgments that both sides of a pair made, summed over the pairs.
    pub items: u64,
    /// The means over the pairs, in the order of [`STATISTICS`]; undefined where they all are.
    pub coefficients: Vec<agreement::Measure>,
    pub linking: Linking,
    /// The mean of the pairs' linking accuracies.
    pub linking_accuracy: agreement::Measure,
    pub unlinked: Unlinked,
    /// Rows people, columns the judge, summed over people; scale order.
    pub confusion: Vec<Vec<u64>>,
    pub cost: Option<f64>,
    pub bias: Option<JudgeBias>,
}

/// Pairs of judgments that linking accuracy leaves out although a side says that it is covered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unlinked {
    /// The person names no bullet where the judge names one.
    pub person_names_none: usize,
    /// The judge names none, or several, where the person names one.
    pub judge_names_none: usize,
    pub judge_names_several: usize,
}

/// The people among themselves; their cost is the mean of theirs at an hourly rate.
///
/// # Errors
/// More answers than a table of ratings holds.
pub fn compare_people(
    question: &Question,
    answered: &Answered<'_>,
    people: &People,
    rate: Option<(f64, &[ActiveTime])>,
) -> Result<Compared> {
    let mut pairs = Vec::new();
    for (place, first) in people.iter().enumerate() {
        for second in people.iter().skip(place + 1) {
            pairs.push((first.0, second.0));
        }
    }
    let mut compared = over_pairs(question, answered, "people", &pairs)?;
    compared.cost = rate.map(|(rate, times)| {
        let hours = |person: AnnotatorId| {
            let own = times.iter().filter(|time| time.annotator == person);
            own.map(|time| time.seconds()).sum::<f64>() / 3_600.0
        };
        rate * people.iter().map(|(id, _)| hours(*id)).sum::<f64>() / people.len().max(1) as f64
    });
    Ok(compared)
}

/// A judge against every person; nothing where they have no judgment in common.
///
/// # Errors
/// More answers than a table of ratings holds.
pub fn compare_judge(
    question: &Question,
    answered: &Answered<'_>,
    people: &People,
    judge: (AnnotatorId, &str),
    cost: Option<f64>,
    candidates: &BTreeMap<CandidateId, Candidate>,
) -> Result<Option<Compared>> {
    let shares = |person: &&(AnnotatorId, &str)| !answered.both(person.0, judge.0).is_empty();
    let pairs: Vec<_> = people.iter().filter(shares).map(|(person, _)| (*person, judge.0)).collect();
    if pairs.is_empty() {
        return Ok(None);
    }
    let mut compared = over_pairs(question, answered, judge.1, &pairs)?;
    let own = answered.rows.get(&judge.0).into_iter().flat_map(|own| &own.given);
    let summaries: BTreeSet<CandidateId> = own.filter_map(|(_, given)| given.candidate).collect();
    compared.cost = cost.map(|cost| cost * summaries.len() as f64);
    compared.bias = bias(question, answered, &pairs, candidates);
    Ok(Some(compared))
}

fn over_pairs(
    question: &Question,
    answered: &Answered<'_>,
    name: &str,
    pairs: &[(AnnotatorId, AnnotatorId)],
) -> Result<Compared> {
    let size = question.choices().len();
    let mut compared = Compared {
        name: name.to_owned(),
        pairs: 0,
        items: 0,
        coefficients: Vec::new(),
        linking: Linking::default(),
        linking_accuracy: Err(Undefined::NoLinkedItems),
        unlinked: Unlinked::default(),
        confusion: vec![vec![0; size]; size],
        cost: None,
        bias: None,
    };
    let mut values: Vec<Vec<agreement::Measure>> = vec![Vec::new(); STATISTICS.len()];
    let mut accuracies = Vec::new();
    for (a, b) in pairs {
        let both = answered.both(*a, *b);
        if both.is_empty() {
            continue;
        }
        compared.pairs += 1;
        let linking = compared.add_links(&both);
        accuracies.push(linking.accuracy());
        for (measures, value) in values.iter_mut().zip(compared.add_labels(question, &both)?) {
            measures.push(value);
        }
    }
    compared.coefficients = values.iter().map(|measures| mean(measures)).collect();
    compared.linking_accuracy = mean(&accuracies);
    Ok(compared)
}

/// The mean of those that have a value; else the reason of the first, or that there is nothing to compare.
fn mean(measures: &[agreement::Measure]) -> agreement::Measure {
    let values: Vec<f64> = measures.iter().filter_map(|measure| measure.ok()).collect();
    if values.is_empty() {
        return measures.first().copied().unwrap_or(Err(Undefined::NoPairableItems));
    }
    Ok(values.iter().sum::<f64>() / values.len() as f64)
}

impl Compared {
    fn add_links(&mut self, both: &[(ItemId, &Given<'_>, &Given<'_>)]) -> Linking {
        let one = |given: &Given<'_>| match given.link {
            Link::One(number) => Some(number),
            Link::List | Link::None => None,
        };
        let linking = Linking::of(both.iter().map(|(_, a, b)| (one(a), one(b))));
        self.linking.linked += linking.linked;
        self.linking.same += linking.same;
        for (_, a, b) in both {
            match (&a.link, &b.link) {
                (Link::One(_), Link::None) => self.unlinked.judge_names_none += 1,
                (Link::One(_), Link::List) => self.unlinked.judge_names_several += 1,
                (Link::None | Link::List, Link::One(_) | Link::List) => self.unlinked.person_names_none += 1,
                _ => {}
            }
        }
        linking
    }

    /// Counts the labels of two annotators and gives their coefficients.
    fn add_labels(
        &mut self,
        question: &Question,
        both: &[(ItemId, &Given<'_>, &Given<'_>)],
    ) -> Result<Vec<agreement::Measure>> {
        let Some(labels) = Labels::of_choice(question) else {
            return Ok(Vec::new());
        };
        let given = (0..).zip(both).flat_map(|(item, (_, a, b))| [(item, 0, a.answer), (item, 1, b.answer)]);
        let broken = |error: agreement::TableError| Error::new(error.to_string());
        let is_choice = |given: &Given<'_>| {
            let label = labels.label(given.answer);
            label.is_none_or(|label| labels.categories.iter().any(|choice| choice.label == label))
        };
        let strange = both.iter().filter(|(_, a, b)| !is_choice(a) || !is_choice(b)).count();
        if strange > 0 {
            let what =
                format!("{strange} items have an answer to {:?} that is none of its choices", question.key);
            return Err(Error::new(what).advise("leave --all-versions out: it is of an older version"));
        }
        let ratings = ratings_of(&labels, &["a", "b"], given).map_err(broken)?;
        if let Some(confusion) = Confusion::between(&ratings, 0, 1) {
            self.items += confusion.items();
            for (row, more) in self.confusion.iter_mut().zip(confusion.rows()) {
                row.iter_mut().zip(more).for_each(|(count, more)| *count += more);
            }
        }
        let all = agreement::all(&ratings);
        let named = |name: &str| all.iter().find(|coefficient| coefficient.name == name);
        let value = |name: &str| named(name).map_or(Err(Undefined::NoPairableItems), |found| found.value);
        Ok(STATISTICS.iter().map(|statistic| value(statistic.name)).collect())
    }
}

/// Bias on questions whose choices have scores from 0 to 100, by the summaries that both sides judged.
fn bias(
    question: &Question,
    answered: &Answered<'_>,
    pairs: &[(AnnotatorId, AnnotatorId)],
    candidates: &BTreeMap<CandidateId, Candidate>,
) -> Option<JudgeBias> {
    let scores: HashMap<&str, f64> = question
        .choices()
        .iter()
        .filter_map(|choice| Some((choice.value.as_str(), choice.score? / 100.0)))
        .collect();
    let spans_all =
        scores.len() == question.choices().len() && scores.values().all(|score| (0.0..=1.0).contains(score));
    if !spans_all {
        return None;
    }
    // Per summary: sums of both sides and how many judgments they are of.
    // In the order of the first judgment, which is that of keys.
    let mut sums: Vec<(CandidateId, (f64, f64, usize))> = Vec::new();
    let mut places: HashMap<CandidateId, usize> = HashMap::new();
    for (person, judge) in pairs {
        for (_, human, machine) in answered.both(*person, *judge) {
            let score = |given: &Given<'_>| scores.get(given.answer.as_text()?);
            let scored = score(human).zip(score(machine));
            if let (Some(candidate), Some((human, machine))) = (human.candidate, scored) {
                let place = *places.entry(candidate).or_insert(sums.len());
                if place == sums.len() {
                    sums.push((candidate, (0.0, 0.0, 0)));
                }
                if let Some((_, sum)) = sums.get_mut(place) {
                    *sum = (sum.0 + human, sum.1 + machine, sum.2 + 1);
                }
            }
        }
    }
    let compared = |(id, (human, judge, count)): (CandidateId, (f64, f64, usize))| {
        let candidate = candidates.get(&id)?;
        Some(SummaryCompared {
            summarizer: candidate.summarizer.clone().unwrap_or_else(|| "unnamed".to_owned()),
            words_per_line: words_per_line(&candidate.text),
            judge: judge / count as f64,
            human: human / count as f64,
        })
    };
    let summaries: Vec<SummaryCompared> = sums.into_iter().filter_map(compared).collect();
    (!summaries.is_empty()).then(|| JudgeBias::of(&summaries))
}
