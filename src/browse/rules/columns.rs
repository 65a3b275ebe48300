//! Scores of protocols as columns, over the judgments that belong to each row.

use std::collections::BTreeMap;

use indexmap::IndexSet;

use super::{JudgedField, ScoredRow, is_about};
use crate::agreement::NumberRange;
use crate::browse::{
    BrowseTable, ColumnHead, ColumnKind, ColumnValues, Entity, Field, NONE, TableValue, Tables, pack,
};
use crate::number::short;
use crate::protocol::{Protocol, ScoreLevel, ScoreMade, ScoreNumber, ScoreRule};
use crate::score::{ClusterKind, Measure, Undefined, score_range};

/// A score of one of the protocols, as a column.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::browse) struct ScoreColumn {
    /// The place of the protocol's judgments.
    pub(in crate::browse) protocol: usize,
    /// The place of the score among the scores of the protocol.
    place: usize,
    /// The name in filters, views and exports.
    name: String,
    heading: String,
    about: String,
    pub(in crate::browse) kind: ColumnKind,
}

/// The scores that are shown of a protocol, where it alone was judged; where several were judged, one of each is shown.
const SHOWN: usize = 3;

impl ScoreColumn {
    /// Whether this is a score of the protocol at this place.
    pub(in crate::browse) fn is_of(&self, protocol: usize) -> bool {
        self.protocol == protocol
    }

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
    /// The scores of all protocols with unique names. The coverage protocol is left out: its scores are fields.
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
        // Judged scores with one heading are told apart by their names.
        let mut told: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, column) in found.iter().enumerate().filter(|(_, column)| self.is_judged(column.protocol)) {
            told.entry(column.heading.clone()).or_default().push(at);
        }
        for at in told.into_values().filter(|alike| alike.len() > 1).flatten() {
            found[at].heading = found[at].name.replace('_', " ");
        }
        found
    }

    /// The scores that are columns of a table, with their numbers.
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

    /// Whether anything was judged under the protocol at this place.
    fn is_judged(&self, protocol: usize) -> bool {
        self.judged.get(protocol).is_some_and(|table| !table.rows().is_empty())
    }

    /// Whether a score is shown unless a view says otherwise: the first ones of each judged protocol are.
    pub(in crate::browse) fn shows_score(&self, column: &ScoreColumn) -> bool {
        let judged = (0..self.judged.len()).filter(|place| self.is_judged(*place)).count();
        self.is_judged(column.protocol) && column.place < if judged == 1 { SHOWN } else { 1 }
    }

    /// Headings and values of the scores that a table shows by default, for one row, with the protocol where several were judged.
    /// Scores without a value are left out.
    pub fn scores_of_row(&self, table: BrowseTable, row: u32) -> Vec<(String, String)> {
        let columns = self.scores_in(table).into_iter().map(|(_, column)| column);
        let mut shown: Vec<(&ScoreColumn, String)> = Vec::new();
        for column in columns.filter(|column| self.shows_score(column)) {
            let Some(id) = self.column(table, &column.name) else { continue };
            if matches!(self.value(table, row, id), TableValue::Number(_)) {
                shown.push((column, self.shown(table, row, id)));
            }
        }
        let is_one = shown.windows(2).all(|two| two[0].0.protocol == two[1].0.protocol);
        let headed = |(column, value): (&ScoreColumn, String)| match self.judged.get(column.protocol) {
            Some(judged) if !is_one => (format!("{}: {}", judged.protocol.name, column.heading), value),
            _ => (column.heading.clone(), value),
        };
        shown.into_iter().map(headed).collect()
    }

    /// The names of a table's scores whose protocols were judged.
    pub(in crate::browse) fn scores_judged(&self, table: BrowseTable) -> impl Iterator<Item = &str> {
        self.scores_in(table)
            .into_iter()
            .filter(|(_, column)| self.is_judged(column.protocol))
            .map(|(_, column)| column.name.as_str())
    }

    /// The score of each row, from the counted annotators' judgments of its items.
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

    /// A score for each cell of a grid; `cell_of` gives the cell of a candidate.
    pub(in crate::browse) fn scores_in_cells(
        &self,
        name: &str,
        cell_of: impl Fn(u32) -> Option<(u32, u32)>,
    ) -> BTreeMap<(u32, u32), Measure> {
        let Some(number) = self.score_columns.iter().position(|column| column.name == name) else {
            return BTreeMap::new();
        };
        let mut cells: IndexSet<(u32, u32)> = IndexSet::new();
        let group = |row: ScoredRow| {
            let candidate = self.part(row.table, row.row, Entity::Candidate);
            let cell = cell_of(candidate).filter(|_| candidate != NONE)?;
            Some(short(cells.insert_full(cell).0))
        };
        let scored = self.score_by(short(number) as u16, group);
        scored.into_iter().filter_map(|(at, score)| Some((*cells.get_index(at as usize)?, score))).collect()
    }

    /// A score for each group of rows, from counted annotators.
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
        let mut rules = judged.protocol.score_rules();
        let wanted = rules.get(column.place).cloned();
        rules.retain(|rule| wanted.iter().any(|wanted| wanted == rule || wanted.is_made_of(rule)));
        // Where a name in the score does not exist in this study, the column stays empty. Other scores may be known.
        let Ok(known) = self.score_rules(&judged.protocol.name, &rules) else { return BTreeMap::new() };
        let place = rules.len().saturating_sub(1);
        let group = |row: ScoredRow| {
            let is_counted = row.annotator.is_none_or(|annotator| self.is_counted(annotator));
            if is_counted { group(row) } else { None }
        };
        let scored = self.scored_by(&known, place, ClusterKind::Query, group);
        scored.into_iter().map(|(group, score)| (group, score.value())).collect()
    }
}

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
