//! Saving the readable rows of a damaged study file into a new one.
//!
//! SQLite gives up a table at the first page that it cannot follow. So the file is read page by page without
//! it ([`pages`]), rows are assigned to tables by the tree or by their shape ([`shapes`]), records that are lost but named
//! by an index get an empty row ([`salvage`]), and the whole is merged into an empty study, which
//! takes in only sound rows and makes the caches anew.

mod known;
mod pages;
mod salvage;
mod shapes;

use std::fs;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::error::{Error, Result};
use crate::files::Scratch;
use crate::number::{NAMED, first_of, number_of};
use crate::store::exchange::merge::{MergeMode, MergeReport, merge_one};
use crate::store::file::read_only::copy_with;
use crate::store::file::{BULK, StudyFile, named, open, stray, temporary_folder};
use pages::Pages;
use salvage::Losses;

/// The result of a recovery.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecoverReport {
    /// Records by kind, such as `event`.
    pub saved: Vec<(String, usize)>,
    /// A sentence for each loss; none when everything came over.
    pub losses: Vec<String>,
    /// The same, where of losses of one kind the first few are named.
    pub brief: Vec<String>,
}

/// Saves every record and event of the file that can be read into a new study. The file stays as it is.
///
/// # Errors
/// The file cannot be read or holds nothing of a study, or the new file exists. No new study is made then.
pub fn recover(path: &Path, new: &Path) -> Result<RecoverReport> {
    let folder = temporary_folder()?;
    let pages = Pages::new(bytes(path, &folder)?);
    let mut salvaged = StudyFile::create(&folder.path().join("salvaged.db"))?;
    salvaged.configure(BULK)?;
    let losses = named(path, salvage::fill(&salvaged.connection, &pages))?;
    salvaged.path = path.to_path_buf();
    let report = StudyFile::create_with(new, |study| {
        study.in_bulk(true, |transaction| {
            // Rows that do not fit are left out and named, where a usual merge would refuse.
            let report = merge_one(transaction, new, &salvaged, None, MergeMode::Salvage)?;
            if report.new_records() == 0 {
                let error = Error::new("nothing of a study can be read in it").in_file(path);
                return Err(error.advise("go back to a copy").into());
            }
            Ok(report)
        })
    })?;
    Ok(RecoverReport {
        losses: sentences(&losses, &report, usize::MAX),
        brief: sentences(&losses, &report, NAMED),
        saved: report.counts.into_iter().map(|(kind, count)| (kind, count.new)).collect(),
    })
}

/// The bytes of a copy of the file, in which a killed program's unfinished transaction is rolled back.
fn bytes(path: &Path, folder: &Scratch) -> Result<Vec<u8>> {
    // A journal of another state would damage the copy.
    let is_stray = open::admitted_header(path).is_ok() && stray::journal_of_another(path)?.is_some();
    let endings: &[&str] = if is_stray { &[] } else { &["-journal"] };
    let copy = copy_with(path, endings, folder)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if let Ok(connection) = Connection::open_with_flags(&copy, flags) {
        // The first read rolls back an unfinished transaction; where SQLite cannot, the bytes stay as they are.
        let _ = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
    }
    fs::read(&copy).map_err(|error| Error::new(format!("the file cannot be read: {error}")).in_file(path))
}

fn sentences(losses: &Losses, report: &MergeReport, most: usize) -> Vec<String> {
    let mut said = Vec::new();
    for (table, number) in &losses.damaged {
        said.push(format!("damaged: {} of {}", number_of(*number, "page"), table.replace('_', " ")));
    }
    for (table, keys) in &losses.placed {
        let names: Vec<String> = keys.iter().map(|key| format!("{key:?}")).collect();
        said.push(format!(
            "lost but for the name, and kept as an empty record with \"haymark_lost\" in its meta: {table} {}",
            first_of(&names, most)
        ));
    }
    said.extend(losses.altered.iter().map(|altered| altered.told(most)));
    said.extend(few(most, &losses.restored, "put back as it was written"));
    let doubtful: Vec<String> = losses.doubtful.iter().map(|block| block.told(most)).collect();
    said.extend(few(most, &doubtful, "one or more may be wrong or missing"));
    if losses.events > 0 {
        let events = number_of(losses.events, "event");
        said.push(format!("lost: {events} that an index names and no page holds"));
    }
    said.extend(few(most, &losses.judgments, "not given by the journal, and known from before"));
    if losses.unreadable > 0 {
        let events = number_of(losses.unreadable, "event");
        said.push(format!("left out: {events} with contents that cannot be read"));
    }
    for (table, number) in &losses.dropped {
        said.push(format!(
            "left out: {}s whose references are lost, {number} in number",
            table.replace('_', " ")
        ));
    }
    if losses.mended > 0 {
        said.push(format!(
            "mended, with bytes that were no text and are � now, or without their meta: {} in number",
            losses.mended
        ));
    }
    said.extend(few(most, &report.clashes, "left out"));
    said
}

/// Names a few losses one by one, and gives the number of the others.
fn few(most: usize, losses: &[String], word: &str) -> Vec<String> {
    let mut said: Vec<String> = losses.iter().take(most).map(|loss| format!("{word}: {loss}")).collect();
    if let Some(more @ 1..) = losses.len().checked_sub(most) {
        said.push(format!("{word}: {more} more of the kind"));
    }
    said
}
