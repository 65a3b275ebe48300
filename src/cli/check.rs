//! `haymark check`: what is wrong with a study file and what to do about it.

use std::path::Path;

use super::args::Check;
use super::output::print_tables;
use super::table::{Cell, Column, Table};
use crate::error::{Error, Result};
use crate::store::{CheckReport, Finding, Severity, StudyFile, check, recover};

pub fn run(arguments: &Check) -> Result<()> {
    if arguments.rebuild {
        StudyFile::open(&arguments.study)?.rebuild_caches()?;
    }
    if let Some(new) = &arguments.recover {
        return save(arguments, new);
    }
    let report = check(&arguments.study)?;
    let tables = [table(arguments, &report)];
    print_tables(&tables, arguments.form)?;
    let wrong = report.findings.iter().filter(|finding| finding.severity == Severity::Wrong).count();
    match wrong {
        0 => Ok(()),
        1 => Err(Error::new("one thing is wrong")
            .in_file(&arguments.study)
            .advise("the table says what to do")),
        _ => Err(Error::new(format!("{wrong} things are wrong"))
            .in_file(&arguments.study)
            .advise("the table says what to do")),
    }
}

/// Saves what can be read into a new study, and says what could not.
fn save(arguments: &Check, new: &Path) -> Result<()> {
    let report = recover(&arguments.study, new)?;
    let columns = vec![Column::text("kind", "what"), Column::count("saved", "saved")];
    let (study, new) = (arguments.study.display().to_string(), new.display().to_string());
    let mut table = Table::new(format!("{study} saved into {new}"), columns)
        .fact("study", study)
        .fact("recovered", new.clone())
        .fact("losses", report.losses.clone());
    for (kind, saved) in &report.saved {
        table.rows.push(vec![Cell::from(kind.as_str()), Cell::Count(*saved)]);
    }
    table.notes.extend(report.losses.iter().cloned());
    table.notes.push(match report.losses.is_empty() {
        true => format!("Everything came over; `haymark check {new}` looks at it."),
        false => format!("The rest came over; `haymark check {new}` looks at it."),
    });
    print_tables(&[table], arguments.form)?;
    Ok(())
}

fn table(arguments: &Check, report: &CheckReport) -> Table {
    let columns = vec![
        Column::text("severity", ""),
        Column::text("area", "looked at"),
        Column::text("shown", "found"),
        Column::text("finding", "finding").detail(),
        Column::text("advice", "advice").detail(),
    ];
    let study = arguments.study.display().to_string();
    let mut table =
        Table::new(study.clone(), columns).fact("study", study).fact("worst", word(report.worst()));
    table.rows.extend(report.findings.iter().map(row));
    if report.worst() < Severity::Wrong {
        table.notes.push("Nothing is wrong.".to_owned());
    }
    table
}

fn row(finding: &Finding) -> Vec<Cell> {
    let shown = match &finding.advice {
        Some(advice) => format!("{}: {advice}", finding.what),
        None => finding.what.clone(),
    };
    vec![
        Cell::from(word(finding.severity)),
        Cell::from(finding.area),
        Cell::Text(shown),
        Cell::from(finding.what.as_str()),
        Cell::from(finding.advice.clone()),
    ]
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Right => "right",
        Severity::Remark => "remark",
        Severity::Warning => "warning",
        Severity::Wrong => "WRONG",
    }
}
