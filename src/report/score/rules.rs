//! Scores by rules, by group. The rules come from a protocol's file, from a separate file, or from the command line.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use indexmap::IndexMap;

use super::Scope;
use super::ranked::GroupedScores;
use crate::agreement::NumberRange;
use crate::browse::{BrowseTable, RuleScore, ScoreRules, ScoredRow, Tables};
use crate::error::{Error, Result};
use crate::number::short;
use crate::protocol::{ScoreLevel, ScoreMade, ScoreRule, ScoreSheet, ScoreTable, TargetPart};
use crate::report::{AskedUnits, CandidateJudged, Column, Judged, Table, grouped_table, led_by, protocols};
use crate::score::{
    By, ClusterKind, GroupBy, GroupLabels, Grouped, Origin, RankedMeasure, Score, Uncertainty, Undefined,
};
use crate::study::{AnnotatorId, Target};
use crate::text::fast::FastMap;
use crate::text::natural::natural;
use crate::text::words::capitalised;

/// The tables of the scores under a protocol; empty where it has no rules.
pub(super) fn tables(scope: &Scope<'_>) -> Result<Vec<Table>> {
    let Some(sheet) = scope.sheet() else { return Ok(Vec::new()) };
    let (rules, faults) = rules_known(scope, sheet)?;
    let is_in_a_table =
        |rule: &&ScoreRule| sheet.tables.iter().any(|table| table.scores.contains(&rule.name));
    let rest: Vec<String> =
        rules.iter().filter(|rule| !is_in_a_table(rule)).map(|rule| rule.name.clone()).collect();
    let rest = ScoreTable { title: "Scores".to_owned(), scores: rest, ..ScoreTable::default() };
    let mut tables = Vec::new();
    for (at, spec) in sheet.tables.iter().chain([&rest]).enumerate() {
        let places: Vec<usize> =
            spec.scores.iter().filter_map(|name| rules.iter().position(|rule| rule.name == *name)).collect();
        if places.is_empty() {
            continue;
        }
        let (table, has_scores) = table_of(scope, &rules, &places, spec)?;
        // A table without any value is left out, unless it is the first and the sheet names no second.
        if has_scores || at == 0 && sheet.tables.len() < 2 {
            tables.push(table);
        }
    }
    if let Some(first) = tables.first_mut() {
        if is_own(scope) {
            first.notes.extend(faults.iter().map(|fault| format!("Left out: {fault}")));
        }
        let open = open_units(scope);
        if open > 0 {
            let what = sheet.tables.first().and_then(|table| table.items.as_deref()).unwrap_or("items");
            let note =
                format!("{} {}, and not in the scores: {open}.", capitalised(what), scope.open_items());
            first.notes.insert(0, note);
        }
    }
    Ok(tables)
}

/// The rules that can be computed in the study, and the faults of the others: a rule may read another protocol, which is not judged
/// here or whose question was clear before. Rules of the options must all be right.
fn rules_known(scope: &Scope<'_>, sheet: &ScoreSheet) -> Result<(Vec<ScoreRule>, Vec<Error>)> {
    let tables = scope.frame.tables()?;
    let (mut known, mut faults) = (Vec::<ScoreRule>::new(), Vec::new());
    for rule in &sheet.rules {
        let has = |name: &String| known.iter().any(|other| other.name == *name);
        let looked_up = match &rule.made {
            ScoreMade::F1(names) if names.iter().all(has) => Ok(()),
            ScoreMade::F1(_) => Err(rule.wrong("one of its two scores is not known")),
            ScoreMade::Ratio(_) => {
                tables.score_rules(&scope.protocol.name, std::slice::from_ref(rule)).map(drop)
            }
        };
        match looked_up {
            Ok(()) => known.push(rule.clone()),
            Err(fault) => faults.push(fault),
        }
    }
    if is_own(scope) && (known.is_empty() || !scope.asked.sheet.is_empty()) && !faults.is_empty() {
        return Err(faults.remove(0));
    }
    Ok((known, faults))
}

/// Whether the rules are the user's own, and not built in.
fn is_own(scope: &Scope<'_>) -> bool {
    !scope.asked.sheet.is_empty() || !scope.protocol.scores.is_empty()
}

/// Counts the unjudged units of judged candidates; 0 where the protocol does not ask about units of candidates.
fn open_units(scope: &Scope<'_>) -> usize {
    let [has_candidate, has_unit, has_document] =
        [TargetPart::Candidate, TargetPart::Unit, TargetPart::Document]
            .map(|part| scope.protocol.targets(part));
    if !has_candidate || !has_unit || has_document {
        return 0;
    }
    let is_judged = |candidate: CandidateJudged| -> (usize, Vec<bool>) {
        (candidate.place, candidate.sets.iter().map(Option::is_some).collect())
    };
    let asked = AskedUnits::of(scope.protocol, scope.corpus, scope.judged, &[]);
    let mut judged: BTreeMap<usize, Vec<bool>> = BTreeMap::new();
    for (candidate, units) in asked.read(scope.corpus, scope.judged, is_judged) {
        match judged.entry(candidate) {
            Entry::Vacant(place) => drop(place.insert(units)),
            Entry::Occupied(mut known) => {
                known.get_mut().iter_mut().zip(units).for_each(|(known, is_judged)| *known |= is_judged);
            }
        }
    }
    judged.values().flatten().filter(|is_judged| !**is_judged).count()
}

/// The tables of rules from the options. A single rule from the command line is also printed as a file would have it.
pub(super) fn of_the_moment(scope: &Scope<'_>, sheet: &ScoreSheet) -> Result<Vec<Table>> {
    let mut tables = tables(scope)?;
    if let ([rule @ ScoreRule { line: 0, .. }], Some(table)) = (sheet.rules.as_slice(), tables.last_mut()) {
        table.notes.push("A protocol's file names such a score:".to_owned());
        table.notes.extend(rule.to_string().lines().map(str::to_owned));
    }
    Ok(tables)
}

/// Sorts the rows of scores into groups as they come.
struct RowsGrouped<'a> {
    scope: &'a Scope<'a>,
    tables: &'a Tables,
    /// The groupings to use where none were asked for.
    suiting: GroupBy,
    /// The annotators that are looked at.
    annotators: BTreeSet<AnnotatorId>,
    /// The groupings for each table of rows.
    by: BTreeMap<BrowseTable, Vec<By>>,
    known: FastMap<(BrowseTable, u32, i64), Option<u32>>,
    /// The labels of the groups by number, with their sort keys.
    groups: IndexMap<GroupLabels, Vec<u32>>,
}

impl<'a> RowsGrouped<'a> {
    fn of(scope: &'a Scope<'a>, by: &[String]) -> Result<RowsGrouped<'a>> {
        let annotators = scope.judged.rows().map(|row| row.annotator()).collect();
        let own = if scope.protocol.is_about_candidates() { &["system"][..] } else { &[] };
        let by: Vec<&str> =
            if by.is_empty() { own.to_vec() } else { by.iter().map(String::as_str).collect() };
        let suiting = GroupBy::own(&by, scope.asked.part.uncertainty);
        let (tables, (by, known, groups)) = (scope.frame.tables()?, Default::default());
        Ok(RowsGrouped { scope, tables, suiting, annotators, by, known, groups })
    }

    /// Looks up rules for the chosen judgments; with gold, also for the gold of other protocols that the rules read.
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
        judged.extend_from_slice(scope.elsewhere);
        self.tables.score_rules_of(&scope.protocol.name, rules, &judged)
    }

    /// Reads the groupings for the rows of a table.
    fn prepare(&mut self, table: BrowseTable) -> Result<()> {
        if self.by.contains_key(&table) {
            return Ok(());
        }
        let by = match (self.scope.asked.part.by.as_slice(), table) {
            ([], _) => self.suiting.by.clone(),
            (_, BrowseTable::Items) => self.scope.by.to_vec(),
            _ => self.scope.frame.by_rows_of(table)?,
        };
        self.by.insert(table, by);
        Ok(())
    }

    /// The number of a row's group; `None` for rows that are left out.
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
            let group = self.groups.entry(labels);
            let number = short(group.index());
            group.or_insert(places);
            number
        });
        self.known.insert(key, number);
        number
    }

    /// The origin of a row; `None` for rows that are left out.
    fn origin(&self, row: ScoredRow) -> Option<Origin> {
        let scope = self.scope;
        let target = match row.table {
            BrowseTable::Items => {
                let item = self.tables.item_row(row.row)?;
                if scope.part.as_ref().is_some_and(|chosen| !chosen.contains(&item.id)) {
                    return None;
                }
                // A unit that was taken from a response belongs to the response's system.
                let owner = || self.tables.target_of(row.table, row.row)?.candidate;
                Target { candidate: item.target.candidate.or_else(owner), ..item.target }
            }
            table => self.tables.target_of(table, row.row)?,
        };
        let name =
            row.annotator.and_then(|annotator| scope.people.get(&annotator)).map_or("", String::as_str);
        scope.corpus.origin(&target, name, row.row)
    }

    /// The numbers and labels of the groups, sorted.
    fn in_order(self) -> Vec<(u32, GroupLabels)> {
        let mut order: Vec<(u32, (GroupLabels, Vec<u32>))> = (0..).zip(self.groups).collect();
        order.sort_by_cached_key(|(_, (labels, places))| {
            let label =
                |label: &Option<String>| label.as_deref().map(|label| (natural(label), label.to_owned()));
            let places = places.iter().zip(labels).map(|(place, of)| (*place, label(of)));
            places.collect::<Vec<_>>()
        });
        order.into_iter().map(|(number, (labels, _))| (number, labels)).collect()
    }
}

/// The scores of a group, in the order of the rules.
pub(super) type GroupScores = Vec<Option<RuleScore>>;

/// Scores by group.
pub(super) struct RulesScored {
    pub known: ScoreRules,
    pub rows: Vec<(GroupLabels, GroupScores)>,
    /// The scores over all rows; empty where they were not asked for.
    pub all: GroupScores,
    pub by: Vec<By>,
}

/// The scores at these places of the rules, by group, and with `has_all` over all rows. `suiting` are the fields to group by
/// where none were asked for.
pub(super) fn scored(
    scope: &Scope<'_>,
    (rules, places): (&[ScoreRule], &[usize]),
    suiting: &[String],
    (cluster, has_all): (ClusterKind, bool),
) -> Result<RulesScored> {
    let mut groups = RowsGrouped::of(scope, suiting)?;
    let known = groups.rules(rules)?;
    let is_grouped_by = |rule: &&ScoreRule| match scope.asked.part.by.as_slice() {
        [] => groups.suiting.by.iter().any(|by| by.name() == rule.name),
        names => names.contains(&rule.name),
    };
    if let Some(rule) = places.iter().filter_map(|place| rules.get(*place)).find(is_grouped_by) {
        return Err(rule.wrong("what is grouped by has its name; give it another"));
    }
    let is_cut =
        |rule: &&ScoreRule| matches!(&rule.made, ScoreMade::Ratio(ratio) if is_cut(cluster, ratio.once));
    if let Some(rule) = rules.iter().find(is_cut) {
        let what = format!("it counts a {} once, which stands in several clusters", rule.once().name());
        return Err(rule.wrong(what).advise("leave --cluster out, or name a wider one"));
    }
    let tables = groups.tables;
    let mut scores: Vec<BTreeMap<u32, RuleScore>> = Vec::new();
    let mut all: GroupScores = Vec::new();
    for place in places.iter().copied() {
        groups.prepare(known.table(place))?;
        let mut of_group = tables.scored_by(&known, place, cluster, |row| groups.number(row));
        if has_all {
            // A single group is also the total.
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

/// Whether a thing that counts once can lie in several clusters.
fn is_cut(cluster: ClusterKind, once: ScoreLevel) -> bool {
    let is_within_a_summary = matches!(once, ScoreLevel::Item | ScoreLevel::Bullet | ScoreLevel::Candidate);
    cluster == ClusterKind::Summary && !is_within_a_summary
}

/// The rules of a sheet, and the places of the rules by which systems are ranked.
fn ranked(scope: &Scope<'_>, sheet: &ScoreSheet) -> Result<(Vec<ScoreRule>, Vec<usize>)> {
    let (rules, _) = rules_known(scope, sheet)?;
    let ranked = sheet.ranked();
    let places = (0..rules.len()).filter(|place| rules.get(*place).is_some_and(|rule| ranked.contains(rule)));
    let places = places.collect();
    Ok((rules, places))
}

/// The measures by which systems are ranked.
pub(super) fn measures(scope: &Scope<'_>, sheet: &ScoreSheet) -> Result<Vec<RankedMeasure>> {
    let (rules, places) = ranked(scope, sheet)?;
    let known = scope.frame.tables()?.score_rules(&scope.protocol.name, &rules)?;
    let measure = |place: usize| {
        let (rule, range) = (rules.get(place)?, known.range(place));
        Some(RankedMeasure {
            name: rule.name.clone(),
            heading: rule.heading(),
            range,
            is_percent: range == NumberRange::PERCENT,
            better: rule.better,
        })
    };
    Ok(places.into_iter().filter_map(measure).collect())
}

/// The scores of every group by query, for rankings. A harmonic mean of two means is no sum over queries, so systems are not
/// ranked by it.
pub(super) fn by_query(scope: &Scope<'_>, sheet: &ScoreSheet) -> Result<GroupedScores> {
    let (rules, places) = ranked(scope, sheet)?;
    let system = ["system".to_owned()];
    let found = scored(scope, (&rules, &places), &system, (ClusterKind::Query, false))?;
    // What is of no system, such as an insight of the gold map, may count in no score of systems.
    let is_ranked = |(labels, scores): &(GroupLabels, GroupScores)| {
        let is_counted = |score: &RuleScore| score.counted().judgments + score.missing() > 0;
        labels.iter().any(Option::is_some) || scores.iter().flatten().any(is_counted)
    };
    let score = |score: &Option<RuleScore>| {
        let none = || Score::new(Undefined::NothingJudged);
        let (counted, made) =
            score.as_ref().map(|score| (score.counted(), score.score())).unwrap_or_default();
        (counted, made.unwrap_or_else(none))
    };
    let groups = found.rows.into_iter().filter(is_ranked);
    let groups = groups.map(|(labels, scores)| (labels, scores.iter().map(score).collect()));
    let cluster = scope.asked.part.uncertainty.cluster_or(ClusterKind::Query);
    Ok(GroupedScores { groups: groups.collect(), within: scope.frame.tables()?.wider_clusters(cluster) })
}

/// A score of each candidate that has one.
pub(super) struct CandidateScores {
    pub heading: String,
    /// For each candidate: its place, its system, the number of its cluster, and its score.
    pub scores: Vec<(u32, String, u32, f64)>,
}

/// The scores of each candidate, by rule.
pub(super) fn of_candidates(scope: &Scope<'_>, rules: &[ScoreRule]) -> Result<Vec<CandidateScores>> {
    let mut groups = RowsGrouped::of(scope, &[])?;
    let tables = groups.tables;
    let known = groups.rules(rules)?;
    let cluster = scope.asked.part.uncertainty.cluster_or(ClusterKind::Query);
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

/// A table of the scores at these places, and whether any has a value.
fn table_of(
    scope: &Scope<'_>,
    rules: &[ScoreRule],
    places: &[usize],
    spec: &ScoreTable,
) -> Result<(Table, bool)> {
    let uncertainty = scope.asked.part.uncertainty;
    let cluster = uncertainty.cluster_or(ClusterKind::Query);
    let RulesScored { known, rows, all, by } = scored(scope, (rules, places), &spec.by, (cluster, true))?;
    // A group without judgments for these scores has no row. For the user's own rules, a group with judgments always has one.
    let is_judged = |scores: &GroupScores| {
        scores.iter().flatten().any(|score| match is_own(scope) {
            true => score.value() != Err(Undefined::NothingJudged),
            false => score.counted().judgments + score.missing() > 0,
        })
    };
    let rows: Vec<(GroupLabels, GroupScores)> =
        rows.into_iter().filter(|(_, scores)| is_judged(scores)).collect();
    let has_value = |at: usize| {
        let own = rows.iter().map(|(_, scores)| scores).chain([&all]);
        own.filter_map(|scores| score_at(scores, at)).any(|score| score.value().is_ok())
    };
    let shown: Vec<bool> = (0..places.len()).map(has_value).collect();
    let mut columns = Vec::new();
    let mut before = None;
    for (at, rule) in places.iter().enumerate().filter_map(|(at, place)| Some((at, rules.get(*place)?))) {
        let has_value = shown.get(at).copied().unwrap_or_default();
        let counted = counted_as(rule);
        let is_counted_anew = before.as_ref().is_some_and(|before| *before != counted);
        let counts = match (at, is_counted_anew && has_value) {
            (0, _) => CountsShown::First(spec.items.as_deref().unwrap_or("items")),
            (_, true) if places.len() <= FEW => CountsShown::Spare,
            _ => CountsShown::Detail,
        };
        let is_percent = places.get(at).is_some_and(|place| known.range(*place) == NumberRange::PERCENT);
        columns.extend(columns_of(rule, (at, counts), is_percent, at > 0 && !has_value, uncertainty));
        if has_value {
            before = Some(counted);
        }
    }
    let mut missing: IndexMap<usize, Vec<String>> = IndexMap::new();
    for (place, score) in places.iter().zip(&all) {
        let count = score.as_ref().map_or(0, RuleScore::missing);
        if let Some(rule) = rules.get(*place).filter(|_| count > 0) {
            missing.entry(count).or_default().push(rule.heading());
        }
    }
    let missing = missing.into_iter().map(|(count, scores)| {
        let scores = scores.join("; ");
        format!("Judgments that are not in {scores}, because what that rests on is not known: {count}.")
    });
    let missing: Vec<String> = missing.collect();
    let grouped = Grouped { by, uncertainty, rows, all: Some(all) };
    let mut table = grouped_table(&spec.title, &grouped, columns);
    let abouts = places.iter().filter_map(|place| {
        let rule = rules.get(*place)?;
        rule.about.as_ref().map(|about| format!("{}: {}.", rule.heading(), about.trim_end_matches('.')))
    });
    match spec.notes.as_slice() {
        [] => table.notes.extend(abouts),
        notes => table.notes.extend_from_slice(notes),
    }
    table.notes.extend(missing);
    let ranked = scope.sheet().map(ScoreSheet::ranked).unwrap_or_default();
    Ok((led_by(table, ranked.iter().map(|rule| rule.name.as_str())), shown.contains(&true)))
}

/// The most scores of a table that leaves room for the counts of each.
const FEW: usize = 5;

/// The parts of a rule that decide what it counts; two scores with equal parts count the same rows.
fn counted_as(rule: &ScoreRule) -> Option<(Option<&str>, Option<&str>, ScoreLevel)> {
    match &rule.made {
        ScoreMade::F1(_) => None,
        ScoreMade::Ratio(ratio) => Some((ratio.protocol.as_deref(), ratio.among.as_deref(), ratio.once)),
    }
}

fn score_at(scores: &GroupScores, at: usize) -> Option<&RuleScore> {
    scores.get(at)?.as_ref()
}

/// How the counts of a score are shown.
#[derive(Debug, Clone, Copy)]
enum CountsShown<'a> {
    /// The number of items under this heading, and the number of judgments beside it.
    First(&'a str),
    /// The number of items, only where there is room.
    Spare,
    Detail,
}

/// The columns of a score, with its counts.
fn columns_of<'a>(
    rule: &'a ScoreRule,
    (at, counts): (usize, CountsShown<'a>),
    is_percent: bool,
    is_hidden: bool,
    how: Uncertainty,
) -> Vec<Column<'a, GroupScores>> {
    let cell = move |scores: &GroupScores| {
        Some((score_at(scores, at)?.estimate(how.intervals), rule.undefined.as_deref()))
    };
    let (prefix, heading, is_first) = match counts {
        CountsShown::First(heading) => (String::new(), heading, true),
        _ => (format!("{}_", rule.name), "of", false),
    };
    let count = |of: fn(&RuleScore) -> usize| move |scores: &GroupScores| score_at(scores, at).map(of);
    let items = Column::new(format!("{prefix}items"), heading, count(|score| score.counted().items));
    let judgments =
        Column::new(format!("{prefix}judgments"), "judgments", count(|score| score.counted().judgments));
    let missing = Column::new(format!("{prefix}missing"), "missing", count(RuleScore::missing));
    let score = Column::new(rule.name.as_str(), rule.heading(), cell);
    let score = if is_percent { score.percent() } else { score }.better(rule.better);
    let mut columns = Vec::new();
    if let Some(level) = rule.mean.filter(|_| is_first) {
        let averaged = move |scores: &GroupScores| score_at(scores, at).and_then(RuleScore::levels);
        columns.push(Column::new("averaged", level.plural(), averaged));
    }
    columns.extend([
        match counts {
            CountsShown::First(_) => items,
            CountsShown::Spare => items.spare(),
            CountsShown::Detail => items.detail(),
        },
        judgments.shown_if(is_first),
        missing.detail(),
        score.shown_if(!is_hidden),
    ]);
    // The first score of a table has its counts before it; later scores have theirs behind.
    if !is_first {
        columns.rotate_right(1);
    }
    columns
}
