//! The dataset as a folder that others load as it is, with `datasets.load_dataset(FOLDER)`: a table a configuration, and the
//! datasheet as its README.md, whose front matter names the tables and the types of their columns.

use std::path::{Path, PathBuf};

use super::{ExportWritten, card, front, own_columns, record_cells, records, write_sheet, write_table};
use crate::error::{Error, ErrorKind, Result, cannot_write};
use crate::export::asked::{Export, ExportFormat, What, name_of};
use crate::export::privacy::Privacy;
use crate::files::{HIDDEN, IfThere, STANDARD_OUTPUT, write_together};
use crate::report::Filtered;
use crate::store::StudyFile;
use crate::study::Record;

/// The tables of the folder, each with its description.
const TABLES: &[(What, &str)] = &[
    (What::Judgments, "what each annotator said of each item, a row each"),
    (What::Gold, "the answer that counts for each item, and where it comes from"),
    (What::Labels, "the label of each item that the model of Dawid and Skene takes for true, and how surely"),
    (What::Ratings, "the labels of each item, a column an annotator, a question at a time"),
    (What::Retained, "the key points that people kept"),
    (What::Candidates, "the summaries and responses that were judged"),
    (
        What::Corpus,
        "collections, documents, queries, the units that a good answer should contain, what each retriever found, and who judged",
    ),
];

/// A table as it was written.
pub struct Configuration {
    pub name: String,
    pub about: &'static str,
    pub file: String,
    pub written: ExportWritten,
}

/// Writes the folder.
///
/// # Errors
/// No folder is named, or there is something in it already.
pub fn run(study: &StudyFile, arguments: &Export, privacy: &Privacy) -> Result<Vec<String>> {
    let Some(folder) = arguments.output.as_deref().filter(|folder| *folder != Path::new(STANDARD_OUTPUT))
    else {
        return Err(Error::usage("--what dataset writes a folder").advise("name one with -o"));
    };
    let filter = arguments.rows.filter.as_deref();
    if let (Err(error), Err(_)) = (Filtered::items(study, filter), Filtered::candidates(study, filter)) {
        return Err(error);
    }
    let advice = "name another, or add --force";
    let if_there = if arguments.force { IfThere::Replace } else { IfThere::Refuse(advice) };
    let written = write_together(if_there, |files| {
        let made = files.folder(folder)?;
        if !arguments.force && is_used(folder) {
            let error = Error::new("there is something in the folder already");
            return Err(error.in_file(folder).advise(advice));
        }
        let mut written = Vec::new();
        for (what, about) in TABLES {
            written.extend(table(study, arguments, privacy, (*what, about, &made))?);
        }
        let part = Export { output: Some(made.join(README)), ..arguments.clone() };
        let head = front::matter(study, &written)?;
        card::write(study, &part, privacy, (&head, &written), &made.join(README))?;
        Ok(written)
    })?;
    let rows: usize = written.iter().map(|table| table.written.rows).sum();
    Ok(vec![
        format!("wrote {rows} rows in {} tables to {}", written.len(), folder.display()),
        "note: README.md names what only you can say, such as the licence: look for \"to be filled in\""
            .to_owned(),
    ])
}

const README: &str = "README.md";

/// Whether the folder holds anything but tables, which an interrupted run may have left.
fn is_used(folder: &Path) -> bool {
    let is_of_run = |name: &str| {
        let table = name.strip_suffix(".csv").or_else(|| name.strip_suffix(".parquet"));
        name.starts_with(HIDDEN) || TABLES.iter().any(|(what, _)| table == Some(&name_of(*what)))
    };
    let mut entries = folder.read_dir().into_iter().flatten().flatten();
    entries.any(|entry| !entry.file_name().to_str().is_some_and(is_of_run))
}

/// Writes one table; `None` where the study has no row for it.
fn table(
    study: &StudyFile,
    arguments: &Export,
    privacy: &Privacy,
    (what, about, folder): (What, &'static str, &Path),
) -> Result<Option<Configuration>> {
    let format = match arguments.format {
        ExportFormat::Parquet => ExportFormat::Parquet,
        _ => ExportFormat::Csv,
    };
    let name = name_of(what);
    let file = format!("{name}.{}", if format == ExportFormat::Parquet { "parquet" } else { "csv" });
    let target: PathBuf = folder.join(&file);
    let mut part = Export { what, format, output: Some(target.clone()), ..arguments.clone() };
    // Programs read the table: a mark against formulas would change what was said.
    part.dataset.raw = true;
    let written = match what {
        What::Corpus => corpus(study, &part, privacy, &target),
        _ => write_table(study, &part, privacy, &target),
    };
    match written {
        Ok(written) if written.rows > 0 => Ok(Some(Configuration { name, about, file, written })),
        Ok(_) => {
            std::fs::remove_file(&target).map(|()| None).map_err(|error| cannot_write(error).in_file(&target))
        }
        Err(error) if error.kind() == ErrorKind::Nothing => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes the records of the corpus as one table; a field that a record lacks is empty.
fn corpus(study: &StudyFile, arguments: &Export, privacy: &Privacy, target: &Path) -> Result<ExportWritten> {
    let first = ["type", "collection", "query", "id", "number", "kind", "candidate", "retriever", "title"];
    let last = ["domain", "category", "score", "documents", "evidence", "meta", "text"];
    let columns = own_columns(first.into_iter().chain(last));
    let part = arguments.chosen(study)?;
    let is_told = part.texts();
    let rows = write_sheet(study, arguments, (target, None), &columns, |sheet| {
        let mut put = |record: Record| match is_told(&record) {
            true => sheet.row(record_cells(record, &columns)?),
            false => Ok(()),
        };
        study.for_each_source(&mut put)?;
        study.rankings()?.into_iter().try_for_each(|list| put(Record::Ranking(list)))?;
        records::annotators(study, arguments, privacy)?.into_iter().try_for_each(put)
    })?;
    Ok(ExportWritten { rows, columns, what: "records", notes: Vec::new() })
}
