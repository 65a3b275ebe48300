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
    /// The second candidate of a pair.
    pub other: Option<CandidateId>,
}

impl Target {
    /// The target of a query alone.
    #[must_use]
    pub fn of_query(query: QueryId) -> Target {
        Target { query, document: None, candidate: None, unit: None, bullet: None, other: None }
    }

    /// The candidate, or both of a pair.
    pub fn candidates(&self) -> impl Iterator<Item = CandidateId> + use<> {
        self.candidate.into_iter().chain(self.other)
    }

    /// The whole that the target is a part of: its candidate or pair, else its query.
    #[must_use]
    pub fn whole(self) -> Target {
        Target { document: None, unit: None, bullet: None, ..self }
    }
}

/// An item with its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemRow {
    pub id: ItemId,
    pub target: Target,
}
