//! The cluster that an item is in, and what agreement is clustered by.

use std::collections::HashMap;

use crate::agreement::{Estimate, FEWEST_CLUSTERS};
use crate::error::Result;
use crate::protocol::Protocol;
use crate::score::ClusterKind;
use crate::store::{ItemRow, StudyFile};
use crate::study::QueryId;

/// What tells clusters of one kind apart.
pub type ClusterKey<'a> = (i64, Option<&'a str>);

/// What agreement under a protocol is clustered by: what was asked for, else the query, and behind it what takes its place where there
/// are too few queries.
pub fn kinds_for_agreement(protocol: &Protocol, wanted: Option<ClusterKind>) -> Vec<ClusterKind> {
    let has_summaries = protocol.is_about_candidates();
    match wanted {
        Some(ClusterKind::Summary) | None if !has_summaries => vec![ClusterKind::Query],
        Some(kind) => vec![kind],
        None => vec![ClusterKind::Query, ClusterKind::Summary],
    }
}

/// What is made by the first of these kinds of which there are enough clusters for an interval, else by the first; and how many of the
/// first there are, where another has taken its place.
pub fn first_with_enough<K, T>(
    kinds: &[K],
    number: impl Fn(&T) -> u64,
    make: impl Fn(&K) -> Result<T>,
) -> Result<Option<(T, Option<u64>)>> {
    let Some((first, others)) = kinds.split_first() else { return Ok(None) };
    let found = make(first)?;
    let few = number(&found);
    for other in others.iter().filter(|_| few < FEWEST_CLUSTERS) {
        let made = make(other)?;
        if number(&made) >= FEWEST_CLUSTERS {
            return Ok(Some((made, Some(few))));
        }
    }
    Ok(Some((found, None)))
}

/// Says that there are too few queries to say anything of others.
pub fn within_these_queries(number: u64, kind: ClusterKind) -> String {
    let holds = match number {
        1 => "this query".to_owned(),
        number => format!("these {number} queries"),
    };
    format!("holds for {holds} only; with fewer than three, intervals are over {}", kind.words().1)
}

/// Says that labels vary in so few clusters that intervals are wide, where they do in those of these estimates.
pub fn few_effective_clusters(
    estimates: impl IntoIterator<Item = Estimate>,
    kind: ClusterKind,
) -> Option<String> {
    let counts = estimates.into_iter().filter_map(|estimate| estimate.interval?.ok()?.clusters);
    let few = counts.filter_map(|count| Some((count.few()?, count.number)));
    let (few, number) = few.min_by(|one, other| one.0.total_cmp(&other.0))?;
    let clusters = kind.counted(number);
    Some(format!(
        "the labels vary in effectively {few:.1} of {clusters}; the interval is wide for this reason"
    ))
}

/// Finds the cluster of an item.
pub struct ClusterKeys {
    kind: ClusterKind,
    collections: HashMap<QueryId, String>,
}

impl ClusterKeys {
    /// Clusters of this kind.
    pub fn read(study: &StudyFile, kind: ClusterKind) -> Result<ClusterKeys> {
        let collections = match kind {
            ClusterKind::Collection => {
                study.queries()?.into_iter().map(|(id, query)| (id, query.collection)).collect()
            }
            _ => HashMap::new(),
        };
        Ok(ClusterKeys { kind, collections })
    }

    /// What the clusters are.
    pub fn kind(&self) -> ClusterKind {
        self.kind
    }

    /// The cluster of an item: its query where it has no summary.
    pub fn of(&self, item: &ItemRow) -> ClusterKey<'_> {
        let query = item.target.query;
        match (self.kind, item.target.candidate) {
            (ClusterKind::Item, _) => (item.id.0, None),
            (ClusterKind::Summary, Some(candidate)) => (candidate.0, None),
            (ClusterKind::Collection, _) => (-1, self.collections.get(&query).map(String::as_str)),
            // No candidate has a number below 0.
            _ => (-1 - query.0, None),
        }
    }
}
