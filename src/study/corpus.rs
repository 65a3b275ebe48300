//! The records of a study, in memory.

use super::ids::{AnnotatorId, CandidateId, CollectionId, DocumentId, QueryId, UnitId};
use super::item::TargetKeys;
use super::record::{Annotator, Candidate, Collection, Document, Query, Unit};
use super::sample::StandingSample;
use super::target::Target;

/// All records of a study but the judgments, with their rows; each list ascends by row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Corpus {
    pub collections: Vec<(CollectionId, Collection)>,
    pub documents: Vec<(DocumentId, Document)>,
    pub queries: Vec<(QueryId, Query)>,
    pub units: Vec<(UnitId, Unit)>,
    pub candidates: Vec<(CandidateId, Candidate)>,
    pub annotators: Vec<(AnnotatorId, Annotator)>,
    /// Samples, in the order in which they were drawn.
    pub samples: Vec<StandingSample>,
    /// The sample whose probabilities weigh every estimate; where there is none, all counts alike.
    pub weighed_by: Option<usize>,
}

impl Corpus {
    pub fn keys(&self, target: &Target) -> Option<TargetKeys> {
        fn key<Id: Ord + Copy + Into<i64>, T>(
            list: &[(Id, T)],
            id: Option<Id>,
            of: fn(&T) -> &String,
        ) -> Option<String> {
            let (_, record) = list.get(place_of(list, id?)?)?;
            Some(of(record).clone())
        }
        let (_, query) = self.queries.get(place_of(&self.queries, target.query)?)?;
        Some(TargetKeys {
            collection: query.collection.clone(),
            query: query.id.clone(),
            document: key(&self.documents, target.document, |document| &document.id),
            unit: key(&self.units, target.unit, |unit| &unit.id),
            candidate: key(&self.candidates, target.candidate, |candidate| &candidate.id),
            bullet: target.bullet,
            other: key(&self.candidates, target.other, |candidate| &candidate.id),
        })
    }

    /// How many things of its kind a target stands for, and the number of its stratum: 1 and 0 where all counts alike.
    pub fn drawn(&self, target: &Target) -> (f64, u32) {
        let sample = self.weighed_by.and_then(|place| self.samples.get(place));
        let found = sample.and_then(|sample| {
            let stratum = sample.stratum(&self.keys(target)?)?;
            Some((sample.weight(stratum), stratum))
        });
        found.unwrap_or((1.0, 0))
    }
}

/// The place of a row in a list that ascends by row. Rows mostly follow each other without a gap, so the place without
/// gaps is tried first.
pub fn place_of<Id: Ord + Copy + Into<i64>, T>(list: &[(Id, T)], id: Id) -> Option<usize> {
    let (first, _) = list.first()?;
    let near = usize::try_from(id.into().checked_sub((*first).into())?).ok()?;
    match list.get(near) {
        Some((found, _)) if *found == id => Some(near),
        _ => list.binary_search_by_key(&id, |(id, _)| *id).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_with_and_without_gaps() {
        let list = [3, 4, 7, 9].map(|id| (UnitId(id), ()));
        let places = [2, 3, 4, 5, 7, 9, 10].map(|id| place_of(&list, UnitId(id)));
        assert_eq!(places, [None, Some(0), Some(1), None, Some(2), Some(3), None]);
        assert_eq!(place_of::<UnitId, ()>(&[], UnitId(1)), None);
    }
}
