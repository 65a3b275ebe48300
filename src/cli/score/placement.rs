//! Errors of the gold map.

use super::super::table::{Cell, Column, Table};
use super::Scope;
use super::grouped::{INTERVALS, fill, grouped_table, share_cells, share_columns};
use super::judged::Judgment;
use super::recall::own_point_table;
use crate::score::{By, MapRow, PairJudged, PlacementQuestion, Undefined, map_table};

/// The tables of a protocol about where units stand: for those that were taken from no response the errors
/// of the gold map, for the points of responses their precision.
pub fn tables(scope: &Scope<'_>, question: &PlacementQuestion<'_>) -> Vec<Table> {
    let by = scope.by_or(&[By::Collection]);
    let pair = |judgment: Judgment<'_>| {
        let unit = scope.corpus.unit(judgment.target.unit?)?;
        let document = judgment.target.document.and_then(|id| scope.corpus.documents.get(&id));
        let is_mapped =
            unit.documents.as_ref().zip(document).map(|(gold, document)| gold.contains(&document.key));
        unit.candidate.is_none().then_some(())?;
        Some(PairJudged {
            origin: scope.corpus.origin(judgment.target, judgment.name)?,
            is_mapped,
            is_present: question.read(judgment.answers)?,
        })
    };
    let pairs: Vec<PairJudged> = scope.judged.each().filter_map(pair).collect();
    let rows = map_table(&pairs, by);
    let all = map_table(&pairs, &[]);
    let of_map = (!rows.is_empty()).then(|| map_error_table(&rows, all.first(), by));
    of_map.into_iter().chain(own_point_table(scope, question)).collect()
}

/// False mappings and missed ones by group, as in Laban et al. 2024, §3.2.
pub fn map_error_table(rows: &[MapRow], all: Option<&MapRow>, by: &[By]) -> Table {
    let mut columns = vec![Column::count("mapped", "mapped")];
    columns.extend(share_columns("false_mapping", "absent"));
    columns.push(Column::count("unmapped", "others"));
    columns.extend(share_columns("missed", "present"));
    columns.push(Column::count("unknown", "unknown").detail());
    let mut table = grouped_table("Errors of the gold map", by, columns);
    let cells = |row: &MapRow| {
        let errors = &row.errors;
        let mut cells = vec![Cell::Count(errors.false_mappings.of)];
        cells.extend(share_cells(errors.false_mappings, Undefined::NothingJudged));
        cells.push(Cell::Count(errors.missed.of));
        cells.extend(share_cells(errors.missed, Undefined::NothingJudged));
        cells.push(Cell::Count(errors.unknown));
        cells
    };
    fill(&mut table, by, rows, all, |row| &row.group, cells);
    table.notes.push(
        "absent: mapped pairs of an insight and a document that are judged absent; present: a sample of the other \
         pairs, judged present. Counts are judgments."
            .to_owned(),
    );
    table.notes.push(INTERVALS.to_owned());
    let unknown: usize = rows.iter().map(|row| row.errors.unknown).sum();
    if unknown > 0 {
        table.notes.push(format!("Judgments of units whose documents are not known, left out: {unknown}."));
    }
    table
}
