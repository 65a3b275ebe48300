//! From a row to the rows that belong to it, and to the target of a judgment.

use super::{BrowseTable, Entity, NONE, Tables, at, exactly};
use crate::protocol::{Protocol, TargetPart};
use crate::study::{Candidate, CandidateId, Collection, Document, ItemKey, Query, Target, TargetKeys, Unit};

/// The records that a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Records<'t> {
    pub collection: Option<&'t Collection>,
    pub query: Option<&'t Query>,
    pub unit: Option<&'t Unit>,
    pub candidate: Option<&'t Candidate>,
    /// The judged document, or the row itself.
    pub document: Option<&'t Document>,
}

impl Tables {
    pub fn records(&self, table: BrowseTable, row: u32) -> Records<'_> {
        let place = |entity| self.place(table, row, entity);
        Records {
            collection: self.collection(place(Entity::Collection)),
            query: self.query(place(Entity::Query)),
            unit: self.unit(place(Entity::Unit)),
            candidate: self.candidate(place(Entity::Candidate)),
            document: self.document(place(Entity::Document)),
        }
    }

    /// The key of an item, given by its row. The key is the same in every study that holds the item.
    pub fn item_key(&self, row: u32) -> Option<ItemKey> {
        let table = self.judged.get(at(&self.relations.items, row)?.protocol as usize)?;
        Some(self.item_keys(row)?.item_key(&table.protocol.name))
    }

    /// The candidate of an item, given by its row.
    pub fn candidate_of_item(&self, row: u32) -> Option<CandidateId> {
        let place = at(&self.relations.items, row)?.candidate;
        self.corpus.candidates.get(place as usize).map(|(id, _)| *id)
    }

    /// The keys of an item's target, given by its row.
    pub fn item_keys(&self, row: u32) -> Option<TargetKeys> {
        self.corpus.keys(&self.item_row(row)?.target)
    }

    /// The filter that chooses, in the table `to`, the rows that belong to this row; `None` where the two tables are not
    /// related so.
    pub fn opens(&self, table: BrowseTable, row: u32, to: BrowseTable) -> Option<String> {
        let place = |entity| self.place(table, row, entity);
        let query = || {
            let place = place(Entity::Query);
            let (_, query) = at(&self.corpus.queries, place)?;
            let named = exactly("query", &query.id);
            let is_alone = self.corpus.queries.iter().filter(|(_, other)| other.id == query.id).count() == 1;
            Some(if is_alone {
                named
            } else {
                format!("{} {named}", exactly("collection", &query.collection))
            })
        };
        let unit = || Some(exactly("unit", &self.unit(place(Entity::Unit))?.id));
        let candidate = || Some(exactly("candidate", &self.candidate(place(Entity::Candidate))?.id));
        let parts = match (table, to) {
            (BrowseTable::Systems, BrowseTable::Candidates | BrowseTable::Items) => {
                vec![exactly("system", &self.system_name(row))]
            }
            (BrowseTable::Queries, BrowseTable::Candidates | BrowseTable::Units | BrowseTable::Items) => {
                vec![query()?]
            }
            (BrowseTable::Units, BrowseTable::Items) => vec![query()?, unit()?],
            (BrowseTable::Units, BrowseTable::Candidates) => vec![query()?],
            (BrowseTable::Candidates, BrowseTable::Items) => vec![query()?, candidate()?],
            (BrowseTable::Candidates, BrowseTable::Units) => vec![query()?],
            (BrowseTable::Candidates, BrowseTable::Candidates) => vec![query()?],
            (BrowseTable::Items, BrowseTable::Items) => {
                let candidate = candidate().into_iter();
                [query()?].into_iter().chain(candidate).collect()
            }
            (BrowseTable::Items, BrowseTable::Candidates | BrowseTable::Units) => vec![query()?],
            _ => return None,
        };
        Some(parts.join(" "))
    }

    /// The target of a judgment of this row under a protocol; `None` where the row lacks a part of the target.
    pub fn target(&self, table: BrowseTable, row: u32, protocol: &Protocol) -> Option<Target> {
        let place = |entity| self.place(table, row, entity);
        let item = at(&self.relations.items, row).filter(|_| table == BrowseTable::Items);
        let wanted = |part: TargetPart| protocol.targets(part);
        let query = at(&self.corpus.queries, place(Entity::Query))?.0;
        let document = at(&self.corpus.documents, place(Entity::Document)).map(|(id, _)| *id);
        let unit = at(&self.corpus.units, place(Entity::Unit)).map(|(id, _)| *id);
        let candidate = at(&self.corpus.candidates, place(Entity::Candidate)).map(|(id, _)| *id);
        let bullet = item.map(|item| item.bullet).filter(|number| *number != NONE);
        let target = Target {
            query,
            document: document.filter(|_| wanted(TargetPart::Document)),
            unit: unit.filter(|_| wanted(TargetPart::Unit)),
            candidate: candidate.filter(|_| wanted(TargetPart::Candidate) || wanted(TargetPart::Bullet)),
            bullet: bullet.filter(|_| wanted(TargetPart::Bullet)),
            other: None,
        };
        let is_whole = (target.document.is_some() || !wanted(TargetPart::Document))
            && (target.unit.is_some() || !wanted(TargetPart::Unit))
            && (target.candidate.is_some() || !wanted(TargetPart::Candidate))
            && (target.bullet.is_some() || !wanted(TargetPart::Bullet))
            && !wanted(TargetPart::Pair);
        is_whole.then_some(target)
    }
}
