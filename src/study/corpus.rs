//! The whole of what is judged, in memory.

use super::ids::{AnnotatorId, CandidateId, CollectionId, DocumentId, QueryId, UnitId};
use super::record::{Annotator, Candidate, Collection, Document, Query, Unit};

/// All records of a study but the judgments, with their rows; each list ascends by row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Corpus {
    pub collections: Vec<(CollectionId, Collection)>,
    pub documents: Vec<(DocumentId, Document)>,
    pub queries: Vec<(QueryId, Query)>,
    pub units: Vec<(UnitId, Unit)>,
    pub candidates: Vec<(CandidateId, Candidate)>,
    pub annotators: Vec<(AnnotatorId, Annotator)>,
}
