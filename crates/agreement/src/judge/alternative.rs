//! Whether a judge may stand for a person: the alternative annotator test.
//!
//! Source: Calderon, Reichart & Dror 2025, arXiv:2501.10970, §3; adjusted for several annotators as in Benjamini & Yekutieli
//! 2001, Annals of Statistics 29:1165.

use std::cmp::Ordering;

use crate::{Measure, Undefined, below, real};

/// How near a label is to those of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alignment {
    /// By the number of others with the same label.
    Same,
    /// By the mean square of the distances between the labels' numbers.
    Near,
}

/// The fewest annotators, and the fewest items of each.
const ANNOTATORS: usize = 3;
const ITEMS: usize = 30;

/// An annotator whom the judge is held against.
#[derive(Debug, Clone, PartialEq)]
pub struct AnnotatorTested {
    /// The annotator's items that count.
    pub items: usize,
    /// How often the judge is at least as near to the others as the annotator, and the other way round, 0 to 1.
    pub judge: Measure,
    pub person: Measure,
    /// How much more often the person is at least as near.
    pub difference: Measure,
    pub t: Measure,
    pub p: Measure,
    /// p, adjusted for how many annotators are tested.
    pub adjusted: Measure,
}

/// The test over all annotators.
#[derive(Debug, Clone, PartialEq)]
pub struct AlternativeTest {
    /// Items with the judge's label and two people's.
    pub items: usize,
    /// Results in the order of the people.
    pub people: Vec<AnnotatorTested>,
    /// The share of the annotators whom the judge may stand for, 0 to 1: from a half on it passes.
    pub winning: Measure,
    /// The mean of how often the judge is at least as near, 0 to 1.
    pub advantage: Measure,
}

impl AlternativeTest {
    /// The test of a judge: `people` are the numbers of each person's labels by item, `judge` the judge's. `epsilon` is how
    /// much worse it may be, `level` the share of false rejections.
    pub fn of(
        people: &[Vec<Option<f64>>],
        judge: &[Option<f64>],
        alignment: Alignment,
        (epsilon, level): (f64, f64),
    ) -> AlternativeTest {
        let labels = |item: usize| people.iter().filter(|of| matches!(of.get(item), Some(Some(_)))).count();
        let usable: Vec<usize> =
            (0..judge.len()).filter(|item| judge[*item].is_some() && labels(*item) >= 2).collect();
        let items_of = |person: &[Option<f64>]| -> Vec<usize> {
            usable.iter().copied().filter(|item| matches!(person.get(*item), Some(Some(_)))).collect()
        };
        let counted: Vec<Vec<usize>> = people.iter().map(|person| items_of(person)).collect();
        let few = counted.iter().filter(|items| !items.is_empty()).count() < ANNOTATORS;
        let mut tested: Vec<AnnotatorTested> = counted
            .iter()
            .enumerate()
            .map(|(place, items)| match items.len() {
                _ if few => AnnotatorTested::none(items.len(), Undefined::TooFewAnnotators),
                ..ITEMS => AnnotatorTested::none(items.len(), Undefined::TooFewItems),
                _ => tested(place, people, judge, items, (alignment, epsilon)),
            })
            .collect();
        let mut order: Vec<usize> = (0..tested.len()).filter(|at| tested[*at].p.is_ok()).collect();
        let reason = match (few, order.len()) {
            (true, _) => Some(Undefined::TooFewAnnotators),
            (false, ..ANNOTATORS) => Some(Undefined::TooFewItems),
            _ => None,
        };
        if let Some(reason) = reason {
            for at in order {
                tested[at].t = Err(reason);
                tested[at].p = Err(reason);
                tested[at].adjusted = Err(reason);
            }
            return AlternativeTest {
                items: usable.len(),
                people: tested,
                winning: Err(reason),
                advantage: Err(reason),
            };
        }
        let value = |at: usize| tested[at].p.unwrap_or(1.0);
        order.sort_by(|one, other| value(*one).total_cmp(&value(*other)));
        let count = real(order.len() as u64);
        let harmonic: f64 = (1..=order.len()).map(|rank| 1.0 / real(rank as u64)).sum();
        let mut least = 1.0_f64;
        let mut adjusted = Vec::new();
        for (rank, at) in order.iter().enumerate().rev() {
            least = least.min(value(*at) * count * harmonic / real(rank as u64 + 1));
            adjusted.push((*at, least));
        }
        let won = adjusted.iter().filter(|(_, p)| *p <= level).count();
        adjusted.into_iter().for_each(|(at, p)| tested[at].adjusted = Ok(p));
        let advantage = order.iter().filter_map(|at| tested[*at].judge.ok()).sum::<f64>() / count;
        AlternativeTest {
            items: usable.len(),
            people: tested,
            winning: Ok(real(won as u64) / count),
            advantage: Ok(advantage),
        }
    }

    /// Whether the judge may stand for at least half of the annotators.
    ///
    /// # Errors
    /// Too few annotators or items.
    pub fn passes(&self) -> Result<bool, Undefined> {
        self.winning.map(|share| share >= 0.5)
    }
}

impl AnnotatorTested {
    fn none(items: usize, reason: Undefined) -> AnnotatorTested {
        let none = Err(reason);
        AnnotatorTested {
            items,
            judge: none,
            person: none,
            difference: none,
            t: none,
            p: none,
            adjusted: none,
        }
    }
}

/// Tests the judge in the place of one annotator, who is left out.
fn tested(
    place: usize,
    people: &[Vec<Option<f64>>],
    judge: &[Option<f64>],
    items: &[usize],
    (alignment, epsilon): (Alignment, f64),
) -> AnnotatorTested {
    let (mut judge_wins, mut person_wins) = (0_u64, 0_u64);
    let mut differences: Vec<f64> = Vec::with_capacity(items.len());
    for item in items {
        let (Some(own), Some(judged)) = (people[place][*item], judge[*item]) else { continue };
        let others = people.iter().enumerate().filter(|(other, _)| *other != place);
        let others: Vec<f64> =
            others.filter_map(|(_, labels)| labels.get(*item).copied().flatten()).collect();
        // The larger, the farther away.
        let far = |label: f64| match alignment {
            Alignment::Same => {
                others.iter().map(|other| if *other == label { 0.0 } else { 1.0 }).sum::<f64>()
            }
            Alignment::Near => others.iter().map(|other| (other - label).powi(2)).sum(),
        };
        let order = far(judged).total_cmp(&far(own));
        let (by_judge, by_person) = (order != Ordering::Greater, order != Ordering::Less);
        judge_wins += u64::from(by_judge);
        person_wins += u64::from(by_person);
        differences.push(f64::from(u8::from(by_person)) - f64::from(u8::from(by_judge)));
    }
    let count = real(differences.len() as u64);
    let mean = differences.iter().sum::<f64>() / count;
    let spread = differences.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let (t, p) = if differences.windows(2).all(|two| two.first() == two.last()) {
        (Err(Undefined::ZeroVariance), if mean < epsilon { 0.0 } else { 1.0 })
    } else {
        let t = (mean - epsilon) / (spread / count).sqrt();
        (Ok(t), below(t, count - 1.0))
    };
    AnnotatorTested {
        items: differences.len(),
        judge: Ok(real(judge_wins) / count),
        person: Ok(real(person_wins) / count),
        difference: Ok(mean),
        t,
        p: Ok(p),
        adjusted: Ok(p),
    }
}
