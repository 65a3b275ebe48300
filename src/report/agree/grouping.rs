//! Clusters and groups of items, and the judgments that are left out.

use indexmap::{IndexMap, IndexSet};

use crate::agreement::{Clusters, Drawn, Ratings};
use crate::error::Result;
use crate::number::{NO_PLACE, short};
use crate::protocol::Protocol;
use crate::report::{ClusterKey, ClusterKeys, Judged, StudyFrame, first_with_enough, kinds_for_agreement};
use crate::score::{By, ClusterKind, Origin};
use crate::store::{ItemRow, StudyFile, Target};
use crate::study::Corpus;

/// The clusters and groups of a comparison's items.
#[derive(Default)]
pub struct Grouping {
    /// The kind of cluster that intervals delete or resample.
    pub cluster: ClusterKind,
    /// The number of queries, where they are too few for an interval, so that summaries are the clusters.
    pub within: Option<u64>,
    pub clusters: Clusters,
    /// The cluster of every item of the protocol, also of items that are not in the table.
    pub of_place: Vec<u32>,
    /// Groups of items with agreement of their own, such as queries and systems.
    pub partitions: Vec<Partition>,
    pub dropped: Dropped,
}

/// The items in groups that do not overlap.
pub struct Partition {
    /// The kind of group: `query`, `system`, or a column of a file of ratings.
    pub name: String,
    /// The labels, by the number of the group.
    pub labels: Vec<String>,
    /// The group of each item of the table.
    pub of_item: Vec<u32>,
}

impl Partition {
    /// Sorts the groups by their labels.
    pub fn by_label(self) -> Partition {
        let mut order: Vec<usize> = (0..self.labels.len()).collect();
        order.sort_by_key(|group| self.labels.get(*group));
        let mut places = vec![NO_PLACE; order.len()];
        for (place, group) in (0..).zip(&order) {
            if let Some(new) = places.get_mut(*group) {
                *new = place;
            }
        }
        let new = |group: &u32| places.get(*group as usize).copied().unwrap_or(NO_PLACE);
        Partition {
            name: self.name,
            of_item: self.of_item.iter().map(new).collect(),
            labels: order.iter().filter_map(|group| self.labels.get(*group).cloned()).collect(),
        }
    }
}

/// Judgments that are left out, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Judgments that were begun and not finished.
    pub unfinished: usize,
    /// Judgments that say that the item cannot be judged.
    pub set_aside: usize,
    /// Judgments under another version of the protocol.
    pub stale: usize,
    /// Judgments on texts that were revised since.
    pub outdated: usize,
    /// Judgments where an earlier answer leaves this question out.
    pub not_asked: usize,
    /// Judgments whose answer is none of the labels.
    pub unknown_label: usize,
}

/// The clusters of a protocol's items (`of_place`), and those of the table's items, which are named by their places.
#[derive(Default)]
pub struct ItemGroups {
    kind: ClusterKind,
    of_place: Vec<u32>,
    clusters: Clusters,
}

impl ItemGroups {
    fn of(keys: &ClusterKeys, items: &[ItemRow], ratings: &Ratings, records: &Corpus) -> ItemGroups {
        let mut known: IndexSet<ClusterKey<'_>> = IndexSet::new();
        let mut number = |item: &ItemRow| short(known.insert_full(keys.of(item)).0);
        // Clusters are numbered in the order of the table, so that the order of rows in the file does not matter.
        let item = |name: &str| name.parse().ok().and_then(|place: usize| items.get(place));
        let of_item = ratings.items().iter().map(|name| item(name).map_or(NO_PLACE, &mut number)).collect();
        let of_place = items.iter().map(&mut number).collect();
        let kind = keys.kind();
        let clusters = if kind == ClusterKind::Item { Clusters::items() } else { Clusters::of(of_item) };
        let clusters = match records.weighed_by {
            None => clusters,
            Some(_) => {
                let drawn = |name: &str| {
                    item(name).map_or_else(Drawn::default, |item| records.drawn(&item.target).into())
                };
                clusters.drawn(&ratings.items().iter().map(drawn).collect::<Vec<Drawn>>())
            }
        };
        ItemGroups { kind, of_place, clusters }
    }
}

impl Grouping {
    /// Clusters the items by the wanted kind or, without one, by the kinds that suit agreement.
    pub fn cluster(
        &mut self,
        (study, protocol, records): (&StudyFile, &Protocol, &Corpus),
        items: &[ItemRow],
        ratings: &Ratings,
        wanted: Option<ClusterKind>,
    ) -> Result<()> {
        let kinds = kinds_for_agreement(protocol, wanted);
        let number = |groups: &ItemGroups| groups.clusters.rated(ratings, 2);
        let made = |kind: &ClusterKind| {
            Ok(ItemGroups::of(&ClusterKeys::read(study, *kind)?, items, ratings, records))
        };
        let (groups, within) = first_with_enough(&kinds, number, made)?.unwrap_or_default();
        self.within = within;
        (self.cluster, self.of_place, self.clusters) = (groups.kind, groups.of_place, groups.clusters);
        Ok(())
    }
}

/// Groups the items of a protocol, once by each field.
pub fn partitions(
    frame: &StudyFrame<'_>,
    by: &[By],
    judged: &Judged<'_>,
    ratings: &Ratings,
) -> Result<Vec<Partition>> {
    let corpus = frame.corpus()?;
    let items = &judged.material.items;
    // A unit that was taken from a response belongs to the response, as in scores.
    let owners = corpus.owners();
    // Only these parts of a target give the groups, and neighbouring items mostly share them.
    let home = |item: &ItemRow| {
        let owner = || owners.get(&item.target.unit?).copied();
        Target { candidate: item.target.candidate.or_else(owner), unit: None, bullet: None, ..item.target }
    };
    let mut origins: IndexMap<Target, Option<Origin>> = IndexMap::new();
    let mut latest: Option<(Target, usize)> = None;
    let mut place = |item: &ItemRow| {
        let home = home(item);
        let place = match latest {
            Some((same, place)) if same == home => place,
            _ => {
                let origin = origins.entry(home);
                let place = origin.index();
                origin.or_insert_with(|| corpus.origin_alone(&home));
                place
            }
        };
        latest = Some((home, place));
        place
    };
    let homes: Vec<usize> = items.iter().map(&mut place).collect();
    // The items of the table are named after their places.
    let of_item: Vec<Option<u32>> = ratings.items().iter().map(|name| name.parse().ok()).collect();
    let partition = |by: &By| {
        // The group of an item is that of its row, else that of its home.
        let at = |place: u32| match by.code(judged.row_of(place)) {
            Some(_) => place as usize,
            None => homes.get(place as usize).copied().unwrap_or(NO_PLACE as usize),
        };
        let label = |place: u32| match by.code(judged.row_of(place)) {
            Some(_) => by.label(&Origin { row: judged.row_of(place), ..Origin::default() }),
            None => by.label(origins.get_index(at(place))?.1.as_ref()?),
        };
        let mut groups: IndexSet<Option<String>> = IndexSet::new();
        let mut numbers: Vec<Option<u32>> = vec![None; items.len().max(origins.len())];
        let number = |place: &Option<u32>| {
            let number = place.and_then(|place| Some((place, numbers.get_mut(at(place))?)));
            // Groups are fewer than items, and these fewer than 2³².
            number.map_or(NO_PLACE, |(place, number)| {
                *number.get_or_insert_with(|| short(groups.insert_full(label(place)).0))
            })
        };
        let of_item = of_item.iter().map(number).collect();
        let labels = groups.into_iter().map(|label| label.unwrap_or_else(|| "(none)".to_owned())).collect();
        Partition { name: by.name().to_owned(), labels, of_item }.by_label()
    };
    Ok(by.iter().map(partition).collect())
}
