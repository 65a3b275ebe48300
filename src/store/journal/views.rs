//! Views of the tables that people saved under a name. The latest event of a name counts; an event without a
//! body removes the view.

use rusqlite::params;

use crate::error::Result;
use crate::store::file::{SHORT_PATIENCE, StudyFile, change, later_than, one, said};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptView {
    pub name: String,
    /// The contents in JSON.
    pub body: String,
    /// Wall time in milliseconds since 1970.
    pub at: i64,
}

impl StudyFile {
    /// The saved views, by name.
    pub fn views(&self) -> Result<Vec<KeptView>> {
        self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT name, body, at FROM view_event ORDER BY name, at, writer, seq")?;
            let read = |row: &rusqlite::Row<'_>| {
                Ok(KeptView { name: row.get(0)?, body: row.get(1)?, at: row.get(2)? })
            };
            let mut views: Vec<KeptView> = Vec::new();
            for view in statement.query_map([], read)? {
                let view = view?;
                match views.last_mut().filter(|last| last.name == view.name) {
                    Some(last) => *last = view,
                    None => views.push(view),
                }
            }
            views.retain(|view| !view.body.is_empty());
            Ok(views)
        })
    }

    /// Saves a view under a name, in the place of an earlier one; `body` is JSON. Without a body the
    /// view is removed. When this returns, the event is on disk.
    ///
    /// # Errors
    /// The file cannot be written. [`crate::error::ErrorKind::Busy`] when another process writes.
    pub fn keep_view(&mut self, name: &str, body: Option<&str>, now_ms: i64) -> Result<()> {
        self.write_events(SHORT_PATIENCE, |transaction, opening| {
            let last = one(transaction, "SELECT max(at) FROM view_event WHERE name = ?1", [name])?;
            let id = opening.next();
            let added = change(
                transaction,
                "INSERT INTO view_event (writer, seq, name, body, at) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (writer, seq) DO NOTHING",
                params![id.writer, id.seq, name, body.unwrap_or_default(), later_than(last, now_ms)],
            )?;
            if added == 0 {
                return Err(said("the number of an event is taken already; open the study again"));
            }
            Ok(())
        })
    }
}
