//! Scores as columns: what the judgments that belong to a row come to.

use super::names::is_about;
use crate::browse::column::{ColumnValues, pack};
use crate::browse::field::Field;
use crate::browse::make::Entity;
use crate::browse::relations::NONE;
use crate::browse::table::{BrowseTable, ColumnHead, ColumnKind};
use crate::browse::tables::Tables;
use crate::protocol::{Protocol, ScoreLevel, ScoreMade, ScoreNumber, ScoreRule};
use crate::score::{ClusterKind, Undefined, score_range};

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

    /// Whether a score is shown unless a view says otherwise: the first ones of what was judged.
    pub(in crate::browse) fn shows_score(&self, column: &ScoreColumn) -> bool {
        let is_judged = |place: usize| self.judged.get(place).is_some_and(|table| !table.rows().is_empty());
        let judged = (0..self.judged.len()).filter(|place| is_judged(*place)).count();
        is_judged(column.protocol) && column.place < if judged == 1 { SHOWN } else { 1 }
    }

    /// The score of each row: what those who are counted say about its items.
    pub(in crate::browse) fn score_column(&self, table: BrowseTable, number: u16) -> ColumnValues {
        let mut values = vec![pack(Err(Undefined::NothingJudged)); self.len(table)];
        let column = self.score_columns.get(usize::from(number));
        let Some((column, judged)) =
            column.and_then(|column| Some((column, self.judged.get(column.protocol)?)))
        else {
            return ColumnValues::Numbers(values);
        };
        // What it asks for is not there: nothing that counts can be judged.
        let Ok(known) = self.score_rules(&judged.protocol.name, &judged.protocol.score_rules()) else {
            return ColumnValues::Numbers(values);
        };
        let group = |row: super::ScoredRow| {
            let is_counted = row.annotator.is_none_or(|annotator| self.is_counted(annotator));
            let place = self.part(row.table, row.row, Entity::of(table));
            Some(place).filter(|place| is_counted && *place != NONE)
        };
        for (row, score) in self.scored_by(&known, column.place, ClusterKind::Query, group) {
            if let Some(value) = values.get_mut(row as usize) {
                *value = pack(score.value());
            }
        }
        ColumnValues::Numbers(values)
    }
}

/// How the numbers of a score are shown.
fn kind(protocol: &Protocol, rule: &ScoreRule) -> ColumnKind {
    let ScoreMade::Ratio(ratio) = &rule.made else { return ColumnKind::Percent };
    let most = |rows: &[(String, f64)]| rows.iter().map(|(_, number)| *number).fold(0.0, f64::max);
    let is_percent = match &ratio.value {
        ScoreNumber::Largest(rows) => most(rows) == 100.0,
        number => number.name().is_none_or(|name| {
            let range = protocol.question(name).and_then(score_range);
            range == Some(crate::agreement::NumberRange::PERCENT) || name.ends_with("_f1")
        }),
    };
    if is_percent { ColumnKind::Percent } else { ColumnKind::Number(1) }
}
