//! The finished dataset: judgments, candidates, ratings, retained key points and gold for others to work with, as
//! JSONL, CSV or Parquet, and a datasheet beside it.
//!
//! Unlike `--what all`, which is the study itself, a dataset names no person and holds nobody's words unless asked.

mod card;
mod folder;
mod front;
pub mod gold;
mod lines;
mod ratings;
mod records;
mod retained;

use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use serde_json::Value;

use self::folder::Configuration;
use super::asked::{Export, ExportFormat, What, name_of};
use super::privacy::Privacy;
use super::wrote;
use crate::error::{Error, Result};
use crate::files::{IfThere, write_atomically, write_together};
use crate::formats::maps::ANSWERS;
use crate::formats::sheet::{CellKind, Sheet, SheetColumn, SheetFormat};
use crate::store::StudyFile;
use crate::study::TargetKeys;

/// Whose judgments go into a dataset, under which names, and what is told beside it.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Judgments, gold, retained, ratings, candidates, views")]
pub struct DatasetOptions {
    /// Write people's names; when left out, they are A1, A2, … in the order in which they came, and judges keep their names
    #[arg(long)]
    pub names: bool,
    /// Write what people wrote: comments, notes, and answers that are texts or points
    #[arg(long)]
    pub with_text: bool,
    /// Only these annotators (several with commas); when left out, everyone (for gold, retained and labels all people, for a view those that it keeps)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub annotators: Vec<String>,
    /// Of ratings, only this question
    #[arg(long, value_name = "KEY")]
    pub question: Option<String>,
    /// Of judgments, only what now counts, as when left out
    #[arg(long, conflicts_with = "history")]
    pub latest: bool,
    /// Of judgments, everything that anybody ever answered, a row each, with whether it still counts
    #[arg(long)]
    pub history: bool,
    /// Leave CSV cells as they are that a spreadsheet would run as formulas; without it they are marked as text by a '
    #[arg(long)]
    pub raw: bool,
    /// Write a datasheet beside it: what it is, who judged and how, agreement, counts, versions and seeds
    #[arg(long, value_name = "FILE.md")]
    pub card: Option<PathBuf>,
}

/// Writes a dataset, and its datasheet where one is asked for.
pub fn write(study: &StudyFile, arguments: &Export, target: &Path) -> Result<Vec<String>> {
    let privacy = Privacy::of(study, &arguments.dataset)?;
    if arguments.what == What::Dataset {
        return folder::run(study, arguments, &privacy);
    }
    let Some(card) = &arguments.dataset.card else {
        return Ok(told(write_table(study, arguments, &privacy, target)?, target));
    };
    let if_there = match arguments.force {
        true => IfThere::Replace,
        false => IfThere::Refuse("name another, or add --force"),
    };
    let written = write_together(if_there, |files| {
        let written = write_table(study, arguments, &privacy, &files.file(target)?)?;
        let file = match &arguments.output {
            Some(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            None => "standard output".to_owned(),
        };
        let table = Configuration { name: name_of(arguments.what), about: "", file, written };
        let tables = [table];
        card::write(study, arguments, &privacy, ("", &tables), &files.file(card)?)?;
        let [table] = tables;
        Ok(table.written)
    })?;
    Ok(told(written, target))
}

/// How much was written, with the notes on it.
fn told(written: ExportWritten, target: &Path) -> Vec<String> {
    let mut told = wrote(&format!("{} {}", written.rows, written.what), target);
    told.extend(written.notes);
    told
}

/// Writes the table that is asked for.
fn write_table(
    study: &StudyFile,
    arguments: &Export,
    privacy: &Privacy,
    target: &Path,
) -> Result<ExportWritten> {
    match arguments.what {
        What::Gold => gold::run(study, arguments, privacy, target),
        What::Retained => retained::run(study, arguments, target),
        What::Ratings | What::Labels => ratings::run(study, arguments, privacy, target),
        What::Candidates => records::candidates(study, arguments, privacy, target),
        _ if arguments.dataset.history => records::history(study, arguments, privacy, target),
        _ => records::judgments(study, arguments, privacy, target),
    }
}

/// The rows that an export wrote, and what to know of them.
pub struct ExportWritten {
    pub rows: usize,
    /// The columns of a table; empty for records.
    pub columns: Vec<SheetColumn>,
    /// The word for the rows, in the plural.
    pub what: &'static str,
    /// Notes on where the rows come from and what is left out.
    pub notes: Vec<String>,
}

/// The form of tables.
pub fn sheet_format(arguments: &Export) -> SheetFormat {
    match arguments.format {
        ExportFormat::Jsonl => SheetFormat::Jsonl,
        // Markdown is refused before: it is for views.
        ExportFormat::Csv | ExportFormat::Markdown => SheetFormat::Csv { raw: arguments.dataset.raw },
        ExportFormat::Parquet => SheetFormat::Parquet,
    }
}

/// Writes a table, whose rows `fill` gives; tells how many they are. `kind` is the `type` of every object in JSONL.
fn write_sheet(
    study: &StudyFile,
    arguments: &Export,
    (target, kind): (&Path, Option<&'static str>),
    columns: &[SheetColumn],
    fill: impl FnOnce(&mut Sheet<'_>) -> Result<()>,
) -> Result<usize> {
    let mut rows = 0;
    write_atomically(target, Some(study.path()), |out| {
        let mut sheet = Sheet::begin(sheet_format(arguments), kind, columns.to_vec(), out)?;
        fill(&mut sheet)?;
        rows = sheet.finish()?;
        Ok(())
    })?;
    Ok(rows)
}

/// Columns of haymark's own; a name has the same kind of cells in all tables.
fn own_columns<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<SheetColumn> {
    let kind = |name: &str| match name {
        "annotators" | "bullet_number" | "hint" | "number" | "version" => CellKind::Integer,
        "entropy" | "probability" | "score" | "seconds" => CellKind::Number,
        "complete" | "flagged" | "skipped" | "total" => CellKind::Flag,
        _ => CellKind::Text,
    };
    names.into_iter().map(|name| SheetColumn::new(name, kind(name))).collect()
}

/// The cells of a record: its fields with the names of the columns.
fn record_cells(record: impl Serialize, columns: &[SheetColumn]) -> Result<Vec<Value>> {
    let record = serde_json::to_value(record).map_err(|error| Error::new(error.to_string()))?;
    Ok(columns.iter().map(|column| record.get(&column.name).cloned().unwrap_or_default()).collect())
}

/// The columns that name an item; the second candidate has one where there are pairs.
pub fn key_columns(has_pairs: bool) -> Vec<SheetColumn> {
    let names = ["collection", "query", "document", "unit", "candidate", "bullet_number"];
    own_columns(names.into_iter().chain(has_pairs.then_some("other_candidate")))
}

/// The columns of a table with a column for each question. A question with the name of another column has a longer one:
/// `answers.comment`.
pub fn with_answers<'q>(
    before: Vec<SheetColumn>,
    questions: impl IntoIterator<Item = &'q str>,
    after: Vec<SheetColumn>,
) -> Vec<SheetColumn> {
    let is_taken = |key: &str| before.iter().chain(&after).any(|column| column.name == key);
    let name = |key: &str| if is_taken(key) { format!("{ANSWERS}.{key}") } else { key.to_owned() };
    let named: Vec<String> = questions.into_iter().map(name).collect();
    let answers = SheetColumn::texts(named.iter().map(String::as_str));
    before.into_iter().chain(answers).chain(after).collect()
}

/// The cell of an answer: an empty list for deliberately nothing, such as no tag; empty where there is no answer.
pub fn answer_cell(answer: Option<Value>) -> Value {
    answer.map_or(Value::Null, |given| if given.is_null() { Value::Array(Vec::new()) } else { given })
}

/// The cells of [`key_columns`].
pub fn key_cells(keys: &TargetKeys, has_pairs: bool) -> Vec<Value> {
    let mut cells = vec![
        keys.collection.as_str().into(),
        keys.query.as_str().into(),
        keys.document.clone().into(),
        keys.unit.clone().into(),
        keys.candidate.clone().into(),
        keys.bullet.into(),
    ];
    cells.extend(has_pairs.then(|| Value::from(keys.other.clone())));
    cells
}
