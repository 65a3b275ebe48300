//! `haymark merge`: the rows that a study lacks come in from other study files.

use std::path::PathBuf;

use clap::Args;

use super::{Shown, print_tables};
use crate::cli::open::open;
use crate::error::{Error, Result};
use crate::export::table::{OutputFormat, TableForm};
use crate::report::{Column, Table};
use crate::store::{MergeCount, MergeMode, MergeReport, MergedAnnotator, StudyFile};

#[derive(Debug, Args)]
pub struct Merge {
    /// The study file that takes the others in
    pub study: PathBuf,
    /// The study files to take in; they stay as they are
    #[arg(required = true, value_name = "OTHER")]
    pub others: Vec<PathBuf>,
    /// Say what would come in and where the files differ, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub form: TableForm,
}

/// The most sentences that a table for people names; JSON and CSV name all.
const NAMED: usize = 20;

pub fn run(arguments: &Merge) -> Result<()> {
    let mut study = open(&arguments.study)?;
    let shown = Shown::begin("merging", "nothing was merged");
    let mode = if arguments.dry_run { MergeMode::Rehearse } else { MergeMode::Write };
    let reports = study.merge(&arguments.others, mode)?;
    if !arguments.dry_run {
        shown.done("all of it was merged".to_owned());
    }
    drop(shown);
    let tables: Vec<Table> =
        reports.iter().flat_map(|report| tables(&study, report, mode, arguments.form.format)).collect();
    print_tables(&tables, &arguments.form)?;
    refuse_clashes(&study, &reports)
}

/// The error of a merge whose files clash.
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

/// The tables of what a merge brings, by kind and by annotator, and of where the files differ.
pub(super) fn tables(
    study: &StudyFile,
    report: &MergeReport,
    mode: MergeMode,
    format: OutputFormat,
) -> Vec<Table> {
    let is_complete = matches!(format, OutputFormat::Json | OutputFormat::Csv);
    let mut tables = vec![counts(study, report, mode, is_complete)];
    if report.annotators.iter().any(|annotator| is_complete || annotator.new_events > 0) {
        tables.push(annotators(report, is_complete));
    }
    if !report.clashes.is_empty() {
        let title = format!("Where {} differs", report.other.display());
        tables.push(listed(report, ("differences", "difference", title), &report.clashes, is_complete));
    }
    if !report.left_out.is_empty() {
        let title = format!("What of {} is left out", report.other.display());
        let mut table = listed(report, ("left_out", "why", title), &report.left_out, is_complete);
        let then = "Once the study has these, as after `haymark sync`, another merge brings the rest.";
        table.notes.push(then.to_owned());
        tables.push(table);
    }
    tables
}

/// The contents of the other file, by kind: all kinds, or those with new or clashing records.
fn counts(study: &StudyFile, report: &MergeReport, mode: MergeMode, is_complete: bool) -> Table {
    let is_told = |(_, count): &&(String, MergeCount)| is_complete || count.new + count.clashing > 0;
    let (ours, theirs) = (study.path().display().to_string(), report.other.display().to_string());
    let columns = [
        Column::new("kind", "what", |(kind, _): &(String, MergeCount)| kind.clone()),
        Column::new("new", "new", |(_, count): &(String, MergeCount)| count.new),
        Column::new("known", "known", |(_, count): &(String, MergeCount)| count.known),
        Column::new("clashing", "clashing", |(_, count): &(String, MergeCount)| count.clashing)
            .shown_if(!report.clashes.is_empty()),
    ];
    let mut table = Table::of(format!("{theirs} into {ours}"), columns, report.counts.iter().filter(is_told))
        .keyed("merged")
        .fact("study", ours)
        .fact("other", theirs)
        .fact("written", mode == MergeMode::Write);
    table.notes.extend(report.remarks.iter().cloned());
    table.notes.push(
        match (mode, report.clashes.is_empty(), report.new_records() > 0) {
            (MergeMode::Write, _, true) => "Merged; the other file stays as it is.",
            (_, true, false) if !report.left_out.is_empty() => "Nothing new comes in.",
            (_, true, false) => "Nothing new: the study holds all of it already.",
            (_, true, true) => "Nothing was written. Without --dry-run this comes in.",
            (_, false, _) => "Nothing was written. As long as the files differ, nothing comes in.",
        }
        .to_owned(),
    );
    table
}

/// The events of the other file by annotator, and what they change: of all annotators, or those with new events.
fn annotators(report: &MergeReport, is_complete: bool) -> Table {
    let is_told = |row: &&MergedAnnotator| is_complete || row.new_events > 0;
    let columns: [Column<'_, MergedAnnotator>; 5] = [
        Column::new("annotator", "annotator", |row: &MergedAnnotator| row.name.clone()),
        Column::new("new_events", "new events", |row: &MergedAnnotator| row.new_events),
        Column::new("known_events", "known events", |row: &MergedAnnotator| row.known_events),
        Column::new("newly_judged", "items newly judged", |row: &MergedAnnotator| row.judged),
        Column::new("changed", "items with other answers", |row: &MergedAnnotator| row.changed),
    ];
    let title = format!("What {} brings of whom", report.other.display());
    let mut table = Table::of(title, columns, report.annotators.iter().filter(is_told))
        .keyed("annotators")
        .fact("other", report.other.display().to_string());
    if report.annotators.iter().any(|annotator| annotator.changed > 0) {
        table.notes.push(
            "Who judged an item in both files has the later answers; the earlier ones stay in the journal."
                .to_owned(),
        );
    }
    table
}

/// A table of sentences, all of them or the first few.
fn listed(
    report: &MergeReport,
    (key, column, title): (&'static str, &'static str, String),
    lines: &[String],
    is_complete: bool,
) -> Table {
    let shown = if is_complete { lines.len() } else { NAMED };
    let columns = [Column::new(column, column, |what: &String| what.clone())];
    let mut table = Table::of(title, columns, lines.iter().take(shown))
        .keyed(key)
        .fact("other", report.other.display().to_string());
    if let Some(more @ 1..) = lines.len().checked_sub(shown) {
        table.notes.push(format!("And {more} more: --format csv names them all."));
    }
    table
}
