//! Citation precision.

use std::collections::BTreeMap;

use super::super::table::{Cell, Column, Table};
use super::Scope;
use super::grouped::{INTERVALS, fill, grouped_table, share_cells, share_columns};
use crate::score::{
    AttributionQuestion, AttributionRow, By, CitationsJudged, Citing, Undefined, attribution_table,
};
use crate::store::Target;

/// The table of a protocol about citations.
pub fn tables(scope: &Scope<'_>, question: &AttributionQuestion<'_>) -> Vec<Table> {
    let by = scope.by_or(&[By::System]);
    let mut summaries: BTreeMap<_, CitationsJudged> = BTreeMap::new();
    for judgment in scope.judged.each() {
        let candidate = judgment.target.candidate.and_then(|id| scope.corpus.candidates.get(&id));
        let whole = Target { bullet: None, document: None, ..*judgment.target };
        let origin = scope.corpus.origin(&whole, judgment.name);
        if let (Some(candidate), Some(origin)) = (candidate, origin) {
            let key = (judgment.annotator, judgment.target.candidate);
            let summary = summaries.entry(key).or_insert_with(|| CitationsJudged {
                origin,
                citing: Citing::of(&candidate.text),
                judged: Vec::new(),
            });
            summary.judged.extend(question.read(judgment.answers));
        }
    }
    let summaries: Vec<CitationsJudged> = summaries.into_values().collect();
    let rows = attribution_table(&summaries, by);
    let all = attribution_table(&summaries, &[]);
    vec![citation_table(&rows, all.first(), by)]
}

/// How far citations are borne out, by group.
pub fn citation_table(rows: &[AttributionRow], all: Option<&AttributionRow>, by: &[By]) -> Table {
    let mut columns = vec![
        Column::count("summaries", "n"),
        Column::count("bullets", "bullets"),
        Column::count("uncited", "uncited"),
        Column::count("citations", "citations").detail(),
        Column::count("judged", "judged"),
    ];
    columns.extend(share_columns("full", "full"));
    columns.extend(share_columns("at_least_partial", "partial or full"));
    let mut table = grouped_table("Citation precision", by, columns);
    let cells = |row: &AttributionRow| {
        let attribution = &row.attribution;
        let citing = &attribution.citing;
        let counts = [attribution.summaries, citing.bullets, citing.uncited, citing.citations];
        let mut cells: Vec<Cell> = counts.into_iter().chain([attribution.full.of]).map(Cell::Count).collect();
        cells.extend(share_cells(attribution.full, Undefined::NothingJudged));
        cells.extend(share_cells(attribution.at_least_partial, Undefined::NothingJudged));
        cells
    };
    fill(&mut table, by, rows, all, |row| &row.group, cells);
    table.notes.push("uncited: bullets without a citation. Shares are of the citations judged.".to_owned());
    table.notes.push(INTERVALS.to_owned());
    table
}
