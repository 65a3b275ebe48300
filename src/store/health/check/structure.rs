//! The checks that SQLite itself makes: pages and indexes, references, and the schema.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::{CheckReport, RECOVER, Severity, look};
use crate::number::number_of;
use crate::store::file::schema::is_ours;
use crate::store::file::{StudyFile, Tried, is_of_the_disk, known_schema, of_reading, partial, stored};

/// The most faults that are named one by one.
const NAMED: usize = 10;

/// The share of these steps in the time of a check.
pub(super) const SHARE: u64 = 7;

type StructureCheck = fn(&Connection, &mut CheckReport) -> Tried<()>;

pub(super) fn look_at(study: &StudyFile, report: &mut CheckReport) -> crate::error::Result<()> {
    let steps: [(&'static str, StructureCheck); 3] =
        [("pages", pages), ("schema", schema), ("references", references)];
    for (area, step) in steps {
        let step = |study: &StudyFile, report: &mut CheckReport| step(&study.connection, report);
        if let Some(what) = look(study, report, step)? {
            report.wrong(area, what).advise(RECOVER);
        }
    }
    Ok(())
}

/// Checks every page, every index against its table, every value against its type.
fn pages(connection: &Connection, report: &mut CheckReport) -> Tried<()> {
    let faults = integrity(connection)?;
    if faults.iter().any(|fault| is_of_the_disk(fault)) {
        return Err(of_reading().into());
    }
    if faults == ["ok"] {
        report.right("pages", "all pages and indexes hold together");
        return Ok(());
    }
    let more = faults.len() > NAMED;
    for fault in faults.iter().take(NAMED) {
        report.wrong("pages", fault.replace('\n', " ")).advise(RECOVER);
    }
    if more {
        report.wrong("pages", "and more of the kind").advise(RECOVER);
    }
    Ok(())
}

fn integrity(connection: &Connection) -> Tried<Vec<String>> {
    let mut faults = Vec::new();
    connection.pragma(None, "integrity_check", stored(NAMED + 1), |row| {
        faults.push(row.get(0)?);
        Ok(())
    })?;
    if faults == ["ok"]
        && let Some(other) = partial::unlike_its_table(connection, None)?
    {
        return Ok(vec![other]);
    }
    Ok(faults)
}

/// Counts rows that refer to rows which are not there.
fn references(connection: &Connection, report: &mut CheckReport) -> Tried<()> {
    let mut missing: BTreeMap<(String, String), usize> = BTreeMap::new();
    connection.pragma_query(None, "foreign_key_check", |row| {
        *missing.entry((row.get(0)?, row.get(2)?)).or_default() += 1;
        Ok(())
    })?;
    if missing.is_empty() {
        report.right("references", "every row that refers to another finds it");
    }
    for ((table, parent), number) in missing {
        let what = format!("of {table} without the {parent} referred to");
        report.wrong_ones("references", (number, "row"), what, RECOVER);
    }
    Ok(())
}

/// Compares tables, indexes and triggers with those of a new study, and names other programs' tables.
fn schema(connection: &Connection, report: &mut CheckReport) -> Tried<()> {
    let (expected, found) = (known_schema::expected()?, known_schema::found(connection, &[])?);
    let faults = known_schema::differences(&expected, &found);
    if faults.is_empty() {
        report.right("schema", format!("{} as in a new study", number_of(expected.len(), "part")));
    }
    for fault in faults {
        report
            .wrong("schema", format!("{fault}: another program changed the file"))
            .advise("save everything into a new study with --recover NEW");
    }
    let mut statement = connection.prepare(
        "SELECT type, name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (kind, name): (String, String) = (row.get(0)?, row.get(1)?);
        if !is_ours(&name) {
            let what = format!("the {kind} {name:?} is not haymark's, which leaves it alone");
            report.add(Severity::Remark, "schema", what).advise("nothing; a merge does not take it along");
        }
    }
    Ok(())
}
