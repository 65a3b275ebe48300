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
use serde_json::Value;

use self::folder::Configuration;
use super::asked::{Export, ExportFormat, What, name_of};
use super::privacy::Privacy;
use super::wrote;
use crate::error::Result;
use crate::files::{IfThere, write_together};
use crate::formats::maps::ANSWERS;
use crate::formats::sheet::{CellKind, SheetColumn, SheetFormat};
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

/// The columns that name an item; the second candidate has one where there are pairs.
pub fn key_columns(has_pairs: bool) -> Vec<SheetColumn> {
    let mut columns = SheetColumn::texts(["collection", "query", "document", "unit", "candidate"]);
    columns.push(SheetColumn::new("bullet_number", CellKind::Integer));
    columns.extend(SheetColumn::texts(has_pairs.then_some("other_candidate")));
    columns
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
