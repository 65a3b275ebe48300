//! Retention of key points, and what thresholds on a machine's score would keep.

use super::Scope;
use crate::report::grouped::{counted_columns, grouped_table};
use crate::report::judged::CountedJudgment;
use crate::report::table::{Column, Table};
use crate::score::{Grouped, KeyPointJudged, PointVerdict, Retention, ThresholdRow, threshold_table};

/// What everyone said of each key point.
pub fn points(scope: &Scope<'_>) -> Vec<KeyPointJudged> {
    let point = |judgment: CountedJudgment<'_>| {
        let unit = judgment.target.unit.and_then(|id| scope.corpus.unit(id));
        Some(KeyPointJudged {
            origin: scope.judged.origin(scope.corpus, &judgment)?,
            score: unit.and_then(|unit| unit.score),
            verdict: PointVerdict::read(judgment.answers)?,
        })
    };
    scope.judged.each().filter_map(point).collect()
}

/// The tables of a protocol about key points.
pub fn tables(scope: &Scope<'_>) -> Vec<Table> {
    let points = points(scope);
    let found = Grouped::of(&points, |point| &point.origin, scope.by_or(&["query"]), Retention::of);
    let mut tables = vec![retention(&found)];
    let thresholds = threshold_table(&points, scope.asked.uncertainty);
    if !thresholds.is_empty() {
        tables.push(kept_by_threshold(&thresholds));
    }
    tables
}

/// Retention of key points by group.
pub fn retention(found: &Grouped<Retention>) -> Table {
    let mut columns: Vec<Column<'_, Retention>> =
        counted_columns("key points", |retention: &Retention| retention.judged).into();
    let how = found.uncertainty;
    let measure = |at: usize| move |retention: &Retention| how.percent(&retention.measures[at]);
    let names = Retention::MEASURES.into_iter().enumerate();
    columns.extend(names.map(|(at, name)| Column::new(name, name, measure(at)).percent()));
    let mut table = grouped_table("Retention of key points", found, columns);
    table.notes.push("agree, neutral and disagree are shares of the grounded key points.".to_owned());
    table
}

/// What a threshold on the machine's score keeps, and how much of that people reject, as in Qi et al. 2024, §3.3.
fn kept_by_threshold(rows: &[ThresholdRow]) -> Table {
    let columns: [Column<'_, ThresholdRow>; 6] = [
        Column::new("threshold", "score from", |row: &ThresholdRow| row.threshold),
        Column::new("kept", "kept", |row: &ThresholdRow| row.kept),
        Column::new("points", "points", |row: &ThresholdRow| row.points),
        Column::new("judgments", "judgments", |row: &ThresholdRow| row.judged).detail(),
        Column::new("judgments_rejected", "rejected", |row: &ThresholdRow| row.rejected).detail(),
        Column::new("false_discovery", "rejected", |row: &ThresholdRow| row.false_discovery).percent(),
    ];
    let mut table = Table::of("Key points kept by score", columns, rows);
    table.notes.push(
        "rejected is the share of the kept points that people do not retain, averaged over annotators: \
         a false discovery rate, though published as the false positive rate."
            .to_owned(),
    );
    table
}
