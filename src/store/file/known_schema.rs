//! The check that a file's tables are those of a study. Another program may have put something else in their place,
//! such as an endless view under a table's name, or a trigger that deletes. So nothing is read before the check.
//! Other programs' own tables are left alone.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::{Tried, schema};
use crate::error::Error;
use crate::text::hash::{Fingerprint, fingerprint};

/// The fingerprint of the schema, which opening compares. To compare the texts themselves, a new study would have to be made
/// first.
const KNOWN: &str = "ec9514147823a374188cfa5c1dcb02d6";

/// The SQL of each table, index and trigger, by type and name.
pub(super) type SchemaParts = BTreeMap<String, String>;

/// The parts of a new study.
pub(crate) fn expected() -> rusqlite::Result<SchemaParts> {
    let new = Connection::open_in_memory()?;
    schema::make(&new)?;
    found(&new, &[])
}

/// The parts of a file that are haymark's tables, or those that were in an older format, or belong to one.
pub(crate) fn found(connection: &Connection, gone: &[&str]) -> rusqlite::Result<SchemaParts> {
    let mut parts = SchemaParts::new();
    let mut statement =
        connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let table = row.get_ref(2)?.as_str()?;
        if schema::is_ours(table) || gone.contains(&table.to_ascii_lowercase().as_str()) {
            let name = format!("{} {}", row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?);
            parts.insert(name, row.get(3)?);
        }
    }
    Ok(parts)
}

/// The differences, a few words each: `the trigger event_is_never_deleted is missing`.
pub(crate) fn differences(expected: &SchemaParts, found: &SchemaParts) -> Vec<String> {
    let ours = expected.iter().filter_map(|(name, text)| match found.get(name) {
        Some(other) if other == text => None,
        Some(_) => Some(format!("the {name} is another one")),
        None => Some(format!("the {name} is missing")),
    });
    let others = found.keys().filter(|name| !expected.contains_key(*name));
    ours.chain(others.map(|name| format!("the {name} is not haymark's"))).collect()
}

/// Refuses a file whose tables are others than those of its format.
pub(super) fn admit(connection: &Connection, format: i32) -> Tried<()> {
    let older = schema::older(format);
    let found = found(connection, older.map_or(&[], |older| older.gone))?;
    if fingerprint_of(&found).to_string() == older.map_or(KNOWN, |older| older.schema) {
        return Ok(());
    }
    let difference = match older {
        Some(_) => Some(format!("its tables are not those of format {format}")),
        None => differences(&expected()?, &found).into_iter().next(),
    };
    match difference {
        None => Ok(()),
        Some(first) => Err(Error::damaged(format!("{first}: another program changed the file"))
            .advise(
                older.map_or("save everything into a new study: `haymark check STUDY --recover NEW`", |_| {
                    schema::RECOVER_OLDER
                }),
            )
            .into()),
    }
}

fn fingerprint_of(parts: &SchemaParts) -> Fingerprint {
    fingerprint(parts.iter().flat_map(|(name, text)| [name, text]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_what_a_new_study_has() {
        let new = Connection::open_in_memory().expect("opened");
        schema::make(&new).expect("made");
        let parts = found(&new, &[]).expect("read");
        assert_eq!(fingerprint_of(&parts).to_string(), KNOWN, "{:#?}", parts.keys());
        assert_eq!(parts.keys().filter(|name| name.starts_with("table ")).count(), 38);
        assert!(schema::OLDER.iter().all(|older| older.format < schema::FORMAT));
    }
}
