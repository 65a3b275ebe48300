//! How the records of a study and its items belong together, by their places in the corpus.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::agreement::each_in_parallel;
use crate::journal::Material;
use crate::number::short;
use crate::study::{Candidate, CandidateId, Corpus, ItemRow, place_of};
use crate::text::bullets::{SummaryLength, bullets, length};
use crate::text::span::Span;
use crate::text::words;

/// Stands for a place where the row has no such part.
pub(super) const NONE: u32 = u32::MAX;

/// A bullet of a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bullet {
    pub(super) span: Span,
    pub(super) cited: BTreeSet<u32>,
}

/// Where the parts of an item stand in the corpus; [`NONE`] for parts that it does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ItemPlace {
    /// The place of the protocol, and of the item among its items.
    pub(super) protocol: u32,
    pub(super) index: u32,
    pub(super) query: u32,
    pub(super) document: u32,
    pub(super) unit: u32,
    pub(super) candidate: u32,
    pub(super) bullet: u32,
    /// The second candidate of a pair.
    pub(super) other: u32,
}

/// A retriever and a summarizer: a row of the table of systems.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SystemParts {
    pub(super) retriever: Option<String>,
    pub(super) summarizer: Option<String>,
}

/// Places of records by the records that they belong to. Everything is an index into the lists of the corpus.
#[derive(Debug, Default)]
pub(super) struct Relations {
    pub(super) collection_of_document: Vec<u32>,
    pub(super) collection_of_query: Vec<u32>,
    pub(super) query_of_unit: Vec<u32>,
    pub(super) query_of_candidate: Vec<u32>,
    /// The candidate that a unit was taken from.
    pub(super) owner_of_unit: Vec<u32>,
    pub(super) system_of_candidate: Vec<u32>,
    pub(super) systems: Vec<SystemParts>,
    /// The documents of each collection, in the order of their numbers.
    pub(super) documents_of_collection: Vec<Vec<u32>>,
    pub(super) queries_of_collection: Vec<Vec<u32>>,
    /// Whether another collection has a query with the same key, for each query.
    pub(super) shares_key: Vec<bool>,
    pub(super) units_of_query: Vec<Vec<u32>>,
    pub(super) candidates_of_query: Vec<Vec<u32>>,
    pub(super) candidates_of_system: Vec<Vec<u32>>,
    /// Numbers of the documents that contain a unit; `None` where they are not known.
    pub(super) gold: Vec<Option<BTreeSet<u32>>>,
    /// The bullets of each candidate.
    pub(super) bullets: Vec<Vec<Bullet>>,
    /// Words of each candidate, separated by white space.
    pub(super) words: Vec<u32>,
    /// The length of each candidate without headings.
    pub(super) lengths: Vec<SummaryLength>,
    /// The rows of the table of items.
    pub(super) items: Vec<ItemPlace>,
    /// The row of each item of each protocol.
    pub(super) rows_of_items: Vec<Vec<u32>>,
}

impl Relations {
    pub(super) fn of(corpus: &Corpus, judged: &[Arc<Material>]) -> Relations {
        let mut relations = Relations::default();
        relations.link_corpus(corpus);
        relations.link_systems(corpus);
        relations.read_candidates(corpus);
        for (protocol, table) in judged.iter().enumerate() {
            relations.rows_of_items.push(Vec::with_capacity(table.items.len()));
            for item in table.items.iter() {
                relations.add_item(corpus, protocol, item);
            }
        }
        relations
    }

    fn link_corpus(&mut self, corpus: &Corpus) {
        let mut keys: HashMap<&str, usize> = HashMap::new();
        corpus.queries.iter().for_each(|(_, query)| *keys.entry(&query.id).or_default() += 1);
        self.shares_key = corpus.queries.iter().map(|(_, query)| keys[query.id.as_str()] > 1).collect();
        let collections: HashMap<&str, u32> =
            corpus.collections.iter().map(|(_, collection)| collection.id.as_str()).zip(0..).collect();
        let collection = |key: &str| collections.get(key).copied().unwrap_or(NONE);
        self.collection_of_document =
            corpus.documents.iter().map(|(_, document)| collection(&document.collection)).collect();
        self.collection_of_query =
            corpus.queries.iter().map(|(_, query)| collection(&query.collection)).collect();
        let keys = corpus.queries.iter().map(|(_, query)| (query.collection.as_str(), query.id.as_str()));
        let queries: HashMap<(&str, &str), u32> = keys.zip(0..).collect();
        let query = |collection: &str, key: &str| queries.get(&(collection, key)).copied().unwrap_or(NONE);
        self.query_of_unit =
            corpus.units.iter().map(|(_, unit)| query(&unit.collection, &unit.query)).collect();
        self.query_of_candidate =
            corpus.candidates.iter().map(|(_, made)| query(&made.collection, &made.query)).collect();
        self.documents_of_collection = members(&self.collection_of_document, corpus.collections.len());
        for documents in &mut self.documents_of_collection {
            documents.sort_by_key(|place| {
                corpus.documents.get(*place as usize).map_or(0, |(_, document)| document.number)
            });
        }
        self.queries_of_collection = members(&self.collection_of_query, corpus.collections.len());
        self.units_of_query = members(&self.query_of_unit, corpus.queries.len());
        self.candidates_of_query = members(&self.query_of_candidate, corpus.queries.len());
        self.link_units(corpus);
    }

    /// Links units to their gold documents and to the candidates they were taken from.
    fn link_units(&mut self, corpus: &Corpus) {
        let mut numbers: HashMap<(&str, &str), u32> = HashMap::new();
        for (_, document) in &corpus.documents {
            numbers.insert((&document.collection, &document.id), document.number);
        }
        let mut candidates: HashMap<(u32, &str), u32> = HashMap::new();
        for (((_, made), query), place) in corpus.candidates.iter().zip(&self.query_of_candidate).zip(0..) {
            candidates.insert((*query, &made.id), place);
        }
        for ((_, unit), query) in corpus.units.iter().zip(&self.query_of_unit) {
            let number = |key: &String| numbers.get(&(unit.collection.as_str(), key.as_str())).copied();
            self.gold.push(unit.documents.as_ref().map(|keys| keys.iter().filter_map(number).collect()));
            let owner = unit.candidate.as_deref().and_then(|key| candidates.get(&(*query, key)));
            self.owner_of_unit.push(owner.copied().unwrap_or(NONE));
        }
    }

    /// Links candidates to systems; systems stand in the order of retriever and summarizer.
    fn link_systems(&mut self, corpus: &Corpus) {
        let parts = |(_, made): &(_, crate::study::Candidate)| SystemParts {
            retriever: made.retriever.clone(),
            summarizer: made.summarizer.clone(),
        };
        let mut systems: BTreeMap<SystemParts, u32> =
            corpus.candidates.iter().map(|made| (parts(made), NONE)).collect();
        for (place, number) in systems.values_mut().zip(0..) {
            *place = number;
        }
        let system = |made| systems.get(&parts(made)).copied().unwrap_or(NONE);
        self.system_of_candidate = corpus.candidates.iter().map(system).collect();
        self.candidates_of_system = members(&self.system_of_candidate, systems.len());
        self.systems = systems.into_keys().collect();
    }

    fn read_candidates(&mut self, corpus: &Corpus) {
        let read = |(_, made): &(CandidateId, Candidate)| {
            let bullet = |span: Span| Bullet { span, cited: made.cited(span.slice(&made.text)) };
            let bullets: Vec<Bullet> = bullets(&made.text).into_iter().map(bullet).collect();
            (bullets, length(&made.text), short(words::count(&made.text)))
        };
        for (bullets, length, words) in each_in_parallel(&corpus.candidates, read) {
            self.bullets.push(bullets);
            self.lengths.push(length);
            self.words.push(words);
        }
    }

    /// Adds a row to the table of items.
    pub(super) fn add_item(&mut self, corpus: &Corpus, protocol: usize, item: &ItemRow) {
        let target = &item.target;
        let row = self.items.len() as u32;
        let Some(rows) = self.rows_of_items.get_mut(protocol) else { return };
        self.items.push(ItemPlace {
            protocol: protocol as u32,
            index: rows.len() as u32,
            query: place(&corpus.queries, Some(target.query)),
            document: place(&corpus.documents, target.document),
            unit: place(&corpus.units, target.unit),
            candidate: place(&corpus.candidates, target.candidate),
            bullet: target.bullet.unwrap_or(NONE),
            other: place(&corpus.candidates, target.other),
        });
        rows.push(row);
    }
}

/// The place of a record by its id; [`NONE`] without one.
fn place<Id: Ord + Copy + Into<i64>, T>(list: &[(Id, T)], id: Option<Id>) -> u32 {
    id.and_then(|id| place_of(list, id)).map_or(NONE, short)
}

/// Inverts a list of owners: for each owner, its members.
fn members(belongs_to: &[u32], count: usize) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); count];
    for (owner, member) in belongs_to.iter().zip(0..) {
        if let Some(members) = members.get_mut(*owner as usize) {
            members.push(member);
        }
    }
    members
}

/// The element at this place; `None` for [`NONE`].
pub(super) fn at<T>(list: &[T], place: u32) -> Option<&T> {
    list.get(place as usize)
}

/// The number at this place; [`NONE`] where there is none.
pub(super) fn from(list: &[u32], place: u32) -> u32 {
    at(list, place).copied().unwrap_or(NONE)
}
