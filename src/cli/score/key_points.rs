//! Retention of key points, and what thresholds on a machine's score would keep.

use super::super::table::{Cell, Column, Table};
use super::Scope;
use super::grouped::{fill, grouped_table};
use super::judged::Judgment;
use crate::score::{By, KeyPointJudged, KeyPointRow, ThresholdRow, Verdict, keypoint_table, threshold_table};

/// What everyone said of each key point.
pub fn points(scope: &Scope<'_>) -> Vec<KeyPointJudged> {
    let point = |judgment: Judgment<'_>| {
        let unit = judgment.target.unit.and_then(|id| scope.corpus.unit(id));
        Some(KeyPointJudged {
            origin: scope.corpus.origin(judgment.target, judgment.name)?,
            score: unit.and_then(|unit| unit.score),
            item: judgment.item.0,
            verdict: Verdict::read(judgment.answers),
        })
    };
    scope.judged.each().filter_map(point).collect()
}

/// The tables of a protocol about key points.
pub fn tables(scope: &Scope<'_>) -> Vec<Table> {
    let by = scope.by_or(&[By::Query]);
    let points = points(scope);
    let rows = keypoint_table(&points, by);
    let all = keypoint_table(&points, &[]);
    let mut tables = vec![retention(&rows, all.first(), by)];
    let thresholds = threshold_table(&points);
    if !thresholds.is_empty() {
        tables.push(kept_by_threshold(&thresholds));
    }
    tables
}

/// Retention of key points by group.
pub fn retention(rows: &[KeyPointRow], all: Option<&KeyPointRow>, by: &[By]) -> Table {
    let columns = [
        Column::count("points", "points"),
        Column::count("judged", "judged"),
        Column::count("retained", "retained"),
        Column::percent("retention", "retention"),
        Column::percent("grounded", "grounded"),
        Column::percent("agree", "agree"),
        Column::percent("neutral", "neutral"),
        Column::percent("disagree", "disagree"),
    ];
    let mut table = grouped_table("Retention of key points", by, columns);
    let cells = |row: &KeyPointRow| {
        let retention = &row.retention;
        let counts = [retention.points, retention.judged(), retention.agree].map(Cell::Count);
        let measures = retention.measures().map(|(_, measure)| Cell::number(measure));
        counts.into_iter().chain(measures).collect::<Vec<Cell>>()
    };
    fill(&mut table, by, rows, all, |row| &row.group, cells);
    table.notes.push("agree, neutral and disagree are shares of the grounded key points.".to_owned());
    table
}

/// What a threshold on the machine's score keeps, and how much of that people reject, as in Qi et al. 2024, §3.3.
pub fn kept_by_threshold(rows: &[ThresholdRow]) -> Table {
    let columns = vec![
        Column::number("threshold", "score from", 1),
        Column::count("kept", "kept"),
        Column::count("points", "points"),
        Column::count("judged", "judged").detail(),
        Column::count("rejected", "rejected").detail(),
        Column::percent("false_discovery", "rejected"),
    ];
    let mut table = Table::new("Key points kept by score", columns);
    table.rows.extend(rows.iter().map(|row| {
        let counts = [row.kept, row.points, row.judged, row.rejected].map(Cell::Count);
        let threshold = [Cell::Number(row.threshold)];
        threshold.into_iter().chain(counts).chain([Cell::number(row.false_discovery)]).collect()
    }));
    table.notes.push(
        "rejected is the share of the kept points that people do not retain, averaged over annotators: \
         a false discovery rate, though published as the false positive rate."
            .to_owned(),
    );
    table
}
