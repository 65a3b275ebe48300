//! The tables of a study file, and the step that brings an older file to them.
//!
//! There are two kinds of tables. The corpus, the people, the protocols and the journal hold what
//! was brought in or done; only revisions and erasures of the corpus overwrite anything. `standing`, `queue` and
//! `progress` are caches: folds over the journal, written in the transaction that appends to it, and
//! made anew from it at any time (`StudyFile::rebuild_caches`).
//!
//! # Acts
//! An act is what one writer did to one item at one time: a step of a person on a screen, or a judgment of an import (answers,
//! comment, flag, skip). It is one row of `act`, which packs its one to three events, and merging goes event by event.
//!
//! - A row's number is `writer.no << 40 | number of its first event`: the name of the event is the place of the row, rows
//!   come in at the end of the table, and there is no second index for names. `writer` gives the short number that a
//!   writer has in this file; in another file the number is another one.
//! - `body` has the events one after the other, by the gaps between their numbers (see `packed`). Kinds and contents that
//!   occur again and again are rows of `phrase` and named by number; the unique index of `phrase` holds them once more, and
//!   so does the index of `writer`, in case a page is lost.
//! - `item.texts` is the fingerprint of the texts on which an import first judged the item; a row of `act` has its own
//!   only where it differs.
//!
//! The answers of a `standing` are packed in the same form, so a judgment costs a row of `act`, one of its index and
//! one of `standing`. Sessions, assignments and saved views have journals of their own, a row an event.

mod from_8;
mod summed;
mod waits;

use rusqlite::Connection;

use super::{Tried, block_sums, sums};

pub(crate) use summed::{JOURNALS, ORIGINAL, SUMMED, SumScope, Summed, SummedJournal};
pub(crate) use waits::{AMENDMENT, ActTrigger, RANKING, SHARED};

/// The mark of a study in SQLite's header: `haym`.
pub(crate) const APPLICATION_ID: i32 = 0x6861_796d;

/// The format that is written.
pub(crate) const FORMAT: i32 = 12;

/// A step that gives a file of an older format the tables of the newest. It leaves the caches empty or with gaps: they are made
/// anew after it.
pub(crate) type Step = fn(&Connection) -> Tried<()>;

/// An older format that is read.
pub(crate) struct Older {
    pub(crate) format: i32,
    pub(crate) step: Step,
    /// The tables that the newest format does not have.
    pub(crate) gone: &'static [&'static str],
    /// The fingerprint of the schema.
    pub(crate) schema: &'static str,
}

pub(crate) const OLDER: &[Older] = &[Older {
    format: 8,
    step: from_8::step,
    gone: &from_8::GONE,
    schema: "326e221700968b2e86f19b4383c3293c",
}];

/// The advice for a damaged file of an older format: what is readable in it is saved by the program that wrote it.
pub(crate) const RECOVER_OLDER: &str = "go back to a copy, or save what is readable with a haymark of commit df08c2a: `haymark check STUDY --recover NEW`";

/// The older format of this number, if it is read.
pub(crate) fn older(format: i32) -> Option<&'static Older> {
    OLDER.iter().find(|older| older.format == format)
}

const TABLES: &str = include_str!("schema/study.sql");

/// Whether a table of this name is haymark's.
pub(crate) fn is_ours(table: &str) -> bool {
    TABLES.contains(&format!("\nCREATE TABLE {} (\n", table.to_ascii_lowercase()))
}

/// The columns of a table: each stands in a line of its own.
fn columns_of(table: &str) -> Vec<&'static str> {
    let text = TABLES.split_once(&format!("\nCREATE TABLE {table} (\n")).map_or("", |(_, text)| text);
    let lines = text.lines().take_while(|line| !line.starts_with(')'));
    let names = lines.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| name.starts_with(|letter: char| letter.is_ascii_lowercase())).collect()
}

/// Makes the tables of a new study.
pub(crate) fn make(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    sums::give_functions(connection)?;
    connection.execute_batch(TABLES)?;
    connection.execute_batch(INDEX_ACTS)?;
    for table in APPEND_ONLY {
        for act in ["UPDATE", "DELETE"] {
            let done = act.to_lowercase();
            connection.execute_batch(&format!(
                "CREATE TRIGGER {table}_is_never_{done}d BEFORE {act} ON {table}
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;"
            ))?;
        }
    }
    waits::add(connection)?;
    SUMMED.iter().try_for_each(|summed| connection.execute_batch(&summed.triggers()))?;
    let by_trigger = JOURNALS.iter().filter(|journal| !journal.is_by_id());
    by_trigger.map(block_sums::trigger).try_for_each(|trigger| connection.execute_batch(&trigger))
}

/// The tables of the journal.
const APPEND_ONLY: [&str; 7] =
    ["act", "writer", "phrase", "session", "session_event", "assignment_event", "view_event"];

/// The index of acts by annotator and item. An import into an empty journal makes it after the rows.
pub(crate) const INDEX_ACTS: &str = "CREATE INDEX act_of_item ON act (annotator, item);";
pub(crate) const UNINDEX_ACTS: &str = "DROP INDEX act_of_item;";
