//! The check that a file's tables are those of a study. Another program may have put something else in their place,
//! such as an endless view under a table's name, or a trigger that deletes. So nothing is read before the check.
//! Other programs' own tables are left alone.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::fault::Tried;
use super::schema::Step;
use crate::error::Error;
use crate::text::hash::{Fingerprint, fingerprint};

/// Every table of a study, in alphabetical order.
const TABLES: [&str; 39] = [
    "amendment",
    "annotator",
    "assignment_event",
    "block_sum",
    "candidate",
    "collection",
    "document",
    "event",
    "evidence",
    "gold",
    "guideline",
    "handed_out",
    "hub",
    "hub_held",
    "hub_lease",
    "hub_waits",
    "import",
    "import_map",
    "imported",
    "item",
    "joined",
    "original",
    "phrase",
    "progress",
    "protocol",
    "protocol_version",
    "query",
    "question",
    "queue",
    "ranking",
    "revision",
    "row_sum",
    "session",
    "session_event",
    "standing",
    "unit",
    "view_event",
    "withdrawn",
    "writer",
];

/// The fingerprint of each format's schema, which opening compares. To compare the texts themselves, a new
/// study would have to be made first.
const KNOWN: [&str; 4] = [
    "326e221700968b2e86f19b4383c3293c",
    "34b258d32212c272d7af14349b910db4",
    "95848f27e61b4d176fcb97a655a7b312",
    "01606538804dba4c02a24400ab407a23",
];

/// Whether a table of this name is haymark's.
pub(in crate::store) fn is_ours(table: &str) -> bool {
    TABLES.binary_search(&table.to_ascii_lowercase().as_str()).is_ok()
}

/// The SQL of each table, index and trigger, by type and name.
pub(super) type SchemaParts = BTreeMap<String, String>;

/// The parts that these steps make in a new study.
pub(in crate::store) fn expected(steps: &[Step]) -> rusqlite::Result<SchemaParts> {
    let new = Connection::open_in_memory()?;
    steps.iter().try_for_each(|step| step(&new))?;
    found(&new)
}

/// The parts of a file that are haymark's tables, or belong to one.
pub(in crate::store) fn found(connection: &Connection) -> rusqlite::Result<SchemaParts> {
    let mut parts = SchemaParts::new();
    let mut statement =
        connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if is_ours(row.get_ref(2)?.as_str()?) {
            let name = format!("{} {}", row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?);
            parts.insert(name, row.get(3)?);
        }
    }
    Ok(parts)
}

/// The differences, a few words each: `the trigger event_is_never_deleted is missing`.
pub(in crate::store) fn differences(expected: &SchemaParts, found: &SchemaParts) -> Vec<String> {
    let ours = expected.iter().filter_map(|(name, text)| match found.get(name) {
        Some(other) if other == text => None,
        Some(_) => Some(format!("the {name} is another one")),
        None => Some(format!("the {name} is missing")),
    });
    let others = found.keys().filter(|name| !expected.contains_key(*name));
    ours.chain(others.map(|name| format!("the {name} is not haymark's"))).collect()
}

/// Refuses a file whose tables are others than these steps make.
pub(super) fn admit(connection: &Connection, steps: &[Step]) -> Tried<()> {
    let found = found(connection)?;
    let known = steps.len().checked_sub(1).and_then(|last| KNOWN.get(last));
    if known.is_some_and(|known| fingerprint_of(&found).to_string() == **known) {
        return Ok(());
    }
    match differences(&expected(steps)?, &found).first() {
        None => Ok(()),
        Some(first) => Err(Error::damaged(format!("{first}: another program changed the file"))
            .advise("save everything into a new study: `haymark check STUDY --recover NEW`")
            .into()),
    }
}

fn fingerprint_of(parts: &SchemaParts) -> Fingerprint {
    fingerprint(parts.iter().flat_map(|(name, text)| [name, text]))
}

#[cfg(test)]
mod tests {
    use super::super::schema::FORMATS;
    use super::*;

    #[test]
    fn what_is_known_is_what_the_steps_make() {
        let new = Connection::open_in_memory().expect("opened");
        for (step, known) in FORMATS.0.iter().zip(KNOWN) {
            step(&new).expect("made");
            let parts = found(&new).expect("read");
            assert_eq!(fingerprint_of(&parts).to_string(), known, "{:#?}", parts.keys());
        }
        assert_eq!(KNOWN.len(), FORMATS.0.len());
        let tables: Vec<String> = new
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
            .expect("read");
        assert_eq!(tables, TABLES);
    }
}
