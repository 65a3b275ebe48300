//! What scores need to know of the corpus: all but the documents' texts.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use crate::agreement::each_in_parallel;
use crate::error::Result;
use crate::score::{By, Origin, SummaryText};
use crate::store::{DocumentHead, StudyFile, Target};
use crate::study::{
    Candidate, CandidateId, Collection, DocumentId, Query, QueryId, TargetKeys, Unit, UnitId,
};
use crate::text::words;

/// The corpus without the documents' texts and the units' evidence.
pub struct CorpusIndex {
    pub collections: HashMap<String, Collection>,
    pub queries: HashMap<QueryId, Query>,
    /// Ascending by id.
    pub units: Vec<(UnitId, Unit)>,
    pub candidates: HashMap<CandidateId, Candidate>,
    pub documents: HashMap<DocumentId, DocumentHead>,
    /// Numbers of documents by collection and key.
    numbers: HashMap<(String, String), u32>,
    /// Numbers of the documents of each collection.
    pub numbers_of: HashMap<String, BTreeSet<u32>>,
    /// Words of the documents, once someone asks.
    lengths: OnceLock<Lengths>,
    /// By place among the units, once someone asks.
    golds: OnceLock<Vec<Option<Arc<BTreeSet<u32>>>>>,
    /// Keys of queries that several collections have, where queries are grouped by.
    shared: HashSet<String>,
    /// How many snapshots of sessions are left out.
    pub earlier_snapshots: usize,
    /// What scores need of the summaries' texts, once someone asks.
    summaries: OnceLock<HashMap<CandidateId, SummaryText>>,
    /// Words of the candidates, where scores are grouped by them.
    response_words: Option<HashMap<CandidateId, usize>>,
}

/// Words of the documents.
#[derive(Default)]
pub struct Lengths {
    of_document: HashMap<DocumentId, usize>,
    of_collection: HashMap<String, usize>,
}

impl Lengths {
    /// Words of all documents of a collection; `None` where it has none.
    pub fn of_collection(&self, key: &str) -> Option<usize> {
        self.of_collection.get(key).copied()
    }
}

impl CorpusIndex {
    /// Reads the corpus, and the lengths that are grouped by. Of what was written in sessions it holds the last
    /// snapshots only: earlier ones are no summaries that anyone would stand for.
    pub fn read(study: &StudyFile, by: &[By]) -> Result<CorpusIndex> {
        let mut corpus = CorpusIndex::read_all(study, by)?;
        let all = corpus.candidates.iter().map(|(id, candidate)| (*id, candidate));
        let earlier = study.earlier_snapshots(all)?;
        corpus.candidates.retain(|id, _| !earlier.contains(id));
        corpus.earlier_snapshots = earlier.len();
        Ok(corpus)
    }

    /// Reads the corpus with every snapshot.
    pub fn read_all(study: &StudyFile, by: &[By]) -> Result<CorpusIndex> {
        let mut collection_keys = HashMap::new();
        let mut collections = HashMap::new();
        for (id, collection) in study.collections()? {
            collection_keys.insert(id, collection.id.clone());
            collections.insert(collection.id.clone(), collection);
        }
        let mut numbers = HashMap::new();
        let mut numbers_of: HashMap<String, BTreeSet<u32>> = HashMap::new();
        let mut documents = HashMap::new();
        for head in study.document_heads()? {
            if let Some(collection) = collection_keys.get(&head.collection) {
                numbers.insert((collection.clone(), head.key.clone()), head.number);
                numbers_of.entry(collection.clone()).or_default().insert(head.number);
            }
            documents.insert(head.id, head);
        }
        let candidates: HashMap<CandidateId, Candidate> = study.candidates()?.into_iter().collect();
        let count_responses = || candidates.iter().map(|(id, response)| (*id, words::count(&response.text)));
        let mut corpus = CorpusIndex {
            collections,
            queries: study.queries()?.into_iter().collect(),
            units: study.units_without_evidence()?,
            response_words: by.contains(&By::ResponseLength).then(|| count_responses().collect()),
            candidates,
            documents,
            numbers,
            numbers_of,
            lengths: OnceLock::new(),
            golds: OnceLock::new(),
            summaries: OnceLock::new(),
            shared: HashSet::new(),
            earlier_snapshots: 0,
        };
        if by.contains(&By::DocumentLength) {
            corpus.lengths(study)?;
        }
        if by.iter().any(|by| by.begins_with_query()) {
            corpus.shared = corpus.shared_queries().into_iter().map(str::to_owned).collect();
        }
        Ok(corpus)
    }

    /// Words of the documents, whose texts are read when this is first asked.
    pub fn lengths(&self, study: &StudyFile) -> Result<&Lengths> {
        if let Some(lengths) = self.lengths.get() {
            return Ok(lengths);
        }
        let mut lengths = Lengths::default();
        study.for_each_document(|id, document| {
            let count = words::count(&document.text);
            lengths.of_document.insert(id, count);
            *lengths.of_collection.entry(document.collection).or_default() += count;
            Ok(())
        })?;
        Ok(self.lengths.get_or_init(|| lengths))
    }

    /// What scores need of the summaries' texts.
    pub fn summaries(&self) -> &HashMap<CandidateId, SummaryText> {
        self.summaries.get_or_init(|| {
            let candidates: Vec<(&CandidateId, &Candidate)> = self.candidates.iter().collect();
            let text =
                |(id, candidate): &(&CandidateId, &Candidate)| (**id, SummaryText::of(&candidate.text));
            each_in_parallel(&candidates, text).into_iter().collect()
        })
    }

    /// Where a judgment of this item comes from, with the lengths that are grouped by.
    pub fn origin(&self, target: &Target, annotator: &str) -> Option<Origin> {
        let query = self.queries.get(&target.query)?;
        let collection = self.collections.get(&query.collection)?;
        // A candidate that is left out takes its judgments along.
        let candidate = target.candidate.map(|id| self.candidates.get(&id).ok_or(())).transpose().ok()?;
        let lengths = self.lengths.get();
        Some(Origin {
            document_words: lengths.and_then(|lengths| match target.document {
                Some(document) => lengths.of_document.get(&document).copied(),
                None => lengths.of_collection(&query.collection),
            }),
            response_words: target.candidate.and_then(|id| self.response_words.as_ref()?.get(&id).copied()),
            shares_key: self.shared.contains(&query.id),
            part: (*target != target.whole()).then_some(*target),
            ..Origin::of(collection, query, candidate, annotator)
        })
    }

    /// Keys of queries that several collections have.
    pub fn shared_queries(&self) -> HashSet<&str> {
        let mut known = HashSet::new();
        let keys = self.queries.values().map(|query| query.id.as_str());
        keys.filter(|key| !known.insert(*key)).collect()
    }

    /// The keys of what an item is about.
    pub fn keys(&self, target: &Target) -> Option<TargetKeys> {
        let query = self.queries.get(&target.query)?;
        let document = target.document.and_then(|id| self.documents.get(&id));
        let unit = target.unit.and_then(|id| self.unit(id));
        let candidate = target.candidate.and_then(|id| self.candidates.get(&id));
        Some(TargetKeys {
            collection: query.collection.clone(),
            query: query.id.clone(),
            document: document.map(|document| document.key.clone()),
            unit: unit.map(|unit| unit.id.clone()),
            candidate: candidate.map(|candidate| candidate.id.clone()),
            bullet: target.bullet,
        })
    }

    /// The unit of this row.
    pub fn unit(&self, id: UnitId) -> Option<&Unit> {
        let at = self.units.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.units.get(at).map(|(_, unit)| unit)
    }

    /// The candidate of each unit that was taken from one, by the units' rows.
    pub fn owners(&self) -> HashMap<UnitId, CandidateId> {
        let key = |candidate: &Candidate| -> (String, String, String) {
            (candidate.collection.clone(), candidate.query.clone(), candidate.id.clone())
        };
        let by_key: HashMap<_, CandidateId> =
            self.candidates.iter().map(|(id, candidate)| (key(candidate), *id)).collect();
        let owner = |unit: &Unit| {
            let candidate = unit.candidate.clone()?;
            by_key.get(&(unit.collection.clone(), unit.query.clone(), candidate)).copied()
        };
        self.units.iter().filter_map(|(id, unit)| Some((*id, owner(unit)?))).collect()
    }

    /// Numbers of the documents that contain a unit, where they are known.
    pub fn gold(&self, unit: UnitId) -> Option<Arc<BTreeSet<u32>>> {
        let of_unit = |(_, unit): &(UnitId, Unit)| {
            let number = |key: &String| self.numbers.get(&(unit.collection.clone(), key.clone())).copied();
            Some(Arc::new(unit.documents.as_ref()?.iter().filter_map(number).collect()))
        };
        let golds = self.golds.get_or_init(|| self.units.iter().map(of_unit).collect());
        let place = self.units.binary_search_by_key(&unit, |(id, _)| *id).ok()?;
        golds.get(place)?.clone()
    }
}
