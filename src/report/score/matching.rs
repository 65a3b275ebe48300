//! Extraction recall.

use super::Scope;
use crate::protocol::Question;
use crate::report::grouped::{INTERVALS, grouped_table, share_columns};
use crate::report::judged::Judgment;
use crate::report::table::{Column, Table};
use crate::score::{By, Grouped, HumanPointJudged, Share, is_said};

/// Extraction recall by group, and pooled over all points, as in Qi et al. 2024, §3.3.
pub fn tables(scope: &Scope<'_>, question: &Question) -> Vec<Table> {
    let point = |judgment: Judgment<'_>| {
        Some(HumanPointJudged {
            origin: scope.corpus.origin(judgment.target, judgment.name)?,
            is_said: is_said(question, judgment.answers)?,
        })
    };
    let points: Vec<HumanPointJudged> = scope.judged.each().filter_map(point).collect();
    let said = |points: Vec<&HumanPointJudged>| points.iter().map(|point| point.is_said).collect::<Share>();
    let found = Grouped::of(&points, |point| &point.origin, scope.by_or(&[By::Query]), said);
    let mut columns = vec![
        Column::new("judged", "human points", |said: &Share| said.of),
        Column::new("said", "said", |said: &Share| said.part),
    ];
    columns.extend(share_columns("recall", "recall", |said: &Share| *said).into_iter().skip(1));
    let mut table = grouped_table("Extraction recall", &found, columns);
    table.notes.push("The last row is pooled over all human points.".to_owned());
    table.notes.push(INTERVALS.to_owned());
    vec![table]
}
