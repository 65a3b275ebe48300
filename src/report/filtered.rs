//! Parts of a study chosen by a filter ([`crate::browse::filter`]).

use std::collections::{HashMap, HashSet};

use crate::browse::{BrowseTable, Tables, View, WhoCounts};
use crate::error::{Error, Result};
use crate::store::StudyFile;
use crate::study::{CandidateId, ItemId, ItemKey, Record, TargetKeys};

/// The study as tables, with people's judgments counted.
pub fn tables(study: &StudyFile) -> Result<Tables> {
    let (corpus, judged) = study.whole_study()?;
    Ok(Tables::new(corpus, judged, WhoCounts::People))
}

/// The rows of a view.
pub fn rows(tables: &Tables, view: &View) -> Result<Vec<u32>> {
    tables.rows(view).map_err(|error| error.in_filter(&view.filter))
}

/// The rows of a table that pass a filter. If no row passes, the error says why.
pub fn fitting(study: &StudyFile, tables: &Tables, table: BrowseTable, filter: &str) -> Result<Vec<u32>> {
    let found = rows(tables, &View { filter: filter.to_owned(), ..View::of(table) })?;
    if found.is_empty() && tables.len(table) > 0 {
        let (why, advice) = tables.why_unfit(table, filter).map_err(|error| error.in_filter(filter))?;
        let what = format!("nothing among the {table} fits the filter {filter:?}: {why}");
        return Err(Error::nothing(what).in_file(study.path()).advise(advice));
    }
    Ok(found)
}

/// The candidates that pass a filter. If the filter names fields that only items have, the candidates of the items that
/// pass.
pub fn candidates(study: &StudyFile, tables: &Tables, filter: &str) -> Result<HashSet<CandidateId>> {
    Ok(match tables.check(BrowseTable::Candidates, filter) {
        Ok(()) => {
            let rows = fitting(study, tables, BrowseTable::Candidates, filter)?.into_iter();
            let id = |row: u32| tables.corpus().candidates.get(row as usize).map(|(id, _)| *id);
            rows.filter_map(id).collect()
        }
        Err(_) => {
            let rows = fitting(study, tables, BrowseTable::Items, filter)?.into_iter();
            rows.filter_map(|row| tables.candidate_of_item(row)).collect()
        }
    })
}

/// The items or candidates that pass a filter; without a filter, all.
#[derive(Default)]
pub struct Filtered {
    items: Option<HashMap<ItemKey, TargetKeys>>,
    candidates: Option<HashSet<CandidateId>>,
}

impl Filtered {
    /// The items that pass a filter.
    pub fn items(study: &StudyFile, filter: Option<&str>) -> Result<Filtered> {
        let Some(filter) = filter else { return Ok(Filtered::default()) };
        let tables = tables(study)?;
        let rows = fitting(study, &tables, BrowseTable::Items, filter)?.into_iter();
        let items = rows.filter_map(|row| Some((tables.item_key(row)?, tables.item_keys(row)?))).collect();
        Ok(Filtered { items: Some(items), candidates: None })
    }

    /// The candidates that pass a filter, as [`candidates`] chooses them.
    pub fn candidates(study: &StudyFile, filter: Option<&str>) -> Result<Filtered> {
        let Some(filter) = filter else { return Ok(Filtered::default()) };
        let tables = tables(study)?;
        let candidates = candidates(study, &tables, filter)?;
        Ok(Filtered { items: None, candidates: Some(candidates) })
    }

    /// Whether a candidate passes.
    pub fn has_candidate(&self, id: CandidateId) -> bool {
        self.candidates.as_ref().is_none_or(|chosen| chosen.contains(&id))
    }

    /// Whether the item of this protocol with these keys passes.
    pub fn has_item(&self, protocol: &str, about: &TargetKeys) -> bool {
        self.items.as_ref().is_none_or(|chosen| chosen.contains_key(&about.item_key(protocol)))
    }

    /// The items of a protocol that pass; `None` without a filter.
    pub fn items_of(&self, study: &StudyFile, protocol: &str) -> Result<Option<HashSet<ItemId>>> {
        if self.items.is_none() {
            return Ok(None);
        }
        let items = study.item_keys(protocol)?.into_iter();
        let chosen = items.filter(|(_, about)| self.has_item(protocol, about));
        Ok(Some(chosen.map(|(item, _)| item).collect()))
    }

    /// A test for records: whether an item that passes is about the collection, document, query or unit. An item about no
    /// single document is about all documents of its collection.
    pub fn texts(&self) -> impl Fn(&Record) -> bool {
        let about: Option<HashSet<AboutText<'_>>> =
            self.items.as_ref().map(|items| items.values().flat_map(texts_of).collect());
        move |record| {
            let Some(about) = &about else { return true };
            match record {
                Record::Collection(one) => about.contains(&("collection", &one.id, "", "")),
                Record::Query(one) => about.contains(&("query", &one.collection, &one.id, "")),
                Record::Ranking(one) => about.contains(&("query", &one.collection, &one.query, "")),
                Record::Unit(one) => about.contains(&("unit", &one.collection, &one.query, &one.id)),
                Record::Document(one) => ["", one.id.as_str()]
                    .into_iter()
                    .any(|id| about.contains(&("document", &one.collection, "", id))),
                _ => true,
            }
        }
    }
}

/// A record that an item is about: its kind, collection, query and key; no key for all documents of a collection.
type AboutText<'a> = (&'static str, &'a str, &'a str, &'a str);

fn texts_of(item: &TargetKeys) -> impl Iterator<Item = AboutText<'_>> {
    let (collection, query) = (item.collection.as_str(), item.query.as_str());
    let document = item.document.as_deref().unwrap_or_default();
    let unit = item.unit.as_deref().map(|unit| ("unit", collection, query, unit));
    [
        ("collection", collection, "", ""),
        ("query", collection, query, ""),
        ("document", collection, "", document),
    ]
    .into_iter()
    .chain(unit)
}
