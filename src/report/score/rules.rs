//! Scores as data, by group: those of a protocol's file, of a file apart, or of the moment.

use std::collections::{BTreeMap, HashMap};

use super::{Scope, ScoresAsked};
use crate::browse::{BrowseTable, Groups, RuleScore, ScoredRow, Tables, View};
use crate::error::{Error, Result};
use crate::number::{NO_PLACE, short};
use crate::protocol::{RatioRule, ScoreMade, ScoreRule, TargetPart};
use crate::report::filtered;
use crate::report::grouped::grouped_table;
use crate::report::protocols;
use crate::report::table::{Cell, Column, IntoCell, Table};
use crate::score::{By, ClusterKind, GroupLabels, Grouped, Uncertainty, Undefined};
use crate::store::StudyFile;
use crate::study::AnnotatorId;

/// What is scored, and how it is asked for.
struct RulesAsked<'a> {
    frame: &'a Tables,
    protocol: &'a str,
    rules: &'a [ScoreRule],
    people: &'a BTreeMap<AnnotatorId, String>,
    /// The rows of the table of items that are looked at, ascending; all without.
    chosen: Option<Vec<u32>>,
    by: &'a [By],
    uncertainty: Uncertainty,
}

/// The scores that the file of a protocol names; none where it names none.
pub(super) fn tables(scope: &Scope<'_>) -> Result<Vec<Table>> {
    if scope.protocol.scores.is_empty() {
        return Ok(Vec::new());
    }
    let frame = filtered::tables(scope.study)?;
    let asked = RulesAsked {
        frame: &frame,
        protocol: &scope.protocol.name,
        rules: &scope.protocol.scores,
        people: scope.people,
        chosen: chosen(&frame, scope.asked)?,
        by: scope.by_or(suiting(scope.protocol)).by,
        uncertainty: scope.asked.uncertainty,
    };
    Ok(vec![table_of(&asked)?])
}

/// The scores that are asked for besides those of protocols.
pub(super) fn of_the_moment(
    study: &StudyFile,
    asked: &ScoresAsked,
    people: &BTreeMap<AnnotatorId, String>,
) -> Result<Vec<Table>> {
    let Some(name) = asked.protocol.as_deref() else {
        return Err(Error::usage("a score is about the judgments under one protocol")
            .advise("name it, such as --protocol coverage"));
    };
    let protocol = protocols::find(study, name)?;
    let frame = filtered::tables(study)?;
    let is_judged =
        frame.judged().iter().any(|table| table.protocol.name == name && !table.rows().is_empty());
    let is_about_others =
        |rule: &ScoreRule| matches!(&rule.made, ScoreMade::Ratio(RatioRule { protocol: Some(_), .. }));
    if !is_judged && !asked.rules.iter().any(is_about_others) {
        return Err(super::nothing(study, asked, &[], 0));
    }
    let chosen = chosen(&frame, asked)?;
    let by = if asked.by.is_empty() { suiting(&protocol) } else { asked.by.as_slice() };
    let (rules, uncertainty) = (asked.rules.as_slice(), asked.uncertainty);
    let asked = RulesAsked { frame: &frame, protocol: name, rules, people, chosen, by, uncertainty };
    let mut table = table_of(&asked)?;
    if let [rule] = rules {
        table.notes.push("A protocol's file names such a score:".to_owned());
        table.notes.extend(rule.to_string().lines().map(str::to_owned));
    }
    table.notes.push(uncertainty.note(ClusterKind::Query));
    Ok(vec![table.fact("protocol", name)])
}

/// The rows of the table of items that a filter lets through.
fn chosen(frame: &Tables, asked: &ScoresAsked) -> Result<Option<Vec<u32>>> {
    let Some(filter) = asked.filter.clone() else { return Ok(None) };
    let mut rows = filtered::rows(frame, &View { filter, ..View::of(BrowseTable::Items) })?;
    rows.sort_unstable();
    Ok(Some(rows))
}

/// What scores are grouped by where nobody says.
fn suiting(protocol: &crate::protocol::Protocol) -> &'static [By] {
    let is_about_candidates = protocol.targets(TargetPart::Candidate) || protocol.targets(TargetPart::Bullet);
    if is_about_candidates { &[By::System] } else { &[] }
}

/// The groups that rows fall into, whichever table they are of.
#[derive(Default)]
struct NumberedGroups {
    numbers: BTreeMap<GroupLabels, u32>,
    /// By number: the labels, and what they are sorted by.
    groups: Vec<(Vec<u32>, GroupLabels)>,
}

impl NumberedGroups {
    fn number(&mut self, labels: GroupLabels, place: impl FnOnce() -> Vec<u32>) -> u32 {
        let next = short(self.groups.len());
        *self.numbers.entry(labels).or_insert_with_key(|labels| {
            self.groups.push((place(), labels.clone()));
            next
        })
    }
}

/// The rows of a table by the fields that are asked for; a judgment also by who gave it.
struct RowGroups<'a> {
    /// `None` for the annotator.
    fields: Vec<Option<Groups>>,
    people: &'a BTreeMap<AnnotatorId, String>,
    /// By row and annotator, where these are asked for: the numbers that are known.
    known: HashMap<(Vec<u32>, Option<AnnotatorId>), u32>,
}

impl<'a> RowGroups<'a> {
    fn of(asked: &RulesAsked<'a>, table: BrowseTable) -> Result<RowGroups<'a>> {
        let field = |by: &By| match by {
            By::Annotator => Ok(None),
            by => asked.frame.groups(table, by.name()).map(Some),
        };
        let fields = asked.by.iter().map(field).collect::<Result<_>>()?;
        Ok(RowGroups { fields, people: asked.people, known: HashMap::new() })
    }

    fn number(&mut self, row: ScoredRow, numbered: &mut NumberedGroups) -> u32 {
        let code = |groups: &Option<Groups>| {
            groups
                .as_ref()
                .map_or(0, |groups| groups.codes.get(row.row as usize).copied().unwrap_or(NO_PLACE))
        };
        let codes: Vec<u32> = self.fields.iter().map(code).collect();
        let annotator = row.annotator.filter(|_| self.fields.iter().any(Option::is_none));
        let (fields, people) = (&self.fields, self.people);
        *self.known.entry((codes, annotator)).or_insert_with_key(|(codes, _)| {
            let label = |groups: &Option<Groups>| match groups {
                Some(groups) => groups.of_row(row.row).map(|group| group.label.clone()),
                None => people.get(&row.annotator?).cloned(),
            };
            // People in the order of their names.
            let place = |(groups, code): (&Option<Groups>, &u32)| match groups {
                Some(_) => *code,
                None => short(
                    people
                        .values()
                        .filter(|name| row.annotator.and_then(|id| people.get(&id)) > Some(name))
                        .count(),
                ),
            };
            let places = || fields.iter().zip(codes).map(place).collect();
            numbered.number(fields.iter().map(label).collect(), places)
        })
    }
}

/// The scores of a group, in the order of the rules.
type GroupScores = Vec<Option<RuleScore>>;

fn table_of(asked: &RulesAsked<'_>) -> Result<Table> {
    let known = asked.frame.score_rules(asked.protocol, asked.rules)?;
    let cluster = asked.uncertainty.cluster_or(ClusterKind::Query);
    let mut numbered = NumberedGroups::default();
    let mut scores: Vec<BTreeMap<u32, RuleScore>> = Vec::new();
    let mut all: GroupScores = Vec::new();
    for place in 0..asked.rules.len() {
        let mut groups = RowGroups::of(asked, known.table(place))?;
        let of_group = |row: ScoredRow| asked.has(row).then(|| groups.number(row, &mut numbered));
        scores.push(asked.frame.scored_by(&known, place, cluster, of_group));
        all.push(asked.frame.scored_by(&known, place, cluster, |row| asked.has(row).then_some(0)).remove(&0));
    }
    let mut order: Vec<(Vec<u32>, GroupLabels, u32)> = numbered
        .groups
        .into_iter()
        .zip(0..)
        .map(|((place, labels), number)| (place, labels, number))
        .collect();
    order.sort();
    let rows = order.into_iter().map(|(_, labels, number)| {
        (labels, scores.iter_mut().map(|of_rule| of_rule.remove(&number)).collect::<GroupScores>())
    });
    let grouped = Grouped {
        by: asked.by.to_vec(),
        uncertainty: asked.uncertainty,
        rows: rows.collect(),
        all: Some(all),
    };
    let columns = asked.rules.iter().enumerate().flat_map(|(place, rule)| {
        let is_percent = known.range(place) == Some((0.0, 100.0));
        columns(rule, place, is_percent, asked.uncertainty)
    });
    let mut table = grouped_table("Scores", &grouped, columns);
    table.notes.extend(asked.rules.iter().filter_map(|rule| {
        rule.about.as_ref().map(|about| format!("{}: {}.", rule.heading(), about.trim_end_matches('.')))
    }));
    Ok(table)
}

impl RulesAsked<'_> {
    /// Whether a row is looked at.
    fn has(&self, row: ScoredRow) -> bool {
        let is_chosen =
            |rows: &Vec<u32>| row.table != BrowseTable::Items || rows.binary_search(&row.row).is_ok();
        row.annotator.is_none_or(|annotator| self.people.contains_key(&annotator))
            && self.chosen.as_ref().is_none_or(is_chosen)
    }
}

/// The score with what it is made of.
fn columns<'a>(
    rule: &'a ScoreRule,
    place: usize,
    is_percent: bool,
    how: Uncertainty,
) -> Vec<Column<'a, GroupScores>> {
    let score = move |scores: &GroupScores| scores.get(place).cloned().flatten();
    let cell = move |scores: &GroupScores| {
        let Some(found) = score(scores) else { return Cell::Empty };
        let estimate = found.estimate(how.intervals);
        match (estimate.value, &rule.undefined) {
            (Err(reason @ (Undefined::NothingAmong | Undefined::NotBothScores)), Some(code)) => {
                Cell::Reason(reason, code.clone())
            }
            _ => estimate.cell(),
        }
    };
    let name = |what: &str| format!("{}_{what}", rule.name);
    let counted = move |scores: &GroupScores| score(scores).map(|score| score.counted());
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
            score(scores).map(|score| score.missing())
        })
        .detail(),
        if is_percent { column.percent() } else { column },
    ]
}
