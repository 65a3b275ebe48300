//! Items that hang together: what is drawn again as a whole, and what is looked at by itself.

use std::collections::HashMap;

use super::counts::Counts;
use super::lowest::ClusterLabels;
use super::rows::DistinctRows;
use super::table::Ratings;
use crate::number::short;

/// Which items belong together, such as the judgments of one summary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clusters {
    /// `None` when each item is by itself.
    of_item: Option<Vec<u32>>,
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
        Self { of_item: Some(of_item) }
    }

    /// Those of these items only, in this order.
    #[must_use]
    pub fn of_items(&self, chosen: &[usize]) -> Self {
        let own = |of_item: &Vec<u32>| chosen.iter().filter_map(|item| of_item.get(*item).copied()).collect();
        Self { of_item: self.of_item.as_ref().map(own) }
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

/// The content of each cluster that has a rating, by cluster number; without items by themselves.
pub(super) fn contents(ratings: &Ratings, rows: &DistinctRows, of_item: &[u32]) -> Vec<(u32, Content)> {
    let is_rated: Vec<bool> = rows.iter(ratings).map(|(row, _)| row.ratings().next().is_some()).collect();
    let placed = of_item.iter().zip(rows.row_of_item());
    let mut placed: Vec<(u32, u32)> =
        placed.filter(|(_, row)| is_rated[**row as usize]).map(|(cluster, row)| (*cluster, *row)).collect();
    placed.sort_unstable();
    let clusters = placed.chunk_by(|a, b| a.0 == b.0);
    clusters
        .filter_map(|cluster| {
            let rows = cluster.chunk_by(|a, b| a.1 == b.1);
            // A table has fewer than 2³² items.
            let count = |items: &[(u32, u32)]| short(items.len());
            let content = rows.filter_map(|items| Some((items.first()?.1, count(items)))).collect();
            Some((cluster.first()?.0, content))
        })
        .collect()
}

/// The distinct contents of the clusters, and how many clusters have each.
///
/// Clusters of the same content are interchangeable: what is drawn is how many of each kind there are.
#[derive(Clone, Debug)]
pub(super) struct Kinds {
    pub(super) contents: Vec<Content>,
    pub(super) sizes: Vec<u64>,
}

impl Kinds {
    pub(super) fn of(ratings: &Ratings, rows: &DistinctRows, clusters: &Clusters) -> Self {
        match &clusters.of_item {
            None => Self::single(ratings, rows),
            Some(of_item) => {
                Self::distinct(contents(ratings, rows, of_item).into_iter().map(|(_, content)| content))
            }
        }
    }

    /// One item a cluster: the kinds are the rows.
    fn single(ratings: &Ratings, rows: &DistinctRows) -> Self {
        let rated = (0..).zip(rows.iter(ratings)).filter(|(_, (row, _))| row.ratings().next().is_some());
        let (contents, sizes) = rated.map(|(row, (_, items))| (vec![(row, 1)], items)).unzip();
        Self { contents, sizes }
    }

    fn distinct(clusters: impl Iterator<Item = Content>) -> Self {
        let mut known: HashMap<Content, usize> = HashMap::new();
        let mut kinds = Self { contents: Vec::new(), sizes: Vec::new() };
        for content in clusters {
            if let Some(kind) = known.get(&content) {
                kinds.sizes[*kind] += 1; // one for each content known
                continue;
            }
            known.insert(content.clone(), kinds.sizes.len());
            kinds.contents.push(content);
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
        let mut keep = kept.iter();
        self.contents.retain(|_| keep.next() == Some(&true));
        let mut keep = kept.iter();
        self.sizes.retain(|_| keep.next() == Some(&true));
        self
    }

    /// The labels of the pairable items of each.
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
