//! Which items belong together, and which judgments are left out.

use std::collections::HashMap;

use crate::agreement::{Clusters, Ratings};
use crate::error::Result;
use crate::protocol::{Part, Protocol};
use crate::report::clusters::{ClusterKey, ClusterKeys};
use crate::report::corpus::Corpus;
use crate::score::{By, ClusterKind, Origin, QueryNames};
use crate::store::{ItemRow, StudyFile, Target};
use crate::study::ItemId;

/// How the items of a comparison belong together.
#[derive(Default)]
pub struct Grouping {
    /// What is deleted or drawn again for intervals.
    pub cluster: ClusterKind,
    pub clusters: Clusters,
    /// The cluster of every item of the protocol, be it in the table or not.
    pub of_place: Vec<u32>,
    /// Groups of items that are looked at by themselves: queries and systems.
    pub partitions: Vec<Partition>,
    pub dropped: Dropped,
}

/// The items in groups that do not overlap.
pub struct Partition {
    /// What the groups are: `query`, `system`.
    pub name: &'static str,
    /// By the number of the group.
    pub labels: Vec<String>,
    /// The group of each item of the table.
    pub of_item: Vec<u32>,
}

impl Partition {
    /// The groups in the order of their labels.
    fn by_label(self) -> Partition {
        let mut order: Vec<usize> = (0..self.labels.len()).collect();
        order.sort_by_key(|group| self.labels.get(*group));
        let mut places = vec![u32::MAX; order.len()];
        for (place, group) in (0..).zip(&order) {
            if let Some(new) = places.get_mut(*group) {
                *new = place;
            }
        }
        let new = |group: &u32| places.get(*group as usize).copied().unwrap_or(u32::MAX);
        Partition {
            name: self.name,
            of_item: self.of_item.iter().map(new).collect(),
            labels: order.iter().filter_map(|group| self.labels.get(*group).cloned()).collect(),
        }
    }
}

/// Judgments that are in no number, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Begun and not finished.
    pub unfinished: usize,
    /// Under another version of the protocol.
    pub stale: usize,
    /// Of items of which this question was not asked, because of an earlier answer.
    pub not_asked: usize,
    /// With an answer that is none of the labels.
    pub unknown_label: usize,
}

/// What belongs together, the cluster of each of `items`, and those of the items of a table, which are named by their places among
/// them.
pub fn clusters(
    study: &StudyFile,
    protocol: &Protocol,
    items: &[ItemRow],
    ratings: &Ratings,
    wanted: Option<ClusterKind>,
) -> Result<(ClusterKind, Vec<u32>, Clusters)> {
    let of_summaries = protocol.targets(Part::Candidate) || protocol.targets(Part::Bullet);
    let kind = match wanted {
        Some(ClusterKind::Item) => ClusterKind::Item,
        Some(ClusterKind::Collection) => ClusterKind::Collection,
        None | Some(ClusterKind::Summary) if of_summaries => ClusterKind::Summary,
        _ => ClusterKind::Query,
    };
    let keys = ClusterKeys::read(study, kind)?;
    let mut known: HashMap<ClusterKey<'_>, u32> = HashMap::new();
    let mut number = |item: &ItemRow| {
        let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
        *known.entry(keys.of(item)).or_insert(next)
    };
    // In the order of the table first, so that the order of rows in the file decides nothing.
    let item = |name: &str| name.parse().ok().and_then(|place: usize| items.get(place));
    let of_item = ratings.items().iter().map(|name| item(name).map_or(u32::MAX, &mut number)).collect();
    let of_place = items.iter().map(&mut number).collect();
    let clusters = if kind == ClusterKind::Item { Clusters::items() } else { Clusters::of(of_item) };
    Ok((kind, of_place, clusters))
}

/// The items in groups, once by each of these.
pub fn partitions(
    study: &StudyFile,
    by: &[By],
    items: &[ItemRow],
    ratings: &Ratings,
) -> Result<Vec<Partition>> {
    let corpus = Corpus::read_all(study, by)?;
    // A response's own point is the response's, as in scores.
    let owners = corpus.owners();
    let origin = |item: &ItemRow| {
        let owner = || owners.get(&item.target.unit?).copied();
        let candidate = item.target.candidate.or_else(owner);
        corpus.origin(&Target { candidate, ..item.target }, "")
    };
    let origins: HashMap<ItemId, Origin> =
        items.iter().filter_map(|item| Some((item.id, origin(item)?))).collect();
    let names = QueryNames::of(origins.values());
    let partition = |by: &By| {
        let label = |item: &ItemRow| names.label(*by, origins.get(&item.id)?);
        let (labels, of_item) = numbered(items, ratings, label);
        let labels = labels.into_iter().map(|label| label.unwrap_or_else(|| "(none)".to_owned())).collect();
        Partition { name: by.name(), labels, of_item }.by_label()
    };
    Ok(by.iter().map(partition).collect())
}

/// The distinct keys in the order of the table, and the number of each item's.
fn numbered<K: std::hash::Hash + Eq + Clone>(
    items: &[ItemRow],
    ratings: &Ratings,
    key: impl Fn(&ItemRow) -> K,
) -> (Vec<K>, Vec<u32>) {
    let mut known: HashMap<K, u32> = HashMap::new();
    let mut keys = Vec::new();
    let number = |name: &str| {
        // Every item of the table was named after one of these.
        let item = name.parse().ok().and_then(|place: usize| items.get(place));
        let Some(item) = item else { return u32::MAX };
        let key = key(item);
        *known.entry(key.clone()).or_insert_with(|| {
            keys.push(key);
            u32::try_from(keys.len() - 1).unwrap_or(u32::MAX)
        })
    };
    let of_item = ratings.items().iter().map(number).collect();
    (keys, of_item)
}
