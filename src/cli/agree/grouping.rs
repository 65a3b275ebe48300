//! What hangs together among the items that are compared, and which judgments are not.

use std::collections::HashMap;

use super::super::args::ClusterName;
use crate::agreement::{Clusters, Ratings};
use crate::error::Result;
use crate::protocol::{Answer, Part, Protocol, Question};
use crate::score::System;
use crate::store::{ItemRow, StudyFile, Target, Versions};
use crate::study::AnnotatorId;

/// How the items of a comparison belong together.
#[derive(Default)]
pub struct Grouping {
    /// What is drawn again.
    pub cluster: ClusterKind,
    pub clusters: Clusters,
    /// Groups of items that are looked at by themselves: queries and systems.
    pub partitions: Vec<Partition>,
    pub dropped: Dropped,
}

/// What is drawn again as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClusterKind {
    #[default]
    Item,
    Summary,
    Query,
    Collection,
    /// Of a file of ratings.
    Cluster,
}

impl ClusterKind {
    /// The word for one and for several.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Item => ("item", "items"),
            Self::Summary => ("summary", "summaries"),
            Self::Query => ("query", "queries"),
            Self::Collection => ("collection", "collections"),
            Self::Cluster => ("cluster", "clusters"),
        }
    }
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

/// The items of one protocol of a study.
pub struct Corpus<'a> {
    study: &'a StudyFile,
    pub protocol: &'a Protocol,
    /// By number.
    items: Vec<ItemRow>,
}

impl<'a> Corpus<'a> {
    pub fn read(study: &'a StudyFile, protocol: &'a Protocol) -> Result<Self> {
        let mut items = study.items(&protocol.name)?;
        items.sort_unstable_by_key(|item| item.id);
        Ok(Self { study, protocol, items })
    }

    /// The clusters of the items of this table, which are named by their numbers.
    pub fn clusters(
        &self,
        ratings: &Ratings,
        wanted: Option<ClusterName>,
    ) -> Result<(ClusterKind, Clusters)> {
        let of_summaries = self.protocol.targets(Part::Candidate) || self.protocol.targets(Part::Bullet);
        let kind = match wanted {
            Some(ClusterName::Item) => return Ok((ClusterKind::Item, Clusters::items())),
            Some(ClusterName::Collection) => ClusterKind::Collection,
            None | Some(ClusterName::Summary) if of_summaries => ClusterKind::Summary,
            _ => ClusterKind::Query,
        };
        let collections = if kind == ClusterKind::Collection { self.collections()? } else { HashMap::new() };
        let key = |target: &Target| match (kind, target.candidate) {
            (ClusterKind::Summary, Some(candidate)) => (0, candidate.0),
            (ClusterKind::Collection, _) => (1, collections.get(&target.query.0).copied().unwrap_or(0)),
            _ => (2, target.query.0),
        };
        let (_, of_item) = self.numbered(ratings, key);
        Ok((kind, Clusters::of(of_item)))
    }

    /// The items by query and, where they have summaries, by system.
    pub fn partitions(&self, ratings: &Ratings) -> Result<Vec<Partition>> {
        let names: HashMap<i64, String> = self
            .study
            .queries()?
            .into_iter()
            .map(|(id, query)| (id.0, format!("{} / {}", query.collection, query.id)))
            .collect();
        let (queries, of_item) = self.numbered(ratings, |target| target.query.0);
        let name = |id: &i64| names.get(id).cloned().unwrap_or_default();
        let labels = queries.iter().map(name).collect();
        let mut partitions = vec![Partition { name: "query", labels, of_item }.by_label()];
        if self.items.iter().any(|item| item.target.candidate.is_some()) {
            let systems: HashMap<i64, String> = self
                .study
                .candidates()?
                .into_iter()
                .map(|(id, candidate)| (id.0, System::from(&candidate).name()))
                .collect();
            let system = |target: &Target| target.candidate.and_then(|candidate| systems.get(&candidate.0));
            let (labels, of_item) = self.numbered(ratings, system);
            let labels = labels.into_iter().map(|label| label.cloned().unwrap_or_default()).collect();
            partitions.push(Partition { name: "system", labels, of_item }.by_label());
        }
        Ok(partitions)
    }

    /// How many judgments are left out before the question itself is looked at, and of how many items it was not asked.
    pub fn dropped(
        &self,
        question: &Question,
        versions: Versions,
        is_chosen: impl Fn(AnnotatorId) -> bool,
    ) -> Result<Dropped> {
        let unfinished = self.study.unfinished(&self.protocol.name)?;
        let others = match versions {
            Versions::All => Vec::new(),
            Versions::Only(_) => self.study.judgments_under_other_versions(self.protocol)?,
        };
        let stale =
            others.iter().filter(|count| is_chosen(count.annotator)).map(|count| count.judgments).sum();
        let not_asked = match &question.ask_when {
            None => 0,
            Some(condition) => {
                let column = self.study.answers(&self.protocol.name, &condition.question, versions)?;
                let is = |value: &str| condition.is.iter().any(|wanted| wanted == value);
                let holds = |answer: &Answer| {
                    answer.as_text().is_some_and(is) || answer.names().iter().any(|name| is(name))
                };
                let holds: Vec<bool> = column.answers.iter().map(holds).collect();
                let is_asked = |answer: u32| holds.get(answer as usize).copied().unwrap_or(false);
                let rows = column.rows.iter().filter(|row| is_chosen(row.annotator) && !is_asked(row.answer));
                rows.filter(|row| !unfinished.contains(&(row.annotator, row.item))).count()
            }
        };
        let unfinished = unfinished.iter().filter(|(annotator, _)| is_chosen(*annotator)).count();
        Ok(Dropped { unfinished, stale, not_asked, unknown_label: 0 })
    }

    /// The distinct keys in the order of the table, and the number of each item's.
    fn numbered<K: std::hash::Hash + Eq + Clone>(
        &self,
        ratings: &Ratings,
        key: impl Fn(&Target) -> K,
    ) -> (Vec<K>, Vec<u32>) {
        let mut known: HashMap<K, u32> = HashMap::new();
        let mut keys = Vec::new();
        let target = |name: &str| {
            let id = name.parse().ok()?;
            let place = self.items.binary_search_by_key(&id, |item| item.id.0).ok()?;
            self.items.get(place)
        };
        let number = |name: &str| {
            let Some(item) = target(name) else { return u32::MAX };
            let key = key(&item.target);
            *known.entry(key.clone()).or_insert_with(|| {
                keys.push(key);
                u32::try_from(keys.len() - 1).unwrap_or(u32::MAX)
            })
        };
        let of_item = ratings.items().iter().map(number).collect();
        (keys, of_item)
    }

    /// The number of each query's collection.
    fn collections(&self) -> Result<HashMap<i64, i64>> {
        let mut known: HashMap<String, i64> = HashMap::new();
        let queries = self.study.queries()?.into_iter().map(|(id, query)| {
            let next = i64::try_from(known.len()).unwrap_or(i64::MAX);
            (id.0, *known.entry(query.collection).or_insert(next))
        });
        Ok(queries.collect())
    }
}
