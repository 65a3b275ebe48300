//! Scores as columns: what the judgments that belong to a row come to.

use std::collections::BTreeMap;

use indexmap::IndexSet;

use super::ScoredRow;
use super::names::is_about;
use super::number::JudgedField;
use crate::agreement::NumberRange;
use crate::browse::column::{ColumnValues, pack};
use crate::browse::field::Field;
use crate::browse::make::Entity;
use crate::browse::relations::NONE;
use crate::browse::table::{BrowseTable, ColumnHead, ColumnKind, TableValue};
use crate::browse::tables::Tables;
use crate::number::short;
use crate::protocol::{Protocol, ScoreLevel, ScoreMade, ScoreNumber, ScoreRule};
use crate::score::{ClusterKind, Measure, Undefined, score_range};

/// A score of one of the protocols, as a column.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::browse) struct ScoreColumn {
    /// Which table of judgments.
    protocol: usize,
    /// Its place among the scores of the protocol.
    place: usize,
    /// In filters, views and exports.
    name: String,
    heading: String,
    about: String,
    pub(in crate::browse) kind: ColumnKind,
}

/// So many scores of the only protocol that was judged are shown; of several protocols one each.
const SHOWN: usize = 3;

impl ScoreColumn {
    /// Whether it is a score of the protocol of this table of judgments.
    pub(in crate::browse) fn is_of(&self, protocol: usize) -> bool {
        self.protocol == protocol
    }

    /// What stands over it.
    pub(in crate::browse) fn head(&self, shown: bool) -> ColumnHead {
        ColumnHead {
            name: self.name.clone(),
            heading: self.heading.clone(),
            about: self.about.clone(),
            kind: self.kind,
            shown,
        }
    }
}

impl Tables {
    /// The scores of all protocols but that whose scores are fields, with names that nothing else has.
    pub(in crate::browse) fn read_scores(&self) -> Vec<ScoreColumn> {
        let mut found: Vec<ScoreColumn> = Vec::new();
        for (protocol, table) in
            self.judged.iter().enumerate().filter(|(place, _)| self.coverage != Some(*place))
        {
            for (place, rule) in table.protocol.score_rules().into_iter().enumerate() {
                let is_taken = Field::is_name(&rule.name)
                    || self
                        .questions
                        .iter()
                        .any(|question| [&question.name, &question.short].contains(&&rule.name))
                    || found.iter().any(|other| other.name == rule.name);
                let name = if is_taken {
                    format!("{}.{}", table.protocol.name, rule.name)
                } else {
                    rule.name.clone()
                };
                let about = rule.about.clone().unwrap_or_else(|| {
                    format!("{}, of what is judged under {}.", rule.heading(), table.protocol.name)
                });
                let kind = kind(&table.protocol, &rule);
                found.push(ScoreColumn { protocol, place, name, heading: rule.heading(), about, kind });
            }
        }
        found
    }

    /// The scores that a table has columns of, by their numbers.
    pub(in crate::browse) fn scores_in(&self, table: BrowseTable) -> Vec<(u16, &ScoreColumn)> {
        let level = match table {
            BrowseTable::Queries => ScoreLevel::Query,
            BrowseTable::Units => ScoreLevel::Unit,
            BrowseTable::Candidates | BrowseTable::Systems => ScoreLevel::Candidate,
            BrowseTable::Documents => ScoreLevel::Document,
            BrowseTable::Items => return Vec::new(),
        };
        let has = |column: &&ScoreColumn| {
            self.judged.get(column.protocol).is_some_and(|judged| is_about(&judged.protocol, level))
        };
        (0..).zip(&self.score_columns).filter(|(_, column)| has(column)).collect()
    }

    /// Whether anything is judged under the protocol of a table of judgments.
    fn is_judged(&self, protocol: usize) -> bool {
        self.judged.get(protocol).is_some_and(|table| !table.rows().is_empty())
    }

    /// Whether a score is shown unless a view says otherwise: the first ones of what was judged.
    pub(in crate::browse) fn shows_score(&self, column: &ScoreColumn) -> bool {
        let judged = (0..self.judged.len()).filter(|place| self.is_judged(*place)).count();
        self.is_judged(column.protocol) && column.place < if judged == 1 { SHOWN } else { 1 }
    }

    /// What the judgments of a row come to under the scores that its table shows, each with its heading; those without a value are
    /// left out.
    pub fn scores_of_row(&self, table: BrowseTable, row: u32) -> Vec<(String, String)> {
        let shown = |(_, column): (u16, &ScoreColumn)| {
            let id = self.column(table, &column.name).filter(|_| self.shows_score(column))?;
            let has_value = matches!(self.value(table, row, id), TableValue::Number(_));
            has_value.then(|| (column.heading.clone(), self.shown(table, row, id)))
        };
        self.scores_in(table).into_iter().filter_map(shown).collect()
    }

    /// The names of the scores of what was judged, where a table has them.
    pub(in crate::browse) fn scores_judged(&self, table: BrowseTable) -> impl Iterator<Item = &str> {
        self.scores_in(table)
            .into_iter()
            .filter(|(_, column)| self.is_judged(column.protocol))
            .map(|(_, column)| column.name.as_str())
    }

    /// The score of each row: what those who are counted say about its items.
    pub(in crate::browse) fn score_column(&self, table: BrowseTable, number: u16) -> ColumnValues {
        let mut values = vec![pack(Err(Undefined::NothingJudged)); self.len(table)];
        let group = |row: ScoredRow| {
            Some(self.part(row.table, row.row, Entity::of(table))).filter(|place| *place != NONE)
        };
        for (row, score) in self.score_by(number, group) {
            if let Some(value) = values.get_mut(row as usize) {
                *value = pack(score);
            }
        }
        ColumnValues::Numbers(values)
    }

    /// A score in each of some cells, into which the candidates fall.
    pub(in crate::browse) fn scores_in_cells(
        &self,
        name: &str,
        cell_of: impl Fn(u32) -> (u32, u32),
    ) -> BTreeMap<(u32, u32), Measure> {
        let Some(number) = self.score_columns.iter().position(|column| column.name == name) else {
            return BTreeMap::new();
        };
        let mut cells: IndexSet<(u32, u32)> = IndexSet::new();
        let group = |row: ScoredRow| {
            let candidate = self.part(row.table, row.row, Entity::Candidate);
            (candidate != NONE).then(|| short(cells.insert_full(cell_of(candidate)).0))
        };
        let scored = self.score_by(short(number) as u16, group);
        scored.into_iter().filter_map(|(at, score)| Some((*cells.get_index(at as usize)?, score))).collect()
    }

    /// A score for each group of rows of those who are counted.
    fn score_by(
        &self,
        number: u16,
        mut group: impl FnMut(ScoredRow) -> Option<u32>,
    ) -> BTreeMap<u32, Measure> {
        let column = self.score_columns.get(usize::from(number));
        let Some((column, judged)) =
            column.and_then(|column| Some((column, self.judged.get(column.protocol)?)))
        else {
            return BTreeMap::new();
        };
        // What it asks for is not there: nothing that counts can be judged.
        let Ok(known) = self.score_rules(&judged.protocol.name, &judged.protocol.score_rules()) else {
            return BTreeMap::new();
        };
        let group = |row: ScoredRow| {
            let is_counted = row.annotator.is_none_or(|annotator| self.is_counted(annotator));
            if is_counted { group(row) } else { None }
        };
        let scored = self.scored_by(&known, column.place, ClusterKind::Query, group);
        scored.into_iter().map(|(group, score)| (group, score.value())).collect()
    }
}

/// How the numbers of a score are shown.
fn kind(protocol: &Protocol, rule: &ScoreRule) -> ColumnKind {
    let ScoreMade::Ratio(ratio) = &rule.made else { return ColumnKind::Percent };
    let most = |rows: &[(String, f64)]| rows.iter().map(|(_, number)| *number).fold(0.0, f64::max);
    let is_percent = match &ratio.value {
        ScoreNumber::Largest(rows) => most(rows) == 100.0,
        number => number.name().is_none_or(|name| {
            let range =
                protocol.question(name).and_then(score_range).or_else(|| JudgedField::range(protocol, name));
            range.map_or_else(|| Field::is_percent(name), |range| range == NumberRange::PERCENT)
        }),
    };
    if is_percent { ColumnKind::Percent } else { ColumnKind::Number(1) }
}
