//! Extraction recall.

use super::super::table::{Cell, Column, Table};
use super::Scope;
use super::grouped::{INTERVALS, fill, grouped_table, share_cells, share_columns};
use super::judged::Judgment;
use crate::protocol::Question;
use crate::score::{By, ExtractionRow, HumanPointJudged, Undefined, extraction_table, is_said};

/// The table of a protocol about which units say what another one says.
pub fn tables(scope: &Scope<'_>, question: &Question) -> Vec<Table> {
    let by = scope.by_or(&[By::Query]);
    let point = |judgment: Judgment<'_>| {
        Some(HumanPointJudged {
            origin: scope.corpus.origin(judgment.target, judgment.name)?,
            is_said: is_said(question, judgment.answers)?,
        })
    };
    let points: Vec<HumanPointJudged> = scope.judged.each().filter_map(point).collect();
    let rows = extraction_table(&points, by);
    let all = extraction_table(&points, &[]);
    vec![extraction_recall_table(&rows, all.first(), by)]
}

/// Extraction recall by group, and pooled over all points, as in Qi et al. 2024, §3.3.
pub fn extraction_recall_table(rows: &[ExtractionRow], all: Option<&ExtractionRow>, by: &[By]) -> Table {
    let mut columns = vec![Column::count("judged", "human points"), Column::count("said", "said")];
    columns.extend(share_columns("recall", "recall").into_iter().skip(1));
    let mut table = grouped_table("Extraction recall", by, columns);
    let cells = |row: &ExtractionRow| {
        let counts = [row.said.of, row.said.part].map(Cell::Count);
        let share = share_cells(row.said, Undefined::NothingJudged).into_iter().skip(1);
        counts.into_iter().chain(share).collect()
    };
    fill(&mut table, by, rows, all, |row| &row.group, cells);
    table.notes.push("The last row is pooled over all human points.".to_owned());
    table.notes.push(INTERVALS.to_owned());
    table
}
