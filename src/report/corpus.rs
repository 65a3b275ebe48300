//! What scores need to know of the corpus: all but the documents' texts.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use crate::agreement::each_in_parallel;
use crate::error::Result;
use crate::number::NO_PLACE;
use crate::score::{Origin, SummaryText};
use crate::store::{StudyFile, Target};
use crate::study::{
    Candidate, CandidateId, Corpus, Document, DocumentId, Query, QueryId, TargetKeys, Unit, UnitId, place_of,
};

/// The records of a study, and what belongs to what. Documents may be without their texts, units are without evidence.
pub struct CorpusIndex {
    pub records: Arc<Corpus>,
    /// Numbers of documents by collection and key.
    numbers: HashMap<(String, String), u32>,
    /// By place among the units, once someone asks.
    golds: OnceLock<Vec<Option<Arc<BTreeSet<u32>>>>>,
    /// Keys of queries that several collections have.
    shared: HashSet<String>,
    /// The snapshots of sessions that no one would stand for as summaries.
    pub earlier: HashSet<CandidateId>,
    /// What scores need of the summaries' texts, once someone asks.
    summaries: OnceLock<HashMap<CandidateId, SummaryText>>,
}

impl CorpusIndex {
    /// Reads the corpus, of what was written in sessions the last snapshots only.
    pub fn read(study: &StudyFile) -> Result<CorpusIndex> {
        CorpusIndex::of(study, study.corpus_without_texts()?, false)
    }

    /// The index of a corpus; with every snapshot where those are wanted.
    pub fn of(study: &StudyFile, mut records: Corpus, has_snapshots: bool) -> Result<CorpusIndex> {
        let all = records.candidates.iter().map(|(id, candidate)| (*id, candidate));
        let earlier = study.earlier_snapshots(all)?;
        records.candidates.retain(|(id, _)| has_snapshots || !earlier.contains(id));
        let mut numbers = HashMap::new();
        for (_, document) in &records.documents {
            numbers.insert((document.collection.clone(), document.id.clone()), document.number);
        }
        let mut known = HashSet::new();
        let keys = records.queries.iter().map(|(_, query)| query.id.as_str());
        let shared = keys.filter(|key| !known.insert(*key)).map(str::to_owned).collect();
        Ok(CorpusIndex {
            shared,
            earlier,
            numbers,
            golds: OnceLock::new(),
            summaries: OnceLock::new(),
            records: Arc::new(records),
        })
    }

    /// What scores need of the summaries' texts.
    pub fn summaries(&self) -> &HashMap<CandidateId, SummaryText> {
        self.summaries.get_or_init(|| {
            let text = |(id, candidate): &(CandidateId, Candidate)| {
                (*id, SummaryText::of(&candidate.text, |bullet| candidate.cited(bullet)))
            };
            each_in_parallel(&self.records.candidates, text).into_iter().collect()
        })
    }

    /// Where a judgment comes from, of an item of this row of the table of items.
    pub fn origin(&self, target: &Target, annotator: &str, row: u32) -> Option<Origin> {
        let query = self.query(target.query)?;
        // A candidate that is left out takes its judgments along.
        let candidates: Vec<&Candidate> =
            target.candidates().map(|id| self.candidate(id)).collect::<Option<_>>()?;
        // A pair is about no single one.
        let candidate = candidates.first().copied().filter(|_| target.other.is_none());
        Some(Origin {
            shares_key: self.shared.contains(&query.id),
            part: (target.other.is_some() || *target != target.whole()).then_some(*target),
            row,
            drawn: self.records.drawn(target).into(),
            ..Origin::of(query, candidate, annotator)
        })
    }

    /// The same of something that is in no table.
    pub fn origin_alone(&self, target: &Target) -> Option<Origin> {
        self.origin(target, "", NO_PLACE)
    }

    /// Keys of queries that several collections have.
    pub fn shared_queries(&self) -> &HashSet<String> {
        &self.shared
    }

    /// The keys of what an item is about.
    pub fn keys(&self, target: &Target) -> Option<TargetKeys> {
        self.records.keys(target)
    }

    /// The query of this row; so with all below.
    pub fn query(&self, id: QueryId) -> Option<&Query> {
        find(&self.records.queries, id)
    }

    pub fn document(&self, id: DocumentId) -> Option<&Document> {
        find(&self.records.documents, id)
    }

    pub fn unit(&self, id: UnitId) -> Option<&Unit> {
        find(&self.records.units, id)
    }

    pub fn candidate(&self, id: CandidateId) -> Option<&Candidate> {
        find(&self.records.candidates, id)
    }

    /// The candidate of each unit that was taken from one, by the units' rows.
    pub fn owners(&self) -> HashMap<UnitId, CandidateId> {
        let key = |(id, candidate): &'_ (CandidateId, Candidate)| {
            ((candidate.collection.clone(), candidate.query.clone(), candidate.id.clone()), *id)
        };
        let by_key: HashMap<_, CandidateId> = self.records.candidates.iter().map(key).collect();
        let owner = |unit: &Unit| {
            let candidate = unit.candidate.clone()?;
            by_key.get(&(unit.collection.clone(), unit.query.clone(), candidate)).copied()
        };
        self.records.units.iter().filter_map(|(id, unit)| Some((*id, owner(unit)?))).collect()
    }

    /// Numbers of the documents that contain a unit, where they are known.
    pub fn gold(&self, unit: UnitId) -> Option<Arc<BTreeSet<u32>>> {
        let units = &self.records.units;
        let of_unit = |(_, unit): &(UnitId, Unit)| {
            let number = |key: &String| self.numbers.get(&(unit.collection.clone(), key.clone())).copied();
            Some(Arc::new(unit.documents.as_ref()?.iter().filter_map(number).collect()))
        };
        let golds = self.golds.get_or_init(|| units.iter().map(of_unit).collect());
        golds.get(place_of(units, unit)?)?.clone()
    }
}

/// The record of a row.
fn find<Id: Ord + Copy + Into<i64>, T>(list: &[(Id, T)], id: Id) -> Option<&T> {
    list.get(place_of(list, id)?).map(|(_, record)| record)
}
