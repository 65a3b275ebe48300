//! Thresholds on a machine's score of key points.

use super::Scope;
use crate::report::{Column, CountedJudgment, Table, TableFinding};
use crate::score::{KeyPointJudged, PointVerdict, ThresholdRow, threshold_table};

/// The table of thresholds; `None` where no judged key point has a score.
pub(super) fn table(scope: &Scope<'_>) -> Option<Table> {
    let point = |judgment: CountedJudgment<'_>| {
        let unit = judgment.target.unit.and_then(|id| scope.corpus.unit(id));
        Some(KeyPointJudged {
            origin: scope.judged.origin(scope.corpus, &judgment)?,
            score: unit.and_then(|unit| unit.score),
            verdict: PointVerdict::read(judgment.answers)?,
        })
    };
    let points: Vec<KeyPointJudged> = scope.judged.each().filter_map(point).collect();
    let thresholds = threshold_table(&points, scope.asked.part.uncertainty);
    (!thresholds.is_empty()).then(|| kept_by_threshold(thresholds))
}

/// The key points that each threshold keeps, and the share of these that people reject, as in Qi et al. 2024, §3.3.
fn kept_by_threshold(rows: Vec<ThresholdRow>) -> Table {
    let columns: [Column<'_, ThresholdRow>; 6] = [
        Column::new("threshold", "score from", |row: &ThresholdRow| row.threshold),
        Column::new("kept", "kept", |row: &ThresholdRow| row.kept),
        Column::new("points", "points", |row: &ThresholdRow| row.points),
        Column::new("judgments", "judgments", |row: &ThresholdRow| row.judged).detail(),
        Column::new("judgments_rejected", "rejected", |row: &ThresholdRow| row.rejected).detail(),
        Column::new("false_discovery", "rejected", |row: &ThresholdRow| row.false_discovery).percent(),
    ];
    Table::of("Key points kept by score", columns, &rows).finding(TableFinding::Thresholds(rows.into())).note(
        "rejected is the share of the kept points that people do not retain, averaged over annotators: a \
         false discovery rate, though published as the false positive rate.",
    )
}
