//! `haymark merge`: what other study files hold and the study does not comes in.

use super::args::Merge;
use super::output::print_tables;
use super::table::{Cell, Column, OutputFormat, Table};
use crate::error::{Error, Result};
use crate::store::{MergeMode, MergeReport, StudyFile};

/// Differences that a table for people names; JSON and CSV name all.
const NAMED: usize = 20;

pub fn run(arguments: &Merge) -> Result<()> {
    let mut study = StudyFile::open(&arguments.study)?;
    let mode = if arguments.dry_run { MergeMode::Rehearse } else { MergeMode::Write };
    let reports = study.merge(&arguments.others, mode)?;
    let tables: Vec<Table> =
        reports.iter().flat_map(|report| tables(&study, report, mode, arguments.form.format)).collect();
    print_tables(&tables, arguments.form)?;
    refuse_clashes(&study, &reports)
}

/// The error of a rehearsal in which the files did not fit.
pub(super) fn refuse_clashes(study: &StudyFile, reports: &[MergeReport]) -> Result<()> {
    match reports.iter().map(|report| report.clashes.len()).sum() {
        0 => Ok(()),
        clashes => Err(Error::new(format!("the studies do not fit in {}", places(clashes)))
            .in_file(study.path())
            .advise("make them the same in both, or keep the studies apart")),
    }
}

fn places(number: usize) -> String {
    if number == 1 { "one place".to_owned() } else { format!("{number} places") }
}

/// What a merge brings, by kind and by annotator, and where the files differ.
pub(super) fn tables(
    study: &StudyFile,
    report: &MergeReport,
    mode: MergeMode,
    format: OutputFormat,
) -> Vec<Table> {
    let mut tables = vec![counts(study, report, mode)];
    if !report.annotators.is_empty() {
        tables.push(annotators(report));
    }
    if !report.clashes.is_empty() {
        tables.push(clashes(report, format));
    }
    tables
}

/// What the other file holds, by kind.
fn counts(study: &StudyFile, report: &MergeReport, mode: MergeMode) -> Table {
    let clashing = Column::count("clashing", "clashing");
    let columns = vec![
        Column::text("kind", "what"),
        Column::count("new", "new"),
        Column::count("known", "known"),
        if report.clashes.is_empty() { clashing.detail() } else { clashing },
    ];
    let (ours, theirs) = (study.path().display().to_string(), report.other.display().to_string());
    let mut table = Table::new(format!("{theirs} into {ours}"), columns)
        .fact("study", ours)
        .fact("other", theirs)
        .fact("written", mode == MergeMode::Write);
    for (kind, count) in &report.counts {
        let row = [count.new, count.known, count.clashing].map(Cell::Count);
        table.rows.push([Cell::from(kind.as_str())].into_iter().chain(row).collect());
    }
    table.notes.extend(report.remarks.iter().cloned());
    table.notes.push(
        match (mode, report.clashes.is_empty(), report.new_records() > 0) {
            (MergeMode::Write, _, true) => "Merged; the other file stays as it is.",
            (_, true, false) => "Nothing new: the study holds all of it already.",
            (_, true, true) => "Nothing was written. Without --dry-run this comes in.",
            (_, false, _) => "Nothing was written. As long as the files differ, nothing comes in.",
        }
        .to_owned(),
    );
    table
}

/// Whose events the other file holds, and what they change.
fn annotators(report: &MergeReport) -> Table {
    let columns = vec![
        Column::text("annotator", "annotator"),
        Column::count("new_events", "new events"),
        Column::count("known_events", "known events"),
        Column::count("newly_judged", "items newly judged"),
        Column::count("changed", "items with other answers"),
    ];
    let title = format!("What {} brings of whom", report.other.display());
    let mut table = Table::new(title, columns).fact("other", report.other.display().to_string());
    for annotator in &report.annotators {
        let counts = [annotator.new_events, annotator.known_events, annotator.judged, annotator.changed];
        let name = Cell::from(annotator.name.as_str());
        table.rows.push([name].into_iter().chain(counts.map(Cell::Count)).collect());
    }
    if report.annotators.iter().any(|annotator| annotator.changed > 0) {
        table.notes.push(
            "Who judged an item in both files has the later answers; the earlier ones stay in the journal."
                .to_owned(),
        );
    }
    table
}

/// Where the two files hold different things under one name.
fn clashes(report: &MergeReport, format: OutputFormat) -> Table {
    let is_complete = matches!(format, OutputFormat::Json | OutputFormat::Csv);
    let shown = if is_complete { report.clashes.len() } else { NAMED };
    let title = format!("Where {} differs", report.other.display());
    let mut table = Table::new(title, vec![Column::text("difference", "difference")])
        .fact("other", report.other.display().to_string());
    table.rows.extend(report.clashes.iter().take(shown).map(|what| vec![Cell::from(what.as_str())]));
    if let Some(more @ 1..) = report.clashes.len().checked_sub(shown) {
        table.notes.push(format!("And {more} more: --format csv names them all."));
    }
    table
}
