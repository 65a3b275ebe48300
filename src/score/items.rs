//! Averaging by item first: judgments of an item are averaged before items are, so that each item weighs one, however
//! many people judged it. Every score is computed from [`Thing`]s and is a [`Score`], a mean that knows the contribution
//! of each cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;

use super::{ClusterKind, Mean, Measure, Origin, Undefined};
use crate::agreement::{Drawn, Estimate, Intervals, NumberRange, SEVERAL_STRATA};
use crate::number::NO_PLACE;
use crate::text::fast::FastMap;

/// An item, or a summary with all its items, with everyone's judgments.
#[derive(Debug, Clone)]
pub struct Thing<'a, J> {
    /// The number of the cluster, such as the query.
    pub cluster: u32,
    pub drawn: Drawn,
    /// The judgments, at least one.
    pub judgments: Vec<&'a J>,
}

impl<J> Thing<'_, J> {
    /// The mean over the judgments with a value; `None` without any.
    pub fn mean(&self, value: impl Fn(&J) -> Option<f64>) -> Option<f64> {
        mean(self.judgments.iter().filter_map(|judgment| value(judgment)))
    }
}

/// The mean of values; `None` without any.
pub(super) fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    values.into_iter().collect::<Mean>().or(Undefined::NothingJudged).ok()
}

/// The numbers of judged items and of their judgments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counted {
    pub items: usize,
    pub judgments: usize,
}

impl Counted {
    /// Counts an item with so many judgments; an item without any is not counted.
    pub fn add(&mut self, judgments: usize) {
        self.items += usize::from(judgments > 0);
        self.judgments += judgments;
    }

    /// Counts the judgments for which `says` holds, and the things that have one.
    pub fn of<J>(things: &[Thing<'_, J>], says: impl Fn(&J) -> bool) -> Counted {
        let mut counted = Counted::default();
        things.iter().for_each(|thing| counted.add(thing.judgments.iter().filter(|one| says(one)).count()));
        counted
    }
}

impl AddAssign for Counted {
    fn add_assign(&mut self, other: Counted) {
        self.items += other.items;
        self.judgments += other.judgments;
    }
}

/// A part of a mean: a sum and its weight.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tally {
    pub sum: f64,
    pub weight: f64,
}

impl Tally {
    /// A tally of one value, or of none.
    pub fn one(value: Option<f64>) -> Tally {
        value.map_or_else(Tally::default, |sum| Tally { sum, weight: 1.0 })
    }

    #[must_use]
    pub fn times(self, weight: f64) -> Tally {
        Tally { sum: self.sum * weight, weight: self.weight * weight }
    }

    /// The mean of the tally; `reason` where nothing was added.
    pub fn mean(self, reason: Undefined) -> Measure {
        if self.weight > 0.0 { Ok(self.sum / self.weight) } else { Err(reason) }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.sum += other.sum;
        self.weight += other.weight;
    }
}

/// The stratum of each cluster by its number; 0 for clusters that are not there.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ClusterStrata(BTreeMap<u32, u32>);

impl ClusterStrata {
    /// Notes that a thing of a cluster was drawn from a stratum.
    pub(super) fn note(&mut self, cluster: u32, stratum: u32) {
        let known = self.0.entry(cluster).or_insert(stratum);
        if *known != stratum {
            *known = SEVERAL_STRATA;
        }
    }
}

/// A mean over items or things, with the contribution of each cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The tally of each cluster by its number; clusters without a contribution are not there.
    pub clusters: BTreeMap<u32, Tally>,
    pub(super) strata: ClusterStrata,
    /// The reason for no value, where no cluster adds anything.
    pub reason: Undefined,
}

impl Score {
    /// A score without contributions.
    pub fn new(reason: Undefined) -> Score {
        Score { clusters: BTreeMap::new(), strata: ClusterStrata::default(), reason }
    }

    /// The mean over things, each with the mean of its judgments that have a value.
    pub fn over<J>(things: &[Thing<'_, J>], reason: Undefined, value: impl Fn(&J) -> Option<f64>) -> Score {
        let mut score = Score::new(reason);
        things.iter().for_each(|thing| {
            score.add_drawn(thing.cluster, Tally::one(thing.mean(&value)), thing.drawn);
        });
        score
    }

    /// The score of tallies, each with the number of its cluster.
    pub fn of(reason: Undefined, tallies: impl IntoIterator<Item = (u32, Tally)>) -> Score {
        let mut score = Score::new(reason);
        tallies.into_iter().for_each(|(cluster, tally)| score.add(cluster, tally));
        score
    }

    pub fn add(&mut self, cluster: u32, tally: Tally) {
        if tally.weight > 0.0 {
            *self.clusters.entry(cluster).or_default() += tally;
        }
    }

    /// Adds a tally of a drawn thing with its sampling weight (Hájek 1971).
    pub fn add_drawn(&mut self, cluster: u32, tally: Tally, drawn: Drawn) {
        self.add(cluster, tally.times(drawn.weight));
        if tally.weight > 0.0 {
            self.strata.note(cluster, drawn.stratum);
        }
    }

    /// Adds a thing to a share: 100 if it is in the part, else 0.
    pub fn count(&mut self, cluster: u32, is_part: bool) {
        self.add(cluster, Tally::one(Some(percent_of(is_part))));
    }

    /// The counts of the part and of the whole, for a score that is a share.
    pub fn part(&self) -> (usize, usize) {
        let total = self.total();
        // Each thing adds 100 or 0 to the sum, and 1 to the weight.
        ((total.sum / 100.0).round() as usize, total.weight as usize)
    }

    /// The score by wider clusters. `within` gives the number of the wider cluster of each cluster; a cluster beyond its end
    /// stays as it is.
    #[must_use]
    pub fn within(&self, within: &[u32]) -> Score {
        let wider = |cluster: u32| within.get(cluster as usize).copied().unwrap_or(cluster);
        let of = self.clusters.iter().map(|(cluster, tally)| (wider(*cluster), *tally));
        let mut score = Score::of(self.reason, of);
        self.strata.0.iter().for_each(|(cluster, stratum)| score.strata.note(wider(*cluster), *stratum));
        score
    }

    /// The tally over all clusters.
    pub fn total(&self) -> Tally {
        let mut total = Tally::default();
        self.clusters.values().for_each(|tally| total += *tally);
        total
    }

    /// The mean with its interval over clusters.
    pub fn estimate(&self, range: NumberRange, intervals: Intervals) -> Estimate {
        let tallies: Vec<Tally> = self.clusters.values().copied().collect();
        let stratum = |cluster: &u32| self.strata.0.get(cluster).copied().unwrap_or_default();
        let strata: Vec<u32> = self.clusters.keys().map(stratum).collect();
        intervals.over_strata(&tallies, &strata, range, |tally| tally.mean(self.reason))
    }

    /// The mean; [`Score::reason`] where nothing was added.
    pub fn value(&self) -> Measure {
        self.total().mean(self.reason)
    }
}

/// Groups judgments by item; all items are in one cluster.
pub fn by_item<'a, J>(judgments: &[&'a J], item: impl Fn(&J) -> u32) -> Vec<Thing<'a, J>> {
    let mut things: BTreeMap<u32, Vec<&'a J>> = BTreeMap::new();
    judgments.iter().for_each(|judgment| things.entry(item(judgment)).or_default().push(judgment));
    things.into_values().map(|judgments| Thing { cluster: 0, drawn: Drawn::default(), judgments }).collect()
}

/// 100 or 0.
pub(super) fn percent_of(is_part: bool) -> f64 {
    if is_part { 100.0 } else { 0.0 }
}

/// The clusters of one kind, numbered in the order of their keys.
pub(super) struct Numbered<'a> {
    kind: ClusterKind,
    numbers: FastMap<[Option<&'a str>; 3], u32>,
}

impl<'a> Numbered<'a> {
    pub(super) fn of(kind: ClusterKind, origins: impl Iterator<Item = &'a Origin>) -> Numbered<'a> {
        let mut all: Vec<_> = origins.map(|origin| origin.cluster(kind)).collect();
        all.dedup(); // those of one cluster mostly follow each other
        let keys: BTreeSet<_> = all.into_iter().collect();
        Numbered { kind, numbers: keys.into_iter().zip(0..).collect() }
    }

    /// The number of an origin's cluster.
    pub(super) fn of_origin(&self, origin: &Origin) -> u32 {
        self.numbers.get(&origin.cluster(self.kind)).copied().unwrap_or(NO_PLACE)
    }

    /// For each cluster of this kind, by its number, the number of the cluster of another kind that contains it.
    pub(super) fn within(&self, kind: ClusterKind, origins: impl Iterator<Item = &'a Origin>) -> Vec<u32> {
        let origins: Vec<&Origin> = origins.collect();
        let wider = Numbered::of(kind, origins.iter().copied());
        let mut numbers = vec![u32::MAX; self.len()];
        for origin in origins {
            if let Some(number) = numbers.get_mut(self.of_origin(origin) as usize) {
                *number = wider.of_origin(origin);
            }
        }
        numbers
    }

    /// The number of clusters.
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }
}

/// Groups judgments by thing, in the order of the first judgment of each.
pub(super) fn by_thing<'a, J>(
    judgments: &[&'a J],
    origin: impl Fn(&J) -> &Origin,
    clusters: &Numbered<'_>,
) -> Vec<Thing<'a, J>> {
    let mut places = FastMap::default();
    let mut things: Vec<Thing<'a, J>> = Vec::new();
    for &judgment in judgments {
        let origin = origin(judgment);
        let place = *places.entry(origin.thing()).or_insert(things.len());
        match things.get_mut(place) {
            Some(thing) => thing.judgments.push(judgment),
            None => {
                let cluster = clusters.of_origin(origin);
                things.push(Thing { cluster, drawn: origin.drawn, judgments: vec![judgment] });
            }
        }
    }
    things
}

#[cfg(test)]
pub(super) mod tests;
