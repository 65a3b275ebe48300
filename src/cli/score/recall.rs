//! Key point recall, precision and their F.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::protocols::{self, counted};
use super::super::table::{Cell, Column, Table};
use super::Scope;
use super::corpus::Corpus;
use super::grouped::{fill, grouped_table};
use super::judged::{CandidateJudged, Judged, candidates};
use crate::error::Result;
use crate::score::{
    By, PlacementQuestion, Precision, PrecisionRow, RecallRow, ResponseJudged, Scoring, failure_values,
    precision_table, recall_table,
};
use crate::store::Target;
use crate::study::{AnnotatorId, CandidateId, UnitId};

/// One annotator and one response.
type Key = (AnnotatorId, CandidateId);

/// The table of a protocol about key points in responses. Where responses' own points were judged too,
/// under whatever protocol asks for it, precision and F stand beside recall.
pub fn tables(scope: &Scope<'_>) -> Result<Vec<Table>> {
    let by = scope.by_or(&[By::System]);
    let mut responses: BTreeMap<Key, ResponseJudged> = BTreeMap::new();
    for protocol in protocols::all(scope.corpus.study)? {
        if let Scoring::Placement(question) = Scoring::of(&protocol) {
            let versions = counted(&protocol, scope.arguments.all_versions);
            let judged = Judged::read(scope.corpus.study, &protocol, scope.people, scope.gold, versions)?;
            for (key, response) in own_points(&question, scope.corpus, &judged) {
                let kept = responses.entry(key).or_insert_with(|| ResponseJudged {
                    origin: response.origin.clone(),
                    ..ResponseJudged::default()
                });
                kept.own.extend(response.own);
            }
        }
    }
    for (key, response) in responses_judged(scope) {
        match responses.entry(key) {
            Entry::Occupied(mut known) => known.get_mut().points = response.points,
            Entry::Vacant(place) => {
                place.insert(response);
            }
        }
    }
    let responses: Vec<ResponseJudged> = responses.into_values().collect();
    let failures = failure_values(scope.protocol);
    let rows = recall_table(&responses, by, &failures);
    let all = recall_table(&responses, &[], &failures);
    Ok(vec![recall_score_table(&rows, all.first(), by)])
}

/// Every response of which someone judged key points of its query.
pub fn responses_judged(scope: &Scope<'_>) -> Vec<((AnnotatorId, CandidateId), ResponseJudged)> {
    let key_points = |candidate: CandidateJudged<'_>| {
        let points = candidate.units.into_iter().map(|(_, answers)| answers.clone()).collect();
        let key = (candidate.annotator, candidate.id);
        (key, ResponseJudged { origin: candidate.origin, points, own: Vec::new() })
    };
    candidates(scope.protocol, scope.corpus, scope.judged).into_iter().map(key_points).collect()
}

/// The table of a protocol about where units stand, for the points of responses; `None` without any.
pub fn own_point_table(scope: &Scope<'_>, question: &PlacementQuestion<'_>) -> Option<Table> {
    let by = scope.by_or(&[By::System]);
    let responses: Vec<ResponseJudged> =
        own_points(question, scope.corpus, scope.judged).into_values().collect();
    let rows = precision_table(&responses, by);
    let all = precision_table(&responses, &[]);
    (!rows.is_empty()).then(|| precision_score_table(&rows, all.first(), by))
}

/// Every response of which an annotator judged own points. A point is in the documents when it is in
/// any of those that it was judged with.
fn own_points(
    question: &PlacementQuestion<'_>,
    corpus: &Corpus<'_>,
    judged: &Judged<'_>,
) -> BTreeMap<Key, ResponseJudged> {
    let owners = corpus.owners();
    let mut points_of: HashMap<CandidateId, Vec<UnitId>> = HashMap::new();
    let mut present: BTreeMap<Key, (Target, &str, HashMap<UnitId, bool>)> = BTreeMap::new();
    for judgment in judged.each() {
        let unit = judgment.target.unit;
        let owner = unit.and_then(|unit| owners.get(&unit));
        if let (Some(unit), Some(owner), Some(is_present)) = (unit, owner, question.read(judgment.answers)) {
            let about = Target { candidate: Some(*owner), unit: None, document: None, ..*judgment.target };
            let key = (judgment.annotator, *owner);
            let points = present.entry(key).or_insert_with(|| (about, judgment.name, HashMap::new()));
            *points.2.entry(unit).or_default() |= is_present;
        }
    }
    // The kinds that were judged say which of a response's units are its points.
    let kinds: BTreeSet<&str> = present
        .values()
        .flat_map(|(.., points)| points.keys())
        .filter_map(|unit| corpus.unit(*unit).map(|unit| unit.kind.as_str()))
        .collect();
    for (unit, owner) in &owners {
        if corpus.unit(*unit).is_some_and(|unit| kinds.contains(unit.kind.as_str())) {
            points_of.entry(*owner).or_default().push(*unit);
        }
    }
    let response = |(key, (target, name, points)): (Key, (Target, &str, HashMap<UnitId, bool>))| {
        let units = points_of.get(&key.1).map_or(&[][..], Vec::as_slice);
        let own = units.iter().map(|unit| points.get(unit).copied()).collect();
        Some((key, ResponseJudged { origin: corpus.origin(&target, name)?, points: Vec::new(), own }))
    };
    present.into_iter().filter_map(response).collect()
}

/// Recall by group, and how points that are not said fail, as in Qi et al. 2024, Table 1 and Fig. 8;
/// precision and F as in its Table 4.
pub fn recall_score_table(rows: &[RecallRow], all: Option<&RecallRow>, by: &[By]) -> Table {
    let has_precision = all.is_some_and(|row| row.recall.precision.judged > 0);
    let shown = |column: Column| if has_precision { column } else { column.detail() };
    let mut columns = vec![
        Column::count("responses", "responses"),
        Column::count("judged", "key points"),
        Column::count("points", "to judge").detail(),
        Column::count("entailed", "said"),
        Column::percent("recall", "KPR"),
        Column::count("own_judged", "own points").detail(),
        Column::count("own_present", "present").detail(),
        shown(Column::percent("precision", "KPP")),
        Column::count("both", "both").detail(),
        shown(Column::percent("f1", "KPF")),
    ];
    let failures = all.or(rows.first()).map_or(&[][..], |row| &row.recall.failures);
    for (value, _) in failures {
        columns.push(Column::count(format!("count_{value}"), value.as_str()).detail());
        columns.push(Column::percent(format!("share_{value}"), value.as_str()));
    }
    let cells = |row: &RecallRow| {
        let recall = &row.recall;
        let precision = &recall.precision;
        let counts = [recall.responses, recall.judged, recall.points, recall.entailed].map(Cell::Count);
        let own = [precision.judged, precision.present].map(Cell::Count);
        let mut cells: Vec<Cell> =
            counts.into_iter().chain([Cell::number(recall.recall)]).chain(own).collect();
        cells.extend([Cell::number(precision.precision), Cell::Count(recall.both), Cell::number(recall.f1)]);
        for ((_, count), share) in recall.failures.iter().zip(recall.failure_shares()) {
            cells.extend([Cell::Count(*count), Cell::number(share)]);
        }
        cells
    };
    let mut table = grouped_table("Key point recall", by, columns);
    fill(&mut table, by, rows, all, |row| &row.group, cells);
    table.notes = all.map_or_else(Vec::new, |row| recall_notes(row, has_precision));
    table
}

fn recall_notes(all: &RecallRow, has_precision: bool) -> Vec<String> {
    let recall = &all.recall;
    let mut notes = Vec::new();
    let open = recall.points - recall.judged;
    if open > 0 {
        notes.push(format!("Key points not judged yet, and not in the scores: {open}."));
    }
    notes.push("KPR is the mean over responses; the kinds are shares of the points not said.".to_owned());
    if has_precision {
        notes.extend(open_points(&recall.precision));
        notes.push(format!(
            "KPP is the share of a response's own points that the documents contain, the mean over responses; KPF is \
             the mean of the harmonic means of the responses with both: {}.",
            recall.both
        ));
    }
    notes
}

/// Precision by group, as in Qi et al. 2024, Table 4.
pub fn precision_score_table(rows: &[PrecisionRow], all: Option<&PrecisionRow>, by: &[By]) -> Table {
    let columns = [
        Column::count("responses", "responses"),
        Column::count("judged", "points"),
        Column::count("points", "to judge").detail(),
        Column::count("present", "present"),
        Column::percent("precision", "KPP"),
    ];
    let mut table = grouped_table("Key point precision", by, columns);
    let cells = |row: &PrecisionRow| {
        let precision = &row.precision;
        let counts = [precision.responses, precision.judged, precision.points, precision.present];
        counts.map(Cell::Count).into_iter().chain([Cell::number(precision.precision)]).collect()
    };
    fill(&mut table, by, rows, all, |row| &row.group, cells);
    table.notes.extend(all.and_then(|all| open_points(&all.precision)));
    table.notes.push("KPP is the mean over responses.".to_owned());
    table
}

fn open_points(precision: &Precision) -> Option<String> {
    let open = precision.points - precision.judged;
    (open > 0).then(|| format!("Responses' own points not judged yet, and not in the scores: {open}."))
}
