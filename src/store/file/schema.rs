//! The tables of a study file: the oldest format that is read, and the steps to the newest.
//!
//! There are two kinds of tables. The corpus, the people, the protocols and the journal (`event`) hold what
//! was brought in or done; only revisions and erasures of the corpus overwrite anything. `standing`, `queue` and
//! `progress` are caches: folds over the journal, written in the transaction that appends to it, and
//! made anew from it at any time (`StudyFile::rebuild_caches`).
//!
//! # The journal in two tables
//! Each act on a screen is one row of `event`. An imported judgment (answers, comment, flag, skip) is one row of `imported`:
//! a million judgments come in at once, and their rows are most of a study file. Both hold the same kind of events, with
//! writers and numbers; a row of `imported` only packs several of them, so merging goes event by event.
//!
//! - A row's number is `writer.no << 40 | number of its first event`: the name of the event is the place of the row, rows
//!   come in at the end of the table, and there is no second index for names. `writer` gives the short number that an
//!   import's writer has in this file; in another file the number is another one.
//! - `body` has the events one after the other, by the gaps between their numbers (see `packed`). Kinds and contents that
//!   occur again and again are rows of `phrase` and named by number; the unique index of `phrase` holds them once more, and
//!   so does the index of `writer`, in case a page is lost.
//! - `item.texts` is the fingerprint of the texts on which an import first judged the item; a row of `imported` has its own
//!   only where it differs.
//! - An event of an import of any other kind, such as a verdict, is a row of `event`.
//!
//! The answers of a `standing` are packed in the same form, so a judgment costs a row of `imported`, one of its index and
//! one of `standing`.

mod step_10;
mod step_11;
mod step_9;
mod waits;

use rusqlite::Connection;

use crate::number::signed_short;

pub(in crate::store) use step_9::{JOURNALS, SUMMED, SumScope, Summed, SummedJournal};
pub(in crate::store) use step_10::RANKING;
pub(in crate::store) use waits::{AMENDMENT, ImportTrigger, SHARED};

/// The mark of a study in SQLite's header: `haym`.
pub(in crate::store) const APPLICATION_ID: i32 = 0x6861_796d;

/// A step that takes the tables from one format to the next.
pub(in crate::store) type Step = fn(&Connection) -> rusqlite::Result<()>;

/// The formats that are read, each by the step that leads to it. The first step makes the tables of the oldest.
#[derive(Clone, Copy)]
pub(in crate::store) struct Formats<'s>(pub(in crate::store) &'s [Step]);

/// Steps are added, never changed. A step leaves the caches empty or with gaps: they are made anew after the last one.
pub(in crate::store) const FORMATS: Formats<'_> =
    Formats(&[format_8, step_9::step, step_10::step, step_11::step]);

/// The oldest format that is read. Older ones are from before haymark's first release.
pub(in crate::store) const OLDEST: i32 = 8;

impl<'s> Formats<'s> {
    /// The newest format.
    pub(in crate::store) fn newest(self) -> i32 {
        OLDEST + signed_short(self.0.len()) - 1
    }

    /// The steps that a file of this format has had and those that it lacks; `None` for a format that is not read. An empty
    /// file has format 0.
    pub(in crate::store) fn split(self, format: i32) -> Option<(&'s [Step], &'s [Step])> {
        let done = match format {
            0 => 0,
            format => usize::try_from(format - OLDEST).ok()? + 1,
        };
        self.0.split_at_checked(done)
    }
}

fn format_8(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.execute_batch(include_str!("schema/format_8.sql"))?;
    connection.execute_batch(INDEX_IMPORTED)?;
    APPEND_ONLY.iter().try_for_each(|table| connection.execute_batch(&append_only(table)))?;
    waits::add(connection)
}

/// The tables of the journal.
const APPEND_ONLY: [&str; 8] =
    ["event", "imported", "writer", "phrase", "session", "session_event", "assignment_event", "view_event"];

fn append_only(table: &str) -> String {
    never(table, "UPDATE", "") + &never(table, "DELETE", "")
}

/// A trigger that refuses an act on the rows of a journal, where the condition holds.
fn never(table: &str, act: &str, condition: &str) -> String {
    let done = act.to_lowercase();
    let when = if condition.is_empty() { String::new() } else { format!("{condition}\n") };
    format!(
        "CREATE TRIGGER {table}_is_never_{done}d BEFORE {act} ON {table}
{when}BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;"
    )
}

/// The index of imported judgments by annotator and item. An import into an empty journal makes it after the rows.
pub(in crate::store) const INDEX_IMPORTED: &str =
    "CREATE INDEX imported_of_item ON imported (annotator, item);";
pub(in crate::store) const UNINDEX_IMPORTED: &str = "DROP INDEX imported_of_item;";
