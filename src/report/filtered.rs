//! Parts of a study chosen by the language of browse.

use std::collections::HashSet;

use crate::browse::{BrowseTable, Tables, View, WhoCounts};
use crate::error::Result;
use crate::store::StudyFile;
use crate::study::{CandidateId, ItemId, ItemKey, TargetKeys};

/// The study as tables; people's judgments count.
pub fn tables(study: &StudyFile) -> Result<Tables> {
    let (corpus, judged) = study.whole_study()?;
    Ok(Tables::new(corpus, judged, WhoCounts::People))
}

/// The rows of a table that a filter lets through.
///
/// # Errors
/// The filter is wrong (usage), naming the place.
pub fn rows(tables: &Tables, view: &View) -> Result<Vec<u32>> {
    tables.rows(view).map_err(|error| error.in_filter(&view.filter))
}

/// The items that a filter over the table of items lets through.
fn items(study: &StudyFile, filter: &str) -> Result<HashSet<ItemKey>> {
    let tables = tables(study)?;
    let view = View { filter: filter.to_owned(), ..View::of(BrowseTable::Items) };
    Ok(rows(&tables, &view)?.into_iter().filter_map(|row| tables.item_key(row)).collect())
}

/// What a filter lets through: everything without one.
#[derive(Default)]
pub struct Filtered {
    items: Option<HashSet<ItemKey>>,
    candidates: Option<HashSet<CandidateId>>,
}

impl Filtered {
    /// The items that a filter over their table lets through.
    ///
    /// # Errors
    /// The filter is wrong (usage), or the study cannot be read.
    pub fn items(study: &StudyFile, filter: Option<&str>) -> Result<Filtered> {
        let items = filter.map(|filter| items(study, filter)).transpose()?;
        Ok(Filtered { items, candidates: None })
    }

    /// The candidates that a filter over their table lets through.
    ///
    /// # Errors
    /// As [`Filtered::items`].
    pub fn candidates(study: &StudyFile, filter: Option<&str>) -> Result<Filtered> {
        let candidates = filter.map(|filter| candidates(study, filter)).transpose()?;
        Ok(Filtered { items: None, candidates })
    }

    /// Whether a candidate is let through.
    pub fn has_candidate(&self, id: CandidateId) -> bool {
        self.candidates.as_ref().is_none_or(|chosen| chosen.contains(&id))
    }

    /// Whether the item of this protocol with these keys is let through.
    pub fn has_item(&self, protocol: &str, about: &TargetKeys) -> bool {
        self.items.as_ref().is_none_or(|chosen| chosen.contains(&about.item_key(protocol)))
    }

    /// The items of a protocol that are let through; `None` where nothing is filtered.
    pub fn items_of(&self, study: &StudyFile, protocol: &str) -> Result<Option<HashSet<ItemId>>> {
        if self.items.is_none() {
            return Ok(None);
        }
        let items = study.item_keys(protocol)?.into_iter();
        let chosen = items.filter(|(_, about)| self.has_item(protocol, about));
        Ok(Some(chosen.map(|(item, _)| item).collect()))
    }
}

/// The candidates that a filter over the table of candidates lets through.
fn candidates(study: &StudyFile, filter: &str) -> Result<HashSet<CandidateId>> {
    let tables = tables(study)?;
    let view = View { filter: filter.to_owned(), ..View::of(BrowseTable::Candidates) };
    let chosen = rows(&tables, &view)?;
    let id = |row: u32| tables.corpus().candidates.get(row as usize).map(|(id, _)| *id);
    Ok(chosen.into_iter().filter_map(id).collect())
}
