//! Clusters of items that hang together: each is drawn again, or left out, as a whole.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{ClusterLabels, Counts, DistinctRows, Ratings, SEVERAL_STRATA, short};

/// Which items belong together, such as the judgments of one summary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clusters {
    /// The cluster of each item; `None` when each item is by itself.
    of_item: Option<Vec<u32>>,
    /// How often each item counts, and its stratum; empty where all count once.
    drawn: Vec<(u32, u32)>,
}

/// How an item was drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawn {
    /// How many of its kind the item stands for: one over the probability with which it was drawn.
    pub weight: f64,
    /// The number of the item's stratum.
    pub stratum: u32,
}

impl Default for Drawn {
    fn default() -> Drawn {
        Drawn { weight: 1.0, stratum: 0 }
    }
}

impl From<(f64, u32)> for Drawn {
    fn from((weight, stratum): (f64, u32)) -> Drawn {
        Drawn { weight, stratum }
    }
}

/// The most that a weight is multiplied by to make it a whole number.
const FINEST: u32 = 10_000;

/// Whole numbers in the proportion of weights, each with its stratum: exactly where a multiple of at most 10,000 makes them
/// whole.
pub fn whole_times(drawn: &[Drawn]) -> Vec<(u32, u32)> {
    let is_whole = |weight: f64| (weight - weight.round()).abs() < 1e-9 * weight.max(1.0);
    let mut distinct: Vec<f64> = drawn.iter().map(|one| one.weight).collect();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    let exact = (1..FINEST).find(|times| distinct.iter().all(|weight| is_whole(weight * f64::from(*times))));
    let times = f64::from(exact.unwrap_or(FINEST));
    // A weight is a ratio of two numbers of things in memory; one beyond 2³² would count as that.
    drawn.iter().map(|one| ((one.weight * times).round() as u32, one.stratum)).collect()
}

/// How many items have which row of the table: (row, items), rows ascending.
pub(super) type Content = Vec<(u32, u32)>;

impl Clusters {
    /// Each item by itself.
    #[must_use]
    pub fn items() -> Self {
        Self::default()
    }

    /// The cluster of each item, in the order of the table; any numbers will do. Items beyond the end of the
    /// list are in no cluster and left out.
    #[must_use]
    pub fn of(of_item: Vec<u32>) -> Self {
        Self { of_item: Some(of_item), drawn: Vec::new() }
    }

    /// The clusters of items that were drawn with unequal probabilities; in the order of the table, one entry for each item.
    #[must_use]
    pub fn drawn(self, drawn: &[Drawn]) -> Self {
        Self { drawn: whole_times(drawn), ..self }
    }

    /// The same clusters where all items count once.
    pub(super) fn plain(&self) -> Self {
        Self { drawn: Vec::new(), ..self.clone() }
    }

    /// Whether the items were drawn with unequal probabilities.
    pub(super) fn is_weighed(&self) -> bool {
        !self.drawn.is_empty()
    }

    /// Counts in which each item weighs what it stands for: an estimate of the counts of all items that it was drawn from.
    #[must_use]
    pub fn weigh<'c, 'r>(&self, counts: &'c Counts<'r>) -> Cow<'c, Counts<'r>> {
        if !self.is_weighed() {
            return Cow::Borrowed(counts);
        }
        let mut weighed = counts.clone();
        weighed.reweight(&self.drawn.iter().map(|(times, _)| *times).collect::<Vec<u32>>());
        Cow::Owned(weighed)
    }

    /// The clusters of these items only, in this order.
    #[must_use]
    pub fn of_items(&self, chosen: &[usize]) -> Self {
        let own = |of_item: &Vec<u32>| chosen.iter().filter_map(|item| of_item.get(*item).copied()).collect();
        let drawn = match self.is_weighed() {
            true => chosen.iter().filter_map(|item| self.drawn.get(*item).copied()).collect(),
            false => Vec::new(),
        };
        Self { of_item: self.of_item.as_ref().map(own), drawn }
    }

    /// The number of an item's cluster; `None` for an item in no cluster.
    #[must_use]
    pub fn of_item(&self, item: usize) -> Option<u32> {
        match &self.of_item {
            None => u32::try_from(item).ok(),
            Some(of_item) => of_item.get(item).copied(),
        }
    }

    /// The number of clusters with an item that has as many ratings as said, or more.
    #[must_use]
    pub fn rated(&self, ratings: &Ratings, least: usize) -> u64 {
        let rated = ratings.rows().enumerate().filter(|(_, row)| row.ratings().count() >= least);
        let mut clusters: Vec<u32> = rated.filter_map(|(item, _)| self.of_item(item)).collect();
        clusters.sort_unstable();
        clusters.dedup();
        clusters.len() as u64
    }
}

/// The content of each cluster that has a rating, by cluster number, with its stratum; without items by themselves.
pub(super) fn contents(
    ratings: &Ratings,
    rows: &DistinctRows,
    of_item: impl Iterator<Item = u32>,
    drawn: &[(u32, u32)],
) -> Vec<(u32, u32, Content)> {
    let is_rated: Vec<bool> = rows.iter(ratings).map(|(row, _)| row.ratings().next().is_some()).collect();
    let drawn = drawn.iter().copied().chain(std::iter::repeat((1, 0)));
    let placed = of_item.zip(rows.row_of_item()).zip(drawn);
    let mut placed: Vec<(u32, u32, u32, u32)> = placed
        .filter(|((_, row), _)| is_rated[**row as usize])
        .map(|((cluster, row), (times, stratum))| (cluster, *row, stratum, times))
        .collect();
    placed.sort_unstable();
    let clusters = placed.chunk_by(|a, b| a.0 == b.0);
    clusters
        .filter_map(|cluster| {
            let rows = cluster.chunk_by(|a, b| a.1 == b.1);
            // A table has fewer than 2³² items.
            let count = |items: &[(u32, u32, u32, u32)]| {
                short(items.iter().map(|item| u64::from(item.3)).sum::<u64>())
            };
            let content = rows.filter_map(|items| Some((items.first()?.1, count(items)))).collect();
            let (number, _, stratum, _) = *cluster.first()?;
            let is_in_one = cluster.iter().all(|item| item.2 == stratum);
            Some((number, if is_in_one { stratum } else { SEVERAL_STRATA }, content))
        })
        .collect()
}

/// The distinct contents of the clusters, and how many clusters have each.
///
/// Clusters of the same content are interchangeable: a resample draws how many of each kind there are.
#[derive(Clone, Debug)]
pub(super) struct Kinds {
    pub(super) contents: Vec<Content>,
    pub(super) sizes: Vec<u64>,
    /// Clusters of different strata are of different kinds.
    pub(super) strata: Vec<u32>,
}

impl Kinds {
    pub(super) fn of(ratings: &Ratings, rows: &DistinctRows, clusters: &Clusters) -> Self {
        let all = match &clusters.of_item {
            None if !clusters.is_weighed() => return Self::single(ratings, rows),
            None => contents(ratings, rows, 0..short(ratings.items().len()), &clusters.drawn),
            Some(of_item) => contents(ratings, rows, of_item.iter().copied(), &clusters.drawn),
        };
        Self::distinct(all.into_iter().map(|(_, stratum, content)| (stratum, content)))
    }

    /// One item a cluster: the kinds are the rows.
    fn single(ratings: &Ratings, rows: &DistinctRows) -> Self {
        let rated = (0..).zip(rows.iter(ratings)).filter(|(_, (row, _))| row.ratings().next().is_some());
        let (contents, sizes): (Vec<Content>, Vec<u64>) =
            rated.map(|(row, (_, items))| (vec![(row, 1)], items)).unzip();
        let strata = vec![0; sizes.len()];
        Self { contents, sizes, strata }
    }

    fn distinct(clusters: impl Iterator<Item = (u32, Content)>) -> Self {
        let mut known: HashMap<(u32, Content), usize> = HashMap::new();
        let mut kinds = Self { contents: Vec::new(), sizes: Vec::new(), strata: Vec::new() };
        for cluster in clusters {
            if let Some(kind) = known.get(&cluster) {
                kinds.sizes[*kind] += 1; // one for each content known
                continue;
            }
            known.insert(cluster.clone(), kinds.sizes.len());
            kinds.strata.push(cluster.0);
            kinds.contents.push(cluster.1);
            kinds.sizes.push(1);
        }
        kinds
    }

    /// The kinds with an item that has two ratings or more.
    pub(super) fn pairable(mut self, counts: &Counts) -> Self {
        let rows = counts.rows().iter(counts.table());
        let is_pairable: Vec<bool> = rows.map(|(row, _)| row.ratings().nth(1).is_some()).collect();
        let has_one = |content: &Content| content.iter().any(|(row, _)| is_pairable[*row as usize]);
        let kept: Vec<bool> = self.contents.iter().map(has_one).collect();
        fn keep<T>(list: &mut Vec<T>, kept: &[bool]) {
            let mut kept = kept.iter();
            list.retain(|_| kept.next() == Some(&true));
        }
        keep(&mut self.contents, &kept);
        keep(&mut self.sizes, &kept);
        keep(&mut self.strata, &kept);
        self
    }

    /// The labels of the pairable items of each kind.
    pub(super) fn labels(&self, counts: &Counts) -> ClusterLabels {
        let (mut labels, mut held) = (ClusterLabels::default(), vec![0; counts.histogram.categories()]);
        for (content, times) in self.contents.iter().zip(&self.sizes) {
            held.fill(0);
            let patterns =
                content.iter().map(|(row, items)| (counts.histogram.of_row(*row), u64::from(*items)));
            for (pattern, items) in patterns.filter(|(pattern, _)| pattern.pairable()) {
                for (category, count) in &pattern.counts {
                    held[usize::from(*category)] += items * u64::from(*count); // a rating is always one of the categories
                }
            }
            labels.add(&held, *times);
        }
        labels
    }

    /// The number of clusters.
    #[cfg(test)]
    pub(super) fn clusters(&self) -> u64 {
        self.sizes.iter().sum()
    }

    /// Adds up how many items have each row when the kinds occur so often.
    pub(super) fn add_up(&self, times: &[u64], multiplicity: &mut [u64]) {
        multiplicity.fill(0);
        for (content, times) in self.contents.iter().zip(times).filter(|(_, times)| **times > 0) {
            for (row, items) in content {
                multiplicity[*row as usize] += times * u64::from(*items); // one place for each row
            }
        }
    }
}
