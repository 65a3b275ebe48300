//! Tables of scores whose cells open their rows: systems by document order, length, domain and category.

use std::collections::{BTreeMap, BTreeSet};

use super::{BrowseTable, FieldGroup, FieldGroups, FilteredRows, NONE, Tables, by_item, exactly, from};
use crate::number::short;
use crate::score::{Measure, ScorePool, Scores, Undefined, greatest_difference};

/// A table of cells, each with the filter that chooses the rows behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct Crosstab {
    pub title: String,
    /// The heading of the rows, such as `system`.
    pub of_rows: String,
    /// The heading of the columns, such as `order`.
    pub of_columns: String,
    pub rows: Vec<String>,
    pub columns: Vec<String>,
    /// The cells row by row, one for each column.
    pub cells: Vec<Vec<CrosstabCell>>,
    /// The table whose rows the filters choose.
    pub table: BrowseTable,
}

/// A cell of a [`Crosstab`].
#[derive(Debug, Clone, PartialEq)]
pub struct CrosstabCell {
    /// A score or share, 0 to 100.
    pub value: Measure,
    /// The number of summaries, cases or items behind the cell.
    pub count: usize,
    /// The filter that chooses exactly the rows behind the cell.
    pub filter: String,
}

/// The scores of coverage that grids show, the main one first.
const OF_COVERAGE: [CoverageScore; 5] = [
    ("joint", |scores| scores.joint),
    ("coverage", |scores| scores.coverage),
    ("citation", |scores| scores.citation),
    ("precision", |scores| scores.precision),
    ("recall", |scores| scores.recall),
];

type CoverageScore = (&'static str, fn(&Scores) -> Measure);

/// A field of candidates by which a table of scores can have its columns.
#[derive(Debug)]
pub struct Across {
    /// The name of the field.
    pub field: &'static str,
    pub title: &'static str,
}

/// All fields for the columns of a table of scores, in the order in which they are offered.
pub static ACROSS: [Across; 5] = [
    Across { field: "order", title: "Order" },
    Across { field: "words", title: "Words" },
    Across { field: "words_per_bullet", title: "Words a bullet" },
    Across { field: "domain", title: "Domain" },
    Across { field: "category", title: "Category" },
];

/// The orders of documents that position sensitivity compares.
const ORDERS: [&str; 3] = ["top", "random", "bottom"];

impl Tables {
    /// The names of the scores of systems that grids show: first the scores of coverage, then those of other protocols.
    pub fn scores_of_systems(&self) -> Vec<&str> {
        let of_coverage = OF_COVERAGE.iter().map(|(name, _)| *name).filter(|_| self.shows_coverage());
        of_coverage.chain(self.scores_judged(BrowseTable::Systems)).collect()
    }

    /// A score of every system with summaries that pass the filter, across a field of the candidates: cells pool the judgments of
    /// these summaries.
    pub fn pivot(&self, across: &Across, of: &str, kept: &FilteredRows) -> Crosstab {
        let mut groups = self.groups(BrowseTable::Candidates, across.field).unwrap_or_default();
        if groups.codes.contains(&NONE) {
            let rest = short(groups.groups.len());
            groups.codes.iter_mut().filter(|code| **code == NONE).for_each(|code| *code = rest);
            let filter = exactly(across.field, "");
            groups.groups.push(FieldGroup { label: "(none)".to_owned(), filter });
        }
        self.grid_of_scores(across.field, &groups, of, kept)
    }

    /// A score of every system by document order, and its position sensitivity: the greater of the
    /// differences of random order to top and to bottom (Laban et al. 2024, §5.4). `None` without orders.
    pub fn positions(&self, of: &str, kept: &FilteredRows) -> Option<Crosstab> {
        let mut grid = self.pivot(&ACROSS[0], of, kept);
        let place = |name: &str| grid.columns.iter().position(|column| column == name);
        let places = ORDERS.map(place);
        if places.iter().all(Option::is_none) {
            return None;
        }
        let mut rows = Vec::new();
        for (system, cells) in grid.rows.into_iter().zip(grid.cells) {
            let own = kept.with(&exactly("system", &system));
            let cell = |(name, place): (&str, Option<usize>)| {
                let known = place.and_then(|place| cells.get(place)).filter(|cell| cell.count > 0);
                let filter = format!("{own} {}", exactly("order", name));
                let missing = CrosstabCell { value: Err(Undefined::OrdersMissing), count: 0, filter };
                known.cloned().unwrap_or(missing)
            };
            let mut cells: Vec<CrosstabCell> = ORDERS.into_iter().zip(places).map(cell).collect();
            let count = cells.iter().map(|cell| cell.count).sum();
            // A system without a named order says nothing about positions.
            if count > 0 {
                let value = sensitivity(&cells);
                cells.push(CrosstabCell { value, count, filter: format!("{own} -order:\"\"") });
                rows.push((system, cells));
            }
        }
        if rows.is_empty() {
            return None;
        }
        (grid.rows, grid.cells) = rows.into_iter().unzip();
        grid.columns = ORDERS.into_iter().chain(["sensitivity"]).map(str::to_owned).collect();
        Some(grid)
    }

    fn grid_of_scores(&self, name: &str, groups: &FieldGroups, of: &str, kept: &FilteredRows) -> Crosstab {
        let cell_of = |candidate: u32| {
            (from(&self.relations.system_of_candidate, candidate), from(&groups.codes, candidate))
        };
        let values = match OF_COVERAGE.iter().find(|(name, _)| *name == of) {
            Some((_, score)) => {
                let mut pools: BTreeMap<(u32, u32), ScorePool> = BTreeMap::new();
                for (item, parts) in by_item(self.scored()) {
                    let candidate = self.row_of_item(BrowseTable::Candidates, item);
                    if kept.has(candidate) {
                        pools.entry(cell_of(candidate)).or_default().add(&parts, 1.0);
                    }
                }
                pools.into_iter().map(|(cell, pool)| (cell, score(&pool.scores()))).collect()
            }
            None => self.scores_in_cells(of, |candidate| kept.has(candidate).then(|| cell_of(candidate))),
        };
        let mut counts: BTreeMap<(u32, u32), usize> = BTreeMap::new();
        for candidate in (0..self.corpus.candidates.len() as u32).filter(|candidate| kept.has(*candidate)) {
            *counts.entry(cell_of(candidate)).or_default() += 1;
        }
        let cell = |system: u32, group: u32, filter: &str| CrosstabCell {
            value: values.get(&(system, group)).copied().unwrap_or(Err(Undefined::NothingJudged)),
            count: counts.get(&(system, group)).copied().unwrap_or(0),
            filter: kept.with(&format!("{} {filter}", exactly("system", &self.system_name(system)))),
        };
        let systems: BTreeSet<u32> = counts.keys().map(|(system, _)| *system).collect();
        let row = |system: u32| {
            (0..).zip(&groups.groups).map(|(at, group)| cell(system, at, &group.filter)).collect()
        };
        Crosstab {
            title: format!("{of} by {}", name.replace('_', " ")),
            of_rows: "system".to_owned(),
            of_columns: name.to_owned(),
            rows: systems.iter().map(|system| self.system_name(*system)).collect(),
            columns: groups.groups.iter().map(|group| group.label.clone()).collect(),
            cells: systems.into_iter().map(row).collect(),
            table: BrowseTable::Candidates,
        }
    }
}

/// The greatest difference from random order; undefined unless all three are defined.
fn sensitivity(cells: &[CrosstabCell]) -> Measure {
    match cells {
        [top, random, bottom] => greatest_difference(random.value, top.value, bottom.value),
        _ => Err(Undefined::OrdersMissing),
    }
}
