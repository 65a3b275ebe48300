//! The corpus as scores need it: all records, mostly without the texts of documents.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use crate::agreement::each_in_parallel;
use crate::error::Result;
use crate::number::NO_PLACE;
use crate::score::{Origin, SummaryText};
use crate::store::{StudyFile, Target};
use crate::study::{Candidate, CandidateId, Corpus, Query, QueryId, TargetKeys, Unit, UnitId, place_of};

/// The records of a study, and how they belong together. Documents may lack their texts; units lack their evidence.
pub struct CorpusIndex {
    pub records: Arc<Corpus>,
    /// Numbers of documents by collection and key.
    numbers: HashMap<(String, String), u32>,
    /// Numbers of gold documents by place among the units; computed when first asked for.
    golds: OnceLock<Vec<Option<Arc<BTreeSet<u32>>>>>,
    /// Keys of queries that occur in several collections.
    shared: HashSet<String>,
    /// Earlier snapshots of sessions, which are no finished summaries; empty where they are wanted.
    pub earlier: HashSet<CandidateId>,
    /// The parts of the summaries' texts that scores need; computed when first asked for.
    summaries: OnceLock<HashMap<CandidateId, SummaryText>>,
}

impl CorpusIndex {
    /// Reads the corpus; of summaries written in sessions, only the last snapshots.
    pub fn read(study: &StudyFile) -> Result<CorpusIndex> {
        CorpusIndex::of(study, study.corpus_without_texts()?, false)
    }

    /// Makes the index of a corpus, with earlier snapshots if wanted.
    pub fn of(study: &StudyFile, mut records: Corpus, has_snapshots: bool) -> Result<CorpusIndex> {
        let all = records.candidates.iter().map(|(id, candidate)| (*id, candidate));
        let earlier = if has_snapshots { HashSet::new() } else { study.earlier_snapshots(all)? };
        records.candidates.retain(|(id, _)| !earlier.contains(id));
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

    /// The parts of the summaries' texts that scores need.
    pub fn summaries(&self) -> &HashMap<CandidateId, SummaryText> {
        self.summaries.get_or_init(|| {
            let text = |(id, candidate): &(CandidateId, Candidate)| {
                (*id, SummaryText::of(&candidate.text, |bullet| candidate.cited(bullet)))
            };
            each_in_parallel(&self.records.candidates, text).into_iter().collect()
        })
    }

    /// The origin of a judgment; `row` is that of the item in the table of items.
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

    /// The origin of a target that is in no table.
    pub fn origin_alone(&self, target: &Target) -> Option<Origin> {
        self.origin(target, "", NO_PLACE)
    }

    /// Keys of queries that occur in several collections.
    pub fn shared_queries(&self) -> &HashSet<String> {
        &self.shared
    }

    /// Whether a target counts: one about an earlier snapshot does not.
    pub fn counts(&self, target: &Target) -> bool {
        target.candidates().all(|id| !self.earlier.contains(&id))
    }

    /// The keys of a target.
    pub fn keys(&self, target: &Target) -> Option<TargetKeys> {
        self.records.keys(target)
    }

    /// The query with this id.
    pub fn query(&self, id: QueryId) -> Option<&Query> {
        find(&self.records.queries, id)
    }

    pub fn unit(&self, id: UnitId) -> Option<&Unit> {
        find(&self.records.units, id)
    }

    pub fn candidate(&self, id: CandidateId) -> Option<&Candidate> {
        find(&self.records.candidates, id)
    }

    /// The candidate from which each unit was taken, for units that have one.
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

    /// Numbers of the gold documents of a unit, where they are known.
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

/// The record with this id.
fn find<Id: Ord + Copy + Into<i64>, T>(list: &[(Id, T)], id: Id) -> Option<&T> {
    list.get(place_of(list, id)?).map(|(_, record)| record)
}
