//! Extraction recall.

use super::Scope;
use crate::protocol::Question;
use crate::report::grouped::{counted_columns, grouped_table};
use crate::report::judged::CountedJudgment;
use crate::report::table::{Column, Table};
use crate::score::{Grouped, HumanPointJudged, Matching, is_said};

/// Extraction recall by group, and pooled over all points, as in Qi et al. 2024, §3.3.
pub fn tables(scope: &Scope<'_>, question: &Question) -> Vec<Table> {
    let point = |judgment: CountedJudgment<'_>| {
        Some(HumanPointJudged {
            origin: scope.judged.origin(scope.corpus, &judgment)?,
            is_said: is_said(question, judgment.answers)?,
        })
    };
    let points: Vec<HumanPointJudged> = scope.judged.each().filter_map(point).collect();
    let found = Grouped::of(&points, |point| &point.origin, scope.by_or(&["query"]), Matching::of);
    let mut columns: Vec<Column<'_, Matching>> =
        counted_columns("human points", |matching: &Matching| matching.judged).into();
    columns.push(Column::new("judgments_said", "said", |matching: &Matching| matching.said).detail());
    let how = found.uncertainty;
    columns.push(
        Column::new("recall", "recall", move |matching: &Matching| how.percent(&matching.recall)).score(),
    );
    let mut table = grouped_table("Extraction recall", &found, columns);
    table.notes.push("The last row is pooled over all human points.".to_owned());
    vec![table]
}
