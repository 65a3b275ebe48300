//! The ranking of systems under one set of judgments, with intervals.
//!
//! Every score here is a quotient: judgments add a sum and a weight (a [`Tally`]) to a system's score on a query, and the
//! score is the sum over queries by the weight. So the score over any of the queries takes two sums.
//!
//! Intervals are over whole queries, or over wider clusters such as collections, because judgments of one query are not
//! independent. The difference of two systems is over the queries on which both are scored. Each query is deleted from
//! both systems at once, or drawn for both: paired, as in Koehn 2004, Statistical significance tests for machine
//! translation evaluation, EMNLP, §3.
//!
//! [`RankingsCompared`] compares two rankings.

mod compared;
mod measures;
mod power;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::AddAssign;

pub use compared::RankingsCompared;
pub use measures::{RankedMeasure, ranked_labels, ranked_measures};
pub use power::{detectable, deviation, required};

use super::{Counted, GroupLabels, Measure, Score, Tally, Undefined};
use crate::agreement::{Estimate, Intervals, NumberRange};
use crate::protocol::Better;

/// Scores closer than this share of their size are tied: they differ only by rounding.
const TIED: f64 = 1e-9;

/// The systems by their scores on one measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The best first; systems without a score last.
    pub systems: Vec<SystemRanked>,
    /// Every two systems with a score, the better one first, in the order of the ranking.
    pub differences: Vec<SystemDifference>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SystemRanked {
    /// The labels of the system, one for each field to group by.
    pub group: GroupLabels,
    /// The number of queries with a score.
    pub queries: usize,
    /// The counts of judged items and judgments.
    pub judged: Counted,
    pub score: Estimate,
    /// One more than the number of systems with a better score; `None` without a score.
    pub rank: Option<usize>,
}

/// The difference of two systems.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemDifference {
    /// The places of the two systems in [`Ranking::systems`].
    pub better: usize,
    pub worse: usize,
    /// The number of queries on which both are scored.
    pub queries: usize,
    /// The score of the better less that of the worse, both over these queries; may be below 0 where the two are also scored
    /// on other queries.
    pub difference: Estimate,
    /// The standard deviation of the differences on single queries.
    pub deviation: Measure,
}

impl Ranking {
    /// Ranks groups by their scores, the best first. The clusters of the scores are queries. Intervals are over the wider
    /// clusters that `within` gives, or over queries where it is empty.
    pub fn of<'a>(
        scored: impl IntoIterator<Item = (&'a GroupLabels, Counted, &'a Score)>,
        (range, better): (NumberRange, Better),
        (intervals, within): (Intervals, &[u32]),
    ) -> Ranking {
        let mut systems: Vec<_> =
            scored.into_iter().map(|(group, judged, score)| (group, judged, score, score.value())).collect();
        systems.sort_by(|one, other| {
            match (one.3, other.3) {
                (Ok(one_score), Ok(other_score)) => {
                    compare(better.worth(other_score), better.worth(one_score))
                }
                (one_score, other_score) => one_score.is_err().cmp(&other_score.is_err()),
            }
            .then_with(|| one.0.cmp(other.0))
        });
        let worth = systems.iter().map(|(.., value)| value.map(|value| better.worth(value)));
        let ranks = ranks(&worth.collect::<Vec<Measure>>());
        let scores: Vec<&Score> = systems.iter().map(|(_, _, score, _)| *score).collect();
        let ranked = systems.iter().zip(ranks).map(|((group, judged, score, _), rank)| SystemRanked {
            group: (*group).clone(),
            queries: score.clusters.len(),
            judged: *judged,
            score: score.within(within).estimate(range, intervals),
            rank,
        });
        Ranking { systems: ranked.collect(), differences: differences(&scores, intervals, within) }
    }

    /// The system with these labels.
    pub fn system(&self, group: &GroupLabels) -> Option<&SystemRanked> {
        self.systems.iter().find(|system| system.group == *group)
    }

    /// The fewest queries behind a score; 0 without scores.
    pub fn fewest_queries(&self) -> usize {
        let scored = self.systems.iter().filter(|system| system.score.value.is_ok());
        scored.map(|system| system.queries).min().unwrap_or(0)
    }
}

/// The contributions of a query to the scores of two systems.
#[derive(Clone, Copy, Default)]
struct Paired(Tally, Tally);

impl AddAssign for Paired {
    fn add_assign(&mut self, other: Paired) {
        self.0 += other.0;
        self.1 += other.1;
    }
}

/// The differences of every two systems with a score, the better one first.
fn differences(systems: &[&Score], intervals: Intervals, within: &[u32]) -> Vec<SystemDifference> {
    let scored: Vec<(usize, &Score)> =
        systems.iter().copied().enumerate().filter(|(_, score)| !score.clusters.is_empty()).collect();
    let mut differences = Vec::new();
    for (at, (better, first)) in scored.iter().enumerate() {
        for (worse, second) in scored.iter().skip(at + 1) {
            let own = first.clusters.iter();
            let both =
                own.filter_map(|(query, one)| Some((query, Paired(*one, *second.clusters.get(query)?))));
            let (mut queries, mut common) = (0, BTreeMap::<u32, Paired>::new());
            let mut by_query = Vec::new();
            for (query, both) in both {
                queries += 1;
                let means = [both.0, both.1].map(|tally| tally.mean(Undefined::NoCommonQuery));
                if let [Ok(one), Ok(other)] = means {
                    by_query.push(less(one, other));
                }
                let cluster = within.get(*query as usize).copied().unwrap_or(*query);
                *common.entry(cluster).or_default() += both;
            }
            let common: Vec<Paired> = common.into_values().collect();
            let difference = intervals.over(&common, NumberRange::Any, |Paired(one, other)| {
                Ok(less(one.mean(Undefined::NoCommonQuery)?, other.mean(Undefined::NoCommonQuery)?))
            });
            let (better, worse) = (*better, *worse);
            let deviation = deviation(&by_query);
            differences.push(SystemDifference { better, worse, queries, difference, deviation });
        }
    }
    differences
}

/// Compares two scores; scores that differ only by rounding are equal.
fn compare(one: f64, other: f64) -> std::cmp::Ordering {
    if (one - other).abs() <= TIED * one.abs().max(other.abs()) {
        return std::cmp::Ordering::Equal;
    }
    one.total_cmp(&other)
}

/// The difference of two scores; exactly 0 where they differ only by rounding.
fn less(one: f64, other: f64) -> f64 {
    if compare(one, other).is_eq() { 0.0 } else { one - other }
}

/// The ranks of scores: one more than the number of larger scores.
fn ranks(scores: &[Measure]) -> Vec<Option<usize>> {
    let larger = |score: f64| {
        let others = scores.iter().filter_map(|other| other.ok());
        others.filter(|other| compare(*other, score).is_gt()).count()
    };
    scores.iter().map(|score| score.ok().map(|score| 1 + larger(score))).collect()
}
