//! What is derived from the journal, against what a copy gives when it is derived anew.

use rusqlite::Connection;

use super::{CheckReport, counted};
use crate::store::caches;
use crate::store::fault::{Tried, said};
use crate::store::open;
use crate::store::read_only::temporary_folder;
use crate::store::study_file::StudyFile;

/// The caches, and what they hold.
const CACHES: [(&str, &str); 4] = [
    ("standing", "where annotators stand on items"),
    ("answer", "current answers"),
    ("queue", "marks in the annotators' queues"),
    ("progress", "counts of what is done"),
];

pub(super) fn look_at(study: &StudyFile, report: &mut CheckReport) -> Tried<()> {
    let folder = temporary_folder()?;
    let copy = folder.path().join("study.db");
    let name = copy.to_str().ok_or_else(|| said("the name of the temporary folder is not valid Unicode"))?;
    study.connection.execute("VACUUM INTO ?1", [name])?;
    let copy = open::open(&copy)?;
    // Memory is for the screens; here it is a question of some seconds.
    copy.execute_batch("PRAGMA temp_store = FILE; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF;")?;
    let transaction = copy.unchecked_transaction()?;
    for (table, _) in CACHES {
        transaction
            .execute_batch(&format!("CREATE TEMP TABLE before_{table} AS SELECT * FROM main.{table}"))?;
    }
    caches::rebuild(&transaction)?;
    let mut is_right = true;
    for (table, what) in CACHES {
        let other = differences(&transaction, table)?;
        if other > 0 {
            is_right = false;
            let what = format!("{} that the journal does not give: {what}", counted(other, "row"));
            report.wrong("derived", what).advise("`haymark check STUDY --rebuild` derives them anew");
        }
    }
    if is_right {
        report.right("derived", "answers, marks and counts are what the journal gives");
    }
    Ok(())
}

/// Rows that stand in one of both, or otherwise.
fn differences(connection: &Connection, table: &str) -> Tried<usize> {
    let only = |one: &str, other: &str| {
        super::count_of(
            connection,
            &format!("SELECT count(*) FROM (SELECT * FROM {one} EXCEPT SELECT * FROM {other})"),
        )
    };
    let (ours, theirs) = (format!("before_{table}"), format!("main.{table}"));
    Ok(only(&ours, &theirs)?.max(only(&theirs, &ours)?))
}
