//! Checking a study file: whether its pages are sound, whether the caches follow from the journal,
//! and whether every reference finds its row.
//!
//! Nothing is written, not even by SQLite itself: see [`read_only`](crate::store::file::read_only). The check runs on a copy
//! of one state of the file, page by page, so that others can write meanwhile and no keypress waits for it.

mod assignments;
mod corpus;
mod derived;
mod export;
mod file;
mod journal;
mod sessions;
mod structure;
mod sums;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use rusqlite::Connection;

use crate::error::{Error, Result};
use crate::number::number_of;
use crate::progress;
use crate::store::exchange::sense::one_byte_from;
use crate::store::file::{
    FORMAT, RECOVER_OLDER, StudyFile, Tried, first, forget_pages, named, open, persistent,
};
use crate::text::width::visible;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// All is well.
    Right,
    /// A note; nothing is wrong.
    Remark,
    /// Something may go wrong.
    Warning,
    /// Something is wrong.
    Wrong,
}

/// A finding of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub severity: Severity,
    /// The part that was checked, such as `journal`.
    pub area: &'static str,
    pub what: String,
    /// The advice to the person.
    pub advice: Option<String>,
}

/// The findings of a check, in the order of its steps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckReport {
    pub findings: Vec<Finding>,
}

impl CheckReport {
    /// The highest severity among the findings.
    pub fn worst(&self) -> Severity {
        self.findings.iter().map(|finding| finding.severity).max().unwrap_or(Severity::Right)
    }

    pub fn add(&mut self, severity: Severity, area: &'static str, what: impl Into<String>) -> &mut Finding {
        self.findings.push(Finding { severity, area, what: what.into(), advice: None });
        // A finding was just pushed.
        let last = self.findings.len() - 1;
        &mut self.findings[last]
    }

    fn right(&mut self, area: &'static str, what: impl Into<String>) {
        self.add(Severity::Right, area, what);
    }

    fn wrong(&mut self, area: &'static str, what: impl Into<String>) -> &mut Finding {
        self.add(Severity::Wrong, area, what)
    }

    /// Reports so many things of which each is wrong; none of them is no finding.
    fn wrong_ones(
        &mut self,
        area: &'static str,
        (number, thing): (usize, &str),
        what: impl fmt::Display,
        advice: &str,
    ) {
        if number > 0 {
            self.wrong(area, format!("{} {what}", number_of(number, thing))).advise(advice);
        }
    }

    /// Reports what does not fit in events of these people: as damage, unless they sent them through a hub, which looks into nothing.
    fn misfits(
        &mut self,
        connection: &Connection,
        (area, what, count): (&'static str, &str, &str),
        people: &BTreeSet<String>,
        advice: &str,
    ) -> Tried<()> {
        let member: Option<String> = first(connection, "SELECT member FROM hub", [])?;
        if member.is_none_or(|member| people.contains(&member)) {
            self.wrong(area, format!("{what}{count}")).advise(advice);
            return Ok(());
        }
        let names: Vec<_> = people.iter().map(|name| visible(name)).collect();
        let what = format!("{what}, by {}{count}", names.join(", "));
        self.add(Severity::Warning, area, what).advise("the hub passes on what it is sent: ask whose it is");
        Ok(())
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

/// The advice for a file whose pages cannot be trusted.
const RECOVER: &str = "go back to a copy, with no -journal beside it, or save what is readable with --recover NEW; do \
                       not go on working in this file";

/// Checks everything in a study file, and changes nothing. Faults of the study are findings, not errors.
///
/// # Errors
/// The file cannot be read or is no study of a known format, or the system refuses a lock, room or memory.
pub fn check(path: &Path) -> Result<CheckReport> {
    let mut report = look_at(path)?;
    // A fault must show on a second look at the disk, too.
    if report.is_wrong() {
        report = look_at(path)?;
    }
    let is_older = open::admitted_header(path)?.version < FORMAT;
    for advice in report.findings.iter_mut().filter_map(|finding| finding.advice.as_mut()) {
        if is_older && advice.contains("--recover") {
            *advice = RECOVER_OLDER.to_owned();
        }
    }
    Ok(report)
}

fn look_at(path: &Path) -> Result<CheckReport> {
    let mut report = CheckReport::default();
    let Some(study) = &file::look_at(path, &mut report)? else { return Ok(report) };
    structure::look_at(study, &mut report)?;
    if report.is_wrong() {
        // Checks of derived rows tell nothing on damaged pages; sums may still tell where the damage is.
        let before = report.findings.len();
        for step in [sums::look_at, sums::look_at_journal] {
            look(study, &mut report, step)?;
        }
        let found = report.findings.split_off(before);
        report.findings.extend(found.into_iter().filter(|finding| finding.severity == Severity::Wrong));
        return Ok(report);
    }
    // The last number of each step is its share of the time in a large study.
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

/// Runs a step; returns why it could not run.
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

/// The message of an error that tells a fault of the study; the error itself where it is a passing one.
fn finding(error: Error) -> Result<String> {
    if error.is_passing() { Err(error) } else { Ok(error.what().to_owned()) }
}

type StudyCheck = fn(&StudyFile, &mut CheckReport) -> Tried<()>;

/// Events of kinds that this program does not understand, by kind: of a newer haymark, or words with a flipped byte.
struct Strange {
    known: &'static [&'static str],
    found: BTreeMap<String, usize>,
}

impl Strange {
    fn among(known: &'static [&'static str]) -> Strange {
        Strange { known, found: BTreeMap::new() }
    }

    fn add(&mut self, kind: String) {
        *self.found.entry(kind).or_default() += 1;
    }

    /// Adds a finding for each kind; `what` is the noun for one, such as `event`.
    fn report(self, area: &'static str, what: &str, report: &mut CheckReport) {
        for (kind, number) in self.found {
            let events = format!("{} of the kind {kind:?}", number_of(number, what));
            if self.known.contains(&kind.as_str()) {
                let what = format!("{events} with contents that make no sense, counted for nothing");
                report.wrong(area, what).advise(COPY);
            } else if let Some(meant) = one_byte_from(&kind, self.known.iter().copied()) {
                let what = format!("{events}, which a flipped byte made of {meant:?}: counted for nothing");
                report.wrong(area, what).advise(COPY);
            } else {
                let what = format!("{events}, kept and not understood");
                let advice = "a newer haymark may have written them: update";
                report.add(Severity::Remark, area, what).advise(advice);
            }
        }
    }
}

/// The advice for an event whose contents are lost.
const COPY: &str = "go back to a copy, or merge one into a new study";
