//! Scores as data, by group: those of a protocol's file, of a file apart, or of the moment.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Scope;
use super::ranked::GroupedScores;
use crate::agreement::NumberRange;
use crate::browse::{BrowseTable, RuleScore, ScoreRules, ScoredRow, Tables};
use crate::error::Result;
use crate::number::short;
use crate::protocol::ScoreRule;
use crate::report::grouped::grouped_table;
use crate::report::judged::Judged;
use crate::report::protocols;
use crate::report::table::{Better, Cell, Column, IntoCell, Table};
use crate::score::{
    By, ClusterKind, GroupBy, GroupLabels, Grouped, Origin, RankedMeasure, Score, Uncertainty, Undefined,
};
use crate::study::{AnnotatorId, Target};
use crate::text::fast::FastMap;
use crate::text::natural::natural;

/// The scores that the file of a protocol names; none where it names none.
pub(super) fn tables(scope: &Scope<'_>) -> Result<Vec<Table>> {
    match scope.protocol.scores.as_slice() {
        [] => Ok(Vec::new()),
        rules => Ok(vec![table_of(scope, rules)?]),
    }
}

/// Scores in the place of those that a protocol has; of a single one how a file says it.
pub(super) fn of_the_moment(scope: &Scope<'_>, rules: &[ScoreRule]) -> Result<Table> {
    let mut table = table_of(scope, rules)?;
    if let [rule @ ScoreRule { line: 0, .. }] = rules {
        table.notes.push("A protocol's file names such a score:".to_owned());
        table.notes.extend(rule.to_string().lines().map(str::to_owned));
    }
    Ok(table)
}

/// Rows of scores sorted into groups, as they come.
struct RowsGrouped<'a> {
    scope: &'a Scope<'a>,
    tables: &'a Tables,
    /// Those whose judgments are looked at.
    annotators: BTreeSet<AnnotatorId>,
    /// By table of rows.
    by: BTreeMap<BrowseTable, Vec<By>>,
    known: FastMap<(BrowseTable, u32, i64), Option<u32>>,
    numbers: BTreeMap<GroupLabels, u32>,
    /// By number: what groups are sorted by, and their labels.
    groups: Vec<(Vec<u32>, GroupLabels)>,
}

impl<'a> RowsGrouped<'a> {
    fn of(scope: &'a Scope<'a>) -> Result<RowsGrouped<'a>> {
        let annotators = scope.judged.rows().map(|row| row.annotator).collect();
        let (by, known, numbers, groups) = Default::default();
        Ok(RowsGrouped { scope, tables: scope.frame.tables()?, annotators, by, known, numbers, groups })
    }

    /// Looks up scores for the judgments that are looked at, what counts as gold of other protocols among them.
    fn rules(&self, rules: &[ScoreRule]) -> Result<ScoreRules> {
        let scope = self.scope;
        let mut judged = vec![Arc::clone(&scope.judged.material)];
        for other in rules.iter().filter_map(ScoreRule::other_protocol).filter(|_| scope.gold.is_some()) {
            let all = protocols::all(scope.study)?;
            if let Some(protocol) = all.iter().find(|protocol| protocol.name == other) {
                judged.push(
                    Judged::read(scope.frame, protocol, scope.people, scope.gold, scope.part)?.material,
                );
            }
        }
        self.tables.score_rules_of(&scope.protocol.name, rules, &judged)
    }

    /// Makes ready for the rows of a table.
    fn prepare(&mut self, table: BrowseTable) -> Result<()> {
        if self.by.contains_key(&table) {
            return Ok(());
        }
        let by = match (self.scope.asked.by.as_slice(), table) {
            ([], _) => self.suiting().by,
            (_, BrowseTable::Items) => self.scope.by.to_vec(),
            _ => self.scope.frame.by_rows_of(table)?,
        };
        self.by.insert(table, by);
        Ok(())
    }

    /// What is grouped by where nobody says.
    fn suiting(&self) -> GroupBy {
        GroupBy::own(
            if self.scope.protocol.is_about_candidates() { &["system"] } else { &[] },
            self.scope.asked.uncertainty,
        )
    }

    /// The number of the group of a row; `None` where it is not looked at.
    fn number(&mut self, row: ScoredRow) -> Option<u32> {
        if row.annotator.is_some_and(|annotator| !self.annotators.contains(&annotator)) {
            return None;
        }
        let by = self.by.get(&row.table)?;
        let is_by_annotator = by.iter().any(|by| by.name() == "annotator");
        let annotator = row.annotator.filter(|_| is_by_annotator).map_or(0, |annotator| annotator.0);
        let key = (row.table, row.row, annotator);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let group = self.origin(row).map(|origin| {
            let labels: GroupLabels = by.iter().map(|by| by.label(&origin)).collect();
            // Rows without a group come first.
            let places = by.iter().map(|by| by.code(row.row).map_or(0, |code| code.wrapping_add(1)));
            (places.collect::<Vec<u32>>(), labels)
        });
        let number = group.map(|(places, labels)| {
            let next = short(self.groups.len());
            *self.numbers.entry(labels).or_insert_with_key(|labels| {
                self.groups.push((places, labels.clone()));
                next
            })
        });
        self.known.insert(key, number);
        number
    }

    /// Where a row comes from; `None` of what is left out.
    fn origin(&self, row: ScoredRow) -> Option<Origin> {
        let scope = self.scope;
        let target = match row.table {
            BrowseTable::Items => {
                let item = self.tables.item_row(row.row)?;
                if scope.part.as_ref().is_some_and(|chosen| !chosen.contains(&item.id)) {
                    return None;
                }
                // A response's own point belongs to its system.
                let owner = || self.tables.target_of(row.table, row.row)?.candidate;
                Target { candidate: item.target.candidate.or_else(owner), ..item.target }
            }
            table => self.tables.target_of(table, row.row)?,
        };
        let name =
            row.annotator.and_then(|annotator| scope.people.get(&annotator)).map_or("", String::as_str);
        scope.corpus.origin(&target, name, row.row)
    }

    /// The numbers of the groups in their order, each with its labels.
    fn in_order(self) -> Vec<(u32, GroupLabels)> {
        let mut order: Vec<(u32, (Vec<u32>, GroupLabels))> = (0..).zip(self.groups).collect();
        order.sort_by_cached_key(|(_, (places, labels))| {
            let label =
                |label: &Option<String>| label.as_deref().map(|label| (natural(label), label.to_owned()));
            let places = places.iter().zip(labels).map(|(place, of)| (*place, label(of)));
            places.collect::<Vec<_>>()
        });
        order.into_iter().map(|(number, (_, labels))| (number, labels)).collect()
    }
}

/// The scores of a group, in the order of the rules.
pub(super) type GroupScores = Vec<Option<RuleScore>>;

/// Scores by group.
pub(super) struct RulesScored {
    pub known: ScoreRules,
    pub rows: Vec<(GroupLabels, GroupScores)>,
    /// Of all rows together; empty where that is not asked for.
    pub all: GroupScores,
    pub by: Vec<By>,
}

/// What the judgments that are looked at come to, by group, and together where `has_all`.
///
/// # Errors
/// A score names what there is not (usage), or the study cannot be read.
pub(super) fn scored(
    scope: &Scope<'_>,
    rules: &[ScoreRule],
    cluster: ClusterKind,
    has_all: bool,
) -> Result<RulesScored> {
    let mut groups = RowsGrouped::of(scope)?;
    let known = groups.rules(rules)?;
    let tables = groups.tables;
    let mut scores: Vec<BTreeMap<u32, RuleScore>> = Vec::new();
    let mut all: GroupScores = Vec::new();
    for place in 0..rules.len() {
        groups.prepare(known.table(place))?;
        let mut of_group = tables.scored_by(&known, place, cluster, |row| groups.number(row));
        if has_all {
            // One group is all of it.
            all.push(match of_group.len() {
                0 | 1 => of_group.first_entry().map(|entry| entry.get().clone()),
                _ => {
                    let over_all = |row| groups.number(row).map(|_| 0);
                    tables.scored_by(&known, place, cluster, over_all).remove(&0)
                }
            });
        }
        scores.push(of_group);
    }
    groups.prepare(BrowseTable::Items)?;
    let by = groups.by.get(&BrowseTable::Items).cloned().unwrap_or_default();
    let of_group = |(number, labels): (u32, GroupLabels)| {
        (labels, scores.iter_mut().map(|of_rule| of_rule.remove(&number)).collect())
    };
    Ok(RulesScored { known, rows: groups.in_order().into_iter().map(of_group).collect(), all, by })
}

/// The measures that systems are ranked by under these scores.
pub(super) fn measures(scope: &Scope<'_>, rules: &[ScoreRule]) -> Result<Vec<RankedMeasure>> {
    let known = scope.frame.tables()?.score_rules(&scope.protocol.name, rules)?;
    let measure = |(place, rule): (usize, &ScoreRule)| {
        let range = known.range(place);
        RankedMeasure {
            name: rule.name.clone(),
            heading: rule.heading(),
            range,
            is_percent: range == NumberRange::PERCENT,
            low_is_better: rule.low_is_better,
        }
    };
    Ok(rules.iter().enumerate().map(measure).collect())
}

/// The scores of every group by query, for rankings. A harmonic mean of two means is no sum over queries: it ranks nobody.
pub(super) fn by_query(scope: &Scope<'_>, rules: &[ScoreRule]) -> Result<GroupedScores> {
    let found = scored(scope, rules, ClusterKind::Query, false)?;
    let score = |score: &Option<RuleScore>| {
        let none = || Score::new(Undefined::NothingJudged);
        score.as_ref().map_or_else(none, |score| score.score().unwrap_or_else(none))
    };
    let counted =
        |scores: &GroupScores| scores.iter().flatten().next().map(RuleScore::counted).unwrap_or_default();
    let groups = found.rows.into_iter().map(|(labels, scores)| {
        let judged = counted(&scores);
        (labels, (judged, scores.iter().map(score).collect()))
    });
    let cluster = scope.asked.uncertainty.cluster_or(ClusterKind::Query);
    Ok(GroupedScores { groups: groups.collect(), within: scope.frame.tables()?.wider_clusters(cluster) })
}

/// A score of every candidate that has one.
pub(super) struct CandidateScores {
    pub heading: String,
    /// The place among the candidates, the system, the number of the cluster, and the score.
    pub scores: Vec<(u32, String, u32, f64)>,
}

/// The scores of the candidates, each by itself.
///
/// # Errors
/// A score names what there is not (usage), or the study cannot be read.
pub(super) fn of_candidates(scope: &Scope<'_>, rules: &[ScoreRule]) -> Result<Vec<CandidateScores>> {
    let mut groups = RowsGrouped::of(scope)?;
    let tables = groups.tables;
    let known = groups.rules(rules)?;
    let cluster = scope.asked.uncertainty.cluster_or(ClusterKind::Query);
    let clusters = tables.clusters_of(BrowseTable::Candidates, cluster);
    let mut found = Vec::new();
    for (place, rule) in rules.iter().enumerate() {
        groups.prepare(known.table(place))?;
        let group = |row: ScoredRow| groups.number(row).and(tables.candidate_of(row.table, row.row));
        let scored = tables.scored_by(&known, place, cluster, group).into_iter();
        let score = |(candidate, score): (u32, RuleScore)| {
            let cluster = clusters.get(candidate as usize).copied()?;
            Some((candidate, tables.system_of(candidate), cluster, score.value().ok()?))
        };
        found.push(CandidateScores { heading: rule.heading(), scores: scored.filter_map(score).collect() });
    }
    Ok(found)
}

fn table_of(scope: &Scope<'_>, rules: &[ScoreRule]) -> Result<Table> {
    let uncertainty = scope.asked.uncertainty;
    let RulesScored { known, rows, all, by } =
        scored(scope, rules, uncertainty.cluster_or(ClusterKind::Query), true)?;
    let grouped = Grouped { by, uncertainty, rows, all: Some(all) };
    let columns = rules.iter().enumerate().flat_map(|(place, rule)| {
        let is_percent = known.range(place) == NumberRange::PERCENT;
        columns(rule, place, is_percent, uncertainty)
    });
    let mut table = grouped_table("Scores", &grouped, columns);
    table.notes.extend(rules.iter().filter_map(|rule| {
        rule.about.as_ref().map(|about| format!("{}: {}.", rule.heading(), about.trim_end_matches('.')))
    }));
    Ok(table)
}

fn score_at(scores: &GroupScores, place: usize) -> Option<&RuleScore> {
    scores.get(place)?.as_ref()
}

/// The score with what it is made of.
fn columns<'a>(
    rule: &'a ScoreRule,
    place: usize,
    is_percent: bool,
    how: Uncertainty,
) -> Vec<Column<'a, GroupScores>> {
    let cell = move |scores: &GroupScores| {
        let Some(found) = score_at(scores, place) else { return Cell::Empty };
        let estimate = found.estimate(how.intervals);
        match (estimate.value, &rule.undefined) {
            (Err(reason @ (Undefined::NothingAmong | Undefined::NotBothScores)), Some(code)) => {
                Cell::Reason(reason, code.clone())
            }
            _ => estimate.cell(),
        }
    };
    let name = |what: &str| format!("{}_{what}", rule.name);
    let counted = move |scores: &GroupScores| score_at(scores, place).map(RuleScore::counted);
    let column = Column::new(rule.name.as_str(), rule.heading(), cell).right();
    vec![
        Column::new(name("items"), "items", move |scores: &GroupScores| {
            counted(scores).map(|counted| counted.items)
        })
        .shown_if(place == 0),
        Column::new(name("judgments"), "judgments", move |scores: &GroupScores| {
            counted(scores).map(|counted| counted.judgments)
        })
        .detail(),
        Column::new(name("missing"), "missing", move |scores: &GroupScores| {
            score_at(scores, place).map(RuleScore::missing)
        })
        .detail(),
        if is_percent { column.percent() } else { column }.better(match rule.low_is_better {
            true => Better::Low,
            false => Better::High,
        }),
    ]
}
