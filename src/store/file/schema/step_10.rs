//! The step to format 10: the rankings of retrievers, and the maps by which foreign files are read.
//!
//! A ranking is stored as one record: it names its documents by their keys, which are the same in every file.

use rusqlite::Connection;

use super::step_9::SUMMED;
use super::waits;

/// The tables that format 9 did not have.
pub(super) const NEW: [&str; 2] = [RANKING, "import_map"];

pub(in crate::store) const RANKING: &str = "ranking";

const TABLES: &str = "
CREATE TABLE ranking (
  id INTEGER PRIMARY KEY,
  query INTEGER NOT NULL REFERENCES query (id),
  retriever TEXT NOT NULL,
  documents TEXT NOT NULL,
  UNIQUE (query, retriever)
) STRICT;
CREATE TABLE import_map (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (name, text)
) STRICT;
";

pub(super) fn step(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    waits::add_to(connection, RANKING)?;
    let new = SUMMED.iter().filter(|summed| NEW.contains(&summed.table));
    new.map(super::Summed::triggers).try_for_each(|triggers| connection.execute_batch(&triggers))
}
