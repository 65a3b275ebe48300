//! The cluster that an item is in.

use std::collections::HashMap;

use crate::error::Result;
use crate::score::ClusterKind;
use crate::store::{ItemRow, StudyFile};
use crate::study::QueryId;

/// What tells clusters of one kind apart.
pub type ClusterKey<'a> = (i64, Option<&'a str>);

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
