//! Checking a study file: whether SQLite can trust it, whether what is derived follows from the journal,
//! and whether everything that refers to something finds it.
//!
//! Nothing is written, not even what SQLite would write by itself: see [`read_only`](crate::store::file::read_only). What is looked at is a
//! copy of one state of the file, page by page as they lie there: others write meanwhile, and no key of theirs waits for a
//! look that takes seconds.

mod assignments;
mod corpus;
mod derived;
mod export;
mod file;
mod journal;
mod sessions;
mod strange;
mod structure;
mod sums;

use std::path::Path;

use rusqlite::Connection;

use crate::error::{Error, Result};
use crate::progress;
use crate::store::file::fault::{Tried, forget_pages, named, persistent};
use crate::store::file::sql::one;
use crate::store::file::study_file::StudyFile;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It is as it should be.
    Right,
    /// Nothing is wrong, and a person may want to know.
    Remark,
    /// Something may go wrong.
    Warning,
    /// Something is wrong.
    Wrong,
}

/// One thing that a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub severity: Severity,
    /// What was looked at, such as `journal`.
    pub area: &'static str,
    pub what: String,
    /// What to do.
    pub advice: Option<String>,
}

/// What a check found, in the order in which it looked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckReport {
    pub findings: Vec<Finding>,
}

impl CheckReport {
    /// The findings of the highest severity.
    pub fn worst(&self) -> Severity {
        self.findings.iter().map(|finding| finding.severity).max().unwrap_or(Severity::Right)
    }

    pub fn add(&mut self, severity: Severity, area: &'static str, what: impl Into<String>) -> &mut Finding {
        self.findings.push(Finding { severity, area, what: what.into(), advice: None });
        // One was just pushed.
        let last = self.findings.len() - 1;
        &mut self.findings[last]
    }

    fn right(&mut self, area: &'static str, what: impl Into<String>) {
        self.add(Severity::Right, area, what);
    }

    fn wrong(&mut self, area: &'static str, what: impl Into<String>) -> &mut Finding {
        self.add(Severity::Wrong, area, what)
    }

    fn is_wrong(&self) -> bool {
        self.worst() == Severity::Wrong
    }
}

impl Finding {
    pub fn advise(&mut self, advice: impl Into<String>) {
        self.advice = Some(advice.into());
    }
}

/// What to do about a file whose pages cannot be trusted.
const RECOVER: &str = "go back to a copy, with no -journal beside it, or save what is readable with --recover NEW; do \
                       not go on working in this file";

/// Looks at everything in a study file, and changes nothing.
///
/// # Errors
/// The file is missing, a folder, cannot be read, or is no study of a format that this program knows; another
/// process writes to it, or the system refuses a lock, room or memory. Whatever is wrong with a study is a finding.
pub fn check(path: &Path) -> Result<CheckReport> {
    let report = look_at(path)?;
    // What is wrong must be so on a second look at the disk.
    if report.is_wrong() { look_at(path) } else { Ok(report) }
}

fn look_at(path: &Path) -> Result<CheckReport> {
    let mut report = CheckReport::default();
    let Some(study) = &file::look_at(path, &mut report)? else {
        return Ok(report);
    };
    structure::look_at(study, &mut report)?;
    if report.is_wrong() {
        // What is derived from damaged pages says nothing more; sums may still say where the damage is.
        let before = report.findings.len();
        for step in [sums::look_at, sums::look_at_journal] {
            look(study, &mut report, step)?;
        }
        let found = report.findings.split_off(before);
        report.findings.extend(found.into_iter().filter(|finding| finding.severity == Severity::Wrong));
        return Ok(report);
    }
    // Behind each step, how much of the whole it takes in a large study.
    let steps: [(&'static str, StudyCheck, u64); 8] = [
        ("records", sums::look_at, 1),
        ("journal", sums::look_at_journal, 4),
        ("corpus", corpus::look_at, 2),
        ("journal", journal::look_at, 14),
        ("derived", derived::look_at, 50),
        ("sessions", sessions::look_at, 1),
        ("assignments", assignments::look_at, 1),
        ("export", export::look_at, 8),
    ];
    progress::expect(structure::SHARE + steps.iter().map(|(.., share)| share).sum::<u64>());
    progress::advance(structure::SHARE);
    for (area, step, share) in steps {
        if let Some(what) = look(study, &mut report, step)? {
            report.wrong(area, format!("it cannot be looked at: {what}")).advise(RECOVER);
        }
        progress::advance(share);
    }
    Ok(report)
}

/// Takes a step; gives why it could not be taken.
fn look(
    study: &StudyFile,
    report: &mut CheckReport,
    step: impl Fn(&StudyFile, &mut CheckReport) -> Tried<()>,
) -> Result<Option<String>> {
    let before = report.findings.len();
    let again = || {
        report.findings.truncate(before);
        step(study, report)
    };
    let looked = persistent(again, || forget_pages(&study.connection));
    named(&study.path, looked).err().map(finding).transpose()
}

/// What an error says of the study; the error itself where it says nothing of it.
fn finding(error: Error) -> Result<String> {
    if error.is_passing() { Err(error) } else { Ok(error.what().to_owned()) }
}

type StudyCheck = fn(&StudyFile, &mut CheckReport) -> Tried<()>;

/// The number that a query counts.
fn count_of(connection: &Connection, query: &str) -> Tried<usize> {
    one(connection, query, [], |row| row.get(0).map(crate::store::file::sql::count))
}
