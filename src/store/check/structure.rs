//! What SQLite can tell: whether pages and indexes hold together, references, and the schema.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::{CheckReport, RECOVER, counted};
use crate::store::caches;
use crate::store::fault::{Fault, named};
use crate::store::schema::MIGRATIONS;
use crate::store::study_file::StudyFile;

/// Faults that are named one by one.
const NAMED: usize = 10;

type Step = fn(&Connection, &mut CheckReport) -> Result<(), Fault>;

pub(super) fn look_at(study: &StudyFile, report: &mut CheckReport) {
    let connection = &study.connection;
    let steps: [(&'static str, Step); 3] = [("pages", pages), ("schema", schema), ("references", references)];
    for (area, step) in steps {
        if let Err(error) = named(&study.path, step(connection, report)) {
            report.wrong(area, error.what()).advise(RECOVER);
        }
    }
}

/// Every page, every index against its table, every value against its type.
fn pages(connection: &Connection, report: &mut CheckReport) -> Result<(), Fault> {
    let mut faults: Vec<String> = Vec::new();
    connection.pragma(None, "integrity_check", caches::stored(NAMED + 1), |row| {
        faults.push(row.get(0)?);
        Ok(())
    })?;
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

/// Rows that refer to rows which are not there.
fn references(connection: &Connection, report: &mut CheckReport) -> Result<(), Fault> {
    let mut missing: BTreeMap<(String, String), usize> = BTreeMap::new();
    connection.pragma_query(None, "foreign_key_check", |row| {
        *missing.entry((row.get(0)?, row.get(2)?)).or_default() += 1;
        Ok(())
    })?;
    if missing.is_empty() {
        report.right("references", "every row that refers to another finds it");
    }
    for ((table, parent), number) in missing {
        let what = format!("{} of {table} without the {parent} referred to", counted(number, "row"));
        report.wrong("references", what).advise(RECOVER);
    }
    Ok(())
}

/// Tables, indexes and triggers, against those of a new study.
fn schema(connection: &Connection, report: &mut CheckReport) -> Result<(), Fault> {
    let expected = Connection::open_in_memory()?;
    for migration in MIGRATIONS {
        migration(&expected)?;
    }
    let (expected, found) = (parts(&expected)?, parts(connection)?);
    let mut is_right = true;
    for (name, text) in &expected {
        let fault = match found.get(name) {
            Some(other) if other == text => continue,
            Some(_) => "is another one",
            None => "is missing",
        };
        is_right = false;
        let what = format!("the {name} {fault}: another program changed the file");
        report.wrong("schema", what).advise("save everything into a new study with --recover NEW");
    }
    if is_right {
        report.right("schema", format!("{} as in a new study", counted(expected.len(), "part")));
    }
    Ok(())
}

/// The text of each part by its type and name.
fn parts(connection: &Connection) -> rusqlite::Result<BTreeMap<String, String>> {
    connection
        .prepare("SELECT type || ' ' || name, sql FROM sqlite_schema WHERE sql IS NOT NULL")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}
