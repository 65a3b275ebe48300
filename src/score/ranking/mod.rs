//! How systems rank under one set of judgments, and how sure that is.
//!
//! Every score here is a quotient: what was judged adds a sum and a number to a system's score on a query (a [`Tally`]),
//! and the score is the sum over the queries by the number. So a score of queries drawn again is two weighted sums.
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

use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;

pub use compared::RankingsCompared;
pub use measures::{RankedMeasure, ranked_labels, ranked_measures};

use super::measure::{Measure, Undefined};
use super::origin::{By, Group, Origin, groups};
use crate::agreement::{self, Bootstrap, Interval};

/// Scores that are closer than this share of their size are tied: they differ by the order of their sums only.
const TIED: f64 = 1e-9;

/// What a score is the quotient of.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tally {
    pub sum: f64,
    pub count: usize,
}

impl Tally {
    /// One value, or none.
    pub fn one(value: Option<f64>) -> Tally {
        value.into_iter().collect()
    }
}

impl FromIterator<f64> for Tally {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Tally {
        values
            .into_iter()
            .fold(Tally::default(), |tally, value| Tally { sum: tally.sum + value, count: tally.count + 1 })
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.sum += other.sum;
        self.count += other.count;
    }
}

/// What one judged thing, such as a summary, adds to the scores of its system.
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution {
    pub origin: Origin,
    /// One for each of the measures that are ranked, in their order.
    pub tallies: Vec<Tally>,
}

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
    /// How many judgments, or means of them, the score is the mean of.
    pub count: usize,
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
    /// Ranks the groups of what was judged by the measure of this place, the largest score first.
    ///
    /// `reason` is why a group has no score where nothing of it counts.
    pub fn of(
        judged: &[Contribution],
        measure: usize,
        by: &[By],
        reason: Undefined,
        bootstrap: Bootstrap,
    ) -> Ranking {
        let mut systems = tallied(judged, measure, by);
        systems.sort_by(|one, other| {
            let scores = [one, other].map(|system| system.total().score(reason));
            match scores {
                [Ok(one_score), Ok(other_score)] => compare(other_score, one_score),
                [one_score, other_score] => one_score.is_err().cmp(&other_score.is_err()),
            }
            .then_with(|| one.group.cmp(&other.group))
        });
        let scores: Vec<Measure> = systems.iter().map(|system| system.total().score(reason)).collect();
        let ranks = ranks(&scores);
        let ranked = systems.iter().zip(scores).zip(ranks).map(|((system, score), rank)| SystemRanked {
            group: system.group.clone(),
            queries: system.queries.len(),
            count: system.total().count,
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
    fn draw_again(&mut self, systems: &[Tallied], bootstrap: Bootstrap) {
        if bootstrap.resamples == 0 {
            return;
        }
        let mut draws: BTreeMap<Vec<usize>, Draw> = BTreeMap::new();
        for (place, system) in systems.iter().enumerate().filter(|(_, system)| !system.queries.is_empty()) {
            draws.entry(system.queries.keys().copied().collect()).or_default().scores.push(place);
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

/// A system's tallies by the number of the query; queries without anything that counts are left out.
struct Tallied {
    group: Group,
    queries: BTreeMap<usize, Tally>,
}

impl Tallied {
    fn total(&self) -> Tally {
        self.over(&mut self.queries.keys().copied())
    }

    /// The tally over these queries.
    fn over(&self, queries: &mut dyn Iterator<Item = usize>) -> Tally {
        let mut total = Tally::default();
        queries.filter_map(|query| self.queries.get(&query)).for_each(|tally| total += *tally);
        total
    }

    /// The queries of both, ascending.
    fn common(&self, other: &Tallied) -> Vec<usize> {
        self.queries.keys().copied().filter(|query| other.queries.contains_key(query)).collect()
    }
}

impl Tally {
    pub(super) fn score(self, reason: Undefined) -> Measure {
        match self.count {
            0 => Err(reason),
            count => Ok(self.sum / count as f64),
        }
    }
}

fn tallied(judged: &[Contribution], measure: usize, by: &[By]) -> Vec<Tallied> {
    // By their keys, so that the same seed draws the same queries whatever was judged first.
    let key = |thing: &'_ Contribution| (thing.origin.collection.clone(), thing.origin.query.clone());
    let keys: BTreeSet<(String, String)> = judged.iter().map(key).collect();
    let numbers: BTreeMap<(String, String), usize> = keys.into_iter().zip(0..).collect();
    groups(judged, |thing| &thing.origin, by)
        .into_iter()
        .map(|(group, members)| {
            let mut queries: BTreeMap<usize, Tally> = BTreeMap::new();
            for thing in members {
                let tally = thing.tallies.get(measure).copied().unwrap_or_default();
                if let Some(query) = numbers.get(&key(thing)).filter(|_| tally.count > 0) {
                    *queries.entry(*query).or_default() += tally;
                }
            }
            Tallied { group, queries }
        })
        .collect()
}

/// Every two systems that have a score, the better one first, without intervals.
fn differences(systems: &[Tallied]) -> Vec<Difference> {
    let scored: Vec<(usize, &Tallied)> =
        systems.iter().enumerate().filter(|(_, system)| !system.queries.is_empty()).collect();
    let mut differences = Vec::new();
    for (at, (better, first)) in scored.iter().enumerate() {
        for (worse, second) in scored.iter().skip(at + 1) {
            let common = first.common(second);
            let score =
                |system: &Tallied| system.over(&mut common.iter().copied()).score(Undefined::NoCommonQuery);
            let difference = score(first).and_then(|one| Ok(one - score(second)?));
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
        queries: &[usize],
        systems: &[Tallied],
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
                queries.iter().map(|query| system.queries.get(query).copied().unwrap_or_default()).collect()
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
    let (mut sum, mut count) = (0.0, 0.0);
    for (tally, times) in tallies.iter().zip(times) {
        sum += tally.sum * *times as f64;
        count += tally.count as f64 * *times as f64;
    }
    if count > 0.0 { Ok(sum / count) } else { Err(agreement::Undefined::UndefinedResamples) }
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
