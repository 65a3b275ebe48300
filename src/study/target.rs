//! Targets: the parts that items are about, by the rows of one study file.

use super::ids::{CandidateId, DocumentId, ItemId, QueryId, UnitId};

/// The rows that an item is about. Parts that the protocol's target does not name are `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    pub query: QueryId,
    pub document: Option<DocumentId>,
    pub candidate: Option<CandidateId>,
    pub unit: Option<UnitId>,
    /// 1-based number of a bullet of the candidate.
    pub bullet: Option<u32>,
}

impl Target {
    /// The candidate that the target is a part of, or the query where it has no candidate.
    #[must_use]
    pub fn whole(self) -> Target {
        Target { document: None, unit: None, bullet: None, ..self }
    }
}

/// An item and what it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemRow {
    pub id: ItemId,
    pub target: Target,
}
