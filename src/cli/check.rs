//! `haymark check`: what is wrong with a study file and what to do about it.

use std::path::Path;
use std::path::PathBuf;

use clap::Args;

use super::{Shown, print_tables};
use crate::error::{Error, Result};
use crate::export::table::TableForm;
use crate::report::{Column, Table, mapping};
use crate::store::{CheckReport, Finding, Severity, StudyFile, check, recover};
use crate::text::shell::quoted;

#[derive(Debug, Args)]
pub struct Check {
    /// The study file, which stays as it is
    pub study: PathBuf,
    /// Save every event and record that can be read, also of a damaged file, into this new study
    #[arg(long, value_name = "NEW")]
    pub recover: Option<PathBuf>,
    /// Derive answers, marks and counts anew from the journal first; writes to the study
    #[arg(long, conflicts_with = "recover")]
    pub rebuild: bool,
    /// List instead the units that stand in none or in several of those that people merged them into
    #[arg(long, conflicts_with_all = ["recover", "rebuild"])]
    pub map: bool,
    #[command(flatten)]
    pub form: TableForm,
}

pub fn run(arguments: &Check) -> Result<()> {
    if arguments.rebuild {
        StudyFile::open(&arguments.study)?.rebuild_caches()?;
    }
    if let Some(new) = &arguments.recover {
        return save(arguments, new);
    }
    if arguments.map {
        let study = StudyFile::open(&arguments.study)?;
        return print_tables(&mapping::tables(&study)?, &arguments.form);
    }
    let shown = Shown::begin("checking", "the look at the study is not finished, and nothing was written");
    let report = check(&arguments.study)?;
    shown.finish()?;
    print_findings(&arguments.study.display().to_string(), &report, &arguments.form)
}

/// Prints the findings on a study or a hub; gives an error where something is wrong.
pub fn print_findings(place: &str, report: &CheckReport, form: &TableForm) -> Result<()> {
    print_tables(&[table(place, report)], form)?;
    let wrong = report.findings.iter().filter(|finding| finding.severity == Severity::Wrong).count();
    let what = match wrong {
        0 => return Ok(()),
        1 => "one thing is wrong".to_owned(),
        _ => format!("{wrong} things are wrong"),
    };
    Err(Error::new(what).in_file(place).advise("the table says what to do"))
}

/// Saves what can be read into a new study, and says what could not.
fn save(arguments: &Check, new: &Path) -> Result<()> {
    let report = recover(&arguments.study, new)?;
    let (study, new) = (arguments.study.display().to_string(), new.display().to_string());
    let columns = [
        Column::new("kind", "what", |(kind, _): &(String, usize)| kind.clone()),
        Column::new("saved", "saved", |(_, saved): &(String, usize)| *saved),
    ];
    let mut table = Table::of(format!("{study} saved into {new}"), columns, &report.saved)
        .keyed("saved")
        .fact("study", study)
        .fact("recovered", new.clone())
        .fact("losses", report.losses.clone());
    table.notes.extend(if arguments.form.full { &report.losses } else { &report.brief }.iter().cloned());
    if report.brief.len() < report.losses.len() && !arguments.form.full {
        table.notes.push("--full names all of them.".to_owned());
    }
    let what = if report.losses.is_empty() { "Everything" } else { "The rest" };
    table.notes.push(format!("{what} came over; `haymark check {}` looks at it.", quoted(&new)));
    print_tables(&[table], &arguments.form)?;
    Ok(())
}

fn table(place: &str, report: &CheckReport) -> Table {
    let shown = |finding: &Finding| match &finding.advice {
        Some(advice) => format!("{}: {advice}", finding.what),
        None => finding.what.clone(),
    };
    let columns = [
        Column::new("severity", "", |finding: &Finding| word(finding.severity)),
        Column::new("area", "looked at", |finding: &Finding| finding.area),
        Column::new("shown", "found", shown),
        Column::new("finding", "finding", |finding: &Finding| finding.what.clone()).detail(),
        Column::new("advice", "advice", |finding: &Finding| finding.advice.clone()).detail(),
    ];
    let mut table = Table::of(place, columns, &report.findings)
        .keyed("findings")
        .fact("study", place)
        .fact("worst", word(report.worst()));
    if report.worst() < Severity::Wrong {
        table.notes.push("Nothing is wrong.".to_owned());
    }
    table
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Right => "right",
        Severity::Remark => "remark",
        Severity::Warning => "warning",
        Severity::Wrong => "WRONG",
    }
}
