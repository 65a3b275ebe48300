//! How systems rank under one set of judgments, and how sure that is.
//!
//! Every score here is a quotient: what was judged adds a sum and a weight to a system's score on a query (a [`Tally`]),
//! and the score is the sum over the queries by the weight. So a score of queries drawn again is two weighted sums.
//!
//! Intervals are between the 2.5 % and the 97.5 % quantile over resamples of whole queries, because what is judged of one
//! query hangs together. The difference of two systems is taken over the queries that both are scored on, and a resample
//! draws the same queries for both (the paired bootstrap: Efron 1979, Annals of Statistics 7:1; Koehn 2004, Statistical
//! significance tests for machine translation evaluation, EMNLP, §3).
//!
//! [`RankingsCompared`] says how far two rankings differ.

mod compared;
mod measures;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use compared::RankingsCompared;
pub use measures::{RankedMeasure, ranked_labels, ranked_measures};

use super::items::{Counted, Score, Tally};
use super::measure::{Measure, Undefined};
use super::origin::Group;
use crate::agreement::{self, Bootstrap, Interval};

/// Scores that are closer than this share of their size are tied: they differ by the order of their sums only.
const TIED: f64 = 1e-9;

/// The systems by their scores on one measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The best first; systems without a score last.
    pub systems: Vec<SystemRanked>,
    /// Every two systems with a score, the better one first, in the order of the ranking.
    pub differences: Vec<Difference>,
}

/// A system in a ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemRanked {
    /// One label for each [`By`].
    pub group: Group,
    /// Queries with something that counts.
    pub queries: usize,
    /// What is judged, in all.
    pub judged: Counted,
    pub score: Measure,
    /// `None` where nothing was drawn again.
    pub interval: Option<Result<Interval, agreement::Undefined>>,
    /// One more than there are systems with a larger score; `None` without a score.
    pub rank: Option<usize>,
}

/// How much better one system is than another.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Places in [`Ranking::systems`].
    pub better: usize,
    pub worse: usize,
    /// Queries that both are scored on.
    pub queries: usize,
    /// The score of the first less that of the second, both over these queries; may be below 0 where the
    /// two are scored on different queries.
    pub difference: Measure,
    /// `None` where nothing was drawn again, and where there is no difference.
    pub interval: Option<Result<Interval, agreement::Undefined>>,
}

impl Ranking {
    /// Ranks groups by their scores, the largest first.
    pub fn of<'a>(
        scored: impl IntoIterator<Item = (&'a Group, Counted, &'a Score)>,
        bootstrap: Bootstrap,
    ) -> Ranking {
        let mut systems: Vec<Tallied<'a>> =
            scored.into_iter().map(|(group, judged, score)| Tallied { group, judged, score }).collect();
        systems.sort_by(|one, other| {
            let scores = [one, other].map(|system| system.score.value());
            match scores {
                [Ok(one_score), Ok(other_score)] => compare(other_score, one_score),
                [one_score, other_score] => one_score.is_err().cmp(&other_score.is_err()),
            }
            .then_with(|| one.group.cmp(other.group))
        });
        let scores: Vec<Measure> = systems.iter().map(|system| system.score.value()).collect();
        let ranks = ranks(&scores);
        let ranked = systems.iter().zip(scores).zip(ranks).map(|((system, score), rank)| SystemRanked {
            group: system.group.clone(),
            queries: system.score.clusters.len(),
            judged: system.judged,
            score,
            interval: None,
            rank,
        });
        let mut ranking = Ranking { systems: ranked.collect(), differences: differences(&systems) };
        ranking.draw_again(&systems, bootstrap);
        ranking
    }

    /// The system of this group.
    pub fn system(&self, group: &Group) -> Option<&SystemRanked> {
        self.systems.iter().find(|system| system.group == *group)
    }

    /// The fewest queries that a score here is of; 0 without a score.
    pub fn fewest_queries(&self) -> usize {
        let scored = self.systems.iter().filter(|system| system.score.is_ok());
        scored.map(|system| system.queries).min().unwrap_or(0)
    }

    /// Fills in the intervals. Scores and differences over the same queries come from the same resamples.
    fn draw_again(&mut self, systems: &[Tallied<'_>], bootstrap: Bootstrap) {
        if bootstrap.resamples == 0 {
            return;
        }
        let mut draws: BTreeMap<Vec<u32>, Draw> = BTreeMap::new();
        for (place, system) in
            systems.iter().enumerate().filter(|(_, system)| !system.score.clusters.is_empty())
        {
            draws.entry(system.score.clusters.keys().copied().collect()).or_default().scores.push(place);
        }
        let defined = |(_, difference): &(usize, &Difference)| difference.difference.is_ok();
        for (place, difference) in self.differences.iter().enumerate().filter(defined) {
            let pair = (difference.better, difference.worse);
            if let (Some(better), Some(worse)) = (systems.get(pair.0), systems.get(pair.1)) {
                draws.entry(better.common(worse)).or_default().differences.push((place, pair));
            }
        }
        for (queries, draw) in draws {
            let intervals = draw.intervals(&queries, systems, bootstrap);
            let (scores, differences) = intervals.split_at(draw.scores.len().min(intervals.len()));
            for (place, interval) in draw.scores.iter().zip(scores) {
                if let Some(system) = self.systems.get_mut(*place) {
                    system.interval = Some(*interval);
                }
            }
            for ((place, _), interval) in draw.differences.iter().zip(differences) {
                if let Some(difference) = self.differences.get_mut(*place) {
                    difference.interval = Some(*interval);
                }
            }
        }
    }
}

/// A system's score, by query.
struct Tallied<'a> {
    group: &'a Group,
    judged: Counted,
    score: &'a Score,
}

impl Tallied<'_> {
    /// The score over these queries.
    fn over(&self, queries: &[u32]) -> Measure {
        let mut total = Tally::default();
        queries.iter().filter_map(|query| self.score.clusters.get(query)).for_each(|tally| total += *tally);
        total.mean(Undefined::NoCommonQuery)
    }

    /// The queries of both, ascending.
    fn common(&self, other: &Tallied<'_>) -> Vec<u32> {
        let own = self.score.clusters.keys().copied();
        own.filter(|query| other.score.clusters.contains_key(query)).collect()
    }
}

/// Every two systems that have a score, the better one first, without intervals.
fn differences(systems: &[Tallied<'_>]) -> Vec<Difference> {
    let scored: Vec<(usize, &Tallied<'_>)> =
        systems.iter().enumerate().filter(|(_, system)| !system.score.clusters.is_empty()).collect();
    let mut differences = Vec::new();
    for (at, (better, first)) in scored.iter().enumerate() {
        for (worse, second) in scored.iter().skip(at + 1) {
            let common = first.common(second);
            let difference = first.over(&common).and_then(|one| Ok(one - second.over(&common)?));
            let (better, worse) = (*better, *worse);
            differences.push(Difference { better, worse, queries: common.len(), difference, interval: None });
        }
    }
    differences
}

/// What is wanted of the same queries.
#[derive(Default)]
struct Draw {
    /// Systems whose scores are over just these queries.
    scores: Vec<usize>,
    /// The places of differences, and of their systems.
    differences: Vec<(usize, (usize, usize))>,
}

impl Draw {
    /// The intervals of the scores, then of the differences.
    fn intervals(
        &self,
        queries: &[u32],
        systems: &[Tallied<'_>],
        bootstrap: Bootstrap,
    ) -> Vec<Result<Interval, agreement::Undefined>> {
        let pairs = self.differences.iter().flat_map(|(_, (better, worse))| [*better, *worse]);
        let mut wanted: Vec<usize> = self.scores.iter().copied().chain(pairs).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let tallies: Vec<Vec<Tally>> = wanted
            .iter()
            .filter_map(|place| systems.get(*place))
            .map(|system| {
                queries
                    .iter()
                    .map(|query| system.score.clusters.get(query).copied().unwrap_or_default())
                    .collect()
            })
            .collect();
        let at = |place: &usize| wanted.binary_search(place).unwrap_or(usize::MAX);
        let scores: Vec<usize> = self.scores.iter().map(at).collect();
        let pairs: Vec<(usize, usize)> =
            self.differences.iter().map(|(_, (better, worse))| (at(better), at(worse))).collect();
        let statistics = |times: &[u64]| -> Vec<agreement::Measure> {
            let values: Vec<agreement::Measure> = tallies.iter().map(|of| weighted(of, times)).collect();
            let value =
                |at: usize| values.get(at).copied().unwrap_or(Err(agreement::Undefined::UndefinedResamples));
            let differences = pairs.iter().map(|(better, worse)| Ok(value(*better)? - value(*worse)?));
            scores.iter().map(|at| value(*at)).chain(differences).collect()
        };
        let once = vec![1; queries.len()];
        bootstrap.resample(&once, &statistics(&once), || (), |(), times| statistics(times))
    }
}

/// The score where each query (or session) is drawn so often.
pub(super) fn weighted(tallies: &[Tally], times: &[u64]) -> agreement::Measure {
    let mut total = Tally::default();
    for (tally, times) in tallies.iter().zip(times) {
        let times = *times as f64;
        total += Tally { sum: tally.sum * times, weight: tally.weight * times };
    }
    total.mean(agreement::Undefined::UndefinedResamples)
}

/// How two scores compare, those that differ by rounding only being equal.
fn compare(one: f64, other: f64) -> std::cmp::Ordering {
    if (one - other).abs() <= TIED * one.abs().max(other.abs()) {
        return std::cmp::Ordering::Equal;
    }
    one.total_cmp(&other)
}

/// The ranks of these scores: one more than there are larger ones.
fn ranks(scores: &[Measure]) -> Vec<Option<usize>> {
    let larger = |score: f64| {
        let others = scores.iter().filter_map(|other| other.ok());
        others.filter(|other| compare(*other, score).is_gt()).count()
    };
    scores.iter().map(|score| score.ok().map(|score| 1 + larger(score))).collect()
}
