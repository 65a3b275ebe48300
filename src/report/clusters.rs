//! The clusters of items, and the kinds of cluster that suit agreement.

use std::collections::HashMap;

use crate::agreement::{Estimate, FEWEST_CLUSTERS};
use crate::error::Result;
use crate::protocol::Protocol;
use crate::score::ClusterKind;
use crate::store::{ItemRow, StudyFile};
use crate::study::QueryId;

/// The key of a cluster among clusters of one kind.
pub type ClusterKey<'a> = (i64, Option<&'a str>);

/// The kinds of cluster for agreement under a protocol: the wanted one, else the query, and behind it the summary for
/// studies with too few queries.
pub fn kinds_for_agreement(protocol: &Protocol, wanted: Option<ClusterKind>) -> Vec<ClusterKind> {
    let has_summaries = protocol.is_about_candidates();
    match wanted {
        Some(ClusterKind::Summary) | None if !has_summaries => vec![ClusterKind::Query],
        Some(kind) => vec![kind],
        None => vec![ClusterKind::Query, ClusterKind::Summary],
    }
}

/// The result of `make` for the first kind with enough clusters for an interval, else for the first kind. Where another kind has
/// taken the place of the first, the number of the first kind's clusters comes along.
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

/// A phrase that agreement or scores hold for these few queries only.
pub fn within_these_queries(number: u64, kind: ClusterKind) -> String {
    let holds = match number {
        1 => "this query".to_owned(),
        number => format!("these {number} queries"),
    };
    format!("holds for {holds} only; with fewer than three, intervals are over {}", kind.words().1)
}

/// A phrase that labels vary in few clusters, where any of these estimates has few effective ones.
pub fn few_effective_clusters(
    estimates: impl IntoIterator<Item = Estimate>,
    kind: ClusterKind,
) -> Option<String> {
    let counts = estimates.into_iter().filter_map(|estimate| estimate.interval?.ok()?.clusters);
    // From one less than the clusters on, their number alone decides.
    let few = counts.filter_map(|count| Some((count.few()?, count.number)));
    let few = few.filter(|(few, number)| few + 1.0 < *number as f64);
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

    pub fn kind(&self) -> ClusterKind {
        self.kind
    }

    /// The cluster of an item; the query stands in where an item has no summary.
    pub fn of(&self, item: &ItemRow) -> ClusterKey<'_> {
        let query = item.target.query;
        match (self.kind, item.target.candidate) {
            (ClusterKind::Item, _) => (item.id.0, None),
            (ClusterKind::Summary, Some(candidate)) => (candidate.0, None),
            (ClusterKind::Collection, _) => (-1, self.collections.get(&query).map(String::as_str)),
            // Candidates have ids above 0, so queries get numbers below 0.
            _ => (-1 - query.0, None),
        }
    }
}
