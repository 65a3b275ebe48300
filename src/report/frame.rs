//! A study in memory for commands that only read: records and judgments, each loaded once when first asked for.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use super::{CorpusIndex, counted, fitting, protocols};
use crate::browse::{BrowseTable, Tables, WhoCounts, reads_documents, sample_of, scores_read_documents};
use crate::error::Result;
use crate::journal::Material;
use crate::number::short;
use crate::protocol::{Protocol, ScoreRule};
use crate::score::{By, RowGroups, Uncertainty};
use crate::store::{StudyFile, Target, VersionsRead};
use crate::study::{CandidateId, ItemId, ItemRow, StandingSample};

/// The parts of a study to read.
#[derive(Debug, Clone, Copy, Default)]
pub struct FrameAsked<'a> {
    pub all_versions: bool,
    /// A filter of items in the language of [`crate::browse::filter`]; all items if `None`.
    pub filter: Option<&'a str>,
    /// The fields to group by.
    pub by: &'a [String],
    /// Whether the candidates include earlier snapshots of sessions.
    pub has_snapshots: bool,
    /// Whether to ignore the probabilities of the sample that the filter names.
    pub is_unweighted: bool,
}

/// The part of a study that a report is of, and how sure its numbers are.
#[derive(Debug, Clone, Default)]
pub struct StudyPart {
    /// The protocol; all protocols if `None`.
    pub protocol: Option<String>,
    pub all_versions: bool,
    /// The annotators; if empty, those whom the report takes by itself: people, or everyone where judges are compared.
    pub annotators: Vec<String>,
    /// A filter of items in the language of [`crate::browse::filter`]; all items if `None`.
    pub filter: Option<String>,
    /// The fields by whose groups numbers are given too; things are ranked by systems if empty.
    pub by: Vec<String>,
    /// How intervals are computed; if no cluster is named, over queries, and agreement over the kind that suits the items.
    pub uncertainty: Uncertainty,
}

impl StudyPart {
    /// The parts of the study to read.
    pub fn frame(&self) -> FrameAsked<'_> {
        FrameAsked {
            all_versions: self.all_versions,
            filter: self.filter.as_deref(),
            by: &self.by,
            has_snapshots: false,
            is_unweighted: self.uncertainty.is_unweighted,
        }
    }
}

/// A study in memory; each part is loaded when first asked for.
pub struct StudyFrame<'s> {
    pub study: &'s StudyFile,
    asked: FrameAsked<'s>,
    loaded: Rc<FrameLoaded>,
}

/// The parts of a study that are loaded.
#[derive(Default)]
struct FrameLoaded {
    corpus: OnceCell<CorpusIndex>,
    materials: RefCell<BTreeMap<String, Arc<Material>>>,
    tables: OnceCell<Tables>,
}

/// The items that pass the filter; `None` for all.
pub type ItemsChosen = Option<Arc<HashSet<ItemId>>>;

impl<'s> StudyFrame<'s> {
    pub fn of(study: &'s StudyFile, asked: FrameAsked<'s>) -> StudyFrame<'s> {
        StudyFrame { study, asked, loaded: Rc::default() }
    }

    /// The same frame with other fields to group by; what one of the two loads, the other has.
    pub fn grouped_by<'b>(&'b self, by: &'b [String]) -> StudyFrame<'b> {
        let asked = FrameAsked { by, ..self.asked };
        StudyFrame { study: self.study, asked, loaded: Rc::clone(&self.loaded) }
    }

    /// The records.
    pub fn corpus(&self) -> Result<&CorpusIndex> {
        self.corpus_for(&[])
    }

    /// The records, with the texts of documents if these scores read them. The first call decides: later calls return the
    /// same records.
    pub fn corpus_for(&self, rules: &[ScoreRule]) -> Result<&CorpusIndex> {
        if let Some(corpus) = self.loaded.corpus.get() {
            return Ok(corpus);
        }
        let needs_texts = reads_documents(self.asked.filter.unwrap_or_default(), self.asked.by)
            || scores_read_documents(rules);
        let mut records =
            if needs_texts { self.study.corpus()? } else { self.study.corpus_without_texts()? };
        let sample = self.asked.filter.filter(|_| !self.asked.is_unweighted).and_then(sample_of);
        let is_it = |known: &StandingSample| sample.as_ref().is_some_and(|name| known.name == *name);
        records.weighed_by =
            records.samples.iter().position(|known| is_it(known) && known.sample.strata.len() > 1);
        let corpus = CorpusIndex::of(self.study, records, self.asked.has_snapshots)?;
        Ok(self.loaded.corpus.get_or_init(|| corpus))
    }

    /// A note on the sample by which estimates are weighted, if any.
    pub fn weighed(&self) -> Result<Option<String>> {
        let records = &self.corpus()?.records;
        let sample = records.weighed_by.and_then(|place| records.samples.get(place));
        Ok(sample.map(|sample| {
            format!("Weighed by the probabilities of sample {}; --unweighted leaves them out.", sample.name)
        }))
    }

    /// The versions of a protocol whose answers count.
    pub fn versions(&self, protocol: &Protocol) -> VersionsRead {
        counted(protocol, self.asked.all_versions)
    }

    /// All judgments under a protocol, with items in the order of their keys.
    pub fn material(&self, protocol: &Protocol) -> Result<Arc<Material>> {
        if let Some(known) = self.loaded.materials.borrow().get(&protocol.name) {
            return Ok(Arc::clone(known));
        }
        let mut material = self.study.material_by_key(protocol, self.versions(protocol))?;
        material.decide_all(self.study.decisions(&protocol.name)?);
        let material = Arc::new(material);
        self.loaded.materials.borrow_mut().insert(protocol.name.clone(), Arc::clone(&material));
        Ok(material)
    }

    /// The study as tables, with people's judgments counted.
    pub fn tables(&self) -> Result<&Tables> {
        if let Some(tables) = self.loaded.tables.get() {
            return Ok(tables);
        }
        // A filter may name answers under any protocol.
        let protocols = protocols::all(self.study)?;
        let judged: Vec<Arc<Material>> =
            protocols.iter().map(|protocol| self.material(protocol)).collect::<Result<_>>()?;
        let tables = Tables::new(Arc::clone(&self.corpus()?.records), judged, WhoCounts::People);
        Ok(self.loaded.tables.get_or_init(|| tables))
    }

    /// The first row of a protocol's items in the table of items.
    pub fn start_of(&self, protocol: &str) -> u32 {
        self.loaded.tables.get().and_then(|tables| tables.start_of(protocol)).unwrap_or(0)
    }

    /// The groupings of items by the wanted fields.
    pub fn by(&self) -> Result<Vec<By>> {
        self.by_rows_of(BrowseTable::Items)
    }

    /// The groupings of the rows of a table by the wanted fields.
    pub fn by_rows_of(&self, table: BrowseTable) -> Result<Vec<By>> {
        self.asked.by.iter().map(|name| by_field(name, table, || self.tables())).collect()
    }

    /// The study as tables that include all these items of a protocol, judged or not; with the row of each item.
    pub fn tables_with(&self, protocol: &Protocol, items: &[Target]) -> Result<(Tables, Vec<u32>)> {
        let (mut judged, mut rows, mut start) = (Vec::new(), Vec::new(), 0);
        for other in protocols::all(self.study)? {
            let mut material = self.material(&other)?;
            if other.name == protocol.name {
                let known: HashMap<Target, u32> =
                    material.items.iter().map(|item| item.target).zip(start..).collect();
                let own = Arc::make_mut(&mut Arc::make_mut(&mut material).items);
                for (target, id) in items.iter().zip(i64::MIN..) {
                    let next = start + short(own.len());
                    rows.push(known.get(target).copied().unwrap_or(next));
                    if !known.contains_key(target) {
                        own.push(ItemRow { id: ItemId(id), target: *target });
                    }
                }
            }
            start += short(material.items.len());
            judged.push(material);
        }
        Ok((Tables::new(Arc::clone(&self.corpus()?.records), judged, WhoCounts::People), rows))
    }

    /// The groupings of these items, judged or not, by the wanted fields; with the row of each item.
    pub fn by_of(&self, protocol: &Protocol, items: &[Target]) -> Result<(Vec<By>, Vec<u32>)> {
        let (tables, rows) = self.tables_with(protocol, items)?;
        let by = self.asked.by.iter().map(|name| by_field(name, BrowseTable::Items, || Ok(&tables)));
        Ok((by.collect::<Result<_>>()?, rows))
    }

    /// The items that pass the filter.
    pub fn items(&self) -> Result<ItemsChosen> {
        let Some(filter) = self.asked.filter else { return Ok(None) };
        let tables = self.tables()?;
        let corpus = self.corpus()?;
        let rows = fitting(self.study, tables, BrowseTable::Items, filter)?.into_iter();
        let items = rows.filter_map(|row| tables.item_row(row));
        Ok(Some(Arc::new(items.filter(|item| corpus.counts(&item.target)).map(|item| item.id).collect())))
    }

    /// The candidates that pass the filter; `None` for all. If the filter names fields that only items have, the candidates
    /// of the items that pass.
    pub fn candidates(&self) -> Result<Option<HashSet<CandidateId>>> {
        let Some(filter) = self.asked.filter else { return Ok(None) };
        super::filtered::candidates(self.study, self.tables()?, filter).map(Some)
    }
}

/// Groups by the field with this name: from the origin where it has the field, else from the rows of a table.
pub fn by_field<'t>(
    name: &str,
    table: BrowseTable,
    tables: impl FnOnce() -> Result<&'t Tables>,
) -> Result<By> {
    if let Some(own) = By::own(name) {
        return Ok(own);
    }
    let groups = tables()?.groups(table, name)?;
    let labels = groups.groups.into_iter().map(|group| group.label).collect();
    Ok(By::rows(name, RowGroups { codes: groups.codes, labels }))
}
